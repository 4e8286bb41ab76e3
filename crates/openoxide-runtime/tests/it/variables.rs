//! Variables that skills need.

use openoxide_config::PermissionKind;
use openoxide_permissions::Action;
use openoxide_runtime::{Answer, Question, Record, RequestedPermission, Session};

use crate::scene::{Scene, Script, told};

const TOKEN: &str = "  - {type: env_var, value: TOKEN, description: For the service}";

fn give(question: &Question) -> Answer {
    match question {
        Question::Secret { .. } => Answer::Secret("hunter2".to_owned().into()),
        _ => Answer::Once,
    }
}

/// Gives permissions, and nothing else is asked.
fn empower(question: &Question) -> Answer {
    assert!(matches!(question, Question::RequestedPermissions { .. }), "{question:?}");
    Answer::Once
}

#[test]
fn a_variable_is_asked_for_once_for_all_skills_that_need_it() {
    let scene = Scene::new();
    scene.skill("two", "say !`echo $TOKEN`", "  - {type: ENV_VAR, value: TOKEN}");
    scene.skill("one", "say !`echo $TOKEN`", TOKEN).skill("three", "say !`env`", "  - {type: env_var, value: LANG}");
    let mut session = Session::recorded(Record::default());
    let mut script = Script::new(give);
    "TOKEN is hunter2\n".clone_into(&mut script.prints);
    let done = scene.call(&mut session, &["two", "one"], &mut script);
    let expected = Question::Secret {
        variable: "TOKEN".to_owned(),
        about: Some("For the service".to_owned()),
        skills: vec!["one".to_owned(), "two".to_owned()],
    };
    assert_eq!((script.asked.len(), &script.asked[0]), (3, &expected));
    assert_eq!(told(&done), [""; 0]);
    assert_eq!(script.given.iter().filter_map(|given| given.get("TOKEN")).collect::<Vec<_>>(), ["hunter2", "hunter2"]);

    // Not again in the conversation, and not for a skill that does not name it.
    let mut script = Script::new(give);
    scene.call(&mut session, &["one", "three"], &mut script);
    let asked: Vec<String> = script.asked.iter().map(Question::key).collect();
    assert_eq!((asked.len(), asked[0].as_str()), (3, "secret LANG"));
    let seen: Vec<_> = script.given.iter().map(|given| given.contains_key("TOKEN")).collect();
    assert_eq!(seen, [true, false]);

    let messages: Vec<&str> = done.activated.iter().flat_map(|one| &one.messages).map(|one| &*one.text).collect();
    assert!(messages.iter().any(|text| text.contains("TOKEN is [TOKEN]")), "{messages:?}");
    let record = serde_json::to_string(&session.record).unwrap();
    for text in [format!("{messages:?}"), format!("{done:?}"), record, format!("{session:?}"), scene.config()] {
        assert!(!text.contains("hunter2"), "{text}");
    }
    assert!(format!("{session:?}").contains("TOKEN"), "the name is no secret");
}

#[test]
fn the_environment_is_looked_at_before_anybody_is_asked() {
    let mut scene = Scene::new();
    scene.variables.insert("TOKEN".to_owned(), "hunter2".to_owned());
    scene.variables.insert("OTHER".to_owned(), "not declared".to_owned());
    scene.skill("one", "!`env`", TOKEN);
    let mut script = Script::new(empower);
    "hunter2".clone_into(&mut script.prints);
    let mut session = Session::new("s");
    let done = scene.call(&mut session, &["one"], &mut script);
    assert_eq!(script.given[0].get("TOKEN").map(String::as_str), Some("hunter2"));
    assert!(!script.given[0].contains_key("OTHER"));
    assert!(!format!("{done:?}{session:?}").contains("hunter2"));

    // What the conversation has counts more.
    let mut session = Session::new("s");
    session.keep_secret("TOKEN", "from the conversation".to_owned().into());
    let mut script = Script::new(empower);
    scene.call(&mut session, &["one"], &mut script);
    assert_eq!(script.given[0].get("TOKEN").map(String::as_str), Some("from the conversation"));
}

#[test]
fn without_a_value_the_skill_is_usable_and_that_is_said() {
    let scene = Scene::new();
    scene.skill("one", "text", TOKEN);
    let mut session = Session::new("s");
    for (answer, questions) in [(Answer::No, 1), (Answer::Secret("late".to_owned().into()), 0)] {
        let mut script = Script::new(|_| answer.clone());
        let done = scene.call(&mut session, &["one"], &mut script);
        assert_eq!(script.asked.len(), questions);
        assert_eq!(told(&done), ["one: the variable TOKEN is missing; what needs it will fail"]);
    }
    for bad in ["", "a\0b"] {
        let mut session = Session::new("s");
        let done = scene.call(&mut session, &["one"], &mut Script::new(|_| Answer::Secret(bad.to_owned().into())));
        assert_eq!(done.notices.len(), 1, "{bad:?}");
        assert!(session.secret("TOKEN").is_none(), "{bad:?}");
    }
}

