//! JSON Schemas of every answer.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{
    ActivateAnswer, ChangeAnswer, CheckAnswer, ConfigAnswer, ExplainAnswer, HostsAnswer, ListAnswer, MentionsAnswer,
    OverviewAnswer, PromptAnswer, ReadAnswer, RemoteAnswer, RootsAnswer, RunAnswer, ShowAnswer, TrustAnswer, TurnInput,
};

/// Returns the schema of each command's `--json`, by the command's name; `change` is that of all that change something,
/// and `turn` that of what a front end hands in.
pub fn answer_schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("activate", schema::<ActivateAnswer>()),
        ("change", schema::<ChangeAnswer>()),
        ("check", schema::<CheckAnswer>()),
        ("config", schema::<ConfigAnswer>()),
        ("explain", schema::<ExplainAnswer>()),
        ("hosts", schema::<HostsAnswer>()),
        ("list", schema::<ListAnswer>()),
        ("mentions", schema::<MentionsAnswer>()),
        ("overview", schema::<OverviewAnswer>()),
        ("prompt", schema::<PromptAnswer>()),
        ("read", schema::<ReadAnswer>()),
        ("remote", schema::<RemoteAnswer>()),
        ("roots", schema::<RootsAnswer>()),
        ("run", schema::<RunAnswer>()),
        ("show", schema::<ShowAnswer>()),
        ("trust", schema::<TrustAnswer>()),
        ("turn", schema::<TurnInput>()),
    ]
}

/// Returns the schema of what is written, where fields without a value are left out.
fn schema<T: JsonSchema>() -> Value {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>().into()
}
