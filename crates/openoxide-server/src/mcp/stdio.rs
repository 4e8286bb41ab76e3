//! Transports MCP messages over a pair of streams, one on each line.
//!
//! `rmcp` has such a transport, but bounds neither lines nor waiting requests. This one answers a line that it cannot read
//! and goes on. Before the client has begun as the protocol says, it ignores everything but requests. It bounds the waiting
//! requests in number and bytes, so a client that asks and never reads fills no memory. Nor does such a client keep the
//! server from ending: after the end of the input, unread answers are dropped.

use std::sync::{Arc, Mutex, PoisonError};
use std::{collections::HashMap, pin::Pin, time::Duration};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::{RoleServer, transport::Transport};
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio_util::sync::CancellationToken;

use super::message::{MESSAGE_MAX, Unreadable, read};
use crate::bounded_read::{BoundedLines, Line};

/// The most requests that wait for their answer.
const WAITING_MAX: usize = 512;

/// The most bytes of requests that wait for their answer, and of answers that wait to be read, before another is let in.
const BYTES_MAX: usize = 32 * 1024 * 1024;

/// How long the client may take to read a message after the end of its input.
const GRACE: Duration = Duration::from_secs(1);

pub(super) struct StdioTransport<R, W> {
    input: BoundedLines<R>,
    output: Arc<Output<W>>,
    state: Arc<Mutex<TransportState>>,
    /// A refusal on its way, which a call that is dropped must not break off.
    sending: Option<Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>>,
}

#[derive(Default)]
struct TransportState {
    /// Requests that wait for their answer.
    waiting: HashMap<RequestId, Waiting>,
    /// How many bytes they have together.
    bytes: usize,
    begun: Begun,
}

struct Waiting {
    /// The length of the request, or of its answer once there is one.
    bytes: usize,
    /// Whether the answer is on its way.
    is_answered: bool,
}

/// Whether the conversation has begun.
#[derive(Default)]
enum Begun {
    #[default]
    No,
    /// With this request, unless it is refused.
    With(RequestId),
    Yes,
}

impl TransportState {
    /// Lets a message in, or returns the answer that refuses it, if it gets one.
    fn let_in(&mut self, message: &ClientJsonRpcMessage, bytes: usize) -> Result<(), Option<ServerJsonRpcMessage>> {
        // A first request that is refused is refused before another message is read.
        if matches!(self.begun, Begun::With(_)) {
            self.begun = Begun::Yes;
        }
        let request = match message {
            ClientJsonRpcMessage::Request(request) => request,
            _ if matches!(self.begun, Begun::No) => return Err(None),
            ClientJsonRpcMessage::Notification(notice) => {
                // A request that is cancelled gets no answer, unless that is on its way.
                if let ClientNotification::CancelledNotification(cancelled) = &notice.notification
                    && let Some(id) = &cancelled.params.request_id
                    && self.waiting.get(id).is_some_and(|waiting| !waiting.is_answered)
                {
                    self.forget(id);
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let refuse = |why: &'static str, id| {
            Err(Some(ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INVALID_REQUEST, why, None), id)))
        };
        if self.waiting.contains_key(&request.id) {
            return refuse("another request with this id waits for its answer", None);
        }
        if self.waiting.len() >= WAITING_MAX || self.bytes >= BYTES_MAX {
            return refuse("too many requests wait for their answer; read some first", Some(request.id.clone()));
        }
        self.waiting.insert(request.id.clone(), Waiting { bytes, is_answered: false });
        self.bytes += bytes;
        let only_looks = matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
        if matches!(self.begun, Begun::No) && !only_looks {
            self.begun = Begun::With(request.id.clone());
        }
        Ok(())
    }

    /// Notes that the answer to a request is on its way.
    fn answering(&mut self, id: &RequestId, bytes: usize) {
        if let Some(waiting) = self.waiting.get_mut(id) {
            self.bytes = self.bytes - waiting.bytes + bytes;
            *waiting = Waiting { bytes, is_answered: true };
        }
    }

    /// Notes that a request was answered, and whether it was done.
    fn answered(&mut self, id: &RequestId, is_done: bool) {
        self.forget(id);
        if matches!(&self.begun, Begun::With(first) if first == id) {
            self.begun = if is_done { Begun::Yes } else { Begun::No };
        }
    }

    fn forget(&mut self, id: &RequestId) {
        if let Some(waiting) = self.waiting.remove(id) {
            self.bytes -= waiting.bytes;
        }
    }
}

