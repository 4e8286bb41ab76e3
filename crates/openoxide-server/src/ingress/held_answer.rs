//! Bounds the bytes of answers that wait for their clients to read them.
//!
//! An answer whose length is known reserves its bytes before it is sent, and there is still an error to send if there is
//! no room. One that comes in parts waits with each large part until there is room. The bytes themselves hold what they
//! reserved, until they are written to the connection.

use std::sync::{Arc, OnceLock};
use std::task::{Context, Poll, ready};
use std::{pin::Pin, time::Duration};

use axum::body::{Body, Bytes};
use axum::response::{IntoResponse as _, Response};
use axum::{extract::Request, middleware::Next};
use http::StatusCode;
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Sleep;

use super::connections::{NoRoom, Place, Reserved};
use crate::Failure;

/// What every connection may hold without reserving it.
pub(super) const FREE: usize = 64 * 1024;

/// How soon a part that there is no room for is tried again.
const AGAIN: Duration = Duration::from_millis(50);

/// Marks an answer whose bytes are reserved.
#[derive(Clone, Copy)]
struct IsHeld;

/// A turn to read something large. The request has it while it is answered, also after its client is gone, and the answer
/// until its bytes are reserved: no more large answers are made, or wait for room, than there are turns.
#[derive(Clone, Default)]
pub(crate) struct ReadTurn(Arc<OnceLock<OwnedSemaphorePermit>>);

impl ReadTurn {
    /// Waits until there are so many KiB left of what may be read at once, unless the request has its turn already; then
    /// until there is room for the answer as well, so that it is not made only to wait beside another one.
    pub(crate) async fn take(&self, room: &Arc<Semaphore>, kib: u32, place: Option<&Arc<Place>>) {
        if self.0.get().is_none()
            && let Ok(turn) = Arc::clone(room).acquire_many_owned(kib).await
        {
            // A request reads one thing after the other, so nothing else sets it meanwhile.
            let _ = self.0.set(turn);
            if let Some(place) = place {
                let answer = kib as usize * 1024 / 3 * 4;
                // Whatever comes of it, the answer reserves its bytes when their number is known.
                let _ = place.patiently(|| place.reserve(answer)).await;
            }
        }
    }
}

/// Reserves the bytes of the answers of routes, where they are made: what is around them may change their length.
pub(crate) async fn hold_answers(request: Request, next: Next) -> Response {
    let place = request.extensions().get::<Arc<Place>>().cloned();
    let response = next.run(request).await;
    match place {
        Some(place) => hold(response, &place).unwrap_or_else(Failure::into_response),
        None => response,
    }
}

/// Reserves the bytes of an answer, and keeps the turn that it is made in until they are reserved.
pub(crate) fn hold_in_turn(response: Response, place: Option<&Arc<Place>>, turn: ReadTurn) -> Response {
    let Some(place) = place else { return response };
    hold_with(response, place, Some(turn)).unwrap_or_else(Failure::into_response)
}

/// Reserves the bytes of an answer, unless that was done before.
pub(super) fn hold(response: Response, place: &Arc<Place>) -> Result<Response, Failure> {
    hold_with(response, place, None)
}

fn hold_with(mut response: Response, place: &Arc<Place>, turn: Option<ReadTurn>) -> Result<Response, Failure> {
    if response.extensions_mut().insert(IsHeld).is_some() {
        return Ok(response);
    }
    let length = response.body().size_hint().exact().and_then(|length| usize::try_from(length).ok());
    let reserved = length.filter(|length| *length > FREE).map(|length| place.reserve(length)).transpose();
    let reserved = reserved.map_err(no_room)?;
    let turn = turn.filter(|_| reserved.is_none());
    Ok(response.map(|body| Body::new(HeldBody { body, place: Arc::clone(place), reserved, turn, waits: None })))
}

/// Says that there is no room. When there will be depends on clients, so nobody can tell.
pub(crate) fn no_room(_: NoRoom) -> Failure {
    let text = "the server has no room for this now: too much waits for clients that are slow";
    Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", text).help("try again later")
}

struct HeldBody {
    body: Body,
    place: Arc<Place>,
    /// What was reserved for the whole, until its first part takes it along.
    reserved: Option<Reserved>,
    turn: Option<ReadTurn>,
    /// A part that there is no room for, and when to look again.
    waits: Option<(Bytes, Pin<Box<Sleep>>)>,
}

struct HeldBytes {
    bytes: Bytes,
    _reserved: Reserved,
}

impl AsRef<[u8]> for HeldBytes {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

impl HeldBody {
    /// Takes the room for a part, or waits for it.
    fn hold(&mut self, bytes: Bytes, cx: &mut Context<'_>) -> Poll<Frame<Bytes>> {
        if let Ok(reserved) = self.reserved.take().map_or_else(|| self.place.reserve(bytes.len()), Ok) {
            self.turn = None;
            return Poll::Ready(Frame::data(Bytes::from_owner(HeldBytes { bytes, _reserved: reserved })));
        }
        let mut again = Box::pin(tokio::time::sleep(AGAIN));
        // It is not over yet; this only says who is to be woken.
        let _ = again.as_mut().poll(cx);
        self.waits = Some((bytes, again));
        Poll::Pending
    }
}

impl HttpBody for HeldBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        if let Some((bytes, mut again)) = self.waits.take() {
            if again.as_mut().poll(cx).is_pending() {
                self.waits = Some((bytes, again));
                return Poll::Pending;
            }
            return self.hold(bytes, cx).map(|frame| Some(Ok(frame)));
        }
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(cx)?) else { return Poll::Ready(None) };
        match frame.into_data() {
            Ok(bytes) if bytes.len() > FREE => self.hold(bytes, cx).map(|frame| Some(Ok(frame))),
            Ok(bytes) => Poll::Ready(Some(Ok(Frame::data(bytes)))),
            Err(other) => Poll::Ready(Some(Ok(other))),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.waits.is_none() && self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
