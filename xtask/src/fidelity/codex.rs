//! Runs Codex and reads its `skills/list` and the catalog that it sends to a model.

pub(super) mod activate;

use std::process::Command;

use anyhow::{Context, Result};
use serde_json::{Map, Value, json};

use super::http::{FakeModel, Reply, Request};
use super::peers::Program;
use super::rpc::Rpc;
use super::scene::Scene;

/// The skill lines of a catalog, and the lines of its table of roots.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Catalog {
    pub(super) roots: Vec<String>,
    pub(super) lines: Vec<String>,
}

/// Asks Codex which skills it sees; the answer has the shape of a recording.
pub(super) fn list(program: &Program, scene: &Scene) -> Result<Value> {
    Ok(recorded(&whole_list(program, scene)?, scene))
}

/// Asks Codex which skills it sees; the answer is as it came.
pub(super) fn whole_list(program: &Program, scene: &Scene) -> Result<Value> {
    ask_for_list(&mut start(program, scene, &[])?, scene)
}

/// Asks a server that speaks as Codex does.
pub(super) fn ask_for_list(rpc: &mut Rpc, scene: &Scene) -> Result<Value> {
    let mut answer = rpc.call("skills/list", &json!({ "cwds": [scene.folder()], "forceReload": true }))?;
    let folder = answer["data"].get_mut(0).context("`skills/list` answered nothing")?;
    Ok(folder.take())
}

/// Takes what is recorded of an answer.
pub(super) fn recorded(answer: &Value, scene: &Scene) -> Value {
    let each = |key: &str, fields: &[(&str, &str)]| {
        let items = answer[key].as_array().into_iter().flatten();
        items.map(|item| picked(item, fields, scene)).collect::<Vec<Value>>()
    };
    json!({
        "skills": each("skills", SKILL_FIELDS),
        "errors": each("errors", &[("path", "path"), ("message", "message")]),
    })
}

/// The fields of a skill, by Codex's name and ours.
const SKILL_FIELDS: &[(&str, &str)] = &[
    ("name", "name"),
    ("description", "description"),
    ("shortDescription", "short_description"),
    ("path", "path"),
    ("scope", "scope"),
    ("enabled", "enabled"),
    ("pluginId", "plugin"),
    ("interface", "interface"),
    ("dependencies", "dependencies"),
];

/// Takes some fields of an object, leaving out nulls and the tree's own folder.
fn picked(item: &Value, fields: &[(&str, &str)], scene: &Scene) -> Value {
    let present = fields.iter().filter(|(theirs, _)| !item[*theirs].is_null());
    let pairs = present.map(|(theirs, ours)| ((*ours).to_owned(), tidy(&item[*theirs], scene)));
    Value::Object(pairs.collect())
}

fn tidy(value: &Value, scene: &Scene) -> Value {
    match value {
        Value::String(text) => Value::String(scene.portable(text)),
        Value::Object(map) => {
            let present = map.iter().filter(|(_, value)| !value.is_null());
            Value::Object(present.map(|(key, value)| (key.clone(), tidy(value, scene))).collect::<Map<_, _>>())
        }
        other => other.clone(),
    }
}

/// Lets Codex take one turn with a fake model and returns the catalog that the model got.
pub(super) fn catalog(program: &Program, scene: &Scene, window: Option<u64>) -> Result<Catalog> {
    let model = FakeModel::start(answer)?;
    let mut settings = provider(&model.url());
    settings.extend(window.map(|window| format!("model_context_window={window}")));
    let mut rpc = start(program, scene, &settings)?;
    let thread = rpc.call("thread/start", &json!({ "cwd": scene.folder() }))?;
    let input = json!([{ "type": "text", "text": "hello" }]);
    rpc.call("turn/start", &json!({ "threadId": thread["thread"]["id"], "input": input }))?;
    rpc.wait(|message| message["method"] == "turn/completed")?;
    let text = model.requests().iter().find_map(|request| instructions(&request.body));
    Ok(split(&scene.portable(&text.unwrap_or_default())))
}

