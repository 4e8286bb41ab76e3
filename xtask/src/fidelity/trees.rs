//! Random trees for each host: roots, duplicates, links, odd folders, broken files, settings and plugins.
//!
//! What a real program decides by a race stays out, and so do names that it cannot write down. Known deviations stay out
//! too: the recorded cases state them.

mod claude;
mod codex;
mod frontmatter;
mod omp;
mod opencode;
mod planter;

use self::planter::Planter;
use super::peers::Peer;

/// A tree as fixture text, and where to stand in it.
#[derive(Debug)]
pub(super) struct Tree {
    pub(super) text: String,
    pub(super) cwd: &'static str,
}

/// Makes the tree of a seed.
pub(super) fn random(peer: Peer, seed: u64) -> Tree {
    let mut planter = Planter::new(seed);
    let cwd = match peer {
        Peer::Codex => codex::plant(&mut planter),
        Peer::ClaudeCode => claude::plant(&mut planter),
        Peer::Omp => omp::plant(&mut planter),
        Peer::OpenCode => opencode::plant(&mut planter),
    };
    Tree { text: planter.text, cwd }
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
