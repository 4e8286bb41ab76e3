//! Limits slow readers: a client that does not take its answer at some pace loses the connection.
//!
//! This sits below HTTP, where no layer of `tower-http` can see how fast bytes leave.

use std::task::{Context, Poll};
use std::{io, pin::Pin, sync::Arc, time::Duration};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::time::Sleep;

use super::turn::Turn;

/// How much must be read in the time that is given.
const PACE: usize = 64 * 1024;

/// A connection whose client must read at some pace.
pub(super) struct SlowReaderLimit<S> {
    stream: S,
    time: Duration,
    turn: Arc<Turn>,
    /// Runs from the moment that the client falls behind, until it has caught up.
    late: Option<Pin<Box<Sleep>>>,
    /// How much it has read since.
    taken: usize,
}

impl<S> SlowReaderLimit<S> {
    pub(super) fn new(stream: S, time: Duration, turn: Arc<Turn>) -> SlowReaderLimit<S> {
        SlowReaderLimit { stream, time, turn, late: None, taken: 0 }
    }

    /// Checks the outcome of writing `len` bytes.
    fn check(&mut self, len: usize, result: Poll<io::Result<usize>>, cx: &mut Context<'_>) -> Poll<io::Result<usize>> {
        match result {
            Poll::Ready(Ok(count)) => {
                self.taken += count;
                if count == len || self.taken >= PACE {
                    self.late = None;
                    self.taken = 0;
                    self.turn.moved();
                }
                Poll::Ready(Ok(count))
            }
            Poll::Pending if self.is_too_late(cx) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
            other => other,
        }
    }

    fn is_too_late(&mut self, cx: &mut Context<'_>) -> bool {
        self.turn.theirs();
        let late = self.late.get_or_insert_with(|| Box::pin(tokio::time::sleep(self.time)));
        late.as_mut().poll(cx).is_ready()
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for SlowReaderLimit<S> {
    fn poll_read(mut self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        let result = Pin::new(&mut self.stream).poll_read(cx, buffer);
        if result.is_pending() {
            self.turn.is_silent();
        }
        result
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for SlowReaderLimit<S> {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check(bytes.len(), result, cx)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let result = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.check(parts.iter().map(|part| part.len()).sum(), result, cx)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn whoever_does_not_read_loses_the_connection() {
        let (ours, _theirs) = tokio::io::duplex(1000);
        let mut ours = SlowReaderLimit::new(ours, Duration::from_secs(5), Arc::default());
        let error = ours.write_all(&[0; 5000]).await.unwrap_err();
        assert_eq!(error.kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_trickle_is_too_slow_and_a_pace_is_not() {
        for (bytes, pause, expected) in [(10, 100, false), (40_000, 100, true)] {
            let (ours, mut theirs) = tokio::io::duplex(40_000);
            let mut ours = SlowReaderLimit::new(ours, Duration::from_secs(5), Arc::default());
            let reader = tokio::spawn(async move {
                let mut buffer = vec![0; bytes];
                while theirs.read_exact(&mut buffer).await.is_ok() {
                    tokio::time::sleep(Duration::from_millis(pause)).await;
                }
            });
            assert_eq!(ours.write_all(&vec![0; 4_000_000]).await.is_ok(), expected, "{bytes}");
            drop(ours);
            reader.await.unwrap();
        }
    }
}
