//! The formats of servers: requests as JSON, and replies read event by event. Nothing here is sent or received.

mod anthropic;
mod event;
mod openai;

use openoxide_config::ModelApi;
use serde_json::Value;

use crate::message::Request;

pub(crate) use event::{Decoder, ServerError, StreamError, TokenLimit, error_of};

/// Makes the reader of a format.
pub(crate) fn decoder(api: ModelApi) -> Box<dyn Decoder> {
    match api {
        ModelApi::OpenAi => Box::new(openai::ChatDecoder::default()),
        ModelApi::Anthropic => Box::new(anthropic::MessageDecoder::default()),
    }
}

/// Returns the body of a request for a streamed reply.
pub(crate) fn encode(api: ModelApi, model: &str, request: &Request, limit: TokenLimit) -> Value {
    match api {
        ModelApi::OpenAi => openai::encode(model, request, limit),
        ModelApi::Anthropic => anthropic::encode(model, request),
    }
}

/// Returns the path of requests below that of the API.
pub(crate) fn path(api: ModelApi) -> &'static str {
    match api {
        ModelApi::OpenAi => "chat/completions",
        ModelApi::Anthropic => "messages",
    }
}

#[cfg(test)]
mod testing;
