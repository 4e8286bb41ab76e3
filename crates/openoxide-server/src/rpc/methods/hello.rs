//! `initialize`: client and server introduce themselves.

use serde::Deserialize;
use serde_json::{Value, json};

use crate::rpc::client::Declared;
use crate::rpc::{Client, Result, RpcError, changed, params};

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

pub(super) fn initialize(client: &Client, given: Value) -> Result<Value> {
    let Hello { client_info, capabilities } = params(given)?;
    let capabilities = capabilities.unwrap_or_default();
    let unwanted = capabilities.opt_out_notification_methods.unwrap_or_default();
    let declared = Declared {
        can_ask: capabilities.skills_ask,
        wants_changes: !unwanted.iter().any(|name| name == changed::NAME),
    };
    if client.declared.set(declared).is_err() {
        return Err(RpcError::untimely("Already initialized"));
    }
    let (name, version) = (plain(&client_info.name), plain(&client_info.version));
    let (os, arch, ours) = (std::env::consts::OS, std::env::consts::ARCH, env!("CARGO_PKG_VERSION"));
    Ok(json!({
        "userAgent": format!("{name}/{ours} ({os}; {arch}) openoxide ({name}; {version})"),
        // The folder with the user's settings, under the name that clients of the protocol know.
        "codexHome": client.options.home.as_deref().map(openoxide_app::path_text).unwrap_or_default(),
        "platformFamily": std::env::consts::FAMILY,
        "platformOs": os,
    }))
}

/// Keeps what a word in one line can have.
fn plain(text: &str) -> String {
    text.chars().filter(|letter| letter.is_ascii_graphic() || *letter == ' ').take(100).collect()
}
