//! Converts frontmatter to JSON as it is written, to show or compare it; `parse` decides what it means.

use serde_json::{Map, Number, Value as Json};

use super::split::{Split, split};
use crate::text::yaml::{self, Node, Value};
use crate::{host::FenceRules, text::yaml_value::plain_value};

const MAX_FRONTMATTER: usize = 64 * 1024;

/// Returns everything that the frontmatter of a skill file says, or why it cannot be said in JSON.
///
/// ```
/// let fields = openoxide_skills::parse::frontmatter_json("---\nname: pdf\nsize: 2\n---\nText\n").unwrap();
/// assert_eq!(serde_json::Value::Object(fields), serde_json::json!({"name": "pdf", "size": 2}));
/// ```
pub fn frontmatter_json(text: &str) -> Result<Map<String, Json>, String> {
    let text = text.trim_start_matches('\u{feff}');
    let Split::Found { yaml, .. } = split(text, FenceRules::default()) else {
        return Err("the file does not begin with frontmatter".to_owned());
    };
    let yaml = &text[yaml];
    if yaml.len() > MAX_FRONTMATTER {
        return Err(format!("the frontmatter is longer than {MAX_FRONTMATTER} bytes"));
    }
    let root = yaml::parse(yaml).map_err(|error| format!("the frontmatter is not YAML: {}", error.message))?;
    match json(&root)? {
        Json::Object(fields) => Ok(fields),
        Json::Null => Ok(Map::new()),
        _ => Err("the frontmatter is not a map".to_owned()),
    }
}

fn json(node: &Node<'_>) -> Result<Json, String> {
    Ok(match &node.value {
        _ if node.is_null() => Json::Null,
        Value::Scalar { text, .. } => match plain_value(node) {
            toml::Value::Boolean(yes) => Json::Bool(yes),
            toml::Value::Integer(whole) => Json::from(whole),
            // What JSON has no number for stays as it is written.
            toml::Value::Float(number) => {
                Number::from_f64(number).map_or_else(|| Json::from(text.as_ref()), Json::Number)
            }
            _ => Json::from(text.as_ref()),
        },
        Value::List(items) => Json::Array(items.iter().map(json).collect::<Result<_, _>>()?),
        Value::Map(pairs) => {
            let mut map = Map::new();
            for (key, value) in pairs {
                let key = key.as_text().ok_or("a key of the frontmatter is not text")?;
                if map.insert(key.to_owned(), json(value)?).is_some() {
                    return Err(format!("`{key}` appears twice in the frontmatter"));
                }
            }
            Json::Object(map)
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_field_is_there_with_its_type() {
        let text = "\u{feff}---\r\nname: pdf\nversion: 1.0\nratio: 1.5\nyes: true\nquoted: \"1\"\nno: ~\nodd: .inf\n\
                    list: [a, {b: 2}]\ntext: |\n  two\n  lines\n---\nbody\n";
        let expected = json!({
            "name": "pdf", "version": 1, "ratio": 1.5, "yes": true, "quoted": "1", "no": null, "odd": ".inf",
            "list": ["a", {"b": 2}], "text": "two\nlines\n",
        });
        assert_eq!(Json::Object(frontmatter_json(text).unwrap()), expected);
        assert_eq!(frontmatter_json("---\n---\n").unwrap(), Map::new());
    }

    #[test]
    fn what_cannot_be_said_is_an_error() {
        let rows = [
            ("body", "the file does not begin with frontmatter"),
            ("---\nname: a\n", "the file does not begin with frontmatter"),
            ("---\n- a\n---\n", "the frontmatter is not a map"),
            ("---\nname: a\nname: b\n---\n", "`name` appears twice in the frontmatter"),
            ("---\n? [a]\n: b\n---\n", "a key of the frontmatter is not text"),
        ];
        for (text, error) in rows {
            assert_eq!(frontmatter_json(text).unwrap_err(), error, "{text}");
        }
        assert!(frontmatter_json("---\na: [\n---\n").unwrap_err().starts_with("the frontmatter is not YAML: "));
        let long = format!("---\na: {}\n---\n", "x".repeat(MAX_FRONTMATTER));
        assert!(frontmatter_json(&long).unwrap_err().contains("is longer than"));
    }
}
