//! The promises about the catalog: who wins, what is the same, what is written and what is not.

use std::ffi::OsStr;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{HOSTS, LOOKS, LOOKS_AT, field, json, run, run_with, snapshot_of};

fn skill(path: &str, name: &str, description: &str) -> String {
    format!("//- {path}/SKILL.md\n---\nname: {name}\ndescription: {description}\n---\n")
}

fn trust(context: &TestContext) -> String {
    format!("trust.folders=['{}']", context.project().display())
}

/// Returns each skill that counts as `name: description`.
fn active(list: &Value) -> Vec<String> {
    let lines = list["skills"].as_array().unwrap().iter();
    lines
        .map(|skill| format!("{}: {}", skill["name"].as_str().unwrap(), skill["description"].as_str().unwrap()))
        .collect()
}

/// Returns each one that does not as `path status code`.
fn others(list: &Value) -> Vec<String> {
    let line = |other: &Value| {
        let path = other["path"].as_str().unwrap().trim_start_matches("[ROOT]/").trim_end_matches("/SKILL.md");
        format!("{path} {} {}", other["status"].as_str().unwrap(), &other["reason"].as_str().unwrap()[..5])
    };
    list["others"].as_array().unwrap().iter().map(line).collect()
}

#[test]
fn scopes_in_order() {
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/x", "x", "repo"));
    context.tree(&skill("home/.agents/skills/x", "x", "user"));
    context.tree(&skill("oxide/skills/.system/x", "x", "system"));
    context.tree(&skill("oxide/skills/.system/y", "y", "system"));
    let home = context.root().join("oxide");
    let list = |more: &[&str]| -> Value {
        let mut args = vec!["list", "--json"];
        args.extend(more);
        let output = run_with(&context, &args, &[("OPENOXIDE_HOME", home.as_os_str())]);
        serde_json::from_str(&output.stdout).unwrap()
    };
    let trusted = list(&["--config", &trust(&context)]);
    assert_eq!(active(&trusted), ["x: repo", "y: system"]);
    let shadowed: Vec<String> = others(&trusted).into_iter().filter(|line| line.contains("shadowed")).collect();
    assert_eq!(shadowed, ["home/.agents/skills/x shadowed S0301", "oxide/skills/.system/x shadowed S0301"]);
    assert_eq!(trusted["others"][0]["by"], "[ROOT]/project/.agents/skills/x/SKILL.md");
    // Untrusted, the repo's loses to each of them.
    assert_eq!(active(&list(&[])), ["x: user", "y: system"]);
    // Without the user's, the system's is next.
    let off = format!("skills.config=[{{path={:?}, enabled=false}}]", context.home().join(".agents/skills/x"));
    assert_eq!(active(&list(&["--config", &off])), ["x: system", "y: system"]);
}

#[test]
fn inside_the_repo_the_nearer_wins() {
    let context = TestContext::new();
    context.tree(&skill("project/.openoxide/skills/x", "x", "top, ours"));
    context.tree(&skill("project/.agents/skills/x", "x", "top, shared"));
    context.tree(&skill("project/a/.claude/skills/x", "x", "near, claude"));
    let list = |dir: &str| json(&context, &["list", "--json", "--host", "openoxide", "--project", dir]);
    assert_eq!(active(&list(".")), ["x: top, ours"]);
    assert_eq!(active(&list("a")), ["x: near, claude"], "a nearer folder wins over a better kind");
    context.tree(&skill("project/a/.agents/skills/x", "x", "near, shared"));
    assert_eq!(active(&list("a")), ["x: near, shared"]);
    context.tree(&skill("project/a/b/.claude/skills/x", "x", "nearest"));
    assert_eq!(active(&list("a/b")), ["x: nearest"]);
}

