//! `app-server`: JSON-RPC on standard input and output, for programs that start this one.

use openoxide_app::Environment;
use openoxide_server::{RpcOptions, serve_rpc};

use crate::serving::serve_client;
use crate::ui::{ExitStatus, Ui};

pub(crate) fn app_server(ui: &Ui) -> anyhow::Result<ExitStatus> {
    let options = RpcOptions { home: Environment::from_process().openoxide_home() };
    let served = serve_client(ui, |engine| serve_rpc(engine, tokio::io::stdin(), tokio::io::stdout(), options))?;
    served?;
    Ok(ExitStatus::Done)
}
