//! Measures that hostile texts are scanned and expanded in time by their length: each at one length and at four times
//! that. It fails where the ratio is nearer to sixteen than to four.
//!
//! `cargo xtask bench` runs it.

#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a program for people at a terminal")]

use std::hint::black_box;
use std::time::{Duration, Instant};

use openoxide_skills::expand::{Variables, expand};
use openoxide_skills::host::{Host, Hosts};
use openoxide_skills::mention::scan;
use openoxide_skills::parse::parse_text;

const PARTS: &[&str] = &include!("hostile_parts.in");
/// Files that are read: what they are, what is repeated in them, and what stands around it.
const FILES: &[(&str, &str, &str)] = &[
    ("comments that do not end", "<!--", "---\nname: x\ndescription: X\n---\n{text}"),
    ("comments that end", "<!-- -->", "{text}---\nname: x\ndescription: X\n---\n"),
    ("line ends", "a\r\n", "---\nname: x\ndescription: X\n---\n{text}"),
    ("line ends and comments that do not end", "\r<!--", "---\nname: x\ndescription: X\n---\n{text}"),
];
/// Four times this is still short enough for the results to fit into memory that the allocator uses again. Beyond that,
/// fresh pages cost more than the scan and hide how the time grows.
const LENGTH: usize = 50_000;
/// Linear is 4, quadratic is 16.
const RATIO: f64 = 10.0;
/// Shorter times say more about the machine than about the text.
const MEASURABLE: Duration = Duration::from_millis(20);

fn main() {
    let hosts = Hosts::builtin();
    let mut failed = Vec::new();
    for name in ["openoxide", "claude-code", "opencode", "codex", "omp"] {
        let host = hosts.get(name).unwrap().host().unwrap();
        for part in PARTS {
            let whole = |text: &str| format!("{text})");
            let script = |text: &str| format!("````!\n{text}\n````\n");
            let ratios = [
                ratio(part, |text| drop(black_box(scan(&whole(text), &host.mention)))),
                ratio(part, |text| expanded(&host, text)),
                ratio(part, |text| expanded(&host, &script(text))),
            ];
            for (what, ratio) in ["scan", "expand", "expand a script"].iter().zip(ratios) {
                if ratio > RATIO {
                    failed
                        .push(format!("{name}, {what}, {part:?}: four times the length took {ratio:.1} times as long"));
                }
            }
        }
        for (what, part, frame) in FILES {
            let ratio =
                ratio(part, |text| drop(black_box(parse_text(&frame.replace("{text}", text), "x", &host.parse))));
            if ratio > RATIO {
                failed.push(format!("{name}, {what}: four times the length took {ratio:.1} times as long"));
            }
        }
        println!("{name}: {} hostile texts and {} hostile files", PARTS.len(), FILES.len());
    }
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

fn expanded(host: &Host, text: &str) {
    black_box(expand(text, &host.expansion(true, &[]), None, &Variables::default()));
}

/// Returns how many times as long a text takes that is four times as long. A high ratio is measured again, because the
/// machine may have been busy.
fn ratio(part: &str, work: impl Fn(&str)) -> f64 {
    let time = |length: usize| {
        let text = part.repeat(length / part.len());
        let rounds = (0..3).map(|_| {
            let start = Instant::now();
            work(&text);
            start.elapsed()
        });
        rounds.min().unwrap_or_default()
    };
    let mut least = f64::INFINITY;
    for _ in 0..3 {
        let long = time(4 * LENGTH);
        if long < MEASURABLE {
            return 1.0;
        }
        least = least.min(long.as_secs_f64() / time(LENGTH).as_secs_f64());
        if least <= RATIO {
            break;
        }
    }
    least
}
