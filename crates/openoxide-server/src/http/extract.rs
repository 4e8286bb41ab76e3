//! Extracts the parts of a request: its client, its place, its query, its body and its path.

use std::{path::PathBuf, sync::Arc};

use axum::extract::{FromRequest, FromRequestParts, Request};
use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, Method, StatusCode, request::Parts};
use openoxide_app::{Caller, Place, Session, Snapshot, activate::caller};
use openoxide_wire::CallerInput;
use schemars::{JsonSchema, SchemaGenerator};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::{HttpState, Result};
use crate::bounded_read::{BodyError, read_body};
use crate::conversations::NAME_MAX;
use crate::ingress::{Place as ConnectionPlace, Reserved, no_room};
use crate::{
    Actor, Asked, ClientProgram, Conversation, Engine, Face, Failure, Identity, Machine, Owner, Peer, RequestKey,
};

const BODY_MAX: usize = 1024 * 1024;

/// The client of a request, the server, and what the client has already.
pub(crate) struct HttpContext {
    pub(crate) http: Arc<HttpState>,
    /// The engine, which acts for the client.
    pub(crate) engine: Engine,
    pub(crate) peer: Peer,
    pub(crate) identity: Identity,
    machine: Machine,
    program: ClientProgram,
    /// The place of its connection; absent where there is no ingress.
    connection: Option<Arc<ConnectionPlace>>,
    pub(crate) headers: HeaderMap,
    /// Whether the client gets the headers of the answer alone.
    pub(crate) is_head: bool,
}

/// Says which catalog is meant.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct Location {
    /// The folder to look from, absolute; only for clients on this machine.
    pub(crate) directory: Option<String>,
    /// The host, as `name` or `name@edition`.
    pub(crate) host: Option<String>,
    /// The agent whose permission rules apply too.
    pub(crate) agent: Option<String>,
}

/// No query at all.
#[derive(Debug, Deserialize, JsonSchema)]
pub(crate) struct NoQuery {}

impl FromRequestParts<Arc<HttpState>> for HttpContext {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, http: &Arc<HttpState>) -> Result<HttpContext> {
        let engine = http.engine.asked_by(Actor::of_request(Face::Http, &parts.extensions));
        let identity = parts.extensions.get().copied().unwrap_or_default();
        Ok(HttpContext {
            http: Arc::clone(http),
            engine: if identity == Identity::Person { engine } else { engine.for_programs() },
            peer: parts.extensions.get().copied().unwrap_or_default(),
            identity,
            machine: Machine::of(&parts.extensions),
            program: ClientProgram::of(&parts.extensions, &parts.headers),
            connection: parts.extensions.get().cloned(),
            headers: parts.headers.clone(),
            is_head: parts.method == Method::HEAD,
        })
    }
}

impl HttpContext {
    pub(crate) fn place(&self, at: &Location) -> Result<Place> {
        let mut place = self.engine.here.clone();
        if let Some(directory) = &at.directory {
            if self.peer != Peer::Local {
                let text = "only a client on the server's own machine can name a folder";
                return Err(Failure::new(StatusCode::FORBIDDEN, "folder-from-elsewhere", text));
            }
            place.folder = PathBuf::from(directory);
            if !place.folder.is_absolute() || directory.contains('\0') {
                let failure = Failure::new(StatusCode::NOT_FOUND, "no-folder", "`directory` must be an absolute path");
                return Err(failure.help("begin it with `/`, or leave it out for the folder that is served"));
            }
            if self.http.options.only_served {
                let named = named_project(&self.http.options.served, &place.folder)?;
                (place.folder, place.project) = (named.folder.clone(), named.project.clone());
            } else {
                place = self.place_of(place);
            }
        }
        place.host = at.host.clone().or(place.host);
        if let Some(agent) = at.agent.as_ref().filter(|agent| place.agent.as_ref() != Some(agent)) {
            if place.agent.is_some() && self.identity != Identity::Person {
                let text = "the server was started for another agent, and only the user chooses one here";
                return Err(Failure::new(StatusCode::FORBIDDEN, "forbidden", text));
            }
            place.agent = Some(agent.clone());
            place.agent_only_restricts = self.identity != Identity::Person;
        }
        Ok(place)
    }

