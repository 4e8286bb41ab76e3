//! What a model gets when a skill is called, compared with what the real programs sent.

use serde::Deserialize;

use super::pattern::differs;
use super::{CALLS, CaseFolder, Difference, Scene, check};

/// What a real program made of some calls.
#[derive(Deserialize)]
struct Recording {
    calls: Vec<Call>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Call {
    skill: String,
    caller: String,
    args: Option<String>,
    messages: Vec<Message>,
    /// What the user is told when the model gets nothing; that is a matter of the program's own screen.
    #[expect(dead_code, reason = "for people")]
    answer: Option<String>,
}

#[derive(Debug, Deserialize)]
struct Message {
    role: String,
    text: String,
    /// Whether it is the failure of a tool.
    #[serde(default)]
    error: bool,
}

/// What we answer.
#[derive(Deserialize)]
struct Answer {
    messages: Vec<Message>,
    refused: Vec<Refused>,
}

#[derive(Deserialize)]
struct Refused {
    text: String,
}

fn compare(scene: &Scene, folder: &CaseFolder) -> Vec<Difference> {
    let text = fs_err::read_to_string(folder.join("activations.json")).unwrap();
    let recording: Recording = serde_json::from_str(&text).unwrap();
    assert!(!recording.calls.is_empty(), "{} has calls", folder.name());
    recording.calls.iter().flat_map(|call| compare_call(scene, call)).collect()
}

fn compare_call(scene: &Scene, call: &Call) -> Vec<Difference> {
    let record = scene.context.root().join("record.json");
    let mut words = vec![call.skill.as_str(), "--as", &call.caller, "--json", "--no-input"];
    if let Some(args) = &call.args {
        words.extend(["--raw-args", args]);
    }
    if scene.case.session {
        words.extend(["--record", record.to_str().unwrap()]);
    }
    let answer: Answer = serde_json::from_str(&scene.ask("activate", &words)).unwrap();
    let mut ours = answer.messages;
    if call.caller == "model" {
        // What a tool answers to a call that it refuses is a message too.
        let refusals = answer.refused.into_iter();
        ours.extend(refusals.map(|refused| Message { role: "tool".to_owned(), text: refused.text, error: true }));
    }
    let about = || vec![call.skill.clone()];
    let title = format!("{} by {} with {:?}", call.skill, call.caller, call.args);
    if ours.len() != call.messages.len() {
        let text = format!("{title}: {} messages, not {}: {ours:?}", ours.len(), call.messages.len());
        return vec![Difference { text, about: about() }];
    }
    let pairs = call.messages.iter().zip(&ours);
    let wrong = pairs.filter_map(|(real, ours)| {
        let kinds = (&real.role, real.error) != (&ours.role, ours.error);
        let why = if kinds { Some(format!("{real:?} / {ours:?}")) } else { differs(&real.text, &ours.text) };
        Some(Difference { text: format!("{title}: {}", why?), about: about() })
    });
    wrong.collect()
}

#[test]
fn codex_is_sent_the_same() {
    check("codex", CALLS, compare);
}

#[test]
fn claude_code_is_sent_the_same() {
    check("claude-code", CALLS, compare);
}

#[test]
fn claude_code_of_an_older_version_is_sent_the_same() {
    check("claude-code@2.1.240", CALLS, compare);
}

#[test]
fn omp_is_sent_the_same() {
    check("omp", CALLS, compare);
}

#[test]
fn opencode_is_sent_the_same() {
    check("opencode", CALLS, compare);
}
