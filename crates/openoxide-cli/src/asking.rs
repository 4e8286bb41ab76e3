//! Questions on the terminal: shown whole, answered by a letter. Without a terminal nobody is asked.

use std::io::{BufRead as _, IsTerminal as _};

use clap::Args;
use openoxide_app::{
    Answer, BlockingMcpServers, Choice, Fetch, FetchReply, LoginDriver, LoginReply, LoginStep, PermissionKind,
    Question, RequestedPermission, Responder, Snapshot, Workspace, paths,
};
use secrecy::SecretString;

use crate::error::CommandError;
use crate::ui::{Role, Ui, count, grouped, paint, safe};

/// How questions are answered.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AskingArgs {
    /// Answer every question with yes; what a call asks for is given for that call only
    #[arg(long, short = 'y', conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Ask nothing; what needs an answer does not happen
    #[arg(long)]
    pub(crate) no_input: bool,
}

impl AskingArgs {
    /// Asks for a yes; anything else is no. Without a terminal nothing waits for an answer.
    pub(crate) fn consent(&self, ui: &Ui, question: &str) -> Result<bool, CommandError> {
        if self.yes {
            return Ok(true);
        }
        if !self.can_ask() {
            let why = if self.no_input { "--no-input was given" } else { "there is no terminal to ask on" };
            let told = CommandError::failed(format!("this needs your yes, and {why}"));
            return Err(told.hint("read what is shown above; if you want it, add --yes"));
        }
        ui.prompt(&format!("{question}  [y]es  [n]o > "));
        let mut line = String::new();
        let read = std::io::stdin().lock().read_line(&mut line);
        Ok(read.is_ok() && matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    fn can_ask(&self) -> bool {
        !self.no_input && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }
}

/// The user at a terminal, or nobody.
pub(crate) struct Asking<'a> {
    ui: &'a Ui,
    snapshot: &'a Snapshot,
    workspace: &'a Workspace,
    servers: BlockingMcpServers,
    yes: bool,
    can_ask: bool,
    online: LoginDriver,
    /// Questions that nobody could be asked.
    pub(crate) unasked: Vec<Question>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(ui: &'a Ui, snapshot: &'a Snapshot, args: &AskingArgs) -> Asking<'a> {
        let (workspace, servers) = (&snapshot.workspace, BlockingMcpServers::default());
        let (yes, can_ask, online) = (args.yes, args.can_ask(), LoginDriver::default());
        Asking { ui, snapshot, workspace, servers, yes, can_ask, online, unasked: Vec::new() }
    }

    fn show(&self, question: &Question) {
        match question {
            Question::Permission { permission, subject, .. } if permission == "read" => {
                self.ui.ask(&format!("`{}` may be read only if you say so.", safe(subject)));
            }
            Question::Permission { skill, .. } => {
                self.ui.ask(&format!("`{}` may be called only if you say so.", safe(skill)));
            }
            Question::RequestedPermissions { skill, path, digest, changed, permissions } => {
                self.show_permissions(skill, permissions, *changed);
                let folder = path.parent().unwrap_or(path);
                let short = paths::short(self.workspace, folder);
                self.ui.ask(&format!("  from     {short}  ({})", short_digest(digest)));
                let is_script = permissions.iter().any(|permission| permission.kind == PermissionKind::Script);
                if permissions.iter().any(runs) {
                    self.ui.ask(&format!("  sandbox  {}", sandbox_line(self.workspace, is_script)));
                }
                self.ui.ask("");
            }
            Question::Secret { variable, about, skills } => {
                let about = about.as_ref().map(|about| format!(": {}", safe(about))).unwrap_or_default();
                self.ui.ask(&format!("{} needs the variable {}{about}", list(skills), safe(variable)));
                self.ui.ask("It is kept in memory until this command ends, and shown to nobody.");
            }
            Question::Server { name, transport, target, about, skills } => {
                let about = about.as_ref().map(|about| format!(": {}", safe(about))).unwrap_or_default();
                self.ui.ask(&format!("{} needs the MCP server `{}`{about}", list(skills), safe(name)));
                self.ui.ask(&format!("\n{}\n", self.ui.quoted("    ", target)));
                let how = if transport == "stdio" { "started as this program" } else { "reached at this address" };
                self.ui.ask(&format!("It is {how}, and would be added to your own settings."));
            }
            Question::Remote { offer, changed } => {
                if *changed {
                    let text = format!("`{}` has changed since you allowed it.", safe(&offer.name));
                    self.ui.ask(&paint(Role::Warning, &text));
                }
                let skill = paint(Role::Strong, &safe(&offer.name));
                self.ui.ask(&format!("{skill} is a skill of the MCP server `{}`:\n", safe(&offer.server)));
                self.ui.ask(&self.ui.quoted("    ", &offer.about));
                let extent = extent(offer.size, offer.digest.as_deref());
                self.ui.ask(&format!("\n  from     {}  ({extent})\n", safe(&offer.uri)));
            }
            Question::Setting { key, value, file } => {
                let value = value.as_deref().unwrap_or("not set any more");
                self.ui.ask(&format!(
                    "The setting `{}` would be, in {}:\n",
                    safe(key),
                    paths::short(self.workspace, file)
                ));
                self.ui.ask(&self.ui.quoted("    ", value));
            }
            Question::Login { server, page } => {
                self.ui.ask(&format!("`{}` wants you to log in, on a page at:\n\n    {}\n", safe(server), safe(page)));
                self.ui.ask("The login is kept in memory until this command ends.");
            }
        }
    }

