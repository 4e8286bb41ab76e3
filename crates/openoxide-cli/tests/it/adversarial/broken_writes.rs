//! Writes that fail half-way, locks that are something else, and many first writers: each is an error, or done whole.

use std::process::{Child, Command, Stdio};

use openoxide_testkit::{Output, TestContext};

use super::door::Door;
use super::face::{Face, Setting, attack};
use super::{can_run, skill};
use crate::support::{bin, run, skipped};

attack! { answers_that_cannot_be_kept for everyone { cli, http, mcp, mcp_http, rpc } }

/// Runs the binary while the system fails as `faults` say; nothing if that cannot be done here.
fn with_faults(context: &TestContext, faults: &[&str], args: &[&str]) -> Option<Output> {
    let prepared = context.command(bin(), args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-o", "/dev/null"]).args(faults);
    command.arg(prepared.get_program()).args(prepared.get_args()).env_clear().current_dir(context.project());
    command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let works = || Command::new("strace").args(["-qq", "-o", "/dev/null", "true"]).status();
    if !works().is_ok_and(|status| status.success()) {
        skipped("strace does not work here");
        return None;
    }
    Some(context.answer(&mut command))
}

/// Returns the changes that are tried, with the file that each writes and what it writes there.
fn changes(context: &TestContext) -> [(&'static [&'static str], std::path::PathBuf, &'static str); 2] {
    let own = context.home().join(".openoxide");
    [
        (&["trust"], own.join("state/trust.toml"), "[[folders]]"),
        (&["config", "set", "permission.skill.deploy", "deny"], own.join("config.toml"), "deploy"),
    ]
}

#[test]
fn what_cannot_be_kept_on_the_disk_is_an_error_and_changes_nothing() {
    for first in [true, false] {
        for number in 0..2 {
            // The file is synced first, then its folder; the third time is never.
            for nth in 1..=3 {
                let context = TestContext::new();
                let (args, file, written) = &changes(&context)[number];
                if !first {
                    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
                    fs_err::write(file, "# mine\n").unwrap();
                }
                let before = fs_err::read_to_string(file).ok();
                let fault = format!("inject=fsync:error=EIO:when={nth}");
                let Some(output) = with_faults(&context, &["-e", &fault], args) else { return };
                let after = fs_err::read_to_string(file).ok();
                if nth == 3 {
                    assert!(output.status == Some(0) && after.unwrap().contains(written), "{args:?} {output}");
                } else {
                    assert_eq!(output.status, Some(2), "{args:?} {nth}: {output}");
                    assert_eq!(after, before, "{args:?} {nth}: {output}");
                    assert_eq!(output.stdout, "", "{args:?} {nth}");
                }
                let left = fs_err::read_dir(file.parent().unwrap()).into_iter().flatten();
                let left = left.map(|entry| entry.unwrap().file_name());
                let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with(".openoxide-")).collect();
                assert!(left.is_empty(), "{args:?} {nth}: {left:?}");
            }
        }
    }
}

#[test]
fn an_interrupted_call_is_made_again() {
    for number in 0..2 {
        for call in ["openat", "flock", "fsync"] {
            let context = TestContext::new();
            let (args, file, written) = &changes(&context)[number];
            fs_err::create_dir_all(file.parent().unwrap()).unwrap();
            fs_err::write(file, "# mine\n").unwrap();
            let folder = file.parent().unwrap();
            let lock = folder.join("trust.lock");
            fs_err::write(&lock, "").unwrap();
            // Only calls that touch these: the loader of programs does not try again.
            let paths = [file.as_path(), folder, &lock].map(|path| path.to_str().unwrap().to_owned());
            let fault = format!("inject={call}:error=EINTR:when=1+2");
            let paths = paths.iter().flat_map(|path| ["-P", path]);
            let faults: Vec<&str> = paths.chain(["-e", &fault]).collect();
            let Some(output) = with_faults(&context, &faults, args) else { return };
            assert_eq!(output.status, Some(0), "{call} {args:?}: {output}");
            let text = fs_err::read_to_string(file).unwrap();
            assert!(text.contains("# mine\n") && text.contains(written), "{call} {args:?}: {text}");
        }
    }
}

/// Somebody says yes for ever while the lock, or the file that keeps answers, is something else: nobody waits, nothing is
/// written elsewhere, and the reason is said.
fn answers_that_cannot_be_kept(setting: Setting) {
    for (entry, reason) in [
        ("trust.lock fifo\n", "trust.lock"),
        ("trust.lock -> {root}/elsewhere rooted\n", "trust.lock"),
        ("trust.lock/\n", "trust.lock"),
        ("trust.toml -> {root}/elsewhere rooted\n", "leads nowhere"),
    ] {
        let context = TestContext::new();
        if !can_run(&context) {
            return;
        }
        skill(&context, "evil", "", "Text !`echo commands' 'ran`");
        context.tree(&format!("//- home/.openoxide/state/{entry}"));
        let mut door = Door::open(setting, &context, "openoxide").trusting();
        let said = match setting.face {
            Face::Cli => door.commands(&[&["trust", "--skill", "evil", "--yes"]]),
            _ => door.activate("evil"),
        };
        assert!(said.contains(reason) && said.contains("remove"), "{entry}: {said}");
        assert!(!context.root().join("elsewhere").exists(), "{entry}: {said}");
        assert!(!context.home().join(".openoxide/state/trust.toml").is_file(), "{entry}: {said}");
    }
}

#[test]
fn a_lock_of_another_user_is_refused() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/state/trust.lock\n");
    if std::os::unix::fs::chown(context.home().join(".openoxide/state/trust.lock"), Some(65534), None).is_err() {
        return skipped("only root can give a file to another user");
    }
    let output = run(&context, &["trust"]);
    assert_eq!(output.status, Some(2), "{output}");
    assert!(output.stderr.contains("belongs to another user; remove it"), "{output}");
}

#[test]
fn a_link_that_leads_nowhere_is_not_written_through() {
    for number in 0..2 {
        let context = TestContext::new();
        let (args, file, _) = &changes(&context)[number];
        fs_err::create_dir_all(file.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(context.root().join("elsewhere"), file).unwrap();
        let output = run(&context, args);
        assert_eq!(output.status, Some(2), "{args:?}: {output}");
        assert!(output.stderr.contains("is a link that leads nowhere; remove the link"), "{args:?}: {output}");
        assert!(!context.root().join("elsewhere").exists(), "{args:?}");
        assert!(file.symlink_metadata().unwrap().is_symlink(), "{args:?}");
    }
}

#[test]
fn of_many_first_writers_none_is_lost() {
    const WRITERS: usize = 12;
    for round in 0..8 {
        let context = TestContext::new();
        let start = |number: usize| -> Child {
            let key = format!("permission.skill.s{number}");
            let mut command = context.command(bin(), ["config", "set", &key, "deny"]);
            command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap()
        };
        let mut writers: Vec<Child> = (0..WRITERS).map(start).collect();
        assert!(writers.iter_mut().all(|writer| writer.wait().unwrap().success()), "{round}");
        let text = fs_err::read_to_string(context.home().join(".openoxide/config.toml")).unwrap();
        assert_eq!(text.matches("deny").count(), WRITERS, "{round}:\n{text}");
    }
}
