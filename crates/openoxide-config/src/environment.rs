//! The process's environment as values: folders and variables.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The environment variables that OpenOxide itself reads.
pub mod variables {
    /// The folder for the user's skills, settings and state; `~/.openoxide` by default.
    pub const OPENOXIDE_HOME: &str = "OPENOXIDE_HOME";
    /// The host whose rules are followed when no `--host` is given.
    pub const OPENOXIDE_HOST: &str = "OPENOXIDE_HOST";
    /// What the commands that serve log on standard error: a level, or targets with levels.
    pub const OPENOXIDE_LOG: &str = "OPENOXIDE_LOG";
    /// `off` leaves out OpenOxide's own skills: they are not listed from the program, and not written.
    pub const OPENOXIDE_SYSTEM_SKILLS: &str = "OPENOXIDE_SYSTEM_SKILLS";
    /// The access token that programs show to `serve`, in place of the user's own; settings that connect an agent name this variable.
    pub const OPENOXIDE_TOKEN: &str = "OPENOXIDE_TOKEN";
    /// Any value turns colors off.
    pub const NO_COLOR: &str = "NO_COLOR";

    /// All of them, with the descriptions that the reference prints.
    pub const ALL: &[(&str, &str)] = &[
        (OPENOXIDE_HOME, "The folder for the user's skills, settings and state; `~/.openoxide` by default."),
        (OPENOXIDE_HOST, "The host whose rules are followed when no `--host` is given."),
        (
            OPENOXIDE_LOG,
            "What `serve`, `mcp` and `app-server` log on standard error: a level such as `debug`, or targets with levels, such as `openoxide=warn,rmcp=debug`; `info` by default.",
        ),
        (
            OPENOXIDE_SYSTEM_SKILLS,
            "`off` leaves out OpenOxide's own skills: they are not listed from the program, and not written to their folder.",
        ),
        (
            OPENOXIDE_TOKEN,
            "The access token that programs show to `serve`, in place of the user's own; settings that connect an agent name this variable.",
        ),
        (NO_COLOR, "Any value turns colors off."),
    ];
}

pub(crate) const NO_HOME_WORD: &str = "no-home";

pub(crate) const NO_HOME_HINT: &str = "set HOME or OPENOXIDE_HOME";

/// The process's environment. Tests make their own, so that nothing reads the real one.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// The current directory, absolute.
    pub cwd: PathBuf,
    /// The user's home folder.
    pub home: Option<PathBuf>,
    /// The variables that are UTF-8.
    pub variables: BTreeMap<String, String>,
    /// The folder for the administrator's settings and skills.
    pub admin: PathBuf,
    /// Whether OpenOxide's own skills are among the skills.
    pub own_skills: bool,
}

impl Environment {
    /// Reads the environment of this process.
    pub fn from_process() -> Environment {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        let variables: BTreeMap<String, String> = std::env::vars_os().filter_map(text).collect();
        let home = std::env::var_os("HOME").map(PathBuf::from).filter(|home| can_be_home(home));
        let cwd = std::env::current_dir().unwrap_or_else(|_| PathBuf::from("/"));
        let own_skills = variables.get(variables::OPENOXIDE_SYSTEM_SKILLS).is_none_or(|value| value != "off");
        Environment { cwd, home, variables, admin: PathBuf::from("/etc/openoxide"), own_skills }
    }

    /// Returns a variable that is set and not empty.
    pub fn variable(&self, name: &str) -> Option<&str> {
        self.variables.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// Returns the folder for the user's skills, settings and state.
    pub fn openoxide_home(&self) -> Option<PathBuf> {
        match self.variable(variables::OPENOXIDE_HOME) {
            Some(home) => Some(self.cwd.join(home)),
            None => self.home.as_ref().map(|home| home.join(".openoxide")),
        }
    }

    /// Makes a relative `$OPENOXIDE_HOME` absolute, so that it does not move with `cwd`.
    pub(crate) fn fix_home(&mut self) {
        if let Some(home) = self.variable(variables::OPENOXIDE_HOME) {
            let whole = self.cwd.join(home).to_string_lossy().into_owned();
            self.variables.insert(variables::OPENOXIDE_HOME.to_owned(), whole);
        }
    }
}

/// Tells whether a path can be a home: accounts of services without one have `/dev/null` there. A folder that is missing, or
/// that cannot be looked at, is a home all the same.
fn can_be_home(path: &Path) -> bool {
    path.is_absolute() && path.metadata().map_or(true, |stat| stat.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_folder_is_no_home() {
        let dir = tempfile::tempdir().unwrap();
        let file = dir.path().join("file");
        fs_err::write(&file, "").unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("nowhere", &link).unwrap();
        for (path, expected) in [
            (dir.path(), true),
            (&dir.path().join("missing"), true),
            (&link, true),
            (&file, false),
            (Path::new("/dev/null"), false),
            (Path::new("relative"), false),
        ] {
            assert_eq!(can_be_home(path), expected, "{}", path.display());
        }
    }
}
