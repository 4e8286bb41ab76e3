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
    /// A byte-order mark at the start.
    pub byte_order_mark: Mark,
    /// Changes to the text before the frontmatter is read.
    pub prepare: Vec<Prepare>,
    /// What opens and closes the frontmatter.
    pub fence: FenceRules,
    /// How much of the file must be UTF-8.
    pub utf8: Utf8,
    /// Which YAML is understood.
    pub dialect: Dialect,
    /// A number where text is expected.
    pub numbers: NumberText,
    /// Unquoted values that are not text.
    pub typed: Typed,
    /// A key that is written twice.
    pub duplicates: OnDuplicate,
    /// Whether `<<` brings in the keys of another map.
    pub merge_keys: bool,
    /// Repair of invalid YAML.
    pub repair: Repair,
    /// Characters that a value may not begin with, for `quote-values`.
    pub repair_starts: String,
    /// Tags (`!name`) in the frontmatter.
    pub tags: Tags,
    /// YAML that cannot be repaired.
    pub bad_yaml: BadYaml,
    /// A file without frontmatter.
    pub no_frontmatter: NoFrontmatter,
    /// A value that should be text and is not.
    pub wrong_type: WrongType,
    /// Cleaning of `name` and `description`.
    pub clean: Clean,
    /// Rules for names.
    pub name: NameRules,
    /// Rules for descriptions.
    pub description: DescriptionRules,
    /// Which fields are read.
    pub fields: FieldRules,
    /// The unit of lengths.
    pub lengths: LengthUnit,
    /// The program's own texts for findings, in the order in which it looks for them; the first one is its reason.
    pub texts: Vec<TextRule>,
}

/// The program's own text for a finding.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct TextRule {
    /// The code of the finding, such as `S0112`.
    pub code: String,
    /// The text, with `{name}` and `{folder}`.
    pub text: String,
    /// Only for a file that begins with this.
    #[serde(default)]
    pub begins: String,
    /// Only for a file with fewer lines than this.
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

/// The unit of lengths.
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

/// A byte-order mark at the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Mark {
    /// Ignored.
    #[default]
    Accept,
    /// Taken as text, so that the frontmatter is not recognized.
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

/// A file without frontmatter.
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

/// A value that should be text and is not.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WrongType {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The field is ignored.
    Drop,
    /// Converted to text; the items of a list are joined with commas.
    Coerce,
}

/// How text is cleaned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Clean {
    /// Not at all.
    None,
    /// Blanks at both ends are removed.
    #[default]
    Trim,
    /// Every run of blanks and line ends becomes one space.
    Collapse,
}
