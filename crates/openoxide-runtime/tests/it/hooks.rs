//! Events and what hooks say to them: input, exit statuses, JSON, matchers.

use openoxide_runtime::Resumable as _;
use openoxide_runtime::{Deactivation, Event};
use openoxide_skills::host::HookEvent;
use serde_json::{Value, json};

use crate::hooked::{Hooked, OUT, line, on, post, pre, prompt, stop, told};

#[test]
fn every_event_tells_what_happened() {
    let hooks: String =
        HookEvent::ALL.iter().map(|event| on(event.as_str(), &[&format!("cat > {OUT}/{}", event.as_str())])).collect();
    let Some(mut hooked) = Hooked::active("openoxide", &hooks) else { return };
    hooked.fire(Event::SessionStart { source: "startup".to_owned() });
    hooked.fire(prompt("hello"));
    hooked.fire(pre("Bash", "ls"));
    hooked.fire(post("Bash"));
    hooked.fire(stop());
    hooked.fire(Event::SessionEnd { reason: "exit".to_owned() });
    let cwd = hooked.scene.context.project();
    let check = |event: &str, more: Value| {
        let mut expected = json!({"session_id": "s1", "cwd": cwd, "hook_event_name": event});
        expected.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let mut written = hooked.written(event);
        let mode = written.as_object_mut().unwrap().remove("permission_mode");
        assert_eq!(mode.is_some(), event != "SkillActivated", "what the agent adds is told");
        assert_eq!(written, expected);
    };
    let tool = json!({"tool_name": "Bash", "tool_input": {"command": "ls"}, "tool_use_id": "t1"});
    let mut used = tool.clone();
    used["tool_response"] = json!({"stdout": "files"});
    check("SkillActivated", json!({"skill_name": "a", "skill_caller": "user", "skill_arguments": "x y"}));
    check("SessionStart", json!({"source": "startup"}));
    check("UserPromptSubmit", json!({"prompt": "hello"}));
    check("PreToolUse", tool);
    check("PostToolUse", used);
    check("Stop", json!({"stop_hook_active": false, "last_assistant_message": "done"}));
    check("SessionEnd", json!({"reason": "exit"}));
    check("SkillDeactivated", json!({"skill_name": "a", "reason": "session-ended"}));
}

#[test]
fn what_the_agent_adds_cannot_replace_what_is_known() {
    let Some(mut hooked) = Hooked::active("openoxide", &on("Stop", &[&format!("cat > {OUT}/seen")])) else { return };
    let mut firing = openoxide_runtime::Firing::new(hooked.runtime.clone(), stop()).with("session_id", json!("other"));
    let step = firing.resume(&mut hooked.session, openoxide_runtime::Reply::Begin);
    let openoxide_runtime::Step::Run(run) = step else { panic!("{step:?}") };
    let input: Value = serde_json::from_slice(&run.command.stdin).unwrap();
    assert_eq!(input["session_id"], "s1");
}

/// Runs a command on an event, and compares what comes of it.
fn check(event: fn() -> Event, command: &str, expected: &str) {
    let name = event().kind().as_str();
    let Some(mut hooked) = Hooked::active("openoxide", &on(name, &[command])) else { return };
    let verdict = hooked.fire(event());
    assert_eq!(line(&verdict), expected, "{name}: {command}");
    assert_eq!(hooked.ran(), [command]);
}

fn bash() -> Event {
    pre("Bash", "ls")
}

fn used() -> Event {
    post("Bash")
}

fn said() -> Event {
    prompt("hello")
}

fn started() -> Event {
    Event::SessionStart { source: "startup".to_owned() }
}

fn ended() -> Event {
    Event::SessionEnd { reason: "exit".to_owned() }
}

