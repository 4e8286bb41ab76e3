//! Finds where the frontmatter of a skill file begins and ends, by a host's fence rules.

use std::ops::Range;

use crate::host::{EmptyBlock, Fence, FenceRules};

pub(super) const DASHES: &str = "---";

/// Where the parts of a file are, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Split {
    /// The frontmatter's text and where the body begins.
    Found { yaml: Range<usize>, body: usize },
    /// The file does not begin with a fence.
    Absent,
    /// The fence names a format that is not read.
    Foreign(String),
    /// A fence opens, and none closes.
    Unclosed,
}

/// Finds the frontmatter by the host's fence rules.
pub(crate) fn split(text: &str, rules: FenceRules) -> Split {
    let skipped = if rules.blank_before { text.len() - text.trim_start().len() } else { 0 };
    // Blanks on the line of the dashes are that fence's own matter.
    let skipped = text[..skipped].rfind('\n').map_or(0, |newline| newline + 1);
    let Some(start) = after_opening(&text[skipped..], rules.open).map(|start| skipped + start) else {
        return Split::Absent;
    };
    if let Some(format) = foreign_format(text, rules.open) {
        return Split::Foreign(format.to_owned());
    }
    let end = || (rules.close == Fence::LineStart).then_some(text.len()..text.len());
    let Some(close) = find_closing(text, start, rules.close).or_else(end) else {
        return Split::Unclosed;
    };
    if rules.empty == EmptyBlock::None && close.start <= start {
        return Split::Absent;
    }
    Split::Found { yaml: start..close.start, body: close.end }
}

fn after_opening(text: &str, fence: Fence) -> Option<usize> {
    let line_end = text.find('\n');
    let line = &text[..line_end.unwrap_or(text.len())];
    match fence {
        // The line end after the dashes is left out, so that hosts with other fences share the same YAML.
        Fence::Anywhere if text.starts_with("---\n") => Some(DASHES.len() + 1),
        Fence::Anywhere => text.starts_with(DASHES).then_some(DASHES.len()),
        Fence::Glued => {
            let after = text.strip_prefix(DASHES)?.chars().next();
            Some(DASHES.len() + after.map_or(0, char::len_utf8))
        }
        Fence::Line => (line.strip_prefix(DASHES)?.trim().is_empty()).then_some(line_end? + 1),
        Fence::TrimmedLine => (line.trim() == DASHES).then_some(line_end? + 1),
        Fence::LineStart => line.starts_with(DASHES).then_some(line_end? + 1),
        Fence::Format => (!line.strip_prefix(DASHES)?.starts_with('-')).then_some(line_end? + 1),
    }
}

/// Returns the format that stands on the line of the opening fence, unless it is one that is read.
fn foreign_format(text: &str, fence: Fence) -> Option<&str> {
    let line = text.lines().next().filter(|_| fence == Fence::Format)?;
    let format = line.strip_prefix(DASHES)?.trim_matches([' ', '\t', '\r']);
    (!["", "yaml", "yml", "json"].contains(&format.to_ascii_lowercase().as_str())).then_some(format)
}

/// Returns where the closing fence begins and where the body does.
fn find_closing(text: &str, start: usize, fence: Fence) -> Option<Range<usize>> {
    match fence {
        Fence::Anywhere => {
            let at = start + text[start..].find(DASHES)?;
            let rest = text[at + DASHES.len()..].trim_start_matches([' ', '\t', '\r']);
            Some(at..text.len() - rest.strip_prefix('\n').unwrap_or(rest).len())
        }
        Fence::LineStart => {
            let at = find_dashes(text, start)?;
            // The line end before the dashes is the fence's own; a block that keeps its blank lines must not have it.
            let blank = usize::from(at > start && text[..at].ends_with("\n\n"));
            let rest = &text[at + DASHES.len()..];
            let rest = rest.strip_prefix('\r').unwrap_or(rest);
            Some(at - blank..text.len() - rest.strip_prefix('\n').unwrap_or(rest).len())
        }
        Fence::Line | Fence::Format => {
            let mut at = start;
            loop {
                at = find_dashes(text, at)?;
                let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
                if text[at + DASHES.len()..end].trim().is_empty() {
                    return Some(at..end);
                }
                at = end;
            }
        }
        Fence::Glued => {
            let at = DASHES.len() + text[DASHES.len()..].find("\n---")? + 1;
            Some(at.max(start)..at + DASHES.len())
        }
        Fence::TrimmedLine => {
            let mut end = start;
            text[start..].split_inclusive('\n').find_map(|line| {
                end += line.len();
                (line.trim() == DASHES).then(|| end - line.len()..end)
            })
        }
    }
}

