//! Accepts connections until the server stops, then waits for the requests that are under way.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::limits::raise_files;
use super::listen::BoundListener;
use super::request::{Ends, Ingress};
use super::slow_reader::SlowReaderLimit;
use crate::engine::Engine;

/// How long to wait when no connection can be let in.
const PAUSE: Duration = Duration::from_millis(100);
/// How long those may take who are told that it is over.
const LAST: Duration = Duration::from_secs(1);

/// Serves at an address until the engine is told to stop, and returns when everybody is gone.
pub async fn serve(listening: BoundListener, door: Ingress, engine: &Engine) {
    raise_files();
    let door = Arc::new(door);
    let inside = TaskTracker::new();
    tokio::select! {
        biased;
        () = door.stopping.asked() => {}
        () = let_in(&listening.listener, &door, &inside) => {}
    }
    drop(listening);
    engine.stop_commands();
    inside.close();
    tokio::select! {
        _ = tokio::time::timeout(door.limits.stop_time, inside.wait()) => {}
        () = door.stopping.over() => {}
    }
    door.stopping.end();
    let _ = tokio::time::timeout(LAST, inside.wait()).await;
    engine.close();
}

async fn let_in(listener: &TcpListener, door: &Arc<Ingress>, inside: &TaskTracker) {
    let places = Arc::new(Semaphore::new(door.limits.connections_here()));
    let mut told = false;
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, peer)) => {
                told = false;
                if let Ok(local) = stream.local_addr() {
                    inside.spawn(connection(stream, Ends { peer, local }, Arc::clone(door), place));
                }
            }
            // It went away while it waited.
            Err(error) if is_of_connection(&error) => {}
            Err(error) => {
                if !told {
                    told = true;
                    tracing::warn!("no connection can be let in: {error}");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

fn is_of_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

async fn connection(stream: TcpStream, ends: Ends, door: Arc<Ingress>, _place: OwnedSemaphorePermit) {
    let _counted = door.metrics.connection();
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let peer: Arc<str> = ends.peer.to_string().into();
    let service = service_fn(|request| {
        let (door, peer) = (Arc::clone(&door), Arc::clone(&peer));
        async move { Ok::<_, Infallible>(door.answer(ends, &peer, request).await) }
    });
    let paced = TokioIo::new(SlowReaderLimit::new(stream, door.limits.read_time));
    // Whoever closes its side has gone away, whether or not it would still read: what runs for it ends.
    let connection = http1::Builder::new()
        .half_close(false)
        .timer(TokioTimer::new())
        .header_read_timeout(door.limits.head_time)
        .max_buf_size(door.limits.head)
        .serve_connection(paced, service);
    let mut connection = std::pin::pin!(connection);
    // Whatever ends a connection is the other side's business.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = door.stopping.asked() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
