//! How a text names a skill: the forms, where a name ends, and which of several mentions count.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::NameShape;

/// How a text names a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MentionRules {
    /// A mark and a name, in a text.
    pub plain: PlainRules,
    /// A link to the skill's file whose text is a mark and a name.
    pub link: LinkRules,
    /// A command: a mark, a name and arguments.
    pub command: CommandRules,
    /// Characters of a name in a text and in links, besides ASCII letters and digits.
    pub also: String,
    /// Names of environment variables, which never mean a skill.
    pub blocked: Vec<String>,
    /// Whether upper and lower case are the same in those names.
    pub blocked_any_case: bool,
    /// Whether names are also found in code, between backticks or in a fence.
    pub in_code: bool,
    /// Whether a turn can also name skills by their path, besides its text. They come first, and the name that such an item
    /// gives is not looked for in the text, even if its path leads nowhere.
    pub items: bool,
    /// Whether a path may also be a skill's folder, begin with `~/`, or be relative to the working folder.
    pub loose_paths: bool,
    /// Whether a name that a connector has too means no skill in a text.
    pub connectors: bool,
    /// A name in a text that several skills have.
    pub ambiguous: Ambiguous,
    /// The order of the skills that one text names.
    pub order: MentionOrder,
    /// Whether similar names are suggested, here and to a model that calls an unknown skill.
    pub suggests: bool,
}

impl Default for MentionRules {
    fn default() -> Self {
        MentionRules {
            plain: PlainRules::default(),
            link: LinkRules::default(),
            command: CommandRules::default(),
            also: String::new(),
            blocked: Vec::new(),
            blocked_any_case: false,
            in_code: true,
            items: false,
            loose_paths: false,
            connectors: false,
            ambiguous: Ambiguous::Nothing,
            order: MentionOrder::Typed,
            suggests: false,
        }
    }
}

/// A mark and a name, in a text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlainRules {
    /// The mark, such as `$`; empty: there is no such form.
    pub mark: String,
    /// Characters that are not part of a name at its end.
    pub trim: String,
    /// Whether the mark is ignored after an ASCII letter, a digit or `_`.
    pub not_after_word: bool,
    /// Characters after which the mark is ignored.
    pub not_after: String,
    /// Characters before which the name is ignored.
    pub not_before: String,
    /// Whether a name must have a letter.
    pub letter: bool,
}

/// A link to the skill's file whose text is a mark and a name.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRules {
    /// The mark, such as `$` in `[$name](path)`; empty: there is no such form.
    pub mark: String,
    /// Prefixes of a target that are removed.
    pub prefixes: Vec<String>,
    /// Prefixes of targets that are not skills.
    pub others: Vec<String>,
    /// Whether a blocked name makes the whole link ordinary text.
    pub blocked: bool,
}

/// A command: a mark, a name and arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandRules {
    /// The mark, such as `/` or `/skill:`; empty: there is no such form.
    pub mark: String,
    /// Where in a text it may be.
    pub place: CommandPlace,
    /// Texts that begin with these are not searched for commands inside; a blank at the end matches any white space, or the end.
    pub inside_unless: Vec<String>,
    /// What ends the name.
    pub ends: NameEnd,
    /// The shape of the name; a word of another shape is text.
    pub shape: NameShape,
    /// Blanks around the arguments.
    pub arguments: ArgumentBlanks,
}

/// Where in a text a command may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandPlace {
    /// At the start.
    #[default]
    Start,
    /// At the start, or after blanks.
    AfterBlanks,
    /// The same, or anywhere inside the text: the first one wins, and the rest of the text becomes the arguments.
    Inside,
}

/// What ends the name in a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum NameEnd {
    /// Any white space.
    #[default]
    Blank,
    /// A space, and nothing else.
    Space,
    /// A space, or the end of the line.
    SpaceOrLine,
}

/// Blanks around the arguments of a command.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentBlanks {
    /// Removed on both sides.
    #[default]
    Trimmed,
    /// Removed before them.
    TrimmedStart,
    /// Kept, but for the one space after the name.
    Kept,
}

/// A name that several skills have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ambiguous {
    /// Nothing.
    #[default]
    Nothing,
    /// The skill that is active, or the first of several.
    Rank,
}

/// The order of the skills that one text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MentionOrder {
    /// As typed.
    #[default]
    Typed,
    /// As in the list, links before names.
    List,
}

impl MentionRules {
    /// Returns the forms that can be written, for people.
    pub fn forms(&self) -> Vec<String> {
        let forms = [("", &self.plain.mark, ""), ("[", &self.link.mark, "](PATH)"), ("", &self.command.mark, "")];
        let used = forms.iter().filter(|(_, mark, _)| !mark.is_empty());
        used.map(|(before, mark, after)| format!("{before}{mark}NAME{after}")).collect()
    }

    /// Tells whether running text never means this name.
    pub(crate) fn blocks(&self, name: &str) -> bool {
        self.blocked.iter().any(|blocked| match self.blocked_any_case {
            true => blocked.eq_ignore_ascii_case(name),
            false => blocked == name,
        })
    }
}
