//! Reads the parameters of methods, and writes their answers.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::rpc::error::RpcError;

/// Reads parameters; absent ones are an empty object.
pub(super) fn params<T: DeserializeOwned>(params: Value) -> Result<T, RpcError> {
    let params = match params {
        Value::Null => Value::Object(Map::new()),
        Value::Object(_) | Value::Array(_) => params,
        _ => return Err(RpcError::invalid("`params` is an object")),
    };
    serde_json::from_value(params).map_err(RpcError::invalid)
}

/// Writes an answer.
pub(super) fn answer(answer: &impl Serialize) -> Result<Value, RpcError> {
    Ok(serde_json::to_value(answer)?)
}
