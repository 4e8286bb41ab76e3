//! Offers the skills of servers to blocking callers, on a small async runtime of its own.

use crate::remote::Remote;

/// Skills of servers, for callers that block. It must not be used inside an async runtime.
pub struct BlockingRemote {
    runtime: tokio::runtime::Runtime,
    remote: Remote,
}

impl BlockingRemote {
    /// Makes a runtime. Nothing is started or reached yet.
    pub fn new(remote: Remote) -> std::io::Result<BlockingRemote> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        Ok(BlockingRemote { runtime, remote })
    }

    /// Runs an operation on the servers, and waits for its result.
    pub fn wait<T>(&self, operation: impl AsyncFnOnce(&Remote) -> T) -> T {
        self.runtime.block_on(operation(&self.remote))
    }
}

impl Drop for BlockingRemote {
    fn drop(&mut self) {
        self.runtime.block_on(self.remote.close());
    }
}
