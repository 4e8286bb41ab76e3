//! Runs omp through its own modules and reads the skills that it finds and describes to a model.

use std::time::Duration;

use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};

use super::call::{Call, Caller, Message, Outcome};
use super::peers::Program;
use super::scene::Scene;

/// The questions, in the words of the program's own modules.
const SCRIPT: &str = include_str!("omp/ask.ts");

/// The calls, in the words of the program's own modules.
const CALLS: &str = include_str!("omp/activate.ts");

/// Addresses that are read.
const READS: &str = include_str!("omp/read.ts");

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_mins(2);

/// Asks omp which skills it sees; the answer has the shape of a recording, and the lines of its catalog.
pub(super) fn ask(program: &Program, scene: &Scene) -> Result<(Value, Vec<String>)> {
    let answer = run(program, scene, SCRIPT, &[])?;
    let text = |value: &Value| Value::String(scene.portable(value.as_str().unwrap_or_default()));
    let skills = answer["skills"].as_array().into_iter().flatten().map(|skill| {
        let mut shown = skill.clone();
        shown["path"] = text(&skill["path"]);
        shown["description"] = text(&skill["description"]);
        shown
    });
    let warnings = answer["warnings"].as_array().into_iter().flatten().map(text);
    let recorded = json!({
        "skills": skills.collect::<Vec<_>>(),
        "warnings": warnings.collect::<Vec<_>>(),
    });
    let prompt = scene.portable(answer["prompt"].as_str().unwrap_or_default());
    Ok((recorded, entries(&prompt)))
}

/// Lets the user call skills; a name that omp does not know is a text like any other.
pub(super) fn calls(program: &Program, scene: &Scene, calls: &[Call]) -> Result<Vec<Outcome>> {
    ensure!(calls.iter().all(|call| call.caller == Caller::User), "omp's model has no tool to call a skill with");
    let typed: Vec<String> = calls.iter().map(|call| call.typed("/skill:")).collect();
    let answer = run(program, scene, CALLS, &typed)?;
    let made = answer.as_array().into_iter().flatten().map(|text| text.as_str().map(Message::user));
    Ok(made.map(|message| Outcome { messages: message.into_iter().collect(), answer: None }).collect())
}

/// Reads addresses: for each its text and type, or the error.
pub(super) fn read(program: &Program, scene: &Scene, addresses: &[String]) -> Result<Vec<Value>> {
    let answer = run(program, scene, READS, addresses)?;
    answer.as_array().filter(|answers| answers.len() == addresses.len()).cloned().context("omp left addresses out")
}

fn run(program: &Program, scene: &Scene, text: &str, words: &[String]) -> Result<Value> {
    let scratch = tempfile::tempdir()?;
    let (script, out) = (scratch.path().join("ask.ts"), scratch.path().join("answer.json"));
    fs_err::write(&script, text)?;
    let source = program.package.join("src");
    let mut command = scene.command(&program.file);
    command.arg("run").arg(&script).arg(source).arg(scene.folder()).arg(&out).args(words);
    command.stdout(std::process::Stdio::null()).stderr(std::process::Stdio::null());
    let mut child = command.spawn().with_context(|| format!("`{}` does not start", program.file.display()))?;
    let begun = std::time::Instant::now();
    while child.try_wait()?.is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill()?;
            bail!("omp did not answer within {} seconds", PATIENCE.as_secs());
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    let text = fs_err::read_to_string(&out).context("omp gave no answer")?;
    serde_json::from_str(&text).context("omp's answer is no JSON")
}

/// Takes what stands between the tags around the skills; a description may hold a closing tag, so the last one wins.
pub(super) fn entries(prompt: &str) -> Vec<String> {
    let Some((_, after)) = prompt.split_once("\n<skills>\n") else { return Vec::new() };
    let ours = after.strip_suffix("\n</skills>\n");
    let body = ours.or_else(|| Some(after.rsplit_once("\n</skills>\n# Internal")?.0)).or_else(|| {
        let (body, _) = after.rsplit_once("\n</skills>")?;
        Some(body)
    });
    body.unwrap_or(after).split('\n').map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::entries;

    #[test]
    fn the_list_stands_between_its_tags() {
        assert_eq!(entries("x\n<skills>\n- a: b\nc\n</skills>\n# Internal URLs\n</skills>"), ["- a: b", "c"]);
        assert_eq!(entries("Read.\n<skills>\n- a: b\n</skills>\n"), ["- a: b"]);
        assert!(entries("nothing").is_empty());
    }
}
