//! The terminal: data to stdout, talk to stderr, color by meaning.

use std::io::{IsTerminal as _, Write as _};

use anstyle::{AnsiColor, Style};
use openoxide_app::TerminalText;

use crate::args::{Common, When};
use crate::error;
use crate::table::{fill, indented};

/// What a text means, for its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    /// Something wrong.
    Error,
    /// Something doubtful.
    Warning,
    /// A next step, a path.
    Hint,
    /// Something good.
    Good,
    /// What matters less.
    Dim,
    /// A heading.
    Strong,
}

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

    /// Returns one whose talk goes to the log, so that a program that reads it meets nothing else among its lines.
    pub(crate) fn through_log(&self) -> Ui {
        Ui { talks_to_log: true, ..self.clone() }
    }

    /// Takes the setting for color, unless the command line decided.
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

    /// Returns the columns of the terminal; nothing if the output goes elsewhere.
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

    /// Writes data byte for byte, whatever it does to a terminal: somebody asked for that.
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
        // Nobody can be told that stderr is closed.
        let _ = err.write_all(&shown(stderr, err.is_terminal()));
        Ok(())
    }

    /// Writes an answer as JSON.
    pub(crate) fn json(&self, answer: &impl serde::Serialize) -> anyhow::Result<()> {
        self.raw(&(serde_json::to_string_pretty(answer)? + "\n"))
    }

    /// Tells whether it was asked to say less.
    pub(crate) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// Says something, unless asked to say less.
    pub(crate) fn say(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::info!("{text}"),
            false => self.stderr("", text),
        }
    }

    /// Says what has to be read before an answer, whether or not asked to say less.
    pub(crate) fn ask(&self, text: &str) {
        self.stderr("", text);
    }

    /// Writes what a skill says below our own words: whole, and so far to the right that no part of it can look like ours.
    pub(crate) fn quoted(&self, indent: &str, text: &str) -> String {
        let width = self.width.filter(|_| std::io::stderr().is_terminal());
        indented(indent, &safe_lines(text), width)
    }

    /// Warns.
    pub(crate) fn warn(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::warn!("{text}"),
            false => self.stderr(&format!("{}: ", paint(Role::Warning, "warning")), text),
        }
    }

    /// Says the next step.
    pub(crate) fn hint(&self, text: &str) {
        match self.talks_to_log {
            _ if self.quiet => {}
            true => tracing::info!("{text}"),
            false => self.stderr(&format!("{}: ", paint(Role::Hint, "hint")), text),
        }
    }

    /// Says that the answer is no.
    pub(crate) fn problem(&self, text: &str) {
        self.stderr(&format!("{}: ", paint(Role::Error, "error")), text);
    }

    /// Shows where an answer is typed.
    pub(crate) fn prompt(&self, text: &str) {
        let mut out = anstream::stderr().lock();
        // Nobody can be told that stderr is closed.
        let _ = write!(out, "{text}").and_then(|()| out.flush());
    }

    /// Shows an error, its causes and its hint.
    pub(crate) fn error(&self, common: &Common, error: &anyhow::Error) {
        self.stderr(&format!("{}: ", paint(Role::Error, "error")), &error::message(error));
        for cause in error.chain().skip(1) {
            self.stderr("  Caused by: ", &safe_lines(&cause.to_string()));
        }
        for hint in error::hints(common, error) {
            self.stderr(&format!("{}: ", paint(Role::Hint, "hint")), &safe_lines(&hint));
        }
    }

    /// Writes talk. What goes to a file, is indented, or has several lines, keeps its shape.
    fn stderr(&self, lead: &str, text: &str) {
        let is_shaped = text.contains('\n') || text.starts_with("  ") || !std::io::stderr().is_terminal();
        let width = self.width.filter(|_| !is_shaped);
        // Nobody can be told that stderr is closed.
        let _ = writeln!(anstream::stderr().lock(), "{}", fill(lead, text, width));
    }
}

fn width() -> Option<usize> {
    let told = std::env::var("COLUMNS").ok().and_then(|columns| columns.parse().ok()).filter(|columns| *columns > 20);
    let seen = || terminal_size::terminal_size().map(|(terminal_size::Width(width), _)| usize::from(width));
    told.or_else(|| std::io::stdout().is_terminal().then(seen).flatten())
}

/// Colors a text by what it means.
pub(crate) fn paint(role: Role, text: &str) -> String {
    let style = match role {
        Role::Error => Style::new().bold().fg_color(Some(AnsiColor::Red.into())),
        Role::Warning => Style::new().bold().fg_color(Some(AnsiColor::Yellow.into())),
        Role::Hint => Style::new().fg_color(Some(AnsiColor::Cyan.into())),
        Role::Good => Style::new().fg_color(Some(AnsiColor::Green.into())),
        Role::Dim => Style::new().dimmed(),
        Role::Strong => Style::new().bold(),
    };
    format!("{style}{text}{style:#}")
}

/// Makes text from a skill safe to print.
pub(crate) fn safe(text: &str) -> String {
    TerminalText(text).to_string()
}

/// Makes text of several lines safe to print.
pub(crate) fn safe_lines(text: &str) -> String {
    text.trim_end().lines().map(safe).collect::<Vec<_>>().join("\n")
}

/// Writes a number and its noun: "1 skill", "2 skills".
pub(crate) fn count(number: usize, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {noun}{plural}", grouped(number as u64))
}

/// Writes a number with commas between thousands.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_read_well() {
        assert_eq!(grouped(1_234_567), "1,234,567");
        assert_eq!(grouped(999), "999");
        assert_eq!((count(1, "skill"), count(2, "skill")), ("1 skill".to_owned(), "2 skills".to_owned()));
    }
}
