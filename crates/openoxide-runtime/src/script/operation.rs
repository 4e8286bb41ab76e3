//! Runs a script of a skill, in resumable steps.
//!
//! ```text
//! admit ─▶ permission ─▶ load ─▶ find the script ─▶ permissions ─▶ run ─▶ what it said
//! ```
//!
//! What runs is a private copy of exactly the bytes that were digested and agreed to.

use std::ffi::OsString;
use std::fmt::Write as _;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_permissions::{Action, Permission};
use openoxide_sandbox::{Command, Outcome, SandboxError};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, Variable};
use openoxide_skills::resource::{FileDigest, FolderSnapshot, ResourcePath, shown_name};
use openoxide_skills::text::path_text;

use super::interpreter::{HEAD, Interpreter};
use crate::activation::{Loading, load};
use crate::call::{Call, CallArguments, Refusal, RefusalReason};
use crate::dependency::{givable_variables, redact, secrets_into, variables_of};
use crate::notice::Notice;
use crate::permission::{RequestedPermission, profile_lines};
use crate::question::{Answer, Question};
use crate::runtime::Runtime;
use crate::session::Session;
use crate::step::{Reply, Resumable, Run, Step};

/// The request to run a script.
#[derive(Clone, Debug)]
pub struct ScriptCall {
    /// The skill, by name or by the absolute path of its file or folder.
    pub skill: String,
    /// The script's path in the skill's folder.
    pub script: String,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// What it reads from standard input.
    pub stdin: Vec<u8>,
    /// Who calls.
    pub caller: Caller,
}

/// The result.
#[derive(Clone, Debug)]
pub struct ScriptOutcome {
    /// What the script did, or why it did not run.
    pub result: Result<FinishedScript, Refusal>,
    /// What people should know besides.
    pub notices: Vec<Notice>,
}

/// A script that ran.
#[derive(Clone, Debug)]
pub struct FinishedScript {
    /// The skill.
    pub skill: String,
    /// Its file.
    pub path: PathBuf,
    /// The digest of its folder.
    pub digest: String,
    /// The script's path in the folder.
    pub script: String,
    /// How it ended and what it wrote; secrets that it was given are taken out.
    pub outcome: Outcome,
}

/// A script on its way.
pub struct ScriptRun {
    runtime: Arc<Runtime>,
    call: ScriptCall,
    state: State,
    notices: Vec<Notice>,
}

enum State {
    New,
    Permission(Box<Entry>),
    AskingPermissions(Box<ReadyScript>, Question),
    Running(Box<ReadyScript>),
    Ended,
}

/// A script that is found, read and copied.
struct ReadyScript {
    entry: Entry,
    loading: Loading,
    script: String,
    copy: PathBuf,
    interpreter: Interpreter,
}

impl Resumable for ScriptRun {
    type Output = ScriptOutcome;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<ScriptOutcome> {
        let answer = |reply| if let Reply::Answer(answer) = reply { answer } else { Answer::No };
        let step = match std::mem::replace(&mut self.state, State::Ended) {
            State::New => self.begin(session),
            State::Permission(entry) => self.permitted(session, *entry, &answer(reply)),
            State::AskingPermissions(ready, question) => {
                self.permissions_answered(session, ready, &question, &answer(reply))
            }
            State::Running(ready) => match reply {
                Reply::Ran(outcome) => self.ran(session, &ready, outcome),
                _ => Err(self.refusal(RefusalReason::NotRun, "it was not run".to_owned())),
            },
            State::Ended => Err(self.refusal(RefusalReason::NotRun, "it was called again".to_owned())),
        };
        step.unwrap_or_else(|refusal| self.done(Err(refusal)))
    }
}

impl ScriptRun {
    /// Begins.
    pub fn new(runtime: Arc<Runtime>, call: ScriptCall) -> ScriptRun {
        ScriptRun { runtime, call, state: State::New, notices: Vec::new() }
    }

