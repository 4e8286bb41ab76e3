//! Finds what other programs obey although its name does not say so: what links with a sealed name lead to.

use std::collections::{HashSet, VecDeque};
use std::path::{Component, Path, PathBuf};

use crate::Policy;
use crate::policy::{git_folder, small_text};

/// Most entries that are looked at.
const MOST: usize = 1_000_000;
/// Most links on the way to one end, as many as the kernel follows.
const LINKS: usize = 40;
/// Longest settings of a repository that are read.
const LONGEST: u64 = 1024 * 1024;
/// Most files of settings that include each other.
const SETTINGS: usize = 64;
/// Settings of Git that name a place or a branch. Any other that has a path may name a program that it starts, or files that
/// it obeys: there are too many to list, each version brings new ones, and so does each program that Git calls.
const PLACES: &[&str] =
    &["fetch", "insteadof", "merge", "push", "pushinsteadof", "pushurl", "remote", "url", "worktree"];

/// What sealed links in a folder, at any depth, lead to.
#[derive(Default)]
pub(super) struct Obeyed {
    /// Each link on the way, and the end. Where there is nothing, the first part that is missing is the end, so that nobody
    /// puts a link there.
    pub(super) sealed: HashSet<PathBuf>,
    /// Folders on the way. Entries may come and go in them; they stay folders.
    pub(super) ways: HashSet<PathBuf>,
    /// Whether there was too much to look at all of it.
    pub(super) is_cut: bool,
}

/// Looks for sealed links in a folder, and follows them.
pub(super) fn obeyed(policy: &Policy, folder: &Path) -> Obeyed {
    let mut search =
        Search { policy, found: Obeyed::default(), seen: HashSet::new(), queue: VecDeque::new(), left: MOST };
    for outside in &policy.linked_from {
        search.look_from(outside, folder);
    }
    search.later(folder.to_owned(), false);
    while let Some((folder, is_sealed)) = search.queue.pop_front() {
        search.look(&folder, is_sealed);
    }
    search.found
}

struct Search<'a> {
    policy: &'a Policy,
    found: Obeyed,
    /// Folders that are, or will be, looked at, and whether all in them is sealed.
    seen: HashSet<(PathBuf, bool)>,
    queue: VecDeque<(PathBuf, bool)>,
    left: usize,
}

impl Search<'_> {
    /// Looks at a folder later; sealed ones come first.
    fn later(&mut self, folder: PathBuf, is_sealed: bool) {
        if !self.seen.insert((folder.clone(), is_sealed)) {
            return;
        }
        if is_sealed {
            self.queue.push_front((folder, true));
        } else {
            self.queue.push_back((folder, false));
        }
    }

    /// Follows the links in a folder elsewhere that lead into this one.
    fn look_from(&mut self, outside: &Path, folder: &Path) {
        for entry in std::fs::read_dir(outside).into_iter().flatten().flatten() {
            let leads_in =
                |path: &Path| std::fs::canonicalize(path).is_ok_and(|end| end != folder && end.starts_with(folder));
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) && leads_in(&entry.path()) {
                self.follow(outside, Path::new(&entry.file_name()));
            }
        }
    }

    fn look(&mut self, folder: &Path, is_sealed: bool) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let Some(left) = self.left.checked_sub(1) else {
                self.found.is_cut = true;
                return;
            };
            self.left = left;
            let Ok(kind) = entry.file_type() else { continue };
            let path = entry.path();
            if entry.file_name() == ".git" {
                for (base, path) in obeyed_paths(folder, &self.policy.linked_from) {
                    self.follow(&base, &path);
                }
            }
            let is_sealed = is_sealed || self.policy.seals_name(&path);
            if kind.is_symlink() && is_sealed {
                self.follow(folder, Path::new(&entry.file_name()));
            } else if kind.is_dir() && !(is_sealed && entry.file_name() == "objects") {
                // Nobody puts links among the thousands of objects of a repository.
                self.later(path, is_sealed);
            }
        }
    }

    /// Notes where a path leads from a folder, step by step.
    fn follow(&mut self, folder: &Path, path: &Path) {
        let mut at = folder.to_owned();
        let mut rest = parts(path);
        let mut links = 0;
        while let Some(part) = rest.pop_front() {
            if part == Path::new("..") {
                at.pop();
                continue;
            }
            self.found.ways.insert(at.clone());
            at.push(&part);
            let target = std::fs::read_link(&at);
            let is_there = target.is_ok() || std::fs::symlink_metadata(&at).is_ok();
            if target.is_ok() || !is_there || rest.is_empty() {
                self.found.sealed.insert(at.clone());
            }
            match target {
                Ok(_) if links == LINKS => return,
                Ok(target) => {
                    links += 1;
                    at.pop();
                    let after = std::mem::replace(&mut rest, parts(&target));
                    rest.extend(after);
                }
                Err(_) if !is_there => return,
                Err(_) => {}
            }
        }
        if at.is_dir() {
            self.later(at, true);
        }
    }
}

