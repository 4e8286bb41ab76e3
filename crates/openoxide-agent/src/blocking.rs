//! Waits for a model, for callers that block.

use std::future::Future;

/// Runs a future to its end on a small async runtime of its own. It must not be used inside an async runtime.
pub fn wait<T>(future: impl Future<Output = T>) -> std::io::Result<T> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    Ok(runtime.block_on(future))
}
