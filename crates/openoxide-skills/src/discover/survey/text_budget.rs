//! Bounds the text of frontmatters that a search keeps below one root.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::discover::file::FileFact;

/// What every file may keep without being counted: far more than most skills say.
const FREE: usize = 1024;

/// How much text a search has kept so far.
#[derive(Debug)]
pub(super) struct TextBudget {
    max: usize,
    used: AtomicUsize,
    /// Whether files are read one after another, so that the limit always cuts at the same file.
    pub(super) in_order: bool,
}

impl TextBudget {
    pub(super) fn new(max: usize) -> TextBudget {
        TextBudget { max, used: AtomicUsize::new(0), in_order: false }
    }

    pub(super) fn in_order(max: usize) -> TextBudget {
        TextBudget { in_order: true, ..TextBudget::new(max) }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.used.load(Ordering::Relaxed) > self.max
    }

    pub(super) fn spend<'f>(&self, files: impl IntoIterator<Item = &'f FileFact>) {
        let text = files.into_iter().map(|file| file.text_size().saturating_sub(FREE)).sum();
        if text > 0 {
            self.used.fetch_add(text, Ordering::Relaxed);
        }
    }
}
