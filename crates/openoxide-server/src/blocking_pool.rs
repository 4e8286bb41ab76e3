//! Runs blocking work on a bounded number of threads, with a bounded queue.
//!
//! `spawn_blocking` alone queues without a bound.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};

/// Why work was not done.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unavailable {
    /// Too much is waiting already.
    #[error("the server has too much to do; try again later")]
    Busy,
    /// The server stops.
    #[error("the server is stopping")]
    Stopping,
    /// The work panicked.
    #[error("the server made a mistake; its log has more")]
    Failed,
}

/// Threads for work that blocks.
#[derive(Clone)]
pub struct BlockingPool {
    /// One for each piece of work that runs or waits.
    places: Arc<Semaphore>,
    /// One for each piece that runs.
    workers: Arc<Semaphore>,
}

/// The right to do one piece of work now.
pub struct Slot {
    _place: OwnedSemaphorePermit,
    _worker: OwnedSemaphorePermit,
}

impl BlockingPool {
    /// Makes a pool in which `workers` pieces of work run at once, and `queue` more may wait.
    pub fn new(workers: usize, queue: usize) -> BlockingPool {
        BlockingPool { places: Arc::new(Semaphore::new(workers + queue)), workers: Arc::new(Semaphore::new(workers)) }
    }

    /// Waits for a turn; fails at once if too many wait.
    pub async fn slot(&self) -> Result<Slot, Unavailable> {
        self.slot_for(false).await
    }

    /// Waits for a turn. An operation that `has_begun` waits even if the queue is full: refusing it would lose its work, and
    /// its first step took a place in the queue.
    pub(crate) async fn slot_for(&self, has_begun: bool) -> Result<Slot, Unavailable> {
        let places = Arc::clone(&self.places);
        let place = if has_begun {
            places.acquire_owned().await.map_err(|_| Unavailable::Stopping)?
        } else {
            places.try_acquire_owned().map_err(|error| match error {
                TryAcquireError::NoPermits => Unavailable::Busy,
                TryAcquireError::Closed => Unavailable::Stopping,
            })?
        };
        let worker = Arc::clone(&self.workers).acquire_owned().await.map_err(|_| Unavailable::Stopping)?;
        Ok(Slot { _place: place, _worker: worker })
    }

    /// Waits for a turn and does the work.
    pub async fn run<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unavailable> {
        self.slot().await?.run(work).await
    }

    /// Lets no work begin any more.
    pub fn close(&self) {
        self.places.close();
        self.workers.close();
    }
}

impl Slot {
    /// Does the work. It goes on to its end, and keeps its slot, even if nobody waits for it any more.
    pub async fn run<T: Send + 'static>(self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Unavailable> {
        // What the work logs belongs to the request that it is done for.
        let span = tracing::Span::current();
        let done = tokio::task::spawn_blocking(move || {
            let done = span.in_scope(work);
            drop(self);
            done
        });
        done.await.map_err(|error| if error.is_panic() { Unavailable::Failed } else { Unavailable::Stopping })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn what_panics_has_failed_and_gives_its_place_back() {
        let pool = BlockingPool::new(1, 0);
        assert_eq!(pool.run(|| panic!("on purpose")).await, Err::<(), _>(Unavailable::Failed));
        assert_eq!(pool.run(|| 1).await, Ok(1));
    }

    #[tokio::test]
    async fn what_has_begun_waits_for_a_place() {
        let pool = BlockingPool::new(1, 0);
        let first = pool.slot().await.unwrap();
        assert_eq!(pool.run(|| 2).await, Err(Unavailable::Busy));
        let mut waits = tokio::spawn({
            let pool = pool.clone();
            async move { pool.slot_for(true).await?.run(|| 3).await }
        });
        let early = tokio::time::timeout(std::time::Duration::from_millis(50), &mut waits).await;
        assert!(early.is_err(), "it does not wait");
        drop(first);
        assert_eq!(waits.await.unwrap(), Ok(3));
    }

    #[tokio::test]
    async fn what_is_too_much_is_refused_at_once() {
        let pool = BlockingPool::new(1, 1);
        let first = pool.slot().await.unwrap();
        let waits = tokio::spawn({
            let pool = pool.clone();
            async move { pool.run(|| 2).await }
        });
        while pool.places.available_permits() > 0 {
            tokio::task::yield_now().await;
        }
        assert_eq!(pool.run(|| 3).await, Err(Unavailable::Busy));
        assert_eq!(first.run(|| 1).await, Ok(1));
        assert_eq!(waits.await.unwrap(), Ok(2));
        pool.close();
        assert_eq!(pool.run(|| 4).await, Err(Unavailable::Stopping));
    }
}
