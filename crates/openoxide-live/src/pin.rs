//! Keeps places from being evicted while a caller needs them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use openoxide_config::Place;

/// Keeps a place, with its watches, until it is dropped.
pub struct Pin {
    pins: Arc<Pins>,
    place: Place,
}

impl Drop for Pin {
    fn drop(&mut self) {
        let mut counts = self.pins.counts.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(count) = counts.get_mut(&self.place) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&self.place);
            }
        }
    }
}

/// The pinned places, with the number of pins of each.
#[derive(Default)]
pub(crate) struct Pins {
    counts: Mutex<HashMap<Place, usize>>,
}

impl Pins {
    pub(crate) fn add(self: &Arc<Pins>, place: &Place) -> Pin {
        *self.counts.lock().unwrap_or_else(PoisonError::into_inner).entry(place.clone()).or_default() += 1;
        Pin { pins: Arc::clone(self), place: place.clone() }
    }

    pub(crate) fn contains(&self, place: &Place) -> bool {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner).contains_key(place)
    }
}
