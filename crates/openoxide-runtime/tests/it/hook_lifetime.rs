//! Who may have hooks, what they run as, and how long they stay.

use openoxide_config::PermissionKind;
use openoxide_permissions::Action;
use openoxide_runtime::Resumable as _;
use openoxide_runtime::{Answer, Deactivation, Event, Question, RequestedPermission};
use openoxide_skills::host::HookScope;

use crate::hooked::{Hooked, OUT, line, on, pre, prompt, stop, told};
use crate::scene::Scene;

fn canary() -> String {
    let touch = format!("touch {OUT}/canary");
    ["SkillActivated", "PreToolUse", "UserPromptSubmit", "Stop", "SkillDeactivated"]
        .map(|event| on(event, &[&touch]))
        .concat()
}

fn everything(hooked: &mut Hooked) {
    for event in [pre("Bash", "ls"), prompt("hello"), stop()] {
        hooked.fire(event);
    }
    hooked.deactivate("a", Deactivation::Asked);
}

#[test]
fn without_trust_nothing_runs() {
    let Some(mut hooked) = Hooked::new("openoxide", &[("a", &canary())]) else { return };
    let mut asked = Vec::new();
    let done = hooked.activate_with("a", &mut |question| {
        asked.push(question.clone());
        Answer::No
    });
    let [Question::RequestedPermissions { permissions, .. }] = asked.as_slice() else { panic!("{asked:?}") };
    let [RequestedPermission { kind: PermissionKind::Hook, actions: hooks, .. }] = permissions.as_slice() else {
        panic!("{permissions:?}")
    };
    let out = hooked.out("canary");
    assert_eq!(hooks.len(), 5);
    assert_eq!(hooks[0].to_string(), format!("PreToolUse: touch {}", out.display()));
    assert_eq!(told(&done.notices), ["it is not trusted to run commands on events: 5 of its hooks do not run"]);
    everything(&mut hooked);
    assert_eq!(hooked.session.active_hooks().count(), 0);
    assert_eq!(hooked.ran(), [""; 0]);
    assert!(!out.exists());
    // The same with trust: the canary can sing.
    hooked.activate("a", &Answer::Once);
    assert!(out.exists());
    everything(&mut hooked);
    assert_eq!(hooked.ran().len(), 5);
}

#[test]
fn rules_of_the_user_decide() {
    let hooks = on("Stop", &["echo good", "echo bad", "echo other"]);
    let mut scene = Scene::new();
    scene.rule("hook", "echo good", Action::Allow);
    scene.rule("hook", "echo bad", Action::Deny);
    let Some(mut hooked) = Hooked::with("openoxide", &[("a", &hooks)], scene, |_| {}) else { return };
    let mut asked = Vec::new();
    let done = hooked.activate_with("a", &mut |question| {
        let Question::RequestedPermissions { permissions, .. } = question else { panic!("{question:?}") };
        asked.extend(permissions.iter().flat_map(RequestedPermission::items));
        Answer::No
    });
    assert_eq!(asked, ["Stop: echo other"]);
    let expected = [
        "a permission rule denies its hook: Stop: echo bad",
        "it is not trusted to run commands on events: 1 of its hooks do not run",
    ];
    assert_eq!(told(&done.notices), expected);
    hooked.fire(stop());
    assert_eq!(hooked.ran(), ["echo good"]);
}

#[test]
fn trust_is_bound_to_what_the_folder_holds() {
    let hooks = on("UserPromptSubmit", &["sh scripts/say.sh"]);
    let Some(mut hooked) = Hooked::new("openoxide", &[("a", &hooks)]) else { return };
    let say = |hooked: &Hooked, text: &str| {
        hooked.scene.context.tree(&format!("//- project/.claude/skills/a/scripts/say.sh\necho {text}\n"));
    };
    say(&hooked, "first");
    hooked.activate("a", &Answer::Always);
    // What runs is the copy that was trusted.
    say(&hooked, "second");
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(first)");
    let mut changed = None;
    let done = hooked.activate_with("a", &mut |question| {
        if let Question::RequestedPermissions { changed: is_changed, .. } = question {
            changed = Some(*is_changed);
        }
        Answer::No
    });
    assert_eq!((changed, done.notices.len()), (Some(true), 1));
    assert_eq!(line(&hooked.fire(prompt("x"))), "");
    hooked.activate("a", &Answer::Session);
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(second)");
}

