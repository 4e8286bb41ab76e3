//! The HTTP client for servers of tools, logins and models.

use std::sync::Arc;

use reqwest::redirect::Policy;
use reqwest::{Client, ClientBuilder};
use rustls::{ClientConfig, RootCertStore};
use url::Url;

/// Prepares a client for one address. It follows no redirects, and trusts the roots of this machine.
pub fn http_client(url: &Url, is_loopback: bool) -> Result<ClientBuilder, String> {
    let mut roots = RootCertStore::empty();
    // Reading the roots takes time, and nothing needs them where nothing is encrypted.
    if url.scheme() == "https" {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let tls = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let tls = tls.map_err(|error| error.to_string())?.with_root_certificates(roots).with_no_client_auth();
    let builder = Client::builder()
        .redirect(Policy::none())
        .user_agent(concat!("openoxide/", env!("CARGO_PKG_VERSION")))
        .tls_backend_preconfigured(tls);
    // No proxy stands between this machine and itself.
    Ok(if is_loopback { builder.no_proxy() } else { builder })
}
