//! Whether a skill may be called, from the question to the answer and what is kept of it.

use std::collections::VecDeque;
use std::fmt::Write as _;
use std::sync::Arc;

use openoxide_config::Trust;
use openoxide_permissions::{Action, Permission};
use openoxide_runtime::Resumable as _;
use openoxide_runtime::{
    Activation, ActivationOutcome, Answer, Audience, Call, CallArguments, Question, ReadForm, ReadPart, ReadRequest,
    ReadTarget, Reading, Record, RefusalReason, Reply, Runtime, ScriptCall, ScriptRun, Session, Step, ToolRegistry,
    Toolbox, drive,
};
use openoxide_sandbox::{Ended, Outcome};
use openoxide_skills::host::Caller;
use openoxide_skills::render::Model;
use serde_json::json;

use crate::scene::{Scene, Script};

/// Skills that may be called only after a question.
fn asking(names: &[&str]) -> Scene {
    let mut scene = Scene::new();
    for name in names {
        scene.context.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: Does things\n---\nText of {name}\n\
             //- project/.agents/skills/{name}/s.sh\necho {name}\n"
        ));
        scene.rule("skill", name, Action::Ask);
    }
    scene
}

/// Calls skills; answers in turn, and no when there are no more. Returns what was asked.
fn call(
    runtime: &Arc<Runtime>,
    session: &mut Session,
    calls: &[(&str, Caller)],
    answers: &[Answer],
) -> (ActivationOutcome, Vec<String>) {
    let calls = calls.iter().map(|(skill, caller)| Call {
        skill: (*skill).to_owned(),
        caller: *caller,
        arguments: CallArguments::Nothing,
    });
    let mut activation = Activation::new(Arc::clone(runtime), calls.collect());
    let (mut answers, mut asked) = (VecDeque::from(answers.to_vec()), Vec::new());
    let mut answer = |question: &Question| {
        let Question::Permission { permission, subject, place, .. } = question else { panic!("{question:?}") };
        assert!(place.ends_with(&format!("/{subject}/SKILL.md")), "the question says which skill: {place}");
        asked.push(format!("permission {permission} {subject}"));
        answers.pop_front().unwrap_or(Answer::No)
    };
    let done = drive(&mut activation, session, &mut answer, |run| panic!("{run:?}"));
    (done, asked)
}

fn sent(done: &ActivationOutcome) -> Vec<&str> {
    done.activated.iter().map(|activated| activated.name.as_str()).collect()
}

fn refused(done: &ActivationOutcome) -> Vec<(&str, RefusalReason)> {
    done.refused.iter().map(|refusal| (refusal.name.as_str(), refusal.why)).collect()
}

const A: &str = "permission skill a";
const MODEL: [(&str, Caller); 1] = [("a", Caller::Model)];

#[test]
fn no_is_no_and_is_asked_again() {
    let scene = asking(&["a"]);
    let (runtime, mut session) = (scene.runtime(), Session::recorded(Record::default()));
    for caller in [Caller::Model, Caller::User, Caller::Model] {
        let (done, asked) = call(&runtime, &mut session, &[("a", caller)], &[Answer::No]);
        assert_eq!((asked, sent(&done)), (vec![A.to_owned()], Vec::new()));
        assert_eq!(refused(&done), [("a", RefusalReason::Rejected)]);
        assert!(!done.refused[0].text.contains("Text of a"));
    }
    assert!(session.record.unwrap().all().is_empty(), "what was not sent is not recorded");
}

#[test]
fn once_is_for_one_call() {
    let scene = asking(&["a"]);
    let (runtime, mut session) = (scene.runtime(), Session::new("s"));
    for _ in 0..2 {
        let (done, asked) = call(&runtime, &mut session, &MODEL, &[Answer::Once]);
        assert_eq!((asked.len(), sent(&done)), (1, vec!["a"]));
    }
    assert!(!scene.context.home().join(".openoxide/state").exists(), "nothing is written");
}

