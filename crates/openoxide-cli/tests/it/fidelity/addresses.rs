//! What a real program answered to addresses of skills and their files, compared with what `read` answers.

use std::fmt::Write as _;

use serde_json::Value;

use super::{CaseFolder, Scene};
use crate::support::bin;

#[test]
fn omp_reads_the_same() {
    let case = CaseFolder::all("omp").into_iter().find(|case| case.name() == "addresses");
    compare("omp", &case.unwrap());
}

fn compare(host: &'static str, folder: &CaseFolder) {
    let list =
        |file: &str| -> Value { serde_json::from_str(&fs_err::read_to_string(folder.join(file)).unwrap()).unwrap() };
    let (asked, recorded) = (list("asked.json"), list("addresses.json"));
    let (asked, answers) = (asked.as_array().unwrap(), recorded["answers"].as_array().unwrap());
    assert!(asked.len() > 30 && asked.len() == answers.len(), "record the case again");
    let scene = Scene::lay(host, folder);
    let mut report = String::new();
    for (asked, real) in asked.iter().zip(answers) {
        assert_eq!(asked["address"], real["address"], "record the case again");
        let ours = ours(&scene, asked["address"].as_str().unwrap());
        let same = ["text", "type", "error"].iter().all(|key| ours[*key] == real[*key]);
        match (asked["why"].as_str(), same) {
            (None, false) => writeln!(report, "{real}\n  ours: {ours}").unwrap(),
            (Some(_), true) => writeln!(report, "{} does not deviate", real["address"]).unwrap(),
            (why, _) => assert_ne!(why, Some(""), "a deviation has a reason"),
        }
        assert!(!ours.to_string().contains("{root}"), "an absolute path is told: {ours}");
    }
    assert!(report.is_empty(), "{report}");
}

/// Asks `read`, and writes its answer in the form of the recording.
fn ours(scene: &Scene, address: &str) -> Value {
    let mut run = scene.context.command(bin(), ["read", "--host", scene.host, "--json", "--", address]);
    run.current_dir(scene.context.root().join(&scene.case.cwd));
    let output = scene.context.answer(&mut run);
    let answer: Value = serde_json::from_str(&output.stdout.replace("[ROOT]", "{root}")).unwrap();
    match &answer["refused"]["text"] {
        Value::Null => serde_json::json!({ "text": answer["text"], "type": answer["content_type"] }),
        error => serde_json::json!({ "error": error }),
    }
}
