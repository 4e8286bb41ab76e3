//! One agent in a home of its own, with skills that it does not find by itself, and a model that calls them.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result, ensure};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::model::{Model, ToolCall};
use crate::server::Server;

/// What stands in the text of the skill that everyone may call, and nowhere else.
const MARK: &str = "the-text-of-the-skill-arrived";
/// What stands in the text of the skill that the user must allow, and nowhere else.
const GUARDED_MARK: &str = "the-guarded-text-arrived";
/// What the user says.
pub(super) const SAID: &str = "Use the skill pdf, then the skill guarded.";
/// How long an agent may take, in seconds.
const PATIENCE: &str = "90";

/// What connects an agent: each is printed by `mcp --print-config`.
#[derive(Clone, Copy)]
pub(super) enum Pasted {
    /// A line for the shell.
    Line,
    /// Settings, in the agent's own file.
    Settings,
}

/// What the variable holds that the settings name.
#[derive(Clone, Copy)]
pub(super) enum Shown {
    Token,
    Wrong,
    /// There is no variable.
    Nothing,
}

/// What the model got.
#[derive(Default)]
pub(super) struct Told {
    /// That there are our tools.
    pub(super) tools: bool,
    /// The text of the skill that everyone may call.
    pub(super) skill: bool,
    /// The text of the one that the user must allow.
    pub(super) guarded: bool,
    /// That the user must be asked, on the server's page.
    pub(super) asks_user: bool,
}

/// An agent that can be given a turn.
pub(super) struct Scene<'a> {
    pub(super) context: TestContext,
    pub(super) model: Model,
    agent: &'a Agent,
    /// The agent's program.
    found: &'a Path,
    /// Ours.
    program: &'a Path,
    server: Option<Server>,
}

