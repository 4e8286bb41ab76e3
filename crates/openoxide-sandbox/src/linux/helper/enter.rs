//! Gives up what is left, and becomes the command.

use std::io::{Seek as _, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use rustix::process::{Resource, Rlimit, setrlimit};

use super::{Layer as _, Refusal, control, filter, rules};
use crate::Limits;
use crate::linux::spec::{Answer, Spec};
use crate::system;

pub(super) fn enter() -> Result<(), Refusal> {
    let control = control().layer("helper")?;
    let Some(spec) = Spec::receive(&control).layer("helper")? else { return Ok(()) };
    let stdin = stdin(&spec.stdin).layer("standard input")?;
    rustix::process::umask(rustix::fs::Mode::from_raw_mode(0o022));
    limits(&spec.limits).layer("limits")?;
    rustix::thread::set_no_new_privs(true).layer("no new privileges")?;
    rules::restrict(&spec)?;
    filter::install(spec.network)?;
    Answer::Started.message().send(&control).layer("helper")?;
    let error = Command::new(&spec.program)
        .args(&spec.args)
        .env_clear()
        .envs(spec.env.iter().map(|(name, value)| (name, value)))
        .current_dir(spec.cwd.as_deref().unwrap_or(Path::new(system::HOME)))
        .stdin(stdin)
        .exec();
    Answer::NoProgram { why: error.to_string() }.message().send(&control).layer("helper")
}

/// The whole input as a file in memory: nobody has to feed it while the command runs.
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
    // The clock outside ends it first; this one ends what hides from that clock.
    set(Resource::Cpu, limits.time.as_secs().saturating_add(2))?;
    set(Resource::Fsize, limits.file_size)?;
    // Not the address space: several runtimes of languages reserve much more of it than they use.
    set(Resource::Data, limits.memory)?;
    // Counted are the sandbox's own as well, and one over the limit is for the supervisor to see. Root is exempt.
    set(Resource::Nproc, u64::from(limits.processes) + 3)?;
    set(Resource::Core, 0)?;
    set(Resource::Memlock, 64 * 1024)?;
    set(Resource::Msgqueue, 64 * 1024)?;
    let files = rustix::process::getrlimit(Resource::Nofile).maximum.unwrap_or(u64::MAX);
    set(Resource::Nofile, files.min(1024))
}
