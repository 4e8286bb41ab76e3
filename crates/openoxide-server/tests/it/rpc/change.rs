//! Switching skills, and changing settings.

use serde_json::{Value, json};

use super::{Rpc, names};

const TREE: &str = "\
//- project/.agents/skills/a/dup/SKILL.md
---
name: dup
description: first
---
//- home/.agents/skills/solo/SKILL.md
---
name: solo
description: alone
---
//- other/.agents/skills/far/SKILL.md
---
name: far
description: in another project
---
//- home/.openoxide/config.toml
# mine
[skills]
claude = true # why
";

/// What another program reported as done and did not do.
#[tokio::test]
async fn switched_off_by_name_is_switched_on_by_path() {
    let mut rpc = Rpc::start(None, TREE).await;
    let path = rpc.path("project/.agents/skills/a/dup/SKILL.md");
    let off = rpc.call("skills/config/write", json!({ "name": "dup", "enabled": false })).await;
    assert_eq!(off, json!({ "effectiveEnabled": false }));
    let listed = rpc.call("skills/list", json!({})).await;
    assert_eq!((names(&listed, 0)[0], &listed["data"][0]["skills"][0]["enabled"]), ("dup", &json!(false)));
    let on = rpc.call("skills/config/write", json!({ "path": path, "enabled": true })).await;
    assert_eq!(on, json!({ "effectiveEnabled": true }));
    let listed = rpc.call("skills/list", json!({})).await;
    assert_eq!(listed["data"][0]["skills"][0]["enabled"], true, "{listed}");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_skill_is_switched_where_the_client_found_it() {
    let mut rpc = Rpc::start(None, TREE).await;
    let cwds = json!({ "cwds": [rpc.path("other")] });
    let unknown = rpc.refused("skills/config/write", json!({ "name": "far", "enabled": false })).await;
    assert_eq!(unknown["data"]["problem"], "unknown");
    assert_eq!(rpc.call("skills/list", cwds.clone()).await["data"][0]["skills"][0]["enabled"], true);
    let off = rpc.call("skills/config/write", json!({ "name": "far", "enabled": false })).await;
    assert_eq!(off, json!({ "effectiveEnabled": false }));
    assert_eq!(rpc.call("skills/list", cwds).await["data"][0]["skills"][0]["enabled"], false);
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn which_skill_is_said_in_one_way() {
    let mut rpc = Rpc::start(None, TREE).await;
    let both = json!({ "name": "dup", "path": "/x", "enabled": true });
    for params in [json!({ "enabled": true }), both, json!({ "name": "  ", "enabled": true })] {
        let error = rpc.refused("skills/config/write", params).await;
        let message = "skills/config/write requires exactly one of path or name";
        assert_eq!(error, json!({ "code": -32602, "message": message }));
    }
    let off = rpc.call("skills/config/write", json!({ "name": " dup ", "enabled": false })).await;
    assert_eq!(off, json!({ "effectiveEnabled": false }), "blanks around a name are none of it");
    let relative = rpc.refused("skills/config/write", json!({ "path": "x", "enabled": true })).await;
    assert_eq!(relative["code"], -32600);
    let nothing = rpc.refused("skills/config/write", json!({ "path": rpc.path("project"), "enabled": false })).await;
    assert_eq!(nothing["data"]["problem"], "unknown", "a folder that is no skill's is not switched");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_programs_own_settings_are_never_written() {
    let mut rpc = Rpc::start(Some("codex"), TREE).await;
    for (method, params) in [
        ("skills/config/write", json!({ "name": "solo", "enabled": false })),
        ("skills/disable", json!({ "skill": "solo" })),
    ] {
        let error = rpc.refused(method, params).await;
        let help = "in a terminal, `openoxide disable SKILL --host codex` shows the change and asks";
        assert_eq!(
            (&error["code"], &error["data"]),
            (&json!(-32003), &json!({ "problem": "foreign-settings", "help": help }))
        );
    }
    assert!(!rpc.path("home/.codex").exists());
    assert_eq!(rpc.call("skills/list", json!({})).await["data"][0]["skills"][1]["enabled"], true);
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn on_and_off_in_the_users_settings_and_in_the_projects() {
    let mut rpc = Rpc::start(None, TREE).await;
    let off = rpc.call("skills/disable", json!({ "skill": "solo" })).await;
    let file = rpc.path("home/.openoxide/config.toml");
    let expected =
        json!({ "schema": { "version": 1 }, "skill": "solo", "enabled": false, "path": file, "changed": true });
    assert_eq!(off, expected);
    let again = rpc.call("skills/disable", json!({ "skill": "solo" })).await;
    assert_eq!((&again["changed"], &again["enabled"]), (&json!(false), &json!(false)));
    let on = rpc.call("skills/enable", json!({ "skill": "solo" })).await;
    assert_eq!((&on["changed"], &on["enabled"]), (&json!(true), &json!(true)));
    let project = rpc.call("skills/disable", json!({ "skill": "dup", "in_project": true })).await;
    assert_eq!(project["enabled"], true, "{project}");
    assert_eq!(project["reason"], "the project's settings apply only once the project is trusted");
    let unknown = rpc.refused("skills/disable", json!({ "skill": "sola" })).await;
    assert_eq!(unknown["data"]["help"], "did you mean `solo`?");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_setting_is_what_the_answer_says() {
    let mut rpc = Rpc::start(None, TREE).await;
    let file = rpc.path("home/.openoxide/config.toml");
    let text = || fs_err::read_to_string(&file).unwrap();
    let written = rpc.call("config/write", json!({ "key": "skills.claude", "value": false })).await;
    assert_eq!((&written["value"], &written["changed"]), (&json!(false), &json!(true)));
    assert!(written["origin"].as_str().unwrap().contains("config.toml"), "{written}");
    assert_eq!(text(), "# mine\n[skills]\nclaude = false # why\n");
    let removed = rpc.call("config/write", json!({ "key": "skills.claude", "value": null })).await;
    assert_eq!((&removed["value"], &removed["origin"]), (&json!(true), &json!("default")), "{removed}");
    let project = json!({ "key": "skills.claude", "value": false, "in_project": true });
    let project = rpc.call("config/write", project).await;
    assert_eq!((&project["value"], &project["changed"]), (&json!(true), &json!(true)));
    assert_eq!(project["reason"], "the project's settings apply only once the project is trusted");
    let list = json!({ "key": "skills.paths", "value": [rpc.path("other/.agents/skills")] });
    rpc.call("config/write", list).await;
    let listed = rpc.call("skills/list", json!({})).await;
    assert!(names(&listed, 0).contains(&"far"), "what was written counts at once: {listed}");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn a_setting_that_would_not_count_is_refused() {
    let mut rpc = Rpc::start(None, TREE).await;
    let before = fs_err::read_to_string(rpc.path("home/.openoxide/config.toml")).unwrap();
    for (word, params) in [
        ("bad-setting", json!({ "key": "skils.paths", "value": [] })),
        ("bad-setting", json!({ "key": "skills.claude", "value": "yes" })),
        ("not-for-projects", json!({ "key": "sandbox.network", "value": true, "in_project": true })),
        ("not-for-projects", json!({ "key": "trust.folders", "value": ["/"], "in_project": true })),
        ("bad-setting", json!({ "key": "permission", "value": { "shell": "perhaps" } })),
    ] {
        let error = rpc.refused("config/write", params.clone()).await;
        assert_eq!((&error["code"], &error["data"]["problem"]), (&json!(-32003), &json!(word)), "{params}");
    }
    assert_eq!(rpc.refused("config/write", json!({ "key": "host" })).await["code"], -32600);
    let inside = json!({ "key": "skills.paths", "value": [null] });
    assert_eq!(rpc.refused("config/write", inside).await["code"], -32602);
    assert_eq!(fs_err::read_to_string(rpc.path("home/.openoxide/config.toml")).unwrap(), before);
    assert!(!rpc.path("project/.openoxide").exists());
    rpc.end().await.unwrap();
}

/// Asks for a change, and answers the question; returns the question and what came of it.
async fn asked(rpc: &mut Rpc, params: Value, choice: &str) -> (Value, Value) {
    rpc.send(&json!({ "id": "write", "method": "config/write", "params": params })).await;
    let mut question = rpc.wait(|message| message["method"] == "skills/ask").await;
    rpc.send(&json!({ "id": question["id"], "result": { "choice": choice } })).await;
    let came = rpc.wait(|message| message["id"] == "write").await;
    (question["params"]["question"].take(), came)
}

/// The client may pass on what a model wishes; only the user changes a setting that gives permissions.
#[tokio::test]
async fn power_is_not_written_without_the_users_word() {
    let mut rpc = Rpc::silent(None, TREE);
    rpc.hello(json!({ "skillsAsk": true })).await;
    let file = rpc.path("home/.openoxide/config.toml");
    let text = || fs_err::read_to_string(&file).unwrap();
    let before = text();
    let allow = json!({ "key": "permission.shell", "value": "allow" });
    for choice in ["no", "always", "yes please"] {
        let (question, came) = asked(&mut rpc, allow.clone(), choice).await;
        assert_eq!((&question["kind"], &question["choices"]), (&json!("setting"), &json!(["once", "no"])));
        assert_eq!((&question["subject"], &question["target"]), (&json!("permission.shell"), &json!("\"allow\"")));
        assert_eq!(question["path"], json!(file));
        assert_eq!(came["error"]["code"], -32003, "{came}");
        assert_eq!(text(), before);
    }
    let (_, came) = asked(&mut rpc, allow, "once").await;
    assert_eq!(came["result"]["changed"], true, "{came}");
    assert!(text().contains("shell = \"allow\""), "{}", text());
    let deny = rpc.call("config/write", json!({ "key": "permission.shell", "value": "deny" })).await;
    assert_eq!(deny["changed"], true, "taking a permission away needs no question");
    let (question, _) = asked(&mut rpc, json!({ "key": "permission.shell", "value": null }), "no").await;
    assert!(
        question["target"].is_null() && text().contains("shell = \"deny\""),
        "a rule that denies stays: {question}"
    );
    let bad = rpc.refused("config/write", json!({ "key": "trust.folders", "value": "/" })).await;
    assert_eq!(bad["data"]["problem"], "bad-setting", "nobody is asked about what cannot be");
    rpc.end().await.unwrap();
}

/// A server counts as a whole: so it is looked at, and so it is changed.
#[tokio::test]
async fn a_server_is_changed_as_a_whole() {
    let url = "https://a.example/mcp";
    let tree = format!("//- home/.openoxide/config.toml\n[mcp.servers.private]\nurl = \"{url}\"\ntoken_env = \"T\"\n");
    let mut rpc = Rpc::silent(None, &tree);
    rpc.hello(json!({ "skillsAsk": true })).await;
    let file = rpc.path("home/.openoxide/config.toml");
    let text = || fs_err::read_to_string(&file).unwrap();
    let (_, came) = asked(&mut rpc, json!({ "key": "mcp.servers.private.enabled", "value": false }), "once").await;
    assert_eq!((&came["result"]["changed"], &came["result"]["value"]), (&json!(true), &json!(false)), "{came}");
    assert!(text().contains("token_env") && came["result"]["dropped"].is_null(), "{came}");
    let bad = rpc.refused("config/write", json!({ "key": "mcp.servers.private.token_file", "value": "/t" })).await;
    assert_eq!(bad["data"]["problem"], "bad-setting", "nobody is asked about what cannot be: {bad}");
    let other = json!({ "key": "mcp.servers.private.url", "value": "https://evil.example/mcp" });
    let (_, came) = asked(&mut rpc, other, "once").await;
    assert_eq!(came["result"]["dropped"], json!(["mcp.servers.private.token_env"]), "{came}");
    assert_eq!(text(), "[mcp.servers.private]\nurl = \"https://evil.example/mcp\"\nenabled = false\n");
    rpc.end().await.unwrap();
}

#[tokio::test]
async fn power_is_not_written_for_who_cannot_ask() {
    let mut rpc = Rpc::start(None, TREE).await;
    let before = fs_err::read_to_string(rpc.path("home/.openoxide/config.toml")).unwrap();
    for (key, value) in [
        ("trust.folders", json!(["/"])),
        ("permission", json!({ "*": "allow" })),
        ("hosts.opencode.permission", json!({ "skill": "allow" })),
        ("agents.x.permission", json!({ "shell": "allow" })),
        ("sandbox.network", json!(true)),
        ("mcp.servers.x", json!({ "command": "sh" })),
    ] {
        let error = rpc.refused("config/write", json!({ "key": key, "value": value })).await;
        assert_eq!(
            (&error["code"], &error["data"]["problem"]),
            (&json!(-32003), &json!("not-asked")),
            "{key}: {error}"
        );
        assert!(error["data"]["help"].as_str().unwrap().contains("skillsAsk"), "{error}");
    }
    assert_eq!(fs_err::read_to_string(rpc.path("home/.openoxide/config.toml")).unwrap(), before);
    rpc.end().await.unwrap();
}
