//! Recorded texts with places that are not compared letter by letter.
//!
//! `{{advice}}` is a sentence of the program's, for which we have one of our own; `{{file}}` a file that it chose by
//! chance; `{{N bytes sha256 HEX}}` the middle of a long text.

use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// Compares a text of ours with a recorded one; says where they part.
pub(super) fn differs(recorded: &str, ours: &str) -> Option<String> {
    let mut rest = ours;
    let mut pieces = recorded.split("{{");
    let first = pieces.next().unwrap_or_default();
    let part = |rest: &str, wanted: &str| Some(format!("{:?}\n    is not {:?}", short(rest), short(wanted)));
    match rest.strip_prefix(first) {
        Some(after) => rest = after,
        None => return part(rest, first),
    }
    let mut pieces = pieces.peekable();
    while let Some(piece) = pieces.next() {
        let (mark, literal) = piece.split_once("}}").expect("a mark is closed");
        let is_last = pieces.peek().is_none();
        let skipped = match mark {
            "advice" | "file" => line_up_to(rest, literal, is_last),
            middle => middle_of(rest, middle),
        };
        let Some(after) = skipped.and_then(|n| rest[n..].strip_prefix(literal)) else {
            return part(rest, piece);
        };
        rest = after;
    }
    if rest.is_empty() { None } else { Some(format!("there is more: {:?}", short(rest))) }
}

/// Returns how much of a line stands before a text; there must be something.
fn line_up_to(text: &str, literal: &str, is_last: bool) -> Option<usize> {
    let line = text.find('\n').unwrap_or(text.len());
    let end = match literal {
        "" if is_last => Some(line),
        _ => text.find(literal).filter(|end| *end <= line),
    };
    end.filter(|end| *end > 0)
}

/// Returns the length of a middle part if its digest is the recorded one.
fn middle_of(text: &str, mark: &str) -> Option<usize> {
    let (length, digest) = mark.split_once(" bytes sha256 ")?;
    let length = length.parse().ok()?;
    let mut found = String::new();
    for byte in Sha256::digest(text.get(..length)?) {
        write!(found, "{byte:02x}").unwrap();
    }
    (found == digest).then_some(length)
}

fn short(text: &str) -> &str {
    text.get(..text.floor_char_boundary(300)).unwrap_or_default()
}

#[test]
fn marks_stand_for_what_may_differ_and_nothing_else() {
    let check = |recorded: &str, ours: &str, same: bool| {
        assert_eq!(differs(recorded, ours).is_none(), same, "{recorded:?} {ours:?} {:?}", differs(recorded, ours));
    };
    check("a", "a", true);
    check("a", "ab", false);
    check("a\n{{advice}}\nb", "a\nAny words.\nb", true);
    check("a\n{{advice}}\nb", "a\n\nb", false);
    check("a\n{{advice}}\nb", "a\nAny words.\nAnd more.\nb", false);
    check("a\n{{advice}}", "a\nAny words.", true);
    check("a\n{{advice}}", "a\n", false);
    check("a\n{{advice}}", "a\nAny\nwords", false);
    check("[{{advice}}\"s\"{{advice}}]\nb", "[Any \"s\" words]\nb", true);
    check("[{{advice}}\"s\"{{advice}}]\nb", "[Any words]\nb", false);
    let digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
    check(&format!("<{{{{3 bytes sha256 {digest}}}}}>"), "<abc>", true);
    check(&format!("<{{{{3 bytes sha256 {digest}}}}}>"), "<abd>", false);
    check(&format!("<{{{{3 bytes sha256 {digest}}}}}>"), "<ab", false);
}
