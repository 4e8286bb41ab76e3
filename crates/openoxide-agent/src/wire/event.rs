//! What the formats share: the reader of a reply, errors in streams, and values in events.

use serde_json::Value;

use crate::message::ReplyEvent;

/// Why an event of a stream ends it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum StreamError {
    /// It is not of the format.
    Malformed(String),
    /// The server reports an error in the middle of a reply.
    Server(ServerError),
}

/// An error in the words of a server.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct ServerError {
    /// The kind, as a word or a number; empty if there is none.
    pub(crate) kind: String,
    /// What is said.
    pub(crate) message: String,
}

/// Reads the events of one reply.
pub(crate) trait Decoder: Send {
    /// Reads the data of an event, and adds what it means.
    fn read(&mut self, data: &str, events: &mut Vec<ReplyEvent>) -> Result<(), StreamError>;

    /// Returns the bytes of tool calls that it has gathered.
    fn gathered(&self) -> usize;

    /// Tells whether nothing follows.
    fn is_done(&self) -> bool;

    /// Adds what is known only at the end. Tells whether the reply is whole; otherwise the stream was cut.
    fn end(&mut self, events: &mut Vec<ReplyEvent>) -> Result<bool, StreamError>;
}

/// The most tool calls of one reply.
const MAX_CALLS: usize = 1000;

/// Refuses one more tool call than there may be.
pub(super) fn check_calls(calls: usize) -> Result<(), StreamError> {
    if calls < MAX_CALLS { Ok(()) } else { Err(malformed(&format!("it calls more than {MAX_CALLS} tools"))) }
}

/// What a server calls the most tokens of a reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenLimit {
    /// `max_tokens`, which most servers know alone.
    Tokens,
    /// `max_completion_tokens`, which `OpenAI`'s newer models require.
    CompletionTokens,
}

/// Reads the error of a body, in any of the forms that servers have.
pub(crate) fn error_of(body: &Value) -> Option<ServerError> {
    let text = |value: &Value| match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    };
    let error = body.get("error").filter(|error| !error.is_null());
    let Some(error) = error else {
        let message = ["message", "detail"].into_iter().find_map(|key| text(body.get(key)?));
        return message.map(|message| ServerError { kind: String::new(), message });
    };
    let field = |key: &str| error.get(key).and_then(text);
    let kind = field("code").into_iter().chain(field("type")).find(|kind| !kind.is_empty()).unwrap_or_default();
    let message = text(error).or_else(|| field("message")).unwrap_or_else(|| kind.clone());
    Some(ServerError { kind, message })
}

/// Reads the data of an event as JSON, or the error that a server put there.
pub(super) fn parse_event(data: &str) -> Result<Value, StreamError> {
    let value: Value =
        serde_json::from_str(data).map_err(|error| malformed(&format!("an event is no JSON: {error}")))?;
    // Only an error has this key; `message` and `detail` mean other things in events.
    match value.get("error").filter(|error| !error.is_null()).and_then(|_| error_of(&value)) {
        Some(error) => Err(StreamError::Server(error)),
        None => Ok(value),
    }
}

pub(super) fn malformed(why: &str) -> StreamError {
    StreamError::Malformed(why.to_owned())
}

/// Returns a text that is not empty.
pub(super) fn text_at<'v>(value: &'v Value, key: &str) -> Option<&'v str> {
    value.get(key)?.as_str().filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn errors_are_read_in_every_form() {
        let read = |body: Value| error_of(&body).map(|error| (error.kind, error.message));
        let both = |kind: &str, message: &str| Some((kind.to_owned(), message.to_owned()));
        assert_eq!(read(json!({"error": {"message": "no", "type": "a", "code": "b"}})), both("b", "no"));
        assert_eq!(read(json!({"error": {"message": "no", "type": "a", "code": null}})), both("a", "no"));
        assert_eq!(read(json!({"error": {"message": "no", "code": 503}})), both("503", "no"));
        assert_eq!(
            read(json!({"type": "error", "error": {"type": "overloaded_error", "message": "no"}})),
            both("overloaded_error", "no")
        );
        assert_eq!(read(json!({"error": "no"})), both("", "no"));
        assert_eq!(read(json!({"detail": "no"})), both("", "no"));
        assert_eq!(read(json!({"choices": []})), None);
        assert_eq!(read(json!([1])), None);
    }
}
