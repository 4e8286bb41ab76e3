//! The rules and values that one skill's text is expanded with for one caller.

use std::collections::BTreeMap;

use crate::host::{ArgumentRules, BlockForm, Callers, FileRules, Host, ShellRules, Situation, Variable};

/// Most names of arguments that are used.
const MOST_NAMES: usize = 64;

/// Known values, by what they are. A placeholder for one that is not here stays as it is written.
pub type Variables = BTreeMap<Variable, String>;

/// The rules by which one skill's text is read for one caller.
#[derive(Clone, Debug, Default)]
pub struct Expansion<'h> {
    pub(super) arguments: Option<&'h ArgumentRules>,
    pub(super) shell: Option<&'h ShellRules>,
    pub(super) files: Option<&'h FileRules>,
    /// What takes the place of a command that may not run.
    pub(super) off: &'h str,
    /// Whether code and comments are read like any other text.
    pub(super) in_code: bool,
    /// Names of arguments, in the order of the arguments.
    pub(super) names: Vec<&'h str>,
}

impl Host {
    /// Returns the rules by which a skill's text is read, when the user or the model calls it.
    ///
    /// `names` are what the skill's frontmatter lists under `arguments`.
    pub fn expansion<'h>(&'h self, by_user: bool, names: &'h [String]) -> Expansion<'h> {
        let is_meant = by_user || self.activation.expand_for == Callers::Anyone;
        let arguments = self.arguments.as_ref().filter(|_| is_meant);
        let named = arguments.is_some_and(|rules| rules.named);
        Expansion {
            arguments,
            shell: self.shell.as_ref().filter(|_| is_meant),
            files: self.files.as_ref().filter(|_| is_meant),
            off: self.texts.text(Situation::CommandOff),
            in_code: self.activation.expand_in_code,
            names: names.iter().filter(|name| named && is_name(name)).take(MOST_NAMES).map(String::as_str).collect(),
        }
    }
}

impl Expansion<'_> {
    /// Tells whether code is read like any other text, so that it need not be found.
    pub(super) fn looks_into_code(&self) -> bool {
        let has_none = self.arguments.is_none() && self.shell.is_none() && self.files.is_none();
        has_none || (self.in_code && self.shell.is_none_or(|rules| rules.block != BlockForm::Fence))
    }
}

/// Tells whether an argument can have a name; one of digits alone would be its number.
fn is_name(name: &str) -> bool {
    !name.is_empty() && !name.bytes().all(|byte| byte.is_ascii_digit())
}
