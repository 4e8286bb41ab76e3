//! What the commands that stay and serve have in common.

use std::sync::Arc;
use std::time::Duration;

use clap::ValueEnum;
use openoxide_app::{Place, variables};
use openoxide_server::mcp::{McpOptions, ToolNames};
use openoxide_server::{EngineOptions, Log, LogFormat, LogOptions};

use crate::args::Common;
use crate::error::CommandError;
use crate::session::Session;
use crate::ui::Ui;

/// How long what is left may take when a command that serves ends.
pub(crate) const LAST: Duration = Duration::from_secs(2);

/// How tools are offered over MCP.
#[derive(Debug, clap::Args)]
pub(crate) struct ToolArgs {
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

impl ToolArgs {
    pub(crate) fn options(&self) -> McpOptions {
        McpOptions {
            taken: self.tool_taken.clone(),
            names: match self.tool_names {
                Style::Plain => ToolNames::Plain,
                Style::Dotted => ToolNames::Dotted,
            },
        }
    }

    /// Writes them as they are typed.
    pub(crate) fn words(&self) -> Vec<String> {
        let mut words = Vec::new();
        for name in &self.tool_taken {
            words.extend(["--tool-taken".to_owned(), name.clone()]);
        }
        if self.tool_names == Style::Dotted {
            words.extend(["--tool-names", "dotted"].map(str::to_owned));
        }
        words
    }
}

/// Starts the log, on standard error; every command that serves does so before anything else.
pub(crate) fn start_log(common: &Common, format: LogFormat) -> Result<Log, CommandError> {
    let filter = std::env::var(variables::OPENOXIDE_LOG).ok().filter(|filter| !filter.is_empty());
    Log::install(&LogOptions { format, filter, verbose: common.verbose }).map_err(|error| {
        let hint = format!("set {} to a level such as `debug`, or leave it out", variables::OPENOXIDE_LOG);
        CommandError::failed(error.to_string()).hint(hint)
    })
}

/// Returns the form of the log where a client has standard output: people read it in the client's own log.
pub(crate) fn stdio_log_format(ui: &Ui) -> LogFormat {
    if ui.is_quiet() { LogFormat::Off } else { LogFormat::Text }
}

/// Returns the place that the command line means. What was typed wrong is an error, and what is wrong with settings is
/// said once, before anybody waits for an answer.
pub(crate) fn open_place(ui: &Ui, common: &Common) -> anyhow::Result<Place> {
    let session = Session::open(ui, common)?;
    session.warn(ui);
    // Folders are meant as every other command means them: seen from the one to act in.
    let folder = session.workspace.environment.cwd.clone();
    Ok(Place {
        host: common.host.clone(),
        agent: common.agent.clone(),
        added: common.add_dir.iter().map(|added| folder.join(added)).collect(),
        config: common.config.clone(),
        folder,
        ..Place::default()
    })
}

/// Returns how to serve; what a person should know is said on standard error.
pub(crate) fn engine_options(ui: &Ui) -> EngineOptions {
    let ui = ui.clone();
    let tell = move |why: &str| {
        ui.warn(&format!("folders are looked at again and again, because they cannot be watched: {why}"));
    };
    EngineOptions { tell: Some(Arc::new(tell)), ..EngineOptions::default() }
}
