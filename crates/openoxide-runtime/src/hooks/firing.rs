//! The firing of hooks, from an event to a verdict, in resumable steps.

use std::{collections::VecDeque, sync::Arc, time::Duration};

use openoxide_sandbox::{Command, Outcome, SandboxError};
use openoxide_skills::host::{HookFolder, HookRules, HookScope, Once, Variable};
use openoxide_skills::text::path_text;
use serde_json::{Map, Value};

use super::output::Listener;
use super::registry::{Hook, RegisteredSkill};
use crate::dependency::{redact, set_variables};
use crate::{Deactivation, Event, Notice, Reply, Resumable, Run, Runtime, Session, Step, Verdict};

/// An event on its way through the hooks of a session.
///
/// Hooks run one after another, in the order in which their skills were activated; each gets the event as it was.
pub struct Firing {
    runtime: Arc<Runtime>,
    event: Arc<Event>,
    more: Map<String, Value>,
    begun: bool,
    concluded: bool,
    jobs: VecDeque<Job>,
    running: Option<Job>,
    took: Duration,
    verdict: Verdict,
}

struct Job {
    skill: Arc<RegisteredSkill>,
    index: usize,
    event: Arc<Event>,
}

impl Job {
    fn hook(&self) -> &Hook {
        &self.skill.hooks[self.index]
    }
}

impl Resumable for Firing {
    type Output = Verdict;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<Verdict> {
        if let Some(job) = self.running.take() {
            let outcome = reply.into_outcome();
            self.took += outcome.as_ref().map_or(Duration::ZERO, |outcome| outcome.took);
            self.heard(session, &job, outcome);
        }
        let Some(rules) = self.runtime.view().host.hooks.clone() else { return self.done() };
        if !std::mem::replace(&mut self.begun, true) {
            self.begin(session, &rules);
        }
        let longest = Duration::try_from_secs_f64(rules.event_seconds).unwrap_or_default();
        loop {
            let left = longest.saturating_sub(self.took);
            if let Some(job) = self.jobs.pop_front() {
                if left.is_zero() {
                    self.give_up(&rules);
                } else if let Some(run) = self.start(session, &rules, job, left) {
                    return Step::Run(Box::new(run));
                }
            } else if std::mem::replace(&mut self.concluded, true) {
                return self.done();
            } else {
                self.conclude(session, &rules);
            }
        }
    }
}

impl Firing {
    /// Begins: nothing happens before the first step.
    pub fn new(runtime: Arc<Runtime>, event: Event) -> Firing {
        Firing {
            runtime,
            event: Arc::new(event),
            more: Map::new(),
            begun: false,
            concluded: false,
            jobs: VecDeque::new(),
            running: None,
            took: Duration::ZERO,
            verdict: Verdict::default(),
        }
    }

    /// Adds a field that only the agent knows, such as `permission_mode`. Fields of the event itself are not replaced.
    #[must_use]
    pub fn with(mut self, name: &str, value: Value) -> Firing {
        self.more.insert(name.to_owned(), value);
        self
    }

    /// Leaves out the hooks that are left, the one at hand included, and says so.
    fn give_up(&mut self, rules: &HookRules) {
        let count = self.jobs.drain(..).count() + 1;
        let text = format!("hooks took {} seconds on one event; {count} more did not run", rules.event_seconds);
        self.verdict.notices.push(Notice::new("hooks", text));
    }

    fn done(&mut self) -> Step<Verdict> {
        let mut verdict = std::mem::take(&mut self.verdict);
        verdict.settle();
        Step::Done(verdict)
    }

    /// Chooses the hooks. Those of a skill that goes are removed now, so that nothing brings them back.
    fn begin(&mut self, session: &mut Session, rules: &HookRules) {
        let event = Arc::clone(&self.event);
        match &*event {
            Event::SkillDeactivated { reason: Deactivation::ForkEnded, .. } if rules.scope == HookScope::Session => {}
            Event::SkillDeactivated { skill, reason: Deactivation::AskedByModel } => self.quiet(session, skill),
            Event::SkillDeactivated { skill, reason } => self.deactivate(session, *reason, |one| one.is(skill)),
            Event::SessionEnd { .. } => {
                self.choose(session, |_| true);
                self.deactivate(session, Deactivation::SessionEnded, |_| true);
            }
            Event::SkillActivated { skill, .. } => self.choose(session, |one| one.is(skill)),
            _ => {
                if matches!(*event, Event::UserPromptSubmit { .. }) {
                    session.hooks.stops = 0;
                }
                self.choose(session, |_| true);
            }
        }
    }

