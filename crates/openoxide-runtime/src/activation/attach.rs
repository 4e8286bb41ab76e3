//! Attaches the files that a skill's text names, such as `@notes.md`, from the project or the skill.

use std::path::{Component, Path, PathBuf};

use openoxide_permissions::{Action, Permission};
use openoxide_skills::catalog::Entry;
use openoxide_skills::envelope::{AttachedFile, Message, attachment};
use openoxide_skills::expand::FileRef;
use openoxide_skills::host::{Caller, FileBase, FileRules, ReadProblem, ResourceRules};
use openoxide_skills::resource::{
    ReadLimit, Resource, ResourceBytes, ResourcePart, ResourcePath, ResourceRequest, SkillDir, shown_name,
};
use openoxide_skills::text::{RenderError, path_text};

use super::loading::Loading;
use crate::{Notice, Runtime, Session};

struct Found {
    full: PathBuf,
    text: String,
    removed: u64,
}

/// Adds the files to what is sent; returns what people should know of those that are not.
pub(crate) fn attach(
    runtime: &Runtime,
    session: &Session,
    loading: &Loading,
    messages: &mut Vec<Message>,
) -> Result<Vec<Notice>, RenderError> {
    let mut notices = Vec::new();
    let view = runtime.view();
    let Some(rules) = &view.host.files else { return Ok(notices) };
    let finder = Finder { runtime, session, loading, rules };
    let mut left = rules.total;
    for file in loading.expanded.files.iter().take(rules.max) {
        let outcome = finder.find(file).and_then(|found| match left.checked_sub(found.text.len() as u64) {
            Some(rest) => {
                left = rest;
                Ok(found)
            }
            None => Err("the files would be too long together"),
        });
        match outcome {
            Ok(found) => {
                let (skill, full) = (&*loading.entry.skill.name, path_text(&found.full));
                let (path, content, removed) = (file.path.as_str(), found.text.as_str(), found.removed);
                messages.extend(attachment(view, &AttachedFile { skill, path, full: &full, content, removed })?);
            }
            Err(MISSING) if !rules.tell_missing => {}
            Err(why) => {
                let text = format!("line {}: `{}` is not attached: {why}", file.line, file.written);
                notices.push(Notice::new(loading.name(), text));
            }
        }
    }
    Ok(notices)
}

const MISSING: &str = "there is no such file";
const OF_ANOTHER_USER: &str =
    "another user owns the skill, or can write to a part of it, so it attaches no files of the project";
const NO_PROJECT: &str = "it lies in a home folder or above, and only files of a project or the skill are attached";

struct Finder<'a> {
    runtime: &'a Runtime,
    session: &'a Session,
    loading: &'a Loading,
    rules: &'a FileRules,
}

impl Finder<'_> {
    fn find(&self, file: &FileRef) -> Result<Found, &'static str> {
        let path = ResourcePath::parse(&file.path, &ResourceRules::default()).map_err(words)?;
        if path.as_path().components().any(is_hidden) {
            return Err("hidden files are never attached");
        }
        let mut outcome = Err(MISSING);
        for base in &self.rules.beneath {
            match self.read(*base, &path) {
                Err(MISSING) => {}
                Err(NO_PROJECT) => outcome = Err(NO_PROJECT),
                found => return found,
            }
        }
        outcome
    }

    fn read(&self, base: FileBase, path: &ResourcePath) -> Result<Found, &'static str> {
        let limit = ReadLimit::Text(self.rules.bytes);
        let around = &self.runtime.view().around;
        let (folder, read) = match base {
            FileBase::Skill => (self.loading.entry.dir(), self.loading.dir.read_plain(path, limit)),
            FileBase::Project => (&*around.project, self.read_below(&around.project, path, limit)),
            FileBase::Cwd => (&*around.cwd, self.read_below(&around.cwd, path, limit)),
        };
        if base != FileBase::Skill && !self.runtime.is_project(folder) {
            // Who is named with `@` is no file, and not worth a word.
            return Err(if read.is_ok() { NO_PROJECT } else { MISSING });
        }
        if base != FileBase::Skill && self.loading.foreign.is_some() {
            return Err(if read.is_ok() { OF_ANOTHER_USER } else { MISSING });
        }
        let resource = read.map_err(words)?;
        let full = folder.join(path.as_path());
        let may_read = match base {
            FileBase::Skill => self.may_read_of_skill(path),
            FileBase::Project | FileBase::Cwd => self.may_read_of_project(path.as_path(), &full),
        };
        if !may_read {
            return Err("a permission rule keeps it from being read");
        }
        match resource.bytes {
            ResourceBytes::Text { text, removed } => Ok(Found { full, text, removed }),
            ResourceBytes::Binary(_) | ResourceBytes::Open(_) => Err(words(ReadProblem::Binary)),
        }
    }

    /// Tells whether rules allow a file of the skill to be read; nobody is asked for it.
    fn may_read_of_skill(&self, path: &ResourcePath) -> bool {
        let entry = &self.loading.entry;
        let asked = ResourceRequest::for_skill(&entry.skill.name, ResourcePart::Path(path.clone()), Caller::Model);
        let allows = |path: &String| self.runtime.reading(self.session, entry, path, Caller::Model) == Action::Allow;
        asked.paths().is_ok_and(|paths| paths.iter().all(allows))
    }

    /// Tells whether rules allow a file of the project to be read, by its path there, by its whole path, and as a file of each
    /// skill that it lies in.
    fn may_read_of_project(&self, path: &Path, full: &Path) -> bool {
        let allows = |path: &Path| self.runtime.decide(Permission::Read, &shown_name(path)).action == Action::Allow;
        let of_skills = self.runtime.catalog().files_at(full);
        allows(path) && allows(full) && of_skills.iter().all(|(entry, path)| self.may_read_of(entry, path))
    }

    /// Tells whether rules allow a file of another skill to be read. What may not be called is not read either.
    fn may_read_of(&self, entry: &Entry, path: &Path) -> bool {
        !self.runtime.denies(entry)
            && self.runtime.reading(self.session, entry, &shown_name(path), Caller::Model) == Action::Allow
    }

    /// Reads a file of the project, unless it belongs to a skill that is hidden.
    fn read_below(&self, folder: &Path, path: &ResourcePath, limit: ReadLimit) -> Result<Resource, ReadProblem> {
        let folder = SkillDir::open_resolved(folder).map_err(|_| ReadProblem::NotFound)?;
        folder.hiding(self.runtime.catalog()).read_plain(path, limit)
    }
}

fn is_hidden(part: Component<'_>) -> bool {
    part.as_os_str().as_encoded_bytes().starts_with(b".")
}

fn words(problem: ReadProblem) -> &'static str {
    match problem {
        ReadProblem::Absolute | ReadProblem::Home | ReadProblem::Traversal => {
            "it leads out of the project and the skill"
        }
        ReadProblem::Escapes => "it is a link, and links are not followed",
        ReadProblem::Folder | ReadProblem::Itself => "it is a folder",
        ReadProblem::Special => "it is not a regular file",
        ReadProblem::Binary | ReadProblem::NotUtf8 => "it is not text",
        ReadProblem::TooLarge => "it is too large",
        ReadProblem::Denied | ReadProblem::Forbidden | ReadProblem::Unreadable => "it cannot be read",
        ReadProblem::NoName
        | ReadProblem::UnknownSkill
        | ReadProblem::NotCallable
        | ReadProblem::Empty
        | ReadProblem::Nul
        | ReadProblem::Encoding
        | ReadProblem::NotFound => MISSING,
    }
}
