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

/// How a number is written when text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NumberText {
    /// As it stands in the file.
    #[default]
    AsWritten,
    /// By its value, in the shortest decimal form.
    ByValue,
    /// It is not text, nor is a yes or no: a value of a wrong type.
    NotText,
}

/// Which plain scalars are no text where text is wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Typed {
    /// None: whatever is written counts as text, and nothing as no value.
    #[default]
    Never,
    /// Nothing, yes and no, numbers, and what older YAML takes for a number or a date: `1_000`, `0b11`, `12:30`, `2024-01-02`.
    Older,
}

/// A key that stands twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnDuplicate {
    /// The frontmatter is not valid.
    #[default]
    Error,
    /// Only a key that is read makes the frontmatter invalid.
    KnownError,
    /// The last one counts.
    Last,
}

/// What is tried when the YAML is not valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Repair {
    /// Nothing.
    #[default]
    None,
    /// A value that holds `: `, or begins with one of `repair_starts` and is not valid alone, is put in single quotes.
    QuoteValues,
    /// The same, and a value of a wrong type is repaired too.
    QuoteTypes,
    /// A top-level value that holds any special character is put in double quotes, and tabs become spaces.
    QuoteSpecial,
    /// A value that holds `: ` and begins like plain text is put in double quotes, at any depth.
    QuotePlain,
    /// A top-level value that holds a colon, and is neither quoted nor a block, becomes a literal block.
    BlockValues,
    /// The same before anything is read, whether or not the YAML is valid, and the block keeps its line end.
    BlockLines,
}

/// Tags in the frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Tags {
    /// Passed over; the value counts.
    #[default]
    Ignore,
    /// Those of YAML's own types are passed over; any other makes the YAML not valid.
    Standard,
    /// The frontmatter is not valid.
    Refuse,
}

/// What YAML beyond repair means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BadYaml {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The body counts, without any field.
    BodyOnly,
    /// Lines of the form `key: value` at the left margin count, each value read for itself.
    Lines,
}

/// What opens and closes the frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FenceRules {
    /// What opens it, at the very start of the text.
    pub open: Fence,
    /// What closes it.
    pub close: Fence,
    /// What a block with nothing in it is.
    pub empty: EmptyBlock,
    /// Whether blank lines may stand before what opens it.
    pub blank_before: bool,
}

/// What a block of frontmatter with nothing in it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyBlock {
    /// Frontmatter without any field.
    #[default]
    NoFields,
    /// No frontmatter at all.
    None,
    /// Frontmatter that is not valid.
    Invalid,
}

/// Three dashes, and what may stand around them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fence {
    /// They begin a line and nothing but blanks follows.
    #[default]
    Line,
    /// They are all that is left of a line when both ends are trimmed.
    TrimmedLine,
    /// They stand anywhere, whatever follows.
    Anywhere,
    /// They begin a line, whatever follows; of what follows the opening ones, one character is left out.
    Glued,
    /// They begin a line, whatever follows; a line end after the closing ones is not part of what follows. The end of the
    /// file closes the frontmatter too.
    LineStart,
    /// A word for the format may follow on their line: `yaml`, `yml` or `json`. Text in another format is refused.
    Format,
}
