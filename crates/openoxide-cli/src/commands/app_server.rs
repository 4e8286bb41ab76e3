//! `app-server`: JSON-RPC on standard input and output, for programs that start this one.

use openoxide_app::Environment;
use openoxide_server::{Engine, RpcOptions, serve_rpc};

use crate::args::Common;
use crate::exit::ExitStatus;
use crate::serving::{LAST, engine_options, open_place, start_log, stdio_log_format};
use crate::ui::Ui;

/// Answer JSON-RPC on standard input and output
///
/// For a program that starts this one: one JSON object per line, until the input ends. Clients of Codex's app-server can
/// list and switch skills without a change; docs/app-server.md has every method.
#[derive(Debug, clap::Args)]
pub(crate) struct AppServerArgs {}

pub(crate) fn app_server(ui: &Ui, common: &Common, _: &AppServerArgs) -> anyhow::Result<ExitStatus> {
    let log = start_log(common, stdio_log_format(ui))?;
    let here = open_place(ui, common)?;
    let environment = Environment::from_process();
    let engine = engine_options(ui);
    let options = RpcOptions { home: environment.openoxide_home() };
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let engine = Engine::new(environment, here, engine);
    let served = runtime.block_on(serve_rpc(engine.clone(), tokio::io::stdin(), tokio::io::stdout(), options));
    // What was done is written down before the process ends.
    engine.close();
    log.flush(LAST);
    // What still runs belongs to a client that is gone; it ends with this process.
    runtime.shutdown_background();
    served?;
    Ok(ExitStatus::Done)
}
