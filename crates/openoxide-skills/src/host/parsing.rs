//! How a host reads a skill file.
//!
//! Two hosts with equal rules share the work: these types compare and hash.

use schemars::JsonSchema;
use serde::Deserialize;

/// How a skill file is read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ParseRules {
    /// A byte-order mark before the text.
    pub byte_order_mark: Mark,
    /// Whether HTML comments are taken out before the frontmatter is looked for.
    pub strip_comments: bool,
    /// Whether a carriage return ends a line, alone or before a line feed.
    pub line_returns: bool,
    /// Whether tabs in the frontmatter become two spaces before it is read.
    pub soft_tabs: bool,
    /// Whether a file without any text is invalid, whatever `no_frontmatter` says.
    pub text_required: bool,
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
    /// Whether a value of the wrong type is repaired too.
    pub repair_types: bool,
    /// Whether the repair comes before the first reading, whether or not the YAML is valid.
    pub repair_first: bool,
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
    /// Whether frontmatter without any field is not valid.
    pub empty_invalid: bool,
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
    #[serde(default)]
    pub lines_below: Option<usize>,
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

/// What opens and closes the frontmatter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FenceRules {
    /// What opens it, at the very start of the text.
    pub open: Fence,
    /// What closes it.
    pub close: Fence,
    /// Whether a block with nothing in it is no frontmatter at all.
    pub empty_is_none: bool,
    /// Whether blank lines may stand before what opens it.
    pub blank_before: bool,
    /// Whether the end of the file closes it too.
    pub end_closes: bool,
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
    /// They begin a line, whatever follows; a line end after the closing ones is not part of what follows.
    LineStart,
    /// A word for the format may follow on their line: `yaml`, `yml` or `json`. Text in another format is refused.
    Format,
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
    /// A top-level value that holds any special character is put in double quotes, and tabs become spaces.
    QuoteSpecial,
    /// A value that holds `: ` and begins like plain text is put in double quotes, at any depth.
    QuotePlain,
    /// A top-level value that holds a colon, and is neither quoted nor a block, becomes a literal block.
    BlockValues,
    /// The same, and the block keeps its line end.
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

/// What a file without frontmatter means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NoFrontmatter {
    /// The skill is invalid.
    #[default]
    Invalid,
    /// The whole file is the body.
    BodyOnly,
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

/// What names must be like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NameRules {
    /// Where the name comes from; the first that gives one.
    pub from: Vec<NameSource>,
    /// Whether the folder's name is that of the folder which links lead to.
    pub real_folder: bool,
    /// The name when there is no other.
    pub fallback: String,
    /// Whether the frontmatter must have a name.
    pub required: bool,
    /// Whether blanks at both ends go, whatever `clean` says.
    pub trim: bool,
    /// Whether compatibility forms are folded (NFKC).
    pub fold: bool,
    /// Characters of the frontmatter's name that become `-`.
    pub replaced: String,
    /// A name that breaks this is invalid.
    pub must: NameShape,
    /// A name that breaks this gets a warning.
    pub should: NameShape,
    /// Whether the other source of a name also calls the skill.
    pub alias: bool,
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameSource {
    /// The frontmatter's `name`.
    Frontmatter,
    /// The folder.
    Folder,
}

/// What a name looks like. Absent rules allow everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NameShape {
    /// Most characters.
    pub max: Option<usize>,
    /// Which characters.
    pub chars: Chars,
    /// No upper-case letters.
    pub lower: bool,
    /// No hyphen at either end, no two in a row.
    pub inner_hyphens: bool,
    /// The same as the folder.
    pub folder: bool,
    /// Whether upper and lower case are the same when the name is compared with the folder.
    pub folder_any_case: bool,
    /// Characters that are allowed besides those of `chars`.
    pub also: String,
    /// Characters that are not allowed, whatever `chars` says.
    pub never: String,
}

/// Which characters a name may have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Chars {
    /// Any.
    #[default]
    Any,
    /// Letters and digits of any script, and `-`.
    Letters,
    /// ASCII letters and digits, `-`, `_` and `.`, not beginning with `.`.
    Word,
    /// ASCII letters and digits, and `-`.
    Ascii,
    /// ASCII letters and digits, and `-`, not beginning with `-`.
    Plain,
}

/// What a description that is there and empty is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum EmptyText {
    /// None at all.
    #[default]
    Missing,
    /// A description like any other.
    Counts,
    /// None, but nothing is missing: the key alone is enough, even without a value.
    Allowed,
}

/// What descriptions must be like.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct DescriptionRules {
    /// Whether a skill without one is invalid.
    pub required: bool,
    /// Whether anything but nothing, no, zero and the empty text counts as a description; what is not text shows as empty.
    pub loose: bool,
    /// What a description that is there and empty is.
    pub empty: EmptyText,
    /// Most characters; more is invalid.
    pub max: Option<usize>,
    /// More characters than this get a warning.
    pub max_advised: Option<usize>,
    /// Whether blanks at both ends do not count towards that.
    pub max_trimmed: bool,
    /// What stands in for a missing one.
    pub fallback: Fallback,
    /// Most characters of what stands in; more is cut and ends in `...`.
    pub fallback_max: Option<usize>,
    /// What stands in when there is not even a body.
    pub fallback_empty: String,
}

/// What stands in for a missing description.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Fallback {
    /// Nothing.
    #[default]
    None,
    /// The first line of the body that is not blank, heading marks removed.
    FirstLine,
}

/// Which fields are read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FieldRules {
    /// Keys that are read; empty means every key that has a meaning anywhere.
    pub read: Vec<String>,
    /// A key that is not read.
    pub unknown: UnknownFields,
    /// How a yes or no is written.
    pub bools: BoolRule,
    /// Whether `_` may stand for `-` in keys.
    pub underscores: bool,
    /// Whether `camelCase` may stand for `kebab-case` in keys.
    pub camel_case: bool,
    /// Longest `compatibility`; more is invalid.
    pub compatibility_max: Option<usize>,
    /// Whether a `compatibility` that is not text makes the skill invalid.
    pub compatibility_text: bool,
    /// Whether a `metadata` that is not a map makes the skill invalid.
    pub metadata_map: bool,
}

/// A key that is not read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum UnknownFields {
    /// Kept, without a word.
    #[default]
    Keep,
    /// Kept, with a warning.
    Warn,
    /// The skill is invalid.
    Error,
}

/// How a yes or no is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BoolRule {
    /// `true` or `false`.
    #[default]
    Core,
    /// Also yes, no, on, off, 1 and 0, in any case, quoted or not.
    Loose,
}
