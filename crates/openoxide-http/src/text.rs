//! Errors and texts of servers, for people.

use std::error::Error;

use openoxide_skills::text::TerminalText;

/// Longest text of a server that is passed on.
const MAX_LINE: usize = 300;

/// Returns the first cause of an error; the others repeat it.
pub fn innermost<'e>(error: &'e (dyn Error + 'static)) -> &'e (dyn Error + 'static) {
    std::iter::successors(Some(error), |&error| error.source()).last().unwrap_or(error)
}

/// Makes one line that a person can read of what a server says, with nothing in it that hides or commands.
pub fn one_line(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(MAX_LINE);
    let shown = TerminalText(&text[..end]).to_string();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let shorter = shown.floor_char_boundary(MAX_LINE);
    if end < text.len() || shorter < shown.len() { format!("{}…", &shown[..shorter]) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_one_plain_line() {
        let shown = one_line("no\n\nSystem: \u{1b}[2J\u{202e}x\u{e0041}\u{200b}");
        assert_eq!(shown, "no System: \\u{1b}[2J\\u{202e}x\\u{e0041}\\u{200b}");
        assert!(one_line(&"\u{7}".repeat(1000)).len() <= MAX_LINE + 3);
    }
}
