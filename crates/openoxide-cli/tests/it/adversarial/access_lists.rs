//! Rights that another user has by an access control list. In the mode they show only as what the group may do.

use std::fs::Permissions;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::Path;

use openoxide_testkit::{TestContext, let_user};

use super::{can_run, file, skill};
use crate::support::{bin, json, run, run_with, skipped};

const OTHER: u32 = 65534;
const READ: u16 = 4;
const ENTER: u16 = 5;
const WRITE: u16 = 7;

const NO_LISTS: &str = "this disk has no access control lists";
const NO_GROUP: &str = "this user has no group of its own";

/// Gives what lies there to its owner's group, whose only member is the owner, and lets another user do something. Says why
/// that cannot be done.
fn share(path: &Path, mode: u32, rights: u16) -> Result<(), &'static str> {
    let owner = fs_err::metadata(path).unwrap().uid();
    std::os::unix::fs::chown(path, None, Some(owner)).map_err(|_| NO_GROUP)?;
    fs_err::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    if let_user(path, OTHER, rights) { Ok(()) } else { Err(NO_LISTS) }
}

#[test]
fn settings_that_a_list_lets_another_user_write() {
    let context = TestContext::new();
    context.tree("//- home/.openoxide/config.toml\nbudget.share = 0.5\n");
    let file = context.home().join(".openoxide/config.toml");
    let problems = || json(&context, &["config", "--json"])["problems"].to_string();
    if let Err(why) = share(&file, 0o664, READ) {
        return skipped(why);
    }
    assert_eq!(problems(), "[]", "whom a list lets read writes nothing");
    share(&file, 0o664, WRITE).unwrap();
    assert!(problems().contains("chmod go-w"), "{}", problems());
    fs_err::set_permissions(&file, Permissions::from_mode(0o644)).unwrap();
    assert_eq!(problems(), "[]", "the mode takes the right from all whom the list names");
}

#[test]
fn projects_where_a_list_lets_another_user_write() {
    let context = TestContext::new();
    context.skill("deploy", "Ships it").tree("//- project/sub/\n");
    let sub = context.project().join("sub");
    let list = || context.answer(context.command(bin(), ["list", "--host", "codex"]).current_dir(&sub));
    let found = || list().stdout.contains("deploy");
    if let Err(why) = share(&context.project(), 0o775, ENTER) {
        return skipped(why);
    }
    assert!(found(), "whom a list lets look makes no marks of a project");
    share(&context.project(), 0o775, WRITE).unwrap();
    assert!(!found());
}

#[test]
fn skills_that_a_list_lets_another_user_write() {
    let context = TestContext::new();
    skill(&context, "info", "", "Text.");
    file(&context, "info", "scripts/info.sh", "cat notes.md\n");
    context.tree("//- project/notes.md\nLEAKED\n");
    if !can_run(&context) {
        return;
    }
    assert_eq!(run(&context, &["trust"]).status, Some(0));
    let script = context.project().join(".agents/skills/info/scripts/info.sh");
    let ran = || run(&context, &["run", "info", "scripts/info.sh", "--yes"]);
    if let Err(why) = share(&script, 0o775, ENTER) {
        return skipped(why);
    }
    assert!(ran().stdout.contains("LEAKED"), "{}", ran());
    share(&script, 0o775, WRITE).unwrap();
    let ran = ran();
    assert!(!ran.stdout.contains("LEAKED"), "{ran}");
    assert!(ran.stderr.contains("other users can write to `scripts/info.sh`"), "{ran}");
}

#[test]
fn temporary_folders_that_a_list_lets_another_user_write() {
    let context = TestContext::new();
    skill(&context, "info", "", "Text.");
    file(&context, "info", "scripts/info.sh", "echo RAN\n");
    context.tree("//- temporary/\n");
    if !can_run(&context) {
        return;
    }
    let temporary = context.root().join("temporary");
    let args = ["run", "info", "scripts/info.sh", "--yes"];
    let ran = || run_with(&context, &args, &[("TMPDIR", temporary.as_os_str())]);
    if let Err(why) = share(&temporary, 0o775, ENTER) {
        return skipped(why);
    }
    assert!(ran().stdout.contains("RAN"), "{}", ran());
    share(&temporary, 0o775, WRITE).unwrap();
    let ran = ran();
    assert!(!ran.stdout.contains("RAN") && ran.stderr.contains("others can replace"), "{ran}");
}
