//! The forms of each host, and texts that mean harm.

use std::sync::LazyLock;

use proptest::prelude::*;

use super::*;
use crate::host::{HostSpec, Hosts};

fn rules(host: &str) -> MentionRules {
    Hosts::builtin().get(host).and_then(|spec: HostSpec| spec.host()).unwrap().mention
}

/// Writes each mention as `NAME @ START..END`, with what is special about it.
fn shown(text: &str, rules: &MentionRules) -> Vec<String> {
    let show = |mention: Mention<'_>| {
        let Range { start, end } = mention.span;
        let form = match mention.form {
            MentionForm::Plain => String::new(),
            MentionForm::Link(target) => format!(" -> {target}"),
            MentionForm::Command(arguments) => format!(" [{arguments}]"),
        };
        let flaw = mention.flaw.map_or_else(String::new, |flaw| format!(" {flaw:?}"));
        format!("{} @ {start}..{end}{form}{flaw}", mention.name)
    };
    scan(text, rules).into_iter().map(show).collect()
}

#[track_caller]
fn check(host: &str, text: &str, expected: &[&str]) {
    assert_eq!(shown(text, &rules(host)), expected, "{host}: {text:?}");
}

#[test]
fn marks_and_names() {
    check("codex", "use $alpha, $beta.", &["alpha @ 4..10", "beta @ 12..17"]);
    check("codex", "日$alpha日", &["alpha @ 3..9"]);
    check("codex", "$alpha: $a-_: $", &["alpha: @ 0..7", "a-_: @ 8..13"]);
    check("codex", "$$a ${b} $(c) $ d", &["a @ 1..3"]);
    check("codex", "$home $PATHS", &["home @ 0..5 Blocked", "PATHS @ 6..12"]);
    check("codex@seed", "$x:y", &["x @ 0..2"]);
    check("codex", "/alpha @alpha alpha", &[]);
    check("pepper", "$alpha /alpha [$alpha](p)", &[]);
    check("agentskills", "$alpha /alpha [$alpha](p)", &[]);
}

#[test]
fn links() {
    check("codex", "[$a](p) [$b] \t\n( q )x", &["a @ 0..7 -> p", "b @ 8..20 -> q"]);
    check("codex", "[$a]() [ $b](p) [$c ](p) [$d", &["a @ 1..3", "b @ 9..11", "c @ 17..19", "d @ 26..28"]);
    check("codex", "[$a](p", &["a @ 1..3"]);
    check("codex", "[$HOME](p)", &["HOME @ 0..10 -> p Blocked"]);
    check("codex", "[$a](x\n[$b](y)", &["a @ 0..14 -> x\n[$b](y"]);
    check("codex", "[a](p) [@a](p) [$](p)", &[]);
    check("openoxide", "[$HOME](p)", &["HOME @ 0..10 -> p"]);
    check("openoxide", "`[$a](p)`", &["a @ 1..8 -> p InCode"]);
}

#[test]
fn in_ours_a_name_stands_by_itself() {
    check(
        "openoxide",
        "$pdf. ($pdf) \"$pdf\": $pdf, *$pdf*",
        &["pdf @ 0..4", "pdf @ 7..11", "pdf @ 14..18", "pdf @ 21..25", "pdf @ 28..32"],
    );
    check("openoxide", "使用$pdf处理", &["pdf @ 6..10"]);
    check("openoxide", "$demo:pdf: $a.b... $a_b-", &["demo:pdf @ 0..9", "a.b @ 11..15", "a_b @ 19..23"]);
    let attached = ["x$pdf", "$$pdf", "\\$pdf", "a/$pdf", "A=$pdf", "$pdf/a", "$pdf=1", "$pdf(x)", "$pdf[0]", "{$pdf}"];
    for text in attached {
        let found = shown(text, &rules("openoxide"));
        assert!(found.len() == 1 && found[0].ends_with(" Attached"), "{text:?}: {found:?}");
    }
    check("openoxide", "$5 $1,000.50 $1.20 $ $... ${pdf} $(pdf)", &[]);
    check("openoxide", "$HOME $home $PATH", &["HOME @ 0..5 Blocked", "home @ 6..11", "PATH @ 12..17 Blocked"]);
    check("openoxide", "`$pdf`\n```\n$csv\n```\n$sql", &["pdf @ 1..5 InCode", "csv @ 11..15 InCode", "sql @ 20..24"]);
}

#[test]
fn in_ours_a_command_stands_at_the_start() {
    check("openoxide", "/pdf", &["pdf @ 0..4 []"]);
    check("openoxide", " \n/demo:pdf\tone  two ", &["demo:pdf @ 2..11 [one  two]"]);
    check("openoxide", "/pdf with $csv", &["pdf @ 0..4 [with $csv]", "csv @ 10..14"]);
    check("openoxide", "/usr/bin/env / see /pdf", &[]);
    check("openoxide", "see /pdf", &[]);
    check("openoxide", "/", &[]);
}

