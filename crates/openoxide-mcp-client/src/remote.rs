//! The skills of all servers, fetched when they are needed and not before.
//!
//! A list is fetched for a listing, a skill's `SKILL.md` when it is loaded, and another file when it is read.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use openoxide_config::{ConfiguredServer, McpServer, McpTransport};
use openoxide_http::one_line;
use openoxide_runtime::RemoteName;
use openoxide_skills::text::{TerminalText, near};
use serde_json::Value;

use crate::entry::{Entry, EntryError, Resources};
use crate::limits::{MAX_FILES, MAX_SKILL_BYTES};
use crate::verify::{Mismatch, check, own_file};
use crate::{
    FetchError, RemoteListing, RemoteOptions, ServerSkill, client::ServerClient, connect::Connection, error,
    list_cache::ListCache, uri::SkillUri,
};

/// Longest address of a bad entry that is shown.
const MAX_SHOWN: usize = 200;

/// The servers of the user's settings. It is cheap to clone, and everything in it is kept in memory only.
#[derive(Clone)]
pub struct Remote {
    inner: Arc<Inner>,
}

struct Inner {
    servers: BTreeMap<String, Server>,
    off: Vec<String>,
    options: RemoteOptions,
}

struct Server {
    name: String,
    transport: McpTransport,
    connection: tokio::sync::Mutex<Option<Connection>>,
    list: ListCache,
}

impl Remote {
    /// Takes the servers that are switched on. Nothing is started or reached yet.
    pub fn new(servers: Vec<ConfiguredServer>, options: RemoteOptions) -> Remote {
        let (on, off): (Vec<_>, Vec<_>) = servers.into_iter().partition(|one| one.server.enabled);
        let server = |ConfiguredServer { name, server: McpServer { transport, .. }, .. }| {
            let connection = tokio::sync::Mutex::new(None);
            (name.clone(), Server { name, transport, connection, list: ListCache::default() })
        };
        let servers = on.into_iter().map(server).collect();
        let off = off.into_iter().map(|one| one.name).collect();
        Remote { inner: Arc::new(Inner { servers, off, options }) }
    }

    /// Asks every server what it offers, all at once. A server that fails does not affect the others.
    pub async fn list(&self) -> RemoteListing {
        let list_of = |name: &String| {
            let (remote, name) = (self.clone(), name.clone());
            tokio::spawn(async move { remote.list_of(&name).await })
        };
        let tasks: Vec<_> = self.inner.servers.keys().map(list_of).collect();
        let mut all = RemoteListing::default();
        for task in tasks {
            match task.await {
                Ok(Ok(listing)) => {
                    all.skills.extend(listing.skills);
                    all.problems.extend(listing.problems);
                }
                Ok(Err(error)) => all.problems.push(error),
                // The runtime is shutting down.
                Err(_) => {}
            }
        }
        all
    }

    /// Asks one server what it offers. A list is valid as long as the server says, and a failure for a while. The server
    /// is asked once at a time, however many callers there are.
    async fn list_of(&self, server: &str) -> Result<RemoteListing, FetchError> {
        let list = &self.server(server)?.list;
        let (remote, name) = (self.clone(), server.to_owned());
        let ask = || async move {
            match remote.ask(&name).await {
                Ok((listing, fresh)) => (Ok(listing), fresh),
                Err(error) => (Err(error), remote.inner.options.limits.failed),
            }
        };
        let given_up = || Err(error::unreachable(server, "asking it was given up"));
        list.get(ask).await.unwrap_or_else(given_up)
    }

    /// Asks one server what it offers, now. Also returns how long the answer is valid.
    async fn ask(&self, server: &str) -> Result<(RemoteListing, Duration), FetchError> {
        let listed = self.client(server).await?.skills().await?;
        let mut listing = RemoteListing { problems: listed.cut.into_iter().collect(), ..RemoteListing::default() };
        for value in &listed.entries {
            match Entry::parse(value) {
                Ok(entry) => listing.skills.push(ServerSkill { server: server.to_owned(), entry: Arc::new(entry) }),
                Err(error) => listing.refuse(server, &shown_uri(value), &error.to_string()),
            }
        }
        listing.skills.sort_by(|left, right| left.uri().cmp(right.uri()));
        listing.drop_repeated(server);
        Ok((listing, listed.fresh))
    }

