//! What is replaced in a skill's text when the skill is called: arguments, commands, files.

use crate::text::shell::last_command;
use schemars::JsonSchema;
use serde::Deserialize;

/// Placeholders for arguments and known values in a skill's text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRules {
    /// The number of the first argument in `$N`.
    pub first: usize,
    /// Whether `$ARGUMENTS[N]` is one argument; otherwise it is all of them and a bracket.
    pub bracketed: bool,
    /// A placeholder without an argument.
    pub missing: MissingArgument,
    /// Whether the placeholder with the greatest number takes all words that are left.
    pub last_takes_rest: bool,
    /// Whether `$N` is a placeholder only if no letter, digit or underscore follows.
    pub boundary: bool,
    /// How typed text becomes words.
    pub words: WordRule,
    /// Whether names under `arguments` in the frontmatter can be used as `$name`; one that is not given is empty.
    pub named: bool,
    /// What a backslash protects.
    pub escape: Escape,
    /// Known values, used as `${NAME}`.
    pub variables: Vec<VariableName>,
    /// The text that is added if arguments are given and no placeholder uses one, with `{arguments}`; absent: none.
    pub append: Option<String>,
}

impl Default for ArgumentRules {
    fn default() -> Self {
        ArgumentRules {
            first: 0,
            bracketed: true,
            missing: MissingArgument::Stays,
            last_takes_rest: false,
            boundary: true,
            words: WordRule::Shell,
            named: true,
            escape: Escape::Everything,
            variables: Vec::new(),
            append: None,
        }
    }
}

/// A placeholder without an argument.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingArgument {
    /// It stays.
    #[default]
    Stays,
    /// It is removed.
    Empty,
}

/// How typed text becomes words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WordRule {
    /// As in a shell; a quote that is not closed is an ordinary character.
    #[default]
    Shell,
    /// As in a shell, but backslashes inside quotes stay, and a quote that is not closed extends to the end.
    ShellText,
    /// Quoted texts, pictures such as `[Image 1]`, and words without blanks and quotes.
    Tokens,
}

/// What a backslash protects; the backslash itself is removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Escape {
    /// Nothing; it is an ordinary character.
    Nothing,
    /// Placeholders for arguments, not known values, commands or files.
    Arguments,
    /// Placeholders, known values, commands and files.
    #[default]
    Everything,
}

/// A name for a known value.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct VariableName {
    /// The name.
    pub name: String,
    /// The value.
    pub is: Variable,
}

/// A value that is known when a skill is called.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Variable {
    /// The session.
    SessionId,
    /// The skill's folder.
    SkillDir,
    /// The project's root.
    ProjectDir,
    /// The folder of the plugin that the skill is part of.
    PluginRoot,
    /// The folder for data of that plugin.
    PluginData,
    /// The effort setting of the model.
    Effort,
}

impl Variable {
    /// Returns the environment variable that holds the value for a command.
    pub fn environment_name(self) -> &'static str {
        match self {
            Variable::SessionId => "OPENOXIDE_SESSION_ID",
            Variable::SkillDir => "OPENOXIDE_SKILL_DIR",
            Variable::ProjectDir => "OPENOXIDE_PROJECT_DIR",
            Variable::PluginRoot => "OPENOXIDE_PLUGIN_ROOT",
            Variable::PluginData => "OPENOXIDE_PLUGIN_DATA",
            Variable::Effort => "OPENOXIDE_EFFORT",
        }
    }
}

/// Commands in a skill's text that are replaced by their output. Arguments are filled in first, as data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShellRules {
    /// Whether commands may be run at all.
    pub run: bool,
    /// Where a command in a line, an exclamation mark and the command in backticks, is recognized.
    pub inline: InlinePlace,
    /// Which code fence with an exclamation mark is a command.
    pub block: BlockForm,
    /// What happens when a command fails.
    pub failure: OnFailure,
    /// Commands that may end with status 1 without having failed; the last one of a
    /// line decides.
    pub fine: Vec<String>,
    /// Whether standard error is part of the output.
    pub stderr: bool,
    /// Whether blanks and line ends after the output are removed.
    pub trim_end: bool,
    /// The most seconds that a command may take.
    pub seconds: u64,
    /// The most characters of output.
    pub output_max: usize,
}

