//! Checks a skill's name against the shapes that a host demands and prefers.

use std::{borrow::Cow, ops::Range};

use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

use super::limits::length;
use super::parsed::{Parsed, Source};
use crate::diagnostic::{Code, Diagnostic, Fix, Level};
use crate::host::{Chars, LengthUnit, NameShape, NameSource, NameStep, ParseRules};
use crate::text::yaml::{Pair, value_of};
use crate::text::{TerminalText, is_line_name};

pub(super) fn check(
    rules: &ParseRules,
    source: Source<'_>,
    pairs: &[Pair<'_>],
    folder: &str,
    name: Option<&str>,
) -> Vec<Diagnostic> {
    let level = || match rules.name.required {
        true => Some(Level::Error),
        false => (rules.name.should != NameShape::default()).then_some(Level::Warning),
    };
    let Some(value) = value_of(pairs, "name") else {
        return level().into_iter().map(|level| missing(source, folder, level)).collect();
    };
    let span = source.span(&value.span);
    let Some(name) = name.filter(|name| !name.is_empty()) else {
        let empty = |level| Diagnostic::new(Code::NameEmpty, level, "`name` is empty").at(source.file, span);
        return level().map(|level| empty(level).help(format!("write `name: {folder}`"))).into_iter().collect();
    };
    let other = rules.name.from.first() != Some(&NameSource::Frontmatter);
    // Where the folder gives the name, its shape is what matters.
    if rules.name.is_folder_first() || (other && rules.name.must == NameShape::default()) {
        return Vec::new();
    }
    let folds = rules.name.steps.contains(&NameStep::Fold);
    let name = fold(name, folds);
    let folder = fold(folder, folds);
    let (level, file, lengths) = (Level::Error, source.file, rules.lengths);
    let subject = Subject { level, file, span, name: &name, folder: &folder, lengths };
    match broken(&rules.name.must, &subject) {
        problems if problems.is_empty() => broken(&rules.name.should, &Subject { level: Level::Warning, ..subject }),
        problems => problems,
    }
}

/// Checks the shape of a name that always comes from the folder.
pub(super) fn check_folder(rules: &ParseRules, file: &str, name: &str) -> Vec<Diagnostic> {
    let span = 0..file.find('\n').unwrap_or(file.len());
    let subject = Subject { level: Level::Error, file, span, name, folder: name, lengths: rules.lengths };
    broken(&rules.name.must, &subject)
}

/// Checks the length of a name that the folder gave.
pub(super) fn check_length(rules: &ParseRules, file: &str, parsed: &Parsed) -> Option<Diagnostic> {
    let max = rules.name.must.max.filter(|_| parsed.invalid().is_none())?;
    let length = length(&parsed.name, rules.lengths);
    if length <= max {
        return None;
    }
    let message = format!("the folder's name has {length} {}, {max} are allowed", rules.lengths.as_str());
    let problem = Diagnostic::error(Code::NameLength, message).at(file, 0..file.find('\n').unwrap_or(file.len()));
    Some(problem.help("add a shorter `name:`"))
}

fn missing(source: Source<'_>, folder: &str, level: Level) -> Diagnostic {
    // The first field stands after the line of the opening fence.
    let first = source.file.find('\n').map_or(source.offset, |newline| newline + 1);
    Diagnostic::new(Code::NameMissing, level, "the frontmatter has no `name`")
        .at(source.file, 0..source.file.find('\n').unwrap_or(0))
        .help(format!("add `name: {folder}`"))
        .fix(Fix::Replace { span: first..first, text: format!("name: {folder}\n") })
}

fn fold(name: &str, fold: bool) -> Cow<'_, str> {
    if fold && !name.is_ascii() { Cow::Owned(name.trim().nfkc().collect()) } else { Cow::Borrowed(name.trim()) }
}

struct Subject<'s> {
    level: Level,
    file: &'s str,
    span: Range<usize>,
    name: &'s str,
    folder: &'s str,
    lengths: LengthUnit,
}

impl Subject<'_> {
    fn problem(&self, code: Code, message: impl Into<String>, help: impl Into<String>) -> Diagnostic {
        Diagnostic::new(code, self.level, message).at(self.file, self.span.clone()).help(help)
    }
}

