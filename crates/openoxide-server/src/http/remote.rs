//! Skills that the MCP servers of the settings offer, over HTTP.

use axum::response::Response;
use openoxide_app::remote;

use super::extract::{HttpContext, LocationQuery, Query};
use super::response::EncodedResponse;
use crate::answer::Failure;
use crate::conversation::Conversation;
use crate::drive::Nobody;

pub(crate) async fn list(context: HttpContext, Query(query): Query<LocationQuery>) -> Result<Response, Failure> {
    let state = context.state(&query.at).await?;
    let operation = remote::list(&state)?;
    let (_, listing) = context.engine.complete(&state, operation, &Conversation::default(), &mut Nobody).await?;
    let peer = context.peer;
    let ready = context.work(move || EncodedResponse::json(&listing.answer(), peer, Some(&state))).await?;
    Ok(ready.send(&context.headers))
}
