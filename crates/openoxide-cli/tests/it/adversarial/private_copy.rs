//! The copy of a skill that runs lies where every user may write: nobody else reads or changes it, and none is left.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use openoxide_testkit::TestContext;

use super::{can_run, file, skill};
use crate::support::{bin, skipped, until};

/// A skill with a secret, and a temporary folder that everybody may write to, as the machine's is.
fn context(script: &str) -> (TestContext, PathBuf) {
    let context = TestContext::new();
    skill(&context, "keeps", "", "Text.");
    file(&context, "keeps", "secret.txt", "CANARY\n");
    file(&context, "keeps", "scripts/run.sh", script);
    context.tree("//- temporary/\n");
    let temporary = context.root().join("temporary");
    open_up(context.root(), 0o755);
    open_up(&temporary, 0o1777);
    (context, temporary)
}

fn open_up(path: &Path, mode: u32) {
    std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
}

/// The command that runs the script with the widest umask there is.
fn command(context: &TestContext, temporary: &Path) -> Command {
    let line = format!("umask 0; exec {} run keeps scripts/run.sh --yes -q", bin().display());
    let mut command = context.command("/bin/sh".as_ref(), ["-c", &line]);
    command.env("TMPDIR", temporary).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command
}

fn copies(temporary: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(temporary).unwrap().map(|entry| entry.unwrap().path());
    entries.filter(|path| path.file_name().unwrap().to_str().unwrap().starts_with("openoxide-")).collect()
}

/// Every path of a copy, itself included.
fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        if path.is_dir() {
            found.extend(std::fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    found
}

#[test]
fn nobody_else_reads_or_replaces_what_runs_and_a_kill_leaves_nothing_for_long() {
    let (context, temporary) = context("sleep 600\n");
    if !can_run(&context) {
        return;
    }
    let mut running = command(&context, &temporary).spawn().unwrap();
    let is_copied = || copies(&temporary).iter().any(|copy| copy.join("scripts/run.sh").exists());
    assert!(until(Duration::from_mins(1), is_copied));
    let copy = copies(&temporary).remove(0);
    for path in everything(&copy) {
        let found = std::fs::symlink_metadata(&path).unwrap();
        assert_eq!(found.mode() & 0o077, 0, "{}", path.display());
        assert_eq!(found.uid(), std::fs::metadata(&copy).unwrap().uid(), "{}", path.display());
    }
    attack_as_another_user(&copy);
    assert_eq!(fs_err::read_to_string(copy.join("scripts/run.sh")).unwrap(), "sleep 600\n");
    // Nothing of ours gets to run when it is killed, so the next one removes what is left.
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(copy.exists(), "otherwise this tests nothing");
    let (other, _) = self::context("true\n");
    assert!(command(&other, &temporary).status().unwrap().success());
    assert_eq!(copies(&temporary), Vec::<PathBuf>::new(), "the one of the killed process, and its own");
}

fn attack_as_another_user(copy: &Path) {
    let line = "cat \"$1\"/secret.txt \"$1\"/scripts/run.sh; ls \"$1\"; echo evil > \"$1\"/scripts/run.sh; \
                mv \"$1\" \"$1\".away; rm -rf \"$1\"; ln -s /etc \"$1\"/new";
    let mut attacker = Command::new("setpriv");
    attacker.args(["--reuid", "65534", "--regid", "65534", "--clear-groups", "sh", "-c", line, "sh"]).arg(copy);
    match attacker.stderr(Stdio::null()).output() {
        Ok(output) if is_root() => assert_eq!(String::from_utf8_lossy(&output.stdout), "", "read by another user"),
        _ => skipped("only root can become another user, with setpriv"),
    }
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|found| found.uid() == 0)
}

/// In a folder where others can exchange what is ours, nothing is put and nothing runs.
#[test]
fn a_folder_that_others_control_is_not_used() {
    let (context, temporary) = context("echo RAN\n");
    if !can_run(&context) {
        return;
    }
    open_up(&temporary, 0o777);
    let output = command(&context, &temporary).stdout(Stdio::piped()).stderr(Stdio::piped()).output().unwrap();
    let said = String::from_utf8_lossy(&output.stderr).split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(output.stdout.is_empty() && said.contains("others can replace what is in it"), "{said}");
    assert_eq!(copies(&temporary), Vec::<PathBuf>::new());
}
