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
    let root = |path: &str, flat| UserRoot { path: context.root().join(path), flat };
    let roots = vec![root("home/skills", false), root("home/commands", true), root("none", false)];
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
    all.into_iter().filter(|place| boundary.may_lead(&target(&context.root().join(place)), LinkRole::Found)).collect()
}

#[test]
fn an_untrusted_project_reaches_itself_and_the_users_skills() {
    let context = context();
    let boundary = Boundary::of_untrusted(vec![context.root().join("project")], places(&context));
    assert_eq!(allowed(&context, &boundary), ["project", "project/inside", "home/skills/one"]);
}

/// The project is the folder of its path. What a link in its place leads to is not inside.
#[test]
fn a_link_in_the_place_of_an_untrusted_project_leads_nowhere() {
    let context = context();
    let project = context.root().join("project");
    let boundary = Boundary::of_untrusted(vec![project.clone()], places(&context));
    fs_err::rename(&project, context.root().join("aside")).unwrap();
    symlink(context.root().join("outside"), &project).unwrap();
    assert!(!boundary.may_lead(&target(&project), LinkRole::Found));
    assert!(!boundary.may_be_root(&project, &target(&project), LinkRole::Found));
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
            assert!(!boundary.may_lead(&target, LinkRole::Found), "{place}");
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
    let own = target(&context.root().join("project"));
    assert!(!user.may_lead(&target(&other), LinkRole::Found) && user.may_lead(&own, LinkRole::Found));
    let inside = Boundary::of_user(vec![context.root().to_owned()], LinkPlaces::default());
    assert!(inside.may_lead(&target(&other), LinkRole::Found));
}

#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_link_of_another_user_is_judged_as_in_an_untrusted_project() {
    use std::os::unix::fs::{MetadataExt as _, chown, lchown};
    let context = context();
    let (project, theirs) = (context.root().join("project"), Some(65534));
    let (out, inner) = (project.join("out"), project.join("in"));
    symlink(context.root().join("outside"), &out).unwrap();
    symlink(project.join("inside"), &inner).unwrap();
    let boundary = Boundary::of_user(vec![project.clone()], LinkPlaces::default());
    let may_lead = |link: &Path| boundary.may_lead(&target(link), LinkRole::Found);
    assert!(may_lead(&out) && may_lead(&inner));
    if [&out, &inner].into_iter().any(|link| lchown(link, theirs, theirs).is_err()) {
        eprintln!("SKIPPED: giving a link to another user needs root");
        return;
    }
    assert!(!may_lead(&out) && !may_lead(&inner), "who made it may not be able to read what it leads to");
    chown(project.join("inside"), theirs, theirs).unwrap();
    assert!(may_lead(&inner), "it leads to what its maker owns");
    lchown(&out, Some(fs_err::metadata(context.root()).unwrap().uid()), None).unwrap();
    assert!(may_lead(&out));
    chown(&project, theirs, theirs).unwrap();
    assert!(!may_lead(&out), "they can put a link of the user's where they like");
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
        assert!(!boundary.may_lead(&target(&root.join(way)), LinkRole::Found), "{way}");
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

/// Whoever made a link must own what it leads to: another user's link does not show a file that is not theirs.
#[test]
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn a_link_in_an_untrusted_project_leads_to_what_its_owner_owns() {
    let context = context();
    let project = context.root().join("project");
    let at = |path: &str| project.join(path);
    fs_err::write(at("mine"), "").unwrap();
    fs_err::write(at("theirs"), "").unwrap();
    fs_err::create_dir(at("their-folder")).unwrap();
    for (link, to) in [
        ("mine-to-mine", "mine"),
        ("mine-to-theirs", "theirs"),
        ("theirs-to-mine", "mine"),
        ("theirs-to-theirs", "theirs"),
        ("theirs-over-mine", "mine-to-mine"),
        ("mine-over-theirs", "theirs-to-mine"),
        ("their-folder/mine-moved", "../mine"),
    ] {
        symlink(to, at(link)).unwrap();
    }
    let boundary = Boundary::of_untrusted(vec![project.clone()], LinkPlaces::default());
    let leads = |link: &str| boundary.may_lead(&target(&at(link)), LinkRole::Found);
    let links = ["mine-to-mine", "mine-to-theirs", "theirs-to-mine", "theirs-to-theirs", "theirs-over-mine"];
    assert!(links.into_iter().all(leads), "one owner");
    let give = |path: &str| {
        let nobody = Some(rustix::fs::Uid::from_raw(65534));
        rustix::fs::chownat(CWD, at(path), nobody, None, rustix::fs::AtFlags::SYMLINK_NOFOLLOW)
    };
    if give("theirs").is_err() {
        eprintln!("SKIPPED: giving a file to another user needs root");
        return;
    }
    for path in ["theirs-to-mine", "theirs-to-theirs", "theirs-over-mine", "their-folder"] {
        give(path).unwrap();
    }
    assert!(leads("mine-to-mine") && leads("mine-to-theirs"), "root's links lead where root says");
    for link in ["theirs-to-mine", "theirs-over-mine", "mine-over-theirs", "their-folder/mine-moved"] {
        assert!(!leads(link), "{link}");
    }
    // The folder that holds the link is root's, as the top of a shared folder is.
    assert!(leads("theirs-to-theirs"));
}

/// Rules go by names, so a link shows a skill of the user as that skill.
#[test]
fn a_users_skill_is_reached_as_what_it_is() {
    let context = context();
    context.tree(
        "//- home/skills/one/SKILL.md\nx\n//- home/skills/one/notes.md\nx\n//- home/skills/group/two/SKILL.md\nx\n\
         //- home/commands/three.md\nx\n//- home/commands/deep/four.md\nx\n",
    );
    let boundary = Boundary::of_untrusted(vec![context.root().join("project")], places(&context));
    let may = |to: &str, role| boundary.may_lead(&target(&context.root().join("home").join(to)), role);
    let folder = |name: &'static str| LinkRole::Folder { name: name.as_ref(), flat: false };
    let file = |path: &'static str, flat| LinkRole::SkillFile { path: Path::new(path), flat };
    assert!(may("skills/one", folder("one")) && may("skills/group/two", folder("two")) && may("skills", folder("x")));
    assert!(!may("skills/one", folder("innocent")) && !may("skills/group", folder("group")));
    assert!(!may("skills/one", LinkRole::Folder { name: "one".as_ref(), flat: true }));
    assert!(may("skills/one/SKILL.md", file("p/one/SKILL.md", false)));
    assert!(!may("skills/one/SKILL.md", file("p/innocent/SKILL.md", false)));
    assert!(!may("skills/one/notes.md", file("p/one/SKILL.md", false)));
    assert!(!may("skills/one/SKILL.md", file("p/commands/one.md", true)));
    assert!(!may("skills/one/SKILL.md", file("p/commands/SKILL.md", true)));
    assert!(!may("skills/one/notes.md", file("p/commands/notes.md", true)));
    assert!(may("commands/three.md", file("p/commands/three.md", true)));
    assert!(!may("commands/three.md", file("p/commands/other.md", true)));
    assert!(!may("commands/three.md", file("p/three/SKILL.md", false)));
    assert!(may("skills", LinkRole::Root { flat: false }) && may("commands", LinkRole::Root { flat: true }));
    assert!(!may("skills", LinkRole::Root { flat: true }) && !may("skills/one", LinkRole::Root { flat: false }));
    assert!(!may("skills/one/SKILL.md", LinkRole::Other));
}
