//! Bounds the body of a request while it arrives: its size and its time.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::BodyExt as _;
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::Sleep;

use super::limits::IngressLimits;

/// How much of a body that is too large is read and thrown away, so that its sender comes to read the answer.
const THROWN_AWAY: u64 = 64 * 1024 * 1024;

/// Whether a body was too slow: set by the body, read by the request that waits for its answer.
#[derive(Clone, Default)]
pub(super) struct BodyTimeout(Arc<AtomicBool>);

impl BodyTimeout {
    pub(super) fn was_too_slow(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A body on its way in. How long it is was said before.
pub(super) struct TimedBody {
    body: Incoming,
    late: Pin<Box<Sleep>>,
    arrival: BodyTimeout,
}

#[derive(Debug, thiserror::Error)]
#[error("the body takes too long to arrive")]
struct TooSlow;

impl TimedBody {
    pub(super) fn new(body: Incoming, limits: &IngressLimits, arrival: BodyTimeout) -> TimedBody {
        TimedBody { body, late: Box::pin(tokio::time::sleep(limits.body_time)), arrival }
    }
}

impl Body for TimedBody {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            return Poll::Ready(frame.map(|frame| frame.map_err(Into::into)));
        }
        ready!(self.late.as_mut().poll(context));
        self.arrival.0.store(true, Ordering::Relaxed);
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
