//! Reads bodies and lines of bounded length: a longer one is read to its end and thrown away.
//!
//! `http_body_util::Limited` and `LinesCodec` end at the first that is too long; here the client still gets an answer.

use axum::body::Body;
use http_body_util::BodyExt as _;
use tokio::io::{AsyncBufReadExt as _, AsyncRead, BufReader};

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

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Line {
    /// A line, without its end.
    Whole(Vec<u8>),
    /// A line longer than the limit; it was skipped.
    TooLong,
    End,
}

/// Reads lines. A call that is dropped before it returns loses nothing.
pub(crate) struct BoundedLines<R> {
    input: BufReader<R>,
    most: usize,
    begun: Vec<u8>,
    too_long: bool,
}

impl<R: AsyncRead + Unpin> BoundedLines<R> {
    /// Reads lines of at most so many bytes.
    pub(crate) fn new(input: R, most: usize) -> BoundedLines<R> {
        BoundedLines { input: BufReader::new(input), most, begun: Vec::new(), too_long: false }
    }

    pub(crate) async fn next(&mut self) -> std::io::Result<Line> {
        loop {
            let bytes = self.input.fill_buf().await?;
            if bytes.is_empty() {
                let is_begun = self.too_long || !self.begun.is_empty();
                return Ok(if is_begun { self.take() } else { Line::End });
            }
            let end = bytes.iter().position(|byte| *byte == b'\n');
            let part = &bytes[..end.unwrap_or(bytes.len())];
            if self.begun.len() + part.len() > self.most {
                self.too_long = true;
                self.begun = Vec::new();
            } else if !self.too_long {
                self.begun.extend_from_slice(part);
            }
            let taken = part.len() + usize::from(end.is_some());
            self.input.consume(taken);
            if end.is_some() {
                return Ok(self.take());
            }
        }
    }

    fn take(&mut self) -> Line {
        let line = std::mem::take(&mut self.begun);
        if std::mem::take(&mut self.too_long) { Line::TooLong } else { Line::Whole(line) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_line_that_is_too_long_is_passed_over() {
        let mut lines = BoundedLines::new(&b"ab\n\nabcdefg\nabc\nabcd"[..], 3);
        let whole = |text: &str| Line::Whole(text.into());
        let expected = [whole("ab"), whole(""), Line::TooLong, whole("abc"), Line::TooLong, Line::End, Line::End];
        for line in expected {
            assert_eq!(lines.next().await.unwrap(), line);
        }
    }

    #[tokio::test]
    async fn the_last_line_needs_no_end() {
        let mut lines = BoundedLines::new(&b"ab"[..], 3);
        assert_eq!(lines.next().await.unwrap(), Line::Whole("ab".into()));
        assert_eq!(lines.next().await.unwrap(), Line::End);
    }
}
