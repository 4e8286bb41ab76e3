//! What a program says in its own words, by situation, and what we say where it has none.

use std::collections::BTreeMap;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::Deserialize;

use super::{expansion::ShellRules, resource::ReadProblem};
use crate::text::fill;

/// Texts by situation. What may be filled in stands in braces, such as `{name}`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(transparent)]
pub struct Texts(BTreeMap<Situation, String>);

impl Texts {
    /// Returns the program's own text for a situation.
    pub fn get(&self, situation: Situation) -> Option<&str> {
        self.0.get(&situation).map(String::as_str)
    }

    /// Returns the text for a situation: the program's own, or ours.
    pub fn text(&self, situation: Situation) -> &str {
        self.get(situation).unwrap_or(situation.ours())
    }

    /// Writes the text for a situation with values in it.
    pub fn say(&self, situation: Situation, values: &[(&str, &str)]) -> String {
        fill(self.text(situation), values)
    }

    /// Returns what takes the place of a command that said `output`.
    pub fn command_output(&self, rules: &ShellRules, output: &str) -> String {
        let output = if rules.trim_end { output.trim_end() } else { output };
        if output.is_empty() { self.text(Situation::CommandSilent).to_owned() } else { output.to_owned() }
    }

    /// Returns what is said of a command that failed.
    pub fn command_failed(&self, written: &str, output: &str, status: &str) -> String {
        let output = match output.trim_end() {
            "" => String::new(),
            output => format!("{}{output}", self.text(Situation::CommandFailedOutput)),
        };
        let values = [("written", written), ("output", output.as_str()), ("status", status)];
        let text = self.say(Situation::CommandFailed, &values);
        if output.is_empty() { text.trim_end_matches('\n').to_owned() } else { text }
    }

    /// Returns what is said of a command that may not run.
    pub fn command_denied(&self, written: &str, reason: &str) -> String {
        self.say(Situation::CommandDenied, &[("written", written), ("reason", reason)])
    }
}

impl JsonSchema for Texts {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Texts".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        let situations = generator.subschema_for::<Situation>();
        json_schema!({ "type": "object", "propertyNames": situations, "additionalProperties": { "type": "string" } })
    }
}

/// A situation for which a program has its own text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Situation {
    /// There is no such skill: `{name}` was called, `{available}` can be.
    SkillUnknown,
    /// The name has a form that no skill can have: `{name}`, `{available}`.
    SkillBadName,
    /// The list of names, `{available}`, if there is no skill.
    NoSkills,
    /// The model may not call the skill: `{name}`, `{available}`.
    SkillNotForModel,
    /// The user may not call the skill: `{name}`, `{available}`.
    SkillNotForUser,
    /// A permission rule denies the skill: `{name}`, `{available}`.
    SkillDenied,
    /// The skill is switched off: `{name}`, `{available}`.
    SkillDisabled,
    /// The file of the skill cannot be read: `{name}`, `{why}`.
    SkillUnreadable,
    /// The end of a skill that was cut: `{removed}` and `{unit}` say how much is missing, `{max}` is the limit.
    SkillCut,
    /// The catalog if there is no skill; without a text, there is none.
    CatalogEmpty,
    /// After the description of a skill from a folder below, `{rel}`.
    NoteNested,
    /// The same for a skill whose name was taken: `{rel}`, `{name}`.
    NoteNestedOnClash,
    /// In place of a command, if commands are switched off.
    CommandOff,
    /// A command failed: `{written}`, `{output}`, `{status}`.
    CommandFailed,
    /// Before the output of a command that failed.
    CommandFailedOutput,
    /// A command may not run: `{written}`, `{reason}`.
    CommandDenied,
    /// In place of a command without output.
    CommandSilent,
    /// An empty folder.
    FolderEmpty,
    /// The end of a file that was cut: `{removed}` bytes are missing.
    FileCut,
    /// An agent starts with skills that it may not have, so that none is loaded: `{unknown}`, `{available}`.
    /// Without a text they are skipped.
    PreloadUnknown,
    /// The result of a fork: `{name}`, and `{result}`, the agent's last message.
    ForkResult,
    /// The first answer of a fork in the background: `{name}`.
    ForkStarted,
    /// Before skills that are sent again after a conversation was compacted.
    AgainReminder,
    /// In place of a command there, which is not run again: `{command}`.
    AgainCommand,
    /// Before a skill there whose folder has changed: `{name}`.
    AgainChanged,
    /// Where a skill there was cut: `{path}` is its file.
    AgainCut,
    /// An address names no skill.
    ReadNoName,
    /// No skill has that name, as far as the caller may know: `{name}`, `{available}`.
    ReadUnknownSkill,
    /// The caller may not call the skill: `{name}`.
    ReadNotCallable,
    /// The path is empty.
    ReadEmpty,
    /// The path is absolute: `{path}`, `{address}`.
    ReadAbsolute,
    /// The path begins at a home folder: `{path}`, `{address}`.
    ReadHome,
    /// The path holds a zero character.
    ReadNul,
    /// A `%` of an address is not followed by two hexadecimal digits: `{address}`.
    ReadEncoding,
    /// The path climbs out by `..`: `{path}`, `{address}`.
    ReadTraversal,
    /// The path means the skill's folder itself: `{path}`, `{address}`.
    ReadItself,
    /// A link on the way leads out of the skill's folder: `{path}`, `{address}`.
    ReadEscapes,
    /// There is no such file: `{path}`, `{address}`.
    ReadNotFound,
    /// It is a folder, and the host does not list folders: `{path}`, `{address}`.
    ReadFolder,
    /// It is a pipe, a socket or a device: `{path}`, `{address}`.
    ReadSpecial,
    /// The file holds zero characters: `{path}`, `{address}`.
    ReadBinary,
    /// The file is not UTF-8: `{path}`, `{address}`.
    ReadNotUtf8,
    /// The file is too large to be answered whole, and it cannot be cut: `{path}`.
    ReadTooLarge,
    /// The file's permissions do not allow reading it: `{path}`.
    ReadDenied,
    /// A permission rule denies the file: `{path}`.
    ReadForbidden,
    /// The file could not be read for another reason: `{path}`.
    ReadUnreadable,
}

