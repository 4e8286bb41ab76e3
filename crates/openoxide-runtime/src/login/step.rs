//! The steps of a login, and the replies that a driver gives; also the page, and what the browser brings back from it.

use secrecy::SecretString;

use crate::{LoginError, Request, Response};

/// What a login needs next.
#[derive(Clone, Debug)]
pub enum LoginStep {
    /// A request must be sent; redirects are not followed.
    Fetch(Request),
    /// A place must be opened that the browser can come back to.
    Listen,
    /// The user opens a page, and the browser comes back.
    Wait(Callback),
}

/// What came of it.
#[derive(Debug)]
pub enum LoginReply {
    /// What a server answered.
    Fetched(Result<Response, LoginError>),
    /// The address that the browser can come back to.
    Listening(Result<String, LoginError>),
    /// What the browser brought.
    CameBack(Result<Returned, LoginError>),
    /// Nobody here can do it.
    NotTried,
}

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
