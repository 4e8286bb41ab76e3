//! Resolves the dependencies of an activation: variables, servers and logins.
//!
//! Everything is asked for once, for all the skills that need it, and a skill is activated whatever the answer is.

use std::collections::VecDeque;

use openoxide_skills::catalog::Entry;

use super::required::{Dependency, DependencyReport, MAX_QUESTIONS, dependencies, too_many};
use super::servers::{RequiredServer, ServerDecision};
use super::{servers, variables};
use crate::login::{Login, Turn};
use crate::{Answer, LoginError, Notice, Question, Reply, Runtime, Session, Step};

/// The dependencies of an activation, on their way.
#[derive(Default)]
pub(crate) struct Dependencies {
    /// Servers that the user is asked about.
    servers: Vec<RequiredServer>,
    /// Servers that may want a login.
    logins: VecDeque<Login>,
    /// The login that is under way.
    current: Option<Login>,
}

impl Dependencies {
    /// Looks at what the skills need, and says what must be asked.
    pub(crate) fn begin(&mut self, runtime: &Runtime, session: &mut Session, entries: &[&Entry]) -> DependencyReport {
        let all = dependencies(entries);
        let mut report = DependencyReport::default();
        for unknown in all.iter().filter(|dependency| !dependency.is(variables::KIND) && !dependency.is(servers::KIND))
        {
            let (kind, value) = (&unknown.tool.kind, &unknown.tool.value);
            if session.is_news(&format!("dependency {kind} {value}"), unknown.entry.canonical()) {
                let text = format!("it needs `{value}` of the kind `{kind}`");
                let help = "this version knows `env_var` and `mcp`; see to it yourself";
                report.note(&[unknown.skill()], text, Some(help.to_owned()));
            }
        }
        variables::begin(runtime, session, &all, &mut report);
        self.begin_servers(runtime, session, &all, &mut report);
        report
    }

    fn begin_servers(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        dependencies: &[Dependency<'_>],
        report: &mut DependencyReport,
    ) {
        let mut asked = 0;
        for required in servers::gather(session, dependencies, report) {
            match servers::decide(runtime, session, &required) {
                ServerDecision::There => self.want_login(session, &required, report),
                ServerDecision::Left(text) => report.note(&required.skills, text, None),
                ServerDecision::Allowed { rule } => {
                    let text = format!("the server `{}` was added: {}", required.name, required.target());
                    self.add_server(runtime, session, &required, report, (text, format!("allowed by {rule}")));
                }
                ServerDecision::Ask if asked == MAX_QUESTIONS => {
                    report.note(&required.skills, too_many(&format!("the server `{}`", required.name)), None);
                }
                ServerDecision::Ask => {
                    asked += 1;
                    report.questions.push(required.question());
                    self.servers.push(required);
                }
            }
        }
    }

    /// Adds a server to the user's settings; `(text, help)` is what is said if that succeeds.
    fn add_server(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        required: &RequiredServer,
        report: &mut DependencyReport,
        (text, help): (String, String),
    ) {
        match servers::add(runtime, required) {
            Ok(()) => {
                report.note(&required.skills, text, Some(help));
                self.want_login(session, required, report);
            }
            Err(text) => report.note(&required.skills, text, None),
        }
    }

    /// Takes the answer to a question of ours.
    pub(crate) fn answered(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        question: &Question,
        answer: Answer,
    ) -> Vec<Notice> {
        let mut report = DependencyReport::default();
        session.note_asked(question.key());
        match question {
            Question::Secret { variable, skills, .. } => {
                variables::answered(session, variable, skills, answer, &mut report);
            }
            Question::Server { .. } => {
                let Some(at) = self.servers.iter().position(|required| required.question() == *question) else {
                    return Vec::new();
                };
                let required = self.servers.remove(at);
                if answer.is_yes() {
                    let text = format!("the server `{}` is in your settings now", required.name);
                    let undo = format!("undo: openoxide config unset mcp.servers.{}", required.name);
                    self.add_server(runtime, session, &required, &mut report, (text, undo));
                } else {
                    report.note(&required.skills, required.missing(), None);
                }
            }
            _ => {}
        }
        report.notices
    }

    /// Finds out, once in a conversation, whether a server wants a login.
    fn want_login(&mut self, session: &mut Session, required: &RequiredServer, report: &mut DependencyReport) {
        let Some(url) = required.url() else { return };
        let key = format!("login {url}");
        if session.token(url).is_some() || session.was_asked(&key) {
            return;
        }
        session.note_asked(key);
        match Login::new(&required.name, url, required.skills.clone()) {
            Ok(login) => self.logins.push_back(login),
            Err(error) => report.note(&required.skills, format!("no login to `{}`: {error}", required.name), None),
        }
    }

    /// Returns what the login that is under way, or the next one, needs.
    pub(crate) fn next<T>(&mut self) -> Option<Step<T>> {
        if self.current.is_none() {
            self.current = self.logins.pop_front();
        }
        self.current.as_ref().map(Login::step)
    }

    /// Goes on with a login; returns what people should know.
    pub(crate) fn resume(&mut self, session: &mut Session, reply: Reply) -> Option<Notice> {
        let login = self.current.take()?;
        let (skill, server, url) = (login.skills.join(", "), login.server.clone(), login.url.clone());
        match login.resume(reply) {
            Ok(Turn::Go(login)) => self.current = Some(*login),
            Ok(Turn::Token(token)) => session.keep_token(&url, token),
            // Nobody sends requests here, so nobody knows.
            Ok(Turn::Unneeded) | Err(LoginError::NotTried) => {}
            Err(error) => {
                let text = format!("nobody is logged in to `{server}`: {error}");
                return Some(Notice { skill, text, help: error.hint().map(str::to_owned) });
            }
        }
        None
    }
}
