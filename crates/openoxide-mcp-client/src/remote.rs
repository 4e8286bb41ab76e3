//! The skills of all servers, fetched when they are needed and not before.
//!
//! A list is fetched for a listing, a skill's `SKILL.md` when it is loaded, and another file when it is read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openoxide_config::{ConfiguredServer, Environment, McpServer, McpTransport};
use openoxide_runtime::RemoteName;
use openoxide_skills::text::{TerminalText, near};
use secrecy::SecretString;
use serde_json::Value;
use tokio::task::JoinSet;

use crate::connect::{Connection, Target};
use crate::entry::{Entry, Flaw, Resources};
use crate::error::RemoteError;
use crate::limits::{Limits, MAX_FILES, MAX_SKILL_BYTES};
use crate::listing::{RemoteListing, ServerSkill, Verified};
use crate::lists::Lists;
use crate::name::{Fits as _, SkillId};
use crate::server_text::said;
use crate::talk::Talk;
use crate::uri::SkillUri;
use crate::verify::{Mismatch, check, own_file};

/// Longest address of a bad entry that is told.
const MAX_TOLD: usize = 200;

/// How servers are reached.
#[derive(Clone, Debug, Default)]
pub struct RemoteOptions {
    /// Where the variables and the home of programs come from.
    pub environment: Environment,
    /// Tokens of logins, by the address of the server. They are sent to loopback or over TLS, and nowhere else.
    pub tokens: BTreeMap<String, SecretString>,
    /// How much is taken, and how long it is waited for.
    pub limits: Limits,
}

/// The servers of the user's settings. It is cheap to clone, and everything in it is kept in memory only.
#[derive(Clone)]
pub struct Remote {
    inner: Arc<Inner>,
}

struct Inner {
    servers: BTreeMap<String, Server>,
    off: Vec<String>,
    environment: Environment,
    limits: Limits,
}

struct Server {
    target: Target,
    connection: tokio::sync::Mutex<Option<Connection>>,
    lists: Arc<Lists>,
}

impl Remote {
    /// Takes the servers that are switched on. Nothing is started or reached yet.
    pub fn new(servers: Vec<ConfiguredServer>, options: RemoteOptions) -> Remote {
        let RemoteOptions { environment, tokens, limits } = options;
        let (on, off): (Vec<_>, Vec<_>) = servers.into_iter().partition(|one| one.server.enabled);
        let server = |ConfiguredServer { name, server: McpServer { transport, .. }, .. }| {
            let token = match &transport {
                McpTransport::Http { url, .. } => tokens.get(url).cloned(),
                McpTransport::Stdio { .. } => None,
            };
            let target = Target { name, transport, token };
            let connection = tokio::sync::Mutex::new(None);
            (target.name.clone(), Server { target, connection, lists: Arc::default() })
        };
        let servers = on.into_iter().map(server).collect();
        let off = off.into_iter().map(|one| one.name).collect();
        Remote { inner: Arc::new(Inner { servers, off, environment, limits }) }
    }

    /// Returns the names of the servers that are switched on.
    pub fn servers(&self) -> impl Iterator<Item = &str> {
        self.inner.servers.keys().map(String::as_str)
    }

    /// Asks every server what it offers, all at once; one that fails keeps the others from nothing.
    pub async fn list(&self) -> RemoteListing {
        let mut tasks = JoinSet::new();
        for name in self.servers().map(str::to_owned) {
            let remote = self.clone();
            tasks.spawn(async move { (name.clone(), remote.list_of(&name).await) });
        }
        let mut all = BTreeMap::new();
        while let Some(done) = tasks.join_next().await {
            if let Ok((name, listing)) = done {
                all.insert(name, listing);
            }
        }
        let mut whole = RemoteListing::default();
        for listing in all.into_values() {
            match listing {
                Ok(listing) => {
                    whole.skills.extend(listing.skills);
                    whole.problems.extend(listing.problems);
                }
                Err(error) => whole.problems.push(error),
            }
        }
        whole
    }

    /// Asks one server what it offers; a list counts as long as the server says, and a failure for a while. The server is
    /// asked once at a time, however many want to know.
    pub(crate) async fn list_of(&self, server: &str) -> Result<RemoteListing, RemoteError> {
        let lists = &self.server(server)?.lists;
        let (remote, name) = (self.clone(), server.to_owned());
        let ask = || async move {
            match remote.ask(&name).await {
                Ok((listing, fresh)) => (Ok(listing), fresh),
                Err(error) => (Err(error), remote.inner.limits.failed),
            }
        };
        let given_up = || Err(RemoteError::unreachable(server, "asking it was given up"));
        lists.get(ask).await.unwrap_or_else(given_up)
    }

    /// Asks one server what it offers, now; also returns how long that counts.
    async fn ask(&self, server: &str) -> Result<(RemoteListing, Duration), RemoteError> {
        let held = self.server(server)?;
        let listed = self.talk(held).await?.skills().await?;
        let mut listing = RemoteListing { problems: listed.cut.into_iter().collect(), ..RemoteListing::default() };
        for value in &listed.entries {
            match read_entry(server, value) {
                Ok(skill) => listing.skills.push(skill),
                Err(error) => listing.problems.push(error),
            }
        }
        listing.skills.sort_by(|left, right| left.id.cmp(&right.id));
        drop_repeated(&mut listing);
        Ok((listing, listed.fresh))
    }

