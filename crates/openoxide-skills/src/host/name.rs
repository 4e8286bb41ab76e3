//! Where the name of a skill comes from, and what names look like.

use schemars::JsonSchema;
use serde::Deserialize;

/// Rules for names.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct NameRules {
    /// Where the name comes from; the first one that is there.
    pub from: Vec<NameSource>,
    /// The name of a skill that has none.
    pub fallback: String,
    /// Whether the frontmatter must have a name.
    pub required: bool,
    /// Changes to the frontmatter's name before it is used, besides `clean`.
    pub steps: Vec<NameStep>,
    /// Required of every name.
    pub must: NameShape,
    /// Expected of every name; a warning otherwise.
    pub should: NameShape,
    /// Whether the skill can also be called by the name from the other source, if `must` allows its characters.
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
    /// The folder, with links resolved.
    RealFolder,
}

/// A change to a name before it is used.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameStep {
    /// Blanks at both ends are removed.
    Trim,
    /// Compatibility forms are folded (NFKC).
    Fold,
    /// These characters become `-`.
    Replace(String),
}

impl NameRules {
    /// Tells whether the folder's name comes before the frontmatter's.
    pub(crate) fn is_folder_first(&self) -> bool {
        matches!(self.from.first(), Some(NameSource::Folder | NameSource::RealFolder))
    }

    /// Returns the characters that become `-`.
    pub(crate) fn replaced(&self) -> &str {
        let replaced =
            self.steps.iter().find_map(|step| if let NameStep::Replace(all) = step { Some(all) } else { None });
        replaced.map_or("", String::as_str)
    }
}

/// A rule for names. A list of them is the shape of a name; without any, every name is allowed.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameRule {
    /// At most this many characters.
    Max(usize),
    /// Letters and digits of any script, and `-`.
    Letters,
    /// ASCII letters and digits, `-`, `_` and `.`, not beginning with `.`.
    Word,
    /// ASCII letters and digits, and `-`.
    Ascii,
    /// ASCII letters and digits, and `-`, not beginning with `-`.
    Plain,
    /// These characters too.
    Also(String),
    /// None of these characters, whatever else is allowed.
    Never(String),
    /// No upper-case letters.
    Lower,
    /// No hyphen at either end, no two in a row.
    InnerHyphens,
    /// The same as the folder.
    Folder,
    /// The same as the folder, upper and lower case alike.
    FolderAnyCase,
    /// Letters, digits and marks of any script, `-`, `_`, `.` and `:`, not beginning with a mark.
    Marked,
    /// What a line `- NAME: TEXT` shows as it is: nothing that cannot be seen, no angle brackets, no `: `, and single blanks
    /// inside only.
    Line,
}

impl From<Vec<NameRule>> for NameShape {
    fn from(rules: Vec<NameRule>) -> NameShape {
        let mut shape = NameShape::default();
        for rule in rules {
            match rule {
                NameRule::Max(max) => shape.max = Some(max),
                NameRule::Letters => shape.chars = Chars::Letters,
                NameRule::Word => shape.chars = Chars::Word,
                NameRule::Ascii => shape.chars = Chars::Ascii,
                NameRule::Plain => shape.chars = Chars::Plain,
                NameRule::Also(also) => shape.also = also,
                NameRule::Never(never) => shape.never = never,
                NameRule::Lower => shape.lower = true,
                NameRule::InnerHyphens => shape.inner_hyphens = true,
                NameRule::Folder => shape.folder = true,
                NameRule::Marked => shape.chars = Chars::Marked,
                NameRule::Line => shape.line = true,
                NameRule::FolderAnyCase => (shape.folder, shape.folder_any_case) = (true, true),
            }
        }
        shape
    }
}

/// What a name looks like, in `host.toml` a list of rules. Absent rules allow everything.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(from = "Vec<NameRule>")]
#[schemars(inline)]
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
    /// Only what a line `- NAME: TEXT` shows as it is.
    pub line: bool,
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
    /// Letters, digits and marks of any script, `-`, `_`, `.` and `:`, not beginning with a mark.
    Marked,
}
