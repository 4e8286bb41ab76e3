//! Writes the text of a random tree, entry by entry.

use crate::fidelity::rng::Rng;

/// Names are few, so that they meet.
pub(super) const NAMES: &[&str] =
    &["alpha", "beta", "gamma", "delta", "Alpha", "epsilon-2", "epsilon_10", "zeta.x", "eta theta", "ünï"];

/// Writes fixture text, never two entries in one place.
pub(super) struct Planter {
    pub(super) rng: Rng,
    pub(super) text: String,
    taken: Vec<String>,
    /// The folders that got a skill.
    skills: Vec<String>,
    /// The links, and what they lead to from the root.
    links: Vec<(String, String)>,
}

impl Planter {
    pub(super) fn new(seed: u64) -> Planter {
        Planter { rng: Rng::new(seed), text: String::new(), taken: Vec::new(), skills: Vec::new(), links: Vec::new() }
    }

    /// Adds a file, unless its place is taken.
    pub(super) fn file(&mut self, path: &str, content: &str) {
        if self.take(path) {
            let content = content.replace('\\', "\\\\");
            self.entry(&format!(
                "{} escaped nonl rooted
{content}",
                escaped(path)
            ));
        }
    }

    /// Adds a link, unless its place is taken; a target may begin with `{root}`.
    pub(super) fn link(&mut self, path: &str, target: &str) {
        if self.take(path) {
            self.entry(&format!("{} -> {} escaped rooted", escaped(path), escaped(target)));
            self.links.extend(target.strip_prefix("{root}/").map(|target| (path.to_owned(), target.to_owned())));
        }
    }

    /// Plants what makes a folder a repository, unless a link in it leads out: that no such link is followed before the
    /// repository is trusted is a stated deviation.
    pub(super) fn repository(&mut self, folder: &str, mark: &str, content: &str) {
        let leads_out = |(path, target): &(String, String)| is_inside(path, folder) && !is_inside(target, folder);
        if !self.links.iter().any(leads_out) {
            self.file(&format!("{folder}/{mark}"), content);
        }
    }

    /// Adds a folder, unless its place is taken.
    pub(super) fn folder(&mut self, path: &str) {
        if self.take(path) {
            self.entry(&format!("{}/ escaped", escaped(path)));
        }
    }

    fn entry(&mut self, entry: &str) {
        self.text.extend(["//- ", entry, "\n"]);
    }

    pub(super) fn skill(&mut self, folder: &str, content: &str) {
        self.file(&format!("{folder}/SKILL.md"), content);
        self.skills.push(folder.to_owned());
    }

    /// Returns the folder of some skill.
    pub(super) fn some_skill(&mut self) -> Option<String> {
        let n = self.skills.len();
        (n > 0).then(|| self.skills[self.rng.below(n)].clone())
    }

    fn take(&mut self, path: &str) -> bool {
        let mut taken = self.taken.iter();
        let free = !taken.any(|other| other == path || is_inside(other, path) || is_inside(path, other));
        if free {
            self.taken.push(path.to_owned());
        }
        free
    }
}

fn is_inside(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace(' ', "\\x20")
}
