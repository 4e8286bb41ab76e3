//! What holds for every text.

use proptest::prelude::*;

use super::*;

const HOSTS: [&str; 5] = [OURS, CLAUDE, "claude-code@seed", OPENCODE, "codex"];

/// Texts made of the characters that mean something.
fn marks() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("$ARGUMENTS"),
        Just("$ARGUMENTS[1]"),
        Just("$0"),
        Just("$1"),
        Just("$name"),
        Just("${CLAUDE_SKILL_DIR}"),
        Just("!`"),
        Just("`"),
        Just("```"),
        Just("```!\n"),
        Just("~~~"),
        Just("\n"),
        Just("\n\n"),
        Just(" "),
        Just("\\"),
        Just("@"),
        Just("@a.b"),
        Just("@\""),
        Just("\""),
        Just("'"),
        Just("<!--"),
        Just("-->"),
        Just("$("),
        Just(")"),
        Just("<<E"),
        Just("E\n"),
        Just("é"),
        Just("日"),
        Just("x"),
        Just("#"),
        Just("$(("),
        Just("${"),
        Just("}"),
    ];
    proptest::collection::vec(part, 0..40).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn a_text_without_marks_stays_as_it_is(body in "[^$!@`\\\\]{0,80}") {
        for host in HOSTS {
            let expanded = Call::of(host).expand(&body);
            prop_assert_eq!(expanded.assemble::<&str>(&[]), body.as_str());
            prop_assert!(expanded.left_alone.is_empty() && expanded.files.is_empty());
        }
    }

    #[test]
    fn nothing_panics_and_places_are_right(body in prop_oneof![marks(), any::<String>()]) {
        for host in HOSTS {
            let expanded = Call::of(host).typed("one \"two three\" é").named(&["name"]).expand(&body);
            for file in &expanded.files {
                let line = body.split('\n').nth(file.line - 1);
                prop_assert!(line.is_some_and(|line| line.contains(&file.written)));
            }
            for shell in expanded.commands() {
                prop_assert!(body.contains(&shell.written) && shell.written.contains(&shell.command));
            }
            let lines = body.matches('\n').count() + 1;
            prop_assert!(expanded.left_alone.iter().all(|left| body.contains(&left.written) && left.line <= lines));
        }
    }

    /// With each command written back, and each placeholder standing for itself, a text is what it was.
    #[test]
    fn commands_written_back_give_the_text(body in marks()) {
        let call = Call::of(CLAUDE);
        let rules = Expansion { arguments: None, ..call.host.expansion(true, &[]) };
        let expanded = expand(&body, &rules, None, &Variables::default());
        prop_assert_eq!(expanded.body::<&str>(&[]), body);
    }
}

/// Time that grows with the square of the length would make this hang until the test runner ends it; the benchmark
/// `hostile` compares the times of two lengths.
#[test]
fn long_texts_are_expanded_to_their_end() {
    let parts: &[&str] = &include!("../../../benches/hostile_parts.in");
    for part in parts {
        let text = part.repeat(100_000 / part.len());
        let script = format!("````!\n{text}\n````\n");
        for host in [OURS, CLAUDE, OPENCODE] {
            Call::of(host).typed("a b").expand(&text);
            Call::of(host).typed("a b").expand(&script);
        }
    }
}

#[test]
fn a_text_cannot_grow_without_end() {
    let arguments = Arguments::from_words(&["x".repeat(1_000_000)]);
    let call = Call::of(OURS);
    let body = "$0 !`echo $0` ".repeat(90);
    let expanded = expand(&body, &call.host.expansion(true, &[]), Some(&arguments), &variables());
    let size: usize = expanded
        .pieces
        .iter()
        .map(|piece| match piece {
            Piece::Text(text) => text.len(),
            Piece::Shell(shell) => shell.env.iter().map(|(_, value)| value.len()).sum(),
        })
        .sum();
    assert!(size < 10_000_000, "{size}");
    assert!(
        expanded.left_alone.iter().all(|left| left.why == LeftAloneReason::TooLong) && !expanded.left_alone.is_empty()
    );
    assert!(expanded.commands().last().unwrap().refused == Some(CommandRefusal::TooLong));
}
