//! Hostile trees: whatever lies below a root, every command ends, with a status it promises and harmless text.
//!
//! The tests are named after the cases that they stand for.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::PermissionsExt as _;

use openoxide_testkit::{Output, TestContext};
use serde_json::Value;

use crate::support::{HOSTS, LOOKS, LOOKS_AT, bin, field, json, run as run_plain, skipped};

/// Runs the binary so that a hang is a failure and not a wait.
fn bounded(context: &TestContext, args: &[&str]) -> Output {
    let mut command = context.command("/usr/bin/env".as_ref(), ["timeout", "100"]);
    command.arg(bin()).args(args).env("COLUMNS", "80");
    context.answer(&mut command)
}

/// Tells whether a character could move the cursor, reorder text or hide.
fn is_dangerous(character: char) -> bool {
    (character.is_control() && character != '\n')
        || matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' | '\u{e0000}'..='\u{e007f}')
}

/// Puts the context's skills where every host looks.
fn everywhere(context: &TestContext) {
    let claude = context.project().join(".claude");
    fs_err::create_dir_all(&claude).unwrap();
    fs_err::os::unix::fs::symlink("../.agents/skills", claude.join("skills")).unwrap();
}

/// Asks everything there is to ask about `subjects`, in every host, and checks each answer.
fn survives(context: &TestContext, subjects: &[&str]) {
    let mut asked: Vec<Vec<&str>> = vec![vec!["hosts"], vec!["check"], vec!["check", "--format", "github"]];
    for host in HOSTS {
        asked.extend(LOOKS.map(|look| [look, &["--host", host]].concat()));
    }
    for subject in subjects {
        asked.extend(LOOKS_AT.map(|command| vec![command, "--", subject]));
        asked.push(vec!["check", "--", subject]);
    }
    let mut report = Vec::new();
    for args in asked {
        let mut text = vec!["--color", "never"];
        text.extend(&args);
        let output = bounded(context, &text);
        // What goes to the model goes there byte for byte.
        let shown = if args[0] == "prompt" { output.stderr.clone() } else { output.stdout.clone() + &output.stderr };
        report.extend(harm(&text, &output, &shown));
        if args.contains(&"github") {
            continue;
        }
        let mut structured = vec!["--json"];
        structured.extend(&args);
        let output = bounded(context, &structured);
        report.extend(harm(&structured, &output, ""));
        let is_json = serde_json::from_str::<Value>(&output.stdout).is_ok();
        // A code's page is the same with or without.
        let is_error = output.stdout.is_empty() && output.stderr.contains("error: ");
        if !is_json && !is_error {
            report.push(format!("{structured:?} is not JSON\n{output}"));
        }
    }
    assert!(report.is_empty(), "{} answers do harm\n{}", report.len(), report.join("\n"));
}

/// Says what is wrong with an answer: its status, a panic, or characters in what is `shown`.
fn harm(args: &[&str], output: &Output, shown: &str) -> Option<String> {
    if !matches!(output.status, Some(0..=2)) || output.stderr.contains("panicked") {
        return Some(format!("{args:?} fails\n{output}"));
    }
    let lines = shown.lines().filter(|line| line.chars().any(is_dangerous));
    let lines: Vec<String> = lines.map(|line| line.escape_debug().to_string()).collect();
    if lines.is_empty() { None } else { Some(format!("{args:?} prints\n  {}", lines.join("\n  "))) }
}

/// Returns the names that count for a host.
fn names(context: &TestContext, host: &str) -> Vec<String> {
    let list = json(context, &["list", "--json", "--host", host]);
    field(&list["skills"], "name").into_iter().map(str::to_owned).collect()
}

/// Returns the code of each finding or reason about paths that contain `part`.
fn codes(list: &Value, part: &str) -> Vec<String> {
    let about = |item: &&Value| item["path"].as_str().is_some_and(|path| path.contains(part));
    let problems = list["problems"].as_array().unwrap().iter().filter(about);
    let others = list["others"].as_array().unwrap().iter().filter(about);
    let mut codes: Vec<String> = problems.filter_map(|item| item["code"].as_str().map(str::to_owned)).collect();
    codes.extend(others.filter_map(|item| item["reason"].as_str().map(|reason| reason[..5].to_owned())));
    codes.sort();
    codes.dedup();
    codes
}

