//! The record of a conversation in a file: what was activated and what was said with it, without the texts of skills.

use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use openoxide_config::replace_file;
use serde::{Deserialize, Serialize};

const RECORD_MAX: u64 = 16 * 1024 * 1024;

/// One activation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recorded {
    /// The skill's name.
    pub name: String,
    /// Its file.
    pub path: PathBuf,
    /// The digest of its folder; empty if there is none.
    pub digest: String,
    /// What was said with the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Who called: `user` or `model`.
    pub caller: String,
    /// Its place among all activations of the conversation, from 1.
    pub order: u64,
    /// A digest of what was sent, to tell whether the next call brings the same.
    pub sent: String,
    /// Whether it ran in a conversation of its own, so that this one does not have it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub forked: bool,
}

/// What was activated in a conversation, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The name of the conversation, which stays the same whenever it is continued.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    activations: Vec<Recorded>,
}

impl Record {
    /// Returns every activation, in order.
    pub fn all(&self) -> &[Recorded] {
        &self.activations
    }

    /// Returns the latest activation of each skill, newest first.
    pub fn latest_of_each(&self) -> Vec<&Recorded> {
        let mut seen = std::collections::BTreeSet::new();
        self.activations.iter().rev().filter(|recorded| seen.insert(&recorded.path)).collect()
    }

    /// Adds an activation, and numbers it.
    pub(crate) fn push(&mut self, mut recorded: Recorded) {
        recorded.order = self.activations.last().map_or(1, |last| last.order.saturating_add(1));
        self.activations.push(recorded);
    }

    /// Reads a record; one that is not there is empty.
    pub fn load(file: &Path) -> io::Result<Record> {
        let bad = |why: &dyn std::fmt::Display| {
            io::Error::new(io::ErrorKind::InvalidData, format!("`{}` is not a record: {why}", file.display()))
        };
        let read = fs_err::File::open(file).and_then(|open| {
            let mut bytes = Vec::new();
            open.take(RECORD_MAX + 1).read_to_end(&mut bytes)?;
            Ok(bytes)
        });
        match read {
            Ok(bytes) if bytes.len() as u64 > RECORD_MAX => Err(bad(&format!("it is larger than {RECORD_MAX} bytes"))),
            Ok(bytes) => serde_json::from_slice(&bytes).map_err(|error| bad(&error)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Record::default()),
            Err(error) => Err(error),
        }
    }

    /// Writes the record, whole or not at all. One that would be too long to read again is not written.
    pub fn save(&self, file: &Path) -> io::Result<()> {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let failed = |error: io::Error| io::Error::new(error.kind(), format!("`{}`: {error}", file.display()));
        let text = serde_json::to_vec_pretty(self)?;
        if text.len() as u64 > RECORD_MAX {
            let why = format!("the record would be larger than {RECORD_MAX} bytes; begin a new one in another file");
            return Err(failed(io::Error::new(io::ErrorKind::FileTooLarge, why)));
        }
        fs_err::create_dir_all(folder)?;
        replace_file(file, &text).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(name: &str) -> Recorded {
        Recorded {
            name: name.to_owned(),
            path: PathBuf::from(format!("/s/{name}/SKILL.md")),
            digest: "sha256:00".to_owned(),
            arguments: None,
            caller: "user".to_owned(),
            order: 0,
            sent: String::new(),
            forked: false,
        }
    }

    #[test]
    fn a_record_survives_a_restart_and_keeps_its_order() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("sessions/one.json");
        assert_eq!(Record::load(&file).unwrap(), Record::default());
        let mut record = Record::default();
        for name in ["a", "b", "a"] {
            record.push(recorded(name));
        }
        record.save(&file).unwrap();
        let read = Record::load(&file).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.all().iter().map(|one| one.order).collect::<Vec<_>>(), [1, 2, 3]);
        let latest: Vec<_> = read.latest_of_each().iter().map(|one| (one.name.as_str(), one.order)).collect();
        assert_eq!(latest, [("a", 3), ("b", 2)]);
    }

    /// What is written can be read again.
    #[test]
    fn a_record_that_would_be_too_long_is_not_written() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.json");
        let mut record = Record::default();
        record.push(recorded("a"));
        record.save(&file).unwrap();
        let before = fs_err::read_to_string(&file).unwrap();
        let arguments = Some("x".repeat(usize::try_from(RECORD_MAX).unwrap()));
        record.push(Recorded { arguments, ..recorded("b") });
        let error = record.save(&file).unwrap_err().to_string();
        assert!(error.contains("would be larger than 16777216 bytes"), "{error}");
        assert_eq!(fs_err::read_to_string(&file).unwrap(), before);
    }

    #[test]
    fn a_damaged_record_is_an_error_and_stays() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("one.json");
        fs_err::write(&file, "{").unwrap();
        assert!(Record::load(&file).unwrap_err().to_string().contains("is not a record"));
        assert_eq!(fs_err::read_to_string(&file).unwrap(), "{");
    }
}
