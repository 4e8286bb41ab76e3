//! How a host shows skills to the model, and how much of the window that may take.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{OrderKey, PathForm};
use crate::skill::SkillScope;

/// The text that shows skills to the model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogRules {
    /// The order of the entries.
    pub order: Vec<OrderKey>,
    /// The rank of the scopes in that order, if not that of the list.
    pub rank: Vec<SkillScope>,
    /// Whether paths are shown with links resolved.
    pub path: PathForm,
    /// Whether it is shown at all.
    pub shown: bool,
    /// Whether it is shown when there is no skill.
    pub shown_empty: bool,
    /// Where the model meets it.
    pub place: CatalogPlace,
    /// What stands between two entries.
    pub join: String,
    /// Whether only skills with a description are shown.
    pub described_only: bool,
    /// The name of roots in paths, such as `r{n}`, used where it saves room; absent: paths are whole.
    pub root_alias: Option<String>,
    /// What the frame around the entries takes with and without names for roots, in bytes.
    pub alias_frame: AliasFrame,
    /// How many folders above a plugin's own stand for it as a root when it has one skill only.
    pub alias_lone_plugin: Option<usize>,
    /// What joins the description and `when_to_use`; absent: the latter is not shown.
    pub when_to_use_join: Option<String>,
    /// What is done to texts before they are shown.
    pub lines: CatalogLines,
    /// Texts that would end the frame around the entries; inside an entry their first character is escaped.
    pub guard: Vec<String>,
}

impl Default for CatalogRules {
    fn default() -> Self {
        CatalogRules {
            order: vec![OrderKey::Scope, OrderKey::Name, OrderKey::Path],
            rank: Vec::new(),
            path: PathForm::Canonical,
            shown: true,
            shown_empty: false,
            place: CatalogPlace::SystemPrompt,
            join: "\n".to_owned(),
            described_only: false,
            root_alias: None,
            alias_frame: AliasFrame::default(),
            alias_lone_plugin: None,
            when_to_use_join: None,
            lines: CatalogLines::default(),
            guard: Vec::new(),
        }
    }
}

/// What is done to the texts of a catalog before they are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogLines {
    /// Nothing.
    #[default]
    AsWritten,
    /// Blanks at the ends of lines, runs of blank lines and the padding of tables go.
    Tidy,
    /// Each description stands on one line, with characters that cannot be seen shown as escapes.
    Visible,
}

/// Where the model meets the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogPlace {
    /// In the text that the conversation begins with.
    #[default]
    SystemPrompt,
    /// In the description of the tool that loads skills.
    ToolDescription,
}

impl CatalogPlace {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            CatalogPlace::SystemPrompt => "system-prompt",
            CatalogPlace::ToolDescription => "tool-description",
        }
    }
}

/// What the frame around the entries takes, in bytes.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AliasFrame {
    /// With whole paths.
    pub whole: u64,
    /// With names for roots, without the lines that list them.
    pub aliased: u64,
}

/// How much of the window the skills may take.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetRules {
    /// The share of the context window; absent: no limit.
    pub share: Option<f64>,
    /// The window that is assumed when none is told, in tokens.
    pub window: Option<u64>,
    /// The windows of models that have another one, where a setting names the model; the first that fits.
    pub windows: Vec<ModelWindow>,
    /// How many characters a token is taken for, by the size of the window; the first that fits.
    pub chars_per_token: Vec<CharsPerToken>,
    /// What is counted.
    pub measure: Measure,
    /// Room that the program's own skills take, whose text is not ours to show.
    pub reserved: Vec<Reserved>,
    /// The switch that turns the program's own skills off.
    pub reserved_switch: Option<String>,
    /// The budget when the window is not known, in characters.
    pub unknown_chars: Option<u64>,
    /// A fixed budget instead of the share, in the unit of `measure`.
    pub fixed: Option<u64>,
    /// Most that `fixed` may be.
    pub fixed_max: Option<u64>,
    /// Most characters of one description, the mark included.
    pub entry_max: Option<NonZeroUsize>,
    /// What marks a description that was cut to `entry_max`.
    pub entry_mark: String,
    /// Whether characters are counted in UTF-16 units.
    pub utf16: bool,
    /// Steps to take until the entries fit.
    pub fit: Vec<FitStep>,
    /// The setting that names the model.
    pub model: Option<String>,
    /// The setting that tells how often each skill was used; the most used keep their descriptions longest.
    pub usage: Option<String>,
}

impl Default for BudgetRules {
    fn default() -> Self {
        BudgetRules {
            share: None,
            window: None,
            windows: Vec::new(),
            chars_per_token: Vec::new(),
            measure: Measure::Characters,
            reserved: Vec::new(),
            reserved_switch: None,
            unknown_chars: None,
            fixed: None,
            fixed_max: None,
            entry_max: None,
            entry_mark: "…".to_owned(),
            utf16: false,
            fit: vec![FitStep::Full],
            model: None,
            usage: None,
        }
    }
}

/// The window of some models.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ModelWindow {
    /// Parts of the names of models that have it.
    pub models: Vec<String>,
    /// Its size, in tokens.
    pub tokens: u64,
}

/// How many characters a token is taken for.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CharsPerToken {
    /// Parts of the names of models that this is for; empty: any.
    #[serde(default)]
    pub models: Vec<String>,
    /// Where the model is not known: the largest window, in tokens, that this is for; absent: any.
    pub up_to: Option<u64>,
    /// The characters.
    pub chars: u64,
}

/// Room that one of the program's own skills takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    /// Its name.
    pub name: String,
    /// The room of its whole entry.
    pub size: u64,
    /// Whether its description always stays.
    #[serde(default)]
    pub kept: bool,
}

/// What a budget counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Characters of each entry, and one for the line end between two.
    #[default]
    Characters,
    /// Terminal columns of each entry, and one for the line end between two.
    Columns,
    /// A token for every four bytes of an entry and its line end, rounded up entry by entry.
    LineTokens,
}

/// A step to take when the entries do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FitStep {
    /// All entries whole, if they fit.
    Full,
    /// All entries, the room left dealt out to the descriptions a character at a time, if the bare ones fit.
    Deal,
    /// Descriptions whole for the most used while they fit, names for the rest; names are never left out.
    BareByUse,
    /// The same if the bare entries fit.
    BareByUseBounded,
    /// Names only, in order, as long as each fits; the rest is left out.
    BareWhileFits,
}
