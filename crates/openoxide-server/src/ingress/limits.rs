//! Limits of connections, requests and answers, in number, bytes and time.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

use crate::Identity;

/// How much may be asked, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct IngressLimits {
    /// Connections at once. Clients that have shown no secret have a quarter of them, programs a half, and the rest is the
    /// user's. Where there is no place left, the slowest client of the same kind gives way.
    pub connections: usize,
    /// Bytes of large bodies and answers that are held at once; small ones and streamed files are not included.
    /// Clients that have shown no secret have a quarter of them; programs and these together, three quarters.
    pub bytes: usize,
    /// Streams of events of programs at once.
    pub streams: usize,
    /// Bytes of a request before its body.
    pub head: usize,
    /// Bytes of a body.
    pub body: usize,
    /// How long a new connection keeps its place in any case, so that a flood of others does not push it out before its request
    /// is read.
    pub new_time: Duration,
    /// How long what stands before a body may take to arrive, and how long a connection may be silent.
    pub head_time: Duration,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How long making an answer may take: as long as all commands of a skill may.
    pub answer_time: Duration,
    /// How long a reader may take to read 64 KiB, or all that is there for it if that is less.
    pub read_time: Duration,
    /// How long a client must have kept the server waiting before it loses the bytes that it holds to another.
    pub slow_time: Duration,
    /// How long what has begun may go on when the server stops.
    pub stop_time: Duration,
}

impl Default for IngressLimits {
    fn default() -> IngressLimits {
        IngressLimits {
            connections: 1024,
            bytes: 40 * 1024 * 1024,
            streams: 128,
            head: 16 * 1024,
            body: 8 * 1024 * 1024,
            new_time: Duration::from_millis(30),
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(30),
            answer_time: Duration::from_mins(6),
            read_time: Duration::from_secs(20),
            slow_time: Duration::from_secs(1),
            stop_time: Duration::from_secs(5),
        }
    }
}

/// Open files that are left for everything but connections.
const OTHER_FILES: u64 = 96;

impl IngressLimits {
    /// Returns how many connections there can be here: each is an open file, and so is what is read for it.
    pub(super) fn connections_here(&self) -> usize {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let room = usize::try_from(files.saturating_sub(OTHER_FILES) / 2).unwrap_or(usize::MAX);
        self.connections.min(room)
    }

    /// Returns how many of so many places are for clients that have shown this.
    pub(super) fn places(&self, all: usize, shown: Identity) -> usize {
        let share = match shown {
            Identity::Anonymous | Identity::Person => all / 4,
            Identity::Program => all / 2,
        };
        share.max(1)
    }

    /// Returns how many bytes clients may hold that have shown this, or less.
    pub(super) fn bytes_for(&self, shown: Identity) -> usize {
        match shown {
            Identity::Anonymous => self.bytes / 4,
            Identity::Program => self.bytes / 4 * 3,
            Identity::Person => self.bytes,
        }
    }
}

/// Raises the number of files that this process may have open to what it may ask for.
pub(crate) fn raise_files() {
    let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
    if current.is_some() && current != maximum {
        // Without, there is room for fewer connections, and nothing else is lost.
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
    }
}
