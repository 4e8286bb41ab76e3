//! Reads one skill file by one host's rules, from its bytes to the fields that the host takes.

use std::{borrow::Cow, ops::Range};

use super::cache::{Alike, Taken, Trees};
use super::lenient::{self, Prepared};
use super::parsed::{Head, PREFIX_MAX, Parsed, Reading, Result, Source};
use super::problems::{foreign, no_text, say, too_large};
use super::{fields::Collected, plain::Keys};
use crate::diagnostic::{Code, Diagnostic, Fix, Level, Place};
use crate::frontmatter::{self, EditedText, Split, soft_tabs};
use crate::host::{BadYaml, FenceRules, Mark, NameSource, NoFrontmatter, ParseRules, Prepare, Repair, Utf8};
use crate::text::{is_blank, yaml, yaml_value::yaml_problem};

const FRONTMATTER_MAX: usize = 64 * 1024;

/// Reads a head by a host's rules; returns nothing if more of the file is needed.
pub(crate) fn parse<'h>(head: Head<'h>, reading: &Reading<'_>, trees: &mut Trees<'h>) -> Option<Parsed> {
    let rules = &*reading.rules;
    let folder = if rules.name.from.contains(&NameSource::RealFolder) { head.real_folder } else { head.folder };
    let mut reader = HeadReader {
        rules,
        group: reading.group,
        keys: reading.keys,
        folder,
        taken: Collected::default(),
        parsed: Parsed::default(),
    };
    let is_read = match decode(head, rules.utf8) {
        Ok(Cow::Borrowed(text)) => reader.prepare_and_read(text, head.whole, trees),
        Ok(Cow::Owned(text)) => reader.prepare_and_read(&text, head.whole, &mut Trees::default()),
        Err(problem) => {
            reader.parsed.problems.push(problem);
            reader.parsed.name = folder.into();
            true
        }
    };
    is_read.then_some(reader.parsed)
}

