//! Runs a script of a skill, in resumable steps.
//!
//! ```text
//! admit ─▶ permission ─▶ load ─▶ find the script ─▶ permissions ─▶ run ─▶ what it said
//! ```
//!
//! What runs is a private copy of exactly the bytes that were digested and agreed to.

use std::path::{Path, PathBuf};
use std::{ffi::OsString, fmt::Write as _, io::Read as _, sync::Arc};

use openoxide_config::PermissionKind;
use openoxide_permissions::{Action, Grants, Permission};
use openoxide_sandbox::{Command, Outcome, SandboxError};
use openoxide_skills::host::{Caller, Situation, Variable};
use openoxide_skills::resource::{FileDigest, FolderSnapshot, ResourcePath, shown_name};
use openoxide_skills::{catalog::Entry, text::path_text};

use super::interpreter::{Interpreter, SCRIPT_MAX};
use crate::activation::{Loading, load};
use crate::dependency::{givable_variables, redact, refused_variables, set_variables, variables_of};
use crate::{
    Answer, Call, Notice, Question, Refusal, RefusalReason, Reply, RequestedPermission, Resumable, Run, Runtime,
    Session, Step,
    permission::{profile_lines, profile_refusal},
};

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
    stage: Stage,
    notices: Vec<Notice>,
}

enum Stage {
    New,
    Permission(Box<Entry>, Question),
    AskingPermissions(Box<ReadyScript>, Question),
    Running(Box<ReadyScript>),
    Ended,
}

/// A script that is found, read and copied.
struct ReadyScript {
    loading: Loading,
    /// The script's path in the folder, as it is shown.
    script: String,
    folder: PathBuf,
    file: PathBuf,
    interpreter: Interpreter,
}

type ScriptStep = Result<Step<ScriptOutcome>, Refusal>;

impl Resumable for ScriptRun {
    type Output = ScriptOutcome;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<ScriptOutcome> {
        let step = match std::mem::replace(&mut self.stage, Stage::Ended) {
            Stage::New => self.begin(session),
            Stage::Permission(entry, question) => self.permitted(session, *entry, &question, &reply.into_answer()),
            Stage::AskingPermissions(ready, question) => {
                self.permissions_answered(session, ready, &question, &reply.into_answer())
            }
            Stage::Running(ready) => match reply {
                Reply::Ran(outcome) => self.ran(session, &ready, outcome),
                _ => Err(self.refusal(RefusalReason::NotRun, "it was not run")),
            },
            Stage::Ended => Err(self.refusal(RefusalReason::NotRun, "it was called again")),
        };
        step.unwrap_or_else(|refusal| self.done(Err(refusal)))
    }
}

impl ScriptRun {
    /// Begins.
    pub fn new(runtime: Arc<Runtime>, call: ScriptCall) -> ScriptRun {
        ScriptRun { runtime, call, stage: Stage::New, notices: Vec::new() }
    }

    fn done(&mut self, result: Result<FinishedScript, Refusal>) -> Step<ScriptOutcome> {
        self.stage = Stage::Ended;
        Step::Done(ScriptOutcome { result, notices: std::mem::take(&mut self.notices) })
    }

    fn refusal(&self, why: RefusalReason, text: impl Into<String>) -> Refusal {
        Refusal::new(&self.call.skill, why, text)
    }

    fn as_call(&self) -> Call {
        Call::plain(&self.call.skill, self.call.caller)
    }

    fn begin(&mut self, session: &mut Session) -> ScriptStep {
        let entry = self.runtime.admit(&self.as_call())?.clone();
        let name = &entry.skill.name;
        match self.runtime.calling(session, &entry, self.call.caller).action {
            Action::Allow => self.ready(session, entry),
            Action::Deny => {
                Err(self.refusal(RefusalReason::Denied, format!("`{name}` is denied by a permission rule")))
            }
            Action::Ask => {
                let question = Question::call(&entry);
                self.stage = Stage::Permission(Box::new(entry), question.clone());
                Ok(Step::Ask(question))
            }
        }
    }

