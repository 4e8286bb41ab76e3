//! Skills that ask for a conversation of their own.

use openoxide_runtime::{Activation, ActivationOutcome, Answer, Call, CallArguments, Question, Record, Session, drive};
use openoxide_skills::host::Caller;

use crate::scene::Scene;

const REVIEW: &str = "\
//- project/SKILLS/review/SKILL.md
---
name: review
description: Reviews a file
context: fork
agent: Explore
background: false
model: opus
effort: high
allowed-tools: Read
---
Review $ARGUMENTS.
";

fn scene(folder: &str, more: &str) -> Scene {
    let scene = Scene::new();
    scene.context.tree(&REVIEW.replace("SKILLS", folder).replace("agent: Explore\nbackground: false\n", more));
    scene
}

fn call(scene: &Scene, host: &str, caller: Caller, session: &mut Session) -> ActivationOutcome {
    let arguments = CallArguments::Raw("src/a b.rs".to_owned());
    let call = Call { skill: "review".to_owned(), caller, arguments };
    let mut activation = Activation::new(scene.runtime_of(host), vec![call]);
    let mut answer = |question: &Question| match question {
        Question::RequestedPermissions { .. } | Question::Permission { .. } => Answer::Once,
        other => panic!("{other:?}"),
    };
    drive(&mut activation, session, &mut answer, |run| panic!("{run:?}"))
}

#[test]
fn a_fork_is_a_plan_that_the_agent_executes() {
    let scene = scene(".agents/skills", "agent: Explore\nbackground: false\n");
    let mut session = Session::recorded(Record::default());
    let done = call(&scene, "openoxide", Caller::Model, &mut session);
    let activated = &done.activated[0];
    assert!(activated.messages.is_empty(), "the conversation that called gets the result alone");
    let plan = activated.fork.as_ref().unwrap();
    assert_eq!((plan.agent_type.as_str(), plan.background), ("Explore", false));
    assert_eq!((plan.model.as_deref(), plan.effort.as_deref()), (Some("opus"), Some("high")));
    assert_eq!(plan.tools, ["Read"]);
    assert_eq!(plan.digest, activated.digest);
    assert!(plan.digest.starts_with("sha256:"), "{}", plan.digest);
    assert!(plan.prompt.contains("Review src/a b.rs."), "{}", plan.prompt);
    let text = "Skill \"review\" completed (forked execution).\n\nResult:\nFine, {name}.";
    assert_eq!((plan.result("Fine, {name}."), plan.started()), (text.to_owned(), None));

    // The conversation does not have it, so that it is neither repeated nor sent again.
    let runtime = scene.runtime_of("openoxide");
    let record = session.record.as_ref().unwrap();
    let again = record.reattach(&runtime, &session, &openoxide_runtime::ReattachLimits::default());
    assert!(record.all()[0].forked && again.messages.is_empty(), "{again:?}");
}

#[test]
fn claude_code_forks_in_the_background_and_answers_the_user_bare() {
    let scene = scene(".claude/skills", "");
    let model = call(&scene, "claude-code", Caller::Model, &mut Session::new("s"));
    let plan = model.activated[0].fork.as_ref().unwrap();
    assert_eq!((plan.agent_type.as_str(), plan.background), ("general-purpose", true));
    let dir = scene.context.project().join(".claude/skills/review");
    let prompt = format!("Base directory for this skill: {}\n\nReview src/a b.rs.", dir.display());
    assert_eq!(plan.prompt.trim_end(), prompt);
    assert!(plan.started().unwrap().contains("background"));
    let user = call(&scene, "claude-code", Caller::User, &mut Session::new("s"));
    assert_eq!(user.activated[0].fork.as_ref().unwrap().result("Fine."), "Fine.");
    let seed = call(&scene, "claude-code@seed", Caller::Model, &mut Session::new("s"));
    assert!(!seed.activated[0].fork.as_ref().unwrap().background, "the summary was waited for");
}

#[test]
fn a_host_without_forks_sends_it_as_any_other() {
    let scene = scene(".agents/skills", "agent: Explore\n");
    let done = call(&scene, "codex", Caller::User, &mut Session::new("s"));
    assert!(done.activated[0].fork.is_none());
    assert!(done.activated[0].messages[0].text.contains("Review "), "{done:?}");
}
