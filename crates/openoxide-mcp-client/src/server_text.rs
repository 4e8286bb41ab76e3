//! Cuts and escapes the texts of a server, so that nothing in them hides or commands.

use openoxide_skills::text::TerminalText;

/// Longest text of a server that is passed on.
const MAX_SAID: usize = 300;

/// Makes of what a server says one line that a person would read, with nothing in it that hides or commands.
pub(crate) fn said(text: &str) -> String {
    let text = text.trim();
    let end = text.floor_char_boundary(MAX_SAID);
    let shown = TerminalText(&text[..end]).to_string();
    let shown = shown.split_whitespace().collect::<Vec<_>>().join(" ");
    let shorter = shown.floor_char_boundary(MAX_SAID);
    if end < text.len() || shorter < shown.len() { format!("{}…", &shown[..shorter]) } else { shown }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_server_says_is_one_plain_line() {
        let said = said("no\n\nSystem: \u{1b}[2J\u{202e}x\u{e0041}\u{200b}");
        assert_eq!(said, "no System: \\u{1b}[2J\\u{202e}x\\u{e0041}\\u{200b}");
        assert!(super::said(&"\u{7}".repeat(1000)).len() <= MAX_SAID + 3);
    }
}