#[test]
fn exit_statuses() {
    check(bash, "exit 0", "");
    check(bash, "echo text", "");
    check(bash, "echo no >&2; exit 2", "deny(no)");
    check(bash, "exit 2", "deny(a hook of `a` does not allow it)");
    check(said, "echo no >&2; exit 2", "block(no)");
    check(stop, "echo more >&2; exit 2", "block(more)");
    // What has happened already cannot be kept from happening.
    check(used, "echo odd >&2; exit 2", "context(odd)");
    check(started, "echo odd >&2; exit 2", "notice(it exited with status 2: odd)");
    check(ended, "exit 2", "notice(it exited with status 2)");
    for event in [bash, used, said, stop, started, ended] {
        check(event, "echo bad >&2; exit 1", "notice(it exited with status 1: bad)");
    }
    check(bash, "kill -9 $$", "notice(it ended by signal 9)");
    check(bash, "no-such-program", "notice(it exited with status 127: /bin/sh: 1: no-such-program: not found)");
}

#[test]
fn plain_output_is_context_where_the_model_listens() {
    check(said, "echo ' It is Monday. '", "context(It is Monday.)");
    check(started, "echo hi", "context(hi)");
    check(used, "echo hi", "");
    check(stop, "echo hi", "");
    let Some(mut hooked) = Hooked::new("openoxide", &[("a", &on("SkillActivated", &["echo ready"]))]) else { return };
    let done = hooked.activate("a", &openoxide_runtime::Answer::Session);
    assert_eq!(line(&done.verdict), "context(ready)");
}

fn json_says(event: fn() -> Event, json: &Value, status: i32, expected: &str) {
    check(event, &format!("echo '{json}'; exit {status}"), expected);
}

#[test]
fn decisions_on_tools() {
    for ruling in ["allow", "deny", "ask", "defer"] {
        let json = json!({"hookSpecificOutput": {
            "hookEventName": "PreToolUse", "permissionDecision": ruling, "permissionDecisionReason": "because",
        }});
        json_says(bash, &json, 0, &format!("{ruling}(because)"));
    }
    let input = json!({"hookSpecificOutput": {"permissionDecision": "allow", "updatedInput": {"command": "pwd"}}});
    json_says(bash, &input, 0, "allow(-) input({\"command\":\"pwd\"})");
    let input = json!({"hookSpecificOutput": {"permissionDecision": "deny", "updatedInput": {"command": "pwd"}}});
    json_says(bash, &input, 0, "deny(-)");
    let context = json!({"hookSpecificOutput": {"additionalContext": "It is late."}});
    json_says(bash, &context, 0, "context(It is late.)");
    json_says(bash, &json!({"decision": "block", "reason": "old"}), 0, "deny(old)");
    json_says(bash, &json!({"decision": "approve"}), 0, "allow(-)");
    let output = json!({"hookSpecificOutput": {"hookEventName": "PostToolUse", "updatedToolOutput": "less"}});
    json_says(used, &output, 0, "output(\"less\")");
}

#[test]
fn decisions_on_other_events() {
    for event in [said, stop, used] {
        json_says(event, &json!({"decision": "block", "reason": "because"}), 0, "block(because)");
        json_says(event, &json!({"decision": "block"}), 0, "block(a hook of `a` does not allow it)");
    }
    for event in [bash, used, said, started] {
        json_says(event, &json!({"continue": false, "stopReason": "enough"}), 0, "halt(enough)");
    }
    json_says(stop, &json!({"continue": false, "decision": "block", "reason": "go on"}), 0, "halt(-)");
    json_says(said, &json!({"continue": true, "systemMessage": "Careful"}), 0, "message(Careful)");
    json_says(started, &json!({"decision": "block"}), 0, "notice(`decision` in its answer is not understood)");
}

#[test]
fn json_counts_whatever_the_status_is() {
    let allow = json!({"hookSpecificOutput": {"permissionDecision": "allow", "permissionDecisionReason": "fine"}});
    json_says(bash, &allow, 1, "allow(fine)");
    // It gives the reason of a status that blocks, and cannot undo it.
    json_says(bash, &allow, 2, "deny(fine)");
    json_says(said, &json!({"reason": "json", "systemMessage": "m"}), 2, "block(json) message(m)");
    check(
        said,
        "echo '{\"decision\":'; exit 1",
        "notice(its answer is no JSON: EOF while parsing a value at line 1 column 12) notice(it exited with status 1)",
    );
}