#[test]
fn untrusted_names_lose_until_trusted() {
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/deploy", "deploy", "the project's"));
    context.tree(&skill("project/.agents/skills/own", "own", "no clash"));
    context.tree(&skill("home/.agents/skills/deploy", "deploy", "the user's"));
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert_eq!(active(&list), ["own: no clash", "deploy: the user's"]);
    assert_eq!(others(&list), ["project/.agents/skills/deploy untrusted S0306"]);
    let list = json(&context, &["list", "--json", "--host", "openoxide", "--config", &trust(&context)]);
    assert_eq!(active(&list), ["deploy: the project's", "own: no clash"]);
    assert_eq!(others(&list), ["home/.agents/skills/deploy shadowed S0301"]);
    let list = json(&context, &["list", "--json", "--host", "openoxide", "--config", "skills.untrusted_loses=false"]);
    assert_eq!(active(&list)[0], "deploy: the project's");
}

/// A skill that is switched off, broken or asleep does not keep its name from the next one.
#[test]
fn winners_are_chosen_after_filters() {
    let context = TestContext::new();
    for (name, more) in [("off", "enabled: false"), ("asleep", "paths: ['*.never']"), ("broken", "- x")] {
        context.tree(&format!(
            "//- project/.openoxide/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: first\n{more}\n---\n"
        ));
        context.tree(&skill(&format!("project/.agents/skills/{name}"), name, "second"));
    }
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert_eq!(active(&list), ["asleep: second", "broken: second", "off: second"]);
}

#[test]
fn one_file_by_many_ways_is_one_skill() {
    let context = TestContext::new();
    context.tree(&skill("store/pdf", "pdf", "one"));
    context.tree(
        "//- project/.agents/skills/pdf -> {root}/store/pdf rooted\n\
         //- project/.agents/skills/again -> {root}/store/pdf rooted\n\
         //- project/.claude/skills -> ../.agents/skills\n\
         //- home/.agents/skills/pdf -> {root}/store/pdf rooted\n",
    );
    for host in ["openoxide", "codex"] {
        let list = json(&context, &["list", "--json", "--host", host, "--config", &trust(&context)]);
        assert_eq!(active(&list), ["pdf: one"], "{host}");
        assert_eq!(list["skills"][0]["path"], "[ROOT]/store/pdf/SKILL.md", "{host}");
        let codes: Vec<String> = others(&list).iter().map(|line| line[line.len() - 5..].to_owned()).collect();
        assert!(!codes.is_empty() && codes.iter().all(|code| code == "S0302"), "{host}: {list:#}");
    }
}

#[test]
fn the_same_name_in_each_host() {
    let context = TestContext::new();
    for root in ["project/.agents/skills", "project/.claude/skills", "home/.agents/skills", "home/.claude/skills"] {
        context.tree(&skill(&format!("{root}/deploy"), "deploy", root));
    }
    let list = |host: &str| json(&context, &["list", "--json", "--host", host]);
    assert_eq!(active(&list("openoxide")), ["deploy: home/.agents/skills"]);
    assert_eq!(active(&list("codex")), ["deploy: project/.agents/skills", "deploy: home/.agents/skills"]);
    assert_eq!(field(&list("codex")["problems"], "code"), ["S0308", "S0308"]);
    assert_eq!(active(&list("claude-code")), ["deploy: home/.claude/skills"]);
    assert_eq!(active(&list("agentskills")), ["deploy: project/.agents/skills"]);
}

#[test]
fn a_manifest_prefixes_names() {
    for (host, manifest) in
        [("openoxide", ".openoxide-plugin"), ("openoxide", ".claude-plugin"), ("codex", ".codex-plugin")]
    {
        let context = TestContext::new();
        context.tree(&skill("project/.agents/skills/office/skills/pdf", "pdf", "Fill forms"));
        context.tree(&skill("project/.agents/skills/plain", "plain", "No plugin"));
        context.tree(&format!("//- project/.agents/skills/office/{manifest}/plugin.json\n{{\"name\": \"suite\"}}\n"));
        let list = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(active(&list), ["plain: No plugin", "suite:pdf: Fill forms"], "{host} {manifest}");
    }
}

/// A quick list does not look into a skill's folder; it must not be told otherwise by a thorough one.
#[test]
fn a_manifest_in_a_skills_own_folder_is_the_same_to_every_list() {
    for (host, name) in [("openoxide", "pdf"), ("codex", "suite:pdf"), ("omp", "pdf")] {
        let context = TestContext::new();
        context.tree(&skill("project/.agents/skills/pdf", "pdf", "Fill forms"));
        context.tree("//- project/.agents/skills/pdf/.claude-plugin/plugin.json\n{\"name\": \"suite\"}\n");
        let thorough = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(field(&thorough["skills"], "name"), [name], "{host}");
        let quick = run(&context, &["list", "--host", host]).stdout;
        assert!(quick.contains(&format!("  {name}  ")), "{host}: {quick}");
    }
}

