//! Protects paths in writable folders that other programs, or OpenOxide itself, obey.

use std::path::{Path, PathBuf};
use std::{collections::BTreeSet, fs::FileType};

use openoxide_sandbox::{Policy, SEALED_NAMES};

use crate::Runtime;

/// Most entries of a folder that are looked at.
const MOST_ENTRIES: usize = 10_000;
/// Most folders below each other that are looked into.
const DEEPEST: usize = 6;
/// Most things that are sealed in one folder.
const MOST_SEALS: usize = 256;

const TOO_LARGE: &str = "too much lies below it to find what must stay as it is; choose a smaller folder";
const UNREADABLE: &str = "not all of it can be looked through for what must stay as it is";
const LINK: &str = "something in it that must stay as it is is a link, which cannot be sealed";

impl Runtime {
    /// Lets a command change a folder, except what must stay as it is; or says why that is never given.
    pub(crate) fn writable(&self, policy: Policy, folder: &Path) -> Result<Policy, &'static str> {
        let is_above = |kept: Option<PathBuf>| kept.is_some_and(|kept| whereabouts(&kept).starts_with(folder));
        if is_above(self.environment.home.clone()) {
            return Err("it is your home folder or above it, and everything of yours lies there");
        }
        let own = self.environment.openoxide_home();
        if own.as_deref().is_some_and(|own| folder.starts_with(whereabouts(own)) || folder.starts_with(own)) {
            return Err("OpenOxide keeps there what you trust");
        }
        if policy.sealed_part(folder).is_some() || self.is_ours(folder) {
            return Err("it is sealed, because other programs obey what stands there");
        }
        let mut policy = policy.write(folder);
        let ours = self.ours().into_iter().filter(|path| path.starts_with(folder));
        policy.sealed.extend(ours.chain(nested(folder)?));
        let is_link = |path: &PathBuf| path.starts_with(folder) && has_link(folder, path);
        if policy.sealed.iter().any(is_link) { Err(LINK) } else { Ok(policy) }
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

fn has_link(folder: &Path, path: &Path) -> bool {
    let below = path.ancestors().take_while(|part| *part != folder);
    below.into_iter().any(|part| std::fs::symlink_metadata(part).is_ok_and(|found| found.is_symlink()))
}

/// Finds what other programs obey below a folder, at any depth; an error if there is too much to look through.
fn nested(folder: &Path) -> Result<Vec<PathBuf>, &'static str> {
    let (mut found, mut seen) = (Vec::new(), 0_usize);
    let mut folders = vec![(folder.to_owned(), 0_usize)];
    while let Some((folder, depth)) = folders.pop() {
        // What is not there, or is no folder, is for the sandbox to say.
        let entries = match std::fs::read_dir(&folder) {
            Ok(entries) => entries,
            Err(_) if depth == 0 => continue,
            Err(_) => return Err(UNREADABLE),
        };
        if depth > 0 && is_repository(&folder) {
            found.push(folder);
            continue;
        }
        for entry in entries {
            let entry = entry.map_err(|_| UNREADABLE)?;
            seen += 1;
            if seen > MOST_ENTRIES || found.len() > MOST_SEALS {
                return Err(TOO_LARGE);
            }
            let is_sealed = entry.file_name().to_str().is_some_and(|name| SEALED_NAMES.contains(&name));
            match entry.file_type() {
                _ if is_sealed => found.push(entry.path()),
                Ok(kind) if FileType::is_dir(&kind) && depth == DEEPEST => return Err(TOO_LARGE),
                Ok(kind) if FileType::is_dir(&kind) => folders.push((entry.path(), depth + 1)),
                Ok(_) => {}
                Err(_) => return Err(UNREADABLE),
            }
        }
    }
    Ok(found)
}

/// Tells whether a folder is a repository of Git itself, whatever it is called.
fn is_repository(folder: &Path) -> bool {
    ["HEAD", "objects", "refs"].iter().all(|name| folder.join(name).exists())
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;

    #[test]
    fn what_others_obey_is_found_at_any_depth() {
        let context = TestContext::new();
        let folder = context.home();
        for name in ["a/b/.git/hooks", "a/.claude", "bare/objects", "bare/refs", "plain/x"] {
            fs_err::create_dir_all(folder.join(name)).unwrap();
        }
        fs_err::write(folder.join("bare/HEAD"), "").unwrap();
        fs_err::write(folder.join("plain/.git"), "gitdir: ../bare\n").unwrap();
        std::os::unix::fs::symlink("/", folder.join("plain/link")).unwrap();
        let mut found = nested(&folder).unwrap();
        found.sort();
        assert_eq!(found, ["a/.claude", "a/b/.git", "bare", "plain/.git"].map(|name| folder.join(name)));
    }

    #[test]
    fn what_cannot_be_looked_through_is_refused() {
        let context = TestContext::new();
        let (deep, wide) = (context.home().join("deep"), context.home().join("wide"));
        fs_err::create_dir_all(deep.join("1/2/3/4/5/6")).unwrap();
        assert_eq!(nested(&deep), Ok(Vec::new()));
        fs_err::create_dir_all(deep.join("1/2/3/4/5/6/7")).unwrap();
        assert_eq!(nested(&deep), Err(TOO_LARGE));
        fs_err::create_dir_all(&wide).unwrap();
        for name in 0..=MOST_ENTRIES {
            fs_err::write(wide.join(name.to_string()), "").unwrap();
        }
        assert_eq!(nested(&wide), Err(TOO_LARGE));
    }
}
