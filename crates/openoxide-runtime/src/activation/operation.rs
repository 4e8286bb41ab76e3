//! The activation of skills, from the calls to the messages, in resumable steps.
//!
//! ```text
//! admit ─▶ permission ─▶ dependencies ─▶ load ─▶ permissions ─▶ commands ─▶ envelope ─▶ hooks
//! ```
//!
//! Each stage works on all the skills that are still in, and may put questions or ask for commands to be run; the next
//! stage begins when all of these are answered. Nothing here waits: the driver shows the questions, runs the
//! commands, and resumes with what came of it.

use std::{collections::VecDeque, sync::Arc};

use openoxide_permissions::Action;
use openoxide_sandbox::{Outcome, SandboxError};
use openoxide_skills::catalog::Entry;

use super::shell::{self, CommandDecision};
use super::{finish::finish, load::load, loading::Loading};
use crate::changes::changes_told;
use crate::{
    ActivatedSkill, ActivationOutcome, Answer, Call, Event, Firing, Notice, Question, Refusal, RefusalReason,
    RemoteName, Reply, Resumable, Run, Runtime, Session, Step, dependency::Dependencies, hooks::register,
    remote::RemoteCall, runtime::place_of,
};

/// A call on its way.
enum Candidate {
    Admitted(Call, Box<Entry>),
    Loaded(Box<Loading>),
    Refused(Refusal),
}

/// The stages at which questions are open or commands run, in order.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Admitted,
    Permission,
    Dependencies,
    Permissions,
    Commands,
    Hooks,
}

/// The activation of one or several skills.
pub struct Activation {
    runtime: Arc<Runtime>,
    stage: Stage,
    candidates: Vec<Candidate>,
    questions: VecDeque<Question>,
    dependencies: Dependencies,
    remotes: VecDeque<RemoteCall>,
    /// Hooks of skills that run when the skill is activated.
    firings: VecDeque<Firing>,
    pending: Option<Pending>,
    done: ActivationOutcome,
}

/// What the next reply is about.
enum Pending {
    Question(Question),
    /// The candidate whose command is run.
    Command(usize),
    Login,
    /// The first of the remote calls, or else of the firings.
    Part,
}

