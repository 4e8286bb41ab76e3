//! Reads the events of a body, each of them bounded before anything gathers it.

use std::future::poll_fn;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures_core::Stream as _;
use http_body::{Body, Frame};
use openoxide_http::innermost;
use reqwest::Response;
use sse_stream::{Error, SseStream};

/// Why the next event cannot be read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EventError {
    #[error("one event is longer than {0} bytes")]
    TooLong(usize),
    #[error("nothing arrived for too long")]
    Silence,
    #[error("{0}")]
    Cut(String),
    #[error("it is no stream of events")]
    NoEvents,
}

/// The events of one response.
pub(crate) struct Events {
    stream: SseStream<Bounded>,
}

impl Events {
    pub(crate) fn new(response: Response, most: usize) -> Events {
        let body = reqwest::Body::from(response);
        Events { stream: SseStream::new(Bounded { body, most, length: EventLength::default() }) }
    }

    /// Returns the data of the next event that has some; `None` at the end.
    pub(crate) async fn next(&mut self) -> Option<Result<String, EventError>> {
        loop {
            match poll_fn(|context| Pin::new(&mut self.stream).poll_next(context)).await? {
                Ok(event) => match event.data {
                    Some(data) if !data.is_empty() => return Some(Ok(data)),
                    _ => {}
                },
                Err(Error::Body(error)) => {
                    let error = error.downcast::<EventError>().map(|error| *error);
                    return Some(Err(error.unwrap_or_else(|error| EventError::Cut(error.to_string()))));
                }
                Err(_) => return Some(Err(EventError::NoEvents)),
            }
        }
    }
}

/// A body that ends with an error when an event is too long.
struct Bounded {
    body: reqwest::Body,
    most: usize,
    length: EventLength,
}

impl Body for Bounded {
    type Data = <reqwest::Body as Body>::Data;
    type Error = EventError;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Self::Data>, EventError>>> {
        let Some(frame) = ready!(Pin::new(&mut self.body).poll_frame(context)) else { return Poll::Ready(None) };
        let most = self.most;
        let frame = frame.map_err(|error| match error.is_timeout() {
            true => EventError::Silence,
            false => EventError::Cut(innermost(&error).to_string()),
        });
        Poll::Ready(Some(frame.and_then(|frame| {
            let data = frame.data_ref().map_or(&[][..], AsRef::as_ref);
            if self.length.longest_with(data) <= most { Ok(frame) } else { Err(EventError::TooLong(most)) }
        })))
    }
}

/// How many bytes the event has that arrives. An empty line ends it.
struct EventLength {
    length: usize,
    is_line_empty: bool,
    last: u8,
}

impl Default for EventLength {
    fn default() -> EventLength {
        EventLength { length: 0, is_line_empty: true, last: 0 }
    }
}

impl EventLength {
    /// Takes more bytes. Returns the length of the longest event that they belong to.
    fn longest_with(&mut self, bytes: &[u8]) -> usize {
        let mut longest = self.length;
        for &byte in bytes {
            self.length += 1;
            longest = longest.max(self.length);
            match (self.last, byte) {
                // Both are the end of one line.
                (b'\r', b'\n') => {}
                (_, b'\r' | b'\n') => {
                    if std::mem::replace(&mut self.is_line_empty, true) {
                        self.length = 0;
                    }
                }
                _ => self.is_line_empty = false,
            }
            self.last = byte;
        }
        longest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_event_is_as_long_as_its_lines() {
        for end in ["\n", "\r", "\r\n"] {
            let mut length = EventLength::default();
            let event = format!("data: 12{end}data: 3{end}");
            assert!(length.longest_with(event.as_bytes()) >= 15, "{end:?}");
            let whole = length.longest_with(format!("{end}data: 4").as_bytes());
            assert!(whole <= event.len() + 2, "{end:?}: {whole}");
            assert!(length.longest_with(b"5") <= 10, "{end:?}: the next one begins anew");
        }
    }
}
