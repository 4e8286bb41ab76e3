//! Names the client in the audit log.

use std::net::SocketAddr;

use axum::extract::ConnectInfo;
use http::request::Parts;

use crate::answer::RequestId;
use crate::observe::audit::{Actor, Face};

/// Who asks; over HTTP, by the head of the request.
pub(super) fn actor(head: Option<&Parts>) -> Actor {
    let Some(head) = head else { return Actor::of(Face::Mcp) };
    let peer = head.extensions.get::<ConnectInfo<SocketAddr>>().map(|info| info.0.to_string());
    let request = head.extensions.get::<RequestId>().map(|id| id.0.to_string());
    Actor { face: Face::Mcp, peer, request }
}
