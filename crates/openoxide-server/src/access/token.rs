//! The access token: the secret that programs show, kept only as a digest.

use std::fmt;

use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;

/// The shortest token that is one.
const SHORTEST: usize = 16;
/// The longest.
const LONGEST: usize = 1024;

/// Why a text is no token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TokenError {
    /// It can be guessed.
    #[error("the token has fewer than {SHORTEST} characters, so it can be guessed")]
    Short,
    /// It is too long to be sent.
    #[error("the token has more than {LONGEST} characters")]
    Long,
    /// It cannot be sent.
    #[error("the token has characters that cannot be sent: letters, digits and signs of ASCII can, without spaces")]
    Characters,
}

/// The secret that programs have to show. Only its digest is kept.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Takes a token; space around it is ignored.
    pub fn new(text: &SecretString) -> Result<Token, TokenError> {
        let text = text.expose_secret().trim();
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(TokenError::Characters);
        }
        match text.len() {
            0..SHORTEST => Err(TokenError::Short),
            SHORTEST..=LONGEST => Ok(Token(digest(text.as_bytes()))),
            _ => Err(TokenError::Long),
        }
    }

    /// Tells whether a text is it. How long that takes says nothing about the token.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        digest(text).ct_eq(&self.0).into()
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Token(…)")
    }
}

pub(super) fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_whole_token_is_it() {
        let token = Token::new(&"  0123456789abcdef\n".to_owned().into()).unwrap();
        assert!(token.is(b"0123456789abcdef"));
        for other in [&b""[..], b"0123456789abcde", b"0123456789abcdeF", b"0123456789abcdef\n"] {
            assert!(!token.is(other), "{other:?}");
        }
        assert_eq!(format!("{token:?}"), "Token(…)");
        let error = |text: &str| Token::new(&text.to_owned().into()).unwrap_err();
        assert_eq!(error("short"), TokenError::Short);
        assert_eq!(error(""), TokenError::Short);
        assert_eq!(error("0123456789 abcdef"), TokenError::Characters);
        assert_eq!(error(&"x".repeat(2000)), TokenError::Long);
    }
}