#[test]
fn hooks_see_no_more_than_they_need() {
    let names = "env | sed 's/=.*//' | sort | tr '\\n' ' '; pwd";
    let Some(mut hooked) = Hooked::active("openoxide", &on("UserPromptSubmit", &[names])) else { return };
    let verdict = hooked.fire(prompt("x"));
    let seen = line(&verdict);
    let (variables, folder) = seen.rsplit_once(' ').unwrap();
    let expected = "context(CLAUDE_PLUGIN_ROOT CLAUDE_PROJECT_DIR HOME LANG OPENOXIDE_PROJECT_DIR \
                    OPENOXIDE_SESSION_ID OPENOXIDE_SKILL_DIR PATH PWD TERM TMPDIR";
    assert_eq!(variables, expected);
    assert!(folder.contains("openoxide-") && !folder.contains("project"), "{folder}");
    // Nothing of the user's can be read, and nothing written.
    let home = hooked.scene.context.home();
    hooked.scene.context.tree("//- home/.ssh/id\nhunter2\n");
    let tries = format!("cat {}/.ssh/id; touch x; touch \"$CLAUDE_PROJECT_DIR/x\"; echo over", home.display());
    let Some(mut other) = Hooked::active("openoxide", &on("UserPromptSubmit", &[&tries])) else { return };
    assert_eq!(line(&other.fire(prompt("x"))), "context(over)");
    assert!(!other.scene.context.project().join("x").exists());
}

#[test]
fn a_host_says_where_hooks_run() {
    let command = "test -f .git/HEAD && test -f \"$CLAUDE_PLUGIN_ROOT/SKILL.md\" && echo \"$CLAUDE_CODE_SESSION_ID\"";
    let Some(mut hooked) = Hooked::active("claude-code", &on("UserPromptSubmit", &[command])) else { return };
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(s1)");
    assert_eq!(line(&hooked.activate("a", &Answer::Session).verdict), "");
}

#[test]
fn without_a_shell_arguments_stay_as_they_are() {
    let hooks = "UserPromptSubmit:\n- hooks:\n  - command: printf\n    args: ['%s|', '$HOME; touch x', '${CLAUDE_PROJECT_DIR}', '${HOME}']\n";
    let Some(mut hooked) = Hooked::new("openoxide", &[("a", hooks)]) else { return };
    let mut asked = Vec::new();
    hooked.activate_with("a", &mut |question| {
        let Question::RequestedPermissions { permissions, .. } = question else { panic!("{question:?}") };
        asked.extend(permissions.iter().flat_map(RequestedPermission::items));
        Answer::Session
    });
    assert_eq!(asked, ["UserPromptSubmit: printf '%s|' '$HOME; touch x' '${CLAUDE_PROJECT_DIR}' '${HOME}'"]);
    let project = hooked.scene.context.project();
    let expected = format!("context($HOME; touch x|{}|${{HOME}}|)", project.display());
    assert_eq!(line(&hooked.fire(prompt("x"))), expected);
}

#[test]
fn a_secret_does_not_come_back() {
    let scene = Scene::new();
    scene.context.tree(
        "//- project/.claude/skills/a/agents/openai.yaml\ndependencies:\n  tools:\n    - {type: env_var, value: A_TOKEN}\n",
    );
    let hooks = on("UserPromptSubmit", &["echo \"<$A_TOKEN>\"", "echo \"{\\\"systemMessage\\\":\\\"$A_TOKEN\\\"}\""])
        + &on(
            "PreToolUse",
            &["echo \"{\\\"hookSpecificOutput\\\":{\\\"updatedInput\\\":{\\\"a\\\":[\\\"$A_TOKEN\\\"]}}}\""],
        );
    let Some(mut hooked) = Hooked::with("openoxide", &[("a", &hooks)], scene, |_| {}) else { return };
    hooked.activate_with("a", &mut |question| match question {
        Question::Secret { .. } => Answer::Secret("hunter2hunter2".to_owned().into()),
        _ => Answer::Session,
    });
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(<[A_TOKEN]>) message([A_TOKEN])");
    assert_eq!(line(&hooked.fire(pre("Bash", "ls"))), "input({\"a\":[\"[A_TOKEN]\"]})");
    assert!(!format!("{:?}", hooked.session).contains("hunter2"));
}

/// How often a hook runs that is to run once, event by event.
fn once(host: &str, command: &str, expected: &[usize]) {
    let hooks = format!("UserPromptSubmit: [{{hooks: [{{command: {command:?}, once: true}}]}}]");
    let Some(mut hooked) = Hooked::active(host, &hooks) else { return };
    let mut runs = Vec::new();
    for _ in 0..expected.len() {
        hooked.fire(prompt("x"));
        runs.push(hooked.ran().len());
    }
    assert_eq!(runs, expected, "{host}: {command}");
    if expected.ends_with(&[0]) {
        assert_eq!(hooked.session.active_hooks().count(), 0);
        // Once in a session, whatever becomes of the skill.
        hooked.deactivate("a", Deactivation::Asked);
        hooked.activate("a", &Answer::Session);
        hooked.fire(prompt("x"));
        assert_eq!(hooked.ran(), [""; 0]);
    }
}

#[test]
fn once_is_the_first_run_or_the_first_success() {
    once("openoxide", "exit 0", &[1, 0, 0]);
    once("openoxide", "exit 1", &[1, 0]);
    once("openoxide", "exit 2", &[1, 0]);
    once("claude-code@seed", "exit 1", &[1, 0]);
    once("claude-code", "exit 0", &[1, 0, 0]);
    once("claude-code", "exit 1", &[1, 1, 1]);
    once("claude-code", "exit 2", &[1, 1, 1]);
    once("claude-code", "echo '{}'; exit 0", &[1, 0]);
}

