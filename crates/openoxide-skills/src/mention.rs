//! Finds what in a text looks like the name of a skill, by a host's rules. Which skill is meant is `select`'s work.
//!
//! The time it takes grows with the length of the text and with nothing else, whatever the text is.

use std::{borrow::Cow, ops::Range};

use crate::host::{ArgumentBlanks, CommandPlace, CommandRules, MentionRules, NameEnd};
use crate::parse::misfit;
use crate::text::markdown::{self, Dialect, Region};

/// Something in a text that looks like the name of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mention<'t> {
    /// Where it stands, in bytes.
    pub span: Range<usize>,
    /// The name.
    pub name: &'t str,
    /// How it is written.
    pub form: MentionForm<'t>,
    /// Why it is ignored, if that shows in the text.
    pub flaw: Option<MentionFlaw>,
}

/// How a mention is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MentionForm<'t> {
    /// A mark and the name.
    Plain,
    /// A link, and what it leads to, without blanks around it.
    Link(&'t str),
    /// A call, and what is said beside the name.
    Command(Cow<'t, str>),
}

/// Why a mention is ignored, as the text shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MentionFlaw {
    /// It is a part of something longer.
    Attached,
    /// It stands in code.
    InCode,
    /// It is the name of an environment variable.
    Blocked,
}

/// Finds everything in a text that looks like the name of a skill, as it is typed.
pub fn scan<'t>(text: &'t str, rules: &MentionRules) -> Vec<Mention<'t>> {
    let mut mentions: Vec<Mention<'t>> = command(text, &rules.command).into_iter().collect();
    if !rules.plain.mark.is_empty() || !rules.link.mark.is_empty() {
        Scanner::new(text, rules).run(&mut mentions);
    }
    mentions.sort_by_key(|mention| mention.span.start);
    mentions
}

struct Scanner<'t, 'r> {
    text: &'t str,
    rules: &'r MentionRules,
    /// Behind this place no link can end.
    last_close: usize,
    /// The code that does not lie behind us.
    code: std::iter::Peekable<std::vec::IntoIter<Region>>,
}

impl<'t, 'r> Scanner<'t, 'r> {
    fn new(text: &'t str, rules: &'r MentionRules) -> Self {
        let code = if rules.in_code { Vec::new() } else { markdown::regions(text, Dialect::Margin, |_| None) };
        Scanner { text, rules, last_close: text.rfind(')').unwrap_or(0), code: code.into_iter().peekable() }
    }

    fn run(mut self, mentions: &mut Vec<Mention<'t>>) {
        let bytes = self.text.as_bytes();
        let plain = self.rules.plain.mark.as_bytes();
        let mut at = 0;
        while at < bytes.len() {
            if bytes[at] == b'['
                && let Some(link) = self.link(at)
            {
                at = link.span.end;
                mentions.push(link);
            } else if !plain.is_empty() && bytes[at..].starts_with(plain) {
                let (next, mention) = self.plain(at);
                at = next;
                mentions.extend(mention);
            } else {
                at += 1;
            }
        }
    }

    /// Tells whether a place is code; places must be asked for in order.
    fn is_code(&mut self, at: usize) -> bool {
        while self.code.next_if(|region| region.span.end <= at).is_some() {}
        self.code.peek().is_some_and(|region| region.span.contains(&at))
    }

