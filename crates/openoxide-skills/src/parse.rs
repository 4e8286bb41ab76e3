//! Reads the head of a skill file by a host's rules: always a value, with diagnostics.
//!
//! Finding files is `discover`'s work; deciding which skills count is `catalog`'s.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use self::lenient::Prepared;
use crate::code::Code;
use crate::diagnostic::{Diagnostic, Fix, Level};
use crate::frontmatter::{self, Split};
use crate::host::{BadYaml, Dialect, Fallback, Mark, NoFrontmatter, OnDuplicate, ParseRules, Tags, Utf8, WrongType};
use crate::skill::Frontmatter;
use crate::yaml::{self, Feature, Node, Value};

mod conclude;
pub(crate) mod fields;
mod hooks;
mod lenient;
mod limits;
mod lists;
mod mending;
mod name;
mod plain;
mod problems;
mod scalar;
mod shared;
mod texts;
mod typed;

use fields::Collected;
pub(crate) use lenient::soft_tabs;
use mending::repair_cause;
pub(crate) use name::{first_bad, misfit};
use plain::Keys;
pub(crate) use problems::yaml_problem;
use problems::{feature_problem, foreign, frontmatter_problem, no_text, too_large};
pub(crate) use scalar::plain_value;
use shared::{Alike, Taken};
pub(crate) use shared::{Reading, Readings, Trees};

/// What a skill file says, and what is wrong with it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The name that counts, before any prefix.
    pub name: Arc<str>,
    /// The frontmatter's name, which need not be the one that counts.
    pub own_name: Option<Arc<str>>,
    /// The description that counts.
    pub description: Arc<str>,
    /// Whether the description is the file's own, not a stand-in.
    pub described: bool,
    /// The fields.
    pub frontmatter: Arc<Frontmatter>,
    /// Findings, in reading order.
    pub problems: Vec<Diagnostic>,
}

impl Parsed {
    /// Returns the finding that keeps the skill from counting.
    pub fn invalid(&self) -> Option<&Diagnostic> {
        self.problems.iter().find(|problem| problem.is_error())
    }
}

/// The first bytes of a skill file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head<'a> {
    pub(crate) bytes: &'a [u8],
    /// The bytes as text, if they are that.
    pub(crate) text: Option<&'a str>,
    /// Whether `bytes` is the whole file.
    pub(crate) whole: bool,
    /// What the skill is called by its place.
    pub(crate) folder: &'a str,
    /// The same with links resolved.
    pub(crate) real_folder: &'a str,
}

/// Reads the text of a skill file by a host's rules; `folder` is what its place calls it.
///
/// ```
/// # use openoxide_skills::{Hosts, parse_text};
/// let hosts = Hosts::builtin();
/// let host = hosts.get("openoxide").unwrap().host().unwrap();
/// let parsed = parse_text("---\nname: pdf\ndescription: Fill forms\n---\nDo it.\n", "pdf", &host.parse);
/// assert_eq!((&*parsed.name, parsed.problems.len()), ("pdf", 0));
/// ```
pub fn parse_text(text: &str, folder: &str, rules: &ParseRules) -> Parsed {
    parse_bytes(text.as_bytes(), folder, rules)
}

/// Reads the bytes of a whole skill file by a host's rules.
pub fn parse_bytes(bytes: &[u8], folder: &str, rules: &ParseRules) -> Parsed {
    let head = Head { bytes, text: std::str::from_utf8(bytes).ok(), whole: true, folder, real_folder: folder };
    parse(head, &Reading::alone(rules), &mut Trees::default()).unwrap_or_default()
}

