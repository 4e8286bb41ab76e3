//! Tests of profiles: what is shown is what holds.

use proptest::prelude::*;

use super::*;

fn base() -> ProfileBase<'static> {
    ProfileBase { skill: Path::new("/p/.agents/skills/pdf"), home: Some(Path::new("/home/u")) }
}

fn texts(items: &[&str]) -> Vec<String> {
    items.iter().map(|&item| item.to_owned()).collect()
}

fn lines(delta: &GrantDelta) -> Vec<String> {
    let added = delta.added.iter().map(|addition| format!("+ {addition}"));
    added.chain(delta.ignored.iter().map(|ignored| format!("- {ignored}"))).collect()
}

fn asked(in_force: &Grants, profile: &PermissionsProfile) -> GrantDelta {
    in_force.delta(&profile.requested(base()), ProfileMode::Ask, ProfileSource::Other)
}

#[test]
fn paths_are_made_whole() {
    let check = |text: &str, expected: Result<&str, &str>| {
        let found = path::absolute(text, base());
        assert_eq!(found.as_deref(), expected.map(Path::new).as_ref().copied(), "{text}");
    };
    check("data", Ok("/p/.agents/skills/pdf/data"));
    check("./data/../x/", Ok("/p/.agents/skills/pdf/x"));
    check(".", Ok("/p/.agents/skills/pdf"));
    check("../../../src", Ok("/p/src"));
    check("../../../../../../../etc", Ok("/etc"));
    check("/../..", Ok("/"));
    check("//etc//passwd", Ok("/etc/passwd"));
    check("~", Ok("/home/u"));
    check("~/x", Ok("/home/u/x"));
    check("~//etc", Ok("/home/u/etc"));
    check("~/../v", Ok("/home/v"));
    check("$HOME/x", Ok("/home/u/x"));
    check("~root/x", Err("another user's home is not known"));
    check("$HOMEx", Err("variables are not expanded"));
    check("$TMPDIR/x", Err("variables are not expanded"));
    check("/tmp/*", Err("a pattern is not a path"));
    check("", Err("not a usable path"));
    check("/a\0b", Err("not a usable path"));
    check("/a\nb", Err("not a usable path"));
    assert!(path::absolute("~/x", ProfileBase { home: None, ..base() }).is_err());
}

#[test]
fn the_delta_names_everything_once() {
    let profile = PermissionsProfile {
        file_system_read: texts(&["~/docs", "~/docs/deep", "/p/out/sub", "/usr/share"]),
        file_system_write: texts(&["/p/out", "./cache", "/tmp/*"]),
        network: Some(true),
        approval_policy: Some("never".to_owned()),
        other: [
            ("macos_preferences".to_owned(), "readonly".to_owned()),
            ("network.allowed_domains".to_owned(), "[example.org]".to_owned()),
        ]
        .into(),
    };
    let in_force = Grants { read: ["/usr".into()].into(), ..Grants::default() };
    let delta = asked(&in_force, &profile);
    let expected = [
        "+ write `/p/.agents/skills/pdf/cache` and everything below it",
        "+ write `/p/out` and everything below it",
        "+ read `/home/u/docs` and everything below it",
        "+ reach the network, without limits",
        "+ run its commands without asking each time",
        "- `file_system.write: /tmp/*`: a pattern is not a path",
        "- `macos_preferences: readonly`: not enforced here",
        "- `network.allowed_domains: [example.org]`: not enforced here",
    ];
    assert_eq!(lines(&delta), expected);
    let after = in_force.with(&delta);
    assert!(after.may_write(Path::new("/p/out/sub/x")) && after.may_read(Path::new("/home/u/docs/deep")));
    assert!(!after.may_write(Path::new("/home/u/docs")) && !after.may_read(Path::new("/home/u/document")));
    assert_eq!(asked(&after, &profile).added, []);
}

#[test]
fn what_asks_for_nothing_adds_nothing() {
    let profile = PermissionsProfile {
        network: Some(false),
        approval_policy: Some("on-request".to_owned()),
        ..PermissionsProfile::default()
    };
    assert_eq!(asked(&Grants::default(), &profile), GrantDelta::default());
    let odd = PermissionsProfile { approval_policy: Some("yolo".to_owned()), ..PermissionsProfile::default() };
    assert_eq!(lines(&asked(&Grants::default(), &odd)), ["- `approval_policy: yolo`: there is no such policy"]);
}

