//! Parses what a server lists for one skill, and refuses an entry that breaks the standard.

use std::collections::BTreeSet;

use openoxide_http::one_line;
use openoxide_skills::{host::Caller, resource::Hex};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::limits::{MAX_FILES, MAX_SKILL_BYTES};
use crate::uri::{BadUri, SkillUri};

/// Most bytes of frontmatter, as JSON.
const MAX_FRONTMATTER: usize = 64 * 1024;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum EntryError {
    #[error("`{0}` is missing or wrong")]
    Field(&'static str),
    #[error("its address cannot be used: {0}")]
    Address(BadUri),
    #[error("it is called `{name}`, and its address says `{address}`")]
    Name { name: String, address: String },
    #[error("its frontmatter is longer than {MAX_FRONTMATTER} bytes")]
    LongFrontmatter,
    #[error("the address of a file cannot be used: {0}")]
    File(BadUri),
    #[error("a file is listed twice: {0}")]
    Twice(String),
    #[error("its own `SKILL.md` is not among its files")]
    NoOwnFile,
    #[error("it has {0} files, and at most {MAX_FILES} are taken")]
    ManyFiles(usize),
    #[error("its files have more than {MAX_SKILL_BYTES} bytes together")]
    Large,
}

/// One file that a server lists for a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Resource {
    pub(crate) uri: String,
    /// Its path in the skill's folder.
    pub(crate) path: String,
    pub(crate) sha256: [u8; 32],
    /// How many bytes it has.
    pub(crate) size: u64,
}

impl Resource {
    /// Returns the digest as text: `sha256:` and 64 hexadecimal digits.
    pub(crate) fn digest(&self) -> String {
        format!("sha256:{}", Hex(&self.sha256))
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Resources {
    /// All of them, by address.
    Listed(Vec<Resource>),
    /// The server makes them up when they are requested, so that nothing is known of them before.
    Dynamic,
}

/// What a server says of one skill.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Entry {
    /// The address of its own file.
    pub(crate) uri: SkillUri,
    /// Its frontmatter, word for word.
    pub(crate) frontmatter: Map<String, Value>,
    pub(crate) description: String,
    pub(crate) resources: Resources,
}

impl Entry {
    pub(crate) fn parse(value: &Value) -> Result<Entry, EntryError> {
        let uri = value.get("uri").and_then(Value::as_str).ok_or(EntryError::Field("uri"))?;
        let uri = SkillUri::parse(uri).map_err(EntryError::Address)?;
        let frontmatter =
            value.get("frontmatter").and_then(Value::as_object).ok_or(EntryError::Field("frontmatter"))?;
        if serde_json::to_string(frontmatter).map_or(usize::MAX, |text| text.len()) > MAX_FRONTMATTER {
            return Err(EntryError::LongFrontmatter);
        }
        let text = |field| frontmatter.get(field).and_then(Value::as_str).filter(|text| !text.trim().is_empty());
        let name = text("name").ok_or(EntryError::Field("frontmatter.name"))?;
        if name != uri.name() {
            return Err(EntryError::Name { name: one_line(name), address: uri.name().to_owned() });
        }
        let description = text("description").ok_or(EntryError::Field("frontmatter.description"))?.to_owned();
        let resources = match value.get("resources") {
            Some(Value::String(word)) if word == "dynamic" => Resources::Dynamic,
            Some(Value::Array(files)) => Resources::Listed(listed(&uri, files)?),
            _ => return Err(EntryError::Field("resources")),
        };
        Ok(Entry { uri, frontmatter: frontmatter.clone(), description, resources })
    }

    /// Returns how many files it has, and how many bytes, if the server says so.
    pub(crate) fn size(&self) -> Option<(usize, u64)> {
        match &self.resources {
            Resources::Listed(files) => Some((files.len(), files.iter().map(|file| file.size).sum())),
            Resources::Dynamic => None,
        }
    }

    /// Returns the digest of all addresses and digests, which changes whenever a file does; none if nothing is listed.
    pub(crate) fn digest(&self) -> Option<String> {
        let Resources::Listed(files) = &self.resources else { return None };
        let mut hasher = Sha256::new();
        for file in files {
            hasher.update((file.uri.len() as u64).to_le_bytes());
            hasher.update(file.uri.as_bytes());
            hasher.update(file.sha256);
        }
        Some(format!("sha256:{}", Hex(&hasher.finalize())))
    }

