//! The layers of `config.toml`: the administrator's, the user's, the project's, the environment, the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openoxide_permissions::{RuleError, Rules};
use openoxide_skills::{Code, Diagnostic, Origin, Setting, near};
use toml::Value;

use crate::document::{self, Document};
use crate::environment::{Environment, variables};
use crate::keys::{KEYS, Key};
use crate::permission::{self, Agent, Permissions};

/// Whose layer it is; a later one wins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum LayerKind {
    /// The administrator's file.
    Admin,
    /// The user's file.
    User,
    /// The project's file, if the project is trusted.
    Project,
    /// Environment variables.
    Environment,
    /// `--config KEY=VALUE`.
    CommandLine,
}

/// One layer of settings.
#[derive(Clone, Debug)]
pub struct Layer {
    /// Whose it is.
    pub kind: LayerKind,
    /// Its file, if it has one.
    pub path: Option<PathBuf>,
    /// Whether it counts.
    pub counts: bool,
    pub(crate) document: Document,
}

/// Something wrong with a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigProblem {
    /// The file; absent for the command line.
    pub path: Option<PathBuf>,
    /// What is wrong.
    pub diagnostic: Diagnostic,
}

/// All layers, weakest first.
#[derive(Clone, Debug, Default)]
pub struct Config {
    /// The layers.
    pub layers: Vec<Layer>,
    /// What is wrong with them.
    pub problems: Vec<ConfigProblem>,
    /// What `~` stands for.
    home: Option<PathBuf>,
    permissions: Permissions,
}

impl Config {
    /// Reads every layer. `project` is the project's root; `flags` are `KEY=VALUE` from the command line.
    pub fn load(environment: &Environment, project: &Path, flags: &[String]) -> Config {
        let mut config = Config::default();
        config.add_file(LayerKind::Admin, &environment.admin.join("config.toml"));
        if let Some(home) = environment.openoxide_home() {
            config.add_file(LayerKind::User, &home.join("config.toml"));
        }
        let flags = config.flags(flags);
        let project_file = project.join(".openoxide/config.toml");
        let is_users = config.layers.iter().any(|layer| layer.path.as_deref() == Some(&project_file));
        if !is_users {
            config.add_file(LayerKind::Project, &project_file);
        }
        config.layers.push(from_environment(environment));
        config.layers.push(flags);
        config.home.clone_from(&environment.home);
        config.judge_project(project);
        config.permissions = permission::read(&config.layers, config.home.as_deref());
        config.problems.append(&mut config.permissions.problems);
        config
    }

    fn add_file(&mut self, kind: LayerKind, path: &Path) {
        match document::read(path, Code::ConfigInvalid) {
            Ok(None) => {}
            Ok(Some(document)) => {
                let (document, problems) = checked(document, kind);
                self.problems.extend(
                    problems.into_iter().map(|diagnostic| ConfigProblem { path: Some(path.to_owned()), diagnostic }),
                );
                self.layers.push(Layer { kind, path: Some(path.to_owned()), counts: true, document });
            }
            Err(diagnostic) => self.problems.push(ConfigProblem { path: Some(path.to_owned()), diagnostic }),
        }
    }

    fn flags(&mut self, flags: &[String]) -> Layer {
        let mut table = toml::Table::new();
        for flag in flags {
            match parse_flag(flag) {
                Ok((key, value)) => insert(&mut table, &document::split_key(&key), value),
                Err(diagnostic) => self.problems.push(ConfigProblem { path: None, diagnostic }),
            }
        }
        let (document, problems) = checked(Document::loose(table), LayerKind::CommandLine);
        self.problems.extend(problems.into_iter().map(|diagnostic| ConfigProblem { path: None, diagnostic }));
        Layer { kind: LayerKind::CommandLine, path: None, counts: true, document }
    }

    /// A project's file counts only if somebody else trusts the project.
    fn judge_project(&mut self, project: &Path) {
        let trusted = self.trusts(project);
        for layer in self.layers.iter_mut().filter(|layer| layer.kind == LayerKind::Project) {
            layer.counts = trusted;
            if !trusted {
                let message = "the project's settings do not count, because the project is not trusted";
                let help = "if the project is yours: openoxide trust";
                let diagnostic = Diagnostic::warning(Code::ConfigUntrusted, message).help(help);
                self.problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
            }
        }
    }

    /// Tells whether the user trusts a project.
    pub fn trusts(&self, project: &Path) -> bool {
        let layers = self.layers.iter().filter(|layer| layer.kind != LayerKind::Project);
        let real = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        layers.flat_map(|layer| self.trusted_by(layer)).any(|(_, folder)| folder == real)
    }

