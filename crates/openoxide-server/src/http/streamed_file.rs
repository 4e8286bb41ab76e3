//! Sends a large file of a skill in parts, so that it is never held whole for a client that reads slowly.

use std::io;

use axum::body::Body;
use axum::response::{IntoResponse as _, Response};
use http::header::{CONTENT_LENGTH, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue, StatusCode};
use openoxide_app::OpenFile;
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;

use super::response::{is_current, kept_headers, tag_of, text_type};

/// How much of a file is held at a time.
const PART: usize = 32 * 1024;

/// Makes the response, or says that the client has it already.
pub(crate) fn send(file: &OpenFile, content_type: &str, request: &HeaderMap) -> io::Result<Response> {
    let Some(tag) = tag_of(&file.sha256) else { return Ok(StatusCode::INTERNAL_SERVER_ERROR.into_response()) };
    let headers = kept_headers(&tag);
    if is_current(&tag, request) {
        return Ok((StatusCode::NOT_MODIFIED, headers).into_response());
    }
    let mut reader = tokio::fs::File::from_std(file.reader()?);
    reader.set_max_buf_size(PART);
    // If the file is shorter by now, the connection breaks off, and the client knows that something is missing.
    let parts = ReaderStream::with_capacity(reader.take(file.size), PART);
    let mut response = Response::new(Body::from_stream(parts));
    response.headers_mut().extend(headers);
    response.headers_mut().insert(CONTENT_TYPE, text_type(content_type));
    response.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(file.size));
    Ok(response)
}
