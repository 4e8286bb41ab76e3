//! `man`: writes the man pages from the definition of the command line.

use std::path::Path;

use anyhow::{Context as _, Result};

use crate::metadata;
use crate::shell::{no_arguments, say};

/// Runs `cargo xtask man`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    no_arguments("man", args)?;
    let folder = metadata::target()?.join("man");
    write(&folder)?;
    say(format!("wrote the man pages to {}; try `man -l {0}/openoxide.1`", folder.display()));
    Ok(())
}

/// Writes a man page for the program and for each of its commands.
pub(crate) fn write(folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    let context = || format!("the man pages cannot be written to {}", folder.display());
    clap_mangen::generate_to(openoxide_cli::command(), folder).with_context(context)
}
