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
use crate::host::{
    BadYaml, Clean, Dialect, Fallback, Mark, NameSource, NoFrontmatter, OnDuplicate, ParseRules, Tags, Utf8, WrongType,
};
use crate::skill::Frontmatter;
use crate::text::{cut_utf16, utf16_len};
use crate::yaml::{self, Feature, Node, Value, YamlError, YamlErrorKind};

pub(crate) mod fields;
mod lenient;
mod mending;
mod name;
mod plain;
mod scalar;
mod texts;
mod typed;

use fields::Collected;
pub(crate) use fields::taken_alike;
pub(crate) use lenient::soft_tabs;
use mending::repair_cause;
pub(crate) use name::{first_bad, misfit};
pub(crate) use plain::Keys;
pub(crate) use scalar::plain_value;

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

    /// Tells whether it says the same as another, as far as that is seen at once.
    pub(crate) fn is_same(&self, other: &Parsed) -> bool {
        Arc::ptr_eq(&self.frontmatter, &other.frontmatter)
            && self.name == other.name
            && self.description == other.description
            && self.own_name == other.own_name
            && self.described == other.described
            && self.problems.is_empty()
            && other.problems.is_empty()
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

/// Rules for reading, and which of several readings it takes its fields with.
#[derive(Clone, Debug)]
pub(crate) struct Reading<'r> {
    pub(crate) rules: Cow<'r, ParseRules>,
    /// The same number for hosts that take the same fields out of the same YAML.
    pub(crate) group: usize,
    /// The standard's keys that it reads.
    pub(crate) keys: Keys,
}

impl<'r> Reading<'r> {
    /// Returns a reading that shares nothing.
    pub(crate) fn alone(rules: &'r ParseRules) -> Reading<'r> {
        Reading { rules: Cow::Borrowed(rules), group: 0, keys: Keys::read_by(rules) }
    }
}

/// What was read from one text for several hosts: they mostly agree, and need it read once.
#[derive(Default)]
pub(crate) struct Trees<'t> {
    /// YAML, by where it stands.
    roots: Vec<(Range<usize>, Result<Root<'t>, YamlError>)>,
    /// Fields, by the YAML and the group of rules that they were taken with.
    fields: Taken,
}

/// YAML, and the standard's keys in it if it is read alike by all.
struct Root<'t> {
    node: Node<'t>,
    plain: Option<Keys>,
}

/// Fields, by where their YAML stands and the rules that they were taken with.
type Taken = Vec<(Range<usize>, Alike, Collected)>;

/// What readings have in common that take the same fields out of the same YAML.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Alike {
    /// The group of their rules.
    Rules(usize),
    /// The keys that they read of plain frontmatter, and how texts are cleaned.
    Plain(Keys, Clean),
}

