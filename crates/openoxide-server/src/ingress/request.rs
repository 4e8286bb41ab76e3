//! Handles one request: names it, checks it, passes it to its route, and counts and logs the answer.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::{net::SocketAddr, sync::Arc, time::Instant};

use axum::extract::{ConnectInfo, DefaultBodyLimit};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, body::Body};
use http::header::{CONNECTION, EXPECT, WWW_AUTHENTICATE, X_CONTENT_TYPE_OPTIONS};
use http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode, request};
use hyper::body::{Body as _, Incoming};
use openoxide_app::random_name;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower::Service as _;
use tower_http::catch_panic::CatchPanicLayer;
use tracing::Instrument as _;

use super::body::{TimedBody, throw_away};
use super::connections::Place;
use super::guard::{Access, Admitted, Guard, HostKind, Rejection};
use super::held_answer::{FREE, hold, no_room};
use super::limits::IngressLimits;
use super::log_share::LogShare;
use super::stream::{EventStreamBody, is_stream, wants_stream};
use crate::observe::log::{REQUEST, shown_path};
use crate::observe::metrics::Reason;
use crate::{Engine, Failure, Identity, Metrics, Peer, RequestId, Shutdown, Unavailable};

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
/// The longest id that a client may give a request, in bytes.
const ID_MAX: usize = 64;

/// Who may come in, and how much they may ask.
#[derive(Clone)]
pub struct IngressOptions {
    /// Host names of the server, besides those of this machine.
    pub hosts: Vec<String>,
    /// What a request has to show.
    pub access: Access,
    /// Limits.
    pub limits: IngressLimits,
}

/// The ingress before some routes: every request of every path comes through here.
pub struct Ingress {
    router: Router,
    guard: Guard,
    pub(super) limits: IngressLimits,
    pub(super) metrics: Arc<Metrics>,
    pub(super) stopping: Shutdown,
    streams: Arc<Semaphore>,
    /// What the ids of this run begin with.
    run: String,
    count: AtomicU64,
    log_share: LogShare,
}

/// Both ends of a connection.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) peer: SocketAddr,
    pub(super) local: SocketAddr,
}

impl Ingress {
    /// Puts the ingress before routes.
    pub fn new(router: Router, engine: &Engine, options: IngressOptions) -> Ingress {
        let IngressOptions { hosts, access, limits } = options;
        Ingress {
            // The ingress has a limit of its own, for every route. A panic fails one request and no other.
            router: router.layer(DefaultBodyLimit::disable()).layer(CatchPanicLayer::custom(panicked)),
            guard: Guard::new(&hosts, access),
            limits,
            metrics: Arc::clone(engine.metrics()),
            stopping: engine.stopping().clone(),
            streams: Arc::new(Semaphore::new(limits.streams)),
            // It is no secret; without randomness, the ids of several runs are alike.
            run: random_name().map_or_else(|| "0".repeat(8), |name| name[..8].to_owned()),
            count: AtomicU64::new(0),
            log_share: LogShare::default(),
        }
    }

