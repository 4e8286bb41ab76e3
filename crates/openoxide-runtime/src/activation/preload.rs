//! Preloads the skills that a subagent starts with, as whole texts.

use openoxide_skills::catalog::Entry;
use openoxide_skills::envelope::{LoadedSkill, Message, preloaded};
use openoxide_skills::host::{Caller, Role, Situation};
use openoxide_skills::text::fill;

use super::load::loaded;
use super::static_text::{StaticText, is_denied};
use crate::call::{Call, CallArguments, Refusal, RefusalReason};
use crate::notice::Notice;
use crate::runtime::Runtime;
use crate::session::Session;

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
        let mut names: Vec<&str> = Vec::new();
        for name in self.skills.iter().map(|name| name.trim()).filter(|name| !name.is_empty()) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
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
        let names = self.names_for_model();
        let none = self.view().host.texts.get(Situation::NoSkills).unwrap_or("none");
        let available = if names.is_empty() { none.to_owned() } else { names.join(", ") };
        let text = fill(words, &[("unknown", &groups.join("; ")), ("available", &available)]);
        Err(Refusal { name: all.join(", "), path: None, why: RefusalReason::Unknown, code: None, text, help: None })
    }

    /// Draws what a subagent starts with. Nothing is run: what stands for a command says so.
    pub fn preload(&self, session: &Session, pinned: &Pinned) -> Result<Preloaded, Refusal> {
        self.check_pinned(session, std::slice::from_ref(pinned))?;
        let strict = self.view().host.texts.get(Situation::PreloadUnknown).is_some();
        let mut done = Preloaded::default();
        let mut read = Vec::new();
        for name in pinned.names() {
            match self.pinned(session, name).and_then(|entry| self.read_pinned(session, name, entry)) {
                Ok(static_text) => read.push(static_text),
                Err(refusal) if strict => return Err(refusal),
                Err(refusal) => {
                    let text = format!("it is not preloaded: {}", refusal.text);
                    done.notices.push(Notice { skill: name.to_owned(), text, help: refusal.help });
                }
            }
        }
        done.skills = read.iter().map(skill).collect();
        done.messages = self.draw_pinned(&read)?;
        Ok(done)
    }

    /// Finds a skill that a subagent may start with: one that the model may call.
    fn pinned(&self, session: &Session, name: &str) -> Result<&Entry, Refusal> {
        let call = call(name);
        let entry = self.admit(&call)?;
        if is_denied(self, session, Caller::Model, &entry.skill.name) {
            let text = format!("`{name}` is denied");
            return Err(Refusal {
                name: call.skill,
                path: None,
                why: RefusalReason::Denied,
                code: None,
                text,
                help: None,
            });
        }
        Ok(entry)
    }

    fn read_pinned(&self, session: &Session, name: &str, entry: &Entry) -> Result<StaticText, Refusal> {
        let host = &self.view().host;
        let part = host.preload.content.unwrap_or(host.activation.content);
        let reason = "nothing runs before the agent starts";
        StaticText::read(self, session, call(name), entry, part, |piece| {
            host.texts.command_denied(&piece.written, reason)
        })
    }

    fn draw_pinned(&self, read: &[StaticText]) -> Result<Vec<Message>, Refusal> {
        let failed = |error: openoxide_skills::text::RenderError| Refusal {
            name: String::new(),
            path: None,
            why: RefusalReason::Unreadable,
            code: None,
            text: error.to_string(),
            help: None,
        };
        if read.is_empty() {
            return Ok(Vec::new());
        }
        let texts: Vec<(String, String)> =
            read.iter().map(|static_text| (static_text.content(), static_text.loading.digest())).collect();
        let skills: Vec<LoadedSkill<'_>> = read
            .iter()
            .zip(&texts)
            .map(|(static_text, (text, digest))| {
                loaded(self, &static_text.call, &static_text.entry, &static_text.loading, text, digest)
            })
            .collect();
        if let Some(text) = preloaded(self.view(), &skills).map_err(failed)? {
            return Ok(vec![Message { role: Role::System, text, frame: false }]);
        }
        let mut messages = Vec::new();
        for (static_text, (text, _)) in read.iter().zip(&texts) {
            let carried = static_text.carried(self, text).map_err(failed)?;
            // Nobody has called a tool, so that none can have answered.
            messages.extend(carried.into_iter().map(|message| Message { role: Role::User, ..message }));
        }
        Ok(messages)
    }
}

fn call(name: &str) -> Call {
    Call { skill: name.to_owned(), caller: Caller::Model, arguments: CallArguments::Nothing }
}

fn skill(static_text: &StaticText) -> PreloadedSkill {
    PreloadedSkill {
        name: static_text.entry.skill.name.to_string(),
        path: static_text.entry.skill.path.to_path_buf(),
        digest: static_text.loading.digest(),
    }
}
