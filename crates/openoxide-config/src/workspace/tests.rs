//! The root of a project, and the order of rules from several places.

use openoxide_permissions::{Action, Permission, decide};

use openoxide_skills::host::{ProjectRules, Unmarked};

use super::project_root::{find_project, find_repository};
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
        let [permission, pattern, skill] = [permission, pattern, "/s/SKILL.md"].map(str::to_owned);
        let at = Timestamp::from(std::time::UNIX_EPOCH);
        let answer = RememberedAnswer { permission, pattern, skill, agent: agent.map(str::to_owned), at };
        trust.add(TrustRecord::Answer(answer)).unwrap();
    };
    always("shell", "ls *", None);
    always("script", "a/b", None);
    always("mcp", "files", Some("y"));
    let options = Place { agent: Some("x".to_owned()), ..Place::default() };
    let workspace = Workspace::open(environment, options).unwrap();
    let (view, _) = workspace.view("opencode").unwrap();
    let (rules, remembered) = (workspace.rules(&view).unwrap(), trust.remembered(Some("x"), "/s/SKILL.md"));
    let decided = |permission, subject: &str| decide(&rules, &remembered, permission, subject).action;
    assert_eq!(decided(Permission::Skill, "a"), Action::Deny, "the host's");
    assert_eq!(decided(Permission::Skill, "b"), Action::Deny, "the agent's");
    assert_eq!(decided(Permission::Skill, "c"), Action::Allow, "built in");
    assert_eq!(decided(Permission::Script, "a/b"), Action::Deny, "the user's, whatever was answered");
    assert_eq!(decided(Permission::Hook, "ls"), Action::Ask, "a program's settings give no permission here");
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
    let top = find_project(&deep, Some(&root.join("elsewhere")), &home);
    assert!(root.starts_with(&top), "{}", top.display());
}

fn mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Whoever can write above a folder must not decide what its project is.
#[test]
fn a_mark_that_others_may_have_made_does_not_count() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    let cwd = root.join("shared/project");
    fs_err::create_dir_all(&cwd).unwrap();
    let (shared, rules) = (root.join("shared"), ProjectRules::default());
    let top = ProjectRules { unmarked: Unmarked::Top, ..ProjectRules::default() };
    fs_err::create_dir_all(shared.join(".git")).unwrap();
    assert_eq!(find_project(&cwd, None, &rules), shared);
    mode(&shared, 0o777);
    assert_eq!(find_project(&cwd, None, &rules), cwd, "others can put marks there");
    assert_eq!(find_project(&cwd, None, &top), cwd, "and skills");
    assert_eq!(find_project(&shared, None, &rules), shared, "who works there means that folder");
    mode(&shared, 0o1777);
    assert_eq!(find_project(&cwd, None, &rules), shared, "nobody else moves this folder there");
    fs_err::remove_dir(shared.join(".git")).unwrap();
    fs_err::write(shared.join(".git"), "gitdir: elsewhere\n").unwrap();
    assert_eq!(find_project(&cwd, None, &rules), cwd, "but files of others they do");
    mode(&shared, 0o755);
    let nobody = Some(rustix::fs::Uid::from_raw(65534));
    if rustix::process::geteuid().is_root() {
        rustix::fs::chown(shared.join(".git"), nobody, None).unwrap();
        assert_eq!(find_project(&cwd, None, &rules), cwd, "the mark is another user's");
        rustix::fs::chown(shared.join(".git"), Some(rustix::fs::Uid::ROOT), None).unwrap();
        rustix::fs::chown(&shared, nobody, None).unwrap();
        assert_eq!(find_project(&cwd, None, &rules), cwd, "the folder is another user's");
        assert_eq!(find_project(&cwd, None, &top), cwd);
    }
}

/// A repository of dotfiles does not make everything below home the user's own.
#[test]
fn a_repository_around_home_is_the_project_of_nothing_below() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    let (home, cwd) = (root.join("home"), root.join("home/dl/evil"));
    fs_err::create_dir_all(&cwd).unwrap();
    for marked in [&home, &root] {
        fs_err::create_dir_all(marked.join(".git")).unwrap();
        assert_eq!(find_repository(&cwd, Some(&home)), cwd);
        assert_eq!(find_repository(marked, Some(&home)), *marked);
        fs_err::remove_dir(marked.join(".git")).unwrap();
    }
    fs_err::create_dir_all(home.join("dl/.git")).unwrap();
    assert_eq!(find_repository(&cwd, Some(&home)), home.join("dl"));
}

/// What is fixed at the start is not widened by what somebody puts above it, nor moved by a link in its place.
#[test]
fn a_fixed_project_stays() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    let cwd = root.join("a/project");
    fs_err::create_dir_all(&cwd).unwrap();
    let environment = Environment { cwd: root.clone(), home: Some(root.join("home")), ..Environment::default() };
    let place = Place::of(&cwd).fixed(&environment).unwrap();
    fs_err::create_dir_all(root.join("a/.git")).unwrap();
    let projects = |place: &Place| {
        let workspace = Workspace::open(environment.clone(), place.clone()).unwrap();
        let hosts = ["claude-code", "opencode", "codex", "openoxide"];
        let views = hosts.map(|host| workspace.view(host).unwrap().0.around.project.clone());
        [&[workspace.project][..], &views].concat()
    };
    assert!(projects(&place).iter().all(|project| *project == cwd), "{:?}", projects(&place));
    assert!(projects(&Place::of(&cwd)).iter().all(|project| *project == root.join("a")));
    fs_err::rename(&cwd, root.join("a/aside")).unwrap();
    std::os::unix::fs::symlink(root.join("a/aside"), &cwd).unwrap();
    assert!(Workspace::open(environment.clone(), place).is_err(), "it leads elsewhere now");
}

