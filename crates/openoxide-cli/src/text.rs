//! Text for a terminal: made safe, colored by meaning, numbers with their nouns.

use anstyle::{AnsiColor, Style};
use openoxide_app::TerminalText;

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
