//! Finds the installed real programs and their versions.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use openoxide_skills::host::{HostSpec, Hosts};
use serde_json::Value;

/// A host whose real program can be run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Peer {
    Codex,
    ClaudeCode,
    Omp,
    OpenCode,
}

/// One installed version of a real program.
#[derive(Debug, Clone)]
pub(super) struct Program {
    pub(super) peer: Peer,
    /// What is run.
    pub(super) file: PathBuf,
    /// The folder of its package.
    pub(super) package: PathBuf,
    pub(super) version: String,
}

/// A host in one edition, as it is asked of `openoxide` and compared with.
#[derive(Debug, Clone)]
pub(super) struct Rules {
    pub(super) peer: Peer,
    /// `HOST` or `HOST@EDITION`.
    pub(super) id: String,
    /// The program that they were measured on, as `HOST VERSION`.
    pub(super) measured_on: String,
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

    /// Returns the folder below that of all programs which it is installed into.
    pub(super) fn folder(self) -> &'static str {
        match self {
            Self::Codex => "codex",
            Self::ClaudeCode => "claude",
            Self::Omp => "omp18",
            Self::OpenCode => "opencode",
        }
    }

    /// Returns the package that npm is asked for.
    pub(super) fn npm(self) -> &'static str {
        match self {
            Self::Codex => "@openai/codex",
            Self::ClaudeCode => "@anthropic-ai/claude-code",
            Self::Omp => "@oh-my-pi/pi-coding-agent",
            Self::OpenCode => "opencode-ai",
        }
    }

    /// Returns the package with what is run, which the one that npm is asked for depends on.
    fn built(self) -> &'static str {
        match self {
            Self::Codex => "@openai/codex-linux-x64",
            Self::ClaudeCode => "@anthropic-ai/claude-code-linux-x64",
            Self::Omp => self.npm(),
            Self::OpenCode => "opencode-linux-x64",
        }
    }

    /// Returns the rules of every edition that states the versions it is for, the default edition first.
    pub(super) fn editions(self) -> Result<Vec<Rules>> {
        let hosts = Hosts::builtin();
        let default = hosts.get(self.host())?;
        let others = default.editions().map(|edition| hosts.get(&format!("{}@{edition}", self.host())));
        let specs = std::iter::once(Ok(default.clone())).chain(others).collect::<Result<Vec<_>, _>>()?;
        let rules = specs.iter().map(|spec| Ok((spec.host()?.versions.is_some(), Rules::of(self, spec)?)));
        let rules = rules.collect::<Result<Vec<_>>>()?.into_iter();
        Ok(rules.filter_map(|(has_versions, rules)| has_versions.then_some(rules)).collect())
    }
}

impl Rules {
    fn of(peer: Peer, spec: &HostSpec) -> Result<Self> {
        Ok(Self { peer, id: spec.id(), measured_on: spec.host()?.program })
    }

    /// Finds `HOST` or `HOST@EDITION` among the hosts whose real program can be run.
    pub(super) fn named(id: &str) -> Result<Self> {
        let host = id.split('@').next().unwrap_or(id);
        let peer = Peer::of(host).with_context(|| format!("no real program is known for the host `{host}`"))?;
        Self::of(peer, &Hosts::builtin().get(id)?)
    }

    /// Finds the rules for a version: those of the edition that states it, else the default ones.
    pub(super) fn for_version(peer: Peer, version: &str) -> Result<Self> {
        let default = Hosts::builtin().get(peer.host())?;
        Self::of(peer, &default.for_version(version).unwrap_or(default))
    }

    /// Returns the installed program that the rules were measured on.
    pub(super) fn program(&self) -> Option<Program> {
        let installed = folders().into_iter().filter_map(|folder| Program::below(self.peer, &folder));
        installed.into_iter().find(|program| program.label() == self.measured_on)
    }
}

impl Program {
    /// Finds a program in a folder of programs.
    pub(super) fn below(peer: Peer, folder: &Path) -> Option<Self> {
        let package = folder.join(peer.folder()).join("node_modules").join(peer.built());
        let file = match peer {
            Peer::Codex => package.join("vendor/x86_64-unknown-linux-musl/bin/codex"),
            Peer::ClaudeCode => package.join("claude"),
            Peer::OpenCode => package.join("bin/opencode"),
            // It is a set of modules, which `bun` runs.
            Peer::Omp => bun(folder)?,
        };
        let text = fs_err::read_to_string(package.join("package.json")).ok()?;
        let stated: Value = serde_json::from_str(&text).ok()?;
        // Codex publishes its builds as `VERSION-PLATFORM`.
        let version = stated["version"].as_str()?.trim_end_matches("-linux-x64").to_owned();
        file.is_file().then_some(Self { peer, file, package, version })
    }

    /// Returns the host's name and the program's version, as recordings name it.
    pub(super) fn label(&self) -> String {
        format!("{} {}", self.peer.host(), self.version)
    }
}

/// Finds `bun`: in a folder of programs, or in another one.
fn bun(folder: &Path) -> Option<PathBuf> {
    let places = std::iter::once(folder.to_owned()).chain(folders());
    places.map(|folder| folder.join("bun/node_modules/bun/bin/bun.exe")).find(|file| file.is_file())
}

/// Finds a file of some installed version of a program's package.
pub(super) fn file_of(peer: Peer, path: &str) -> Option<PathBuf> {
    let packages = folders().into_iter().filter_map(|folder| Program::below(peer, &folder));
    packages.map(|program| program.package.join(path)).find(|path| path.exists())
}

/// Returns the folders with programs: those in `$PEERS`, else those in the user's cache; then what `drift` installed.
fn folders() -> Vec<PathBuf> {
    let named = std::env::var_os("PEERS").map(|list| std::env::split_paths(&list).collect::<Vec<_>>());
    let mut folders = named.unwrap_or_else(|| {
        let cache = std::env::var_os("HOME").map(|home| Path::new(&home).join(".cache"));
        cache.map(|cache| children(&cache, "openoxide-peers")).unwrap_or_default()
    });
    folders.extend(children(&drift_folder(), ""));
    folders
}

/// Returns the folder that `drift` installs programs into, each version into a folder of its own.
pub(super) fn drift_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("peers")
}

fn children(dir: &Path, prefix: &str) -> Vec<PathBuf> {
    let entries = fs_err::read_dir(dir).into_iter().flatten().filter_map(Result::ok);
    let named = entries.filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix));
    let mut folders: Vec<PathBuf> = named.map(|entry| entry.path()).collect();
    folders.sort();
    folders
}
