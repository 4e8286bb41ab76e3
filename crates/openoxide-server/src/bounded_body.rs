//! Reads a request's body into memory, up to a limit.

use axum::body::Body;
use http_body_util::BodyExt as _;

/// Why a body could not be read as a whole.
pub(crate) enum BodyError {
    Incomplete,
    TooLarge,
}

/// Reads a body of at most `limit` bytes.
///
/// A larger one is read to its end all the same and thrown away: most clients read the answer only after they have sent
/// everything.
pub(crate) async fn read_body(mut body: Body, limit: usize) -> Result<Vec<u8>, BodyError> {
    let (mut bytes, mut length) = (Vec::new(), 0);
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|_| BodyError::Incomplete)?.into_data() else { continue };
        length += data.len();
        if length <= limit {
            bytes.extend_from_slice(&data);
        } else {
            bytes = Vec::new();
        }
    }
    if length > limit { Err(BodyError::TooLarge) } else { Ok(bytes) }
}