#[test]
fn a_broken_manifest_costs_the_prefix_only() {
    for manifest in ["{", "[]", "{\"name\": 1}", "{\"name\": \"\"}", "{}", "null", "\\xff\\xfe"] {
        for (host, folder) in [("openoxide", ".openoxide-plugin"), ("codex", ".codex-plugin")] {
            let context = TestContext::new();
            context.tree(&skill("project/.agents/skills/office/skills/pdf", "pdf", "Fill forms"));
            context.tree(&format!("//- project/.agents/skills/office/{folder}/plugin.json escaped\n{manifest}\n"));
            let list = json(&context, &["list", "--json", "--host", host]);
            let names = field(&list["skills"], "name");
            assert!(matches!(names[..], ["pdf" | "office:pdf"]), "{host} {manifest}: {list:#}");
        }
    }
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/office/skills/pdf", "pdf", "Fill forms"));
    context.tree("//- project/.agents/skills/office/.openoxide-plugin/plugin.json\n{\n");
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert!(field(&list["problems"], "code").contains(&"S0203"), "and it is reported: {list:#}");
}

#[test]
fn installed_plugins_of_codex() {
    let context = TestContext::new();
    let cache = "home/.codex/plugins/cache/market/office/1.0.0";
    context.tree(&skill(&format!("{cache}/skills/pdf"), "pdf", "Fill forms"));
    context.tree(&format!(
        "//- {cache}/.codex-plugin/plugin.json\n{{\"name\": \"office\"}}\n\
         //- home/.codex/config.toml\n[plugins.\"office@market\"]\nenabled = true\n"
    ));
    let list = json(&context, &["list", "--json", "--host", "codex"]);
    assert_eq!(active(&list), ["office:pdf: Fill forms"]);
    assert_eq!(list["skills"][0]["source"], "office@market");
    context.tree("//- home/.codex/config.toml\n[plugins.\"office@market\"]\nenabled = false\n");
    assert_eq!(active(&json(&context, &["list", "--json", "--host", "codex"])), [] as [&str; 0]);
}

#[test]
fn installed_plugins_of_claude_code() {
    let context = TestContext::new();
    context.tree(&skill("market/office/skills/pdf", "pdf", "Fill forms"));
    context.tree(
        r#"
//- market/.claude-plugin/marketplace.json
{"name": "market", "owner": {"name": "me"}, "plugins": [{"name": "office", "source": "./office"}]}
//- market/office/.claude-plugin/plugin.json
{"name": "office"}
//- home/.claude/plugins/known_marketplaces.json rooted
{"market": {"source": {"source": "directory", "path": "{root}/market"}, "installLocation": "{root}/market"}}
//- home/.claude/plugins/installed_plugins.json rooted
{"version": 2, "plugins": {"office@market": [{"scope": "user", "installPath": "{root}/market/office"}]}}
//- home/.claude/settings.json
{"enabledPlugins": {"office@market": true}}
"#,
    );
    let hosts = ["claude-code", "claude-code@seed"];
    for host in hosts {
        let list = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(active(&list), ["office:pdf: Fill forms"], "{list:#}");
    }
    context.tree("//- home/.claude/settings.json\n{\"enabledPlugins\": {\"office@market\": false}}\n");
    for host in hosts {
        assert_eq!(active(&json(&context, &["list", "--json", "--host", host])), [] as [&str; 0]);
    }
}

#[test]
fn the_metadata_file_of_ours_comes_first() {
    let context = TestContext::new();
    context.tree(&skill("project/.agents/skills/pdf", "pdf", "Fill forms"));
    context.tree("//- project/.agents/skills/pdf/agents/openai.yaml\ninterface:\n  display_name: Theirs\n");
    let shown = |host: &str| {
        let list = json(&context, &["list", "--json", "--host", host]);
        list["skills"][0]["interface"]["display_name"].clone()
    };
    assert_eq!((shown("openoxide"), shown("codex")), ("Theirs".into(), "Theirs".into()));
    context.tree("//- project/.agents/skills/pdf/agents/openoxide.yaml\ninterface:\n  display_name: Ours\n");
    assert_eq!((shown("openoxide"), shown("codex")), ("Ours".into(), "Theirs".into()));
}

