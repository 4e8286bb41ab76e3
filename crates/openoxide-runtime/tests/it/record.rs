//! What is sent again after a conversation was compacted.

use openoxide_permissions::Action;
use openoxide_runtime::{Activation, Answer, Call, CallArguments, ReattachLimits, Reattached, Record, Session, drive};
use openoxide_skills::host::Caller;
use openoxide_skills::text::tokens;

use crate::scene::{Scene, notes};

fn write(scene: &Scene, name: &str, body: &str) {
    let head = format!("---\nname: {name}\ndescription: Does things\n---\n");
    scene.context.tree(&format!("//- project/.agents/skills/{name}/SKILL.md\n{head}{body}\n"));
}

fn called(scene: &Scene, calls: &[(&str, &str)]) -> Session {
    let mut session = Session::recorded(Record::default());
    for (skill, said) in calls {
        let arguments = if said.is_empty() { CallArguments::Nothing } else { CallArguments::Raw((*said).to_owned()) };
        let call = Call { skill: (*skill).to_owned(), caller: Caller::User, arguments };
        let mut activation = Activation::new(scene.runtime(), vec![call]);
        let done = drive(&mut activation, &mut session, &mut |_: &_| Answer::No, |run| panic!("{run:?}"));
        assert_eq!(done.activated.len(), 1, "{:?}", done.refused);
    }
    session
}

/// Sends again in another process: only the record is left.
fn again(scene: &Scene, session: &Session, change: impl Fn(&mut ReattachLimits)) -> Reattached {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("record.json");
    session.record.as_ref().unwrap().save(&file).unwrap();
    assert!(!fs_err::read_to_string(&file).unwrap().contains("Body of"), "bodies are never stored");
    let runtime = scene.runtime();
    let mut rules = ReattachLimits::default();
    change(&mut rules);
    Record::load(&file).unwrap().reattach(&runtime, &Session::new("t"), &rules)
}

fn names(again: &Reattached) -> Vec<&str> {
    again.skills.iter().map(|skill| skill.name.as_str()).collect()
}

#[test]
fn the_latest_call_of_each_newest_first_after_a_reminder() {
    let scene = Scene::new();
    for name in ["a", "b", "c"] {
        write(&scene, name, &format!("Body of {name}."));
    }
    let session = called(&scene, &[("a", "old words"), ("b", ""), ("a", "new words"), ("c", "")]);
    let again = again(&scene, &session, |_| {});
    assert_eq!(names(&again), ["c", "a", "b"]);
    assert_eq!(again.skills.iter().map(|skill| skill.order).collect::<Vec<_>>(), [4, 3, 2]);
    assert_eq!((again.messages.len(), notes(&again.notices)), (4, vec![]));
    assert!(again.messages[0].frame && again.messages[0].text.contains("no new request"), "{:?}", again.messages[0]);
    let a = &again.messages[2].text;
    assert!(a.contains("Body of a.") && a.contains("new words") && !a.contains("old words"), "{a}");
    assert!(again.skills.iter().all(|skill| !skill.cut && !skill.changed));
}

#[test]
fn what_changed_is_said_and_what_is_gone_is_left_out() {
    let mut scene = Scene::new();
    for name in ["a", "b", "c", "d"] {
        write(&scene, name, &format!("Body of {name}."));
    }
    let session = called(&scene, &[("a", ""), ("b", ""), ("c", ""), ("d", "")]);
    write(&scene, "a", "Another text.");
    fs_err::remove_dir_all(scene.context.project().join(".agents/skills/b")).unwrap();
    scene.rule("skill", "c", Action::Deny);
    fs_err::write(scene.context.project().join(".agents/skills/d/SKILL.md"), "no skill any more").unwrap();
    let again = again(&scene, &session, |_| {});
    assert_eq!(names(&again), ["a"]);
    assert!(again.skills[0].changed);
    let text = &again.messages[1].text;
    assert!(text.starts_with("[`a` has changed since") && text.contains("Another text."), "{text}");
    let expected = [
        "d: it is not sent again: it may not be called any more",
        "c: it is not sent again: it may not be called any more",
        "b: it is not sent again: it is not there any more",
        "a: it has changed since it was called, and is sent as it is now",
    ];
    assert_eq!(notes(&again.notices), expected);
}

