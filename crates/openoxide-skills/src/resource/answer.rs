//! From what somebody asked for to what the host answers, in the host's words.

use std::collections::HashSet;

use super::dir::SkillDir;
use super::error::SnapshotError;
use super::path::{ResourcePath, shown_name};
use super::read::{ReadLimit, Resource, ResourceBytes, ResourceFolder, ResourceItem};
use super::url::SkillUrl;
use crate::catalog::{Catalog, Entry};
use crate::host::{Caller, Host, ReadProblem, ResourceRules};
use crate::text::{TerminalText, fill};

/// Most characters of what somebody wrote that an answer repeats.
const REPEATED_MAX: usize = 200;

/// A file or a folder of a skill that somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// The skill's name.
    pub name: String,
    /// Who asks.
    pub caller: Caller,
    /// What of the skill.
    pub part: Result<Part, ReadProblem>,
    /// The path or the address as it was written.
    written: String,
}

/// What of a skill somebody asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// Its own file.
    Manifest,
    /// The names in its folder.
    Top,
    /// A file or a folder in it.
    Path(ResourcePath),
}

impl Asked {
    /// Asks by an address.
    pub fn by_url(text: &str, caller: Caller, rules: &ResourceRules) -> Result<Asked, ReadProblem> {
        let url = SkillUrl::parse(text, rules)?;
        let part = url.path.map(|path| path.map_or(Part::Manifest, Part::Path));
        Ok(Asked { name: url.name, caller, part, written: text.to_owned() })
    }

    /// Asks by a skill's name and a path in its folder.
    pub fn by_path(name: &str, path: &str, caller: Caller, rules: &ResourceRules) -> Asked {
        let part = ResourcePath::parse(path, rules).map(Part::Path);
        Asked { name: name.to_owned(), caller, part, written: path.to_owned() }
    }

    /// Asks for a skill's own file, or for the names in its folder.
    pub fn for_skill(name: &str, part: Part, caller: Caller) -> Asked {
        Asked { name: name.to_owned(), caller, part: Ok(part), written: String::new() }
    }

    /// Returns what rules on reading are asked about, however the path was written: a name for each file that may be
    /// meant, beginning with the skill's.
    pub fn subjects(&self, entry: &Entry) -> Result<Vec<String>, ReadProblem> {
        let paths = match self.part.as_ref().map_err(|problem| *problem)? {
            Part::Manifest => vec!["SKILL.md".to_owned()],
            Part::Top => vec![String::new()],
            Part::Path(path) => path.candidates().map(shown_name).collect(),
        };
        Ok(paths.into_iter().map(|path| format!("{}/{path}", entry.skill.name)).collect())
    }
}

/// What the host answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAnswer {
    /// What was read.
    pub found: Found,
    /// Its type of content.
    pub content_type: String,
    /// What the host sends; absent for bytes.
    pub text: Option<String>,
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Found {
    /// A file.
    File(Resource),
    /// A folder.
    Folder(ResourceFolder),
}

/// Why nothing is answered, in the host's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct Refused {
    /// What is wrong.
    pub problem: ReadProblem,
    /// The host's words for it. They never hold an absolute path.
    pub text: String,
}

impl Refused {
    /// Says what is wrong in the host's words.
    pub fn new(host: &Host, catalog: &Catalog, asked: &Asked, problem: ReadProblem) -> Refused {
        let template = host.resource.texts.get(&problem).map_or(problem.words(), String::as_str);
        let path = match &asked.part {
            Ok(Part::Path(path)) => shown_name(path.as_path()),
            Ok(Part::Top) => ".".to_owned(),
            Ok(Part::Manifest) => "SKILL.md".to_owned(),
            Err(_) => repeated(&asked.written),
        };
        let values = [
            ("name", repeated(&asked.name)),
            ("path", repeated(&path)),
            ("address", repeated(&asked.written)),
            ("available", available(catalog, asked.caller)),
        ];
        let text = fill(template, &values.each_ref().map(|(key, value)| (*key, value.as_str())));
        Refused { problem, text }
    }

