//! Repairs the YAML mistakes that people make in frontmatter, as hosts do, and leads back to the original text.

use std::ops::Range;

use super::split::DASHES;
use crate::host::{ParseRules, Prepare, Repair};
use crate::text::yaml;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct EditedText {
    pub(crate) text: String,
    pub(crate) edits: Vec<(Range<usize>, String)>,
}

impl EditedText {
    /// Applies edits, which must be in order and must not overlap.
    pub(crate) fn new(text: &str, edits: Vec<(Range<usize>, String)>) -> EditedText {
        EditedText { text: apply(text, &edits), edits }
    }

    /// Returns the place in the original that a place in the edited text came from.
    pub(crate) fn original(&self, at: usize) -> usize {
        // How much was added, and how much was taken away, before the place.
        let (mut added, mut removed) = (0, 0);
        for (range, replacement) in &self.edits {
            let start = range.start + added - removed;
            if at < start || (at == start && replacement.is_empty()) {
                break;
            }
            if at <= start + replacement.len() {
                return range.end.min(range.start + (at - start));
            }
            added += replacement.len();
            removed += range.len();
        }
        at + removed - added
    }
}

/// Applies the host's repair; returns nothing if it changes nothing.
pub(crate) fn repair(text: &str, rules: &ParseRules) -> Option<EditedText> {
    let mut edits = match rules.repair {
        Repair::None => return None,
        Repair::QuoteValues | Repair::QuoteTypes => quote_values(text, &rules.repair_starts),
        Repair::QuoteSpecial => edit_lines(text, quote_special),
        Repair::QuotePlain => edit_lines(text, quote_plain),
        Repair::BlockValues => edit_lines(text, |line| block_value(line, "|-")),
        Repair::BlockLines => edit_lines(text, |line| block_value(line, "|")),
    };
    if rules.prepare.contains(&Prepare::SoftTabs) && !edits.is_empty() {
        edits.extend(soft_tabs(text, &edits));
        edits.sort_by_key(|(range, _)| range.start);
    }
    let mut repaired = apply(text, &edits);
    if rules.repair == Repair::QuoteSpecial {
        repaired = untab(&repaired);
    }
    (repaired != text).then_some(EditedText { text: repaired, edits })
}

/// The repair to suggest, whatever the host's own is: quotes around the values that need them.
pub(crate) fn suggest(text: &str) -> Option<EditedText> {
    let mut edits = quote_values(text, "[{@`*&!%");
    edits.retain(|(range, _)| !is_valid_alone(text, range));
    let repaired = apply(text, &edits);
    (!edits.is_empty() && yaml::parse(&repaired).is_ok()).then_some(EditedText { text: repaired, edits })
}

/// Tells whether the lines of a value are valid YAML by themselves: then another line is what needs a repair.
pub(crate) fn is_valid_alone(text: &str, value: &Range<usize>) -> bool {
    let start = text[..value.start].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[value.end..].find('\n').map_or(text.len(), |newline| value.end + newline);
    yaml::parse(text[start..end].trim()).is_ok()
}

/// Returns the lines of a text, and where each begins.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.split('\n').scan(0, |at, line| {
        let start = *at;
        *at += line.len() + 1;
        Some((start, line))
    })
}

/// Edits each line by itself; places are those of the line.
fn edit_lines(text: &str, edit: impl Fn(&str) -> Option<(Range<usize>, String)>) -> Vec<(Range<usize>, String)> {
    let edits = lines(text).filter_map(|(start, line)| {
        let (range, replacement) = edit(line)?;
        Some((start + range.start..start + range.end, replacement))
    });
    edits.collect()
}

fn quote_values(text: &str, starts: &str) -> Vec<(Range<usize>, String)> {
    let mut edits = Vec::new();
    let mut block: Option<usize> = None;
    for (start, line) in lines(text) {
        let line = line.trim_end_matches('\r');
        let indent = line.len() - line.trim_start_matches(' ').len();
        if let Some(outer) = block {
            if line.trim().is_empty() || indent > outer {
                continue;
            }
            block = None;
        }
        let Some((key, value)) = line.split_once(':') else { continue };
        if key.trim().is_empty() || value.chars().next().is_some_and(|first| !first.is_whitespace()) {
            continue;
        }
        let scalar = without_comment(value.trim_start());
        match scalar.chars().next() {
            None | Some('\'' | '"') => {}
            Some('|' | '>') => block = Some(indent),
            Some(first) => {
                let reserved = starts.contains(first) && yaml::parse(scalar).is_err();
                if reserved || holds_separator(scalar) {
                    let at = start + line.len() - value.trim_start().len();
                    edits.push((at..at + scalar.len(), format!("'{}'", scalar.replace('\'', "''"))));
                }
            }
        }
    }
    edits
}

fn without_comment(value: &str) -> &str {
    let comment = value
        .char_indices()
        .find(|&(at, character)| character == '#' && value[..at].chars().next_back().is_none_or(char::is_whitespace));
    value[..comment.map_or(value.len(), |(at, _)| at)].trim_end()
}

