//! The skills extension.

use openoxide_server::mcp::McpOptions;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Client, NEW, OLD, field, project};

fn digest(bytes: &[u8]) -> String {
    let digits: Vec<String> = Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect();
    format!("sha256:{}", digits.concat())
}

async fn all(client: &mut Client) -> Vec<Value> {
    let (mut skills, mut cursor, mut pages) = (Vec::new(), Value::Null, 0);
    loop {
        let params = if cursor.is_null() { json!({}) } else { json!({ "cursor": cursor }) };
        let mut page = client.ok("skills/list", params).await;
        assert_eq!(page["resultType"], "complete");
        assert!(page["ttlMs"].is_u64() && page["cacheScope"] == "private", "{page}");
        skills.extend(page["skills"].as_array().unwrap().clone());
        cursor = page["nextCursor"].take();
        pages += 1;
        assert!(pages < 100);
        if cursor.is_null() {
            return skills;
        }
    }
}

#[tokio::test]
async fn every_file_is_told_with_digest_and_size_and_can_be_read() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let skills = all(&mut client).await;
        let uris = field(&json!(skills), "uri");
        let names = ["greet", "notes", "pdf", "quiet"];
        assert_eq!(uris, names.map(|name| format!("skill://{name}/SKILL.md")), "without names against the standard");
        let pdf = &skills[2];
        assert_eq!(pdf["frontmatter"], json!({ "name": "pdf", "description": "Fills in forms" }));
        let files = ["SKILL.md", "references/a%20b.md", "references/tables.md"];
        assert_eq!(field(&pdf["resources"], "uri"), files.map(|file| format!("skill://pdf/{file}")));
        for skill in &skills {
            for file in skill["resources"].as_array().unwrap() {
                let read = client.ok("resources/read", json!({ "uri": file["uri"] })).await;
                let text = read["contents"][0]["text"].as_str().unwrap();
                assert_eq!(file["digest"], digest(text.as_bytes()));
                assert_eq!(file["size"], text.len());
                assert_eq!(read["contents"][0]["uri"], file["uri"]);
            }
            let got = client.ok("skills/get", json!({ "uri": skill["uri"] })).await;
            assert_eq!((&got["skill"], &got["resultType"]), (skill, &json!("complete")));
            assert!(got["ttlMs"].is_u64() && got["cacheScope"] == "private" && got.get("nextCursor").is_none());
        }
    }
}

#[tokio::test]
async fn what_changed_on_disk_has_another_digest_at_once() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    let uri = json!({ "uri": "skill://pdf/SKILL.md" });
    let before = client.ok("skills/get", uri.clone()).await;
    let file = context.project().join(".agents/skills/pdf/references/tables.md");
    fs_err::write(&file, "TABLES\n").unwrap();
    let after = client.ok("skills/get", uri).await;
    let told = |answer: &Value| answer["skill"]["resources"][2]["digest"].as_str().unwrap().to_owned();
    assert_ne!(told(&before), told(&after));
    assert_eq!(told(&after), digest(b"TABLES\n"));
}

#[tokio::test]
async fn what_is_not_there_is_an_error_of_the_parameters() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let bad = [
            "skill://zzz/SKILL.md",
            "skill://pdf",
            "skill://pdf/references/tables.md",
            "skill://Odd_Name/SKILL.md",
            "x",
            "",
            "skill://pdf/../pdf/SKILL.md",
        ];
        for uri in bad {
            assert_eq!(client.error("skills/get", json!({ "uri": uri })).await["code"], -32602, "{uri}");
        }
        for params in [json!({}), json!({ "uri": 5 })] {
            assert_eq!(client.error("skills/get", params).await["code"], -32602);
        }
        for cursor in [json!("zzz"), json!(""), json!(7)] {
            assert_eq!(client.error("skills/list", json!({ "cursor": cursor })).await["code"], -32602);
        }
    }
}

