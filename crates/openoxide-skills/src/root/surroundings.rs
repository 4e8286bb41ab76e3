//! The environment around a project as values, and how path templates are expanded in it.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::EmbeddedSkills;
use crate::boundary::{Boundary, LinkPlaces};
use crate::skill::SkillScope;

/// How often a name may stand for another.
const EXPAND_DEPTH: usize = 8;

/// Everything about the outside that bears on skills, handed in as values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder that was started in, absolute.
    pub cwd: PathBuf,
    /// The project's root: cwd or a folder above it.
    pub project: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// The agent that the conversation is with, if one is named.
    pub agent: Option<String>,
    /// Folders added on the command line, absolute.
    pub added: Vec<PathBuf>,
    /// Files that were read or edited, absolute.
    pub touched: Vec<PathBuf>,
    /// The folder whose trust is decided on; empty: the project's root.
    pub repository: PathBuf,
    /// The folder that nothing of the project lies above, if that was fixed.
    pub ceiling: Option<PathBuf>,
    /// Whether the user trusts it.
    pub trusted: bool,
    /// Folders of the user that links are judged by.
    pub links: LinkPlaces,
    /// Skills that are found although their folder is not there yet.
    pub embedded: Option<Arc<EmbeddedSkills>>,
}

impl Surroundings {
    /// Returns where links of a root may lead. `base` is the folder that the root belongs to, if that is no project.
    pub fn boundary(&self, scope: SkillScope, root: &Path, base: &Path) -> Boundary {
        let repository = self.repository();
        let is_inside = root.starts_with(repository);
        let is_home = self.home.as_deref() == Some(repository);
        let is_project = match scope {
            SkillScope::Repo => !is_home && !self.is_of_user(root),
            // What lies in a project is the project's: a plugin that comes with it, a folder that a setting names.
            SkillScope::Plugin | SkillScope::User => self.is_of_project(root),
            SkillScope::System | SkillScope::Admin => false,
        };
        let links = self.links.clone();
        match scope {
            SkillScope::Admin => Boundary::of_admin(vec![root.to_owned()], links),
            _ if !is_project => Boundary::of_user(vec![root.to_owned()], links),
            _ if !is_inside => Boundary::of_untrusted(vec![repository.to_owned(), base.to_owned()], links),
            _ if self.trusted => Boundary::of_user(vec![repository.to_owned()], links),
            _ => Boundary::of_untrusted(vec![repository.to_owned()], links),
        }
    }

    /// Returns where links may lead that stand in any folder, such as one that is checked.
    pub fn boundary_at(&self, folder: &Path) -> Boundary {
        let is_inside = folder.starts_with(self.repository());
        self.boundary(if is_inside { SkillScope::Repo } else { SkillScope::User }, folder, folder)
    }

