//! Runs a command in the sandbox and follows it to its end.

use std::io::{self, PipeReader};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};
use std::{ffi::OsString, os::fd::OwnedFd, os::unix::net::UnixStream};

use rustix::process::{Pid, Signal, getuid, kill_process_group};

use super::helper::{HELPER_ARGUMENT, LAUNCH, OWN};
use super::output::{Output, Stopped, Written, wait_for_answer};
use super::spec::{Answer, Landlock, Spec};
use super::{bubblewrap, cgroup::Cgroups, grant::Held, layer::Layers};
use crate::{Command, Ended, Isolation, Mechanism, Outcome, SandboxError, Stop};

/// How long building the sandbox may take.
const START: Duration = Duration::from_secs(10);

/// No command runs longer than this, whatever its limit says.
const LONGEST: Duration = Duration::from_hours(24);

/// How long the last output may take to arrive after every writer has been killed.
const REST: Duration = Duration::from_secs(1);

/// How long everything inside may take to end by itself. That is the clean way: the first process of the namespace ends
/// last, after it has waited for all others.
const GRACE: Duration = Duration::from_millis(500);

const HELPER: &str = "helper";
const LOOK: &str = "`openoxide roots` shows what this machine has";
pub(crate) const PROCESSES: &str = "limit on processes";
// The supervisor is too slow to stop a fork bomb.
const UNLIMITED: &str = "root is exempt from it, and no control group can be made";
const CONTROL_GROUPS: &str = "run as an ordinary user, or make /sys/fs/cgroup writable";

/// Runs a command with the mechanism that was found, until it ends or is stopped.
pub(crate) fn run(isolation: &Isolation, command: &Command, stop: Option<&Stop>) -> Result<Outcome, SandboxError> {
    let started = Instant::now();
    if !isolation.is_available() {
        return Err(SandboxError::NoIsolation(isolation.missing.clone()));
    }
    command.policy.check(command.cwd.as_deref())?;
    let held = Held::open(&command.policy)?;
    let layers = Layers::make(held.grants())?;
    let landlock = match isolation.mechanism {
        Mechanism::Landlock => Landlock::Required,
        _ if isolation.landlock > 0 => Landlock::Added,
        _ => Landlock::Absent,
    };
    let spec = Spec::new(command, layers.with_copies(held.grants()), landlock);
    let cgroups = Cgroups::make(&command.limits);
    if getuid().is_root() && !cgroups.limits_processes {
        return Err(refused(PROCESSES, UNLIMITED.to_owned(), CONTROL_GROUPS));
    }
    let mut running = Running::start(isolation, &spec, &cgroups, &layers, command.merge)?;
    let (mut output, stopped) = match running.start_command(&spec, stop)? {
        true => {
            let deadline = Instant::now() + command.limits.time.min(LONGEST);
            running.output.collect(&running.control, stop, command.limits.output, deadline)?
        }
        false => (Written::default(), Stopped::Asked),
    };
    let ended = match stopped {
        Stopped::Answered => running.ended(),
        Stopped::Late => Ended::TimedOut,
        Stopped::Full => Ended::OutputLimit,
        Stopped::Asked => Ended::Stopped,
    };
    let ended = if cgroups.out_of_memory() && stopped != Stopped::Asked { Ended::MemoryLimit } else { ended };
    running.end();
    if stopped == Stopped::Answered {
        output.finish(&running.output, command.limits.output, Instant::now() + REST)?;
    }
    let changes = if ended.is_by_itself() { layers.apply(&command.policy) } else { Vec::new() };
    let truncated = output.truncated;
    Ok(Outcome { ended, stdout: output.stdout, stderr: output.stderr, truncated, took: started.elapsed(), changes })
}

/// A sandbox with its two streams and the socket to the helper inside. It ends when this is dropped.
struct Running {
    child: Child,
    control: UnixStream,
    output: Output,
}

