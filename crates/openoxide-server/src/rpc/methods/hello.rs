//! Who is there.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::params::{answer, params};
use crate::rpc::changed;
use crate::rpc::client::{Client, Declared};
use crate::rpc::error::RpcError;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Hello {
    client_info: ClientInfo,
    #[serde(default)]
    capabilities: Option<Capabilities>,
}

#[derive(Deserialize)]
struct ClientInfo {
    name: String,
    version: String,
}

/// What the client can do.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase", default)]
struct Capabilities {
    /// Put questions to the user, with `skills/ask`.
    skills_ask: bool,
    /// Notices that it does not want.
    opt_out_notification_methods: Option<Vec<String>>,
}

/// What the protocol says about a server.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Welcome {
    user_agent: String,
    /// The folder with the user's settings, under the name that clients of the protocol know.
    codex_home: String,
    platform_family: &'static str,
    platform_os: &'static str,
}

/// Lets the client say who it is.
pub(super) fn initialize(client: &Client, given: Value) -> Result<Value, RpcError> {
    let Hello { client_info, capabilities } = params(given)?;
    let capabilities = capabilities.unwrap_or_default();
    let unwanted = capabilities.opt_out_notification_methods.unwrap_or_default();
    let declared = Declared {
        can_ask: capabilities.skills_ask,
        wants_changes: !unwanted.iter().any(|name| name == changed::NAME),
    };
    if !client.declare(declared) {
        return Err(RpcError::untimely("Already initialized"));
    }
    let (name, version) = (plain(&client_info.name), plain(&client_info.version));
    let (os, arch, ours) = (std::env::consts::OS, std::env::consts::ARCH, env!("CARGO_PKG_VERSION"));
    answer(&Welcome {
        user_agent: format!("{name}/{ours} ({os}; {arch}) openoxide ({name}; {version})"),
        codex_home: client.options.home.as_deref().map(openoxide_app::path_text).unwrap_or_default(),
        platform_family: std::env::consts::FAMILY,
        platform_os: os,
    })
}

/// Keeps what a word in one line can have.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(100).collect()
}
