//! Skills of servers, over pipes and over HTTP: what an honest server offers, and every lie that is refused.

#![allow(clippy::unwrap_used, reason = "a test that fails says where")]

mod approval;
mod floods;
mod honest;
mod lies;
mod offers;
mod token;
mod transport;

use std::collections::BTreeMap;

use openoxide_config::{ConfiguredServer, Environment, McpServer, McpTransport};
use openoxide_mcp_client::{BlockingRemote, FetchError, Limits, Remote, RemoteName, RemoteOptions, ServerSkill};
use openoxide_skills::settings::Origin;
use openoxide_testkit::mcp::ServedSkills;

/// The variable that tells which server a process is.
const WHICH: &str = "OPENOXIDE_TEST_SERVER";

/// Started with [`WHICH`], as other tests do, this is a server; started as a test, it tells whether that works.
#[test]
fn this_program_is_a_server_when_told() {
    if let Ok(which) = std::env::var(WHICH) {
        return offers::offer(&which).serve_stdio();
    }
    let remote = BlockingRemote::new(over_pipes("good", Limits::default())).unwrap();
    assert_eq!(remote.wait(async |remote| remote.list().await).problems, []);
}

fn configured(name: &str, transport: McpTransport) -> ConfiguredServer {
    ConfiguredServer {
        name: name.to_owned(),
        server: McpServer { transport, enabled: true },
        origin: Origin::CommandLine,
    }
}

/// Means a server at an address.
fn at(name: &str, url: &str) -> ConfiguredServer {
    configured(name, McpTransport::Http { url: url.to_owned(), token: None })
}

/// Means this program, started again as a server.
fn started(name: &str) -> ConfiguredServer {
    let command = std::env::current_exe().unwrap().to_str().unwrap().to_owned();
    let args = ["--exact", "this_program_is_a_server_when_told", "--nocapture", "--quiet"].map(str::to_owned).to_vec();
    configured(name, McpTransport::Stdio { command, args, env: vec![WHICH.to_owned()] })
}

fn environment(which: &str) -> Environment {
    let variables = [(WHICH, which), ("PATH", "/usr/bin:/bin"), ("HOME", "/"), ("SECRET", "hunter2")];
    let variables: BTreeMap<String, String> =
        variables.into_iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
    Environment { cwd: "/".into(), home: Some("/".into()), variables, ..Environment::default() }
}

/// A client of one server that is started.
fn over_pipes(which: &str, limits: Limits) -> Remote {
    let options = RemoteOptions { environment: environment(which), limits, ..RemoteOptions::default() };
    Remote::new(vec![started("docs")], options)
}

/// A client of one server that is reached.
fn over_http(which: &str, limits: Limits) -> (Remote, ServedSkills) {
    let served = offers::offer(which).serve_http();
    let remote = Remote::new(vec![at("docs", &served.url)], RemoteOptions { limits, ..RemoteOptions::default() });
    (remote, served)
}

async fn find(remote: &Remote, name: &str) -> Result<ServerSkill, FetchError> {
    remote.find(&RemoteName::parse(name).unwrap()).await
}

/// Finds and loads a skill; returns what is said if that fails.
async fn load(remote: &Remote, name: &str) -> Result<String, String> {
    let skill = find(remote, name).await.map_err(|error| error.to_string())?;
    remote.load(&skill).await.map_err(|error| error.to_string())
}
