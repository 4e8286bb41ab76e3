//! Reads while somebody exchanges files, links and folders: never a byte from outside.

use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use rustix::fs::{RenameFlags, renameat, renameat_with, symlinkat};

use crate::host::{ReadProblem, ResourceRules};
use crate::resource::beneath::{self, READ};
use crate::resource::{ReadLimit, ResourceBytes, ResourcePath, SkillDir, SnapshotLimits};

const SECRET: &str = "SECRET";

/// Two seconds, or as many as `RACE_SECONDS` says.
fn duration() -> Duration {
    let told = std::env::var("RACE_SECONDS").ok().and_then(|text| text.parse().ok());
    Duration::from_secs(told.unwrap_or(2))
}

/// A skill, and beside it what must never be read: a file, and a folder like the skill's own.
fn lay(root: &Path) {
    for (folder, text) in [("skill/a/b", "inside"), ("outside/a/b", SECRET), ("outside/b", SECRET)] {
        fs_err::create_dir_all(root.join(folder)).unwrap();
        fs_err::write(root.join(folder).join("f"), text).unwrap();
    }
    fs_err::write(root.join("skill/SKILL.md"), "inside").unwrap();
    fs_err::write(root.join("outside/f"), SECRET).unwrap();
    fs_err::write(root.join("outside/a/f"), SECRET).unwrap();
    symlink("a/b/f", root.join("skill/good")).unwrap();
    symlink(root.join("outside/f"), root.join("skill/bad")).unwrap();
    symlink("../outside/a", root.join("skill/bad-folder")).unwrap();
    symlink("../../../outside/f", root.join("skill/a/b/climb")).unwrap();
    symlink("a/../a/b/../b", root.join("skill/turns")).unwrap();
    fs_err::create_dir(root.join("skill/parked")).unwrap();
}

/// Folders of the skill, held open: whoever swaps must not move things in from outside through one of the links.
struct Inside {
    skill: OwnedFd,
    a: OwnedFd,
    b: OwnedFd,
    parked: OwnedFd,
}

impl Inside {
    fn open(root: &Path) -> Inside {
        let open = |path: &str| OwnedFd::from(std::fs::File::open(root.join("skill").join(path)).unwrap());
        Inside { skill: open("."), a: open("a"), b: open("a/b"), parked: open("parked") }
    }

    fn swap(&self) {
        let Inside { skill, a, b, parked } = self;
        let exchange = |one: &OwnedFd, name: &str, other: &OwnedFd, second: &str| {
            let _ = renameat_with(one, name, other, second, RenameFlags::EXCHANGE);
        };
        // A file and a link out, by a whole path and by climbing; a folder and a link out; a link in and a link out.
        exchange(b, "f", skill, "bad");
        exchange(b, "f", b, "climb");
        exchange(skill, "a", skill, "bad-folder");
        exchange(skill, "good", skill, "bad");
        // A folder moves away and back, so that `..` on the way means something else.
        let _ = renameat(a, "b", parked, "b");
        let _ = renameat(parked, "b", a, "b");
        // A link is written anew beside and moved over the old one.
        for target in ["../outside/f", "../outside/b", "a/../a/b/../b"] {
            let _ = symlinkat(target, skill, "next");
            let _ = renameat(skill, "next", skill, "turns");
        }
    }
}

/// Ends the other thread, also when this one fails.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn never_a_byte_from_outside() {
    let dir = tempfile::tempdir().unwrap();
    lay(dir.path());
    let (stop, swaps) = (AtomicBool::new(false), AtomicUsize::new(0));
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        let folders = Inside::open(dir.path());
        let (stop, swaps) = (&stop, &swaps);
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                folders.swap();
                swaps.fetch_add(1, Ordering::Relaxed);
            }
        });
        let begun = Instant::now();
        let skill = SkillDir::open(&dir.path().join("skill")).unwrap();
        while begun.elapsed() < duration() {
            assert!(!copied(&skill).is_some_and(|text| text.contains(SECRET)), "a copy");
            for name in [
                "a/b/f",
                "good",
                "bad",
                "bad-folder/b/f",
                "bad-folder/f",
                "a/b/climb",
                "turns/f",
                "turns",
                "parked/b/f",
            ] {
                match look(&skill, name) {
                    Some(text) => {
                        assert!(!text.contains(SECRET), "{name}");
                        inside += 1;
                    }
                    None => refused += 1,
                }
            }
        }
    });
    let swaps = swaps.into_inner();
    assert!(inside > 20 && refused > 20 && swaps > 100, "{inside} read, {refused} refused, {swaps} swaps");
}

/// Reads in both ways: by the kernel, and by steps.
fn look(skill: &SkillDir, name: &str) -> Option<String> {
    let path = ResourcePath::parse(name, &ResourceRules::default()).unwrap();
    let read = skill.read(&path, ReadLimit::Text(1000));
    let by_kernel = match read {
        Ok(resource) => match resource.bytes {
            ResourceBytes::Text { text, .. } => Some(text),
            ResourceBytes::Binary(_) => None,
        },
        Err(ReadProblem::Denied | ReadProblem::Binary | ReadProblem::NotUtf8) => panic!("{name}: {read:?}"),
        Err(_) => None,
    };
    let mut bytes = [0; 64];
    let stepped =
        beneath::by_steps(skill.fd(), Path::new(name), READ).and_then(|file| beneath::read_full(&file, &mut bytes));
    let by_steps = stepped.ok().map(|read| String::from_utf8(bytes[..read].to_vec()).unwrap());
    [by_kernel, by_steps].into_iter().flatten().reduce(|all, text| all + &text)
}

/// Returns everything that a copy holds, if one could be made.
fn copied(skill: &SkillDir) -> Option<String> {
    let snapshot = skill.snapshot(&SnapshotLimits::default()).ok()?;
    let copy = tempfile::tempdir().unwrap();
    skill.copy_to(&snapshot, copy.path()).ok()?;
    let texts = snapshot.files.iter().map(|file| fs_err::read_to_string(copy.path().join(&file.path)).unwrap());
    Some(texts.collect())
}
