//! The copy of a skill that runs lies where every user may write: nobody else reads or changes it, and none is left.

use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use openoxide_testkit::TestContext;

use super::door::{Door, Place};
use super::face::{Setting, attack};
use super::{can_run, file, skill};
use crate::support::{PATIENCE, bin, skipped, until};

attack! { another_user_at_the_copy in every sandbox for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { what_a_command_leaves_in_a_copy in every sandbox for everyone {
    cli,
    http = "the same run as for `cli`, and this one takes long",
    mcp = "the same run as for `cli`, and this one takes long",
    mcp_http = "the same run as for `cli`, and this one takes long",
    rpc = "the same run as for `cli`, and this one takes long",
} }

/// While commands of a skill run, nobody else gets at the copy of it, whatever face they were asked for at.
fn another_user_at_the_copy(setting: Setting) {
    // The copy is what the commands see of the world that this test can change.
    let wait = "while [ ! -e \"$OPENOXIDE_SKILL_DIR/stop\" ]; do sleep 0.1; done; echo commands\" \"ended";
    let (context, temporary) = context("sleep 600\n");
    skill(&context, "keeps", "", &format!("```!\n{wait}\n```"));
    let place = Place {
        variables: vec![("TMPDIR".to_owned(), temporary.display().to_string())],
        options: vec!["--config".to_owned(), "sandbox.shell_time=120".to_owned()],
        ..Place::new(&context, "openoxide")
    };
    let mut door = Door::at(setting, place).approving();
    open_up(&temporary, 0o1777);
    std::thread::scope(|scope| {
        let called = scope.spawn(|| door.activate("keeps"));
        let is_there = until(PATIENCE, || copy_of_skill(&temporary).is_some() || called.is_finished());
        let copy = copy_of_skill(&temporary);
        // Whatever comes of it, the commands have to end, for the test waits for them.
        let attacked = copy.as_ref().map(|copy| std::panic::catch_unwind(|| assert_out_of_reach(copy, &temporary)));
        if let Some(copy) = &copy {
            fs_err::write(copy.join("stop"), "").unwrap();
        }
        let said = called.join().unwrap();
        assert!(is_there && said.contains("commands ended"), "{copy:?}: {said}");
        attacked.unwrap().unwrap_or_else(|why| std::panic::resume_unwind(why));
    });
    assert!(until(PATIENCE, || copies(&temporary).is_empty()), "none is left");
}

/// Beside the copy of the skill may stand the layer that the commands write to.
fn copy_of_skill(temporary: &Path) -> Option<PathBuf> {
    copies(temporary).into_iter().find(|folder| folder.join("scripts/run.sh").exists())
}

/// Asserts that all that is kept for a run is its user's alone, and that another user gets at nothing of it.
fn assert_out_of_reach(copy: &Path, temporary: &Path) {
    for path in copies(temporary).into_iter().chain(everything(copy)) {
        let found = std::fs::symlink_metadata(&path).unwrap();
        assert_eq!(found.mode() & 0o077, 0, "{}", path.display());
        assert_eq!(found.uid(), std::fs::metadata(copy).unwrap().uid(), "{}", path.display());
    }
    attack_as_another_user(copy);
    assert_eq!(fs_err::read_to_string(copy.join("scripts/run.sh")).unwrap(), "sleep 600\n");
}

/// A skill with a secret, and a temporary folder that everyone may write to, as the machine's is.
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
fn a_kill_leaves_nothing_for_long() {
    let (context, temporary) = context("sleep 600\n");
    if !can_run(&context) {
        return;
    }
    let mut running = command(&context, &temporary).spawn().unwrap();
    assert!(until(PATIENCE, || copy_of_skill(&temporary).is_some()));
    let copy = copy_of_skill(&temporary).unwrap();
    assert_out_of_reach(&copy, &temporary);
    // Nothing of ours gets to run when it is killed, so the next one removes what is left.
    running.kill().unwrap();
    running.wait().unwrap();
    assert!(copy.exists(), "otherwise this tests nothing");
    let (other, _) = self::context("true\n");
    assert!(command(&other, &temporary).status().unwrap().success());
    assert_eq!(copies(&temporary), Vec::<PathBuf>::new(), "the one of the killed process, and its own");
}

/// Makes a tree that is deeper than a path can say, with folders that their owner may not enter, at a name that is sealed:
/// nothing of it is kept in the project.
const LEAVE: &str = "mkdir \"$OPENOXIDE_PROJECT_DIR/.zed\" && cd \"$OPENOXIDE_PROJECT_DIR/.zed\" || exit 9\n\
    chain=d; for i in 1 2 3 4 5 6 7 8 9; do chain=$chain/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d/d; done\n\
    mkdir deep\n\
    for i in 1 2 3 4 5 6 7 8 9; do mkdir -p n/$chain && mv deep n/$chain/deep && mv n deep || exit 8; done\n\
    mkdir -p locked/inside/more flat; touch locked/file flat/file\n\
    chmod 0 locked/inside/more locked/inside locked; chmod 555 flat; echo left\n";

/// Whatever a command put into it, no copy is left when it has ended.
fn what_a_command_leaves_in_a_copy(setting: Setting) {
    let (context, temporary) = context(LEAVE);
    let writable = format!("[sandbox]\nwritable = [\"{}\"]\n", context.project().display());
    context.tree(&format!("//- home/.openoxide/config.toml\n{writable}"));
    setting.give(&context);
    open_up(&temporary, 0o1777);
    let mut command = setting.command(&context, ["run", "keeps", "scripts/run.sh", "--yes"]);
    let output = context.answer(command.env("TMPDIR", &temporary));
    assert!(output.stdout.contains("left"), "{output}");
    assert!(!context.project().join(".zed").exists(), "{output}");
    assert_eq!(copies(&temporary), Vec::<PathBuf>::new());
}

fn attack_as_another_user(copy: &Path) {
    let line = "cat \"$1\"/secret.txt \"$1\"/scripts/run.sh; ls \"$1\"; echo evil > \"$1\"/scripts/run.sh; \
                mv \"$1\" \"$1\".away; rm -rf \"$1\"; ln -s /etc \"$1\"/new";
    let mut attacker = Command::new("setpriv");
    attacker.args(["--reuid", "65533", "--regid", "65533", "--clear-groups", "sh", "-c", line, "sh"]).arg(copy);
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