#[test]
fn commands_are_not_run_again() {
    let scene = Scene::new();
    write(&scene, "a", "Body of a: !`touch canary`");
    let session = called(&scene, &[("a", "")]);
    let again = again(&scene, &session, |_| {});
    assert!(again.messages[1].text.contains("Body of a: [not run again: touch canary]"), "{again:?}");
    assert!(!scene.context.project().join("canary").exists());
}

#[test]
fn each_has_its_limit_and_all_have_one() {
    let scene = Scene::new();
    // Characters of three bytes, so that a cut by bytes would split one.
    for name in ["a", "b", "c"] {
        write(&scene, name, &format!("Body of {name}. {}", "€".repeat(2000)));
    }
    write(&scene, "short", "Body of short.");
    let session = called(&scene, &[("short", ""), ("c", ""), ("b", ""), ("a", "")]);
    let check = |each: u64, total: u64, expected: &[&str]| {
        let again = again(&scene, &session, |rules| (rules.each, rules.total) = (each, total));
        assert_eq!(names(&again), expected, "{each} {total}");
        let texts = again.messages.iter().skip(1);
        let used: Vec<u64> = texts.clone().map(|message| tokens(message.text.len() as u64)).collect();
        assert!(used.iter().all(|used| *used <= each) && used.iter().sum::<u64>() <= total, "{used:?}");
        assert_eq!(used, again.skills.iter().map(|skill| skill.tokens).collect::<Vec<_>>());
        for (skill, message) in again.skills.iter().zip(texts) {
            assert!(message.text.contains(&format!("Body of {}.", skill.name)), "the start is kept");
            assert_eq!(skill.cut, message.text.contains("[cut here; the rest is in "), "{}", skill.name);
            assert!(message.text.ends_with("</skill>"), "the frame stays whole: {}", message.text);
        }
        again
    };
    let whole = check(5_000, 25_000, &["a", "b", "c", "short"]);
    assert!(whole.skills.iter().all(|skill| !skill.cut));
    let cut = check(1_000, 25_000, &["a", "b", "c", "short"]);
    assert_eq!(cut.skills.iter().map(|skill| skill.cut).collect::<Vec<_>>(), [true, true, true, false]);
    assert!(cut.skills[0].tokens > 990, "the room is used: {:?}", cut.skills[0]);
    let full = check(1_000, 2_020, &["a", "b"]);
    let expected = ["c", "short"].map(|name| format!("{name}: it is not sent again: 2020 tokens are used up"));
    assert_eq!(notes(&full.notices), expected);
    let none = check(10, 25_000, &[]);
    assert!(none.messages.is_empty(), "there is nothing to remind of");
}

/// A conversation of a server has no record, and any number of calls.
#[test]
fn a_conversation_without_a_record_keeps_no_arguments_and_knows_what_it_was_sent() {
    let scene = Scene::new();
    scene.context.tree("//- project/.claude/skills/a/SKILL.md\n---\nname: a\ndescription: X\n---\nDo $ARGUMENTS.\n");
    let runtime = scene.runtime_of("claude-code");
    let mut session = Session::new("s");
    let mut is_repeated = |said: &str| {
        let call =
            Call { skill: "a".to_owned(), caller: Caller::Model, arguments: CallArguments::Raw(said.repeat(10_000)) };
        let mut activation = Activation::new(runtime.clone(), vec![call]);
        let done = drive(&mut activation, &mut session, &mut |_: &_| Answer::No, |run| panic!("{run:?}"));
        done.activated[0].repeated
    };
    assert_eq!(["a", "a", "b", "a", "a"].map(&mut is_repeated), [false, true, false, false, true]);
    assert!(session.record.is_none() && format!("{session:?}").len() < 2_000, "{session:?}");
}