    /// Finds the skill that a name means: a whole path, a name that one skill of the server has, or an address that the
    /// server knows although it does not list it.
    pub async fn find(&self, name: &RemoteName) -> Result<ServerSkill, RemoteError> {
        self.find_among(name, |_| true).await
    }

    /// Does the same for a caller that may know of some skills only: the others do not exist for it.
    pub(crate) async fn find_among(
        &self,
        name: &RemoteName,
        knows: impl Fn(&ServerSkill) -> bool,
    ) -> Result<ServerSkill, RemoteError> {
        let mut listing = self.list_of(&name.server).await?;
        listing.skills.retain(&knows);
        if let Some(skill) = listing.skills.iter().find(|skill| name.is_exactly(&skill.id.uri)) {
            return Ok(skill.clone());
        }
        let named: Vec<&ServerSkill> = listing.skills.iter().filter(|skill| name.is_named(&skill.id.uri)).collect();
        let (server, wanted) = (name.server.clone(), name.wanted.clone());
        match named.as_slice() {
            [skill] => return Ok((*skill).clone()),
            [] => {}
            several => {
                let names = several.iter().map(|skill| skill.id.to_string()).collect();
                return Err(RemoteError::Ambiguous { server, wanted, names });
            }
        }
        // A bad entry is told as what it is, and not looked for elsewhere.
        let uri = name.uri();
        let is_it = |skill: &String| uri.as_ref().is_some_and(|uri| uri.as_str() == skill);
        let bad = |error: &&RemoteError| matches!(error, RemoteError::Entry { skill, .. } if is_it(skill));
        if let Some(bad) = listing.problems.iter().find(bad) {
            return Err(bad.clone());
        }
        let near = near(&name.wanted, listing.skills.iter().map(|skill| skill.id.uri.path()));
        let near = near.first().map(|near| format!("mcp:{server}/{near}"));
        let unknown = RemoteError::UnknownSkill { server, wanted, near };
        let Some(uri) = uri else { return Err(unknown) };
        match self.get(&name.server, &uri).await? {
            Some(skill) if knows(&skill) => Ok(skill),
            _ => Err(unknown),
        }
    }

    /// Finds the skill that a name means, or the skill and the path of a file in it that a name goes on with.
    pub async fn locate(&self, name: &RemoteName) -> Result<(ServerSkill, Option<String>), RemoteError> {
        let listing = self.list_of(&name.server).await?;
        let is_itself = |skill: &ServerSkill| name.is_exactly(&skill.id.uri);
        let below = listing.skills.iter().filter_map(|skill| Some((skill, name.below(&skill.id.uri)?.to_owned())));
        match below.min_by_key(|(_, path)| path.len()) {
            Some((skill, path)) if !listing.skills.iter().any(is_itself) => Ok((skill.clone(), Some(path))),
            _ => Ok((self.find(name).await?, None)),
        }
    }

    /// Asks a server for the entry of one skill, as it is now.
    pub async fn get(&self, server: &str, uri: &SkillUri) -> Result<Option<ServerSkill>, RemoteError> {
        let held = self.server(server)?;
        let Some(value) = self.talk(held).await?.skill(uri.as_str()).await? else { return Ok(None) };
        let skill = read_entry(server, &value)?;
        if skill.id.uri != *uri {
            let why = "it is the entry of another skill".to_owned();
            let method = "skills/get".to_owned();
            return Err(RemoteError::BadAnswer { server: server.to_owned(), method, why });
        }
        Ok(Some(skill))
    }

    /// Fetches a skill's own file, and checks that it is what was listed. Whether it may reach the model is asked before.
    pub async fn load(&self, skill: &ServerSkill) -> Result<Verified, RemoteError> {
        let bytes = self.fetch(skill, skill.id.uri.as_str()).await?;
        let text = own_file(&skill.entry, bytes).map_err(|mismatch| self.unverified(skill, "SKILL.md", mismatch))?;
        Ok(Verified { skill: skill.clone(), text })
    }

    /// Reads a file of a skill, by its path in the skill's folder or its address. Only what the entry lists is asked for,
    /// and only of the server that the entry came from.
    pub async fn read(&self, skill: &ServerSkill, wanted: &str) -> Result<Vec<u8>, RemoteError> {
        let uri = skill.address(wanted).map_err(|mismatch| self.unverified(skill, wanted, mismatch))?;
        self.fetch(skill, &uri).await
    }

