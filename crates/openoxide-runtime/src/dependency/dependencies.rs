//! Resolves the dependencies of an activation: variables, servers and logins.
//!
//! Everything is asked for once, for all the skills that need it, and a skill is activated whatever the answer is.

use std::collections::BTreeSet;

use openoxide_skills::catalog::Entry;

use super::required::{Dependencies, Dependency};
use super::{servers, variables};
use crate::login::{Login, Turn};
use crate::{Answer, LoginError, Notice, Question, Reply, Runtime, Session, Step};

impl Dependencies {
    /// Looks at what the skills need, and finds what must be asked.
    pub(crate) fn begin(&mut self, runtime: &Runtime, session: &mut Session, entries: &[&Entry]) {
        let all = dependencies(entries);
        for unknown in all.iter().filter(|dependency| !dependency.is(variables::KIND) && !dependency.is(servers::KIND))
        {
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
}

/// Returns what skills need, in the order of the calls; a skill that is called twice needs it once.
fn dependencies<'a>(entries: &[&'a Entry]) -> Vec<Dependency<'a>> {
    let mut seen = BTreeSet::new();
    let called = entries.iter().copied().filter(|entry| seen.insert(entry.canonical()));
    called.flat_map(|entry| entry.skill.dependencies.iter().map(move |tool| Dependency { entry, tool })).collect()
}
