//! A conversation with skills that have hooks, which run in the real sandbox.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use openoxide_runtime::{
    Activation, ActivationOutcome, Answer, Call, CallArguments, Deactivation, Event, Firing, Notice, Question, Run,
    Runtime, Session, Verdict, drive,
};
use openoxide_sandbox::{Isolation, Outcome, Probe, SandboxError};
use openoxide_skills::host::{Caller, Host};
use serde_json::{Value, json};

use crate::scene::Scene;

/// A conversation in which hooks run.
pub(crate) struct Hooked {
    pub(crate) scene: Scene,
    pub(crate) runtime: Arc<Runtime>,
    pub(crate) session: Session,
    /// What was run, in order.
    pub(crate) ran: Vec<String>,
    isolation: &'static Isolation,
}

/// Finds what this machine has; says loudly if that is nothing.
pub(crate) fn isolation() -> Option<&'static Isolation> {
    static ISOLATION: OnceLock<Isolation> = OnceLock::new();
    usable(ISOLATION.get_or_init(|| Isolation::probe(&probe())))
}

/// Finds the way that is taken where a program for it is missing.
fn fallback() -> Option<&'static Isolation> {
    static FALLBACK: OnceLock<Isolation> = OnceLock::new();
    usable(FALLBACK.get_or_init(|| Isolation::probe(&Probe { folders: Vec::new(), ..probe() })))
}

fn probe() -> Probe {
    Probe { helper: env!("CARGO_BIN_EXE_runtime-harness").into(), ..Probe::new().unwrap() }
}

fn usable(isolation: &'static Isolation) -> Option<&'static Isolation> {
    if !isolation.is_available() {
        writeln!(std::io::stderr().lock(), "SKIPPED: hooks cannot run: {isolation}").unwrap();
        return None;
    }
    Some(isolation)
}

/// A folder that commands may write to, as they write it in this text.
pub(crate) const OUT: &str = "{out}";

impl Hooked {
    /// Skills by name, each with its `hooks` in YAML; nothing is trusted yet. `None` where no command can run.
    pub(crate) fn new(host: &str, skills: &[(&str, &str)]) -> Option<Hooked> {
        Hooked::with(host, skills, Scene::new(), |_| {})
    }

    pub(crate) fn with(
        host: &str,
        skills: &[(&str, &str)],
        scene: Scene,
        change: impl FnOnce(&mut Host),
    ) -> Option<Hooked> {
        let isolation = isolation()?;
        let out = scene.context.root().join("out");
        scene.context.tree(&format!(
            "//- out/\n//- home/.openoxide/config.toml\n[sandbox]\nwritable = [\"{}\"]\n",
            out.display()
        ));
        for (name, hooks) in skills {
            let hooks = hooks.replace(OUT, out.to_str().unwrap());
            let hooks: String = hooks.lines().fold(String::new(), |mut text, line| {
                writeln!(text, "  {line}").unwrap();
                text
            });
            scene.context.tree(&format!(
                "//- project/.claude/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Does things\nhooks:\n\
                 {hooks}---\ntext\n"
            ));
        }
        let runtime = scene.changed_runtime_of(host, change);
        Some(Hooked { scene, runtime, session: Session::new("s1"), ran: Vec::new(), isolation })
    }

    /// One skill `a`, which is trusted and active.
    pub(crate) fn active(host: &str, hooks: &str) -> Option<Hooked> {
        let mut hooked = Hooked::new(host, &[("a", hooks)])?;
        let done = hooked.activate("a", &Answer::Session);
        assert_eq!(done.notices, [], "{hooks}");
        Some(hooked)
    }

    /// Activates a skill and answers every question alike.
    pub(crate) fn activate(&mut self, skill: &str, answer: &Answer) -> ActivationOutcome {
        self.activate_with(skill, &mut |_: &Question| answer.clone())
    }

    pub(crate) fn activate_with(
        &mut self,
        skill: &str,
        answer: &mut dyn FnMut(&Question) -> Answer,
    ) -> ActivationOutcome {
        let call =
            Call { skill: skill.to_owned(), caller: Caller::User, arguments: CallArguments::Raw("x y".to_owned()) };
        let mut activation = Activation::new(Arc::clone(&self.runtime), vec![call]);
        let mut run = runner(&mut self.ran, self.isolation);
        let mut answer = |question: &Question| answer(question);
        let done = drive(&mut activation, &mut self.session, &mut answer, &mut run);
        assert_eq!((done.refused.len(), done.activated.len()), (0, 1), "{done:?}");
        done
    }

    /// Runs everything in the fallback from now on.
    pub(crate) fn without_programs(mut self) -> Option<Hooked> {
        self.isolation = fallback()?;
        Some(self)
    }

    /// Lets something happen.
    pub(crate) fn fire(&mut self, event: Event) -> Verdict {
        let mut firing = Firing::new(Arc::clone(&self.runtime), event).with("permission_mode", json!("default"));
        let run = runner(&mut self.ran, self.isolation);
        drive(&mut firing, &mut self.session, &mut (), run)
    }

    pub(crate) fn deactivate(&mut self, skill: &str, reason: Deactivation) -> Verdict {
        self.fire(Event::SkillDeactivated { skill: skill.to_owned(), reason })
    }

    /// Returns what was run since the last time.
    pub(crate) fn ran(&mut self) -> Vec<String> {
        std::mem::take(&mut self.ran)
    }

    pub(crate) fn out(&self, name: &str) -> PathBuf {
        self.scene.context.root().join("out").join(name)
    }

    /// Returns a file that a hook wrote, as JSON.
    pub(crate) fn written(&self, name: &str) -> Value {
        let text = fs_err::read_to_string(self.out(name)).unwrap();
        assert!(text.ends_with("}\n"), "{text}");
        serde_json::from_str(&text).unwrap()
    }
}

fn runner<'a>(
    ran: &'a mut Vec<String>,
    isolation: &'a Isolation,
) -> impl FnMut(&Run) -> Result<Outcome, SandboxError> + 'a {
    |wanted| {
        ran.push(wanted.written.clone());
        openoxide_sandbox::run(isolation, &wanted.command)
    }
}

