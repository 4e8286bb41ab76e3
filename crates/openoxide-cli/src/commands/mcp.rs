//! `mcp`: serves skills to a program that speaks MCP.

use std::path::{Path, PathBuf};

use clap::ValueEnum;
use openoxide_config::Environment;
use openoxide_live::Place;
use openoxide_server::connect::{CLIENTS, Client, Reach};
use openoxide_server::mcp::{McpOptions, ToolNames, serve_stdio};
use openoxide_server::{Engine, EngineOptions};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::session::Session;
use crate::ui::Ui;

/// Serve skills over MCP on standard input and output
///
/// Agents start this command by themselves. `--print-config` prints what makes them do so.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Print what is pasted to connect this program, and serve nothing
    #[arg(long, value_name = "CLIENT", value_parser = clap::builder::PossibleValuesParser::new(CLIENTS.iter().map(|client| client.name)))]
    print_config: Option<String>,
    /// With --print-config, connect to a server that runs at this address
    #[arg(long, value_name = "URL", requires = "print_config")]
    url: Option<String>,
    /// Do not offer a tool under this name, because the agent has one (can be repeated)
    #[arg(long, value_name = "NAME")]
    tool_taken: Vec<String>,
    /// How names of tools are written
    #[arg(long, value_name = "STYLE", default_value = "plain")]
    tool_names: Style,
}

/// How names of tools are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// Without dots, which not every agent takes
    Plain,
    /// As the host writes them
    Dotted,
}

pub(crate) fn mcp(ui: &Ui, common: &Common, args: &McpArgs) -> anyhow::Result<ExitStatus> {
    if let Some(client) = args.print_config.as_deref().and_then(Client::find) {
        return print_config(ui, common, args, client);
    }
    // What is wrong with settings is said once, before a client waits for an answer.
    Session::open(ui, common)?.warn(ui);
    let environment = Environment::from_process();
    let place = place(common, &environment.cwd);
    let options = McpOptions {
        taken: args.tool_taken.clone(),
        names: match args.tool_names {
            Style::Plain => ToolNames::Plain,
            Style::Dotted => ToolNames::Dotted,
        },
    };
    let engine = Engine::new(environment, place, EngineOptions::default());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(serve_stdio(engine.clone(), options));
    // What was done is written down before the process ends.
    engine.close();
    // A command of a skill may still run; the client is gone, and nobody waits for it.
    runtime.shutdown_background();
    served.map_err(|error| Told::failed(error.to_string()))?;
    Ok(ExitStatus::Done)
}

/// Returns the place that the command line means.
fn place(common: &Common, cwd: &Path) -> Place {
    Place {
        folder: common.project.as_ref().map_or_else(|| cwd.to_owned(), |project| cwd.join(project)),
        host: common.host.clone(),
        agent: common.agent.clone(),
        added: common.add_dir.iter().map(|added| cwd.join(added)).collect(),
        config: common.config.clone(),
    }
}

fn print_config(ui: &Ui, common: &Common, args: &McpArgs, client: Client) -> anyhow::Result<ExitStatus> {
    let reach = match &args.url {
        Some(url) => Reach::Url(url.clone()),
        None => Reach::Command(command(common, args)?),
    };
    for paste in client.pastes(&reach) {
        ui.say(&format!("for {}, in {}:", client.title, paste.place));
        ui.raw(&format!("{}\n", paste.text))?;
    }
    Ok(ExitStatus::Done)
}

/// Writes the command that serves what this one would, wherever it is started.
fn command(common: &Common, args: &McpArgs) -> anyhow::Result<Vec<String>> {
    let environment = Environment::from_process();
    let text = |path: PathBuf| {
        let told = |path: PathBuf| Told::failed(format!("`{}` is not text that can be pasted", path.display()));
        path.into_os_string().into_string().map_err(|path| told(path.into()))
    };
    let mut words = vec![text(std::env::current_exe()?)?, "mcp".to_owned()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    let place = place(common, &environment.cwd);
    if common.project.is_some() {
        add("--project", &text(place.folder)?);
    }
    place.host.iter().for_each(|host| add("--host", host));
    place.agent.iter().for_each(|agent| add("--agent", agent));
    for folder in place.added {
        add("--add-dir", &text(folder)?);
    }
    place.config.iter().for_each(|setting| add("--config", setting));
    args.tool_taken.iter().for_each(|name| add("--tool-taken", name));
    if args.tool_names == Style::Dotted {
        add("--tool-names", "dotted");
    }
    Ok(words)
}
