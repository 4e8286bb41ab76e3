//! Controls that a skill's own frontmatter can set.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which frontmatter controls count.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ControlRules {
    /// Controls that have an effect.
    pub count: Vec<Control>,
}

/// A control that a skill's own text can set.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Control {
    /// `disable-model-invocation: true` keeps the model from calling it.
    DisableModelInvocation,
    /// `user-invocable: false` keeps the user from calling it.
    UserInvocable,
    /// `policy.allow_implicit_invocation: false` keeps it out of the model's list.
    AllowImplicitInvocation,
    /// `paths` keeps it dormant until a matching file is touched.
    Paths,
    /// `paths` keeps it from the model, and from nobody else, until a matching file is touched.
    PathsForModel,
    /// `enabled: false` switches it off.
    Enabled,
    /// `hide: true` keeps it out of the model's list.
    Hide,
}
