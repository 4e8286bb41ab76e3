//! Writes lines in a background thread, so that a request never waits for a file or a terminal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// How many lines may wait.
const WAITING: usize = 8192;
/// How long lines are gathered before they are written together.
const GATHERED: Duration = Duration::from_millis(10);
/// How many bytes are written together.
const TOGETHER: usize = 256 * 1024;

/// Writes whole lines, and reports by itself what it cannot write.
type WriteLines = Box<dyn FnMut(&[u8]) + Send>;

/// Lines on their way out. The first of them starts the thread.
pub(super) struct BackgroundWriter {
    write: Mutex<Option<WriteLines>>,
    sender: OnceLock<Option<SyncSender<Item>>>,
    lost: AtomicU64,
}

enum Item {
    Line(String),
    Flush(SyncSender<()>),
}

impl BackgroundWriter {
    pub(super) fn new(write: impl FnMut(&[u8]) + Send + 'static) -> BackgroundWriter {
        BackgroundWriter { write: Mutex::new(Some(Box::new(write))), sender: OnceLock::new(), lost: AtomicU64::new(0) }
    }

    /// Hands a line over, without its end. If too many wait, it is lost, and counted.
    pub(super) fn push(&self, line: String) {
        let sent = self.sender().map(|sender| sender.try_send(Item::Line(line)));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns how many lines were lost.
    pub(super) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until everything that was handed over is written, but at most `limit`.
    pub(super) fn flush(&self, limit: Duration) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, wait) = sync_channel(1);
        let mut item = Item::Flush(done);
        let deadline = Instant::now() + limit;
        while let Err(TrySendError::Full(back)) = sender.try_send(item) {
            if Instant::now() >= deadline {
                return;
            }
            item = back;
            std::thread::sleep(GATHERED);
        }
        let _ = wait.recv_timeout(deadline.saturating_duration_since(Instant::now()));
    }

    fn sender(&self) -> Option<&SyncSender<Item>> {
        let start = || {
            let write = self.write.lock().unwrap_or_else(PoisonError::into_inner).take()?;
            let (sender, receiver) = sync_channel(WAITING);
            let thread = std::thread::Builder::new().name("lines".to_owned());
            thread.spawn(move || write_all(write, &receiver)).ok().map(|_| sender)
        };
        self.sender.get_or_init(start).as_ref()
    }
}

fn write_all(mut write: WriteLines, receiver: &Receiver<Item>) {
    let mut batch = Vec::new();
    while let Ok(first) = receiver.recv() {
        // Under load, a line is not worth a switch to this thread of its own.
        if matches!(first, Item::Line(_)) {
            std::thread::sleep(GATHERED);
        }
        let mut waiting = Vec::new();
        for item in std::iter::once(first).chain(receiver.try_iter()) {
            match item {
                Item::Line(line) => {
                    batch.extend_from_slice(line.as_bytes());
                    batch.push(b'\n');
                }
                Item::Flush(done) => waiting.push(done),
            }
            if batch.len() >= TOGETHER {
                break;
            }
        }
        if !batch.is_empty() {
            write(&batch);
            batch.clear();
        }
        for done in waiting {
            let _ = done.try_send(());
        }
    }
}
