//! Settings that another user can have written are refused, with the reason and the next step, as ssh does.

use std::os::unix::fs::{PermissionsExt as _, chown};
use std::path::{Path, PathBuf};

use openoxide_testkit::TestContext;

use super::door::Door;
use super::face::{Setting, attack};
use super::skill;
use crate::support::{bin, json, run, skipped};

attack! { settings_that_others_can_write for everyone { cli, http, mcp, mcp_http, rpc } }

const OTHER: u32 = 65534;

fn mode(path: &Path, mode: u32) {
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// A user with a setting, a host of their own and a project that they trust.
fn context() -> TestContext {
    let context = TestContext::new();
    context.skill("deploy", "Ships it");
    context.tree(
        "
//- home/.openoxide/config.toml
budget.share = 0.5
//- home/.openoxide/hosts/mine/host.toml
title = \"Mine\"
program = \"mine\"
roots = []
",
    );
    assert_eq!(run(&context, &["trust"]).status, Some(0));
    context
}

fn problems(context: &TestContext) -> String {
    json(context, &["config", "--json"])["problems"].to_string()
}

/// Returns each file that gives orders, with the folders above it.
fn places(context: &TestContext) -> [(PathBuf, &'static str); 6] {
    let own = context.home().join(".openoxide");
    [
        (own.join("config.toml"), "S0401"),
        (own.join("state/trust.toml"), "S0401"),
        (own.join("hosts/mine/host.toml"), "S0405"),
        (own.join("hosts/mine"), "S0405"),
        (own, "S0401"),
        (context.home(), "S0401"),
    ]
}

#[test]
fn what_others_may_write_does_not_count() {
    for writers in [0o002, 0o020] {
        let context = context();
        for (path, code) in places(&context) {
            let before = fs_err::metadata(&path).unwrap().permissions().mode();
            if writers == 0o020 && chown(&path, None, Some(OTHER)).is_err() {
                return skipped("only root can give a file to another group");
            }
            mode(&path, before | writers);
            let found = problems(&context);
            let step = format!("chmod go-w {}", path.display());
            assert!(found.contains(&step.replace(context.root().to_str().unwrap(), "[ROOT]")), "{step}: {found}");
            assert!(found.contains(code), "{code}: {found}");
            mode(&path, before);
        }
        assert_eq!(problems(&context), "[]");
    }
}

/// Nothing is activated, read or run when nobody knows what is denied.
fn settings_that_others_can_write(setting: Setting) {
    let context = context();
    let file = context.home().join(".openoxide/config.toml");
    mode(&file, 0o666);
    let mut door = Door::open(setting, &context, "openoxide");
    let said = [door.activate("deploy"), door.read("deploy", "SKILL.md"), door.run("deploy", "x.sh")];
    for said in said.iter().filter(|said| !said.is_empty()) {
        assert!(!said.contains("# deploy") && said.contains("chmod go-w"), "{said}");
    }
    mode(&file, 0o644);
    let said = Door::open(setting, &context, "openoxide").activate("deploy");
    assert!(said.contains("# deploy"), "{said}");
}

#[test]
fn what_belongs_to_another_user_does_not_count() {
    let context = context();
    for (path, code) in places(&context) {
        if chown(&path, Some(OTHER), None).is_err() {
            return skipped("only root can give a file to another user");
        }
        let found = problems(&context);
        let step = format!("chown 0 {}", path.display()).replace(context.root().to_str().unwrap(), "[ROOT]");
        assert!(found.contains(&step) && found.contains(code), "{step}: {found}");
        chown(&path, Some(0), None).unwrap();
    }
    assert_eq!(problems(&context), "[]");
}

#[test]
fn a_pipe_in_place_of_settings_is_refused_and_waits_for_nobody() {
    let context = TestContext::new();
    context.skill("deploy", "Ships it");
    context.tree("//- home/.openoxide/config.toml fifo\n");
    let output = run(&context, &["activate", "deploy"]);
    assert_eq!(output.status, Some(2), "{output}");
    assert!(output.stderr.contains("this is no regular file"), "{output}");
}

/// Whatever the umask is, OpenOxide makes no folder that it then refuses.
#[test]
fn a_wide_umask_locks_nobody_out() {
    let context = TestContext::new();
    skill(&context, "plain", "", "Plain text.");
    let line = format!("umask 0; {} config set host openoxide && exec {} trust", bin().display(), bin().display());
    let mut command = context.command("sh".as_ref(), ["-c", &line]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let listed = run(&context, &["list"]);
    assert!(listed.stdout.contains("plain") && !listed.stderr.contains("is ignored"), "{listed}");
    assert_eq!(run(&context, &["activate", "plain"]).status, Some(0));
}

/// A link to a disk that is not there is no missing file: what the settings denied stays denied.
#[test]
fn settings_that_lead_nowhere_allow_nothing() {
    let nowhere = Path::new("/nowhere/at/all");
    let link = |path: &Path| std::os::unix::fs::symlink(nowhere, path).unwrap();
    let own = |context: &TestContext| context.home().join(".openoxide");
    let breaks: [&dyn Fn(&TestContext); 3] = [
        &|context| {
            fs_err::remove_file(own(context).join("config.toml")).unwrap();
            link(&own(context).join("config.toml"));
        },
        &|context| {
            fs_err::remove_dir_all(own(context)).unwrap();
            link(&own(context));
        },
        &|context| {
            fs_err::remove_dir_all(own(context)).unwrap();
            fs_err::write(own(context), "").unwrap();
        },
    ];
    for (number, breaks) in breaks.iter().enumerate() {
        let context = context();
        context.tree("//- home/.openoxide/config.toml\n[permission.skill]\ndeploy = \"deny\"\n");
        let call = || run(&context, &["activate", "deploy", "--no-input"]);
        assert_eq!(call().status, Some(1), "{number}");
        breaks(&context);
        let output = call();
        assert!(output.status != Some(0) && !output.stdout.contains("# deploy"), "{number}: {output}");
        assert!(output.stderr.contains("the file cannot be read"), "{number}: {output}");
        assert_eq!(output.stderr.contains("is a link that leads nowhere"), number < 2, "{number}: {output}");
        assert!(output.stderr.contains("; what it denies is not known"), "{number}: {output}");
        assert!(output.stderr.contains("hint: fix the file; until then no skill is activated"), "{number}: {output}");
    }
    let context = TestContext::new();
    context.skill("deploy", "Ships it");
    let output = run(&context, &["activate", "deploy", "--no-input"]);
    assert_eq!(output.status, Some(0), "a file that is not there denies nothing: {output}");
}

/// Settings in a shape that is not understood may have been meant to deny. They are listed as a slip, and allow nothing.
#[test]
fn settings_that_are_not_understood_allow_nothing() {
    for slip in [
        "[[permission]]\nskill = \"deny\"\n",
        "permission = [\"deny\"]\n",
        "permission = false\n",
        "[permissions.skill]\ndeploy = \"deny\"\n",
        "[[skills]]\nshell = false\n",
        "[[skills.config]]\nnames = [\"deploy\"]\nenabled = false\n",
    ] {
        let context = context();
        context.tree(&format!("//- home/.openoxide/config.toml\n{slip}"));
        let output = run(&context, &["activate", "deploy", "--no-input"]);
        assert_eq!(output.status, Some(2), "{slip}{output}");
        assert!(!output.stdout.contains("# deploy") && output.stderr.contains("config.toml:"), "{slip}{output}");
    }
}

/// An account of a service has no home; it is no home that cannot be read.
#[test]
fn a_device_in_place_of_home_is_no_home() {
    let context = TestContext::new();
    context.skill("deploy", "Ships it");
    let mut command = context.command(bin(), ["activate", "deploy", "--no-input"]);
    let output = command.env("HOME", "/dev/null").env_remove("OPENOXIDE_HOME").output().unwrap();
    assert!(output.status.success(), "{output:?}");
}
