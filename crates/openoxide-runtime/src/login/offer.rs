//! The page of a login, the proof that a response belongs to it, and the exchange for a token.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use secrecy::{ExposeSecret as _, SecretString};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use url::Url;
use url::form_urlencoded::{Serializer, parse};

use super::metadata::{Issuer, secure};
use crate::{Callback, LoginError, Request, Response, Returned};

const MAX_CODE: usize = 4096;

const FORM: &str = "application/x-www-form-urlencoded";

pub(super) struct Offer {
    issuer: Issuer,
    redirect: String,
    client: String,
    client_secret: Option<SecretString>,
    verifier: SecretString,
    state: String,
    pub(super) page: Url,
}

/// Returns the request that makes us known to an issuer (RFC 7591).
pub(super) fn registration(issuer: &Issuer, redirect: &str) -> Request {
    let body = serde_json::json!({
        "client_name": "OpenOxide",
        "redirect_uris": [redirect],
        "grant_types": ["authorization_code"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    Request::post(&issuer.register, "application/json", body.to_string())
}

/// Takes an address for the browser to come back to, if it is safe.
pub(super) fn check_redirect(redirect: &Result<String, LoginError>) -> Result<String, LoginError> {
    let redirect = redirect.as_ref().map_err(Clone::clone)?;
    secure(redirect, true).map(|_| redirect.clone())
}

#[derive(Deserialize)]
struct Registered {
    client_id: String,
    client_secret: Option<SecretString>,
    token_endpoint_auth_method: Option<String>,
}

impl Offer {
    /// Makes the offer out of the answer to the registration.
    pub(super) fn new(issuer: Issuer, redirect: String, response: &Response) -> Result<Offer, LoginError> {
        if !(200..300).contains(&response.status) {
            return Err(denied(response));
        }
        let registered: Registered = response.json("the answer to the registration")?;
        let client_secret = match registered.token_endpoint_auth_method.as_deref() {
            None | Some("none") => None,
            Some("client_secret_post") => registered.client_secret,
            Some(_) => return Err(LoginError::answer("the issuer wants a proof that this program does not have")),
        };
        let (verifier, state) = (random()?, random()?);
        let page = page(&issuer, &redirect, &registered.client_id, &verifier, &state);
        let verifier = SecretString::from(verifier);
        Ok(Offer { issuer, redirect, client: registered.client_id, client_secret, verifier, state, page })
    }

    pub(super) fn callback(&self, server: &str) -> Callback {
        Callback {
            server: server.to_owned(),
            page: self.page.to_string(),
            redirect: self.redirect.clone(),
            state: self.state.clone(),
        }
    }

    /// Takes the code out of what the browser brought, if it belongs to this login and this issuer.
    pub(super) fn code(&self, returned: &Returned) -> Result<SecretString, LoginError> {
        let value = |name: &str| {
            parse(returned.query.expose_secret().as_bytes()).find(|(key, _)| key == name).map(|(_, value)| value)
        };
        if value("state").as_deref() != Some(self.state.as_str()) {
            return Err(LoginError::State);
        }
        match value("iss") {
            Some(name) if name != self.issuer.name => return Err(LoginError::Issuer),
            None if self.issuer.says_name => return Err(LoginError::Issuer),
            _ => {}
        }
        if let Some(error) = value("error") {
            return Err(LoginError::Denied(word(&error)));
        }
        match value("code") {
            Some(code) if !code.is_empty() && code.len() <= MAX_CODE => Ok(SecretString::from(code.into_owned())),
            _ => Err(LoginError::answer("the browser brought no code")),
        }
    }

    /// Returns the request that exchanges a code for a token.
    pub(super) fn exchange(&self, code: &SecretString) -> Request {
        let mut form = Serializer::new(String::new());
        form.append_pair("grant_type", "authorization_code")
            .append_pair("code", code.expose_secret())
            .append_pair("redirect_uri", &self.redirect)
            .append_pair("client_id", &self.client)
            .append_pair("code_verifier", self.verifier.expose_secret())
            .append_pair("resource", &self.issuer.resource.name);
        if let Some(secret) = &self.client_secret {
            form.append_pair("client_secret", secret.expose_secret());
        }
        Request::post(&self.issuer.token, FORM, form.finish())
    }
}

fn page(issuer: &Issuer, redirect: &str, client: &str, verifier: &str, state: &str) -> Url {
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(verifier.as_bytes()));
    let mut page = issuer.authorize.clone();
    let mut pairs = page.query_pairs_mut();
    pairs
        .append_pair("response_type", "code")
        .append_pair("client_id", client)
        .append_pair("redirect_uri", redirect)
        .append_pair("code_challenge", &challenge)
        .append_pair("code_challenge_method", "S256")
        .append_pair("state", state)
        .append_pair("resource", &issuer.resource.name);
    if let Some(scope) = &issuer.resource.scope {
        pairs.append_pair("scope", scope);
    }
    drop(pairs);
    page
}

fn random() -> Result<String, LoginError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|_| LoginError::Random)?;
    Ok(URL_SAFE_NO_PAD.encode(bytes))
}

#[derive(Deserialize)]
struct Token {
    access_token: SecretString,
    token_type: String,
}

/// Reads the token out of the answer to the exchange.
pub(super) fn token(response: &Response) -> Result<SecretString, LoginError> {
    if response.status != 200 {
        return Err(denied(response));
    }
    let token: Token = response.json("the answer with the token")?;
    let is_plain = |letter: char| letter.is_ascii_graphic();
    if !token.token_type.eq_ignore_ascii_case("bearer")
        || token.access_token.expose_secret().is_empty()
        || !token.access_token.expose_secret().chars().all(is_plain)
    {
        return Err(LoginError::answer("the token is of a kind that cannot be used"));
    }
    Ok(token.access_token)
}

#[derive(Deserialize)]
struct Failure {
    error: String,
}

fn denied(response: &Response) -> LoginError {
    match response.json::<Failure>("the answer") {
        Ok(failure) => LoginError::Denied(word(&failure.error)),
        Err(_) => LoginError::Denied(format!("status {}", response.status)),
    }
}

/// Returns an issuer's word for an error, and nothing that could be more than a word.
fn word(text: &str) -> String {
    let is_word = |letter: char| letter.is_ascii_lowercase() || letter == '_';
    let is_one = !text.is_empty() && text.len() <= 64 && text.chars().all(is_word);
    if is_one { text } else { "an error" }.to_owned()
}
