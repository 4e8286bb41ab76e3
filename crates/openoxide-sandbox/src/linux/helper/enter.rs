//! The last step of the helper: gives up the remaining privileges and becomes the command.

use std::io::{Seek as _, Write as _};
use std::process::{Command, Stdio};
use std::{ffi::OsStr, os::unix::process::CommandExt as _};

use rustix::process::{Resource, Rlimit, setrlimit};
use rustix::thread::capabilities;

use super::step::{InLayer as _, LayerError, control};
use super::{landlock_rules, seccomp};
use crate::linux::spec::{Answer, Spec};
use crate::{Limits, system_paths};

pub(super) fn enter() -> Result<(), LayerError> {
    let control = control().in_layer("helper")?;
    let Some(spec) = Spec::receive(&control).in_layer("helper")? else { return Ok(()) };
    let stdin = stdin(&spec.stdin).in_layer("standard input")?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    limits(&spec.limits).in_layer("limits")?;
    rustix::thread::set_no_new_privs(true).in_layer("no new privileges")?;
    check_powerless()?;
    landlock_rules::restrict(&spec)?;
    seccomp::install(spec.network)?;
    Answer::Started.send(&control).in_layer("helper")?;
    let error = Command::new(&spec.program)
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(spec.cwd.as_deref().unwrap_or(OsStr::new(system_paths::HOME)))
        .stdin(stdin)
        .exec();
    Answer::NoProgram { why: error.to_string() }.send(&control).in_layer("helper")
}

/// Checks that nothing is left of our own rights, whichever mechanism was to take them away.
fn check_powerless() -> Result<(), LayerError> {
    let left = capabilities(None).in_layer("capabilities")?;
    let all = left.effective | left.permitted | left.inheritable;
    if !all.is_empty() {
        return Err("some are left").in_layer("capabilities");
    }
    let map = fs_err::read_to_string("/proc/self/uid_map").in_layer("user namespace")?;
    let ids: Vec<&str> = map.split_whitespace().collect();
    match ids[..] {
        // The command is one user, who is not called root.
        [inside, _, "1"] if inside != "0" => Ok(()),
        _ => Err("there is none").in_layer("user namespace"),
    }
}

/// Returns the whole input as a file in memory, so that no thread has to feed it while the command runs.
fn stdin(bytes: &[u8]) -> std::io::Result<Stdio> {
    if bytes.is_empty() {
        return Ok(Stdio::null());
    }
    let memory = rustix::fs::memfd_create("stdin", rustix::fs::MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(memory);
    file.write_all(bytes)?;
    file.rewind()?;
    Ok(Stdio::from(file))
}

fn limits(limits: &Limits) -> rustix::io::Result<()> {
    let set = |resource, value| setrlimit(resource, Rlimit { current: Some(value), maximum: Some(value) });
    // The timeout outside comes first. This limit ends a process that escapes it.
    set(Resource::Cpu, limits.time.as_secs().saturating_add(2))?;
    set(Resource::Fsize, limits.file_size)?;
    // Not the address space: several language runtimes reserve much more of it than they use.
    set(Resource::Data, limits.memory)?;
    // The count includes the sandbox's own processes, and one over the limit, which the supervisor notices. Root is exempt.
    set(Resource::Nproc, u64::from(limits.processes) + 3)?;
    set(Resource::Core, 0)?;
    set(Resource::Memlock, 64 * 1024)?;
    set(Resource::Msgqueue, 64 * 1024)?;
    let files = rustix::process::getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    set(Resource::Nofile, files.min(1024))
}
