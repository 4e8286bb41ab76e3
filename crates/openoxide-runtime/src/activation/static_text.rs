//! A skill's text for messages outside a call, without running or asking anything.

use openoxide_permissions::{Action, Permission};
use openoxide_skills::catalog::Entry;
use openoxide_skills::envelope::Message;
use openoxide_skills::expand::ShellPiece;
use openoxide_skills::host::{Caller, Content};
use openoxide_skills::text::RenderError;

use super::finish::drawn;
use super::load::load_part;
use super::loading::Loading;
use crate::call::{Call, Refusal};
use crate::runtime::Runtime;
use crate::session::Session;

/// A skill that was read, with a text in the place of each command.
pub(crate) struct StaticText {
    pub(crate) call: Call,
    pub(crate) entry: Entry,
    pub(crate) loading: Loading,
}

impl StaticText {
    /// Reads a skill; `place` is what stands for a command.
    pub(crate) fn read(
        runtime: &Runtime,
        session: &Session,
        call: Call,
        entry: &Entry,
        part: Content,
        place: impl Fn(&ShellPiece) -> String,
    ) -> Result<StaticText, Refusal> {
        let mut loading = load_part(runtime, session, &call, entry, part)?;
        loading.outputs = loading.expanded.commands().map(place).collect();
        Ok(StaticText { call, entry: entry.clone(), loading })
    }

    /// Returns the text with everything in its place.
    pub(crate) fn content(&self) -> String {
        self.loading.expanded.assemble(&self.loading.outputs)
    }

    /// Draws what would carry this text to the model, without what only announces it.
    pub(crate) fn carried(&self, runtime: &Runtime, content: &str) -> Result<Vec<Message>, RenderError> {
        let messages = drawn(runtime, &self.call, &self.entry, &self.loading, content, &self.loading.digest())?;
        Ok(messages.into_iter().filter(|message| !message.frame).collect())
    }
}

/// Tells whether a rule forbids a caller to have a skill.
pub(crate) fn is_denied(runtime: &Runtime, session: &Session, caller: Caller, name: &str) -> bool {
    let free = caller == Caller::User && runtime.view().host.activation.user_needs_no_permission;
    !free && runtime.decide(session, Permission::Skill, name).action == Action::Deny
}
