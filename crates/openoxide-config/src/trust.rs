//! What the user trusts: folders, sources, skills with permissions, and remembered answers.
//!
//! It is stored in `state/trust.toml` in the user's own folder and read from there alone, so that nothing in a project
//! can trust the project. Reading never fails as a whole: a damaged file is ignored, reported, and never overwritten.
//! Whether to ask, and what to show, is up to the runtime.

mod edit;
pub(crate) mod error;
mod parse;
pub(crate) mod record;
mod store;

use std::path::Path;

use openoxide_permissions::{Approvals, Permission};
use openoxide_skills::diagnostic::Diagnostic;

use crate::environment::Environment;
use error::TrustError;
use record::{Grant, PermissionKind, RememberedAnswer, Timestamp, TrustEntry, TrustRecord};
use store::Store;

/// Whether the user has approved something for the current content of a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalState {
    /// It is approved for exactly this content.
    Approved,
    /// It was never approved, or the approval was revoked.
    NotApproved,
    /// It was approved, and the skill has changed since.
    Changed {
        /// When it was approved.
        since: Timestamp,
    },
}

impl ApprovalState {
    /// Compares the digest that was approved, if one was, with the current one.
    fn of(approved: Option<(&str, Timestamp)>, current: &str) -> ApprovalState {
        match approved {
            None => ApprovalState::NotApproved,
            Some((digest, _)) if digest == current => ApprovalState::Approved,
            Some((_, since)) => ApprovalState::Changed { since },
        }
    }
}

/// What the user trusts, as of the last read. Every change reads the file again.
#[derive(Clone, Debug, Default)]
pub struct Trust {
    store: Option<Store>,
    entries: Vec<TrustEntry>,
    problem: Option<Diagnostic>,
}

impl Trust {
    /// Reads the trust file. Without one nothing is trusted; [`Trust::problem`] says if it is damaged.
    pub fn open(environment: &Environment) -> Trust {
        let store = environment.openoxide_home().map(|own| Store::new(&own, environment.home.as_deref()));
        let parsed = store.as_ref().map(|store| store.read().and_then(|text| parse::parse(&text)));
        let (entries, problem) = match parsed.unwrap_or_else(|| Ok(Vec::new())) {
            Ok(entries) => (entries, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        Trust { store, entries, problem }
    }

    /// Returns the path of the file, which need not exist; `None` if the user has no home folder.
    pub fn path(&self) -> Option<&Path> {
        self.store.as_ref().map(|store| store.path.as_path())
    }

    /// Returns the problem with the file. If there is one, the whole file is ignored.
    pub fn problem(&self) -> Option<&Diagnostic> {
        self.problem.as_ref()
    }

    /// Returns all entries, in the order of the file.
    pub fn entries(&self) -> &[TrustEntry] {
        &self.entries
    }

    fn records(&self) -> impl Iterator<Item = &TrustRecord> {
        self.entries.iter().map(|entry| &entry.record)
    }

    /// Returns the permissions of skills.
    pub fn grants(&self) -> impl Iterator<Item = &Grant> {
        self.records().filter_map(|record| match record {
            TrustRecord::Grant(grant) => Some(grant),
            _ => None,
        })
    }

    /// Returns the remembered answers.
    pub fn remembered_answers(&self) -> impl Iterator<Item = &RememberedAnswer> {
        self.records().filter_map(|record| match record {
            TrustRecord::Answer(answer) => Some(answer),
            _ => None,
        })
    }

    /// Returns what was answered with "always" about a skill, for all agents or for this one.
    ///
    /// An answer is compared as text: a `*` in a subject is not a pattern.
    pub fn remembered(&self, agent: Option<&str>, skill: &str) -> Approvals {
        let mut remembered = Approvals::default();
        let applies = |answer: &&RememberedAnswer| {
            answer.skill == skill && (answer.agent.is_none() || answer.agent.as_deref() == agent)
        };
        for answer in self.remembered_answers().filter(applies) {
            if let Some(permission) = Permission::parse(&answer.permission) {
                remembered.allow(permission, answer.pattern.as_str());
            }
        }
        remembered
    }

    /// Returns the folders that were trusted, without links. Trust does not extend to folders below, and it holds only
    /// while nobody else can exchange the folder, as [`Config::check_trust`](crate::Config::check_trust) decides.
    pub fn folders(&self) -> impl Iterator<Item = &Path> {
        self.records().filter_map(|record| match record {
            TrustRecord::Folder { path, .. } => Some(path.as_path()),
            _ => None,
        })
    }

    /// Returns the approval of a permission for a skill.
    ///
    /// `skill` is the skill's own file without links, `digest` its current content.
    pub fn approval(&self, skill: &Path, digest: &str, permission: PermissionKind) -> ApprovalState {
        let grant = self.grants().filter(|grant| grant.skill == skill && grant.permission == permission).last();
        ApprovalState::of(grant.map(|grant| (grant.digest.as_str(), grant.at)), digest)
    }

    /// Returns the approval of one item, such as a command: only if exactly that text was shown to the user.
    pub fn approval_for(&self, skill: &Path, digest: &str, permission: PermissionKind, item: &str) -> ApprovalState {
        let is_current =
            |grant: &&Grant| grant.skill == skill && grant.permission == permission && grant.digest == digest;
        let was_shown = || self.grants().filter(is_current).any(|grant| grant.shown.iter().any(|shown| shown == item));
        match self.approval(skill, digest, permission) {
            ApprovalState::Approved if !was_shown() => ApprovalState::NotApproved,
            state => state,
        }
    }

    /// Returns the approval of a server's skill with the content that `digest` names: whether the model may read it.
    pub fn remote_approval(&self, server: &str, uri: &str, digest: &str) -> ApprovalState {
        let approved = self.records().find_map(|record| match record {
            TrustRecord::Remote(remote) if remote.server == server && remote.uri == uri => Some(remote),
            _ => None,
        });
        ApprovalState::of(approved.map(|remote| (remote.digest.as_str(), remote.at)), digest)
    }

    /// Trusts a folder, given without links. Returns whether that is new.
    pub fn add_folder(&mut self, folder: &Path, now: Timestamp) -> Result<bool, TrustError> {
        self.add(TrustRecord::Folder { path: folder.to_owned(), at: now })
    }

    /// Adds a record. Returns whether the file changed.
    ///
    /// A record for other content of the same skill is replaced. A grant for the same content keeps the items that were
    /// shown before.
    pub fn add(&mut self, record: TrustRecord) -> Result<bool, TrustError> {
        let store = self.store.as_ref().ok_or(TrustError::NoHome)?;
        record.check_text()?;
        let (entries, changed) = store.change(|entries, document| edit::add(entries, document, record))?;
        (self.entries, self.problem) = (entries, None);
        Ok(changed)
    }

    /// Revokes every record that matches, and returns those. A missing file is not created.
    pub fn revoke(&mut self, matches: impl Fn(&TrustRecord) -> bool) -> Result<Vec<TrustRecord>, TrustError> {
        let Some(store) = self.store.as_ref().filter(|store| store.path.exists()) else { return Ok(Vec::new()) };
        let mut gone = Vec::new();
        let (entries, _) = store.change(|entries, document| {
            gone = entries.iter().filter(|entry| matches(&entry.record)).map(|entry| entry.record.clone()).collect();
            edit::remove(entries, document, &matches);
        })?;
        (self.entries, self.problem) = (entries, None);
        Ok(gone)
    }
}

#[cfg(test)]
mod tests;
