//! `mcp`: serves skills to a program that speaks MCP.

use std::path::PathBuf;

use openoxide_app::Environment;
use openoxide_server::Engine;
use openoxide_server::connect::{Client, Reach, clients};
use openoxide_server::mcp::serve_stdio;

use crate::args::Common;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::serving::{LAST, ToolArgs, engine_options, open_place, start_log, stdio_log_format};
use crate::ui::Ui;

/// Serve skills over MCP on standard input and output
///
/// Agents start this command by themselves. `--print-config` prints what makes them do so.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Print the settings that connect this program, and serve nothing
    #[arg(long, value_name = "CLIENT", value_parser = clap::builder::PossibleValuesParser::new(clients().iter().map(|client| client.name.as_str())))]
    print_config: Option<String>,
    /// With --print-config, connect to a server that runs at this address
    #[arg(long, value_name = "URL", requires = "print_config")]
    url: Option<String>,
    /// With --url, the server wants a token, which is in `OPENOXIDE_TOKEN`
    #[arg(long, requires = "url")]
    with_token: bool,
    #[command(flatten)]
    tools: ToolArgs,
}

pub(crate) fn mcp(ui: &Ui, common: &Common, args: &McpArgs) -> anyhow::Result<ExitStatus> {
    if let Some(client) = args.print_config.as_deref().and_then(Client::find) {
        return print_config(ui, common, args, client);
    }
    let log = start_log(common, stdio_log_format(ui))?;
    let place = open_place(ui, common)?;
    let engine = Engine::new(Environment::from_process(), place, engine_options(ui));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(serve_stdio(engine.clone(), args.tools.options()));
    // What was done is written down before the process ends.
    engine.close();
    log.flush(LAST);
    // A command of a skill may still run; the client is gone, and nobody waits for it.
    runtime.shutdown_background();
    served.map_err(|error| CommandError::failed(error.to_string()))?;
    Ok(ExitStatus::Done)
}

fn print_config(ui: &Ui, common: &Common, args: &McpArgs, client: &'static Client) -> anyhow::Result<ExitStatus> {
    let reach = match &args.url {
        Some(url) => Reach::Url { url: url.clone(), token: args.with_token },
        None => Reach::Command(command(ui, common, args)?),
    };
    // Standard output has the settings alone, so that they can be sent into a file.
    ui.say(&format!("{} is connected by one line in a shell:", client.title));
    ui.say(&format!("  {}", client.line(&reach)));
    ui.say(&format!("or by this in {}:", client.settings_place()));
    ui.raw(&format!("{}\n", client.settings(&reach)))?;
    Ok(ExitStatus::Done)
}

/// Writes the command that serves what this one would, wherever it is started.
fn command(ui: &Ui, common: &Common, args: &McpArgs) -> anyhow::Result<Vec<String>> {
    let text = |path: PathBuf| {
        let error =
            |path: PathBuf| CommandError::failed(format!("`{}` is not text that can be pasted", path.display()));
        path.into_os_string().into_string().map_err(|path| error(path.into()))
    };
    let mut words = vec![text(std::env::current_exe()?)?, "mcp".to_owned()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    let place = open_place(ui, common)?;
    if common.project.is_some() {
        add("--project", &text(place.folder)?);
    }
    place.host.iter().for_each(|host| add("--host", host));
    place.agent.iter().for_each(|agent| add("--agent", agent));
    for folder in place.added {
        add("--add-dir", &text(folder)?);
    }
    place.config.iter().for_each(|setting| add("--config", setting));
    words.extend(args.tools.words());
    Ok(words)
}
