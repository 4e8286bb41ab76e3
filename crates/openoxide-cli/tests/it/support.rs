//! What the tests of the binary share.

use std::ffi::OsStr;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use openoxide_testkit::{Output, TestContext};
use serde_json::Value;

/// Commands that look at the skills of one host and change nothing. What has to hold for all of them (they write nothing,
/// fit the terminal, are not fooled by hostile text, and answer the same twice) is tested on this list.
pub(crate) const LOOKS: [&[&str]; 7] =
    [&["list"], &["list", "--all"], &["check"], &["prompt"], &["hosts"], &["roots"], &["config"]];

/// Commands that look at one thing that is named.
pub(crate) const LOOKS_AT: [&str; 4] = ["show", "explain", "mentions", "search"];

/// The other commands. They act, serve, or print what comes with the program, and each has tests of its own.
pub(crate) const OTHERS: [&str; 17] = [
    "activate",
    "read",
    "run",
    "serve",
    "token",
    "mcp",
    "models",
    "app-server",
    "link",
    "unlink",
    "new",
    "enable",
    "disable",
    "trust",
    "completions",
    "schema",
    "help",
];

/// Hosts whose rules differ most.
pub(crate) const HOSTS: [&str; 4] = ["openoxide", "codex", "claude-code", "agentskills"];

/// Returns the binary under test.
pub(crate) fn bin() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_openoxide"))
}

/// Returns a path below the repository's root.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(path)
}

/// Runs the binary at 80 columns.
pub(crate) fn run(context: &TestContext, args: &[&str]) -> Output {
    run_with(context, args, &[])
}

/// Runs the binary at 80 columns, with variables.
pub(crate) fn run_with(context: &TestContext, args: &[&str], variables: &[(&str, &OsStr)]) -> Output {
    context.answer(context.command(bin(), args).env("COLUMNS", "80").envs(variables.iter().copied()))
}

/// Runs the binary and reads its answer as JSON.
pub(crate) fn json(context: &TestContext, args: &[&str]) -> Value {
    let output = run(context, args);
    serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}\n{output}"))
}