    /// Lists the files of a skill by their paths: those of its entry, or what the server says if the entry lists none.
    pub async fn files(&self, skill: &ServerSkill) -> Result<Vec<String>, RemoteError> {
        if let Resources::Listed(files) = &skill.entry.resources {
            return Ok(files.iter().map(|file| file.path.clone()).collect());
        }
        let held = self.server(&skill.id.server)?;
        let reads_folders = self.open(held).await?.1;
        let mut files = vec!["SKILL.md".to_owned()];
        if !reads_folders {
            return Ok(files);
        }
        let talk = self.talk(held).await?;
        let until = tokio::time::Instant::now() + self.inner.limits.listing;
        let mut folders = vec![skill.id.uri.root().to_owned()];
        // So many folders as files, so that a tree without an end has one.
        for _ in 0..MAX_FILES {
            let Some(folder) = folders.pop() else { break };
            for (uri, is_folder) in talk.folder(&folder, MAX_FILES, until).await? {
                match (skill.id.uri.file(&uri), is_folder) {
                    (Ok(_), true) => folders.push(uri),
                    (Ok(path), false) if files.len() < MAX_FILES => files.push(path.to_owned()),
                    // What lies elsewhere is no file of this skill, whatever the server says.
                    _ => {}
                }
            }
        }
        files.sort_unstable();
        files.dedup();
        Ok(files)
    }

    /// Ends every connection, and what was started for them.
    pub async fn close(&self) {
        for server in self.inner.servers.values() {
            if let Some(connection) = server.connection.lock().await.take() {
                connection.close().await;
            }
        }
    }

    /// Fetches one file that the entry lists, and checks it.
    async fn fetch(&self, skill: &ServerSkill, uri: &str) -> Result<Vec<u8>, RemoteError> {
        let path = skill.id.uri.file(uri).unwrap_or(uri);
        let listed = match &skill.entry.resources {
            Resources::Listed(files) => match files.iter().find(|file| file.uri == uri) {
                Some(file) => Some(file),
                None => return Err(self.unverified(skill, path, Mismatch::Unlisted)),
            },
            Resources::Dynamic => None,
        };
        let held = self.server(&skill.id.server)?;
        let bytes = self.talk(held).await?.read(uri).await?;
        let checked = match listed {
            Some(file) => check(file, &bytes),
            None if bytes.len() as u64 > MAX_SKILL_BYTES => Err(Mismatch::Large),
            None => Ok(()),
        };
        checked.map_err(|mismatch| self.unverified(skill, path, mismatch))?;
        Ok(bytes)
    }

    /// Says that something is not what was listed; what was listed is then asked for anew.
    fn unverified(&self, skill: &ServerSkill, path: &str, mismatch: Mismatch) -> RemoteError {
        if let Some(server) = self.inner.servers.get(&skill.id.server) {
            server.lists.forget();
        }
        RemoteError::Unverified { file: skill.id.place(&said(path)), mismatch }
    }

    fn server(&self, name: &str) -> Result<&Server, RemoteError> {
        let server = name.to_owned();
        match self.inner.servers.get(name) {
            Some(held) => Ok(held),
            None if self.inner.off.iter().any(|off| off == name) => Err(RemoteError::SwitchedOff { server }),
            None => {
                let known = self.servers().map(str::to_owned).collect();
                Err(RemoteError::UnknownServer { server, known })
            }
        }
    }

    async fn talk<'s>(&'s self, server: &'s Server) -> Result<Talk<'s>, RemoteError> {
        Ok(self.open(server).await?.0)
    }

    /// Returns a connection that is open, and whether the server lists folders.
    async fn open<'s>(&'s self, server: &'s Server) -> Result<(Talk<'s>, bool), RemoteError> {
        let limits = &self.inner.limits;
        let mut held = server.connection.lock().await;
        if held.as_ref().is_some_and(Connection::is_closed)
            && let Some(old) = held.take()
        {
            old.close().await;
        }
        let connection = match held.take() {
            Some(connection) => connection,
            None => Connection::open(&server.target, &self.inner.environment, limits).await?,
        };
        let connection = held.insert(connection);
        let (peer, fault) = (connection.peer().clone(), connection.fault.clone());
        Ok((Talk { server: &server.target.name, peer, fault, limits }, connection.reads_folders))
    }
}

fn read_entry(server: &str, value: &Value) -> Result<ServerSkill, RemoteError> {
    let entry = Entry::read(value).map_err(|flaw| {
        let told: String = value.get("uri").and_then(Value::as_str).unwrap_or("?").chars().take(MAX_TOLD).collect();
        RemoteError::Entry { server: server.to_owned(), skill: TerminalText(&told).to_string(), flaw }
    })?;
    let id = SkillId { server: server.to_owned(), uri: entry.uri.clone() };
    Ok(ServerSkill { id, entry: Arc::new(entry) })
}

/// Takes out what is listed twice: which of both would be meant?
fn drop_repeated(listing: &mut RemoteListing) {
    let pairs = listing.skills.windows(2).filter(|pair| pair[0].id == pair[1].id);
    let mut repeated: Vec<SkillId> = pairs.map(|pair| pair[0].id.clone()).collect();
    repeated.dedup();
    // Both are sorted.
    listing.skills.retain(|skill| repeated.binary_search(&skill.id).is_err());
    listing.problems.extend(repeated.into_iter().map(|SkillId { server, uri }| RemoteError::Entry {
        server,
        skill: uri.to_string(),
        flaw: Flaw::Repeated,
    }));
}
