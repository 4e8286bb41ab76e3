//! The settings that limit skills, as typed values: permissions and the sandbox.

use std::path::PathBuf;
use std::time::Duration;

use openoxide_permissions::ProfileMode;

use super::config::Config;

/// What a skill's `allowed-tools` means once the user has approved it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AllowedTools {
    /// The tools run without further questions.
    Preapprove,
    /// The tools run without further questions, and no others may be used.
    Limit,
}

/// The limits on what skills may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PermissionPolicy {
    /// Whether commands in their text may run at all.
    pub shell: bool,
    /// What their `allowed-tools` means.
    pub allowed_tools: AllowedTools,
    /// How the permissions that they ask for are handled.
    pub profiles: ProfileMode,
}

/// The limits on commands that skills run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SandboxSettings {
    /// Whether they may use the network.
    pub network: bool,
    /// Folders that they may write to.
    pub writable: Vec<PathBuf>,
    /// How long a script may run.
    pub time: Duration,
    /// The most bytes that a script may print.
    pub output: u64,
    /// How long a command in a skill's text may run.
    pub shell_time: Duration,
    /// The most bytes that a command in a skill's text may print.
    pub shell_output: u64,
    /// The most processes at once.
    pub processes: u64,
    /// The most bytes of memory.
    pub memory: u64,
    /// The most bytes of a file.
    pub file_size: u64,
}

impl Config {
    /// Returns the limits on what skills may do. A value that cannot be read means the strictest one.
    pub fn permission_policy(&self) -> PermissionPolicy {
        PermissionPolicy {
            shell: self.is_on("skills.shell"),
            allowed_tools: match self.text("skills.allowed_tools").as_deref() {
                Some("preapprove") => AllowedTools::Preapprove,
                _ => AllowedTools::Limit,
            },
            profiles: self
                .text("skills.profiles")
                .and_then(|word| ProfileMode::parse(&word))
                .unwrap_or(ProfileMode::Strict),
        }
    }

    /// Returns the limits on commands that skills run.
    pub fn sandbox(&self) -> SandboxSettings {
        let writable = self.texts("sandbox.writable");
        SandboxSettings {
            network: self.is_on("sandbox.network"),
            writable: writable.iter().filter_map(|text| self.absolute_path(text)).collect(),
            time: Duration::from_secs(self.number("sandbox.time")),
            output: self.number("sandbox.output"),
            shell_time: Duration::from_secs(self.number("sandbox.shell_time")),
            shell_output: self.number("sandbox.shell_output"),
            processes: self.number("sandbox.processes"),
            memory: self.number("sandbox.memory"),
            file_size: self.number("sandbox.file_size"),
        }
    }

    /// Returns the names of connectors.
    pub fn connectors(&self) -> Vec<String> {
        self.texts("connectors.names")
    }

    fn is_on(&self, key: &str) -> bool {
        self.get(key).and_then(|setting| setting.value.as_bool()).unwrap_or(false)
    }

    fn number(&self, key: &str) -> u64 {
        let number = self.get(key).and_then(|setting| setting.value.as_integer());
        number.and_then(|number| u64::try_from(number).ok()).unwrap_or(0)
    }

    fn texts(&self, key: &str) -> Vec<String> {
        let value = self.get(key).map(|setting| setting.value);
        let items = value.as_ref().and_then(toml::Value::as_array).into_iter().flatten();
        items.filter_map(toml::Value::as_str).map(str::to_owned).collect()
    }
}