impl Default for ShellRules {
    fn default() -> Self {
        ShellRules {
            run: true,
            inline: InlinePlace::AfterSpace,
            block: BlockForm::Fence,
            failure: OnFailure::InPlace,
            fine: Vec::new(),
            stderr: false,
            trim_end: true,
            seconds: 120,
            output_max: 30_000,
        }
    }
}

/// Where a command in a line is recognized.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum InlinePlace {
    /// At the start of a line, or after a blank.
    AfterSpace,
    /// Anywhere.
    Anywhere,
    /// Nowhere.
    Nowhere,
}

/// Which code fence with an exclamation mark is a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockForm {
    /// A code fence that opens with three backticks and the mark, alone on a line.
    Fence,
    /// Everything from three backticks and the mark to the next three backticks.
    Anywhere,
    /// None.
    None,
}

/// What happens when a command fails.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// The command is replaced by a note.
    #[default]
    InPlace,
    /// The skill is not called, and the caller gets the reason.
    Abort,
    /// The command is replaced by its output all the same.
    Ignore,
}

/// File names in a skill's text, `@path`, whose text is attached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileRules {
    /// What must come before the `@`.
    pub before: FileStart,
    /// Characters that end a name, beside blanks.
    pub ends: String,
    /// Which of the characters before that belong to the name.
    pub keeps: FileNameEnd,
    /// Whether a name may be in double quotes, with blanks in it.
    pub quoted: bool,
    /// The folders in which a name is looked for, in order.
    pub beneath: Vec<FileBase>,
    /// The most files that are attached.
    #[serde(skip)]
    pub max: usize,
    /// The most bytes of one file; it is cut there.
    #[serde(skip)]
    pub bytes: u64,
    /// The most bytes of all files together; what would go beyond is not attached.
    #[serde(skip)]
    pub total: u64,
    /// The closing tag of the frame that `attachment.jinja` draws; in a file its first character is escaped.
    #[serde(skip)]
    pub guard: Vec<String>,
    /// Whether a missing file is reported.
    pub tell_missing: bool,
}

impl Default for FileRules {
    fn default() -> Self {
        FileRules {
            before: FileStart::Space,
            ends: "`,".to_owned(),
            keeps: FileNameEnd::InnerDots,
            quoted: true,
            beneath: vec![FileBase::Project, FileBase::Skill],
            max: 50,
            bytes: 256 * 1024,
            total: 1024 * 1024,
            guard: vec!["</file>".to_owned()],
            tell_missing: false,
        }
    }
}

/// What must come before the `@` of a file name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileStart {
    /// A blank, or nothing.
    #[default]
    Space,
    /// Anything but an English letter, a digit, an underscore or a backtick.
    NoWord,
}

/// Which of the characters before the end of a file's name belong to it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileNameEnd {
    /// All; a dot that is not the first only when a character of the name follows that is no dot.
    #[default]
    InnerDots,
    /// All up to the last letter, digit or underscore.
    Word,
}

/// A folder that names of files are looked for in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FileBase {
    /// The folder that was started in.
    Cwd,
    /// The project's root.
    Project,
    /// The skill's folder.
    Skill,
}

impl ShellRules {
    /// Tells whether a status of a command is no failure.
    pub fn is_fine(&self, command: &str, status: i32) -> bool {
        let words = last_command(command);
        let covers = |program: &String| program.split(' ').eq(words.iter().take(program.split(' ').count()));
        status == 0 || (status == 1 && self.fine.iter().any(covers))
    }
}
