//! JSON as settings files have it: with or without comments, converted to TOML values.

use std::borrow::Cow;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JsonDialect {
    /// As the standard has it.
    Strict,
    /// With comments and trailing commas. An empty text is an empty object.
    WithComments,
}

/// Parses a JSON object. The error completes the sentence "the file is not …".
pub(crate) fn parse_json(text: &str, dialect: JsonDialect) -> Result<toml::Table, String> {
    let text = text.trim_start_matches('\u{feff}');
    let plain = match dialect {
        JsonDialect::Strict => Cow::Borrowed(text),
        JsonDialect::WithComments if text.is_empty() => return Ok(toml::Table::new()),
        JsonDialect::WithComments => Cow::Owned(blank_comments(text)),
    };
    let json: serde_json::Value = serde_json::from_str(&plain).map_err(|error| format!("valid JSON: {error}"))?;
    match to_toml(json) {
        Some(toml::Value::Table(table)) => Ok(table),
        _ => Err("a JSON object".to_owned()),
    }
}

/// Replaces comments and trailing commas by blanks.
///
/// Written by hand so that the lines and columns in errors of `serde_json` stay those of the file. Crates that strip
/// comments also accept `#` comments, which the agents' own parsers reject.
fn blank_comments(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut last_comma: Option<usize> = None;
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = token_length(rest);
        let (token, after) = rest.split_at(length);
        match first {
            '/' if length > 1 => {
                plain.extend(token.chars().map(|character| if character == '\n' { '\n' } else { ' ' }));
            }
            ']' | '}' => {
                if let Some(at) = last_comma.take() {
                    plain.replace_range(at..=at, " ");
                }
                plain.push(first);
            }
            _ => {
                if first == ',' {
                    last_comma = Some(plain.len());
                } else if !first.is_whitespace() {
                    last_comma = None;
                }
                plain.push_str(token);
            }
        }
        rest = after;
    }
    plain
}

/// Returns the length of the string, comment or single character at the start of a text.
pub(crate) fn token_length(text: &str) -> usize {
    match text.as_bytes() {
        [b'/', b'/', ..] => text.find(['\n', '\r']).unwrap_or(text.len()),
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

/// Converts JSON to the same value in TOML, which has no null: an absent value takes its place.
fn to_toml(json: serde_json::Value) -> Option<toml::Value> {
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
            let found = parse_json(text, JsonDialect::WithComments).map(|table| toml::to_string(&table).unwrap());
            assert_eq!(found.unwrap().trim(), expected, "{text}");
        };
        check("{ // \"x\": 1\n \"a\": 1, /* , */ }", "a = 1");
        check(
            "{\"a\": [1, 2,\n // end\n], \"b\": \"// no, ] \\\" /* no */\",}",
            "a = [1, 2]\nb = '// no, ] \" /* no */'",
        );
        check("", "");
        assert!(parse_json("{\"a\": 1,}", JsonDialect::Strict).is_err());
        assert!(parse_json("{\"a\" 1}", JsonDialect::WithComments).is_err());
    }
}
