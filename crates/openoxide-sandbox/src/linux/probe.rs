//! Finds out how this machine can isolate a command, by trying.

use std::process::{Command as Process, Stdio};
use std::{io, os::unix::fs::MetadataExt as _, path::Path, time::Duration};

use rustix::process::getuid;

use super::cgroup::Cgroups;
use super::helper::{FACTS, HELPER_ARGUMENT, LAYER};
use super::run::{PROCESSES, run};
use crate::{Command, Isolation, Limits, Mechanism, Missing, Policy, PrivateFolder, Probe, SandboxError};

const INSTALL: &str = "install the package `bubblewrap`";
const NAMESPACES: &str = "allow user namespaces: sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone and \
                          kernel.apparmor_restrict_unprivileged_userns";
const DISK: &str = "let TMPDIR name a folder on ext4, XFS, Btrfs or tmpfs; the kernel has to be 5.11 or later";
const TEMPORARY: &str = "let TMPDIR name another folder of your own, or none";
const KERNEL: &str = "boot a kernel of 5.13 or later with `landlock` in its list of security modules";

/// Tries the mechanisms from best to worst, and takes the first that works.
pub(crate) fn probe(probe: &Probe) -> Isolation {
    let mut isolation = Isolation {
        mechanism: Mechanism::None,
        landlock: if probe.without_landlock { 0 } else { landlock(&probe.helper) },
        control_groups: Cgroups::make(&Limits::EMBEDDED).limits_processes,
        layers: true,
        missing: Vec::new(),
        helper: probe.helper.clone(),
    };
    for find in [bubblewrap, namespaces] {
        match find(probe, &isolation) {
            Ok((mechanism, no_layers)) => {
                isolation.mechanism = mechanism;
                isolation.layers = no_layers.is_none();
                isolation.missing.extend(no_layers);
                break;
            }
            Err(missing) => isolation.missing.push(missing),
        }
    }
    if isolation.landlock == 0 {
        without_landlock(&mut isolation, getuid().is_root());
    }
    isolation
}

/// Says that Landlock is missing. Root owns what the kernel shows in `/proc` even without capabilities, so that for root
/// every layer must be there.
fn without_landlock(isolation: &mut Isolation, is_root: bool) {
    if !isolation.missing.iter().any(|missing| missing.what == LANDLOCK) {
        isolation.missing.push(no_landlock());
    }
    if is_root && isolation.is_available() {
        isolation.mechanism = Mechanism::None;
        let why = "root is confined only where every layer is there, and Landlock is missing".to_owned();
        isolation.missing.push(Missing { what: "root", why, remedy: "run as an ordinary user" });
    }
}

const LANDLOCK: &str = "Landlock";

fn no_landlock() -> Missing {
    let why = "the kernel does not have it or does not enable it".to_owned();
    Missing { what: LANDLOCK, why, remedy: KERNEL }
}

/// A mechanism that works, and why a command cannot be given a folder to write, if so.
type Found = (Mechanism, Option<Missing>);

fn bubblewrap(probe: &Probe, isolation: &Isolation) -> Result<Found, Missing> {
    let missing = |why: String| Missing { what: "bubblewrap", why, remedy: INSTALL };
    let found = probe.folders.iter().map(|folder| folder.join("bwrap")).find(|path| path.is_file());
    let path = found.ok_or_else(|| missing("it is not installed".to_owned()))?;
    of_system(&path).map_err(missing)?;
    let version = version(&path).map_err(|error| missing(error.to_string()))?;
    let mechanism = Mechanism::Bubblewrap { path, version };
    tried(isolation, mechanism).map_err(|error| failed("bubblewrap", error))
}

fn namespaces(_probe: &Probe, isolation: &Isolation) -> Result<Found, Missing> {
    if isolation.landlock == 0 {
        return Err(no_landlock());
    }
    tried(isolation, Mechanism::Landlock).map_err(|error| failed("namespaces with Landlock", error))
}

/// Describes a failed trial. Nearly always namespaces are switched off, which affects both mechanisms.
fn failed(what: &'static str, error: SandboxError) -> Missing {
    match error {
        SandboxError::Layer { layer, why, remedy } if layer == PROCESSES => Missing { what, why, remedy },
        SandboxError::Layer { layer, why, .. } => Missing { what, why: format!("{layer}: {why}"), remedy: NAMESPACES },
        other => Missing { what, why: other.to_string(), remedy: NAMESPACES },
    }
}

/// Tries a mechanism, with a folder to write if that works.
fn tried(isolation: &Isolation, mechanism: Mechanism) -> Result<Found, SandboxError> {
    let isolation = Isolation { mechanism, ..isolation.clone() };
    let no_layers = match PrivateFolder::new() {
        Ok(folder) => does_nothing(&isolation, Policy::default().write(folder.path())).err(),
        Err(error) => Some(error.into()),
    };
    // Whatever keeps a folder from being writable, commands that write nothing may still run.
    if no_layers.is_some() {
        does_nothing(&isolation, Policy::default())?;
    }
    let missing = no_layers.map(|error| match error {
        SandboxError::Layer { layer, why, .. } if layer == LAYER => Missing { what: LAYER, why, remedy: DISK },
        error => Missing { what: LAYER, why: error.to_string(), remedy: TEMPORARY },
    });
    Ok((isolation.mechanism, missing))
}

/// Runs a command that does nothing.
fn does_nothing(isolation: &Isolation, policy: Policy) -> Result<(), SandboxError> {
    let limits = Limits { time: Duration::from_secs(5), ..Limits::EMBEDDED };
    let outcome = run(isolation, &Command { policy, ..Command::new("true", limits) }, None)?;
    if outcome.succeeded() {
        return Ok(());
    }
    let why = format!("a command that does nothing {}", outcome.ended);
    Err(SandboxError::Layer { layer: "trial".to_owned(), why, remedy: NAMESPACES })
}

/// Checks that only root can change a program: another user could replace it with their own.
fn of_system(path: &Path) -> Result<(), String> {
    let found = fs_err::metadata(path).map_err(|error| error.to_string())?;
    if found.uid() == 0 && found.mode() & 0o022 == 0 {
        return Ok(());
    }
    Err(format!("`{}` does not belong to the system, or others may change it", path.display()))
}

fn version(path: &Path) -> io::Result<String> {
    let answer = answer(Process::new(path).arg("--version"))?;
    let version = answer.split_whitespace().last().filter(|word| word.starts_with(|c: char| c.is_ascii_digit()));
    version.map(str::to_owned).ok_or_else(|| io::Error::other("it does not say its version"))
}

fn landlock(helper: &Path) -> u32 {
    answer(Process::new(helper).args([HELPER_ARGUMENT, FACTS]))
        .ok()
        .and_then(|text| text.trim().parse().ok())
        .unwrap_or(0)
}

fn answer(command: &mut Process) -> io::Result<String> {
    let output = command.env_clear().current_dir("/").stdin(Stdio::null()).output()?;
    match output.status.success() {
        true => Ok(String::from_utf8_lossy(&output.stdout).into_owned()),
        false => Err(io::Error::other(format!("it ended with {}", output.status))),
    }
}
