//! Random texts full of words that could name a skill.

use super::super::peers::Peer;
use super::super::rng::Rng;

const CODEX: &[&str] = &[
    "$alpha",
    "$beta",
    "$dup",
    "$HOME",
    "$x:y",
    "$",
    "[",
    "]",
    "(",
    ")",
    "[$alpha](",
    "{root}/project/.agents/skills/",
    "beta/SKILL.md",
    "skill://",
    "app://",
    "alpha",
    " ",
    "\n",
    "日",
    "`",
    "\\",
    "-",
    "_",
    ".",
    ":",
    "/",
    "[$beta]",
];
const OMP: &[&str] = &[
    "/skill:alpha",
    "/skill:beta",
    "/skill:",
    "/skill:nope",
    "/",
    "!",
    "$",
    "{",
    " ",
    "  ",
    "\n",
    "\t",
    "go",
    "alpha",
    "日",
    "\u{a0}",
    ".",
    "/skill:alpha/x",
];
const CLAUDE: &[&str] = &["/alpha", "/a.b", "/日本", "/", "alpha", " ", "\n", "\t", "go", "/p:alpha", "-", "/nope"];

/// Makes a text of a few pieces in the words of a program.
pub(super) fn random(peer: Peer, rng: &mut Rng) -> String {
    let pieces = match peer {
        Peer::Codex => CODEX,
        Peer::Omp => OMP,
        Peer::ClaudeCode | Peer::OpenCode => CLAUDE,
    };
    let number = 2 + rng.below(7);
    // An empty text is refused by most programs.
    let text: String = (0..number).map(|_| rng.pick(pieces)).collect();
    if text.trim().is_empty() { "go".to_owned() } else { text }
}