/// Runs a command with `--json` and checks the answer against the command's own schema.
pub(crate) fn valid_json(context: &TestContext, args: &[&str]) -> Value {
    let answer = json(context, args);
    let schema = json(context, &["schema", args[0]]);
    let validator = jsonschema::validator_for(&schema).unwrap();
    let errors: Vec<String> =
        validator.iter_errors(&answer).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{args:?}: {errors:#?}\n{answer:#}");
    answer
}

/// Runs a command that changes something with `--json`, and checks the answer against the schema of all of them.
pub(crate) fn changes(context: &TestContext, args: &[&str]) -> Value {
    let answer = json(context, args);
    let validator = jsonschema::validator_for(&json(context, &["schema", "change"])).unwrap();
    assert!(validator.is_valid(&answer), "{args:?}: {answer:#}");
    answer
}

/// Runs the binary and returns a trace of these system calls; nothing if that cannot be done here.
pub(crate) fn traced(context: &TestContext, calls: &str, args: &[&str]) -> Option<String> {
    let log = context.root().join("trace");
    let prepared = context.command(bin(), args);
    let mut command = Command::new("strace");
    command.args(["-f", "-qq", "-e", calls, "-o"]).arg(&log).arg(prepared.get_program()).args(prepared.get_args());
    command.env_clear().current_dir(context.project());
    command.envs(prepared.get_envs().filter_map(|(name, value)| Some((name, value?))));
    command.env("PATH", "/usr/bin:/bin").output().ok().filter(|output| !output.stdout.is_empty() || log.is_file())?;
    Some(fs_err::read_to_string(&log).unwrap())
}

/// How long something may take that is sure to happen. Only a test that fails waits so long.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// Waits until something is so; tells whether it is.
pub(crate) fn until(longest: Duration, mut done: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + longest;
    loop {
        if done() {
            return true;
        }
        if Instant::now() >= deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Says loudly that something was not tested; the test harness does not swallow it.
pub(crate) fn skipped(why: &str) {
    writeln!(std::io::stderr().lock(), "SKIPPED: {why}").unwrap();
}

/// Takes the texts of one field from a list of objects.
pub(crate) fn field<'v>(list: &'v Value, name: &str) -> Vec<&'v str> {
    list.as_array().into_iter().flatten().filter_map(|item| item[name].as_str()).collect()
}

/// A fenced block of a Markdown file.
#[derive(Debug)]
pub(crate) struct Block {
    /// What follows the opening fence.
    pub(crate) info: String,
    /// The lines inside.
    pub(crate) text: String,
}

impl Block {
    /// Returns where a reader writes the block, and whether to the end of what is there.
    pub(crate) fn file(&self) -> Option<(String, bool)> {
        let mut words = self.info.split_whitespace().skip(1);
        let path = words.next()?;
        let below = path.strip_prefix("~/").map_or(format!("project/{path}"), |path| format!("home/{path}"));
        Some((below, words.next() == Some("more")))
    }
}

/// Returns the fenced blocks of a Markdown text whose info string begins with `kind`.
pub(crate) fn blocks(markdown: &str, kind: &str) -> Vec<Block> {
    let mut blocks = all_blocks(markdown);
    blocks.retain(|block| block.info.split_whitespace().next() == Some(kind));
    blocks
}

/// Returns all fenced blocks of a Markdown text.
pub(crate) fn all_blocks(markdown: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in markdown.split_inclusive('\n') {
        let bare = line.trim_end();
        match fence {
            None => {
                let info = bare.trim_start_matches('`');
                let length = bare.len() - info.len();
                if length >= 3 {
                    fence = Some(&bare[..length]);
                    blocks.push(Block { info: info.to_owned(), text: String::new() });
                }
            }
            Some(open) if bare == open => fence = None,
            Some(_) => blocks.last_mut().unwrap().text.push_str(line),
        }
    }
    blocks
}

/// Returns every path below `dir` with its kind, size, time of change and content, in order.
pub(crate) fn snapshot_of(dir: &Path) -> Vec<String> {
    let mut lines = Vec::new();
    for entry in fs_err::read_dir(dir).unwrap().map(Result::unwrap) {
        let meta = fs_err::symlink_metadata(entry.path()).unwrap();
        let content = if meta.is_file() { fs_err::read(entry.path()).unwrap() } else { Vec::new() };
        lines.push(format!(
            "{} {:?} {:?} {content:?}",
            entry.path().display(),
            meta.file_type(),
            meta.modified().unwrap()
        ));
        if meta.is_dir() {
            lines.extend(snapshot_of(&entry.path()));
        }
    }
    lines.sort();
    lines
}

/// A context with a root of one length everywhere: what a catalog costs depends on it.
pub(crate) fn padded() -> TestContext {
    TestContext::padded(96)
}

/// A project with a bit of everything, and a user with skills of their own.
pub(crate) fn furnished() -> TestContext {
    let context = padded();
    context.tree(
        "
//- project/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ship the service to staging or production
license: MIT
allowed-tools: Bash(git:*) Read
---
Run the pipeline.
//- project/.claude/skills/release-notes/SKILL.md
---
name: release-notes
description: Turn merged pull requests into notes that people like to read, grouped by what they change
argument-hint: FROM TO
---
//- project/.agents/skills/pdf_forms/SKILL.md
---
name: pdf-forms
description: Fill forms: flatten them too
---
//- project/.agents/skills/empty/SKILL.md
Nothing but text.
//- home/.agents/skills/deploy/SKILL.md
---
name: deploy
description: Ship as I always do
---
//- home/.agents/skills/sql-review/SKILL.md
---
name: sql-review
description: Review a migration for locks and data loss
disable-model-invocation: true
---
//- home/.agents/skills/sql-review/agents/openoxide.yaml
dependencies:
  tools:
    - type: env_var
      value: PDF_KEY
",
    );
    context
}

/// Draws what a host sees, a line to a skill: what counts first, then the rest with its code and reason.
pub(crate) fn drawn(context: &TestContext, args: &[&str], variables: &[(&str, &OsStr)]) -> String {
    let mut all = vec!["list", "--all", "--json"];
    all.extend(args);
    if !args.contains(&"--host") {
        all.extend(["--host", "openoxide"]);
    }
    let output = run_with(context, &all, variables);
    let answer: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}\n{output}"));
    let text = |item: &Value, key: &str| item[key].as_str().unwrap_or_default().replace("[ROOT]/", "");
    let skills = answer["skills"].as_array().unwrap().iter().map(|skill| {
        let hidden = if skill["model"] == false { " (not for the model)" } else { "" };
        format!("{} = {}{hidden}\n", text(skill, "name"), text(skill, "path"))
    });
    let others = answer["others"]
        .as_array()
        .unwrap()
        .iter()
        .map(|other| format!("{} {}: {}\n", text(other, "status"), text(other, "path"), text(other, "reason")));
    skills.chain(others).collect()
}

/// Writes a plain skill as a fixture.
pub(crate) fn skill_file(root: &str, folder: &str, name: &str) -> String {
    format!("//- {root}/{folder}/SKILL.md\n---\nname: {name}\ndescription: Does {name}\n---\n")
}

/// Tells whether this machine can isolate a command.
pub(crate) fn isolates(context: &TestContext) -> bool {
    json(context, &["roots", "--json"])["isolation"]["mechanism"] != "none"
}

/// Tells whether an answer is what a page shows: `…` stands for anything, and fields may be left out.
pub(crate) fn is_shown(shown: &Value, came: &Value) -> bool {
    match (shown, came) {
        (Value::String(shown), Value::String(came)) => {
            let words = shown.trim_matches('…');
            match (shown.starts_with('…'), shown.ends_with('…')) {
                (true, true) => came.contains(words),
                (true, false) => came.ends_with(words),
                (false, true) => came.starts_with(words),
                (false, false) => came == words,
            }
        }
        (Value::Object(shown), Value::Object(came)) => {
            shown.iter().all(|(key, value)| came.get(key).is_some_and(|came| is_shown(value, came)))
        }
        (Value::Array(shown), Value::Array(came)) => {
            shown.len() == came.len() && shown.iter().zip(came).all(|(shown, came)| is_shown(shown, came))
        }
        _ => shown == came,
    }
}
