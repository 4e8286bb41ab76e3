//! Finds the installed real programs and their versions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use serde_json::Value;

/// A host whose real program can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Codex,
    ClaudeCode,
    Omp,
    OpenCode,
}

impl Peer {
    /// Every peer, in the order of reports.
    pub(super) const ALL: [Self; 4] = [Self::Codex, Self::ClaudeCode, Self::OpenCode, Self::Omp];

    /// Returns the host's name.
    pub(super) fn host(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude-code",
            Self::Omp => "omp",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the peer of a host.
    pub(super) fn of(host: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|peer| peer.host() == host)
    }

    /// Returns the program's file if it is installed.
    pub(super) fn program(self) -> Option<PathBuf> {
        let path = match self {
            Self::Codex => self.package()?.join("vendor/x86_64-unknown-linux-musl/bin/codex"),
            Self::ClaudeCode => self.package()?.join("claude"),
            Self::OpenCode => self.package()?.join("bin/opencode"),
            // It is a set of modules, which `bun` runs.
            Self::Omp => peers_folder()?.join("bun/node_modules/bun/bin/bun.exe"),
        };
        (path.is_file() && self.package()?.is_dir()).then_some(path)
    }

    /// Returns the host's name and the program's version, as recordings name it.
    pub(super) fn version(self) -> Result<String> {
        let package = self.package().context("no home folder")?;
        let text = fs_err::read_to_string(package.join("package.json"))?;
        let package: Value = serde_json::from_str(&text)?;
        let version = package["version"].as_str().context("`package.json` has no version")?;
        // Codex publishes its builds as `VERSION-PLATFORM`.
        let version = version.split('-').next().unwrap_or(version);
        Ok(format!("{} {version}", self.host()))
    }

    /// Returns the folder of the program's package.
    pub(super) fn package(self) -> Option<PathBuf> {
        let folder = match self {
            Self::Codex => "codex/node_modules/@openai/codex-linux-x64",
            Self::ClaudeCode => "claude/node_modules/@anthropic-ai/claude-code-linux-x64",
            Self::Omp => "omp18/node_modules/@oh-my-pi/pi-coding-agent",
            Self::OpenCode => "opencode/node_modules/opencode-linux-x64",
        };
        Some(peers_folder()?.join(folder))
    }
}

/// Returns `$PEERS`, or the folder in the user's cache.
fn peers_folder() -> Option<PathBuf> {
    let named = std::env::var_os("PEERS").map(PathBuf::from);
    named.or_else(|| Some(Path::new(&std::env::var_os("HOME")?).join(".cache/openoxide-peers")))
}
