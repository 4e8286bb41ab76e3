//! Answers a request for a skill's file or folder, in the host's words.

use std::{collections::HashSet, path::Path};

use super::dir::InnerLinks;
use super::media_type::{TEXT, media_type, media_type_of};
use super::{
    ReadLimit, Resource, ResourceBytes, ResourceFolder, ResourceItem, ResourcePath, SkillDir, SkillUrl, SnapshotError,
    shown_name,
};
use crate::catalog::{Catalog, Entry};
use crate::host::{Caller, Host, ReadProblem, ResourceRules, Situation};
use crate::text::{TerminalText, fill, visible};

/// Most characters of the caller's text that an answer repeats.
const REPEATED_MAX: usize = 200;

/// A file or a folder of a skill that a caller asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceRequest {
    /// The skill's name.
    pub name: String,
    /// Who asks.
    pub caller: Caller,
    /// What of the skill.
    pub part: Result<ResourcePart, ReadProblem>,
    /// The path or the address as it was written.
    written: String,
    /// Where links on the way may lead.
    links: InnerLinks,
}

/// What of a skill a caller asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourcePart {
    /// Its own file.
    Manifest,
    /// The names in its folder.
    Top,
    /// A file or a folder in it.
    Path(ResourcePath),
}

impl ResourceRequest {
    /// Asks by an address.
    pub fn by_url(text: &str, caller: Caller, rules: &ResourceRules) -> Result<ResourceRequest, ReadProblem> {
        let url = SkillUrl::parse(text, rules)?;
        let part = url.path.map(|path| path.map_or(ResourcePart::Manifest, ResourcePart::Path));
        Ok(ResourceRequest { name: url.name, caller, part, written: text.to_owned(), links: InnerLinks::Followed })
    }

    /// Asks by a skill's name and a path in its folder.
    pub fn by_path(name: &str, path: &str, caller: Caller, rules: &ResourceRules) -> ResourceRequest {
        let part = ResourcePath::parse(path, rules).map(ResourcePart::Path);
        ResourceRequest { name: name.to_owned(), caller, part, written: path.to_owned(), links: InnerLinks::Followed }
    }

    /// Asks for a skill's own file, or for the names in its folder.
    pub fn for_skill(name: &str, part: ResourcePart, caller: Caller) -> ResourceRequest {
        ResourceRequest {
            name: name.to_owned(),
            caller,
            part: Ok(part),
            written: String::new(),
            links: InnerLinks::Followed,
        }
    }

    /// Returns what rules on reading are asked about, however the path was written: the path of each file that may be meant,
    /// and where links on the way lead.
    pub fn paths(&self) -> Result<Vec<String>, ReadProblem> {
        let mut paths = match self.part.as_ref().map_err(|problem| *problem)? {
            ResourcePart::Manifest => vec!["SKILL.md".to_owned()],
            ResourcePart::Top => vec![String::new()],
            ResourcePart::Path(path) => path.candidates().map(shown_name).collect(),
        };
        if let InnerLinks::Judged(Some(target)) = &self.links {
            paths.push(shown_name(target));
        }
        Ok(paths)
    }

    /// Finds where links on the way lead now, so that rules are asked about that too, and nothing else is read afterwards.
    pub fn judge_links(&mut self, dir: &SkillDir) {
        let target = match &self.part {
            Ok(ResourcePart::Manifest) => dir.manifest_target(),
            Ok(ResourcePart::Path(path)) => path.candidates().find_map(|path| dir.target_of(path)),
            Ok(ResourcePart::Top) | Err(_) => None,
        };
        self.links = InnerLinks::Judged(target);
    }
}

/// What the host answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceAnswer {
    /// What was read.
    pub found: ResourceContent,
    /// Its type of content.
    pub content_type: String,
    /// What the host sends, with hidden characters as escapes; absent for bytes.
    pub text: Option<String>,
}

impl ResourceAnswer {
    /// Adds to what was read what the host sends for it, and the type of that.
    pub fn new(host: &Host, found: ResourceContent) -> ResourceAnswer {
        let of = |path: &str, bytes: &[u8]| media_type(&host.resource, Path::new(path), bytes).to_owned();
        let (content_type, text) = match &found {
            ResourceContent::Folder(folder) => (TEXT.to_owned(), Some(list(host, folder))),
            ResourceContent::File(Resource { path, bytes: ResourceBytes::Binary(bytes), .. }) => {
                (of(path, bytes), None)
            }
            ResourceContent::File(Resource { path, bytes: ResourceBytes::Open(file), .. }) => {
                let named = media_type_of(&host.resource, Path::new(path), file.kind);
                (named.to_owned(), None)
            }
            ResourceContent::File(Resource { path, bytes: ResourceBytes::Text { text, removed }, .. }) => {
                let notice = host.texts.say(Situation::FileCut, &[("removed", &removed.to_string())]);
                (of(path, text.as_bytes()), Some(visible(text).into_owned() + if *removed > 0 { &notice } else { "" }))
            }
        };
        ResourceAnswer { found, content_type, text }
    }
}