    fn done(&mut self, result: Result<FinishedScript, Refusal>) -> Step<ScriptOutcome> {
        self.state = State::Ended;
        Step::Done(ScriptOutcome { result, notices: std::mem::take(&mut self.notices) })
    }

    fn refusal(&self, why: RefusalReason, text: String) -> Refusal {
        Refusal { name: self.call.skill.clone(), path: None, why, code: None, text, help: None }
    }

    fn begin(&mut self, session: &mut Session) -> Result<Step<ScriptOutcome>, Refusal> {
        let call = self.as_call();
        let entry = self.runtime.admit(&call)?.clone();
        let name = entry.skill.name.to_string();
        match self.runtime.calling(session, &entry, self.call.caller) {
            Action::Allow => self.ready(session, entry),
            Action::Deny => {
                Err(self.refusal(RefusalReason::Denied, format!("`{name}` is denied by a permission rule")))
            }
            Action::Ask => {
                self.state = State::Permission(Box::new(entry));
                let permission = Permission::Skill.as_str().to_owned();
                Ok(Step::Ask(Question::Permission { permission, subject: name.clone(), skill: name }))
            }
        }
    }

    fn as_call(&self) -> Call {
        Call { skill: self.call.skill.clone(), caller: self.call.caller, arguments: CallArguments::Nothing }
    }

    fn permitted(
        &mut self,
        session: &mut Session,
        entry: Entry,
        answer: &Answer,
    ) -> Result<Step<ScriptOutcome>, Refusal> {
        let name = entry.skill.name.to_string();
        if !answer.is_yes() {
            return Err(self.refusal(RefusalReason::Rejected, format!("calling `{name}` was not allowed")));
        }
        let permission = Permission::Skill.as_str().to_owned();
        let question = Question::Permission { permission, subject: name.clone(), skill: name.clone() };
        let kept = self.runtime.keep_answer(session, &question, answer);
        self.note_failure(&name, kept);
        self.ready(session, entry)
    }

    /// Reads the skill, finds the script in it, and asks for what it may not yet.
    fn ready(&mut self, session: &mut Session, entry: Entry) -> Result<Step<ScriptOutcome>, Refusal> {
        let runtime = Arc::clone(&self.runtime);
        runtime.take_variables(session, &entry);
        let mut loading = load(&runtime, session, &self.as_call(), &entry)?;
        let script = self.find(&entry, &loading)?;
        let (path, subject) = (shown_name(&script.path), shown_name(&script.path));
        let subject = format!("{}/{subject}", entry.skill.name);
        if runtime.decide(session, Permission::Script, &subject).action == Action::Deny {
            return Err(self.refusal(RefusalReason::Denied, format!("a permission rule denies running `{subject}`")));
        }
        let not_run = |why: String| self.refusal(RefusalReason::NotRun, format!("`{subject}` cannot be run: {why}"));
        let copy = loading.private_copy().map_err(not_run)?;
        let file = copy.join(&script.path);
        let head = head(&file).map_err(|error| not_run(error.to_string()))?;
        let interpreter = Interpreter::of(&script.path, &head, script.executable).map_err(not_run)?;
        if !runtime.lists_command(&loading, &self.forms(&path, &interpreter)) {
            let text = format!("`{subject}` does not run: the skill's `allowed-tools` does not list it");
            let mut refusal = self.refusal(RefusalReason::NotListed, text);
            refusal.help =
                Some("`skills.allowed_tools` is `limit`: the list needs `Bash`, or `Bash(…)` with it".into());
            return Err(refusal);
        }
        interpreter.check().map_err(not_run)?;
        loading.requested = vec![
            RequestedPermission::Script { path: path.clone(), variables: givable_variables(&entry) },
            RequestedPermission::Profile(profile_lines(&loading.profile)),
        ];
        loading.requested.retain(|permission| !permission.items().is_empty());
        let decision = runtime.decide_permissions(session, &entry, &loading);
        loading.granted = decision.granted;
        let ready = Box::new(ReadyScript { entry, loading, script: path, copy: file, interpreter });
        if decision.asked.is_empty() {
            return self.start(session, ready);
        }
        let question = ready.question(decision.asked, decision.changed);
        self.state = State::AskingPermissions(ready, question.clone());
        Ok(Step::Ask(question))
    }

