//! Encodes bytes as text: hexadecimal digits, digests and percent escapes.

use std::fmt::Write as _;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, percent_encode};
use sha2::{Digest as _, Sha256};

/// Everything but the unreserved characters of RFC 3986.
const RESERVED: AsciiSet = NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes bytes as hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::with_capacity(2 * bytes.len()), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Returns the digest of bytes, as indexes and audit logs write it.
pub fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(&Sha256::digest(bytes)))
}

/// Appends a path segment, percent-encoded, to an address.
pub fn push_percent_encoded(address: &mut String, segment: &[u8]) {
    address.extend(percent_encode(segment, &RESERVED));
}

/// Decodes percent escapes; `None` where an escape is broken, which a lenient decoder would let through as it is.
pub fn percent_decode(text: &str) -> Option<Vec<u8>> {
    let is_escape = |after: &str| after.as_bytes().get(..2).is_some_and(|two| two.iter().all(u8::is_ascii_hexdigit));
    let is_whole = text.split('%').skip(1).all(is_escape);
    is_whole.then(|| percent_decode_str(text).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percent_escapes_survive_a_round_trip() {
        let mut address = "skill://a/".to_owned();
        push_percent_encoded(&mut address, "ä b~.md".as_bytes());
        assert_eq!(address, "skill://a/%C3%A4%20b~.md");
        assert_eq!(percent_decode("%C3%A4%20b~.md").as_deref(), Some("ä b~.md".as_bytes()));
    }

    #[test]
    fn broken_escapes_are_refused() {
        for broken in ["%", "a%2", "%zz", "%%41", "%+1"] {
            assert_eq!(percent_decode(broken), None, "{broken}");
        }
    }
}