impl Resumable for Activation {
    type Output = ActivationOutcome;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<ActivationOutcome> {
        let mut to_part = Reply::Begin;
        match self.pending.take() {
            Some(Pending::Question(question)) => self.answered(session, &question, reply.into_answer()),
            Some(Pending::Command(index)) => self.ran(session, index, reply.into_outcome()),
            Some(Pending::Login) => self.dependencies.resume(session, reply),
            Some(Pending::Part) => to_part = reply,
            None => {}
        }
        loop {
            for notice in std::mem::take(&mut self.dependencies.notices) {
                // An activation that began again says the same again.
                if !self.done.notices.contains(&notice) {
                    self.done.notices.push(notice);
                }
            }
            if let Some(step) = self.next_remote(session, &mut to_part) {
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
            if let Some(step) = self.next_command(session) {
                return step;
            }
            if let Some(step) = self.next_hook(session, &mut to_part) {
                return step;
            }
            if !self.advance(session) {
                return Step::Done(std::mem::take(&mut self.done));
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
                Ok(entry) => candidates.push(Candidate::Admitted(call, Box::new(entry.clone()))),
                Err(refusal) => done.refused.push(refusal),
            }
        }
        let (questions, dependencies, firings) = (VecDeque::new(), Dependencies::default(), VecDeque::new());
        let stage = Stage::Admitted;
        Activation { runtime, stage, candidates, questions, dependencies, remotes, firings, pending: None, done }
    }

    /// Begins again on another runtime, because files, settings or rules changed while a question was open. What people
    /// were to be told is kept: a conversation gets each notice once.
    pub fn restart(&mut self, runtime: Arc<Runtime>, calls: Vec<Call>) {
        let notices = std::mem::take(&mut self.done.notices);
        *self = Activation::new(runtime, calls);
        self.done.notices = notices;
    }

    /// Begins the next stage; returns false if there is none.
    fn advance(&mut self, session: &mut Session) -> bool {
        self.stage = match self.stage {
            Stage::Admitted => {
                self.ask_permission(session);
                Stage::Permission
            }
            Stage::Permission => {
                self.ask_dependencies(session);
                Stage::Dependencies
            }
            Stage::Dependencies => {
                self.load(session);
                self.ask_for_permissions(session);
                Stage::Permissions
            }
            Stage::Permissions => Stage::Commands,
            Stage::Commands => {
                self.finish(session);
                Stage::Hooks
            }
            Stage::Hooks => return false,
        };
        true
    }

    fn ask(&mut self, questions: impl IntoIterator<Item = Question>) {
        for question in questions {
            if !self.questions.contains(&question) {
                self.questions.push_back(question);
            }
        }
    }

    fn ask_permission(&mut self, session: &Session) {
        let mut questions = Vec::new();
        for candidate in &mut self.candidates {
            let Candidate::Admitted(call, entry) = candidate else { continue };
            let name = entry.skill.name.to_string();
            let decision = self.runtime.calling(session, entry, call.caller);
            match decision.action {
                Action::Allow => {}
                Action::Ask => questions.push(Question::call(entry)),
                Action::Deny => {
                    let rule = decision.rule.map(|rule| format!(" by `{}` in {}", rule.pattern, rule.origin));
                    candidate.refuse(RefusalReason::Denied, format!("`{name}` is denied{}", rule.unwrap_or_default()));
                }
            }
        }
        self.ask(questions);
    }

    /// Asks once for everything that the skills need besides their text.
    fn ask_dependencies(&mut self, session: &mut Session) {
        let entries = self.candidates.iter().filter_map(|candidate| match candidate {
            Candidate::Admitted(_, entry) => Some(&**entry),
            _ => None,
        });
        self.dependencies.begin(&self.runtime, session, &entries.collect::<Vec<_>>());
        let questions = std::mem::take(&mut self.dependencies.questions);
        self.ask(questions);
    }

    fn load(&mut self, session: &Session) {
        let load = |candidate| match candidate {
            Candidate::Admitted(call, entry) => match load(&self.runtime, session, call, *entry) {
                Ok(loading) => Candidate::Loaded(Box::new(loading)),
                Err(refusal) => Candidate::Refused(refusal),
            },
            other => other,
        };
        self.candidates = std::mem::take(&mut self.candidates).into_iter().map(load).collect();
    }

    /// Asks once for everything that each skill would do and may not yet.
    fn ask_for_permissions(&mut self, session: &Session) {
        let loaded = self.candidates.iter_mut().filter_map(Candidate::loaded);
        let questions = loaded.filter_map(|loading| self.runtime.decide_permissions(session, loading));
        let questions: Vec<Question> = questions.collect();
        self.ask(questions);
    }

    fn next_command(&mut self, session: &Session) -> Option<Step<ActivationOutcome>> {
        if self.stage != Stage::Commands {
            return None;
        }
        for (index, candidate) in self.candidates.iter_mut().enumerate() {
            while let Some(decision) =
                candidate.loaded().and_then(|loading| shell::next(&self.runtime, session, loading))
            {
                if let Some(run) = candidate.decided(decision) {
                    self.pending = Some(Pending::Command(index));
                    return Some(Step::Run(run));
                }
            }
        }
        None
    }

    /// Goes on with the calls of skills that servers offer.
    fn next_remote(&mut self, session: &mut Session, reply: &mut Reply) -> Option<Step<ActivationOutcome>> {
        while let Some(remote) = self.remotes.front_mut() {
            match remote.resume(&self.runtime, session, std::mem::take(reply)).into_result() {
                Ok(Ok(activated)) => self.done.activated.push(activated),
                Ok(Err(refusal)) => self.done.refused.push(refusal),
                Err(step) => {
                    self.pending = Some(Pending::Part);
                    return Some(step);
                }
            }
            self.remotes.pop_front();
        }
        None
    }

    /// Goes on with the hooks of the skills that were activated.
    fn next_hook(&mut self, session: &mut Session, reply: &mut Reply) -> Option<Step<ActivationOutcome>> {
        while let Some(firing) = self.firings.front_mut() {
            match firing.resume(session, std::mem::take(reply)).into_result() {
                Ok(mut verdict) => {
                    self.done.notices.append(&mut verdict.notices);
                    self.done.verdict.add(verdict);
                    self.firings.pop_front();
                }
                Err(step) => {
                    debug_assert!(matches!(step, Step::Run(..)), "a hook only runs commands");
                    self.pending = Some(Pending::Part);
                    return Some(step);
                }
            }
        }
        None
    }

    fn ran(&mut self, session: &Session, index: usize, outcome: Result<Outcome, SandboxError>) {
        let view = self.runtime.view();
        let Some(candidate) = self.candidates.get_mut(index) else { return };
        let Some(loading) = candidate.loaded() else { return };
        let Some(piece) = loading.expanded.commands().nth(loading.outputs.len()) else { return };
        let trouble = shell::trouble(view, piece, &outcome);
        let changes = outcome.as_ref().map_or(Vec::new(), |done| changes_told(&piece.command, &done.changes));
        let decision = shell::ran(view, session, &loading.entry, piece, outcome);
        loading.troubles.extend(trouble.into_iter().chain(changes));
        candidate.decided(decision);
    }

    fn answered(&mut self, session: &mut Session, question: &Question, answer: Answer) {
        match question {
            Question::Permission { subject, .. } if answer.is_yes() => {
                let kept = self.runtime.keep_answer(session, question, &answer);
                self.done.notices.extend(Notice::unless_kept(subject, kept));
            }
            Question::Permission { subject, place, .. } => {
                for candidate in &mut self.candidates {
                    if matches!(candidate, Candidate::Admitted(_, entry) if place_of(entry) == *place) {
                        candidate.refuse(RefusalReason::Rejected, format!("calling `{subject}` was not allowed"));
                    }
                }
            }
            Question::RequestedPermissions { path, digest, permissions, .. } => {
                let mut kept = Ok(());
                for loading in self.candidates.iter_mut().filter_map(Candidate::loaded) {
                    // The folder may have changed between two calls of the same skill.
                    if loading.entry.canonical() == path && loading.digest == *digest && answer.is_yes() {
                        kept = self.runtime.grant_permissions(session, loading, permissions, &answer);
                    }
                }
                self.done.notices.extend(Notice::unless_kept("trust", kept));
            }
            // No skill changes settings.
            Question::Setting { .. } => {}
            Question::Secret { .. } | Question::Server { .. } | Question::Remote { .. } | Question::Login { .. } => {
                self.dependencies.answered(&self.runtime, session, question, answer);
            }
        }
    }

    fn finish(&mut self, session: &mut Session) {
        for candidate in std::mem::take(&mut self.candidates) {
            let mut loading = match candidate {
                Candidate::Loaded(loading) => loading,
                Candidate::Refused(refusal) => {
                    self.done.refused.push(refusal);
                    continue;
                }
                Candidate::Admitted(..) => continue,
            };
            match finish(&self.runtime, session, &loading) {
                Ok((activated, notices)) => {
                    self.done.notices.extend(notices);
                    self.done.notices.extend(register(&self.runtime, session, &mut loading));
                    self.greet(session, &activated);
                    self.done.activated.push(activated);
                }
                Err(refusal) => self.done.refused.push(refusal),
            }
        }
    }

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
    fn loaded(&mut self) -> Option<&mut Loading> {
        if let Candidate::Loaded(loading) = self { Some(loading) } else { None }
    }

    fn refuse(&mut self, why: RefusalReason, text: String) {
        let (call, entry) = match self {
            Candidate::Admitted(call, entry) => (&*call, &**entry),
            Candidate::Loaded(loading) => (&loading.call, &loading.entry),
            Candidate::Refused(_) => return,
        };
        *self = Candidate::Refused(Refusal::new(&call.skill, why, text).of(entry));
    }

    /// Puts the text of a command in its place, or refuses the call; returns what is to be run.
    fn decided(&mut self, decision: CommandDecision) -> Option<Box<Run>> {
        match decision {
            CommandDecision::Run(run) => return Some(run),
            CommandDecision::Abort(text) => self.refuse(RefusalReason::CommandFailed, text),
            CommandDecision::Text(text) => self.loaded()?.outputs.push(text),
        }
        None
    }
}
