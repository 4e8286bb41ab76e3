//! `skills/list`, in the shape that clients of the protocol know.

use serde_json::{Value, json};

use super::{Rpc, names};

const TREE: &str = "\
//- project/.agents/skills/one/SKILL.md
---
name: one
description: first
metadata:
  short-description: short
---
//- project/.agents/skills/one/agents/openai.yaml
interface:
  display_name: One
  icon_small: assets/a.png
dependencies:
  tools:
    - type: mcp
      value: x
      url: https://example.com
//- project/.agents/skills/bad/SKILL.md
---
name: bad
---
//- home/.agents/skills/two/SKILL.md
---
name: two
description: second
---
//- other/.agents/skills/three/SKILL.md
---
name: three
description: third
---
//- more/four/SKILL.md
---
name: four
description: fourth
---
//- home/.codex/config.toml
[[skills.config]]
name = \"two\"
enabled = false
";

#[tokio::test]
async fn the_whole_answer() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    let project = rpc.path("project");
    let skills = project.join(".agents/skills");
    let interface = json!({
        "displayName": "One",
        "shortDescription": null,
        "iconSmall": skills.join("one/assets/a.png"),
        "iconLarge": null,
        "iconSmallUrl": null,
        "iconLargeUrl": null,
        "brandColor": null,
        "defaultPrompt": null,
    });
    let one = json!({
        "name": "one",
        "description": "first",
        "shortDescription": "short",
        "interface": interface,
        "dependencies": { "tools": [{ "type": "mcp", "value": "x", "url": "https://example.com" }] },
        "path": skills.join("one/SKILL.md"),
        "scope": "repo",
        "enabled": true,
        "pluginId": null,
    });
    let two = json!({
        "name": "two",
        "description": "second",
        "path": rpc.path("home/.agents/skills/two/SKILL.md"),
        "scope": "user",
        "enabled": false,
        "pluginId": null,
    });
    let error = json!({ "path": skills.join("bad/SKILL.md"), "message": "missing field `description`" });
    let expected = json!({ "data": [{ "cwd": project, "skills": [one, two], "errors": [error] }] });
    assert_eq!(rpc.call("skills/list", json!({})).await, expected);
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn several_folders_in_the_order_in_which_they_were_sent() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    let cwds = json!([rpc.path("other"), "/nowhere/at/all", "../other", "."]);
    let answer = rpc.call("skills/list", json!({ "cwds": cwds })).await;
    let sent: Vec<&Value> = answer["data"].as_array().unwrap().iter().map(|folder| &folder["cwd"]).collect();
    assert_eq!(json!(sent), cwds);
    assert_eq!(names(&answer, 0), ["three", "two"]);
    assert_eq!(names(&answer, 1), ["two"], "the user's own count wherever somebody looks from");
    assert_eq!(names(&answer, 2), ["three", "two"]);
    assert_eq!(names(&answer, 3), ["one", "two"]);
    let many = vec!["."; 257];
    assert_eq!(rpc.refused("skills/list", json!({ "cwds": many })).await["code"], -32602);
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn folders_that_are_added_for_one_folder() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    let (project, other, more) = (rpc.path("project"), rpc.path("other"), rpc.path("more"));
    let extra = |roots: Value| json!([{ "cwd": project, "extraUserRoots": roots }]);
    let params = |roots: Value| json!({ "cwds": [project, other], "perCwdExtraUserRoots": extra(roots) });
    let answer = rpc.call("skills/list", params(json!([more]))).await;
    assert_eq!((names(&answer, 0), names(&answer, 1)), (vec!["one", "four", "two"], vec!["three", "two"]));
    assert_eq!(answer["data"][0]["skills"][1]["scope"], "user");
    let answer = rpc.call("skills/list", json!({ "cwds": [project] })).await;
    assert_eq!(names(&answer, 0), ["one", "two"]);
    let relative = rpc.refused("skills/list", params(json!(["more"]))).await;
    assert_eq!(
        (&relative["code"], &relative["message"]),
        (&json!(-32600), &json!("Invalid request: `more` is not an absolute path"))
    );
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn folders_that_are_added_for_all_of_them() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    let more = rpc.path("more");
    // The next request is right behind: it must see what the one before it set.
    rpc.send(&json!({ "id": "set", "method": "skills/extraRoots/set", "params": { "extraRoots": [more] } })).await;
    rpc.send(&json!({ "id": "list", "method": "skills/list", "params": {} })).await;
    let notice = rpc.next().await;
    assert_eq!((&notice["method"], &notice["params"]), (&json!("skills/changed"), &json!({})));
    assert_eq!(rpc.next().await, json!({ "id": "set", "result": {} }));
    let listed = rpc.wait(|message| message["id"] == "list").await;
    assert_eq!(names(&listed["result"], 0), ["one", "four", "two"]);
    let error = rpc.refused("skills/extraRoots/set", json!({ "extraRoots": ["x"] })).await;
    assert_eq!(error["code"], -32600);
    rpc.call("skills/extraRoots/set", json!({ "extraRoots": [rpc.path("not/there")] })).await;
    let answer = rpc.call("skills/list", json!({})).await;
    assert_eq!((names(&answer, 0), answer["data"][0]["errors"].as_array().unwrap().len()), (vec!["one", "two"], 1));
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn looking_again_when_that_is_asked_for() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    assert_eq!(names(&rpc.call("skills/list", json!({})).await, 0), ["one", "two"]);
    rpc.context.tree("//- project/.agents/skills/new/SKILL.md\n---\nname: new\ndescription: d\n---\n");
    let answer = rpc.call("skills/list", json!({ "forceReload": true })).await;
    assert_eq!(names(&answer, 0), ["new", "one", "two"]);
    rpc.context.tree("//- project/.agents/skills/newer/SKILL.md\n---\nname: newer\ndescription: d\n---\n");
    let again = rpc.call("skills/reload", json!({})).await;
    assert_eq!(again["data"][0]["skills"], 3, "{again}");
    assert_eq!(names(&rpc.call("skills/list", json!({})).await, 0), ["new", "newer", "one", "two"]);
    rpc.end().await.unwrap();
}

