//! Questions to the user and their answers, as values that a driver shows and brings back.

use std::fmt;

use openoxide_permissions::Permission;
use openoxide_skills::catalog::Entry;
use secrecy::SecretString;

use crate::{RemoteOffer, RequestedPermission, runtime::place_of};

/// Something only the user can decide.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Question {
    /// Whether a skill may be called.
    Permission {
        /// What is asked for, as permission rules call it: `skill`.
        permission: String,
        /// For what: the skill's name.
        subject: String,
        /// Who wants it.
        skill: String,
        /// Where the skill is: its file, or the address of a server's skill. An answer is for this one, not for others of its
        /// name.
        place: String,
    },
    /// Whether a skill gets the permissions that it requests, bound to the current content of its folder.
    RequestedPermissions {
        /// The skill.
        skill: String,
        /// Its file.
        path: std::path::PathBuf,
        /// The digest of its folder.
        digest: String,
        /// Whether it was allowed before, and its folder has changed since.
        changed: bool,
        /// Everything it would get, whole.
        permissions: Vec<RequestedPermission>,
    },
    /// The value of a variable that skills need; it is kept in memory only.
    Secret {
        /// The variable.
        variable: String,
        /// What it is for.
        about: Option<String>,
        /// Who needs it.
        skills: Vec<String>,
    },
    /// Whether a server that skills need is added to the user's settings.
    Server {
        /// Its name.
        name: String,
        /// How it is reached: `stdio` or `streamable_http`.
        transport: String,
        /// What would be started or connected to, exactly.
        target: String,
        /// What it is for.
        about: Option<String>,
        /// Who needs it.
        skills: Vec<String>,
    },
    /// Whether the text of a skill that a server offers may reach the model, bound to what the server lists for it.
    Remote {
        /// The skill. Without a digest, an approval holds this time only.
        offer: RemoteOffer,
        /// Whether it was allowed before, and its files have changed since.
        changed: bool,
    },
    /// Whether to log in to a server.
    Login {
        /// The server.
        server: String,
        /// Where the page is. Its whole address is known after approval, and comes with the step that waits for it.
        page: String,
    },
    /// Whether a setting is changed that could widen permissions.
    Setting {
        /// Its dotted name.
        key: String,
        /// What it would be, as TOML; absent: it would be removed.
        value: Option<String>,
        /// The file that would be written.
        file: std::path::PathBuf,
    },
}

impl Question {
    /// Asks whether a skill gets a permission that rules know, for a subject.
    pub(crate) fn permission(permission: Permission, subject: &str, skill: &str, place: &str) -> Question {
        let [permission, subject, skill, place] = [permission.as_str(), subject, skill, place].map(str::to_owned);
        Question::Permission { permission, subject, skill, place }
    }

    /// Asks whether a skill may be called.
    pub(crate) fn call(entry: &Entry) -> Question {
        let name = &entry.skill.name;
        Question::permission(Permission::Skill, name, name, &place_of(entry))
    }

    /// Tells whether it is about reading one file or folder of a skill.
    pub fn is_about_a_file(&self) -> bool {
        matches!(self, Question::Permission { permission, .. } if permission == Permission::Read.as_str())
    }

    /// Returns the answers that make sense, the safest last.
    pub fn choices(&self) -> &'static [Choice] {
        match self {
            Question::Permission { .. }
            | Question::RequestedPermissions { .. }
            | Question::Remote { offer: RemoteOffer { digest: Some(_), .. }, .. } => {
                &[Choice::Once, Choice::Session, Choice::Always, Choice::No]
            }
            Question::Secret { .. } => &[Choice::Value, Choice::No],
            Question::Server { .. } | Question::Login { .. } | Question::Remote { .. } | Question::Setting { .. } => {
                &[Choice::Once, Choice::No]
            }
        }
    }

    /// Returns the choices to offer. Where every call stands alone, there is no conversation to remember an answer for.
    pub fn offered(&self, is_in_conversation: bool) -> Vec<Choice> {
        let choices = self.choices().iter().copied();
        choices.filter(|choice| is_in_conversation || *choice != Choice::Session).collect()
    }

    /// Returns the answer of a user who agreed to everything in advance: it holds for this call, and nothing is kept.
    ///
    /// Nothing is returned where an approval is kept, as in the settings, or where more than approval is needed: then the user has
    /// to be asked, or the answer is no.
    pub fn yes_in_advance(&self) -> Option<Answer> {
        match self {
            Question::Permission { .. } | Question::RequestedPermissions { .. } | Question::Remote { .. } => {
                Some(Answer::Once)
            }
            Question::Server { .. } | Question::Setting { .. } | Question::Secret { .. } | Question::Login { .. } => {
                None
            }
        }
    }

    /// Returns a short text that tells this question from others in a conversation.
    pub fn key(&self) -> String {
        match self {
            Question::Permission { permission, subject, place, .. } => {
                format!("permission {permission} {subject} {place}")
            }
            Question::RequestedPermissions { path, digest, .. } => {
                format!("requested-permissions {} {digest}", path.display())
            }
            Question::Secret { variable, .. } => format!("secret {variable}"),
            // A server is what is started or connected to; its name is only what a skill calls it.
            Question::Server { transport, target, .. } => format!("server {transport} {target}"),
            Question::Remote { offer: RemoteOffer { server, uri, digest, .. }, .. } => {
                format!("remote {server} {uri} {}", digest.as_deref().unwrap_or_default())
            }
            Question::Login { server, .. } => format!("login {server}"),
            Question::Setting { key, value, file } => {
                format!("setting {} {key} {}", file.display(), value.as_deref().unwrap_or_default())
            }
        }
    }
}

