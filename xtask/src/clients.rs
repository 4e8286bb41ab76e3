//! `clients`: lets real agents use a skill over MCP, with a script in place of the model.
//!
//! Each agent is configured with what `mcp --print-config` prints, and must hand the skill's text to that model.

mod model;

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::shell;
use model::{Model, ToolCall};

/// What stands in the skill's text and nowhere else.
const MARK: &str = "the-text-of-the-skill-arrived";
/// What the user says.
const SAID: &str = "Use the skill pdf.";

/// Runs `cargo xtask clients`.
pub(crate) fn run(_: &[String]) -> Result<()> {
    shell::run(&mut shell::cargo(&["build", "--quiet", "--package", "openoxide-cli"]))?;
    let target = std::env::var_os("CARGO_TARGET_DIR").map(PathBuf::from);
    let program = target.unwrap_or_else(|| shell::repository().join("target")).join("debug/openoxide");
    claude_code(&program)?;
    codex(&program)?;
    opencode(&program)?;
    gemini(&program)
}

/// A project with a skill that none of the agents finds by itself, and the agent's own empty folder.
fn scene() -> TestContext {
    let context = TestContext::new();
    context.tree(&format!(
        "//- skills/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nDo this: {MARK}\n\
         //- skills/.git/HEAD\nref: refs/heads/main\n"
    ));
    context
}

/// Returns what is pasted to connect a program.
fn pasted(context: &TestContext, program: &Path, client: &str) -> String {
    let skills = context.root().join("skills");
    let skills = skills.to_string_lossy();
    let output = context.run(program, ["mcp", "--print-config", client, "--project", &*skills]);
    output.stdout.replace("[ROOT]", &context.root().to_string_lossy())
}

fn peers() -> Option<PathBuf> {
    let named = std::env::var_os("PEERS").map(PathBuf::from);
    named.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache/openoxide-peers")))
}

/// Finds a program in the folder of an agent; says loudly if it is not there.
fn program_of(agent: &str, folder: &str, name: &str) -> Option<PathBuf> {
    let found = peers().and_then(|peers| find(&peers.join(folder), name, 6));
    if found.is_none() {
        shell::say(format!("SKIPPED: {agent} is not installed (set PEERS to the folder that has it)"));
    }
    found
}

/// Finds an executable file by its name.
fn find(folder: &Path, name: &str, depth: usize) -> Option<PathBuf> {
    let mut entries: Vec<PathBuf> =
        fs_err::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path())).collect();
    entries.sort();
    let is_it = |path: &&PathBuf| path.is_file() && path.file_name().is_some_and(|file| file == name);
    if let Some(found) = entries.iter().find(is_it) {
        return Some(found.clone());
    }
    let folders = entries.iter().filter(|path| path.is_dir() && depth > 0);
    folders.into_iter().find_map(|folder| find(folder, name, depth - 1))
}

fn claude_code(program: &Path) -> Result<()> {
    let Some(agent) = program_of("Claude Code", "claude/node_modules/@anthropic-ai/claude-code-linux-x64", "claude")
    else {
        return Ok(());
    };
    let context = scene();
    let pasted = pasted(&context, program, "claude-code");
    let file = context.root().join("mcp.json");
    fs_err::write(&file, pasted)?;
    let model = Model::start(ToolCall { name: "mcp__openoxide__skill", namespace: None })?;
    let mut command = context.command(Path::new("timeout"), ["90"]);
    command.arg(agent).args(["-p", SAID, "--strict-mcp-config", "--allowedTools", "mcp__openoxide__skill"]);
    command.arg("--mcp-config").arg(&file).env("ANTHROPIC_BASE_URL", &model.url).env("ANTHROPIC_API_KEY", "none");
    let quiet = ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"];
    command.envs(quiet.map(|name| (name, "1")));
    judge("Claude Code", &mut command, &model)
}

