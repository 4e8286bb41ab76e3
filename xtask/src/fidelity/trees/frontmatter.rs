//! Random skill files: mostly valid, often odd, sometimes broken.

use super::planter::NAMES;
use crate::fidelity::rng::Rng;

const WORDS: &[&str] = &["Fills", "in", "forms", "when", "the", "user", "asks", "for", "a", "report", "of", "Tests"];

const SCALARS: &[&str] = &[
    "1.0",
    "0x1F",
    "1e3",
    "true",
    "no",
    "null",
    "~",
    "",
    "\"\"",
    "''",
    "2024-01-02",
    "12:30",
    "!!str 5",
    "!x y",
    "&a b",
    "*a",
    "[a, b]",
    "{a: b}",
    "[a",
    "{a",
    "@x",
    "`x`",
    "%x",
    "- x",
    "? x",
    "|",
    ">",
    "a:",
    ": a",
    "a :b",
    "'it''s'",
    "\"a\\tb\"",
    "\"a",
    "'a",
    "x # y",
    "x#y",
    "a: b # c",
    "it's: so",
    "\"q\": r",
    "<a: b>",
    "a\u{a0}b",
    "\u{3000}",
    "é😀漢",
];

const TOKENS: &[&str] = &[
    "a", "b:", "c: ", " # ", "'", "\"", "[", "]", "{", "}", "- ", "*x", "&x ", "!t ", "|", ">", "%", "@", "`", "a, ",
    "? ", "é", "\u{a0}", "\t", "😀", "\\", "~", "null", "1.0", " ", "--",
];

/// What a host reads in frontmatter beside name and description.
const LINES: &[&str] = &[
    "license: MIT",
    "allowed-tools: Bash(git:*), Read",
    "metadata:\n  short-description: Short",
    "metadata: {a: b}",
    "metadata:",
    "version: 1.0",
    "tags: [a, b]",
    "globs: **/*.ts",
    "argument-hint: [file] [mode: x]",
    "# a comment",
    "",
    "x: y: z",
    "name: again",
    "when_to_use: When asked",
    "when_to_use: [a, b]",
    "disable-model-invocation: true",
    "disable-model-invocation: \"no\"",
    "user-invocable: false",
    "paths: \"*.rs\"",
    "paths: [\"**\"]",
    "paths: src/**",
    "description: again",
    "list:\n  - a\n  - b: c",
];

/// Returns the text of a skill file.
pub(super) fn file(rng: &mut Rng) -> String {
    let mut lines = Vec::new();
    if rng.chance(60) {
        lines.push(format!("name: {}", name(rng)));
    }
    if rng.chance(93) {
        lines.push(format!("description: {}", value(rng)));
    }
    while rng.chance(25) {
        lines.push(rng.pick(LINES).to_owned());
    }
    if rng.chance(10) {
        lines.reverse();
    }
    fenced(rng, &lines.join("\n"))
}

fn name(rng: &mut Rng) -> String {
    if rng.chance(85) { rng.pick(NAMES).to_owned() } else { value(rng) }
}

fn value(rng: &mut Rng) -> String {
    match rng.below(20) {
        0..11 => words(rng),
        11..13 => format!("{}: {}", words(rng), words(rng)),
        13 => format!("\"{}\"", words(rng)),
        14 => format!("|\n  {}\n  {}", words(rng), words(rng)),
        15 => format!(">-\n  {}\n\n  {}", words(rng), words(rng)),
        16 => format!("{}\n  {}", words(rng), words(rng)),
        17 | 18 => rng.pick(SCALARS).to_owned(),
        _ => soup(rng),
    }
}

fn words(rng: &mut Rng) -> String {
    let n = if rng.chance(3) { 400 } else { 1 + rng.below(14) };
    (0..n).map(|_| rng.pick(WORDS)).collect::<Vec<_>>().join(" ")
}

fn soup(rng: &mut Rng) -> String {
    let n = 1 + rng.below(10);
    (0..n).map(|_| rng.pick(TOKENS)).collect()
}

fn fenced(rng: &mut Rng, lines: &str) -> String {
    let body = rng.pick(&["# Heading\n", "", "Text.\n", "\n\n## Deep\n", "body"]);
    match rng.below(30) {
        0 => format!("\u{feff}---\n{lines}\n---\n{body}"),
        1 => format!("---\n{lines}\n{body}"),
        2 => format!("\n---\n{lines}\n---\n{body}"),
        3 => format!("---\n{lines}\n---\n{body}").replace('\n', "\r\n"),
        4 => format!("--- \n{lines}\n --- \n{body}"),
        5 => format!("{lines}\n{body}"),
        6 => format!("---\n{lines}\n---"),
        _ => format!("---\n{lines}\n---\n{body}"),
    }
}
