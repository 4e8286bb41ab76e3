//! Files whose name promises something else than their bytes are, and names that are taken for each other.

use openoxide_testkit::TestContext;
use serde_json::Value;

use super::door::Door;
use super::face::{Face, Setting, attack};
use super::{assert_no_canary, can_run, canary, everywhere, file, skill};
use crate::support::{json, run};

attack! { a_nul_byte_in_a_text for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { names_that_resemble_each_other for everyone { cli, http, mcp, mcp_http, rpc } }

fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn only_text_with_an_exact_name_is_given_to_an_interpreter() {
    let context = TestContext::new();
    if !can_run(&context) {
        return;
    }
    let canary = canary(&context);
    skill(&context, "tools", "", "Text.");
    let folder = context.project().join(".agents/skills/tools");
    let script = format!("touch {canary}/ran\necho ran\n");
    fs_err::write(folder.join("wide.sh"), utf16(&script)).unwrap();
    fs_err::write(folder.join("marked.sh"), [b"\xff\xfe", &utf16(&script)[..]].concat()).unwrap();
    fs_err::write(folder.join("nul.sh"), format!("{script}\0")).unwrap();
    fs_err::write(folder.join("late.sh"), format!("{}{script}\0", "#\n".repeat(10_000))).unwrap();
    file(&context, "tools", "loud.SH", &script);
    file(&context, "tools", "dot.sh.", &script);
    for name in ["wide.sh", "marked.sh", "nul.sh", "late.sh", "loud.SH", "dot.sh."] {
        let output = run(&context, &["run", "tools", name, "--yes"]);
        assert_eq!(output.status, Some(2), "{name}: {output}");
        assert!(!output.stdout.contains("ran"), "{name}: {output}");
    }
    assert_no_canary(&canary, &"scripts");
    file(&context, "tools", "plain.sh", "echo ran\n");
    assert_eq!(run(&context, &["run", "tools", "plain.sh", "--yes"]).stdout, "ran\n");
}

/// A name promises a type, and the bytes decide.
fn a_nul_byte_in_a_text(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "notes", "", "Text.");
    file(&context, "notes", "early.md", "# A\0\n");
    file(&context, "notes", "late.md", &format!("{}\0", "# A\n".repeat(1_000_000)));
    file(&context, "notes", "good.md", "# A\n");
    everywhere(&context);
    for host in ["openoxide", "codex", "opencode"] {
        let mut door = Door::open(setting, &context, host);
        let mut read = |name: &str| match setting.face {
            Face::Cli => door.commands(&[&["read", "notes", name, "--json"]]),
            _ => door.read("notes", name),
        };
        assert!(read("good.md").contains("text/markdown"), "{host}: {}", read("good.md"));
        for name in ["early.md", "late.md"] {
            let said = read(name);
            assert!(!said.contains("text/markdown"), "{host} {name}: {}", said.chars().take(2000).collect::<String>());
        }
        // A list names types too, over MCP.
        let listed = door.files("notes");
        let kind =
            |name: &str| listed.split(&format!("skill://notes/{name}\"")).nth(1).and_then(|it| it.split('}').next());
        let is_markdown = |name: &str| kind(name).is_some_and(|kind| kind.contains("markdown"));
        assert!(!is_markdown("early.md") && !is_markdown("late.md"), "{listed}");
        // What is listed for a file that is what its name says shows that the others were looked for.
        let names_types = matches!(setting.face, Face::Mcp | Face::McpHttp);
        assert_eq!(is_markdown("good.md"), names_types, "{listed}");
        assert_eq!(kind("early.md").is_some() && kind("late.md").is_some(), names_types, "{listed}");
    }
}

fn found(context: &TestContext, code: &str) -> Vec<String> {
    let answer = json(context, &["check", "--json"]);
    let problems = answer["checked"].as_array().unwrap().iter().flat_map(|one| one["problems"].as_array().unwrap());
    let problems = problems.filter(|problem| problem["code"] == code);
    problems.map(|problem| problem["message"].as_str().map(str::to_owned).unwrap_or_default()).collect()
}

#[test]
fn names_that_can_be_mistaken_are_reported() {
    let context = TestContext::new();
    for name in ["deploy", "Deploy", "d\u{435}ploy"] {
        skill(&context, name, "", "Text.");
    }
    file(&context, "deploy", "run.sh", "");
    file(&context, "deploy", "RUN.sh", "");
    file(&context, "deploy", "dot.", "");
    file(&context, "deploy", "caf\u{e9}", "");
    file(&context, "deploy", "cafe\u{301}", "");
    let messages = found(&context, "S0020").join("\n");
    for text in [
        "the skill `deploy` can be mistaken for `Deploy`, `dеploy`",
        "the skill `Deploy` can be mistaken for",
        "`RUN.sh` and `run.sh` can be mistaken for each other",
        "the name `dot.` ends in a dot or a space",
    ] {
        assert!(messages.contains(text), "{text}\n{messages}");
    }
    assert_eq!(messages.matches("can be mistaken for each other").count(), 2, "{messages}");
}

/// Neither of two names shadows the other, and a name that only resembles one calls nothing.
fn names_that_resemble_each_other(setting: Setting) {
    let context = TestContext::new();
    skill(&context, "deploy", "", "The small one.");
    skill(&context, "Deploy", "", "The large one.");
    let mut door = Door::open(setting, &context, "openoxide");
    for (name, own) in
        [("deploy", "The small one."), ("Deploy", "The large one."), ("DEPLOY", ""), ("d\u{435}ploy", "")]
    {
        let said = door.activate(name);
        let told: Vec<&str> = ["The small one.", "The large one."].into_iter().filter(|it| said.contains(it)).collect();
        assert_eq!(told.concat(), own, "{name}: {said}");
    }
    let listed = json(&context, &["list", "--all", "--json", "--host", "openoxide"]);
    let shadowed = |other: &&Value| other["status"] == "shadowed";
    assert_eq!(listed["others"].as_array().unwrap().iter().filter(shadowed).count(), 0, "{listed:#}");
}
