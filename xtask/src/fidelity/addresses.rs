//! Records how the real programs answer addresses of skills and their files.
//!
//! A case has `asked.json`, a list of addresses; one that we answer differently on purpose has a `why`. The answers stand
//! in `addresses.json`, one line for each.

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

use super::case::Case;
use super::omp;
use super::peers::{Peer, Program};

/// Asks the real program for every address of a case and writes down what it answers.
pub(super) fn record(case: &Case, program: &Program) -> Result<()> {
    let asked = asked(case)?;
    let scene = case.scene()?;
    let answers = match program.peer {
        Peer::Omp => omp::read(program, &scene, &asked)?,
        peer => bail!("{} knows no addresses", peer.host()),
    };
    let portable = |value: &Value| value.as_str().map(|text| scene.portable(text));
    let lines: Vec<Value> = asked
        .iter()
        .zip(&answers)
        .map(|(address, answer)| {
            let mut line = json!({ "address": address });
            for key in ["text", "type", "error"] {
                if let Some(text) = portable(&answer[key]) {
                    line[key] = text.into();
                }
            }
            line
        })
        .collect();
    let answer = json!({ "answers": lines });
    case.write(program, "addresses.json", &answer)
}

fn asked(case: &Case) -> Result<Vec<String>> {
    let path = case.dir.join("asked.json");
    let list: Vec<Value> =
        serde_json::from_str(&fs_err::read_to_string(&path)?).with_context(|| format!("in {}", path.display()))?;
    let address = |line: &Value| line["address"].as_str().map(str::to_owned);
    list.iter().map(address).collect::<Option<_>>().with_context(|| format!("no address in {}", path.display()))
}
