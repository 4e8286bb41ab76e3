//! The JSON Schema of every answer.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::Value;

use crate::{
    ActivateAnswer, AnyListAnswer, AnySearchAnswer, ChangeAnswer, CheckAnswer, ConfigAnswer, ExplainAnswer,
    HostsAnswer, MentionsAnswer, ModelsAnswer, OverviewAnswer, PromptAnswer, ReadAnswer, RemoteAnswer, RootsAnswer,
    RunAnswer, ShowAnswer, TrustAnswer, TurnInput,
};

/// Returns the schema of each command's `--json` by the command's name. `change` is shared by all commands that change
/// something; `turn` is what a client sends.
pub fn answer_schemas() -> Vec<(&'static str, Value)> {
    vec![
        ("activate", schema::<ActivateAnswer>()),
        ("change", schema::<ChangeAnswer>()),
        ("check", schema::<CheckAnswer>()),
        ("config", schema::<ConfigAnswer>()),
        ("explain", schema::<ExplainAnswer>()),
        ("hosts", schema::<HostsAnswer>()),
        ("list", schema::<AnyListAnswer>()),
        ("mentions", schema::<MentionsAnswer>()),
        ("models", schema::<ModelsAnswer>()),
        ("overview", schema::<OverviewAnswer>()),
        ("prompt", schema::<PromptAnswer>()),
        ("read", schema::<ReadAnswer>()),
        ("remote", schema::<RemoteAnswer>()),
        ("roots", schema::<RootsAnswer>()),
        ("run", schema::<RunAnswer>()),
        ("search", schema::<AnySearchAnswer>()),
        ("show", schema::<ShowAnswer>()),
        ("trust", schema::<TrustAnswer>()),
        ("turn", schema::<TurnInput>()),
    ]
}

/// Returns the schema of the output, in which fields without a value are optional.
fn schema<T: JsonSchema>() -> Value {
    SchemaSettings::default().for_serialize().into_generator().into_root_schema_for::<T>().into()
}
