//! Finds the installed conformance suite and runs its scenarios.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, ensure};
use serde_json::Value;

use crate::shell;

/// The suite, where it is installed.
pub(super) struct Suite {
    pub(super) node: PathBuf,
    pub(super) main: PathBuf,
    pub(super) version: String,
}

impl Suite {
    /// Finds the suite; says loudly if it is not there.
    pub(super) fn find() -> Result<Option<Suite>> {
        let named = std::env::var_os("PEERS").map(PathBuf::from);
        let cached = || Some(Path::new(&std::env::var_os("HOME")?).join(".cache/openoxide-peers"));
        let modules = named.or_else(cached).context("no home folder")?.join("mcp/node_modules");
        let package = modules.join("@modelcontextprotocol/conformance");
        let (node, main) = (modules.join("node/bin/node"), package.join("dist/index.js"));
        if !node.is_file() || !main.is_file() {
            shell::say(format!("SKIPPED: the conformance suite is not installed in {}", modules.display()));
            return Ok(None);
        }
        let about: Value = serde_json::from_str(&fs_err::read_to_string(package.join("package.json"))?)?;
        let version = about["version"].as_str().unwrap_or("?").to_owned();
        Ok(Some(Suite { node, main, version }))
    }

    /// Runs one scenario; returns what it checked. One that checked nothing has failed.
    pub(super) fn scenario(&self, kind: &str, scenario: &str, prepare: impl FnOnce(&mut Command)) -> Result<usize> {
        let results = tempfile::tempdir()?;
        let mut command = Command::new(&self.node);
        command.arg(&self.main).args([kind, "--scenario", scenario, "--output-dir"]).arg(results.path());
        prepare(&mut command);
        let output = command.output().context("the suite does not start")?;
        let checks = checks(results.path())?;
        let said = || format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        let bad = checks.iter().find(|check| !matches!(check["status"].as_str(), Some("SUCCESS" | "INFO")));
        ensure!(bad.is_none() && output.status.success(), "{scenario} failed:\n{}", said());
        let passed = checks.iter().filter(|check| check["status"] == "SUCCESS").count();
        ensure!(passed > 0, "{scenario} checked nothing:\n{}", said());
        Ok(passed)
    }
}

/// Reads what a scenario checked, wherever below its folder the suite wrote that.
pub(super) fn checks(folder: &Path) -> Result<Vec<Value>> {
    for entry in fs_err::read_dir(folder)? {
        let file = entry?.path().join("checks.json");
        if file.is_file() {
            return Ok(serde_json::from_str(&fs_err::read_to_string(file)?)?);
        }
    }
    Ok(Vec::new())
}