pub(super) fn start(program: &Program, scene: &Scene, settings: &[String]) -> Result<Rpc> {
    let mut command = scene.command(&program.file);
    command.env("LANG", "C.UTF-8").arg("app-server");
    for proxy in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"] {
        // Nothing listens there: the program stays offline.
        command.env(proxy, "http://127.0.0.1:9");
    }
    command.env("NO_PROXY", "127.0.0.1");
    if !scene.root().join("home/.codex/skills/.system").exists() {
        command.args(["-c", "skills.bundled.enabled=false"]);
    }
    for setting in settings {
        command.args(["-c", setting]);
    }
    greeted(&mut command)
}

/// Starts a server and says hello.
pub(super) fn greeted(command: &mut Command) -> Result<Rpc> {
    let mut rpc = Rpc::start(command)?;
    let client = json!({ "name": "codex_cli_rs", "title": "fidelity", "version": "0" });
    rpc.call("initialize", &json!({ "clientInfo": client }))?;
    rpc.notify("initialized")?;
    Ok(rpc)
}

pub(super) fn provider(url: &str) -> Vec<String> {
    let settings = [
        r#"model_provider="fake""#,
        r#"model="gpt-5""#,
        r#"model_providers.fake.name="fake""#,
        r#"model_providers.fake.wire_api="responses""#,
        "model_providers.fake.requires_openai_auth=false",
        "model_providers.fake.supports_websockets=false",
        r#"approval_policy="never""#,
        r#"sandbox_mode="read-only""#,
    ];
    let base = format!("model_providers.fake.base_url=\"{url}/v1\"");
    settings.into_iter().map(str::to_owned).chain([base]).collect()
}

/// Says "ok" in the words of the Responses API.
pub(super) fn answer(request: &Request) -> Reply {
    if !request.path.ends_with("/responses") {
        return Reply::Json(json!({ "data": [], "models": [] }));
    }
    let content = json!([{ "type": "output_text", "text": "ok" }]);
    let item = json!({ "type": "message", "role": "assistant", "id": "m1", "content": content });
    let usage = json!({ "input_tokens": 1, "output_tokens": 1, "total_tokens": 2 });
    let events = [
        json!({ "type": "response.created", "response": { "id": "r1" } }),
        json!({ "type": "response.output_item.done", "item": item }),
        json!({ "type": "response.completed", "response": { "id": "r1", "usage": usage } }),
    ];
    let named = |event: Value| (event["type"].as_str().unwrap_or_default().to_owned(), event);
    Reply::Events(events.into_iter().map(named).collect())
}

/// Finds the message with the catalog in a request.
fn instructions(body: &Value) -> Option<String> {
    let items = body["input"].as_array()?.iter();
    let parts = items.filter_map(|item| item["content"].as_array()).flatten();
    let mut texts = parts.filter_map(|part| part["text"].as_str());
    texts.find(|text| text.contains("<skills_instructions>")).map(str::to_owned)
}

/// Takes the skill lines and the root lines out of a catalog.
pub(super) fn split(text: &str) -> Catalog {
    let section = |title: &str| {
        let lines = text.lines().skip_while(move |line| *line != title).skip(1);
        let lines = lines.take_while(|line| !line.starts_with("### ") && !line.starts_with("</"));
        lines.map(str::to_owned).collect()
    };
    Catalog { roots: section("### Skill roots"), lines: section("### Available skills") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_of_a_catalog() {
        let text = "## Skills\nHow.\n### Skill roots\n- `r0` = `/a`\n### Available skills\n- a: b (file: r0/a)\n</x>";
        let catalog = split(text);
        assert_eq!(catalog.roots, ["- `r0` = `/a`"]);
        assert_eq!(catalog.lines, ["- a: b (file: r0/a)"]);
        assert_eq!(split(""), Catalog::default());
    }
}
