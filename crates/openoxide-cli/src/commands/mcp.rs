//! `mcp`: serves skills to a client that speaks MCP.

use openoxide_app::Place;
use openoxide_server::connect::{Client, Reach, clients, token_line};
use openoxide_server::mcp::serve_stdio;

use crate::called::{self, text, typed_name};
use crate::error::CommandError;
use crate::serving::{ToolArgs, open_place, serve_client};
use crate::ui::{ExitStatus, Ui};

/// Serve skills over MCP on standard input and output
///
/// Agents start this command themselves; `--print-config` prints the settings for that. The skills that come with OpenOxide,
/// if the host lists them, are written to `~/.openoxide` once.
#[derive(Debug, clap::Args)]
pub(crate) struct McpArgs {
    /// Print the settings that connect this client, and serve nothing
    #[arg(long, value_name = "CLIENT", value_parser = clap::builder::PossibleValuesParser::new(clients().iter().map(|client| client.name.as_str())))]
    print_config: Option<String>,
    /// With --print-config, connect to a server that runs at this address; `/mcp` is added to an address without a path
    #[arg(long, value_name = "URL", requires = "print_config")]
    url: Option<String>,
    /// With --url, read the access token from `OPENOXIDE_TOKEN` (the default)
    #[arg(long, requires = "url", hide = true)]
    with_token: bool,
    /// With --url, the server needs no access token
    #[arg(long, requires = "url", conflicts_with = "with_token")]
    without_token: bool,
    #[command(flatten)]
    tools: ToolArgs,
}

pub(crate) fn mcp(ui: &Ui, args: &McpArgs) -> anyhow::Result<ExitStatus> {
    if let Some(client) = args.print_config.as_deref().and_then(Client::find) {
        return print_config(ui, args, client);
    }
    let served = serve_client(ui, |engine| serve_stdio(engine, args.tools.options()))?;
    served.map_err(|error| CommandError::failed(error.to_string()))?;
    Ok(ExitStatus::Done)
}

fn print_config(ui: &Ui, args: &McpArgs, client: &'static Client) -> anyhow::Result<ExitStatus> {
    let reach = match &args.url {
        Some(url) => Reach::Url { url: endpoint(url), token: !args.without_token },
        None => Reach::Command(command(ui, &args.tools, open_place(ui)?)?),
    };
    // Standard output has the settings alone, so that they can be sent into a file.
    if matches!(reach, Reach::Url { token: true, .. }) {
        let line = token_line(&[&typed_name()?, "token"]);
        ui.say(&format!("the access token comes from a variable:\n  {line}"));
    }
    ui.say(&format!("{} is connected by one line in a shell:", client.title));
    ui.say(&format!("  {}", client.line(&reach)));
    ui.say(&format!("or by this in {}:", client.settings_place()));
    ui.raw(&format!("{}\n", client.settings(&reach)))?;
    Ok(ExitStatus::Done)
}

/// Returns the address that clients connect to; that of a server alone means its `/mcp`.
fn endpoint(url: &str) -> String {
    let server = url.trim_end_matches('/');
    let has_path = server.split_once("://").map_or(server, |(_, rest)| rest).contains('/');
    if has_path { url.to_owned() } else { format!("{server}/mcp") }
}

/// Writes the command that serves what this one would, wherever it is started.
pub(crate) fn command(ui: &Ui, tools: &ToolArgs, place: Place) -> anyhow::Result<Vec<String>> {
    let mut words = vec![text(called::path()?)?, "mcp".to_owned()];
    let mut add = |flag: &str, value: &str| words.extend([flag.to_owned(), value.to_owned()]);
    if !ui.common.project.is_empty() {
        add("--project", &text(place.folder)?);
    }
    place.host.iter().for_each(|host| add("--host", host));
    place.agent.iter().for_each(|agent| add("--agent", agent));
    for folder in place.added {
        add("--add-dir", &text(folder)?);
    }
    place.config.iter().for_each(|setting| add("--config", setting));
    words.extend(tools.words());
    Ok(words)
}
