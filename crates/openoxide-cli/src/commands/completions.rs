//! `completions`: scripts that complete commands in a shell.

use clap::{Arg, Command, builder::PossibleValuesParser};
use clap_complete::Shell;

use crate::ui::{ExitStatus, Ui};

/// Print a script that completes commands in your shell
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(ui: &Ui, args: &CompletionsArgs, command: Command) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut with_hosts(command), "openoxide", &mut script);
    ui.raw(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Done)
}

/// Offers the names of hosts. Only what is completed knows them: a host of the user's can be typed all the same.
fn with_hosts(command: Command) -> Command {
    // The script needs names that live as long as the program does.
    let names: Vec<&'static str> =
        openoxide_app::hosts::builtin_names().into_iter().map(|name| &*Box::leak(name.into_boxed_str())).collect();
    let offer = |arg: Arg| arg.value_parser(PossibleValuesParser::new(names.iter().copied()));
    let command = command.mut_arg("host", offer);
    let command = command.mut_subcommand("link", |link| link.mut_arg("into", offer));
    command.mut_subcommand("unlink", |unlink| unlink.mut_arg("from", offer))
}
