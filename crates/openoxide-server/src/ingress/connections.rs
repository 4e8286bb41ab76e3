//! Decides which connections have a place and how many bytes they may hold, and which give way when there is no room.
//!
//! A connection is ranked by the most that its client has shown. When its kind has no place left, or when there is no room
//! for its bytes, the connection whose client has kept the server waiting longest is closed: a client that sends or reads a
//! byte now and then waits as long as one that does nothing.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::limits::IngressLimits;
use super::turn::Turn;
use crate::Identity;

/// How soon a connection that waits for a place or for room looks again.
const AGAIN: Duration = Duration::from_millis(10);

/// The connections of a server.
pub(super) struct Connections {
    limits: IngressLimits,
    /// How many there can be here.
    places: usize,
    all: Mutex<All>,
}

#[derive(Default)]
struct All {
    last: u64,
    /// By number, so in the order in which they came.
    by_number: BTreeMap<u64, Counted>,
}

struct Counted {
    shown: Identity,
    bytes: usize,
    turn: Arc<Turn>,
    closed: CancellationToken,
}

/// The place of one connection, which it has until it leaves or gives way. What belongs to a request may outlive it.
pub(crate) struct Place {
    connections: Arc<Connections>,
    number: u64,
    pub(super) turn: Arc<Turn>,
    closed: CancellationToken,
}

/// There is no room, and nobody gives way.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the server has no room for this now")]
pub(crate) struct NoRoom;

/// Bytes that a connection may hold until this is dropped.
pub(crate) struct Reserved {
    place: Arc<Place>,
    bytes: usize,
}

impl Connections {
    pub(super) fn new(limits: IngressLimits) -> Arc<Connections> {
        Arc::new(Connections { limits, places: limits.connections_here(), all: Mutex::default() })
    }

    /// Gives a new connection a place among those whose client has shown nothing yet. There is none for as long as each of
    /// these is so new that its request may be on its way.
    pub(super) fn enter(self: &Arc<Connections>) -> Option<Arc<Place>> {
        let mut all = self.lock();
        self.make_place(&mut all, Identity::Anonymous).ok()?;
        all.last += 1;
        let (number, turn, closed) = (all.last, Arc::new(Turn::default()), CancellationToken::new());
        let counted = Counted { shown: Identity::Anonymous, bytes: 0, turn: Arc::clone(&turn), closed: closed.clone() };
        all.by_number.insert(number, counted);
        Some(Arc::new(Place { connections: Arc::clone(self), number, turn, closed }))
    }

