//! The options of `check`.

use std::path::PathBuf;

use clap::ArgGroup;

/// Check skills for errors
///
/// Without a path, checks every skill that one of your agents finds from here. A path may be a skill's folder, its file,
/// or a folder of skills, in a project or not. A finding is an error if one of your agents drops the skill or if its
/// description is still a placeholder, a warning if an agent reads it differently, and a note if only the standard objects.
/// Exit status: 0 without an error, 1 with one; with --diff, 1 if there is something to change.
#[derive(Debug, clap::Args)]
#[command(group = ArgGroup::new("changes").args(["fix", "diff"]).multiple(true))]
pub(crate) struct CheckArgs {
    /// Skills, or folders of skills
    #[arg(value_name = "PATH")]
    pub(super) paths: Vec<PathBuf>,
    /// Fix what is certain, only below the given paths, or else only in the project
    #[arg(long)]
    pub(super) fix: bool,
    /// Show what --fix would change, and write nothing
    #[arg(long, conflicts_with_all = ["format", "json"])]
    pub(super) diff: bool,
    /// Let --fix rename files and folders that nothing refers to
    #[arg(long, requires = "changes")]
    pub(super) rename: bool,
    /// Check for every host that is known
    #[arg(long, conflicts_with = "host")]
    pub(super) all_hosts: bool,
    /// Report violations of the standard as errors, even if your agents accept them
    #[arg(long)]
    pub(super) strict: bool,
    /// Report only findings with these codes [config: check.select]
    #[arg(long, value_name = "CODE", value_delimiter = ',', num_args = 1)]
    pub(super) select: Vec<String>,
    /// Report no findings with these codes [config: check.ignore]
    #[arg(long, value_name = "CODE", value_delimiter = ',', num_args = 1)]
    pub(super) ignore: Vec<String>,
    /// The output format
    #[arg(long, value_enum, default_value = "text", conflicts_with = "json")]
    pub(super) format: Format,
}

/// The form of the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    /// For people; repeats are grouped
    Text,
    /// One line for each finding
    Concise,
    /// For programs
    Json,
    /// For code scanning services
    Sarif,
    /// For annotations in GitHub's checks
    Github,
}