/// Returns what follows the frontmatter of a skill file; the whole text if it has none.
///
/// ```
/// # use openoxide_skills::{Hosts, body_of};
/// let host = Hosts::builtin().get("openoxide").unwrap().host().unwrap();
/// assert_eq!(body_of("---\nname: pdf\n---\nDo it.\n", &host.parse), "Do it.\n");
/// ```
pub fn body_of<'t>(text: &'t str, rules: &ParseRules) -> Cow<'t, str> {
    fn after_fence(text: &str, rules: &ParseRules) -> Option<usize> {
        let mark = if rules.byte_order_mark == Mark::Accept && text.starts_with('\u{feff}') { 3 } else { 0 };
        match frontmatter::split(&text[mark..], rules.fence) {
            Split::Found { body, .. } => Some(mark + body),
            _ => None,
        }
    }
    if let Some(body) = after_fence(text, rules) {
        return Cow::Borrowed(&text[body..]);
    }
    match lenient::prepare(text, rules, true) {
        Prepared::Changed(mended) => match after_fence(&mended.text, rules) {
            Some(body) => Cow::Owned(mended.text[body..].to_owned()),
            None => Cow::Borrowed(text),
        },
        _ => Cow::Borrowed(text),
    }
}

/// Reads a head by a host's rules; returns nothing if more of the file is needed.
pub(crate) fn parse<'h>(head: Head<'h>, reading: &Reading<'_>, trees: &mut Trees<'h>) -> Option<Parsed> {
    let rules = &*reading.rules;
    let folder = if rules.name.real_folder { head.real_folder } else { head.folder };
    let mut reader = Reader {
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

fn decode(head: Head<'_>, rule: Utf8) -> Result<Cow<'_, str>, Diagnostic> {
    if let Some(text) = head.text {
        return Ok(Cow::Borrowed(text));
    }
    let error = match std::str::from_utf8(head.bytes) {
        Ok(text) => return Ok(Cow::Borrowed(text)),
        Err(error) => error,
    };
    let valid = &head.bytes[..error.valid_up_to()];
    let valid_text = std::str::from_utf8(valid).unwrap_or_default();
    let cut_short = error.error_len().is_none() && !head.whole;
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
    matches!(
        frontmatter::split(text.trim_start_matches('\u{feff}'), crate::host::FenceRules::default()),
        Split::Found { .. }
    )
}

struct Reader<'r> {
    rules: &'r ParseRules,
    group: usize,
    keys: Keys,
    folder: &'r str,
    taken: Collected,
    parsed: Parsed,
}

/// The frontmatter's text inside the file's.
#[derive(Clone, Copy)]
struct Source<'t> {
    file: &'t str,
    /// Where the YAML begins in the file.
    offset: usize,
}

impl Source<'_> {
    fn span(self, span: &Range<usize>) -> Range<usize> {
        self.offset + span.start..self.offset + span.end
    }
}

