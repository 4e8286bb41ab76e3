//! Limits of connections, requests and answers, in number, bytes and time.

use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// How much may be asked, and how long it may take.
#[derive(Clone, Copy, Debug)]
pub struct IngressLimits {
    /// At most this many connections; later ones wait.
    pub connections: usize,
    /// Streams of events at once.
    pub streams: usize,
    /// Bytes of a request before its body.
    pub head: usize,
    /// Bytes of a body.
    pub body: usize,
    /// How long what stands before a body may take to arrive, and how long a connection may be silent.
    pub head_time: Duration,
    /// How long a body may take to arrive.
    pub body_time: Duration,
    /// How long making an answer may take: as long as all commands of a skill may.
    pub answer_time: Duration,
    /// How long a reader may take to read 64 KiB, or all that is there for it if that is less.
    pub read_time: Duration,
    /// How long what has begun may go on when the server stops.
    pub stop_time: Duration,
}

impl Default for IngressLimits {
    fn default() -> IngressLimits {
        IngressLimits {
            connections: 512,
            streams: 256,
            head: 16 * 1024,
            body: 8 * 1024 * 1024,
            head_time: Duration::from_secs(15),
            body_time: Duration::from_secs(30),
            answer_time: Duration::from_mins(6),
            read_time: Duration::from_secs(20),
            stop_time: Duration::from_secs(5),
        }
    }
}

/// Open files that are left for everything but connections.
const OTHER_FILES: u64 = 96;

impl IngressLimits {
    /// Returns how many connections there can be here: each is an open file, and so is what is read for it.
    pub(crate) fn connections_here(&self) -> usize {
        let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
        let room = usize::try_from(files.saturating_sub(OTHER_FILES)).unwrap_or(usize::MAX);
        self.connections.min(room).max(1)
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
