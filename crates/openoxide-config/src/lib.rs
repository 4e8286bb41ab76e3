//! Layers of settings with their origin, OpenOxide's and the hosts' own, and the views that they lead to.
//!
//! [`Environment`] is the process's surroundings as values. [`Config`] is the layers of `config.toml`. [`Trust`] is what
//! the user has approved. [`Workspace`] joins them: it finds the project, reads each host's own files, and makes the
//! views that the core works on.

mod environment;

mod document;
mod entry;
mod files;
mod suggestion;
mod write_dir;

mod mcp;
mod models;
mod secret_file;
mod settings;
mod token;
mod trust;

mod host_installation;
mod host_settings;
mod switch_text;
mod system_skills;
mod workspace;

pub use entry::{is_loopback_url, keeps_secrets};
pub use environment::{Environment, variables};
pub use files::replace as replace_file;
pub use host_installation::{HostInstallation, detect_host};
pub use mcp::add::{AddServerOutcome, add_mcp_server, validate_mcp_server};
pub use mcp::{ConfiguredServer, McpServer, McpTransport};
pub use models::{ConfiguredModel, ModelApi, ModelSettings};
pub use secret_file::{SecretFileError, SecretPlace, read_secret};
pub use settings::config::Config;
pub use settings::edit::error::EditError;
pub use settings::edit::remove_from_list;
pub use settings::key::{ConfigKey, ProjectAccess, ValueKind};
pub use settings::key_table::CONFIG_KEYS;
pub use settings::layer::{ConfigProblem, Layer, LayerKind, SettingsOwner};
pub use settings::permission_rules::AgentSettings;
pub use settings::policy::{AllowedTools, PermissionPolicy, SandboxSettings};
pub use settings::schema::config_schema;
pub use system_skills::{UnpackError, unpack_system_skills};
pub use token::TokenSource;
pub use trust::error::TrustError;
pub use trust::record::{Grant, PermissionKind, RememberedAnswer, Timestamp, TrustEntry, TrustRecord, TrustedRemote};
pub use trust::{ApprovalState, Trust};
pub use workspace::error::WorkspaceError;
pub use workspace::freshness::SettingsStamps;
pub use workspace::my_agents::{MyAgents, MyAgentsOrigin};
pub use workspace::project_root::{find_project, find_repository, is_repository};
pub use workspace::set::{SettingChange, SettingError, SettingOutcome};
pub use workspace::skill_selector::SkillSelector;
pub use workspace::switch::{SwitchOutcome, SwitchPlan, SwitchRequest, SwitchTrial};
pub use workspace::views::DetectedHost;
pub use workspace::watch_paths::WatchPaths;
pub use workspace::{OWN_HOST, Place, Workspace};
pub use write_dir::WriteDir;
