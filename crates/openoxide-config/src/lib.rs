//! Layers of settings with their origin, OpenOxide's and the hosts' own, and the way from them to a view.
//!
//! [`Environment`] is the process's surroundings as values. [`Config`] is the layers of `config.toml`. [`Workspace`]
//! joins them: it finds the project, reads each host's own files, and makes the views that the core works on.

mod document;
mod edit;
mod environment;
mod found;
mod host_files;
mod keys;
mod layers;
mod mcp;
mod permission;
mod plugins;
mod policy;
mod project;
mod set;
mod sources;
mod switch;
mod system;
mod trust;
mod workspace;

pub use edit::{EditError, SettingsFile, add_skill_rule, add_to_list, remove_from_list};
pub use environment::{Environment, variables};
pub use found::{HostInstallation, detect_host};
pub use keys::{CONFIG_KEYS, ConfigKey, ProjectAccess, StrictValue, ValueKind, config_schema};
pub use layers::{Config, ConfigProblem, Layer, LayerKind};
pub use mcp::{
    AddServerOutcome, ConfiguredServer, McpServer, McpTransport, TokenSource, add_mcp_server, is_loopback_url,
    validate_mcp_server,
};
pub use permission::AgentSettings;
pub use policy::{AllowedTools, PermissionPolicy, SandboxSettings};
pub use project::find_project;
pub use set::{SettingChange, SettingError, SettingOutcome};
pub use sources::WatchPaths;
pub use switch::{SettingsOwner, SkillSelector, SwitchError, SwitchOutcome, SwitchRequest};
pub use system::{UnpackOutcome, embedded_skills, unpack_system_skills};
pub use trust::{
    ApprovalState, Grant, PermissionKind, RememberedAnswer, Timestamp, Trust, TrustEntry, TrustError, TrustRecord,
    TrustedFolder, TrustedRemote, TrustedSource,
};
pub use workspace::{DetectedHost, Workspace, WorkspaceError, WorkspaceOptions};