    fn show_permissions(&self, skill: &str, permissions: &[RequestedPermission], changed: bool) {
        if changed {
            self.ui.ask(&paint(Role::Warning, &format!("`{}` has changed since you allowed this.", safe(skill))));
        }
        for permission in permissions {
            self.ui.ask(&format!("{} wants to {}:\n", paint(Role::Strong, &safe(skill)), permission.title()));
            for item in permission.items() {
                // Whole, however long: what is not shown must not run.
                self.ui.ask(&self.ui.quoted("    ", &item));
            }
            self.ui.ask("");
        }
    }

    /// Reads a letter until it is one of the choices; the end of input is no.
    fn read(&self, question: &Question) -> Answer {
        // One command is one session, so that this choice would be the same as once.
        let choices: Vec<Choice> = question.choices().iter().copied().filter(|it| *it != Choice::Session).collect();
        loop {
            self.ui.prompt(&format!("{}  {} > ", prompt(question), letters(question, &choices)));
            let mut line = String::new();
            if std::io::stdin().lock().read_line(&mut line).unwrap_or(0) == 0 {
                self.ui.ask("");
                return Answer::No;
            }
            match chosen(&choices, line.trim()) {
                Some(Choice::Once) => return Answer::Once,
                Some(Choice::Session) => return Answer::Session,
                Some(Choice::Always) => {
                    self.ui.ask("That is kept: `openoxide trust --list` shows it, and what takes it back.");
                    return Answer::Always;
                }
                Some(Choice::No | Choice::Value) => return Answer::No,
                None => self.ui.ask("Please answer with one of the letters."),
            }
        }
    }

    fn secret(variable: &str) -> Answer {
        let prompt = format!("{}, or nothing to go on without it: ", safe(variable));
        match rpassword::prompt_password(prompt) {
            Ok(value) if !value.is_empty() => Answer::Secret(SecretString::from(value)),
            _ => Answer::No,
        }
    }
}

impl Responder for Asking<'_> {
    fn answer(&mut self, question: &Question) -> Answer {
        if let (true, false) = (self.yes, matches!(question, Question::Secret { .. } | Question::Login { .. })) {
            self.show(question);
            return Answer::Once;
        }
        if !self.can_ask {
            self.unasked.push(question.clone());
            return Answer::NotAsked;
        }
        self.show(question);
        match question {
            Question::Secret { variable, .. } => Asking::secret(variable),
            _ => self.read(question),
        }
    }

    fn fetch(&mut self, fetch: &Fetch) -> FetchReply {
        self.servers.answer(self.snapshot, fetch)
    }

    /// Nothing is sent, and nobody waited for, where nobody can be asked.
    fn login(&mut self, step: &LoginStep) -> LoginReply {
        if !self.can_ask {
            return LoginReply::NotTried;
        }
        if let LoginStep::Wait(callback) = step {
            self.ui.ask(&format!(
                "Open this page in a browser:\n\n    {}\n\nWaiting until `{}` lets you in …",
                safe(&callback.page),
                safe(&callback.server)
            ));
        }
        self.online.take(step)
    }
}

