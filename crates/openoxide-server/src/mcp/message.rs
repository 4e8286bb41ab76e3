//! Reads a client's messages, or says why bytes are none.

use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ErrorCode, RequestId, ServerJsonRpcMessage};
use serde_json::{Value, error::Category};

use super::shortened;
use crate::strict_json;

/// The longest message that is read, in bytes.
pub(super) const MESSAGE_MAX: usize = 1024 * 1024;
/// Longest id of a request, in bytes. It is kept until the request is answered, and is in the answer.
const ID_MAX: usize = 256;

/// What is no message.
#[derive(Debug)]
pub(super) struct Unreadable {
    error: ErrorData,
    /// The request that it would have been.
    id: Option<RequestId>,
    /// Whether the client waits for an answer, as far as the message shows.
    pub(super) is_awaited: bool,
}

impl Unreadable {
    pub(super) fn too_long() -> Unreadable {
        Unreadable::new(ErrorCode::INVALID_REQUEST, format!("a message has at most {MESSAGE_MAX} bytes"))
    }

    pub(super) fn broken() -> Unreadable {
        Unreadable::new(ErrorCode::PARSE_ERROR, "the message did not arrive as a whole")
    }

    fn new(code: ErrorCode, text: impl Into<String>) -> Unreadable {
        Unreadable { error: ErrorData::new(code, text.into(), None), id: None, is_awaited: true }
    }

    pub(super) fn answer(self) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::error(self.error, self.id)
    }
}

pub(super) fn read(bytes: &[u8]) -> Result<ClientJsonRpcMessage, Unreadable> {
    let value = strict_json::read(bytes).map_err(|error| {
        let code = match error.classify() {
            Category::Data => ErrorCode::INVALID_REQUEST,
            Category::Io | Category::Syntax | Category::Eof => ErrorCode::PARSE_ERROR,
        };
        Unreadable::new(code, format!("it cannot be read: {}", shortened(&error.to_string())))
    })?;
    let why = match &value {
        Value::Array(_) => "a batch is not taken; send one object at a time",
        Value::Object(_) => "it is no message of JSON-RPC 2.0",
        _ => "a message is an object",
    };
    let has = |key: &str| value.get(key).is_some();
    // Who answers wants no answer, and who tells waits for none.
    let is_awaited = if has("method") { has("id") } else { !has("result") && !has("error") };
    if value.get("id").and_then(Value::as_str).is_some_and(|id| id.len() > ID_MAX) {
        let text = format!("an id has at most {ID_MAX} bytes");
        return Err(Unreadable { is_awaited, ..Unreadable::new(ErrorCode::INVALID_REQUEST, text) });
    }
    let id = value.get("id").filter(|_| is_awaited).and_then(|id| serde_json::from_value(id.clone()).ok());
    let message = serde_json::from_value(value);
    message.map_err(|_| Unreadable { id, is_awaited, ..Unreadable::new(ErrorCode::INVALID_REQUEST, why) })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Returns the code and, if it has one, the id of the answer to what cannot be read; nothing if there is none.
    fn refused(text: &[u8]) -> Option<(i64, Option<Value>)> {
        let unreadable = read(text).unwrap_err();
        let is_awaited = unreadable.is_awaited;
        let answer = serde_json::to_value(unreadable.answer()).unwrap();
        is_awaited.then(|| (answer["error"]["code"].as_i64().unwrap(), answer.get("id").cloned()))
    }

    #[test]
    fn what_is_no_message_is_answered_to_whom_it_may_concern() {
        let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
        let batch = format!("[{}]", vec![r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#; 10_000].join(","));
        let long = format!(r#"{{"jsonrpc":"2.0","id":"{}","method":"ping"}}"#, "x".repeat(ID_MAX + 1));
        // MCP knows no id that is null: what cannot be said is left out.
        let rows: [(&[u8], i64, Option<Value>); 13] = [
            (b"", -32700, None),
            (b"nonsense", -32700, None),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", -32700, None),
            (deep.as_bytes(), -32600, None),
            (batch.as_bytes(), -32600, None),
            (b"5", -32600, None),
            (b"{}", -32600, None),
            (br#"{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}"#, -32600, None),
            (br#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":1,"a":2}}"#, -32600, None),
            (br#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600, Some(json!(1))),
            (long.as_bytes(), -32600, None),
            (br#"{"jsonrpc":"2.0","id":"a","method":5}"#, -32600, Some(json!("a"))),
            (br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, -32600, None),
        ];
        for (text, code, id) in rows {
            let start = String::from_utf8_lossy(&text[..text.len().min(60)]).into_owned();
            assert_eq!(refused(text), Some((code, id)), "{start}");
        }
    }

    #[test]
    fn who_waits_for_nothing_is_not_answered() {
        assert_eq!(refused(br#"{"jsonrpc":"1.0","method":"notifications/initialized"}"#), None);
        assert_eq!(refused(br#"{"jsonrpc":"1.0","id":1,"result":{}}"#), None);
        let long = "x".repeat(ID_MAX + 1);
        assert_eq!(refused(format!(r#"{{"jsonrpc":"2.0","id":"{long}","result":{{}}}}"#).as_bytes()), None);
        assert!(read(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#).is_ok());
        let longest = "x".repeat(ID_MAX);
        assert!(read(format!(r#"{{"jsonrpc":"2.0","id":"{longest}","method":"ping"}}"#).as_bytes()).is_ok());
    }
}
