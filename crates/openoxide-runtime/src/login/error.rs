//! The reasons why a login fails.

/// Why nobody is logged in. No text of these holds a code or a token.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LoginError {
    /// Nobody here sends requests.
    #[error("it was not tried")]
    NotTried,
    /// The user said no.
    #[error("the login was refused")]
    Refused,
    /// The address is none.
    #[error("`{0}` is no address that can be logged in to")]
    Address(String),
    /// The address is not encrypted, or leads to this machine from outside.
    #[error("`{0}` is not safe: `https` is needed, or this machine's own address for a server that is there too")]
    Insecure(String),
    /// A request failed.
    #[error("`{url}` cannot be reached: {why}")]
    Unreachable {
        /// Where it went.
        url: String,
        /// What happened.
        why: String,
    },
    /// The answer of this address is too long.
    #[error("the answer of `{0}` is too long")]
    TooLong(String),
    /// Nothing came within so many seconds.
    #[error("nothing came within {0} s")]
    TimedOut(u64),
    /// There is nothing that says how to log in; with who should say it.
    #[error("{0} does not say how to log in")]
    NoMetadata(&'static str),
    /// An answer is not what it should be, for this reason.
    #[error("{0}")]
    Answer(String),
    /// The issuer said no, with this word.
    #[error("the issuer answers `{0}`")]
    Denied(String),
    /// What came back belongs to another login.
    #[error("what the browser brought belongs to another login")]
    State,
    /// What came back is from another issuer.
    #[error("what the browser brought is from another issuer")]
    Issuer,
    /// There is no place for the browser to come back to, for this reason.
    #[error("the browser has no way back: {0}")]
    NoListener(String),
    /// The issuer accepts only clients that were registered with it by hand.
    #[error("the issuer takes only programs that were registered with it by hand")]
    NoRegistration,
    /// There is no randomness.
    #[error("this machine has no random numbers to give")]
    Random,
}

impl LoginError {
    /// Returns the next step.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            LoginError::TimedOut(_) | LoginError::Unreachable { .. } => Some("try again in a new conversation"),
            LoginError::NoRegistration => Some("give the server a token of your own in another program"),
            _ => None,
        }
    }

    pub(crate) fn answer(what: impl Into<String>) -> LoginError {
        LoginError::Answer(what.into())
    }
}
