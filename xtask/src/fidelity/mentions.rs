//! Records which skills the real programs load when a turn names them, and compares that live.
//!
//! A case has `inputs.json`, a list of turns: a text, or the items of a turn as `openoxide schema turn` has them. The
//! answers stand in `mentions.json`, one line for each turn.

mod real;
mod texts;

use std::path::Path;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::case::Case;
use super::ours;
use super::peers::{Peer, Program, Rules};
use super::rng::Rng;
use super::scene::Scene;
use super::tally::Tally;

/// How many random texts are tried beside the recorded ones; Claude Code takes a second for each.
fn n_random(peer: Peer) -> usize {
    if peer == Peer::ClaudeCode { 40 } else { 200 }
}

/// Asks the real program about every turn of a case and writes down what it answers.
pub(super) fn record(case: &Case, program: &Program) -> Result<()> {
    let inputs = inputs(case)?;
    let scene = case.scene()?;
    let answers = real::ask(program, &scene, &placed(&scene, &inputs))?;
    let turns: Vec<Value> = inputs
        .iter()
        .zip(answers)
        .map(|(input, selected)| json!({ "input": input, "selected": portable(&scene, &selected) }))
        .collect();
    let answer = json!({ "turns": turns });
    case.write(program, "mentions.json", &answer)
}

/// Asks both programs about the recorded turns and about random texts; returns the number of turns and of differences.
pub(super) fn live(rules: &Rules, program: &Program, bin: &Path, seed: u64) -> Result<(usize, Tally)> {
    let (mut n_turns, mut differences) = (0, Tally::default());
    let peer = rules.peer;
    for case in Case::of(rules, None)?.into_iter().filter(|case| case.wants("mentions")) {
        let mut inputs = inputs(&case)?;
        let mut rng = Rng::new(seed);
        inputs.extend((0..n_random(peer)).map(|_| Value::String(texts::random(peer, &mut rng))));
        let scene = case.scene()?;
        let placed = placed(&scene, &inputs);
        let answers = real::ask(program, &scene, &placed)?;
        for ((input, turn), real) in inputs.iter().zip(&placed).zip(answers) {
            let ours = chosen(&ours::mentions(bin, &scene, rules, turn)?, &real);
            if ours != real {
                differences.add(&case.name(), &format!("turns: {input}: real {real}, ours {ours}"));
            }
        }
        n_turns += inputs.len();
    }
    Ok((n_turns, differences))
}

fn inputs(case: &Case) -> Result<Vec<Value>> {
    let path = case.dir.join("inputs.json");
    serde_json::from_str(&fs_err::read_to_string(&path)?).with_context(|| format!("in {}", path.display()))
}

/// Writes inputs as turns, with the tree's folder in the place of `{root}`.
fn placed(scene: &Scene, inputs: &[Value]) -> Vec<Value> {
    let turn = |input: &Value| {
        let items = if input.is_array() { input.clone() } else { json!([{ "type": "text", "text": input }]) };
        json!({ "items": replaced(&items, &|text| scene.placed(text)) })
    };
    inputs.iter().map(turn).collect()
}

fn portable(scene: &Scene, value: &Value) -> Value {
    replaced(value, &|text| scene.portable(text))
}

fn replaced(value: &Value, replace: &dyn Fn(&str) -> String) -> Value {
    match value {
        Value::String(text) => Value::String(replace(text)),
        Value::Array(items) => items.iter().map(|item| replaced(item, replace)).collect(),
        Value::Object(map) => map.iter().map(|(key, value)| (key.clone(), replaced(value, replace))).collect(),
        other => other.clone(),
    }
}

/// Takes from our answer what the real program also tells.
fn chosen(answer: &Value, real: &Value) -> Value {
    let told = |key: &str| real.as_array().into_iter().flatten().any(|line| !line[key].is_null());
    let keys = ["name", "path", "arguments"].into_iter().filter(|key| *key != "arguments" || told(key));
    let keys: Vec<&str> = keys.collect();
    let line = |line: &Value| -> Value {
        let present = keys.iter().filter(|key| !line[**key].is_null());
        Value::Object(present.map(|key| ((*key).to_owned(), line[*key].clone())).collect())
    };
    answer["selected"].as_array().into_iter().flatten().map(line).collect()
}
