use openoxide_permissions::{Approvals, decide};
use openoxide_skills::root::Boundary;

use super::*;
use crate::document::{self, Writers, json::JsonDialect};

fn layer(kind: LayerKind, text: &str) -> Layer {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    fs_err::write(&path, text).unwrap();
    let document =
        document::read(&path, Code::ConfigInvalid, JsonDialect::Strict, Writers::Anyone(&Boundary::default), None)
            .unwrap()
            .unwrap_or_default();
    Layer::new(kind, Some(format!("/{kind:?}/config.toml").into()), document)
}

fn read_all(user: &str, project: &str) -> PermissionRules {
    read(&[layer(LayerKind::User, user), layer(LayerKind::Project, project)], Some(Path::new("/home/u")))
}

fn lines(rules: &Rules) -> Vec<String> {
    let line = |rule: &Rule| format!("{} {} {} {}", rule.permission, rule.pattern, rule.action, rule.origin);
    rules.0.iter().map(line).collect()
}

#[test]
fn every_form_is_read_with_its_place() {
    let text = "[permission]\nscript = \"deny\"\n\n[permission.skill]\n\"*\" = \"ask\"\n\"deploy-*\" = \"deny\"\n\n\
                [[permission.shell]]\npattern = \"git *\"\naction = \"allow\"\nmatches = [\"git log\"]\nnot = [\"git log; ls\"]\n";
    let all = read_all(text, "");
    assert_eq!((&all.error, all.problems.as_slice()), (&None, &[][..]));
    let expected = [
        "script * deny /User/config.toml:2",
        "skill * ask /User/config.toml:5",
        "skill deploy-* deny /User/config.toml:6",
        "shell git * allow /User/config.toml:8",
    ];
    assert_eq!(lines(&all.rules), expected);
    assert_eq!(lines(&read_all("permission = \"deny\"\n", "").rules), ["* * deny /User/config.toml:1"]);
    let inline = "permission.shell = [\n  { pattern = \"a\", action = \"allow\" },\n  { pattern = \"b\", action = \"deny\" },\n]\n";
    assert_eq!(lines(&read_all(inline, "").rules)[1], "shell b deny /User/config.toml:3");
}

#[test]
fn a_rule_that_cannot_count_is_an_error_with_its_place() {
    let check = |text: &str, expected: &str| {
        assert_eq!(read_all(text, "").error.map(|error| error.to_string()).as_deref(), Some(expected), "{text}");
    };
    check("\n[permission.skill]\na = \"dney\"\n", "/User/config.toml:3: `dney` is not `allow`, `ask` or `deny`");
    check(
        "[permission]\nskill = [{ pattern = \"a-*\", action = \"deny\", matches = [\"a\"] }]\n",
        "/User/config.toml:2: the rule `a-*` does not match its example `a`",
    );
    check(
        "[permission]\nskill = [{ pattern = \"a*\", action = \"deny\", not = [\"ab\"] }]\n",
        "/User/config.toml:2: the rule `a*` matches `ab`, which stands under `not`",
    );
    check(
        "[permission]\nskill = [{ pattern = \"a*\", acton = \"deny\" }]\n",
        "/User/config.toml:2: a rule has `pattern`, `action`, and lists of texts `matches` and `not`",
    );
    check(
        "[permission]\nskill = 3\n",
        "/User/config.toml:2: a permission is a word, a table of patterns, or a list of rules",
    );
}

#[test]
fn names_that_are_no_permission_are_said() {
    let all = read_all("[permission]\nskil = \"deny\"\n\"sh*\" = \"deny\"\n[agents.a]\nskils = []\nskills = 1\n", "");
    let shown: Vec<&str> = all.problems.iter().map(|problem| problem.diagnostic.message.as_str()).collect();
    let expected = [
        "`permission.skil` is no permission",
        "`agents.a.skills` must be a list of texts",
        "there is no setting `agents.a.skils`",
    ];
    assert_eq!(shown, expected);
    assert_eq!(all.problems[0].diagnostic.help.as_deref(), Some("did you mean `skill`?"));
}

/// A project, even a trusted one, never gets more than the user gives.
#[test]
fn a_project_never_allows_and_never_loosens() {
    let user = "[permission.skill]\nsecret = \"deny\"\nfree = \"allow\"\n[agents.a.permission]\nshell = \"deny\"\n";
    let project = "permission.skill = { secret = \"ask\", free = \"deny\", other = \"allow\" }\n\
                   permission.shell = \"allow\"\npermission.script = [{ pattern = \"*\", action = \"allow\" }]\n\
                   [agents.a.permission]\nshell = \"ask\"\n[agents.b.permission]\nmcp = \"allow\"\n";
    let all = read_all(user, project);
    assert_eq!(all.problems.len(), 4, "{:?}", all.problems);
    let mut rules = Rules::builtin();
    rules.0.extend(all.rules.0.clone());
    let decided =
        |rules: &Rules, permission, subject: &str| decide(rules, &Approvals::default(), permission, subject).action;
    assert_eq!(decided(&rules, Permission::Skill, "secret"), Action::Deny);
    assert_eq!(decided(&rules, Permission::Skill, "free"), Action::Deny);
    assert_eq!(decided(&rules, Permission::Shell, "ls"), Action::Ask);
    assert_eq!(decided(&rules, Permission::Script, "a/b"), Action::Ask);
    for (agent, permission, expected) in [("a", Permission::Shell, Action::Deny), ("b", Permission::Mcp, Action::Ask)] {
        let mut rules = rules.clone();
        rules.0.extend(all.agents[agent].rules.0.clone());
        assert_eq!(decided(&rules, permission, "x"), expected, "{agent}");
    }
    assert_eq!(
        decided(&read(&[layer(LayerKind::Project, "permission = \"allow\"")], None).rules, Permission::Shell, "ls"),
        Action::Ask
    );
}

#[test]
fn layers_of_one_agent_add_up() {
    let all = read_all(
        "[agents.a]\nskills = [\"x\"]\n[agents.a.permission]\nskill = \"allow\"\n",
        "[agents.a]\nskills = [\"y\"]\n[agents.a.permission.skill]\nz = \"deny\"\n",
    );
    let agent = &all.agents["a"];
    assert_eq!((agent.name.as_str(), agent.skills.as_slice()), ("a", &["y".to_owned()][..]));
    assert_eq!(lines(&agent.rules), ["skill * allow /User/config.toml:4", "skill z deny /Project/config.toml:4"]);
}
