//! Checks the keys and values of a layer: known, of the right type, and allowed in a project.

use openoxide_skills::diagnostic::{Code, Diagnostic, Place};
use toml::Value;

use super::key::{ConfigKey, IGNORED, ProjectAccess, UNTIL_FIXED, ValueKind};
use super::layer::{Layer, LayerKind};
use super::{key_table::CONFIG_KEYS, permission_rules, permission_rules::BAD_RULE_HINT, switch_rule};
use crate::document::dotted_key::{insert, join_key, remove, split_key};
use crate::{document::Document, mcp::parse::parse_server, suggestion::did_you_mean};

/// Returns why a layer of this kind would ignore a value of a key.
pub(crate) fn objection(key: &str, value: &Value, kind: LayerKind) -> Option<Diagnostic> {
    let mut table = toml::Table::new();
    insert(&mut table, &split_key(key), value.clone());
    let (document, problems) = replace_invalid(Document::without_file(table), kind);
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
        Some(help) if problem.help.as_ref().is_some_and(|help| help.ends_with(UNTIL_FIXED)) => problem.help(help),
        _ => problem,
    })
}

/// Returns the next step for a value that was not written: the value that is meant, or what the key is for.
fn unwritten_help(key: &str, value: &Value) -> Option<String> {
    let rule = ConfigKey::find(key)?;
    let near = if rule.name == key { rule.near_value(value) } else { None };
    Some(near.map_or_else(|| rule.about.to_owned(), |near| format!("did you mean `{near}`?")))
}

/// What is wrong with a value, and what holds in its place.
struct BadValue {
    /// The problems, each with the key whose line shows it.
    problems: Vec<(Diagnostic, String)>,
    /// The value that holds until this one is fixed, if any does.
    instead: Option<Value>,
}

impl BadValue {
    /// Makes a value that is ignored.
    fn ignored(diagnostic: Diagnostic, key: String) -> BadValue {
        BadValue { problems: vec![(diagnostic, key)], instead: None }
    }
}

/// Removes the values that are unknown, of the wrong type, or not allowed in this kind of layer. Where a stricter value is
/// known, it takes their place: a mistake never gives more than what was meant. Returns the problems.
pub(super) fn replace_invalid(mut document: Document, kind: LayerKind) -> (Document, Vec<Diagnostic>) {
    let mut problems = Vec::new();
    let mut invalid = Vec::new();
    for (path, value) in leaves(&[], &document.table) {
        let Some(bad) = check_value(&join_key(&path), path.last(), value, kind) else { continue };
        for (diagnostic, at) in bad.problems {
            let place = document.line(&at).map(|line| Place { span: 0..0, line, column: 1, lines: String::new() });
            problems.push(Diagnostic { place, ..diagnostic });
        }
        invalid.push((path, bad.instead));
    }
    for (path, instead) in invalid {
        match instead {
            Some(value) => insert(&mut document.table, &path, value),
            None => remove(&mut document.table, &path),
        }
    }
    // An empty table must not override the table of a weaker layer.
    prune(&mut document.table);
    (document, problems)
}

/// Returns what is wrong with a value.
fn check_value(name: &str, last: Option<&String>, value: &Value, kind: LayerKind) -> Option<BadValue> {
    let Some(key) = ConfigKey::find(name) else { return Some(BadValue::ignored(unknown_key(name), name.to_owned())) };
    let is_bad = key.name == name && !key.accepts(value);
    // A project may set a strict key to its strictest value, and a bad value means that one.
    let strictest = if is_bad { key.strictest() } else { None };
    if strictest.is_none()
        && let Some(objection) = project_objection(name, value, kind)
    {
        return Some(BadValue::ignored(objection, name.to_owned()));
    }
    if key.kind == ValueKind::Servers && key.name != name {
        let problem = parse_server(last.map_or("", String::as_str), value).err()?;
        let field = problem.field.map_or_else(|| name.to_owned(), |field| format!("{name}.{field}"));
        return Some(BadValue::ignored(wrong(format!("`{name}`: {}", problem.message), IGNORED), field));
    }
    is_bad.then(|| bad_value(key, value, strictest))
}

/// Says that a value is not of its key's type, and what holds in its place.
fn bad_value(key: &ConfigKey, value: &Value, strictest: Option<Value>) -> BadValue {
    if let (ValueKind::Rules, Some(items)) = (key.kind, value.as_array()) {
        return bad_rules(key.name, items);
    }
    let off = Some(switch_rule::stricter(value)).filter(|off| key.kind == ValueKind::Rules && !off.is_empty());
    let (instead, help) = match (strictest, off) {
        (Some(value), _) => {
            let help = format!("the strictest value, `{value}`, holds {UNTIL_FIXED}");
            (Some(value), help)
        }
        (None, Some(off)) => (Some(Value::from(off)), format!("what it names is off {UNTIL_FIXED}")),
        (None, None) => (None, IGNORED.to_owned()),
    };
    let message = format!("`{}` must be {}", key.name, key.expected());
    BadValue { problems: vec![(wrong(message, &help), key.name.to_owned())], instead }
}

/// Says which rules of a list are bad. The others hold.
fn bad_rules(name: &str, items: &[Value]) -> BadValue {
    let mut rules = Vec::new();
    let mut problems = Vec::new();
    for (at, item) in items.iter().enumerate() {
        let Some(lacks) = switch_rule::objection(item) else {
            rules.push(item.clone());
            continue;
        };
        let off = switch_rule::stricter(item);
        let help = if off.is_empty() { "the entry is ignored" } else { "the entry switches off what it names" };
        let message = format!("entry {} of `{name}` must have {lacks}", at + 1);
        problems.push((wrong(message, &format!("{help} {UNTIL_FIXED}")), format!("{name}.{at}")));
        rules.extend(off);
    }
    BadValue { problems, instead: Some(rules).filter(|rules| !rules.is_empty()).map(Value::from) }
}

fn wrong(message: String, help: &str) -> Diagnostic {
    Diagnostic::warning(Code::ConfigType, message).help(help)
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
