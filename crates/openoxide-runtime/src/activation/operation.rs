//! The activation of skills, from the calls to the messages, in resumable steps.
//!
//! ```text
//! admit ─▶ permission ─▶ dependencies ─▶ load ─▶ permissions ─▶ commands ─▶ envelope ─▶ hooks
//! ```
//!
//! Each stage works on all the skills that are still in, and may put questions or ask for commands to be run; the next
//! stage begins when all of these are answered. Nothing here waits: the driver shows the questions, runs the
//! commands, and resumes with what came of it.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use openoxide_config::TrustError;
use openoxide_permissions::{Action, Permission};
use openoxide_sandbox::{Outcome, SandboxError};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::Caller;

use super::finish::{finish, notices};
use super::load::load;
use super::loading::Loading;
use super::outcome::{ActivatedSkill, ActivationOutcome};
use super::shell::{self, CommandDecision};
use crate::call::{Call, Refusal, RefusalReason};
use crate::dependency::Dependencies;
use crate::hooks::{Event, Firing, register};
use crate::notice::Notice;
use crate::permission::RequestedPermission;
use crate::question::{Answer, Question};
use crate::remote::{RemoteCall, RemoteName, RemoteStep};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::{Reply, Resumable, Run, Step};

/// A call on its way.
pub(crate) struct Candidate {
    pub(crate) call: Call,
    pub(crate) entry: Entry,
    /// What was read, once it was.
    pub(crate) loading: Option<Loading>,
    /// Why it goes no further.
    refusal: Option<Refusal>,
}

/// The stages, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Stage {
    Admitted,
    Permission,
    Dependencies,
    Load,
    Permissions,
    Commands,
    Envelope,
    Hooks,
}

impl Stage {
    fn next(self) -> Option<Stage> {
        match self {
            Stage::Admitted => Some(Stage::Permission),
            Stage::Permission => Some(Stage::Dependencies),
            Stage::Dependencies => Some(Stage::Load),
            Stage::Load => Some(Stage::Permissions),
            Stage::Permissions => Some(Stage::Commands),
            Stage::Commands => Some(Stage::Envelope),
            Stage::Envelope => Some(Stage::Hooks),
            Stage::Hooks => None,
        }
    }
}

/// The activation of one or several skills.
pub struct Activation {
    runtime: Arc<Runtime>,
    stage: Stage,
    candidates: Vec<Candidate>,
    questions: VecDeque<Question>,
    dependencies: Dependencies,
    /// Calls of skills that MCP servers offer.
    remotes: VecDeque<RemoteCall>,
    /// Skills that want to know that they were activated.
    firings: VecDeque<Firing>,
    /// The question, the candidate whose command is run, or the login, that the next reply is about.
    pending: Option<Pending>,
    done: ActivationOutcome,
}

enum Pending {
    Question(Question),
    Command(usize),
    Login,
    Hook,
    Remote,
}

impl Resumable for Activation {
    type Output = ActivationOutcome;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<ActivationOutcome> {
        let (mut to_hook, mut to_remote) = (Reply::Begin, Reply::Begin);
        match (self.pending.take(), reply) {
            (Some(Pending::Question(question)), Reply::Answer(answer)) => self.answered(session, &question, answer),
            // A reply to something else is no answer.
            (Some(Pending::Question(question)), _) => self.answered(session, &question, Answer::No),
            (Some(Pending::Command(index)), Reply::Ran(outcome)) => self.ran(session, index, outcome),
            (Some(Pending::Command(index)), _) => {
                self.ran(session, index, Err(std::io::Error::other("it was not run").into()));
            }
            (Some(Pending::Login), reply) => self.done.notices.extend(self.dependencies.resume(session, reply)),
            (Some(Pending::Hook), reply) => to_hook = reply,
            (Some(Pending::Remote), reply) => to_remote = reply,
            (None, _) => {}
        }
        loop {
            if let Some(step) = self.next_remote(session, std::mem::replace(&mut to_remote, Reply::Begin)) {
                return step;
            }
            if let Some(question) = self.questions.pop_front() {
                self.pending = Some(Pending::Question(question.clone()));
                return Step::Ask(question);
            }
            if let Some(step) = self.dependencies.next() {
                self.pending = Some(Pending::Login);
                return step;
            }
            if let Some(run) = self.next_command(session) {
                return Step::Run(Box::new(run));
            }
            if let Some(run) = self.next_hook(session, std::mem::replace(&mut to_hook, Reply::Begin)) {
                return Step::Run(Box::new(run));
            }
            match self.stage.next() {
                None => return Step::Done(std::mem::take(&mut self.done)),
                Some(stage) => {
                    self.stage = stage;
                    self.enter(session);
                }
            }
        }
    }
}