/// Returns the parts of a path that lead somewhere.
fn parts(path: &Path) -> VecDeque<PathBuf> {
    let parts = path.components().filter(|part| *part != Component::CurDir);
    parts.map(|part| PathBuf::from(part.as_os_str())).collect()
}

/// Returns what Git's settings for a repository name, and from where: the folder of its hooks, programs, and more settings.
fn obeyed_paths(folder: &Path, homes: &[PathBuf]) -> Vec<(PathBuf, PathBuf)> {
    let repository = git_folder(folder).unwrap_or_else(|| folder.join(".git"));
    let common = small_text(&repository.join("commondir"), LONGEST).map(|text| repository.join(text.trim()));
    let mut files = VecDeque::from([repository.join("config"), repository.join("config.worktree")]);
    files.extend(common.map(|common| common.join("config")));
    // What the user says for every repository is relative to each of them.
    files.extend(homes.iter().flat_map(|home| [home.join(".gitconfig"), home.join(".config/git/config")]));
    files.push_back(PathBuf::from("/etc/gitconfig"));
    let (mut found, mut seen) = (Vec::new(), HashSet::new());
    while let Some(file) = files.pop_front().filter(|_| seen.len() < SETTINGS) {
        if !seen.insert(file.clone()) {
            continue;
        }
        let text = small_text(&file, LONGEST).unwrap_or_default();
        for (name, value) in settings(&text) {
            let name = name.to_ascii_lowercase();
            if name == "path" {
                let base = file.parent().unwrap_or(folder).to_owned();
                let home = value.strip_prefix("~/").and_then(|rest| Some(homes.first()?.join(rest)));
                files.push_back(home.unwrap_or_else(|| base.join(&value)));
                // A file that is included, or else the program of a tool.
                found.push((base, PathBuf::from(&value)));
                found.extend((!value.starts_with("..")).then(|| (folder.to_owned(), value.into())));
            } else if name == "hookspath" {
                found.push((folder.to_owned(), value.into()));
            } else if let Some(command) = command_of(&name, &value) {
                found.extend(paths_in(command).map(|path| (folder.to_owned(), path.into())));
            }
        }
    }
    found
}

/// Returns the command that a setting may name. What begins with `!` or `ext::` is one to Git whatever its name: an alias, a
/// helper, a way to update a submodule or to reach a server.
fn command_of<'v>(name: &str, value: &'v str) -> Option<&'v str> {
    let marked = value.strip_prefix('!').or_else(|| value.strip_prefix("ext::"));
    marked.or_else(|| (!PLACES.contains(&name)).then_some(value))
}

/// Returns the words of a command that are paths. Operators of the shell may stand beside them without a space.
fn paths_in(command: &str) -> impl Iterator<Item = &str> {
    let words = command.split(|one: char| one.is_whitespace() || ";&|()<>`'\"".contains(one));
    words.filter(|word| word.contains('/') && !word.starts_with('-'))
}

/// Reads the lines `NAME = VALUE` of Git's settings. Their sections are not asked for: a name that means something else in
/// another one only seals more.
fn settings(text: &str) -> Vec<(String, String)> {
    let joined = text.replace("\\\r\n", "").replace("\\\n", "");
    joined.lines().filter_map(setting).collect()
}

