//! Bounds the text of frontmatters that a search keeps below one root.

use std::sync::atomic::{AtomicUsize, Ordering};

use crate::discover::file::FileFact;

/// Most bytes of frontmatters that are kept below one root, besides the first [`FREE`] of each file.
pub(super) const TEXT_MAX: usize = 32 * 1024 * 1024;
/// What every file may keep: far more than most skills say.
const FREE: usize = 1024;

/// How much text a search has kept so far.
#[derive(Debug, Default)]
pub(super) struct TextBudget {
    used: AtomicUsize,
    /// Whether files are read one after another, so that the limit always cuts at the same file.
    pub(super) in_order: bool,
}

impl TextBudget {
    pub(super) fn in_order() -> TextBudget {
        TextBudget { in_order: true, ..TextBudget::default() }
    }

    pub(super) fn is_spent(&self) -> bool {
        self.used.load(Ordering::Relaxed) > TEXT_MAX
    }

    pub(super) fn spend(&self, files: &[FileFact]) {
        let text = files.iter().map(|file| file.text_size().saturating_sub(FREE)).sum();
        if text > 0 {
            self.used.fetch_add(text, Ordering::Relaxed);
        }
    }
}
