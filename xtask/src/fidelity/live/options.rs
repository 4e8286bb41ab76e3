//! The arguments of `fidelity live`.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::fidelity::peers::Rules;
use crate::fidelity::usage::USAGE;

/// What the command line asks for.
#[derive(Debug)]
pub(in crate::fidelity) struct Options {
    pub(super) seed: u64,
    pub(super) trees: u64,
    /// One tree of the seed instead of all.
    pub(super) only: Option<u64>,
    pub(super) corpus: Option<PathBuf>,
    /// Where the trees with differences are written, as fixtures.
    pub(super) keep: Option<PathBuf>,
    pub(in crate::fidelity) rules: Option<Rules>,
    pub(super) bin: PathBuf,
}

impl Options {
    /// Reads `--NAME VALUE` pairs.
    pub(in crate::fidelity) fn parse(args: &[String]) -> Result<Self> {
        let bin = Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("release/openoxide");
        let mut options = Self { seed: 1, trees: 20, only: None, corpus: None, keep: None, rules: None, bin };
        let mut words = args.iter();
        while let Some(name) = words.next() {
            let value = words.next().with_context(|| format!("`{name}` needs a value"))?;
            options.set(name, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: &str) -> Result<()> {
        match name {
            "--seed" => self.seed = value.parse()?,
            "--trees" => self.trees = value.parse()?,
            "--only" => self.only = Some(value.parse()?),
            "--keep" => self.keep = Some(value.into()),
            "--corpus" => self.corpus = Some(value.into()),
            "--host" => self.rules = Some(Rules::named(value)?),
            "--bin" => self.bin = fs_err::canonicalize(value)?,
            _ => bail!("unknown option `{name}`\n{USAGE}"),
        }
        Ok(())
    }
}