/// Returns the request that a message answers, and whether it was done.
fn answer_to(message: &ServerJsonRpcMessage) -> Option<(RequestId, bool)> {
    match message {
        ServerJsonRpcMessage::Response(response) => Some((response.id.clone(), true)),
        ServerJsonRpcMessage::Error(error) => Some((error.id.clone()?, false)),
        _ => None,
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> StdioTransport<R, W> {
    pub(super) fn new(input: R, output: W) -> StdioTransport<R, W> {
        StdioTransport {
            input: BoundedLines::new(input, MESSAGE_MAX),
            output: Arc::new(Output { stream: tokio::sync::Mutex::new(Some(output)), ended: CancellationToken::new() }),
            state: Arc::default(),
            sending: None,
        }
    }

    /// Reads the next message, or returns the answer that refuses the line, if it gets one.
    async fn next(&mut self) -> Option<Result<ClientJsonRpcMessage, Option<ServerJsonRpcMessage>>> {
        let unread = match self.input.next().await {
            Ok(Line::Whole(line)) if line.trim_ascii().is_empty() => return Some(Err(None)),
            Ok(Line::Whole(line)) => match read(&line) {
                Ok(message) => {
                    let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
                    return Some(state.let_in(&message, line.len()).map(|()| message));
                }
                Err(unread) => unread,
            },
            Ok(Line::TooLong) => Unreadable::too_long(),
            Ok(Line::End) | Err(_) => return None,
        };
        Some(Err(unread.is_awaited.then(|| unread.answer())))
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer>
    for StdioTransport<R, W>
{
    type Error = std::io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let (output, state) = (Arc::clone(&self.output), Arc::clone(&self.state));
        let (line, answered) = (line(&message), answer_to(&message));
        if let (Ok(line), Some((id, _))) = (&line, &answered) {
            state.lock().unwrap_or_else(PoisonError::into_inner).answering(id, line.len());
        }
        async move {
            let written = async { output.write(&line?).await }.await;
            if let Some((id, is_done)) = answered {
                state.lock().unwrap_or_else(PoisonError::into_inner).answered(&id, is_done);
            }
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(sending) = &mut self.sending {
                let sent = sending.as_mut().await;
                self.sending = None;
                sent.ok()?;
            }
            let Some(next) = self.next().await else {
                self.output.ended.cancel();
                return None;
            };
            match next {
                Ok(message) => return Some(message),
                Err(None) => {}
                Err(Some(answer)) => {
                    let (output, line) = (Arc::clone(&self.output), line(&answer).ok()?);
                    self.sending = Some(Box::pin(async move { output.write(&line).await }));
                }
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        // It may be in the middle of a line, and nobody polls it any more.
        self.sending = None;
        self.output.ended.cancel();
        // A write that is stuck gives up before that, and a slow reader has had time enough.
        if let Ok(mut stream) = tokio::time::timeout(GRACE * 2, self.output.stream.lock()).await {
            drop(stream.take());
        }
        Ok(())
    }
}

struct Output<W> {
    /// Nothing when it is closed.
    stream: tokio::sync::Mutex<Option<W>>,
    /// Cancelled at the end of the input.
    ended: CancellationToken,
}

impl<W: AsyncWrite + Unpin> Output<W> {
    /// Writes a line. A line that fails or is broken off is the last: the next could not be told from it.
    async fn write(&self, line: &[u8]) -> std::io::Result<()> {
        let mut slot = self.stream.lock().await;
        let mut stream = slot.take().ok_or(std::io::ErrorKind::NotConnected)?;
        let whole = async {
            stream.write_all(line).await?;
            stream.flush().await
        };
        let late = async {
            self.ended.cancelled().await;
            tokio::time::sleep(GRACE).await;
        };
        tokio::select! {
            biased;
            written = whole => written?,
            () = late => return Err(std::io::ErrorKind::TimedOut.into()),
        }
        *slot = Some(stream);
        Ok(())
    }
}

fn line(message: &ServerJsonRpcMessage) -> std::io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    Ok(line)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};
    use tokio::io::{AsyncReadExt as _, DuplexStream, duplex};

    use super::*;

    fn message(value: &Value) -> ClientJsonRpcMessage {
        read(value.to_string().as_bytes()).unwrap()
    }

    fn request(id: &str, method: &str) -> ClientJsonRpcMessage {
        message(&json!({ "jsonrpc": "2.0", "id": id, "method": method }))
    }

    fn cancel(id: &str) -> ClientJsonRpcMessage {
        message(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id } }))
    }

    fn id(text: &str) -> RequestId {
        RequestId::String(text.into())
    }

    /// A pipe, with the client's ends of it.
    fn pipe(room: usize) -> (StdioTransport<DuplexStream, DuplexStream>, DuplexStream, DuplexStream) {
        let ((ours, input), (output, theirs)) = (duplex(1 << 16), duplex(room));
        (StdioTransport::new(input, output), ours, theirs)
    }

    fn pong(text: &str) -> ServerJsonRpcMessage {
        ServerJsonRpcMessage::response(rmcp::model::ServerResult::empty(()), id(text))
    }

    #[test]
    fn bytes_that_wait_are_bounded() {
        let mut state = TransportState::default();
        state.let_in(&request("a", "tools/list"), 100).unwrap();
        state.let_in(&request("b", "tools/list"), BYTES_MAX - 101).unwrap();
        state.let_in(&request("c", "tools/list"), 1).unwrap();
        let refused = state.let_in(&request("d", "tools/list"), 1).unwrap_err().unwrap();
        assert_eq!(answer_to(&refused), Some((id("d"), false)));
        state.answering(&id("b"), 10);
        state.let_in(&request("d", "tools/list"), 1).unwrap();
        state.answering(&id("a"), BYTES_MAX);
        assert!(state.let_in(&request("e", "tools/list"), 1).is_err(), "an answer that waits is counted");
        for text in ["a", "b", "c", "d"] {
            state.answered(&id(text), true);
        }
        assert_eq!((state.bytes, state.waiting.len()), (0, 0));
    }

    /// Otherwise a client that asks, cancels and never reads could do so for ever.
    #[test]
    fn an_answer_on_its_way_waits_even_if_it_is_taken_back() {
        let mut state = TransportState::default();
        for text in ["a", "b"] {
            state.let_in(&request(text, "tools/list"), 10).unwrap();
        }
        state.answering(&id("a"), 10);
        for text in ["a", "b"] {
            state.let_in(&cancel(text), 10).unwrap();
        }
        assert_eq!((state.bytes, state.waiting.keys().collect::<Vec<_>>()), (10, vec![&id("a")]));
        state.answered(&id("a"), true);
        assert_eq!((state.bytes, state.waiting.len()), (0, 0));
    }

    #[test]
    fn a_first_request_that_fails_ends_nothing_that_others_use() {
        let mut state = TransportState::default();
        state.let_in(&request("1", "tools/list"), 10).unwrap();
        state.let_in(&request("2", "tools/list"), 10).unwrap();
        state.answered(&id("1"), false);
        state.let_in(&cancel("2"), 10).unwrap();
        assert!(state.waiting.is_empty());
        // One that fails alone has begun nothing, and one that only looks neither.
        let mut state = TransportState::default();
        state.let_in(&request("1", "tools/list"), 10).unwrap();
        state.answered(&id("1"), false);
        state.let_in(&request("2", "ping"), 10).unwrap();
        state.answered(&id("2"), true);
        assert!(matches!(state.let_in(&cancel("1"), 10), Err(None)));
    }

    #[tokio::test]
    async fn who_hears_no_answer_is_not_heard_either() {
        let (mut pipe, mut ours, theirs) = pipe(1 << 16);
        drop(theirs);
        ours.write_all(b"nonsense\nnonsense\n").await.unwrap();
        for _ in 0..3 {
            assert!(pipe.receive().await.is_none());
            drop(ours.write_all(b"nonsense\n").await);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_not_read_is_dropped_after_the_last_word() {
        let (mut pipe, ours, mut theirs) = pipe(10);
        let stuck = [tokio::spawn(pipe.send(pong("a"))), tokio::spawn(pipe.send(pong("b")))];
        tokio::time::sleep(GRACE * 100).await;
        assert!(stuck.iter().all(|stuck| !stuck.is_finished()), "a client that is there has all the time");
        drop(ours);
        assert!(pipe.receive().await.is_none());
        let start = tokio::time::Instant::now();
        tokio::time::timeout(GRACE * 5, pipe.close()).await.expect("it closes").unwrap();
        assert!(start.elapsed() <= GRACE * 2);
        for stuck in stuck {
            assert!(stuck.await.unwrap().is_err());
        }
        let mut text = String::new();
        theirs.read_to_string(&mut text).await.unwrap();
        assert_eq!(text.len(), 10, "nothing follows what was broken off: {text}");
    }

    /// A refusal that is not read is in nobody's hands when the pipe is closed.
    #[tokio::test(start_paused = true)]
    async fn a_refusal_that_is_not_read_hinders_no_end() {
        let (mut pipe, mut ours, _theirs) = pipe(10);
        ours.write_all(b"nonsense\n").await.unwrap();
        assert!(tokio::time::timeout(GRACE, pipe.receive()).await.is_err());
        let start = tokio::time::Instant::now();
        pipe.close().await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO);
    }
}