impl Reader<'_> {
    /// Reads the file as the host prepares it; returns false if more of it is needed.
    fn prepare_and_read<'t>(&mut self, file: &'t str, whole: bool, trees: &mut Trees<'t>) -> bool {
        match lenient::prepare(file, self.rules, whole) {
            Prepared::Same => self.read(file, whole, trees),
            Prepared::Unfinished => false,
            Prepared::Changed(mended) => {
                let is_read = self.read(&mended.text, whole, &mut Trees::default());
                self.place_in_original(Source { file, offset: 0 }, &mended, 0);
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
            Split::Unclosed | Split::Absent if !whole && (split == Split::Unclosed || file.len() < 64) => return false,
            Split::Found { body, .. } => &text[*body..],
            Split::Absent | Split::Unclosed | Split::Foreign(_) => text,
        };
        if !whole && self.wants_body() && body.trim().is_empty() {
            return false;
        }
        match split {
            _ if text.is_empty() && self.rules.text_required => self.parsed.problems.push(no_text()),
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
        texts::say(self.rules, file, self.folder, &mut self.parsed);
        true
    }

    fn wants_body(&self) -> bool {
        self.rules.description.fallback != Fallback::None
    }

    fn no_frontmatter(&mut self, file: &str, code: Code) {
        let level = match self.rules.no_frontmatter {
            NoFrontmatter::Invalid => Level::Error,
            NoFrontmatter::BodyOnly => Level::Warning,
        };
        let first_line = file.find('\n').unwrap_or(file.len());
        let problem = if file.starts_with('\u{feff}') && code == Code::NoFrontmatter {
            Diagnostic::new(
                Code::ByteOrderMark,
                level,
                "a byte-order mark stands before the frontmatter, so it is not seen",
            )
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
        let source = Source { file, offset: range.start };
        let text = &file[range.clone()];
        let may_mend = frontmatter::is_mendable(file, &range, self.rules.repair);
        let mend = || frontmatter::mend(text, self.rules).filter(|_| may_mend);
        let early = if self.rules.repair_first { mend() } else { None };
        let first = match &early {
            _ if self.rules.soft_tabs && text.contains('\t') => self.untabbed(source, text),
            Some(mended) => self.read_mended(source, text, mended, trees.read(file, range).0.is_err()),
            None => match trees.read(file, range) {
                (Ok(root), taken) => {
                    let plain = root.plain.and_then(|keys| keys.reading(self.keys, self.rules));
                    let alike = plain.map_or(Alike::Rules(self.group), |(keys, clean)| Alike::Plain(keys, clean));
                    self.judge(source, text, &root.node, Some((alike, taken)))
                }
                (Err(error), _) => Err(frontmatter_problem(source, error)),
            },
        };
        let Err(problem) = first else { return };
        let repairable = match problem.code {
            Code::BadYaml => !self.rules.repair_first,
            Code::YamlLimit | Code::YamlFeature => false,
            _ => self.rules.repair_types,
        };
        if let Some(mended) = repairable.then(mend).flatten()
            && self.read_mended(source, text, &mended, true).is_ok()
        {
            return;
        }
        self.taken = Collected::default();
        if self.rules.bad_yaml == BadYaml::Lines {
            // Nothing is wrong with lines as such, so this cannot fail.
            let _ = self.judge(source, text, &lenient::read_lines(text), None);
        }
        self.bad_yaml(source, text, problem);
    }

    /// Reads the frontmatter with tabs as spaces.
    fn untabbed(&mut self, source: Source<'_>, text: &str) -> Result<(), Diagnostic> {
        let mended = frontmatter::Mended::new(text, soft_tabs(text, &[]));
        let kept = self.parsed.problems.len();
        let root = yaml::parse(&mended.text).map_err(|error| frontmatter_problem(source, &error))?;
        let outcome = self.judge(source, text, &root, Some((Alike::Rules(self.group), &mut Taken::new())));
        self.place_in_original(source, &mended, kept);
        outcome
    }

    fn bad_yaml(&mut self, source: Source<'_>, text: &str, mut problem: Diagnostic) {
        if self.rules.bad_yaml != BadYaml::Invalid {
            problem.level = Level::Warning;
        }
        if problem.code == Code::BadYaml
            && let Some(mended) = frontmatter::suggest(text)
            && let Some((range, replacement)) = mended.edits.first()
        {
            let span = source.span(range);
            // What a parser says of it helps nobody who only needs quotes.
            let parsers = std::mem::replace(&mut problem.message, Code::Repaired.title().to_owned());
            let parsers = parsers.split_once(": ").map_or(&*parsers, |(_, parsers)| parsers).to_owned();
            problem = problem
                .at(source.file, span.clone())
                .label(format!("`{}` means something else in YAML", repair_cause(&text[range.clone()])))
                .help(format!("put quotes around the value (YAML: {parsers})"))
                .fix(Fix::Replace { span, text: replacement.clone() });
        }
        self.parsed.problems.push(problem);
    }

    /// Takes the fields out of a tree, or says what is wrong with it as a whole; `known` is absent for mended text.
    fn judge(
        &mut self,
        source: Source<'_>,
        text: &str,
        root: &Node<'_>,
        known: Option<(Alike, &mut Taken)>,
    ) -> Result<(), Diagnostic> {
        // Plain frontmatter has none of what is looked for here.
        let is_plain = matches!(known, Some((Alike::Plain(..), _)));
        if !is_plain {
            self.refuse_features(source, root)?;
        }
        let pairs = match &root.value {
            Value::Map(pairs) => pairs.as_slice(),
            Value::Scalar { .. }
                if root.is_null() && self.rules.dialect == Dialect::Core && !self.rules.empty_invalid =>
            {
                &[]
            }
            _ if self.rules.bad_yaml != BadYaml::Invalid => &[],
            _ => {
                return Err(Diagnostic::error(Code::NotMapping, "the frontmatter is not a list of `key: value` lines")
                    .at(source.file, source.span(&(0..text.trim_end().len())))
                    .help("write `name: …` and `description: …`"));
            }
        };
        if self.rules.duplicates != OnDuplicate::Last && !is_plain {
            self.refuse_duplicates(source, pairs)?;
        }
        if let Some((key, _)) = pairs
            .iter()
            .find(|(key, _)| key.as_text().is_none())
            .filter(|_| self.rules.wrong_type == WrongType::Invalid)
        {
            return Err(Diagnostic::error(Code::WrongType, "a key must be text")
                .at(source.file, source.span(&key.span))
                .help("write `key: value`"));
        }
        self.taken = self.take(source, text, pairs, known)?;
        self.parsed.problems.append(&mut self.taken.problems);
        let name = self.taken.name.as_deref();
        self.parsed.problems.extend(name::check(self.rules, source, pairs, self.folder, name));
        self.parsed.problems.extend(limits::check_texts(self.rules, source, pairs));
        Ok(())
    }

    /// Takes the fields out, unless another host took them in the same way.
    fn take(
        &self,
        source: Source<'_>,
        text: &str,
        pairs: &[(Node<'_>, Node<'_>)],
        known: Option<(Alike, &mut Taken)>,
    ) -> Result<Collected, Diagnostic> {
        let Some((alike, known)) = known else { return fields::collect(self.rules, source, pairs, false) };
        let place = source.offset..source.offset + text.len();
        if let Some((.., taken)) = known.iter().find(|(at, other, _)| *at == place && *other == alike) {
            return Ok(taken.clone());
        }
        let taken = fields::collect(self.rules, source, pairs, true)?;
        known.push((place, alike, taken.clone()));
        Ok(taken)
    }

    /// Refuses YAML beyond what the host understands.
    fn refuse_features(&self, source: Source<'_>, root: &Node<'_>) -> Result<(), Diagnostic> {
        if self.rules.dialect == Dialect::Strict
            && let Some((feature, span)) = root.first_feature()
        {
            return Err(feature_problem(source, feature, &span));
        }
        match self.rules.tags {
            Tags::Refuse => {
                root.first_tag(false).map_or(Ok(()), |span| Err(feature_problem(source, Feature::Tag, &span)))
            }
            Tags::Standard => root.first_tag(true).map_or(Ok(()), |span| {
                Err(Diagnostic::error(Code::BadYaml, "the frontmatter has a tag that is not one of YAML's own")
                    .at(source.file, source.span(&span))
                    .help("remove the tag, or put quotes around the value"))
            }),
            Tags::Ignore => Ok(()),
        }
    }

    fn refuse_duplicates(&self, source: Source<'_>, pairs: &[(Node<'_>, Node<'_>)]) -> Result<(), Diagnostic> {
        let inner =
            pairs.iter().find(|(key, value)| key.as_text() == Some("metadata") && matches!(value.value, Value::Map(_)));
        if let Some((_, Node { value: Value::Map(inner), .. })) = inner {
            self.refuse_duplicates(source, inner)?;
        }
        for (index, (key, _)) in pairs.iter().enumerate() {
            let text = key.as_text();
            let counts = self.rules.duplicates == OnDuplicate::Error
                || text == Some("short-description")
                || text.is_some_and(|text| self.rules.fields.read.iter().any(|read| read == text));
            if counts && text.is_some() && pairs[..index].iter().any(|(earlier, _)| earlier.as_text() == text) {
                return Err(Diagnostic::error(
                    Code::DuplicateKey,
                    format!("`{}` stands twice", text.unwrap_or_default()),
                )
                .at(source.file, source.span(&key.span))
                .label("second time")
                .help("keep one of the two"));
            }
        }
        Ok(())
    }
}

/// Longest frontmatter, in bytes.
const FRONTMATTER_MAX: usize = 64 * 1024;

#[cfg(test)]
mod tests;
