//! The page of a login, and what the browser brings back from it.

use secrecy::SecretString;

/// A page that the user opens, and how to know the browser when it comes back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Callback {
    /// The server that is logged in to.
    pub server: String,
    /// The page.
    pub page: String,
    /// Where the browser comes back to.
    pub redirect: String,
    /// What its request has as `state`; one without it belongs to another login.
    pub state: String,
}

/// What a browser brought: the part of the address after `?`.
#[derive(Clone, Debug)]
pub struct Returned {
    pub(super) query: SecretString,
}

impl Returned {
    /// Takes the part of the address after `?`.
    pub fn from_query(query: impl Into<String>) -> Returned {
        Returned { query: SecretString::from(query.into()) }
    }
}