impl Situation {
    /// Returns our text; empty where a host without a text has no say, or where the answer needs more than a text.
    pub fn ours(self) -> &'static str {
        match self {
            Situation::SkillCut => "\n\n[cut here: {removed} {unit} are missing]",
            Situation::CommandOff => "[commands are switched off]",
            Situation::CommandFailed => "[command {status}: {written}]\n{output}",
            Situation::CommandDenied => "[command not run: {written}: {reason}]",
            Situation::FolderEmpty => "(empty folder)",
            Situation::FileCut => "\n\n[cut here: {removed} bytes are missing]",
            Situation::ForkResult => "Skill \"{name}\" completed (forked execution).\n\nResult:\n{result}",
            Situation::ForkStarted => "Skill \"{name}\" runs in the background; its result follows when it is done.",
            Situation::AgainReminder => {
                "These skills were called earlier in this conversation and still hold, newest first. What was said with those calls was dealt with then: it is no new request."
            }
            Situation::AgainCommand => "[not run again: {command}]",
            Situation::AgainChanged => "[`{name}` has changed since it was called; this is how it is now]",
            Situation::AgainCut => "\n\n[cut here; the rest is in {path}]",
            Situation::ReadNoName => "the address names no skill; write `skill://NAME` or `skill://NAME/PATH`",
            Situation::ReadUnknownSkill => "no skill is called `{name}`; there are: {available}",
            Situation::ReadNotCallable => "the skill `{name}` may not be called, so its files are not read",
            Situation::ReadEmpty => "the path is empty; name a file in the skill's folder",
            Situation::ReadAbsolute => "`{path}` is absolute; name a file by its path in the skill's folder",
            Situation::ReadHome => "`{path}` begins at a home folder; name a file by its path in the skill's folder",
            Situation::ReadNul => "the path holds a zero character",
            Situation::ReadEncoding => {
                "a `%` in the address is not followed by two hexadecimal digits; write `%25` for `%`"
            }
            Situation::ReadTraversal => "`{path}` climbs out of the skill's folder",
            Situation::ReadItself => "`{path}` is the skill's folder itself; name a file in it",
            Situation::ReadEscapes => "`{path}` leads out of the skill's folder through a link",
            Situation::ReadNotFound => "`{path}` is not in the skill's folder",
            Situation::ReadFolder => "`{path}` is a folder; name a file in it",
            Situation::ReadSpecial => "`{path}` is not a regular file",
            Situation::ReadBinary => "`{path}` is binary, which is not supported",
            Situation::ReadNotUtf8 => "`{path}` is not UTF-8 text, and binary is not supported",
            Situation::ReadTooLarge => "`{path}` is larger than 16 MiB",
            Situation::ReadDenied => "the permissions of `{path}` keep it from being read",
            Situation::ReadForbidden => "a permission rule keeps `{path}` from being read",
            Situation::ReadUnreadable => "`{path}` could not be read; try again",
            Situation::SkillUnknown
            | Situation::SkillBadName
            | Situation::NoSkills
            | Situation::SkillNotForModel
            | Situation::SkillNotForUser
            | Situation::SkillDenied
            | Situation::SkillDisabled
            | Situation::SkillUnreadable
            | Situation::CatalogEmpty
            | Situation::NoteNested
            | Situation::NoteNestedOnClash
            | Situation::CommandFailedOutput
            | Situation::CommandSilent
            | Situation::PreloadUnknown => "",
        }
    }
}

impl From<ReadProblem> for Situation {
    fn from(problem: ReadProblem) -> Situation {
        match problem {
            ReadProblem::NoName => Situation::ReadNoName,
            ReadProblem::UnknownSkill => Situation::ReadUnknownSkill,
            ReadProblem::NotCallable => Situation::ReadNotCallable,
            ReadProblem::Empty => Situation::ReadEmpty,
            ReadProblem::Absolute => Situation::ReadAbsolute,
            ReadProblem::Home => Situation::ReadHome,
            ReadProblem::Nul => Situation::ReadNul,
            ReadProblem::Encoding => Situation::ReadEncoding,
            ReadProblem::Traversal => Situation::ReadTraversal,
            ReadProblem::Itself => Situation::ReadItself,
            ReadProblem::Escapes => Situation::ReadEscapes,
            ReadProblem::NotFound => Situation::ReadNotFound,
            ReadProblem::Folder => Situation::ReadFolder,
            ReadProblem::Special => Situation::ReadSpecial,
            ReadProblem::Binary => Situation::ReadBinary,
            ReadProblem::NotUtf8 => Situation::ReadNotUtf8,
            ReadProblem::TooLarge => Situation::ReadTooLarge,
            ReadProblem::Denied => Situation::ReadDenied,
            ReadProblem::Forbidden => Situation::ReadForbidden,
            ReadProblem::Unreadable => Situation::ReadUnreadable,
        }
    }
}