#[test]
fn a_session_is_for_its_conversation_and_for_that_skill() {
    let scene = asking(&["a", "b"]);
    let (runtime, mut session) = (scene.runtime(), Session::new("s"));
    call(&runtime, &mut session, &MODEL, &[Answer::Session]);
    let (done, asked) = call(&runtime, &mut session, &MODEL, &[]);
    assert_eq!((asked.len(), sent(&done)), (0, vec!["a"]));
    let (done, asked) = call(&runtime, &mut session, &[("b", Caller::Model)], &[]);
    assert_eq!((asked.len(), sent(&done).len()), (1, 0));
    let (_, asked) = call(&runtime, &mut Session::new("other"), &MODEL, &[]);
    assert_eq!(asked.len(), 1);
    assert!(!scene.context.home().join(".openoxide/state").exists(), "nothing is written");
}

#[test]
fn always_holds_until_it_is_taken_back() {
    let scene = asking(&["a", "ab"]);
    call(&scene.runtime(), &mut Session::new("s"), &MODEL, &[Answer::Always]);
    // For another conversation, another runtime, and whoever calls.
    let runtime = scene.runtime();
    for caller in [Caller::Model, Caller::User] {
        let (done, asked) = call(&runtime, &mut Session::new("t"), &[("a", caller)], &[]);
        assert_eq!((asked.len(), sent(&done)), (0, vec!["a"]));
    }
    let (_, asked) = call(&runtime, &mut Session::new("t"), &[("ab", Caller::Model)], &[]);
    assert_eq!(asked, ["permission skill ab"], "for that skill only");

    let mut trust = Trust::open(&scene.environment());
    assert_eq!(trust.remembered_answers().map(|answer| answer.pattern.as_str()).collect::<Vec<_>>(), ["a"]);
    assert_eq!(trust.revoke(|_| true).unwrap().len(), 1);
    let (done, asked) = call(&scene.runtime(), &mut Session::new("u"), &MODEL, &[]);
    assert_eq!((asked.len(), refused(&done)), (1, vec![("a", RefusalReason::Rejected)]));
}

/// A pattern in a name is no pattern in what is remembered, and another file is another skill.
#[test]
fn an_answer_covers_its_name_and_its_file_and_no_other() {
    let mut scene = asking(&["a"]);
    scene.rule("skill", "*", Action::Ask);
    let runtime = scene.runtime();
    let mut session = Session::new("s");
    session.allow(Permission::Skill, "a", "/s/a/SKILL.md");
    let decided = |subject, skill| runtime.decide_about(&session, Permission::Skill, subject, skill).action;
    assert_eq!(decided("a", "/s/a/SKILL.md"), Action::Allow);
    for other in ["aa", "b", "*", "a*", "A", ""] {
        assert_eq!(decided(other, "/s/a/SKILL.md"), Action::Ask, "{other:?}");
    }
    assert_eq!(decided("a", "/other/a/SKILL.md"), Action::Ask);
}

/// "Always" is for the skill that was shown: a project that brings another of its name asks again.
#[test]
fn always_is_not_for_another_skill_of_the_name() {
    let scene = asking(&["a"]);
    call(&scene.runtime(), &mut Session::new("s"), &MODEL, &[Answer::Always]);
    let skill = scene.context.project().join(".agents/skills/a");
    fs_err::create_dir_all(scene.context.project().join(".openoxide/skills")).unwrap();
    fs_err::rename(&skill, scene.context.project().join(".openoxide/skills/a")).unwrap();
    let (done, asked) = call(&scene.runtime(), &mut Session::new("t"), &MODEL, &[]);
    assert_eq!((asked, sent(&done).len()), (vec![A.to_owned()], 0));
}

