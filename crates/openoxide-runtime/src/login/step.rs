//! The steps of a login, and the replies that a driver gives.

use super::callback::{Callback, Returned};
use super::error::LoginError;
use super::http::{Request, Response};

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