impl Activation {
    /// Begins: finds the skills that the calls mean.
    pub fn new(runtime: Arc<Runtime>, calls: Vec<Call>) -> Activation {
        let mut candidates = Vec::new();
        let mut done = ActivationOutcome::default();
        let mut remotes = VecDeque::new();
        for call in calls {
            if let Some(name) = RemoteName::parse(&call.skill) {
                remotes.push_back(RemoteCall::new(name, call));
                continue;
            }
            match runtime.admit(&call) {
                Ok(entry) => candidates.push(Candidate { entry: entry.clone(), call, loading: None, refusal: None }),
                Err(refusal) => done.refused.push(refusal),
            }
        }
        let (questions, dependencies, firings) = (VecDeque::new(), Dependencies::default(), VecDeque::new());
        let stage = Stage::Admitted;
        Activation { runtime, stage, candidates, questions, dependencies, remotes, firings, pending: None, done }
    }

    fn enter(&mut self, session: &mut Session) {
        match self.stage {
            Stage::Admitted | Stage::Commands | Stage::Hooks => {}
            Stage::Permission => self.ask_permission(session),
            Stage::Dependencies => self.ask_dependencies(session),
            Stage::Load => self.load(session),
            Stage::Permissions => self.ask_for_permissions(session),
            Stage::Envelope => self.finish(session),
        }
    }

    fn ask(&mut self, question: Question) {
        if !self.questions.contains(&question) {
            self.questions.push_back(question);
        }
    }

    fn ask_permission(&mut self, session: &Session) {
        let free = self.runtime.view().host.activation.user_needs_no_permission;
        let mut questions = Vec::new();
        for candidate in &mut self.candidates {
            let name = candidate.entry.skill.name.to_string();
            if candidate.call.caller == Caller::User && free {
                continue;
            }
            let decision = self.runtime.decide(session, Permission::Skill, &name);
            match decision.action {
                Action::Allow => {}
                Action::Ask => questions.push(Question::Permission {
                    permission: Permission::Skill.as_str().to_owned(),
                    subject: name.clone(),
                    skill: name,
                }),
                Action::Deny => {
                    let rule = decision.rule.map(|rule| format!(" by `{}` in {}", rule.pattern, rule.origin));
                    candidate.refuse(RefusalReason::Denied, format!("`{name}` is denied{}", rule.unwrap_or_default()));
                }
            }
        }
        for question in questions {
            self.ask(question);
        }
    }

    /// Asks once for everything that the skills need besides their text.
    fn ask_dependencies(&mut self, session: &mut Session) {
        let in_it = self.candidates.iter().filter(|candidate| candidate.refusal.is_none());
        let entries: Vec<&Entry> = in_it.map(|candidate| &candidate.entry).collect();
        let talk = self.dependencies.begin(&self.runtime, session, &entries);
        self.done.notices.extend(talk.notices);
        talk.questions.into_iter().for_each(|question| self.ask(question));
    }

    fn load(&mut self, session: &Session) {
        for candidate in self.candidates.iter_mut().filter(|candidate| candidate.refusal.is_none()) {
            match load(&self.runtime, session, &candidate.call, &candidate.entry) {
                Ok(loading) => candidate.loading = Some(loading),
                Err(refusal) => candidate.refusal = Some(refusal),
            }
        }
    }