    fn permitted(&mut self, session: &mut Session, entry: Entry, question: &Question, answer: &Answer) -> ScriptStep {
        let name = &entry.skill.name;
        if !answer.is_yes() {
            return Err(self.refusal(RefusalReason::Rejected, format!("calling `{name}` was not allowed")));
        }
        let kept = self.runtime.keep_answer(session, question, answer);
        self.notices.extend(Notice::unless_kept(name, kept));
        self.ready(session, entry)
    }

    /// Reads the skill, finds the script in it, and asks for what it may not yet.
    fn ready(&mut self, session: &mut Session, entry: Entry) -> ScriptStep {
        let runtime = Arc::clone(&self.runtime);
        runtime.take_variables(session, &entry);
        let name = entry.skill.name.to_string();
        self.notices.extend(refused_variables(&entry).into_iter().map(|text| Notice::new(name.clone(), text)));
        let mut loading = load(&runtime, session, self.as_call(), entry)?;
        self.notices.extend(profile_refusal(&loading.profile).map(|text| Notice::new(loading.name(), text)));
        let script = self.find(&loading)?;
        let path = shown_name(&script.path);
        let subject = format!("{}/{path}", loading.entry.skill.name);
        let ruled = runtime.ruled_by_names(Permission::Script, &loading.entry, |name| format!("{name}/{path}"));
        if ruled.action == Action::Deny {
            return Err(self.refusal(RefusalReason::Denied, format!("a permission rule denies running `{subject}`")));
        }
        let not_run = |why: String| self.refusal(RefusalReason::NotRun, format!("`{subject}` cannot be run: {why}"));
        let folder = loading.private_copy().map_err(not_run)?;
        let file = folder.join(&script.path);
        let head = head(&file).map_err(|error| not_run(error.to_string()))?;
        let interpreter = Interpreter::of(&script.path, &head, script.executable).map_err(not_run)?;
        if !runtime.lists_command(&loading, &self.forms(&path, &interpreter)) {
            let text = format!("`{subject}` does not run: the skill's `allowed-tools` does not list it");
            let help = "`skills.allowed_tools` is `limit`: the list needs `Bash`, or `Bash(…)` with it";
            return Err(Refusal { help: Some(help.into()), ..self.refusal(RefusalReason::NotListed, text) });
        }
        interpreter.check().map_err(not_run)?;
        let (variables, profile) = (givable_variables(&loading.entry), profile_lines(&loading.profile));
        loading.requested = vec![
            RequestedPermission::new(PermissionKind::Script, [path.clone()], variables),
            RequestedPermission::new(PermissionKind::Profile, profile, Vec::new()),
        ];
        loading.requested.retain(|permission| !permission.actions.is_empty());
        let question = runtime.decide_permissions(session, &mut loading);
        let ready = Box::new(ReadyScript { loading, script: path, folder, file, interpreter });
        let Some(question) = question else { return self.start(session, ready) };
        self.stage = Stage::AskingPermissions(ready, question.clone());
        Ok(Step::Ask(question))
    }

