//! The JSON that others build on: types of every answer, and the conversions to them.
//!
//! Fields that have no value are left out; readers must pass over fields they do not know. Every answer says which
//! version of the format it has.

mod activate;
mod change;
mod check;
mod config;
mod explain;
mod hosts;
mod list;
mod mentions;
mod overview;
mod problem;
mod prompt;
mod question;
mod read;
mod remote;
mod roots;
mod run;
mod schemas;
mod skill;
mod trust;
mod who;

pub use activate::{
    ActivateAnswer, ActivatedLine, ForkLine, MessageLine, NoticeLine, ReattachedLine, RecordedLine, RefusedLine,
};
pub use change::{ChangeAnswer, ChangeLine, SettingAnswer, SwitchAnswer};
pub use check::{CheckAnswer, Checked};
pub use config::{ConfigAnswer, ConfigValue};
pub use explain::{ExplainAnswer, HostOutcome};
pub use hosts::{HostLine, HostsAnswer, MatrixRow};
pub use list::{Limit, ListAnswer};
pub use mentions::{IgnoredLine, MentionsAnswer, SelectedLine, TurnInput, TurnInputItem};
pub use overview::{AgentLine, MendLine, OverviewAnswer};
pub use problem::{FixLine, ProblemLine};
pub use prompt::{PreloadedLine, PromptAnswer, ShownLine};
pub use question::{PowerLine, QuestionLine};
pub use read::{ItemLine, NotReadLine, ReadAnswer};
pub use remote::{RemoteAnswer, RemoteFileLine, RemoteLine, RemoteProblemLine};
pub use roots::{IsolationLine, MissingLine, RootLine, RootsAnswer, SettingLine};
pub use run::{RanLine, RunAnswer};
pub use schemas::answer_schemas;
pub use skill::{DependencyLine, InterfaceLine, OtherLine, PolicyLine, ShowAnswer, SkillDetail, SkillLine, Tokens};
pub use trust::{AnswerLine, FolderLine, GrantLine, RemoteGrantLine, SourceLine, TrustAnswer, WrittenLine};
pub use who::Who;

use schemars::JsonSchema;
use serde::Serialize;

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SchemaVersion {
    /// Raised when a field changes its meaning or goes.
    pub version: u32,
}

impl Default for SchemaVersion {
    fn default() -> Self {
        SchemaVersion { version: 1 }
    }
}

pub(crate) fn text(path: &std::path::Path) -> String {
    openoxide_skills::path_text(path)
}