/// A rule means a skill by the name of its folder, the name in its text, and what other hosts make of them.
#[test]
fn rules_on_reading_mean_a_skill_by_all_its_names() {
    for rule in ["folder", "ﬁle", "file", "acme:folder", "acme:file", "team-x"] {
        let mut scene = Scene::new();
        scene.context.tree(
            "//- project/.agents/skills/.claude-plugin/plugin.json\n{\"name\": \"acme\"}\n\
             //- project/.agents/skills/folder/SKILL.md\n---\nname: \"  ﬁle \"\ndescription: X\n---\nText\n\
             //- project/.agents/skills/folder/secret.md\nSecret\n\
             //- project/.agents/skills/other/SKILL.md\n---\nname: \"team:x\"\ndescription: X\n---\nText\n\
             //- project/.agents/skills/other/secret.md\nSecret\n",
        );
        scene.rule("read", &format!("{rule}/secret.md"), Action::Deny);
        let runtime = scene.runtime_of("opencode");
        let skill = if rule == "team-x" { "team:x" } else { "  ﬁle " };
        assert_eq!(read(&runtime, skill, "secret.md").unwrap_err(), "forbidden", "{rule}");
        assert!(read(&runtime, skill, "SKILL.md").is_ok(), "{rule}");
    }
}

/// A link inside a skill's folder leads to no file that a rule keeps from being read.
#[test]
fn rules_on_reading_mean_the_file_that_a_link_leads_to() {
    let mut scene = asking(&["a"]);
    let folder = scene.context.project().join(".agents/skills/a");
    fs_err::create_dir_all(folder.join("in")).unwrap();
    fs_err::write(folder.join("in/secret.md"), "Secret").unwrap();
    fs_err::write(folder.join("in/plain.md"), "Plain").unwrap();
    for (link, target) in [("one.md", "in/secret.md"), ("two", "in"), ("three.md", "in/plain.md")] {
        std::os::unix::fs::symlink(target, folder.join(link)).unwrap();
    }
    scene.rule("skill", "a", Action::Allow);
    scene.rule("read", "a/in/secret.md", Action::Deny);
    let runtime = scene.runtime();
    for path in ["in/secret.md", "one.md", "two/secret.md"] {
        assert_eq!(read(&runtime, "a", path).unwrap_err(), "forbidden", "{path}");
    }
    for path in ["in/plain.md", "two/plain.md", "three.md"] {
        assert_eq!(read(&runtime, "a", path).unwrap(), "Plain", "{path}");
    }
}

/// Reads a file for a model; an error is its word.
fn read(runtime: &Arc<Runtime>, skill: &str, path: &str) -> Result<String, &'static str> {
    let (part, written) = (ReadPart::Path(path.to_owned()), path.to_owned());
    let target = ReadTarget::Skill { skill: skill.to_owned(), written, part };
    let request = ReadRequest { target, caller: Caller::Model, form: ReadForm::Text, audience: Audience::Program };
    let mut reading = Reading::new(Arc::clone(runtime), request);
    let Step::Done(done) = reading.resume(&mut Session::new("s"), Reply::Begin) else { panic!("a question") };
    done.result.map(|answer| answer.text.unwrap()).map_err(|refusal| refusal.word())
}

#[test]
fn a_rule_that_denies_is_stronger_than_any_answer() {
    let mut scene = asking(&["a"]);
    let mut session = Session::new("s");
    call(&scene.runtime(), &mut session, &MODEL, &[Answer::Always]);
    let file = fs_err::canonicalize(scene.context.project().join(".agents/skills/a/SKILL.md")).unwrap();
    session.allow(Permission::Skill, "a", file.to_str().unwrap());
    scene.rule("skill", "a", Action::Deny);
    let runtime = scene.runtime();
    for caller in [Caller::Model, Caller::User] {
        let (done, asked) = call(&runtime, &mut session, &[("a", caller)], &[Answer::Always]);
        assert_eq!((asked.len(), sent(&done).len()), (0, 0), "{:?}", done.refused);
    }
    // A rule that asks is no rule that denies: what was answered holds.
    scene.rule("skill", "a", Action::Ask);
    let (done, asked) = call(&scene.runtime(), &mut session, &MODEL, &[]);
    assert_eq!((asked.len(), sent(&done)), (0, vec!["a"]));
}