impl<'a> Scene<'a> {
    /// Makes the scene, with a server that runs with default options if there is to be one.
    pub(super) fn new(agent: &'a Agent, found: &'a Path, program: &'a Path, over_http: bool) -> Result<Scene<'a>> {
        let context = TestContext::new();
        context.tree(&format!(
            "//- skills/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nDo this: {MARK}\n\
             //- skills/.agents/skills/guarded/SKILL.md\n---\nname: guarded\ndescription: Ships it\n---\n{GUARDED_MARK}\n\
             //- skills/.git/HEAD\nref: refs/heads/main\n\
             //- home/.openoxide/config.toml\n[permission]\nskill = {{ guarded = \"ask\" }}\n"
        ));
        let model = Model::start(agent.call, &["pdf", "guarded"])?;
        let mut scene = Scene { context, model, agent, found, program, server: None };
        if over_http {
            let words = ["serve", "--port", "0", "--log", "off", "--project"];
            let mut command = scene.context.command(program, words);
            scene.server = Some(Server::start(command.arg(scene.skills()).stderr(Stdio::null()))?);
        }
        (agent.prepare)(&scene)?;
        Ok(scene)
    }

    fn skills(&self) -> PathBuf {
        self.context.root().join("skills")
    }

    /// Prepares a command of a person's shell, which finds the agent's program and ours.
    fn shell(&self, script: &str) -> Command {
        let folders = [self.found, self.program].map(|program| program.parent().unwrap_or(program).to_owned());
        let path =
            std::env::join_paths(folders.iter().map(PathBuf::as_path).chain(["/usr/bin", "/bin"].map(Path::new)));
        let mut command = self.context.command(Path::new("sh"), ["-c", script, "sh"]);
        command
            .env("PATH", path.unwrap_or_else(|_| OsString::from("/usr/bin:/bin")))
            .envs(self.agent.variables.iter().copied());
        (self.agent.environment)(self, &mut command);
        command.stdin(Stdio::null());
        command
    }

    /// Returns what is printed to connect the agent: what is for people, and the settings.
    fn printed(&self) -> Result<(String, String)> {
        let mut command = self.context.command(self.program, ["mcp", "--print-config", self.agent.client]);
        match &self.server {
            Some(server) => command.arg("--url").arg(format!("{}/mcp", server.address)),
            None => command.arg("--project").arg(self.skills()),
        };
        let output = command.output().context("openoxide does not start")?;
        ensure!(output.status.success(), "nothing is printed: {}", String::from_utf8_lossy(&output.stderr));
        Ok((String::from_utf8(output.stderr)?, String::from_utf8(output.stdout)?))
    }

    /// Connects the agent.
    pub(super) fn connect(&self, pasted: Pasted) -> Result<()> {
        let (lines, settings) = self.printed()?;
        if matches!(pasted, Pasted::Settings) {
            return add(&(self.agent.settings)(self), &settings);
        }
        let line =
            lines.lines().filter_map(|line| line.strip_prefix("  ")).next_back().context("no line is printed")?;
        let output = self.shell(line).output()?;
        ensure!(output.status.success(), "{line}\n{}", String::from_utf8_lossy(&output.stderr));
        Ok(())
    }

    /// Lets the agent have one turn; returns what it says.
    pub(super) fn turn(&self, shown: Shown) -> Result<String> {
        self.says(shown, self.agent.turn)
    }

    /// Lets the agent list its servers; returns what it says of them.
    pub(super) fn list(&self, shown: Shown) -> Result<String> {
        self.says(shown, |_, command| {
            command.args(["mcp", "list"]);
        })
    }

    /// Runs the agent, with the variable set as the printed line does it.
    fn says(&self, shown: Shown, arguments: fn(&Scene, &mut Command)) -> Result<String> {
        let (lines, _) = self.printed()?;
        let export = lines.lines().map(str::trim).find(|line| line.starts_with("export "));
        let before = match shown {
            Shown::Token => export.context("no line with the token is printed")?,
            Shown::Wrong => "export OPENOXIDE_TOKEN=0000000000000000000000000000000000000000000000000000000000000000",
            Shown::Nothing => "",
        };
        let mut command = self.shell(&format!("{before}\nexec timeout {PATIENCE} \"$@\" 2>&1"));
        command.arg(self.found);
        arguments(self, &mut command);
        let output = command.output().with_context(|| format!("{} does not start", self.agent.title))?;
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Returns what the model got in that turn.
    pub(super) fn told(&self) -> Told {
        let mut told = Told::default();
        for request in self.model.asked() {
            told.tools |= request["tools"].to_string().contains("skills_readResource");
            let text = request.to_string();
            told.skill |= text.contains(MARK);
            told.guarded |= text.contains(GUARDED_MARK);
            told.asks_user |= text.contains("openoxide serve --link");
        }
        told
    }
}

/// Adds settings to a file that may have others.
fn add(file: &Path, settings: &str) -> Result<()> {
    let before = fs_err::read_to_string(file).unwrap_or_default();
    let is_toml = file.extension().is_some_and(|extension| extension == "toml");
    if is_toml || before.is_empty() {
        return Ok(fs_err::write(file, format!("{before}\n{settings}"))?);
    }
    let (mut all, more): (Value, Value) = (serde_json::from_str(&before)?, serde_json::from_str(settings)?);
    for (name, value) in more.as_object().context("the settings are no object")? {
        all[name] = value.clone();
    }
    Ok(fs_err::write(file, all.to_string())?)
}

/// An agent that is connected.
pub(super) struct Agent {
    /// What people call it.
    pub(super) title: &'static str,
    /// What `--print-config` calls it.
    pub(super) client: &'static str,
    /// Where it is installed, and the name of its program.
    place: (&'static str, &'static str),
    /// The tool that its model calls.
    pub(super) call: ToolCall,
    /// What keeps it from asking the network.
    pub(super) variables: &'static [(&'static str, &'static str)],
    /// Tells it of its model by files.
    pub(super) prepare: fn(&Scene) -> Result<()>,
    /// Tells it of its model by variables.
    pub(super) environment: fn(&Scene, &mut Command),
    /// Where the settings stand that are pasted.
    pub(super) settings: fn(&Scene) -> PathBuf,
    /// Adds the arguments of one turn.
    pub(super) turn: fn(&Scene, &mut Command),
}

pub(super) const AGENTS: [Agent; 4] = [
    Agent {
        title: "Claude Code",
        client: "claude-code",
        place: ("claude/node_modules/@anthropic-ai/claude-code-linux-x64", "claude"),
        call: ToolCall { name: "mcp__openoxide__skill", namespace: None },
        variables: &[
            ("CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "1"),
            ("DISABLE_AUTOUPDATER", "1"),
            ("DISABLE_TELEMETRY", "1"),
        ],
        prepare: |_| Ok(()),
        environment: |scene, command| {
            command.env("ANTHROPIC_BASE_URL", &scene.model.url).env("ANTHROPIC_API_KEY", "none");
        },
        settings: claude_settings,
        turn: claude_turn,
    },
    Agent {
        title: "Codex",
        client: "codex",
        place: ("codex/node_modules/@openai/codex-linux-x64", "codex"),
        call: ToolCall { name: "skill", namespace: Some("mcp__openoxide") },
        variables: &[],
        prepare: codex_model,
        environment: |_, _| {},
        settings: codex_settings,
        turn: |_, command| {
            command.args(["exec", "--skip-git-repo-check", "--disable", "plugins", SAID]);
        },
    },
    Agent {
        title: "OpenCode",
        client: "opencode",
        place: ("opencode/node_modules/opencode-linux-x64", "opencode"),
        call: ToolCall { name: "openoxide_skill", namespace: None },
        variables: &[
            ("OPENCODE_DISABLE_MODELS_FETCH", "1"),
            ("OPENCODE_DISABLE_AUTOUPDATE", "1"),
            ("OPENCODE_DISABLE_LSP_DOWNLOAD", "1"),
            ("OPENCODE_DISABLE_DEFAULT_PLUGINS", "1"),
            ("OPENCODE_DISABLE_SHARE", "1"),
        ],
        prepare: opencode_model,
        environment: |_, _| {},
        settings: opencode_settings,
        turn: |_, command| {
            command.args(["run", SAID]);
        },
    },
    Agent {
        title: "Gemini CLI",
        client: "gemini",
        place: ("gemini/node_modules/.bin", "gemini"),
        call: ToolCall { name: "mcp_openoxide_skill", namespace: None },
        variables: &[("GEMINI_API_KEY", "none"), ("GEMINI_CLI_TRUST_WORKSPACE", "true")],
        prepare: gemini_model,
        environment: |scene, command| {
            command.env("GOOGLE_GEMINI_BASE_URL", &scene.model.url);
        },
        settings: gemini_settings,
        turn: |_, command| {
            command.args(["--model", "gemini-2.5-pro", "--approval-mode", "yolo", "--prompt", SAID]);
        },
    },
];

impl Agent {
    /// Finds the agent's program, if it is installed.
    pub(super) fn find(&self) -> Option<PathBuf> {
        let (folder, name) = self.place;
        let named = std::env::var_os("PEERS").map(PathBuf::from);
        let cached = || Some(Path::new(&std::env::var_os("HOME")?).join(".cache/openoxide-peers"));
        find(&named.or_else(cached)?.join(folder), name, 6)
    }

    /// Returns what the program says of its version.
    pub(super) fn version(&self, found: &Path) -> String {
        let output = Command::new(found).arg("--version").envs(self.variables.iter().copied()).output();
        output.map_or_else(|_| String::new(), |output| String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
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

fn claude_settings(scene: &Scene) -> PathBuf {
    scene.context.root().join("mcp.json")
}

fn claude_turn(scene: &Scene, command: &mut Command) {
    command.args(["-p", SAID, "--allowedTools", "mcp__openoxide__skill"]);
    let file = claude_settings(scene);
    if file.exists() {
        command.arg("--strict-mcp-config").arg("--mcp-config").arg(file);
    }
}

fn codex_settings(scene: &Scene) -> PathBuf {
    scene.context.home().join(".codex/config.toml")
}

fn codex_model(scene: &Scene) -> Result<()> {
    let text = format!(
        "model = \"scripted\"\nmodel_provider = \"scripted\"\napproval_policy = \"never\"\nsandbox_mode = \"read-only\"\n\
         [model_providers.scripted]\nname = \"scripted\"\nbase_url = \"{}/v1\"\nwire_api = \"responses\"\n\
         requires_openai_auth = false\nsupports_websockets = false\n",
        scene.model.url
    );
    fs_err::create_dir_all(scene.context.home().join(".codex"))?;
    Ok(fs_err::write(codex_settings(scene), text)?)
}

fn opencode_settings(scene: &Scene) -> PathBuf {
    scene.context.project().join("opencode.json")
}

fn opencode_model(scene: &Scene) -> Result<()> {
    let options = json!({ "baseURL": format!("{}/v1", scene.model.url), "apiKey": "none" });
    let limit = json!({ "context": 200_000, "output": 8000 });
    let models = json!({ "m": { "name": "m", "tool_call": true, "limit": limit } });
    let provider = json!({ "npm": "@ai-sdk/anthropic", "name": "scripted", "options": options, "models": models });
    let model = "scripted/m";
    let config = json!({ "provider": { "scripted": provider }, "model": model, "small_model": model });
    Ok(fs_err::write(opencode_settings(scene), config.to_string())?)
}

fn gemini_settings(scene: &Scene) -> PathBuf {
    scene.context.home().join(".gemini/settings.json")
}

fn gemini_model(scene: &Scene) -> Result<()> {
    let config = json!({ "security": { "auth": { "selectedType": "gemini-api-key" } } });
    fs_err::create_dir_all(scene.context.home().join(".gemini"))?;
    Ok(fs_err::write(gemini_settings(scene), config.to_string())?)
}
