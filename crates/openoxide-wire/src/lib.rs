//! The JSON that clients build on: the type of every answer, and conversions from the core's types.
//!
//! Fields without a value are left out, and readers must ignore fields that they do not know. Every answer has the
//! version of its format. Where a Rust name is newer than the JSON, `rename` keeps the JSON as it is. The comments on
//! types and fields are the descriptions in the published schemas.

// Every answer derives these; its module imports them from here.
use schemars::JsonSchema;
use serde::Serialize;

mod activate;
mod agents_list;
mod catalog_use;
mod change;
mod check;
mod config;
mod explain;
mod hosts;
mod list;
mod mentions;
mod models;
mod overview;
mod problem;
mod prompt;
mod question;
mod read;
mod reload;
mod remote;
mod roots;
mod run;
mod schema_version;
mod schemas;
mod search;
mod skill;
mod trust;

pub use activate::{
    ActivateAnswer, ActivatedLine, ForkLine, MessageLine, NoticeLine, ReattachedLine, RecordedLine, RefusedLine,
};
pub use agents_list::{AgentsListAnswer, AgentsOtherLine, AgentsSkillLine, AnyListAnswer};
pub use catalog_use::{CatalogUse, WindowLine};
pub use change::{ChangeAnswer, ChangeLine, SettingAnswer, SwitchAnswer};
pub use check::{CheckAnswer, CheckedLine};
pub use config::{ConfigAnswer, ConfigValue};
pub use explain::{ExplainAnswer, ExplainedFileLine, HostFileLine, HostOutcome};
pub use hosts::{HostLine, HostsAnswer, InstalledLine, MatrixRow};
pub use list::{LimitLine, ListAnswer};
pub use mentions::{ArgumentsInput, CallerInput, IgnoredLine, MentionsAnswer, SelectedLine, TurnInput, TurnInputItem};
pub use models::{ModelErrorLine, ModelKeyLine, ModelLine, ModelServerLine, ModelsAnswer, TriedLine};
pub use overview::{AgentLine, OverviewAnswer, SuggestionLine};
pub use problem::{FixLine, ProblemLine};
pub use prompt::{PreloadedLine, PromptAnswer, ShownLine};
pub use question::{PermissionLine, QuestionLine};
pub use read::{ItemLine, NotReadLine, ReadAnswer};
pub use reload::ReloadAnswer;
pub use remote::{RemoteAnswer, RemoteFileLine, RemoteLine, RemoteProblemLine, RemotesAnswer};
pub use roots::{IsolationLine, MissingLine, RootLine, RootsAnswer, SettingLine};
pub use run::{FileChangeLine, RanLine, RunAnswer};
pub use schema_version::SchemaVersion;
pub use schemas::answer_schemas;
pub use search::{AgentsHitLine, AgentsSearchAnswer, AnySearchAnswer, HitLine, SearchAnswer};
pub use skill::{
    DependencyLine, InterfaceLine, OtherLine, PolicyLine, ShowAnswer, SkillDetail, SkillFacts, SkillLine, Tokens,
};
pub use trust::{AnswerLine, FolderLine, GrantLine, RemoteGrantLine, SourceLine, TrustAnswer, WrittenLine};