    /// Returns the folders that the user's own file trusts: as they are written, and without links.
    pub fn trusted(&self) -> Vec<(String, PathBuf)> {
        let user = self.layers.iter().find(|layer| layer.kind == LayerKind::User);
        user.map(|layer| self.trusted_by(layer)).unwrap_or_default()
    }

    fn trusted_by(&self, layer: &Layer) -> Vec<(String, PathBuf)> {
        let whole = |text: &str| match text.strip_prefix("~/") {
            Some(rest) => self.home.as_ref().map(|home| home.join(rest)),
            None => Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
        };
        let real = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
        let listed = layer.document.get("trust.folders").and_then(Value::as_array).into_iter().flatten();
        listed.filter_map(Value::as_str).filter_map(|text| Some((text.to_owned(), real(whole(text)?)))).collect()
    }

    /// Returns the rules under `[permission]`, weakest first; an error if one of any agent cannot count.
    pub fn rules(&self) -> Result<&Rules, RuleError> {
        self.permissions.error.clone().map_or(Ok(&self.permissions.rules), Err)
    }

    /// Returns the agents, by name.
    pub fn agents(&self) -> &BTreeMap<String, Agent> {
        &self.permissions.agents
    }

    /// Returns every value of a key that counts, weakest first.
    pub fn all(&self, key: &str) -> Vec<Setting> {
        self.said(key, |_| true)
    }

    /// Does the same without what the project says, for what a project cannot give.
    pub fn all_but_projects(&self, key: &str) -> Vec<Setting> {
        self.said(key, |layer| layer.kind != LayerKind::Project)
    }

    fn said(&self, key: &str, counts: impl Fn(&Layer) -> bool) -> Vec<Setting> {
        let layers = self.layers.iter().filter(|layer| layer.counts && counts(layer));
        layers
            .filter_map(|layer| Some(Setting { value: layer.document.get(key)?.clone(), origin: layer.origin(key) }))
            .collect()
    }

    /// Returns the value of a key that wins; the default if nobody set it.
    pub fn get(&self, key: &str) -> Option<Setting> {
        self.all(key).pop().or_else(|| {
            let key = KEYS.iter().find(|known| known.name == key && !known.default.is_empty())?;
            let table: toml::Table = format!("value = {}", key.default).parse().ok()?;
            Some(Setting { value: table["value"].clone(), origin: Origin::Default })
        })
    }

    /// Returns the winning text of a key.
    pub fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.value.as_str().map(str::to_owned)
    }
}

impl Layer {
    /// Says where in the layer a key stands.
    pub fn origin(&self, key: &str) -> Origin {
        match (&self.path, self.kind) {
            (Some(path), _) => Origin::File { path: path.clone(), line: self.document.line(key) },
            (None, LayerKind::Environment) => Origin::Environment(variables::OPENOXIDE_HOST.to_owned()),
            (None, _) => Origin::CommandLine,
        }
    }
}

fn from_environment(environment: &Environment) -> Layer {
    let mut table = toml::Table::new();
    if let Some(host) = environment.variable(variables::OPENOXIDE_HOST) {
        table.insert("host".to_owned(), host.into());
    }
    let document = Document::loose(table);
    Layer { kind: LayerKind::Environment, path: None, counts: true, document }
}

/// Reads `KEY=VALUE`; a value that is not TOML is text.
fn parse_flag(flag: &str) -> Result<(String, Value), Diagnostic> {
    let Some((key, value)) = flag.split_once('=') else {
        let message = format!("`--config {flag}` has no `=`");
        return Err(Diagnostic::warning(Code::ConfigInvalid, message).help("write `--config KEY=VALUE`"));
    };
    let parsed = format!("value = {value}").parse::<toml::Table>().ok().and_then(|mut table| table.remove("value"));
    Ok((key.trim().to_owned(), parsed.unwrap_or_else(|| Value::from(value))))
}

fn insert(table: &mut toml::Table, path: &[String], value: Value) {
    match path {
        [] => {}
        [last] => drop(table.insert(last.clone(), value)),
        [first, rest @ ..] => {
            let inner = table.entry(first.clone()).or_insert_with(|| Value::Table(toml::Table::new()));
            if let Value::Table(inner) = inner {
                insert(inner, rest, value);
            }
        }
    }
}

