//! Accepts connections until the server stops, then waits for the requests that are under way.

use std::io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
use std::time::{Duration, Instant};
use std::{convert::Infallible, net::SocketAddr, sync::Arc};

use hyper::{server::conn::http1, service::service_fn};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::task::TaskTracker;

use super::connections::{Connections, Place};
use super::request::{Ends, Ingress};
use super::{limits::raise_files, listen::BoundListener, slow_reader::SlowReaderLimit};
use crate::{Engine, observe::metrics::Reason};

/// How long to wait when no connection can be let in.
const PAUSE: Duration = Duration::from_millis(100);
/// How soon to look again when every place is taken by a connection that is new.
const AGAIN: Duration = Duration::from_millis(1);
/// How long connections may take to end once they are asked to.
const LAST: Duration = Duration::from_secs(1);

/// Serves at an address until the engine stops, and returns when every connection has ended.
pub async fn serve(listener: BoundListener, ingress: Ingress, engine: &Engine) {
    raise_files();
    let (ingress, tasks) = (Arc::new(ingress), TaskTracker::new());
    let connections = Connections::new(ingress.limits);
    let spawn = |stream: TcpStream, peer, place| {
        if let Ok(local) = stream.local_addr() {
            tasks.spawn(connection(stream, Ends { peer, local }, Arc::clone(&ingress), place));
        }
    };
    tokio::select! {
        biased;
        () = ingress.stopping.asked.cancelled() => {}
        () = accept(&listener.listener, &connections, &spawn) => {}
    }
    for (stream, peer) in listener.close() {
        let Some(place) = connections.enter() else { break };
        spawn(stream, peer, place);
    }
    engine.stopping().ask();
    engine.commands.close();
    tasks.close();
    tokio::select! {
        _ = tokio::time::timeout(ingress.limits.stop_time, tasks.wait()) => {}
        () = ingress.stopping.over.cancelled() => {}
    }
    ingress.stopping.end();
    let _ = tokio::time::timeout(LAST, tasks.wait()).await;
    engine.close();
}

async fn accept(
    listener: &TcpListener,
    connections: &Arc<Connections>,
    spawn: &impl Fn(TcpStream, SocketAddr, Arc<Place>),
) {
    let mut is_reported = false;
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => {
                is_reported = false;
                spawn(stream, peer, enter(connections).await);
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

/// Waits for a place, which there is as soon as the requests of the newest connections had time to arrive.
async fn enter(connections: &Arc<Connections>) -> Arc<Place> {
    loop {
        if let Some(place) = connections.enter() {
            return place;
        }
        tokio::time::sleep(AGAIN).await;
    }
}

async fn connection(stream: TcpStream, ends: Ends, ingress: Arc<Ingress>, place: Arc<Place>) {
    let _counted = ingress.metrics.connection();
    let _leaves = LeaveOnDrop(Arc::clone(&place));
    // Answers are written whole; waiting for more would only delay them.
    let _ = stream.set_nodelay(true);
    let peer: Arc<str> = ends.peer.to_string().into();
    let service = service_fn(|request| {
        let (ingress, peer, place) = (Arc::clone(&ingress), Arc::clone(&peer), Arc::clone(&place));
        async move { Ok::<_, Infallible>(ingress.answer(ends, &peer, place, request).await) }
    });
    let paced = TokioIo::new(SlowReaderLimit::new(stream, ingress.limits.read_time, Arc::clone(&place.turn)));
    // A client that closes its side has gone away, whether or not it would still read: what runs for it ends.
    let connection = http1::Builder::new()
        .half_close(false)
        .timer(TokioTimer::new())
        .header_read_timeout(ingress.limits.head_time)
        .max_buf_size(ingress.limits.head)
        .serve_connection(paced, service);
    let mut connection = std::pin::pin!(connection);
    let served = async {
        // Why a connection ends is the client's business.
        tokio::select! {
            biased;
            _ = connection.as_mut() => return,
            () = has_to_end(&ingress, &place) => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    };
    tokio::select! {
        biased;
        () = place.closed() => ingress.metrics.turned_away(Reason::Room),
        () = served => {}
    }
}

/// Waits until the server stops and the request of this connection, if it is new, had time to arrive: hyper closes a
/// connection that has read nothing.
async fn has_to_end(ingress: &Ingress, place: &Place) {
    ingress.stopping.asked.cancelled().await;
    let age = place.turn.age(Instant::now());
    tokio::time::sleep(ingress.limits.new_time.saturating_sub(age)).await;
}

/// Gives the place back however the connection ends.
struct LeaveOnDrop(Arc<Place>);

impl Drop for LeaveOnDrop {
    fn drop(&mut self) {
        self.0.leave();
    }
}