/// A program's folder is resolved once, where it is judged; a link that comes to stand there later is refused.
#[test]
fn a_folder_that_a_program_chose_is_no_link_and_gives_no_files() {
    let root = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(root.path()).unwrap();
    fs_err::create_dir_all(root.join("project")).unwrap();
    std::os::unix::fs::symlink("project", root.join("link")).unwrap();
    let environment = Environment { cwd: root.clone(), admin: root.join("admin"), ..Environment::default() };
    let open = |folder: &str, by_program: bool| {
        let place = Place { chosen_by_program: by_program, without_links: by_program, ..Place::of(root.join(folder)) };
        Workspace::open(environment.clone(), place)
    };
    for folder in ["link", "project/../project", "project/../link"] {
        assert!(matches!(open(folder, true), Err(WorkspaceError::NoFolder { .. })), "{folder}");
    }
    assert!(open("link", false).unwrap().gives_files());
    let opened = open("project", true).unwrap();
    assert!(!opened.gives_files() && opened.reopen().is_ok());
    fs_err::rename(root.join("project"), root.join("moved")).unwrap();
    std::os::unix::fs::symlink("moved", root.join("project")).unwrap();
    assert!(matches!(opened.reopen(), Err(WorkspaceError::NoFolder { .. })), "it was exchanged for a link");
}

/// A slip in one state must not switch on what another line switches off.
#[test]
fn an_unknown_state_of_a_skill_switches_it_off() {
    let dir = tempfile::tempdir().unwrap();
    let home = std::fs::canonicalize(dir.path()).unwrap();
    for folder in [".openoxide", ".claude"] {
        fs_err::create_dir_all(home.join(folder)).unwrap();
    }
    let read = |ours: &str, theirs: &str| {
        fs_err::write(home.join(".openoxide/config.toml"), ours).unwrap();
        fs_err::write(home.join(".claude/settings.json"), theirs).unwrap();
        let (cwd, admin) = (home.clone(), home.join("admin"));
        let environment = Environment { cwd, home: Some(home.clone()), admin, ..Environment::default() };
        let (view, problems) = Workspace::open(environment, Place::default()).unwrap().view("claude-code").unwrap();
        let said = |problem: &crate::ConfigProblem| {
            let diagnostic = &problem.diagnostic;
            format!("{}; {}", diagnostic.message, diagnostic.help.as_ref().unwrap())
        };
        let states = view.settings.get("overrides").map(|setting| setting.value.to_string());
        (states.unwrap_or_default(), problems.iter().map(said).collect::<Vec<_>>())
    };
    let wrong = "`plain` in the setting `overrides` must be one of `on`, `name-only`, `user-invocable-only`, `off`";
    let off = format!("{wrong}; A skill with another state is off until it is fixed.");
    let ours = "[hosts.claude-code.overrides]\nsecret = \"off\"\nplain = \"offf\"\n";
    assert_eq!(read(ours, "{}"), ("{ secret = \"off\", plain = \"off\" }".to_owned(), vec![off.clone()]));
    let theirs = "{\"skillOverrides\": {\"plain\": \"offf\", \"other\": \"off\"}}";
    let about = "The state of single skills: on, name-only, user-invocable-only, off.";
    let ignored = format!("{wrong}; {about} The whole file is ignored.");
    assert_eq!(read("", theirs), (String::new(), vec![ignored.clone()]), "as by Claude Code");
    assert_eq!(read(ours, theirs), ("{ secret = \"off\", plain = \"off\" }".to_owned(), vec![off, ignored]));
}

/// A project's file may name agents and hosts without being trusted, and so as many as it likes.
#[test]
fn unknown_hosts_of_a_project_are_counted() {
    let dir = tempfile::tempdir().unwrap();
    let root = std::fs::canonicalize(dir.path()).unwrap();
    fs_err::create_dir_all(root.join(".openoxide")).unwrap();
    let (names, hosts): (Vec<_>, Vec<_>) =
        (0..50).map(|at| (format!("a{at}"), format!("[hosts.h{at}]\nx = 1"))).unzip();
    let text = format!("my_agents = {names:?}\n{}\n", hosts.join("\n"));
    fs_err::write(root.join(".openoxide/config.toml"), text).unwrap();
    let environment = Environment { cwd: root.clone(), admin: root.join("admin"), ..Environment::default() };
    let problems = Workspace::open(environment, Place::default()).unwrap().config.problems;
    let more = problems.iter().filter(|problem| problem.diagnostic.message == "and 30 more of this kind").count();
    assert_eq!((problems.len(), more), (1 + 2 * 21, 2));
}
