//! Offers the skills of servers to blocking callers, on a small async runtime of its own.

use openoxide_runtime::{Fetch, FetchReply, RemoteName};

use crate::error::RemoteError;
use crate::listing::{RemoteListing, ServerSkill, Verified};
use crate::remote::Remote;

/// Skills of servers, for those who wait. It must not be used inside an async runtime.
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

    /// Asks every server what it offers.
    pub fn list(&self) -> RemoteListing {
        self.runtime.block_on(self.remote.list())
    }

    /// Finds the skill that a name means.
    pub fn find(&self, name: &RemoteName) -> Result<ServerSkill, RemoteError> {
        self.runtime.block_on(self.remote.find(name))
    }

    /// Finds the skill that a name means, or the skill and the path of a file in it.
    pub fn locate(&self, name: &RemoteName) -> Result<(ServerSkill, Option<String>), RemoteError> {
        self.runtime.block_on(self.remote.locate(name))
    }

    /// Asks the server what an operation needs of it.
    pub fn answer(&self, fetch: &Fetch) -> FetchReply {
        self.runtime.block_on(self.remote.answer(fetch))
    }

    /// Returns the servers themselves.
    pub fn remote(&self) -> &Remote {
        &self.remote
    }

    /// Fetches a skill's own file, and checks that it is what was listed.
    pub fn load(&self, skill: &ServerSkill) -> Result<Verified, RemoteError> {
        self.runtime.block_on(self.remote.load(skill))
    }

    /// Reads a file of a skill.
    pub fn read(&self, skill: &ServerSkill, wanted: &str) -> Result<Vec<u8>, RemoteError> {
        self.runtime.block_on(self.remote.read(skill, wanted))
    }

    /// Lists the files of a skill by their paths.
    pub fn files(&self, skill: &ServerSkill) -> Result<Vec<String>, RemoteError> {
        self.runtime.block_on(self.remote.files(skill))
    }
}

impl Drop for BlockingRemote {
    fn drop(&mut self) {
        self.runtime.block_on(self.remote.close());
    }
}
