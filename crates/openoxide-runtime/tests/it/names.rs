//! Rules mean a skill by every name that some host gives it, whatever they are about.

use openoxide_permissions::Action::{self, Allow, Ask, Deny};
use openoxide_runtime::{Answer, Call, CallArguments, Question, RefusalReason, ScriptCall, ScriptRun, Session, drive};
use openoxide_sandbox::{Ended, Outcome};
use openoxide_skills::host::Caller;

use crate::scene::Scene;

/// A project that is a plugin: some hosts call its skill `tools:deploy`, and this one does not.
fn plugin(rules: &[(&str, &str, Action)]) -> Scene {
    let mut scene = Scene::new();
    scene.context.tree(
        "//- project/.claude-plugin/plugin.json\n{\"name\": \"tools\"}\n\
         //- project/.agents/skills/deploy/SKILL.md\n---\nname: deploy\ndescription: X\n---\nText\n\
         //- project/.agents/skills/deploy/agents/openai.yaml\npermissions:\n  network:\n    enabled: true\n\
         //- project/.agents/skills/deploy/go.sh\necho ran\n",
    );
    for (permission, pattern, action) in rules {
        scene.rule(permission, pattern, *action);
    }
    scene
}

/// Runs the script and says no to everything; returns why it did not run, what was asked, and whether it had the network.
fn run(rules: &[(&str, &str, Action)]) -> (Option<RefusalReason>, Vec<&'static str>, bool) {
    let call = ScriptCall {
        skill: "deploy".into(),
        script: "go.sh".into(),
        arguments: Vec::new(),
        stdin: Vec::new(),
        caller: Caller::User,
    };
    let (mut asked, mut network) = (Vec::new(), false);
    let mut answer = |question: &Question| {
        let Question::RequestedPermissions { permissions, .. } = question else { panic!("{question:?}") };
        asked.extend(permissions.iter().map(|permission| permission.kind.as_str()));
        Answer::No
    };
    let scene = plugin(rules);
    let mut script = ScriptRun::new(scene.runtime(), call);
    let done = drive(&mut script, &mut Session::new("s"), &mut answer, |run| {
        network = run.command.policy.network;
        Ok(Outcome {
            ended: Ended::Exit(0),
            stdout: Vec::new(),
            stderr: Vec::new(),
            truncated: false,
            took: std::time::Duration::ZERO,
            changes: Vec::new(),
        })
    });
    (done.result.err().map(|refusal| refusal.why), asked, network)
}

#[test]
fn a_rule_on_scripts_alone_means_all_names() {
    let profile = ("profile", "*", Deny);
    assert_eq!(run(&[profile, ("script", "*", Allow)]), (None, vec![], false));
    assert_eq!(
        run(&[profile, ("script", "*", Ask), ("script", "tools:deploy/*", Deny)]),
        (Some(RefusalReason::Denied), vec![], false)
    );
    assert_eq!(
        run(&[profile, ("script", "*", Allow), ("script", "tools:deploy/*", Ask)]),
        (Some(RefusalReason::Rejected), vec!["script"], false)
    );
    assert_eq!(run(&[profile, ("script", "*", Deny), ("script", "deploy/*", Allow)]), (None, vec![], false));
}

#[test]
fn a_rule_on_profiles_alone_means_all_names() {
    let script = ("script", "*", Allow);
    assert_eq!(run(&[script, ("profile", "*", Allow)]), (None, vec![], true));
    assert_eq!(run(&[script, ("profile", "*", Allow), ("profile", "tools:deploy", Deny)]), (None, vec![], false));
    assert_eq!(run(&[script, ("profile", "*", Allow), ("network", "tools:deploy", Deny)]), (None, vec![], false));
    assert_eq!(
        run(&[script, ("profile", "*", Allow), ("profile", "tools:deploy", Ask)]),
        (None, vec!["profile"], false),
        "it was asked for, and not given"
    );
}

/// A list of what is allowed holds in a plugin's repository too, and the catalog says the same as the call.
#[test]
fn what_is_allowed_by_name_is_not_denied_by_the_rest() {
    for (rules, is_callable) in [
        (&[("skill", "*", Deny), ("skill", "deploy", Allow)][..], true),
        (&[("skill", "*", Deny), ("skill", "tools:deploy", Allow)], false),
        (&[("skill", "*", Deny), ("skill", "deploy", Allow), ("skill", "tools:*", Deny)], false),
        (&[("skill", "tools:deploy", Deny)], false),
    ] {
        let runtime = plugin(rules).runtime();
        let entry = runtime.catalog().find("deploy")[0].clone();
        assert_eq!(entry.is_active() && entry.model, is_callable, "{rules:?}");
        for caller in [Caller::Model, Caller::User] {
            let call = Call { skill: "deploy".into(), caller, arguments: CallArguments::Nothing };
            assert_eq!(runtime.admit(&call).is_ok(), is_callable, "{rules:?} {caller:?}");
        }
        assert_eq!(runtime.calls_unasked(&entry, Caller::Model), is_callable, "{rules:?}");
    }
}