/// Takes out what is unknown or of the wrong type, and says so.
fn checked(mut document: Document, kind: LayerKind) -> (Document, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut bad = Vec::new();
    for (path, value) in leaves(&document.table) {
        let name = path.join(".");
        let place = |problem: Diagnostic| match document.line(&name) {
            Some(line) => {
                Diagnostic { place: Some(openoxide_skills::Place { span: 0..0, line, column: 1 }), ..problem }
            }
            None => problem,
        };
        match Key::find(&name) {
            None => problems.push(place(unknown(&name))),
            Some(key) if kind == LayerKind::Project && !key.project => {
                let message = format!("a project cannot set `{name}`");
                problems
                    .push(place(Diagnostic::warning(Code::ConfigType, message).help("set it in your own config.toml")));
            }
            Some(key) if key.name == name && !key.takes(value) => {
                let message = format!("`{name}` must be {}", key.wants());
                problems.push(place(
                    Diagnostic::warning(Code::ConfigType, message).help("the value does not count until it is mended"),
                ));
            }
            Some(_) => continue,
        }
        bad.push(path);
    }
    for path in bad {
        remove(&mut document.table, &path);
    }
    (document, problems)
}

fn unknown(name: &str) -> Diagnostic {
    let names = near(name, KEYS.iter().map(|key| key.name));
    let help = match names.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`openoxide config` lists every key".to_owned(),
    };
    Diagnostic::warning(Code::ConfigUnknownKey, format!("there is no setting `{name}`")).help(help)
}

/// Returns every value at the end of a dotted name; what a key takes as a whole counts as one.
fn leaves(table: &toml::Table) -> Vec<(Vec<String>, &Value)> {
    let mut found = Vec::new();
    for (name, value) in table {
        let whole = Key::find(name).is_some_and(|key| key.is_tables());
        match value {
            Value::Table(inner) if !whole => {
                for (mut path, value) in leaves(inner) {
                    path.insert(0, name.clone());
                    found.push((path, value));
                }
            }
            _ => found.push((vec![name.clone()], value)),
        }
    }
    found
}

fn remove(table: &mut toml::Table, path: &[String]) {
    match path {
        [] => {}
        [last] => drop(table.remove(last)),
        [first, rest @ ..] => {
            if let Some(Value::Table(inner)) = table.get_mut(first) {
                remove(inner, rest);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn setup(user: &str, project: &str) -> (tempfile::TempDir, Environment) {
        let dir = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(dir.path()).unwrap();
        for (folder, text) in [("home/.openoxide", user), ("project/.openoxide", project)] {
            fs_err::create_dir_all(root.join(folder)).unwrap();
            fs_err::write(root.join(folder).join("config.toml"), text).unwrap();
        }
        let environment = Environment {
            cwd: root.join("project"),
            home: Some(root.join("home")),
            admin: root.join("admin"),
            ..Environment::default()
        };
        (dir, environment)
    }

    #[test]
    fn later_layers_win_and_say_where_they_stand() {
        let (_dir, environment) = setup("# mine\nhost = \"codex\"\n", "host = \"claude-code\"\n");
        let config = Config::load(&environment, &environment.cwd, &[]);
        let host = config.get("host").unwrap();
        assert_eq!(host.value.as_str(), Some("codex"));
        assert!(host.origin.to_string().ends_with("config.toml:2"), "{}", host.origin);
        let codes: Vec<_> = config.problems.iter().map(|problem| problem.diagnostic.code).collect();
        assert_eq!(codes, [Code::ConfigUntrusted]);
        let flags = [format!("trust.folders=[{:?}]", environment.cwd.to_str().unwrap())];
        let config = Config::load(&environment, &environment.cwd, &flags);
        assert_eq!(config.text("host").as_deref(), Some("claude-code"));
        let config = Config::load(&environment, &environment.cwd, &["host=agentskills".to_owned()]);
        assert_eq!(config.get("host").unwrap().origin, Origin::CommandLine);
    }

    #[test]
    fn bad_keys_and_values_are_reported_and_the_rest_counts() {
        let user = "skils.paths = []\n[skills]\nclaude = \"no\"\npaths = [\"/x\"]\n";
        let (_dir, environment) = setup(user, "[trust]\nfolders = [\"/\"]\n");
        let config = Config::load(&environment, &environment.cwd, &[]);
        let shown: Vec<String> = config.problems.iter().map(|problem| problem.diagnostic.message.clone()).collect();
        assert_eq!(shown[..2], ["there is no setting `skils.paths`", "`skills.claude` must be `true` or `false`"]);
        assert!(shown.iter().any(|message| message == "a project cannot set `trust.folders`"));
        assert_eq!(config.problems[1].diagnostic.place.as_ref().unwrap().line, 3);
        assert_eq!(config.get("skills.paths").unwrap().value.as_array().unwrap().len(), 1);
    }
}
