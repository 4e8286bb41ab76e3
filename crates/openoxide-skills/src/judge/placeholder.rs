//! Finds descriptions that were never written: what a template left there.

use crate::diagnostic::{Code, Diagnostic};

/// What marks a text that is to be written. A word that only begins so, or goes on as a sentence, is none.
const MARKS: [&str; 4] = ["TODO", "FIXME", "TBD", "XXX"];
/// How the template of the published skills begins.
const TEMPLATE: &str = "Replace with description";

/// Returns the finding that a description is a placeholder, if it is one.
pub(super) fn placeholder(bytes: &[u8], description: &str) -> Option<Diagnostic> {
    let description = description.trim();
    if !is_placeholder(description) {
        return None;
    }
    let problem = Diagnostic::error(Code::Placeholder, "the description is a placeholder")
        .help("say what the skill does, and when to use it: the description is all that a model chooses by");
    let line = description.lines().next().unwrap_or_default();
    Some(match std::str::from_utf8(bytes).ok().and_then(|text| Some((text, text.find(line)?))) {
        Some((text, start)) => problem.at(text, start..start + line.len()),
        None => problem,
    })
}

fn is_placeholder(description: &str) -> bool {
    let is_bracketed = description.starts_with(['[', '<', '{', '(']);
    let bare = description.trim_start_matches(['[', '<', '{', '(']);
    let rest = MARKS.iter().find_map(|mark| bare.strip_prefix(mark));
    let is_marked = rest.is_some_and(|rest| {
        let ends = rest.trim_matches(['.', '…', ']', '>', '}', ')', ' ']).is_empty();
        ends || rest.starts_with(':') || is_bracketed && !rest.starts_with(char::is_alphanumeric)
    });
    is_marked || bare.starts_with(TEMPLATE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_template_left_there_is_found() {
        for text in [
            "TODO: say what release notes does, and when to use it",
            "[TODO: Complete and informative explanation of what the skill does]",
            "[TODO] describe",
            "<TODO fill in>",
            "TODO",
            "TODO …",
            "TBD.",
            "Replace with description of the skill and when Claude should use it.",
        ] {
            assert!(is_placeholder(text), "{text}");
        }
        for text in [
            "TODO comments are found and turned into issues",
            "Todo: keeps a list",
            "TODOs of a project",
            "Finds every TODO: and FIXME",
            "[TODOs] of a project",
            "",
        ] {
            assert!(!is_placeholder(text), "{text}");
        }
    }

    #[test]
    fn the_place_is_the_text_itself() {
        let file = "---\nname: a\ndescription: \"TODO: say it\"\n---\n";
        let problem = placeholder(file.as_bytes(), "TODO: say it").unwrap();
        let place = problem.place.unwrap();
        assert_eq!((place.line, place.column, &file[place.span]), (3, 15, "TODO: say it"));
    }
}
