//! Sends and receives messages between the runtime and its helper: bytes, with their length before them.

use std::io::{self, Read, Write};

use serde::{Serialize, de::DeserializeOwned};

/// The longest message, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

pub(crate) fn send(to: impl Write, message: &impl Serialize) -> io::Result<()> {
    send_bytes(to, &serde_json::to_vec(message)?)
}

pub(crate) fn send_bytes(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Receives a message, or nothing if the other side is gone.
pub(crate) fn receive<T: DeserializeOwned>(from: impl Read) -> io::Result<Option<T>> {
    let Some(bytes) = receive_bytes(from)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|_| malformed())
}

pub(crate) fn receive_bytes(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > LONGEST {
        return Err(malformed());
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(Some(bytes)) } else { Err(malformed()) }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message to or from the helper is malformed")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_is_received() {
        let mut wire = Vec::new();
        send(&mut wire, &(7, "a\0b", ["x", ""])).unwrap();
        send_bytes(&mut wire, b"a\0\xff").unwrap();
        let mut wire = wire.as_slice();
        let received: (u64, String, [String; 2]) = receive(&mut wire).unwrap().unwrap();
        assert_eq!(received, (7, "a\0b".to_owned(), ["x".to_owned(), String::new()]));
        assert_eq!(receive_bytes(&mut wire).unwrap().unwrap(), b"a\0\xff");
        assert!(receive_bytes(&mut wire).unwrap().is_none());
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(receive::<u64>(&b""[..]).unwrap().is_none());
        assert!(receive_bytes(&[255; 8][..]).is_err());
        assert!(receive_bytes(&[9, 0, 0, 0, 0, 0, 0, 0, 1][..]).is_err());
        assert!(receive::<u64>(&[1, 0, 0, 0, 0, 0, 0, 0, 255][..]).is_err());
    }
}
