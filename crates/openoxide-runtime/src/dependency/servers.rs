//! Decides on the MCP servers that skills need, and adds them to the user's settings.

use openoxide_config::{AddServerOutcome, McpServer, McpTransport, add_mcp_server, validate_mcp_server};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::{skill::ToolDependency, text::path_text};

use super::dependencies::{Dependencies, Dependency, MAX_QUESTIONS, RequiredServer, SERVER, require, too_many};
use super::program::reason_in_project;
use crate::{Answer, Question, Runtime, Session, login::Login};

enum ServerDecision {
    There,
    Ask,
    /// This rule of the user's own allows it.
    Allowed {
        rule: String,
    },
    /// It stays as it is, and this is said.
    Left(String),
}

impl RequiredServer {
    /// Returns what would be started or connected to.
    fn target(&self) -> &str {
        match &self.what.transport {
            McpTransport::Stdio { command, .. } => command,
            McpTransport::Http { url, .. } => url,
        }
    }

    /// Returns where it is reached, if that is an address.
    fn url(&self) -> Option<&str> {
        matches!(self.what.transport, McpTransport::Http { .. }).then(|| self.target())
    }

    fn question(&self) -> Question {
        Question::Server {
            name: self.name.clone(),
            transport: self.what.transport.as_str().to_owned(),
            target: self.target().to_owned(),
            about: self.about.clone(),
            skills: self.skills.clone(),
        }
    }

    fn missing(&self) -> String {
        format!("the server `{}` is not configured; what needs it will fail", self.name)
    }
}

