//! A conversation with a client, which its requests share.

use std::sync::Arc;

use openoxide_app::Session;
use tokio::sync::Mutex;

/// A conversation, which several requests may be part of at once. It is locked for single steps only: never while a command
/// runs, a server is asked, or the user thinks.
pub type Conversation = Arc<Mutex<Session>>;
