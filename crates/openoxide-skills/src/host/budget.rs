//! How a host shows skills to the model, and how much of the window that may take.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

use super::{NameShape, OrderKey, PathForm};
use crate::skill::SkillScope;

/// The text that shows skills to the model.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CatalogRules {
    /// The order of the entries.
    pub order: Vec<OrderKey>,
    /// The rank of the scopes in that order, if not as in `collide`.
    pub rank: Vec<SkillScope>,
    /// Paths.
    pub path: PathForm,
    /// Whether it is shown at all.
    pub shown: bool,
    /// Whether it is shown when there is no skill.
    pub shown_empty: bool,
    /// Where the model sees it.
    pub place: CatalogPlace,
    /// The text between two entries.
    pub join: String,
    /// Whether only skills with a description are shown.
    pub described_only: bool,
    /// The short name of a root in paths, such as `r{n}`, used where it saves room; absent or empty: paths are whole.
    pub root_alias: Option<String>,
    /// The size of the frame around the entries, in bytes.
    pub alias_frame: AliasFrame,
    /// The root of a plugin with one skill is this many folders above its own.
    pub alias_lone_plugin: Option<usize>,
    /// The text between the description and `when_to_use`; absent: the latter is not shown.
    pub when_to_use_join: Option<String>,
    /// Cleaning of texts before they are shown.
    pub lines: CatalogLines,
    /// Whether `<` and `>` in a description are shown as `&lt;` and `&gt;`.
    pub escape_angles: bool,
    /// The shape of another name of the skill that is shown beside its own, where no skill and none of `own_names` has it
    /// already; absent: only its own is shown.
    pub other_name: Option<NameShape>,
    /// The names of the program's own commands, which another name may not be.
    pub own_names: Vec<String>,
    /// Texts that would end the frame around the entries; inside an entry they are escaped.
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
            escape_angles: false,
            other_name: None,
            own_names: Vec::new(),
            guard: Vec::new(),
        }
    }
}

/// Cleaning of the texts of a catalog before they are shown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogLines {
    /// Nothing.
    #[default]
    AsWritten,
    /// Blanks at the ends of lines, repeated blank lines and the padding of tables are removed.
    Tidy,
    /// Each description is on one line, and invisible characters are shown as escapes.
    Visible,
    /// Each description is on one line without sequences that a terminal obeys, and a run of characters that cannot be seen
    /// is one blank.
    Blanked,
}

impl CatalogLines {
    /// Tells whether what is shown hides nothing, and no line of a description can be taken for an entry.
    pub fn hides_nothing(self) -> bool {
        matches!(self, CatalogLines::Visible | CatalogLines::Blanked)
    }
}

/// Where the model sees the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogPlace {
    /// In the system prompt.
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

/// The size of the frame around the entries, in bytes.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct AliasFrame {
    /// With whole paths.
    pub whole: u64,
    /// With short names for roots, without the lines that explain them.
    pub aliased: u64,
}

/// How much of the context window the catalog may take.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct BudgetRules {
    /// The share of the context window; absent: no limit.
    pub share: Option<f64>,
    /// The window that is assumed if none is given, in tokens.
    pub window: Option<u64>,
    /// The windows of models that have another one, where a setting names the model; the first that matches.
    pub windows: Vec<ModelWindow>,
    /// Characters per token, by model or window; the first that matches.
    pub chars_per_token: Vec<CharsPerToken>,
    /// The unit.
    pub measure: Measure,
    /// Room that the program's own skills take.
    pub reserved: Vec<Reserved>,
    /// The setting that switches the program's own skills off.
    pub reserved_switch: Option<String>,
    /// The budget if the window is not known, in characters.
    pub unknown_chars: Option<u64>,
    /// A fixed budget instead of the share, in the unit of `measure`.
    pub fixed: Option<u64>,
    /// The largest value of `fixed`.
    pub fixed_max: Option<u64>,
    /// Most characters of one description, with its mark.
    pub entry_max: Option<NonZeroUsize>,
    /// The end of a description that was cut to `entry_max`.
    pub entry_mark: String,
    /// Whether characters are counted as UTF-16 units.
    pub utf16: bool,
    /// What is tried, in order, until the entries fit.
    pub fit: Vec<FitStep>,
    /// The fewest characters of a description that `deal` may leave; if one would keep fewer, the next step is tried.
    pub deal_min: usize,
    /// The end of a description that `deal` shortened, within the characters that it keeps.
    pub deal_mark: String,
    /// The setting that names the model.
    pub model: Option<String>,
    /// The setting with how often each skill was used; the most used keep their descriptions longest.
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
            deal_min: 0,
            deal_mark: String::new(),
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

/// Characters per token.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CharsPerToken {
    /// Parts of the names of models that this is for; empty: any.
    #[serde(default)]
    pub models: Vec<String>,
    /// If the model is not known: the largest window that this is for, in tokens; absent: any.
    pub up_to: Option<u64>,
    /// Characters per token.
    pub chars: u64,
}

/// Room that one of the program's own skills takes.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Reserved {
    /// Its name.
    pub name: String,
    /// The size of its whole entry.
    pub size: u64,
    /// Whether its description is always kept.
    #[serde(default)]
    pub kept: bool,
    /// Whether it is listed even if the program's own skills are switched off.
    #[serde(default)]
    pub always: bool,
}

/// The unit of a budget.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Measure {
    /// Characters, with one for each line end between entries.
    #[default]
    Characters,
    /// Terminal columns, with one for each line end between entries.
    Columns,
    /// Tokens: four bytes each, rounded up for each entry with its line end.
    LineTokens,
}

/// Something to try when the entries do not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FitStep {
    /// All entries in full.
    Full,
    /// All entries, with descriptions shortened evenly.
    Deal,
    /// Full descriptions for the most used skills, names only for the rest.
    BareByUse,
    /// The same, if all names fit.
    BareByUseBounded,
    /// Names only, in order, while they fit; the rest is left out.
    BareWhileFits,
    /// Whole entries, in order, while they fit; the rest is left out, and none is shortened.
    FullWhileFits,
}
