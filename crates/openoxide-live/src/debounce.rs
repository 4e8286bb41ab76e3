//! Decides when a place is refreshed: after a moment of quiet, not too late in a storm, and not too often.

use std::time::{Duration, Instant};

use crate::dirty::Dirty;

/// The changes of a place that wait for a refresh, and the times that decide when it is due.
pub(crate) struct Debounce {
    pub(crate) dirty: Dirty,
    first: Instant,
    last: Instant,
    not_before: Instant,
}

impl Debounce {
    pub(crate) fn new(now: Instant) -> Debounce {
        Debounce { dirty: Dirty::default(), first: now, last: now, not_before: now }
    }

    pub(crate) fn add(&mut self, dirty: Dirty, now: Instant) {
        self.dirty.merge(dirty);
        self.last = now;
    }

    pub(crate) fn wait_until(&mut self, then: Instant) {
        self.not_before = then;
    }

    /// Returns when the refresh is due: after `quiet` without events, at the latest `interval` after the first event, and
    /// never sooner than `interval` after the last refresh.
    pub(crate) fn due(&self, quiet: Duration, interval: Duration, last_refresh: Option<Instant>) -> Instant {
        let calm = (self.last + quiet).min(self.first + interval).max(self.not_before);
        last_refresh.map_or(calm, |last| calm.max(last + interval))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_is_waited_for_but_a_storm_does_not_put_it_off() {
        let (quiet, interval) = (Duration::from_millis(200), Duration::from_secs(1));
        let start = Instant::now();
        let mut debounce = Debounce::new(start);
        assert_eq!(debounce.due(quiet, interval, None), start + quiet);
        debounce.add(Dirty::default(), start + Duration::from_millis(150));
        assert_eq!(debounce.due(quiet, interval, None), start + Duration::from_millis(350));
        debounce.add(Dirty::default(), start + Duration::from_millis(950));
        assert_eq!(debounce.due(quiet, interval, None), start + interval);
        let last_refresh = start + Duration::from_millis(500);
        assert_eq!(debounce.due(quiet, interval, Some(last_refresh)), last_refresh + interval);
    }
}
