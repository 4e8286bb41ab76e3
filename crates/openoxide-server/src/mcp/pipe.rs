//! A pair of streams that messages go through, one on each line.
//!
//! What cannot be read is answered and passed over. Before a client has begun as the protocol says, whatever is no request
//! is passed over too. So many requests wait at once and no more: who asks and never reads an answer fills no memory.

use std::collections::HashSet;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::RoleServer;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, ErrorData, RequestId, ServerJsonRpcMessage,
};
use rmcp::transport::Transport;
use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};

use super::MESSAGE_MAX;
use super::message::{Unreadable, read};
use crate::line::{Line, Lines};

/// Most requests that wait for their answer.
const WAITING_MAX: usize = 512;

/// The way out; nothing when it is closed.
type Output<W> = Arc<tokio::sync::Mutex<Option<W>>>;

/// A pair of streams.
pub(super) struct Pipe<R, W> {
    input: Lines<R>,
    output: Output<W>,
    standing: Arc<Mutex<Standing>>,
    /// An answer on its way, which a call that is dropped must not break off.
    sending: Option<Pin<Box<dyn Future<Output = std::io::Result<()>> + Send>>>,
}

/// How a conversation stands.
#[derive(Default)]
struct Standing {
    /// Requests that wait for their answer.
    waiting: HashSet<RequestId>,
    begun: Begun,
}

/// Whether a conversation has begun.
#[derive(Default)]
enum Begun {
    /// Not yet.
    #[default]
    No,
    /// With this request, unless it is refused.
    With(RequestId),
    /// For good.
    Yes,
}

impl Standing {
    /// Lets a message in; otherwise says what is answered, if anything is.
    fn let_in(&mut self, message: &ClientJsonRpcMessage) -> Result<(), Option<ServerJsonRpcMessage>> {
        let request = match message {
            ClientJsonRpcMessage::Request(request) => request,
            _ if matches!(self.begun, Begun::No) => return Err(None),
            ClientJsonRpcMessage::Notification(notice) => {
                // There is no answer to what was taken back.
                if let ClientNotification::CancelledNotification(cancelled) = &notice.notification
                    && let Some(id) = &cancelled.params.request_id
                {
                    self.waiting.remove(id);
                }
                return Ok(());
            }
            _ => return Ok(()),
        };
        let refuse = |why: &'static str, id| {
            Err(Some(ServerJsonRpcMessage::error(ErrorData::new(ErrorCode::INVALID_REQUEST, why, None), id)))
        };
        if self.waiting.contains(&request.id) {
            return refuse("another request with this id waits for its answer", None);
        }
        if self.waiting.len() >= WAITING_MAX {
            return refuse("too many requests wait for their answer; read some first", Some(request.id.clone()));
        }
        self.waiting.insert(request.id.clone());
        let only_looks = matches!(request.request, ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_));
        if matches!(self.begun, Begun::No) && !only_looks {
            self.begun = Begun::With(request.id.clone());
        }
        Ok(())
    }

    /// Notes a message that was sent.
    fn sent(&mut self, message: &ServerJsonRpcMessage) {
        let (id, then) = match message {
            ServerJsonRpcMessage::Response(response) => (Some(&response.id), Begun::Yes),
            ServerJsonRpcMessage::Error(error) => (error.id.as_ref(), Begun::No),
            _ => return,
        };
        let Some(id) = id else { return };
        self.waiting.remove(id);
        if matches!(&self.begun, Begun::With(first) if first == id) {
            self.begun = then;
        }
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Pipe<R, W> {
    pub(super) fn new(input: R, output: W) -> Pipe<R, W> {
        let output = Arc::new(tokio::sync::Mutex::new(Some(output)));
        Pipe { input: Lines::new(input, MESSAGE_MAX), output, standing: Arc::default(), sending: None }
    }

    /// Reads the next message that is one; otherwise says what is answered, if anything is.
    async fn next(&mut self) -> Option<Result<ClientJsonRpcMessage, Option<ServerJsonRpcMessage>>> {
        let unread = match self.input.next().await {
            Ok(Line::Whole(line)) if line.trim_ascii().is_empty() => return Some(Err(None)),
            Ok(Line::Whole(line)) => match read(&line) {
                Ok(message) => {
                    let mut standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
                    return Some(standing.let_in(&message).map(|()| message));
                }
                Err(unread) => unread,
            },
            Ok(Line::TooLong) => Unreadable::too_long(),
            Ok(Line::End) | Err(_) => return None,
        };
        Some(Err(unread.is_awaited.then(|| unread.answer())))
    }
}

impl<R: AsyncRead + Send + Unpin, W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Pipe<R, W> {
    type Error = std::io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = std::io::Result<()>> + Send + 'static {
        let (output, standing) = (Arc::clone(&self.output), Arc::clone(&self.standing));
        async move {
            let written = write(&output, &message).await;
            standing.lock().unwrap_or_else(PoisonError::into_inner).sent(&message);
            written
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            if let Some(sending) = &mut self.sending {
                sending.as_mut().await.ok()?;
                self.sending = None;
            }
            match self.next().await? {
                Ok(message) => return Some(message),
                Err(None) => {}
                Err(Some(answer)) => {
                    let output = Arc::clone(&self.output);
                    self.sending = Some(Box::pin(async move { write(&output, &answer).await }));
                }
            }
        }
    }

    async fn close(&mut self) -> std::io::Result<()> {
        drop(self.output.lock().await.take());
        Ok(())
    }
}

async fn write(output: &Output<impl AsyncWrite + Unpin>, message: &ServerJsonRpcMessage) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(message)?;
    line.push(b'\n');
    let mut output = output.lock().await;
    let output = output.as_mut().ok_or(std::io::ErrorKind::NotConnected)?;
    output.write_all(&line).await?;
    output.flush().await
}
