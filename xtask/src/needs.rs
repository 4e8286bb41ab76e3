//! Installs programs that the tests need and a fresh machine may lack.

use std::process::Command;

use anyhow::{Result, ensure};

use crate::shell::{cargo, run, say, works};

/// Programs that the tests start: the command, the Debian package that has it, and what it is for.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("git", "git", "projects that are Git repositories"),
    ("bwrap", "bubblewrap", "commands in the better of two sandboxes"),
    ("strace", "strace", "what the program starts and writes"),
    ("setpriv", "util-linux", "what only an ordinary user cannot do"),
];

/// Parts of the Rust toolchain that a minimal installation leaves out.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

/// Installs what is missing, or says what to install by hand.
pub(crate) fn install() -> Result<()> {
    components()?;
    let missing: Vec<_> =
        PROGRAMS.iter().filter(|(program, ..)| !works(Command::new(program).arg("--version"))).collect();
    if missing.is_empty() {
        say("nothing is missing");
        return Ok(());
    }
    for (program, package, why) in &missing {
        say(format!("`{program}` is missing (Debian package `{package}`), for {why}"));
    }
    let packages: Vec<&str> = missing.iter().map(|(_, package, _)| *package).collect();
    match obstacle() {
        None => apt_get(&packages),
        Some(obstacle) => {
            say(format!("skipped: {obstacle}; install {} by hand if a test fails", packages.join(", ")));
            Ok(())
        }
    }
}

fn components() -> Result<()> {
    for (command, component) in COMPONENTS {
        if !works(&mut cargo(&[command, "--version"])) {
            say(format!("`cargo {command}` is missing; adding `{component}` to the toolchain"));
            let added = run(Command::new("rustup").args(["component", "add", component]));
            ensure!(added.is_ok(), "`cargo {command}` is missing; install `{component}` for this Rust toolchain");
        }
    }
    Ok(())
}

/// Returns why packages cannot be installed here.
fn obstacle() -> Option<&'static str> {
    if !works(Command::new("apt-get").arg("--version")) {
        Some("there is no apt-get here")
    } else if !is_root() {
        Some("only root can run apt-get")
    } else {
        None
    }
}

fn is_root() -> bool {
    Command::new("id").arg("-u").output().is_ok_and(|output| output.stdout.trim_ascii() == b"0")
}

fn apt_get(packages: &[&str]) -> Result<()> {
    let prepare = |args: &[&str]| {
        let mut command = Command::new("apt-get");
        command.args(args).env("DEBIAN_FRONTEND", "noninteractive");
        command
    };
    run(&mut prepare(&["update", "--quiet"]))?;
    run(prepare(&["install", "--yes", "--quiet", "--no-install-recommends"]).args(packages))
}
