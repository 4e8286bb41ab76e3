//! Rules in words: what the vocabulary says about a key, and what it says about the value.

use anyhow::{Context as _, Result};
use serde_json::Value as Schema;
use toml::{Table, Value};

use super::super::markdown::{code, columns};

/// Most items of a list of tables that are written out.
const MOST_ITEMS: usize = 6;

/// Choices whose values are known by their word.
const BY_WORD: &[&str] = &["SkillScope"];

/// What the schema says about the vocabulary.
pub(super) struct Words<'s> {
    schema: &'s Schema,
}

impl<'s> Words<'s> {
    pub(super) fn new(schema: &'s Schema) -> Words<'s> {
        Words { schema }
    }

    /// Draws what tables of a file say, a row to a rule.
    pub(super) fn tables(&self, stated: &Table, keys: &[&str]) -> Result<String> {
        let mut rows = Vec::new();
        for key in keys {
            let property = &self.schema["properties"][*key];
            match stated.get(*key) {
                Some(Value::Table(inner)) if property["propertyNames"].is_object() => {
                    self.situations(&mut rows, key, property, inner)?;
                }
                Some(Value::Table(inner)) => self.rows(&mut rows, key, self.definition(property)?, inner)?,
                Some(Value::Array(items)) => {
                    for (number, item) in (1..).zip(items) {
                        let Value::Table(inner) = item else { continue };
                        self.rows(&mut rows, &format!("{key}.{number}"), self.definition(&property["items"])?, inner)?;
                    }
                }
                _ => {}
            }
        }
        Ok(if rows.is_empty() { String::new() } else { columns(["key", "rule", "here"], &rows) })
    }

    /// Says what one table says, a sentence to a key; some keys are left out.
    pub(super) fn sentences(&self, definition: &str, table: &Table, without: &[&str]) -> Result<Vec<String>> {
        let schema = &self.schema["$defs"][definition];
        let mut said = Vec::new();
        for (key, property) in properties(schema)?.iter().filter(|(key, _)| !without.contains(&key.as_str())) {
            if let Some(value) = table.get(key) {
                said.push(format!("{}.", self.sentence(property, value)?));
            }
        }
        Ok(said)
    }

    /// Says what `true` for a key at the top of the file means.
    pub(super) fn yes(&self, key: &str) -> Result<String> {
        Ok(format!("{}.", self.sentence(&self.schema["properties"][key], &Value::Boolean(true))?))
    }

    /// Says what is before the value of a key.
    pub(super) fn label(&self, definition: &str, key: &str) -> String {
        label(&self.schema["$defs"][definition]["properties"][key]).0
    }

    /// Draws a table of texts, a row to a situation.
    fn situations(&self, rows: &mut Vec<[String; 3]>, key: &str, property: &Schema, table: &Table) -> Result<()> {
        for (situation, said) in table {
            let when = upper(&self.choice(&property["propertyNames"], situation)?.unwrap_or_default());
            rows.push([code(&format!("{key}.{situation}")), when, self.value(&Schema::Null, said)?]);
        }
        Ok(())
    }

    fn rows(&self, rows: &mut Vec<[String; 3]>, path: &str, schema: &Schema, table: &Table) -> Result<()> {
        for (key, property) in properties(schema)? {
            let Some(value) = table.get(key) else { continue };
            let path = format!("{path}.{key}");
            match value {
                Value::Table(inner) if self.is_table(property) => {
                    self.rows(rows, &path, self.definition(property)?, inner)?;
                }
                _ => {
                    let (head, rest) = label(property);
                    let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
                    let rule = format!("{}{rest}", claim(&head).unwrap_or(head));
                    rows.push([code(&path), rule, self.value(property, value)?]);
                }
            }
        }
        Ok(())
    }

    /// Says what a key with a value means, without a full stop.
    fn sentence(&self, property: &Schema, value: &Value) -> Result<String> {
        let (head, rest) = label(property);
        let rest = if rest.is_empty() { rest } else { format!("; {rest}") };
        let claim = claim(&head);
        if let (Some(claim), Value::Boolean(true)) = (&claim, value) {
            return Ok(format!("{claim}{rest}"));
        }
        let said = self.value(property, value)?;
        Ok(match (&claim, said.as_str()) {
            (None, "yes") => format!("{head}{rest}"),
            _ => format!("{head}: {said}{rest}"),
        })
    }

    /// Says what a value is, in the words of the vocabulary where it has some.
    fn value(&self, property: &Schema, value: &Value) -> Result<String> {
        Ok(match value {
            Value::Boolean(yes) => if *yes { "yes" } else { "no" }.to_owned(),
            Value::String(word) => self.choice(property, word)?.unwrap_or_else(|| code(&quoted(word))),
            Value::Array(items) if items.is_empty() => "none".to_owned(),
            Value::Array(items) => self.items(&property["items"], items)?,
            Value::Table(inner) => self.inner(property, inner)?,
            number => number.to_string(),
        })
    }

    fn items(&self, property: &Schema, items: &[Value]) -> Result<String> {
        if items.len() > MOST_ITEMS && items[0].is_table() {
            return Ok(format!("{} of them", items.len()));
        }
        let write = |item: &Value| {
            let said = self.value(property, item)?;
            let is_inner = item.is_table() && self.is_table(property);
            Ok(if is_inner { format!("({said})") } else { said })
        };
        let said = items.iter().map(write).collect::<Result<Vec<_>>>()?;
        let plain = said.iter().all(|item| item.starts_with('`') && item.ends_with('`'));
        Ok(said.join(if plain { ", " } else { "; " }))
    }

    /// Says what a table inside a sentence says: each key with its value, or each name with what it means.
    fn inner(&self, property: &Schema, table: &Table) -> Result<String> {
        let mut said = Vec::new();
        if let Some(said) = self.choice_with_value(property, table)? {
            return Ok(said);
        }
        if self.is_table(property) {
            for (key, property) in properties(self.definition(property)?)? {
                if let Some(value) = table.get(key) {
                    said.push(lower(&self.sentence(property, value)?));
                }
            }
        } else {
            for (key, value) in table {
                said.push(format!("{}: {}", code(key), self.value(&property["additionalProperties"], value)?));
            }
        }
        Ok(said.join("; "))
    }

    /// Says what a choice with a value means, such as `{ max = 64 }`.
    fn choice_with_value(&self, property: &Schema, table: &Table) -> Result<Option<String>> {
        let (Some(_), Some((word, value)), 1) = (reference(property), table.iter().next(), table.len()) else {
            return Ok(None);
        };
        let choices = self.definition(property)?["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let choice = choices.iter().find(|choice| choice["properties"].get(word).is_some());
        choice
            .map(|choice| Ok(format!("{}: {}", lower(description(choice)), self.value(&Schema::Null, value)?)))
            .transpose()
    }

    /// Says what a word means that is one of a choice.
    fn choice(&self, property: &Schema, word: &str) -> Result<Option<String>> {
        let Some(name) = reference(property) else { return Ok(None) };
        if BY_WORD.contains(&name) {
            return Ok(None);
        }
        let definition = self.definition(property)?;
        let choices = definition["oneOf"].as_array().map(Vec::as_slice).unwrap_or_default();
        let index = choices.iter().position(|choice| choice["const"] == word);
        let index = index.with_context(|| format!("`{name}` does not know `{word}`"))?;
        let said = lower(description(&choices[index]));
        // "The same" is what the choice before says.
        if let (Some(rest), Some(before)) = (said.strip_prefix("the same"), index.checked_sub(1)) {
            let before = lower(description(&choices[before]));
            return Ok(Some(format!("{before}, {}", rest.trim_start_matches([',', ' ']))));
        }
        Ok(Some(said))
    }

    fn is_table(&self, property: &Schema) -> bool {
        self.definition(property).is_ok_and(|definition| definition["properties"].is_object())
    }

    fn definition(&self, property: &Schema) -> Result<&'s Schema> {
        let name = reference(property).context("a key of the schema refers to nothing")?;
        self.schema["$defs"].get(name).with_context(|| format!("the schema does not define `{name}`"))
    }
}

fn properties(schema: &Schema) -> Result<&serde_json::Map<String, Schema>> {
    schema["properties"].as_object().context("a table of the schema has no keys")
}

fn reference(property: &Schema) -> Option<&str> {
    let options = property["anyOf"].as_array().into_iter().flatten();
    let named = std::iter::once(property).chain(options).find_map(|option| option["$ref"].as_str())?;
    named.strip_prefix("#/$defs/")
}

fn description(schema: &Schema) -> &str {
    schema["description"].as_str().unwrap_or_default().trim_end_matches('.')
}

/// Splits what is said about a key: before the value, and after it.
///
/// What is true of an absent value is left out, and so is where else the rule stands.
fn label(property: &Schema) -> (String, String) {
    let about = description(property).replace(", if not as in `scan`", "").replace(", with placeholders", "");
    let mut parts = about.split("; ");
    let head = parts.next().unwrap_or_default().to_owned();
    let rest: Vec<&str> = parts.filter(|part| !part.starts_with("absent") && !part.starts_with("empty")).collect();
    (head, rest.join("; "))
}

/// Turns a question into a statement: `Whether it is so` becomes `It is so`.
fn claim(question: &str) -> Option<String> {
    question.strip_prefix("Whether ").map(upper)
}

/// Writes a sentence's beginning in upper case.
fn upper(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// Writes a sentence's beginning in lower case, unless it is an abbreviation.
fn lower(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next();
    let abbreviation = text.chars().nth(1).is_some_and(char::is_uppercase);
    match first {
        Some(first) if !abbreviation => first.to_lowercase().chain(letters).collect(),
        _ => text.to_owned(),
    }
}

/// Writes a text so that its blanks can be seen.
fn quoted(text: &str) -> String {
    let blank = text.is_empty() || text.starts_with(char::is_whitespace) || text.ends_with(char::is_whitespace);
    if blank { format!("{text:?}") } else { text.to_owned() }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::shell::repository;

    /// Returns the schema of `host.toml` as it lies in the repository.
    pub(in super::super) fn schema() -> Schema {
        let text = fs_err::read_to_string(repository().join("schemas/host.toml.json")).unwrap();
        serde_json::from_str(&text).unwrap()
    }

    fn check(toml: &str, row: &str) {
        let stated: Table = toml.parse().unwrap();
        let keys: Vec<&str> = stated.keys().map(String::as_str).collect();
        let table = Words::new(&schema()).tables(&stated, &keys).unwrap();
        assert_eq!(table, format!("| key | rule | here |\n| --- | --- | --- |\n{row}\n"));
    }

    #[test]
    fn yes_and_no() {
        check(
            "scan.inside_skill = true",
            "| `scan.inside_skill` | A skill's own folder is searched for more skills | yes |",
        );
        check("catalog.shown = false", "| `catalog.shown` | It is shown at all | no |");
    }

    #[test]
    fn values() {
        check("scan.depth = 3", "| `scan.depth` | Deepest level of a skill's folder; the root is level 0 | 3 |");
        check("scan.ignored = ['a', 'b']", "| `scan.ignored` | Folder names that are never searched | `a`, `b` |");
        check("controls.obeyed = []", "| `controls.obeyed` | Controls that are obeyed | none |");
        check("catalog.join = ' '", "| `catalog.join` | The text between two entries | `\" \"` |");
    }

    #[test]
    fn choices() {
        check("scan.hidden = 'skip'", "| `scan.hidden` | Hidden folders | skipped |");
        check("scan.folder_links = 'follow'", "| `scan.folder_links` | Linked folders | followed |");
        check("parse.fence.close = 'anywhere'", "| `parse.fence.close` | What closes it | `---` anywhere |");
        check(
            "parse.name.must = [{ max = 64 }, 'lower']",
            "| `parse.name.must` | Required of every name | at most this many characters: 64; no upper-case letters |",
        );
        check(
            "parse.repair = 'block-lines'",
            "| `parse.repair` | Repair of invalid YAML | unquoted top-level values with a colon become literal blocks, \
             whether or not the YAML is valid, and the block keeps its line end |",
        );
    }
}
