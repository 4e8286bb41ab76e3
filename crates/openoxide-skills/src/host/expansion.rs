//! What in a skill's text stands for something else when the skill is called: arguments, commands, files.

use crate::text::shell::last_command;
use schemars::JsonSchema;
use serde::Deserialize;

/// What stands for arguments and known values in a skill's text.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ArgumentRules {
    /// The number of the first argument in `$N`.
    pub first: usize,
    /// Whether `$ARGUMENTS[N]` stands for one argument; otherwise it is all of them and a bracket.
    pub bracketed: bool,
    /// What a placeholder becomes whose argument was not given.
    pub missing: MissingArgument,
    /// Whether the placeholder with the greatest number takes all words that are left.
    pub last_takes_rest: bool,
    /// Whether `$N` counts only when no letter, digit or underscore follows.
    pub boundary: bool,
    /// How typed text becomes words.
    pub words: WordRule,
    /// Whether the names under `arguments` in the frontmatter stand for arguments, as `$name`; one not given is empty.
    pub named: bool,
    /// What a single backslash keeps from being replaced.
    pub escape: Escape,
    /// Known values that can be named, as in `${NAME}`.
    pub variables: Vec<VariableName>,
    /// What follows the text when arguments were given and no placeholder took one, with `{arguments}`; absent: nothing.
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

/// What a placeholder becomes whose argument was not given.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum MissingArgument {
    /// It stays as it is written.
    #[default]
    Stays,
    /// It goes.
    Empty,
}

/// How typed text becomes words.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum WordRule {
    /// Quotes and backslashes as in a shell; a quote that nothing closes is an ordinary character.
    #[default]
    Shell,
    /// As in a shell, but a backslash inside quotes stays, and a quote that nothing closes takes the rest as it is.
    ShellText,
    /// A picture such as `[Image 1]`, a text in quotes, or a run of characters that are neither blanks nor quotes.
    Tokens,
}

/// What a single backslash keeps from being replaced; the backslash goes.
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
    /// What stands between the braces.
    pub name: String,
    /// What it stands for.
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
    /// How hard the model is told to think.
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

/// Commands in a skill's text whose output takes their place. Arguments are filled in first, as data.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ShellRules {
    /// Whether commands may be run at all.
    pub run: bool,
    /// Where a command in the line, an exclamation mark and the command in backticks, may stand.
    pub inline: InlinePlace,
    /// Which fence with an exclamation mark holds a command.
    pub block: BlockForm,
    /// What happens when a command fails.
    pub failure: OnFailure,
    /// Programs whose status 1 is no failure, each with its first word of arguments if that matters; the last one of a
    /// line of commands decides.
    pub fine: Vec<String>,
    /// Whether what a command says on standard error counts as output.
    pub stderr: bool,
    /// Whether blanks and line ends after the output go.
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

/// Where a command in the line may stand.
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

/// Which fence with an exclamation mark holds a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum BlockForm {
    /// A code fence of its own lines, after whose opening backticks only the mark stands.
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
    /// What is said of it takes its place.
    #[default]
    InPlace,
    /// The skill is not called, and the caller is told why.
    Abort,
    /// Its output takes its place as if it had not failed.
    Ignore,
}

/// Names of files in a skill's text, `@path`, whose text is attached.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct FileRules {
    /// What must stand before the mark.
    pub before: FileStart,
    /// Characters that end a name, beside blanks.
    pub ends: String,
    /// Which of the characters before that belong to a name.
    pub keeps: FileNameEnd,
    /// Whether a name may stand in double quotes, with blanks in it.
    pub quoted: bool,
    /// The folders that a name is looked for in; the first that has it.
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
    /// Whether people are told of a name that leads to no file.
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

/// What must stand before the mark of a file's name.
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
