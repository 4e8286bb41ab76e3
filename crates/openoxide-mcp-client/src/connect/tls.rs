//! The TLS settings of every HTTP client of this crate.

use std::sync::Arc;

/// Returns settings that trust the roots of this machine. Where nothing is encrypted they trust none, because reading
/// the roots takes time.
pub(crate) fn tls(is_needed: bool) -> Result<rustls::ClientConfig, String> {
    let mut roots = rustls::RootCertStore::empty();
    if is_needed {
        roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = rustls::ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}
