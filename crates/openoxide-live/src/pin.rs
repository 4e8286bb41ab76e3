//! Places that are kept however long nobody asks for them.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::place::Place;

/// Keeps a place, and what is noticed about it, until it is dropped.
pub struct Pin {
    pins: Arc<Pins>,
    place: Place,
}

impl Drop for Pin {
    fn drop(&mut self) {
        self.pins.remove(&self.place);
    }
}

/// The places that are kept, and by how many.
#[derive(Default)]
pub(crate) struct Pins {
    held: Mutex<HashMap<Place, usize>>,
}

impl Pins {
    pub(crate) fn add(self: &Arc<Pins>, place: &Place) -> Pin {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner).entry(place.clone()).or_default() += 1;
        Pin { pins: Arc::clone(self), place: place.clone() }
    }

    pub(crate) fn holds(&self, place: &Place) -> bool {
        self.held.lock().unwrap_or_else(PoisonError::into_inner).contains_key(place)
    }

    fn remove(&self, place: &Place) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(number) = held.get_mut(place) {
            *number -= 1;
            if *number == 0 {
                held.remove(place);
            }
        }
    }
}
