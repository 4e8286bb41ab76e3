//! `token`: prints the access token, for programs that connect over HTTP.

use openoxide_app::Environment;
use openoxide_server::TokenFile;
use secrecy::ExposeSecret as _;

use crate::serving::token_failed;
use crate::ui::{ExitStatus, Ui};

/// Print the access token that programs show to `serve`
///
/// It admits a program to every server that you start; it approves nothing. It is made when it is first needed and stays
/// until `openoxide serve --new-token` makes another. Put it into a variable, so that no list of processes and no history of
/// a shell has it: export OPENOXIDE_TOKEN="$(openoxide token)"
#[derive(Debug, clap::Args)]
#[expect(clippy::doc_markdown, reason = "help is plain text")]
pub(crate) struct TokenArgs {}

pub(crate) fn token(ui: &Ui, _: &TokenArgs) -> anyhow::Result<ExitStatus> {
    let home = Environment::from_process().openoxide_home().ok_or_else(|| token_failed("there is no home folder"))?;
    let token = TokenFile::below(&home).read_or_make();
    let token = token.map_err(|error| token_failed(&format!("{:#}", anyhow::Error::from(error))))?;
    ui.data(&format!("{}\n", token.expose_secret()))?;
    Ok(ExitStatus::Done)
}