#[test]
fn modes_leave_profiles_out() {
    use ProfileMode::{Ask, Strict, TrustedSources};
    use ProfileSource::{Other, Trusted};
    let profile = PermissionsProfile { network: Some(true), ..PermissionsProfile::default() };
    let delta = |mode, source| {
        let delta = Grants::default().delta(&profile.requested(base()), mode, source);
        (delta.added.len(), delta.ignored.len())
    };
    assert_eq!([delta(Ask, Other), delta(Ask, Trusted)], [(1, 0), (1, 0)]);
    assert_eq!([delta(Strict, Other), delta(Strict, Trusted)], [(0, 1), (0, 1)]);
    assert_eq!([delta(TrustedSources, Other), delta(TrustedSources, Trusted)], [(0, 1), (1, 0)]);
    for word in ProfileMode::WORDS {
        assert!(ProfileMode::parse(word).is_some(), "{word}");
    }
    assert_eq!(ProfileMode::default(), Ask);
}

#[test]
fn links_are_followed_before_anybody_is_asked() {
    let profile = PermissionsProfile { file_system_write: texts(&["out"]), ..PermissionsProfile::default() };
    let requested = profile.requested(base()).resolved(|_| PathBuf::from("/etc"));
    let delta = Grants::default().delta(&requested, ProfileMode::Ask, ProfileSource::Other);
    assert_eq!(delta.added, [Addition::Write("/etc".into())]);
}

fn some_paths() -> impl Strategy<Value = Vec<String>> {
    proptest::collection::vec("(/[ab]){1,3}|[ab]|~/[ab]|\\.\\./[ab]", 0..4)
}

proptest! {
    /// Case A42: the shown delta is what is enforced, no more and no less.
    #[test]
    fn what_is_shown_is_what_holds(
        read in some_paths(), write in some_paths(), network in any::<bool>(),
        held_read in some_paths(), held_write in some_paths(), held_network in any::<bool>(),
    ) {
        let held = PermissionsProfile {
            file_system_read: held_read, file_system_write: held_write, network: Some(held_network),
            ..PermissionsProfile::default()
        };
        let in_force = Grants::default().with(&asked(&Grants::default(), &held));
        let profile = PermissionsProfile {
            file_system_read: read, file_system_write: write, network: Some(network), ..PermissionsProfile::default()
        };
        let requested = profile.requested(base());
        let delta = asked(&in_force, &profile);
        let after = in_force.with(&delta);
        let requested = Grants::default().with(&requested);
        prop_assert!(requested.write.iter().all(|path| after.may_write(path)));
        prop_assert!(requested.read.iter().all(|path| after.may_read(path)));
        let more_read: Vec<_> = after.read.difference(&in_force.read).cloned().map(Addition::Read).collect();
        let more_write: Vec<_> = after.write.difference(&in_force.write).cloned().map(Addition::Write).collect();
        let more_network = (after.network && !in_force.network).then_some(Addition::Network);
        let more: Vec<Addition> = more_write.into_iter().chain(more_read).chain(more_network).collect();
        prop_assert_eq!(&more, &delta.added);
        for left_out in 0..delta.added.len() {
            let mut fewer = delta.clone();
            fewer.added.remove(left_out);
            prop_assert!(!asked(&in_force.with(&fewer), &profile).added.is_empty(), "nothing is named in vain");
        }
    }
}

#[test]
fn a_wide_path_that_cannot_be_given_hides_no_narrow_one() {
    let profile = PermissionsProfile {
        file_system_read: vec!["/".to_owned(), "/data".to_owned()],
        network: Some(true),
        ..PermissionsProfile::default()
    };
    let requested = profile.requested(ProfileBase { skill: Path::new("/s"), home: None });
    let requested = requested.without(|addition| (*addition == Addition::Read("/".into())).then_some("never"));
    let delta = Grants::default().delta(&requested, ProfileMode::Ask, ProfileSource::Other);
    assert_eq!(delta.added, [Addition::Read("/data".into()), Addition::Network]);
    assert_eq!(delta.ignored.iter().map(|ignored| ignored.why).collect::<Vec<_>>(), ["never"]);
}
