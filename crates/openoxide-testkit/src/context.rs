//! A scratch home and project, and binaries that run in them with an empty environment.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

use crate::fixture::Fixture;

/// A temporary folder with `home/` and `project/`. It is removed when the context is dropped.
#[derive(Debug)]
pub struct TestContext {
    // Kept for its destructor; `root` is its canonical path.
    _temp: TempDir,
    root: PathBuf,
}

/// The output of a binary, with the context's folder replaced by `[ROOT]`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Output {
    /// The exit status, or `None` if a signal ended it.
    pub status: Option<i32>,
    /// Standard output.
    pub stdout: String,
    /// Standard error.
    pub stderr: String,
}

impl TestContext {
    /// Makes a context whose project is a Git repository's root and whose home is empty.
    ///
    /// # Panics
    ///
    /// If no temporary folder can be made.
    #[must_use]
    pub fn new() -> Self {
        let temp = tempfile::Builder::new().prefix("openoxide-").tempdir().expect("a temporary folder can be made");
        let root = fs_err::canonicalize(temp.path()).expect("the temporary folder exists");
        Self { _temp: temp, root }.furnished()
    }

    /// Makes a context whose root's path has exactly `length` bytes, for texts that are cut by length and name paths.
    ///
    /// # Panics
    ///
    /// If the path of the temporary folder is too long already.
    #[must_use]
    pub fn padded(length: usize) -> Self {
        let mut context = Self::new();
        let used = context.root.as_os_str().len() + 1;
        assert!(used < length, "{} is too long for a path of {length} bytes", context.root.display());
        context.root = context.root.join("p".repeat(length - used));
        context.furnished()
    }

    fn furnished(self) -> Self {
        self.tree("//- home/\n//- project/.git/HEAD\nref: refs/heads/main\n");
        self
    }

    /// Returns the folder that holds `home/` and `project/`, without links in its path.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// Returns the folder that `HOME` names.
    pub fn home(&self) -> PathBuf {
        self.root.join("home")
    }

    /// Returns the folder that commands run in.
    pub fn project(&self) -> PathBuf {
        self.root.join("project")
    }

    /// Writes a [`Fixture`] whose paths begin with `home/`, `project/` or any other name.
    pub fn tree(&self, text: &str) -> &Self {
        Fixture::parse(text).write(&self.root);
        self
    }

    /// Writes a skill into the project's `.agents/skills`.
    pub fn skill(&self, name: &str, description: &str) -> &Self {
        self.tree(&format!(
            "//- project/.agents/skills/{name}/SKILL.md\n---\nname: {name}\ndescription: {description}\n---\n# {name}\n"
        ))
    }

    /// Prepares `bin` in the project, with an empty environment except for `HOME`, `PATH`, and what leaves out the program's own skills.
    pub fn command(&self, bin: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let mut command = Command::new(bin);
        command
            .args(args)
            .env_clear()
            .env("HOME", self.home())
            .env("PATH", "/usr/bin:/bin")
            // A test that is about the program's own skills removes this.
            .env("OPENOXIDE_SYSTEM_SKILLS", "off")
            .current_dir(self.project());
        command
    }

    /// Runs `bin` and returns its output.
    pub fn run(&self, bin: &Path, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Output {
        self.answer(&mut self.command(bin, args))
    }

    /// Runs a command that [`TestContext::command`] prepared and the caller has changed.
    ///
    /// # Panics
    ///
    /// If the command cannot be started.
    pub fn answer(&self, command: &mut Command) -> Output {
        let output = command.output().unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
        Output {
            status: output.status.code(),
            stdout: self.filtered(&output.stdout),
            stderr: self.filtered(&output.stderr),
        }
    }

    /// Returns output as text, without what differs between runs and machines.
    pub fn filtered(&self, bytes: &[u8]) -> String {
        without_machine(&String::from_utf8_lossy(bytes)).replace(&*self.root.to_string_lossy(), "[ROOT]")
    }
}

/// Replaces the text that differs between machines: the isolation of commands, on one line or more.
fn without_machine(text: &str) -> String {
    const LEAD: &str = "Isolation: ";
    let mut kept = String::new();
    let mut inside = false;
    for line in text.split_inclusive('\n') {
        inside = inside && line.starts_with(&" ".repeat(LEAD.len()));
        if line.starts_with(LEAD) {
            inside = true;
            kept.push_str("Isolation: [ISOLATION]\n");
        } else if !inside {
            kept.push_str(line);
        }
    }
    kept
}

impl Default for TestContext {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Display for Output {
    /// Writes status, standard output and standard error in one text, for snapshots.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.status {
            Some(status) => writeln!(formatter, "status: {status}")?,
            None => writeln!(formatter, "status: signal")?,
        }
        write!(formatter, "----- stdout -----\n{}----- stderr -----\n{}", self.stdout, self.stderr)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_sees_only_home_and_path() {
        let context = TestContext::new();
        let output = context.run(Path::new("/usr/bin/env"), [] as [&str; 0]);
        assert_eq!(
            output.to_string(),
            "status: 0\n----- stdout -----\nHOME=[ROOT]/home\nOPENOXIDE_SYSTEM_SKILLS=off\nPATH=/usr/bin:/bin\n----- stderr -----\n"
        );
    }

    #[test]
    fn a_padded_root_has_its_length() {
        assert_eq!(TestContext::padded(96).root().as_os_str().len(), 96);
    }

    #[test]
    fn a_skill_lands_in_the_project() {
        let context = TestContext::new();
        context.skill("pdf", "Fills in forms");
        let output = context.run(Path::new("/bin/cat"), [".agents/skills/pdf/SKILL.md"]);
        assert_eq!(output.stdout, "---\nname: pdf\ndescription: Fills in forms\n---\n# pdf\n");
    }
}