    /// Finds the skill that a name means: a whole path, a name that one skill of the server has, or an address that the
    /// server knows although it does not list it.
    pub async fn find(&self, name: &RemoteName) -> Result<ServerSkill, FetchError> {
        self.find_among(name, |_| true).await
    }

    /// Does the same for a caller that may know of some skills only: the others do not exist for it.
    pub(crate) async fn find_among(
        &self,
        name: &RemoteName,
        knows: impl Fn(&ServerSkill) -> bool,
    ) -> Result<ServerSkill, FetchError> {
        let mut listing = self.list_of(&name.server).await?;
        listing.skills.retain(&knows);
        if let Some(skill) = listing.skills.iter().find(|skill| skill.uri().is_named_by(name)) {
            return Ok(skill.clone());
        }
        let named: Vec<&ServerSkill> =
            listing.skills.iter().filter(|skill| name.wanted == skill.uri().name()).collect();
        match named.as_slice() {
            [skill] => return Ok((*skill).clone()),
            [] => {}
            several => {
                let names: Vec<String> = several.iter().copied().map(ToString::to_string).collect();
                return Err(error::ambiguous(name, &names));
            }
        }
        // A bad entry is reported as such, and not searched for elsewhere.
        let uri = SkillUri::from_name(name);
        if let Some(bad) = uri.as_ref().and_then(|uri| listing.bad_entries.get(uri.as_str())) {
            return Err(bad.clone());
        }
        let near = near(&name.wanted, listing.skills.iter().map(|skill| skill.uri().path()));
        let unknown = error::unknown_skill(name, near.first().copied());
        let Some(uri) = uri else { return Err(unknown) };
        match self.get(&name.server, &uri).await? {
            Some(skill) if knows(&skill) => Ok(skill),
            _ => Err(unknown),
        }
    }

    /// Finds the skill that a name means, or the skill and the path of a file in it that a name goes on with.
    pub(crate) async fn locate(&self, name: &RemoteName) -> Result<(ServerSkill, Option<String>), FetchError> {
        let listing = self.list_of(&name.server).await?;
        let is_itself = |skill: &ServerSkill| skill.uri().is_named_by(name);
        let below = listing.skills.iter().filter_map(|skill| Some((skill, skill.uri().file_named_by(name)?)));
        match below.min_by_key(|(_, path)| path.len()) {
            Some((skill, path)) if !listing.skills.iter().any(is_itself) => Ok((skill.clone(), Some(path.to_owned()))),
            _ => Ok((self.find(name).await?, None)),
        }
    }

    /// Asks a server for the entry of one skill, as it is now.
    async fn get(&self, server: &str, uri: &SkillUri) -> Result<Option<ServerSkill>, FetchError> {
        let Some(value) = self.client(server).await?.skill(uri.as_str()).await? else { return Ok(None) };
        let bad = |why: EntryError| error::bad_entry(server, &shown_uri(&value), &why.to_string());
        let entry = Entry::parse(&value).map_err(bad)?;
        if entry.uri != *uri {
            return Err(error::bad_answer(server, "skills/get", "it is the entry of another skill"));
        }
        Ok(Some(ServerSkill { server: server.to_owned(), entry: Arc::new(entry) }))
    }

    /// Fetches the text of a skill's own file, and checks that it is what was listed. Whether it may reach the model is
    /// asked before.
    pub async fn load(&self, skill: &ServerSkill) -> Result<String, FetchError> {
        let bytes = self.fetch(skill, skill.uri().as_str()).await?;
        own_file(&skill.entry, bytes).map_err(|mismatch| self.unverified(skill, "SKILL.md", &mismatch))
    }

    /// Reads a file of a skill, by its path in the skill's folder or its address. Only what the entry lists is asked for,
    /// and only of the server that the entry came from.
    pub async fn read(&self, skill: &ServerSkill, path: &str) -> Result<Vec<u8>, FetchError> {
        let uri = skill.address(path).map_err(|mismatch| self.unverified(skill, path, &mismatch))?;
        self.fetch(skill, &uri).await
    }

