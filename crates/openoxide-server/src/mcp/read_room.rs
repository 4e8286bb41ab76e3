//! Bounds how much is read at once for clients that come over HTTP, tools and resources alike.
//!
//! A file is several times as much before it is an answer: its bytes, the text with escapes, the result, and the message.

use std::sync::Arc;

use openoxide_app::{FileStamps, HELD_MAX, READ_MAX, ReadRequest, ReadTarget, RemoteName, Snapshot};
use tokio::sync::Semaphore;

use super::{Context, Result, unavailable};
use crate::Engine;
use crate::ingress::{Place, ReadTurn};

/// How many KiB are read at once: one file of any size, or several smaller ones.
const READ_KIB: usize = (READ_MAX / KIB) as usize;
const KIB: u64 = 1024;

/// What is left of the bytes that may be read at once.
pub(super) struct ReadRoom(Arc<Semaphore>);

impl Default for ReadRoom {
    fn default() -> ReadRoom {
        ReadRoom(Arc::new(Semaphore::new(READ_KIB)))
    }
}

impl ReadRoom {
    /// Waits until a file can be read beside the others. A small one does not wait, and neither does the client that started
    /// this process: it has the memory to itself.
    pub(super) async fn wait(
        &self,
        context: &Context,
        engine: &Engine,
        snapshot: &Arc<Snapshot>,
        request: &ReadRequest,
    ) -> Result<()> {
        let Some(head) = context.extensions.get::<http::request::Parts>() else { return Ok(()) };
        let Some(turn) = head.extensions.get::<ReadTurn>() else { return Ok(()) };
        let (snapshot, request) = (Arc::clone(snapshot), request.clone());
        let size = engine.work().run(move || size(&snapshot, &request)).await.map_err(unavailable)?;
        if size > HELD_MAX {
            let kib = size.min(READ_MAX).div_ceil(KIB);
            let place = head.extensions.get::<Arc<Place>>();
            turn.take(&self.0, u32::try_from(kib).unwrap_or(u32::MAX), place).await;
        }
        Ok(())
    }
}

/// Returns about how many bytes a reading holds; only reading tells for certain.
fn size(snapshot: &Snapshot, request: &ReadRequest) -> u64 {
    match &request.target {
        // What another server sends is bounded by its client, and may take its time.
        ReadTarget::Skill { skill, .. } if RemoteName::parse(skill).is_some() => 0,
        ReadTarget::Skill { skill, part, .. } => {
            let stamps = FileStamps::take(snapshot, skill, part, request.caller);
            // What was not looked at before, such as a file behind a link, may be as large as any.
            stamps.map_or(READ_MAX, |stamps| stamps.size()).min(snapshot.view.host.resource.max)
        }
        ReadTarget::Found { entry, path: Some(path), .. } => {
            let file = fs_err::metadata(entry.dir().join(path.as_path()));
            file.map_or(READ_MAX, |file| file.len())
        }
        // The names in a folder.
        ReadTarget::Found { path: None, .. } => 0,
        ReadTarget::Url(_) => READ_MAX,
    }
}