#[test]
fn a03_the_skill_itself_is_a_link() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    context.tree(
        "//- home/.agents/skills/mine/SKILL.md\n---\nname: mine\ndescription: The user's\n---\n\
         //- outside/far/SKILL.md\n---\nname: far\ndescription: Outside of all roots\n---\n\
         //- project/.agents/skills/mine -> {root}/home/.agents/skills/mine rooted\n\
         //- project/.agents/skills/far -> {root}/outside/far rooted\n\
         //- project/.agents/skills/file/SKILL.md -> {root}/outside/far/SKILL.md rooted\n\
         //- project/.agents/skills/gone -> {root}/outside/gone rooted\n\
         //- project/.agents/skills/lost/SKILL.md -> {root}/outside/gone.md rooted\n",
    );
    everywhere(&context);
    survives(&context, &["mine", "far", "file", "lost", ".agents/skills/lost", ".agents/skills/file"]);
    for host in HOSTS {
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        assert_eq!(list, json(&context, &["list", "--all", "--json", "--host", host]), "{host}");
        assert!(field(&list["skills"], "name").contains(&"good"), "{host}");
        assert!(codes(&list, "/gone").contains(&"S0006".to_owned()), "{host}: {list:#}");
        assert!(codes(&list, "/lost/").iter().any(|code| code == "S0006" || code == "S0005"), "{host}: {list:#}");
        let is_error = |problem: &Value| problem["code"] == "S0006" && problem["level"] == "error";
        assert!(!list["problems"].as_array().unwrap().iter().any(is_error), "{host}: {list:#}");
    }
    assert_eq!(names(&context, "openoxide"), ["good", "mine"]);
}

#[test]
fn a03_links_of_the_system_scope_are_not_followed() {
    let context = TestContext::new();
    context.tree(
        "//- outside/far/SKILL.md\n---\nname: far\ndescription: Outside of all roots\n---\n\
         //- home/.openoxide/skills/.system/far -> {root}/outside/far rooted\n\
         //- home/.codex/skills/.system/far -> {root}/outside/far rooted\n",
    );
    for host in ["openoxide", "codex"] {
        assert_eq!(names(&context, host), [] as [&str; 0], "{host}");
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        let system: Vec<&Value> =
            list["others"].as_array().unwrap().iter().filter(|other| other["scope"] == "system").collect();
        assert_eq!(system.len(), 1, "{host}: {list:#}");
        assert!(system[0]["reason"].as_str().unwrap().starts_with("S0005"), "{host}: {list:#}");
    }
}

#[test]
fn a04_link_cycles() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    context.tree(
        "//- project/.agents/skills/here -> .\n//- project/.agents/skills/a -> b\n//- project/.agents/skills/b -> a\n\
         //- project/.agents/skills/up -> {root}/project rooted\n//- project/.agents/skills/good/self -> ..\n\
         //- project/chain/000/SKILL.md\n---\nname: chain\ndescription: At the end of fifty links\n---\n",
    );
    for number in 1..=50_u32 {
        let (from, to) = (format!("project/chain/{number:03}"), format!("{:03}", number - 1));
        context.tree(&format!("//- {from} -> {to}\n"));
    }
    context.tree("//- project/.agents/skills/chain -> ../../chain/050\n");
    everywhere(&context);
    survives(&context, &["good", "a", "here"]);
    for host in HOSTS {
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        let paths = field(&list["skills"], "path");
        let good = paths.iter().filter(|path| path.ends_with("/good/SKILL.md")).count();
        assert_eq!(good, 1, "{host} sees each folder once: {list:#}");
        let cycles = field(&list["problems"], "code").iter().filter(|code| **code == "S0007").count();
        assert!(cycles >= 1, "{host}: {list:#}");
    }
}

