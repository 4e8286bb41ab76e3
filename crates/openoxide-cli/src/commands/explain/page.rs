//! The page of a code as a terminal shows it.

use std::fmt::Write as _;

use crate::table::fill;
use crate::ui::{Role, paint};

/// Makes a page readable in a terminal: paragraphs as wide as it is, files by path and text.
pub(super) fn readable(page: &str, width: usize) -> String {
    let width = width.min(100);
    let mut text = String::new();
    let mut paragraph = String::new();
    let mut inside = false;
    for line in page.lines() {
        let is_fence = line.starts_with("```");
        if is_fence || inside || line.is_empty() || line.starts_with('#') || begins_item(line) {
            flush(&mut text, &mut paragraph, width);
        }
        match line.trim_start_matches('#') {
            _ if is_fence => inside = !inside,
            _ if inside => block_line(&mut text, line),
            heading if heading.len() < line.len() => {
                let _ = writeln!(text, "{}", paint(Role::Strong, heading.trim()));
            }
            "" => text.push('\n'),
            words => {
                paragraph.push_str(if paragraph.is_empty() { "" } else { " " });
                paragraph.push_str(words.trim());
            }
        }
    }
    flush(&mut text, &mut paragraph, width);
    text
}

fn begins_item(line: &str) -> bool {
    line.starts_with("- ") || line.starts_with('|')
}

/// Writes a line of a block; one that begins a file is its path.
fn block_line(text: &mut String, line: &str) {
    let _ = match line.strip_prefix("//- ") {
        Some(path) => writeln!(text, "  {}", paint(Role::Hint, path.strip_prefix("project/").unwrap_or(path))),
        None => writeln!(text, "{}", format!("    {line}").trim_end()),
    };
}

fn flush(text: &mut String, paragraph: &mut String, width: usize) {
    let lead = if paragraph.starts_with("- ") { "- " } else { "" };
    if !paragraph.is_empty() {
        let _ = writeln!(text, "{}", fill(lead, paragraph.strip_prefix(lead).unwrap_or(paragraph), Some(width)));
    }
    paragraph.clear();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_becomes_plain_text() {
        let page = "# S0000: a title\n\nWords that are\nwrapped anew.\n\n- an item that goes on\n- another\n\n## Example\n\n\
                    ```fixture host=openoxide\n//- project/.agents/skills/a/SKILL.md\n---\nname: b\n\n```\n";
        let plain = anstream::adapter::strip_str(&readable(page, 20)).to_string();
        let expected = "S0000: a title\n\nWords that are\nwrapped anew.\n\n- an item that goes\n  on\n- another\n\nExample\n\n  \
                        .agents/skills/a/SKILL.md\n    ---\n    name: b\n\n";
        assert_eq!(plain, expected);
    }

    #[test]
    fn no_page_is_wider_than_the_terminal() {
        for code in openoxide_app::Code::ALL {
            let page = openoxide_app::explain::page_of(*code);
            let plain = anstream::adapter::strip_str(&readable(page, 60)).to_string();
            assert!(!plain.contains("```") && !plain.contains("//- "), "{code}\n{plain}");
            let prose = plain.lines().filter(|line| !line.starts_with("  ") && !line.starts_with('|'));
            let long: Vec<&str> = prose.filter(|line| line.chars().count() > 60 && line.contains(' ')).collect();
            assert!(long.len() <= 1, "{code}: {long:?}");
        }
    }
}