fn broken(shape: &NameShape, subject: &Subject<'_>) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let name = subject.name;
    let length = length(name, subject.lengths);
    if let Some(max) = shape.max.filter(|&max| length > max) {
        let message = format!("the name has {length} {}, {max} are allowed", subject.lengths.as_str());
        problems.push(subject.problem(Code::NameLength, message, "shorten the name"));
    }
    if shape.lower && !is_lower(name) {
        let help = format!("write `{}`", allowed(name, shape));
        problems.push(subject.problem(Code::NameCase, "the name has upper-case letters", help));
    }
    let hyphens = "use single hyphens between words";
    if shape.inner_hyphens && (name.starts_with('-') || name.ends_with('-')) {
        problems.push(subject.problem(Code::NameHyphenEdge, "the name starts or ends with a hyphen", hyphens));
    }
    if shape.inner_hyphens && name.contains("--") {
        problems.push(subject.problem(Code::NameHyphenDouble, "the name has two hyphens in a row", hyphens));
    }
    problems.extend(characters(shape, subject));
    if shape.line && !is_line_name(name) {
        let message = "the name cannot stand in the catalog as it is";
        let help =
            "remove invisible characters, `<`, `>` and `: `, and write one space between words and none around them";
        problems.push(subject.problem(Code::NameCharacters, message, help));
    }
    let is_same = || match shape.folder_any_case {
        true => name.to_lowercase() == subject.folder.to_lowercase(),
        false => name == subject.folder,
    };
    if shape.folder && !is_same() {
        problems.push(differs(shape, subject));
    }
    problems
}

fn characters(shape: &NameShape, subject: &Subject<'_>) -> Option<Diagnostic> {
    let never = subject.name.chars().find(|&character| shape.never.contains(character));
    let plain: Cow<'_, str> = match shape.also.is_empty() {
        true => Cow::Borrowed(subject.name),
        false => subject.name.chars().filter(|&character| !shape.also.contains(character)).collect(),
    };
    let bad = never.or_else(|| first_bad(&plain, shape.chars))?;
    let message = format!("`{}` is not allowed in a name", TerminalText(&bad.to_string()));
    let help = match shape.chars {
        Chars::Word => "use letters, digits, `-`, `_` and `.`, and do not begin with `.`",
        Chars::Any => "leave it out",
        Chars::Ascii if !shape.lower => "use letters, digits and hyphens",
        _ => "use lower-case letters, digits and hyphens",
    };
    Some(subject.problem(Code::NameCharacters, message, help))
}

/// Says what is wrong with a name that must have a shape, wherever it comes from.
pub(crate) fn misfit(name: &str, shape: &NameShape) -> Option<Diagnostic> {
    let (level, lengths) = (Level::Error, LengthUnit::default());
    let subject = Subject { level, file: "", span: 0..0, name, folder: name, lengths };
    let problem = broken(shape, &subject).into_iter().next()?;
    Some(Diagnostic { place: None, ..problem })
}

/// Returns the name that is nearest and breaks no rule on characters.
fn allowed(name: &str, shape: &NameShape) -> String {
    let is_bad = |character: char| {
        let text = character.to_string();
        shape.never.contains(character) || (!shape.also.contains(character) && first_bad(&text, shape.chars).is_some())
    };
    name.to_lowercase().replace(is_bad, "-")
}

fn is_lower(name: &str) -> bool {
    if name.is_ascii() { !name.bytes().any(|byte| byte.is_ascii_uppercase()) } else { name.to_lowercase() == name }
}

fn differs(shape: &NameShape, subject: &Subject<'_>) -> Diagnostic {
    let (name, folder) = (TerminalText(subject.name), TerminalText(subject.folder));
    let help = match misfit(subject.folder, shape) {
        None => format!("rename the folder to `{name}`, or change the skill's name to `{folder}`"),
        Some(_) => format!("rename the folder to `{name}`"),
    };
    let problem = subject
        .problem(Code::NameFolder, "the name differs from its folder", help)
        .label(format!("the folder is called `{}`", TerminalText(subject.folder)));
    let is_renamable = first_bad(subject.name, Chars::Word).is_none();
    if is_renamable { problem.fix(Fix::RenameFolder(subject.name.to_owned())) } else { problem }
}

/// Returns the first character that a name may not have.
pub(crate) fn first_bad(name: &str, chars: Chars) -> Option<char> {
    let is_allowed = |character: char| match chars {
        Chars::Any => true,
        Chars::Letters => character == '-' || character.is_alphanumeric() && !is_combining_mark(character),
        Chars::Ascii | Chars::Plain => character == '-' || character.is_ascii_alphanumeric(),
        Chars::Word => character.is_ascii_alphanumeric() || matches!(character, '-' | '_' | '.'),
        Chars::Marked => {
            character.is_alphanumeric() || is_combining_mark(character) || matches!(character, '-' | '_' | '.' | ':')
        }
    };
    let begins_with = |bad: char| name.starts_with(bad).then_some(bad);
    let inside = name.chars().find(|&character| !is_allowed(character));
    match chars {
        Chars::Plain => begins_with('-').or(inside),
        Chars::Word => inside.or_else(|| begins_with('.')),
        Chars::Marked => inside.or_else(|| name.chars().next().filter(|first| is_combining_mark(*first))),
        Chars::Any | Chars::Letters | Chars::Ascii => inside,
    }
}
