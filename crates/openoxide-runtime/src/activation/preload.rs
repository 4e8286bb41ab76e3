//! Preloads the skills that a subagent starts with, as whole texts.

use std::collections::BTreeSet;

use openoxide_permissions::Action;
use openoxide_skills::catalog::Entry;
use openoxide_skills::envelope::{LoadedSkill, Message, preloaded};
use openoxide_skills::host::{Caller, Role, Situation};
use openoxide_skills::text::{RenderError, fill};

use super::finish::{carried, hidden_notice};
use super::load::{load_part, loaded};
use super::loading::Loading;
use crate::{Call, Notice, Refusal, RefusalReason, Runtime, Session, names_for};

/// The skills that a task's agent is to start with, by name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Pinned {
    /// What the task is called, if several are started at once.
    pub task: Option<String>,
    /// The names, as they were written.
    pub skills: Vec<String>,
}

/// What a subagent starts with.
#[derive(Clone, Debug, Default)]
pub struct Preloaded {
    /// What it is sent.
    pub messages: Vec<Message>,
    /// The skills in it, in the order in which they were named.
    pub skills: Vec<PreloadedSkill>,
    /// What people should know besides.
    pub notices: Vec<Notice>,
}

/// A skill that a subagent starts with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreloadedSkill {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: std::path::PathBuf,
    /// The digest of its folder; empty if there is none.
    pub digest: String,
}

impl Pinned {
    /// Returns the names without blanks around them, each once.
    fn names(&self) -> Vec<&str> {
        let mut seen = BTreeSet::new();
        let names = self.skills.iter().map(|name| name.trim());
        names.filter(|name| !name.is_empty() && seen.insert(*name)).collect()
    }
}

impl Runtime {
    /// Refuses tasks as a whole if one of them names a skill that its agent may not have, where the host does.
    pub fn check_pinned(&self, session: &Session, tasks: &[Pinned]) -> Result<(), Refusal> {
        let Some(words) = self.view().host.texts.get(Situation::PreloadUnknown) else { return Ok(()) };
        let mut groups = Vec::new();
        let mut all = Vec::new();
        for task in tasks {
            let unknown: Vec<&str> =
                task.names().into_iter().filter(|name| self.pinned(session, name).is_err()).collect();
            if !unknown.is_empty() {
                let names = unknown.join(", ");
                groups.push(task.task.as_ref().map_or_else(|| names.clone(), |task| format!("{task}: {names}")));
                all.extend(unknown);
            }
        }
        if all.is_empty() {
            return Ok(());
        }
        let names = names_for(self.catalog(), Caller::Model);
        let none = self.view().host.texts.get(Situation::NoSkills).unwrap_or("none");
        let available = if names.is_empty() { none.to_owned() } else { names.join(", ") };
        let text = fill(words, &[("unknown", &groups.join("; ")), ("available", &available)]);
        Err(Refusal::new(&all.join(", "), RefusalReason::Unknown, text))
    }

    /// Draws what a subagent starts with. Nothing is run: what stands for a command says so.
    pub fn preload(&self, session: &Session, pinned: &Pinned) -> Result<Preloaded, Refusal> {
        self.check_pinned(session, std::slice::from_ref(pinned))?;
        let strict = self.view().host.texts.get(Situation::PreloadUnknown).is_some();
        let mut done = Preloaded::default();
        let mut read = Vec::new();
        for name in pinned.names() {
            match self.pinned(session, name).and_then(|entry| self.read_pinned(session, name, entry)) {
                Ok(loading) => read.push(loading),
                Err(refusal) if strict => return Err(refusal),
                Err(refusal) => {
                    let text = format!("it is not preloaded: {}", refusal.text);
                    done.notices.push(Notice { skill: name.to_owned(), text, help: refusal.help });
                }
            }
        }
        done.skills = read.iter().map(skill).collect();
        let failed = |error: RenderError| Refusal::new("", RefusalReason::Unreadable, error.to_string());
        done.messages = self.draw_pinned(&read).map_err(failed)?;
        done.notices.extend(read.iter().filter_map(hidden_notice));
        Ok(done)
    }

    /// Finds a skill that a subagent may start with: one that the model may call.
    fn pinned(&self, session: &Session, name: &str) -> Result<&Entry, Refusal> {
        let entry = self.admit(&Call::plain(name, Caller::Model))?;
        match self.calling(session, entry, Caller::Model).action {
            Action::Deny => Err(Refusal::new(name, RefusalReason::Denied, format!("`{name}` is denied"))),
            Action::Allow | Action::Ask => Ok(entry),
        }
    }

    fn read_pinned(&self, session: &Session, name: &str, entry: &Entry) -> Result<Loading, Refusal> {
        let host = &self.view().host;
        let part = host.preload.content.unwrap_or(host.activation.content);
        let mut loading = load_part(self, session, Call::plain(name, Caller::Model), entry.clone(), part)?;
        let reason = "nothing runs before the agent starts";
        loading.replace_commands(|piece| host.texts.command_denied(&piece.written, reason));
        Ok(loading)
    }

    fn draw_pinned(&self, read: &[Loading]) -> Result<Vec<Message>, RenderError> {
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<String> = read.iter().map(Loading::text).collect();
        let skills: Vec<LoadedSkill<'_>> =
            read.iter().zip(&texts).map(|(loading, text)| loaded(self, loading, text)).collect();
        if let Some(text) = preloaded(self.view(), &skills)? {
            return Ok(vec![Message { role: Role::System, text, frame: false }]);
        }
        let mut messages = Vec::new();
        for (loading, text) in read.iter().zip(&texts) {
            // Nobody has called a tool, so that none can have answered.
            let carried = carried(self, loading, text)?;
            messages.extend(carried.into_iter().map(|message| Message { role: Role::User, ..message }));
        }
        Ok(messages)
    }
}

fn skill(loading: &Loading) -> PreloadedSkill {
    let (path, digest) = (loading.entry.skill.path.to_path_buf(), loading.digest.clone());
    PreloadedSkill { name: loading.name(), path, digest }
}
