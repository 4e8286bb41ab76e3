//! Another user at a path that was trusted, or in a trusted folder: neither their folder nor their links are trusted.

use std::os::unix::fs::{PermissionsExt as _, lchown};
use std::path::Path;

use openoxide_testkit::TestContext;

use super::door::Door;
use super::face::{Setting, User, attack, give_away};
use crate::support::{json, run, skipped};

attack! { a_folder_of_another_user_at_a_trusted_path for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { links_of_another_user_in_a_trusted_folder for everyone { cli, http, mcp, mcp_http, rpc } }

const CANARY: &str = "CANARY-OF-THE-USER";
const OTHER: u32 = 65533;

/// A trusted project with a link of the user's own, and a file that nobody else can read.
fn context() -> Option<TestContext> {
    if !rustix::process::geteuid().is_root() {
        skipped("giving a file to another user needs root");
        return None;
    }
    let context = TestContext::new();
    context.tree(&format!(
        "//- home/.ssh/id mode=600\n---\nname: lnk\ndescription: {CANARY}\n---\n{CANARY}\n\
         //- home/notes/mine.md mode=600\n---\nname: mine\ndescription: Mine\n---\nMy own notes.\n\
         //- home/.openoxide/config.toml\n[trust]\nfolders = [\"{}\"]\n\
         //- project/.claude/skills/mine/SKILL.md -> ../../../../home/notes/mine.md\n",
        context.project().display()
    ));
    Some(context)
}

/// Puts links to the user's file into the project, as another user makes them.
fn plant(context: &TestContext) {
    context.tree(
        "//- project/.claude/skills/lnk/SKILL.md -> ../../../../home/.ssh/id\n\
         //- project/.claude/skills/whole -> ../../../home/.ssh\n//- project/.claude/commands/cmd.md -> ../../../home/.ssh/id\n\
         //- project/.claude/skills/whole2/SKILL.md -> ../own/text\n//- project/.claude/skills/own/text -> ../../../../home/.ssh/id\n",
    );
    for path in ["skills/lnk", "skills/whole", "skills/whole2", "skills/own", "commands"] {
        give_away(&context.project().join(".claude").join(path), OTHER);
    }
}

fn assert_held(door: &mut Door<'_>) {
    door.search_again();
    let mut said = door.look();
    for name in ["lnk", "whole", "whole2", "cmd", "id"] {
        said += &door.about(name);
    }
    assert!(!said.contains(CANARY), "{said}");
}

/// A program that is started afterwards has nothing from before. To start it as nobody would give everything to nobody.
fn assert_held_anew(setting: Setting, context: &TestContext) {
    if setting.user == User::Own {
        assert_held(&mut Door::open(setting, context, "claude-code"));
    }
}

fn a_folder_of_another_user_at_a_trusted_path(setting: Setting) {
    let Some(context) = context() else { return };
    let mut door = Door::open(setting, &context, "claude-code");
    let said = door.about("mine");
    assert!(said.contains("My own notes."), "{said}");
    // The user removes the project, and somebody else makes a folder of that name.
    fs_err::rename(context.project(), context.root().join("aside")).unwrap();
    plant(&context);
    give_away(&context.project(), OTHER);
    assert_held(&mut door);
    assert_held_anew(setting, &context);
}

fn links_of_another_user_in_a_trusted_folder(setting: Setting) {
    let Some(context) = context() else { return };
    let mut door = Door::open(setting, &context, "claude-code");
    plant(&context);
    assert_held(&mut door);
    assert_held_anew(setting, &context);
    let said = door.about("mine");
    assert!(said.contains("My own notes."), "{said}");
}

#[test]
fn a_link_of_another_user_is_named_with_the_reason() {
    let Some(context) = context() else { return };
    plant(&context);
    let list = json(&context, &["list", "--all", "--json", "--host", "claude-code"]);
    for name in ["lnk", "whole", "whole2"] {
        let entry = list["others"].as_array().unwrap().iter().find(|entry| entry["name"] == name);
        let reason = entry.unwrap_or_else(|| panic!("{name}: {list:#}"))["reason"].as_str().unwrap();
        assert!(reason.starts_with("S0018") && reason.contains("another user made it"), "{reason}");
    }
}

/// Every command that shows trust says why it is ignored, and what to do.
#[test]
fn trust_that_does_not_count_is_said() {
    let Some(context) = context() else { return };
    let project = context.project();
    let assert_said = |what: &str, step: &str| {
        for args in [&["list"][..], &["roots"], &["trust"], &["trust", "--list"], &["config"]] {
            let output = run(&context, args);
            let said = output.stderr.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(said.contains(&format!("not trusted: {what}")) && said.contains(step), "{args:?}: {output}");
        }
        let trusted = json(&context, &["trust", "--list", "--json"]);
        assert_eq!(trusted["problems"][0]["code"], "S0408", "{trusted:#}");
        assert_eq!(json(&context, &["roots", "--json"])["trusted"], false);
        assert_eq!(run(&context, &["trust"]).status, Some(2));
    };
    lchown(&project, Some(OTHER), None).unwrap();
    assert_said("the folder `[ROOT]/project` belongs to another user (uid 65533)", "chown 0 [ROOT]/project");
    lchown(&project, Some(0), None).unwrap();
    let mode = |path: &Path, mode| fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    mode(context.root(), 0o777);
    assert_said("other users may write to the folder `[ROOT]`", "chmod go-w [ROOT]");
    // Nobody replaces what is the user's in a folder with the sticky bit.
    mode(context.root(), 0o1777);
    assert_eq!(json(&context, &["roots", "--json"])["trusted"], true);
    assert!(!run(&context, &["list"]).stderr.contains("not trusted"));
}
