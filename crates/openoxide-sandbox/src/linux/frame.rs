//! Encodes messages between the runtime and its helper as byte strings with their lengths.

use std::io::{self, Read, Write};

/// The longest message, in bytes.
const LONGEST: usize = 64 * 1024 * 1024;

/// A message that is being written.
#[derive(Debug, Default)]
pub(crate) struct Message(Vec<u8>);

impl Message {
    /// Adds a string.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> &mut Self {
        self.number(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    /// Adds a number.
    pub(crate) fn number(&mut self, number: u64) -> &mut Self {
        self.0.extend_from_slice(&number.to_le_bytes());
        self
    }

    /// Adds a list of strings.
    pub(crate) fn list<'a>(&mut self, items: impl ExactSizeIterator<Item = &'a [u8]>) -> &mut Self {
        self.number(items.len() as u64);
        for item in items {
            self.push(item);
        }
        self
    }

    /// Sends the message.
    pub(crate) fn send(&self, mut to: impl Write) -> io::Result<()> {
        to.write_all(&(self.0.len() as u64).to_le_bytes())?;
        to.write_all(&self.0)
    }
}

/// A message that is being read.
#[derive(Debug)]
pub(crate) struct Received {
    bytes: Vec<u8>,
    at: usize,
}

impl Received {
    /// Receives a message, or nothing if the other side is gone.
    pub(crate) fn receive(mut from: impl Read) -> io::Result<Option<Self>> {
        let mut length = [0; 8];
        match from.read_exact(&mut length) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
            other => other?,
        }
        let length = usize::try_from(u64::from_le_bytes(length)).unwrap_or(usize::MAX);
        if length > LONGEST {
            return Err(malformed());
        }
        let mut bytes = Vec::new();
        from.take(length as u64).read_to_end(&mut bytes)?;
        if bytes.len() == length { Ok(Some(Self { bytes, at: 0 })) } else { Err(malformed()) }
    }

    /// Returns the next number.
    pub(crate) fn number(&mut self) -> io::Result<u64> {
        let (number, _) = self.bytes.get(self.at..).and_then(<[u8]>::split_first_chunk).ok_or_else(malformed)?;
        self.at += 8;
        Ok(u64::from_le_bytes(*number))
    }

    /// Returns the next string.
    pub(crate) fn pull(&mut self) -> io::Result<Vec<u8>> {
        let length = usize::try_from(self.number()?).unwrap_or(usize::MAX);
        let end = self.at.checked_add(length).ok_or_else(malformed)?;
        let bytes = self.bytes.get(self.at..end).ok_or_else(malformed)?.to_vec();
        self.at = end;
        Ok(bytes)
    }

    /// Returns the next list.
    pub(crate) fn list<T>(&mut self, make: impl Fn(Vec<u8>) -> T) -> io::Result<Vec<T>> {
        (0..self.number()?).map(|_| self.pull().map(&make)).collect()
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message to or from the helper is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut message = Message::default();
        message.number(7).push(b"a\0b").list([b"x".as_slice(), b""].into_iter());
        let mut wire = Vec::new();
        message.send(&mut wire).unwrap();
        let mut received = Received::receive(wire.as_slice()).unwrap().unwrap();
        assert_eq!(received.number().unwrap(), 7);
        assert_eq!(received.pull().unwrap(), b"a\0b");
        assert_eq!(received.list(|item| item).unwrap(), [b"x".to_vec(), vec![]]);
        assert!(received.number().is_err());
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(Received::receive(&b""[..]).unwrap().is_none());
        assert!(Received::receive(&[255; 8][..]).is_err());
        assert!(Received::receive(&[9, 0, 0, 0, 0, 0, 0, 0, 1][..]).is_err());
        let mut received = Received { bytes: vec![255; 8], at: 0 };
        assert!(received.list(|item| item).is_err());
    }
}
