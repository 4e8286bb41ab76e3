//! Every file with its digest, and which of them are read again.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use openoxide_testkit::Fixture;
use sha2::{Digest as _, Sha256};
use tempfile::TempDir;

use crate::resource::{FileManifest, FolderLimits, SkillDir, SnapshotError};

const TREE: &str = "
//- outside/secret.md
SECRET
//- skill/SKILL.md
---
name: skill
---
Body
//- skill/.hidden
quiet
//- skill/references/deep/a.md
A
//- skill/latest.md -> references/deep/a.md
//- skill/refs -> references
//- skill/out.md -> ../outside/secret.md
//- skill/dangling -> nowhere
//- skill/.git/HEAD
ref
";

fn tree() -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    Fixture::parse(TREE).write(dir.path());
    dir
}

/// Long after anything that a test writes.
fn later() -> SystemTime {
    SystemTime::now() + Duration::from_mins(1)
}

fn manifest(folder: &Path, known: Option<&FileManifest>, now: SystemTime) -> Result<FileManifest, SnapshotError> {
    SkillDir::open(folder)?.file_manifest(&FolderLimits::LISTED, known, now)
}

#[test]
fn every_file_of_the_skill_is_told_and_nothing_else() {
    let dir = tree();
    let manifest = manifest(&dir.path().join("skill"), None, later()).unwrap();
    let paths: Vec<&str> = manifest.files.iter().map(|file| file.path.to_str().unwrap()).collect();
    assert_eq!(paths, [".hidden", "SKILL.md", "latest.md", "references/deep/a.md"]);
    for file in &manifest.files {
        let bytes = fs_err::read(dir.path().join("skill").join(&file.path)).unwrap();
        let expected: [u8; 32] = Sha256::digest(&bytes).into();
        assert_eq!((file.size, file.sha256), (bytes.len() as u64, expected), "{:?}", file.path);
        assert_eq!(file.digest().len(), "sha256:".len() + 64);
    }
    assert!(manifest.file(Path::new("latest.md")).is_some() && manifest.file(Path::new("out.md")).is_none());
}

/// A manifest that says of every file what is not true, so that a test sees which are read.
fn false_memory(folder: &Path, now: SystemTime) -> FileManifest {
    let mut known = manifest(folder, None, now).unwrap();
    known.files.iter_mut().for_each(|file| file.sha256 = [7; 32]);
    known
}

fn read_again(folder: &Path, known: &FileManifest) -> Vec<PathBuf> {
    let files = manifest(folder, Some(known), later()).unwrap().files;
    files.into_iter().filter(|file| file.sha256 != [7; 32]).map(|file| file.path).collect()
}

#[test]
fn only_what_changed_is_read_again() {
    let dir = tree();
    let folder = dir.path().join("skill");
    let known = false_memory(&folder, later());
    assert!(read_again(&folder, &known).is_empty(), "nothing changed");

    // The same size, and the old time put back: the time of the change itself tells.
    let hidden = folder.join(".hidden");
    let before = fs_err::metadata(&hidden).unwrap().modified().unwrap();
    std::thread::sleep(Duration::from_millis(20));
    fs_err::write(&hidden, "QUIET\n").unwrap();
    fs_err::OpenOptions::new().write(true).open(&hidden).unwrap().into_file().set_modified(before).unwrap();
    assert_eq!(read_again(&folder, &known), [Path::new(".hidden")]);

    // What a link leads to changed.
    std::thread::sleep(Duration::from_millis(20));
    fs_err::write(folder.join("references/deep/a.md"), "B\n").unwrap();
    let paths = read_again(&folder, &known);
    assert_eq!(paths, [".hidden", "latest.md", "references/deep/a.md"].map(PathBuf::from));
}

#[test]
fn a_file_that_just_changed_is_read_again_however_it_looks() {
    let dir = tree();
    let folder = dir.path().join("skill");
    let known = false_memory(&folder, SystemTime::now());
    assert_eq!(read_again(&folder, &known).len(), 4);
}

#[test]
fn what_is_too_much_is_said() {
    let dir = tree();
    let folder = dir.path().join("skill");
    let told = |limits: FolderLimits| {
        SkillDir::open(&folder).unwrap().file_manifest(&limits, None, later()).unwrap_err().to_string()
    };
    let limits = FolderLimits::LISTED;
    assert!(told(FolderLimits { files: 3, ..limits }).contains("more than 3 entries"));
    assert!(told(FolderLimits { bytes: 10, ..limits }).contains("larger than 10 bytes together"));
    assert!(told(FolderLimits { depth: 1, ..limits }).contains("more than 1 deep"));
    assert!(told(FolderLimits { entries: 2, ..limits }).contains("more than 2 entries"));
    let exact = FolderLimits { files: 4, ..limits };
    assert!(SkillDir::open(&folder).unwrap().file_manifest(&exact, None, later()).is_ok());
}

#[test]
fn a_pipe_and_an_own_file_that_leads_out_have_no_manifest() {
    let dir = tree();
    let folder = dir.path().join("skill");
    Fixture::parse("//- skill/pipe fifo\n").write(dir.path());
    assert!(matches!(manifest(&folder, None, later()), Err(SnapshotError::Special(_))));
    fs_err::remove_file(folder.join("pipe")).unwrap();
    fs_err::remove_file(folder.join("SKILL.md")).unwrap();
    assert!(matches!(manifest(&folder, None, later()), Err(SnapshotError::NoManifest(_))));
    symlink("../outside/secret.md", folder.join("SKILL.md")).unwrap();
    assert!(matches!(manifest(&folder, None, later()), Err(SnapshotError::Escapes(_))));
}
