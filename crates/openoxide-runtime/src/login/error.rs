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
    #[error("`{url}` is no address that can be logged in to")]
    Address {
        /// The address.
        url: String,
    },
    /// The address is not encrypted, or leads to this machine from outside.
    #[error("`{url}` is not safe: `https` is needed, or this machine's own address for a server that is there too")]
    Insecure {
        /// The address.
        url: String,
    },
    /// A request failed.
    #[error("`{url}` cannot be reached: {why}")]
    Unreachable {
        /// Where it went.
        url: String,
        /// What happened.
        why: String,
    },
    /// An answer is too long.
    #[error("the answer of `{url}` is too long")]
    TooLong {
        /// Where it came from.
        url: String,
    },
    /// Nothing came in time.
    #[error("nothing came within {seconds} s")]
    TimedOut {
        /// How long that was.
        seconds: u64,
    },
    /// There is nothing that says how to log in.
    #[error("{of} does not say how to log in")]
    NoMetadata {
        /// Who should.
        of: &'static str,
    },
    /// An answer is not what it should be.
    #[error("{what}")]
    Answer {
        /// What is wrong.
        what: String,
    },
    /// The issuer said no.
    #[error("the issuer answers `{code}`")]
    Denied {
        /// Its word.
        code: String,
    },
    /// What came back belongs to another login.
    #[error("what the browser brought belongs to another login")]
    State,
    /// What came back is from another issuer.
    #[error("what the browser brought is from another issuer")]
    Issuer,
    /// There is no place for the browser to come back to.
    #[error("the browser has no way back: {why}")]
    NoListener {
        /// What happened.
        why: String,
    },
    /// The issuer knows only clients that somebody registered.
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
            LoginError::TimedOut { .. } | LoginError::Unreachable { .. } => Some("try again in a new conversation"),
            LoginError::NoRegistration => Some("give the server a token of your own in another program"),
            _ => None,
        }
    }

    pub(crate) fn answer(what: impl Into<String>) -> LoginError {
        LoginError::Answer { what: what.into() }
    }
}
