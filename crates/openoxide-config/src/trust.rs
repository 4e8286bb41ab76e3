//! What the user trusts: folders, sources, skills with power, and answers that are remembered.
//!
//! It is kept in `state/trust.toml` in the user's own folder, and read from there alone: nothing in a project can trust
//! the project. Reading never fails as a whole; a damaged file counts for nothing, is reported, and is never
//! overwritten. Whether to ask, and what to show, is the runtime's work.

mod change;
mod read;
mod record;
mod store;
mod timestamp;

use std::path::{Path, PathBuf};

use openoxide_skills::Diagnostic;

use crate::environment::{Environment, NO_HOME_HINT, NO_HOME_WORD};
use store::Store;

pub use record::{
    Grant, PermissionKind, RememberedAnswer, TrustEntry, TrustRecord, TrustedFolder, TrustedRemote, TrustedSource,
};
pub use timestamp::Timestamp;

/// Why what is trusted cannot be changed.
#[derive(Debug, thiserror::Error)]
pub enum TrustError {
    /// There is no folder of the user's to write to.
    #[error("there is no home folder")]
    NoHome,
    /// A path cannot be written down.
    #[error("`{}` cannot be written down, because it is not UTF-8", openoxide_skills::path_text(path))]
    NotText {
        /// The path.
        path: PathBuf,
    },
    /// The file is damaged, so that a change could lose something.
    #[error("`{}` is damaged, so it is left as it is{}", path.display(), place(problem))]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        problem: Box<Diagnostic>,
    },
    /// Another process does not let go of the file.
    #[error("another process is changing `{}`", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
}

fn place(problem: &Diagnostic) -> String {
    let line = problem.place.as_ref().map_or_else(String::new, |place| format!("line {}: ", place.line));
    format!(": {line}{}", problem.message)
}

impl TrustError {
    /// Returns the stable word for the error: every face shows the same one.
    pub fn word(&self) -> &'static str {
        match self {
            TrustError::NoHome => NO_HOME_WORD,
            TrustError::NotText { .. } | TrustError::Damaged { .. } | TrustError::Busy { .. } | TrustError::Io(_) => {
                "not-kept"
            }
        }
    }

    /// Returns the next step, if there is one.
    pub fn hint(&self) -> Option<String> {
        match self {
            TrustError::NoHome => Some(NO_HOME_HINT.to_owned()),
            TrustError::NotText { .. } => Some("rename the folder".to_owned()),
            TrustError::Damaged { problem, .. } => problem.help.clone(),
            TrustError::Busy { .. } => Some("wait for the other process, or end it".to_owned()),
            TrustError::Io(_) => None,
        }
    }
}

/// Whether a skill has a power.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// It was given to exactly these bytes.
    Approved,
    /// It was never given, or it was taken back.
    NotApproved,
    /// It was given to this skill, and the skill changed since.
    Changed {
        /// When it was given.
        since: Timestamp,
    },
}

/// What the user trusts, as it was when it was read; every change looks at the file again.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    store: Option<Store>,
    entries: Vec<TrustEntry>,
    problem: Option<Diagnostic>,
}

impl Trust {
    /// Reads what the user trusts. No file means that nothing is trusted; a damaged one is told by [`Trust::problem`].
    pub fn open(environment: &Environment) -> Trust {
        let store = environment.openoxide_home().map(|home| Store::new(&home));
        let (entries, problem) = match store.as_ref().map(Store::read) {
            Some(Ok(text)) => match read::entries(&text) {
                Ok(entries) => (entries, None),
                Err(problem) => (Vec::new(), Some(problem)),
            },
            Some(Err(problem)) => (Vec::new(), Some(problem)),
            None => (Vec::new(), None),
        };
        Trust { store, entries, problem }
    }

    /// Returns the file, whether or not it is there; `None` without a home.
    pub fn path(&self) -> Option<&Path> {
        self.store.as_ref().map(|store| store.path.as_path())
    }

    /// Returns what is wrong with the file; then nothing in it counts.
    pub fn problem(&self) -> Option<&Diagnostic> {
        self.problem.as_ref()
    }

    /// Returns everything, in the order of the file.
    pub fn entries(&self) -> &[TrustEntry] {
        &self.entries
    }

    fn records(&self) -> impl Iterator<Item = &TrustRecord> {
        self.entries.iter().map(|entry| &entry.record)
    }