impl Dependencies {
    /// Finds the servers that skills need; adds those that rules allow, and asks for the others, once.
    pub(super) fn begin_servers(&mut self, runtime: &Runtime, session: &mut Session, dependencies: &[Dependency<'_>]) {
        let mut asked = 0;
        for required in self.gather_servers(session, dependencies) {
            match decide(runtime, session, &required) {
                ServerDecision::There => self.want_login(session, &required),
                ServerDecision::Left(text) => self.note(&required.skills, text, None),
                ServerDecision::Allowed { rule } => {
                    let text = format!("the server `{}` was added: {}", required.name, required.target());
                    self.add_server(runtime, session, &required, text, format!("allowed by {rule}"));
                }
                ServerDecision::Ask if asked == MAX_QUESTIONS => {
                    self.note(&required.skills, too_many(&format!("the server `{}`", required.name)), None);
                }
                ServerDecision::Ask => {
                    asked += 1;
                    self.questions.push(required.question());
                    self.servers.push(required);
                }
            }
        }
    }

    pub(super) fn server_answered(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        question: &Question,
        answer: &Answer,
    ) {
        let Some(at) = self.servers.iter().position(|required| required.question() == *question) else { return };
        let required = self.servers.remove(at);
        if !answer.is_yes() {
            return self.note(&required.skills, required.missing(), None);
        }
        let text = format!("the server `{}` is in your settings now", required.name);
        let undo = format!("undo: openoxide config unset mcp.servers.{}", required.name);
        self.add_server(runtime, session, &required, text, undo);
    }

    /// Returns the servers that skills need, each once, by name; says what is wrong with the others.
    fn gather_servers(&mut self, session: &mut Session, dependencies: &[Dependency<'_>]) -> Vec<RequiredServer> {
        let mut all: Vec<RequiredServer> = Vec::new();
        for dependency in dependencies.iter().filter(|dependency| dependency.is(SERVER)) {
            match server_of(dependency.tool) {
                Ok(server) => require(&mut all, dependency, server),
                Err(text) => {
                    if session.is_news(&format!("server {}", dependency.tool.value), dependency.entry.canonical()) {
                        self.note(&[dependency.skill()], text, None);
                    }
                }
            }
        }
        all.sort_by(|left, right| (&left.name, left.target()).cmp(&(&right.name, right.target())));
        all
    }

    /// Adds a server to the user's settings; says `text` and `help` if that succeeds.
    fn add_server(
        &mut self,
        runtime: &Runtime,
        session: &mut Session,
        required: &RequiredServer,
        text: String,
        help: String,
    ) {
        match add(runtime, required) {
            Ok(()) => {
                self.note(&required.skills, text, Some(help));
                self.want_login(session, required);
            }
            Err(why) => {
                let text = format!("the server `{}` was not added: {why}", required.name);
                self.note(&required.skills, text, None);
            }
        }
    }

    /// Finds out, once in a conversation, whether a server wants a login.
    fn want_login(&mut self, session: &mut Session, required: &RequiredServer) {
        let Some(url) = required.url() else { return };
        if session.tokens.contains_key(url) || !session.asked.insert(format!("login {url}")) {
            return;
        }
        match Login::new(&required.name, url, required.skills.clone()) {
            Ok(login) => self.logins.push_back(login),
            Err(error) => self.note(&required.skills, format!("no login to `{}`: {error}", required.name), None),
        }
    }
}

/// Reads a server out of what a skill says, or says what is wrong.
fn server_of(tool: &ToolDependency) -> Result<McpServer, String> {
    let name = &tool.value;
    let word = tool.transport.as_deref().unwrap_or("streamable_http");
    let lacks = |what: &str| format!("the server `{name}` cannot be offered: with `{word}` it needs `{what}`");
    let transport = match word.to_ascii_lowercase().as_str() {
        "streamable_http" => McpTransport::Http { url: tool.url.clone().ok_or_else(|| lacks("url"))?, token: None },
        "stdio" => {
            let command = tool.command.clone().ok_or_else(|| lacks("command"))?;
            McpTransport::Stdio { command, args: Vec::new(), env: Vec::new() }
        }
        _ => return Err(format!("the server `{name}` cannot be offered: `{word}` is no transport that is known")),
    };
    let server = McpServer { transport, enabled: true };
    validate_mcp_server(name, &server).map_err(|error| format!("the server `{name}` cannot be offered: {error}"))?;
    Ok(server)
}

fn decide(runtime: &Runtime, session: &Session, required: &RequiredServer) -> ServerDecision {
    if let Some((name, enabled)) = runtime.server_like(&required.what.transport) {
        return match enabled {
            true => ServerDecision::There,
            false => ServerDecision::Left(format!("the server `{name}` is switched off in the settings")),
        };
    }
    let decisions = [&required.name, required.target()].map(|subject| runtime.decide(Permission::Mcp, subject));
    let said = |rule: &openoxide_permissions::Rule| format!("`{}` in {}", rule.pattern, rule.origin);
    if let Some(denied) = decisions.iter().find(|decision| decision.action == Action::Deny) {
        let rule = denied.rule.as_ref().map(|rule| format!(" by {}", said(rule))).unwrap_or_default();
        return ServerDecision::Left(format!("the server `{}` is denied{rule}", required.name));
    }
    if runtime.has_server(&required.name) {
        return ServerDecision::Left(format!(
            "another server is called `{}`; {} was not added",
            required.name,
            required.target()
        ));
    }
    // Whatever rules and the user say: a project must not become able to start programs without a sandbox.
    if let McpTransport::Stdio { command, .. } = &required.what.transport
        && let Some(why) = reason_in_project(runtime, command)
    {
        let step = "if you rely on it, install it outside of projects, or add it to your settings yourself";
        return ServerDecision::Left(format!("the server `{}` is not added: {why}; {step}", required.name));
    }
    // A name is what the skill says it is: only who allows the target too has allowed this server.
    if decisions.iter().all(|decision| decision.action == Action::Allow && !decision.remembered) {
        let rule = decisions.into_iter().rev().find_map(|decision| decision.rule);
        return ServerDecision::Allowed { rule: rule.as_ref().map(said).unwrap_or_default() };
    }
    if session.asked.contains(&required.question().key()) {
        ServerDecision::Left(required.missing())
    } else {
        ServerDecision::Ask
    }
}

/// Adds a server to the user's own settings, or says what is wrong.
fn add(runtime: &Runtime, required: &RequiredServer) -> Result<(), String> {
    let home = runtime.environment.openoxide_home();
    let file = home.ok_or("there is no home, so there are no settings of yours")?.join("config.toml");
    match add_mcp_server(&file, &required.name, &required.what).map_err(|error| error.to_string())? {
        AddServerOutcome::Added | AddServerOutcome::Same => runtime.note_server(&required.name, &required.what),
        AddServerOutcome::NameTaken => return Err(format!("another one has the name in {}", path_text(&file))),
    }
    Ok(())
}