    /// Reads `[$name](target)`; anything that deviates is no link.
    fn link(&mut self, at: usize) -> Option<Mention<'t>> {
        let mark = &self.rules.link.mark;
        let inner = self.text[at + 1..].strip_prefix(mark.as_str()).filter(|_| !mark.is_empty())?;
        let name = self.name(inner).filter(|name| !name.is_empty())?;
        let after = inner[name.len()..].strip_prefix(']')?;
        let after = after.trim_start_matches(|blank: char| blank.is_ascii_whitespace()).strip_prefix('(')?;
        let start = self.text.len() - after.len();
        if start > self.last_close {
            return None;
        }
        let written = &after[..after.find(')')?];
        let target = written.trim();
        let span = at..start + written.len() + 1;
        let blocked = self.rules.link.blocked && self.rules.blocks(name);
        let flaw = if self.is_code(at) { Some(MentionFlaw::InCode) } else { blocked.then_some(MentionFlaw::Blocked) };
        (!target.is_empty()).then_some(Mention { span, name, form: MentionForm::Link(target), flaw })
    }

    /// Reads `$name`; returns where to go on.
    fn plain(&mut self, at: usize) -> (usize, Option<Mention<'t>>) {
        let rules = &self.rules.plain;
        let start = at + rules.mark.len();
        let written = self.name(&self.text[start..]).unwrap_or_default();
        let next = start + written.len();
        let name = written.trim_end_matches(|end| rules.trim.contains(end));
        let has_letter = !rules.letter || name.contains(|letter: char| letter.is_ascii_alphabetic());
        if name.is_empty() || !has_letter {
            return (next, None);
        }
        let end = start + name.len();
        let flaw = if self.is_code(at) {
            Some(MentionFlaw::InCode)
        } else if self.is_attached(at, end) {
            Some(MentionFlaw::Attached)
        } else {
            self.rules.blocks(name).then_some(MentionFlaw::Blocked)
        };
        (next, Some(Mention { span: at..end, name, form: MentionForm::Plain, flaw }))
    }

    /// Tells whether what stands around makes it a part of something longer.
    fn is_attached(&self, start: usize, end: usize) -> bool {
        let rules = &self.rules.plain;
        let is_word = |before: char| before.is_ascii_alphanumeric() || before == '_';
        let before = self.text[..start].chars().next_back();
        let after = self.text[end..].chars().next();
        before.is_some_and(|before| rules.not_after.contains(before) || rules.not_after_word && is_word(before))
            || after.is_some_and(|after| rules.not_before.contains(after))
    }

    /// Returns the characters of a name that a text begins with.
    fn name(&self, text: &'t str) -> Option<&'t str> {
        let is_part = |part: char| part.is_ascii_alphanumeric() || self.rules.also.contains(part);
        let end = text.find(|part: char| !is_part(part)).unwrap_or(text.len());
        text.get(..end)
    }
}

fn command<'t>(text: &'t str, rules: &CommandRules) -> Option<Mention<'t>> {
    if rules.mark.is_empty() {
        return None;
    }
    let start = if rules.place == CommandPlace::Start { text } else { text.trim_start_matches(is_blank) };
    if start.starts_with(&rules.mark) {
        let mention = call(text, text.len() - start.len(), rules)?;
        let rest = &text[mention.span.end..];
        let arguments = match rules.arguments {
            ArgumentBlanks::Trimmed => rest.trim_matches(is_blank),
            ArgumentBlanks::TrimmedStart => rest.trim_start_matches(is_blank),
            ArgumentBlanks::Kept => rest.strip_prefix(' ').unwrap_or(rest),
        };
        return Some(Mention { form: MentionForm::Command(Cow::Borrowed(arguments)), ..mention });
    }
    if rules.place != CommandPlace::Inside || rules.inside_unless.iter().any(|other| begins(start, other)) {
        return None;
    }
    inside(text, rules)
}

/// Finds the first call inside a text; what stands around it is its arguments.
fn inside<'t>(text: &'t str, rules: &CommandRules) -> Option<Mention<'t>> {
    let mut places = text.match_indices(rules.mark.as_str()).map(|(at, _)| at);
    let mention = places.find_map(|at| {
        let is_free = text[..at].chars().next_back().is_none_or(is_blank);
        if is_free { call(text, at, rules) } else { None }
    })?;
    let before = text[..mention.span.start].trim_matches(is_blank);
    let after = text[mention.span.end..].trim_matches(is_blank);
    let arguments = [before, after].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ");
    Some(Mention { form: MentionForm::Command(Cow::Owned(arguments)), ..mention })
}

/// Reads a mark and a name; a word of another shape than a name is text.
fn call<'t>(text: &'t str, at: usize, rules: &CommandRules) -> Option<Mention<'t>> {
    let start = at + rules.mark.len();
    let rest = &text[start..];
    let end = match rules.ends {
        NameEnd::Blank => rest.find(is_blank),
        NameEnd::Space => rest.find(' '),
        NameEnd::SpaceOrLine => rest.find([' ', '\n']),
    };
    let name = &rest[..end.unwrap_or(rest.len())];
    if name.is_empty() || misfit(name, &rules.shape).is_some() {
        return None;
    }
    let form = MentionForm::Command(Cow::Borrowed(""));
    Some(Mention { span: at..start + name.len(), name, form, flaw: None })
}

/// Tells whether a text begins with another; a blank at its end is any white space, or the end of the text.
fn begins(text: &str, other: &str) -> bool {
    match other.strip_suffix(' ') {
        Some(other) => text.strip_prefix(other).is_some_and(|rest| rest.chars().next().is_none_or(is_blank)),
        None => text.starts_with(other),
    }
}

/// Tells whether a character is white space to the programs that read commands: they are written in JavaScript, where
/// a byte-order mark is white space and U+0085 is not.
fn is_blank(character: char) -> bool {
    character != '\u{85}' && crate::text::is_blank(character)
}

#[cfg(test)]
mod tests;