/// Clients list folders that went away, and files; the real program looks above them.
#[tokio::test]
async fn a_folder_that_is_not_there_has_what_lies_above_it() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    rpc.context.tree(
        "//- project/.git/HEAD\n\n//- loose/.agents/skills/five/SKILL.md\n---\nname: five\ndescription: d\n---\n",
    );
    let cwds = json!(["gone/and/gone", "./x/../gone", ".agents/skills/one/SKILL.md", "../loose/gone", "../loose"]);
    let answer = rpc.call("skills/list", json!({ "cwds": cwds, "forceReload": true })).await;
    for folder in 0..3 {
        assert_eq!(names(&answer, folder), ["one", "two"], "{}", cwds[folder]);
        assert_eq!(answer["data"][folder]["errors"].as_array().unwrap().len(), 1);
    }
    assert_eq!((names(&answer, 3), names(&answer, 4)), (vec!["two"], vec!["five", "two"]), "no project is above it");
    // What no system opens has nothing, and is not searched for level by level.
    let never = json!({ "cwds": ["a\u{0}b", "x/".repeat(100_000)] });
    let answer = rpc.call("skills/list", never).await;
    assert_eq!((names(&answer, 0), names(&answer, 1)), (vec![], vec![]));
    let made = rpc.path("project/gone/and/gone/.agents/skills/late");
    fs_err::create_dir_all(&made).unwrap();
    fs_err::write(made.join("SKILL.md"), "---\nname: late\ndescription: d\n---\n").unwrap();
    let answer = rpc.call("skills/list", json!({ "cwds": ["gone/and/gone"] })).await;
    assert_eq!(names(&answer, 0), ["late", "one", "two"], "it is there by now");
    let missing = rpc.refused("skills/roots", json!({ "cwd": "never/there" })).await;
    assert_eq!(missing["data"]["problem"], "no-folder", "only lists are of folders that may be gone");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn who_does_not_want_notices_gets_none() {
    let mut rpc = Rpc::silent(Some("codex"), TREE);
    rpc.hello(json!({ "optOutNotificationMethods": ["skills/changed"], "experimentalApi": true })).await;
    rpc.send(&json!({ "id": "set", "method": "skills/extraRoots/set", "params": { "extraRoots": [] } })).await;
    assert_eq!(rpc.next().await, json!({ "id": "set", "result": {} }));
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn parameters_of_another_kind_are_no_riddle() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    for params in [json!("x"), json!(5), json!(true)] {
        let error = rpc.refused("skills/list", params).await;
        assert_eq!(error, json!({ "code": -32600, "message": "Invalid request: `params` is an object" }));
    }
    rpc.end().await.unwrap();
}
