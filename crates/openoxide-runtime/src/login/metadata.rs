//! Reads and checks the metadata of servers and issuers (RFC 9728 and RFC 8414).

use std::collections::{BTreeSet, VecDeque};
use std::net::Ipv4Addr;

use serde::Deserialize;
use url::{Host, Url};

use crate::{LoginError, Response};

/// The address of a server that is safe to log in to: encrypted, or on this machine.
#[derive(Clone, Debug)]
pub struct ServerAddress {
    /// The address itself.
    pub url: Url,
    /// Whether it is on this machine. Only such a server may lead to other addresses on this machine.
    pub is_loopback: bool,
}

impl ServerAddress {
    /// Reads an address, and refuses one that is not safe.
    pub fn new(text: &str) -> Result<ServerAddress, LoginError> {
        let url = secure(text, true)?;
        let is_loopback = is_loopback(&url);
        Ok(ServerAddress { url, is_loopback })
    }
}

/// Reads an address that is safe: encrypted, or on this machine where that is allowed.
pub(super) fn secure(text: &str, loopback: bool) -> Result<Url, LoginError> {
    let bad = || LoginError::Address(text.chars().take(200).collect());
    let url = Url::parse(text).map_err(|_| bad())?;
    if url.fragment().is_some() || !url.username().is_empty() || url.password().is_some() || url.host().is_none() {
        return Err(bad());
    }
    let is_safe = match url.scheme() {
        // A remote server must not lead us to what listens on this machine.
        "https" => loopback || !leads_here(&url),
        "http" => loopback && is_loopback(&url),
        _ => return Err(bad()),
    };
    if is_safe { Ok(url) } else { Err(LoginError::Insecure(text.chars().take(200).collect())) }
}

/// Tells whether an address is surely on this machine, so that it needs no encryption.
fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name.eq_ignore_ascii_case("localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Tells whether an address may lead to this machine, however that is written.
fn leads_here(url: &Url) -> bool {
    let is_here = |address: Ipv4Addr| address.is_loopback() || address.octets()[0] == 0;
    match url.host() {
        Some(Host::Domain(name)) => {
            let name = name.trim_end_matches('.').to_ascii_lowercase();
            name == "localhost" || name.ends_with(".localhost")
        }
        Some(Host::Ipv4(address)) => is_here(address),
        // The old forms of IPv4 hold the two special addresses of IPv6 too.
        Some(Host::Ipv6(address)) => address.to_ipv4().is_some_and(is_here),
        None => false,
    }
}

/// Returns where a server may describe itself: where it says so, or at the well-known places.
pub(super) fn resource_places(place: &ServerAddress, said: Option<&str>) -> VecDeque<Url> {
    let said = said.and_then(|said| secure(said, place.is_loopback).ok());
    // It describes itself: nobody else does.
    if let Some(said) = said.filter(|said| said.origin() == place.url.origin()) {
        return VecDeque::from([said]);
    }
    let mut root = place.url.clone();
    root.set_path("/");
    without_repeats([&place.url, &root].map(|url| well_known(url, "oauth-protected-resource")))
}

pub(super) fn issuer_places(issuer: &Url) -> VecDeque<Url> {
    let mut inside = issuer.clone();
    inside.set_path(&format!("{}/.well-known/openid-configuration", issuer.path().trim_end_matches('/')));
    let known = ["oauth-authorization-server", "openid-configuration"].map(|name| well_known(issuer, name));
    without_repeats(known.into_iter().chain([inside]))
}

fn without_repeats(places: impl IntoIterator<Item = Url>) -> VecDeque<Url> {
    let mut seen = BTreeSet::new();
    places.into_iter().filter(|place| seen.insert(place.clone())).collect()
}

/// Puts `.well-known/NAME` between the host and the path.
fn well_known(url: &Url, name: &str) -> Url {
    let mut place = url.clone();
    place.set_query(None);
    place.set_path(&format!("/.well-known/{name}{}", url.path().trim_end_matches('/')));
    place
}

/// What a server says about itself.
#[derive(Clone, Debug)]
pub(super) struct Resource {
    /// What it calls itself.
    pub(super) name: String,
    /// What a login is asked for.
    pub(super) scope: Option<String>,
}

#[derive(Deserialize)]
struct ResourceDocument {
    resource: String,
    #[serde(default)]
    authorization_servers: Vec<String>,
    #[serde(default)]
    scopes_supported: Vec<String>,
}

impl Resource {
    /// Reads what a server says about itself; returns that, and who lets people in.
    pub(super) fn read(
        place: &ServerAddress,
        scope: Option<String>,
        response: &Response,
    ) -> Result<(Resource, String), LoginError> {
        let document: ResourceDocument = response.json("what the server says about itself")?;
        let own = secure(&document.resource, place.is_loopback)?;
        let (own_path, path) = (own.path().trim_end_matches('/'), place.url.path().trim_end_matches('/'));
        let is_inside = path.strip_prefix(own_path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if own.origin() != place.url.origin() || !is_inside {
            return Err(LoginError::answer("what the server says about itself is about another server"));
        }
        let issuer = document.authorization_servers.into_iter().next();
        let issuer = issuer.ok_or(LoginError::NoMetadata("the server"))?;
        let all = Some(document.scopes_supported.join(" ")).filter(|all| !all.is_empty() && all.len() <= 1024);
        Ok((Resource { name: document.resource, scope: scope.or(all) }, issuer))
    }
}

/// Who lets people in, and how.
#[derive(Clone, Debug)]
pub(super) struct Issuer {
    pub(super) resource: Resource,
    pub(super) name: String,
    pub(super) authorize: Url,
    pub(super) token: Url,
    pub(super) register: Url,
    /// Whether it says its name when the browser comes back.
    pub(super) says_name: bool,
}

#[derive(Deserialize)]
struct IssuerDocument {
    issuer: String,
    authorization_endpoint: String,
    token_endpoint: String,
    registration_endpoint: Option<String>,
    #[serde(default)]
    code_challenge_methods_supported: Vec<String>,
    #[serde(default)]
    authorization_response_iss_parameter_supported: bool,
}

impl Issuer {
    /// Reads what an issuer says about itself; it must be the one that was asked for.
    pub(super) fn read(
        place: &ServerAddress,
        resource: Resource,
        name: &str,
        response: &Response,
    ) -> Result<Issuer, LoginError> {
        let document: IssuerDocument = response.json("what the issuer says about itself")?;
        if document.issuer != name {
            return Err(LoginError::answer("what the issuer says about itself is about another issuer"));
        }
        if !document.code_challenge_methods_supported.iter().any(|method| method == "S256") {
            return Err(LoginError::answer("the issuer does not protect a login (PKCE with S256)"));
        }
        let register = document.registration_endpoint.ok_or(LoginError::NoRegistration)?;
        Ok(Issuer {
            resource,
            name: document.issuer,
            authorize: secure(&document.authorization_endpoint, place.is_loopback)?,
            token: secure(&document.token_endpoint, place.is_loopback)?,
            register: secure(&register, place.is_loopback)?,
            says_name: document.authorization_response_iss_parameter_supported,
        })
    }
}