#[test]
fn a06_special_files() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    context.tree(
        "//- project/.agents/skills/pipe/SKILL.md fifo\n\
         //- project/.agents/skills/device/SKILL.md -> /dev/zero\n\
         //- project/.agents/skills/null/SKILL.md -> /dev/null\n\
         //- project/.agents/skills/good/agents/openai.yaml fifo\n\
         //- project/.agents/skills/good/assets/pipe fifo\n\
         //- project/.agents/skills/.codex-plugin/plugin.json fifo\n\
         //- project/.openoxide/config.toml fifo\n\
         //- home/.openoxide/config.toml fifo\n\
         //- home/.codex/config.toml fifo\n\
         //- home/.claude/settings.json fifo\n\
         //- home/.openoxide/hosts/pipe/host.toml fifo\n",
    );
    let socket = context.project().join(".agents/skills/socket");
    fs_err::create_dir_all(&socket).unwrap();
    let _listener = std::os::unix::net::UnixListener::bind(socket.join("SKILL.md")).unwrap();
    everywhere(&context);
    survives(&context, &["good", "pipe", "socket", ".agents/skills/pipe/SKILL.md", ".agents/skills/socket"]);
    for host in HOSTS {
        let list: Value = serde_json::from_str(&bounded(&context, &["list", "--json", "--host", host]).stdout).unwrap();
        assert_eq!(field(&list["skills"], "name"), ["good"], "{host}");
        for folder in ["/pipe/SKILL.md", "/socket/SKILL.md"] {
            assert!(codes(&list, folder).contains(&"S0002".to_owned()), "{host} {folder}: {list:#}");
        }
    }
}

#[test]
fn a07_a_frontmatter_without_end() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    let filler = "# filler\n".repeat(300 * 1024 / 9);
    context.tree(&format!("//- project/.agents/skills/endless/SKILL.md\n---\nname: endless\ndescription: d\n{filler}"));
    everywhere(&context);
    survives(&context, &["endless"]);
    for host in ["openoxide", "codex", "agentskills"] {
        let list = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(field(&list["skills"], "name"), ["good"], "{host}");
        let codes = codes(&list, "/endless/");
        assert!(codes.iter().any(|code| code == "S0004" || code == "S0101"), "{host}: {codes:?}");
    }
}

#[test]
fn a08_a_deep_tree() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    let deep = format!("project/.agents/skills/{}/SKILL.md", vec!["d"; 500].join("/"));
    context.tree(&format!("//- {deep}\n---\nname: deep\ndescription: Very deep\n---\n"));
    everywhere(&context);
    survives(&context, &["good", "deep"]);
    for host in HOSTS {
        assert_eq!(names(&context, host), ["good"], "{host}");
    }
}

#[test]
fn a08_a_wide_tree() {
    let context = TestContext::new();
    context.tree("//- home/.agents/skills/good/SKILL.md\n---\nname: good\ndescription: In another root\n---\n");
    for number in 0..5_000 {
        fs_err::create_dir_all(context.project().join(format!(".agents/skills/f{number:04}"))).unwrap();
    }
    everywhere(&context);
    survives(&context, &["good"]);
    let list = json(&context, &["list", "--json", "--host", "codex"]);
    assert_eq!(field(&list["limits"], "code"), ["S0012"], "{list:#}");
    assert_eq!(list["limits"][0]["limit"], 2_000);
    assert_eq!(field(&list["skills"], "name"), ["good"], "the other root is searched all the same");
    let list = json(&context, &["list", "--json", "--host", "openoxide"]);
    assert_eq!(list["limits"], serde_json::json!([]));
    let list = json(&context, &["list", "--json", "--host", "openoxide", "--config", "limits.folders=100"]);
    assert!(field(&list["limits"], "code").contains(&"S0012"), "{list:#}");
}

#[test]
fn a09_odd_names() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    let skills = context.project().join(".agents/skills");
    let long = "n".repeat(255);
    let odd: [&[u8]; 10] = [
        b"raw-\xff-bytes",
        b"raw-\xfe-bytes",
        b"line\nend",
        b"esc\x1b[31m",
        b"-rf",
        b"--help",
        b"trailing ",
        b"CON",
        "\u{202e}odd\u{e0041}".as_bytes(),
        long.as_bytes(),
    ];
    for (number, name) in odd.iter().enumerate() {
        let folder = skills.join(std::ffi::OsStr::from_bytes(name));
        fs_err::create_dir_all(&folder).unwrap();
        let text = format!("---\nname: odd-{number}\ndescription: Has an odd folder\n---\n");
        fs_err::write(folder.join("SKILL.md"), text).unwrap();
        fs_err::write(folder.join("SKILL.md\u{1b}[8m"), "").unwrap();
    }
    everywhere(&context);
    survives(
        &context,
        &["good", "odd-2", "odd-4", "-rf", "--help", "esc\u{1b}[31m", &long, ".agents/skills/line\nend"],
    );
    for host in HOSTS {
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        let paths: BTreeSet<&str> =
            field(&list["skills"], "path").into_iter().chain(field(&list["others"], "path")).collect();
        assert_eq!(paths.len(), odd.len() + 1, "{host} lists each file by a path of its own: {paths:#?}");
    }
    // Two folders that differ in bytes are never shown alike.
    let text = bounded(&context, &["list", "--all", "--color", "never"]).stdout;
    let raw: Vec<&str> = text.lines().filter(|line| line.contains("raw-")).collect();
    assert!(raw.windows(2).all(|pair| pair[0] != pair[1]), "{text}");
}