fn holds_separator(scalar: &str) -> bool {
    scalar.match_indices(':').any(|(at, _)| scalar[at + 1..].chars().next().is_some_and(char::is_whitespace))
}

fn quote_special(line: &str) -> Option<(Range<usize>, String)> {
    let (at, value) = plain_pair(line).filter(|(_, value)| needs_quotes(value))?;
    let quoted = format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""));
    Some((at..at + value.len(), quoted))
}

/// Splits `key: value` at the left margin, the key of letters, `_` and `-` only.
fn plain_pair(line: &str) -> Option<(usize, &str)> {
    let (key, rest) = line.split_once(':')?;
    let is_key = !key.is_empty() && key.bytes().all(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'-'));
    let value = rest.trim_start();
    let breaks = value.contains(['\r', '\u{2028}', '\u{2029}']);
    (is_key && !value.is_empty() && value.len() < rest.len() && !breaks).then(|| (line.len() - value.len(), value))
}

fn needs_quotes(value: &str) -> bool {
    let enclosed = |quote: char| value.starts_with(quote) && value.ends_with(quote);
    let is_list = value.starts_with('[')
        && value.ends_with(']')
        && yaml::parse(value).is_ok_and(|node| matches!(node.value, yaml::Value::List(_)));
    if enclosed('"') || enclosed('\'') || is_list {
        return false;
    }
    value.contains(['{', '}', '[', ']', '*', '&', '#', '!', '|', '>', '%', '@', '`']) || value.contains(": ")
}

/// Values that begin so are quoted, or mean something else in YAML.
const NOT_PLAIN: &[char] = &['"', '\'', '[', '{', '|', '>', '!', '&', '*', '#'];

fn quote_plain(line: &str) -> Option<(Range<usize>, String)> {
    let (at, value) = word_pair(line)?;
    let needs_quotes = value.contains(": ") && !value.starts_with(NOT_PLAIN);
    needs_quotes.then(|| (at..at + value.len(), serde_json::Value::from(value).to_string()))
}

/// Tells whether a repair looks at frontmatter that stands there: blocks are made between bare fences only.
pub(crate) fn is_repairable(file: &str, yaml: &Range<usize>, repair: Repair) -> bool {
    let opening = &file[..yaml.start];
    let is_bare =
        matches!(opening, "---\n" | "---\r\n") && file[yaml.end..].trim_start_matches('\n').starts_with(DASHES);
    !matches!(repair, Repair::BlockValues | Repair::BlockLines) || is_bare
}

/// Makes a literal block of a value at the left margin that holds a colon.
fn block_value(line: &str, mark: &str) -> Option<(Range<usize>, String)> {
    let line = line.trim_end_matches('\r');
    let (at, value) = colon_value(line)?;
    Some((at..line.len(), format!(": {mark}\n  {value}")))
}

/// Splits `key: value` at any indentation, the key a word that begins with a letter or `_`.
fn word_pair(line: &str) -> Option<(usize, &str)> {
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_start();
    let first = key.bytes().next()?;
    let is_key = (first.is_ascii_alphabetic() || first == b'_')
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let value = rest.trim_start();
    let at = line.len() - value.len();
    let value = value.trim_end();
    let breaks = value.contains(['\u{2028}', '\u{2029}']);
    (is_key && !value.is_empty() && rest.starts_with(char::is_whitespace) && !breaks).then_some((at, value))
}

/// Returns where the key ends and the value, if it holds a colon and is neither quoted nor a block.
fn colon_value(line: &str) -> Option<(usize, &str)> {
    let blank = |character: char| (character.is_whitespace() && character != '\u{85}') || character == '\u{feff}';
    let (key, rest) = line.split_once(':')?;
    let key = key.trim_end_matches(blank);
    let starts_well = key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_key = starts_well && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    let rest = rest.trim_start_matches(blank);
    let value = rest.trim_end_matches(blank);
    let breaks = rest.contains(['\r', '\u{2028}', '\u{2029}']);
    (is_key && !breaks && value.contains(':') && !value.starts_with(['"', '\''])).then_some((key.len(), value))
}

/// Makes two spaces of each tab at the start of a line.
fn untab(text: &str) -> String {
    let untabbed = text.split('\n').map(|line| {
        let rest = line.trim_start_matches('\t');
        "  ".repeat(line.len() - rest.len()) + rest
    });
    untabbed.collect::<Vec<_>>().join("\n")
}

/// Returns edits that turn tabs into two spaces, except inside some places.
pub(crate) fn soft_tabs(text: &str, except: &[(Range<usize>, String)]) -> Vec<(Range<usize>, String)> {
    let tabs = text.match_indices('\t').map(|(at, _)| at);
    tabs.filter(|at| !except.iter().any(|(range, _)| range.contains(at)))
        .map(|at| (at..at + 1, "  ".to_owned()))
        .collect()
}

