//! Folders of a project that its owner exchanges while the user writes there: nothing is written or removed elsewhere.

use std::sync::atomic::{AtomicBool, Ordering};

use openoxide_testkit::TestContext;
use rustix::fs::{CWD, RenameFlags, renameat_with};

use crate::support::{run, skipped};

const USERS: &str = "# the user's own settings\n[permission]\nshell = \"ask\"\n";
const THEIRS: &str = "# theirs\n[mcp.servers.evil]\ncommand = \"/bin/false\"\n[permission]\nshell = \"allow\"\n";
const ROUNDS: usize = 60;

/// Runs commands in turn while a folder of the project and `link`, which leads out, are exchanged all the time. Returns
/// whether that can be done here.
fn race(context: &TestContext, folder: &str, ways: &[&[&str]], is_held: &dyn Fn() -> bool) -> bool {
    let (folder, link) = (context.project().join(folder), context.project().join("link"));
    let exchange = || renameat_with(CWD, &folder, CWD, &link, RenameFlags::EXCHANGE);
    if exchange().and_then(|()| exchange()).is_err() {
        skipped("this disk exchanges no names");
        return false;
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = exchange();
            }
        });
        for round in 0..ROUNDS {
            let output = run(context, ways[round % ways.len()]);
            if !is_held() {
                stop.store(true, Ordering::Relaxed);
                panic!("round {round}: {output}");
            }
        }
        stop.store(true, Ordering::Relaxed);
    });
    true
}

#[test]
fn settings_of_a_project_never_become_the_users() {
    let context = TestContext::new();
    context.skill("has", "X").tree(&format!(
        "//- project/.git/HEAD\nref\n//- home/.openoxide/config.toml\n{USERS}//- project/.openoxide/config.toml\n{THEIRS}\
         //- project/link -> ../home/.openoxide\n"
    ));
    let home = context.home().join(".openoxide");
    let ways: [&[&str]; 4] = [
        &["disable", "has", "--in-project", "--yes", "--host", "openoxide"],
        &["enable", "has", "--in-project", "--yes", "--host", "openoxide"],
        &["config", "set", "skills.claude", "false", "--in-project"],
        &["config", "unset", "skills.claude", "--in-project"],
    ];
    let is_held = || fs_err::read_to_string(home.join("config.toml")).unwrap() == USERS;
    if !race(&context, ".openoxide", &ways, &is_held) {
        return;
    }
    let left: Vec<String> = fs_err::read_dir(&home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|name| name != "config.toml" && name != "state" && name != "skills")
        .collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn no_link_or_copy_is_made_or_removed_elsewhere() {
    let context = TestContext::new();
    context.skill("has", "X").skill("out", "X").tree(
        "//- project/.git/HEAD\nref\n//- project/.claude/skills/\n//- project/link -> ../outside\n\
         //- outside/skills/out -> ../../project/.agents/skills/out\n",
    );
    let ways: [&[&str]; 4] = [
        &["link", "has", "--into", "claude-code"],
        &["unlink", "has", "out", "--from", "claude-code"],
        &["link", "has", "--into", "claude-code", "--copy"],
        &["unlink", "has", "out", "--from", "claude-code"],
    ];
    let outside = context.root().join("outside");
    let names = |folder: &str| -> Vec<_> {
        fs_err::read_dir(outside.join(folder)).unwrap().map(|entry| entry.unwrap().file_name()).collect()
    };
    race(&context, ".claude", &ways, &|| names("skills") == ["out"] && names("") == ["skills"]);
}

#[test]
fn no_new_skill_is_made_elsewhere() {
    let context = TestContext::new();
    context.tree("//- project/.git/HEAD\nref\n//- project/.claude/skills/\n//- project/link -> ../outside\n//- outside/skills/\n");
    let ways: [&[&str]; 2] =
        [&["new", "fresh", "--dir", ".claude/skills"], &["new", "fresh", "--dir", ".claude/skills/deep/er"]];
    let (skills, made) = (context.root().join("outside/skills"), context.project().join(".claude/skills"));
    let is_held = || {
        // The name is free again for the next round; the folder may be the link just now.
        let held = fs_err::read_dir(&skills).unwrap().next().is_none();
        if held {
            let _ = std::fs::remove_dir_all(made.join("fresh"));
            let _ = std::fs::remove_dir_all(made.join("deep"));
        }
        held
    };
    race(&context, ".claude", &ways, &is_held);
}
