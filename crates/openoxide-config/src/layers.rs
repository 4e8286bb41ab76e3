//! The layers of `config.toml`: the administrator's, the user's, the project's, the environment, the command line.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use openoxide_permissions::{RuleError, Rules};
use openoxide_skills::{Code, Diagnostic, Origin, Setting, near, path_text};
use toml::Value;

use crate::document::{self, Document};
use crate::environment::{Environment, variables};
use crate::keys::{CONFIG_KEYS, ConfigKey, ProjectAccess};
use crate::mcp;
use crate::permission::{self, AgentSettings, Permissions};
use crate::trust::Trust;

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
    pub is_active: bool,
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
    pub(crate) home: Option<PathBuf>,
    /// What the user trusts besides `trust.folders`.
    trust: Trust,
    permissions: Permissions,
    /// A file that cannot be read and may hold rules that deny.
    unread: Option<RuleError>,
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
        config.add_trust(Trust::open(environment));
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
                self.layers.push(Layer { kind, path: Some(path.to_owned()), is_active: true, document });
            }
            Err(diagnostic) => {
                if kind != LayerKind::Project {
                    let line = diagnostic.place.as_ref().map_or_else(String::new, |place| format!(":{}", place.line));
                    let what = format!("{}, so that nobody knows what is denied", diagnostic.message);
                    let origin = format!("{}{line}", path_text(path));
                    self.unread.get_or_insert(RuleError::Shape { origin, what });
                }
                self.problems.push(ConfigProblem { path: Some(path.to_owned()), diagnostic });
            }
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
        Layer { kind: LayerKind::CommandLine, path: None, is_active: true, document }
    }

    /// A project's file counts only if somebody else trusts the project.
    fn judge_project(&mut self, project: &Path) {
        let trusted = self.trusts(project);
        for layer in self.layers.iter_mut().filter(|layer| layer.kind == LayerKind::Project) {
            layer.is_active = trusted;
            if !trusted {
                let message = "the project's settings do not count, because the project is not trusted";
                let help = "if the project is yours: openoxide trust";
                let diagnostic = Diagnostic::warning(Code::ConfigUntrusted, message).help(help);
                self.problems.push(ConfigProblem { path: layer.path.clone(), diagnostic });
            }
        }
    }

    fn add_trust(&mut self, trust: Trust) {
        if let Some(problem) = trust.problem() {
            let path = trust.path().map(Path::to_owned);
            self.problems.push(ConfigProblem { path, diagnostic: problem.clone() });
        }
        self.trust = trust;
    }

    /// Returns what the user trusts besides `trust.folders`.
    pub fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Tells whether the user trusts a project: by `trust.folders` in a file outside of it, or by what is remembered.
    pub fn trusts(&self, project: &Path) -> bool {
        let real = std::fs::canonicalize(project).unwrap_or_else(|_| project.to_owned());
        let layers = self.layers.iter().filter(|layer| layer.kind != LayerKind::Project);
        let is_listed = |layer: &Layer| self.trusted_folders(layer).iter().any(|(_, folder)| *folder == real);
        layers.into_iter().any(|layer| is_listed(layer) && is_outside(layer.path.as_deref(), &real))
            || self.trust.trusts_folder(&real) && is_outside(self.trust.path(), &real)
    }

    /// Returns the folders that a layer's `trust.folders` trusts: as they are written, and without links.
    pub fn trusted_folders(&self, layer: &Layer) -> Vec<(String, PathBuf)> {
        if layer.kind == LayerKind::Project {
            return Vec::new();
        }
        let real = |path: PathBuf| std::fs::canonicalize(&path).unwrap_or(path);
        let listed = layer.document.get("trust.folders").and_then(Value::as_array).into_iter().flatten();
        let listed = listed.filter_map(Value::as_str);
        listed.filter_map(|text| Some((text.to_owned(), real(self.whole(text)?)))).collect()
    }

    /// Returns the path that a setting means; a relative one means nothing.
    pub(crate) fn whole(&self, text: &str) -> Option<PathBuf> {
        match text.strip_prefix("~/") {
            Some(rest) => self.home.as_ref().map(|home| home.join(rest)),
            None => Some(PathBuf::from(text)).filter(|path| path.is_absolute()),
        }
    }

    /// Returns the rules under `[permission]`, weakest first; an error if one of any agent cannot count.
    pub fn rules(&self) -> Result<&Rules, RuleError> {
        self.permissions.error.clone().map_or(Ok(&self.permissions.rules), Err)
    }

    /// Returns the same for whoever is about to give power: also an error if a file cannot be read, or a rule is about
    /// nothing, for it may be the one that denies.
    pub fn complete_rules(&self) -> Result<&Rules, RuleError> {
        match self.unread.as_ref().or(self.permissions.doubt.as_ref()) {
            Some(doubt) => Err(doubt.clone()),
            None => self.rules(),
        }
    }

    /// Returns the agents, by name.
    pub fn agents(&self) -> &BTreeMap<String, AgentSettings> {
        &self.permissions.agents
    }

    /// Returns every value of a key that counts, weakest first.
    pub fn values(&self, key: &str) -> Vec<Setting> {
        self.said(key, |_| true)
    }

    /// Does the same without what the project says, for what a project cannot give.
    pub fn values_outside_project(&self, key: &str) -> Vec<Setting> {
        self.said(key, |layer| layer.kind != LayerKind::Project)
    }

    fn said(&self, key: &str, counts: impl Fn(&Layer) -> bool) -> Vec<Setting> {
        let layers = self.layers.iter().filter(|layer| layer.is_active && counts(layer));
        layers
            .filter_map(|layer| Some(Setting { value: layer.document.get(key)?.clone(), origin: layer.origin(key) }))
            .collect()
    }

    /// Returns the value of a key that wins; the default if nobody set it.
    pub fn get(&self, key: &str) -> Option<Setting> {
        self.tightened(key).or_else(|| self.values(key).pop()).or_else(|| {
            let key = CONFIG_KEYS.iter().find(|known| known.name == key && !known.default.is_empty())?;
            let table: toml::Table = format!("value = {}", key.default).parse().ok()?;
            Some(Setting { value: table["value"].clone(), origin: Origin::Default })
        })
    }

    /// Returns what the administrator made stricter: nobody can take that back.
    fn tightened(&self, name: &str) -> Option<Setting> {
        let ProjectAccess::Only(strict) = ConfigKey::find(name)?.project else { return None };
        let admin = self.layers.iter().find(|layer| layer.kind == LayerKind::Admin)?;
        let value = admin.document.get(name).filter(|value| strict.is(value))?;
        Some(Setting { value: value.clone(), origin: admin.origin(name) })
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

/// Tells whether a file lies outside of a project: what is in it cannot vouch for it.
fn is_outside(file: Option<&Path>, project: &Path) -> bool {
    file.is_none_or(|file| !std::fs::canonicalize(file).unwrap_or_else(|_| file.to_owned()).starts_with(project))
}

fn from_environment(environment: &Environment) -> Layer {
    let mut table = toml::Table::new();
    if let Some(host) = environment.variable(variables::OPENOXIDE_HOST) {
        table.insert("host".to_owned(), host.into());
    }
    let document = Document::loose(table);
    Layer { kind: LayerKind::Environment, path: None, is_active: true, document }
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

/// Says why a value of a key would not count in a layer of this kind, if it would not. Without a value, only the key is
/// looked at.
pub(crate) fn objection(key: &str, value: Option<&Value>, kind: LayerKind) -> Option<Diagnostic> {
    let Some(value) = value else { return ConfigKey::find(key).is_none().then(|| unknown(key)) };
    let mut table = toml::Table::new();
    insert(&mut table, &document::split_key(key), value.clone());
    let (document, problems) = checked(Document::loose(table), kind);
    let layer = Layer { kind, path: None, is_active: true, document };
    let rules = permission::read(std::slice::from_ref(&layer), None);
    let bad_rule = rules.error.or(rules.doubt).map(|error| {
        Diagnostic::warning(Code::ConfigType, error.to_string())
            .help("mend the rule; nothing is decided by guessing it")
    });
    let rule_problem = rules.problems.into_iter().map(|problem| problem.diagnostic).next();
    problems.into_iter().next().or(bad_rule).or(rule_problem)
}

/// Takes out what is unknown, of the wrong type, or not the project's to say, and tells of it.
fn checked(mut document: Document, kind: LayerKind) -> (Document, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut bad = Vec::new();
    for (path, value) in leaves(&document.table) {
        let name = document::join_key(&path);
        let Some((diagnostic, at)) = wrong(&name, path.last(), value, kind) else { continue };
        problems.push(match document.line(&at) {
            Some(line) => {
                Diagnostic { place: Some(openoxide_skills::Place { span: 0..0, line, column: 1 }), ..diagnostic }
            }
            None => diagnostic,
        });
        bad.push(path);
    }
    for path in bad {
        remove(&mut document.table, &path);
    }
    // A table with nothing in it says nothing, and must not stand before one that does.
    prune(&mut document.table);
    (document, problems)
}

/// Tells what is wrong with a value, and the key at which that is seen.
fn wrong(name: &str, last: Option<&String>, value: &Value, kind: LayerKind) -> Option<(Diagnostic, String)> {
    let Some(key) = ConfigKey::find(name) else { return Some((unknown(name), name.to_owned())) };
    let bad = |message: String, help: &str| Diagnostic::warning(Code::ConfigType, message).help(help);
    if kind == LayerKind::Project && !key.project.allows(value) {
        let message = match key.project {
            ProjectAccess::Only(strict) => format!("a project can set `{name}` to `{strict}` only"),
            _ => format!("a project cannot set `{name}`"),
        };
        return Some((bad(message, "set it in your own config.toml"), name.to_owned()));
    }
    let mend = "the value does not count until it is mended";
    if key.kind.is_servers() && key.name != name {
        let problem = mcp::read_server(last.map_or("", String::as_str), value).err()?;
        let field = problem.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}"));
        return Some((bad(format!("`{name}`: {}", problem.message), mend), field));
    }
    let is_bad = key.name == name && !key.accepts(value);
    is_bad.then(|| (bad(format!("`{name}` must be {}", key.expected()), mend), name.to_owned()))
}

fn unknown(name: &str) -> Diagnostic {
    let names = near(name, CONFIG_KEYS.iter().map(|key| key.name));
    let help = match names.first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => "`openoxide config` lists every key".to_owned(),
    };
    Diagnostic::warning(Code::ConfigUnknownKey, format!("there is no setting `{name}`")).help(help)
}

/// Returns every value at the end of a dotted name; what a key takes as a whole counts as one, and so does each server.
fn leaves(table: &toml::Table) -> Vec<(Vec<String>, &Value)> {
    let mut found = Vec::new();
    gather(&mut found, &[], table);
    found
}

fn gather<'t>(found: &mut Vec<(Vec<String>, &'t Value)>, outer: &[String], table: &'t toml::Table) {
    for (name, value) in table {
        let path: Vec<String> = outer.iter().chain([name]).cloned().collect();
        let is_whole = ConfigKey::find(&document::join_key(&path)).is_some_and(|key| key.is_whole(path.len()));
        match value {
            Value::Table(inner) if !is_whole => gather(found, &path, inner),
            _ => found.push((path, value)),
        }
    }
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

fn prune(table: &mut toml::Table) {
    table.retain(|_, value| match value {
        Value::Table(inner) => {
            prune(inner);
            !inner.is_empty()
        }
        _ => true,
    });
}

#[cfg(test)]
mod tests;