fn setting(line: &str) -> Option<(String, String)> {
    let line = line.trim();
    let line = if line.starts_with('[') { line.split_once(']')?.1 } else { line };
    let (name, value) = line.split_once('=')?;
    let value = unquoted(value.trim());
    (!value.is_empty()).then(|| (name.trim().to_owned(), value))
}

/// Takes quotes, escapes and a comment off a value.
fn unquoted(text: &str) -> String {
    let (mut value, mut is_quoted, mut characters) = (String::new(), false, text.chars());
    while let Some(character) = characters.next() {
        match character {
            '"' => is_quoted = !is_quoted,
            '\\' => value.extend(characters.next()),
            '#' | ';' if !is_quoted => break,
            character => value.push(character),
        }
    }
    value.trim().to_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn every_step_on_the_way_of_a_sealed_link_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        for folder in [".git/hooks", ".claude", "docs", "documentation", "pkg", "shared/cmds", "scripts", "ops/hooks"] {
            fs_err::create_dir_all(root.join(folder)).unwrap();
        }
        fs_err::write(
            root.join(".git/config"),
            "[core]\n\tbare = false\n\thooksPath = ops/hooks ; ours\n[include]\n\tpath = ../shared/git.inc\n",
        )
        .unwrap();
        for file in ["docs/b.md", "documentation/g.md", "scripts/pre-commit.sh", "plain.md"] {
            fs_err::write(root.join(file), "").unwrap();
        }
        for (link, target) in [
            ("AGENTS.md", "docs/a.md"),
            ("docs/a.md", "./b.md"),
            ("GEMINI.md", "d2/g.md"),
            ("d2", "documentation"),
            ("CLAUDE.md", "later/x/claude.md"),
            ("pkg/CLAUDE.md", "../docs/guide.md"),
            (".claude/commands", "../shared/cmds"),
            ("shared/cmds/deep", "../../scripts/deep"),
            (".git/hooks/pre-commit", "../../scripts/pre-commit.sh"),
            ("ordinary", "plain.md"),
            ("QWEN.md", "QWEN.md"),
        ] {
            symlink(target, root.join(link)).unwrap();
        }
        let found = obeyed(&Policy { project: Some(root.clone()), ..Policy::default() }, &root);
        assert!(!found.is_cut && found.ways.contains(&root.join("docs")));
        let found = found.sealed;
        let mut found: Vec<&str> =
            found.iter().map(|path| path.strip_prefix(&root).unwrap().to_str().unwrap()).collect();
        found.sort_unstable();
        let expected = [
            ".claude/commands",
            ".git/hooks/pre-commit",
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
            "QWEN.md",
            "d2",
            "docs/a.md",
            "docs/b.md",
            "docs/guide.md",
            "documentation/g.md",
            "later",
            "ops/hooks",
            "pkg/CLAUDE.md",
            "scripts/deep",
            "scripts/pre-commit.sh",
            "shared/cmds",
            "shared/cmds/deep",
            "shared/git.inc",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn what_git_is_told_elsewhere_is_found() {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        for folder in [&home, &project.join(".git"), &project.join("cfg")] {
            fs_err::create_dir_all(folder).unwrap();
        }
        fs_err::write(home.join(".gitconfig"), "[core]\n\thooksPath = .hooks\n[include]\n\tpath = ~/more.inc\n")
            .unwrap();
        fs_err::write(home.join("more.inc"), "[core]\n\tfsmonitor = tools/watch --fast\n").unwrap();
        fs_err::write(project.join(".git/config"), "[include]\n\tpath = ../cfg/git.inc\n").unwrap();
        fs_err::write(project.join("cfg/git.inc"), "[core]\n\thooksPath = tools/hooks\n").unwrap();
        let policy = Policy { project: Some(project.clone()), linked_from: vec![home], ..Policy::default() };
        let found = obeyed(&policy, &project).sealed;
        for path in [".hooks", "cfg/git.inc", "tools"] {
            assert!(found.contains(&project.join(path)), "{path}: {found:?}");
        }
    }

    #[test]
    fn every_setting_that_starts_a_program_is_found() {
        for (line, sealed) in [
            ("[diff] external = t/p", "t"),
            ("[interactive] diffFilter = t/p --fast", "t"),
            ("[core] gitProxy = t/p for example.org", "t"),
            ("[core] alternateRefsCommand = t/p", "t"),
            ("[uploadpack] packObjectsHook = t/p", "t"),
            ("[gc] recentObjectsHook = t/p", "t"),
            ("[remote \"origin\"] uploadpack = t/p", "t"),
            ("[remote \"origin\"] receivepack = t/p", "t"),
            ("[submodule \"x\"] update = !t/p", "t"),
            ("[alias] st = !t/p", "t"),
            ("[alias] st = \"!f() { t/p; }; f\"", "t"),
            ("[alias] st = \"!'t/p'\"", "t"),
            ("[credential] helper = !t/p", "t"),
            ("[credential] helper = \"! t/p get\"", "t"),
            ("[any] thing = !cd sub&&./t", "t"),
            ("[pager] log = t/p", "t"),
            ("[sendemail] toCmd = t/p", "t"),
            ("[imap] tunnel = t/p --fast", "t"),
            ("[mergetool \"x\"] path = t/p", "t"),
            ("[init] templateDir = ./t", "t"),
            ("[remote \"origin\"] url = ext::t/p %S", "t"),
        ] {
            let (root, found) = sealed_by(line);
            assert!(found.contains(&root.join(sealed)), "{line}: {found:?}");
        }
    }

    #[test]
    fn places_that_git_names_are_not_sealed() {
        for line in [
            "[remote \"origin\"] url = t/p",
            "[remote \"origin\"] fetch = t/p:refs/x",
            "[branch \"main\"] merge = t/p",
            "[core] worktree = ../t",
        ] {
            let (root, found) = sealed_by(line);
            assert!(!found.contains(&root.join("t")), "{line}: {found:?}");
        }
    }

    /// Returns a project whose settings of Git have this line, and what is sealed in it.
    fn sealed_by(line: &str) -> (PathBuf, HashSet<PathBuf>) {
        let root = tempfile::tempdir().unwrap();
        let root = std::fs::canonicalize(root.path()).unwrap();
        fs_err::create_dir(root.join(".git")).unwrap();
        fs_err::write(root.join(".git/config"), format!("{line}\n")).unwrap();
        let policy = Policy { project: Some(root.clone()), ..Policy::default() };
        let found = obeyed(&policy, &root).sealed;
        (root, found)
    }

    #[test]
    fn links_from_elsewhere_seal_what_they_lead_to() {
        let home = tempfile::tempdir().unwrap();
        let home = std::fs::canonicalize(home.path()).unwrap();
        let project = home.join("dotfiles");
        fs_err::create_dir_all(project.join("nvim")).unwrap();
        for file in ["zshrc", "other"] {
            fs_err::write(project.join(file), "").unwrap();
        }
        for (link, target) in [(".zshrc", "dotfiles/zshrc"), (".nvim", "dotfiles/nvim"), ("here", "dotfiles")] {
            symlink(target, home.join(link)).unwrap();
        }
        let policy = Policy { project: Some(project.clone()), linked_from: vec![home], ..Policy::default() };
        let found = obeyed(&policy, &project).sealed;
        assert!(found.contains(&project.join("zshrc")) && found.contains(&project.join("nvim")), "{found:?}");
        assert!(!found.contains(&project.join("other")) && !found.contains(&project), "{found:?}");
    }

    #[test]
    fn settings_of_hooks_are_read() {
        for (line, folder) in [
            ("\thooksPath = ops/hooks", Some("ops/hooks")),
            ("[core] hooksPath=ops/hooks # ours", Some("ops/hooks")),
            ("hooksPath = \"a ; b\" ; ours", Some("a ; b")),
            ("hooksPath = \"a\\\"b\"c", Some("a\"bc")),
            ("hooksPath = ops/\\\n  hooks", Some("ops/  hooks")),
            ("hooksPath = [a]", Some("[a]")),
            ("hooksPath =", None),
        ] {
            let expected: Vec<(String, String)> =
                folder.map(|folder| ("hooksPath".to_owned(), folder.to_owned())).into_iter().collect();
            assert_eq!(settings(line), expected, "{line}");
        }
    }
}