    /// Finds the script among the files that were digested.
    fn find(&self, entry: &Entry, loading: &Loading) -> Result<FileDigest, Refusal> {
        let none = |text: String| self.refusal(RefusalReason::NoScript, text);
        let snapshot = loading.snapshot.as_ref();
        let snapshot = snapshot.map_err(|error| none(format!("it gets no power: {error}")))?;
        let written = shown_name(Path::new(&self.call.script));
        let path = ResourcePath::parse(&self.call.script, &self.runtime.view().host.resource)
            .map_err(|problem| none(problem.words().replace("{path}", &written)))?;
        let path = path.as_path();
        if let Some(file) = snapshot.files.iter().find(|file| file.path == path) {
            return Ok(file.clone());
        }
        if snapshot.links.iter().any(|link| path.starts_with(&link.path)) {
            return Err(none(format!("`{written}` is a link, and links are not run; name the file that it leads to")));
        }
        let mut refusal = none(format!("`{}` has no file `{written}`", entry.skill.name));
        refusal.help = Some(scripts(snapshot));
        Err(refusal)
    }

    /// Returns the ways to write the command as a skill's author would.
    fn forms(&self, script: &str, interpreter: &Interpreter) -> Vec<String> {
        let mut words = String::new();
        for argument in &self.call.arguments {
            let _ = write!(words, " '{}'", argument.to_string_lossy().replace('\'', "'\\''"));
        }
        let paths = [script.to_owned(), format!("./{script}")];
        let run_by =
            interpreter.names().into_iter().flat_map(|name| paths.clone().map(|path| format!("{name} {path}")));
        paths.iter().cloned().chain(run_by).map(|form| form + &words).collect()
    }

    fn permissions_answered(
        &mut self,
        session: &mut Session,
        mut ready: Box<ReadyScript>,
        question: &Question,
        answer: &Answer,
    ) -> Result<Step<ScriptOutcome>, Refusal> {
        let Question::RequestedPermissions { digest, permissions, .. } = question else {
            return self.start(session, ready);
        };
        if answer.is_yes() {
            ready.loading.granted.extend_from_slice(permissions);
            let kept = self.runtime.store_permissions(session, &ready.entry, digest, permissions, answer);
            self.note_failure(&ready.entry.skill.name, kept);
        } else if permissions.iter().any(|permission| matches!(permission, RequestedPermission::Script { .. })) {
            let text = format!("`{}/{}` was not allowed to run", ready.entry.skill.name, ready.script);
            return Err(self.refusal(RefusalReason::Rejected, text));
        } else {
            let text = "it runs without the permissions that it asks for".to_owned();
            self.notices.push(Notice { skill: ready.entry.skill.name.to_string(), text, help: None });
        }
        self.start(session, ready)
    }

    fn note_failure(&mut self, skill: &str, outcome: Result<(), openoxide_config::TrustError>) {
        if let Err(error) = outcome {
            let (text, help) = (format!("the answer is not remembered: {error}"), error.hint());
            self.notices.push(Notice { skill: skill.to_owned(), text, help });
        }
    }

    fn start(&mut self, session: &Session, ready: Box<ReadyScript>) -> Result<Step<ScriptOutcome>, Refusal> {
        let command = ready.command(&self.runtime, session, &self.call);
        let command = command.map_err(|why| self.refusal(RefusalReason::NotRun, why))?;
        let written = std::iter::once(ready.script.clone())
            .chain(self.call.arguments.iter().map(|word| word.to_string_lossy().into_owned()))
            .collect::<Vec<_>>()
            .join(" ");
        let run = Run { skill: ready.entry.skill.name.to_string(), written, command };
        self.state = State::Running(ready);
        Ok(Step::Run(Box::new(run)))
    }

