//! `models`: the models of the settings, servers of models on this machine, and a trial of one.

use std::fmt::Write as _;

use openoxide_app::{models as app, paths, problems};
use openoxide_wire::{ModelKeyLine, ModelLine, ModelServerLine, ModelsAnswer, TriedLine};

use crate::error::CommandError;
use crate::session::{open_workspace, warn_of};
use crate::table::{pad, widest};
use crate::ui::{ExitStatus, Role, Ui, count, grouped, paint, safe};

/// Show your models and servers of models, and try one
///
/// Models stand in your config.toml, as `[models.NAME]`; a project's file cannot name any. Servers are looked for at the usual
/// ports of Ollama, llama.cpp, LM Studio and vLLM, on this machine only, and get no key.
#[derive(Debug, clap::Args)]
pub(crate) struct ModelsArgs {
    /// Show only this model
    #[arg(value_name = "MODEL")]
    model: Option<String>,
    /// Send this model one short request, and show its answer
    #[arg(long = "try", value_name = "MODEL", conflicts_with = "model")]
    tried: Option<String>,
}

pub(crate) fn models(ui: &Ui, args: &ModelsArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    warn_of(ui, &workspace, problems::of_settings(&workspace));
    let mut answer = match (&args.tried, &args.model) {
        (Some(name), _) => app::try_model(&workspace, name)?,
        (None, Some(name)) => app::model(&workspace, name)?,
        (None, None) => app::models(&workspace)?,
    };
    for model in &mut answer.models {
        model.origin = paths::abbreviate_home(&workspace, &model.origin);
    }
    if let Some(tried) = &answer.tried {
        return show_trial(ui, &answer, tried);
    }
    if ui.common.json {
        return ui.json(&answer);
    }
    match args.model {
        Some(_) => ui.data(&answer.models.iter().map(details).collect::<String>())?,
        None => show_list(ui, &answer)?,
    }
    Ok(ExitStatus::Done)
}

fn show_list(ui: &Ui, answer: &ModelsAnswer) -> anyhow::Result<()> {
    ui.data(&table(&answer.models))?;
    answer.servers.iter().for_each(|server| say_server(ui, server));
    match (answer.models.is_empty(), answer.servers.is_empty()) {
        (true, true) => {
            ui.say("no model is in your settings, and no server of models answers on this machine");
            ui.say("start one, or name one elsewhere, and add lines like these to your config.toml:");
            say_lines(ui, app::EXAMPLE);
        }
        (true, false) => ui.say("no model is in your settings yet"),
        (false, _) => {
            let default =
                if answer.models.iter().any(|model| model.default) { "* is the default" } else { "no default" };
            ui.say(&format!("{}; {default}", count(answer.models.len(), "model")));
        }
    }
    Ok(())
}

fn say_server(ui: &Ui, server: &ModelServerLine) {
    let models = count(server.models.len(), "model");
    ui.say(&format!("{} answers at {} with {models}; to use it, add to your config.toml:", server.program, server.url));
    say_lines(ui, &server.config);
    if let [_, others @ ..] = server.models.as_slice()
        && !others.is_empty()
    {
        let names: Vec<String> = others.iter().map(|name| safe(name)).collect();
        ui.say(&format!("other models there: {}", names.join(", ")));
    }
}

fn say_lines(ui: &Ui, lines: &str) {
    lines.lines().for_each(|line| ui.say(&format!("  {}", safe(line))));
}

fn table(models: &[ModelLine]) -> String {
    let rows: Vec<[String; 5]> = models.iter().map(row).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads = ["  name", "api", "model", "url", "key"].map(str::to_owned);
    let all: Vec<&[String; 5]> = std::iter::once(&heads).chain(&rows).collect();
    let widths: Vec<usize> = (0..4).map(|at| widest(all.iter().map(|row| row[at].as_str()), 60)).collect();
    let mut text = String::new();
    for row in all {
        let cells: Vec<String> = widths.iter().zip(row).map(|(width, cell)| pad(cell, *width)).collect();
        let _ = writeln!(text, "{}  {}", cells.join("  "), row[4]);
    }
    text
}

fn row(model: &ModelLine) -> [String; 5] {
    let mark = if model.default { "*" } else { " " };
    let key = model.key.as_ref().map_or_else(|| "none".to_owned(), |key| shown_key(key, false));
    [format!("{mark} {}", model.name), model.api.clone(), safe(&model.model), safe(&model.url), key]
}

/// Writes where a key is, and whether it is there.
fn shown_key(key: &ModelKeyLine, with_reason: bool) -> String {
    let place = key.variable.as_ref().or(key.file.as_ref()).map(|place| safe(place)).unwrap_or_default();
    match &key.problem {
        None => place,
        Some(why) if with_reason => paint(Role::Warning, &safe(why)),
        Some(_) if key.variable.is_some() => format!("{place}: {}", paint(Role::Warning, "not set")),
        Some(_) => format!("{place}: {}", paint(Role::Warning, "cannot be used")),
    }
}

fn details(model: &ModelLine) -> String {
    let mut text = format!("{}\n", paint(Role::Strong, &model.name));
    let mut row = |name: &str, value: &str| {
        let _ = writeln!(text, "  {}  {value}", paint(Role::Dim, &pad(name, 7)));
    };
    row("api", &model.api);
    row("model", &safe(&model.model));
    row("url", &safe(&model.url));
    row("key", &model.key.as_ref().map_or_else(|| "none".to_owned(), |key| shown_key(key, true)));
    row(
        "context",
        &model.context.map_or_else(|| "not known".to_owned(), |tokens| format!("{} tokens", grouped(tokens))),
    );
    row("default", if model.default { "yes" } else { "no" });
    row("set in", &safe(&model.origin));
    text
}

/// Shows what a model answered. That it has no answer is a no.
fn show_trial(ui: &Ui, answer: &ModelsAnswer, tried: &TriedLine) -> anyhow::Result<ExitStatus> {
    let status = if tried.error.is_some() { ExitStatus::No } else { ExitStatus::Done };
    if ui.common.json {
        ui.json(answer)?;
        return Ok(status);
    }
    if let Some(error) = &tried.error {
        let told = CommandError::no(safe(&error.text));
        return Err(error.help.iter().fold(told, |told, help| told.hint(safe(help))).into());
    }
    ui.message(tried.answer.as_deref().unwrap_or_default())?;
    let tokens = match (tried.input_tokens, tried.output_tokens) {
        (Some(input), Some(output)) => format!("{} tokens read, {} written", grouped(input), grouped(output)),
        _ => "the server does not say how many tokens".to_owned(),
    };
    ui.say(&format!("{} answered in {}; {tokens}", tried.name, seconds(tried.milliseconds)));
    Ok(status)
}

fn seconds(milliseconds: u64) -> String {
    match milliseconds {
        0..1000 => format!("{milliseconds} ms"),
        _ => format!("{}.{} s", milliseconds / 1000, milliseconds % 1000 / 100),
    }
}
