//! Where isolation is missing, nothing runs.

use crate::support::{Ran, Setting, each, harness};

/// Runs a command that leaves a canary, and expects a refusal that names the words.
fn refused(setting: Setting, options: &[&str], words: &[&str]) {
    let folder = setting.folder();
    let options = [options, &["--write", folder.str(), "--cwd", folder.str()]].concat();
    let any = Setting { mechanism: "any", ..setting };
    expect_refusal(&any.run(&options, &["sh", "-c", "touch CANARY; echo CANARY"]), &folder.join("CANARY"), words);
}

fn expect_refusal(ran: &Ran, canary: &str, words: &[&str]) {
    assert_eq!(ran.code, Some(2), "{ran:?}");
    assert!(ran.stderr.starts_with("refused: ") && ran.stdout.is_empty(), "{ran:?}");
    for word in words {
        assert!(ran.stderr.contains(word), "`{word}` is missing: {ran:?}");
    }
    assert!(!std::path::Path::new(canary).exists(), "it ran: {ran:?}");
}

#[test]
fn without_bubblewrap_and_landlock() {
    each(|setting| {
        let empty = setting.folder();
        let options = ["--bwrap-in", empty.str(), "--without-landlock"];
        let words = [
            "bubblewrap: it is not installed",
            "install the package `bubblewrap`",
            "Landlock: the kernel",
            "boot a kernel",
        ];
        refused(setting, &options, &words);
    });
}

/// With bubblewrap alone an ordinary user's commands run, and what is missing is said; root's do not.
#[test]
fn without_landlock_root_runs_nothing() {
    each(|setting| {
        if setting.mechanism != "bubblewrap" {
            return;
        }
        let is_root = setting.user.is_none() && rustix::process::getuid().is_root();
        if is_root {
            let words =
                ["Landlock: the kernel", "root is confined only where every layer is there", "an ordinary user"];
            return refused(setting, &["--without-landlock"], &words);
        }
        let ran = setting.run(&["--without-landlock"], &["echo", "ran"]);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("Exit(0)", "ran\n"), "{setting:?} {ran:?}");
        let probe = Setting { mechanism: "probe", ..setting }.run(&["--without-landlock"], &[]);
        assert!(probe.stdout.contains("no Landlock"), "{setting:?} {probe:?}");
    });
}

#[test]
fn a_bubblewrap_that_does_not_work_is_not_used() {
    each(|setting| {
        for (text, word) in [
            (
                "#!/bin/sh\necho bubblewrap 0.8.0; [ \"$1\" = --version ] || { echo no namespaces today >&2; exit 1; }\n",
                "no namespaces today",
            ),
            ("#!/bin/sh\necho bubblewrap 0.8.0; exit 0\n", "ended without"),
            ("#!/bin/sh\nexit 1\n", "exit status: 1"),
            ("#!/bin/sh\necho hello\n", "version"),
        ] {
            // Made by the test's own user, who is root where an ordinary user is tried as well.
            let folder = Setting { user: None, ..setting }.folder();
            folder.script("bwrap", text);
            let word = if rustix::process::getuid().is_root() { word } else { "does not belong" };
            let word = if word == "ended without" { "bubblewrap 0.8.0" } else { word };
            refused(setting, &["--bwrap-in", folder.str(), "--without-landlock"], &["bubblewrap", word]);
        }
    });
}

#[test]
fn a_bubblewrap_of_somebody_else_is_not_used() {
    each(|setting| {
        let Some(user) = setting.user else { return };
        let folder = setting.folder();
        let path = folder.script("bwrap", "#!/bin/sh\necho bubblewrap 0.8.0; touch CANARY\n");
        std::os::unix::fs::chown(path, Some(user), None).unwrap();
        refused(setting, &["--bwrap-in", folder.str(), "--without-landlock"], &["does not belong to the system"]);
    });
}

#[test]
fn a_helper_that_fails_means_no() {
    each(|setting| {
        for helper in ["/bin/false", "/bin/true", "/bin/echo", "/no/such/helper"] {
            refused(setting, &["--helper", helper], &["bubblewrap", "Landlock"]);
        }
    });
}

#[test]
fn without_user_namespaces() {
    each(|setting| {
        let folder = setting.folder();
        // In a namespace whose limit is 0, no further one can be made.
        let line = format!(
            "echo 0 > /proc/sys/user/max_user_namespaces && exec {} any --write {dir} --cwd {dir} -- sh -c 'touch CANARY'",
            harness().display(),
            dir = folder.str()
        );
        let ran =
            Ran::of(setting.program("unshare").args(["--user", "--map-user=1000", "--keep-caps", "sh", "-c", &line]));
        expect_refusal(
            &ran,
            &folder.join("CANARY"),
            &["bubblewrap: ", "namespaces with Landlock: ", "user.max_user_namespaces", "No space"],
        );
    });
}
