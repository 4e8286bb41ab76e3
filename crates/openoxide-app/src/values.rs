//! The values of lower layers that a face needs to draw answers, under one name each.

pub use openoxide_config::{
    ConfigProblem, SettingOutcome, SettingsOwner, SkillSelector, SwitchError, SwitchOutcome, SwitchRequest, TrustError,
    Workspace, WorkspaceError,
};
pub use openoxide_skills::{
    Catalog, Code, Entry, HostError, Level, RenderError, SkillFinding, Status, TerminalText, View, is_deceptive, near,
};
