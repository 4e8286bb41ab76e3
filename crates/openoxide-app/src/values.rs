//! The values of lower layers that a face needs to draw answers, under one name each.

pub use openoxide_config::{
    ConfigProblem, Environment, PermissionKind, SettingOutcome, SettingsOwner, SkillSelector, SwitchError,
    SwitchOutcome, SwitchRequest, TrustRecord, Workspace, WorkspaceError, variables,
};
pub use openoxide_live::{Place, PlaceSettings, Snapshot};
pub use openoxide_sandbox::helper as sandbox_helper;
pub use openoxide_skills::{
    Caller, Catalog, Code, CommandPlace, Depth, DetailLevel, Entry, HostError, IgnoredReason, Level, MentionRules,
    Prompt, RenderError, Selection, SkillFinding, Status, TerminalText, Turn, View, is_deceptive, near, path_text,
};