#[test]
fn answers_that_make_no_sense_are_told_and_decide_nothing() {
    let odd = |key: &str| format!("notice(`{key}` in its answer is not understood)");
    let specific = |value: Value| json!({"hookSpecificOutput": value});
    json_says(bash, &specific(json!({"permissionDecision": "maybe"})), 0, &odd("permissionDecision"));
    json_says(bash, &specific(json!({"permissionDecision": 1})), 0, &odd("permissionDecision"));
    json_says(bash, &specific(json!({"updatedInput": "ls"})), 0, &odd("updatedInput"));
    json_says(bash, &specific(json!("deny")), 0, &odd("hookSpecificOutput"));
    let other = json!({"hookEventName": "Stop", "permissionDecision": "allow"});
    json_says(bash, &specific(other), 0, &odd("hookEventName"));
    json_says(
        bash,
        &json!({"decision": ["block"], "systemMessage": {}}),
        0,
        &format!("{} {}", odd("systemMessage"), odd("decision")),
    );
}

#[test]
fn several_hooks_decide_together() {
    let says = |ruling: &str| {
        format!(
            "echo '{}'",
            json!({"hookSpecificOutput": {"permissionDecision": ruling, "updatedInput": {"by": ruling}}})
        )
    };
    let all = ["allow", "ask", "defer", "deny"].map(says);
    for (count, expected) in [
        (1, "allow(-) input({\"by\":\"allow\"})"),
        (2, "ask(-) input({\"by\":\"ask\"})"),
        (3, "defer(-)"),
        (4, "deny(-)"),
    ] {
        let mut commands: Vec<&str> = all[..count].iter().map(String::as_str).collect();
        let Some(mut hooked) = Hooked::active("openoxide", &on("PreToolUse", &commands)) else { return };
        assert_eq!(line(&hooked.fire(bash())), expected);
        assert_eq!(hooked.ran(), commands);
        commands.reverse();
        let Some(mut hooked) = Hooked::active("openoxide", &on("PreToolUse", &commands)) else { return };
        assert_eq!(line(&hooked.fire(bash())).split('(').next(), expected.split('(').next());
    }
}

#[test]
fn matchers_and_conditions_choose() {
    let hooks = "PreToolUse:\n\
        - {matcher: Bash, hooks: [{command: echo exact}]}\n\
        - {matcher: 'Edit|Write', hooks: [{command: echo list}]}\n\
        - {matcher: 'mcp__.*', hooks: [{command: echo pattern}]}\n\
        - {matcher: '*', hooks: [{command: echo star}]}\n\
        - {matcher: '', hooks: [{command: echo empty}]}\n\
        - {matcher: Bash, hooks: [{command: echo rm, if: 'Bash(rm *)'}]}\n\
        SessionStart:\n\
        - {matcher: resume, hooks: [{command: echo resume}]}\n\
        Stop:\n\
        - {matcher: never, hooks: [{command: echo stop}]}\n";
    let Some(mut hooked) = Hooked::active("openoxide", hooks) else { return };
    let mut check = |event: Event, expected: &[&str]| {
        hooked.fire(event.clone());
        let ran: Vec<String> = hooked.ran().iter().map(|ran| ran.replace("echo ", "")).collect();
        assert_eq!(ran, expected, "{event:?}");
    };
    check(pre("Bash", "ls"), &["exact", "star", "empty"]);
    check(pre("Bash", "cd x && rm -rf y"), &["exact", "star", "empty", "rm"]);
    check(pre("Write", ""), &["list", "star", "empty"]);
    check(pre("mcp__db__drop", ""), &["pattern", "star", "empty"]);
    check(pre("bash", "rm x"), &["star", "empty"]);
    check(Event::SessionStart { source: "startup".to_owned() }, &[]);
    check(Event::SessionStart { source: "resume".to_owned() }, &["resume"]);
    // There is nothing that a matcher could look at.
    check(stop(), &["stop"]);
}

