//! `completions`: scripts that complete commands in a shell.

use clap::CommandFactory as _;
use clap_complete::Shell;

use crate::ExitStatus;
use crate::args::Args;
use crate::ui::Ui;

/// Print a script that completes commands in your shell
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(ui: &Ui, args: &CompletionsArgs) -> anyhow::Result<ExitStatus> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Args::command(), "openoxide", &mut script);
    ui.raw(&String::from_utf8_lossy(&script))?;
    Ok(ExitStatus::Done)
}
