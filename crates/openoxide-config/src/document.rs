//! A settings file in TOML, JSON or YAML as a table whose keys know their lines.

pub(crate) mod dotted_key;
pub(crate) mod json;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{ErrorKind, Read as _};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use openoxide_skills::diagnostic::{Code, Diagnostic, Level};
use openoxide_skills::ownership::check_owner;
use openoxide_skills::resource::{FileRefusal, open_judged};
use openoxide_skills::root::Boundary;
use openoxide_skills::text::path_text;

use crate::files;

use dotted_key::split_key;
use json::{JsonDialect, parse_json};

/// A settings file as it would be after a change.
#[derive(Clone, Debug)]
pub(crate) struct PlannedFile {
    pub(crate) path: PathBuf,
    /// Its text; blank if the file would be removed.
    pub(crate) text: String,
}

const MAX_FILE: u64 = 4 * 1024 * 1024;

#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) table: toml::Table,
    lines: Lines,
}

/// How the lines of a document are found.
#[derive(Clone, Debug)]
enum Lines {
    /// In the text of a TOML file. It is parsed a second time for the first line that is wanted: most starts want none, and
    /// would pay for a table with spans.
    Toml { text: String, parsed: OnceLock<Option<Box<ParsedText>>> },
    /// By dotted key.
    Known(BTreeMap<String, usize>),
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::Known(BTreeMap::new())
    }
}

/// A TOML text with the places of its keys.
#[derive(Clone, Debug)]
struct ParsedText {
    document: toml_edit::Document<String>,
    /// The offset of each line's end.
    line_ends: Vec<usize>,
}

impl ParsedText {
    fn new(text: &str) -> Option<Box<ParsedText>> {
        let document = toml_edit::Document::parse(text.to_owned()).ok()?;
        let line_ends = text.match_indices('\n').map(|(end, _)| end).collect();
        Some(Box::new(ParsedText { document, line_ends }))
    }

    fn line(&self, key: &str) -> Option<usize> {
        let mut item = self.document.as_item();
        let mut span = None;
        for part in split_key(key) {
            // A number is an index where the item is a list.
            item = match part.parse::<usize>() {
                Ok(index) if !item.is_table_like() => item.get(index)?,
                _ => item.get(part.as_str())?,
            };
            span = item.span().or(span);
        }
        let start = span?.start;
        Some(self.line_ends.partition_point(|end| *end < start) + 1)
    }
}

impl Document {
    /// Makes a document that is in no file, so that its keys have no lines.
    pub(crate) fn without_file(table: toml::Table) -> Document {
        Document { table, ..Document::default() }
    }

    /// Makes the document of a TOML file.
    fn of_toml(table: toml::Table, text: String) -> Document {
        Document { table, lines: Lines::Toml { text, parsed: OnceLock::new() } }
    }

    /// Returns the line of a dotted key.
    pub(crate) fn line(&self, key: &str) -> Option<usize> {
        match &self.lines {
            Lines::Toml { text, parsed } => parsed.get_or_init(|| ParsedText::new(text)).as_ref()?.line(key),
            Lines::Known(lines) => lines.get(key).copied(),
        }
    }

    pub(crate) fn get(&self, key: &str) -> Option<&toml::Value> {
        dotted_key::get(&self.table, key)
    }
}

/// Whose files are read.
#[derive(Clone, Copy)]
pub(crate) enum Writers<'h> {
    /// Anyone's: the file decides only what its own program would do, and links lead only where they may.
    Anyone(&'h dyn Fn() -> Boundary),
    /// Those that only the user and root can have written: the file decides what is allowed. Folders are checked up to
    /// home.
    UserOrRoot(Option<&'h Path>),
}

impl Writers<'_> {
    /// Returns the next step for a file that cannot be used.
    fn fix_file(self) -> &'static str {
        match self {
            Writers::Anyone(_) => FIX_FILE,
            Writers::UserOrRoot(_) => "fix the file; until then no skill is activated",
        }
    }
}

/// The next step for a file that is not used.
const FIX_FILE: &str = "fix the file; until then it is ignored";

/// Reads a TOML, JSON or YAML file by its extension; one with comments in its JSON is JSON whatever its extension.
/// Returns `None` if there is no such file. One that is planned is read as it would be.
pub(crate) fn read(
    path: &Path,
    code: Code,
    dialect: JsonDialect,
    writers: Writers<'_>,
    planned: Option<&PlannedFile>,
) -> Result<Option<Document>, Diagnostic> {
    read_document(path, code, dialect, writers, planned).map_err(|problem| match problem.help {
        Some(_) => problem,
        None => problem.help(writers.fix_file()),
    })
}

