//! Arguments that several commands take.

use std::path::PathBuf;

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args, ValueEnum};
use openoxide_app::Caller;

/// Flags that every command takes.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Common options")]
#[expect(clippy::doc_markdown, reason = "help is plain text")]
pub(crate) struct Common {
    /// Work in this folder, and the project around it
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) project: Vec<PathBuf>,
    /// Follow this host's rules [config: host] [env: OPENOXIDE_HOST]
    #[arg(long, global = true, value_name = "HOST[@EDITION]")]
    pub(crate) host: Option<String>,
    /// Follow this agent's permission rules too; with --host, also one that the host has [config: agents]
    #[arg(long, global = true, value_name = "NAME")]
    pub(crate) agent: Option<String>,
    /// Search one more folder (can be repeated)
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) add_dir: Vec<PathBuf>,
    /// Assume that this file was read or edited (can be repeated)
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) touch: Vec<PathBuf>,
    /// Print JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// When to use color [config: color]
    #[arg(long, global = true, value_name = "WHEN")]
    pub(crate) color: Option<When>,
    /// Print less
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
    /// Print more
    #[arg(short, long, global = true)]
    pub(crate) verbose: bool,
    /// Set a setting for this run (can be repeated)
    #[arg(long, global = true, value_name = "KEY=VALUE")]
    pub(crate) config: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum When {
    /// On a terminal
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

/// Returns a parser of who calls a skill: the same words for every command.
pub(crate) fn caller() -> impl TypedValueParser<Value = Caller> {
    let all = [(Caller::User, "A person"), (Caller::Model, "The model, by a tool")];
    let words = all.map(|(caller, help)| PossibleValue::new(caller.as_str()).help(help));
    let meant = move |word: String| {
        // No other word comes this far. A person is at the terminal.
        all.iter().find(|(caller, _)| caller.as_str() == word).map_or(Caller::User, |(caller, _)| *caller)
    };
    PossibleValuesParser::new(words).map(meant)
}