#[test]
fn what_cannot_run_here_is_said_once() {
    let hooks = "PreToolUse:\n\
        - {matcher: '^(?!Bash)', hooks: [{command: echo x}]}\n\
        - {hooks: [{type: http, url: 'https://x.example'}, {command: dir, shell: powershell}]}\n\
        PreCompact: [{hooks: [{command: echo x}]}]\n\
        Stop: [{hooks: [{command: echo x, if: 'Bash(rm *)'}]}]\n";
    let Some(mut hooked) = Hooked::new("openoxide", &[("a", hooks)]) else { return };
    let mut ask = |question: &openoxide_runtime::Question| panic!("{question:?}");
    let done = hooked.activate_with("a", &mut ask);
    let expected = [
        "hooks on `PreCompact` are not honoured here",
        "a hook on PreToolUse never runs: its matcher `^(?!Bash)` cannot be read: look-around, including look-ahead \
         and look-behind, is not supported",
        "a hook on PreToolUse never runs: handlers of type `http` are not honoured here",
        "a hook on PreToolUse never runs: the shell `powershell` is not there",
        "a hook on Stop never runs: `if` is for tools only",
    ];
    assert_eq!(told(&done.notices), expected);
    assert_eq!(hooked.activate_with("a", &mut ask).notices, []);
    for event in [bash(), stop(), prompt("x")] {
        assert_eq!(line(&hooked.fire(event)), "");
    }
    assert_eq!(hooked.ran(), [""; 0]);
}

#[test]
fn a_host_without_hooks_runs_none() {
    let Some(mut hooked) =
        Hooked::with("openoxide", &[("a", &on("Stop", &["echo x"]))], crate::scene::Scene::new(), |host| {
            host.hooks = None;
        })
    else {
        return;
    };
    let done = hooked.activate_with("a", &mut |question| panic!("{question:?}"));
    assert_eq!(told(&done.notices), ["its hooks have no effect here"]);
    assert_eq!(line(&hooked.fire(stop())), "");
}

#[test]
fn hooks_can_be_switched_off() {
    let scene = crate::scene::Scene::new();
    scene.context.tree("//- home/.claude/settings.json\n{\"disableAllHooks\": true}\n");
    let skills = [("a", &*on("Stop", &["exit 2"]))];
    let Some(mut hooked) = Hooked::with("claude-code", &skills, scene, |_| {}) else { return };
    let done = hooked.activate_with("a", &mut |question| panic!("{question:?}"));
    assert_eq!(told(&done.notices), ["hooks are switched off"]);
    assert_eq!(line(&hooked.fire(stop())), "");
}

/// What the user switched off stays off, whatever the project's own files say.
#[test]
fn a_project_cannot_switch_hooks_or_commands_on() {
    let scene = crate::scene::Scene::new();
    let off = "{\"disableAllHooks\": true, \"disableSkillShellExecution\": true}";
    let on_again = off.replace("true", "false");
    scene.context.tree(&format!(
        "//- home/.claude/settings.json\n{off}\n//- project/.claude/settings.json\n{on_again}\n\
         //- project/.claude/settings.local.json\n{on_again}\n"
    ));
    let runtime = scene.changed_runtime_of("claude-code", |_| {});
    let host = &runtime.view().host;
    assert!(!host.hooks.as_ref().unwrap().run && !host.shell.as_ref().unwrap().run);
}

/// However many hooks there are, an event does not wait for all the time that each of them may take.
#[test]
fn the_hooks_of_an_event_have_a_time_together() {
    let hooks = on("PreToolUse", &["sleep 60", "exit 2", "exit 2"]);
    let limit = |host: &mut openoxide_skills::host::Host| host.hooks.as_mut().unwrap().event_seconds = 1.0;
    let Some(mut hooked) = Hooked::with("openoxide", &[("a", &hooks)], crate::scene::Scene::new(), limit) else {
        return;
    };
    hooked.activate("a", &openoxide_runtime::Answer::Session);
    let said = "notice(it took too long and was stopped) notice(hooks took 1 seconds on one event; 2 more did not run)";
    assert_eq!(line(&hooked.fire(bash())), said);
    assert_eq!(hooked.ran().len(), 1);
    // The next event has its own time.
    assert!(line(&hooked.fire(bash())).contains("2 more did not run"));
}

