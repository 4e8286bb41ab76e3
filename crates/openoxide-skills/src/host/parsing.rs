//! How a host reads a skill file.
//!
//! Two hosts with equal rules share the work: these types compare and hash.

use schemars::JsonSchema;
use serde::Deserialize;

use super::frontmatter::{BadYaml, Dialect, FenceRules, NumberText, OnDuplicate, Repair, Tags, Typed};
use super::{DescriptionRules, FieldRules, NameRules};

/// How a skill file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParseRules {
    /// A byte-order mark before the text.
    pub byte_order_mark: Mark,
    /// What happens to the text before the frontmatter is read.
    pub prepare: Vec<Prepare>,
    /// What opens and closes the frontmatter.
    pub fence: FenceRules,
    /// How much of the file must be UTF-8.
    pub utf8: Utf8,
    /// Which YAML is understood.
    pub dialect: Dialect,
    /// How a number is written when text is wanted.
    pub numbers: NumberText,
    /// Which plain scalars are no text where text is wanted.
    pub typed: Typed,
    /// A key that stands twice.
    pub duplicates: OnDuplicate,
    /// Whether `<<` brings in the keys of another map.
    pub merge_keys: bool,
    /// What is tried when the YAML is not valid.
    pub repair: Repair,
    /// Characters that a value may not begin with, for `quote-values`.
    pub repair_starts: String,
    /// Tags (`!name`) in the frontmatter.
    pub tags: Tags,
    /// What YAML beyond repair means.
    pub bad_yaml: BadYaml,
    /// What a file without frontmatter means.
    pub no_frontmatter: NoFrontmatter,
    /// A value of a wrong type where text is wanted.
    pub wrong_type: WrongType,
    /// How values of `name` and `description` are cleaned.
    pub clean: Clean,
    /// What names must be like.
    pub name: NameRules,
    /// What descriptions must be like.
    pub description: DescriptionRules,
    /// Which fields are read.
    pub fields: FieldRules,
    /// What lengths are counted in.
    pub lengths: LengthUnit,
    /// What the program says about a finding, in the order in which it looks; the first finding is its reason.
    pub texts: Vec<TextRule>,
}

/// What a program says about a finding, where others have to recognize its words.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRule {
    /// The code of the finding, such as `S0112`.
    pub code: String,
    /// The words, with `{name}` and `{folder}`.
    pub text: String,
    /// Only for a file that begins so.
    #[serde(default)]
    pub begins: String,
    /// Only for a file of fewer lines.
    pub lines_below: Option<usize>,
}

/// A change to the text of a file before its frontmatter is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Prepare {
    /// HTML comments are taken out before the frontmatter is looked for.
    StripComments,
    /// A carriage return ends a line, alone or before a line feed.
    LineReturns,
    /// Tabs in the frontmatter become two spaces.
    SoftTabs,
}

/// What lengths are counted in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LengthUnit {
    /// Characters.
    #[default]
    Characters,
    /// UTF-16 units.
    Utf16,
    /// Bytes of UTF-8.
    Bytes,
}

impl LengthUnit {
    /// Returns the word used in messages.
    pub fn as_str(self) -> &'static str {
        match self {
            LengthUnit::Characters => "characters",
            LengthUnit::Utf16 => "UTF-16 units",
            LengthUnit::Bytes => "bytes",
        }
    }
}

/// A byte-order mark before the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Passed over.
    #[default]
    Accept,
    /// Part of the text, so that no frontmatter is seen.
    Reject,
}

/// How much of the file must be UTF-8.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Utf8 {
    /// The frontmatter.
    #[default]
    Head,
    /// The whole file.
    File,
    /// Nothing: other bytes become replacement characters.
    Lossy,
}

/// What a file without frontmatter means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoFrontmatter {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The whole file is the body.
    BodyOnly,
    /// The whole file is the body; one without any text is invalid.
    BodyRequired,
}

/// A value of a wrong type where text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WrongType {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The field is passed over.
    Drop,
    /// It becomes text: the items of a list, with commas between them.
    Coerce,
}

/// How values are cleaned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clean {
    /// Not at all.
    None,
    /// Blanks at both ends go.
    #[default]
    Trim,
    /// Every run of blanks and line ends becomes one space.
    Collapse,
}
