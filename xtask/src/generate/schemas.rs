//! Generates `schemas/`: the JSON Schema of every file and answer.

use std::path::Path;
use std::process::Command;

use anyhow::{Context as _, Result};
use serde_json::Value;

use super::Page;
use crate::shell;

/// The folder of the schemas, in the repository.
pub(super) const FOLDER: &str = "schemas";

/// Returns a page for each schema.
pub(super) fn pages(binary: &Path) -> Result<Vec<Page>> {
    let names = shell::answer(Command::new(binary).arg("schema"))?;
    let mut names: Vec<&str> = names.lines().collect();
    names.dedup();
    names.into_iter().map(|name| Ok(Page::new(format!("{FOLDER}/{name}.json"), text(binary, name)?))).collect()
}

/// Returns one schema.
pub(super) fn schema(binary: &Path, name: &str) -> Result<Value> {
    serde_json::from_str(&text(binary, name)?).with_context(|| format!("the schema `{name}` is not JSON"))
}

fn text(binary: &Path, name: &str) -> Result<String> {
    shell::answer(Command::new(binary).args(["schema", name]))
}