    /// Finds the script among the files that were digested.
    fn find(&self, loading: &Loading) -> Result<FileDigest, Refusal> {
        let none = |text: String| self.refusal(RefusalReason::NoScript, text);
        let snapshot = loading.snapshot.as_ref();
        let snapshot = snapshot.map_err(|error| none(format!("it gets no permissions: {error}")))?;
        let written = shown_name(Path::new(&self.call.script));
        let path = ResourcePath::parse(&self.call.script, &self.runtime.view().host.resource)
            .map_err(|problem| none(Situation::from(problem).ours().replace("{path}", &written)))?;
        let path = path.as_path();
        if let Some(file) = snapshot.files.iter().find(|file| file.path == path) {
            return Ok(file.clone());
        }
        if snapshot.links.iter().any(|link| path.starts_with(&link.path)) {
            return Err(none(format!("`{written}` is a link, and links are not run; name the file that it leads to")));
        }
        let text = format!("`{}` has no file `{written}`", loading.entry.skill.name);
        Err(Refusal { help: Some(scripts(snapshot)), ..none(text) })
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
    ) -> ScriptStep {
        let name = ready.loading.name();
        let Question::RequestedPermissions { permissions, .. } = question else {
            return self.start(session, ready);
        };
        if answer.is_yes() {
            let kept = self.runtime.grant_permissions(session, &mut ready.loading, permissions, answer);
            self.notices.extend(Notice::unless_kept(&name, kept));
        } else if permissions.iter().any(|permission| permission.kind == PermissionKind::Script) {
            let text = format!("`{name}/{}` was not allowed to run", ready.script);
            return Err(self.refusal(RefusalReason::Rejected, text));
        } else {
            self.notices.push(Notice::new(name, "it runs without the permissions that it asks for"));
        }
        self.start(session, ready)
    }

    fn start(&mut self, session: &Session, ready: Box<ReadyScript>) -> ScriptStep {
        let in_force = self.runtime.in_force_for(&ready.loading);
        let command = in_force.and_then(|in_force| {
            let withheld = in_force.withheld.iter().map(|without| format!("`{}` runs {without}", ready.script));
            self.notices.extend(withheld.map(|text| Notice::new(ready.loading.name(), text)));
            ready.command(&self.runtime, session, &self.call, &in_force.grants)
        });
        let command = command.map_err(|why| self.refusal(RefusalReason::NotRun, why))?;
        let arguments = self.call.arguments.iter().map(|word| word.to_string_lossy().into_owned());
        let written = std::iter::once(ready.script.clone()).chain(arguments).collect::<Vec<_>>().join(" ");
        let run = Run { skill: ready.loading.name(), written, command };
        self.stage = Stage::Running(ready);
        Ok(Step::Run(Box::new(run)))
    }

    fn ran(&mut self, session: &Session, ready: &ReadyScript, outcome: Result<Outcome, SandboxError>) -> ScriptStep {
        let (entry, skill) = (&ready.loading.entry, ready.loading.name());
        let mut outcome = outcome.map_err(|error| {
            self.refusal(RefusalReason::NotRun, format!("`{skill}/{}` was not run: {error}", ready.script))
        })?;
        for bytes in [&mut outcome.stdout, &mut outcome.stderr] {
            *bytes = without_secrets(session, entry, std::mem::take(bytes));
        }
        Ok(self.done(Ok(FinishedScript {
            skill,
            path: entry.skill.path.to_path_buf(),
            digest: ready.loading.digest.clone(),
            script: ready.script.clone(),
            outcome,
        })))
    }
}

impl ReadyScript {
    fn command(
        &self,
        runtime: &Runtime,
        session: &Session,
        call: &ScriptCall,
        in_force: &Grants,
    ) -> Result<Command, String> {
        let mut command = match &self.interpreter {
            Interpreter::Itself => Command::new(&self.file, runtime.limits()),
            Interpreter::By { program, words } => {
                let command = Command::new(program, runtime.limits());
                words.iter().fold(command, Command::arg).arg(&self.file)
            }
        };
        command.args.extend(call.arguments.iter().cloned());
        command.stdin.clone_from(&call.stdin);
        let around = &runtime.view().around;
        let folders = [(Variable::SkillDir, &*self.folder), (Variable::ProjectDir, &*around.project)];
        let ours = folders.map(|(variable, folder)| (variable.environment_name(), path_text(folder)));
        set_variables(&mut command, session, &self.loading.variables_for(PermissionKind::Script), ours)?;
        runtime.confine(&mut command, &around.cwd, &self.folder, in_force)?;
        Ok(command)
    }
}

/// Reads a script as far as an interpreter is trusted with it.
fn head(file: &Path) -> std::io::Result<Vec<u8>> {
    let mut head = Vec::new();
    fs_err::File::open(file)?.take(SCRIPT_MAX + 1).read_to_end(&mut head)?;
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