    pub(super) async fn answer(
        &self,
        ends: Ends,
        text: &str,
        place: Arc<Place>,
        request: Request<Incoming>,
    ) -> Response {
        let began = Instant::now();
        place.turn.ours();
        let (head, body) = request.into_parts();
        let id = self.name(&head.headers);
        let (method, path) = (head.method.clone(), head.uri.path().to_owned());
        let admitted = self.guard.admit(&head, ends.local);
        let is_stranger = admitted.as_ref().map_or(true, |admitted| admitted.identity == Identity::Anonymous);
        let outcome = match admitted {
            Ok(admitted) => {
                // Below the level `debug` the span is disabled and costs nothing.
                let span = tracing::debug_span!("request", id = &*id.0);
                self.pass(ends, admitted, &place, &id, head, body).instrument(span).await
            }
            Err(rejection) => Err(rejection),
        };
        let mut response = outcome.unwrap_or_else(|(reason, failure)| self.turn_away(reason, &failure, &id));
        if let Ok(id) = HeaderValue::from_str(&id.0) {
            response.headers_mut().insert(REQUEST_ID, id);
        }
        response.headers_mut().insert(X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
        if is_stream(response.headers()) {
            place.turn.listens();
        } else {
            place.turn.theirs();
        }
        let (status, took) = (response.status(), began.elapsed());
        self.metrics.answered(status, took);
        // One event for a request and its answer; the trace layer of `tower-http` would write two, without the peer.
        macro_rules! answered {
            ($level:ident) => {
                tracing::$level!(
                    target: REQUEST, id = &*id.0, peer = text, method = method.as_str(), path = shown_path(&path),
                    status = status.as_u16(), took_us = u64::try_from(took.as_micros()).unwrap_or(u64::MAX)
                );
            };
        }
        if is_stranger && !self.log_share.take() {
            return response;
        }
        if status.is_server_error() {
            answered!(error);
        } else {
            answered!(info);
        }
        response
    }

    fn turn_away(&self, reason: Reason, failure: &Failure, id: &RequestId) -> Response {
        self.metrics.turned_away(reason);
        let mut response = failure.response(Some(id));
        if reason == Reason::Token {
            response.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if matches!(reason, Reason::Size | Reason::Slow | Reason::Room | Reason::Stopping) {
            // What is left of the request is not read.
            response.headers_mut().insert(CONNECTION, HeaderValue::from_static("close"));
        }
        response
    }

    async fn pass(
        &self,
        ends: Ends,
        admitted: Admitted,
        place: &Arc<Place>,
        id: &RequestId,
        mut head: request::Parts,
        body: Incoming,
    ) -> Result<Response, Rejection> {
        let Admitted { called, identity, meant } = admitted;
        let none = |none| (Reason::Room, no_room(none));
        place.patiently(|| place.show(identity)).await.map_err(none)?;
        if body.size_hint().lower() > self.limits.body as u64 {
            // A client that asks first whether to send the body need not send it.
            if !head.headers.contains_key(EXPECT) {
                place.turn.theirs();
                throw_away(body, self.limits.body_time).await;
            }
            let text = format!("the body is larger than {} bytes", self.limits.body);
            return Err(reject(Reason::Size, StatusCode::PAYLOAD_TOO_LARGE, "too-large", text));
        }
        // A body that is not small has its bytes reserved until the answer is made.
        let length = usize::try_from(body.size_hint().lower()).unwrap_or(usize::MAX);
        let reserve = || (length > FREE).then(|| place.reserve(length)).transpose();
        let _reserved = place.patiently(reserve).await.map_err(none)?;
        let too_slow = Arc::new(AtomicBool::new(false));
        let body = if body.is_end_stream() {
            Body::empty()
        } else {
            let (turn, too_slow) = (Arc::clone(&place.turn), Arc::clone(&too_slow));
            Body::new(TimedBody::new(body, self.limits.body_time, turn, too_slow))
        };
        // A request that came through a relay on this machine uses another name, or the relay says so.
        let is_here =
            called == HostKind::Loopback && ends.peer.ip().to_canonical().is_loopback() && !is_relayed(&head.headers);
        if let Some(meant) = meant {
            head.uri = meant;
        }
        let mut request = Request::from_parts(head, body);
        request.extensions_mut().insert(if is_here { Peer::Local } else { Peer::Remote });
        request.extensions_mut().insert(identity);
        request.extensions_mut().insert(id.clone());
        request.extensions_mut().insert(ConnectInfo(ends.peer));
        request.extensions_mut().insert(Arc::clone(place));
        // The user's own streams are not counted: the user always gets in, and has places enough.
        let counts = request.method() == Method::GET && identity != Identity::Person;
        // A client that cannot listen is refused before anything is begun.
        let stream = if counts && wants_stream(request.headers()) { Some(self.stream()?) } else { None };
        let listens = request.method() == Method::GET;
        let response = self.route(request).await?;
        if too_slow.load(Ordering::Relaxed) {
            let text = "the body took too long to arrive";
            return Err(reject(Reason::Slow, StatusCode::REQUEST_TIMEOUT, "too-slow", text));
        }
        let response = hold(response, place).map_err(|failure| (Reason::Room, failure))?;
        if !is_stream(response.headers()) {
            return Ok(response);
        }
        let stream = match stream {
            None if counts => Some(self.stream()?),
            stream => stream,
        };
        let ends = if listens { &self.stopping.asked } else { &self.stopping.over };
        Ok(response.map(|body| Body::new(EventStreamBody::new(body, ends, stream, &self.metrics))))
    }

    /// Waits for the answer of a route, up to the limit. At the limit, the route's work ends too.
    ///
    /// The timeout layer of `tower-http` answers with a bare status; clients are promised an error that says what
    /// happened.
    async fn route(&self, request: Request<Body>) -> Result<Response, Rejection> {
        let id = request.extensions().get::<RequestId>().cloned();
        let mut router = self.router.clone();
        tokio::select! {
            biased;
            response = router.call(request) => {
                let mut response = response.unwrap_or_else(|never| match never {});
                // Only a panic leaves a failure that nothing further in has named.
                let failure = response.extensions_mut().remove::<Failure>();
                Ok(failure.map_or(response, |failure| failure.response(id.as_ref())))
            }
            () = tokio::time::sleep(self.limits.answer_time) => {
                let text = "the answer took too long";
                Err(reject(Reason::Slow, StatusCode::SERVICE_UNAVAILABLE, "too-long", text))
            }
            () = self.stopping.over.cancelled() => {
                let failure = Failure::new(StatusCode::SERVICE_UNAVAILABLE, "stopping", "the server is stopping");
                Err((Reason::Stopping, failure))
            }
        }
    }

    /// Reserves one of the event streams.
    fn stream(&self) -> Result<OwnedSemaphorePermit, Rejection> {
        Arc::clone(&self.streams).try_acquire_owned().map_err(|_| {
            let failure = Failure::new(StatusCode::SERVICE_UNAVAILABLE, "busy", "too many listen already");
            (Reason::Streams, failure.help("ask from time to time, or try again later"))
        })
    }

    /// Takes the id that a request comes with, if it is a short plain word, or makes one.
    ///
    /// The request id layer of `tower-http` takes any id, which could then forge lines of a log.
    fn name(&self, headers: &HeaderMap) -> RequestId {
        let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok()).filter(|id| is_name(id));
        RequestId(match given {
            Some(given) => given.into(),
            None => format!("{}-{:x}", self.run, self.count.fetch_add(1, Ordering::Relaxed)).into(),
        })
    }
}

fn panicked(_: Box<dyn std::any::Any + Send>) -> Response {
    tracing::warn!("an answer failed where nothing should");
    Failure::from(Unavailable::Failed).into_response()
}

fn reject(reason: Reason, status: StatusCode, code: &str, text: impl Into<String>) -> Rejection {
    (reason, Failure::new(status, code, text))
}

/// Tells whether a proxy says that it passed the request on.
fn is_relayed(headers: &HeaderMap) -> bool {
    let is_relays = |name: &str| {
        matches!(name, "forwarded" | "via" | "x-real-ip" | "x-forwarded") || name.starts_with("x-forwarded-")
    };
    headers.keys().any(|name| is_relays(name.as_str()))
}

fn is_name(id: &str) -> bool {
    (1..=ID_MAX).contains(&id.len()) && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.:".contains(&byte))
}
