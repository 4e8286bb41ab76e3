//! A tree on disk, with the folder, environment and arguments that a program runs with.

use std::path::{Path, PathBuf};
use std::process::Command;

use openoxide_testkit::TestContext;

/// The path of every scene's tree has this many bytes, because catalogs that name paths are cut by length.
pub(super) const ROOT_LENGTH: usize = 96;

/// Where and how a program is run.
#[derive(Debug)]
pub(super) struct Scene {
    context: TestContext,
    /// The working folder, relative to the tree.
    pub(super) cwd: String,
    /// Variables that both programs get; `{root}` stands for the tree.
    pub(super) env: Vec<(String, String)>,
    /// Extra arguments in the words of `openoxide`.
    pub(super) args: Vec<String>,
}

impl Scene {
    /// Makes an empty scene: a home and a project.
    pub(super) fn new() -> Self {
        Self { context: TestContext::padded(ROOT_LENGTH), cwd: "project".to_owned(), env: Vec::new(), args: Vec::new() }
    }

    /// Writes a tree into the scene.
    pub(super) fn tree(&self, text: &str) {
        self.context.tree(text);
    }

    /// Sets a variable for both programs.
    pub(super) fn set(&mut self, name: &str, value: &str) {
        self.env.push((name.to_owned(), value.to_owned()));
    }

    /// Returns the tree's folder.
    pub(super) fn root(&self) -> &Path {
        self.context.root()
    }

    /// Returns the working folder.
    pub(super) fn folder(&self) -> PathBuf {
        self.root().join(&self.cwd)
    }

    /// Prepares a program with this scene's home, folder and variables, and nothing else around.
    pub(super) fn command(&self, program: &Path) -> Command {
        let mut command = self.context.command(program, [] as [&str; 0]);
        command.current_dir(self.folder());
        for (name, value) in &self.env {
            command.env(name, self.placed(value));
        }
        command
    }

    /// Returns the values of a repeatable option among the arguments.
    pub(super) fn option(&self, name: &str) -> Vec<String> {
        let pairs = self.args.iter().zip(self.args.iter().skip(1));
        pairs.filter(|(option, _)| *option == name).map(|(_, value)| self.placed(value)).collect()
    }

    /// Puts the tree's folder in the place of `{root}`.
    pub(super) fn placed(&self, text: &str) -> String {
        text.replace("{root}", &self.root().to_string_lossy())
    }

    /// Puts `{root}` in the place of the tree's folder.
    pub(super) fn portable(&self, text: &str) -> String {
        text.replace(&*self.root().to_string_lossy(), "{root}")
    }
}