    /// Returns the place of a folder that the client names, however it is spelled.
    fn place_of(&self, place: Place) -> Place {
        // What cannot be resolved is refused when it is opened.
        let folder = std::fs::canonicalize(&place.folder).unwrap_or(place.folder);
        // A folder inside of what is served is part of it, with its settings and rules, unless it is a repository.
        let served = self.http.options.served.iter().chain([&self.engine.here]);
        let roots = served.map(|served| served.project.as_ref().unwrap_or(&served.folder));
        let project = roots.filter(|root| folder.starts_with(root)).max_by_key(|root| root.as_os_str().len()).cloned();
        let is_program = self.identity != Identity::Person;
        Place {
            chosen_by_program: is_program && project.is_none(),
            without_links: is_program,
            project,
            folder,
            ..place
        }
    }

    /// Refuses what only the user may do.
    pub(crate) fn needs_person(&self, text: &str) -> Result<()> {
        if self.identity == Identity::Person {
            return Ok(());
        }
        Err(Failure::new(StatusCode::FORBIDDEN, "needs-proof", text).help(self.how_to_approve()))
    }

    /// Says where the user approves.
    pub(crate) fn how_to_approve(&self) -> &'static str {
        match self.http.options.login {
            Some(_) => "open the link that `openoxide serve` printed; `openoxide serve --link` prints another",
            None => {
                "nothing is approved on a server without access tokens: use a terminal, or start it without `--auth none`"
            }
        }
    }

    /// Returns who calls. The user has shown who they are, so they need not say it; a program is never the user.
    pub(crate) fn caller(&self, who: Option<CallerInput>) -> Result<Caller> {
        let is_person = self.identity == Identity::Person;
        let caller = caller(who.or(is_person.then_some(CallerInput::User)));
        if caller == Caller::User {
            self.needs_person("only the user acts as the user")?;
        }
        Ok(caller)
    }

    /// Returns whose the request is.
    pub(crate) fn owner(&self) -> Owner {
        Owner::Http(self.identity, self.machine)
    }

    /// Returns the client's conversation of this name, which no other program gets by it; without a name, a new one.
    pub(crate) fn conversation(&self, name: Option<&str>) -> Result<Conversation> {
        match name {
            None => Ok(Conversation::new(tokio::sync::Mutex::new(Session::new("")))),
            Some(name) if name.is_empty() || name.len() > NAME_MAX => {
                let text = format!("`session` has 1 to {NAME_MAX} bytes");
                Err(Failure::new(StatusCode::UNPROCESSABLE_ENTITY, "bad-body", text))
            }
            Some(name) => Ok(self.http.conversations.get(self.identity, self.program.clone(), name)),
        }
    }

    /// Names a conversation among the details of a request.
    pub(crate) fn conversation_key(&self, name: Option<&str>) -> Value {
        name.map_or(Value::Null, |name| json!([self.program.agent(), name]))
    }

    /// Names a request, so that it is known again when the client repeats it.
    pub(crate) fn asked(&self, method: &'static str, name: &str, place: &Place, details: &Value) -> Asked {
        let Place { folder, host, agent, .. } = place;
        let arguments = json!([folder.to_string_lossy(), host, agent, details]);
        let (program, request) = (self.program.clone(), RequestKey::new(method, name, &arguments));
        Asked { owner: self.owner(), program, request }
    }

    /// Returns the present snapshot of the place that is meant.
    pub(crate) async fn snapshot(&self, at: &Location) -> Result<Arc<Snapshot>> {
        Ok(self.engine.at(&self.place(at)?).await??)
    }

    /// Reserves bytes for what is about to be read.
    pub(crate) fn reserve(&self, bytes: u64) -> Result<Option<Reserved>> {
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        self.connection.as_ref().map(|place| place.reserve(bytes)).transpose().map_err(no_room)
    }

    /// Does work that blocks.
    pub(crate) async fn work<T: Send + 'static>(&self, work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
        self.engine.work().run(work).await?
    }

    /// Tells whether the client wants JSON rather than bytes.
    pub(crate) fn wants_json(&self) -> bool {
        let accepted = self.headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        accepted.flat_map(|value| value.split(',')).any(|kind| is_json(kind) && !is_refused(kind))
    }
}

/// Returns the project that a folder is, with every link on the way followed. Whatever else it may be, the answer is the same.
fn named_project<'p>(projects: &'p [Place], folder: &std::path::Path) -> Result<&'p Place> {
    let folder = fs_err::canonicalize(folder).ok();
    let named = projects.iter().find(|project| Some(&project.folder) == folder.as_ref());
    named.ok_or_else(|| {
        let failure = Failure::new(StatusCode::FORBIDDEN, "folder-not-served", "this folder is not served");
        failure
            .help("name one of the folders that the server was started with, or start it with `--project` and this one")
    })
}

fn is_json(kind: &str) -> bool {
    kind.split(';').next().unwrap_or_default().trim().eq_ignore_ascii_case("application/json")
}

