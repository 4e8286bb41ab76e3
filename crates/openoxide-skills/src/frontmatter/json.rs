//! A skill's frontmatter as JSON, whole: what is served to others, and what is compared with what others served.

use serde_json::{Map, Number, Value as Json};

use super::{Split, split};
use crate::host::{Fence, FenceRules};
use crate::parse::by_value;
use crate::yaml::{self, Feature, Node, Value, is_null_text};

/// Why frontmatter is no JSON object.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrontmatterError {
    /// The file does not begin with frontmatter.
    #[error("the file does not begin with frontmatter between two lines of `---`")]
    Absent,
    /// The frontmatter is not YAML, or too much of it.
    #[error("the frontmatter cannot be read: {0}")]
    Yaml(String),
    /// The frontmatter is not a map.
    #[error("the frontmatter is not a map")]
    NotAMap,
    /// A key stands twice in a map.
    #[error("the key `{0}` stands twice")]
    Duplicate(String),
    /// Something has no counterpart in JSON.
    #[error("`{0}` has no counterpart in JSON")]
    NoCounterpart(String),
}

/// Reads the frontmatter of a skill file as JSON: every field, as its author wrote it, by the rules of YAML 1.2 alone.
///
/// Nothing is mended. Keys keep their order; what YAML takes for a number, a yes or no, or nothing is that in JSON too.
///
/// ```
/// let fields = openoxide_skills::frontmatter_json("---\nname: pdf\nversion: 2\n---\nbody").unwrap();
/// assert_eq!(serde_json::to_string(&fields).unwrap(), r#"{"name":"pdf","version":2}"#);
/// ```
pub fn frontmatter_json(text: &str) -> Result<Map<String, Json>, FrontmatterError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let rules = FenceRules { open: Fence::Line, close: Fence::Line, ..FenceRules::default() };
    let Split::Found { yaml, .. } = split(text, rules) else { return Err(FrontmatterError::Absent) };
    let root = yaml::parse(&text[yaml]).map_err(|error| FrontmatterError::Yaml(error.message))?;
    match &root.value {
        Value::Map(pairs) => object(pairs),
        _ => Err(FrontmatterError::NotAMap),
    }
}

fn object(pairs: &[(Node<'_>, Node<'_>)]) -> Result<Map<String, Json>, FrontmatterError> {
    let mut object = Map::new();
    for (key, node) in pairs {
        let name = key_text(key)?;
        let value = json(node)?;
        if object.insert(name.clone(), value).is_some() {
            return Err(FrontmatterError::Duplicate(name));
        }
    }
    Ok(object)
}

/// Writes a key as text; one that is a number is written by its value.
fn key_text(key: &Node<'_>) -> Result<String, FrontmatterError> {
    match json(key)? {
        Json::String(text) => Ok(text),
        Json::Null => Ok(String::new()),
        Json::Bool(value) => Ok(value.to_string()),
        Json::Number(number) => Ok(number.to_string()),
        Json::Array(_) | Json::Object(_) => Err(FrontmatterError::NoCounterpart("a key that is no text".to_owned())),
    }
}

fn json(node: &Node<'_>) -> Result<Json, FrontmatterError> {
    if let Some(Feature::TypeTag | Feature::LocalTag) = node.feature {
        return Err(FrontmatterError::NoCounterpart("a tag".to_owned()));
    }
    match &node.value {
        Value::Map(pairs) => object(pairs).map(Json::Object),
        Value::List(items) => items.iter().map(json).collect::<Result<_, _>>().map(Json::Array),
        Value::Scalar { text, plain } if *plain && !node.is_tagged() => scalar(text),
        Value::Scalar { text, .. } => Ok(Json::String(text.to_string())),
    }
}

fn scalar(text: &str) -> Result<Json, FrontmatterError> {
    if is_null_text(text) {
        return Ok(Json::Null);
    }
    match by_value(text).as_deref() {
        None => Ok(Json::String(text.to_owned())),
        Some("true") => Ok(Json::Bool(true)),
        Some("false") => Ok(Json::Bool(false)),
        Some(number) => {
            let whole = number.parse::<i64>().ok().map(Number::from);
            let number = whole.or_else(|| number.parse().ok().and_then(Number::from_f64));
            number.map(Json::Number).ok_or_else(|| FrontmatterError::NoCounterpart(text.to_owned()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(yaml: &str, expected: &str) {
        let shown = match frontmatter_json(&format!("---\n{yaml}\n---\nbody")) {
            Ok(object) => Json::Object(object).to_string(),
            Err(error) => error.to_string(),
        };
        assert_eq!(shown, expected, "{yaml}");
    }

    #[test]
    fn every_field_passes_as_yaml_means_it() {
        check("name: a\ndescription: 'b: c'", r#"{"name":"a","description":"b: c"}"#);
        check("v: 1.5\nw: 0x10\nx: 012\ny: 1e3", r#"{"v":1.5,"w":16,"x":12,"y":1000}"#);
        check("a: yes\nb: true\nc: \"true\"\nd:\ne: ~", r#"{"a":"yes","b":true,"c":"true","d":null,"e":null}"#);
        check("when: 2026-01-02\nz: [a, {b: 1}]", r#"{"when":"2026-01-02","z":["a",{"b":1}]}"#);
        check("1: a\nmetadata:\n  k: |\n    x\n    y", r#"{"1":"a","metadata":{"k":"x\ny\n"}}"#);
        check("a: &x [1]\nb: *x\nc: !!str 5", r#"{"a":[1],"b":[1],"c":"5"}"#);
    }

    #[test]
    fn what_cannot_be_json_is_said() {
        check("a: 1\na: 2", "the key `a` stands twice");
        check("a: .inf", "`.inf` has no counterpart in JSON");
        check("a: !thing b", "`a tag` has no counterpart in JSON");
        check("- a", "the frontmatter is not a map");
        assert_eq!(frontmatter_json("name: a\n"), Err(FrontmatterError::Absent));
        assert!(matches!(frontmatter_json("---\na: [\n---\n"), Err(FrontmatterError::Yaml(_))));
        assert!(frontmatter_json("\u{feff}---\r\na: b\r\n---\r\n").is_ok());
    }
}
