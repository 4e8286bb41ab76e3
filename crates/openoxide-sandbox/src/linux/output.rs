//! Reads the output of a command within limits of size and time.

use std::io::{self, PipeReader, Read as _};
use std::{os::unix::net::UnixStream, time::Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use crate::Stop;

/// The streams of a command. Reading from them never waits.
pub(crate) struct Output {
    stdout: PipeReader,
    stderr: Option<PipeReader>,
}

/// What has been read.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) stdout: Vec<u8>,
    pub(crate) stderr: Vec<u8>,
    pub(crate) truncated: bool,
    closed: [bool; 2],
}

/// Why reading stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stopped {
    /// The helper has answered.
    Answered,
    /// Time is up.
    Late,
    /// The output is over its limit.
    Full,
    /// The caller stopped it.
    Asked,
}

impl Output {
    pub(crate) fn new(stdout: PipeReader, stderr: Option<PipeReader>) -> io::Result<Self> {
        rustix::io::ioctl_fionbio(&stdout, true)?;
        if let Some(stderr) = &stderr {
            rustix::io::ioctl_fionbio(stderr, true)?;
        }
        Ok(Self { stdout, stderr })
    }

    /// Reads until the helper answers, the output is over its limit, the caller stops it, or time is up.
    pub(crate) fn collect(
        &self,
        control: &UnixStream,
        stop: Option<&Stop>,
        limit: usize,
        deadline: Instant,
    ) -> io::Result<(Written, Stopped)> {
        let mut written = Written::default();
        loop {
            if !self.wait(&written, Some(control), stop, deadline)? {
                return Ok((written, Stopped::Late));
            }
            let (ready, asked) = (is_ready(control)?, stop.is_some_and(Stop::is_stopped));
            written.take(self, limit)?;
            if written.truncated {
                return Ok((written, Stopped::Full));
            }
            if ready {
                return Ok((written, Stopped::Answered));
            }
            if asked {
                return Ok((written, Stopped::Asked));
            }
        }
    }

    /// Waits until something can be read or the caller stops it. Returns false if time is up.
    fn wait(
        &self,
        written: &Written,
        control: Option<&UnixStream>,
        stop: Option<&Stop>,
        deadline: Instant,
    ) -> io::Result<bool> {
        let mut events = Vec::with_capacity(4);
        events.extend(control.map(|control| PollFd::new(control, PollFlags::IN)));
        events.extend(stop.map(|stop| PollFd::new(stop.reader(), PollFlags::IN)));
        events.extend((!written.closed[0]).then(|| PollFd::new(&self.stdout, PollFlags::IN)));
        let stderr = self.stderr.as_ref().filter(|_| !written.closed[1]);
        events.extend(stderr.map(|stderr| PollFd::new(stderr, PollFlags::IN)));
        poll_until(&mut events, deadline)
    }
}

/// Waits for an answer of the helper. Returns false if the caller stops it before, or time is up.
pub(crate) fn wait_for_answer(control: &UnixStream, stop: Option<&Stop>, deadline: Instant) -> io::Result<bool> {
    let mut events = Vec::with_capacity(2);
    events.push(PollFd::new(control, PollFlags::IN));
    events.extend(stop.map(|stop| PollFd::new(stop.reader(), PollFlags::IN)));
    while poll_until(&mut events, deadline)? {
        if stop.is_some_and(Stop::is_stopped) {
            return Ok(false);
        }
        if !events[0].revents().is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Waits for one of the events. Returns false if time is up; it may return true although nothing has happened.
fn poll_until(events: &mut [PollFd<'_>], deadline: Instant) -> io::Result<bool> {
    let left = deadline.saturating_duration_since(Instant::now());
    if left.is_zero() {
        return Ok(false);
    }
    let timeout = Timespec::try_from(left).map_err(io::Error::other)?;
    match poll(events, Some(&timeout)) {
        Ok(_) | Err(rustix::io::Errno::INTR) => Ok(true),
        Err(error) => Err(error.into()),
    }
}

/// Returns whether an answer of the helper can be read now.
fn is_ready(control: &UnixStream) -> io::Result<bool> {
    let mut events = [PollFd::new(control, PollFlags::IN)];
    match poll(&mut events, Some(&Timespec::default())) {
        Ok(_) => Ok(!events[0].revents().is_empty()),
        Err(rustix::io::Errno::INTR) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

impl Written {
    /// Reads to the end, once no writer is left.
    pub(crate) fn finish(&mut self, output: &Output, limit: usize, deadline: Instant) -> io::Result<()> {
        loop {
            self.take(output, limit)?;
            let is_closed = self.closed[0] && (self.closed[1] || output.stderr.is_none());
            if is_closed || self.truncated || !output.wait(self, None, None, deadline)? {
                return Ok(());
            }
        }
    }

    /// Reads what can be read now.
    fn take(&mut self, output: &Output, limit: usize) -> io::Result<()> {
        let left = limit.saturating_sub(self.stderr.len());
        self.closed[0] |= drain(&output.stdout, &mut self.stdout, left, &mut self.truncated)?;
        if let Some(stderr) = &output.stderr {
            let left = limit.saturating_sub(self.stdout.len());
            self.closed[1] |= drain(stderr, &mut self.stderr, left, &mut self.truncated)?;
        }
        Ok(())
    }
}

/// Reads from one stream until it would block. Returns whether the stream is at its end.
fn drain(mut from: &PipeReader, to: &mut Vec<u8>, limit: usize, truncated: &mut bool) -> io::Result<bool> {
    let mut buffer = [0; 16 * 1024];
    while !*truncated {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(true),
            Ok(count) => {
                let room = limit.saturating_sub(to.len());
                to.extend_from_slice(&buffer[..count.min(room)]);
                *truncated |= count > room;
            }
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => return Ok(false),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_limit_is_for_both_streams_together() {
        let (out, mut out_writer) = io::pipe().unwrap();
        let (err, mut err_writer) = io::pipe().unwrap();
        let output = Output::new(out, Some(err)).unwrap();
        out_writer.write_all(b"12345").unwrap();
        err_writer.write_all(b"abcde").unwrap();
        let mut written = Written::default();
        written.finish(&output, 7, Instant::now() + Duration::from_secs(5)).unwrap();
        assert_eq!((written.stdout.as_slice(), written.stderr.as_slice()), (&b"12345"[..], &b"ab"[..]));
        assert!(written.truncated);
    }

    #[test]
    fn a_stream_that_stays_open_is_not_waited_for() {
        let (out, mut writer) = io::pipe().unwrap();
        let output = Output::new(out, None).unwrap();
        writer.write_all(b"x").unwrap();
        // The writer is open until after the result is here, so that only the deadline can have ended the reading.
        let mut written = Written::default();
        written.finish(&output, 7, Instant::now() + Duration::from_millis(50)).unwrap();
        assert_eq!(written.stdout, b"x");
        assert!(!written.truncated);
        drop(writer);
    }
}
