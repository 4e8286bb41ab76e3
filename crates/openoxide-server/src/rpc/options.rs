//! Options of the JSON-RPC server.

use std::path::PathBuf;

/// What the server says about itself.
#[derive(Clone, Debug, Default)]
pub struct RpcOptions {
    /// The folder with the user's settings.
    pub home: Option<PathBuf>,
}
