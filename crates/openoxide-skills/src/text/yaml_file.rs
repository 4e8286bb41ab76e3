//! Reads a YAML file into plain values with their lines, and reports YAML errors as diagnostics.

use std::collections::BTreeMap;

use toml::{Table, Value as Plain};

use super::yaml::{self, Node, Value, YamlError, YamlErrorKind};
use super::yaml_scalar::plain_value;
use crate::diagnostic::{Code, Diagnostic};

/// What a YAML file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct YamlFile {
    /// The values; nothing if the file is not a map.
    pub table: Table,
    /// The lines of dotted keys, counted from 1.
    pub lines: BTreeMap<String, usize>,
}

/// Reads YAML into plain values; null is nothing, and of a key that stands twice the last counts.
///
/// ```
/// let file = openoxide_skills::text::read_yaml("skills:\n  enabled: false\n").unwrap();
/// assert_eq!(file.table["skills"]["enabled"].as_bool(), Some(false));
/// assert_eq!(file.lines["skills.enabled"], 2);
/// ```
pub fn read_yaml(text: &str) -> Result<YamlFile, Diagnostic> {
    let text = text.trim_start_matches('\u{feff}');
    let root = yaml::parse(text).map_err(|error| yaml_problem(text, 0, &error))?;
    let mut file = YamlFile::default();
    if let Some(pairs) = root.as_map() {
        file.table = table(text, pairs, "", &mut file.lines);
    }
    Ok(file)
}

fn table(text: &str, pairs: &[(Node<'_>, Node<'_>)], above: &str, lines: &mut BTreeMap<String, usize>) -> Table {
    let mut table = Table::new();
    for (key, value) in pairs {
        let Some(name) = key.as_text() else { continue };
        let path = if above.is_empty() { name.to_owned() } else { format!("{above}.{name}") };
        let line = text.get(..key.span.start).map_or(1, |before| before.matches('\n').count() + 1);
        match plain(text, value, &path, lines) {
            Some(value) => drop(table.insert(name.to_owned(), value)),
            None => drop(table.remove(name)),
        }
        lines.insert(path, line);
    }
    table
}

fn plain(text: &str, node: &Node<'_>, path: &str, lines: &mut BTreeMap<String, usize>) -> Option<Plain> {
    Some(match &node.value {
        _ if node.is_null() => return None,
        Value::Scalar { .. } => plain_value(node),
        Value::List(items) => {
            Plain::Array(items.iter().filter_map(|item| plain(text, item, path, &mut BTreeMap::new())).collect())
        }
        Value::Map(pairs) => Plain::Table(table(text, pairs, path, lines)),
    })
}

/// Says what is wrong with YAML that begins at `offset` in a file.
pub(crate) fn yaml_problem(file: &str, offset: usize, error: &YamlError) -> Diagnostic {
    let at = offset + error.offset;
    let problem = match error.kind {
        YamlErrorKind::Syntax => {
            Diagnostic::error(Code::BadYaml, format!("the frontmatter is not valid YAML: {}", error.message))
                .help("mend the line, or put quotes around its value")
        }
        YamlErrorKind::Limit => {
            Diagnostic::error(Code::YamlLimit, error.message.as_str()).help("keep the frontmatter short and flat")
        }
    };
    problem.at(file, at..at + 1)
}