    fn choose(&mut self, session: &Session, is_meant: impl Fn(&RegisteredSkill) -> bool) {
        for skill in session.hooks.skills.iter().filter(|skill| is_meant(skill)) {
            self.add(session, skill, &Arc::clone(&self.event));
        }
    }

    fn add(&mut self, session: &Session, skill: &Arc<RegisteredSkill>, event: &Arc<Event>) {
        for (index, hook) in skill.hooks.iter().enumerate() {
            if hook.is_for(event) && session.hooks.can_run(skill, hook) {
                self.jobs.push_back(Job { skill: Arc::clone(skill), index, event: Arc::clone(event) });
            }
        }
    }

    fn deactivate(&mut self, session: &mut Session, reason: Deactivation, is_meant: impl Fn(&RegisteredSkill) -> bool) {
        for gone in session.hooks.remove(is_meant) {
            self.last_words(session, &gone, reason);
        }
    }

    /// Takes from a skill the hooks that forbid nothing, and says if others stay.
    fn quiet(&mut self, session: &mut Session, skill: &str) {
        let reason = Deactivation::AskedByModel;
        let meant: Vec<_> = session.hooks.skills.iter().filter(|one| one.is(skill)).cloned().collect();
        for one in &meant {
            self.last_words(session, one, reason);
            session.hooks.quiet.insert(one.path.clone());
        }
        session.hooks.remove(|one| one.is(skill) && !one.guards());
        self.verdict.guarded = meant.iter().any(|one| one.guards());
    }

    /// Lets a skill that is deactivated run what it has for that.
    fn last_words(&mut self, session: &Session, gone: &Arc<RegisteredSkill>, reason: Deactivation) {
        let event = Event::SkillDeactivated { skill: gone.name.clone(), reason };
        self.add(session, gone, &Arc::new(event));
    }

    /// Makes the command of a hook; `None` if it does not run.
    fn start(&mut self, session: &mut Session, rules: &HookRules, job: Job, left: Duration) -> Option<Run> {
        if session.hooks.is_spent(job.hook()) {
            return None;
        }
        match command(&self.runtime, session, rules, &job, &self.more) {
            Ok(mut command) => {
                command.limits.time = command.limits.time.min(left);
                if rules.once == Once::FirstRun {
                    session.hooks.spent.extend(job.hook().once.clone());
                }
                let run = Run { skill: job.skill.name.clone(), written: job.hook().shown.what.clone(), command };
                self.running = Some(job);
                Some(run)
            }
            Err(why) => {
                let mut listener = listener(rules, &job, &|text| text);
                listener.note(&why);
                self.verdict.add(listener.verdict);
                None
            }
        }
    }

    fn heard(&mut self, session: &mut Session, job: &Job, outcome: Result<Outcome, SandboxError>) {
        let Some(rules) = self.runtime.view().host.hooks.as_ref() else { return };
        let clean = |text: String| redact(session, &job.skill.entry, text);
        let (mut verdict, succeeded) = listener(rules, job, &clean).hear(outcome);
        // Nobody waits for it, so that it cannot decide; what goes away cannot either.
        if job.hook().handler.background || job.event.kind() != self.event.kind() {
            verdict = Verdict { notices: verdict.notices, messages: verdict.messages, ..Verdict::default() };
        }
        self.verdict.add(verdict);
        if rules.once == Once::FirstSuccess && succeeded {
            session.hooks.spent.extend(job.hook().once.clone());
        }
    }

    /// Ends the turn, unless a hook blocks that, at most `stop_max` times in a row.
    fn conclude(&mut self, session: &mut Session, rules: &HookRules) {
        if !matches!(*self.event, Event::Stop { .. }) {
            return;
        }
        if self.verdict.halt.is_some() {
            self.verdict.block = None;
        }
        let stops = session.hooks.stops;
        if self.verdict.block.is_some() && stops < rules.stop_max {
            session.hooks.stops += 1;
            return;
        }
        if self.verdict.block.take().is_some() {
            let text = format!("hooks put off the end of the turn {stops} times in a row; it ends now");
            self.verdict.notices.push(Notice::new("hooks", text));
        }
        session.hooks.stops = 0;
        if rules.scope == HookScope::Turn {
            self.deactivate(session, Deactivation::TurnEnded, |_| true);
        }
    }
}

