//! `token`: prints the access token, for programs that connect over HTTP.

use openoxide_app::Environment;
use openoxide_server::TokenFile;
use secrecy::ExposeSecret as _;

use crate::serving::token_failed;
use crate::ui::{ExitStatus, Ui};

/// Print the access token that clients send to `serve`
///
/// Clients need it for every server that you start; it cannot approve anything. It is made when it is first needed, and
/// `openoxide serve --new-token` replaces it. Put it into a variable, so that it is in no list of processes and no shell
/// history: export OPENOXIDE_TOKEN="$(openoxide token)"
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