/// Says what did not happen because nobody could be asked, and what would allow it; `again` is the command with `--yes`.
pub(crate) fn tell_unasked(ui: &Ui, again: &str, question: &Question) {
    match question {
        Question::RequestedPermissions { skill, permissions, changed, .. } => {
            let what: Vec<&str> = permissions.iter().map(RequestedPermission::title).collect();
            if *changed {
                ui.warn(&format!("`{}` has changed since you allowed it", safe(skill)));
            }
            ui.warn(&format!("`{}` was not allowed to {}, because nobody was asked", safe(skill), what.join(" and ")));
            // On a line of its own, so that it can be copied whole.
            ui.hint(&format!("to be asked, run it in a terminal; to allow it this time:\n  {again}"));
        }
        Question::Permission { permission, subject, .. } if permission == "read" => {
            ui.hint(&format!("reading `{}` needs a yes: run it in a terminal, or with `--yes`", safe(subject)));
        }
        Question::Permission { skill, .. } => {
            ui.hint(&format!("calling `{}` needs a yes: run it in a terminal, or with `--yes`", safe(skill)));
        }
        Question::Remote { offer, changed } => {
            if *changed {
                ui.warn(&format!("`{}` has changed since you allowed it", safe(&offer.name)));
            }
            ui.warn(&format!("`{}` was not sent, because nobody was asked", safe(&offer.name)));
            ui.hint(&format!("to be asked, run it in a terminal; to allow it this time:\n  {again}"));
        }
        Question::Server { name, target, .. } => {
            let add = format!("to add `{}` ({}), run it in a terminal, or with `--yes`", safe(name), safe(target));
            ui.hint(&add);
        }
        // A notice says what is missing, and a value is nothing to say yes to; who types a change has said yes.
        Question::Secret { .. } | Question::Login { .. } | Question::Setting { .. } => {}
    }
}

/// Tells whether a power runs something.
fn runs(permission: &RequestedPermission) -> bool {
    matches!(permission.kind, PermissionKind::Shell | PermissionKind::Script | PermissionKind::Hook)
}

fn prompt(question: &Question) -> &'static str {
    match question {
        Question::Permission { permission, .. } if permission == "read" => "Read it?",
        Question::Permission { .. } => "Call it?",
        Question::RequestedPermissions { .. } => "Allow it?",
        Question::Secret { .. } => "",
        Question::Server { .. } => "Add it?",
        Question::Remote { .. } => "Send it to the model?",
        Question::Login { .. } => "Log in?",
        Question::Setting { .. } => "Change it?",
    }
}

fn letters(question: &Question, choices: &[Choice]) -> String {
    let words = choices.iter().map(|choice| match choice {
        Choice::Once if choices.len() == 2 => "[y]es",
        Choice::Once => "[o]nce",
        Choice::Session => "[s]ession",
        Choice::Always if matches!(question, Question::RequestedPermissions { .. } | Question::Remote { .. }) => {
            "[a]lways for these bytes"
        }
        Choice::Always => "[a]lways",
        Choice::Value => "[v]alue",
        Choice::No => "[n]o",
    });
    words.collect::<Vec<_>>().join("  ")
}

fn chosen(choices: &[Choice], typed: &str) -> Option<Choice> {
    let typed = typed.to_ascii_lowercase();
    if typed.is_empty() {
        return Some(Choice::No);
    }
    let is_it = |choice: &&Choice| {
        let word = if choices.len() == 2 && **choice == Choice::Once { "yes" } else { choice.as_str() };
        word.starts_with(&typed) || (typed == "y" && **choice == Choice::Once)
    };
    choices.iter().find(is_it).copied()
}

fn list(skills: &[String]) -> String {
    skills.iter().map(|skill| format!("`{}`", safe(skill))).collect::<Vec<_>>().join(" and ")
}

fn short_digest(digest: &str) -> String {
    let hex = digest.rsplit(':').next().unwrap_or(digest);
    match (hex.get(..4), hex.get(hex.len().saturating_sub(4)..)) {
        (Some(start), Some(end)) if hex.len() > 8 => format!("sha256:{start}…{end}"),
        _ => digest.to_owned(),
    }
}

/// Says how much a server lists for a skill.
fn extent(size: Option<(usize, u64)>, digest: Option<&str>) -> String {
    match (size, digest) {
        (Some((files, bytes)), Some(digest)) => {
            format!("{}, {} bytes, {}", count(files, "file"), grouped(bytes), short_digest(digest))
        }
        _ => "what it says cannot be known before, and is another each time".to_owned(),
    }
}

fn sandbox_line(workspace: &Workspace, is_script: bool) -> String {
    let settings = workspace.config.sandbox();
    let writes = match settings.writable.len() {
        0 => "read-only project".to_owned(),
        _ => format!(
            "writes to {}",
            settings.writable.iter().map(|path| paths::short(workspace, path)).collect::<Vec<_>>().join(", ")
        ),
    };
    let network = if settings.network { "network" } else { "no network" };
    let time = if is_script { settings.time } else { settings.shell_time };
    format!("{writes}, {network}, {} s", time.as_secs())
}
