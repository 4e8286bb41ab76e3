//! What opens and closes the frontmatter of a skill file.

use schemars::JsonSchema;
use serde::Deserialize;

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