    /// Asks once for everything that each skill would do and may not yet.
    fn ask_for_permissions(&mut self, session: &Session) {
        let runtime = Arc::clone(&self.runtime);
        let mut questions = Vec::new();
        for (entry, loading) in self.candidates.iter_mut().filter_map(Candidate::loaded) {
            let decision = runtime.decide_permissions(session, entry, loading);
            loading.granted = decision.granted;
            if decision.asked.is_empty() {
                continue;
            }
            questions.push(Question::RequestedPermissions {
                skill: entry.skill.name.to_string(),
                path: entry.canonical().to_owned(),
                digest: loading.digest(),
                changed: decision.changed,
                permissions: decision.asked,
            });
        }
        for question in questions {
            self.ask(question);
        }
    }

    fn next_command(&mut self, session: &Session) -> Option<Run> {
        if self.stage != Stage::Commands {
            return None;
        }
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            while let Some(loading) = candidate.loading.as_mut().filter(|_| candidate.refusal.is_none()) {
                let fate = shell::next(&self.runtime, session, &candidate.entry, loading);
                match fate {
                    None => break,
                    Some(CommandDecision::Text(text)) => loading.outputs.push(text),
                    Some(CommandDecision::Abort(text)) => candidate.refuse(RefusalReason::CommandFailed, text),
                    Some(CommandDecision::Run(run)) => {
                        self.pending = Some(Pending::Command(index));
                        return Some(*run);
                    }
                }
            }
        }
        None
    }

    /// Goes on with the calls of skills that servers offer.
    fn next_remote(&mut self, session: &mut Session, mut reply: Reply) -> Option<Step<ActivationOutcome>> {
        while let Some(remote) = self.remotes.front_mut() {
            match remote.resume(&self.runtime, session, std::mem::replace(&mut reply, Reply::Begin)) {
                RemoteStep::Ask(question) => {
                    self.pending = Some(Pending::Remote);
                    return Some(Step::Ask(question));
                }
                RemoteStep::Fetch(fetch) => {
                    self.pending = Some(Pending::Remote);
                    return Some(Step::Fetch(fetch));
                }
                RemoteStep::Done(Ok(activated)) => {
                    self.done.activated.push(activated);
                    self.remotes.pop_front();
                }
                RemoteStep::Done(Err(refusal)) => {
                    self.done.refused.push(refusal);
                    self.remotes.pop_front();
                }
            }
        }
        None
    }

    /// Goes on with the hooks of the skills that were activated.
    fn next_hook(&mut self, session: &mut Session, mut reply: Reply) -> Option<Run> {
        while let Some(firing) = self.firings.front_mut() {
            match firing.resume(session, std::mem::replace(&mut reply, Reply::Begin)) {
                Step::Run(run) => {
                    self.pending = Some(Pending::Hook);
                    return Some(*run);
                }
                // Hooks only run commands.
                Step::Ask(_) | Step::Login(_) | Step::Fetch(_) => drop(self.firings.pop_front()),
                Step::Done(mut verdict) => {
                    self.done.notices.append(&mut verdict.notices);
                    self.done.verdict.add(verdict);
                    self.firings.pop_front();
                }
            }
        }
        None
    }

    fn ran(&mut self, session: &Session, index: usize, outcome: Result<Outcome, SandboxError>) {
        let view = self.runtime.view();
        let Some(candidate) = self.candidates.get_mut(index) else { return };
        let Some(loading) = candidate.loading.as_mut() else { return };
        let Some(piece) = loading.expanded.commands().nth(loading.outputs.len()) else { return };
        let trouble = shell::trouble(view, piece, &outcome);
        let fate = shell::ran(view, session, &candidate.entry, piece, outcome);
        loading.troubles.extend(trouble);
        match fate {
            CommandDecision::Text(text) => loading.outputs.push(text),
            CommandDecision::Abort(text) => candidate.refuse(RefusalReason::CommandFailed, text),
            // What ran does not run again.
            CommandDecision::Run(_) => {}
        }
    }

    fn answered(&mut self, session: &mut Session, question: &Question, answer: Answer) {
        match question {
            Question::Permission { subject, .. } => self.permitted(session, subject, &answer),
            Question::RequestedPermissions { path, digest, permissions, .. } => {
                self.permissions_answered(session, path, digest, permissions, &answer);
            }
            // No skill changes settings.
            Question::Setting { .. } => {}
            Question::Secret { .. } | Question::Server { .. } | Question::Remote { .. } | Question::Login { .. } => {
                self.done.notices.extend(self.dependencies.answered(&self.runtime, session, question, answer));
            }
        }
    }

    fn permitted(&mut self, session: &mut Session, name: &str, answer: &Answer) {
        match answer {
            Answer::Session => session.allow(Permission::Skill, name),
            Answer::Always => self.note_failure(name, self.runtime.remember(Permission::Skill, name)),
            Answer::Once => {}
            Answer::No | Answer::NotAsked | Answer::Secret(_) => {
                for candidate in self.candidates.iter_mut().filter(|candidate| *candidate.entry.skill.name == *name) {
                    candidate.refuse(RefusalReason::Rejected, format!("calling `{name}` was not allowed"));
                }
            }
        }
    }

    fn permissions_answered(
        &mut self,
        session: &mut Session,
        path: &Path,
        digest: &str,
        permissions: &[RequestedPermission],
        answer: &Answer,
    ) {
        let runtime = Arc::clone(&self.runtime);
        let mut failed = None;
        for (entry, loading) in self.candidates.iter_mut().filter_map(Candidate::loaded) {
            // The folder may have changed between two calls of the same skill.
            if entry.canonical() != path || loading.digest() != digest || !answer.is_yes() {
                continue;
            }
            loading.granted.extend_from_slice(permissions);
            failed = Some(runtime.store_permissions(session, entry, digest, permissions, answer));
        }
        if let Some(outcome) = failed {
            self.note_failure("trust", outcome);
        }
    }

    /// An answer that cannot be written down counts for now, and that is said.
    fn note_failure(&mut self, skill: &str, outcome: Result<(), TrustError>) {
        if let Err(error) = outcome {
            let help = error.hint();
            self.done.notices.push(Notice {
                skill: skill.to_owned(),
                text: format!("the answer is not remembered: {error}"),
                help,
            });
        }
    }

    fn finish(&mut self, session: &mut Session) {
        for mut candidate in std::mem::take(&mut self.candidates) {
            if let Some(refusal) = candidate.refusal.take() {
                self.done.refused.push(refusal);
                continue;
            }
            let Some(mut loading) = candidate.loading.take() else { continue };
            match finish(&self.runtime, session, &candidate.call, &candidate.entry, &loading) {
                Ok((activated, attached)) => {
                    self.done.notices.extend(notices(session, &candidate.entry, &loading));
                    self.done.notices.extend(attached);
                    self.done.notices.extend(register(&self.runtime, session, &candidate.entry, &mut loading));
                    self.greet(session, &activated);
                    self.done.activated.push(activated);
                }
                Err(refusal) => self.done.refused.push(refusal),
            }
        }
    }
}

impl Activation {
    /// Lets a skill run what it has for being activated.
    fn greet(&mut self, session: &Session, activated: &ActivatedSkill) {
        if session.hooks.greets(&activated.name) {
            let event = Event::SkillActivated {
                skill: activated.name.clone(),
                caller: activated.caller,
                arguments: activated.arguments.clone(),
            };
            self.firings.push_back(Firing::new(Arc::clone(&self.runtime), event));
        }
    }
}

impl Candidate {
    /// Returns what was read, if it is still in.
    fn loaded(&mut self) -> Option<(&Entry, &mut Loading)> {
        let loading = self.loading.as_mut().filter(|_| self.refusal.is_none())?;
        Some((&self.entry, loading))
    }

    fn refuse(&mut self, why: RefusalReason, text: String) {
        let path = Some(self.entry.skill.path.to_path_buf());
        let name = self.call.skill.clone();
        self.refusal = Some(Refusal { name, path, why, code: None, text, help: None });
    }
}
