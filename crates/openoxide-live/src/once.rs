//! Says once why folders are looked at again and again.

use std::panic::AssertUnwindSafe;
use std::sync::{Mutex, PoisonError};

type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// Says something to one who wants to know it, the first time that there is something to say.
#[derive(Default)]
pub(crate) struct Once {
    tell: Mutex<Option<Tell>>,
}

impl Once {
    pub(crate) fn set(&self, tell: impl Fn(&str) + Send + Sync + 'static) {
        *self.tell.lock().unwrap_or_else(PoisonError::into_inner) = Some(Box::new(tell));
    }

    pub(crate) fn say(&self, why: &str) {
        let tell = self.tell.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(tell) = tell {
            // Whoever panics has been told.
            drop(std::panic::catch_unwind(AssertUnwindSafe(|| tell(why))));
        }
    }
}