    /// Returns the skills with power.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.records().filter_map(|record| match record {
            TrustRecord::Grant(grant) => Some(grant),
            _ => None,
        })
    }

    /// Returns the answers that are remembered.
    pub fn remembered_answers(&self) -> impl Iterator<Item = &RememberedAnswer> {
        self.records().filter_map(|record| match record {
            TrustRecord::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// Tells whether a folder is trusted; `folder` is a path without links. What lies below it is another folder.
    pub fn trusts_folder(&self, folder: &Path) -> bool {
        self.records().any(|record| matches!(record, TrustRecord::Folder(trusted) if trusted.path == folder))
    }

    /// Tells whether a source is trusted, word for word.
    pub fn trusts_source(&self, source: &str) -> bool {
        self.records().any(|record| matches!(record, TrustRecord::Source(trusted) if trusted.source == source))
    }

    /// Tells whether a skill has a power: the one whose own file, without links, is `skill`, with the content that
    /// `digest` names.
    pub fn approval(&self, skill: &Path, digest: &str, permission: PermissionKind) -> ApprovalState {
        let given = self.grants().filter(|grant| grant.skill == skill && grant.permission == permission).last();
        match given {
            None => ApprovalState::NotApproved,
            Some(grant) if grant.digest == digest => ApprovalState::Approved,
            Some(grant) => ApprovalState::Changed { since: grant.at },
        }
    }

    /// Tells whether a skill has a power for one thing, such as a command: only if that was shown, word for word.
    pub fn approval_for(&self, skill: &Path, digest: &str, permission: PermissionKind, item: &str) -> ApprovalState {
        let is_it = |grant: &&Grant| grant.skill == skill && grant.permission == permission && grant.digest == digest;
        match self.approval(skill, digest, permission) {
            ApprovalState::Approved
                if !self.grants().filter(is_it).any(|grant| grant.shown.iter().any(|shown| shown == item)) =>
            {
                ApprovalState::NotApproved
            }
            answer => answer,
        }
    }

    /// Tells whether a skill of a server may reach the model, with the content that `digest` names.
    pub fn remote_approval(&self, server: &str, uri: &str, digest: &str) -> ApprovalState {
        let given = self.records().find_map(|record| match record {
            TrustRecord::Remote(remote) if remote.server == server && remote.uri == uri => Some(remote),
            _ => None,
        });
        match given {
            None => ApprovalState::NotApproved,
            Some(remote) if remote.digest == digest => ApprovalState::Approved,
            Some(remote) => ApprovalState::Changed { since: remote.at },
        }
    }

    /// Lets a skill of a server reach the model until what the server lists for it changes; returns whether something
    /// changed.
    pub fn add_remote(&mut self, remote: TrustedRemote) -> Result<bool, TrustError> {
        self.add(TrustRecord::Remote(remote))
    }

    /// Trusts a folder, given without links; returns whether it was not trusted before.
    pub fn add_folder(&mut self, folder: &Path, now: Timestamp) -> Result<bool, TrustError> {
        self.add(TrustRecord::Folder(TrustedFolder { path: folder.to_owned(), at: now }))
    }

    /// Trusts a source; returns whether it was not trusted before.
    pub fn add_source(&mut self, source: &str, now: Timestamp) -> Result<bool, TrustError> {
        self.add(TrustRecord::Source(TrustedSource { source: source.to_owned(), at: now }))
    }

    /// Gives a skill a power; returns whether something changed.
    ///
    /// A grant for other bytes is replaced. One for the same bytes keeps what was shown before.
    pub fn grant(&mut self, grant: Grant) -> Result<bool, TrustError> {
        self.add(TrustRecord::Grant(grant))
    }

    /// Remembers that a question was answered with "always"; returns whether it was not remembered before.
    pub fn remember(&mut self, answer: RememberedAnswer) -> Result<bool, TrustError> {
        self.add(TrustRecord::Answer(answer))
    }

    fn add(&mut self, record: TrustRecord) -> Result<bool, TrustError> {
        let store = self.store.as_ref().ok_or(TrustError::NoHome)?;
        record.check_text()?;
        let (entries, changed) = store.change(|entries, document| change::add(entries, document, record))?;
        (self.entries, self.problem) = (entries, None);
        Ok(changed)
    }

    /// Takes back everything that `is_it` means; returns what that was. A file that is not there is not made.
    pub fn revoke(&mut self, is_it: impl Fn(&TrustRecord) -> bool) -> Result<Vec<TrustRecord>, TrustError> {
        let Some(store) = self.store.as_ref().filter(|store| store.path.exists()) else { return Ok(Vec::new()) };
        let mut gone = Vec::new();
        let (entries, _) = store.change(|entries, document| {
            gone = entries.iter().filter(|entry| is_it(&entry.record)).map(|entry| entry.record.clone()).collect();
            change::remove(entries, document, &is_it);
        })?;
        (self.entries, self.problem) = (entries, None);
        Ok(gone)
    }
}

#[cfg(test)]
mod tests;
