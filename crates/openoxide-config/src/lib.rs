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
pub use found::{Found, find_host};
pub use keys::{InProject, KEYS, Key, KeyKind, Strict, config_schema};
pub use layers::{Config, ConfigProblem, Layer, LayerKind};
pub use mcp::{
    AddedServer, ConfiguredServer, McpServer, McpTransport, TokenSource, add_mcp_server, check_mcp_server,
    is_this_machine,
};
pub use permission::Agent;
pub use policy::{AllowedTools, PermissionPolicy, SandboxSettings};
pub use project::find_project;
pub use set::{SettingChange, SettingError, SettingOutcome};
pub use sources::Sources;
pub use switch::{SettingsOwner, SkillSelector, SwitchError, SwitchOutcome, SwitchRequest};
pub use system::{Unpacked, embedded_skills, unpack_system_skills};
pub use trust::{
    ApprovalState, Grant, PermissionKind, RememberedAnswer, Timestamp, Trust, TrustEntry, TrustError, TrustRecord,
    TrustedFolder, TrustedRemote, TrustedSource,
};
pub use workspace::{FoundHost, Options, Workspace, WorkspaceError};
