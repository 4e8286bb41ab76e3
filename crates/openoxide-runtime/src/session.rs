//! The state of one conversation, in memory: answers, secrets, permissions, hooks, and what it was sent.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use openoxide_permissions::{Approvals, Permission};
use secrecy::SecretString;

use crate::sent::{SentSkill, SentSkills};
use crate::{Record, Recorded, RequestedAction, RequestedPermission, hooks::Registry};

/// One conversation.
#[derive(Debug, Default)]
pub struct Session {
    /// What tells it from others, and what a skill's text calls the session.
    pub id: String,
    /// Everything that was activated, if a file keeps it. It grows with every call, so others do without.
    pub record: Option<Record>,
    sent: SentSkills,
    secrets: BTreeMap<String, SecretString>,
    /// Tokens of logins, by the address of the server.
    pub(crate) tokens: BTreeMap<String, SecretString>,
    /// What the user allowed, by the skill that it is about.
    allowed: BTreeMap<String, Approvals>,
    /// What the user saw and granted: skill, digest, kind of permission, and the item itself.
    permissions: BTreeSet<(PathBuf, String, &'static str, String)>,
    /// Keys of questions that need not be put again.
    pub(crate) asked: BTreeSet<String>,
    /// Skills of servers that may reach the model, with exactly this content: server, address, digest.
    pub(crate) remotes: BTreeSet<(String, String, String)>,
    /// What was said already about a skill's file.
    noticed: BTreeSet<(String, PathBuf)>,
    pub(crate) hooks: Registry,
}

impl Session {
    /// Begins a conversation. One that is given no name gets one that no other has.
    pub fn new(id: impl Into<String>) -> Session {
        let given: String = id.into();
        let id = if given.is_empty() { random_name() } else { given };
        Session { id, ..Session::default() }
    }

    /// Continues the conversation of a record, in which every call is kept.
    pub fn recorded(mut record: Record) -> Session {
        let mut session = Session::new(record.session.as_str());
        record.session.clone_from(&session.id);
        record.all().iter().for_each(|call| session.sent.note(call));
        Session { record: Some(record), ..session }
    }

    /// Notes that a skill was activated.
    pub(crate) fn note(&mut self, activated: Recorded) {
        self.sent.note(&activated);
        if let Some(record) = &mut self.record {
            record.push(activated);
        }
    }

    /// Returns what was sent at the latest call of the skill in a file.
    pub(crate) fn latest_sent(&self, path: &Path) -> Option<&SentSkill> {
        self.sent.latest(path)
    }

    /// Tells whether a skill of this name was activated.
    pub(crate) fn has_activated(&self, name: &str) -> bool {
        self.sent.has(name)
    }

    /// Returns the value of a variable that was asked for.
    pub fn secret(&self, variable: &str) -> Option<&SecretString> {
        self.secrets.get(variable)
    }

    /// Keeps the value of a variable until the conversation ends.
    pub fn keep_secret(&mut self, variable: &str, value: SecretString) {
        self.secrets.insert(variable.to_owned(), value);
    }

    /// Returns the token of a login to the server at this address.
    pub fn token(&self, url: &str) -> Option<&SecretString> {
        self.tokens.get(url)
    }

    /// Allows something about one skill until the conversation ends. `skill` is its file, or the address of a server's skill.
    pub fn allow(&mut self, permission: Permission, subject: &str, skill: &str) {
        self.allowed.entry(skill.to_owned()).or_default().allow(permission, subject);
    }

    /// Tells whether something about a skill was allowed in this conversation.
    pub(crate) fn allows(&self, permission: Permission, subject: &str, skill: &str) -> bool {
        self.allowed.get(skill).is_some_and(|allowed| allowed.contains(permission, subject))
    }

    /// Returns whether this session grants a skill every item of a permission, for this digest.
    pub fn has_permission(&self, skill: &Path, digest: &str, permission: &RequestedPermission) -> bool {
        permission.items().iter().all(|item| self.has_permission_item(skill, digest, permission.kind, item))
    }

    /// Tells whether a skill was given one thing in this conversation.
    pub(crate) fn has_permission_item(
        &self,
        skill: &Path,
        digest: &str,
        kind: openoxide_config::PermissionKind,
        item: &str,
    ) -> bool {
        self.permissions.contains(&(skill.to_owned(), digest.to_owned(), kind.as_str(), item.to_owned()))
    }

    /// Grants a skill the items of a permission until the session ends or its folder changes.
    pub fn grant_permission(&mut self, skill: &Path, digest: &str, permission: &RequestedPermission) {
        let key = |item| (skill.to_owned(), digest.to_owned(), permission.kind.as_str(), item);
        self.permissions.extend(permission.items().into_iter().map(key));
    }

    /// Returns every hook that can still run, with its skill, in the order in which they run.
    pub fn active_hooks(&self) -> impl Iterator<Item = (&str, &RequestedAction)> {
        self.hooks.active()
    }

    /// Tells whether something about a skill's file is news; it is no more afterwards.
    pub(crate) fn is_news(&mut self, what: &str, path: &Path) -> bool {
        self.noticed.insert((what.to_owned(), path.to_owned()))
    }
}

/// Returns 128 random bits as hexadecimal digits; nothing on a machine that has none to give.
fn random_name() -> String {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map(|()| format!("{:032x}", u128::from_be_bytes(bytes))).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use openoxide_config::PermissionKind;

    use super::*;

    #[test]
    fn a_power_is_for_what_was_shown() {
        let requested = |kind, what: &str| RequestedPermission::new(kind, [what.to_owned()], Vec::new());
        let (skill, script) = (Path::new("/s/SKILL.md"), |path: &str| requested(PermissionKind::Script, path));
        let mut session = Session::new("s");
        session.grant_permission(skill, "digest", &script("a.sh"));
        assert!(session.has_permission(skill, "digest", &script("a.sh")));
        assert!(!session.has_permission(skill, "digest", &script("b.sh")));
        assert!(!session.has_permission(skill, "other", &script("a.sh")));
        assert!(!session.has_permission(skill, "digest", &requested(PermissionKind::Shell, "a.sh")));
        let seeing = RequestedPermission { variables: vec!["TOKEN".to_owned()], ..script("a.sh") };
        assert!(!session.has_permission(skill, "digest", &seeing), "a variable is more than the script alone");
    }
}
