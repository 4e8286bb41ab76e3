//! The program behind one of its faces, with the few things that attacks ask of it.

mod http;
mod pipe;

use std::path::{Path, PathBuf};
use std::process::Command;

use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::face::{Face, Setting};
use http::Http;
use pipe::Pipe;

/// What the user says to every question.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Says {
    No,
    Once,
    Always,
}

impl Says {
    /// The word for it, on every face.
    fn word(self) -> &'static str {
        match self {
            Says::No => "no",
            Says::Once => "once",
            Says::Always => "always",
        }
    }
}

/// How the program is started, and what it is asked about.
pub(super) struct Place<'c> {
    pub(super) context: &'c TestContext,
    pub(super) host: &'c str,
    /// The project, if it is not the context's.
    pub(super) folder: Option<PathBuf>,
    pub(super) variables: Vec<(String, String)>,
    /// Options of the command that serves, or of every command.
    pub(super) options: Vec<String>,
    /// Whether the program sees mounts of its own.
    pub(super) own_mounts: bool,
    /// How much memory the program may have, in bytes.
    pub(super) memory: Option<u64>,
}

/// A face of the program. Every answer is all that the caller is told, as one text.
pub(super) struct Door<'c> {
    setting: Setting,
    place: Place<'c>,
    says: Says,
    client: Client,
}

enum Client {
    Cli,
    Http(Http),
    Pipe(Pipe),
}

impl<'c> Place<'c> {
    pub(super) fn new(context: &'c TestContext, host: &'c str) -> Place<'c> {
        let (variables, options) = (Vec::new(), Vec::new());
        Place { context, host, folder: None, variables, options, own_mounts: false, memory: None }
    }

    fn command(&self, setting: Setting, words: &[&str]) -> Command {
        let mut command = setting.command(self.context, words);
        if self.own_mounts {
            let script = "mount --make-rprivate / && exec \"$@\"";
            let plain = std::mem::replace(&mut command, self.context.command("/usr/bin/unshare".as_ref(), ["-rm"]));
            command.args(["/bin/sh", "-c", script, "sh"]).arg(plain.get_program()).args(plain.get_args());
        }
        if let Some(memory) = self.memory {
            let limit = format!("--as={memory}");
            let plain = std::mem::replace(&mut command, self.context.command("/usr/bin/prlimit".as_ref(), [limit]));
            command.arg(plain.get_program()).args(plain.get_args());
        }
        command.args(["--host", self.host]).args(&self.options);
        if let Some(folder) = &self.folder {
            command.arg("--project").arg(folder);
        }
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }
}

