//! Random trees for each host: roots, duplicates, links, odd folders, broken files, settings and plugins.
//!
//! What a real program decides by a race stays out, and so do names that it cannot write down. Known deviations stay out
//! too: the recorded cases state them.

mod claude;
mod codex;
mod frontmatter;
mod omp;
mod opencode;

use super::peers::Peer;
use super::rng::Rng;

/// A tree as fixture text, and where to stand in it.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) text: String,
    pub(super) cwd: &'static str,
}

/// Makes the tree of a seed.
pub(super) fn random(peer: Peer, seed: u64) -> Tree {
    let mut planter = Planter { rng: Rng::new(seed), text: String::new(), taken: Vec::new(), skills: Vec::new() };
    let cwd = match peer {
        Peer::Codex => codex::plant(&mut planter),
        Peer::ClaudeCode => claude::plant(&mut planter),
        Peer::Omp => omp::plant(&mut planter),
        Peer::OpenCode => opencode::plant(&mut planter),
    };
    Tree { text: planter.text, cwd }
}

/// Names are few, so that they meet.
const NAMES: &[&str] =
    &["alpha", "beta", "gamma", "delta", "Alpha", "epsilon-2", "epsilon_10", "zeta.x", "eta theta", "ünï"];

/// Writes fixture text, never two entries in one place.
struct Planter {
    rng: Rng,
    text: String,
    taken: Vec<String>,
    /// The folders that got a skill.
    skills: Vec<String>,
}

impl Planter {
    /// Adds a file, unless its place is taken.
    fn file(&mut self, path: &str, content: &str) {
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
    fn link(&mut self, path: &str, target: &str) {
        if self.take(path) {
            self.entry(&format!("{} -> {} escaped rooted", escaped(path), escaped(target)));
        }
    }

    /// Adds a folder, unless its place is taken.
    fn folder(&mut self, path: &str) {
        if self.take(path) {
            self.entry(&format!("{}/ escaped", escaped(path)));
        }
    }

    fn entry(&mut self, entry: &str) {
        self.text.extend(["//- ", entry, "\n"]);
    }

    fn skill(&mut self, folder: &str, content: &str) {
        self.file(&format!("{folder}/SKILL.md"), content);
        self.skills.push(folder.to_owned());
    }

    /// Returns the folder of some skill.
    fn some_skill(&mut self) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;

    #[test]
    fn random_trees_can_be_written_and_repeat() {
        for peer in Peer::ALL {
            for seed in 0..25 {
                let tree = random(peer, seed);
                assert_eq!(tree.text, random(peer, seed).text);
                let context = TestContext::new();
                context.tree(&tree.text);
                assert!(context.root().join(tree.cwd).is_dir());
            }
        }
    }
}
