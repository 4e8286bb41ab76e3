//! TOML, JSON and YAML files as values that know their lines.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::path::Path;

use openoxide_skills::{Code, Diagnostic, Level};

/// Most bytes of a settings file.
const MAX_FILE: u64 = 4 * 1024 * 1024;

/// A settings file that was read.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) table: toml::Table,
    /// The text, for lines; empty unless it is TOML.
    text: String,
    /// The lines of dotted keys, of YAML.
    lines: BTreeMap<String, usize>,
}

impl Document {
    /// Makes a document that stands in no file.
    pub(crate) fn loose(table: toml::Table) -> Document {
        Document { table, ..Document::default() }
    }

    /// Returns the line on which a dotted key stands.
    pub(crate) fn line(&self, key: &str) -> Option<usize> {
        if let Some(line) = self.lines.get(key) {
            return Some(*line);
        }
        let document = toml_edit::Document::parse(self.text.as_str()).ok()?;
        let mut item = document.as_item();
        let mut span = None;
        for part in split_key(key) {
            // A number is a place in a list.
            item = match part.parse::<usize>() {
                Ok(index) if !item.is_table_like() => item.get(index)?,
                _ => item.get(part.as_str())?,
            };
            span = item.span().or(span);
        }
        let start = span?.start;
        Some(self.text.get(..start)?.matches('\n').count() + 1)
    }

    /// Returns the value of a dotted key.
    pub(crate) fn get(&self, key: &str) -> Option<&toml::Value> {
        get(&self.table, key)
    }
}

/// Returns the value of a dotted key in a table.
pub(crate) fn get<'t>(table: &'t toml::Table, key: &str) -> Option<&'t toml::Value> {
    let mut parts = split_key(key).into_iter();
    let mut value = table.get(&parts.next()?)?;
    for part in parts {
        value = value.get(&part)?;
    }
    Some(value)
}

/// Splits a dotted key; a quoted part may hold dots.
pub(crate) fn split_key(key: &str) -> Vec<String> {
    let parsed = toml_edit::Key::parse(key);
    parsed.map_or_else(
        |_| key.split('.').map(str::to_owned).collect(),
        |keys| keys.iter().map(|key| key.get().to_owned()).collect(),
    )
}

/// Joins the parts of a dotted key; a part that is not a plain word is quoted.
pub(crate) fn join_key(parts: &[String]) -> String {
    let quoted = |part: &String| toml_edit::Key::new(part.as_str()).to_string().trim().to_owned();
    parts.iter().map(quoted).collect::<Vec<_>>().join(".")
}

/// Reads a TOML, JSON or YAML file, by its ending; an absent file is nothing.
pub(crate) fn read(path: &Path, code: Code) -> Result<Option<Document>, Diagnostic> {
    read_with(path, code, false)
}

/// Reads a TOML or JSON file whose JSON may hold comments, or may not.
pub(crate) fn read_with(path: &Path, code: Code, comments: bool) -> Result<Option<Document>, Diagnostic> {
    let bad = |message: String| Diagnostic::warning(code, message).help("mend the file; until then it does not count");
    match std::fs::metadata(path) {
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(bad(format!("the file cannot be read: {error}"))),
        Ok(stat) if !stat.is_file() => return Ok(None),
        Ok(stat) if stat.len() > MAX_FILE => return Err(bad("the file is larger than 4 MiB".to_owned())),
        Ok(_) => {}
    }
    let text = fs_err::read_to_string(path).map_err(|error| bad(error.to_string()))?;
    if comments || path.extension().is_some_and(|extension| extension == "json") {
        let document = read_json(&text, comments);
        return document.map(Some).map_err(|message| bad(format!("the file is not {message}")));
    }
    if path.extension().is_some_and(|extension| extension == "yml" || extension == "yaml") {
        return read_yaml(&text).map(Some).map_err(|problem| Diagnostic { code, ..problem });
    }
    match text.parse::<toml::Table>() {
        Ok(table) => Ok(Some(Document { table, text, ..Document::default() })),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            Err(bad(format!("the file is not valid TOML: {}", error.message())).at(&text, span))
        }
    }
}

