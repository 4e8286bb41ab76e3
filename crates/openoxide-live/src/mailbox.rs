//! Carries messages to a thread that sleeps in `poll`, and wakes it.

use std::io::{Read as _, Write as _};
use std::os::fd::{AsFd as _, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, PoisonError};

/// Messages that wait, and a socket that is readable while some do.
pub(crate) struct Mailbox<T> {
    messages: Mutex<Vec<T>>,
    waker: UnixStream,
    wakeup: UnixStream,
}

impl<T> Mailbox<T> {
    pub(crate) fn new() -> std::io::Result<Mailbox<T>> {
        let (waker, wakeup) = UnixStream::pair()?;
        waker.set_nonblocking(true)?;
        wakeup.set_nonblocking(true)?;
        Ok(Mailbox { messages: Mutex::default(), waker, wakeup })
    }

    pub(crate) fn send(&self, message: T) {
        self.update(|messages| messages.push(message));
    }

    /// Changes the messages that wait, and wakes the reader.
    pub(crate) fn update(&self, change: impl FnOnce(&mut Vec<T>)) {
        change(&mut self.messages.lock().unwrap_or_else(PoisonError::into_inner));
        // A socket that is full has not been read yet, and wakes all the same.
        drop((&self.waker).write(&[1]));
    }

    pub(crate) fn fd(&self) -> BorrowedFd<'_> {
        self.wakeup.as_fd()
    }

    pub(crate) fn take(&self) -> Vec<T> {
        // The socket is emptied first, so that a message that comes now wakes again.
        let mut bytes = [0; 64];
        while (&self.wakeup).read(&mut bytes).is_ok_and(|read| read == bytes.len()) {}
        std::mem::take(&mut *self.messages.lock().unwrap_or_else(PoisonError::into_inner))
    }
}
