//! Reads while somebody exchanges files, links and folders: never a byte from outside.

use std::os::fd::OwnedFd;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use openoxide_testkit::TestContext;
use rustix::fs::{RenameFlags, renameat, renameat_with, symlinkat};

use crate::catalog::{Catalog, Depth, View, load};
use crate::host::{Hosts, ReadProblem, ResourceRules};
use crate::resource::beneath::{self, READ};
use crate::resource::{FolderLimits, ReadLimit, ResourceBytes, ResourcePath, SkillDir};
use crate::root::Surroundings;
use crate::settings::HostSettings;

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
            ResourceBytes::Binary(_) | ResourceBytes::Open(_) => None,
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
    let snapshot = skill.snapshot(&FolderLimits::SNAPSHOT).ok()?;
    let copy = tempfile::tempdir().unwrap();
    skill.copy_to(&snapshot, fs_err::File::open(copy.path()).unwrap()).ok()?;
    let texts = snapshot.files.iter().map(|file| fs_err::read_to_string(copy.path().join(&file.path)).unwrap());
    Some(texts.collect())
}

/// A skill with a file of its own, and one whose file a host may follow to notes beside the project.
const SWAPPED: &str = "
//- project/.claude/skills/plain/SKILL.md
---
name: plain
description: inside
---
inside
//- project/.claude/skills/linked/SKILL.md -> {root}/notes/linked.md rooted
//- notes/linked.md
---
name: linked
description: inside
---
inside
//- outside/private.md
SECRET
";

fn seen_by(host: &str, context: &TestContext) -> Catalog {
    let (cwd, project) = (context.project(), context.project());
    let around = Surroundings { cwd, project, home: Some(context.home()), trusted: true, ..Surroundings::default() };
    let spec = Hosts::builtin().get(host).unwrap();
    let view = View::new(spec, HostSettings::default(), Arc::new(around)).unwrap();
    load(std::slice::from_ref(&view), Depth::Quick).remove(0)
}

/// Everything of a skill's own file that can be had: read, digested and copied.
fn own_file(skill: &SkillDir) -> Option<String> {
    let path = ResourcePath::parse("SKILL.md", &ResourceRules::default()).unwrap();
    let texts = [skill.read_manifest(ReadLimit::Text(1000)), skill.read(&path, ReadLimit::Text(1000))];
    let mut all: Vec<String> =
        texts.into_iter().filter_map(Result::ok).map(|read| format!("{:?}", read.bytes)).collect();
    let limits = FolderLimits::SNAPSHOT;
    for snapshot in [skill.snapshot(&limits), skill.own_file()].into_iter().flatten() {
        all.push(String::from_utf8(snapshot.manifest.clone()).unwrap());
        let copy = tempfile::tempdir().unwrap();
        if skill.copy_to(&snapshot, fs_err::File::open(copy.path()).unwrap()).is_ok() {
            all.push(fs_err::read_to_string(copy.path().join("SKILL.md")).unwrap());
        }
    }
    (!all.is_empty()).then(|| all.concat())
}

#[test]
fn a_skills_own_file_leads_to_what_was_found_and_nowhere_else() {
    for (host, count) in [("openoxide", 1), ("opencode", 2)] {
        let context = TestContext::new();
        context.tree(SWAPPED);
        let catalog = seen_by(host, &context);
        assert_eq!(catalog.skills.len(), count, "{host}: {:?}", catalog.skills);
        let skills = context.project().join(".claude/skills");
        for entry in &catalog.skills {
            let folder = skills.join(&*entry.skill.name);
            let skill = SkillDir::of(&catalog, entry).unwrap();
            assert!(own_file(&skill).is_some_and(|text| text.contains("inside")), "{host} {}", entry.skill.name);
            let at = OwnedFd::from(std::fs::File::open(&folder).unwrap());
            symlinkat(context.root().join("outside/private.md"), &at, "bad").unwrap();
            renameat_with(&at, "SKILL.md", &at, "bad", RenameFlags::EXCHANGE).unwrap();
            assert_eq!(own_file(&skill), None, "{host} {}", entry.skill.name);
            renameat_with(&at, "SKILL.md", &at, "bad", RenameFlags::EXCHANGE).unwrap();
            race(&skill, &at);
        }
    }
}

/// Reads a skill's own file while it is exchanged for a link out and back.
fn race(skill: &SkillDir, folder: &OwnedFd) {
    let stop = AtomicBool::new(false);
    let (mut inside, mut refused) = (0, 0);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        let stop = &stop;
        scope.spawn(move || {
            while !stop.load(Ordering::Relaxed) {
                let _ = renameat_with(folder, "SKILL.md", folder, "bad", RenameFlags::EXCHANGE);
            }
        });
        let begun = Instant::now();
        while begun.elapsed() < duration() / 3 {
            match own_file(skill) {
                Some(text) => {
                    assert!(!text.contains(SECRET), "{text}");
                    inside += 1;
                }
                None => refused += 1,
            }
        }
    });
    assert!(inside > 5 && refused > 0, "{inside} read, {refused} refused");
}

/// The folder itself may be exchanged for a link out between the search and the call.
#[test]
fn a_skills_folder_is_the_one_that_was_found() {
    let context = TestContext::new();
    context.tree(SWAPPED);
    let catalog = seen_by("openoxide", &context);
    let skills = context.project().join(".claude/skills");
    let entry = &catalog.skills[0];
    assert!(SkillDir::of(&catalog, entry).is_ok());
    let name = &*entry.skill.name;
    fs_err::rename(skills.join(name), skills.join("away")).unwrap();
    fs_err::create_dir_all(context.root().join("outside/skill")).unwrap();
    fs_err::write(context.root().join("outside/skill/SKILL.md"), SECRET).unwrap();
    fs_err::os::unix::fs::symlink(context.root().join("outside/skill"), skills.join(name)).unwrap();
    assert!(matches!(SkillDir::of(&catalog, entry), Err(crate::resource::SnapshotError::Folder(_))));
    // A folder above it is no other case.
    fs_err::remove_file(skills.join(name)).unwrap();
    fs_err::rename(skills.join("away"), skills.join(name)).unwrap();
    assert!(SkillDir::of(&catalog, entry).is_ok());
    fs_err::rename(&skills, context.project().join(".claude/moved")).unwrap();
    fs_err::os::unix::fs::symlink(context.project().join(".claude/moved"), &skills).unwrap();
    assert!(SkillDir::of(&catalog, entry).is_err());
}
