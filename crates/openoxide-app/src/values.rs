//! The values of lower layers that a face needs to draw answers, under one name each.

pub use openoxide_config::{
    ConfigProblem, Environment, MyAgents, MyAgentsOrigin, OWN_HOST, PermissionKind, SecretFileError, SecretPlace,
    SettingChange, SettingError, SettingOutcome, SettingsOwner, SkillSelector, SwitchOutcome, SwitchPlan,
    SwitchRequest, Timestamp, Workspace, WorkspaceError, read_secret, variables,
};
pub use openoxide_live::{Place, PlaceSettings, Snapshot};
pub use openoxide_mcp_client::LoginDriver;
pub use openoxide_runtime::{
    ActivationOutcome, Answer, Audience, Call, CallArguments, Choice, Fetch, FetchReply, Firing, ForkPlan, HookMessage,
    LoginReply, LoginStep, Notice, Question, ReadForm, ReadOutcome, ReadPart, ReadRefusal, ReadRefusalReason,
    ReadRequest, ReadTarget, Reading, Refusal, RefusalReason, RemoteName, RemoteOffer, Reply, RequestedPermission,
    Responder, Resumable, Run, ScriptCall, ScriptOutcome, Session, Step, drive,
};
pub use openoxide_sandbox::{Ended, Outcome, SandboxError, Stop, helper as sandbox_helper};
pub use openoxide_skills::catalog::{Catalog, Depth, Entry, LimitReached, Problem, Status};
pub use openoxide_skills::diagnostic::{Code, Level};
pub use openoxide_skills::host::{Caller, CommandPlace, HostError, MentionRules, ReadProblem, ToolDoes};
pub use openoxide_skills::judge::SkillFinding;
pub use openoxide_skills::ownership::{ForeignWriter, check_folders};
pub use openoxide_skills::resource::{
    FolderStamps, HELD_MAX, OpenFile, READ_MAX, Resource as SkillFile, ResourceAnswer, ResourceBytes, ResourceContent,
    ResourceFolder, shown_name,
};
pub use openoxide_skills::select::{IgnoredReason, Selection, Turn};
pub use openoxide_skills::skill::{SkillInterface, SkillScope, ToolDependency};
pub use openoxide_skills::text::{
    RenderError, TerminalText, deceptive_characters, fill, is_deceptive, near, path_text, visible, visible_line,
};
