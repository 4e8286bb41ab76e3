//! Checks the keys and values of a layer: known, of the right type, and allowed in a project.

use openoxide_permissions::RuleError;
use openoxide_skills::diagnostic::{Code, Diagnostic, Place};
use toml::Value;

use super::key::{ConfigKey, ProjectAccess, ValueKind};
use super::layer::{Layer, LayerKind, Problems};
use super::next_step::{IGNORED, help_for};
use super::permission_rules::{self, doubt};
use super::{key_table::CONFIG_KEYS, switch_rule};
use crate::document::dotted_key::{insert, join_key, split_key};
use crate::entry::EntryProblem;
use crate::{document::Document, mcp::parse::parse_server, models::parse::parse_model, suggestion::did_you_mean};

/// What happens while something is not understood that may be meant to deny.
const CLOSED: &str = "no skill is activated";

/// Returns why a layer of this kind would ignore a value of a key.
pub(crate) fn objection(key: &str, value: &Value, kind: LayerKind) -> Option<Diagnostic> {
    let mut table = toml::Table::new();
    insert(&mut table, &split_key(key), value.clone());
    // The value is not in a file yet: what is wrong with it has no place but the key.
    let mut layer = Layer::new(kind, None, Document::without_file(table));
    let problems = replace_invalid(&mut layer).problems;
    let rules = permission_rules::read(std::slice::from_ref(&layer), None);
    let rule_problem = rules.problems.into_iter().map(|problem| problem.diagnostic).next();
    let bad_rule =
        |error: RuleError| Diagnostic::warning(Code::ConfigType, format!("`{key}`: {}", error.what)).help(error.hint());
    problems.into_iter().next().or(rule_problem).or(rules.error.or(rules.doubt).map(bad_rule))
}

/// What is wrong in a layer.
pub(super) struct LayerProblems {
    pub(super) problems: Vec<Diagnostic>,
    /// The first thing that is not understood and may have been meant to deny.
    pub(super) doubt: Option<RuleError>,
}

/// Removes the values that are unknown, of the wrong type, or not allowed in this kind of layer. Where a stricter value is
/// known, it takes their place: a mistake never gives more than what was meant. Returns what is wrong.
///
/// Rules about permissions are checked where they are read.
pub(super) fn replace_invalid(layer: &mut Layer) -> LayerProblems {
    let mut check = Check { layer, problems: Problems::default(), doubt: None };
    let mut table = toml::Table::new();
    for (path, value) in leaves(&[], &layer.document.table) {
        if let Some(value) = check.usable(&path, value) {
            insert(&mut table, &path, value);
        }
    }
    // An empty table must not override the table of a weaker layer.
    prune(&mut table);
    let found = LayerProblems { problems: check.problems.into_diagnostics().collect(), doubt: check.doubt };
    layer.document.table = table;
    found
}

/// The check of one layer.
struct Check<'l> {
    layer: &'l Layer,
    problems: Problems,
    doubt: Option<RuleError>,
}

