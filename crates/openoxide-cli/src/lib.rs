//! The program `openoxide` as a library: it parses what is typed, calls a use case, and draws the answer.
//!
//! The binary is thin over [`main`]. [`command`] is for tools that describe the program: man pages, reference pages.

mod args;
mod asking;
mod called;
mod choosing;
mod command_line;
mod commands;
mod error;
mod init;
mod marks;
mod serving;
mod session;
mod skill_table;
mod snippet;
mod table;
mod text;
mod typed;
mod ui;

use std::process::ExitCode;

use clap::CommandFactory as _;

use command_line::Args;
use ui::{ExitStatus, Ui};

/// Runs the program on the process's own arguments.
pub fn main() -> ExitCode {
    if let Some(code) = init::run_if_first() {
        return code;
    }
    if commands::completions::answer_if_asked(command) {
        return ExitCode::SUCCESS;
    }
    let args = match command_line::parse() {
        Ok(args) => args,
        Err(code) => return code,
    };
    let ui = Ui::new(args.common);
    match command_line::run(&ui, args.command.as_ref()) {
        Ok(ExitStatus::Done) => ExitCode::SUCCESS,
        Ok(ExitStatus::No) => ExitCode::from(1),
        Err(error) if error::is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            ui.error(&error);
            ExitCode::from(error::status(&error))
        }
    }
}

/// Returns the script that completes commands in a shell, for a program that is on the search path.
pub fn completion_script(shell: clap_complete::Shell) -> std::io::Result<String> {
    commands::completions::script(shell, "openoxide")
}

/// Returns the definition of everything that can be typed.
pub fn command() -> clap::Command {
    Args::command()
}