/// Tells whether a client names a media type with the weight 0, which says that it does not accept it.
fn is_refused(named: &str) -> bool {
    let parameters = named.split(';').skip(1).filter_map(|parameter| parameter.split_once('='));
    let mut weights = parameters.filter(|(name, _)| name.trim().eq_ignore_ascii_case("q"));
    weights.any(|(_, weight)| weight.trim().parse() == Ok(0.0))
}

/// A query whose every key is known.
pub(crate) struct Query<T>(pub(crate) T);

impl<T: DeserializeOwned + JsonSchema> FromRequestParts<Arc<HttpState>> for Query<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, _: &Arc<HttpState>) -> Result<Query<T>> {
        let refuse = |text: String| Failure::new(StatusCode::BAD_REQUEST, "bad-query", text);
        let pairs = axum::extract::Query::<Vec<(String, String)>>::try_from_uri(&parts.uri);
        let pairs = pairs.map_err(|error| refuse(error.body_text()))?.0;
        // Drawing the schema takes longer than most answers.
        let known = if pairs.is_empty() { Vec::new() } else { keys::<T>() };
        if let Some((key, _)) = pairs.iter().find(|(key, _)| !known.contains(key)) {
            let known = if known.is_empty() { "it has no parameters".to_owned() } else { known.join(", ") };
            return Err(refuse(format!("there is no parameter `{key}`")).help(format!("parameters: {known}")));
        }
        let query = axum::extract::Query::<T>::try_from_uri(&parts.uri);
        query
            .map(|query| Query(query.0))
            .map_err(|error| refuse(error.body_text()).help(format!("parameters: {}", keys::<T>().join(", "))))
    }
}

/// Returns the keys that an object of a type can hold.
pub(crate) fn keys<T: JsonSchema>() -> Vec<String> {
    let schema = T::json_schema(&mut SchemaGenerator::default());
    let properties = schema.get("properties").and_then(serde_json::Value::as_object);
    properties.map(|properties| properties.keys().cloned().collect()).unwrap_or_default()
}

/// A body of JSON. An empty body stands for an object without fields.
pub(crate) struct Body<T>(pub(crate) T);

impl<T: DeserializeOwned> FromRequest<Arc<HttpState>> for Body<T> {
    type Rejection = Failure;

    async fn from_request(request: Request, _: &Arc<HttpState>) -> Result<Body<T>> {
        let kind = request.headers().get(CONTENT_TYPE).cloned();
        let bytes = read_body(request.into_body(), BODY_MAX).await.map_err(|error| match error {
            BodyError::Incomplete => {
                Failure::new(StatusCode::BAD_REQUEST, "bad-body", "the body did not arrive as a whole")
            }
            BodyError::TooLarge => {
                let text = format!("the body is longer than {BODY_MAX} bytes");
                Failure::new(StatusCode::PAYLOAD_TOO_LARGE, "too-large", text)
            }
        })?;
        let is_json = kind.is_some_and(|kind| kind.to_str().is_ok_and(is_json));
        if !is_json && !bytes.is_empty() {
            let text = "the body must be JSON";
            let failure = Failure::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "not-json", text);
            return Err(failure.help("send it as `Content-Type: application/json`"));
        }
        let bytes = if bytes.is_empty() { &b"{}"[..] } else { &bytes };
        Ok(Body(parsed(bytes)?))
    }
}

/// Reads a body, which must be an object: serde would take an array for a struct, too.
fn parsed<T: DeserializeOwned>(bytes: &[u8]) -> Result<T> {
    let refuse = |error: serde_json::Error| {
        let status = if error.is_data() { StatusCode::UNPROCESSABLE_ENTITY } else { StatusCode::BAD_REQUEST };
        Failure::new(status, "bad-body", error.to_string()).help("`GET /openapi.json` describes it")
    };
    if bytes.trim_ascii_start().first() != Some(&b'{') {
        serde_json::from_slice::<serde::de::IgnoredAny>(bytes).map_err(refuse)?;
        return Err(refuse(serde::de::Error::custom("the body must be an object")));
    }
    serde_json::from_slice(bytes).map_err(refuse)
}

/// Parts of the address, which must be text.
pub(crate) struct Path<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Arc<HttpState>> for Path<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, http: &Arc<HttpState>) -> Result<Path<T>> {
        let path = axum::extract::Path::<T>::from_request_parts(parts, http).await;
        path.map(|path| Path(path.0))
            .map_err(|error| Failure::new(StatusCode::BAD_REQUEST, "bad-address", error.body_text()))
    }
}
