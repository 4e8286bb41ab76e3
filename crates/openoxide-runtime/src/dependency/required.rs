//! What skills depend on, as values, with the questions and notices about it.

use std::collections::VecDeque;

use openoxide_config::McpServer;
use openoxide_skills::{catalog::Entry, skill::ToolDependency};

use crate::login::Login;
use crate::{Notice, Question};

/// The most questions of one kind that an activation puts, so that no skill can bury the user in them.
pub(super) const MAX_QUESTIONS: usize = 20;

/// The dependencies of an activation, on their way.
#[derive(Default)]
pub(crate) struct Dependencies {
    /// What the user must be asked, and what people should know. The activation takes both.
    pub(crate) questions: Vec<Question>,
    pub(crate) notices: Vec<Notice>,
    /// Servers that the user is asked about.
    pub(super) servers: Vec<RequiredServer>,
    /// Servers that may want a login; the first is under way.
    pub(super) logins: VecDeque<Login>,
}

impl Dependencies {
    pub(super) fn note(&mut self, skills: &[String], text: String, help: Option<String>) {
        self.notices.push(Notice { skill: skills.join(", "), text, help });
    }
}

/// One thing that one skill needs.
pub(super) struct Dependency<'a> {
    pub(super) entry: &'a Entry,
    pub(super) tool: &'a ToolDependency,
}

impl Dependency<'_> {
    pub(super) fn skill(&self) -> String {
        self.entry.skill.name.to_string()
    }

    pub(super) fn is(&self, kind: &str) -> bool {
        self.tool.kind.eq_ignore_ascii_case(kind)
    }
}

/// One thing, and all the skills that need it, sorted.
pub(super) struct Required<T> {
    pub(super) name: String,
    pub(super) what: T,
    pub(super) about: Option<String>,
    pub(super) skills: Vec<String>,
}

pub(super) type RequiredServer = Required<McpServer>;

/// Adds what a skill needs to what all of them need. The same thing is there once.
pub(super) fn require<T: PartialEq>(all: &mut Vec<Required<T>>, dependency: &Dependency<'_>, what: T) {
    let about = dependency.tool.description.clone();
    let Some(required) = all.iter_mut().find(|required| required.what == what) else {
        let (name, skills) = (dependency.tool.value.clone(), vec![dependency.skill()]);
        return all.push(Required { name, what, about, skills });
    };
    required.about = required.about.take().or(about);
    if let Err(place) = required.skills.binary_search(&dependency.skill()) {
        required.skills.insert(place, dependency.skill());
    }
}

pub(super) fn too_many(what: &str) -> String {
    format!("{what} is missing, and was not asked for: more than {MAX_QUESTIONS} questions at once")
}