    /// Tells whether its author lets the model or the user call it.
    pub(crate) fn is_for(&self, caller: Caller) -> bool {
        let says = |field: &str| self.frontmatter.get(field).and_then(Value::as_bool);
        match caller {
            Caller::Model => says("disable-model-invocation") != Some(true),
            Caller::User => says("user-invocable") != Some(false),
        }
    }
}

fn listed(skill: &SkillUri, values: &[Value]) -> Result<Vec<Resource>, EntryError> {
    if values.len() > MAX_FILES {
        return Err(EntryError::ManyFiles(values.len()));
    }
    let mut files = values.iter().map(|value| file(skill, value)).collect::<Result<Vec<_>, _>>()?;
    let total = files.iter().try_fold(0_u64, |sum, file| sum.checked_add(file.size));
    if total.is_none_or(|total| total > MAX_SKILL_BYTES) {
        return Err(EntryError::Large);
    }
    let mut seen = BTreeSet::new();
    if let Some(twice) = files.iter().find(|file| !seen.insert(file.uri.as_str())) {
        return Err(EntryError::Twice(one_line(&twice.uri)));
    }
    if !seen.contains(skill.as_str()) {
        return Err(EntryError::NoOwnFile);
    }
    files.sort_by(|left, right| left.uri.cmp(&right.uri));
    Ok(files)
}

fn file(skill: &SkillUri, value: &Value) -> Result<Resource, EntryError> {
    let uri = value.get("uri").and_then(Value::as_str).ok_or(EntryError::Field("resources.uri"))?;
    let path = skill.file(uri).map_err(EntryError::File)?.to_owned();
    let sha256 = value.get("digest").and_then(Value::as_str).and_then(parse_digest);
    let sha256 = sha256.ok_or(EntryError::Field("resources.digest"))?;
    let size = value.get("size").and_then(Value::as_u64).ok_or(EntryError::Field("resources.size"))?;
    Ok(Resource { uri: uri.to_owned(), path, sha256, size })
}

/// Parses `sha256:` and 64 lowercase hexadecimal digits.
fn parse_digest(text: &str) -> Option<[u8; 32]> {
    let digits = text.strip_prefix("sha256:")?;
    if digits.len() != 64 || !digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return None;
    }
    let bytes: Option<Vec<u8>> = (0..32).map(|at| u8::from_str_radix(&digits[2 * at..2 * at + 2], 16).ok()).collect();
    bytes?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NONE: &str = "sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

    fn entry() -> Value {
        json!({
            "uri": "skill://pdf/SKILL.md",
            "frontmatter": {"name": "pdf", "description": "Reads"},
            "resources": [
                {"uri": "skill://pdf/b.md", "digest": NONE, "size": 0},
                {"uri": "skill://pdf/SKILL.md", "digest": NONE, "size": 5},
            ],
        })
    }

    fn with(pointer: &str, value: Value) -> Result<Entry, EntryError> {
        let mut entry = entry();
        *entry.pointer_mut(pointer).unwrap() = value;
        Entry::parse(&entry)
    }

    #[test]
    fn a_good_entry_is_read() {
        let read = Entry::parse(&entry()).unwrap();
        assert_eq!((read.uri.name(), read.description.as_str(), read.size()), ("pdf", "Reads", Some((2, 5))));
        let dynamic = with("/resources", json!("dynamic")).unwrap();
        assert_eq!((dynamic.size(), dynamic.digest()), (None, None));
    }

