//! What happens when a skill is called: which part of its file is sent, in which messages, and to which conversation.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::Deserialize;

/// Who calls a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Caller {
    /// A person, by its name or by a mention.
    User,
    /// The model, by a tool.
    Model,
}

impl Caller {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Caller::User => "user",
            Caller::Model => "model",
        }
    }
}

/// Whose words a message is to the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// The user's.
    User,
    /// The result of a tool.
    Tool,
    /// The program's.
    System,
}

impl Role {
    /// Returns the word used in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Role::User => "user",
            Role::Tool => "tool",
            Role::System => "system",
        }
    }
}

/// What is sent when a skill is called.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ActivationRules {
    /// Which part of the skill's file is sent.
    pub content: Content,
    /// What arguments, files and commands are put into.
    pub expand: Expand,
    /// For whose calls arguments, files and commands are put in.
    pub expand_for: Callers,
    /// Whether arguments, files and commands inside code and comments count too.
    pub expand_in_code: bool,
    /// How long it may be.
    pub cut: Option<CutRule>,
    /// Closing tags of the frame; in what a skill says their first character is escaped.
    pub guard: Vec<String>,
    /// The messages, in order.
    pub messages: Vec<MessageRule>,
    /// How a finished message is cleaned.
    pub clean: MessageClean,
    /// The files of the folder that are named with it.
    pub files: Option<FilesRule>,
    /// Who is told, when a call brings what the call before brought, that nothing has changed: by `repeated.jinja`; and
    /// when it brings something else, that this is so: by `again.jinja`. Absent: everything is sent again.
    pub repeat: Option<Caller>,
    /// What a name may hold besides ASCII letters and digits to be looked for; absent: anything.
    pub names: Option<String>,
    /// Whether the user's call runs without asking, whatever the permission rules say.
    pub user_needs_no_permission: bool,
    /// What `allowed-tools` of a skill means.
    pub allowed_tools: ToolsMeaning,
}

impl Default for ActivationRules {
    fn default() -> Self {
        let message = MessageRule { role: Role::User, template: "activation".to_owned(), caller: None, frame: false };
        ActivationRules {
            content: Content::Body,
            expand: Expand::Content,
            expand_for: Callers::Anyone,
            expand_in_code: false,
            cut: None,
            guard: vec!["</skill>".to_owned()],
            messages: vec![message],
            clean: MessageClean::None,
            files: None,
            repeat: None,
            names: None,
            user_needs_no_permission: false,
            allowed_tools: ToolsMeaning::Nothing,
        }
    }
}

/// What `allowed-tools` of a skill means. What it gives is given only after consent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolsMeaning {
    /// Nothing; it is read and shown.
    #[default]
    Nothing,
    /// While the skill is active, the model uses these tools without a question.
    Preapprove,
    /// The same, and it uses no others; what the skill runs needs the tool that runs commands.
    Limit,
}

/// What arguments, files and commands are put into.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Expand {
    /// What the skill says.
    #[default]
    Content,
    /// The finished message.
    Message,
}

/// For whose calls a rule counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Callers {
    /// The user's and the model's.
    #[default]
    Anyone,
    /// The user's alone; the model gets the text as it is.
    User,
}

/// Which part of a skill's file is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Content {
    /// What follows the frontmatter.
    #[default]
    Body,
    /// The whole file.
    File,
}

/// How long what is sent may be.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutRule {
    /// What is measured and cut.
    pub of: CutOf,
    /// The most bytes; the cut never splits a character.
    pub bytes: NonZeroUsize,
    /// The most lines, and only whole lines are kept; absent: lines do not matter.
    pub lines: Option<NonZeroUsize>,
}

/// What is measured and cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutOf {
    /// The skill's file, as far as it is read.
    File,
    /// The finished message that answers the model's call.
    Answer,
}

/// How a finished message is cleaned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageClean {
    /// Not at all.
    #[default]
    None,
    /// Blanks around it go.
    Trim,
    /// The same, and blanks at the ends of lines, runs of blank lines and the padding of tables go.
    Tidy,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRule {
    /// Whose words it is.
    pub role: Role,
    /// The name of its template.
    pub template: String,
    /// Who must have called; absent: anybody.
    pub caller: Option<Caller>,
    /// Whether it only announces the skill, and does not carry it.
    #[serde(default)]
    pub frame: bool,
}

/// The files of the folder that are named with a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesRule {
    /// How many at most.
    pub max: usize,
    /// Names that are left out wherever they stand.
    #[serde(default)]
    pub except: Vec<String>,
}

/// How a skill that says `context: fork` runs: an agent of its own is given the text, and its last words come back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForkRules {
    /// The kind of agent that runs it, if the skill names none.
    pub agent: String,
    /// Whether the caller goes on meanwhile, if the skill does not say.
    pub background: bool,
    /// Whose call is answered with what the agent said, without a word around it.
    pub bare_for: Option<Caller>,
}

impl Default for ForkRules {
    fn default() -> Self {
        ForkRules { agent: "general-purpose".to_owned(), background: false, bare_for: None }
    }
}

/// How a subagent starts with skills: their whole texts, by `preload.jinja`, or as a call would send them where there is
/// no such template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreloadRules {
    /// Which part of a skill's file is sent; absent: the part that a call sends.
    pub content: Option<Content>,
    /// Closing tags of the frame of `preload.jinja`; in what a skill says their first character is escaped.
    pub guard: Vec<String>,
    /// Which agents are shown the catalog.
    pub catalog: CatalogFor,
}

impl PreloadRules {
    /// Tells whether an agent is shown the catalog: by whether it can read files, and whether it starts with skills.
    pub fn catalog_is_listed(&self, can_read: bool, preloaded: bool) -> bool {
        match self.catalog {
            CatalogFor::Every => true,
            CatalogFor::Readers => can_read,
            CatalogFor::ReadersWithoutSkills => can_read && !preloaded,
        }
    }
}

/// Which agents are shown the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogFor {
    /// All.
    #[default]
    Every,
    /// Those that can read files.
    Readers,
    /// Those that can read files and start without skills.
    ReadersWithoutSkills,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_the_catalog_is_listed() {
        let both = PreloadRules { catalog: CatalogFor::ReadersWithoutSkills, ..PreloadRules::default() };
        let rows = [(true, false, true), (true, true, false), (false, false, false), (false, true, false)];
        for (can_read, preloaded, listed) in rows {
            assert_eq!(both.catalog_is_listed(can_read, preloaded), listed, "{can_read} {preloaded}");
            assert!(PreloadRules::default().catalog_is_listed(can_read, preloaded), "a host without a rule lists it");
        }
    }
}
