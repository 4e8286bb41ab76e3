//! When to look: after a moment of quiet, not too late in a storm, and not too often.

use std::time::{Duration, Instant};

use crate::hit::Hit;

/// What happened to a place, and when it is looked at.
pub(crate) struct Pending {
    pub(crate) hit: Hit,
    first: Instant,
    last: Instant,
    not_before: Instant,
}

impl Pending {
    pub(crate) fn new(now: Instant) -> Pending {
        Pending { hit: Hit::default(), first: now, last: now, not_before: now }
    }

    /// Adds something that happened now.
    pub(crate) fn add(&mut self, hit: Hit, now: Instant) {
        self.hit.join(hit);
        self.last = now;
    }

    /// Waits at least until then.
    pub(crate) fn wait_until(&mut self, then: Instant) {
        self.not_before = then;
    }

    /// Returns when to look: when it has been quiet, at the latest a pause after the first event, and a pause after the
    /// last look.
    pub(crate) fn due(&self, quiet: Duration, pause: Duration, rested: Option<Instant>) -> Instant {
        let calm = (self.last + quiet).min(self.first + pause).max(self.not_before);
        rested.map_or(calm, |rested| calm.max(rested + pause))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quiet_is_waited_for_but_a_storm_does_not_put_it_off() {
        let (quiet, pause) = (Duration::from_millis(200), Duration::from_secs(1));
        let start = Instant::now();
        let mut pending = Pending::new(start);
        assert_eq!(pending.due(quiet, pause, None), start + quiet);
        pending.add(Hit::default(), start + Duration::from_millis(150));
        assert_eq!(pending.due(quiet, pause, None), start + Duration::from_millis(350));
        pending.add(Hit::default(), start + Duration::from_millis(950));
        assert_eq!(pending.due(quiet, pause, None), start + pause);
        let rested = start + Duration::from_millis(500);
        assert_eq!(pending.due(quiet, pause, Some(rested)), rested + pause);
    }
}