#[test]
fn a10_unreadable_places() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    context.tree(
        "//- project/.agents/skills/file/SKILL.md mode=000\n---\nname: file\ndescription: Unreadable file\n---\n\
         //- project/.agents/skills/folder/ mode=000\n\
         //- home/.agents/skills/ mode=000\n\
         //- home/.codex/config.toml mode=000\n\
         //- home/.openoxide/config.toml mode=000\n",
    );
    everywhere(&context);
    survives(&context, &["good", "file", "folder"]);
    if fs_err::read_dir(context.project().join(".agents/skills/folder")).is_ok() {
        skipped("this user may read everything, so nothing here is unreadable");
        return;
    }
    for host in HOSTS {
        let list = json(&context, &["list", "--all", "--json", "--host", host]);
        assert_eq!(field(&list["skills"], "name"), ["good"], "{host}");
        assert_eq!(codes(&list, "/skills/file/"), ["S0001"], "{host}: {list:#}");
        assert_eq!(codes(&list, "/skills/folder"), ["S0001"], "{host}: {list:#}");
        // Nobody knows what is in it, so nothing in it is named.
        let inside = field(&list["others"], "path").into_iter().filter(|path| path.contains("/skills/folder/"));
        assert_eq!(inside.count(), 0, "{host}: {list:#}");
        let about = field(&list["problems"], "path").into_iter().filter(|path| path.contains("/skills/folder"));
        assert_eq!(about.count(), 1, "{host}: {list:#}");
    }
    // So that the context can be cleared away.
    for folder in [context.project().join(".agents/skills/folder"), context.home().join(".agents/skills")] {
        fs_err::set_permissions(folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
}

#[test]
fn a11_a_prefix_is_not_a_folder() {
    let context = TestContext::new();
    context.skill("pdf", "Counts").skill("pdf-old", "Counts too");
    context.tree(
        "//- project/.agents/skills-old/stale/SKILL.md\n---\nname: stale\ndescription: Beside the root\n---\n\
         //- home/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: The user's\n---\n\
         //- home/.openoxide/config.toml rooted\n\
         [[skills.config]]\npath = '{root}/project/.agents/skills/pd'\nenabled = false\n",
    );
    everywhere(&context);
    survives(&context, &["pdf", "stale", ".agents/skills-old/stale"]);
    for host in HOSTS {
        assert!(!names(&context, host).contains(&"stale".to_owned()), "{host}");
    }
    assert_eq!(names(&context, "openoxide"), ["pdf-old", "pdf"], "the untrusted project's loses, and none is disabled");
    let shorter = context.project().to_string_lossy().trim_end_matches('t').to_owned();
    let trust = format!("trust.folders=[{shorter:?}]");
    let roots = json(&context, &["roots", "--json", "--config", &trust]);
    assert_eq!(roots["trusted"], false, "a folder with a shorter name is another folder");
    let off = format!("skills.config=[{{path={:?}, enabled=false}}]", context.project().join(".agents/skills/pdf"));
    let list = json(&context, &["list", "--json", "--host", "openoxide", "--config", &off]);
    let disabled: Vec<&Value> =
        list["others"].as_array().unwrap().iter().filter(|other| other["status"] == "disabled").collect();
    assert_eq!(disabled.len(), 1, "{list:#}");
    assert_eq!(disabled[0]["path"], "[ROOT]/project/.agents/skills/pdf/SKILL.md");
}

fn lines(lines: impl Iterator<Item = String>) -> String {
    lines.collect::<Vec<_>>().join("\n") + "\n"
}

#[test]
fn a12_yaml_bombs() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    let mut aliases = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..=9 {
        let inner = vec![format!("*a{}", level - 1); 10].join(", ");
        writeln!(aliases, "a{level}: &a{level} [{inner}]").unwrap();
    }
    let merges = lines((0..40).map(|n| format!("m{}: &m{} {{<<: [*m{n}, *m{n}]}}", n + 1, n + 1)));
    let bombs = [
        ("aliases", format!("{aliases}description: *a9\n")),
        ("flow", format!("description: {}{}\n", "[".repeat(10_000), "]".repeat(10_000))),
        ("open-flow", format!("description: {}\n", "[".repeat(10_000))),
        ("maps", format!("description: {}\n", "{a: ".repeat(5_000))),
        ("block", lines((0..2_000).map(|depth| format!("{}- ", " ".repeat(depth))))),
        ("dashes", format!("x: \n  {}a\n", "- ".repeat(10_000))),
        ("scalar", format!("description: \"{}\"\n", "x".repeat(5_000_000))),
        ("merges", format!("m0: &m0 {{a: b}}\n{merges}")),
        ("keys", lines((0..400).map(|n| format!("key{n}: v")))),
        ("questions", "? ".repeat(10_000)),
    ];
    for (name, yaml) in &bombs {
        context.tree(&format!("//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\n{yaml}---\nText.\n"));
    }
    context.tree("//- project/.agents/skills/good/agents/openai.yaml\n");
    let sidecar = format!("interface: {}\n", "[".repeat(10_000));
    fs_err::write(context.project().join(".agents/skills/good/agents/openai.yaml"), sidecar).unwrap();
    everywhere(&context);
    survives(&context, &["aliases", "flow", "scalar", "maps"]);
    for host in ["openoxide", "agentskills"] {
        let list = json(&context, &["list", "--json", "--host", host]);
        for bomb in ["aliases", "flow", "open-flow", "maps", "scalar"] {
            assert!(!field(&list["skills"], "name").contains(&bomb), "{host} loads {bomb}");
        }
        assert!(field(&list["skills"], "name").contains(&"good"), "{host}");
    }
}

