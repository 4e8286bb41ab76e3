//! How a host gives skills away: to a model by tools, and to clients over HTTP.

use schemars::JsonSchema;
use serde::Deserialize;

/// A tool that gives skills, or files of skills, to a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRule {
    /// What it does.
    pub does: ToolDoes,
    /// Its name, then other names in case that one is taken.
    pub names: Vec<String>,
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// Its description for the model. Where the catalog is part of a tool's description, it follows.
    #[serde(default)]
    pub description: String,
    /// Its arguments, in order.
    pub arguments: Vec<ToolArgument>,
    /// Most skills whose names are listed in the schema.
    #[serde(default)]
    pub names_listed: usize,
    /// The heading of an answer; `{name}` is the skill, `{path}` the file.
    #[serde(default)]
    pub answer_title: String,
    /// The form of an answer.
    #[serde(default)]
    pub answer: ToolAnswer,
    /// Facts for the program, sent with an answer.
    #[serde(default)]
    pub metadata: Vec<ToolFact>,
    /// The `source` of a refusal, which is then an ordinary answer; absent: a refusal is an error.
    pub refusal_source: Option<String>,
    /// Whether there is no such tool without a catalog.
    #[serde(default)]
    pub with_catalog: bool,
}

/// What a tool does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolDoes {
    /// Calls a skill.
    Activate,
    /// Reads a file of a skill.
    Read,
    /// Ends what a skill still does: removes its hooks.
    Deactivate,
    /// Finds skills by words; the argument that names a skill elsewhere holds the words.
    Search,
}

impl ToolDoes {
    /// Returns the word used in `host.toml` and by templates.
    pub fn as_str(self) -> &'static str {
        match self {
            ToolDoes::Activate => "activate",
            ToolDoes::Read => "read",
            ToolDoes::Deactivate => "deactivate",
            ToolDoes::Search => "search",
        }
    }
}

/// An argument of a tool; each is a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolArgument {
    /// What it says.
    pub is: ToolArgumentKind,
    /// Its name.
    pub key: String,
    /// Its description for the model.
    pub about: Option<String>,
}

/// What an argument of a tool says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolArgumentKind {
    /// The name of the skill, or what is searched for. Every tool has it.
    Name,
    /// The path of a file in the skill's folder.
    Path,
    /// The arguments of a call; may be left out.
    Arguments,
}

impl ToolRule {
    /// Returns the argument of a kind.
    pub fn argument(&self, kind: ToolArgumentKind) -> Option<&ToolArgument> {
        self.arguments.iter().find(|argument| argument.is == kind)
    }
}

/// The form of a tool's answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolAnswer {
    /// Text: what a call sends, or what a file contains.
    #[default]
    Text,
    /// JSON: `name` and `path` of the file and its `content`.
    Object,
}

/// A fact for the program, sent with an answer by a key of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolFact {
    /// The skill's name.
    Name,
    /// Its folder.
    Dir,
    /// Its file.
    Path,
    /// The name of the root that it was found in.
    Source,
    /// The digest of its folder.
    Digest,
    /// Whether it was cut.
    Truncated,
    /// The names that can be called, if this one cannot.
    Available,
}

impl ToolFact {
    /// Returns the key.
    pub fn as_str(self) -> &'static str {
        match self {
            ToolFact::Name => "name",
            ToolFact::Dir => "dir",
            ToolFact::Path => "path",
            ToolFact::Source => "source",
            ToolFact::Digest => "digest",
            ToolFact::Truncated => "truncated",
            ToolFact::Available => "available",
        }
    }
}

/// How a program itself serves its skills over HTTP, for its clients.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeRules {
    /// The shape of its answers.
    pub shape: ServeShape,
    /// Names of its own commands; skills with these names are not listed as commands.
    #[serde(default)]
    pub taken: Vec<String>,
    /// The header with which its clients name the folder, where the address does not; it may be percent-encoded.
    pub folder_header: Option<String>,
}

/// The shape of what a program answers about skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ServeShape {
    /// `GET /skill` lists name, description, location and content; `GET /command` lists name, description, source,
    /// template and hints. A description that is missing is null.
    Records,
}
