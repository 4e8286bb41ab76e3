//! Accepts connections until the server stops, then waits for the requests that are under way.

use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
use std::{convert::Infallible, sync::Arc, time::Duration};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_util::task::TaskTracker;

use super::request::{Ends, Ingress};
use super::{limits::raise_files, listen::BoundListener, slow_reader::SlowReaderLimit};
use crate::Engine;

/// How long to wait when no connection can be let in.
const PAUSE: Duration = Duration::from_millis(100);
/// How long connections may take to end once they are asked to.
const LAST: Duration = Duration::from_secs(1);

/// Serves at an address until the engine stops, and returns when every connection has ended.
pub async fn serve(listener: BoundListener, ingress: Ingress, engine: &Engine) {
    raise_files();
    let ingress = Arc::new(ingress);
    let connections = TaskTracker::new();
    tokio::select! {
        biased;
        () = ingress.stopping.asked.cancelled() => {}
        () = accept(&listener.listener, &ingress, &connections) => {}
    }
    drop(listener);
    engine.stopping().ask();
    engine.commands.close();
    connections.close();
    tokio::select! {
        _ = tokio::time::timeout(ingress.limits.stop_time, connections.wait()) => {}
        () = ingress.stopping.over.cancelled() => {}
    }
    ingress.stopping.end();
    let _ = tokio::time::timeout(LAST, connections.wait()).await;
    engine.close();
}

async fn accept(listener: &TcpListener, ingress: &Arc<Ingress>, connections: &TaskTracker) {
    let places = Arc::new(Semaphore::new(ingress.limits.connections_here()));
    let mut is_reported = false;
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(&places).acquire_owned().await {
        match listener.accept().await {
            Ok((stream, peer)) => {
                is_reported = false;
                if let Ok(local) = stream.local_addr() {
                    connections.spawn(connection(stream, Ends { peer, local }, Arc::clone(ingress), place));
                }
            }
            // It went away while it waited.
            Err(error)
                if matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted) => {}
            Err(error) => {
                if !is_reported {
                    is_reported = true;
                    tracing::warn!("no connection can be let in: {error}");
                }
                tokio::time::sleep(PAUSE).await;
            }
        }
    }
}

async fn connection(stream: TcpStream, ends: Ends, ingress: Arc<Ingress>, _place: OwnedSemaphorePermit) {
    let _counted = ingress.metrics.connection();
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let peer: Arc<str> = ends.peer.to_string().into();
    let service = service_fn(|request| {
        let (ingress, peer) = (Arc::clone(&ingress), Arc::clone(&peer));
        async move { Ok::<_, Infallible>(ingress.answer(ends, &peer, request).await) }
    });
    let paced = TokioIo::new(SlowReaderLimit::new(stream, ingress.limits.read_time));
    // A client that closes its side has gone away, whether or not it would still read: what runs for it ends.
    let connection = http1::Builder::new()
        .half_close(false)
        .timer(TokioTimer::new())
        .header_read_timeout(ingress.limits.head_time)
        .max_buf_size(ingress.limits.head)
        .serve_connection(paced, service);
    let mut connection = std::pin::pin!(connection);
    // Why a connection ends is the client's business.
    tokio::select! {
        biased;
        _ = connection.as_mut() => return,
        () = ingress.stopping.asked.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