#[test]
fn a13_yaml_tags_and_types() {
    let context = TestContext::new();
    context.skill("good", "Counts in any case");
    let rows = [
        ("object", "name: object\ndescription: !!python/object/apply:os.system ['touch CANARY']\n", 3),
        ("binary", "name: binary\ndescription: !!binary aGVsbG8=\n", 3),
        ("custom", "name: custom\ndescription: !mine {a: b}\n", 3),
        ("list", "name: [list]\ndescription: Has a list for a name\n", 2),
        ("map", "name: map\ndescription: {a: b}\n", 3),
    ];
    for (name, yaml, _) in rows {
        context.tree(&format!("//- project/.agents/skills/{name}/SKILL.md\n---\n{yaml}---\n"));
    }
    everywhere(&context);
    survives(&context, &["object", "binary", "custom", "list", "map"]);
    for host in ["openoxide", "agentskills"] {
        let list = json(&context, &["list", "--json", "--host", host]);
        assert_eq!(field(&list["skills"], "name"), ["good"], "{host}");
        for (name, _, line) in rows {
            let at = list["problems"].as_array().unwrap().iter().find(|problem| {
                problem["level"] == "error" && problem["path"].as_str().unwrap().contains(&format!("/{name}/"))
            });
            assert_eq!(at.map(|problem| &problem["line"]), Some(&Value::from(line)), "{host} {name}: {list:#}");
        }
    }
    assert!(!context.project().join("CANARY").exists());
}