#[test]
fn several_at_once_are_asked_for_one_by_one() {
    let mut scene = asking(&["a", "b", "c", "d"]);
    scene.rule("skill", "d", Action::Allow);
    let (runtime, mut session) = (scene.runtime(), Session::new("s"));
    let calls = ["a", "b", "c", "d", "a"].map(|name| (name, Caller::User));
    let (done, asked) = call(&runtime, &mut session, &calls, &[Answer::Once, Answer::No, Answer::Session]);
    assert_eq!(asked, [A, "permission skill b", "permission skill c"], "a twice is one question");
    assert_eq!(sent(&done), ["a", "c", "d", "a"], "in the order of the calls");
    assert_eq!(refused(&done), [("b", RefusalReason::Rejected)]);
    let (done, asked) = call(&runtime, &mut session, &calls, &[]);
    assert_eq!((asked, sent(&done)), (vec![A.to_owned(), "permission skill b".to_owned()], vec!["c", "d"]));
}

/// Whoever answers something else than was asked has not said yes.
#[test]
fn another_reply_is_no_answer() {
    let scene = asking(&["a"]);
    let calls = || vec![Call { skill: "a".to_owned(), caller: Caller::Model, arguments: CallArguments::Nothing }];
    let took = std::time::Duration::ZERO;
    let ran = Ok(Outcome {
        ended: Ended::Exit(0),
        stdout: Vec::new(),
        stderr: Vec::new(),
        truncated: false,
        took,
        changes: Vec::new(),
    });
    for reply in [Reply::Begin, Reply::Ran(ran), Reply::Answer(Answer::Secret("yes".to_owned().into()))] {
        let mut activation = Activation::new(scene.runtime(), calls());
        let mut session = Session::new("s");
        let step = activation.resume(&mut session, Reply::Begin);
        assert!(matches!(step, Step::Ask(Question::Permission { .. })), "{step:?}");
        let Step::Done(done) = activation.resume(&mut session, reply) else { panic!("no further question") };
        assert_eq!(refused(&done), [("a", RefusalReason::Rejected)]);
    }
}

/// A script asks for its skill first, and what was answered for that holds for both.
#[test]
fn scripts_are_asked_for_the_same_way() {
    let scene = asking(&["a"]);
    let runtime = scene.runtime();
    let run = |session: &mut Session, answers: &[Answer]| {
        let call = ScriptCall {
            skill: "a".to_owned(),
            script: "s.sh".to_owned(),
            arguments: Vec::new(),
            stdin: Vec::new(),
            caller: Caller::Model,
        };
        let (mut answers, mut asked) = (VecDeque::from(answers.to_vec()), Vec::new());
        let mut answer = |question: &Question| {
            asked.push(matches!(question, Question::RequestedPermissions { .. }));
            answers.pop_front().unwrap_or(Answer::No)
        };
        let took = std::time::Duration::ZERO;
        let ended = Ended::Exit(0);
        let done = drive(&mut ScriptRun::new(Arc::clone(&runtime), call), session, &mut answer, |_| {
            Ok(Outcome {
                ended,
                stdout: b"ran".to_vec(),
                stderr: Vec::new(),
                truncated: false,
                took,
                changes: Vec::new(),
            })
        });
        (done.result.map(|ran| ran.outcome.stdout).map_err(|refusal| refusal.why), asked)
    };
    let mut session = Session::new("s");
    assert_eq!(run(&mut session, &[Answer::No]), (Err(RefusalReason::Rejected), vec![false]));
    assert_eq!(run(&mut session, &[Answer::Once, Answer::No]), (Err(RefusalReason::Rejected), vec![false, true]));
    assert_eq!(run(&mut session, &[Answer::Session, Answer::Once]), (Ok(b"ran".to_vec()), vec![false, true]));
    assert_eq!(run(&mut session, &[Answer::No]), (Err(RefusalReason::Rejected), vec![true]), "once was once");
    assert_eq!(run(&mut session, &[Answer::Session]), (Ok(b"ran".to_vec()), vec![true]));
    assert_eq!(run(&mut session, &[]), (Ok(b"ran".to_vec()), vec![]));
    scene.context.tree("//- project/.agents/skills/a/s.sh\necho other\n");
    assert_eq!(run(&mut session, &[]), (Err(RefusalReason::Rejected), vec![true]), "these are other bytes");
}

