//! Reads `[permission]` and `[agents]` of every layer that counts into rules.
//!
//! A project's rules can deny and ask, and never allow nor loosen. A rule that cannot be read is an error, not a
//! warning: it may have been the one that denies.

use std::collections::BTreeMap;
use std::path::Path;

use openoxide_permissions::{Action, Examples, Permission, Rule, RuleError, Rules};
use openoxide_skills::{Code, Diagnostic, near};
use toml::{Table, Value};

use crate::layers::{ConfigProblem, Layer, LayerKind};

/// An agent that settings describe.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentSettings {
    /// What it is called.
    pub name: String,
    /// Its rules, which follow everybody else's.
    pub rules: Rules,
    /// The skills that it starts with.
    pub skills: Vec<String>,
}

/// What the layers say about permissions.
#[derive(Clone, Debug, Default)]
pub(crate) struct Permissions {
    pub(crate) rules: Rules,
    pub(crate) agents: BTreeMap<String, AgentSettings>,
    /// The first rule that cannot count.
    pub(crate) error: Option<RuleError>,
    /// The first that is about nothing, and may have been meant to deny.
    pub(crate) doubt: Option<RuleError>,
    pub(crate) problems: Vec<ConfigProblem>,
}

/// Reads the layers that count, weakest first.
pub(crate) fn read(layers: &[Layer], home: Option<&Path>) -> Permissions {
    let mut all = Permissions::default();
    for layer in layers.iter().filter(|layer| layer.is_active) {
        let mut reader = Reader { layer, home, all: &mut all };
        if let Some(value) = layer.document.get("permission") {
            let rules = reader.rules("permission", value);
            reader.all.rules.extend(rules);
        }
        for (name, value) in layer.document.get("agents").and_then(Value::as_table).into_iter().flatten() {
            reader.agent(name, value);
        }
    }
    all
}

struct Reader<'r> {
    layer: &'r Layer,
    home: Option<&'r Path>,
    all: &'r mut Permissions,
}

impl Reader<'_> {
    fn agent(&mut self, name: &str, value: &Value) {
        let key = format!("agents.{}", quoted(name));
        let table = value.as_table();
        let rules = table.and_then(|table| table.get("permission"));
        let rules = rules.map(|value| self.rules(&format!("{key}.permission"), value)).unwrap_or_default();
        let skills = table.and_then(|table| table.get("skills")).and_then(|value| self.skills(&key, value));
        for unknown in
            table.into_iter().flat_map(Table::keys).filter(|key| !["permission", "skills"].contains(&key.as_str()))
        {
            let message = format!("there is no setting `{key}.{unknown}`");
            self.doubt(&key, &message);
            self.problem(Code::ConfigUnknownKey, message, "an agent has `permission` and `skills`");
        }
        let agent = self.all.agents.entry(name.to_owned()).or_default();
        name.clone_into(&mut agent.name);
        agent.rules.extend(rules);
        agent.skills = skills.unwrap_or_else(|| std::mem::take(&mut agent.skills));
    }

    fn skills(&mut self, key: &str, value: &Value) -> Option<Vec<String>> {
        let names = texts(value);
        if names.is_none() {
            let message = format!("`{key}.skills` must be a list of texts");
            self.problem(Code::ConfigType, message, "the value does not count until it is mended");
        }
        names
    }

    /// Reads rules in any of their forms: a word, a table of words, of patterns, or of lists of rules.
    fn rules(&mut self, key: &str, value: &Value) -> Vec<Rule> {
        let mut rules = Vec::new();
        match value {
            Value::String(word) => rules.extend(self.rule(key, "*", "*", word, Examples::default())),
            Value::Table(table) => {
                for (permission, value) in table {
                    self.known(key, permission);
                    let key = format!("{key}.{}", quoted(permission));
                    rules.extend(self.patterns(&key, permission, value));
                }
            }
            _ => self.bad(key, "rules are a word, or a table by permission"),
        }
        rules
    }

    fn patterns(&mut self, key: &str, permission: &str, value: &Value) -> Vec<Rule> {
        let mut rules = Vec::new();
        match value {
            Value::String(word) => rules.extend(self.rule(key, permission, "*", word, Examples::default())),
            Value::Table(table) => {
                for (pattern, word) in table {
                    let key = format!("{key}.{}", quoted(pattern));
                    match word.as_str() {
                        Some(word) => rules.extend(self.rule(&key, permission, pattern, word, Examples::default())),
                        None => self.bad(&key, "a pattern needs `allow`, `ask` or `deny`"),
                    }
                }
            }
            Value::Array(items) => {
                for (index, item) in items.iter().enumerate() {
                    rules.extend(self.listed(&format!("{key}.{index}"), permission, item));
                }
            }
            _ => self.bad(key, "a permission is a word, a table of patterns, or a list of rules"),
        }
        rules
    }

    /// Reads a rule with examples.
    fn listed(&mut self, key: &str, permission: &str, item: &Value) -> Option<Rule> {
        const KEYS: [&str; 4] = ["pattern", "action", "matches", "not"];
        let known = item.as_table().is_some_and(|table| table.keys().all(|key| KEYS.contains(&key.as_str())));
        let text = |key: &str| item.get(key).and_then(Value::as_str);
        let list = |key: &str| item.get(key).map_or(Some(Vec::new()), texts);
        match (text("pattern"), text("action"), list("matches"), list("not")) {
            (Some(pattern), Some(word), Some(matches), Some(not)) if known => {
                self.rule(key, permission, pattern, word, Examples { matches, not })
            }
            _ => {
                self.bad(key, "a rule has `pattern`, `action`, and lists of texts `matches` and `not`");
                None
            }
        }
    }

    fn rule(&mut self, key: &str, permission: &str, pattern: &str, word: &str, examples: Examples) -> Option<Rule> {
        let origin = self.layer.origin(key).to_string();
        let Ok(action) = word.parse::<Action>() else {
            self.fail(RuleError::Action { origin, word: word.to_owned() });
            return None;
        };
        let is_projects = self.layer.kind == LayerKind::Project;
        if is_projects && action == Action::Allow {
            let message = format!("a project cannot allow anything: `{pattern}` of `{permission}` does not count");
            self.problem(Code::ConfigType, message, "allow it in your own config.toml");
            return None;
        }
        let rule = Rule::new(permission, pattern, action, origin).at_home(self.home).with_examples(examples);
        let rule = if is_projects { rule.only_stricter() } else { rule };
        if let Err(error) = rule.check() {
            self.fail(error);
        }
        Some(rule)
    }

    /// Warns of a rule that is about nothing.
    fn known(&mut self, key: &str, permission: &str) {
        let words = Permission::ALL.iter().map(|permission| permission.as_str());
        if permission.contains(['*', '?']) || words.clone().any(|word| word == permission) {
            return;
        }
        let help = match near(permission, words).first() {
            Some(near) => format!("did you mean `{near}`?"),
            None => "the reference lists the permissions".to_owned(),
        };
        let message = format!("`{key}.{permission}` is no permission");
        self.doubt(key, &message);
        self.problem(Code::ConfigUnknownKey, message, help);
    }

    fn doubt(&mut self, key: &str, message: &str) {
        let origin = self.layer.origin(key).to_string();
        let what = format!("{message}, and may have been meant to deny");
        self.all.doubt.get_or_insert(RuleError::Shape { origin, what });
    }

    fn bad(&mut self, key: &str, what: &str) {
        let origin = self.layer.origin(key).to_string();
        self.fail(RuleError::Shape { origin, what: what.to_owned() });
    }

    fn fail(&mut self, error: RuleError) {
        self.all.error.get_or_insert(error);
    }

    fn problem(&mut self, code: Code, message: String, help: impl Into<String>) {
        let diagnostic = Diagnostic::warning(code, message).help(help);
        self.all.problems.push(ConfigProblem { path: self.layer.path.clone(), diagnostic });
    }
}

