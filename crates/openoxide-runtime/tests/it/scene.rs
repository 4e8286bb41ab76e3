//! A project with skills, and a conversation whose questions are answered by a script.

use std::collections::BTreeMap;
use std::sync::Arc;

use openoxide_config::{Environment, Place, Workspace};
use openoxide_mcp_client::LoginDriver;
use openoxide_permissions::Action;
use openoxide_runtime::{
    Activation, ActivationOutcome, Answer, Call, CallArguments, LoginReply, LoginStep, Notice, Question, Responder,
    Runtime, Session, drive,
};
use openoxide_sandbox::{Ended, Outcome, SandboxError};
use openoxide_skills::catalog::{Depth, load};
use openoxide_skills::host::{Caller, Host};
use openoxide_testkit::TestContext;

/// A project with skills.
pub(crate) struct Scene {
    pub(crate) context: TestContext,
    pub(crate) variables: BTreeMap<String, String>,
    /// Settings of the user, as `KEY=VALUE`.
    settings: Vec<String>,
}

/// A user who is told to open a page.
pub(crate) type Browser = fn(&str);

/// Answers from a script, and notes what was asked.
pub(crate) struct Script<'a> {
    pub(crate) answer: Box<dyn FnMut(&Question) -> Answer + 'a>,
    pub(crate) asked: Vec<Question>,
    /// Sends requests, where the test has servers.
    pub(crate) online: Option<LoginDriver>,
    /// The user on the page.
    pub(crate) browser: Option<Browser>,
    /// What commands would print.
    pub(crate) prints: String,
    /// What commands were given.
    pub(crate) given: Vec<BTreeMap<String, String>>,
}

impl<'a> Script<'a> {
    pub(crate) fn new(answer: impl FnMut(&Question) -> Answer + 'a) -> Script<'a> {
        Script {
            answer: Box::new(answer),
            asked: Vec::new(),
            online: None,
            browser: None,
            prints: String::new(),
            given: Vec::new(),
        }
    }
}

impl Responder for Script<'_> {
    fn answer(&mut self, question: &Question) -> Answer {
        self.asked.push(question.clone());
        (self.answer)(question)
    }

    fn login(&mut self, step: &LoginStep) -> LoginReply {
        let Some(online) = &mut self.online else { return LoginReply::NotTried };
        if let (LoginStep::Wait(callback), Some(browser)) = (step, &self.browser) {
            let (browser, page) = (*browser, callback.page.clone());
            std::thread::spawn(move || browser(&page));
        }
        online.take(step)
    }
}

impl Scene {
    pub(crate) fn new() -> Scene {
        Scene { context: TestContext::new(), variables: BTreeMap::new(), settings: Vec::new() }
    }

    /// Writes a skill that needs these things.
    pub(crate) fn skill(&self, name: &str, body: &str, tools: &str) -> &Scene {
        self.context.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Does things\n---\n{body}\n\
             //- project/.agents/skills/{name}/agents/openai.yaml\ndependencies:\n  tools:\n{tools}\n"
        ));
        self
    }

    /// Adds a setting of the user, as `KEY=VALUE`.
    pub(crate) fn set(&mut self, setting: String) {
        self.settings.push(setting);
    }

    /// Adds a rule of the user.
    pub(crate) fn rule(&mut self, permission: &str, pattern: &str, action: Action) {
        self.settings.push(format!("permission.{permission}.\"{pattern}\"=\"{action}\""));
    }

    pub(crate) fn config(&self) -> String {
        fs_err::read_to_string(self.context.home().join(".openoxide/config.toml")).unwrap_or_default()
    }

    pub(crate) fn environment(&self) -> Environment {
        Environment {
            cwd: self.context.project(),
            home: Some(self.context.home()),
            variables: self.variables.clone(),
            admin: self.context.root().join("admin"),
            ..Environment::default()
        }
    }

    pub(crate) fn runtime(&self) -> Arc<Runtime> {
        self.runtime_of("openoxide")
    }

    pub(crate) fn runtime_of(&self, host: &str) -> Arc<Runtime> {
        self.changed_runtime_of(host, |_| {})
    }

    /// Returns the runtime of a host whose rules may be changed.
    pub(crate) fn changed_runtime_of(&self, host: &str, change: impl FnOnce(&mut Host)) -> Arc<Runtime> {
        let environment = self.environment();
        let workspace =
            Workspace::open(environment, Place { config: self.settings.clone(), ..Place::default() }).unwrap();
        let (mut view, _) = workspace.view(host).unwrap();
        change(&mut view.host);
        let catalog = load(std::slice::from_ref(&view), Depth::Quick).remove(0);
        Arc::new(Runtime::new(&workspace, view, Arc::new(catalog)).unwrap())
    }

    /// Calls skills in a conversation.
    pub(crate) fn call(&self, session: &mut Session, skills: &[&str], script: &mut Script<'_>) -> ActivationOutcome {
        call(&self.runtime(), session, skills, script)
    }
}

pub(crate) fn call(
    runtime: &Arc<Runtime>,
    session: &mut Session,
    skills: &[&str],
    script: &mut Script<'_>,
) -> ActivationOutcome {
    let call =
        |skill: &&str| Call { skill: (*skill).to_owned(), caller: Caller::User, arguments: CallArguments::Nothing };
    let mut activation = Activation::new(Arc::clone(runtime), skills.iter().map(call).collect());
    let (prints, mut given) = (script.prints.clone(), Vec::new());
    let done = drive(&mut activation, session, script, |run| {
        let text = |text: &std::ffi::OsStr| text.to_str().unwrap().to_owned();
        given.push(run.command.env.iter().map(|(name, value)| (text(name), text(value))).collect());
        assert!(!format!("{run:?}").contains("hunter2"), "{run:?}");
        printed(&prints)
    });
    script.given.extend(given);
    assert!(done.refused.is_empty(), "{:?}", done.refused);
    assert_eq!(done.activated.len(), skills.len(), "a skill is activated whatever the answer is");
    done
}

#[expect(clippy::unnecessary_wraps, reason = "it stands for a command that was run")]
fn printed(text: &str) -> Result<Outcome, SandboxError> {
    let took = std::time::Duration::ZERO;
    Ok(Outcome {
        ended: Ended::Exit(0),
        stdout: text.into(),
        stderr: Vec::new(),
        truncated: false,
        took,
        changes: Vec::new(),
    })
}

/// Returns what people are told, each with its skill.
pub(crate) fn told(done: &ActivationOutcome) -> Vec<String> {
    notes(&done.notices)
}

/// Returns notices, each with its skill.
pub(crate) fn notes(notices: &[Notice]) -> Vec<String> {
    notices.iter().map(|notice| format!("{}: {}", notice.skill, notice.text)).collect()
}