impl Running {
    fn start(
        isolation: &Isolation,
        spec: &Spec,
        cgroups: &Cgroups,
        layers: &Layers,
        merge: bool,
    ) -> Result<Self, SandboxError> {
        let (control, theirs) = UnixStream::pair()?;
        let (stdout, out) = io::pipe()?;
        let (stderr, err): (Option<PipeReader>, _) = match merge {
            true => (None, out.try_clone()?),
            false => io::pipe().map(|(reader, writer)| (Some(reader), writer))?,
        };
        let child = std::process::Command::new(&isolation.helper)
            .args(arguments(isolation, spec, cgroups, layers))
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(OwnedFd::from(theirs)))
            .stdout(out)
            .stderr(err)
            .spawn()
            .map_err(|error| refused(HELPER, format!("{}: {error}", isolation.helper.display()), LOOK))?;
        control.set_read_timeout(Some(START))?;
        control.set_write_timeout(Some(START))?;
        Ok(Self { child, control, output: Output::new(stdout, stderr)? })
    }

    /// Waits until the helper is inside, sends it the command, and waits until that has started. Returns false if the caller
    /// stopped it before.
    fn start_command(&mut self, spec: &Spec, stop: Option<&Stop>) -> Result<bool, SandboxError> {
        if !self.expect(&Answer::Ready, spec, stop)? {
            return Ok(false);
        }
        // A helper that is gone has said why, so a failure to send is not reported separately.
        let _ = spec.send(&self.control);
        self.expect(&Answer::Started, spec, stop)
    }

    fn expect(&mut self, expected: &Answer, spec: &Spec, stop: Option<&Stop>) -> Result<bool, SandboxError> {
        if !wait_for_answer(&self.control, stop, Instant::now() + START)? {
            let late = || refused(HELPER, "it does not answer in time".to_owned(), LOOK);
            return if stop.is_some_and(Stop::is_stopped) { Ok(false) } else { Err(late()) };
        }
        match Answer::receive(&self.control) {
            Ok(Some(answer)) if answer == *expected => Ok(true),
            Ok(Some(Answer::Refused { layer, why })) => Err(refused(&layer, why, LOOK)),
            Ok(Some(Answer::NoProgram { why })) => {
                Err(SandboxError::Program { program: spec.program.to_string_lossy().into_owned(), why })
            }
            Ok(Some(_)) => Err(refused(HELPER, "it answers out of turn".to_owned(), LOOK)),
            Ok(None) => Err(refused(HELPER, self.last_words(), LOOK)),
            Err(error) => Err(refused(HELPER, format!("no answer: {error}"), LOOK)),
        }
    }

    /// Returns what was written by the process that ended before the command started.
    fn last_words(&mut self) -> String {
        const ENOUGH: usize = 1000;
        self.end();
        let mut written = Written::default();
        let _ = written.finish(&self.output, ENOUGH, Instant::now() + REST);
        let words = [written.stderr, written.stdout].concat();
        match String::from_utf8_lossy(&words).trim() {
            "" => "it ended without a word".to_owned(),
            words => words.to_owned(),
        }
    }

    fn ended(&self) -> Ended {
        match Answer::receive(&self.control) {
            Ok(Some(Answer::Ended(ended))) => ended,
            // The helper was killed, which happens only when the machine is out of memory.
            _ => Ended::Signal(libc::SIGKILL),
        }
    }

    /// Ends everything inside: the namespace dies with the helper, and the helper ends when its socket is closed.
    fn end(&mut self) {
        let _ = self.control.shutdown(std::net::Shutdown::Both);
        if !self.ends_in_time() {
            let _ = kill_process_group(Pid::from_child(&self.child), Signal::KILL);
            let _ = self.child.kill();
        }
        let _ = self.child.wait();
    }

    /// Returns whether everything ends in time.
    fn ends_in_time(&mut self) -> bool {
        let deadline = Instant::now() + GRACE;
        while Instant::now() < deadline {
            if !matches!(self.child.try_wait(), Ok(None)) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        false
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

fn arguments(isolation: &Isolation, spec: &Spec, cgroups: &Cgroups, layers: &Layers) -> Vec<OsString> {
    let network = if spec.network { "network" } else { "no-network" };
    let mut args = [HELPER_ARGUMENT, LAUNCH, network].map(OsString::from).to_vec();
    args.extend(cgroups.join_files());
    args.push("--".into());
    args.extend(layers.arguments());
    args.push("--".into());
    match &isolation.mechanism {
        Mechanism::None => {}
        Mechanism::Landlock => args.push(OWN.into()),
        Mechanism::Bubblewrap { path, .. } => {
            args.push(path.into());
            args.extend(bubblewrap::arguments(spec, &isolation.helper));
        }
    }
    args
}

fn refused(layer: &str, why: String, remedy: &'static str) -> SandboxError {
    SandboxError::Layer { layer: layer.to_owned(), why, remedy }
}
