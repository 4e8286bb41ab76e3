//! `read --json`: a file or a folder of a skill, or the refusal.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use openoxide_skills::resource::{
    Resource, ResourceAnswer, ResourceBytes, ResourceContent, ResourceFolder, ResourceItem,
};

use crate::{JsonSchema, SchemaVersion, Serialize};

/// A file or a folder of a skill, or why it is not answered.
#[derive(Clone, Debug, Default, Serialize, JsonSchema)]
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
    pub fn new(host: String, name: String, answer: &ResourceAnswer) -> ReadAnswer {
        let found = match &answer.found {
            ResourceContent::File(file) => ReadAnswer::of_file(file),
            ResourceContent::Folder(folder) => ReadAnswer::of_folder(folder),
        };
        let (content_type, text) = (Some(answer.content_type.clone()), answer.text.clone());
        ReadAnswer { host, name, content_type, text, ..found }
    }

    /// Makes the answer of a refusal.
    pub fn refused(host: String, name: String, problem: &str, text: String) -> ReadAnswer {
        let refused = Some(NotReadLine { problem: problem.to_owned(), text });
        ReadAnswer { host, name, refused, ..ReadAnswer::default() }
    }

    fn of_file(file: &Resource) -> ReadAnswer {
        let (removed, base64) = match &file.bytes {
            ResourceBytes::Text { removed, .. } => (Some(*removed).filter(|removed| *removed > 0), None),
            ResourceBytes::Binary(bytes) => (None, Some(BASE64.encode(bytes))),
            // What is sent as a file has no JSON.
            ResourceBytes::Open(_) => (None, None),
        };
        let (path, kind, size) = (Some(file.path.clone()), Some("file".to_owned()), Some(file.size));
        ReadAnswer { path, kind, size, removed, base64, ..ReadAnswer::default() }
    }

    fn of_folder(folder: &ResourceFolder) -> ReadAnswer {
        let line = |item: &ResourceItem| ItemLine { name: item.name.clone(), kind: item.kind.as_str().to_owned() };
        let items = Some(folder.items.iter().map(line).collect());
        ReadAnswer { path: Some(folder.path.clone()), kind: Some("folder".to_owned()), items, ..ReadAnswer::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_the_standard_one() {
        let encode = |bytes: &[u8]| {
            let bytes = ResourceBytes::Binary(bytes.to_owned());
            ReadAnswer::of_file(&Resource { path: "p".to_owned(), size: 0, bytes }).base64.unwrap()
        };
        let cases =
            [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("foobar", "Zm9vYmFy")];
        for (text, encoded) in cases {
            assert_eq!(encode(text.as_bytes()), encoded);
        }
        assert_eq!(encode(&[0xfb, 0xff, 0x00]), "+/8A");
    }
}
