//! Which changes stamps tell, and what is not stamped at all.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use openoxide_testkit::TestContext;

use crate::resource::FolderStamps;

fn folder() -> (TestContext, PathBuf) {
    let context = TestContext::new();
    context.tree("//- project/s/SKILL.md\none\n//- project/s/a/b.md\ntwo\n");
    let folder = context.project().join("s");
    (context, folder)
}

/// Long after anything that a test writes.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_mins(1)
}

/// What a change is, and what makes it.
type Change<'a> = (&'a str, &'a dyn Fn());

#[test]
fn every_change_is_told() {
    let (context, folder) = folder();
    let now = SystemTime::now();
    assert!(FolderStamps::of(&folder, None, now).is_none(), "what was just written may be written again unnoticed");
    let other = context.home().join("other");
    let file = folder.join("SKILL.md");
    let changes: [Change<'_>; 7] = [
        ("the same size at the same time", &|| {
            let time = fs_err::metadata(&file).unwrap().modified().unwrap();
            fs_err::write(&file, "eno\n").unwrap();
            std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
        }),
        ("renamed over", &|| {
            fs_err::write(context.root().join("new"), "one\n").unwrap();
            fs_err::rename(context.root().join("new"), &file).unwrap();
        }),
        ("a new file below", &|| fs_err::write(folder.join("a/c.md"), "").unwrap()),
        ("a file that is gone", &|| fs_err::remove_file(folder.join("a/b.md")).unwrap()),
        ("another mode", &|| {
            let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
            fs_err::set_permissions(&file, mode).unwrap();
        }),
        ("the other file", &|| fs_err::write(&other, "").unwrap()),
        ("the folder itself", &|| fs_err::rename(&folder, context.root().join("moved")).unwrap()),
    ];
    for (what, change) in changes {
        let stamps = FolderStamps::of(&folder, Some(other.clone()), later()).expect(what);
        assert!(stamps.still_hold(), "{what}: nothing has changed yet");
        // Longer than a tick of the kernel's clock.
        std::thread::sleep(Duration::from_millis(30));
        change();
        assert!(!stamps.still_hold(), "{what}");
    }
}

#[test]
fn a_link_in_place_of_the_folder_is_told() {
    let (context, folder) = folder();
    let stamps = FolderStamps::of(&folder, None, later()).unwrap();
    let moved = context.root().join("moved");
    fs_err::rename(&folder, &moved).unwrap();
    std::os::unix::fs::symlink(&moved, &folder).unwrap();
    assert!(!stamps.still_hold());
}

#[test]
fn a_file_is_stamped_with_the_way_to_it() {
    let (context, folder) = folder();
    let stamps = |now| FolderStamps::of_file(&folder, Path::new("a/b.md"), None, now);
    assert!(stamps(SystemTime::now()).is_none(), "what was just written may be written again unnoticed");
    let written = stamps(later()).unwrap();
    assert!(written.still_hold());
    std::thread::sleep(Duration::from_millis(30));
    fs_err::write(folder.join("a/b.md"), "new\n").unwrap();
    assert!(!written.still_hold());
    let moved = stamps(later()).unwrap();
    fs_err::rename(folder.join("a"), context.root().join("a")).unwrap();
    std::os::unix::fs::symlink(context.root().join("a"), folder.join("a")).unwrap();
    assert!(!moved.still_hold());
    assert!(stamps(later()).is_none(), "what lies behind a link is not stamped");
    for odd in ["a", "../s/SKILL.md", "/etc/passwd", "nothing"] {
        assert!(FolderStamps::of_file(&folder, Path::new(odd), None, later()).is_none(), "{odd}");
    }
}

#[test]
fn another_file_that_is_a_link_is_not_stamped() {
    let (context, folder) = folder();
    let other = context.home().join("other");
    assert!(FolderStamps::of(&folder, Some(other.clone()), later()).is_some(), "it need not be there");
    std::os::unix::fs::symlink("elsewhere", &other).unwrap();
    assert!(FolderStamps::of(&folder, Some(other), later()).is_none());
}

#[test]
fn links_and_many_files_are_not_stamped() {
    let (_context, folder) = folder();
    let stamps = || FolderStamps::of(&folder, None, later());
    assert!(stamps().is_some());
    std::os::unix::fs::symlink("SKILL.md", folder.join("link")).unwrap();
    assert!(stamps().is_none());
    fs_err::remove_file(folder.join("link")).unwrap();
    // With the folder itself, the one within it, and a file in each: 64.
    (0..60).for_each(|number| fs_err::write(folder.join(number.to_string()), "").unwrap());
    assert!(stamps().is_some());
    fs_err::write(folder.join("more"), "").unwrap();
    assert!(stamps().is_none());
}
