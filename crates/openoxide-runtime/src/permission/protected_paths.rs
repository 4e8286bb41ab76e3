//! Protects paths in writable folders that other programs, or OpenOxide itself, obey.

use std::collections::BTreeSet;
use std::path::{Component, Path, PathBuf};

use openoxide_sandbox::Policy;
use openoxide_skills::host::{Host, Hosts};
use openoxide_skills::skill::SkillScope;

use crate::Runtime;

impl Runtime {
    /// Lets a command change a folder, except what must stay as it is; or says why that is never given.
    pub(crate) fn writable(&self, policy: Policy, folder: &Path) -> Result<Policy, &'static str> {
        let policy = self.sealing(policy);
        let is_above = |kept: Option<PathBuf>| kept.is_some_and(|kept| whereabouts(&kept).starts_with(folder));
        if is_above(self.environment.home.clone()) {
            return Err("it is your home folder or above it, and everything of yours lies there");
        }
        let own = self.environment.openoxide_home();
        let is_own = own.as_deref().is_some_and(|own| folder.starts_with(whereabouts(own)) || folder.starts_with(own));
        if is_own || self.shows_state(folder) {
            return Err("OpenOxide keeps there what you trust");
        }
        if policy.sealed_part(folder).is_some() || self.is_ours(folder) {
            return Err("it is sealed, because other programs obey what stands there");
        }
        let mut policy = policy.write(folder);
        policy.sealed.extend(self.ours().into_iter().filter(|path| path.starts_with(folder)));
        Ok(policy)
    }

    /// Seals, in every folder that a policy lets a command change, what some host obeys.
    pub(super) fn sealing(&self, policy: Policy) -> Policy {
        // Every host has to be read for it, and nearly no command may write.
        let names = self.names_that_hosts_obey.get_or_init(|| names_that_hosts_obey(&self.hosts));
        Policy { sealed_names: names.clone(), linked_from: self.folders_with_obeyed_links(), ..policy }
    }

    /// Returns the user's own folders in which programs look for settings and skills, which may be links into a project.
    fn folders_with_obeyed_links(&self) -> Vec<PathBuf> {
        let home = self.environment.home.iter().flat_map(|home| [home.clone(), home.join(".config")]);
        let around = &self.view().around;
        let hosts = self.hosts.all().filter_map(|spec| spec.host().ok());
        let of_host = |host: Host| {
            let rules = host.roots.iter().filter(|rule| rule.scope == SkillScope::User);
            rules.filter_map(|rule| around.expand(&rule.path, &host.vars)).collect::<Vec<_>>()
        };
        home.chain(hosts.flat_map(of_host)).collect()
    }

    /// Tells whether a folder is above or in the one where OpenOxide keeps its state: trust, the access token, the log.
    pub(super) fn shows_state(&self, folder: &Path) -> bool {
        let state = self.environment.openoxide_home().map(|home| home.join("state"));
        let places = state.iter().flat_map(|state| [real(state).ok(), Some(whereabouts(state))]);
        places.flatten().any(|state| state.starts_with(folder) || folder.starts_with(&state))
    }

    /// Tells whether a folder is one of OpenOxide's own or of a skill's, or lies in one.
    pub(super) fn is_ours(&self, folder: &Path) -> bool {
        self.ours().iter().any(|ours| folder.starts_with(ours))
    }

    /// Returns where OpenOxide's own files and skills are.
    fn ours(&self) -> BTreeSet<PathBuf> {
        let catalog = self.catalog();
        let roots = catalog.roots.iter().flat_map(|root| [root.root.path.clone(), root.canonical.clone()]);
        let skills = catalog.entries().flat_map(|entry| [Some(entry.dir()), entry.canonical().parent()]);
        let skills = skills.flatten().map(Path::to_owned);
        let all = self.environment.openoxide_home().into_iter().chain(roots).chain(skills);
        all.flat_map(|path| [real(&path).ok(), Some(whereabouts(&path))]).flatten().collect()
    }
}

pub(super) fn real(path: &Path) -> Result<PathBuf, String> {
    std::fs::canonicalize(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns a path whose folders are without links, as far as they are there; the last part may be a link.
pub(super) fn whereabouts(path: &Path) -> PathBuf {
    match (path.parent(), path.file_name()) {
        (Some(parent), Some(name)) => real(parent).unwrap_or_else(|_| whereabouts(parent)).join(name),
        _ => path.to_owned(),
    }
}

/// Returns the names of files and folders in a project that some host obeys.
fn names_that_hosts_obey(hosts: &Hosts) -> Vec<String> {
    let hosts: Vec<Host> = hosts.all().filter_map(|spec| spec.host().ok()).collect();
    let paths = hosts.iter().flat_map(|host| host.roots.iter().map(|root| &root.path).chain(&host.found.project));
    let names: BTreeSet<String> = paths.filter_map(|path| name_in_project(path)).collect();
    names.into_iter().collect()
}

/// Returns the first name of a path in a project, if it is unlike that of any other file: `.claude` of
/// `{up}/.claude/skills`.
fn name_in_project(path: &str) -> Option<String> {
    let inside = match path.strip_prefix('{') {
        Some(_) => path.split_once("}/")?.1,
        None => path,
    };
    let Some(Component::Normal(name)) = Path::new(inside).components().next() else { return None };
    let name = name.to_str()?;
    (name.starts_with('.') || name.chars().any(char::is_uppercase)).then(|| name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hosts_obey_in_a_project_is_named() {
        let names = names_that_hosts_obey(&Hosts::builtin());
        for name in [".agents", ".claude", ".crush.json", ".pepper", ".roorules", "CLAUDE.md", "CRUSH.md", "GEMINI.md"]
        {
            assert!(names.iter().any(|one| one == name), "{name}: {names:?}");
        }
        for name in ["skills", "~", "{listed}", "commands"] {
            assert!(!names.iter().any(|one| one == name), "{name}: {names:?}");
        }
    }
}