    fn ran(
        &mut self,
        session: &Session,
        ready: &ReadyScript,
        outcome: Result<Outcome, SandboxError>,
    ) -> Result<Step<ScriptOutcome>, Refusal> {
        let entry = &ready.entry;
        let mut outcome = outcome.map_err(|error| {
            self.refusal(RefusalReason::NotRun, format!("`{}/{}` was not run: {error}", entry.skill.name, ready.script))
        })?;
        for bytes in [&mut outcome.stdout, &mut outcome.stderr] {
            *bytes = without_secrets(session, entry, std::mem::take(bytes));
        }
        let ran = FinishedScript {
            skill: entry.skill.name.to_string(),
            path: entry.skill.path.to_path_buf(),
            digest: ready.loading.digest(),
            script: ready.script.clone(),
            outcome,
        };
        Ok(self.done(Ok(ran)))
    }
}

impl ReadyScript {
    fn question(&self, permissions: Vec<RequestedPermission>, changed: bool) -> Question {
        Question::RequestedPermissions {
            skill: self.entry.skill.name.to_string(),
            path: self.entry.canonical().to_owned(),
            digest: self.loading.digest(),
            changed,
            permissions,
        }
    }

    /// Makes the command that is run in the sandbox.
    fn command(&self, runtime: &Runtime, session: &Session, call: &ScriptCall) -> Result<Command, String> {
        let mut command = match &self.interpreter {
            Interpreter::Itself => Command::new(&self.copy, runtime.limits()),
            Interpreter::By { program, words } => {
                let command = Command::new(program, runtime.limits());
                words.iter().fold(command, Command::arg).arg(&self.copy)
            }
        };
        command.args.extend(call.arguments.iter().cloned());
        command.stdin.clone_from(&call.stdin);
        secrets_into(session, &self.loading.variables_for(openoxide_config::PermissionKind::Script), &mut command)?;
        let folder = self.loading.copy.as_ref().ok_or("there is no copy of it")?.path();
        let folder = crate::permission::real(folder)?;
        let project = &runtime.view().around.project;
        for (variable, value) in [(Variable::SkillDir, path_text(&folder)), (Variable::ProjectDir, path_text(project))]
        {
            command.env.set(variable.environment_name(), value).map_err(|error| error.to_string())?;
        }
        let in_force = runtime.in_force_for(session, &self.entry, &self.loading)?;
        runtime.confine(&mut command, &runtime.view().around.cwd, &folder, &in_force)?;
        Ok(command)
    }
}

/// Reads the beginning of a file.
fn head(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    fs_err::File::open(file)?.take(HEAD).read_to_end(&mut head)?;
    Ok(head)
}

/// Names what looks like a script.
fn scripts(snapshot: &FolderSnapshot) -> String {
    const SHOWN: usize = 10;
    let is_one = |file: &&FileDigest| file.executable || file.path.starts_with("scripts");
    let names: Vec<String> = snapshot.files.iter().filter(is_one).map(|file| shown_name(&file.path)).collect();
    match names.len() {
        0 => "it has no scripts".to_owned(),
        more if more > SHOWN => format!("its scripts: {} and {} more", names[..SHOWN].join(", "), more - SHOWN),
        _ => format!("its scripts: {}", names.join(", ")),
    }
}

/// Takes the values that a script was given out of what it wrote; other bytes stay as they are.
fn without_secrets(session: &Session, entry: &Entry, bytes: Vec<u8>) -> Vec<u8> {
    if !variables_of(entry).any(|name| session.secret(name).is_some()) {
        return bytes;
    }
    redact(session, entry, String::from_utf8_lossy(&bytes).into_owned()).into_bytes()
}