#[test]
fn a_bad_metadata_file_never_costs_the_skill() {
    let rows = [
        ("interface: [", "S0201"),
        ("- a list", "S0201"),
        ("just text", "S0201"),
        ("interface: 1\npolicy:\n  allow_implicit_invocation: false\n", "S0202"),
        ("interface:\n  display_name: [x]\npolicy:\n  allow_implicit_invocation: false\n", "S0202"),
        ("dependencies:\n  tools:\n    - value: X\npolicy:\n  allow_implicit_invocation: false\n", "S0202"),
        ("policy:\n  allow_implicit_invocation: maybe\n", "S0202"),
    ];
    for (text, code) in rows {
        for (host, file) in [("openoxide", "openoxide.yaml"), ("openoxide", "openai.yaml"), ("codex", "openai.yaml")] {
            let context = TestContext::new();
            context.tree(&skill("project/.agents/skills/pdf", "pdf", "Fill forms"));
            context.tree(&format!("//- project/.agents/skills/pdf/agents/{file}\n{text}\n"));
            let list = json(&context, &["list", "--json", "--host", host]);
            assert_eq!(active(&list), ["pdf: Fill forms"], "{host} {file} {text}");
            if host == "openoxide" {
                assert!(field(&list["problems"], "code").contains(&code), "{file} {text}: {list:#}");
                // The other fields count all the same, and what is unclear closes.
                let kept = text.contains("allow_implicit_invocation");
                assert_eq!(list["skills"][0]["model"], !kept, "{file} {text}: {list:#}");
            }
        }
    }
}

#[test]
fn the_invocation_matrix() {
    let context = TestContext::new();
    for (name, more) in [
        ("both", ""),
        ("mine", "disable-model-invocation: true\n"),
        ("mine-too", "disable_model_invocation: true\n"),
        ("models", "user-invocable: false\n"),
        ("models-too", "user_invocable: false\n"),
        ("nobodys", "disable-model-invocation: true\nuser-invocable: false\n"),
    ] {
        context.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: d\n{more}---\n"
        ));
    }
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    let lines: Vec<String> = list["skills"]
        .as_array()
        .unwrap()
        .iter()
        .map(|skill| format!("{} model={} user={}", skill["name"].as_str().unwrap(), skill["model"], skill["user"]))
        .collect();
    insta::assert_snapshot!(lines.join("\n"), @"
    both model=true user=true
    mine model=false user=true
    mine-too model=false user=true
    models model=true user=false
    models-too model=true user=false
    nobodys model=false user=false
    ");
    let prompt = run(&context, &["prompt"]).stdout;
    assert!(prompt.contains("- models:") && !prompt.contains("- mine") && !prompt.contains("- nobodys"), "{prompt}");
}

/// The folder of the system's skills is hidden inside the user's; what counts there is not also called hidden.
#[test]
fn system_skills_are_not_called_hidden() {
    let context = TestContext::new();
    context.tree(&skill("home/.openoxide/skills/.system/y", "y", "system"));
    context.tree(&skill("home/.codex/skills/.system/y", "y", "system"));
    for host in ["openoxide", "codex"] {
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        assert_eq!(active(&list), ["y: system"], "{host}");
        assert_eq!(others(&list), [] as [&str; 0], "{host}");
    }
}

/// Runs a server until something is so. Returns what it said.
fn serve_until(context: &TestContext, done: impl Fn() -> bool) -> String {
    use std::io::{BufRead as _, BufReader, Read as _};
    let mut command = context.command(crate::support::bin(), ["serve", "--port", "0"]);
    command.env_remove("OPENOXIDE_SYSTEM_SKILLS");
    let mut server = command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(server.stdout.take().unwrap());
    // Its first line says that it listens.
    out.read_line(&mut String::new()).unwrap();
    assert!(crate::support::until(crate::support::PATIENCE, done), "it did not happen");
    rustix::process::kill_process(rustix::process::Pid::from_child(&server), rustix::process::Signal::TERM).unwrap();
    server.wait().unwrap();
    let mut said = String::new();
    server.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    said
}

