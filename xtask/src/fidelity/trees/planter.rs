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
}

impl Planter {
    pub(super) fn new(seed: u64) -> Planter {
        Planter { rng: Rng::new(seed), text: String::new(), taken: Vec::new(), skills: Vec::new() }
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
        let inside = |inner: &str, outer: &str| inner.strip_prefix(outer).is_some_and(|rest| rest.starts_with('/'));
        let mut taken = self.taken.iter();
        let free = !taken.any(|other| other == path || inside(other, path) || inside(path, other));
        if free {
            self.taken.push(path.to_owned());
        }
        free
    }
}

fn escaped(path: &str) -> String {
    path.replace('\\', "\\\\").replace(' ', "\\x20")
}
