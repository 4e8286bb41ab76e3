//! What the commands that stay and serve have in common.

use std::{sync::Arc, time::Duration};

use clap::ValueEnum;
use openoxide_app::{Environment, Place, PlaceSettings, list, own_skills, variables};
use openoxide_server::mcp::{McpOptions, ToolNames};
use openoxide_server::{Engine, EngineOptions, Log, LogFormat, LogOptions};

use crate::error::CommandError;
use crate::session::{open, place};
use crate::ui::{Ui, safe};

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
pub(crate) fn start_log(ui: &Ui, format: LogFormat) -> Result<Log, CommandError> {
    let filter = std::env::var(variables::OPENOXIDE_LOG).ok().filter(|filter| !filter.is_empty());
    Log::install(&LogOptions { format, filter, verbose: ui.common.verbose }).map_err(|error| {
        let hint = format!("set {} to a level such as `debug`, or leave it out", variables::OPENOXIDE_LOG);
        CommandError::failed(error.to_string()).hint(hint)
    })
}

/// Serves the client that has standard input and output, until it is gone. People read the log in the client's own.
pub(crate) fn serve_client<F: Future>(ui: &Ui, serve: impl FnOnce(Engine) -> F) -> anyhow::Result<F::Output> {
    let log = start_log(ui, if ui.common.quiet { LogFormat::Off } else { LogFormat::Text })?;
    let engine = Engine::new(Environment::from_process(), open_served_place(ui)?, engine_options(ui));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let served = runtime.block_on(serve(engine.clone()));
    // What was done is written down before the process ends.
    engine.close();
    log.flush(LAST);
    // What still runs for a skill belongs to a client that is gone; it ends with this process.
    runtime.shutdown_background();
    Ok(served)
}

/// Returns the place that the command line means. What was typed wrong is an error, and what is wrong with settings is
/// said once, before anyone waits for an answer.
pub(crate) fn open_place(ui: &Ui) -> anyhow::Result<Place> {
    Ok(place_of(ui, &open(ui)?))
}

/// Opens the place that is served. OpenOxide's own skills are written if its host looks for them: clients read their files.
pub(crate) fn open_served_place(ui: &Ui) -> anyhow::Result<Place> {
    let settings = open(ui)?;
    match own_skills::write(&settings) {
        Ok(written) => written.iter().for_each(|folder| ui.say(&own_skills::written_line(folder))),
        // Everything else is served all the same.
        Err(error) => {
            ui.warn(&safe(&error.to_string()));
            error.help().iter().for_each(|help| ui.hint(&safe(help)));
        }
    }
    Ok(place_of(ui, &settings))
}

fn place_of(ui: &Ui, settings: &PlaceSettings) -> Place {
    ui.warn_of_settings(&settings.workspace, &settings.problems);
    if list::is_fixed(&settings.view) {
        let host = &settings.view.host.title;
        ui.say(&format!(
            "{host} reads its skills when it starts, so the list stays as it is until this is started again"
        ));
    }
    // Folders are meant as every other command means them: seen from the one to act in.
    let folder = settings.workspace.environment.cwd.clone();
    let added = ui.common.add_dir.iter().map(|added| folder.join(added)).collect();
    // The project is fixed, so that nobody widens it by what they put above it, or puts a link to another one in its place.
    let project = Some(settings.workspace.project.clone());
    Place { folder, project, added, touched: Vec::new(), ..place(&ui.common) }
}

/// Returns how to serve; what a person should know is said on standard error.
pub(crate) fn engine_options(ui: &Ui) -> EngineOptions {
    let ui = ui.clone();
    let tell = move |why: &str| {
        ui.warn(&format!("folders are looked at again and again, because they cannot be watched: {why}"));
    };
    EngineOptions { tell: Some(Arc::new(tell)), ..EngineOptions::default() }
}

/// Says why there is no access token, and what to do.
pub(crate) fn token_failed(why: &str) -> CommandError {
    CommandError::failed(why.to_owned())
        .hint("make the file yours alone (`chmod 600`, in a folder with `chmod 700`), or remove it: a new one is made")
}
