//! The names of frontmatter fields that mean something to some host, and what is said about others.

use std::ops::Range;

use super::parsed::Source;
use crate::diagnostic::{Code, Diagnostic, Level};

/// Keys that have a meaning to some host, as they are written.
pub(super) const KNOWN: &[&str] = &[
    "name",
    "description",
    "license",
    "compatibility",
    "metadata",
    "allowed-tools",
    "when_to_use",
    "argument-hint",
    "arguments",
    "disable-model-invocation",
    "user-invocable",
    "disallowed-tools",
    "model",
    "effort",
    "context",
    "agent",
    "background",
    "hooks",
    "paths",
    "shell",
    "globs",
    "alwaysApply",
    "hide",
    "enabled",
];

/// Fields that change what a skill may do, or who may call it.
pub(super) const CONTROLS: &[&str] =
    &["disable-model-invocation", "user-invocable", "disallowed-tools", "context", "hooks", "paths"];

pub(crate) fn is_known_field(key: &str) -> bool {
    KNOWN.contains(&key)
}

/// Writes `kebab-case` as `kebabCase`.
pub(super) fn camel_case(key: &str) -> String {
    let mut parts = key.split('-');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.chars().next().filter(char::is_ascii_lowercase) {
            Some(first) => camel.extend([&first.to_ascii_uppercase().to_string(), &part[1..]]),
            None => camel.extend(["-", part]),
        }
    }
    camel
}

pub(super) fn unknown_field_problem(level: Level, source: Source<'_>, key: &str, span: &Range<usize>) -> Diagnostic {
    let near = crate::text::near(key, KNOWN.iter().copied());
    let help = match near.first() {
        Some(near) if !is_known_field(key) => format!("did you mean `{near}`?"),
        _ => "keep client extensions under `metadata`, or check against the host that reads them".to_owned(),
    };
    let message = format!("`{}` is not a field of the standard", crate::text::TerminalText(key));
    Diagnostic::new(Code::UnknownField, level, message).at(source.file, span.clone()).help(help)
}
