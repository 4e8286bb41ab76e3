//! The environment variables of a command: a few fixed ones, and those that the caller sets.

use std::ffi::{OsStr, OsString};
use std::{collections::BTreeMap, fmt, os::unix::ffi::OsStrExt as _};

use crate::system_paths;

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
    /// The sandbox sets it.
    #[error("`{0}` is set by the sandbox, because it decides which programs run; choose another name")]
    Fixed(String),
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
    /// Adds a variable, or replaces the language or the terminal.
    pub fn set(&mut self, name: impl AsRef<OsStr>, value: impl Into<OsString>) -> Result<(), EnvError> {
        let (name, value) = (name.as_ref(), value.into());
        let shown = || name.to_string_lossy().into_owned();
        if !is_name(name.as_bytes()) {
            return Err(EnvError::Name(shown()));
        }
        if is_fixed(name.as_bytes()) {
            return Err(EnvError::Fixed(shown()));
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

/// Returns whether the sandbox sets a variable or forbids it. The helper runs with the same variables before the command
/// does, so none of them may influence the dynamic loader either.
fn is_fixed(name: &[u8]) -> bool {
    const FIXED: [&[u8]; 6] = [b"PATH", b"HOME", b"TMPDIR", b"IFS", b"ENV", b"BASH_ENV"];
    FIXED.contains(&name) || name.starts_with(b"LD_") || name.starts_with(b"GLIBC_") || name == b"MALLOC_CHECK_"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_decides_which_program_runs_is_fixed() {
        let mut environment = Environment::default();
        for name in ["PATH", "HOME", "LD_PRELOAD", "BASH_ENV", "IFS"] {
            assert_eq!(environment.set(name, "."), Err(EnvError::Fixed(name.to_owned())));
        }
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
