//! Tokens: the secret that clients show, kept only as a digest.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::{fmt, net::SocketAddr, os::unix::fs::DirBuilderExt as _};

use fs_err::os::unix::fs::OpenOptionsExt as _;
use openoxide_app::encoding::hex;
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

/// The secret that everybody has to show. Only its digest is kept.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// Takes a token; space around it does not count.
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

    /// Returns the file below OpenOxide's own folder that the token of a server is in which was given none. Each address
    /// has its own, so that several servers can run at once.
    pub fn file(home: &Path, address: SocketAddr) -> PathBuf {
        home.join("state").join(format!("serve-{}-{}.token", address.ip(), address.port()))
    }

    /// Makes a token and writes it where only its user can read it, in place of the last.
    pub fn mint(file: &Path) -> io::Result<Token> {
        let mut bytes = [0_u8; 32];
        getrandom::fill(&mut bytes).map_err(io::Error::other)?;
        let text = SecretString::from(hex(&bytes));
        if let Some(folder) = file.parent() {
            std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        }
        // A new file that is renamed: a process with the old one open cannot read it, and no reader finds half of it.
        let fresh = file.with_extension(format!("token.{}", std::process::id()));
        let _ = fs_err::remove_file(&fresh);
        let written = fs_err::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&fresh);
        written?.write_all(text.expose_secret().as_bytes())?;
        fs_err::rename(&fresh, file)?;
        Ok(Token(digest(text.expose_secret().as_bytes())))
    }

    /// Removes the file of a token that is no longer used, unless another one is in it by now.
    pub fn remove(&self, file: &Path) {
        if fs_err::read(file).is_ok_and(|text| self.is(&text)) {
            // What stays opens nothing.
            let _ = fs_err::remove_file(file);
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

fn digest(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn a_minted_token_is_new_each_time_and_for_its_user_alone() {
        let root = tempfile::tempdir().unwrap();
        let file = Token::file(root.path(), ([127, 0, 0, 1], 7171).into());
        assert!(file.ends_with("state/serve-127.0.0.1-7171.token"), "{}", file.display());
        let first = Token::mint(&file).unwrap();
        let old = fs_err::read(&file).unwrap();
        let token = Token::mint(&file).unwrap();
        let text = fs_err::read(&file).unwrap();
        assert!(text.len() == 64 && text != old && first.is(&old), "{text:?}");
        assert!(token.is(&text) && !token.is(&old));
        assert_eq!(fs_err::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(fs_err::read_dir(file.parent().unwrap()).unwrap().count(), 1, "nothing else is left");
        first.remove(&file);
        assert!(file.exists(), "another server's is left alone");
        token.remove(&file);
        assert!(!file.exists());
    }

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
