//! Reads placeholders: `$ARGUMENTS`, `$N`, `$name` and `${NAME}`.

use std::ops::Range;

use super::mark;
use super::rules::{Expansion, Variables};
use crate::host::{ArgumentRules, Escape, MissingArgument, Variable};
use crate::{arguments::Arguments, text::markdown::Region};

const ALL: &str = "$ARGUMENTS";

pub(super) struct Placeholders<'a> {
    rules: Option<&'a ArgumentRules>,
    names: Vec<(&'a str, usize)>,
    arguments: &'a Arguments,
    variables: &'a Variables,
    /// The greatest number of a placeholder, where that one takes the rest, and the rest.
    greatest: Option<(usize, String)>,
}

pub(super) struct Placeholder<'a> {
    /// Where it stands; a backslash that takes it back is included.
    pub(super) span: Range<usize>,
    pub(super) what: Replacement<'a>,
}

/// What becomes of a placeholder.
pub(super) enum Replacement<'a> {
    Value(Value<'a>),
    /// It stays, without the backslash before it.
    Escaped,
    /// It stays.
    Stays,
}

/// A value that takes a placeholder's place.
pub(super) struct Value<'a> {
    pub(super) text: &'a str,
    /// The environment variable that holds it for a command.
    pub(super) variable: String,
    /// Whether it is an argument, not a known value.
    pub(super) is_argument: bool,
}

#[derive(Clone, Copy)]
enum Name {
    All,
    Number(usize),
    Named(usize),
    Known(Variable),
}

impl<'a> Placeholders<'a> {
    pub(super) fn new(
        rules: &Expansion<'a>,
        arguments: &'a Arguments,
        variables: &'a Variables,
        body: &str,
        regions: &[Region],
    ) -> Placeholders<'a> {
        let mut names: Vec<(&str, usize)> = rules.names.iter().enumerate().map(|(at, name)| (*name, at)).collect();
        // The longest name that fits is meant.
        names.sort_by_key(|(name, at)| (std::cmp::Reverse(name.len()), *at));
        let mut placeholders = Placeholders { rules: rules.arguments, names, arguments, variables, greatest: None };
        let counts = |at: usize| {
            let index = regions.partition_point(|region| region.span.end <= at);
            let region = regions.get(index).filter(|region| region.span.start <= at);
            rules.in_code || region.is_none_or(|region| mark::fenced(body, region, rules.shell).is_some())
        };
        placeholders.greatest = placeholders.greatest(body, counts).map(|number| {
            let position = number.checked_sub(rules.arguments.map_or(0, |rules| rules.first));
            let rest = position.and_then(|position| arguments.words.get(position..));
            (number, rest.unwrap_or_default().join(" "))
        });
        placeholders
    }

    fn greatest(&self, body: &str, counts: impl Fn(usize) -> bool) -> Option<usize> {
        let rules = self.rules.filter(|rules| rules.last_takes_rest)?;
        let places = body.match_indices('$').map(|(at, _)| at).filter(|at| counts(*at));
        let numbers = places.filter_map(|at| match self.name(rules, body, at) {
            Some((Name::Number(number), _)) => Some(number),
            _ => None,
        });
        numbers.max()
    }

    /// Reads the placeholder whose dollar sign stands at a place.
    pub(super) fn at(&self, text: &str, at: usize) -> Option<Placeholder<'_>> {
        let rules = self.rules?;
        let (name, end) = self.name(rules, text, at)?;
        let can_escape = match rules.escape {
            Escape::Nothing => false,
            Escape::Arguments => !matches!(name, Name::Known(_)),
            Escape::Everything => true,
        };
        if can_escape && is_escaped(&text[..at]) {
            return Some(Placeholder { span: at - 1..end, what: Replacement::Escaped });
        }
        let what = self.value(rules, name).map_or(Replacement::Stays, Replacement::Value);
        Some(Placeholder { span: at..end, what })
    }

    /// Reads what is named, and where the name ends.
    fn name(&self, rules: &ArgumentRules, text: &str, at: usize) -> Option<(Name, usize)> {
        let rest = &text[at..];
        if let Some(braced) = rest.strip_prefix("${") {
            let named = |name: &str| braced.strip_prefix(name).is_some_and(|end| end.starts_with('}'));
            let variable = rules.variables.iter().find(|variable| named(&variable.name))?;
            return Some((Name::Known(variable.is), at + variable.name.len() + 3));
        }
        let after = &rest[1..];
        let named = |(name, _): &&(&str, usize)| after.strip_prefix(name).is_some_and(|end| !starts_word(end));
        if let Some((name, position)) = self.names.iter().find(named) {
            return Some((Name::Named(*position), at + 1 + name.len()));
        }
        if let Some(all) = rest.strip_prefix(ALL) {
            let index = all.strip_prefix('[').filter(|_| rules.bracketed).and_then(|index| {
                let digits = digits(index);
                index[digits..].starts_with(']').then(|| (number(&index[..digits]), digits)).filter(|_| digits > 0)
            });
            let end = at + ALL.len();
            return Some(index.map_or((Name::All, end), |(number, digits)| (Name::Number(number), end + digits + 2)));
        }
        let length = digits(after);
        let counts = length > 0 && !(rules.boundary && starts_word(&after[length..]));
        counts.then(|| (Name::Number(number(&after[..length])), at + 1 + length))
    }

    fn value(&self, rules: &ArgumentRules, name: Name) -> Option<Value<'_>> {
        let words = &self.arguments.words;
        let argument = |number: usize| format!("OPENOXIDE_ARG_{number}");
        let (text, variable) = match name {
            Name::All => (self.arguments.raw.as_str(), "OPENOXIDE_ARGUMENTS".to_owned()),
            Name::Known(variable) => (self.variables.get(&variable)?.as_str(), variable.environment_name().to_owned()),
            Name::Named(position) => (words.get(position).map_or("", String::as_str), argument(position + rules.first)),
            Name::Number(number) => {
                let position = number.checked_sub(rules.first).filter(|position| *position < words.len());
                let rest = self.greatest.as_ref().filter(|(greatest, _)| *greatest == number);
                let text = match (position, rest) {
                    (Some(_), Some((_, rest))) => rest,
                    (Some(position), None) => words[position].as_str(),
                    (None, _) if rules.missing == MissingArgument::Empty => "",
                    (None, _) => return None,
                };
                (text, argument(number))
            }
        };
        Some(Value { text, variable, is_argument: !matches!(name, Name::Known(_)) })
    }
}

/// Tells whether a single backslash stands at the end; of several, each stays what it is.
pub(super) fn is_escaped(before: &str) -> bool {
    before.strip_suffix('\\').is_some_and(|before| !before.ends_with('\\'))
}

fn starts_word(text: &str) -> bool {
    text.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

fn digits(text: &str) -> usize {
    text.bytes().take_while(u8::is_ascii_digit).count()
}

/// Reads a number; one that is too great is no argument's.
fn number(digits: &str) -> usize {
    digits.parse().unwrap_or(usize::MAX)
}
