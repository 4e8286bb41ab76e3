//! Checks the keys and values of a layer: known, of the right type, and allowed in a project.

use openoxide_skills::diagnostic::{Code, Diagnostic, Place};
use toml::Value;

use super::key::{ConfigKey, IGNORED, ProjectAccess, ValueKind};
use super::layer::{Layer, LayerKind};
use super::{key_table::CONFIG_KEYS, permission_rules, permission_rules::BAD_RULE_HINT};
use crate::document::dotted_key::{insert, join_key, remove, split_key};
use crate::{document::Document, mcp::parse::parse_server, suggestion::did_you_mean};

/// Returns why a layer of this kind would ignore a value of a key.
pub(crate) fn objection(key: &str, value: &Value, kind: LayerKind) -> Option<Diagnostic> {
    let mut table = toml::Table::new();
    insert(&mut table, &split_key(key), value.clone());
    let (document, problems) = remove_invalid(Document::without_file(table), kind);
    let layer = Layer::new(kind, None, document);
    let rules = permission_rules::read(std::slice::from_ref(&layer), None);
    let rule_problem = rules.problems.into_iter().map(|problem| problem.diagnostic).next();
    // The value is not in a file yet: what is wrong with it has no place but the key.
    let bad_rule = rules
        .error
        .or(rules.doubt)
        .map(|error| Diagnostic::warning(Code::ConfigType, format!("`{key}`: {}", error.what)).help(BAD_RULE_HINT));
    let problem = problems.into_iter().next().or(rule_problem).or(bad_rule)?;
    Some(match unwritten_help(key, value) {
        Some(help) if problem.help.as_deref() == Some(IGNORED) => problem.help(help),
        _ => problem,
    })
}

/// Returns the next step for a value that was not written: the value that is meant, or what the key is for.
fn unwritten_help(key: &str, value: &Value) -> Option<String> {
    let rule = ConfigKey::find(key)?;
    let near = if rule.name == key { rule.near_value(value) } else { None };
    Some(near.map_or_else(|| rule.about.to_owned(), |near| format!("did you mean `{near}`?")))
}

/// Removes the values that are unknown, of the wrong type, or not allowed in this kind of layer. Returns the problems.
pub(super) fn remove_invalid(mut document: Document, kind: LayerKind) -> (Document, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut invalid = Vec::new();
    for (path, value) in leaves(&[], &document.table) {
        let name = join_key(&path);
        let Some((diagnostic, at)) = check_value(&name, path.last(), value, kind) else { continue };
        let place = document.line(&at).map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
        problems.push(Diagnostic { place, ..diagnostic });
        invalid.push(path);
    }
    for path in invalid {
        remove(&mut document.table, &path);
    }
    // An empty table must not override the table of a weaker layer.
    prune(&mut document.table);
    (document, problems)
}

/// Returns the problem with a value, and the key whose line shows it.
fn check_value(name: &str, last: Option<&String>, value: &Value, kind: LayerKind) -> Option<(Diagnostic, String)> {
    let Some(key) = ConfigKey::find(name) else { return Some((unknown_key(name), name.to_owned())) };
    if let Some(objection) = project_objection(name, value, kind) {
        return Some((objection, name.to_owned()));
    }
    let bad = |message: String, help: &str| Diagnostic::warning(Code::ConfigType, message).help(help);
    let help = IGNORED;
    if key.kind == ValueKind::Servers && key.name != name {
        let problem = parse_server(last.map_or("", String::as_str), value).err()?;
        let field = problem.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}"));
        return Some((bad(format!("`{name}`: {}", problem.message), help), field));
    }
    let is_bad = key.name == name && !key.accepts(value);
    is_bad.then(|| (bad(format!("`{name}` must be {}", key.expected()), help), name.to_owned()))
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
    let help = did_you_mean(name, CONFIG_KEYS.iter().map(|key| key.name), "`openoxide config` lists every key");
    Diagnostic::warning(Code::ConfigUnknownKey, format!("there is no setting `{name}`")).help(help)
}

/// Returns every value below a path. A table that a key takes as one value is one, and so is each server.
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