impl<'c> Door<'c> {
    /// Starts what the face needs, in the context's project.
    pub(super) fn open(setting: Setting, context: &'c TestContext, host: &'c str) -> Door<'c> {
        Door::at(setting, Place::new(context, host))
    }

    pub(super) fn at(setting: Setting, place: Place<'c>) -> Door<'c> {
        setting.give(place.context);
        let client = match setting.face {
            Face::Cli => Client::Cli,
            // Over HTTP a folder is named in the query, by a client of a server that was started elsewhere.
            Face::Http => {
                let here =
                    Place { folder: None, options: place.options.clone(), variables: place.variables.clone(), ..place };
                Client::Http(Http::start(&mut here.command(setting, &["serve", "--port", "0", "--log", "off"])))
            }
            Face::McpHttp => {
                Client::Http(Http::start(&mut place.command(setting, &["serve", "--port", "0", "--log", "off"])))
            }
            Face::Mcp => {
                let hello = json!({
                    "protocolVersion": "2025-11-25", "clientInfo": { "name": "t", "version": "1" },
                    "capabilities": { "elicitation": { "form": {} } },
                });
                Client::Pipe(Pipe::start(&mut place.command(setting, &["mcp"]), &hello))
            }
            Face::Rpc => {
                let info = json!({ "name": "t", "version": "1" });
                let hello = json!({ "clientInfo": info, "capabilities": { "skillsAsk": true } });
                Client::Pipe(Pipe::start(&mut place.command(setting, &["app-server"]), &hello))
            }
        };
        Door { setting, place, says: Says::No, client }
    }

    /// Lets the user answer every question with yes, for this once.
    pub(super) fn approving(mut self) -> Door<'c> {
        self.says = Says::Once;
        self
    }

    /// Lets the user answer every question with yes, for ever.
    pub(super) fn trusting(mut self) -> Door<'c> {
        self.says = Says::Always;
        self
    }

    pub(super) fn face(&self) -> Face {
        self.setting.face
    }

    /// The process that serves, for faces that have one.
    pub(super) fn process(&self) -> Option<u32> {
        match &self.client {
            Client::Cli => None,
            Client::Http(http) => Some(http.process()),
            Client::Pipe(pipe) => Some(pipe.process()),
        }
    }

    /// Asks for everything that lists skills.
    pub(super) fn look(&mut self) -> String {
        match self.face() {
            Face::Cli => self.commands(&[
                &["list", "--all", "--json"],
                &["prompt"],
                &["check", "."],
                &["roots"],
                &["mentions", "use $plain and /plain"],
            ]),
            Face::Http => self.requests(&[
                "GET /v1/skills?all=true",
                "GET /v1/prompt",
                "GET /v1/problems",
                "GET /v1/roots",
                "GET /v1/search?q=plain+hidden+words",
                "POST /v1/mentions {\"items\":[{\"type\":\"text\",\"text\":\"use $plain and /plain\"}]}",
                "GET /skill",
                "GET /command",
                "GET /.well-known/agent-skills/index.json",
                "GET /",
            ]),
            Face::Mcp | Face::McpHttp => {
                let template = json!({ "type": "ref/resource", "uri": "skill://{+skill}/{+path}" });
                self.calls(&[
                    ("server/discover", json!({})),
                    ("tools/list", json!({})),
                    ("prompts/list", json!({})),
                    ("resources/list", json!({})),
                    ("skills/list", json!({})),
                    ("completion/complete", json!({ "ref": template, "argument": { "name": "skill", "value": "" } })),
                    tool("skills_search", &json!({ "query": "plain hidden words" })),
                ])
            }
            Face::Rpc => {
                let items = json!([{ "type": "text", "text": "use $plain and /plain" }]);
                self.calls(&[
                    ("skills/list", json!({})),
                    ("skills/prompt", json!({})),
                    ("skills/roots", json!({})),
                    ("skills/mentions", json!({ "items": items })),
                ])
            }
        }
    }

    /// Asks for everything about one skill but its other files, and calls it as the model does.
    pub(super) fn about(&mut self, name: &str) -> String {
        let shown = match self.face() {
            Face::Cli => self.commands(&[&["show", name, "--json"]]),
            Face::Http => self.requests(&[
                &format!("GET /v1/skills/{name}"),
                &format!("GET /.well-known/agent-skills/{name}.tar.gz"),
                &format!("GET /.well-known/agent-skills/{name}/SKILL.md"),
                &format!("GET /.well-known/skills/{name}/SKILL.md"),
            ]),
            Face::Mcp | Face::McpHttp => self.calls(&[
                ("skills/get", json!({ "uri": format!("skill://{name}/SKILL.md") })),
                ("prompts/get", json!({ "name": name })),
            ]),
            Face::Rpc => {
                let items = json!([{ "type": "text", "text": format!("use ${name} and /{name}") }]);
                self.calls(&[("skills/mentions", json!({ "items": items }))])
            }
        };
        shown + &self.files(name) + &self.read(name, "SKILL.md") + &self.activate(name)
    }

    /// Lists a skill's folder.
    pub(super) fn files(&mut self, name: &str) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["read", name, "--list"]]),
            Face::Http => self.requests(&[&format!("GET /v1/skills/{name}/files")]),
            Face::Mcp | Face::McpHttp => {
                self.calls(&[("resources/directory/read", json!({ "uri": format!("skill://{name}") }))])
            }
            Face::Rpc => self.calls(&[("skills/read", json!({ "skill": name, "list": true, "as": "model" }))]),
        }
    }

    /// Reads a file of a skill.
    pub(super) fn read(&mut self, name: &str, path: &str) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["read", name, path]]),
            Face::Http => self.requests(&[&format!("GET /v1/skills/{name}/files/{path}")]),
            Face::Mcp | Face::McpHttp => self.calls(&[
                ("resources/read", json!({ "uri": format!("skill://{name}/{path}") })),
                tool("skills_readResource", &json!({ "name": name, "path": path })),
            ]),
            Face::Rpc => self.calls(&[
                ("skills/read", json!({ "skill": name, "path": path, "as": "model" })),
                ("skills/read", json!({ "skill": name, "path": path, "base64": true })),
            ]),
        }
    }

    /// Reads a file of a skill as the model does, where the caller says who it is.
    pub(super) fn read_as_model(&mut self, name: &str, path: &str) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["read", name, path, "--as", "model"]]),
            Face::Rpc => self.calls(&[("skills/read", json!({ "skill": name, "path": path, "as": "model" }))]),
            Face::Http | Face::Mcp | Face::McpHttp => self.read(name, path),
        }
    }

    /// Calls a skill as the model does.
    pub(super) fn activate(&mut self, name: &str) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["activate", name, "--as", "model"]]),
            Face::Http => self.requests(&[&format!("POST /v1/skills/{name}/activate {{}}")]),
            // The tool has a name of its own in some hosts.
            Face::Mcp | Face::McpHttp => {
                let called = if self.place.host == "claude-code" { ("Skill", "skill") } else { ("skill", "name") };
                self.calls(&[tool(called.0, &json!({ called.1: name }))])
            }
            Face::Rpc => self.calls(&[("skills/activate", json!({ "skill": name, "as": "model" }))]),
        }
    }

    /// Calls a skill with arguments.
    pub(super) fn activate_with(&mut self, name: &str, arguments: &str) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["activate", name, "--raw-args", arguments]]),
            Face::Http => {
                let body = json!({ "arguments": arguments });
                self.requests(&[&format!("POST /v1/skills/{name}/activate {body}")])
            }
            Face::Mcp | Face::McpHttp => {
                self.calls(&[("prompts/get", json!({ "name": name, "arguments": { "arguments": arguments } }))])
            }
            Face::Rpc => self.calls(&[("skills/activate", json!({ "skill": name, "arguments": arguments }))]),
        }
    }

    /// Runs a script of a skill, on the face that can; on the others nothing is said.
    pub(super) fn run(&mut self, name: &str, script: &str) -> String {
        match self.face() {
            Face::Cli => {
                let root = self.place.context.root().display().to_string();
                self.commands(&[&["run", name, script, &root]])
            }
            Face::Http | Face::Mcp | Face::McpHttp | Face::Rpc => String::new(),
        }
    }

    /// Runs commands in the place of the door.
    pub(super) fn commands(&self, commands: &[&[&str]]) -> String {
        let run = |words: &&[&str]| {
            let mut command = self.place.command(self.setting, words);
            let acts = ["activate", "run", "read"].contains(&words[0]);
            if acts && self.says == Says::Once {
                command.arg("--yes");
            }
            self.place.context.answer(command.stdin(std::process::Stdio::null())).to_string()
        };
        commands.iter().map(run).collect()
    }

    /// Asks what the servers of the settings offer, where a face has a way to.
    pub(super) fn look_at_servers(&mut self) -> String {
        match self.face() {
            Face::Cli => self.commands(&[&["list", "--mcp"]]),
            Face::Http => self.requests(&["GET /v1/remote"]),
            Face::Mcp | Face::McpHttp | Face::Rpc => self.look(),
        }
    }

    /// Lets a program that serves look at everything anew, where it can be told to.
    pub(super) fn search_again(&mut self) {
        match &mut self.client {
            Client::Http(http) => drop(http.ask("POST /v1/reload {}", Says::No)),
            Client::Pipe(pipe) if self.setting.face == Face::Rpc => drop(pipe.call("skills/reload", &json!({}), None)),
            Client::Pipe(_) | Client::Cli => {}
        }
    }

    /// Sends requests of a program to the routes of the server, in the place of the door.
    pub(super) fn requests(&mut self, lines: &[&str]) -> String {
        let Client::Http(http) = &mut self.client else { panic!("{:?} has no routes", self.setting.face) };
        let mut said = String::new();
        for line in lines {
            let line = located(line, self.place.host, self.place.folder.as_deref());
            said += &http.ask(&line, self.says);
        }
        said
    }

    /// Returns the name of a question that stands on the page of the server's user.
    pub(super) fn open_question(&mut self) -> String {
        let Client::Http(http) = &mut self.client else { panic!("{:?} has no page", self.setting.face) };
        http.open_question()
    }

    /// Calls methods of JSON-RPC or MCP.
    pub(super) fn calls(&mut self, calls: &[(&str, Value)]) -> String {
        let (face, says) = (self.setting.face, self.says);
        let yes = match face {
            Face::Rpc => json!({ "choice": says.word() }),
            _ => json!({ "action": "accept", "content": { "answer": says.word() } }),
        };
        let answer = (says != Says::No).then_some(&yes);
        let mut call = |(method, params): &(&str, Value)| match &mut self.client {
            Client::Pipe(pipe) => pipe.call(method, params, answer),
            Client::Http(http) => http.call_mcp(method, params, says),
            Client::Cli => panic!("the command line has no methods"),
        };
        calls.iter().map(&mut call).collect()
    }
}

fn tool(name: &str, arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({ "name": name, "arguments": arguments }))
}

/// Says in the query of a request whose rules to follow, and which project is meant.
fn located(line: &str, host: &str, folder: Option<&Path>) -> String {
    let (line, body) = line.split_at(line.find(" {").unwrap_or(line.len()));
    let knows_no_host = ["/skill", "/command", "/.well-known", "GET /"].iter().any(|path| {
        if *path == "GET /" { line == *path } else { line.split(' ').nth(1).is_some_and(|at| at.starts_with(path)) }
    });
    let mut query = if knows_no_host { String::new() } else { format!("host={host}") };
    if let Some(folder) = folder.filter(|_| !line.contains("/.well-known") && line != "GET /") {
        query = format!("{query}{}directory={}", if query.is_empty() { "" } else { "&" }, folder.display());
    }
    let joint = if line.contains('?') { "&" } else { "?" };
    if query.is_empty() { format!("{line}{body}") } else { format!("{line}{joint}{query}{body}") }
}
