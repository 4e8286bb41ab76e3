//! Decides on the MCP servers that skills need, and adds them to the user's settings.

use openoxide_config::{AddServerOutcome, McpServer, McpTransport, add_mcp_server, validate_mcp_server};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::{skill::ToolDependency, text::path_text};

use super::required::{Dependency, DependencyReport, Required, require};
use crate::{Question, Runtime, Session};

/// What a metadata file calls a server.
pub(super) const KIND: &str = "mcp";

/// A server that skills need.
pub(super) type RequiredServer = Required<McpServer>;

/// What becomes of it.
pub(super) enum ServerDecision {
    /// It is configured.
    There,
    /// The user is asked.
    Ask,
    /// This rule of the user's own allows it.
    Allowed { rule: String },
    /// It stays as it is, and this is said.
    Left(String),
}

impl RequiredServer {
    /// Returns what would be started or connected to.
    pub(super) fn target(&self) -> &str {
        match &self.what.transport {
            McpTransport::Stdio { command, .. } => command,
            McpTransport::Http { url, .. } => url,
        }
    }

    /// Returns where it is reached, if that is an address.
    pub(super) fn url(&self) -> Option<&str> {
        matches!(self.what.transport, McpTransport::Http { .. }).then(|| self.target())
    }

    pub(super) fn question(&self) -> Question {
        Question::Server {
            name: self.name.clone(),
            transport: self.what.transport.as_str().to_owned(),
            target: self.target().to_owned(),
            about: self.about.clone(),
            skills: self.skills.clone(),
        }
    }

    pub(super) fn missing(&self) -> String {
        format!("the server `{}` is not configured; what needs it will fail", self.name)
    }
}

/// Returns the servers that skills need, each once, by name; says what is wrong with the others.
pub(super) fn gather(
    session: &mut Session,
    dependencies: &[Dependency<'_>],
    report: &mut DependencyReport,
) -> Vec<RequiredServer> {
    let mut all: Vec<RequiredServer> = Vec::new();
    for dependency in dependencies.iter().filter(|dependency| dependency.is(KIND)) {
        match server_of(dependency.tool) {
            Ok(server) => require(&mut all, dependency, server),
            Err(text) => {
                if session.is_news(&format!("server {}", dependency.tool.value), dependency.entry.canonical()) {
                    report.note(&[dependency.skill()], text, None);
                }
            }
        }
    }
    all.sort_by(|left, right| (&left.name, left.target()).cmp(&(&right.name, right.target())));
    all
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

/// Decides on a server.
pub(super) fn decide(runtime: &Runtime, session: &Session, required: &RequiredServer) -> ServerDecision {
    if let Some((name, enabled)) = runtime.server_like(&required.what.transport) {
        return match enabled {
            true => ServerDecision::There,
            false => ServerDecision::Left(format!("the server `{name}` is switched off in the settings")),
        };
    }
    let decisions =
        [&required.name, required.target()].map(|subject| runtime.decide(session, Permission::Mcp, subject));
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
    // A name is what the skill says it is: only who allows the target too has allowed this server.
    if decisions.iter().all(|decision| decision.action == Action::Allow && !decision.remembered) {
        let rule = decisions.into_iter().rev().find_map(|decision| decision.rule);
        return ServerDecision::Allowed { rule: rule.as_ref().map(said).unwrap_or_default() };
    }
    if session.was_asked(&required.question().key()) {
        ServerDecision::Left(required.missing())
    } else {
        ServerDecision::Ask
    }
}

/// Adds a server to the user's own settings, or says what is wrong.
pub(super) fn add(runtime: &Runtime, required: &RequiredServer) -> Result<(), String> {
    let failed = |why: &str| format!("the server `{}` was not added: {why}", required.name);
    let Some(home) = runtime.environment.openoxide_home() else {
        return Err(failed("there is no home, so there are no settings of yours"));
    };
    let file = home.join("config.toml");
    match add_mcp_server(&file, &required.name, &required.what) {
        Ok(AddServerOutcome::Added | AddServerOutcome::Same) => {
            runtime.note_server(&required.name, &required.what);
            Ok(())
        }
        Ok(AddServerOutcome::NameTaken) => Err(failed(&format!("another one has the name in {}", path_text(&file)))),
        Err(error) => Err(failed(&error.to_string())),
    }
}