    /// Says that an address names no skill.
    pub fn unnamed(host: &Host, problem: ReadProblem) -> Refused {
        let text = host.resource.texts.get(&problem).map_or(problem.words(), String::as_str);
        Refused { problem, text: text.to_owned() }
    }
}

fn may_call(entry: &Entry, caller: Caller) -> bool {
    match caller {
        Caller::User => entry.user,
        Caller::Model => entry.model,
    }
}

/// Reads what somebody asked for. Whether the caller may have it is settled before.
pub fn read_resource(
    host: &Host,
    catalog: &Catalog,
    entry: &Entry,
    asked: &Asked,
    bytes: bool,
) -> Result<ResourceAnswer, Refused> {
    let refuse = |problem| Refused::new(host, catalog, asked, problem);
    let part = asked.part.as_ref().map_err(|problem| refuse(*problem))?;
    let dir = SkillDir::of(catalog, entry).map_err(|error| match error {
        SnapshotError::Folder { .. } => refuse(ReadProblem::NotFound),
        _ => refuse(ReadProblem::Unreadable),
    })?;
    let rules = &host.resource;
    let limit = if bytes { ReadLimit::Bytes } else { ReadLimit::Text(rules.max) };
    let found = match part {
        Part::Manifest => dir.read_manifest(limit).map(Found::File),
        Part::Top => dir.list_top().map(Found::Folder),
        Part::Path(path) => match dir.read(path, limit) {
            Err(ReadProblem::Folder) if rules.folders => dir.list(path).map(Found::Folder),
            outcome => outcome.map(Found::File),
        },
    };
    Ok(drawn(rules, found.map_err(refuse)?))
}

/// Adds what the host sends for it.
fn drawn(rules: &ResourceRules, found: Found) -> ResourceAnswer {
    let plain = "text/plain".to_owned();
    let (content_type, text) = match &found {
        Found::Folder(folder) => (plain, Some(list(rules, folder))),
        Found::File(Resource { bytes: ResourceBytes::Binary(_), .. }) => ("application/octet-stream".to_owned(), None),
        Found::File(Resource { path, bytes: ResourceBytes::Text { text, removed }, .. }) => {
            let end = path.rsplit('/').next().and_then(|name| name.rsplit_once('.')).map(|(_, end)| end.to_lowercase());
            let kind = end.and_then(|end| rules.types.get(&end)).cloned();
            let notice = fill(&rules.notice, &[("removed", &removed.to_string())]);
            (kind.unwrap_or(plain), Some(text.clone() + if *removed > 0 { &notice } else { "" }))
        }
    };
    ResourceAnswer { found, content_type, text }
}

/// Writes the names in a folder, a line each.
fn list(rules: &ResourceRules, folder: &ResourceFolder) -> String {
    let mut lines: Vec<String> = folder.items.iter().map(ResourceItem::line).collect();
    if lines.is_empty() {
        return rules.empty_folder.clone();
    }
    if let [only] = lines.as_mut_slice()
        && *only == rules.empty_folder
    {
        // A file may be called like nothing.
        only.insert_str(0, "./");
    }
    if folder.cut {
        lines.push("./… (there are more, which are not listed)".to_owned());
    }
    lines.join("\n")
}

/// Names the skills that a caller may call.
fn available(catalog: &Catalog, caller: Caller) -> String {
    let mut seen = HashSet::new();
    let callable = catalog.skills.iter().filter(|entry| may_call(entry, caller));
    let names: Vec<&str> = callable.map(|entry| &*entry.skill.name).filter(|name| seen.insert(*name)).collect();
    if names.is_empty() { "none".to_owned() } else { TerminalText(&names.join(", ")).to_string() }
}

/// Repeats what somebody wrote: on one line, visible, and not without end.
fn repeated(text: &str) -> String {
    let shown = TerminalText(text).to_string();
    match shown.char_indices().nth(REPEATED_MAX) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}
