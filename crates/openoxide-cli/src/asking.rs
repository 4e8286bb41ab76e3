//! Questions on the terminal: shown whole, answered by a letter. Without a terminal nobody is asked.

use std::io::IsTerminal as _;
use std::path::Path;
use std::rc::Rc;

use clap::Args;
use openoxide_app::{
    Answer, BlockingMcpServers, Choice, CommandRunner, Fetch, FetchReply, LoginDriver, LoginReply, LoginStep, Question,
    RequestedPermission, Responder, Resumable, Session as Conversation, Snapshot, drive, paths, sandbox_line,
};
use rustix::{io::Errno, termios::QueueSelector};
use secrecy::SecretString;

use crate::error::CommandError;
use crate::ui::{Role, Ui, count, grouped, paint, safe};

/// How questions are answered.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct AskingArgs {
    /// Allow what this call asks for, for this call only: nothing is kept, and no server is added to your settings
    #[arg(long, short = 'y', conflicts_with = "no_input")]
    pub(crate) yes: bool,
    /// Ask nothing; what needs an answer does not happen
    #[arg(long)]
    pub(crate) no_input: bool,
}

impl AskingArgs {
    /// Asks for approval; anything but yes is no. Without a terminal nothing waits for an answer.
    pub(crate) fn consent(&self, ui: &Ui, question: &str) -> Result<bool, CommandError> {
        if self.yes {
            return Ok(true);
        }
        if !self.can_ask() {
            let why = if self.no_input { "--no-input was given" } else { "there is no terminal to ask on" };
            let error = CommandError::failed(format!("this needs your approval, and {why}"));
            return Err(error.hint("read what is shown above; if you want it, add --yes"));
        }
        let line = read_line(ui, &format!("{question}  [y]es  [n]o > ")).unwrap_or_default();
        Ok(matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
    }

    /// Asks which of several, until the answer is clear; nothing means none. Absent: nobody can be asked.
    pub(crate) fn choose(&self, ui: &Ui, question: &str, titles: &[String]) -> Option<Vec<usize>> {
        if self.yes || !self.can_ask() {
            return None;
        }
        titles.iter().zip(1..).for_each(|(title, number)| ui.ask(&format!("  [{number}] {}", safe(title))));
        loop {
            let line = read_line(ui, &format!("{question}  numbers, [a]ll or [n]one > ")).unwrap_or_default();
            match numbers(&line, titles.len()) {
                Some(wanted) => return Some(wanted),
                None => ui.ask(&format!("Please answer with numbers from 1 to {}, `a` or `n`.", titles.len())),
            }
        }
    }

    fn can_ask(&self) -> bool {
        !self.no_input && std::io::stdin().is_terminal() && std::io::stderr().is_terminal()
    }
}

/// Reads which of some numbered things a person wants, in their order; absent: the answer is unclear.
fn numbers(line: &str, count: usize) -> Option<Vec<usize>> {
    let words = || line.split(|character: char| character == ',' || character.is_whitespace());
    let words = words().filter(|word| !word.is_empty());
    match line.trim().to_lowercase().as_str() {
        "a" | "all" => return Some((0..count).collect()),
        "n" | "none" | "no" => return Some(Vec::new()),
        _ => {}
    }
    let number = |word: &str| word.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
    let numbers: Option<std::collections::BTreeSet<usize>> = words.map(number).collect();
    Some(numbers?.into_iter().map(|number| number - 1).collect())
}

/// The longest line that is read as an answer.
const LINE_MAX: usize = 4096;

/// The user at a terminal, or nobody.
pub(crate) struct Asking<'a> {
    ui: &'a Ui,
    snapshot: &'a Snapshot,
    servers: BlockingMcpServers,
    runner: Rc<CommandRunner>,
    yes: bool,
    can_ask: bool,
    online: LoginDriver,
    /// Questions that nobody could be asked.
    unasked: Vec<Question>,
}