fn decode(head: Head<'_>, rule: Utf8) -> Result<Cow<'_, str>> {
    let error = match head.text {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let valid = &head.bytes[..error.valid_up_to()];
    let valid_text = std::str::from_utf8(valid).unwrap_or_default();
    let cut_short = error.error_len().is_none() && (!head.whole || head.bytes.len() >= PREFIX_MAX);
    match rule {
        _ if cut_short => Ok(Cow::Borrowed(valid_text)),
        Utf8::Lossy => Ok(String::from_utf8_lossy(head.bytes)),
        // A body may hold anything as long as the frontmatter is text; the rest is judged when it is read.
        Utf8::Head if closes_early(valid_text) => Ok(Cow::Borrowed(valid_text)),
        _ => Err(Diagnostic::error(Code::NotUtf8, format!("the file is not UTF-8 text from byte {}", valid.len()))
            .at(valid_text, valid.len()..valid.len())
            .help("save the file as UTF-8")),
    }
}

fn closes_early(text: &str) -> bool {
    let text = text.trim_start_matches('\u{feff}');
    matches!(frontmatter::split(text, FenceRules::default()), Split::Found { .. })
}

/// Tells whether a text that begins with no fence may do so when more of it is read.
fn may_open(text: &str) -> bool {
    text.trim_start().len() < 64 || !text.contains('\n')
}

/// Tells whether a text has all of its first line that is not empty, or as much as is taken of it.
fn has_line(text: &str, max: usize) -> bool {
    let line = text.trim_start_matches(is_blank);
    line.contains('\n') || line.len() > 4 * max + 1024
}

pub(super) struct HeadReader<'r> {
    pub(super) rules: &'r ParseRules,
    group: usize,
    keys: Keys,
    pub(super) folder: &'r str,
    pub(super) taken: Collected,
    pub(super) parsed: Parsed,
}

impl HeadReader<'_> {
    /// Reads the file as the host prepares it; returns false if more of it is needed.
    fn prepare_and_read<'t>(&mut self, file: &'t str, whole: bool, trees: &mut Trees<'t>) -> bool {
        match lenient::prepare(file, self.rules, whole) {
            Prepared::Same => self.read(file, whole, trees),
            Prepared::Unfinished => false,
            Prepared::Changed(edited) => {
                let is_read = self.read(&edited.text, whole, &mut Trees::default());
                self.place_in_original(Source { file, ..Source::default() }, &edited, 0);
                is_read
            }
        }
    }

    /// Reads the file; returns false if more of it is needed.
    fn read<'t>(&mut self, file: &'t str, whole: bool, trees: &mut Trees<'t>) -> bool {
        let mark = if self.rules.byte_order_mark == Mark::Accept && file.starts_with('\u{feff}') { 3 } else { 0 };
        let text = &file[mark..];
        let split = trees.split(text, self.rules.fence);
        let body = match &split {
            Split::Unclosed if !whole => return false,
            Split::Absent if !whole && may_open(text) => return false,
            // What closes it may go on, or be the end of what was read.
            Split::Found { yaml, body } if !whole && *body == text.len() && yaml.len() <= FRONTMATTER_MAX => {
                return false;
            }
            Split::Found { body, .. } => &text[*body..],
            Split::Absent | Split::Unclosed | Split::Foreign(_) => text,
        };
        if !whole && self.rules.description.first_line.as_ref().is_some_and(|line| !has_line(body, line.max)) {
            return false;
        }
        match split {
            _ if text.is_empty() && self.rules.no_frontmatter == NoFrontmatter::BodyRequired => {
                self.parsed.problems.push(no_text());
            }
            Split::Found { yaml, .. } if yaml.len() > FRONTMATTER_MAX => self.parsed.problems.push(too_large()),
            Split::Unclosed if text.len() > FRONTMATTER_MAX && self.rules.no_frontmatter == NoFrontmatter::Invalid => {
                self.parsed.problems.push(too_large());
            }
            Split::Found { yaml, .. } => self.frontmatter(file, mark + yaml.start..mark + yaml.end, trees),
            Split::Absent => self.no_frontmatter(file, Code::NoFrontmatter),
            Split::Foreign(format) => self.parsed.problems.push(foreign(file, &format)),
            Split::Unclosed => self.no_frontmatter(file, Code::Unclosed),
        }
        self.conclude(file, body);
        say(self.rules, file, self.folder, &mut self.parsed);
        true
    }

    fn no_frontmatter(&mut self, file: &str, code: Code) {
        let level = match self.rules.no_frontmatter {
            NoFrontmatter::Invalid => Level::Error,
            NoFrontmatter::BodyOnly | NoFrontmatter::BodyRequired => Level::Warning,
        };
        let first_line = file.find('\n').unwrap_or(file.len());
        let problem = if file.starts_with('\u{feff}') && code == Code::NoFrontmatter {
            let message = "the file begins with a byte-order mark, so its frontmatter is not recognized";
            Diagnostic::new(Code::ByteOrderMark, level, message)
                .help("save the file without a byte-order mark")
                .fix(Fix::Replace { span: 0..3, text: String::new() })
        } else if code == Code::Unclosed {
            Diagnostic::new(code, level, "the frontmatter is opened by `---` but never closed")
                .label("opened here")
                .help("add a line `---` after the last field")
        } else {
            Diagnostic::new(code, level, "the file does not begin with frontmatter")
                .help("begin with `---`, the lines `name:` and `description:`, and `---`")
        };
        self.parsed.problems.push(problem.at(file, 0..first_line));
    }

    fn frontmatter<'t>(&mut self, file: &'t str, range: Range<usize>, trees: &mut Trees<'t>) {
        let text = &file[range.clone()];
        let source = Source { file, offset: range.start, text };
        let may_repair = frontmatter::is_repairable(file, &range, self.rules.repair);
        let repair = || frontmatter::repair(text, self.rules).filter(|_| may_repair);
        let early = if self.rules.repair == Repair::BlockLines { repair() } else { None };
        let first = match &early {
            _ if self.rules.prepare.contains(&Prepare::SoftTabs) && text.contains('\t') => self.untabbed(source),
            Some(edited) => self.read_repaired(source, edited, trees.read(file, range).0.is_err()),
            None => match trees.read(file, range) {
                (Ok(root), taken) => {
                    let plain = root.plain.and_then(|keys| keys.reading(self.keys, self.rules));
                    let alike = plain.map_or(Alike::Rules(self.group), |(keys, clean)| Alike::Plain(keys, clean));
                    self.judge(source, &root.node, Some((alike, taken)))
                }
                (Err(error), _) => Err(yaml_problem(source.file, source.offset, error)),
            },
        };
        let Err(problem) = first else { return };
        let repairable = match problem.code {
            Code::BadYaml => self.rules.repair != Repair::BlockLines,
            Code::YamlLimit | Code::YamlFeature => false,
            _ => self.rules.repair == Repair::QuoteTypes,
        };
        if let Some(edited) = repairable.then(repair).flatten()
            && self.read_repaired(source, &edited, true).is_ok()
        {
            return;
        }
        self.taken = Collected::default();
        if self.rules.bad_yaml == BadYaml::Lines {
            // Nothing is wrong with lines as such, so this cannot fail.
            let _ = self.judge(source, &lenient::read_lines(text), None);
        }
        self.bad_yaml(source, problem);
    }

    fn untabbed(&mut self, source: Source<'_>) -> Result<()> {
        let edited = EditedText::new(source.text, soft_tabs(source.text, &[]));
        let kept = self.parsed.problems.len();
        let root = yaml::parse(&edited.text).map_err(|error| yaml_problem(source.file, source.offset, &error))?;
        let outcome = self.judge(source, &root, Some((Alike::Rules(self.group), &mut Taken::new())));
        self.place_in_original(source, &edited, kept);
        outcome
    }

    /// Reads repaired text; with `report`, each repair becomes a finding.
    fn read_repaired(&mut self, source: Source<'_>, edited: &EditedText, report: bool) -> Result<()> {
        self.taken = Collected::default();
        let kept = self.parsed.problems.len();
        let outcome = yaml::parse(&edited.text)
            .map_err(|error| yaml_problem(source.file, source.offset, &error))
            .and_then(|root| self.judge(source, &root, None));
        match &outcome {
            Ok(()) => {
                self.place_in_original(source, edited, kept);
                if report {
                    self.report_repairs(source, edited);
                }
            }
            Err(_) => self.parsed.problems.truncate(kept),
        }
        outcome
    }

    /// Moves findings about the edited text to their places in the original file.
    ///
    /// Fixes are dropped: their spans and texts are those of the edited text and would damage the original.
    fn place_in_original(&mut self, source: Source<'_>, edited: &EditedText, from: usize) {
        for problem in &mut self.parsed.problems[from..] {
            if matches!(problem.fix, Some(Fix::Replace { .. })) {
                problem.fix = None;
            }
            if let Some(place) = problem.place.take() {
                let move_back = |at: usize| source.offset + edited.original(at.saturating_sub(source.offset));
                problem.place =
                    Some(Place::locate(source.file, move_back(place.span.start)..move_back(place.span.end)));
            }
        }
    }

    /// Reports the values that had to be repaired. A host's repair may also rewrite values that are valid alone; those stay
    /// as they are, and what is suggested is the same for every host.
    fn report_repairs(&mut self, source: Source<'_>, edited: &EditedText) {
        let suggested = frontmatter::suggest(source.text).map(|suggested| suggested.edits).unwrap_or_default();
        let is_needed = |(range, text): &&(Range<usize>, String)| {
            !text.trim().is_empty() && !frontmatter::is_valid_alone(source.text, range)
        };
        let mut needed = edited.edits.iter().filter(is_needed).peekable();
        if needed.peek().is_none() {
            self.parsed.problems.push(repaired_as_a_whole(source, edited));
        }
        for (range, replacement) in needed {
            let overlaps = |(other, _): &&(Range<usize>, String)| other.start < range.end && range.start < other.end;
            let (range, replacement) =
                suggested.iter().find(overlaps).map_or((range, replacement), |(range, text)| (range, text));
            let span = source.span(range);
            self.parsed.problems.push(
                Diagnostic::warning(Code::Repaired, "this value is not valid YAML unless it is quoted")
                    .at(source.file, span.clone())
                    .label(format!("`{}` ends a key in YAML", repair_cause(&source.text[range.clone()])))
                    .help("put quotes around the value")
                    .fix(Fix::Replace { span, text: replacement.clone() }),
            );
        }
    }

    fn bad_yaml(&mut self, source: Source<'_>, mut problem: Diagnostic) {
        if self.rules.bad_yaml != BadYaml::Invalid {
            problem.level = Level::Warning;
        }
        if problem.code == Code::BadYaml
            && let Some(edited) = frontmatter::suggest(source.text)
            && let Some((range, replacement)) = edited.edits.first()
        {
            let span = source.span(range);
            // What a parser says of it helps nobody who only needs quotes.
            let parsers = std::mem::replace(&mut problem.message, Code::Repaired.title().to_owned());
            let parsers = parsers.split_once(": ").map_or(&*parsers, |(_, parsers)| parsers).to_owned();
            problem = problem
                .at(source.file, span.clone())
                .label(format!("`{}` means something else in YAML", repair_cause(&source.text[range.clone()])))
                .help(format!("put quotes around the value (YAML: {parsers})"))
                .fix(Fix::Replace { span, text: replacement.clone() });
        }
        self.parsed.problems.push(problem);
    }
}

/// Reports a repair that no single value needed.
fn repaired_as_a_whole(source: Source<'_>, edited: &EditedText) -> Diagnostic {
    let (message, help) = match edited.edits.is_empty() {
        true => ("tabs indent the frontmatter; they were read as spaces", "indent with spaces"),
        false => ("the frontmatter is not valid YAML, and was repaired", "put quotes around values that hold `: `"),
    };
    Diagnostic::warning(Code::Repaired, message).at(source.file, source.span(&(0..source.text.len()))).help(help)
}

/// Returns what made a value need a repair.
fn repair_cause(value: &str) -> &str {
    if value.contains(": ") { ": " } else { value.get(..1).unwrap_or(value) }
}
