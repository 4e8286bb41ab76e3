//! The values of lower layers that a face needs to draw answers, under one name each.

pub use openoxide_config::{
    ConfigProblem, SettingOutcome, SettingsOwner, SkillSelector, SwitchError, SwitchOutcome, SwitchRequest, TrustError,
    Workspace, WorkspaceError,
};
pub use openoxide_skills::catalog::{Catalog, Entry, Status, View};
pub use openoxide_skills::diagnostic::{Code, Level};
pub use openoxide_skills::host::HostError;
pub use openoxide_skills::judge::SkillFinding;
pub use openoxide_skills::text::{RenderError, TerminalText, is_deceptive, near};
