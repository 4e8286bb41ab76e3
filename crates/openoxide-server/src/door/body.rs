//! The body of a request on its way in: so large, so slow, and no more.

use std::error::Error;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use axum::body::Bytes;
use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body, Frame, Incoming, SizeHint};
use tokio::time::Sleep;

use super::limits::DoorLimits;

/// How much of a body that is too large is read and thrown away, so that its sender comes to read the answer.
const THROWN_AWAY: u64 = 64 * 1024 * 1024;

/// What is wrong with a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It is too large.
    Large,
    /// It takes too long.
    Slow,
}

/// What came of a body, told by the body to whoever waits for the answer.
#[derive(Clone, Default)]
pub(super) struct Arrival(Arc<AtomicU8>);

impl Arrival {
    pub(super) fn fault(&self) -> Option<Fault> {
        match self.0.load(Ordering::Relaxed) {
            1 => Some(Fault::Large),
            2 => Some(Fault::Slow),
            _ => None,
        }
    }

    fn tell(&self, fault: Fault) {
        self.0.store(if fault == Fault::Large { 1 } else { 2 }, Ordering::Relaxed);
    }
}

/// A body on its way in.
pub(super) struct Arriving {
    body: Limited<Incoming>,
    late: Pin<Box<Sleep>>,
    arrival: Arrival,
}

#[derive(Debug, thiserror::Error)]
#[error("the body takes too long to arrive")]
struct TooSlow;

impl Arriving {
    pub(super) fn new(body: Incoming, limits: &DoorLimits, arrival: Arrival) -> Arriving {
        let late = Box::pin(tokio::time::sleep(limits.body_time));
        Arriving { body: Limited::new(body, limits.body), late, arrival }
    }
}

impl Body for Arriving {
    type Data = Bytes;
    type Error = Box<dyn Error + Send + Sync>;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Poll::Ready(frame) = Pin::new(&mut self.body).poll_frame(context) {
            if let Some(Err(error)) = &frame
                && error.is::<http_body_util::LengthLimitError>()
            {
                self.arrival.tell(Fault::Large);
            }
            return Poll::Ready(frame);
        }
        ready!(self.late.as_mut().poll(context));
        self.arrival.tell(Fault::Slow);
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
    // Whoever is too slow does not get to read the answer.
    let _ = tokio::time::timeout(longest, all).await;
}
