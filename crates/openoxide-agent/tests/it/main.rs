//! Models behind a server that follows a script, over real HTTP.

mod failures;
mod keys;
mod replies;
mod retries;

use std::time::Duration;

use openoxide_agent::{Limits, Message, Model, ModelError, ModelKey, ModelSpec, Reply, ReplyEvent, Request, Role};
use openoxide_config::{ModelApi, TokenSource};
use openoxide_testkit::model::{Answer, ModelServer};
use secrecy::SecretString;

/// Both formats, for what must hold in each.
const APIS: [ModelApi; 2] = [ModelApi::OpenAi, ModelApi::Anthropic];

/// Short times, so that a test waits for nothing.
fn quick() -> Limits {
    Limits {
        connect: Duration::from_secs(5),
        silence: Duration::from_secs(5),
        total: Duration::from_secs(20),
        first_wait: Duration::from_millis(2),
        ..Limits::default()
    }
}

fn spec(url: &str, api: ModelApi) -> ModelSpec {
    let (name, model) = ("mine".to_owned(), "small-1".to_owned());
    ModelSpec { name, url: url.to_owned(), api, model, key: None, context: None }
}

fn with_key(text: &str, spec: ModelSpec) -> ModelSpec {
    let source = TokenSource::Variable("MY_KEY".to_owned());
    ModelSpec { key: Some(ModelKey { secret: SecretString::from(text), source }), ..spec }
}

fn request() -> Request {
    Request { messages: vec![Message::text(Role::User, "Ready?")], max_tokens: 16, ..Request::default() }
}

/// What a request led to, and everything that was reported meanwhile.
struct Asked {
    result: Result<Reply, ModelError>,
    events: Vec<ReplyEvent>,
}

impl Asked {
    fn error(self) -> ModelError {
        self.result.expect_err("there is no reply")
    }

    /// Returns the text that was shown.
    fn shown(&self) -> String {
        self.events
            .iter()
            .filter_map(|event| if let ReplyEvent::Text(text) = event { Some(&**text) } else { None })
            .collect()
    }
}

async fn ask(spec: ModelSpec, limits: Limits) -> Asked {
    let mut events = Vec::new();
    let model = match Model::new(spec, limits) {
        Ok(model) => model,
        Err(error) => return Asked { result: Err(error), events },
    };
    let result = model.reply(&request(), |event| events.push(event.clone())).await;
    Asked { result, events }
}

/// Asks a server of this script once.
async fn scripted(api: ModelApi, answers: Vec<Answer>) -> (ModelServer, Asked) {
    let server = ModelServer::new(&["small-1", "big-1"], answers);
    let asked = ask(spec(&server.url, api), quick()).await;
    (server, asked)
}

/// Returns how many requests for a reply a server got.
fn posts(server: &ModelServer) -> usize {
    server.seen().iter().filter(|(head, _)| head.starts_with("POST ")).count()
}
