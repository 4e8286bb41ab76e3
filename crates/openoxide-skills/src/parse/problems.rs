//! Words the diagnostics about a file as a whole, and replaces messages by the host's own words where it has them.

use std::ops::Range;

use super::parsed::{Parsed, Source};
use crate::diagnostic::{Code, Diagnostic};
use crate::host::{ParseRules, TextRule};
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

pub(super) fn no_description(file: &str, span: Range<usize>, message: &str) -> Diagnostic {
    Diagnostic::error(Code::DescriptionMissing, message)
        .at(file, span)
        .help("add `description:` with what the skill does and when to use it")
}

pub(super) fn feature_problem(source: Source<'_>, feature: Feature, span: &Range<usize>) -> Diagnostic {
    let (what, help) = match feature {
        Feature::Flow => ("flow style (`[a, b]` or `{a: b}`)", "write one item a line"),
        Feature::Anchor => ("an anchor (`&name`)", "write the value out"),
        Feature::Alias => ("an alias (`*name`)", "write the value out"),
        Feature::Tag | Feature::TypeTag | Feature::LocalTag => ("a tag (`!name`)", "remove the tag"),
    };
    source.error(span, Code::YamlFeature, format!("the standard's YAML does not have {what}")).help(help)
}

/// Says findings in the program's words, which its users have to recognize, and puts errors into the order in which it
/// looks.
pub(super) fn say(rules: &ParseRules, file: &str, folder: &str, parsed: &mut Parsed) {
    if rules.texts.is_empty() {
        return;
    }
    let rule_of = |problem: &Diagnostic| rules.texts.iter().position(|rule| fits(rule, problem, file));
    parsed.problems.sort_by_key(|problem| rule_of(problem).filter(|_| problem.is_error()));
    for problem in &mut parsed.problems {
        if let Some(rule) = rule_of(problem).map(|index| &rules.texts[index]) {
            problem.message = rule.text.replace("{folder}", folder).replace("{name}", &parsed.name);
        }
    }
}

fn fits(rule: &TextRule, problem: &Diagnostic, file: &str) -> bool {
    rule.code == problem.code.as_str()
        && file.starts_with(&rule.begins)
        && rule.lines_below.is_none_or(|most| file.split('\n').count() < most)
}