fn texts(value: &Value) -> Option<Vec<String>> {
    value.as_array()?.iter().map(|item| item.as_str().map(str::to_owned)).collect()
}

/// Writes a part of a dotted key, in quotes where it needs them.
fn quoted(part: &str) -> String {
    toml_edit::Key::new(part).to_string()
}

#[cfg(test)]
mod tests {
    use openoxide_permissions::{Remembered, decide};

    use super::*;

    fn layer(kind: LayerKind, text: &str) -> Layer {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs_err::write(&path, text).unwrap();
        let document = crate::document::read(&path, Code::ConfigInvalid).unwrap().unwrap_or_default();
        Layer { kind, path: Some(format!("/{kind:?}/config.toml").into()), is_active: true, document }
    }

    fn read_all(user: &str, project: &str) -> Permissions {
        read(&[layer(LayerKind::User, user), layer(LayerKind::Project, project)], Some(Path::new("/home/u")))
    }

    fn lines(rules: &Rules) -> Vec<String> {
        let line = |rule: &Rule| format!("{} {} {} {}", rule.permission, rule.pattern, rule.action, rule.origin);
        rules.iter().map(line).collect()
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
        let all =
            read_all("[permission]\nskil = \"deny\"\n\"sh*\" = \"deny\"\n[agents.a]\nskils = []\nskills = 1\n", "");
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
        rules.extend(all.rules.clone());
        let decided = |rules: &Rules, permission, subject: &str| {
            decide(rules, &Remembered::default(), permission, subject).action
        };
        assert_eq!(decided(&rules, Permission::Skill, "secret"), Action::Deny);
        assert_eq!(decided(&rules, Permission::Skill, "free"), Action::Deny);
        assert_eq!(decided(&rules, Permission::Shell, "ls"), Action::Ask);
        assert_eq!(decided(&rules, Permission::Script, "a/b"), Action::Ask);
        for (agent, permission, expected) in
            [("a", Permission::Shell, Action::Deny), ("b", Permission::Mcp, Action::Ask)]
        {
            let mut rules = rules.clone();
            rules.extend(all.agents[agent].rules.clone());
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
}