#[test]
fn system_skills_are_unpacked_once() {
    let context = TestContext::new();
    let system = context.home().join(".openoxide/skills/.system");
    let run_own = |args: &[&str]| {
        context.answer(context.command(crate::support::bin(), args).env_remove("OPENOXIDE_SYSTEM_SKILLS"))
    };
    let listed = || -> Value { serde_json::from_str(&run_own(&["list", "--json"]).stdout).unwrap() };
    // What only looks, or writes something else, has them from the program.
    for args in [
        &["new", "first"][..],
        &["list"],
        &["show", "skill-creator"],
        &["explain", "skill-creator"],
        &["search", "create", "a", "skill"],
        &["prompt"],
        &["disable", "first", "--yes"],
        &["enable", "first", "--yes"],
    ] {
        assert_eq!(run_own(args).status, Some(0), "{args:?}");
        assert!(!system.exists(), "{args:?}");
    }
    let from_program = listed();
    let names: Vec<&str> = field(&from_program["skills"], "name").into_iter().filter(|name| *name != "first").collect();
    assert_eq!(names, ["openoxide", "skill-creator", "skill-installer"]);
    let without = json(&context, &["list", "--json"]);
    assert_eq!(field(&without["skills"], "name"), ["first"], "the variable leaves them out");
    // What reads their files writes them first, and says so.
    let read = run_own(&["read", "skill-creator"]);
    assert!(read.stdout.contains("name: skill-creator"), "{read}");
    assert!(read.stderr.contains("OpenOxide's own skills are now in "), "{read}");
    assert_eq!(listed(), from_program, "from the disk as from the program");
    fs_err::remove_dir_all(&system).unwrap();
    let said = serve_until(&context, || system.exists());
    assert!(said.contains("OpenOxide's own skills are now in "), "{said}");
    assert_eq!(listed(), from_program);
    // Clean by our own rules.
    let check = run(&context, &["check", "~/.openoxide/skills/.system"]);
    let check = if check.status == Some(2) { run(&context, &["check", &system.to_string_lossy()]) } else { check };
    assert_eq!((check.status, check.stdout.as_str()), (Some(0), ""), "{check}");
    // The same again writes nothing.
    let before = snapshot_of(&system);
    let said = serve_until(&context, || true);
    assert!(!said.contains("own skills"), "{said}");
    assert_eq!(snapshot_of(&system), before);
    // Another set is not used, and replaced whole.
    let own = system.join("openoxide/SKILL.md");
    let good = fs_err::read(&own).unwrap();
    fs_err::write(&own, "---\ndescription: changed\n---\n").unwrap();
    fs_err::create_dir_all(system.join("gone")).unwrap();
    fs_err::write(system.join("gone/SKILL.md"), "old").unwrap();
    assert_eq!(listed(), from_program);
    serve_until(&context, || fs_err::read(&own).is_ok_and(|now| now == good));
    assert!(!system.join("gone").exists());
    let siblings: Vec<_> =
        fs_err::read_dir(system.parent().unwrap()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(siblings, [OsStr::new(".system")], "nothing is left behind");
}

/// Every way to a skill's files writes them first, whatever was typed; what only names a skill does not.
#[test]
fn files_of_system_skills_are_written_when_they_are_needed() {
    let runs = |args: &[&str], text: &str| {
        let context = TestContext::new();
        context.tree("//- home/.openoxide/config.toml\n[agents.writer]\nskills = [\"skill-creator\"]\n");
        context.tree(&format!("//- text\n{text}\n"));
        let input = fs_err::File::open(context.root().join("text")).unwrap();
        let args = args.iter().map(|arg| arg.replace("[ROOT]", &context.root().display().to_string()));
        let mut command = context.command(crate::support::bin(), args);
        let output = context.answer(command.env_remove("OPENOXIDE_SYSTEM_SKILLS").stdin(input.into_parts().0));
        (output, context.home().join(".openoxide/skills/.system/skill-creator/SKILL.md").exists())
    };
    let item = "[ROOT]/home/.openoxide/skills/.system/skill-creator/SKILL.md";
    for args in [
        &["activate", "skill-creator"][..],
        &["activate", "--turn", "use $skill-creator"],
        &["activate", "--turn", "-"],
        &["activate", "--turn", "use it", "--item", item],
        &["prompt", "--preload", "skill-creator"],
        &["prompt", "--agent", "writer"],
        &["read", "skill-creator", "references/checklist.md"],
        &["read", item],
        &["run", "skill-creator", "nothing.sh"],
        &["trust", "--skill", "skill-creator", "--yes"],
        &["link", "skill-creator", "--into", "codex"],
    ] {
        let (output, is_written) = runs(args, "use $skill-creator");
        assert!(is_written, "{args:?}: {output}");
        assert_eq!(output.stderr.matches("OpenOxide's own skills are now in ").count(), 1, "{args:?}: {output}");
        assert!(args[0] == "run" || output.status == Some(0), "{args:?}: {output}");
    }
    for args in [
        &["prompt"][..],
        &["mentions", "use $skill-creator"],
        &["link", "skill-creator", "--into", "codex", "--dry-run"],
    ] {
        let (output, is_written) = runs(args, "");
        assert!(!is_written && output.status == Some(0), "{args:?}: {output}");
    }
}

/// Where they cannot be written, everything else is served.
#[test]
fn where_system_skills_cannot_be_written_that_is_said() {
    let context = TestContext::new();
    context.skill("deploy", "Ships it").tree("//- home/.openoxide/skills\nno folder\n");
    let said = serve_until(&context, || true);
    assert!(said.contains("OpenOxide's own skills cannot be written: "), "{said}");
    assert!(said.contains("OPENOXIDE_HOME"), "{said}");
    for args in [&["mcp"][..], &["activate", "openoxide"], &["read", "openoxide"]] {
        let mut command = context.command(crate::support::bin(), args);
        let output = context.answer(command.env_remove("OPENOXIDE_SYSTEM_SKILLS").stdin(std::process::Stdio::null()));
        assert!(output.stderr.contains("OpenOxide's own skills cannot be written: "), "{args:?}: {output}");
        assert!(output.stderr.contains("OPENOXIDE_HOME"), "{args:?}: {output}");
        assert_eq!(output.status, Some(i32::from(args != ["mcp"])), "{args:?}: {output}");
    }
    // A host that does not look for them needs none.
    let other = TestContext::new();
    let mut command = other.command(crate::support::bin(), ["mcp", "--host", "codex"]);
    other.answer(command.env_remove("OPENOXIDE_SYSTEM_SKILLS").stdin(std::process::Stdio::null()));
    assert!(!other.home().join(".openoxide/skills").exists());
}

#[test]
fn looking_never_writes() {
    let context = crate::support::furnished();
    context.tree("//- project/.agents/skills/lower/skill.md\n---\ndescription: No name: and a colon\n---\n");
    let before = snapshot_of(context.root());
    let named = LOOKS_AT.map(|command| vec![command, "deploy"]);
    let looks = LOOKS.into_iter().map(<[&str]>::to_vec).chain(named);
    let with_json = looks.flat_map(|args| [args.clone(), [args, vec!["--json"]].concat()]);
    let others: [&[&str]; 6] = [
        &["check", "--format", "sarif"],
        &["explain", "S0102"],
        &["config", "path"],
        &["schema", "list"],
        &["completions", "bash"],
        &["--help"],
    ];
    for args in with_json.chain(others.map(<[&str]>::to_vec)) {
        for host in HOSTS {
            let mut args = args.clone();
            args.extend(["--host", host]);
            run(&context, &args);
            assert_eq!(snapshot_of(context.root()), before, "{args:?} wrote");
        }
    }
    let empty = TestContext::new();
    let before = snapshot_of(empty.root());
    for args in LOOKS {
        assert_eq!(run(&empty, args).status, Some(0), "{args:?}");
        assert_eq!(snapshot_of(empty.root()), before, "{args:?} wrote");
    }
}
