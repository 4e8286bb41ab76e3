//! The first process of a container: runs the program as its child, passes signals on, and reaps what is left behind.
//!
//! The first process of a PID namespace inherits every process whose parent has ended, and has to wait for each of them.
//! The program itself cannot: waiting for any child would take the exit status of the commands that it runs.

use std::future::poll_fn;
use std::process::{Command, ExitCode};
use std::task::Poll;

use rustix::process::{Pid, Signal, WaitOptions, WaitStatus, kill_process, wait};
use tokio::signal::unix::{self, SignalKind};

/// Runs the program as a child if this is the first process; returns nothing if it is not, or if that cannot be done.
pub(crate) fn run_if_first() -> Option<ExitCode> {
    if std::process::id() != 1 {
        return None;
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_io().build().ok()?;
    runtime.block_on(run())
}

async fn run() -> Option<ExitCode> {
    // Before the child starts: without a handler, the kernel drops what is sent to the first process.
    let mut signals = listen().ok()?;
    let program = std::env::current_exe().ok()?;
    let child = Command::new(program).args(std::env::args_os().skip(1)).spawn().ok()?;
    let child = Pid::from_child(&child);
    loop {
        if let Some(status) = reap(child) {
            return Some(exit_code(status));
        }
        if let Some(signal) = next(&mut signals).await {
            // It may have ended just now, and is reaped then.
            let _ = kill_process(child, signal);
        }
    }
}

/// A signal, and what is passed on for it.
struct Listener {
    stream: unix::Signal,
    passed_on: Option<Signal>,
}

fn listen() -> std::io::Result<Vec<Listener>> {
    // A terminal sends these two to the child as well.
    let has_terminal = std::fs::File::open("/dev/tty").is_ok();
    let unless_terminal = |signal| (!has_terminal).then_some(signal);
    let signals = [
        (SignalKind::child(), None),
        (SignalKind::terminate(), Some(Signal::TERM)),
        (SignalKind::hangup(), Some(Signal::HUP)),
        (SignalKind::user_defined1(), Some(Signal::USR1)),
        (SignalKind::user_defined2(), Some(Signal::USR2)),
        (SignalKind::interrupt(), unless_terminal(Signal::INT)),
        (SignalKind::quit(), unless_terminal(Signal::QUIT)),
    ];
    signals.into_iter().map(|(kind, passed_on)| Ok(Listener { stream: unix::signal(kind)?, passed_on })).collect()
}

/// Waits for a signal; returns what is to be passed on.
async fn next(signals: &mut [Listener]) -> Option<Signal> {
    poll_fn(|context| {
        let arrived = signals.iter_mut().find_map(|signal| {
            let is_ready = signal.stream.poll_recv(context).is_ready();
            is_ready.then_some(signal.passed_on)
        });
        arrived.map_or(Poll::Pending, Poll::Ready)
    })
    .await
}

/// Waits for every process that has ended; returns the status of the child if it is among them.
fn reap(child: Pid) -> Option<WaitStatus> {
    let mut ended = None;
    while let Ok(Some((pid, status))) = wait(WaitOptions::NOHANG) {
        if pid == child {
            ended = Some(status);
        }
    }
    ended
}

/// Ends as the child did; a signal becomes a number as shells write it.
fn exit_code(status: WaitStatus) -> ExitCode {
    let code = status.exit_status().or_else(|| status.terminating_signal().map(|signal| 128 + signal));
    ExitCode::from(code.and_then(|code| u8::try_from(code).ok()).unwrap_or(2))
}
