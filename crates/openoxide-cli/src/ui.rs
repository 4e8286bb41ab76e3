//! The terminal: data to stdout, talk to stderr, color by meaning.

use std::io::{IsTerminal as _, Write as _};

use crate::args::{Common, When};
use crate::error;
use crate::table::{fill, indented};

pub(crate) use crate::text::{Role, count, grouped, paint, safe, safe_lines};

/// The terminal.
#[derive(Clone)]
pub(crate) struct Ui {
    quiet: bool,
    color: Option<When>,
    width: Option<usize>,
    /// Whether talk goes to the log, because a program reads standard error.
    talks_to_log: bool,
}

impl Ui {
    pub(crate) fn new(common: &Common) -> Ui {
        let ui = Ui { quiet: common.quiet, color: common.color, width: width(), talks_to_log: false };
        ui.apply_color(common.color);
        ui
    }

    /// Returns a terminal that writes talk to the log, so that a program that reads the log finds nothing else in it.
    pub(crate) fn through_log(&self) -> Ui {
        Ui { talks_to_log: true, ..self.clone() }
    }

    /// Applies the setting for color, unless `--color` was given.
    pub(crate) fn use_color(&self, setting: &str) {
        if self.color.is_none() {
            self.apply_color(match setting {
                "always" => Some(When::Always),
                "never" => Some(When::Never),
                _ => None,
            });
        }
    }

    fn apply_color(&self, when: Option<When>) {
        let choice = match when {
            Some(When::Always) => anstream::ColorChoice::Always,
            Some(When::Never) => anstream::ColorChoice::Never,
            Some(When::Auto) | None => anstream::ColorChoice::Auto,
        };
        choice.write_global();
    }

    /// Returns the columns of the terminal; `None` if the output goes elsewhere.
    pub(crate) fn width(&self) -> Option<usize> {
        self.width
    }

    /// Writes data.
    pub(crate) fn data(&self, text: &str) -> anyhow::Result<()> {
        let mut out = anstream::stdout().lock();
        out.write_all(text.as_bytes())?;
        Ok(out.flush()?)
    }

    /// Writes data that must arrive byte for byte, but for what would command a terminal.
    pub(crate) fn raw(&self, text: &str) -> anyhow::Result<()> {
        let mut out = std::io::stdout().lock();
        match out.is_terminal() {
            true => {
                let end = if text.ends_with('\n') { "" } else { "\n" };
                let shown = text.split('\n').map(safe).collect::<Vec<_>>().join("\n");
                out.write_all(format!("{shown}{end}").as_bytes())?;
            }
            false => out.write_all(text.as_bytes())?,
        }
        Ok(out.flush()?)
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
            true => String::from_utf8_lossy(bytes).split('\n').map(safe).collect::<Vec<_>>().join("\n").into_bytes(),
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

    /// Writes an answer as JSON.
    pub(crate) fn json(&self, answer: &impl serde::Serialize) -> anyhow::Result<()> {
        self.raw(&(serde_json::to_string_pretty(answer)? + "\n"))
    }

    /// Returns whether `--quiet` was given.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Writes talk, unless `--quiet` was given.
    pub(crate) fn say(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::info!("{text}"),
            false => self.stderr("", text),
        }
    }

    /// Writes what a person has to read before an answer, even with `--quiet`.
    pub(crate) fn ask(&self, text: &str) {
        self.stderr("", text);
    }

    /// Indents text of a skill: whole, and so far to the right that no part of it can look like our own words.
    pub(crate) fn quoted(&self, indent: &str, text: &str) -> String {
        let width = self.width.filter(|_| std::io::stderr().is_terminal());
        indented(indent, &safe_lines(text), width)
    }

    /// Writes a warning, unless `--quiet` was given.
    pub(crate) fn warn(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::warn!("{text}"),
            false => self.stderr(&format!("{}: ", paint(Role::Warning, "warning")), text),
        }
    }

    /// Writes the next step, unless `--quiet` was given.
    pub(crate) fn hint(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::info!("{text}"),
            false => self.stderr(&format!("{}: ", paint(Role::Hint, "hint")), text),
        }
    }

    /// Writes that the answer is no, and why.
    pub(crate) fn problem(&self, text: &str) {
        self.stderr(&format!("{}: ", paint(Role::Error, "error")), text);
    }

    /// Writes a question, and leaves the cursor behind it.
    pub(crate) fn prompt(&self, text: &str) {
        let mut out = anstream::stderr().lock();
        // If stderr is closed, there is nowhere to report it.
        let _ = write!(out, "{text}").and_then(|()| out.flush());
    }

    /// Writes an error, its causes and its hints.
    pub(crate) fn error(&self, common: &Common, error: &anyhow::Error) {
        self.stderr(&format!("{}: ", paint(Role::Error, "error")), &error::message(error));
        for cause in error.chain().skip(1) {
            self.stderr("  Caused by: ", &safe_lines(&cause.to_string()));
        }
        for hint in error::hints(common, error) {
            self.stderr(&format!("{}: ", paint(Role::Hint, "hint")), &safe_lines(&hint));
        }
    }

    /// Writes to stderr. Text that goes to a file, is indented, or has several lines, keeps its shape.
    fn stderr(&self, lead: &str, text: &str) {
        let is_shaped = text.contains('\n') || text.starts_with("  ") || !std::io::stderr().is_terminal();
        let width = self.width.filter(|_| !is_shaped);
        // If stderr is closed, there is nowhere to report it.
        let _ = writeln!(anstream::stderr().lock(), "{}", fill(lead, text, width));
    }
}

fn width() -> Option<usize> {
    let set = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 20);
    let seen = || terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width));
    set.or_else(|| std::io::stdout().is_terminal().then(seen).flatten())
}
