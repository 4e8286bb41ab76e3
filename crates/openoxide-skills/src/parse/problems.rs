//! Words the diagnostics about a file as a whole.

use std::ops::Range;

use super::parsed::Source;
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::text::yaml::Feature;

/// Frontmatter may be a program in another language, and is never run.
pub(super) fn foreign(file: &str, format: &str) -> Diagnostic {
    let format = crate::text::TerminalText(format).to_string();
    Diagnostic::error(Code::NoFrontmatter, format!("the frontmatter is in the format `{format}`, which is not read"))
        .at(file, 0..file.find('\n').unwrap_or(file.len()))
        .help("begin with a line `---` and write YAML")
}

pub(super) fn too_large() -> Diagnostic {
    Diagnostic::error(Code::HeadTooLarge, "the frontmatter does not end within 64 KiB")
        .help("close it with a line `---`; long text belongs in the body")
}

pub(super) fn no_text() -> Diagnostic {
    Diagnostic::error(Code::NoFrontmatter, "the file is empty")
        .help("begin with `---`, the lines `name:` and `description:`, and `---`")
}

pub(super) fn feature_problem(source: Source<'_>, feature: Feature, span: &Range<usize>) -> Diagnostic {
    let (what, help) = match feature {
        Feature::Flow => ("flow style (`[a, b]` or `{a: b}`)", "write one item a line"),
        Feature::Anchor => ("an anchor (`&name`)", "write the value out"),
        Feature::Alias => ("an alias (`*name`)", "write the value out"),
        Feature::Tag | Feature::TypeTag | Feature::LocalTag => ("a tag (`!name`)", "remove the tag"),
    };
    Diagnostic::error(Code::YamlFeature, format!("the standard's YAML does not have {what}"))
        .at(source.file, source.span(span))
        .help(help)
}
