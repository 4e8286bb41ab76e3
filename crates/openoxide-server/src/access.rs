//! Decides who a caller is: the access token that admits programs, and the browser sessions in which a person approves.
//!
//! The two are different secrets. A program that has the token can look and call, and can answer a question with no. Only
//! a person approves: in a terminal, or in a browser session that a one-time link opened. What a link holds is good once
//! and for minutes, and is kept on disk as a digest only.

mod access_token;
mod browser_sessions;
mod one_time_links;
mod private_file;
mod token;
mod token_file;

pub use access_token::{AccessToken, OwnToken};
pub use browser_sessions::{BrowserSessions, NewSession};
pub use one_time_links::{Announced, OneTimeLinks};
pub use token::{Token, TokenError};
pub use token_file::{TokenFile, TokenFileError};

pub(crate) use browser_sessions::split as split_session;

/// Who a caller is, as the ingress finds out once for each request. Approvals depend on this alone.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Identity {
    /// Has shown nothing, and gets only what is for everyone.
    #[default]
    Anonymous,
    /// A program with the access token, or any program where none is needed. It may look and call as the model does; it
    /// approves nothing and never acts as the user.
    Program,
    /// The user, in a browser session.
    Person,
}