    /// Returns where links may lead on the way to a file. `templates` are those by which files of its kind are found: one
    /// that stands for this file wherever the user works makes it the user's.
    pub fn boundary_of_file<'t>(
        &self,
        file: &Path,
        templates: impl IntoIterator<Item = &'t str>,
        vars: &BTreeMap<String, String>,
    ) -> Boundary {
        let anywhere =
            Surroundings { home: self.home.clone(), variables: self.variables.clone(), ..Surroundings::default() };
        let names_it = |template| anywhere.expand(template, vars).is_some_and(|path| path == file);
        let scope = if templates.into_iter().any(names_it) { SkillScope::User } else { SkillScope::Repo };
        let folder = file.parent().unwrap_or(file);
        self.boundary(scope, folder, folder)
    }

    /// Tells whether a root above the project is one of the user's own, whichever rule found it.
    fn is_of_user(&self, root: &Path) -> bool {
        let is_above = |home: &PathBuf| root.starts_with(home) && self.repository().starts_with(home);
        !root.starts_with(self.repository())
            && self.home.as_ref().is_some_and(is_above)
            && self.links.is_user_root(root)
    }

    /// Returns where a folder may lie, and its links lead, that only a file of this project names.
    pub fn boundary_of_named(&self, scope: SkillScope, folder: &Path) -> Boundary {
        if self.trusted {
            return self.boundary(scope, folder, folder);
        }
        Boundary::of_named_folder(vec![self.repository().to_owned()], self.links.clone())
    }

    /// Tells whether a file or folder comes with the project, by its path. What lies in the user's home does not, where the
    /// project holds the home.
    pub fn is_of_project(&self, path: &Path) -> bool {
        let repository = self.repository();
        let is_users = |home: &PathBuf| home.starts_with(repository) && path.starts_with(home);
        path.starts_with(repository) && !self.home.as_ref().is_some_and(is_users)
    }

    /// Tells whether cwd is the root of the disk, or holds a home folder: what lies below is no project's.
    pub(crate) fn is_wide(&self) -> bool {
        let holds = |home: &PathBuf| home.starts_with(&self.cwd) || same_folder(home, &self.cwd);
        self.cwd.parent().is_none() || self.home.as_ref().is_some_and(holds)
    }

    fn repository(&self) -> &Path {
        if self.repository.as_os_str().is_empty() { &self.project } else { &self.repository }
    }

    /// Expands `~`, `${VAR}`, `${VAR:-default}` and names from `vars` in a path without a walk; the result is whole.
    pub fn expand(&self, template: &str, vars: &BTreeMap<String, String>) -> Option<PathBuf> {
        self.expand_at(template, vars, 0)
    }

    fn expand_at(&self, template: &str, vars: &BTreeMap<String, String>, depth: usize) -> Option<PathBuf> {
        // Names that stand for each other would never end.
        if depth > EXPAND_DEPTH {
            return None;
        }
        let (head, rest) = split_head(template);
        let base = match head {
            "~" => self.home.clone()?,
            "{project}" => self.project.clone(),
            "{cwd}" => self.cwd.clone(),
            _ if head.starts_with("${") => self.variable(head, vars, depth)?,
            _ if head.starts_with('{') => self.expand_at(vars.get(head.trim_matches(['{', '}']))?, vars, depth + 1)?,
            _ => return Some(self.cwd.join(template)),
        };
        Some(if rest.is_empty() { base } else { base.join(rest) })
    }

    /// The value of a variable is a path, not a template; only a leading `~` means something.
    fn variable(&self, head: &str, vars: &BTreeMap<String, String>, depth: usize) -> Option<PathBuf> {
        let inner = head.strip_prefix("${")?.strip_suffix('}')?;
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        match self.variables.get(name).filter(|value| !value.is_empty()) {
            Some(value) => match value.strip_prefix("~/") {
                Some(rest) => Some(self.home.as_ref()?.join(rest)),
                None => Some(self.cwd.join(value)),
            },
            None => self.expand_at(default?, vars, depth + 1),
        }
    }

    /// Returns the folders that a path stands for, in order: one, or as many as its walk meets.
    pub fn places(&self, template: &str, vars: &BTreeMap<String, String>) -> Vec<PathBuf> {
        let (head, rest) = split_head(template);
        let folders = match head {
            "{up}" => self.up(),
            "{down}" => self.up().into_iter().rev().collect(),
            "{top}" => {
                self.cwd.ancestors().take_while(|folder| self.is_below_ceiling(folder)).map(Path::to_owned).collect()
            }
            "{below}" => self.below(),
            "{added}" => self.added.clone(),
            _ => return self.expand(template, vars).into_iter().collect(),
        };
        folders.into_iter().map(|folder| folder.join(rest)).collect()
    }

    /// Tells whether a folder may be part of the project.
    pub fn is_below_ceiling(&self, folder: &Path) -> bool {
        self.ceiling.as_ref().is_none_or(|ceiling| folder.starts_with(ceiling))
    }

    /// Returns the folders from cwd up to the project's root, nearest first.
    pub fn up(&self) -> Vec<PathBuf> {
        match self.cwd.ancestors().position(|folder| folder == self.project) {
            Some(steps) => self.cwd.ancestors().take(steps + 1).map(Path::to_owned).collect(),
            None => vec![self.cwd.clone()],
        }
    }

    /// Returns the folders between cwd and each touched file, outermost first, without cwd itself.
    fn below(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for file in self.touched.iter().filter(|file| file.starts_with(&self.cwd)) {
            let inner: Vec<&Path> = file.ancestors().skip(1).take_while(|folder| *folder != self.cwd).collect();
            folders.extend(inner.into_iter().rev().map(Path::to_owned));
        }
        let mut seen = HashSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        folders
    }
}

/// Tells whether two paths lead to the same folder.
pub(super) fn same_folder(left: &Path, right: &Path) -> bool {
    matches!((std::fs::canonicalize(left), std::fs::canonicalize(right)), (Ok(left), Ok(right)) if left == right)
}

/// Splits a template into its first placeholder or segment and the rest.
pub(super) fn split_head(template: &str) -> (&str, &str) {
    let end = if template.starts_with("${") { closing(template) } else { template.find('/') };
    let (head, rest) = template.split_at(end.unwrap_or(template.len()));
    (head, rest.trim_start_matches('/'))
}

/// Returns where the first placeholder ends; its default may hold another one.
fn closing(template: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in template.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}