/// What was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResourceContent {
    /// A file.
    File(Resource),
    /// A folder.
    Folder(ResourceFolder),
}

/// Why nothing is answered, in the host's words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{text}")]
pub struct ResourceRefusal {
    /// What is wrong.
    pub problem: ReadProblem,
    /// The host's words for it. They never hold an absolute path.
    pub text: String,
}

impl ResourceRefusal {
    /// Says what is wrong in the host's words.
    pub fn new(host: &Host, catalog: &Catalog, asked: &ResourceRequest, problem: ReadProblem) -> ResourceRefusal {
        let template = host.texts.text(problem.into());
        let path = match &asked.part {
            Ok(ResourcePart::Path(path)) => shown_name(path.as_path()),
            Ok(ResourcePart::Top) => ".".to_owned(),
            Ok(ResourcePart::Manifest) => "SKILL.md".to_owned(),
            Err(_) => repeated(&asked.written),
        };
        let values: [(&str, &str); 4] = [
            ("name", &repeated(&asked.name)),
            ("path", &repeated(&path)),
            ("address", &repeated(&asked.written)),
            ("available", &available(catalog, asked.caller)),
        ];
        ResourceRefusal { problem, text: fill(template, &values) }
    }

    /// Says that an address names no skill.
    pub fn unnamed(host: &Host, problem: ReadProblem) -> ResourceRefusal {
        let text = host.texts.text(problem.into());
        ResourceRefusal { problem, text: text.to_owned() }
    }
}

/// Reads what the caller asked for. Whether the caller may have it is settled before.
pub fn read_resource(
    host: &Host,
    catalog: &Catalog,
    entry: &Entry,
    asked: &ResourceRequest,
    limit: ReadLimit,
) -> Result<ResourceAnswer, ResourceRefusal> {
    let refuse = |problem| ResourceRefusal::new(host, catalog, asked, problem);
    let part = asked.part.as_ref().map_err(|problem| refuse(*problem))?;
    let mut dir = SkillDir::of(catalog, entry).map_err(|error| match error {
        SnapshotError::Folder(_) | SnapshotError::Moved => refuse(ReadProblem::NotFound),
        _ => refuse(ReadProblem::Unreadable),
    })?;
    dir.follow(asked.links.clone());
    let rules = &host.resource;
    let found = match part {
        ResourcePart::Manifest => dir.read_manifest(limit).map(ResourceContent::File),
        ResourcePart::Top => dir.list_top().map(ResourceContent::Folder),
        ResourcePart::Path(path) => match dir.read(path, limit) {
            Err(ReadProblem::Folder) if rules.folders => dir.list(path).map(ResourceContent::Folder),
            outcome => outcome.map(ResourceContent::File),
        },
    };
    Ok(ResourceAnswer::new(host, found.map_err(refuse)?))
}

/// Writes the names in a folder, a line each.
fn list(host: &Host, folder: &ResourceFolder) -> String {
    let empty = host.texts.text(Situation::FolderEmpty);
    let mut lines: Vec<String> = folder.items.iter().map(ResourceItem::line).collect();
    if lines.is_empty() {
        return empty.to_owned();
    }
    if let [only] = lines.as_mut_slice()
        && *only == empty
    {
        // A file may have the very name that says that a folder is empty.
        only.insert_str(0, "./");
    }
    if folder.cut {
        lines.push("./… (there are more, which are not listed)".to_owned());
    }
    lines.join("\n")
}

fn available(catalog: &Catalog, caller: Caller) -> String {
    let mut seen = HashSet::new();
    let callable = catalog.skills.iter().filter(|entry| if caller == Caller::User { entry.user } else { entry.model });
    let names: Vec<&str> = callable.map(|entry| &*entry.skill.name).filter(|name| seen.insert(*name)).collect();
    if names.is_empty() { "none".to_owned() } else { TerminalText(&names.join(", ")).to_string() }
}

/// Quotes the caller's text: on one line, with escapes, and not without end.
fn repeated(text: &str) -> String {
    let shown = TerminalText(text).to_string();
    match shown.char_indices().nth(REPEATED_MAX) {
        Some((end, _)) => format!("{}…", &shown[..end]),
        None => shown,
    }
}
