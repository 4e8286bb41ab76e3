//! Digests, snapshots and copies.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use openoxide_testkit::Fixture;
use tempfile::TempDir;

use crate::resource::dir::Extent;
use crate::resource::{FolderLimits, FolderSnapshot, SkillDir, SnapshotError, TreeDigest};

const SMALL: &str = "
//- skill/SKILL.md
---
name: skill
---
Body
//- skill/.hidden
quiet
//- skill/scripts/run.sh exec
echo run
//- skill/scripts-old/run.sh
echo old
//- skill/latest.sh -> scripts/run.sh
//- skill/.git/HEAD
ref
//- skill/scripts/.git
gitdir: elsewhere
";

/// What somebody did to a folder.
type Change = (&'static str, fn(&Path));

fn tree(text: &str) -> TempDir {
    let dir = tempfile::tempdir().unwrap();
    Fixture::parse(text).write(dir.path());
    dir
}

fn snapshot(folder: &Path) -> Result<FolderSnapshot, SnapshotError> {
    SkillDir::open(folder)?.snapshot(&FolderLimits::SNAPSHOT)
}

fn digest(folder: &Path) -> TreeDigest {
    snapshot(folder).unwrap().digest
}

#[test]
fn a_shell_computes_the_same_digest() {
    let dir = tree(SMALL);
    let script = r#"
        cd skill
        {
            printf 'openoxide-tree 1\n'
            find . -name .git -prune -o \( -type f -o -type l \) -print0 | sed -z 's,^\./,,' | LC_ALL=C sort -z |
            while IFS= read -r -d '' path; do
                if [ -L "$path" ]; then
                    printf 'l\0%s\0%s\0' "$path" "$(readlink "$path")"
                else
                    letter=f; [ -x "$path" ] && letter=x
                    printf '%s\0%s\0%s %s\0' "$letter" "$path" "$(stat -c %s "$path")" "$(sha256sum < "$path" | cut -c1-64)"
                fi
            done
        } | sha256sum | cut -c1-64"#;
    let output = Command::new("bash").args(["-c", script]).current_dir(dir.path()).output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(format!("sha256:{}", text.trim()), digest(&dir.path().join("skill")).to_string());
}

#[test]
fn a_digest_is_written_and_read() {
    let written = digest(&tree(SMALL).path().join("skill"));
    let digits = written.to_string().strip_prefix("sha256:").map(str::to_owned).unwrap();
    assert!(digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "{digits}");
}

/// A part of a skill, what is done to it if that can be done here, and what is said then.
type OwnerChange<'c> = (&'c str, &'c dyn Fn(&Path) -> bool, String);

#[test]
fn what_another_user_owns_or_can_write_is_named() {
    let chown = |path: &Path| std::os::unix::fs::lchown(path, Some(65533), None).is_ok();
    let open = |path: &Path| fs_err::set_permissions(path, std::fs::Permissions::from_mode(0o666)).is_ok();
    let shared = |path: &Path| {
        let mode = std::fs::Permissions::from_mode(0o775);
        std::os::unix::fs::chown(path, None, Some(65533)).is_ok() && fs_err::set_permissions(path, mode).is_ok()
    };
    let theirs = |part: &str| format!("{part} belongs to another user");
    let writable = |part: &str| format!("other users can write to {part}");
    let changes: [OwnerChange<'_>; 7] = [
        ("SKILL.md", &chown, theirs("`SKILL.md`")),
        ("scripts/run.sh", &open, writable("`scripts/run.sh`")),
        ("scripts", &chown, theirs("`scripts`")),
        ("scripts", &shared, writable("`scripts`")),
        ("latest.sh", &chown, theirs("`latest.sh`")),
        ("", &chown, theirs("the skill's folder")),
        ("", &shared, writable("the skill's folder")),
    ];
    for (part, change, expected) in changes {
        let dir = tree(SMALL);
        let skill = dir.path().join("skill");
        assert_eq!(snapshot(&skill).unwrap().foreign, None);
        if change(&skill.components().chain(Path::new(part).components()).collect::<std::path::PathBuf>()) {
            let foreign = snapshot(&skill).unwrap().foreign.unwrap();
            assert_eq!(foreign.to_string(), expected);
        }
    }
}

/// The file of a skill that is a single file can be exchanged by those who can write to its folder.
#[test]
fn the_folder_of_a_single_file_is_judged_too() {
    let dir = tree(SMALL);
    let skill = dir.path().join("skill");
    let file = || SkillDir::open(&skill).unwrap().own_file().unwrap().foreign;
    assert_eq!(file(), None);
    fs_err::set_permissions(&skill, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(file().unwrap().to_string(), "other users can write to the skill's folder");
}

#[test]
fn every_change_that_matters_changes_the_digest() {
    let changes: [Change; 8] = [
        ("a byte", |skill| fs_err::write(skill.join("scripts/run.sh"), "echo ran\n").unwrap()),
        ("a new file", |skill| fs_err::write(skill.join("new"), "").unwrap()),
        ("a hidden file", |skill| fs_err::write(skill.join(".hidden"), "loud").unwrap()),
        ("a name", |skill| fs_err::rename(skill.join(".hidden"), skill.join("shown")).unwrap()),
        ("a folder's name", |skill| fs_err::rename(skill.join("scripts-old"), skill.join("old")).unwrap()),
        ("a file is gone", |skill| fs_err::remove_file(skill.join("scripts/run.sh")).unwrap()),
        ("a link's target", |skill| {
            fs_err::remove_file(skill.join("latest.sh")).unwrap();
            symlink("scripts-old/run.sh", skill.join("latest.sh")).unwrap();
        }),
        ("an executable bit", |skill| {
            let mode = std::fs::Permissions::from_mode(0o755);
            fs_err::set_permissions(skill.join("scripts-old/run.sh"), mode).unwrap();
        }),
    ];
    for (what, change) in changes {
        let dir = tree(SMALL);
        let skill = dir.path().join("skill");
        let before = digest(&skill);
        change(&skill);
        assert_ne!(digest(&skill), before, "{what}");
    }
}

#[test]
fn what_does_not_matter_does_not_change_it() {
    let changes: [Change; 4] = [
        ("version control", |skill| fs_err::write(skill.join(".git/index"), "x").unwrap()),
        ("an empty folder", |skill| fs_err::create_dir(skill.join("empty")).unwrap()),
        ("a time", |skill| fs_err::write(skill.join(".hidden"), "quiet\n").unwrap()),
        ("another mode", |skill| {
            fs_err::set_permissions(skill.join(".hidden"), std::fs::Permissions::from_mode(0o600)).unwrap();
        }),
    ];
    for (what, change) in changes {
        let dir = tree(SMALL);
        let skill = dir.path().join("skill");
        let before = digest(&skill);
        change(&skill);
        assert_eq!(digest(&skill), before, "{what}");
    }
}

#[test]
fn a_snapshot_names_what_it_digested() {
    let dir = tree(SMALL);
    let seen = snapshot(&dir.path().join("skill")).unwrap();
    let files: Vec<_> =
        seen.files.iter().map(|file| (file.path.to_str().unwrap(), file.size, file.executable)).collect();
    assert_eq!(
        files,
        [(".hidden", 6, false), ("SKILL.md", 25, false), ("scripts-old/run.sh", 9, false), ("scripts/run.sh", 9, true)]
    );
    assert_eq!(seen.links[0].path, Path::new("latest.sh"));
    assert_eq!(seen.manifest, b"---\nname: skill\n---\nBody\n");
    assert_eq!(seen.manifest_size, 25);
}

#[test]
fn a_single_file_has_a_digest_of_its_own() {
    let dir = tree("//- flat/one.md\none\n//- flat/two.md\ntwo\n//- alone/SKILL.md\nsame\n//- alone2/SKILL.md\nsame\n");
    let one = SkillDir::new(&dir.path().join("flat"), "one.md".as_ref(), Extent::File).unwrap();
    let before = one.snapshot(&FolderLimits::SNAPSHOT).unwrap();
    assert_eq!((before.files.len(), before.manifest.as_slice()), (1, b"one\n".as_slice()));
    fs_err::write(dir.path().join("flat/two.md"), "changed").unwrap();
    assert_eq!(one.snapshot(&FolderLimits::SNAPSHOT).unwrap().digest, before.digest);
    let file = SkillDir::new(&dir.path().join("alone"), "SKILL.md".as_ref(), Extent::File).unwrap();
    assert_eq!(file.snapshot(&FolderLimits::SNAPSHOT).unwrap().digest, digest(&dir.path().join("alone2")));
}

#[test]
fn special_files_refuse_a_digest() {
    let dir = tree("//- skill/SKILL.md\nx\n//- skill/assets/pipe fifo\n");
    let refused = snapshot(&dir.path().join("skill"));
    assert_eq!(refused, Err(SnapshotError::Special("assets/pipe".to_owned())));
    let dir = tree("//- skill/SKILL.md fifo\n");
    assert!(matches!(snapshot(&dir.path().join("skill")), Err(SnapshotError::Special(_))));
    let dir = tree("//- skill/SKILL.md\nx\n");
    let _socket = std::os::unix::net::UnixListener::bind(dir.path().join("skill/s")).unwrap();
    assert!(matches!(snapshot(&dir.path().join("skill")), Err(SnapshotError::Special(_))));
}

#[test]
fn everything_is_bounded() {
    let dir = tree(SMALL);
    let skill = SkillDir::open(&dir.path().join("skill")).unwrap();
    let usual = FolderLimits::SNAPSHOT;
    let with = |limits: FolderLimits| skill.snapshot(&limits);
    assert!(with(FolderLimits { entries: 7, ..usual }).is_ok());
    assert_eq!(with(FolderLimits { entries: 6, ..usual }), Err(SnapshotError::TooMany(6)));
    assert_eq!(with(FolderLimits { entries: 2, ..usual }), Err(SnapshotError::TooMany(2)));
    assert!(with(FolderLimits { bytes: 49, ..usual }).is_ok());
    assert!(matches!(with(FolderLimits { bytes: 48, ..usual }), Err(SnapshotError::TooLarge(..))));
    assert!(with(FolderLimits { depth: 1, ..usual }).is_ok());
    assert!(matches!(with(FolderLimits { depth: 0, ..usual }), Err(SnapshotError::TooDeep(..))));
    let cut = with(FolderLimits { manifest: 10, ..usual }).unwrap();
    assert_eq!((cut.manifest.len(), cut.manifest_size), (10, 25));
    assert_eq!(cut.digest, with(usual).unwrap().digest);
    let sparse = std::fs::File::create(dir.path().join("skill/large")).unwrap();
    sparse.set_len(8 << 30).unwrap();
    assert!(matches!(with(usual), Err(SnapshotError::TooLarge(..))));
}

#[test]
fn the_skills_own_file_may_be_a_link_where_the_host_says_so() {
    let dir = tree(
        "//- skill/SKILL.md -> ../dotfiles/pdf.md\n//- dotfiles/pdf.md\ntext\n//- inner/SKILL.md -> a.md\n//- inner/a.md\ninside\n",
    );
    let path = dir.path().join("skill");
    assert_eq!(snapshot(&path), Err(SnapshotError::Escapes("SKILL.md".to_owned())));
    let target = fs_err::canonicalize(dir.path()).unwrap().join("dotfiles/pdf.md");
    let mut follows = SkillDir::open(&path).unwrap();
    follows.lead_to(&target);
    let seen = follows.snapshot(&FolderLimits::SNAPSHOT).unwrap();
    assert_eq!(seen.manifest, b"text\n");
    let copy = tempfile::tempdir().unwrap();
    follows.copy_to(&seen, fs_err::File::open(copy.path()).unwrap()).unwrap();
    assert!(copy.path().join("SKILL.md").symlink_metadata().unwrap().is_file());
    fs_err::write(dir.path().join("dotfiles/pdf.md"), "other").unwrap();
    assert_ne!(follows.snapshot(&FolderLimits::SNAPSHOT).unwrap().digest, seen.digest);
    assert_eq!(snapshot(&dir.path().join("inner")).unwrap().manifest, b"inside\n");
}

#[test]
fn a_copy_has_the_same_digest_and_no_version_control() {
    let dir = tree(SMALL);
    let skill = SkillDir::open(&dir.path().join("skill")).unwrap();
    let seen = skill.snapshot(&FolderLimits::SNAPSHOT).unwrap();
    let copy = tempfile::tempdir().unwrap();
    skill.copy_to(&seen, fs_err::File::open(copy.path()).unwrap()).unwrap();
    assert_eq!(digest(copy.path()), seen.digest);
    assert!(!copy.path().join(".git").exists());
    let mode = |path: &str| copy.path().join(path).metadata().unwrap().permissions().mode() & 0o7777;
    assert_eq!(["scripts", "SKILL.md", "scripts/run.sh"].map(mode), [0o700, 0o600, 0o700]);
    assert_eq!(fs_err::read(copy.path().join("latest.sh")).unwrap(), b"echo run\n");
    // A second copy to the same place would mix two versions.
    assert!(matches!(
        skill.copy_to(&seen, fs_err::File::open(copy.path()).unwrap()),
        Err(SnapshotError::NotWritten { .. })
    ));
}

#[test]
fn what_changed_since_is_not_copied() {
    let changes: [Change; 5] = [
        ("same size", |file| fs_err::write(file, "echo bad\n").unwrap()),
        ("longer", |file| fs_err::write(file, "echo run\nmore\n").unwrap()),
        ("shorter", |file| fs_err::write(file, "echo").unwrap()),
        ("gone", |file| fs_err::remove_file(file).unwrap()),
        ("a link out", |file| {
            fs_err::remove_file(file).unwrap();
            symlink("/etc/hostname", file).unwrap();
        }),
    ];
    for (what, change) in changes {
        let dir = tree(SMALL);
        let skill = SkillDir::open(&dir.path().join("skill")).unwrap();
        let seen = skill.snapshot(&FolderLimits::SNAPSHOT).unwrap();
        change(&dir.path().join("skill/scripts/run.sh"));
        let copy = tempfile::tempdir().unwrap();
        let refused = skill.copy_to(&seen, fs_err::File::open(copy.path()).unwrap());
        assert_eq!(refused, Err(SnapshotError::Changed("scripts/run.sh".to_owned())), "{what}");
    }
}

#[test]
fn a_link_that_leads_out_is_not_copied() {
    for target in ["/etc/hostname", "../outside", "scripts/../../outside", "/proc/self/root"] {
        let dir = tree(SMALL);
        let skill = dir.path().join("skill");
        symlink(target, skill.join("out")).unwrap();
        let skill = SkillDir::open(&skill).unwrap();
        let seen = skill.snapshot(&FolderLimits::SNAPSHOT).unwrap();
        let copy = tempfile::tempdir().unwrap();
        let refused = skill.copy_to(&seen, fs_err::File::open(copy.path()).unwrap());
        assert_eq!(refused, Err(SnapshotError::Escapes("out".to_owned())), "{target}");
    }
}

/// Runs itself under `strace` and counts the calls between two marks.
#[test]
fn a_folder_with_only_its_skill_costs_ten_calls() {
    const MARK: &str = "/mark-of-this-test";
    if let Ok(folder) = std::env::var("SNAPSHOT_TO_COUNT") {
        let _ = std::fs::metadata(MARK);
        drop(snapshot(Path::new(&folder)).unwrap());
        let _ = std::fs::metadata(MARK);
        return;
    }
    let dir = tree("//- skill/SKILL.md\nx\n");
    fs_err::write(dir.path().join("skill/SKILL.md"), "x".repeat(5000)).unwrap();
    let trace = dir.path().join("trace");
    let this = "resource::tests::snapshots::a_folder_with_only_its_skill_costs_ten_calls";
    let status = Command::new("strace")
        // Memory is not counted, nor `fcntl`, by which debug builds make sure of every descriptor that they close.
        .args(["-f", "-e", "trace=!brk,mmap,munmap,futex,fcntl", "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", this])
        .env("SNAPSHOT_TO_COUNT", dir.path().join("skill"))
        .output();
    if !status.is_ok_and(|output| output.status.success()) {
        std::io::Write::write_all(&mut std::io::stderr(), b"SKIPPED: strace does not run here\n").unwrap();
        return;
    }
    let text = fs_err::read_to_string(&trace).unwrap();
    let calls = calls_between(&text, MARK);
    assert_eq!(calls.len(), 10, "{calls:#?}");
}

/// Returns the calls that the thread of two marks made between them. The other threads of the test program make calls
/// meanwhile, and a call that one of them interrupts is written as two lines, of which the second says `resumed`.
fn calls_between<'t>(trace: &'t str, mark: &str) -> Vec<&'t str> {
    let thread = |line: &'t str| line.split(' ').next();
    let marked = trace.lines().find(|line| line.contains(mark)).expect("the first mark");
    let own = trace.lines().filter(|line| thread(line) == thread(marked) && !line.contains(" resumed>"));
    let after = own.skip_while(|line| !line.contains(mark)).skip(1);
    after.take_while(|line| !line.contains(mark)).collect()
}

#[test]
fn calls_of_other_threads_are_not_counted() {
    let trace = "7 statx(mark)\n8 write(2) = 1\n7 openat(a <unfinished ...>\n8 close(3) = 0\n\
                 7 <... openat resumed>) = 3\n7 close(3) = 0\n7 statx(mark)\n7 read(4) = 0\n";
    assert_eq!(calls_between(trace, "mark"), ["7 openat(a <unfinished ...>", "7 close(3) = 0"]);
}
