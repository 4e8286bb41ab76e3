//! Starts a server as a child process and ends it with the connection.
//!
//! The process gets few variables, and starts in the home of the user.

use std::collections::VecDeque;
use std::path::Path;
use std::pin::Pin;
use std::process::Stdio;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use openoxide_config::Environment;
use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use rustix::process::Pid;
use tokio::io::{AsyncRead, AsyncReadExt as _, ReadBuf};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout, Command};

use super::fault::Fault;
use crate::limits::Limits;

/// How long a server has to end by itself.
pub(super) const GRACE: Duration = Duration::from_secs(1);
/// How much of its complaints is kept.
const MAX_COMPLAINTS: usize = 2048;

/// The variables that every server gets.
const VARIABLES: [&str; 11] =
    ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"];

pub(super) struct Child {
    process: tokio::process::Child,
    /// It and whatever it starts.
    group: Option<Pid>,
    complaints: Arc<Mutex<VecDeque<u8>>>,
}

pub(super) type Pipes = AsyncRwTransport<RoleClient, Watched<ChildStdout>, ChildStdin>;

/// Starts a server. It gets the variables named in `env` besides those that every server gets.
pub(super) fn start(
    program: &str,
    args: &[String],
    env: &[String],
    environment: &Environment,
    limits: &Limits,
    fault: &Fault,
) -> Result<(Child, Pipes), String> {
    // A project must not decide which program a name means.
    if program.contains('/') && !Path::new(program).is_absolute() {
        return Err(format!("`{program}` is neither a name nor an absolute path"));
    }
    let mut command = Command::new(program);
    command.args(args).env_clear().kill_on_drop(true).process_group(0);
    let names = VARIABLES.iter().copied().chain(env.iter().map(String::as_str));
    command.envs(names.filter_map(|name| Some((name, environment.variable(name)?))));
    command.env("PATH", absolute(environment.variable("PATH").unwrap_or("/usr/local/bin:/usr/bin:/bin")));
    // Not in the project: many programs obey what lies where they start.
    command.current_dir(environment.home.as_deref().filter(|home| home.is_dir()).unwrap_or(Path::new("/")));
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut process = command.spawn().map_err(|error| format!("`{program}` cannot be started: {error}"))?;
    let (Some(input), Some(output), Some(errors)) =
        (process.stdin.take(), process.stdout.take(), process.stderr.take())
    else {
        return Err("it has no pipes".to_owned());
    };
    let complaints = Arc::default();
    tokio::spawn(listen(errors, Arc::clone(&complaints)));
    let output = Watched { inner: output, line: 0, most: limits.message, fault: fault.clone() };
    let pipes = AsyncRwTransport::new_client(output, input).with_max_line_length(limits.message);
    let group = process.id().and_then(|id| Pid::from_raw(i32::try_from(id).ok()?));
    Ok((Child { process, group, complaints }, pipes))
}

/// Leaves out the folders that mean another one in each project.
fn absolute(path: &str) -> String {
    let folders: Vec<&str> = path.split(':').filter(|folder| folder.starts_with('/')).collect();
    folders.join(":")
}

/// Keeps the end of what a server complains about.
async fn listen(mut errors: ChildStderr, complaints: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 1024];
    while let Ok(read @ 1..) = errors.read(&mut buffer).await {
        let mut held = complaints.lock().unwrap_or_else(PoisonError::into_inner);
        held.extend(&buffer[..read]);
        let excess = held.len().saturating_sub(MAX_COMPLAINTS);
        held.drain(..excess);
    }
}

impl Child {
    /// Says why it failed; apart from that, the last line of its complaints.
    pub(super) async fn last_words(&mut self, why: &str) -> (String, Option<String>) {
        // What it said last may still be on its way.
        let ended = tokio::time::timeout(Duration::from_millis(200), self.process.wait()).await;
        tokio::time::sleep(Duration::from_millis(20)).await;
        let held = self.complaints.lock().unwrap_or_else(PoisonError::into_inner);
        let text = String::from_utf8_lossy(&held.iter().copied().collect::<Vec<u8>>()).into_owned();
        let status = match ended {
            Ok(Ok(status)) if !status.success() => format!(" ({status})"),
            _ => String::new(),
        };
        let complaint = text.lines().rev().find(|line| !line.trim().is_empty()).map(str::to_owned);
        (format!("{why}{status}"), complaint)
    }

    /// Waits until it ends, now that nobody speaks to it any more; then ends it and whatever it started.
    pub(super) async fn end(mut self) {
        let _ = tokio::time::timeout(GRACE, self.process.wait()).await;
        self.kill();
        let _ = tokio::time::timeout(GRACE, self.process.wait()).await;
    }

    /// Kills the process group, once: the id may be reused.
    fn kill(&mut self) {
        if let Some(group) = self.group.take() {
            let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
        }
    }
}

impl Drop for Child {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What a server says, with a bound on one line: what is longer ends the connection with a reason.
pub(super) struct Watched<R> {
    inner: R,
    line: usize,
    most: usize,
    fault: Fault,
}

impl<R: AsyncRead + Unpin> AsyncRead for Watched<R> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<std::io::Result<()>> {
        let before = buffer.filled().len();
        let polled = Pin::new(&mut self.inner).poll_read(cx, buffer);
        let new = &buffer.filled()[before..];
        self.line = match new.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => new.len() - end - 1,
            None => self.line.saturating_add(new.len()),
        };
        if self.line > self.most {
            let why = format!("a message is longer than {} bytes", self.most);
            self.fault.set(&why);
            return Poll::Ready(Err(std::io::Error::other(why)));
        }
        polled
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_paths_are_searched() {
        assert_eq!(absolute("/usr/bin:.:bin::~/x:/bin"), "/usr/bin:/bin");
    }
}