/// An answer that cannot be written down counts now, and people are told.
#[test]
fn an_answer_that_cannot_be_kept_is_told() {
    let scene = asking(&["a"]);
    scene.context.tree("//- home/.openoxide/state\nno folder\n");
    let (done, _) = call(&scene.runtime(), &mut Session::new("s"), &MODEL, &[Answer::Always]);
    assert_eq!(sent(&done), ["a"]);
    assert!(done.notices[0].text.starts_with("the answer is not remembered: "), "{:?}", done.notices);
    let (_, asked) = call(&scene.runtime(), &mut Session::new("t"), &MODEL, &[]);
    assert_eq!(asked.len(), 1);
}

/// The model's tools name what it may call, and answer for nothing else.
#[test]
fn tools_neither_name_nor_load_what_is_not_for_the_model() {
    for host in ["openoxide", "claude-code", "opencode", "opencode@seed-001", "pepper", "remcochat"] {
        let mut scene = Scene::new();
        let mut text = "//- project/config.toml\n[app.skills]\nenabled = true\n".to_owned();
        for root in [".agents/skills", ".claude/skills", ".opencode/skills", "files/skills", ".skills"] {
            for (name, more) in
                [("plain", ""), ("people-only", "disable-model-invocation: true\n"), ("secret-plan", "")]
            {
                let _ = write!(
                    text,
                    "//- project/{root}/{name}/SKILL.md\n---\nname: {name}\ndescription: Does it\n{more}---\nLEAKED {name}\n"
                );
            }
        }
        scene.context.tree(&text);
        scene.rule("skill", "secret-*", Action::Deny);
        let toolbox =
            Toolbox::new(scene.runtime_of(host), &mut ToolRegistry::default(), Model::default(), str::to_owned)
                .unwrap();
        let tool = toolbox.tools.iter().find(|tool| !tool.name.contains("ead")).unwrap();
        let (key, _) = tool.input_schema["properties"].as_object().unwrap().iter().next().unwrap();
        let call = |name: &str| {
            let arguments = json!({ key: name });
            let mut script = Script::new(|_| Answer::Once);
            let result =
                toolbox.call(&mut Session::new("s"), &tool.name, &arguments, &mut script, |run| panic!("{run:?}"));
            format!("{result:?}")
        };
        assert!(call("plain").contains("LEAKED plain"), "{host}: {}", call("plain"));
        let denied = call("secret-plan");
        assert!(!denied.contains("LEAKED"), "{host}: {denied}");
        for wanted in ["secret-pla", "nothing"] {
            assert!(!call(wanted).contains("secret-plan"), "{host}: {}", call(wanted));
        }
        // Where a host knows such skills at all.
        if ["openoxide", "claude-code"].contains(&host) {
            assert!(!call("people-only").contains("LEAKED"), "{host}: {}", call("people-only"));
            assert!(!call("people-onl").contains("people-only"), "{host}: {}", call("people-onl"));
            let contracts = format!("{:?}", toolbox.tools);
            assert!(!contracts.contains("people-only"), "{host}: {contracts}");
        }
        // A program that has no words for such skills says no more than of one that is not there.
        if host == "openoxide" {
            assert_eq!(call("people-only").replace("people-only", "nobodys-one"), call("nobodys-one"));
        }
        // There the rule was known when the catalog was made.
        if host == "openoxide" {
            assert!(!format!("{:?}", toolbox.tools).contains("secret-plan"), "{:?}", toolbox.tools);
        }
    }
}
