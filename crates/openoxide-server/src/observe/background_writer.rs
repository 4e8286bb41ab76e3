//! Writes lines in a background thread, so that a request never waits for a file or a terminal.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TrySendError, sync_channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// How many lines may wait.
const WAITING: usize = 8192;
/// How long lines are gathered before they are written together.
const GATHERED: Duration = Duration::from_millis(10);
/// How many bytes are written together.
const TOGETHER: usize = 256 * 1024;

/// Where lines go.
pub(crate) trait Sink: Send + 'static {
    /// Writes whole lines. What cannot be written is for the sink to say.
    fn write(&mut self, lines: &[u8]);
}

/// Lines on their way to a sink. The first of them starts the thread.
pub(crate) struct BackgroundWriter<S> {
    sink: std::sync::Mutex<Option<S>>,
    sender: OnceLock<Option<SyncSender<Item>>>,
    lost: Arc<AtomicU64>,
}

enum Item {
    Line(String),
    Flush(SyncSender<()>),
}

impl<S: Sink> BackgroundWriter<S> {
    pub(crate) fn new(sink: S) -> BackgroundWriter<S> {
        BackgroundWriter { sink: std::sync::Mutex::new(Some(sink)), sender: OnceLock::new(), lost: Arc::default() }
    }

    /// Hands a line over, without its end. If too many wait, it is lost, and counted.
    pub(crate) fn push(&self, line: String) {
        let sent = self.sender().map(|sender| sender.try_send(Item::Line(line)));
        if !matches!(sent, Some(Ok(()))) {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Returns how many lines were lost.
    pub(crate) fn lost(&self) -> u64 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Waits until everything that was handed over is written, but not longer than told.
    pub(crate) fn flush(&self, longest: Duration) {
        let Some(Some(sender)) = self.sender.get() else { return };
        let (done, wait) = sync_channel(1);
        let mut item = Item::Flush(done);
        let deadline = std::time::Instant::now() + longest;
        while let Err(TrySendError::Full(back)) = sender.try_send(item) {
            if std::time::Instant::now() >= deadline {
                return;
            }
            item = back;
            std::thread::sleep(GATHERED);
        }
        let _ = wait.recv_timeout(deadline.saturating_duration_since(std::time::Instant::now()));
    }

    fn sender(&self) -> Option<&SyncSender<Item>> {
        let start = || {
            let sink = self.sink.lock().unwrap_or_else(std::sync::PoisonError::into_inner).take()?;
            let (sender, receiver) = sync_channel(WAITING);
            let thread = std::thread::Builder::new().name("lines".to_owned());
            thread.spawn(move || write_all(sink, &receiver)).ok().map(|_| sender)
        };
        self.sender.get_or_init(start).as_ref()
    }
}

fn write_all(mut sink: impl Sink, receiver: &Receiver<Item>) {
    let mut batch = Vec::new();
    while let Ok(first) = receiver.recv() {
        // Under load a line is not worth a switch to this thread of its own.
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
            sink.write(&batch);
            batch.clear();
        }
        for done in waiting {
            let _ = done.try_send(());
        }
    }
}
