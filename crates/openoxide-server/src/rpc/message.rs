//! Reads requests and writes answers of JSON-RPC.

use serde::{Serialize, de::DeserializeOwned};
use serde_json::{Map, Value, json};

use super::error::{Result, RpcError};
use crate::strict_json;

/// The id of a request.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub(super) enum Id {
    Number(i64),
    Text(String),
}

/// A message that came in.
#[derive(Debug, PartialEq)]
pub(super) enum Incoming {
    Request {
        id: Id,
        method: String,
        /// Null if there are none.
        params: Value,
        /// Whether the response names the version of JSON-RPC.
        versioned: bool,
    },
    /// A notification; the server acts on none.
    Notice,
    /// The answer to a request of the server; nothing if the client could not give one.
    Reply { id: Id, result: Option<Value> },
    /// A message that is no request, with its id if that can be read.
    Bad { id: Option<Id>, error: RpcError },
}

impl Incoming {
    pub(super) fn read(line: &[u8]) -> Incoming {
        let bad = |id, error| Incoming::Bad { id, error };
        let mut message = match strict_json::read(line) {
            Ok(Value::Object(message)) => message,
            Ok(Value::Array(_)) => {
                return bad(None, RpcError::invalid("a batch is not taken; send one object per line"));
            }
            Ok(_) => return bad(None, RpcError::invalid("a message is an object")),
            Err(error) => return bad(None, RpcError::not_json(&error)),
        };
        let id = match message.remove("id").map(read_id).transpose() {
            Ok(id) => id,
            Err(error) => return bad(None, error),
        };
        let versioned = message.contains_key("jsonrpc");
        let params = message.remove("params").unwrap_or_default();
        match (id, message.remove("method")) {
            (Some(id), Some(Value::String(method))) => Incoming::Request { id, method, params, versioned },
            (None, Some(Value::String(_))) => Incoming::Notice,
            (id, Some(_)) => bad(id, RpcError::invalid("`method` is a text")),
            (Some(id), None) if message.contains_key("error") => Incoming::Reply { id, result: None },
            (Some(id), None) => match message.remove("result") {
                Some(result) => Incoming::Reply { id, result: Some(result) },
                None => bad(Some(id), RpcError::invalid("there is no `method`")),
            },
            (None, None) => bad(None, RpcError::invalid("there is no `method`")),
        }
    }
}

fn read_id(id: Value) -> Result<Id> {
    match id {
        Value::String(text) => Ok(Id::Text(text)),
        Value::Number(number) if number.is_i64() => Ok(Id::Number(number.as_i64().unwrap_or_default())),
        _ => Err(RpcError::invalid("`id` is a whole number or a text")),
    }
}

/// Reads the parameters of a method; absent ones are an empty object.
pub(super) fn params<T: DeserializeOwned>(params: Value) -> Result<T> {
    let params = match params {
        Value::Null => Value::Object(Map::new()),
        Value::Object(_) | Value::Array(_) => params,
        _ => return Err(RpcError::invalid("`params` is an object")),
    };
    serde_json::from_value(params).map_err(RpcError::invalid)
}

pub(super) fn result(answer: &impl Serialize) -> Result<Value> {
    Ok(serde_json::to_value(answer)?)
}

/// Writes the response to a request. A request whose id cannot be read gets null.
pub(super) fn response(id: Option<&Id>, outcome: Result<Value>, versioned: bool) -> Value {
    let mut message = match outcome {
        Ok(result) => json!({ "id": id, "result": result }),
        Err(error) => json!({ "id": id, "error": error }),
    };
    if versioned {
        message["jsonrpc"] = "2.0".into();
    }
    message
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: &Incoming) {
        assert_eq!(Incoming::read(line.as_bytes()), *expected, "{line}");
    }

    #[test]
    fn what_can_be_acted_on() {
        let request = |id, params, versioned| Incoming::Request { id, method: "m".to_owned(), params, versioned };
        check(r#"{"id":1,"method":"m"}"#, &request(Id::Number(1), Value::Null, false));
        check(
            r#"{"jsonrpc":"2.0","id":"x","method":"m","params":{}}"#,
            &request(Id::Text("x".into()), json!({}), true),
        );
        check(r#"{"method":"m","params":[]}"#, &Incoming::Notice);
        check(r#"{"id":"x","result":null}"#, &Incoming::Reply { id: Id::Text("x".into()), result: Some(Value::Null) });
        check(r#"{"id":7,"error":{}}"#, &Incoming::Reply { id: Id::Number(7), result: None });
    }

    #[test]
    fn what_cannot_is_answered() {
        let cases = [
            ("not json", -32700, None),
            ("[]", -32600, None),
            ("5", -32600, None),
            ("{}", -32600, None),
            (r#"{"id":1}"#, -32600, Some(Id::Number(1))),
            (r#"{"id":1,"method":2}"#, -32600, Some(Id::Number(1))),
            (r#"{"id":1.5,"method":"m"}"#, -32600, None),
            (r#"{"id":null,"method":"m"}"#, -32600, None),
            (r#"{"id":1,"id":2,"method":"m"}"#, -32700, None),
        ];
        for (line, code, expected) in cases {
            let Incoming::Bad { id, error } = Incoming::read(line.as_bytes()) else { panic!("{line}") };
            assert_eq!((json!(error)["code"].as_i64(), id), (Some(code), expected), "{line}");
        }
    }
}