#[test]
fn what_steers_programs_cannot_be_wished_for() {
    let mut scene = Scene::new();
    scene.rule("shell", "*", Action::Allow);
    for name in ["LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "PYTHONSTARTUP", "OPENOXIDE_TOKEN"] {
        scene.variables.insert(name.to_owned(), "/tmp/evil.so".to_owned());
    }
    let tools = "  - {type: env_var, value: LD_PRELOAD}\n  - {type: env_var, value: \"A=B\"}\n  - {type: gadget, value: x}\n  \
                 - {type: env_var, value: NODE_OPTIONS}\n  - {type: env_var, value: OPENOXIDE_TOKEN}\n  \
                 - {type: env_var, value: PERL5OPT}\n  - {type: ENV_VAR, value: PYTHONSTARTUP}";
    scene.skill("one", "!`env`", tools);
    let mut script = Script::new(|question: &Question| panic!("{question:?}"));
    let done = scene.call(&mut Session::new("s"), &["one"], &mut script);
    for name in ["LD_PRELOAD", "NODE_OPTIONS", "PERL5OPT", "PYTHONSTARTUP", "OPENOXIDE_TOKEN"] {
        assert!(!script.given[0].contains_key(name), "{name}");
    }
    let told = told(&done);
    assert_eq!(told.len(), 7, "{told:?}");
    assert_eq!(told[0], "one: it needs `x` of the kind `gadget`");
    assert!(told[1].contains("`A=B` is not the name of a variable"), "{told:?}");
    assert!(told[2].contains("`LD_PRELOAD` is never given to a command: the dynamic loader"), "{told:?}");
    assert!(told[3].contains("`NODE_OPTIONS` is never given to a command: a language's runtime"), "{told:?}");
    assert!(told[4].contains("`OPENOXIDE_TOKEN` is never given to a command: it belongs to OpenOxide"), "{told:?}");
}

#[test]
fn who_is_asked_for_power_sees_which_variables_go_with_it() {
    for known in [true, false] {
        let mut scene = Scene::new();
        if known {
            scene.variables.insert("TOKEN".to_owned(), "hunter2".to_owned());
        }
        scene.skill("one", "!`env`", TOKEN);
        let mut script = Script::new(|_| Answer::No);
        scene.call(&mut Session::new("s"), &["one"], &mut script);
        let Some(Question::RequestedPermissions { permissions, .. }) = script.asked.last() else {
            panic!("{:?}", script.asked)
        };
        assert_eq!(permissions[0].items(), ["env", "gets the variable TOKEN"]);
        assert!(!format!("{:?}", script.asked).contains("hunter2"));
    }
}

#[test]
fn a_rule_about_commands_gives_no_variable() {
    let mut scene = Scene::new();
    scene.rule("shell", "*", Action::Allow);
    scene.variables.insert("TOKEN".to_owned(), "hunter2".to_owned());
    scene.skill("one", "!`env`", TOKEN);
    let mut session = Session::new("s");
    let seen = |session: &mut Session| {
        let mut script = Script::new(|question: &Question| panic!("{question:?}"));
        scene.call(session, &["one"], &mut script);
        assert_eq!(script.given.len(), 1, "the command runs all the same");
        script.given[0].contains_key("TOKEN")
    };
    assert!(!seen(&mut session));
    // Unless the user agreed to it, for these bytes.
    let runtime = scene.runtime();
    let entry = runtime.catalog().find("one")[0].clone();
    let permission = RequestedPermission::new(PermissionKind::Shell, [], vec!["TOKEN".to_owned()]);
    session.grant_permission(entry.canonical(), "sha256:00", &permission);
    assert!(!seen(&mut session));
    session.grant_permission(entry.canonical(), &runtime.inspect(&entry).unwrap().digest, &permission);
    assert!(seen(&mut session));
}

#[test]
fn nobody_is_buried_in_questions() {
    let scene = Scene::new();
    let tools: Vec<String> = (0..25).map(|at| format!("  - {{type: env_var, value: V{at:02}}}")).collect();
    scene.skill("one", "text", &tools.join("\n"));
    let mut script = Script::new(|_| Answer::No);
    let done = scene.call(&mut Session::new("s"), &["one"], &mut script);
    assert_eq!((script.asked.len(), done.notices.len()), (20, 25));
}

/// A command in a skill's text has the smaller of what the host and the user allow.
#[test]
fn a_command_has_the_time_of_the_host_and_of_the_user() {
    for (seconds, expected) in [(3, 3), (120, 10)] {
        let mut scene = Scene::new();
        scene.rule("shell", "*", Action::Allow);
        scene.skill("one", "!`date`", "  []");
        let limit = |host: &mut openoxide_skills::host::Host| host.shell.as_mut().unwrap().seconds = seconds;
        let runtime = scene.changed_runtime_of("openoxide", limit);
        let call = openoxide_runtime::Call {
            skill: "one".to_owned(),
            caller: openoxide_skills::host::Caller::User,
            arguments: openoxide_runtime::CallArguments::Nothing,
        };
        let mut activation = openoxide_runtime::Activation::new(runtime, vec![call]);
        let mut times = Vec::new();
        let mut answer = |question: &Question| -> Answer { panic!("{question:?}") };
        openoxide_runtime::drive(&mut activation, &mut Session::new("s"), &mut answer, |run| {
            times.push(run.command.limits.time.as_secs());
            Err(std::io::Error::other("not run").into())
        });
        assert_eq!(times, [expected]);
    }
}