fn listener<'a>(rules: &HookRules, job: &'a Job, clean: &'a dyn Fn(String) -> String) -> Listener<'a> {
    Listener {
        event: job.event.kind(),
        skill: &job.skill.name,
        command: &job.hook().shown.what,
        max: rules.output_max,
        clean,
        verdict: Verdict::default(),
    }
}

/// Makes the command that is run in the sandbox: on a copy of the skill, reading the project, writing nothing.
fn command(
    runtime: &Runtime,
    session: &Session,
    rules: &HookRules,
    job: &Job,
    more: &Map<String, Value>,
) -> Result<Command, String> {
    let (handler, copy) = (&job.hook().handler, job.skill.copy.path());
    job.skill.copy.check().map_err(|error| error.to_string())?;
    let mut limits = runtime.limits();
    let seconds = rules.times.get(&job.event.kind()).unwrap_or(&rules.seconds);
    let usual = || Duration::try_from_secs_f64(*seconds).unwrap_or(limits.time);
    limits.time = handler.timeout.unwrap_or_else(usual).min(limits.time);
    let known = known(runtime, session, rules, &job.skill);
    let mut command = match (&handler.args, handler.shell.as_deref()) {
        (Some(args), _) => {
            let program = Command::new(filled(&handler.command, &known), limits);
            args.iter().fold(program, |command, arg| command.arg(filled(arg, &known)))
        }
        (None, Some("bash")) => Command::new("bash", limits).arg("-c").arg(&handler.command),
        (None, _) => Command::shell(&handler.command, limits),
    };
    set_variables(&mut command, session, &job.skill.variables, known)?;
    let cwd = match rules.folder {
        HookFolder::Skill => copy,
        HookFolder::Project => &runtime.view().around.cwd,
    };
    runtime.confine(&mut command, cwd, copy, &job.skill.in_force)?;
    let input = job.event.input(runtime, session, more);
    command.stdin = serde_json::to_vec(&input).map_err(|error| error.to_string())?;
    command.stdin.push(b'\n');
    Ok(command)
}

fn known(runtime: &Runtime, session: &Session, rules: &HookRules, skill: &RegisteredSkill) -> Vec<(String, String)> {
    let value = |variable: Variable| match variable {
        Variable::SessionId => Some(session.id.clone()),
        Variable::SkillDir => Some(path_text(skill.copy.path())),
        Variable::ProjectDir => Some(path_text(&runtime.view().around.project)),
        Variable::PluginRoot | Variable::PluginData | Variable::Effort => None,
    };
    let own = (Variable::SkillDir.environment_name().to_owned(), path_text(skill.copy.path()));
    let named = rules.variables.iter().filter_map(|one| Some((one.name.clone(), value(one.is)?)));
    std::iter::once(own).chain(named).collect()
}

/// Puts known values in the place of `${NAME}`, where no shell does it; what is put in is not looked through again.
fn filled(text: &str, known: &[(String, String)]) -> String {
    let mut filled = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("${") {
        let end = after.split_once('}');
        let value = end.and_then(|(name, end)| Some((&known.iter().find(|(one, _)| one == name)?.1, end)));
        filled.push_str(before);
        let (put, end) = value.map_or(("${", after), |(value, end)| (value.as_str(), end));
        filled.push_str(put);
        rest = end;
    }
    filled + rest
}

#[cfg(test)]
mod tests {
    use super::filled;

    #[test]
    fn known_values_are_filled_in_once() {
        let known = [("A".to_owned(), "${B}".to_owned()), ("B".to_owned(), "b".to_owned())];
        for (text, expected) in [
            ("x", "x"),
            ("${A}/${B}", "${B}/b"),
            ("${C}${B}", "${C}b"),
            ("${${B}", "${b"),
            ("a${", "a${"),
            ("$B", "$B"),
        ] {
            assert_eq!(filled(text, &known), expected);
        }
    }
}
