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

/// The author of a message, as the model sees it.
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
    /// Where arguments, files and commands are filled in.
    pub expand: Expand,
    /// For which calls arguments, files and commands are filled in.
    pub expand_for: Callers,
    /// Whether that also happens inside code and comments.
    pub expand_in_code: bool,
    /// The size limit.
    pub cut: Option<CutRule>,
    /// Closing tags of the frame; inside a skill's text they are escaped.
    pub guard: Vec<String>,
    /// The messages, in order.
    pub messages: Vec<MessageRule>,
    /// Cleaning of a finished message.
    pub clean: MessageClean,
    /// The files of the folder that are listed with it.
    pub files: Option<FilesRule>,
    /// The caller that gets a short note instead of a text it has already: `repeated.jinja` if nothing changed, and
    /// `again.jinja` before a text that did. Absent: everything is sent again.
    pub repeat: Option<Caller>,
    /// Characters of a name besides ASCII letters and digits; absent: any.
    pub names: Option<String>,
    /// Whether the user's own call needs no permission.
    pub user_needs_no_permission: bool,
    /// The effect of `allowed-tools`.
    pub allowed_tools: ToolsMeaning,
}

impl Default for ActivationRules {
    fn default() -> Self {
        let message = MessageRule {
            role: Role::User,
            template: "activation".to_owned(),
            caller: None,
            frame: false,
            needs_arguments: false,
        };
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

/// The effect of `allowed-tools`, after the user's approval.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ToolsMeaning {
    /// None; it is only shown.
    #[default]
    Nothing,
    /// The model may use these tools without asking.
    Preapprove,
    /// The same, and no others; commands of the skill need the tool that runs commands.
    Limit,
}

/// Where arguments, files and commands are filled in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Expand {
    /// In the skill's text.
    #[default]
    Content,
    /// In the finished message.
    Message,
}

/// For which calls a rule applies.
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

/// A size limit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CutRule {
    /// What is limited.
    pub of: CutOf,
    /// The most bytes; the cut never splits a character.
    pub bytes: NonZeroUsize,
    /// The most lines, cut at a line end; absent: any.
    pub lines: Option<NonZeroUsize>,
}

/// What is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CutOf {
    /// The skill's file, as far as it is read.
    File,
    /// The finished message that answers the model's call.
    Answer,
}

/// Cleaning of a finished message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MessageClean {
    /// Not at all.
    #[default]
    None,
    /// Blanks around it are removed.
    Trim,
    /// The same, and so are blanks at the ends of lines, repeated blank lines and the padding of tables.
    Tidy,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct MessageRule {
    /// Its author, as the model sees it.
    pub role: Role,
    /// The name of its template.
    pub template: String,
    /// Only for this caller; absent: any.
    pub caller: Option<Caller>,
    /// Whether it is without the skill's text: it announces the skill, or says what was said with the call.
    #[serde(default)]
    pub frame: bool,
    /// Whether it is sent only if something was said with the call.
    #[serde(default)]
    pub needs_arguments: bool,
}

/// The files of the folder that are listed with a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FilesRule {
    /// How many at most.
    pub max: usize,
    /// File names that are left out.
    #[serde(default)]
    pub except: Vec<String>,
}

/// How a skill with `context: fork` runs: a separate agent gets the text, and its last message comes back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForkRules {
    /// The kind of agent that runs it, if the skill names none.
    pub agent: String,
    /// Whether the caller goes on meanwhile, unless the skill says otherwise.
    pub background: bool,
    /// The caller that gets the agent's last message alone, without a frame.
    pub bare_for: Option<Caller>,
}

impl Default for ForkRules {
    fn default() -> Self {
        ForkRules { agent: "general-purpose".to_owned(), background: false, bare_for: None }
    }
}

/// How a subagent starts with skills: with their whole texts, by `preload.jinja`, or as a call sends them if there is
/// no such template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreloadRules {
    /// Which part of a skill's file is sent; absent: the part that a call sends.
    pub content: Option<Content>,
    /// Closing tags of the frame of `preload.jinja`; inside a skill's text they are escaped.
    pub guard: Vec<String>,
    /// Which agents see the catalog.
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

/// Which agents see the catalog.
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
