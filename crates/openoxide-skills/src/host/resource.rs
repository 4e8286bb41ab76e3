//! How files of a skill are asked for and answered, and what is said when they are not.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;

/// How files of a skill are read. A program that reads them with a tool for any file has no rules of
/// its own, and ours hold.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ResourceRules {
    /// Whether files can be read by address, as `skill://NAME/PATH`.
    pub addresses: bool,
    /// Whether reading a folder lists its names.
    pub folders: bool,
    /// What a path may also contain.
    pub lenient: Vec<PathLeniency>,
    /// Most bytes of a file; the rest is cut. Never more than 16 MiB.
    pub max: u64,
    /// Types of content by the end of a file's name; where there are some, other texts are `text/plain`.
    pub types: BTreeMap<String, String>,
}

impl Default for ResourceRules {
    fn default() -> Self {
        ResourceRules { addresses: true, folders: true, lenient: Vec::new(), max: 2_000_000, types: BTreeMap::new() }
    }
}

/// Something that a path may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PathLeniency {
    /// `..` behind an encoded separator, as in `a%2F..%2Fb`, if the path stays inside.
    EncodedParents,
    /// `\` between names, as `/`.
    Backslashes,
    /// Blanks around it, which go.
    Blanks,
}

/// Why a file of a skill is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ReadProblem {
    /// An address names no skill.
    NoName,
    /// No skill has that name, as far as the caller may know.
    UnknownSkill,
    /// The caller may not call the skill.
    NotCallable,
    /// The path is empty.
    Empty,
    /// The path is absolute.
    Absolute,
    /// The path begins at a home folder.
    Home,
    /// The path holds a zero character.
    Nul,
    /// A `%` of an address is not followed by two hexadecimal digits.
    Encoding,
    /// The path climbs out by `..`.
    Traversal,
    /// The path means the skill's folder itself.
    Itself,
    /// A link on the way leads out of the skill's folder.
    Escapes,
    /// There is no such file.
    NotFound,
    /// It is a folder, and the host does not list folders.
    Folder,
    /// It is a pipe, a socket or a device.
    Special,
    /// It holds zero characters.
    Binary,
    /// It is not UTF-8.
    NotUtf8,
    /// It is too large to be answered whole, and it cannot be cut.
    TooLarge,
    /// Its permissions keep it from being read.
    Denied,
    /// A permission rule keeps it from being read.
    Forbidden,
    /// It could not be read for another reason.
    Unreadable,
}

impl ReadProblem {
    /// Returns the word used in JSON and in `host.toml`.
    pub fn as_str(self) -> &'static str {
        match self {
            ReadProblem::NoName => "no-name",
            ReadProblem::UnknownSkill => "unknown-skill",
            ReadProblem::NotCallable => "not-callable",
            ReadProblem::Empty => "empty",
            ReadProblem::Absolute => "absolute",
            ReadProblem::Home => "home",
            ReadProblem::Nul => "nul",
            ReadProblem::Encoding => "encoding",
            ReadProblem::Traversal => "traversal",
            ReadProblem::Itself => "itself",
            ReadProblem::Escapes => "escapes",
            ReadProblem::NotFound => "not-found",
            ReadProblem::Folder => "folder",
            ReadProblem::Special => "special",
            ReadProblem::Binary => "binary",
            ReadProblem::NotUtf8 => "not-utf8",
            ReadProblem::TooLarge => "too-large",
            ReadProblem::Denied => "denied",
            ReadProblem::Forbidden => "forbidden",
            ReadProblem::Unreadable => "unreadable",
        }
    }
}