    #[test]
    fn anything_else_is_none() {
        let rows = [
            ("/uri", json!("file:///x/SKILL.md"), "its address cannot be used: it means a file of this machine"),
            ("/uri", json!(1), "`uri` is missing or wrong"),
            ("/uri", json!("skill://other/SKILL.md"), "it is called `pdf`, and its address says `other`"),
            ("/frontmatter", json!("x"), "`frontmatter` is missing or wrong"),
            ("/frontmatter/name", json!(null), "`frontmatter.name` is missing or wrong"),
            ("/frontmatter/description", json!(" "), "`frontmatter.description` is missing or wrong"),
            ("/resources", json!(null), "`resources` is missing or wrong"),
            ("/resources", json!("static"), "`resources` is missing or wrong"),
            ("/resources", json!({}), "`resources` is missing or wrong"),
            ("/resources", json!([]), "its own `SKILL.md` is not among its files"),
            ("/resources/0/uri", json!("skill://pdf/SKILL.md"), "a file is listed twice: skill://pdf/SKILL.md"),
            (
                "/resources/0/uri",
                json!("skill://other/b.md"),
                "the address of a file cannot be used: it has a part that is empty or leads elsewhere",
            ),
            (
                "/resources/0/uri",
                json!("file:/x"),
                "the address of a file cannot be used: it means a file of this machine",
            ),
            ("/resources/0/digest", json!("sha256:00"), "`resources.digest` is missing or wrong"),
            ("/resources/0/digest", json!(NONE.to_uppercase()), "`resources.digest` is missing or wrong"),
            ("/resources/0/size", json!(-1), "`resources.size` is missing or wrong"),
            ("/resources/0/size", json!(1.5), "`resources.size` is missing or wrong"),
            ("/resources/0/size", json!(u64::MAX), "its files have more than 16777216 bytes together"),
            ("/resources/0/size", json!(MAX_SKILL_BYTES - 4), "its files have more than 16777216 bytes together"),
        ];
        for (pointer, value, flaw) in rows {
            assert_eq!(with(pointer, value.clone()).unwrap_err().to_string(), flaw, "{pointer} {value}");
        }
        let mut without = entry();
        without.as_object_mut().unwrap().remove("resources");
        assert_eq!(Entry::parse(&without), Err(EntryError::Field("resources")));
        assert!(with("/resources/0/size", json!(MAX_SKILL_BYTES - 5)).is_ok(), "the limit itself is taken");
        assert_eq!(with("/frontmatter/description", json!("x".repeat(65536))), Err(EntryError::LongFrontmatter));
    }

    #[test]
    fn so_many_files_and_no_more() {
        let files = |number: usize| -> Value {
            let own = json!({"uri": "skill://pdf/SKILL.md", "digest": NONE, "size": 0});
            let more = (1..number).map(|n| json!({"uri": format!("skill://pdf/{n}"), "digest": NONE, "size": 0}));
            std::iter::once(own).chain(more).collect()
        };
        assert!(with("/resources", files(MAX_FILES)).is_ok());
        assert_eq!(with("/resources", files(MAX_FILES + 1)), Err(EntryError::ManyFiles(MAX_FILES + 1)));
    }

    #[test]
    fn a_digest_is_read_and_written() {
        let sha256 = parse_digest(NONE).unwrap();
        assert_eq!(sha256, <[u8; 32]>::from(Sha256::digest(b"")));
        assert_eq!(Resource { uri: String::new(), path: String::new(), sha256, size: 0 }.digest(), NONE);
        for bad in ["", "sha256:", &NONE.to_uppercase(), &NONE[7..], &format!("{NONE}0"), &NONE.replace("e3", "é")] {
            assert_eq!(parse_digest(bad), None, "{bad}");
        }
    }

    #[test]
    fn the_digest_is_of_the_set() {
        let one = Entry::parse(&entry()).unwrap().digest().unwrap();
        let mut turned = entry();
        turned["resources"].as_array_mut().unwrap().reverse();
        assert_eq!(Entry::parse(&turned).unwrap().digest().as_ref(), Some(&one), "the order says nothing");
        let other = format!("sha256:{}", "0".repeat(64));
        assert_ne!(with("/resources/0/digest", json!(other)).unwrap().digest().as_ref(), Some(&one));
        assert_ne!(with("/resources/0/uri", json!("skill://pdf/c.md")).unwrap().digest().as_ref(), Some(&one));
    }

    #[test]
    fn its_author_says_who_may_call_it() {
        use Caller::{Model, User};
        let read = Entry::parse(&entry()).unwrap();
        assert!(read.is_for(Model) && read.is_for(User));
        let hidden =
            json!({"name": "pdf", "description": "d", "disable-model-invocation": true, "user-invocable": false});
        let hidden = with("/frontmatter", hidden).unwrap();
        assert!(!hidden.is_for(Model) && !hidden.is_for(User));
    }
}
