//! Bounds the body of a request while it arrives: its size and its time.

use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::{error::Error, pin::Pin, sync::Arc, time::Duration};

use axum::body::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::Sleep;

use super::turn::Turn;

/// How much of a body that is too large is read and thrown away, so that its sender comes to read the answer.
const THROWN_AWAY: u64 = 64 * 1024 * 1024;

/// A body on its way in, whose length is known and within the limit.
pub(super) struct TimedBody {
    body: Incoming,
    turn: Arc<Turn>,
    late: Pin<Box<Sleep>>,
    /// Set when the body is too slow, for the request that waits for its answer.
    too_slow: Arc<AtomicBool>,
}

#[derive(Debug, thiserror::Error)]
#[error("the body takes too long to arrive")]
struct TooSlow;

impl TimedBody {
    pub(super) fn new(body: Incoming, longest: Duration, turn: Arc<Turn>, too_slow: Arc<AtomicBool>) -> TimedBody {
        TimedBody { body, turn, late: Box::pin(tokio::time::sleep(longest)), too_slow }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(cx) {
            if frame.is_none() || self.body.is_end_stream() {
                self.turn.ours();
            }
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        self.turn.theirs();
        ready!(self.late.as_mut().poll(cx));
        self.too_slow.store(true, Ordering::Relaxed);
        Poll::Ready(Some(Err(Box::new(TooSlow))))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// Reads a body that is too large, and throws it away.
pub(super) async fn throw_away(mut body: Incoming, longest: Duration) {
    let mut left = THROWN_AWAY;
    let all = async {
        while let Some(Ok(frame)) = body.frame().await {
            let length = frame.data_ref().map_or(0, |data| data.len() as u64);
            left = left.saturating_sub(length);
            if left == 0 {
                break;
            }
        }
    };
    // A client that is too slow loses the connection instead of the answer's time.
    let _ = tokio::time::timeout(longest, all).await;
}
