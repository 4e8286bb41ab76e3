//! The root of a project, and the order of rules from several places.

use openoxide_permissions::{Action, Permission, decide};

use super::*;
use crate::environment::Environment;
use crate::trust::Trust;
use crate::trust::record::{RememberedAnswer, Timestamp, TrustRecord};

/// The order of rules, and what an answer for good changes.
#[test]
fn built_in_then_host_then_user_then_agent() {
    let dir = tempfile::tempdir().unwrap();
    let home = std::fs::canonicalize(dir.path()).unwrap();
    fs_err::create_dir_all(home.join(".openoxide")).unwrap();
    fs_err::create_dir_all(home.join(".config/opencode")).unwrap();
    let theirs = "{\"permission\": {\"*\": \"allow\", \"skill\": {\"a\": \"deny\"}}}";
    fs_err::write(home.join(".config/opencode/opencode.json"), theirs).unwrap();
    let ours = "[permission]\nscript = \"deny\"\n[agents.x.permission.skill]\nb = \"deny\"\n";
    fs_err::write(home.join(".openoxide/config.toml"), ours).unwrap();
    let environment = Environment {
        cwd: home.clone(),
        home: Some(home.clone()),
        admin: home.join("admin"),
        ..Environment::default()
    };
    let mut trust = Trust::open(&environment);
    let mut always = |permission: &str, pattern: &str, agent: Option<&str>| {
        let (permission, pattern) = (permission.to_owned(), pattern.to_owned());
        let at = Timestamp::from(std::time::UNIX_EPOCH);
        let answer = RememberedAnswer { permission, pattern, agent: agent.map(str::to_owned), at };
        trust.add(TrustRecord::Answer(answer)).unwrap();
    };
    always("shell", "ls *", None);
    always("script", "a/b", None);
    always("mcp", "files", Some("y"));
    let options = Place { agent: Some("x".to_owned()), ..Place::default() };
    let workspace = Workspace::open(environment, options).unwrap();
    let (view, _) = workspace.view("opencode").unwrap();
    let (rules, remembered) = (workspace.rules(&view).unwrap(), trust.remembered(Some("x")));
    let decided = |permission, subject: &str| decide(&rules, &remembered, permission, subject).action;
    assert_eq!(decided(Permission::Skill, "a"), Action::Deny, "the host's");
    assert_eq!(decided(Permission::Skill, "b"), Action::Deny, "the agent's");
    assert_eq!(decided(Permission::Skill, "c"), Action::Allow, "built in");
    assert_eq!(decided(Permission::Script, "a/b"), Action::Deny, "the user's, whatever was answered");
    assert_eq!(decided(Permission::Hook, "ls"), Action::Ask, "a program's settings give no power here");
    assert_eq!(decided(Permission::Shell, "ls *"), Action::Allow, "answered before");
    assert_eq!(decided(Permission::Shell, "ls /"), Action::Ask, "and no pattern");
    assert_eq!(decided(Permission::Mcp, "files"), Action::Ask, "answered for another agent");
}

#[test]
fn a_git_file_or_folder_marks_the_root() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    let deep = root.join("a/b/c");
    fs_err::create_dir_all(&deep).unwrap();
    let rules = ProjectRules::default();
    assert_eq!(find_project(&deep, None, &rules), deep);
    fs_err::create_dir_all(root.join(".git")).unwrap();
    assert_eq!(find_project(&deep, None, &rules), root);
    fs_err::write(root.join("a/b/.git"), "gitdir: elsewhere\n").unwrap();
    assert_eq!(find_project(&deep, None, &rules), root.join("a/b"));
    let below = ProjectRules { below_home: true, markers: vec!["none".to_owned()], unmarked: Unmarked::Top };
    assert_eq!(find_project(&deep, Some(&root), &below), root.join("a"));
    let home = ProjectRules { unmarked: Unmarked::Home, below_home: false, ..below };
    assert_eq!(find_project(&deep, Some(&root), &home), root);
    assert_eq!(find_project(&deep, Some(&root.join("elsewhere")), &home), Path::new("/"));
}
