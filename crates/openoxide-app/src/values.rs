//! The values of lower layers that a face needs to draw answers, under one name each.

pub use openoxide_config::{
    ConfigProblem, Environment, PermissionKind, SettingChange, SettingOutcome, SettingsOwner, SkillSelector,
    SwitchError, SwitchOutcome, SwitchRequest, TrustRecord, Workspace, WorkspaceError, variables,
};
pub use openoxide_live::{Place, PlaceSettings, Snapshot};
pub use openoxide_runtime::{
    Answer, Audience, Call, CallArguments, Choice, Fetch, FetchReply, LoginReply, LoginStep, Notice, Online, Question,
    ReadForm, ReadPart, ReadRefusal, ReadRefusalReason, Record, RefusalReason, RemoteName, RequestedPermission,
    Responder, Run, ScriptOutcome, Session, drive,
};
pub use openoxide_sandbox::{Ended, Outcome, SandboxError, helper as sandbox_helper};
pub use openoxide_skills::catalog::{Catalog, Depth, Entry, Status, View};
pub use openoxide_skills::diagnostic::{Code, Level};
pub use openoxide_skills::host::{Caller, CommandPlace, HostError, MentionRules, ReadProblem};
pub use openoxide_skills::judge::SkillFinding;
pub use openoxide_skills::render::{DetailLevel, Prompt};
pub use openoxide_skills::select::{IgnoredReason, Selection, Turn};
pub use openoxide_skills::skill::{SkillInterface, SkillScope, ToolDependency};
pub use openoxide_skills::text::{RenderError, TerminalText, is_deceptive, near, path_text};
