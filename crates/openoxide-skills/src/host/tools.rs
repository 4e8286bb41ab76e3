//! How a host gives skills away: to a model by tools, and to clients over HTTP.

use schemars::JsonSchema;
use serde::Deserialize;

/// A tool that gives skills, or files of skills, to a model.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolRule {
    /// What it does.
    pub does: ToolDoes,
    /// Its name, and others for when that is taken, in order.
    pub names: Vec<String>,
    /// What people call it.
    #[serde(default)]
    pub title: String,
    /// What the model is told of it. Where the host shows its catalog in the description of a tool, the catalog follows.
    #[serde(default)]
    pub description: String,
    /// Its arguments, in order.
    pub arguments: Vec<ToolArgument>,
    /// Up to how many skills the names that can be asked for are listed in the schema.
    #[serde(default)]
    pub names_listed: usize,
    /// The heading of an answer; `{name}` is the skill, `{path}` the file.
    #[serde(default)]
    pub answer_title: String,
    /// The form of an answer.
    #[serde(default)]
    pub answer: ToolAnswer,
    /// What comes with an answer for the program.
    #[serde(default)]
    pub metadata: Vec<ToolFact>,
    /// What `source` says in a refusal, which is then an answer like any other; absent: a refusal is an error.
    pub refusal_source: Option<String>,
    /// Whether there is no such tool where no catalog is shown.
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
    /// Ends what a skill that was called still does: its hooks go.
    Deactivate,
    /// Finds skills by words; the argument that names a skill elsewhere holds the words.
    Search,
}

/// An argument of a tool; each is a text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ToolArgument {
    /// What it says.
    pub is: ToolArgumentKind,
    /// Its name.
    pub key: String,
    /// What the model is told of it.
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
    /// What is said with a call; it may be left out.
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
    /// What a call sends, or what a file says.
    #[default]
    Text,
    /// JSON: `name` and `path` of the file and its `content`.
    Object,
}

/// Something that a program is told with an answer, by a key of the same name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolFact {
    /// The skill's name.
    Name,
    /// Its folder.
    Dir,
    /// Its file.
    Path,
    /// What the root that it was found in is called.
    Source,
    /// The digest of its folder.
    Digest,
    /// Whether it was cut.
    Truncated,
    /// The names that can be asked for, when this one cannot.
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

/// How a program itself serves its skills over HTTP, so that its clients are answered as they expect.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ServeRules {
    /// The shape of its answers.
    pub shape: ServeShape,
    /// Names that its own commands have; a skill of such a name is not listed as a command.
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