#[tokio::test]
async fn pages_hold_every_skill_once() {
    let context = project();
    for number in 0..230 {
        context.skill(&format!("many-{number:03}"), "One of many");
    }
    let mut client = Client::new(&context, OLD).await;
    let first = client.ok("skills/list", json!({})).await;
    assert_eq!(first["skills"].as_array().unwrap().len(), 100);
    let uris = field(&json!(all(&mut client).await), "uri");
    assert_eq!(uris.len(), 234);
    assert!(uris.is_sorted() && uris.windows(2).all(|pair| pair[0] != pair[1]));
}

#[tokio::test]
async fn what_is_too_much_or_has_no_digest_is_dynamic_and_can_be_read() {
    let context = project();
    let folder = context.project().join(".agents/skills/notes");
    for number in 0..512 {
        fs_err::write(folder.join(format!("{number}.txt")), "x").unwrap();
    }
    context.tree("//- project/.agents/skills/pdf/pipe fifo\n//- project/.agents/skills/notes/.git/config\nsecret\n");
    let mut client = Client::new(&context, OLD).await;
    for (name, file) in [("notes", "7.txt"), ("pdf", "references/tables.md")] {
        let got = client.ok("skills/get", json!({ "uri": format!("skill://{name}/SKILL.md") })).await;
        assert_eq!(got["skill"]["resources"], "dynamic");
        assert_eq!(got["skill"]["frontmatter"]["name"], name);
        client.ok("resources/read", json!({ "uri": format!("skill://{name}/{file}") })).await;
    }
    for uri in ["skill://pdf/pipe", "skill://notes/.git/config"] {
        client.error("resources/read", json!({ "uri": uri })).await;
    }
    fs_err::remove_file(folder.join("0.txt")).unwrap();
    let got = client.ok("skills/get", json!({ "uri": "skill://notes/SKILL.md" })).await;
    assert_eq!(got["skill"]["resources"].as_array().unwrap().len(), 512);
}

#[tokio::test]
async fn folders_are_read_and_nothing_else_is_one() {
    let context = project();
    for version in [OLD, NEW] {
        let mut client = Client::new(&context, version).await;
        let top = client.ok("resources/directory/read", json!({ "uri": "skill://pdf" })).await;
        assert_eq!(top["resultType"], "complete");
        let uris = field(&top["resources"], "uri");
        assert_eq!(uris, ["skill://pdf/SKILL.md", "skill://pdf/empty", "skill://pdf/references"]);
        assert_eq!(field(&top["resources"], "mimeType"), ["text/markdown", "inode/directory", "inode/directory"]);
        let own = &top["resources"][0];
        assert_eq!((&own["name"], &own["description"]), (&json!("pdf"), &json!("Fills in forms")));
        let empty = client.ok("resources/directory/read", json!({ "uri": "skill://pdf/empty" })).await;
        assert_eq!(empty["resources"], json!([]));
        for (with, without) in [("skill://pdf/", "skill://pdf"), ("skill://pdf/references/", "skill://pdf/references")]
        {
            let listed = client.ok("resources/directory/read", json!({ "uri": with })).await;
            assert_eq!(listed, client.ok("resources/directory/read", json!({ "uri": without })).await, "{with}");
        }
        for bad in ["skill://pdf//", "skill://pdf/references//", "skill://pdf/SKILL.md/", "skill:///"] {
            assert_eq!(client.error("resources/directory/read", json!({ "uri": bad })).await["code"], -32602, "{bad}");
        }
        let inner = client.ok("resources/directory/read", json!({ "uri": "skill://pdf/references" })).await;
        assert_eq!(field(&inner["resources"], "name"), ["a b.md", "tables.md"]);
        for uri in ["skill://pdf/SKILL.md", "skill://pdf/zzz", "skill://zzz", "skill://pdf/references/.."] {
            let error = client.error("resources/directory/read", json!({ "uri": uri })).await;
            assert_eq!(error["code"], -32602, "{uri}");
        }
    }
}