#[test]
fn the_end_of_a_turn_is_put_off_eight_times_in_a_row() {
    let hooks = on("Stop", &[&format!("cat > {OUT}/seen; echo more >&2; exit 2")]);
    let Some(mut hooked) = Hooked::active("openoxide", &hooks) else { return };
    for turn in 0..2 {
        for round in 0..8 {
            assert_eq!(line(&hooked.fire(stop())), "block(more)", "{turn} {round}");
            assert_eq!(hooked.written("seen")["stop_hook_active"], json!(round > 0), "{turn} {round}");
        }
        let verdict = hooked.fire(stop());
        assert_eq!(line(&verdict), "notice(hooks put off the end of the turn 8 times in a row; it ends now)");
    }
    // What the user says begins another turn.
    assert_eq!(line(&hooked.fire(stop())), "block(more)");
    hooked.fire(prompt("next"));
    hooked.fire(stop());
    assert_eq!(hooked.written("seen")["stop_hook_active"], json!(false));
}

#[test]
fn hostile_output_stays_within_bounds() {
    let long = "x".repeat(10_000);
    let cut = format!("context({long}\n[cut here])");
    check(said, "head -c 20000 /dev/zero | tr '\\0' x", &cut);
    check(
        said,
        "printf '{\"systemMessage\":\"'; head -c 20000 /dev/zero | tr '\\0' x; printf '\"}'",
        &cut.replace("context", "message"),
    );
    check(said, "head -c 20000 /dev/zero | tr '\\0' x >&2; exit 2", &cut.replace("context", "block"));
    check(said, "head -c 9000000 /dev/zero", "notice(it wrote too much and was stopped)");
    check(said, "printf '\\377\\376a'", "context(\u{fffd}\u{fffd}a)");
    let deep = "printf '{\"a\":'; head -c 100000 /dev/zero | tr '\\0' '['";
    check(bash, deep, "notice(its answer is no JSON: recursion limit exceeded at line 1 column 132)");
    check(said, "sleep 1000 & echo done", "context(done)");
    check(said, "printf '{\"continue\":false,\"continue\":true}'", "");
}

#[test]
fn a_hook_that_takes_too_long_decides_nothing() {
    let hooks =
        "PreToolUse: [{hooks: [{command: 'echo no >&2; sleep 60; exit 2', timeout: 0.5}, {command: 'exit 2'}]}]";
    let Some(mut hooked) = Hooked::active("openoxide", hooks) else { return };
    let verdict = hooked.fire(bash());
    assert_eq!(line(&verdict), "deny(a hook of `a` does not allow it) notice(it took too long and was stopped)");
}

#[test]
fn nobody_waits_for_a_hook_in_the_background() {
    let hooks = "PreToolUse: [{hooks: [{command: 'echo no >&2; exit 2', async: true}]}]";
    let Some(mut hooked) = Hooked::active("openoxide", hooks) else { return };
    assert_eq!(line(&hooked.fire(bash())), "");
    assert_eq!(hooked.ran().len(), 1);
}

#[test]
fn a_driver_that_runs_nothing_gets_no_decision() {
    let Some(mut hooked) = Hooked::active("openoxide", &on("Stop", &["exit 2"])) else { return };
    let mut firing = openoxide_runtime::Firing::new(hooked.runtime.clone(), stop());
    firing.resume(&mut hooked.session, openoxide_runtime::Reply::Begin);
    let step = firing.resume(&mut hooked.session, openoxide_runtime::Reply::Begin);
    let openoxide_runtime::Step::Done(verdict) = step else { panic!("{step:?}") };
    assert_eq!(line(&verdict), "notice(the sandbox could not be prepared: it was not run)");
    // Whoever asks again hears nothing new.
    let step = firing.resume(&mut hooked.session, openoxide_runtime::Reply::Begin);
    assert!(matches!(step, openoxide_runtime::Step::Done(verdict) if line(&verdict).is_empty()));
    assert_eq!(line(&hooked.deactivate("nobody", Deactivation::Asked)), "");
}