fn apply(text: &str, edits: &[(Range<usize>, String)]) -> String {
    let mut result = String::with_capacity(text.len() + edits.len() * 4);
    let mut at = 0;
    for (range, replacement) in edits {
        result.push_str(&text[at..range.start]);
        result.push_str(replacement);
        at = range.end;
    }
    result.push_str(&text[at..]);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn repaired(text: &str, repair: Repair) -> String {
        let rules = ParseRules { repair, repair_starts: "[{@`".to_owned(), ..ParseRules::default() };
        super::repair(text, &rules).map_or_else(|| "unchanged".to_owned(), |repaired| repaired.text)
    }

    #[test]
    fn values_are_quoted() {
        let quote = |text| repaired(text, Repair::QuoteValues);
        assert_eq!(quote("description: Use when: x # why"), "description: 'Use when: x' # why");
        assert_eq!(quote("name: [x"), "name: '[x'");
        assert_eq!(quote("a: it's: b"), "a: 'it''s: b'");
        assert_eq!(quote("  - k: a: b"), "  - k: 'a: b'");
        assert_eq!(quote("a: |\n  b: c: d\ne: f: g"), "a: |\n  b: c: d\ne: 'f: g'");
        assert_eq!(quote("a: b:"), "unchanged");
        assert_eq!(quote("x:y: z: w"), "unchanged");
        assert_eq!(quote("a: 'b: c"), "unchanged");
        assert_eq!(quote("a: *b"), "unchanged");
    }

    #[test]
    fn a_value_that_is_valid_alone_is_left_as_it_is() {
        let suggested = |text| suggest(text).map_or_else(|| "nothing".to_owned(), |edited| edited.text);
        let text = "homepage: https://x.org/y\nmetadata: {author: me}\ndescription: Use: this\n";
        assert_eq!(suggested(text), text.replace("Use: this", "'Use: this'"));
        assert_eq!(suggested("metadata: {author: me}\n"), "nothing");
        assert_eq!(suggested("a: 'b\nc: d: e"), "nothing", "quotes around one value do not help");
    }

    #[test]
    fn plain_values_are_quoted() {
        let quote = |text| repaired(text, Repair::QuotePlain);
        assert_eq!(quote("description: Use when: x # why"), "description: \"Use when: x # why\"");
        assert_eq!(quote("a:\n  b: it's: so  "), "a:\n  b: \"it's: so\"  ");
        assert_eq!(quote("a: 'b: c"), "unchanged");
        assert_eq!(quote("1a: b: c"), "unchanged");
        assert_eq!(quote("- a: b: c"), "unchanged");
    }

    #[test]
    fn places_are_found_again_after_a_repair() {
        let repaired = EditedText::new("a<!-- x -->b\tc", vec![(1..11, String::new()), (12..13, "  ".to_owned())]);
        assert_eq!(repaired.text, "ab  c");
        assert_eq!([0, 1, 2, 4].map(|at| repaired.original(at)), [0, 1, 12, 13]);
    }

    #[test]
    fn special_values_are_quoted() {
        let quote = |text| repaired(text, Repair::QuoteSpecial);
        assert_eq!(quote("description: a: b"), "description: \"a: b\"");
        assert_eq!(quote("description: a \"q\": b"), "description: \"a \\\"q\\\": b\"");
        assert_eq!(quote("description: [a, b]"), "unchanged");
        assert_eq!(quote("description: a: b\r"), "unchanged");
        assert_eq!(quote("x1: a: b"), "unchanged");
        assert_eq!(quote("a: x\n\tb: c"), "a: x\n  b: c");
    }

    #[test]
    fn values_with_a_colon_become_blocks() {
        let block = |text| repaired(text, Repair::BlockValues);
        assert_eq!(block("description: Use when: x # why"), "description: |-\n  Use when: x # why");
        assert_eq!(block("a_1  :   b:c  \nd: e"), "a_1: |-\n  b:c\nd: e");
        assert_eq!(block("a: b:\r\nc: d\r\n"), "a: |-\n  b:\r\nc: d\r\n");
        for same in ["a: b", "a-b: c: d", " a: b: c", "# a: b: c", "1a: b: c", "a: 'b: c", "a: \"b: c", "a: >", "a:"] {
            assert_eq!(block(same), "unchanged", "{same}");
        }
        assert_eq!(repaired("a: b:c", Repair::BlockLines), "a: |\n  b:c");
    }

    #[test]
    fn places_in_mended_text_lead_back() {
        let text = "a    :     b:c\nd: e: f\ng: h";
        let rules = ParseRules { repair: Repair::BlockValues, ..ParseRules::default() };
        let repaired = repair(text, &rules).unwrap();
        assert_eq!(repaired.text, "a: |-\n  b:c\nd: |-\n  e: f\ng: h");
        let at = repaired.text.find("g: h").unwrap();
        assert_eq!(&text[repaired.original(at)..], "g: h");
        assert_eq!(repaired.original(0), 0);
    }
}
