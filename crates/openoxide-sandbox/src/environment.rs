//! The environment variables of a command: a few fixed ones, and those that the caller sets.

use std::ffi::{OsStr, OsString};
use std::{collections::BTreeMap, fmt, os::unix::ffi::OsStrExt as _};

use crate::system_paths;

mod refused;

/// The environment variables of a command. None is inherited from our own process.
#[derive(Clone, PartialEq, Eq)]
pub struct Environment(BTreeMap<OsString, OsString>);

/// Prints names only: a value may be a secret, and this text may end up in a log.
impl fmt::Debug for Environment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

/// A variable that cannot be given to a command.
#[derive(Clone, Debug, thiserror::Error, PartialEq, Eq)]
pub enum EnvError {
    /// The name is not valid.
    #[error("`{0}` is not the name of a variable; use letters, digits and `_`, and begin with no digit")]
    Name(String),
    /// No command gets a variable of this name.
    #[error("`{name}` is never given to a command: {why}; choose another name")]
    Refused {
        /// The name.
        name: String,
        /// What could be done with it.
        why: &'static str,
    },
    /// The value has a NUL byte.
    #[error("the value of `{0}` has a NUL byte, which no variable can hold")]
    Value(String),
}

impl Default for Environment {
    fn default() -> Self {
        let fixed = [
            ("PATH", system_paths::PATH),
            ("HOME", system_paths::HOME),
            ("TMPDIR", system_paths::TEMP),
            ("LANG", "C.UTF-8"),
            ("TERM", "dumb"),
        ];
        Self(fixed.into_iter().map(|(name, value)| (name.into(), value.into())).collect())
    }
}

impl Environment {
    /// Adds a variable that a skill asked for. Unlike [`set`](Self::set), it refuses those that are ours.
    pub fn give(&mut self, name: impl AsRef<OsStr>, value: impl Into<OsString>) -> Result<(), EnvError> {
        let shown = name.as_ref().to_string_lossy();
        if refused::is_ours(&shown) {
            return Err(EnvError::Refused { name: shown.into_owned(), why: refused::IS_OURS });
        }
        self.set(name, value)
    }

    /// Adds a variable of ours, or replaces the language or the terminal.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl Into<OsString>) -> Result<(), EnvError> {
        let (name, value) = (name.as_ref(), value.into());
        let shown = || name.to_string_lossy().into_owned();
        if !is_name(name.as_bytes()) {
            return Err(EnvError::Name(shown()));
        }
        if let Some(why) = refused::why_refused(&name.to_string_lossy()) {
            return Err(EnvError::Refused { name: shown(), why });
        }
        if value.as_bytes().contains(&0) {
            return Err(EnvError::Value(shown()));
        }
        self.0.insert(name.to_owned(), value);
        Ok(())
    }

    /// Returns all variables, sorted by name.
    pub fn iter(&self) -> impl Iterator<Item = (&OsStr, &OsStr)> {
        self.0.iter().map(|(name, value)| (name.as_os_str(), value.as_os_str()))
    }
}

fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|first| !first.is_ascii_digit())
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_which_program_runs_is_fixed() {
        let mut environment = Environment::default();
        for name in ["PATH", "HOME", "LD_PRELOAD", "BASH_ENV", "IFS", "NODE_OPTIONS", "GIT_SSH_COMMAND"] {
            let refused = environment.set(name, ".").unwrap_err();
            assert!(matches!(&refused, EnvError::Refused { name: shown, .. } if shown == name), "{refused}");
            assert_eq!(environment.give(name, "."), Err(refused));
        }
        let refused = environment.give("OPENOXIDE_TOKEN", "t").unwrap_err();
        assert_eq!(
            refused.to_string(),
            "`OPENOXIDE_TOKEN` is never given to a command: it belongs to OpenOxide, and may be a secret of it; choose \
             another name"
        );
        for name in ["", "1A", "A=B", "A B", "A\0"] {
            assert_eq!(environment.set(name, "x"), Err(EnvError::Name(name.to_owned())));
        }
        assert_eq!(environment.set("A", "x\0y"), Err(EnvError::Value("A".to_owned())));
        assert_eq!(environment, Environment::default());
    }

    #[test]
    fn what_is_given_is_added_to_the_fixed_ones() {
        let mut environment = Environment::default();
        environment.set("OPENOXIDE_ARG_1", "; touch x").unwrap();
        environment.set("LANG", "de_DE.UTF-8").unwrap();
        let names: Vec<_> = environment.iter().map(|(name, _)| name.to_str().unwrap()).collect();
        assert_eq!(names, ["HOME", "LANG", "OPENOXIDE_ARG_1", "PATH", "TERM", "TMPDIR"]);
    }

    #[test]
    fn a_debug_text_has_no_values() {
        let mut environment = Environment::default();
        environment.set("TOKEN", "hunter2").unwrap();
        let text = format!("{environment:?}");
        assert!(text.contains("TOKEN") && !text.contains("hunter2"), "{text}");
    }
}
