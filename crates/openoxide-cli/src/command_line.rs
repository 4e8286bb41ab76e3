//! Everything that can be typed: the commands, each with its own arguments.

use clap::{Parser, Subcommand};

use crate::args::Common;
use crate::commands;

/// The Agent Skills runtime: find skills, see which ones count for which agent, and why.
///
/// Without a command, shows the agents found, what each of them sees, and what is worth mending.
#[derive(Debug, Parser)]
#[command(name = "openoxide", version, max_term_width = 100, disable_help_subcommand = true)]
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
    Roots(commands::roots::RootsArgs),
    Check(commands::check::CheckArgs),
    Prompt(commands::prompt::PromptArgs),
    Mentions(commands::mentions::MentionsArgs),
    Activate(commands::activate::ActivateArgs),
    Read(commands::read::ReadArgs),
    Run(commands::run::RunArgs),
    Serve(commands::serve::ServeArgs),
    Mcp(commands::mcp::McpArgs),
    AppServer(commands::app_server::AppServerArgs),
    Link(commands::link::LinkArgs),
    Unlink(commands::link::UnlinkArgs),
    New(commands::new::NewArgs),
    Enable(commands::switch::EnableArgs),
    Disable(commands::switch::DisableArgs),
    Trust(commands::trust::TrustArgs),
    Config(commands::config::ConfigArgs),
    Completions(commands::completions::CompletionsArgs),
    Schema(commands::schema::SchemaArgs),
}
