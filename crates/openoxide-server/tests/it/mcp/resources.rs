//! Files as resources.

use serde_json::json;

use super::{Client, NEW, OLD, field, project};

#[tokio::test]
async fn the_skills_own_files_are_listed() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let list = client.ok("resources/list", json!({})).await;
        let pdf = &list["resources"][2];
        assert_eq!(field(&list["resources"], "name"), ["greet", "notes", "pdf", "quiet"]);
        assert_eq!((&pdf["uri"], &pdf["mimeType"]), (&json!("skill://pdf/SKILL.md"), &json!("text/markdown")));
        assert_eq!(pdf["description"], "Fills in forms");
        assert_eq!(client.error("resources/list", json!({ "cursor": "zzz" })).await["code"], -32602);
        assert_eq!(
            client.ok("resources/templates/list", json!({})).await["resourceTemplates"].as_array().unwrap().len(),
            1
        );
    }
}

#[tokio::test]
async fn nothing_outside_a_skill_is_read() {
    let context = project();
    context.tree(
        "//- project/secret.txt\nSECRET\n\
         //- project/.agents/skills/pdf/out.txt -> ../../../secret.txt\n\
         //- project/.agents/skills/pdf/outer -> ../../..\n\
         //- project/.agents/skills/pdf/inner -> references\n\
         //- project/.agents/skills/pdf/latest.md -> references/tables.md\n",
    );
    for (version, code) in [(OLD, -32002), (NEW, -32602)] {
        let mut client = Client::new(&context, version).await;
        let bad = [
            "out.txt",
            "outer/secret.txt",
            "../../../secret.txt",
            "%2e%2e/%2e%2e/%2e%2e/secret.txt",
            "inner/tables.md",
            "references",
            "",
            "references/",
            "..%2f..%2f..%2fsecret.txt",
            "zzz",
        ];
        for path in bad {
            let uri = format!("skill://pdf/{path}");
            let error = client.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(error["code"], code, "{uri}");
            assert_eq!(error["data"]["uri"], uri.as_str());
        }
        for uri in ["file:///etc/passwd", "skill://pdf", "", "skill://"] {
            assert_eq!(client.error("resources/read", json!({ "uri": uri })).await["code"], code, "{uri}");
        }
        let read = client.ok("resources/read", json!({ "uri": "skill://pdf/latest.md" })).await;
        assert_eq!(read["contents"][0]["text"], "Tables\n");
    }
}

#[tokio::test]
async fn bytes_that_are_no_text_come_whole() {
    let context = project();
    let folder = context.project().join(".agents/skills/pdf");
    fs_err::write(folder.join("a.png"), [0x89, b'P', 0, 0xff]).unwrap();
    let mut client = Client::new(&context, NEW).await;
    let read = client.ok("resources/read", json!({ "uri": "skill://pdf/a.png" })).await;
    let contents = &read["contents"][0];
    assert_eq!((&contents["mimeType"], &contents["blob"]), (&json!("image/png"), &json!("iVAA/w==")));
    assert!(read["ttlMs"].is_u64() && read["cacheScope"] == "private" && read["resultType"] == "complete");
}

#[tokio::test]
async fn paths_are_completed() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    let template = json!({ "type": "ref/resource", "uri": "skill://{+skill}/{+path}" });
    let params = |skill: &str, value: &str| {
        let argument = json!({ "name": "path", "value": value });
        json!({ "ref": template, "argument": argument, "context": { "arguments": { "skill": skill } } })
    };
    let done = client.ok("completion/complete", params("pdf", "ref")).await;
    assert_eq!(done["completion"]["values"], json!(["references/a%20b.md", "references/tables.md"]));
    let none = client.ok("completion/complete", params("hidden", "")).await;
    assert_eq!(none["completion"]["values"], json!([]));
    let argument = json!({ "name": "path", "value": "" });
    let other = json!({ "ref": { "type": "ref/resource", "uri": "x://{y}" }, "argument": argument });
    assert_eq!(client.error("completion/complete", other).await["code"], -32602);
}
