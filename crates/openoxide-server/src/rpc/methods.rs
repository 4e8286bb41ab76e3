//! Dispatches each JSON-RPC request to its method.

mod activate;
mod change;
mod hello;
mod list;
mod look;
mod read;

use serde_json::Value;

use super::{Client, Result, RpcError};

/// Answers a request that later requests depend on, before they are read; nothing if it is another one.
pub(super) async fn at_once(client: &Client, method: &str, params: &Value) -> Option<Result<Value>> {
    match method {
        "initialize" => Some(hello::initialize(client, params.clone())),
        _ if client.declared.get().is_none() => Some(Err(RpcError::untimely("Not initialized"))),
        "skills/extraRoots/set" => Some(change::set_extra_roots(client, params.clone()).await),
        _ => None,
    }
}

pub(super) async fn call(client: &Client, method: &str, params: Value) -> Result<Value> {
    match method {
        "skills/list" => list::list(client, params).await,
        "skills/reload" => list::reload(client, params).await,
        "skills/config/write" => change::write_rule(client, params).await,
        "skills/enable" => change::switch(client, params, true).await,
        "skills/disable" => change::switch(client, params, false).await,
        "config/write" => change::write_setting(client, params).await,
        "skills/activate" => activate::activate(client, params).await,
        "skills/read" => read::read(client, params).await,
        "skills/mentions" => look::mentions(client, params).await,
        "skills/prompt" => look::prompt(client, params).await,
        "skills/roots" => look::roots(client, params).await,
        "skills/install" | "skills/remote/read" | "skills/remote/write" => Err(RpcError::not_supported(method)),
        _ => Err(RpcError::no_method(method)),
    }
}