    /// Makes sure that there is a place for one more client that has shown this.
    fn make_place(&self, all: &mut All, shown: Identity) -> Result<(), NoRoom> {
        let is_alike = |counted: &Counted| counted.shown == shown;
        if all.by_number.values().filter(|counted| is_alike(counted)).count() < self.limits.places(self.places, shown) {
            return Ok(());
        }
        let now = Instant::now();
        let is_alike = |counted: &Counted| is_alike(counted) && counted.turn.age(now) >= self.limits.new_time;
        // Programs that wait for the server keep their places. The user always gets one, and a client that has shown nothing has
        // no claim to any.
        let slowest = all.slowest(is_alike).map(|(number, _)| number);
        let oldest = || all.first_under_way(is_alike).filter(|_| shown != Identity::Program);
        let number = slowest.or_else(oldest).ok_or(NoRoom)?;
        all.close(number);
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, All> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl All {
    /// Finds the connection whose client has kept the server waiting longest, and for how long.
    fn slowest(&self, fits: impl Fn(&Counted) -> bool) -> Option<(u64, Duration)> {
        let now = Instant::now();
        let waits = self.by_number.iter().filter(|(_, counted)| fits(counted));
        let waits = waits.filter_map(|(number, counted)| Some((*number, counted.turn.waits_for_client(now)?)));
        waits.max_by_key(|(number, waits)| (*waits, std::cmp::Reverse(*number)))
    }

    /// Finds the oldest connection that something was read from.
    fn first_under_way(&self, fits: impl Fn(&Counted) -> bool) -> Option<u64> {
        let found = self.by_number.iter().find(|(_, counted)| fits(counted) && !counted.turn.is_new());
        found.map(|(number, _)| *number)
    }

    /// Closes a connection. What it holds is free as soon as its task notices, which is before anything else is read.
    fn close(&mut self, number: u64) {
        if let Some(counted) = self.by_number.remove(&number) {
            counted.closed.cancel();
        }
    }
}

impl Place {
    /// Ranks the connection by what its client has shown, from now on.
    pub(super) fn show(&self, shown: Identity) -> Result<(), NoRoom> {
        let mut all = self.connections.lock();
        let before = all.by_number.get(&self.number).ok_or(NoRoom)?.shown;
        if rank(shown) <= rank(before) {
            return Ok(());
        }
        self.connections.make_place(&mut all, shown)?;
        all.by_number.get_mut(&self.number).ok_or(NoRoom)?.shown = shown;
        Ok(())
    }

    /// Reserves bytes. If there is no room, the slowest client of the same rank or a lower one loses its bytes and connection.
    pub(crate) fn reserve(self: &Arc<Place>, bytes: usize) -> Result<Reserved, NoRoom> {
        let mut all = self.connections.lock();
        let shown = all.by_number.get(&self.number).ok_or(NoRoom)?.shown;
        let most = self.connections.limits.bytes_for(shown);
        loop {
            let alike = all.by_number.values().filter(|counted| rank(counted.shown) <= rank(shown));
            let held: usize = alike.map(|counted| counted.bytes).sum();
            if held + bytes <= most {
                break;
            }
            let gives_way = |counted: &Counted| counted.bytes > 0 && rank(counted.shown) <= rank(shown);
            let (number, _) = all
                .slowest(gives_way)
                .filter(|(_, waits)| *waits >= self.connections.limits.slow_time)
                .ok_or(NoRoom)?;
            all.close(number);
        }
        all.by_number.get_mut(&self.number).ok_or(NoRoom)?.bytes += bytes;
        Ok(Reserved { place: Arc::clone(self), bytes })
    }

    /// Waits until there is a place for a client that has shown this, or room, but not much longer than it takes until
    /// a slow client gives way.
    pub(super) async fn patiently<T>(&self, attempt: impl Fn() -> Result<T, NoRoom>) -> Result<T, NoRoom> {
        let deadline = tokio::time::Instant::now() + 2 * self.connections.limits.slow_time;
        loop {
            let outcome = attempt();
            if outcome.is_ok() || tokio::time::Instant::now() >= deadline {
                return outcome;
            }
            tokio::time::sleep(AGAIN).await;
        }
    }

    /// Gives the place back.
    pub(super) fn leave(&self) {
        self.connections.lock().by_number.remove(&self.number);
    }

    /// Waits until the connection has to give way.
    pub(super) async fn closed(&self) {
        self.closed.cancelled().await;
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        let mut all = self.place.connections.lock();
        if let Some(counted) = all.by_number.get_mut(&self.place.number) {
            counted.bytes -= self.bytes;
        }
    }
}

fn rank(shown: Identity) -> u8 {
    match shown {
        Identity::Anonymous => 0,
        Identity::Program => 1,
        Identity::Person => 2,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn connections(places: usize, bytes: usize) -> Arc<Connections> {
        let new_time = Duration::ZERO;
        Connections::new(IngressLimits { connections: places, bytes, new_time, ..IngressLimits::default() })
    }

    /// Enters, and lets the client keep the server waiting.
    fn silent(connections: &Arc<Connections>) -> Arc<Place> {
        let place = connections.enter().unwrap();
        place.turn.theirs();
        std::thread::sleep(Duration::from_millis(2));
        place
    }

    fn shown(connections: &Arc<Connections>, identity: Identity) -> Result<Arc<Place>, NoRoom> {
        let place = connections.enter().unwrap();
        place.turn.ours();
        place.show(identity).map(|()| place)
    }

    #[test]
    fn strangers_have_a_quarter_and_the_one_that_waited_longest_gives_way() {
        let connections = connections(16, 0);
        let silent: Vec<_> = (0..4).map(|_| silent(&connections)).collect();
        silent[0].turn.moved();
        let fifth = connections.enter().unwrap();
        let closed = |place: &Place| place.closed.is_cancelled();
        assert_eq!(silent.iter().map(|place| closed(place)).collect::<Vec<_>>(), [false, true, false, false]);
        assert!(!closed(&fifth));
    }

    #[test]
    fn a_connection_that_nothing_was_read_from_does_not_give_way() {
        let connections = connections(8, 0);
        let first = [connections.enter().unwrap(), connections.enter().unwrap()];
        assert!(connections.enter().is_none(), "both are new");
        first[0].turn.ours();
        assert!(connections.enter().is_some());
        assert!(first[0].closed.is_cancelled() && !first[1].closed.is_cancelled());
    }

    #[test]
    fn a_flood_does_not_push_out_a_connection_before_its_request_had_time_to_arrive() {
        for (new_time, gives_way) in [(Duration::from_hours(1), false), (Duration::ZERO, true)] {
            let connections = Connections::new(IngressLimits { connections: 4, new_time, ..IngressLimits::default() });
            let first = silent(&connections);
            assert_eq!((connections.enter().is_some(), first.closed.is_cancelled()), (gives_way, gives_way));
        }
    }

    #[test]
    fn programs_that_wait_for_the_server_keep_their_places_and_the_user_gets_in() {
        let connections = connections(8, 0);
        let programs: Vec<_> = (0..4).map(|_| shown(&connections, Identity::Program).unwrap()).collect();
        assert_eq!(shown(&connections, Identity::Program).err(), Some(NoRoom));
        let users: Vec<_> = (0..5).map(|_| shown(&connections, Identity::Person).unwrap()).collect();
        assert!(programs.iter().all(|place| !place.closed.is_cancelled()));
        assert!(users[0].closed.is_cancelled() && !users[4].closed.is_cancelled());
        programs[2].turn.theirs();
        assert!(shown(&connections, Identity::Program).is_ok());
        assert!(programs[2].closed.is_cancelled());
    }

    #[test]
    fn bytes_have_shares_and_come_back() {
        let connections = connections(16, 1000);
        let stranger = connections.enter().unwrap();
        assert!(stranger.reserve(251).is_err());
        let held = stranger.reserve(250).unwrap();
        let program = shown(&connections, Identity::Program).unwrap();
        assert!(program.reserve(501).is_err(), "a quarter is the user's");
        let more = program.reserve(500).unwrap();
        let user = shown(&connections, Identity::Person).unwrap();
        assert!(user.reserve(250).is_ok() && user.reserve(251).is_err());
        drop((held, more));
        assert!(user.reserve(1000).is_ok());
    }

    #[test]
    fn whoever_is_slow_loses_its_bytes_and_its_connection() {
        for (slow_time, gives_way) in [(Duration::from_hours(1), false), (Duration::ZERO, true)] {
            let limits = IngressLimits { bytes: 1000, slow_time, ..IngressLimits::default() };
            let connections = Connections::new(limits);
            let slow = shown(&connections, Identity::Program).unwrap();
            let held = slow.reserve(700).unwrap();
            let other = shown(&connections, Identity::Program).unwrap();
            assert!(other.reserve(100).is_err(), "it waits for the server");
            slow.turn.theirs();
            assert_eq!(other.reserve(100).is_ok(), gives_way);
            assert_eq!((slow.closed.is_cancelled(), slow.reserve(1).is_err()), (gives_way, gives_way));
            drop(held);
            assert!(other.reserve(750).is_ok() && other.reserve(751).is_err());
        }
    }
}
