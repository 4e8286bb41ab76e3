//! The flow that a skill for checking a skills system asks for: find it, call it, read its files, be kept from climbing
//! out, run its script in the sandbox. The skill is our own; it has a marker in every place that has to be reached.

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{isolates, json, run, skipped, valid_json};

const REFERENCE: &str = "OPENOXIDE_CONFORMANCE_REFERENCE_v1";
const SCRIPT: &str = "OPENOXIDE_CONFORMANCE_SCRIPT_OK";

/// Lays the skill in a root of this host; none of its files is executable.
fn laid(root: &str) -> TestContext {
    let context = TestContext::new();
    let folder = format!("project/{root}/conformance-check");
    context.tree(&format!(
        "
//- {folder}/SKILL.md
---
name: conformance-check
description: |
  Checks that skills are found, called and read.
  Use it when somebody asks whether that works.
license: MIT
allowed-tools: Read, Bash
metadata:
  author: openoxide
  version: \"0.1.0\"
---

# Checks

1. The model’s list has this skill, without this text.
2. Calling it brings this text.
3. `references/REFERENCE.md` has a marker.
4. `../` leads nowhere.
5. `scripts/echo.sh` says its marker, in a sandbox.
//- {folder}/references/REFERENCE.md
{REFERENCE}
//- {folder}/assets/fixture.json
{{ \"fixture_id\": \"conformance-check\" }}
//- {folder}/scripts/echo.sh
#!/usr/bin/env bash
set -euo pipefail
echo \"{SCRIPT}\"
//- project/{root}/other/SKILL.md
---
name: other
description: Another
---
SECRET
"
    ));
    context
}

fn with<'a>(host: &'a str, args: &[&'a str]) -> Vec<&'a str> {
    [args, &["--host", host]].concat()
}

fn flow(context: &TestContext, host: &str) {
    let list = json(context, &with(host, &["list", "--json"]));
    let found = list["skills"].as_array().unwrap().iter().find(|skill| skill["name"] == "conformance-check").unwrap();
    assert_eq!((found["license"].as_str(), found["metadata"]["version"].as_str()), (Some("MIT"), Some("0.1.0")));
    assert_eq!(found["allowed_tools"], serde_json::json!(["Read", "Bash"]));
    let prompt = run(context, &with(host, &["prompt"])).stdout;
    assert!(prompt.contains("conformance-check") && !prompt.contains("# Checks"), "{host}: {prompt}");

    for caller in ["user", "model"] {
        let answer = valid_json(context, &with(host, &["activate", "conformance-check", "--as", caller, "--json"]));
        let text = answer["messages"].to_string();
        assert!(text.contains("The model’s list has this skill") && !text.contains(REFERENCE), "{host}: {text}");
    }

    let read =
        |path: &str| valid_json(context, &with(host, &["read", "conformance-check", path, "--as", "model", "--json"]));
    assert!(read("references/REFERENCE.md")["text"].as_str().unwrap().starts_with(REFERENCE));
    let fixture: Value = serde_json::from_str(read("assets/fixture.json")["text"].as_str().unwrap()).unwrap();
    assert_eq!(fixture["fixture_id"], "conformance-check");
    for path in ["../other/SKILL.md", "/etc/passwd", "references/../../other/SKILL.md"] {
        let answer = read(path);
        assert!(answer["text"].is_null() && !answer.to_string().contains("SECRET"), "{host} {path}: {answer}");
    }

    let refused = run(context, &with(host, &["run", "conformance-check", "scripts/echo.sh", "--as", "model"]));
    assert_eq!((refused.status, refused.stdout.as_str()), (Some(1), ""), "{host}: {refused}");
    let climbing = run(context, &with(host, &["run", "conformance-check", "../other/SKILL.md", "--yes"]));
    assert_eq!((climbing.status, climbing.stdout.as_str()), (Some(1), ""), "{host}: {climbing}");
    if !isolates(context) {
        return skipped("this machine cannot isolate a command");
    }
    for mode in ["preapprove", "limit"] {
        let config = format!("skills.allowed_tools=\"{mode}\"");
        let args = with(host, &["run", "conformance-check", "scripts/echo.sh", "--yes", "--config", &config]);
        let output = run(context, &args);
        assert_eq!((output.status, output.stdout.trim_end()), (Some(0), SCRIPT), "{host} {mode}: {output}");
    }
}

#[test]
fn the_flow_holds_in_our_own_host() {
    flow(&laid(".agents/skills"), "openoxide");
}

#[test]
fn the_flow_holds_in_the_host_that_asks_for_it() {
    let context = laid(".skills");
    context.tree("//- project/config.toml\n[app.skills]\nenabled = true\n");
    flow(&context, "remcochat");
}