/// A kind of answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice {
    /// Yes, this time.
    Once,
    /// Yes, in this conversation.
    Session,
    /// Yes, until it is revoked.
    Always,
    /// A value.
    Value,
    /// No.
    No,
}

impl Choice {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Choice::Once => "once",
            Choice::Session => "session",
            Choice::Always => "always",
            Choice::Value => "value",
            Choice::No => "no",
        }
    }

    /// Finds the choice of a word.
    pub fn parse(word: &str) -> Option<Choice> {
        [Choice::Once, Choice::Session, Choice::Always, Choice::Value, Choice::No]
            .into_iter()
            .find(|choice| choice.as_str() == word)
    }

    /// Returns the answer that the choice makes; none where a value is chosen and missing.
    pub fn answer(self, value: Option<SecretString>) -> Option<Answer> {
        Some(match self {
            Choice::Once => Answer::Once,
            Choice::Session => Answer::Session,
            Choice::Always => Answer::Always,
            Choice::Value => Answer::Secret(value?),
            Choice::No => Answer::No,
        })
    }
}

/// What the user decided.
#[derive(Clone)]
pub enum Answer {
    /// Yes, this time.
    Once,
    /// Yes, in this conversation.
    Session,
    /// Yes, until it is revoked.
    Always,
    /// The value that was asked for.
    Secret(SecretString),
    /// No.
    No,
    /// No, because nobody could be asked.
    NotAsked,
}

impl Answer {
    /// Tells whether it approves. A value is none: it answers another question.
    pub fn is_yes(&self) -> bool {
        matches!(self, Answer::Once | Answer::Session | Answer::Always)
    }
}

impl fmt::Debug for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Answer::Once => "Once",
            Answer::Session => "Session",
            Answer::Always => "Always",
            Answer::Secret(_) => "Secret(…)",
            Answer::No => "No",
            Answer::NotAsked => "NotAsked",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_for_a_conversation_is_offered_only_where_there_is_one() {
        let question = Question::permission(Permission::Skill, "pdf", "pdf", "/s/pdf/SKILL.md");
        assert_eq!(question.offered(true), question.choices());
        assert_eq!(question.offered(false), [Choice::Once, Choice::Always, Choice::No]);
    }

    #[test]
    fn a_yes_in_advance_keeps_nothing() {
        let server = Question::Server {
            name: "docs".to_owned(),
            transport: "stdio".to_owned(),
            target: "docs-server".to_owned(),
            about: None,
            skills: Vec::new(),
        };
        assert!(server.yes_in_advance().is_none());
        let setting = Question::Setting { key: "host".to_owned(), value: None, file: "/config.toml".into() };
        assert!(setting.yes_in_advance().is_none());
        let question = Question::permission(Permission::Skill, "pdf", "pdf", "/s/pdf/SKILL.md");
        assert!(matches!(question.yes_in_advance(), Some(Answer::Once)));
    }

    #[test]
    fn a_chosen_value_must_be_there() {
        assert!(matches!(Choice::Value.answer(Some("x".to_owned().into())), Some(Answer::Secret(_))));
        assert!(Choice::Value.answer(None).is_none());
        assert!(matches!(Choice::Always.answer(None), Some(Answer::Always)));
    }

    #[test]
    fn a_value_is_no_yes() {
        assert!([Answer::Once, Answer::Session, Answer::Always].iter().all(Answer::is_yes));
        assert!(![Answer::Secret("yes".to_owned().into()), Answer::No].iter().any(Answer::is_yes));
    }
}
