//! `completions`: scripts that complete commands in a shell.

use clap_complete::Shell;

use crate::called::typed_name;
use crate::ui::{ExitStatus, Ui};

mod offers;

pub(crate) use offers::{answer_if_asked, script};

/// Print a script that completes commands in your shell
///
/// It also completes names of skills, hosts, settings and codes. The script asks this program for them, so print it anew
/// after an update.
#[derive(Debug, clap::Args)]
pub(crate) struct CompletionsArgs {
    /// The shell
    shell: Shell,
}

pub(crate) fn completions(ui: &Ui, args: &CompletionsArgs) -> anyhow::Result<ExitStatus> {
    ui.raw(&script(args.shell, &typed_name()?)?)?;
    Ok(ExitStatus::Done)
}
