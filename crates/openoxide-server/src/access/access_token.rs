//! The access token that a server asks for: one that was named, or the one in the user's own file as that is now.

use std::sync::{Arc, Mutex, PoisonError};

use super::token::Token;
use super::token_file::{TokenFile, TokenStamp};

/// The access token that a server asks for.
#[derive(Clone, Debug)]
pub enum AccessToken {
    /// One that was named when the server began.
    Named(Token),
    /// The user's own. When another one is made, this server asks for that from then on.
    Own(OwnToken),
}

/// The token in a user's own file, read again whenever the file is another one.
#[derive(Clone, Debug)]
pub struct OwnToken {
    file: TokenFile,
    last: Arc<Mutex<LastRead>>,
}

#[derive(Debug, Default)]
struct LastRead {
    stamp: Option<TokenStamp>,
    token: Option<Token>,
}

impl AccessToken {
    /// Takes the token of the user's own file.
    pub fn own(file: TokenFile) -> AccessToken {
        AccessToken::Own(OwnToken { file, last: Arc::default() })
    }

    /// Tells whether a text is the token.
    pub(crate) fn is(&self, text: &[u8]) -> bool {
        match self {
            AccessToken::Named(token) => token.is(text),
            AccessToken::Own(own) => own.is(text),
        }
    }
}

impl OwnToken {
    /// Without a file, or with one that is not the user's alone, no text is the token.
    fn is(&self, text: &[u8]) -> bool {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        // Taken before the file is read: if it is replaced in between, it is read again the next time.
        let stamp = self.file.stamp();
        if stamp.is_none() || last.stamp != stamp {
            let text = self.file.read().ok().flatten();
            let token = text.and_then(|text| Token::new(&text).ok());
            *last = LastRead { stamp: stamp.filter(|_| token.is_some()), token };
        }
        last.token.as_ref().is_some_and(|token| token.is(text))
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    #[test]
    fn another_token_makes_the_last_one_worthless_at_once() {
        let root = tempfile::tempdir().unwrap();
        let file = TokenFile::below(root.path());
        let token = AccessToken::own(file.clone());
        assert!(!token.is(b""), "there is none yet");
        let mut last = file.read_or_make().unwrap();
        assert!(token.is(last.expose_secret().as_bytes()) && !token.is(b"other"));
        for _ in 0..20 {
            let next = file.renew().unwrap();
            assert!(!token.is(last.expose_secret().as_bytes()) && token.is(next.expose_secret().as_bytes()));
            last = next;
        }
        fs_err::remove_file(file.path()).unwrap();
        assert!(!token.is(last.expose_secret().as_bytes()), "a token that was removed opens nothing");
    }
}
