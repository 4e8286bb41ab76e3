//! Wakes a thread that sleeps in `poll`.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;

/// Wakes the thread that polls the other end.
pub(crate) struct Waker(UnixStream);

/// The end to poll: readable once the other end was used.
pub(crate) struct Wakeup(UnixStream);

/// Makes both ends.
pub(crate) fn wake_pair() -> std::io::Result<(Waker, Wakeup)> {
    let (waker, wakeup) = UnixStream::pair()?;
    waker.set_nonblocking(true)?;
    wakeup.set_nonblocking(true)?;
    Ok((Waker(waker), Wakeup(wakeup)))
}

impl Waker {
    pub(crate) fn wake(&self) {
        // A socket that is full has not been read yet, and wakes all the same.
        drop((&self.0).write(&[1]));
    }
}

impl Wakeup {
    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// Makes it unreadable until it is woken again.
    pub(crate) fn clear(&self) {
        let mut bytes = [0; 64];
        while (&self.0).read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
    }
}
