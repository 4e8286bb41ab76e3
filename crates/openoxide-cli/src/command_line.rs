//! Everything that can be typed, and which command then runs.

use clap::{CommandFactory as _, Parser, Subcommand};

use crate::args::Common;
use crate::commands;
use crate::exit::ExitStatus;
use crate::ui::Ui;

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

/// Runs the command that was typed.
pub(crate) fn run(ui: &Ui, args: &Args) -> anyhow::Result<ExitStatus> {
    let common = &args.common;
    let Some(command) = &args.command else { return commands::overview::overview(ui, common) };
    match command {
        Command::List(args) => commands::list::list(ui, common, args),
        Command::Show(args) => commands::show::show(ui, common, args),
        Command::Explain(args) => commands::explain::explain(ui, common, args),
        Command::Hosts(args) => commands::hosts::hosts(ui, common, args),
        Command::Roots(args) => commands::roots::roots(ui, common, args),
        Command::Check(args) => commands::check::check(ui, common, args),
        Command::Prompt(args) => commands::prompt::prompt(ui, common, args),
        Command::Mentions(args) => commands::mentions::mentions(ui, common, args),
        Command::Activate(args) => commands::activate::activate(ui, common, args),
        Command::Read(args) => commands::read::read(ui, common, args),
        Command::Run(args) => commands::run::run(ui, common, args),
        Command::Serve(args) => commands::serve::serve(ui, common, args),
        Command::Mcp(args) => commands::mcp::mcp(ui, common, args),
        Command::Link(args) => commands::link::link(ui, common, args),
        Command::Unlink(args) => commands::link::unlink(ui, common, args),
        Command::New(args) => commands::new::new(ui, common, args),
        Command::Enable(args) => commands::switch::enable(ui, common, args),
        Command::Disable(args) => commands::switch::disable(ui, common, args),
        Command::Trust(args) => commands::trust::trust(ui, common, args),
        Command::Config(args) => commands::config::config(ui, common, args),
        Command::AppServer(args) => commands::app_server::app_server(ui, common, args),
        Command::Completions(args) => commands::completions::completions(ui, args, Args::command()),
        Command::Schema(args) => commands::schema::schema(ui, args),
    }
}
