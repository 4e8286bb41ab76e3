//! `mentions --json`: the skills that a turn names; and the turn itself and its caller, as clients send them.

use std::path::PathBuf;

use openoxide_skills::catalog::Catalog;
use openoxide_skills::host::Caller;
use openoxide_skills::select::{IgnoredMention, IgnoredReason, Selected, Selection, Turn, TurnItem};
use openoxide_skills::text::path_text;
use serde::{Deserialize, Serialize};

use crate::{JsonSchema, SchemaVersion};

/// The skills that a turn names, and why not the rest.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct MentionsAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The host whose rules were followed.
    pub host: String,
    /// The skills that are meant, in the order in which they are loaded.
    pub selected: Vec<SelectedLine>,
    /// What looks like a name and means nothing, in the order of the turn.
    pub ignored: Vec<IgnoredLine>,
}

/// A skill that is meant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SelectedLine {
    /// Its name.
    pub name: String,
    /// Its file.
    pub path: String,
    /// The bytes of the text that name it, half open; absent for a structured item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<[usize; 2]>,
    /// The item of the turn, from 0; absent where the turn has one text, and this is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// What is said to it, if it is called as a command.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<String>,
    /// Whether the name is taken out of the text, so that the arguments are what is left.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub taken_out: bool,
}

/// Something that looks like a name and means nothing.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
pub struct IgnoredLine {
    /// It, as it is written.
    pub text: String,
    /// Its bytes in the text, half open; absent for a structured item.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<[usize; 2]>,
    /// The item of the turn, from 0; absent where the turn has one text, and this is in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub item: Option<usize>,
    /// A stable word, a colon and a sentence.
    pub reason: String,
    /// The files of the skills that it could mean, at most eight.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub candidates: Vec<String>,
    /// Names that may have been meant.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub near: Vec<String>,
}

impl MentionsAnswer {
    /// Makes the answer for a turn.
    pub fn new(catalog: &Catalog, turn: &Turn, selection: &Selection<'_>) -> MentionsAnswer {
        let texts = turn.items.iter().filter(|item| matches!(item, TurnItem::Text(_))).count();
        let item = |item: usize, in_text: bool| (texts != 1 || !in_text).then_some(item);
        let span = |span: &Option<std::ops::Range<usize>>| span.as_ref().map(|span| [span.start, span.end]);
        let selected = |selected: &Selected<'_>| SelectedLine {
            name: selected.entry.skill.name.to_string(),
            path: path_text(&selected.entry.skill.path),
            span: span(&selected.span),
            item: item(selected.item, selected.span.is_some()),
            arguments: selected.arguments.clone(),
            taken_out: selected.arguments.is_some(),
        };
        let ignored = |ignored: &IgnoredMention<'_>| IgnoredLine {
            text: ignored.text.clone(),
            span: span(&ignored.span),
            item: item(ignored.item, ignored.span.is_some()),
            reason: format!("{}: {}", ignored.reason.word(), ignored.reason),
            candidates: match &ignored.reason {
                IgnoredReason::Ambiguous { candidates, .. } => {
                    candidates.iter().map(|entry| path_text(&entry.skill.path)).collect()
                }
                _ => Vec::new(),
            },
            near: match &ignored.reason {
                IgnoredReason::Unknown { near, .. } => near.iter().map(|&name| name.to_owned()).collect(),
                _ => Vec::new(),
            },
        };
        MentionsAnswer {
            schema: SchemaVersion::default(),
            host: catalog.host.clone(),
            selected: selection.selected.iter().map(selected).collect(),
            ignored: selection.ignored.iter().map(ignored).collect(),
        }
    }
}

/// A turn as a front end hands it in.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct TurnInput {
    /// What the user says, in order.
    pub items: Vec<TurnInputItem>,
    /// Names of connectors, such as apps, that are there.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub connectors: Vec<String>,
}

/// One thing that the user says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "kebab-case")]
pub enum TurnInputItem {
    /// A text.
    Text {
        /// The text.
        text: String,
    },
    /// A skill, by its path.
    Skill {
        /// What it is called there; the path decides.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        name: Option<String>,
        /// Its file.
        path: String,
    },
    /// Something else that has a name and an address: an app, a plugin, a file.
    Mention {
        /// Its name.
        name: String,
        /// Its address.
        path: String,
    },
}

impl TurnInput {
    /// Converts to a turn. Relative paths start at `cwd`; `home` is what `~` stands for.
    pub fn into_turn(self, cwd: PathBuf, home: Option<PathBuf>) -> Turn {
        let items = self.items.into_iter().map(|item| match item {
            TurnInputItem::Text { text } => TurnItem::Text(text),
            TurnInputItem::Skill { name, path } => TurnItem::Skill { name, path: path.into() },
            TurnInputItem::Mention { name, path } => TurnItem::Other { name, path },
        });
        Turn { items: items.collect(), connectors: self.connectors, cwd, home }
    }
}

/// Who calls a skill.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
#[schemars(rename = "Who")]
pub enum CallerInput {
    /// A person.
    User,
    /// The model, by a tool.
    Model,
}

impl From<CallerInput> for Caller {
    fn from(caller: CallerInput) -> Caller {
        match caller {
            CallerInput::User => Caller::User,
            CallerInput::Model => Caller::Model,
        }
    }
}

/// What is said with a call.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ArgumentsInput {
    /// As a person typed it.
    Text(String),
    /// Word by word.
    Words(Vec<String>),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_is_read_from_json() {
        let json = r#"{"items":[{"type":"text","text":"go $a"},{"type":"skill","path":"/s/SKILL.md"},
            {"type":"mention","name":"x","path":"app://x"}],"connectors":["Mail"]}"#;
        let turn = serde_json::from_str::<TurnInput>(json).map(|turn| turn.into_turn("/p".into(), None));
        let expected = Turn {
            items: vec![
                TurnItem::Text("go $a".to_owned()),
                TurnItem::Skill { name: None, path: "/s/SKILL.md".into() },
                TurnItem::Other { name: "x".to_owned(), path: "app://x".to_owned() },
            ],
            connectors: vec!["Mail".to_owned()],
            cwd: "/p".into(),
            home: None,
        };
        assert_eq!(turn.ok(), Some(expected));
    }
}
