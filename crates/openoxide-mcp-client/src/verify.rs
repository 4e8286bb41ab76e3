//! Verifies that a fetched file is the file that was listed.
//!
//! A match says that a server agrees with itself. It does not say that the content is good.

use openoxide_skills::parse::frontmatter_json;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::entry::{Entry, Resource};

/// Why a file that arrived is not used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Mismatch {
    #[error("{got} bytes arrived, and {listed} were listed")]
    Size { listed: u64, got: u64 },
    #[error("it is not what was listed: its digest is another")]
    Digest,
    #[error("it is larger than a skill may be")]
    Large,
    #[error("it is not among the files that were listed")]
    Unlisted,
    #[error("it is not text in UTF-8")]
    NotText,
    #[error("{0}")]
    Frontmatter(String),
    #[error("`{0}` in its frontmatter is not what was listed")]
    Field(String),
}

/// Checks bytes against what was listed for them.
pub(crate) fn check(file: &Resource, bytes: &[u8]) -> Result<(), Mismatch> {
    let got = bytes.len() as u64;
    if got != file.size {
        return Err(Mismatch::Size { listed: file.size, got });
    }
    if Sha256::digest(bytes)[..] == file.sha256 { Ok(()) } else { Err(Mismatch::Digest) }
}

/// Reads a skill's own file, and compares its frontmatter with what was listed, field by field.
pub(crate) fn own_file(entry: &Entry, bytes: Vec<u8>) -> Result<String, Mismatch> {
    let text = String::from_utf8(bytes).map_err(|_| Mismatch::NotText)?;
    let fields = frontmatter_json(&text).map_err(Mismatch::Frontmatter)?;
    match differing(&entry.frontmatter, &fields) {
        Some(field) => Err(Mismatch::Field(field)),
        None => Ok(text),
    }
}

/// Returns the first field, by name, that one of both has and the other has not, or has otherwise.
fn differing(listed: &Map<String, Value>, found: &Map<String, Value>) -> Option<String> {
    let mut fields: Vec<&String> = listed.keys().chain(found.keys()).collect();
    fields.sort_unstable();
    let same = |field: &String| matches!((listed.get(field), found.get(field)), (Some(a), Some(b)) if is_same(a, b));
    fields.into_iter().find(|field| !same(field)).cloned()
}

/// Tells whether both say the same; `1` and `1.0` do.
fn is_same(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => left == right || left.as_f64() == right.as_f64(),
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len() && left.iter().zip(right).all(|(left, right)| is_same(left, right))
        }
        (Value::Object(left), Value::Object(right)) => differing(left, right).is_none(),
        _ => left == right,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn bytes_are_measured_and_digested() {
        let uri = "skill://pdf/a".to_owned();
        let file = Resource { uri, path: "a".to_owned(), sha256: Sha256::digest(b"abc").into(), size: 3 };
        assert_eq!(check(&file, b"abc"), Ok(()));
        assert_eq!(check(&file, b"abcd"), Err(Mismatch::Size { listed: 3, got: 4 }));
        assert_eq!(check(&file, b"abd"), Err(Mismatch::Digest));
        assert_eq!(check(&Resource { size: 4, ..file }, b"abc"), Err(Mismatch::Size { listed: 4, got: 3 }));
    }

    #[test]
    fn every_field_is_compared() {
        let entry = |frontmatter: Value| {
            Entry::parse(&json!({
                "uri": "skill://pdf/SKILL.md", "frontmatter": frontmatter, "resources": "dynamic",
            }))
            .unwrap()
        };
        let text = "---\nname: pdf\ndescription: d\nmetadata: {version: 1.0, tags: [a]}\n---\nBody\n";
        let same = json!({"description": "d", "name": "pdf", "metadata": {"tags": ["a"], "version": 1}});
        assert_eq!(own_file(&entry(same), text.into()).as_deref(), Ok(text));
        let rows = [
            (json!({"name": "pdf", "description": "d"}), "metadata"),
            (json!({"name": "pdf", "description": "other", "metadata": {"tags": ["a"], "version": 1}}), "description"),
            (json!({"name": "pdf", "description": "d", "metadata": {"tags": ["b"], "version": 1}}), "metadata"),
            (json!({"name": "pdf", "description": "d", "metadata": {"tags": ["a"], "version": "1.0"}}), "metadata"),
            (
                json!({"name": "pdf", "description": "d", "metadata": {"tags": ["a"], "version": 1}, "allowed-tools": "*"}),
                "allowed-tools",
            ),
            (
                json!({"name": "pdf", "description": "d", "metadata": {"tags": ["a"], "version": 1}, "license": null}),
                "license",
            ),
        ];
        for (listed, field) in rows {
            assert_eq!(own_file(&entry(listed), text.into()), Err(Mismatch::Field(field.to_owned())));
        }
        let plain = entry(json!({"name": "pdf", "description": "d"}));
        assert!(matches!(own_file(&plain, b"no fence".to_vec()), Err(Mismatch::Frontmatter(_))));
        assert_eq!(own_file(&plain, vec![0xff]), Err(Mismatch::NotText));
    }
}
