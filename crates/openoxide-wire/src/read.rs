//! `read --json`: a file or a folder of a skill, or the refusal.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use openoxide_skills::resource::{ResourceAnswer, ResourceBytes, ResourceContent, ResourceRefusal};
use schemars::JsonSchema;
use serde::Serialize;

use crate::schema_version::SchemaVersion;

/// A file or a folder of a skill, or why it is not answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ReadAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The skill's name, or what was asked for in its place.
    pub name: String,
    /// The path in the skill's folder, with bytes that are not UTF-8 as `\xNN` and `\` as `\\`; empty for the folder itself.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// `file` or `folder`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
    /// The type of content.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub content_type: Option<String>,
    /// How large the file is, in bytes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// How many bytes were cut off the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub removed: Option<u64>,
    /// What the host sends, a notice included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The file's bytes, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base64: Option<String>,
    /// The names in the folder.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub items: Option<Vec<ItemLine>>,
    /// Why nothing is answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<NotReadLine>,
}

/// One name in a folder.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct ItemLine {
    /// The name, written as `path` is.
    pub name: String,
    /// `folder`, `file`, `link`, `leads-out`, `leads-nowhere` or `special`.
    pub kind: String,
}

/// Why nothing is answered.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct NotReadLine {
    /// What is wrong, as a word that does not change: `traversal`, `not-found`, `binary` and so on.
    pub problem: String,
    /// The host's words for it.
    pub text: String,
}

impl ReadAnswer {
    /// Makes the answer for a host.
    pub fn new(host: String, name: String, outcome: Result<&ResourceAnswer, &ResourceRefusal>) -> ReadAnswer {
        let mut answer = ReadAnswer::empty(host, name);
        match outcome {
            Ok(found) => answer.fill(found),
            Err(refused) => {
                let problem = refused.problem.as_str().to_owned();
                answer.refused = Some(NotReadLine { problem, text: refused.text.clone() });
            }
        }
        answer
    }

    /// Makes the answer for a file's bytes that come from elsewhere than a folder: as text, or in base 64 if `encoded`.
    pub fn of_bytes(host: String, name: String, path: &str, bytes: &[u8], encoded: bool) -> ReadAnswer {
        let mut answer = ReadAnswer::empty(host, name);
        answer.path = Some(path.to_owned());
        answer.kind = Some("file".to_owned());
        answer.size = Some(bytes.len() as u64);
        match std::str::from_utf8(bytes) {
            _ if encoded => answer.base64 = Some(BASE64.encode(bytes)),
            Ok(text) => answer.text = Some(text.to_owned()),
            Err(_) => {
                let text = "the file is not text".to_owned();
                answer.refused = Some(NotReadLine { problem: "binary".to_owned(), text });
            }
        }
        answer
    }

    /// Makes the answer of a refusal.
    pub fn refused(host: String, name: String, problem: &str, text: String) -> ReadAnswer {
        let refused = Some(NotReadLine { problem: problem.to_owned(), text });
        ReadAnswer { refused, ..ReadAnswer::empty(host, name) }
    }

    /// Makes the answer that lists files by their paths.
    pub fn of_paths(host: String, name: String, paths: &[String]) -> ReadAnswer {
        let item = |path: &String| ItemLine { name: path.clone(), kind: "file".to_owned() };
        let items = Some(paths.iter().map(item).collect());
        let (path, kind) = (Some(String::new()), Some("folder".to_owned()));
        ReadAnswer { path, kind, items, ..ReadAnswer::empty(host, name) }
    }

    fn empty(host: String, name: String) -> ReadAnswer {
        ReadAnswer {
            schema: SchemaVersion::default(),
            host,
            name,
            path: None,
            kind: None,
            content_type: None,
            size: None,
            removed: None,
            text: None,
            base64: None,
            items: None,
            refused: None,
        }
    }

    fn fill(&mut self, answer: &ResourceAnswer) {
        self.content_type = Some(answer.content_type.clone());
        self.text.clone_from(&answer.text);
        match &answer.found {
            ResourceContent::File(file) => {
                self.path = Some(file.path.clone());
                self.kind = Some("file".to_owned());
                self.size = Some(file.size);
                match &file.bytes {
                    ResourceBytes::Text { removed, .. } => self.removed = Some(*removed).filter(|removed| *removed > 0),
                    ResourceBytes::Binary(bytes) => self.base64 = Some(BASE64.encode(bytes)),
                }
            }
            ResourceContent::Folder(folder) => {
                self.path = Some(folder.path.clone());
                self.kind = Some("folder".to_owned());
                let line = |item: &openoxide_skills::resource::ResourceItem| ItemLine {
                    name: item.name.clone(),
                    kind: item.kind.as_str().to_owned(),
                };
                self.items = Some(folder.items.iter().map(line).collect());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        let encode =
            |bytes: &[u8]| ReadAnswer::of_bytes("h".to_owned(), "n".to_owned(), "p", bytes, true).base64.unwrap();
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (text, encoded) in cases {
            assert_eq!(encode(text.as_bytes()), encoded);
        }
        assert_eq!(encode(&[0xfb, 0xff, 0x00]), "+/8A");
    }
}