fn codex(program: &Path) -> Result<()> {
    let Some(agent) = program_of("Codex", "codex/node_modules/@openai/codex-linux-x64", "codex") else { return Ok(()) };
    let context = scene();
    let model = Model::start(ToolCall { name: "skill", namespace: Some("mcp__openoxide") })?;
    let home = context.root().join("codex");
    fs_err::create_dir_all(&home)?;
    let provider = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"read-only\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         requires_openai_auth = false\nsupports_websockets = false\n",
        model.url
    );
    fs_err::write(home.join("config.toml"), format!("{provider}\n{}", pasted(&context, program, "codex")))?;
    let mut command = context.command(Path::new("timeout"), ["90"]);
    command.arg(agent).args(["exec", "--skip-git-repo-check", "--disable", "plugins", SAID]).env("CODEX_HOME", &home);
    judge("Codex", &mut command, &model)
}

fn opencode(program: &Path) -> Result<()> {
    let Some(agent) = program_of("OpenCode", "opencode/node_modules/opencode-linux-x64", "opencode") else {
        return Ok(());
    };
    let context = scene();
    let model = Model::start(ToolCall { name: "openoxide_skill", namespace: None })?;
    let mut config: Value = serde_json::from_str(&pasted(&context, program, "opencode"))?;
    let options = json!({ "baseURL": format!("{}/v1", model.url), "apiKey": "none" });
    let limit = json!({ "context": 200_000, "output": 8000 });
    let models = json!({ "m": { "name": "m", "tool_call": true, "limit": limit } });
    let provider = json!({ "npm": "@ai-sdk/anthropic", "name": "scripted", "options": options, "models": models });
    config["provider"] = json!({ "scripted": provider });
    (config["model"], config["small_model"]) = (json!("scripted/m"), json!("scripted/m"));
    fs_err::write(context.project().join("opencode.json"), config.to_string())?;
    let mut command = context.command(Path::new("timeout"), ["90"]);
    command.arg(agent).args(["run", SAID]);
    for name in ["CONFIG", "DATA", "CACHE", "STATE"] {
        command.env(format!("XDG_{name}_HOME"), context.root().join(name));
    }
    let off = ["MODELS_FETCH", "AUTOUPDATE", "LSP_DOWNLOAD", "DEFAULT_PLUGINS", "SHARE"];
    command.envs(off.map(|name| (format!("OPENCODE_DISABLE_{name}"), "1")));
    judge("OpenCode", &mut command, &model)
}

fn gemini(program: &Path) -> Result<()> {
    let Some(agent) = program_of("Gemini CLI", "gemini/node_modules/.bin", "gemini") else { return Ok(()) };
    let context = scene();
    let model = Model::start(ToolCall { name: "mcp_openoxide_skill", namespace: None })?;
    let mut settings: Value = serde_json::from_str(&pasted(&context, program, "gemini"))?;
    settings["security"]["auth"]["selectedType"] = json!("gemini-api-key");
    fs_err::create_dir_all(context.home().join(".gemini"))?;
    fs_err::write(context.home().join(".gemini/settings.json"), settings.to_string())?;
    let mut command = context.command(Path::new("timeout"), ["90"]);
    command.arg(agent).args(["--model", "gemini-2.5-pro", "--approval-mode", "yolo", "--prompt", SAID]);
    command.env("GOOGLE_GEMINI_BASE_URL", &model.url).env("GEMINI_API_KEY", "none");
    command.env("GEMINI_CLI_TRUST_WORKSPACE", "true");
    judge("Gemini CLI", &mut command, &model)
}

/// Runs an agent; its model must have been offered the tool, and have got the skill's text after calling it.
fn judge(agent: &str, command: &mut Command, model: &Model) -> Result<()> {
    let output =
        command.stdin(std::process::Stdio::null()).output().with_context(|| format!("{agent} does not start"))?;
    let said = || {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        format!("{}{}", text(&output.stdout), text(&output.stderr))
    };
    let asked = model.asked();
    let offered = asked.iter().position(|request| request["tools"].to_string().contains("skills_readResource"));
    let first = offered.with_context(|| format!("{agent} does not offer our tools to its model:\n{}", said()))?;
    let arrived = asked[first + 1..].iter().any(|request| request.to_string().contains(MARK));
    ensure!(arrived, "{agent}: the skill's text did not reach the model:\n{}", said());
    shell::say(format!("{agent}: the skill's text is in the request after the call ({} requests)", asked.len()));
    Ok(())
}