/// Reads YAML; anything but a map is as good as nothing.
fn read_yaml(text: &str) -> Result<Document, Diagnostic> {
    let values = openoxide_skills::read_yaml(text).map_err(|problem| {
        let message = problem.message.replace("the frontmatter", "the file");
        Diagnostic { message, level: Level::Warning, ..problem }.help("mend the file; until then it does not count")
    })?;
    Ok(Document { table: values.table, lines: values.lines, text: String::new() })
}

/// Reads JSON, or says what the text is not; with `comments`, an empty text is an empty object too.
pub(crate) fn read_json(text: &str, comments: bool) -> Result<Document, String> {
    let text = text.trim_start_matches('\u{feff}');
    let plain = if comments { Cow::Owned(without_comments(text)) } else { Cow::Borrowed(text) };
    if comments && text.is_empty() {
        return Ok(Document::default());
    }
    let json: serde_json::Value = serde_json::from_str(&plain).map_err(|error| format!("valid JSON: {error}"))?;
    match to_toml(json) {
        Some(toml::Value::Table(table)) => Ok(Document::loose(table)),
        _ => Err("a JSON object".to_owned()),
    }
}

/// Puts blanks in the place of comments and of commas after the last item, so that places in errors stay right.
fn without_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut comma: Option<usize> = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = token(rest);
        let (token, after) = rest.split_at(length);
        match first {
            '/' if length > 1 => {
                plain.extend(token.chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
            }
            ']' | '}' => {
                if let Some(at) = comma.take() {
                    plain.replace_range(at..=at, " ");
                }
                plain.push(first);
            }
            _ => {
                if first == ',' {
                    comma = Some(plain.len());
                } else if !first.is_whitespace() {
                    comma = None;
                }
                plain.push_str(token);
            }
        }
        rest = after;
    }
    plain
}

/// Returns the length of the text, comment or character that comes first.
fn token(text: &str) -> usize {
    let line = || text.find(['\n', '\r']).unwrap_or(text.len());
    match text.as_bytes() {
        [b'/', b'/', ..] => line(),
        [b'/', b'*', ..] => text[2..].find("*/").map_or(text.len(), |end| end + 4),
        [b'"', ..] => {
            let mut escaped = false;
            let ends = |&(_, character): &(usize, char)| {
                let ends = character == '"' && !escaped;
                escaped = character == '\\' && !escaped;
                ends
            };
            text.char_indices().skip(1).find(ends).map_or(text.len(), |(at, _)| at + 1)
        }
        _ => text.chars().next().map_or(0, char::len_utf8),
    }
}

/// Turns JSON into the same values as TOML; null is nothing.
pub(crate) fn to_toml(json: serde_json::Value) -> Option<toml::Value> {
    Some(match json {
        serde_json::Value::Null => return None,
        serde_json::Value::Bool(value) => value.into(),
        serde_json::Value::Number(number) => match number.as_i64() {
            Some(number) => number.into(),
            None => number.as_f64()?.into(),
        },
        serde_json::Value::String(text) => text.into(),
        serde_json::Value::Array(items) => toml::Value::Array(items.into_iter().filter_map(to_toml).collect()),
        serde_json::Value::Object(map) => {
            toml::Value::Table(map.into_iter().filter_map(|(key, value)| Some((key, to_toml(value)?))).collect())
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_last_commas_are_passed_over() {
        let check = |text: &str, expected: &str| {
            let found = read_json(text, true).map(|document| toml::to_string(&document.table).unwrap());
            assert_eq!(found.unwrap().trim(), expected, "{text}");
        };
        check("{ // \"x\": 1\n \"a\": 1, /* , */ }", "a = 1");
        check(
            "{\"a\": [1, 2,\n // end\n], \"b\": \"// no, ] \\\" /* no */\",}",
            "a = [1, 2]\nb = '// no, ] \" /* no */'",
        );
        check("", "");
        assert!(read_json("{\"a\": 1,}", false).is_err());
        assert!(read_json("{\"a\" 1}", true).is_err());
    }
}
