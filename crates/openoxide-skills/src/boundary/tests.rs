use std::os::unix::fs::symlink;

use openoxide_testkit::TestContext;

use super::*;

fn target(path: &Path) -> Target {
    Target::open(CWD, path).unwrap()
}

fn context() -> TestContext {
    let context = TestContext::new();
    for folder in ["project/inside", "project-old", "home/skills/one", "home/state/deep", "outside"] {
        fs_err::create_dir_all(context.root().join(folder)).unwrap();
    }
    context
}

fn places(context: &TestContext) -> LinkPlaces {
    let roots = vec![context.root().join("home/skills"), context.root().join("none")];
    LinkPlaces::new(Some(context.root().join("home/state")), move || roots)
}

/// Which of the places in a tree a boundary lets a link lead to.
fn allowed(context: &TestContext, boundary: &Boundary) -> Vec<&'static str> {
    let all = [
        "project",
        "project/inside",
        "project-old",
        "home",
        "home/skills/one",
        "home/state",
        "home/state/deep",
        "outside",
    ];
    all.into_iter().filter(|place| boundary.may_lead(&target(&context.root().join(place)))).collect()
}

#[test]
fn an_untrusted_project_reaches_itself_and_the_users_skills() {
    let context = context();
    let boundary = Boundary::of_untrusted(vec![context.root().join("project")], places(&context));
    assert_eq!(allowed(&context, &boundary), ["project", "project/inside", "home/skills/one"]);
}

#[test]
fn what_is_trusted_reaches_everything_of_its_user_but_private_places() {
    let context = context();
    let boundary = Boundary::of_user(vec![context.root().join("project")], places(&context));
    // A home holds the private state, so it is no target either.
    assert_eq!(
        allowed(&context, &boundary),
        ["project", "project/inside", "project-old", "home/skills/one", "outside"]
    );
}

#[test]
fn nobody_reaches_what_the_system_says_about_itself() {
    let own = [
        Boundary::of_user(vec!["/".into()], LinkPlaces::default()),
        Boundary::of_admin(vec!["/".into()], LinkPlaces::default()),
    ];
    for boundary in own {
        for place in ["/proc", "/proc/self/environ", "/dev/null", "/"] {
            let Ok(target) = Target::open(CWD, Path::new(place)) else { continue };
            assert!(!boundary.may_lead(&target), "{place}");
        }
    }
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn what_another_user_owns_is_reached_only_inside() {
    let context = context();
    let other = context.root().join("outside");
    if rustix::fs::chown(&other, Some(rustix::fs::Uid::from_raw(65534)), None).is_err() {
        eprintln!("SKIPPED: giving a folder to another user needs root");
        return;
    }
    let user = Boundary::of_user(Vec::new(), LinkPlaces::default());
    assert!(!user.may_lead(&target(&other)) && user.may_lead(&target(&context.root().join("project"))));
    let inside = Boundary::of_user(vec![context.root().to_owned()], LinkPlaces::default());
    assert!(inside.may_lead(&target(&other)));
}

/// Links on the way, a `..` and a look-alike name are seen through: only the true path counts.
#[test]
fn a_target_is_where_the_system_says() {
    let context = context();
    let root = context.root();
    symlink(root.join("outside"), root.join("project/way")).unwrap();
    symlink("way/../outside", root.join("project/inside/round")).unwrap();
    let boundary = Boundary::of_untrusted(vec![root.join("project")], LinkPlaces::default());
    assert_eq!(target(&root.join("project/way")).path(), root.join("outside"));
    for way in ["project/way", "project/inside/../way"] {
        assert!(!boundary.may_lead(&target(&root.join(way))), "{way}");
        assert_eq!(boundary.resolve(&root.join(way)), None);
    }
    assert_eq!(boundary.resolve(&root.join("project/inside")), Some(root.join("project/inside")));
}

/// A descriptor is read, not the path that led to it.
#[test]
fn what_is_reopened_is_what_was_judged() {
    use std::io::Read as _;
    let context = context();
    let (good, bad, link) =
        (context.root().join("project/good"), context.root().join("outside/bad"), context.root().join("project/link"));
    fs_err::write(&good, "good").unwrap();
    fs_err::write(&bad, "bad").unwrap();
    symlink(&good, &link).unwrap();
    let held = target(&link);
    fs_err::remove_file(&link).unwrap();
    symlink(&bad, &link).unwrap();
    fs_err::rename(&bad, &good).unwrap();
    let mut text = String::new();
    let flags = rustix::fs::OFlags::RDONLY | rustix::fs::OFlags::CLOEXEC;
    std::fs::File::from(held.reopen(flags).unwrap()).read_to_string(&mut text).unwrap();
    assert_eq!(text, "good");
}
