//! The terminal: data to stdout, talk to stderr, color by meaning.

use std::io::{IsTerminal as _, Write as _};

use openoxide_app::Progress;
use openoxide_wire::{MessageLine, NoticeLine};
use unicode_width::UnicodeWidthStr as _;

use crate::args::{Common, When};
use crate::table::{fill_around_code, indented};
use crate::{error, text::replacement, typed};

use crate::text::decide_paint;
pub(crate) use crate::text::{Role, only_caller, paint, safe, safe_lines};
pub(crate) use openoxide_app::{count, grouped};

/// How a run ended. Any other failure has the exit status 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ExitStatus {
    /// Done.
    Done,
    /// The answer is no: findings, an unknown skill.
    No,
}

/// The terminal, and the options that every command takes.
#[derive(Clone)]
pub(crate) struct Ui {
    pub(crate) common: Common,
    /// The columns of the terminal; absent if the output goes elsewhere.
    pub(crate) width: Option<usize>,
    /// Whether talk goes to the log, because a program reads standard error.
    talks_to_log: bool,
}

impl Ui {
    pub(crate) fn new(common: Common) -> Ui {
        apply_color(common.color);
        Ui { common, width: width(), talks_to_log: false }
    }

    /// Returns a terminal that writes talk to the log, so that a program that reads the log finds nothing else in it.
    pub(crate) fn through_log(&self) -> Ui {
        Ui { talks_to_log: true, ..self.clone() }
    }

    /// Applies the setting for color, unless `--color` was given.
    pub(crate) fn use_color(&self, setting: &str) {
        if self.common.color.is_none() {
            apply_color(match setting {
                "always" => Some(When::Always),
                "never" => Some(When::Never),
                _ => None,
            });
        }
    }

    /// Writes a command that looks at the same as this one.
    pub(crate) fn command(&self, verb: &str) -> String {
        typed::command(&self.common, verb, None, "")
    }

    /// Writes a command that looks at the same project, whatever the host.
    pub(crate) fn command_for_all(&self, verb: &str) -> String {
        typed::command(&typed::for_all(&self.common), verb, None, "")
    }

    /// Writes data, with its colors where they are wanted.
    pub(crate) fn data(&self, text: &str) -> anyhow::Result<()> {
        let stdout = std::io::stdout();
        let is_plain = !text.as_bytes().contains(&b'\x1b');
        if is_plain || anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never {
            return self.bytes(text);
        }
        let mut out = std::io::BufWriter::with_capacity(256 * 1024, stdout.lock());
        for plain in anstream::adapter::strip_str(text) {
            out.write_all(plain.as_bytes())?;
        }
        Ok(out.flush()?)
    }

    /// Writes data that must arrive byte for byte, but for what would command a terminal.
    pub(crate) fn raw(&self, text: &str) -> anyhow::Result<()> {
        if !std::io::stdout().is_terminal() {
            return self.bytes(text);
        }
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.bytes(&format!("{}{end}", escaped(text)))
    }