fn find_dashes(text: &str, from: usize) -> Option<usize> {
    let is_here = text[from..].starts_with(DASHES);
    if is_here { Some(from) } else { Some(from + text[from..].find("\n---")? + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, open: Fence, close: Fence, expected: &str) {
        check_rules(text, FenceRules { open, close, ..FenceRules::default() }, expected);
    }

    fn check_rules(text: &str, rules: FenceRules, expected: &str) {
        let shown = match split(text, rules) {
            Split::Found { yaml, body } => format!("{}|{}", &text[yaml], &text[body..]),
            Split::Absent => "absent".to_owned(),
            Split::Foreign(format) => format!("foreign {format}"),
            Split::Unclosed => "unclosed".to_owned(),
        };
        assert_eq!(shown, expected, "{text:?} {rules:?}");
    }

    #[test]
    fn fences() {
        use Fence::{Anywhere, Glued, Line, TrimmedLine};
        check("---\na: b\n---\nbody", Line, Line, "a: b\n|body");
        check("---\r\na: b\r\n---  \r\nbody", Line, Line, "a: b\r\n|body");
        check("---\na: |\n  ---\n---\n", Line, Line, "a: |\n  ---\n|");
        check("---\na: |\n  ---\n---\n", TrimmedLine, TrimmedLine, "a: |\n|---\n");
        check("  ---\na: b\n ---", TrimmedLine, TrimmedLine, "a: b\n|");
        check("---\na: b\n...\n", Line, Line, "unclosed");
        check("\n---\na: b\n---\n", Line, Line, "absent");
        check("----\na: b\n---\n", Line, Line, "absent");
        check("---\ndescription: a --- b\n---\n", Line, Anywhere, "description: a |b\n---\n");
        check("---a: b---", Anywhere, Anywhere, "a: b|");
        check("---", Line, Line, "absent");
        check("----\na: b\n---- x", Glued, Glued, "\na: b\n|- x");
        check("---\n---\nbody", Glued, Glued, "|\nbody");
        check("---\na: |\n  ---\n---\n", Glued, Glued, "a: |\n  ---\n|\n");
        check("---\na: b --- c", Glued, Glued, "unclosed");
    }

    #[test]
    fn blank_lines_may_stand_before() {
        let rules = FenceRules { open: Fence::TrimmedLine, blank_before: true, ..FenceRules::default() };
        let body = |text: &'static str| match split(text, rules) {
            Split::Found { yaml, body } => format!("{}|{}", &text[yaml], &text[body..]),
            other => format!("{other:?}"),
        };
        assert_eq!(body("\n \n---\na: b\n---\nbody"), "a: b\n|body");
        assert_eq!(body("\n  ---\na: b\n---\n"), "a: b\n|");
        assert_eq!(body("---\na: b\n---\n"), "a: b\n|");
        assert_eq!(body("\nx\n---\na: b\n---\n"), "Absent");
        assert_eq!(body("\n\n"), "Absent");
    }

    #[test]
    fn fences_with_a_format_and_without_an_end() {
        let rules = FenceRules { open: Fence::Format, close: Fence::LineStart, ..FenceRules::default() };
        let check = |text: &str, expected: &str| check_rules(text, rules, expected);
        check("---\na: b\n---\nbody", "a: b\n|body");
        check("---\na: b\n---\r\n\nbody", "a: b\n|\nbody");
        check("---  \na: b\n---glued", "a: b\n|glued");
        check("---\na: |\n  ---\n", "a: |\n  ---\n|");
        check("---\na: |+\n  b\n\n---\n", "a: |+\n  b\n|");
        check("---\u{a0}\na: b\n---", "foreign \u{a0}");
        check("---YAML\na: b\n---", "a: b\n|");
        check("---json\n{}\n---", "{}\n|");
        check("---js\n{}\n---", "foreign js");
        check("---a: b\n---", "foreign a: b");
        check("----\na: b\n---", "absent");
        check("---", "absent");
    }
}
