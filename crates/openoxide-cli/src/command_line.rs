//! Everything that can be typed, and which command then runs.

use std::{io::Write as _, process::ExitCode};

use clap::error::{ContextKind, ContextValue};
use clap::{Parser, Subcommand};
use openoxide_app::is_deceptive;

use crate::text::{safe, safe_lines};
use crate::ui::{ExitStatus, Ui};
use crate::{args::Common, commands, error::CommandError};

/// Find Agent Skills, see which agents use them, and why others ignore them.
///
/// Without a command, shows the agents found, what each of them sees, and what to fix.
#[derive(Debug, Parser)]
#[command(name = "openoxide", version, max_term_width = 100)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,
    #[command(flatten)]
    pub(crate) common: Common,
}

/// The commands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    List(commands::list::ListArgs),
    Show(commands::show::ShowArgs),
    Explain(commands::explain::ExplainArgs),
    Hosts(commands::hosts::HostsArgs),
    /// Show where a host looks, in what order, and by what settings
    ///
    /// Use it to find out why a skill is missing. It shows folders, precedence, settings with their origin,
    /// skills that are switched off, findings, limits that were reached, and what this machine has to isolate a command.
    Roots,
    Check(commands::check::CheckArgs),
    Prompt(commands::prompt::PromptArgs),
    Search(commands::search::SearchArgs),
    Mentions(commands::mentions::MentionsArgs),
    Activate(commands::activate::ActivateArgs),
    Read(commands::read::ReadArgs),
    Run(commands::run::RunArgs),
    Serve(commands::serve::ServeArgs),
    Token(commands::token::TokenArgs),
    Mcp(commands::mcp::McpArgs),
    /// Answer JSON-RPC on standard input and output
    ///
    /// For a program that starts this one: one JSON object per line, until the input ends. Clients of Codex's app-server
    /// can list and switch skills without a change; docs/app-server.md has every method.
    AppServer,
    Link(commands::link::LinkArgs),
    Unlink(commands::link::UnlinkArgs),
    New(commands::new::NewArgs),
    /// Switch skills on
    ///
    /// Changes the agent's own settings, after showing the change. Without `--host`, your agents that see the skills are
    /// meant; if there are several, the terminal asks which.
    Enable(commands::switch::SwitchArgs),
    /// Switch skills off
    ///
    /// Changes the agent's own settings, after showing the change. Without `--host`, your agents that see the skills are
    /// meant; if there are several, the terminal asks which.
    Disable(commands::switch::SwitchArgs),
    Trust(commands::trust::TrustArgs),
    Config(commands::config::ConfigArgs),
    Models(commands::models::ModelsArgs),
    Completions(commands::completions::CompletionsArgs),
    Schema(commands::schema::SchemaArgs),
}

/// Parses what was typed. Errors, help and the version are printed, with the exit status returned.
pub(crate) fn parse() -> Result<Args, ExitCode> {
    Args::try_parse().map_err(|mut error| {
        escape_context(&mut error);
        let text = error.render().to_string();
        let is_safe = text.chars().all(|character| character == '\n' || !is_deceptive(character));
        // If the stream is closed, there is nowhere to report it.
        let _ = match is_safe {
            true => error.print(),
            // A parser of ours put what was typed into its message.
            false => writeln!(std::io::stderr().lock(), "{}", safe_lines(&text)),
        };
        ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2))
    })
}

/// Escapes what an error repeats of the arguments, so that it stays on one line and commands no terminal.
fn escape_context(error: &mut clap::Error) {
    let escaped: Vec<(ContextKind, ContextValue)> = error
        .context()
        .filter_map(|(kind, value)| match value {
            ContextValue::String(text) => Some((kind, ContextValue::String(safe(text)))),
            ContextValue::Strings(texts) => {
                Some((kind, ContextValue::Strings(texts.iter().map(|text| safe(text)).collect())))
            }
            _ => None,
        })
        .collect();
    for (kind, value) in escaped {
        error.insert(kind, value);
    }
}

pub(crate) fn run(ui: &Ui, command: Option<&Command>) -> anyhow::Result<ExitStatus> {
    if ui.common.project.len() > 1 && !matches!(command, Some(Command::Serve(_))) {
        return Err(CommandError::failed("`--project` is given more than once")
            .hint("only `serve` takes several")
            .into());
    }
    let Some(command) = command else { return commands::overview::overview(ui) };
    match command {
        Command::List(args) => commands::list::list(ui, args),
        Command::Show(args) => commands::show::show(ui, args),
        Command::Explain(args) => commands::explain::explain(ui, args),
        Command::Hosts(args) => commands::hosts::hosts(ui, args),
        Command::Roots => commands::roots::roots(ui),
        Command::Check(args) => commands::check::check(ui, args),
        Command::Prompt(args) => commands::prompt::prompt(ui, args),
        Command::Search(args) => commands::search::search(ui, args),
        Command::Mentions(args) => commands::mentions::mentions(ui, args),
        Command::Activate(args) => commands::activate::activate(ui, args),
        Command::Read(args) => commands::read::read(ui, args),
        Command::Run(args) => commands::run::run(ui, args),
        Command::Serve(args) => commands::serve::serve(ui, args),
        Command::Token(args) => commands::token::token(ui, args),
        Command::Mcp(args) => commands::mcp::mcp(ui, args),
        Command::Link(args) => commands::link::link(ui, args),
        Command::Unlink(args) => commands::link::unlink(ui, args),
        Command::New(args) => commands::new::new(ui, args),
        Command::Enable(args) => commands::switch::switch(ui, args, true),
        Command::Disable(args) => commands::switch::switch(ui, args, false),
        Command::Trust(args) => commands::trust::trust(ui, args),
        Command::Config(args) => commands::config::config(ui, args),
        Command::Models(args) => commands::models::models(ui, args),
        Command::AppServer => commands::app_server::app_server(ui),
        Command::Completions(args) => commands::completions::completions(ui, args),
        Command::Schema(args) => commands::schema::schema(ui, args),
    }
}