    /// Lists the files of a skill by their paths: those of its entry, or what the server says if the entry lists none.
    pub async fn files(&self, skill: &ServerSkill) -> Result<Vec<String>, FetchError> {
        if let Resources::Listed(files) = &skill.entry.resources {
            return Ok(files.iter().map(|file| file.path.clone()).collect());
        }
        let client = self.client(&skill.server).await?;
        let mut files = vec!["SKILL.md".to_owned()];
        if !client.reads_folders {
            return Ok(files);
        }
        let until = tokio::time::Instant::now() + client.limits.listing;
        let mut folders = vec![skill.uri().root().to_owned()];
        // At most as many folders as files, so that an endless tree has an end.
        for _ in 0..MAX_FILES {
            let Some(folder) = folders.pop() else { break };
            for (uri, is_folder) in client.folder(&folder, MAX_FILES, until).await? {
                match (skill.uri().file(&uri), is_folder) {
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
    async fn fetch(&self, skill: &ServerSkill, uri: &str) -> Result<Vec<u8>, FetchError> {
        let path = skill.uri().file(uri).unwrap_or(uri);
        let listed = match &skill.entry.resources {
            Resources::Listed(files) => match files.iter().find(|file| file.uri == uri) {
                Some(file) => Some(file),
                None => return Err(self.unverified(skill, path, &Mismatch::Unlisted)),
            },
            Resources::Dynamic => None,
        };
        let bytes = self.client(&skill.server).await?.read(uri).await?;
        let checked = match listed {
            Some(file) => check(file, &bytes),
            None if bytes.len() as u64 > MAX_SKILL_BYTES => Err(Mismatch::Large),
            None => Ok(()),
        };
        checked.map_err(|mismatch| self.unverified(skill, path, &mismatch))?;
        Ok(bytes)
    }

    /// Makes the error of a file that is not what was listed. The list is then fetched again.
    fn unverified(&self, skill: &ServerSkill, path: &str, mismatch: &Mismatch) -> FetchError {
        if let Some(server) = self.inner.servers.get(&skill.server) {
            server.list.forget();
        }
        error::unverified(&format!("{skill}/{}", one_line(path)), &mismatch.to_string())
    }

    fn server(&self, name: &str) -> Result<&Server, FetchError> {
        self.inner.servers.get(name).ok_or_else(|| match self.inner.off.iter().any(|off| off == name) {
            true => error::switched_off(name),
            false => error::unknown_server(name, self.inner.servers.keys()),
        })
    }

    async fn client(&self, server: &str) -> Result<ServerClient<'_>, FetchError> {
        let server = self.server(server)?;
        let mut held = server.connection.lock().await;
        if let Some(old) = held.take_if(|connection| connection.is_closed()) {
            old.close().await;
        }
        let connection = match held.take() {
            Some(connection) => connection,
            None => Connection::open(&server.name, &server.transport, &self.inner.options).await?,
        };
        let connection = held.insert(connection);
        let (peer, fault) = (connection.peer().clone(), connection.fault.clone());
        let limits = &self.inner.options.limits;
        Ok(ServerClient { server: &server.name, peer, fault, limits, reads_folders: connection.reads_folders })
    }
}

/// Returns the address of a bad entry, as far as it can be shown.
fn shown_uri(entry: &Value) -> String {
    let uri: String = entry.get("uri").and_then(Value::as_str).unwrap_or("?").chars().take(MAX_SHOWN).collect();
    TerminalText(&uri).to_string()
}

impl RemoteListing {
    fn refuse(&mut self, server: &str, uri: &str, why: &str) {
        let error = error::bad_entry(server, uri, why);
        self.problems.push(error.clone());
        self.bad_entries.entry(uri.to_owned()).or_insert(error);
    }

    /// Removes the skills of a sorted listing that are listed twice: nobody knows which of both is meant.
    fn drop_repeated(&mut self, server: &str) {
        let pairs = self.skills.windows(2).filter(|pair| pair[0].uri() == pair[1].uri());
        let mut repeated: Vec<SkillUri> = pairs.map(|pair| pair[0].uri().clone()).collect();
        repeated.dedup();
        self.skills.retain(|skill| repeated.binary_search(skill.uri()).is_err());
        for uri in repeated {
            self.refuse(server, uri.as_str(), "it is listed twice");
        }
    }
}