impl Check<'_> {
    /// Returns what holds for a value: itself, a stricter one, or nothing. Reports what is wrong with it.
    fn usable(&mut self, path: &[String], value: &Value) -> Option<Value> {
        let name = join_key(path);
        let Some(key) = ConfigKey::find(&name) else { return self.unknown(path, &name) };
        let is_bad = key.name == name && !key.accepts(value);
        // A project may set a strict key to its strictest value, and a bad value means that one.
        let strictest = if is_bad { key.strictest() } else { None };
        if strictest.is_none()
            && let Some(objection) = project_objection(&name, value, self.layer.kind)
        {
            self.report(&name, objection.code, || objection);
            return None;
        }
        match key.kind {
            ValueKind::Servers if key.name != name => self.entry(path, &name, value, parse_server),
            ValueKind::Models if key.name != name => self.entry(path, &name, value, parse_model),
            ValueKind::Hosts if !value.is_table() => self.host(key, &name, value),
            ValueKind::Rules if is_bad => self.rules(key, value),
            _ if is_bad => self.replaced(key, value, strictest),
            _ => Some(value.clone()),
        }
    }

    /// Reports an unknown key. The user's may have been meant to deny.
    fn unknown(&mut self, path: &[String], name: &str) -> Option<Value> {
        if let Some(key) = meant(path) {
            // What follows can be the name of a skill that not everyone may see.
            let slip = path.iter().take(key.name.split('.').count()).collect::<Vec<_>>();
            self.doubt(name, &format!("there is no setting `{}`", join_key(&slip)));
        }
        self.report(name, Code::ConfigUnknownKey, || unknown_key(name));
        None
    }

    /// Reports a server or a model that cannot be used as a whole.
    fn entry<T>(
        &mut self,
        path: &[String],
        name: &str,
        value: &Value,
        parse: fn(&str, &Value) -> Result<T, EntryProblem>,
    ) -> Option<Value> {
        let Err(problem) = parse(path.last().map_or("", String::as_str), value) else {
            return Some(value.clone());
        };
        let field = problem.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}"));
        self.wrong(&field, format!("`{name}`: {}", problem.message), help_for(self.layer, name, value, IGNORED));
        None
    }

    /// Reports a host whose settings are no table. They may have been meant to switch skills off.
    fn host(&mut self, key: &ConfigKey, name: &str, value: &Value) -> Option<Value> {
        let expected = if key.name == name { key.expected() } else { "a table of settings".to_owned() };
        let message = format!("`{name}` must be {expected}");
        let help = help_for(self.layer, name, value, self.doubt(name, &message));
        self.wrong(name, message, help);
        None
    }

    /// Reports a value that is not of its key's type.
    fn replaced(&mut self, key: &ConfigKey, value: &Value, strictest: Option<Value>) -> Option<Value> {
        let message = format!("`{}` must be {}", key.name, key.expected());
        let holds = match &strictest {
            Some(value) => format!("the strictest value, `{value}`, holds"),
            // As `[host.codex]`, where `[hosts.codex]` is meant.
            None if value.is_table() && meant(&split_key(key.name)).is_some() => {
                self.doubt(key.name, &message).to_owned()
            }
            None => IGNORED.to_owned(),
        };
        let help = help_for(self.layer, key.name, value, &holds);
        self.wrong(key.name, message, help);
        strictest
    }

    /// Reports bad rules of a list, or one that is in no list. The others hold.
    fn rules(&mut self, key: &ConfigKey, value: &Value) -> Option<Value> {
        let mut rules = Vec::new();
        if let Some(items) = value.as_array() {
            for (at, item) in items.iter().enumerate() {
                match switch_rule::objection(item) {
                    Some(wrong) => {
                        let message = || format!("entry {} of `{}` {wrong}", at + 1, key.name);
                        rules.extend(self.rule(key, &format!("{}.{at}", key.name), item, message));
                    }
                    None => rules.push(item.clone()),
                }
            }
        } else {
            let message = || format!("`{}` must be {}", key.name, key.expected());
            rules = self.rule(key, key.name, value, message);
        }
        Some(rules).filter(|rules| !rules.is_empty()).map(Value::from)
    }

    /// Reports a bad rule. Returns those that hold in its place.
    fn rule(&mut self, key: &ConfigKey, at: &str, rule: &Value, message: impl Fn() -> String) -> Vec<Value> {
        let off = switch_rule::stricter(rule);
        let holds = match off.is_empty() {
            _ if switch_rule::hides_a_name(rule) => self.doubt(at, &message()),
            true => "the entry is ignored",
            false => "what it names is off",
        };
        let help = help_for(self.layer, key.name, rule, holds);
        self.wrong(at, message(), help);
        off
    }

    /// Notes that something may have been meant to deny. Nobody relies on a project's file to deny something. Returns what
    /// happens until it is fixed.
    fn doubt(&mut self, at: &str, message: &str) -> &'static str {
        if self.layer.kind == LayerKind::Project {
            return IGNORED;
        }
        let error = || doubt(self.layer, at, message).with_step(format!("fix it; until then {CLOSED}"));
        self.doubt.get_or_insert_with(error);
        CLOSED
    }

    fn wrong(&mut self, at: &str, message: String, help: String) {
        self.report(at, Code::ConfigType, || Diagnostic::warning(Code::ConfigType, message).help(help));
    }

    /// Adds a problem at the line of a key.
    fn report(&mut self, at: &str, code: Code, describe: impl FnOnce() -> Diagnostic) {
        self.problems.add(code, || {
            let line = self.layer.document.line(at);
            let place = line.map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
            Diagnostic { place, ..describe() }
        });
    }
}

/// Returns the first key that can deny something and that a name may have been meant for.
fn meant(path: &[String]) -> Option<&'static ConfigKey> {
    CONFIG_KEYS.iter().find(|key| key.may_be_meant_by(path))
}

/// Returns why a layer of this kind may not have a value, if it is a project's.
pub(crate) fn project_objection(name: &str, value: &Value, kind: LayerKind) -> Option<Diagnostic> {
    let key = ConfigKey::find(name).filter(|key| kind == LayerKind::Project && !key.project.allows(value))?;
    let message = match key.project {
        ProjectAccess::Only(strict) => format!("a project can set `{name}` to `{strict}` only"),
        _ => format!("a project cannot set `{name}`"),
    };
    Some(Diagnostic::warning(Code::ConfigType, message).help("set it in your own config.toml"))
}

pub(crate) fn unknown_key(name: &str) -> Diagnostic {
    let path = split_key(name);
    let is_below = |key: &&ConfigKey| key.may_be_meant_by(&path) && key.name.split('.').count() <= path.len();
    let otherwise = match CONFIG_KEYS.iter().find(is_below) {
        Some(key) => format!("did you mean `{}`?", key.name),
        None => "`openoxide config` lists every key".to_owned(),
    };
    let help = did_you_mean(name, CONFIG_KEYS.iter().map(|key| key.name), otherwise);
    Diagnostic::warning(Code::ConfigUnknownKey, format!("there is no setting `{name}`")).help(help)
}

/// Returns every value below a path. A table that a key takes as one value is one, and so is each host, server and
/// model.
fn leaves<'t>(outer: &[String], table: &'t toml::Table) -> Vec<(Vec<String>, &'t Value)> {
    let below = |(name, value): (&String, &'t Value)| {
        let path = [outer, std::slice::from_ref(name)].concat();
        let is_one_value = ConfigKey::find(&join_key(&path)).is_some_and(|key| key.is_one_value(path.len()));
        match value {
            Value::Table(inner) if !is_one_value => leaves(&path, inner),
            _ => vec![(path, value)],
        }
    };
    table.iter().flat_map(below).collect()
}

/// Removes empty tables.
fn prune(table: &mut toml::Table) {
    table.retain(|_, value| match value {
        Value::Table(inner) => {
            prune(inner);
            !inner.is_empty()
        }
        _ => true,
    });
}