/// As measured with `-p`: what is typed is not trimmed there.
#[test]
fn claude_code() {
    check("claude-code", "/alpha  two  words ", &["alpha @ 0..6 [two  words]"]);
    check("claude-code", "/alpha\none", &["alpha @ 0..6 [one]"]);
    check("claude-code", "/alpha\tone", &["alpha @ 0..6 [one]"]);
    check("claude-code", "/日本 x", &["日本 @ 0..7 [x]"]);
    check("claude-code", "/a.b x", &["a.b @ 0..4 [x]"]);
    check("claude-code", "/p:a x /b y", &["p:a @ 0..4 [x /b y]"]);
    check("claude-code", "see /alpha one", &[]);
    check("claude-code", " /alpha one", &[]);
    check("claude-code", "$alpha [$alpha](p)", &[]);
}

#[test]
fn opencode() {
    check("opencode", "/alpha  one\ntwo", &["alpha @ 0..6 [ one\ntwo]"]);
    check("opencode", "/alpha\ntwo", &["alpha @ 0..6 [\ntwo]"]);
    check("opencode", "/alpha\tone", &["alpha\tone @ 0..10 []"]);
    check("opencode", "see /alpha", &[]);
    check("opencode@seed-001", "/alpha", &[]);
    check("opencode@seed-002", "/alpha", &["alpha @ 0..6 []"]);
}

#[test]
fn omp() {
    check("omp", "/skill:alpha one two ", &["alpha @ 0..12 [one two]"]);
    check("omp", "  /skill:alpha\n one", &["alpha @ 2..14 [one]"]);
    check("omp", "fix it  /skill:alpha  with care", &["alpha @ 8..20 [fix it with care]"]);
    check("omp", "fix /skill:a/b and /skill:c d", &["c @ 19..27 [fix /skill:a/b and d]"]);
    check("omp", "fix x/skill:alpha", &[]);
    for other in ["/help /skill:a", "!ls /skill:a", "$ 1 /skill:a", "$$ 1 /skill:a", "$\n/skill:a", "/skill: /skill:a"]
    {
        check("omp", other, &[]);
    }
    check("omp", "${x} /skill:a", &["a @ 5..13 [${x}]"]);
    check("omp", "$x /skill:a", &["a @ 3..11 [$x]"]);
    check("omp", "/alpha", &[]);
}

#[test]
fn omp_as_the_blueprint_has_it() {
    check("omp@seed", "/skill:alpha  one two ", &["alpha @ 0..12 [one two]"]);
    check("omp@seed", "/skill:alpha\none two", &["alpha\none @ 0..16 [two]"]);
    check("omp@seed", "/skill:alpha\tone", &["alpha\tone @ 0..16 []"]);
    check("omp@seed", " /skill:alpha", &[]);
    check("omp@seed", "fix /skill:alpha", &[]);
}

#[test]
fn remcochat() {
    for host in ["remcochat", "remcochat@code"] {
        check(host, "/alpha-1", &["alpha-1 @ 0..8 []"]);
        check(host, "/alpha \n one ", &["alpha @ 0..6 [one ]"]);
        check(host, "/alpha\tone", &["alpha @ 0..6 [one]"]);
        for text in ["/Alpha", "/-a", "/a-", "/a--b", "/a_b", "/a.", "/a/b", " /a", "see /a", "/", "/ a"] {
            check(host, text, &[]);
        }
    }
}

#[test]
fn blanks_are_those_of_javascript() {
    check("omp", "x\u{feff}/skill:a\u{a0}y", &["a @ 4..12 [x y]"]);
    check("claude-code", "/a\u{85}b c", &["a\u{85}b @ 0..5 [c]"]);
}

/// Time that grows with the square of the length would make this hang until the test runner ends it; the benchmark
/// `hostile` compares the times of two lengths.
#[test]
fn hostile_texts_are_scanned_to_their_end() {
    let parts: &[&str] = &include!("../../benches/hostile_parts.in");
    for part in parts {
        let text = part.repeat(200_000 / part.len());
        for host in ["codex", "openoxide", "omp"] {
            let rules = rules(host);
            scan(&text, &rules);
            scan(&format!("{text})"), &rules);
        }
    }
    // Runs of backticks of every length, none of which is closed.
    let ladder: String = (1..800).map(|length| "`".repeat(length) + " $a ").collect();
    assert_eq!(scan(&ladder, &rules("openoxide")).len(), 799);
}

/// The rules of every host.
static ALL: LazyLock<Vec<MentionRules>> =
    LazyLock::new(|| Hosts::builtin().all().map(|spec| spec.host().unwrap().mention).collect());

/// Text in which marks, brackets, blanks and other scripts are frequent.
fn texts() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<String>(),
        proptest::collection::vec(any::<u8>(), 0..64).prop_map(|bytes| String::from_utf8_lossy(&bytes).into_owned()),
        r"([\[\]()$`~ /:!\\\n\tab_.-]|é|日|🦀|/skill:|\$a|\[\$a\]\(){0,40}",
    ]
}

proptest! {
    #[test]
    fn spans_lie_in_the_text_and_on_characters(text in texts()) {
        for rules in &*ALL {
            let mut end = 0;
            for mention in scan(&text, rules) {
                let written = text.get(mention.span.clone());
                prop_assert!(written.is_some_and(|written| written.contains(mention.name)), "{:?}", mention);
                prop_assert!(!mention.name.is_empty());
                prop_assert!(mention.span.start >= end, "in order, without overlap: {:?}", mention);
                end = mention.span.end;
            }
        }
    }
}