/// Two skills that say when they go.
fn two(host: &str, scope: Option<HookScope>) -> Option<Hooked> {
    let say = |name: &str| {
        on("UserPromptSubmit", &[&format!("echo {name}")]) + &on("SkillDeactivated", &[&format!("cat > {OUT}/{name}")])
    };
    let (a, b) = (say("a"), say("b"));
    let skills = [("a", a.as_str()), ("b", b.as_str())];
    let mut hooked = Hooked::with(host, &skills, Scene::new(), |host| {
        if let (Some(hooks), Some(scope)) = (&mut host.hooks, scope) {
            hooks.scope = scope;
        }
    })?;
    hooked.activate("a", &Answer::Session);
    hooked.activate("b", &Answer::Session);
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(a) context(b)");
    Some(hooked)
}

#[test]
fn deactivation_removes_the_hooks_of_one_skill() {
    let Some(mut hooked) = two("openoxide", None) else { return };
    hooked.deactivate("a", Deactivation::Asked);
    assert_eq!(hooked.written("a")["reason"], "asked");
    assert!(!hooked.out("b").exists());
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(b)");
    // It is gone already.
    hooked.ran();
    hooked.deactivate("a", Deactivation::Asked);
    assert_eq!(hooked.ran(), [""; 0]);
    // By its path too.
    let path = hooked.scene.context.project().join(".claude/skills/b/SKILL.md");
    hooked.deactivate(path.to_str().unwrap(), Deactivation::Asked);
    assert_eq!(hooked.session.active_hooks().count(), 0);
}

#[test]
fn a_driver_that_goes_away_cannot_keep_hooks() {
    let Some(mut hooked) = two("openoxide", None) else { return };
    let event = Event::SkillDeactivated { skill: "a".to_owned(), reason: Deactivation::Asked };
    let mut firing = openoxide_runtime::Firing::new(hooked.runtime.clone(), event);
    firing.resume(&mut hooked.session, openoxide_runtime::Reply::Begin);
    drop(firing);
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(b)");
}

#[test]
fn the_end_of_the_session_removes_all() {
    let Some(mut hooked) = two("openoxide", None) else { return };
    hooked.fire(Event::SessionEnd { reason: "exit".to_owned() });
    for name in ["a", "b"] {
        assert_eq!(hooked.written(name)["reason"], "session-ended");
    }
    assert_eq!(line(&hooked.fire(prompt("x"))), "");
}

#[test]
fn the_end_of_a_fork_counts_where_hooks_belong_to_it() {
    let Some(mut hooked) = two("openoxide", None) else { return };
    hooked.deactivate("a", Deactivation::ForkEnded);
    assert_eq!(hooked.written("a")["reason"], "fork-ended");
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(b)");
    let Some(mut hooked) = two("openoxide", Some(HookScope::Session)) else { return };
    hooked.deactivate("a", Deactivation::ForkEnded);
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(a) context(b)");
    // Whoever asks for it is heard all the same.
    hooked.deactivate("a", Deactivation::Asked);
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(b)");
}

#[test]
fn the_end_of_a_turn_counts_where_the_host_says_so() {
    let Some(mut hooked) = two("openoxide", Some(HookScope::Turn)) else { return };
    hooked.fire(stop());
    assert_eq!(hooked.written("a")["reason"], "turn-ended");
    assert_eq!(line(&hooked.fire(prompt("x"))), "");
    let Some(mut hooked) = two("openoxide", None) else { return };
    hooked.fire(stop());
    assert_eq!(line(&hooked.fire(prompt("x"))), "context(a) context(b)");
    // A turn whose end is put off has not ended.
    let hooks = on("Stop", &["exit 2"]);
    let change = |host: &mut openoxide_skills::host::Host| host.hooks.as_mut().unwrap().scope = HookScope::Turn;
    let Some(mut hooked) = Hooked::with("openoxide", &[("a", &hooks)], Scene::new(), change) else { return };
    hooked.activate("a", &Answer::Session);
    hooked.fire(stop());
    assert_eq!(hooked.session.active_hooks().count(), 1);
}

#[test]
fn the_copy_goes_with_the_hooks() {
    let Some(mut hooked) = Hooked::active("openoxide", &on("UserPromptSubmit", &["pwd"])) else { return };
    let verdict = hooked.fire(prompt("x"));
    let copy = std::path::PathBuf::from(&verdict.context[0].text);
    assert!(copy.join("SKILL.md").is_file());
    hooked.deactivate("a", Deactivation::Asked);
    assert!(!copy.exists());
}

#[test]
fn hooks_run_in_the_fallback_too() {
    let hooks = on("PreToolUse", &["cat SKILL.md >/dev/null && cat >&2; exit 2"]);
    let Some(mut hooked) = Hooked::active("openoxide", &hooks).and_then(Hooked::without_programs) else { return };
    let verdict = hooked.fire(pre("Bash", "ls"));
    assert!(line(&verdict).contains("\"tool_name\":\"Bash\""), "{verdict:?}");
}