pub(crate) fn pre(tool: &str, command: &str) -> Event {
    Event::PreToolUse { tool: tool.to_owned(), input: json!({ "command": command }), id: "t1".to_owned() }
}

pub(crate) fn post(tool: &str) -> Event {
    let (input, output) = (json!({"command": "ls"}), json!({"stdout": "files"}));
    Event::PostToolUse { tool: tool.to_owned(), input, id: "t1".to_owned(), output }
}

pub(crate) fn prompt(text: &str) -> Event {
    Event::UserPromptSubmit { prompt: text.to_owned() }
}

pub(crate) fn stop() -> Event {
    Event::Stop { last: Some("done".to_owned()) }
}

pub(crate) fn told(notices: &[Notice]) -> Vec<&str> {
    notices.iter().map(|notice| notice.text.as_str()).collect()
}

/// Writes a verdict on one line, without what it does not say.
pub(crate) fn line(verdict: &Verdict) -> String {
    let mut parts = Vec::new();
    if let Some(decision) = &verdict.decision {
        parts.push(format!("{}({})", decision.ruling.as_str(), decision.reason.as_deref().unwrap_or("-")));
    }
    parts.extend(verdict.block.iter().map(|reason| format!("block({reason})")));
    parts.extend(verdict.halt.iter().map(|halt| format!("halt({})", halt.reason.as_deref().unwrap_or("-"))));
    parts.extend(verdict.context.iter().map(|said| format!("context({})", said.text)));
    parts.extend(verdict.updated_input.iter().map(|input| format!("input({input})")));
    parts.extend(verdict.updated_output.iter().map(|output| format!("output({output})")));
    parts.extend(verdict.messages.iter().map(|said| format!("message({})", said.text)));
    let why = |notice: &Notice| notice.text.split_once(" decides nothing: ").map(|(_, why)| why.to_owned());
    parts
        .extend(verdict.notices.iter().map(|notice| format!("notice({})", why(notice).unwrap_or(notice.text.clone()))));
    parts.join(" ")
}

/// Returns hooks of one event, a command each.
pub(crate) fn on(event: &str, commands: &[&str]) -> String {
    let mut yaml = format!("{event}:\n  - hooks:\n");
    for command in commands {
        writeln!(yaml, "      - {{type: command, command: {}}}", json!(command)).unwrap();
    }
    yaml
}
