//! Resolves the dependencies of an activation: variables, servers and logins.
//!
//! Everything is asked for once, for all the skills that need it, and a skill is activated whatever the answer is.

use std::collections::VecDeque;

use openoxide_skills::catalog::Entry;

use super::need::{DependencyReport, MAX_QUESTIONS, Need, needs, too_many};
use super::{servers, variables};
use crate::login::{Login, LoginError, Turn};
use crate::notice::Notice;
use crate::question::{Answer, Question};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::{Reply, Step};

/// The dependencies of an activation, on their way.
#[derive(Default)]
pub(crate) struct Dependencies {
    /// Servers that the user is asked about.
    servers: Vec<servers::RequiredServer>,
    /// Servers that may want a login.
    logins: VecDeque<Login>,
    /// The login that is under way.
    current: Option<Login>,
}

impl Dependencies {
    /// Looks at what the skills need, and says what must be asked.
    pub(crate) fn begin(&mut self, runtime: &Runtime, session: &mut Session, entries: &[&Entry]) -> DependencyReport {
        let needs = needs(entries);
        let mut report = DependencyReport::default();
        if needs.is_empty() {
            return report;
        }
        for need in needs.iter().filter(|need| !need.is(variables::KIND) && !need.is(servers::KIND)) {
            if session.is_news(&format!("dependency {} {}", need.tool.kind, need.tool.value), need.entry.canonical()) {
                let text = format!("it needs `{}` of the kind `{}`", need.tool.value, need.tool.kind);
                let help = "this version knows `env_var` and `mcp`; see to it yourself";
                report.note(&[need.skill()], text, Some(help.to_owned()));
            }
        }
        variables::begin(runtime, session, &needs, &mut report);
        self.begin_servers(runtime, session, &needs, &mut report);
        report
    }

    fn begin_servers(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        needs: &[Need<'_>],
        report: &mut DependencyReport,
    ) {
        let mut asked = 0;
        for wanted in servers::gather(session, needs, report) {
            match servers::decide(runtime, session, &wanted) {
                servers::ServerDecision::There => self.want_login(session, &wanted, report),
                servers::ServerDecision::Left { text, help } => report.note(&wanted.skills, text, help),
                servers::ServerDecision::Allowed { rule } => match servers::add(runtime, &wanted) {
                    Ok(()) => {
                        let text = format!("the server `{}` was added: {}", wanted.name, wanted.target());
                        report.note(&wanted.skills, text, Some(format!("allowed by {rule}")));
                        self.want_login(session, &wanted, report);
                    }
                    Err((text, help)) => report.note(&wanted.skills, text, help),
                },
                servers::ServerDecision::Ask if asked == MAX_QUESTIONS => {
                    report.note(&wanted.skills, too_many(&format!("the server `{}`", wanted.name)), None);
                }
                servers::ServerDecision::Ask => {
                    asked += 1;
                    report.questions.push(wanted.question());
                    self.servers.push(wanted);
                }
            }
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
                let Some(at) = self.servers.iter().position(|wanted| wanted.question() == *question) else {
                    return Vec::new();
                };
                let wanted = self.servers.remove(at);
                match answer {
                    Answer::Once | Answer::Session | Answer::Always => match servers::add(runtime, &wanted) {
                        Ok(()) => {
                            let text = format!("the server `{}` is in your settings now", wanted.name);
                            let undo = format!("undo: openoxide config unset mcp.servers.{}", wanted.name);
                            report.note(&wanted.skills, text, Some(undo));
                            self.want_login(session, &wanted, &mut report);
                        }
                        Err((text, help)) => report.note(&wanted.skills, text, help),
                    },
                    Answer::No | Answer::NotAsked | Answer::Secret(_) => {
                        report.note(&wanted.skills, wanted.missing(), None);
                    }
                }
            }
            _ => {}
        }
        report.notices
    }

    /// Finds out, once in a conversation, whether a server wants a login.
    fn want_login(&mut self, session: &mut Session, wanted: &servers::RequiredServer, report: &mut DependencyReport) {
        let Some(url) = wanted.url() else { return };
        let key = format!("login {url}");
        if session.token(url).is_some() || session.was_asked(&key) {
            return;
        }
        session.note_asked(key);
        match Login::new(&wanted.name, url, wanted.skills.clone()) {
            Ok(login) => self.logins.push_back(login),
            Err(error) => report.note(&wanted.skills, format!("no login to `{}`: {error}", wanted.name), None),
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
        let (skill, server, url) = (login.skills.join(", "), login.server.clone(), login.url().to_owned());
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
