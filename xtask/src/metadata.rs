//! Reads `cargo metadata`: the target folder and the packages.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use anyhow::{Context as _, Result};
use serde_json::Value;

use crate::shell;

/// A package: one of ours, or one that ours use.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Package {
    pub(crate) name: String,
    pub(crate) version: String,
    /// The sentence in its `Cargo.toml`; empty if there is none.
    pub(crate) description: String,
    pub(crate) license: String,
    /// The folder of its `Cargo.toml`.
    pub(crate) folder: PathBuf,
}

/// Returns the folder that builds go to.
pub(crate) fn target() -> Result<PathBuf> {
    let metadata = metadata(&["--no-deps"])?;
    Ok(text(&metadata["target_directory"]).into())
}

/// Returns the packages of the workspace, by name.
pub(crate) fn workspace() -> Result<Vec<Package>> {
    let mut packages: Vec<Package> = packages(&metadata(&["--no-deps"])?).into_values().collect();
    packages.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(packages)
}

/// Returns the packages of others whose code is in the binary built for `triple`, by name and version.
pub(crate) fn linked(triple: &str) -> Result<Vec<Package>> {
    let metadata = metadata(&["--filter-platform", triple])?;
    let packages = packages(&metadata);
    let edges = normal_edges(&metadata);
    let start = packages.iter().find(|(_, package)| package.name == "openoxide-cli").map(|(id, _)| id.clone());
    let mut waiting = vec![start.context("the workspace has no package `openoxide-cli`")?];
    let mut seen = BTreeSet::new();
    while let Some(id) = waiting.pop() {
        if seen.insert(id.clone()) {
            waiting.extend(edges.get(&id).into_iter().flatten().cloned());
        }
    }
    let others = packages.into_iter().filter(|(id, _)| seen.contains(id) && id.starts_with("registry+"));
    let mut others: Vec<Package> = others.map(|(_, package)| package).collect();
    others.sort_by(|a, b| (&a.name, &a.version).cmp(&(&b.name, &b.version)));
    Ok(others)
}

fn metadata(args: &[&str]) -> Result<Value> {
    let output = shell::answer(shell::cargo(&["metadata", "--format-version", "1", "--locked"]).args(args))?;
    serde_json::from_str(&output).context("`cargo metadata` printed what is not JSON")
}

fn packages(metadata: &Value) -> BTreeMap<String, Package> {
    let package = |value: &Value| {
        let manifest = PathBuf::from(text(&value["manifest_path"]));
        let package = Package {
            name: text(&value["name"]),
            version: text(&value["version"]),
            description: text(&value["description"]),
            license: text(&value["license"]),
            folder: manifest.parent().map(PathBuf::from).unwrap_or_default(),
        };
        (text(&value["id"]), package)
    };
    list(&metadata["packages"]).iter().map(package).collect()
}

/// Returns, for each package, those it uses in a normal build.
fn normal_edges(metadata: &Value) -> BTreeMap<String, Vec<String>> {
    let is_normal = |dep: &&Value| list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null());
    let used = |node: &Value| list(&node["deps"]).iter().filter(is_normal).map(|dep| text(&dep["pkg"])).collect();
    list(&metadata["resolve"]["nodes"]).iter().map(|node| (text(&node["id"]), used(node))).collect()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}
