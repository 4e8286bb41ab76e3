//! Tests of the crate as its users see it.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod faces;
mod http;
mod ingress;
mod mcp;
mod remote;
mod rpc;
mod visible;
mod words;
