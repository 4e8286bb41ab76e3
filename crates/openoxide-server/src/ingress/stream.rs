//! Bounds event streams: they are counted while they last, and end when the server does.
//!
//! A client that listens (GET) is disconnected as soon as the server is asked to stop. The answer to a call gets the time
//! that every answer gets.

use std::task::{Context, Poll};
use std::{pin::Pin, sync::Arc};

use axum::body::{Body, Bytes};
use http::HeaderMap;
use http::header::{ACCEPT, CONTENT_TYPE};
use hyper::body::{Body as HttpBody, Frame};
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::{CancellationToken, WaitForCancellationFutureOwned};

use crate::{Metrics, observe::metrics::Gauge};

pub(super) struct EventStreamBody {
    body: Body,
    stopped: Pin<Box<WaitForCancellationFutureOwned>>,
    _place: Option<OwnedSemaphorePermit>,
    _counted: Gauge,
}

pub(super) fn wants_stream(headers: &HeaderMap) -> bool {
    let accepted = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
    accepted.flat_map(|value| value.split(',')).any(|kind| kind.trim_start().starts_with("text/event-stream"))
}

pub(super) fn is_stream(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).map(http::HeaderValue::as_bytes);
    kind.is_some_and(|kind| kind.starts_with(b"text/event-stream"))
}

impl EventStreamBody {
    pub(super) fn new(
        body: Body,
        ends: &CancellationToken,
        place: Option<OwnedSemaphorePermit>,
        metrics: &Arc<Metrics>,
    ) -> EventStreamBody {
        let stopped = Box::pin(ends.clone().cancelled_owned());
        EventStreamBody { body, stopped, _place: place, _counted: metrics.stream() }
    }
}

impl HttpBody for EventStreamBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if self.stopped.as_mut().poll(cx).is_ready() {
            return Poll::Ready(None);
        }
        Pin::new(&mut self.body).poll_frame(cx)
    }
}
