//! Helps tests of formats: a transcript of a stream is read to its end.

use super::event::{Decoder, StreamError};
use crate::message::ReplyEvent;

/// Reads the events of a transcript, one to a line. Returns what they mean, and whether the reply is whole.
pub(super) fn read(decoder: &mut dyn Decoder, transcript: &str) -> Result<(Vec<ReplyEvent>, bool), StreamError> {
    let mut events = Vec::new();
    for line in transcript.lines().map(str::trim).filter(|line| !line.is_empty()) {
        decoder.read(line, &mut events)?;
    }
    let is_whole = decoder.end(&mut events)?;
    Ok((events, is_whole))
}

pub(super) fn text(text: &str) -> ReplyEvent {
    ReplyEvent::Text(text.to_owned())
}

pub(super) fn begun(id: &str, name: &str) -> ReplyEvent {
    ReplyEvent::ToolCallBegun { id: id.to_owned(), name: name.to_owned() }
}

pub(super) fn finished(id: &str, name: &str, arguments: &str) -> ReplyEvent {
    let [id, name, arguments] = [id, name, arguments].map(str::to_owned);
    ReplyEvent::ToolCallFinished(crate::message::ToolCall { id, name, arguments })
}
