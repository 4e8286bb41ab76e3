//! What opens and closes the frontmatter, which YAML it holds, and how YAML that is not valid is repaired.

use schemars::JsonSchema;
use serde::Deserialize;

/// Which YAML is understood.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Dialect {
    /// YAML 1.2; plain scalars have types.
    #[default]
    Core,
    /// Every scalar is text; flow style, anchors, aliases and tags are refused.
    Strict,
}

/// A number where text is expected.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NumberText {
    /// As it is written in the file.
    #[default]
    AsWritten,
    /// By its value, in the shortest decimal form.
    ByValue,
    /// Not text, as `true` and `false` are not: a value of a wrong type.
    NotText,
}

/// Unquoted values that are not text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Typed {
    /// None: every value is text, and an empty one is missing.
    #[default]
    Never,
    /// Empty values, `true` and `false`, numbers, and what older YAML takes for a number or a date: `1_000`, `0b11`, `12:30`, `2024-01-02`.
    Older,
}

/// A key that is written twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnDuplicate {
    /// The frontmatter is invalid.
    #[default]
    Error,
    /// Only a key that is read makes the frontmatter invalid.
    KnownError,
    /// The last one wins.
    Last,
}

/// Repair of invalid YAML.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// Values that contain `: `, or are invalid and begin with one of `repair_starts`, are put in single quotes.
    QuoteValues,
    /// The same, and values of a wrong type are repaired too.
    QuoteTypes,
    /// Top-level values with special characters are put in double quotes, and tabs become spaces.
    QuoteSpecial,
    /// Plain values that contain `: ` are put in double quotes, at any depth.
    QuotePlain,
    /// Unquoted top-level values with a colon become literal blocks.
    BlockValues,
    /// The same, whether or not the YAML is valid, and the block keeps its line end.
    BlockLines,
}

/// Tags in the frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// Ignored; the value is used.
    #[default]
    Ignore,
    /// Tags of YAML's own types are ignored; any other makes the frontmatter invalid.
    Standard,
    /// The frontmatter is invalid.
    Refuse,
}

/// YAML that cannot be repaired.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BadYaml {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The skill has its body, and no fields.
    BodyOnly,
    /// Lines of the form `key: value` at the left margin are read one by one.
    Lines,
}

/// What opens and closes the frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FenceRules {
    /// What opens it, at the start of the file.
    pub open: Fence,
    /// What closes it.
    pub close: Fence,
    /// An empty block.
    pub empty: EmptyBlock,
    /// Whether blank lines may come first.
    pub blank_before: bool,
}

/// An empty block of frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyBlock {
    /// Frontmatter without any field.
    #[default]
    NoFields,
    /// No frontmatter at all.
    None,
    /// Invalid frontmatter.
    Invalid,
}

/// Three dashes, and what may be around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fence {
    /// `---` at the start of a line, followed by blanks at most.
    #[default]
    Line,
    /// `---` alone on a line, with blanks around it at most.
    TrimmedLine,
    /// `---` anywhere.
    Anywhere,
    /// `---` at the start of a line, whatever follows; one character after the opening `---` is dropped.
    Glued,
    /// `---` at the start of a line, whatever follows; a line end after the closing `---` is dropped. The end of the
    /// file closes the frontmatter too.
    LineStart,
    /// `---`, and a format at most: `yaml`, `yml` or `json`. Any other format is refused.
    Format,
}
