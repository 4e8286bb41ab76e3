//! Runs `OpenCode` and reads its list of skills and the catalog that it sends to a model.

pub(super) mod activate;
pub(super) mod serve;

use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::{Context, Result, ensure};
use serde_json::{Map, Value, json};

use super::http::{FakeModel, Reply, Request};
use super::peers::Program;
use super::scene::Scene;

/// Asks `OpenCode` which skills it sees; the answer has the shape of a recording, by path, because it has no order.
pub(super) fn list(program: &Program, scene: &Scene) -> Result<Value> {
    let mut command = prepare(program, scene)?;
    let text = run(command.args(["debug", "skill"]), scene)?;
    let answer: Value = serde_json::from_str(&text).with_context(|| format!("no JSON in {text:?}"))?;
    let on_disk = answer.as_array().into_iter().flatten().filter(|skill| skill["location"] != "<built-in>");
    let mut skills: Vec<Value> = on_disk.map(|skill| picked(skill, scene)).collect();
    skills.sort_by_key(|skill| skill["path"].to_string());
    Ok(json!({ "skills": skills }))
}

/// Takes the fields of a skill that are compared.
fn picked(skill: &Value, scene: &Scene) -> Value {
    let fields = [("name", "name"), ("description", "description"), ("location", "path")];
    let text = |key: &str| skill[key].as_str().map(|text| Value::from(scene.portable(text)));
    let pairs = fields.into_iter().filter_map(|(theirs, ours)| Some((ours.to_owned(), text(theirs)?)));
    Value::Object(pairs.collect::<Map<_, _>>())
}

/// Lets `OpenCode` take one turn with a fake model and returns the lines of skills that the model got.
pub(super) fn catalog(program: &Program, scene: &Scene) -> Result<Vec<String>> {
    let model = FakeModel::start(answer)?;
    let mut command = prepare(program, scene)?;
    configure(&mut command, scene, &model)?;
    run(command.args(["run", "hello"]), scene)?;
    let requests = model.requests();
    let turn =
        requests.iter().find(|request| request.body["tools"].is_array()).context("the model was asked nothing")?;
    let messages = turn.body["messages"].as_array().into_iter().flatten();
    let texts =
        messages.filter(|message| message["role"] == "system").filter_map(|message| message["content"].as_str());
    Ok(entries(&scene.portable(&texts.collect::<Vec<_>>().join("\n"))))
}

/// Takes the lines of skills out of a text, without the skill that comes with the program.
pub(super) fn entries(text: &str) -> Vec<String> {
    let list = text.split_once("<available_skills>\n").and_then(|(_, rest)| rest.rsplit_once("\n</available_skills>"));
    let mut lines: Vec<String> = list.map_or("", |(list, _)| list).split('\n').map(str::to_owned).collect();
    if let Some(at) = lines.iter().position(|line| line == "    <location>&lt;built-in&gt;</location>") {
        lines.drain(at - 3..=at + 1);
    }
    lines.retain(|line| !line.is_empty() || list.is_some());
    lines
}

/// Tells the program of the fake model, in the administrator's folder: it is read last and beside everything else, so
/// that the tree's own settings stay whole.
fn configure(command: &mut Command, scene: &Scene, model: &FakeModel) -> Result<()> {
    let settings = scene.root().join("managed");
    fs_err::create_dir_all(&settings)?;
    fs_err::write(settings.join("opencode.json"), provider(&model.url()).to_string())?;
    command.env("OPENCODE_TEST_MANAGED_CONFIG_DIR", &settings);
    Ok(())
}

/// Variables that keep the program offline and quiet.
const QUIET: &[&str] = &[
    "OPENCODE_DISABLE_MODELS_FETCH",
    "OPENCODE_DISABLE_AUTOUPDATE",
    "OPENCODE_DISABLE_LSP_DOWNLOAD",
    "OPENCODE_DISABLE_DEFAULT_PLUGINS",
    "OPENCODE_DISABLE_SHARE",
    "OPENCODE_EXPERIMENTAL_DISABLE_FILEWATCHER",
    "OPENCODE_PURE",
];

fn prepare(program: &Program, scene: &Scene) -> Result<Command> {
    // The program asks Git, which wants these folders in a repository.
    for folder in ["objects", "refs"] {
        fs_err::create_dir_all(scene.root().join("project/.git").join(folder))?;
    }
    let mut command = scene.command(&program.file);
    command.env("LANG", "C.UTF-8").envs(QUIET.iter().map(|name| (name, "1")));
    for proxy in ["HTTP_PROXY", "HTTPS_PROXY"] {
        // Nothing listens there: the program stays offline.
        command.env(proxy, "http://127.0.0.1:9");
    }
    command.env("NO_PROXY", "127.0.0.1");
    let git = git_folder().context("Git is not installed; the real program asks it where the project begins")?;
    command.env("PATH", format!("{}:/usr/bin:/bin", git.display()));
    Ok(command)
}

fn git_folder() -> Option<PathBuf> {
    std::env::split_paths(&std::env::var_os("PATH")?).find(|folder| folder.join("git").is_file())
}

/// Runs the program and returns its answer, which goes through a file because the program cuts what goes into a pipe.
fn run(command: &mut Command, scene: &Scene) -> Result<String> {
    let path = scene.root().join("answer");
    let output = command.stdin(Stdio::null()).stdout(fs_err::File::create(&path)?.into_file()).output();
    let output = output.context("the real program does not start")?;
    let talk = String::from_utf8_lossy(&output.stderr);
    ensure!(output.status.success(), "the real program failed: {talk}");
    Ok(fs_err::read_to_string(&path)?)
}

fn provider(url: &str) -> Value {
    let options = json!({ "baseURL": format!("{url}/v1"), "apiKey": "none" });
    let fake = json!({ "npm": "@ai-sdk/openai-compatible", "name": "fake", "options": options, "models": { "m": {} } });
    json!({ "provider": { "fake": fake }, "model": "fake/m", "small_model": "fake/m" })
}

/// Says "ok" in the words of the Chat Completions API.
fn answer(_: &Request) -> Reply {
    let said = chunk(&json!({ "role": "assistant", "content": "ok" }), None);
    let done = chunk(&json!({}), Some("stop"));
    Reply::Events([said, done].into_iter().map(|event| ("message".to_owned(), event)).collect())
}

fn chunk(delta: &Value, finish: Option<&str>) -> Value {
    let choice = json!({ "index": 0, "delta": delta, "finish_reason": finish });
    json!({ "id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m", "choices": [choice] })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_a_catalog() {
        let text = "Intro.\n<available_skills>\n  <skill>\n    <name>own</name>\n    <description>D</description>\n    \
                    <location>&lt;built-in&gt;</location>\n  </skill>\n  <skill>\n    <name>a</name>\n</available_skills>";
        assert_eq!(entries(text), ["  <skill>", "    <name>a</name>"]);
        assert!(entries("No skills.").is_empty());
    }
}