fn read_document(
    path: &Path,
    code: Code,
    dialect: JsonDialect,
    writers: Writers<'_>,
    planned: Option<&PlannedFile>,
) -> Result<Option<Document>, Diagnostic> {
    let bad = |message: String| Diagnostic::warning(code, message);
    let text = match writers {
        Writers::Anyone(boundary) => read_linked(path, code, boundary)?,
        Writers::UserOrRoot(home) => read_owned(path, code, home)?,
    };
    let text = match planned.filter(|planned| planned.path == path) {
        Some(planned) => Some(planned.text.clone()).filter(|text| !text.trim().is_empty()),
        None => text,
    };
    let Some(text) = text else { return Ok(None) };
    let extension = path.extension().and_then(|extension| extension.to_str());
    if dialect == JsonDialect::WithComments || extension == Some("json") {
        let table = parse_json(&text, dialect).map_err(|message| bad(format!("the file is not {message}")))?;
        return Ok(Some(Document::without_file(table)));
    }
    if matches!(extension, Some("yml" | "yaml")) {
        return parse_yaml(&text).map(Some).map_err(|problem| Diagnostic { code, ..problem });
    }
    match text.parse::<toml::Table>() {
        Ok(table) => Ok(Some(Document::of_toml(table, text))),
        Err(error) => {
            let span = error.span().unwrap_or(0..0);
            Err(bad(format!("the file is not valid TOML: {}", error.message())).at(&text, span))
        }
    }
}

/// Reads the text of a file that may be anyone's, through links only where they may lead.
pub(crate) fn read_linked(
    path: &Path,
    code: Code,
    boundary: impl FnOnce() -> Boundary,
) -> Result<Option<String>, Diagnostic> {
    match open_judged(path, boundary) {
        Ok(Some(file)) => read_text(&file, code).map(Some).map_err(|problem| problem.help(FIX_FILE)),
        Ok(None) => Ok(None),
        Err(FileRefusal::Link(refusal)) => Err(*refusal),
        Err(FileRefusal::Io(error)) => Err(unread(code, &error).help(FIX_FILE)),
        Err(refusal @ FileRefusal::Irregular) => Err(Diagnostic::warning(code, refusal.to_string()).help(FIX_FILE)),
    }
}

/// Reads the text of a file that only the user and root can have written.
fn read_owned(path: &Path, code: Code, home: Option<&Path>) -> Result<Option<String>, Diagnostic> {
    let bad = |message: String| Diagnostic::warning(code, message);
    let file = match files::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return dead_link(path).map_or(Ok(None), |what| Err(bad(format!("the file cannot be read: {what}"))));
        }
        Err(error) => return Err(unread(code, &error)),
        Ok(file) => file,
    };
    let stat = file.metadata().map_err(|error| unread(code, &error))?;
    if !stat.is_file() {
        return Err(bad("this is no regular file".to_owned()));
    }
    check_owner(path, &stat, home).map_err(|why| bad(why.message).help(why.help))?;
    read_text(&file, code).map(Some)
}

/// Says which link on the way to a missing file leads nowhere, as to a disk that is not there. Then there is a file, and it
/// cannot be read: what it denied is not allowed without it.
fn dead_link(path: &Path) -> Option<String> {
    let present = path.ancestors().find(|part| part.symlink_metadata().is_ok())?;
    match present == path {
        true => Some("it is a link that leads nowhere".to_owned()),
        false if present.is_dir() => None,
        false => Some(format!("`{}` is a link that leads nowhere", path_text(present))),
    }
}

fn read_text(file: &File, code: Code) -> Result<String, Diagnostic> {
    let bad = |message: String| Diagnostic::warning(code, message);
    let mut text = String::new();
    file.take(MAX_FILE + 1).read_to_string(&mut text).map_err(|error| bad(error.to_string()))?;
    if text.len() as u64 > MAX_FILE {
        return Err(bad("the file is larger than 4 MiB".to_owned()));
    }
    Ok(text)
}

fn unread(code: Code, error: &std::io::Error) -> Diagnostic {
    Diagnostic::warning(code, format!("the file cannot be read: {error}"))
}

/// Parses YAML. A value other than a map is an empty document.
fn parse_yaml(text: &str) -> Result<Document, Diagnostic> {
    let values = openoxide_skills::text::read_yaml(text).map_err(|problem| {
        let message = problem.message.replace("the frontmatter", "the file");
        Diagnostic { message, level: Level::Warning, help: None, ..problem }
    })?;
    Ok(Document { table: values.table, lines: Lines::Known(values.lines) })
}
