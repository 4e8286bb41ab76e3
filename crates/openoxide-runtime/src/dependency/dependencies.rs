//! The dependencies of an activation: variables, servers and logins.
//!
//! Everything is asked for once, for all the skills that need it, and a skill is activated whatever the answer is.

use std::collections::{BTreeSet, VecDeque};

use openoxide_config::McpServer;
use openoxide_skills::{catalog::Entry, skill::ToolDependency};

use crate::login::{Login, Turn};
use crate::{Answer, LoginError, Notice, Question, Reply, Runtime, Session, Step};

/// What a metadata file calls a variable.
pub(super) const VARIABLE: &str = "env_var";
/// What a metadata file calls a server.
pub(super) const SERVER: &str = "mcp";

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
    /// Looks at what the skills need, and finds what must be asked.
    pub(crate) fn begin(&mut self, runtime: &Runtime, session: &mut Session, entries: &[&Entry]) {
        let all = dependencies(entries);
        for unknown in all.iter().filter(|dependency| !dependency.is(VARIABLE) && !dependency.is(SERVER)) {
            let (kind, value) = (&unknown.tool.kind, &unknown.tool.value);
            if session.is_news(&format!("dependency {kind} {value}"), unknown.entry.canonical()) {
                let text = format!("it needs `{value}` of the kind `{kind}`");
                let help = "this version knows `env_var` and `mcp`; see to it yourself";
                self.note(&[unknown.skill()], text, Some(help.to_owned()));
            }
        }
        self.begin_variables(runtime, session, &all);
        self.begin_servers(runtime, session, &all);
    }

    /// Takes the answer to a question of ours.
    pub(crate) fn answered(&mut self, runtime: &Runtime, session: &mut Session, question: &Question, answer: Answer) {
        session.asked.insert(question.key());
        match question {
            Question::Secret { variable, skills, .. } => self.variable_answered(session, variable, skills, answer),
            Question::Server { .. } => self.server_answered(runtime, session, question, &answer),
            _ => {}
        }
    }

    /// Returns what the login that is under way needs.
    pub(crate) fn next<T>(&self) -> Option<Step<T>> {
        self.logins.front().map(Login::step)
    }

    /// Goes on with the login that is under way.
    pub(crate) fn resume(&mut self, session: &mut Session, reply: Reply) {
        let Some(login) = self.logins.pop_front() else { return };
        let (skill, server, url) = (login.skills.join(", "), login.server.clone(), login.url.clone());
        match login.resume(reply) {
            Ok(Turn::Go(login)) => self.logins.push_front(*login),
            Ok(Turn::Token(token)) => drop(session.tokens.insert(url, token)),
            // Nobody sends requests here, so nobody knows.
            Ok(Turn::Unneeded) | Err(LoginError::NotTried) => {}
            Err(error) => {
                let text = format!("nobody is logged in to `{server}`: {error}");
                self.notices.push(Notice { skill, text, help: error.hint().map(str::to_owned) });
            }
        }
    }

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

/// Returns what skills need, in the order of the calls; a skill that is called twice needs it once.
fn dependencies<'a>(entries: &[&'a Entry]) -> Vec<Dependency<'a>> {
    let mut seen = BTreeSet::new();
    let called = entries.iter().copied().filter(|entry| seen.insert(entry.canonical()));
    let tools = |entry: &'a Entry| entry.skill.dependencies.iter().flat_map(|all| &all.tools);
    called.flat_map(|entry| tools(entry).map(move |tool| Dependency { entry, tool })).collect()
}