/// What a rule denies reading of is in no list, and asking for it does not tell whether it is there.
#[tokio::test]
async fn what_may_not_be_read_is_not_listed() {
    let context = project();
    let settings = ["permission.read.\"notes/*\"=\"deny\"", "permission.read.\"pdf/references/t*\"=\"deny\""];
    for version in [OLD, NEW] {
        let mut client = Client::with(&context, version, &settings, McpOptions::default(), json!({})).await;
        let skills = all(&mut client).await;
        let uris = field(&json!(skills), "uri");
        assert_eq!(uris, ["greet", "pdf", "quiet"].map(|name| format!("skill://{name}/SKILL.md")));
        let pdf = ["skill://pdf/SKILL.md", "skill://pdf/references/a%20b.md"];
        assert_eq!(field(&skills[1]["resources"], "uri"), pdf);
        let got = client.ok("skills/get", json!({ "uri": "skill://pdf/SKILL.md" })).await;
        assert_eq!(got["skill"], skills[1]);
        client.error("skills/get", json!({ "uri": "skill://notes/SKILL.md" })).await;
        let own = client.ok("resources/list", json!({})).await;
        assert_eq!(field(&own["resources"], "name"), ["greet", "pdf", "quiet"]);

        let inner = client.ok("resources/directory/read", json!({ "uri": "skill://pdf/references" })).await;
        assert_eq!(field(&inner["resources"], "name"), ["a b.md"]);
        for uri in ["skill://notes", "skill://notes/zzz", "skill://pdf/references/tables.md"] {
            let error = client.error("resources/directory/read", json!({ "uri": uri })).await;
            assert_eq!(error["data"]["problem"], "forbidden", "{uri}: {error}");
        }
        for uri in ["skill://notes/SKILL.md", "skill://notes/zzz", "skill://pdf/references/tables.md"] {
            let error = client.error("resources/read", json!({ "uri": uri })).await;
            assert_eq!(error["data"]["problem"], "forbidden", "{uri}: {error}");
        }
        let template = json!({ "type": "ref/resource", "uri": "skill://{+skill}/{+path}" });
        let argument = json!({ "name": "path", "value": "references" });
        let skill = json!({ "arguments": { "skill": "pdf" } });
        let params = json!({ "ref": template, "argument": argument, "context": skill });
        let completed = client.ok("completion/complete", params).await;
        assert_eq!(completed["completion"]["values"], json!(["references/a%20b.md"]));
    }
}

/// A skill with more files than are listed is not listed by folders either where a rule denies that.
#[tokio::test]
async fn what_may_not_be_read_is_in_no_folder_of_a_large_skill() {
    let context = project();
    let folder = context.project().join(".agents/skills/notes");
    for number in 0..512 {
        fs_err::write(folder.join(format!("{number}.txt")), "x").unwrap();
    }
    context.tree("//- project/.agents/skills/notes/keys/one.md\nKey\n");
    let settings = ["permission.read.\"notes/keys*\"=\"deny\""];
    let mut client = Client::with(&context, OLD, &settings, McpOptions::default(), json!({})).await;
    let got = client.ok("skills/get", json!({ "uri": "skill://notes/SKILL.md" })).await;
    assert_eq!(got["skill"]["resources"], "dynamic");
    let (mut names, mut params) = (Vec::new(), json!({ "uri": "skill://notes" }));
    loop {
        let page = client.ok("resources/directory/read", params.clone()).await;
        names.extend(field(&page["resources"], "name"));
        if page["nextCursor"].is_null() {
            break;
        }
        params["cursor"] = page["nextCursor"].clone();
    }
    assert!(names.len() == 513 && !names.contains(&"keys".to_owned()), "{names:?}");
    for uri in ["skill://notes/keys", "skill://notes/keys/one.md"] {
        let error = client.error("resources/directory/read", json!({ "uri": uri })).await;
        assert_eq!(error["data"]["problem"], "forbidden", "{error}");
    }
}
