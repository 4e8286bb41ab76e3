//! `schema`: JSON Schemas of every file and answer.

use crate::error::CommandError;
use crate::ui::{ExitStatus, Ui, safe};

/// Print the JSON Schema of a file or an answer
///
/// Without a name, lists the names: those that end in `.toml` are files, `openapi` describes what `serve` answers, the others are
/// what a command answers with --json.
#[derive(Debug, clap::Args)]
pub(crate) struct SchemaArgs {
    /// Which schema
    name: Option<String>,
}

pub(crate) fn schema(ui: &Ui, args: &SchemaArgs) -> anyhow::Result<ExitStatus> {
    let mut schemas = openoxide_app::schema::schemas();
    schemas.push(("openapi", openoxide_server::openapi()));
    schemas.sort_by_key(|(name, _)| *name);
    let names = || schemas.iter().map(|(name, _)| *name).collect::<Vec<_>>();
    let Some(wanted) = &args.name else {
        ui.data(&(names().join("\n") + "\n"))?;
        return Ok(ExitStatus::Done);
    };
    let Some((_, schema)) = schemas.iter().find(|(name, _)| name == wanted) else {
        let hint = format!("there are `{}`", names().join("`, `"));
        return Err(CommandError::failed(format!("there is no schema `{}`", safe(wanted))).hint(hint).into());
    };
    ui.json(schema)?;
    Ok(ExitStatus::Done)
}
