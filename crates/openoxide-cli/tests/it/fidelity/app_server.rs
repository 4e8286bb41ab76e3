//! The whole answer to `skills/list` of JSON-RPC, as the real program gave it.

use std::process::Stdio;

use serde_json::{Map, Value, json};

use super::{Difference, Scene, answer, check, differences, texts};
use crate::support::bin;

/// Our names for fields in the recordings, by the program's own.
const FIELDS: &[(&str, &str)] = &[("shortDescription", "short_description"), ("pluginId", "plugin")];

/// What is said before the words of a library; those are our own.
const LIBRARIES: &[&str] = &["invalid YAML: ", "failed to read file: "];

#[test]
fn codex_answers_the_same_over_json_rpc() {
    check("codex", super::LISTS, |scene, folder| {
        let Some(real) = answer(folder) else { return Vec::new() };
        let ours = listed(scene);
        let row = |skill: &Value| {
            // The name first, as those who look for deviations expect.
            let rest = recorded(skill).as_object().unwrap().clone();
            let fields = ["name", "description", "path", "scope"].map(|key| rest[key].to_string()).join(" ");
            format!("{fields} {}", Value::Object(rest))
        };
        let mut found =
            differences("listed", &texts(&real["skills"], |_| true, row), &texts(&ours["skills"], |_| true, row));
        let file = |error: &Value| error["path"].as_str().is_some_and(|path| path.ends_with("/SKILL.md"));
        let (real, ours) = (texts(&real["errors"], file, said), texts(&ours["errors"], file, said));
        found.extend(differences("errors", &sorted(real), &sorted(ours)));
        let details = &scene.case.details;
        let is_meant = |found: &Difference| details.iter().any(|detail| found.about.contains(&detail.name));
        let idle = details.iter().filter(|detail| !found.iter().any(|found| found.about.contains(&detail.name)));
        let idle =
            idle.map(|detail| Difference::new("details", "stated", &format!("- {}: {}", detail.name, detail.why)));
        let idle: Vec<Difference> = idle.collect();
        found.retain(|found| !is_meant(found));
        found.extend(idle);
        found
    });
}

/// Asks our server.
fn listed(scene: &Scene) -> Value {
    let place = |text: &str| text.replace("{root}", &scene.context.root().to_string_lossy());
    let mut run = scene.context.command(bin(), ["app-server", "--host", scene.host]);
    run.args(scene.case.args.iter().map(|arg| place(arg)));
    run.current_dir(scene.context.root().join(&scene.case.cwd));
    run.envs(scene.case.env.iter().map(|(name, value)| (name, place(value))));
    let hello = json!({ "clientInfo": { "name": "t", "version": "1" } });
    let requests = [("initialize", hello), ("skills/list", json!({ "forceReload": true }))];
    let lines =
        requests.map(|(method, params)| json!({ "id": method, "method": method, "params": params }).to_string());
    let input = scene.context.root().join("requests");
    fs_err::write(&input, lines.join("\n")).unwrap();
    run.stdin(Stdio::from(fs_err::File::open(&input).unwrap().into_file()));
    let output = scene.context.answer(&mut run);
    assert_eq!(output.status, Some(0), "{output}");
    let portable = output.stdout.replace("[ROOT]", "{root}");
    let last = portable.lines().filter(|line| line.contains("\"skills/list\"")).last();
    let mut answer: Value = serde_json::from_str(last.expect("an answer")).unwrap();
    answer["result"]["data"][0].take()
}

/// Writes a skill as recordings have it: without nulls, under our names.
fn recorded(skill: &Value) -> Value {
    let Value::Object(fields) = skill else { return skill.clone() };
    let ours = |key: &str| FIELDS.iter().find(|(theirs, _)| *theirs == key).map_or(key, |(_, ours)| ours).to_owned();
    let present = fields.iter().filter(|(_, value)| !value.is_null());
    let mut all: Vec<(String, Value)> = present
        .map(|(key, value)| {
            // Inside, the program's names were kept.
            (ours(key), if value.is_object() { without_nulls(value) } else { value.clone() })
        })
        .collect();
    all.sort_by(|left, right| left.0.cmp(&right.0));
    Value::Object(all.into_iter().collect())
}

fn without_nulls(value: &Value) -> Value {
    let fields = value.as_object().into_iter().flatten().filter(|(_, value)| !value.is_null());
    Value::Object(fields.map(|(key, value)| (key.clone(), value.clone())).collect::<Map<_, _>>())
}

fn said(error: &Value) -> String {
    let message = error["message"].as_str().unwrap_or_default();
    let kind = LIBRARIES.iter().find(|kind| message.starts_with(**kind)).copied().unwrap_or(message);
    format!("{} {kind}", error["path"].as_str().unwrap_or_default())
}

fn sorted(mut lines: Vec<String>) -> Vec<String> {
    lines.sort();
    lines.dedup();
    lines
}