impl<'a> Asking<'a> {
    pub(crate) fn new(ui: &'a Ui, snapshot: &'a Snapshot, args: &AskingArgs) -> Asking<'a> {
        let (servers, runner, online) = (BlockingMcpServers::default(), Rc::default(), LoginDriver::default());
        Asking { ui, snapshot, servers, runner, yes: args.yes, can_ask: args.can_ask(), online, unasked: Vec::new() }
    }

    pub(crate) fn drive<O: Resumable>(&mut self, operation: &mut O, conversation: &mut Conversation) -> O::Output {
        let runner = Rc::clone(&self.runner);
        let output = drive(operation, conversation, self, |run| runner.run(run));
        self.ui.say_own_skills(self.snapshot);
        output
    }

    pub(crate) fn isolation(&self) -> &'static str {
        self.runner.mechanism().unwrap_or("none")
    }

    /// Says what did not happen because nobody could be asked; `again` is the command with `--yes`.
    pub(crate) fn tell_unasked(&self, again: &str) {
        self.unasked.iter().for_each(|question| tell_unasked(self.ui, again, question));
    }

    fn show(&self, question: &Question) {
        let ask = |text: String| self.ui.ask(&text);
        let workspace = &self.snapshot.workspace;
        let about =
            |about: &Option<String>| about.as_ref().map(|about| format!(": {}", safe(about))).unwrap_or_default();
        match question {
            Question::Permission { permission, subject, skill, place } => {
                ask(match permission.as_str() {
                    "read" => format!("`{}` may be read only if you approve.", safe(subject)),
                    _ => format!("`{}` may be called only if you approve.", safe(skill)),
                });
                let file = Path::new(place);
                let folder = file.parent().filter(|_| file.is_absolute()).map(|folder| paths::short(workspace, folder));
                ask(format!("  from     {}", folder.unwrap_or_else(|| safe(place))));
            }
            Question::RequestedPermissions { skill, path, digest, changed, permissions } => {
                self.show_permissions(skill, permissions, *changed);
                let short = paths::short(workspace, path.parent().unwrap_or(path));
                ask(format!("  from     {short}  ({})", short_digest(digest)));
                if let Some(sandbox) = sandbox_line(workspace, permissions) {
                    ask(format!("  sandbox  {sandbox}"));
                }
                self.ui.ask("");
            }
            Question::Secret { variable, about: why, skills } => {
                ask(format!("{} needs the variable {}{}", list(skills), safe(variable), about(why)));
                self.ui.ask("It is kept in memory until this command ends, and shown to nobody.");
            }
            Question::Server { name, transport, target, about: why, skills } => {
                ask(format!("{} needs the MCP server `{}`{}", list(skills), safe(name), about(why)));
                ask(format!("\n{}\n", self.ui.quoted("    ", target)));
                let how = if transport == "stdio" { "started as this program" } else { "reached at this address" };
                ask(format!("It is {how}, and would be added to your own settings."));
            }
            Question::Remote { offer, changed } => {
                if *changed {
                    ask(paint(Role::Warning, &format!("`{}` has changed since you allowed it.", safe(&offer.name))));
                }
                let skill = paint(Role::Strong, &safe(&offer.name));
                ask(format!("{skill} is a skill of the MCP server `{}`:\n", safe(&offer.server)));
                ask(self.ui.quoted("    ", &offer.about));
                let extent = extent(offer.size, offer.digest.as_deref());
                ask(format!("\n  from     {}  ({extent})\n", safe(&offer.uri)));
            }
            Question::Setting { key, value, file } => {
                ask(format!("The setting `{}` would be, in {}:\n", safe(key), paths::short(workspace, file)));
                ask(self.ui.quoted("    ", value.as_deref().unwrap_or("not set any more")));
            }
            Question::Login { server, page } => {
                ask(format!("`{}` wants you to log in, on a page at:\n\n    {}\n", safe(server), safe(page)));
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
        let choices = question.offered(false);
        loop {
            let Some(line) = read_line(self.ui, &format!("{}  {} > ", prompt(question), letters(question, &choices)))
            else {
                self.ui.ask("");
                return Answer::No;
            };
            let Some(choice) = chosen(&choices, line.trim()) else {
                self.ui.ask("Please answer with one of the letters.");
                continue;
            };
            if choice == Choice::Always {
                self.ui.ask("That is kept: `openoxide trust --list` shows it, and what takes it back.");
            }
            return choice.answer(None).unwrap_or(Answer::No);
        }
    }
}

/// Asks for a line; the end of input is none.
///
/// What was typed or pasted before the question stood there is no answer to it: it is thrown away, and nothing is read ahead
/// of the line.
pub(crate) fn read_line(ui: &Ui, prompt: &str) -> Option<String> {
    let stdin = std::io::stdin();
    // Only a terminal has such a queue.
    let _ = rustix::termios::tcflush(&stdin, QueueSelector::IFlush);
    ui.prompt(prompt);
    let (mut line, mut byte) = (Vec::new(), [0]);
    while line.len() < LINE_MAX && line.last() != Some(&b'\n') {
        match rustix::io::read(&stdin, &mut byte) {
            Ok(0) => break,
            Ok(_) => line.push(byte[0]),
            Err(Errno::INTR) => {}
            Err(_) => return None,
        }
    }
    (!line.is_empty()).then(|| String::from_utf8_lossy(&line).into_owned())
}

fn read_secret(variable: &str) -> Answer {
    let prompt = format!("{}, or nothing to go on without it: ", safe(variable));
    match rpassword::prompt_password(prompt) {
        Ok(value) if !value.is_empty() => Answer::Secret(SecretString::from(value)),
        _ => Answer::No,
    }
}

impl Responder for Asking<'_> {
    fn answer(&mut self, question: &Question) -> Answer {
        let in_advance = question.yes_in_advance().filter(|_| self.yes);
        // Who agreed in advance is not asked about what would be kept: the answer is no.
        let is_kept = matches!(question, Question::Server { .. } | Question::Setting { .. });
        if in_advance.is_none() && (!self.can_ask || (self.yes && is_kept)) {
            self.unasked.push(question.clone());
            return Answer::NotAsked;
        }
        self.show(question);
        match (in_advance, question) {
            (Some(answer), _) => answer,
            (None, Question::Secret { variable, .. }) => read_secret(variable),
            (None, _) => self.read(question),
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

fn tell_unasked(ui: &Ui, again: &str, question: &Question) {
    let warn = |skill: &str, changed: bool, what: &str| {
        if changed {
            ui.warn(&format!("`{}` has changed since you allowed it", safe(skill)));
        }
        ui.warn(&format!("`{}` was not {what}, because nobody was asked", safe(skill)));
        // On a line of its own, so that it can be copied whole.
        ui.hint(&format!("to be asked, run it in a terminal; to allow it this time:\n  {again}"));
    };
    match question {
        Question::RequestedPermissions { skill, permissions, changed, .. } => {
            let what: Vec<&str> = permissions.iter().map(RequestedPermission::title).collect();
            warn(skill, *changed, &format!("allowed to {}", what.join(" and ")));
        }
        Question::Remote { offer, changed } => warn(&offer.name, *changed, "sent"),
        Question::Permission { permission, subject, skill, .. } => {
            let (verb, what) = if permission == "read" { ("reading", subject) } else { ("calling", skill) };
            ui.hint(&format!("{verb} `{}` needs your approval: run it in a terminal, or with `--yes`", safe(what)));
        }
        Question::Server { name, target, .. } => {
            let (name, target) = (safe(name), safe(target));
            ui.hint(&format!("to add `{name}` ({target}), run it in a terminal without `--yes`, and answer there"));
        }
        // A notice says what is missing, and a value is nothing to say yes to; who types a change has said yes.
        Question::Secret { .. } | Question::Login { .. } | Question::Setting { .. } => {}
    }
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

fn extent(size: Option<(usize, u64)>, digest: Option<&str>) -> String {
    match (size, digest) {
        (Some((files, bytes)), Some(digest)) => {
            format!("{}, {} bytes, {}", count(files, "file"), grouped(bytes), short_digest(digest))
        }
        _ => "what it says cannot be known before, and is another each time".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::numbers;

    #[test]
    fn an_unclear_answer_is_none_and_is_asked_again() {
        assert_eq!([numbers("2, 1", 2), numbers("a\n", 2)], [Some(vec![0, 1]), Some(vec![0, 1])]);
        assert_eq!([numbers("", 2), numbers("n", 2), numbers("None\n", 2)], [Some(vec![]), Some(vec![]), Some(vec![])]);
        assert_eq!([numbers("3", 2), numbers("0", 2), numbers("1 x", 2), numbers("y", 2)], [None, None, None, None]);
    }
}
