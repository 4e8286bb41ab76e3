//! `dist`: builds a release: binary, man pages, completions and licences.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result};
use clap::ValueEnum as _;
use clap_complete::{Generator as _, Shell};

use crate::shell::{cargo, repository, run as run_command, say, step, typed};
use crate::{man, metadata, shell};

/// Files of the repository that go along.
const FILES: &[&str] = &["README.md", "CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT"];

/// Runs `cargo xtask dist`.
pub(crate) fn run(args: &[String]) -> Result<()> {
    shell::no_arguments("dist", args)?;
    let triple = triple()?;
    let folder = metadata::target()?.join("dist").join(format!("openoxide-{}-{triple}", env!("CARGO_PKG_VERSION")));
    if folder.exists() {
        fs_err::remove_dir_all(&folder)?;
    }
    fs_err::create_dir_all(&folder)?;
    let binary = build(&triple)?;
    step("man pages, completions, licences", || furnish(&folder, &binary, &triple))?;
    say(format!("ready: {}", folder.display()));
    Ok(())
}

/// Returns the machine that this toolchain builds for.
fn triple() -> Result<String> {
    let version = shell::answer(Command::new("rustc").arg("-vV"))?;
    let host = version.lines().find_map(|line| line.strip_prefix("host: "));
    Ok(host.context("`rustc -vV` does not say which machine it builds for")?.to_owned())
}

/// Builds the binary; on Linux without shared libraries, so that it runs on any distribution.
fn build(triple: &str) -> Result<PathBuf> {
    let mut command = cargo(&["build", "--release", "--locked", "--package", "openoxide-cli", "--target", triple]);
    if triple.contains("linux") {
        command.env("RUSTFLAGS", "-C target-feature=+crt-static");
    }
    step(&typed(&command), || run_command(&mut command))?;
    Ok(metadata::target()?.join(triple).join("release/openoxide"))
}

fn furnish(folder: &Path, binary: &Path, triple: &str) -> Result<()> {
    fs_err::copy(binary, folder.join("openoxide"))?;
    for file in FILES {
        fs_err::copy(repository().join(file), folder.join(file))?;
    }
    man::write(&folder.join("man"))?;
    completions(&folder.join("completions"))?;
    licences(&folder.join("licences"), triple)
}

fn completions(folder: &Path) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    for shell in Shell::value_variants() {
        let script = openoxide_cli::completion_script(*shell)
            .with_context(|| format!("the completions for {shell} cannot be written"))?;
        fs_err::write(folder.join(shell.file_name("openoxide")), script)?;
    }
    Ok(())
}

/// Copies the licences of the code that is in the binary, as these licences ask for.
fn licences(folder: &Path, triple: &str) -> Result<()> {
    fs_err::create_dir_all(folder)?;
    let mut list = String::from("# Code of others in this program\n\n");
    for package in metadata::linked(triple)? {
        let name = format!("{}-{}", package.name, package.version);
        let files = licence_files(&package.folder)?;
        let _ = writeln!(list, "- {name}: {}", package.license);
        for file in files {
            let target = folder.join(&name);
            fs_err::create_dir_all(&target)?;
            fs_err::copy(&file, target.join(file.file_name().context("a licence has a file name")?))?;
        }
    }
    Ok(fs_err::write(folder.join("README.md"), list)?)
}

fn licence_files(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut files = Vec::new();
    for entry in fs_err::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_uppercase();
        if path.is_file()
            && ["LICENSE", "LICENCE", "COPYING", "NOTICE", "UNLICENSE"].iter().any(|word| name.starts_with(word))
        {
            files.push(path);
        }
    }
    Ok(files)
}
