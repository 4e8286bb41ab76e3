//! The commands: one file each.

use clap::CommandFactory as _;

use crate::ExitStatus;
use crate::command_line::{Args, Command};
use crate::ui::Ui;

pub(crate) mod activate;
pub(crate) mod app_server;
pub(crate) mod check;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod explain;
pub(crate) mod hosts;
pub(crate) mod link;
pub(crate) mod list;
pub(crate) mod mcp;
pub(crate) mod mentions;
pub(crate) mod new;
pub(crate) mod overview;
pub(crate) mod prompt;
pub(crate) mod read;
pub(crate) mod remote;
pub(crate) mod roots;
pub(crate) mod run;
pub(crate) mod schema;
pub(crate) mod serve;
pub(crate) mod show;
pub(crate) mod switch;
pub(crate) mod trust;

/// Runs the command that was typed.
pub(crate) fn run(ui: &Ui, args: &Args) -> anyhow::Result<ExitStatus> {
    let common = &args.common;
    let Some(command) = &args.command else { return overview::overview(ui, common) };
    match command {
        Command::List(args) => list::list(ui, common, args),
        Command::Show(args) => show::show(ui, common, args),
        Command::Explain(args) => explain::explain(ui, common, args),
        Command::Hosts(args) => hosts::hosts(ui, common, args),
        Command::Roots(args) => roots::roots(ui, common, args),
        Command::Check(args) => check::check(ui, common, args),
        Command::Prompt(args) => prompt::prompt(ui, common, args),
        Command::Mentions(args) => mentions::mentions(ui, common, args),
        Command::Activate(args) => activate::activate(ui, common, args),
        Command::Read(args) => read::read(ui, common, args),
        Command::Run(args) => run::run(ui, common, args),
        Command::Serve(args) => serve::serve(ui, common, args),
        Command::Mcp(args) => mcp::mcp(ui, common, args),
        Command::Link(args) => link::link(ui, common, args),
        Command::Unlink(args) => link::unlink(ui, common, args),
        Command::New(args) => new::new(ui, common, args),
        Command::Enable(args) => switch::enable(ui, common, args),
        Command::Disable(args) => switch::disable(ui, common, args),
        Command::Trust(args) => trust::trust(ui, common, args),
        Command::Config(args) => config::config(ui, common, args),
        Command::AppServer(args) => app_server::app_server(ui, common, args),
        Command::Completions(args) => completions::completions(ui, args, Args::command()),
        Command::Schema(args) => schema::schema(ui, args),
    }
}
