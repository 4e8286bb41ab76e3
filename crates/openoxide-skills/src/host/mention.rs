//! How a text names a skill: the forms, where a name ends, and which of several mentions count.

use schemars::JsonSchema;
use serde::Deserialize;

use super::name::NameShape;

/// How a text names a skill.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct MentionRules {
    /// A mark and a name, in running text.
    pub plain: PlainRules,
    /// A link whose text is a mark and a name, and whose target is the skill's file.
    pub link: LinkRules,
    /// A command: a mark, a name and arguments.
    pub command: CommandRules,
    /// Characters of a name in running text and in links, besides ASCII letters and digits.
    pub also: String,
    /// Names of environment variables that running text never means.
    pub blocked: Vec<String>,
    /// Whether upper and lower case are the same in those names.
    pub blocked_any_case: bool,
    /// Whether code, between backticks or in a fence, is text like any other.
    pub in_code: bool,
    /// Whether a turn can also name skills by their path, beside its text. They come first, and the name that such an item
    /// gives is not looked for in the text, even if its path leads nowhere.
    pub items: bool,
    /// Whether a path may also lead to a skill's folder, begin with `~/`, or go out from the working folder.
    pub loose_paths: bool,
    /// Whether a name that a connector also has means no skill in running text.
    pub connectors: bool,
    /// What a name in running text means when several skills have it.
    pub ambiguous: Ambiguous,
    /// The order of the skills that one text names.
    pub order: MentionOrder,
    /// Whether it is said which skills may have been meant, here and to a model that calls a skill that is not there.
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

/// A mark and a name, in running text.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PlainRules {
    /// The mark, such as `$`; empty: there is no such form.
    pub mark: String,
    /// Characters that do not count as part of a name where they end it.
    pub trim: String,
    /// Whether the mark does not count after an ASCII letter, a digit or `_`.
    pub not_after_word: bool,
    /// Characters after which the mark does not count.
    pub not_after: String,
    /// Characters before which the name does not count.
    pub not_before: String,
    /// Whether a name has at least one letter.
    pub letter: bool,
}

/// A link whose text is a mark and a name, and whose target is the skill's file.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct LinkRules {
    /// The mark, such as `$` in `[$name](path)`; empty: there is no such form.
    pub mark: String,
    /// Beginnings of a target that are taken off.
    pub prefixes: Vec<String>,
    /// Beginnings of a target that is no skill.
    pub others: Vec<String>,
    /// Whether a blocked name takes the whole link with it.
    pub blocked: bool,
}

/// A command: a mark, a name and arguments.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct CommandRules {
    /// The mark, such as `/` or `/skill:`; empty: there is no such form.
    pub mark: String,
    /// Where in a text it may stand.
    pub place: CommandPlace,
    /// Beginnings of a text whose inside is not looked at; a blank at the end is any white space, or the end of the text.
    pub inside_unless: Vec<String>,
    /// What ends the name.
    pub ends: NameEnd,
    /// The shape of the name; a word of another shape is text.
    pub shape: NameShape,
    /// Where blanks around the arguments go.
    pub arguments: ArgumentBlanks,
}

/// Where in a text a command may stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CommandPlace {
    /// At the start.
    #[default]
    Start,
    /// At the start, or after blanks.
    AfterBlanks,
    /// The same, or anywhere inside the text: the first one counts, and what stands around it becomes the arguments.
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

/// Where blanks around the arguments of a command go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArgumentBlanks {
    /// Away, on both sides.
    #[default]
    Trimmed,
    /// Away before them.
    TrimmedStart,
    /// Nowhere: only the one space after the name goes.
    Kept,
}

/// What a name means when several skills have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Ambiguous {
    /// Nothing.
    #[default]
    Nothing,
    /// The skill that counts, or the first that does.
    Rank,
}

/// The order of the skills that one text names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MentionOrder {
    /// As they are typed.
    #[default]
    Typed,
    /// That of the list, links before names.
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