    /// Writes data byte for byte, whatever it does to a terminal: the user asked for that.
    pub(crate) fn bytes(&self, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Writes what a command wrote: byte for byte, but for what would command a terminal.
    pub(crate) fn output(&self, stdout: &[u8], stderr: &[u8]) -> anyhow::Result<()> {
        let shown = |bytes: &[u8], is_terminal: bool| match is_terminal {
            true => escaped(&String::from_utf8_lossy(bytes)).into_bytes(),
            false => bytes.to_owned(),
        };
        let mut out = std::io::stdout().lock();
        out.write_all(&shown(stdout, out.is_terminal()))?;
        out.flush()?;
        let mut err = std::io::stderr().lock();
        // If stderr is closed, there is nowhere to report it.
        let _ = err.write_all(&shown(stderr, err.is_terminal()));
        Ok(())
    }

    /// Writes an answer as JSON, and nothing after it.
    pub(crate) fn json(&self, answer: &impl serde::Serialize) -> anyhow::Result<ExitStatus> {
        if std::io::stdout().is_terminal() {
            self.raw(&(serde_json::to_string_pretty(answer)? + "\n"))?;
            return Ok(ExitStatus::Done);
        }
        // In blocks: an answer may have megabytes, which are not gathered first.
        let mut out = std::io::BufWriter::with_capacity(64 * 1024, std::io::stdout().lock());
        serde_json::to_writer_pretty(&mut out, answer).map_err(std::io::Error::from)?;
        out.write_all(b"\n")?;
        out.flush()?;
        Ok(ExitStatus::Done)
    }

    /// Writes an answer as JSON if that was asked for; people were told in words.
    pub(crate) fn json_if_asked(&self, answer: &impl serde::Serialize) -> anyhow::Result<ExitStatus> {
        if self.common.json { self.json(answer) } else { Ok(ExitStatus::Done) }
    }

    /// Writes messages to the model, each on lines of its own.
    pub(crate) fn messages(&self, messages: &[MessageLine]) -> anyhow::Result<()> {
        messages.iter().try_for_each(|message| self.message(&message.text))
    }

    /// Writes a text as it is, on lines of its own.
    pub(crate) fn message(&self, text: &str) -> anyhow::Result<()> {
        let end = if text.ends_with('\n') { "" } else { "\n" };
        self.raw(&format!("{text}{end}"))
    }

    /// Writes talk, unless `--quiet` was given.
    pub(crate) fn say(&self, text: &str) {
        match self.talks_to_log {
            _ if self.common.quiet => {}
            true => tracing::info!("{text}"),
            false => self.stderr("", text),
        }
    }

    /// Writes what a command is for, and the command: behind it, or whole on the next line where there is no room.
    pub(crate) fn say_command(&self, what: &str, command: &str) {
        let line = format!("{what}: {command}");
        if self.talks_to_log || self.width_of_talk().is_none_or(|width| line.width() <= width) {
            return self.say(&line);
        }
        self.say(&format!("{what}:"));
        self.say(&format!("  {command}"));
    }

    /// Writes a warning, unless `--quiet` was given.
    pub(crate) fn warn(&self, text: &str) {
        match self.talks_to_log {
            _ if self.common.quiet => {}
            true => tracing::warn!("{text}"),
            false => self.labeled(Role::Warning, "warning", text),
        }
    }

    /// Writes the next step, unless `--quiet` was given.
    pub(crate) fn hint(&self, text: &str) {
        match self.talks_to_log {
            true => self.say(text),
            false if self.common.quiet => {}
            false => self.labeled(Role::Hint, "hint", text),
        }
    }

    /// Writes a command as the next step, on one line, unless `--quiet` was given.
    pub(crate) fn hint_command(&self, command: &str) {
        match self.talks_to_log {
            true => self.say(command),
            false if self.common.quiet => {}
            false => put(&format!("{}: {command}", paint(Role::Hint, "hint"))),
        }
    }

    pub(crate) fn notices(&self, notices: &[NoticeLine]) {
        for notice in notices {
            self.warn(&format!("{}: {}", safe(&notice.skill), safe(&notice.text)));
            notice.help.iter().for_each(|help| self.hint(&safe(help)));
        }
    }

    pub(crate) fn progress(&self, progress: Progress) {
        match progress {
            Progress::Done(text) => self.say(&text),
            Progress::Warning(text) => self.warn(&text),
            Progress::Failed(error) => self.error(&error.into()),
            Progress::Replaced { path, old, new, code } => {
                self.say(&format!("fixed {path}: {} [{code}]", replacement(&old, &new)));
            }
        }
    }

    /// Writes what a person has to read before an answer, even with `--quiet`.
    pub(crate) fn ask(&self, text: &str) {
        self.stderr("", text);
    }

    /// Indents text of a skill: whole, and so far to the right that no part of it can look like our own words.
    pub(crate) fn quoted(&self, indent: &str, text: &str) -> String {
        indented(indent, &safe_lines(text), self.width_of_talk())
    }

    /// Writes a question, and leaves the cursor behind it.
    pub(crate) fn prompt(&self, text: &str) {
        let mut out = anstream::stderr().lock();
        // If stderr is closed, there is nowhere to report it.
        let _ = write!(out, "{text}").and_then(|()| out.flush());
    }

    /// Writes that the answer is no, and why.
    pub(crate) fn problem(&self, text: &str) {
        self.labeled(Role::Error, "error", text);
    }

    pub(crate) fn error(&self, error: &anyhow::Error) {
        self.problem(&error::message(error));
        for cause in error.chain().skip(1) {
            self.stderr("  Caused by: ", &safe_lines(&cause.to_string()));
        }
        for hint in error::hints(&self.common, error) {
            self.labeled(Role::Hint, "hint", &safe_lines(&hint));
        }
    }

    fn labeled(&self, role: Role, label: &str, text: &str) {
        self.stderr(&format!("{}: ", paint(role, label)), text);
    }

    /// Writes to stderr. Text that goes to a file, is indented or has several lines keeps its shape.
    fn stderr(&self, lead: &str, text: &str) {
        let has_shape = text.contains('\n') || text.starts_with("  ");
        put(&fill_around_code(lead, text, self.width_of_talk().filter(|_| !has_shape)));
    }

    /// Returns the columns for talk; absent if it does not go to a terminal.
    fn width_of_talk(&self) -> Option<usize> {
        self.width.filter(|_| std::io::stderr().is_terminal())
    }
}

fn put(line: &str) {
    // If stderr is closed, there is nowhere to report it.
    let _ = writeln!(anstream::stderr().lock(), "{line}");
}

fn apply_color(when: Option<When>) {
    let choice = match when {
        Some(When::Always) => anstream::ColorChoice::Always,
        Some(When::Never) => anstream::ColorChoice::Never,
        Some(When::Auto) | None => anstream::ColorChoice::Auto,
    };
    choice.write_global();
    decide_paint();
}

/// Makes text of several lines safe to print, to the last line end.
fn escaped(text: &str) -> String {
    text.split('\n').map(safe).collect::<Vec<_>>().join("\n")
}

fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 20);
    let seen = || terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width));
    set.or_else(|| std::io::stdout().is_terminal().then(seen).flatten())
}