impl<'t> Trees<'t> {
    fn read(&mut self, file: &'t str, range: Range<usize>) -> (&Result<Root<'t>, YamlError>, &mut Taken) {
        let known = self.roots.iter().position(|(known, _)| *known == range);
        let at = known.unwrap_or_else(|| {
            let root = yaml::parse(&file[range.clone()]).map(|node| Root { plain: Keys::of_plain(&node), node });
            self.roots.push((range, root));
            self.roots.len() - 1
        });
        (&self.roots[at].1, &mut self.fields)
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
        let split = frontmatter::split(text, self.rules.fence);
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
            problem = problem
                .at(source.file, span.clone())
                .label(format!("`{}` means something else in YAML", repair_cause(&text[range.clone()])))
                .help("put quotes around the value")
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
        if self.rules.dialect == Dialect::Strict
            && !is_plain
            && let Some((feature, span)) = root.first_feature()
        {
            return Err(feature_problem(source, feature, &span));
        }
        if self.rules.tags == Tags::Refuse
            && !is_plain
            && let Some(span) = root.first_tag(false)
        {
            return Err(feature_problem(source, Feature::Tag, &span));
        }
        if self.rules.tags == Tags::Standard
            && !is_plain
            && let Some(span) = root.first_tag(true)
        {
            return Err(Diagnostic::error(Code::BadYaml, "the frontmatter has a tag that is not one of YAML's own")
                .at(source.file, source.span(&span))
                .help("remove the tag, or put quotes around the value"));
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
        self.parsed.problems.extend(fields::check_texts(self.rules, source, pairs));
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

    /// Chooses the name and description that count, and takes them out of the frontmatter.
    fn conclude(&mut self, file: &str, body: &str) {
        let first = self.rules.name.from.first();
        let own_first = first.is_none_or(|source| *source == NameSource::Frontmatter);
        let written = self.taken.name.take().filter(|name| !name.is_empty());
        let own = written.clone().filter(|_| own_first);
        let from_folder = own.is_none();
        let replaced = |character: char| self.rules.name.replaced.contains(character);
        let own = own.map(|name| if name.contains(replaced) { name.replace(replaced, "-").into() } else { name });
        self.parsed.name = own.unwrap_or_else(|| self.cleaned_folder().into());
        self.parsed.own_name = written;
        if from_folder && own_first {
            self.parsed.problems.extend(name::check_length(self.rules, file, &self.parsed));
        } else if from_folder {
            self.parsed.problems.extend(name::check_folder(self.rules, file, &self.parsed.name));
        }
        let rules = &self.rules.description;
        let own = self.taken.description.take();
        let is_enough = own.is_some() && rules.may_be_empty;
        let own = own.filter(|text: &Arc<str>| rules.loose || rules.empty_counts || !text.trim().is_empty());
        self.parsed.described = own.is_some();
        self.parsed.description = own.unwrap_or_else(|| self.fallback(body).into());
        let judged = self.parsed.invalid().is_some();
        if self.rules.description.required && !self.parsed.described && !is_enough && !judged {
            self.parsed.problems.push(
                Diagnostic::error(Code::DescriptionMissing, "the skill has no description")
                    .at(file, 0..file.find('\n').unwrap_or(file.len()))
                    .help("add `description:` with what the skill does and when to use it"),
            );
        }
        self.parsed.frontmatter = std::mem::take(&mut self.taken.frontmatter);
    }

    /// A name that comes from the folder is cleaned like one that is written.
    fn cleaned_folder(&self) -> String {
        if self.rules.clean != Clean::Collapse {
            return self.folder.to_owned();
        }
        let cleaned = crate::text::collapse(self.folder).into_owned();
        if cleaned.is_empty() && !self.rules.name.fallback.is_empty() {
            self.rules.name.fallback.clone()
        } else {
            cleaned
        }
    }

    fn fallback(&self, body: &str) -> String {
        let rules = &self.rules.description;
        if rules.fallback == Fallback::None {
            return String::new();
        }
        let is_blank = |character: char| character.is_whitespace() || character == '\u{feff}';
        let Some(line) = body.split('\n').map(|line| line.trim_matches(is_blank)).find(|line| !line.is_empty()) else {
            return rules.fallback_empty.clone();
        };
        let unmarked = line.trim_start_matches('#');
        let heading = unmarked.len() < line.len() && unmarked.starts_with(char::is_whitespace);
        let line = if heading { unmarked.trim_start() } else { line };
        match rules.fallback_max {
            Some(max) if utf16_len(line) > max => cut_utf16(line, max.saturating_sub(3)) + "...",
            _ => line.to_owned(),
        }
    }
}

/// Longest frontmatter, in bytes.
const FRONTMATTER_MAX: usize = 64 * 1024;

/// Frontmatter may be a program in another language, and is never run.
fn foreign(file: &str, format: &str) -> Diagnostic {
    let format = crate::text::TerminalText(format).to_string();
    Diagnostic::error(Code::NoFrontmatter, format!("the frontmatter is in the format `{format}`, which is not read"))
        .at(file, 0..file.find('\n').unwrap_or(file.len()))
        .help("begin with a line `---` and write YAML")
}

fn too_large() -> Diagnostic {
    Diagnostic::error(Code::HeadTooLarge, "the frontmatter does not end within 64 KiB")
        .help("close it with a line `---`; long text belongs in the body")
}

fn no_text() -> Diagnostic {
    Diagnostic::error(Code::NoFrontmatter, "the file is empty")
        .help("begin with `---`, the lines `name:` and `description:`, and `---`")
}

/// Says what is wrong with YAML that stands alone.
pub(crate) fn yaml_problem(file: &str, error: &YamlError) -> Diagnostic {
    frontmatter_problem(Source { file, offset: 0 }, error)
}

fn frontmatter_problem(source: Source<'_>, error: &YamlError) -> Diagnostic {
    let (code, message) = match error.kind {
        YamlErrorKind::Syntax => (Code::BadYaml, format!("the frontmatter is not valid YAML: {}", error.message)),
        YamlErrorKind::Limit => (Code::YamlLimit, error.message.clone()),
    };
    let help = match error.kind {
        YamlErrorKind::Syntax => "mend the line, or put quotes around its value",
        YamlErrorKind::Limit => "keep the frontmatter short and flat",
    };
    let at = source.offset + error.offset;
    Diagnostic::error(code, message).at(source.file, at..at + 1).help(help)
}

fn feature_problem(source: Source<'_>, feature: Feature, span: &Range<usize>) -> Diagnostic {
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

#[cfg(test)]
mod tests;