#[test]
fn a14_hostile_names() {
    let context = TestContext::new();
    let long = "n".repeat(65);
    let names = [
        ("dots", "../../x"),
        ("slash", "a/b"),
        ("upper", "A"),
        ("double", "a--b"),
        ("leading", "-a"),
        ("long", long.as_str()),
        ("empty", "''"),
        ("con", "con"),
        ("proto", "__proto__"),
        ("other", "unlike-its-folder"),
        ("spaced", "two words"),
        ("cyrillic", "d\u{43e}cx"),
        ("wide", "\u{ff50}\u{ff44}\u{ff46}"),
        ("escape", r#""a\e[31mb""#),
        ("tilde", "'~'"),
        ("dot", "."),
        ("dotdot", ".."),
        ("nul", r#""a\0b""#),
        ("newline", r#""a\nb""#),
    ];
    for (folder, name) in names {
        context
            .tree(&format!("//- project/.agents/skills/{folder}/SKILL.md\n---\nname: {name}\ndescription: d\n---\n"));
    }
    everywhere(&context);
    survives(&context, &["../../x", "a/b", "-a", "con", "__proto__", "two words", ".", "..", "~", ""]);
    assert_eq!(self::names(&context, "agentskills"), ["con"]);
    let mut ours = self::names(&context, "openoxide");
    ours.sort();
    insta::assert_snapshot!(ours.join("\n"), @"
    A
    __proto__
    con
    empty
    unlike-its-folder
    ");
}

/// A prefix is part of a name, so the rule for names holds for it, too.
#[test]
fn a14_hostile_prefixes() {
    let rows = [r"\u001b[31m\u202e", "../..", "a b", "a/b", "\u{43e}ffice", "-", "", r"a\nb", "~"];
    for prefix in rows {
        let context = TestContext::new();
        context.tree("//- project/.agents/skills/office/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: d\n---\n");
        context.tree(&format!(
            "//- project/.agents/skills/office/.claude-plugin/plugin.json\n{{\"name\": \"{prefix}\"}}\n"
        ));
        survives(&context, &["pdf", "office:pdf"]);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte);
        let active = names(&context, "openoxide");
        assert!(active.iter().all(|name| name.bytes().all(plain)), "{prefix:?} makes {active:?}");
        let list = json(&context, &["list", "--json", "--host", "openoxide"]);
        let listed = list["skills"].as_array().unwrap().len() + list["others"].as_array().unwrap().len();
        assert_eq!(listed, 1, "{prefix:?}: {list:#}");
    }
}

/// What somebody could type, or paste.
const TYPED: &str = "no-such\u{1b}[31m\u{202e}\u{e0041}\r";

fn evil() -> TestContext {
    let context = TestContext::new();
    // What a description, a name, a body and the files beside it can hold.
    let evil = r"\e[8mhidden\e[0m \e]52;c;aGk=\a \e]8;;http://evil\e\\link \x9b31m \r over \u202e rtl \U000E0041 tag \u200b zero \b";
    let raw = "\u{202e}\u{2066}\u{e0041}\u{200b}\u{9b}";
    context.tree(&format!(
        "//- project/.agents/skills/evil/SKILL.md\n---\nname: evil\ndescription: \"{evil}\"\nlicense: \"{evil}\"\n\
         compatibility: \"{evil}\"\nmetadata:\n  \"{evil}\": \"{evil}\"\nallowed-tools: \"{evil}\"\nwhen_to_use: \"{evil}\"\n\
         argument-hint: \"{evil}\"\npaths: \"{evil}\"\n\"{evil}\": \"{evil}\"\n---\n{raw}\u{1b}[31m\n\
         //- project/.agents/skills/evil/agents/openai.yaml\ninterface:\n  display_name: \"{evil}\"\n  icon_small: \"{evil}\"\n\
         dependencies:\n  tools:\n    - type: env_var\n      value: \"{evil}\"\n    - type: \"{evil}\"\n      value: x\n\
         policy:\n  products: [\"{evil}\"]\n\"{evil}\": 1\n\
         //- project/.agents/skills/named/SKILL.md\n---\nname: \"{evil}\"\ndescription: d\n---\n\
         //- project/.agents/skills/raw/SKILL.md\n---\nname: raw\ndescription: a {raw} b\n{raw}: {raw}\n---\n\
         //- project/.agents/skills/broken/SKILL.md escaped\n---\nname: broken\ndescription: [\\x1b[31m \\u{{202e}}\n---\n\
         //- project/.agents/skills/quoted/SKILL.md\n---\nname: quoted\ndescription: {raw}: {raw}\n---\n\
         //- project/.agents/skills/twice/SKILL.md\n---\nname: twice\n{raw}: a\n{raw}: b\ndescription: d\n---\n\
         //- project/.agents/skills/.codex-plugin/plugin.json escaped\n{{\"name\": \"\\\\u001b[31m\\\\u202e\"}}\n\
         //- home/.openoxide/config.toml\n\"\\u001b[31m\\u202e\" = 1\nhost = \"openoxide\"\ncolor = \"\\u001b[31m\"\n\
         //- home/.codex/config.toml\n[[skills.config]]\nname = \"\\u001b[31m\\u202e\"\nenabled = false\n\
         [plugins.\"\\u001b[31m@\\u202e\"]\nenabled = true\n\
         //- home/.openoxide/hosts/evil/host.toml\ntitle = \"\\u001b[31m\\u202e\"\nprogram = \"\\u001b[31m\\u202e\"\nroots = 1\n\
         //- home/.openoxide/hosts/odd/host.toml\ntitle = \"\\u001b[31m\\u202e\"\nprogram = \"\\u001b[31m\\u202e\"\n\
         [[roots]]\npath = \"{{project}}/.agents/skills\"\nscope = \"repo\"\n\
         //- home/.openoxide/hosts/odd/entry.jinja\n{{{{ name }}}}\n\
         //- home/.openoxide/hosts/odd/catalog.jinja\n{{{{ entries }}}}\n",
    ));
    context.tree(&format!(
        "//- project/.agents/skills/mild/SKILL.md\n---\nname: mild\ndescription: \"{evil}\"\n---\n\
         //- home/.agents/skills/mild/SKILL.md\n---\nname: mild\ndescription: \"{evil}\"\n---\n"
    ));
    everywhere(&context);
    context
}

#[test]
fn a21_files_reach_the_terminal_escaped() {
    let path = format!("./{TYPED}");
    let context = evil();
    survives(&context, &["evil", "mild", "named", "raw", "broken", "quoted", "twice", TYPED, &path]);
    assert!(names(&context, "openoxide").contains(&"mild".to_owned()));
}

#[test]
fn a21_typed_text_reaches_the_terminal_escaped() {
    let context = evil();
    let typed = TYPED;
    let setting = format!("{typed}=1");
    let no_equals = typed.to_owned();
    let bad_type = format!("skills.paths=[\"{typed}\"]");
    let asked: [&[&str]; 14] = [
        &["list", "--host", typed],
        &["list", "--host", &format!("codex@{typed}")],
        &["list", "--config", &setting],
        &["list", "--config", &no_equals],
        &["roots", "--config", &bad_type],
        &["config", "--config", &setting],
        &["config", "get", typed],
        &["config", "set", typed, "1"],
        &["config", "set", "color", typed],
        &["list", "--project", typed],
        &["list", "--add-dir", typed],
        &["new", typed],
        &["disable", typed],
        &["schema", typed],
    ];
    let mut report = Vec::new();
    for args in asked {
        let mut all = vec!["--color", "never"];
        all.extend(args);
        let output = bounded(&context, &all);
        report.extend(harm(&all, &output, &output.to_string()));
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}

/// Color is ours alone: every escape that is left is one that styles our own words.
#[test]
fn a21_color_is_ours_alone() {
    let context = evil();
    for args in [&["list", "--all"][..], &["show", "mild"], &["explain", "mild"], &["check"], &["roots"], &["hosts"]] {
        let mut all = vec!["--color", "always"];
        all.extend(args);
        let output = bounded(&context, &all).to_string();
        assert!(output.contains("\u{1b}["), "{args:?} has color\n{output}");
        for forbidden in ["\u{1b}[8m", "\u{1b}]", "\u{9b}", "\r", "\u{202e}", "\u{e0041}", "\u{200b}", "\u{7}"] {
            assert!(!output.contains(forbidden), "{args:?} prints {forbidden:?}\n{}", output.escape_debug());
        }
    }
}

/// A host that has entered all the folders that it may says so, and sees no more; the others do not notice.
#[test]
fn a08_more_skills_than_a_host_enters() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/s{i}/SKILL.md repeat=2005\n---\nname: s{i}\ndescription: x\n---\n//- project/.agents/skills/s000/inner/SKILL.md\n---\nname: inner\ndescription: x\n---\n",
    );
    let hosts = json(&context, &["hosts", "--all-hosts", "--json"]);
    let sees = |name: &str| {
        let line = hosts["hosts"].as_array().unwrap().iter().find(|line| line["name"] == name).unwrap();
        line["sees"].as_u64().unwrap()
    };
    // The root is one of its 2,000 folders; OpenCode has no such limit and looks inside skills too.
    assert_eq!((sees("codex"), sees("openoxide"), sees("opencode")), (1999, 2005, 2006));
    for args in [&["list", "--host", "codex"][..], &["list", "--all", "--host", "codex"]] {
        let output = run_plain(&context, args);
        assert!(output.stderr.contains("S0012"), "{args:?}: {}", output.stderr);
    }
}
