//! Decides on the MCP servers that skills need, and adds them to the user's settings.

use openoxide_config::{AddServerOutcome, McpServer, McpTransport, add_mcp_server, validate_mcp_server};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::skill::ToolDependency;

use super::need::{DependencyReport, Need};
use crate::question::Question;
use crate::runtime::Runtime;
use crate::session::Session;

/// What a metadata file calls a server.
pub(super) const KIND: &str = "mcp";

/// A server that skills need.
pub(super) struct RequiredServer {
    pub(super) name: String,
    server: McpServer,
    about: Option<String>,
    pub(super) skills: Vec<String>,
}

/// What becomes of it.
pub(super) enum ServerDecision {
    /// It is configured.
    There,
    /// The user is asked.
    Ask,
    /// The user's own rules allow it.
    Allowed {
        /// The rule.
        rule: String,
    },
    /// It stays as it is, and this is said.
    Left { text: String, help: Option<String> },
}

impl RequiredServer {
    /// Returns what would be started or connected to.
    pub(super) fn target(&self) -> &str {
        match &self.server.transport {
            McpTransport::Stdio { command, .. } => command,
            McpTransport::Http { url, .. } => url,
        }
    }

    /// Returns where it is reached, if that is an address.
    pub(super) fn url(&self) -> Option<&str> {
        match &self.server.transport {
            McpTransport::Stdio { .. } => None,
            McpTransport::Http { url, .. } => Some(url),
        }
    }

    pub(super) fn question(&self) -> Question {
        Question::Server {
            name: self.name.clone(),
            transport: self.server.transport.as_str().to_owned(),
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
pub(super) fn gather(session: &mut Session, needs: &[Need<'_>], report: &mut DependencyReport) -> Vec<RequiredServer> {
    let mut all: Vec<RequiredServer> = Vec::new();
    for need in needs.iter().filter(|need| need.is(KIND)) {
        let server = match server_of(need.tool) {
            Ok(server) => server,
            Err(text) => {
                if session.is_news(&format!("server {}", need.tool.value), need.entry.canonical()) {
                    report.note(&[need.skill()], text, None);
                }
                continue;
            }
        };
        let about = need.tool.description.clone();
        match all.iter_mut().find(|wanted| wanted.server == server) {
            Some(wanted) => {
                wanted.about = wanted.about.take().or(about);
                wanted.skills.push(need.skill());
            }
            None => {
                all.push(RequiredServer { name: need.tool.value.clone(), server, about, skills: vec![need.skill()] });
            }
        }
    }
    for wanted in &mut all {
        wanted.skills.sort_unstable();
        wanted.skills.dedup();
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
pub(super) fn decide(runtime: &Runtime, session: &Session, wanted: &RequiredServer) -> ServerDecision {
    let left = |text: String| ServerDecision::Left { text, help: None };
    if let Some((name, enabled)) = runtime.server_like(&wanted.server.transport) {
        return match enabled {
            true => ServerDecision::There,
            false => left(format!("the server `{name}` is switched off in the settings")),
        };
    }
    let decisions = [&wanted.name, wanted.target()].map(|subject| runtime.decide(session, Permission::Mcp, subject));
    let said = |rule: &openoxide_permissions::Rule| format!("`{}` in {}", rule.pattern, rule.origin);
    if let Some(denied) = decisions.iter().find(|decision| decision.action == Action::Deny) {
        let rule = denied.rule.as_ref().map(|rule| format!(" by {}", said(rule))).unwrap_or_default();
        return left(format!("the server `{}` is denied{rule}", wanted.name));
    }
    if runtime.has_server(&wanted.name) {
        return left(format!("another server is called `{}`; {} was not added", wanted.name, wanted.target()));
    }
    // A name is what the skill says it is: only who allows the target too has allowed this server.
    if decisions.iter().all(|decision| decision.action == Action::Allow && !decision.remembered) {
        let rule = decisions.into_iter().rev().find_map(|decision| decision.rule);
        return ServerDecision::Allowed { rule: rule.as_ref().map(said).unwrap_or_default() };
    }
    if session.was_asked(&wanted.question().key()) { left(wanted.missing()) } else { ServerDecision::Ask }
}

/// Adds a server to the user's own settings; says what is wrong, and what to do.
pub(super) fn add(runtime: &Runtime, wanted: &RequiredServer) -> Result<(), (String, Option<String>)> {
    let failed = |why: String| (format!("the server `{}` was not added: {why}", wanted.name), None);
    let Some(home) = runtime.environment.openoxide_home() else {
        return Err(failed("there is no home, so there are no settings of yours".to_owned()));
    };
    let file = home.join("config.toml");
    match add_mcp_server(&file, &wanted.name, &wanted.server) {
        Ok(AddServerOutcome::Added | AddServerOutcome::Same) => {
            runtime.note_server(&wanted.name, &wanted.server);
            Ok(())
        }
        Ok(AddServerOutcome::NameTaken) => {
            Err(failed(format!("another one has the name in {}", openoxide_skills::text::path_text(&file))))
        }
        Err(error) => Err(failed(error.to_string())),
    }
}
