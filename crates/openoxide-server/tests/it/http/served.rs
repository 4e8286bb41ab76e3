//! What the real program answered to its own clients, compared with what we answer them.

use std::path::Path;

use openoxide_testkit::TestContext;
use serde_json::Value;

use super::Server;

/// The length of the folder's path in the recordings.
const ROOT_LENGTH: usize = 96;

#[tokio::test]
async fn clients_of_the_program_are_answered_alike() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fidelity/opencode");
    let mut compared = 0;
    for folder in fs_err::read_dir(cases).unwrap().map(|folder| folder.unwrap().path()) {
        let Ok(recorded) = fs_err::read_to_string(folder.join("served.json")) else { continue };
        let recorded: Value = serde_json::from_str(&recorded).unwrap();
        let context = TestContext::padded(ROOT_LENGTH);
        context.tree(&fs_err::read_to_string(folder.join("tree.txt")).unwrap());
        let server = Server::new(context);
        for what in ["skill", "command"] {
            let ours = answer(&server, what).await;
            let theirs = recorded[what].as_array().unwrap();
            assert!(!theirs.is_empty());
            for (ours, theirs) in ours.iter().zip(theirs) {
                assert_eq!(ours, theirs, "{} /{what}", folder.display());
            }
            assert_eq!(ours.len(), theirs.len(), "{} /{what}: {ours:?}", folder.display());
            compared += ours.len();
        }
    }
    assert!(compared > 0, "nothing is recorded");
}

/// Returns our answer as it is recorded: by name, without the folder of the machine and without advice.
async fn answer(server: &Server, what: &str) -> Vec<Value> {
    let text = server.get(&format!("/{what}")).await.text();
    let text = text.replace(&*server.context.root().to_string_lossy(), "{root}");
    let mut list: Vec<Value> = serde_json::from_str(&text).unwrap();
    for one in &mut list {
        if let Some((start, _)) = one["template"].as_str().and_then(|template| template.rsplit_once('\n')) {
            one["template"] = format!("{start}\n{{{{advice}}}}").into();
        }
    }
    list.sort_by_key(|one| one["name"].to_string());
    list
}
