//! The state machine of one login.

use std::collections::VecDeque;

use secrecy::SecretString;
use url::Url;

use super::challenge::Challenge;
use super::metadata::{Issuer, Resource, issuer_places, resource_places, secure};
use super::offer::{self, Offer};
use crate::{LoginError, LoginReply, LoginStep, Question, Reply, Request, Response, ServerAddress, Step};

pub(crate) struct Login {
    pub(crate) server: String,
    pub(crate) skills: Vec<String>,
    /// The address as it is configured.
    pub(crate) url: String,
    /// The same, read.
    place: ServerAddress,
    stage: Stage,
}

enum Stage {
    /// Does the server want a login at all?
    Probe,
    /// Where does it say who lets people in?
    Resource { places: VecDeque<Url>, challenge: Challenge },
    /// How does that one do it?
    Issuer { places: VecDeque<Url>, resource: Resource, name: String },
    /// The user is asked: nothing is left behind anywhere before the answer.
    Ask(Box<Issuer>),
    /// The browser needs a way back.
    Listen(Box<Issuer>),
    /// We must be known to the issuer.
    Register(Box<Issuer>, String),
    /// The user is on the page.
    Wait(Box<Offer>),
    /// What the browser brought is exchanged for a token.
    Exchange(Box<Offer>, SecretString),
}

pub(crate) enum Turn {
    Go(Box<Login>),
    Token(SecretString),
    Unneeded,
}

impl Login {
    /// Begins; an address that is not safe to log in to is an error.
    pub(crate) fn new(server: &str, url: &str, skills: Vec<String>) -> Result<Login, LoginError> {
        let place = ServerAddress::new(url)?;
        Ok(Login { server: server.to_owned(), skills, url: url.to_owned(), place, stage: Stage::Probe })
    }

    pub(crate) fn step<T>(&self) -> Step<T> {
        let fetch = |request: Request| Step::Login(LoginStep::Fetch(request));
        match &self.stage {
            Stage::Probe => fetch(Request::probe(&self.place.url)),
            Stage::Resource { places, .. } | Stage::Issuer { places, .. } => match places.front() {
                Some(place) => fetch(Request::get(place)),
                None => fetch(Request::get(&self.place.url)),
            },
            Stage::Listen(_) => Step::Login(LoginStep::Listen),
            Stage::Register(issuer, redirect) => fetch(offer::registration(issuer, redirect)),
            Stage::Ask(issuer) => {
                Step::Ask(Question::Login { server: self.server.clone(), page: issuer.authorize.to_string() })
            }
            Stage::Wait(offer) => Step::Login(LoginStep::Wait(offer.callback(&self.server))),
            Stage::Exchange(offer, code) => fetch(offer.exchange(code)),
        }
    }

    pub(crate) fn resume(mut self, reply: Reply) -> Result<Turn, LoginError> {
        let stage = std::mem::replace(&mut self.stage, Stage::Probe);
        let next = match (stage, reply) {
            (Stage::Probe, Reply::Login(LoginReply::Fetched(response))) => match self.probed(&response?) {
                Some(stage) => stage,
                None => return Ok(Turn::Unneeded),
            },
            (Stage::Resource { places, challenge }, Reply::Login(LoginReply::Fetched(response))) => {
                let response = response?;
                match other_places(places, &response, "the server")? {
                    Some(places) => Stage::Resource { places, challenge },
                    None => self.described(challenge, &response)?,
                }
            }
            (Stage::Issuer { places, resource, name }, Reply::Login(LoginReply::Fetched(response))) => {
                let response = response?;
                match other_places(places, &response, "the issuer")? {
                    Some(places) => Stage::Issuer { places, resource, name },
                    None => Stage::Ask(Box::new(Issuer::read(&self.place, resource, &name, &response)?)),
                }
            }
            (Stage::Listen(issuer), Reply::Login(LoginReply::Listening(redirect))) => {
                offer::check_redirect(&redirect).map(|redirect| Stage::Register(issuer, redirect))?
            }
            (Stage::Register(issuer, redirect), Reply::Login(LoginReply::Fetched(response))) => {
                Stage::Wait(Box::new(Offer::new(*issuer, redirect, &response?)?))
            }
            (Stage::Ask(issuer), Reply::Answer(answer)) if answer.is_yes() => Stage::Listen(issuer),
            (Stage::Ask(_), Reply::Answer(_)) => return Err(LoginError::Refused),
            (Stage::Wait(offer), Reply::Login(LoginReply::CameBack(returned))) => {
                let code = offer.code(&returned?)?;
                Stage::Exchange(offer, code)
            }
            (Stage::Exchange(..), Reply::Login(LoginReply::Fetched(response))) => {
                return offer::token(&response?).map(Turn::Token);
            }
            // A reply to something else is no answer, as if nobody had tried.
            _ => return Err(LoginError::NotTried),
        };
        self.stage = next;
        Ok(Turn::Go(Box::new(self)))
    }

    /// Reads the server's response to a client that is not logged in.
    fn probed(&self, response: &Response) -> Option<Stage> {
        let challenge = response.challenges.iter().find_map(|text| Challenge::parse(text));
        let challenge = challenge.filter(|_| response.status == 401)?;
        let places = resource_places(&self.place, challenge.resource_metadata.as_deref());
        Some(Stage::Resource { places, challenge })
    }

    fn described(&self, challenge: Challenge, response: &Response) -> Result<Stage, LoginError> {
        let (resource, name) = Resource::read(&self.place, challenge.scope, response)?;
        let issuer = secure(&name, self.place.is_loopback)?;
        Ok(Stage::Issuer { places: issuer_places(&issuer), resource, name })
    }
}

/// Returns where else to look, if nothing was at the first place. A server without metadata anywhere is an error.
fn other_places(
    mut places: VecDeque<Url>,
    response: &Response,
    of: &'static str,
) -> Result<Option<VecDeque<Url>>, LoginError> {
    places.pop_front();
    match (response.status, places.is_empty()) {
        (200, _) => Ok(None),
        (_, false) => Ok(Some(places)),
        (_, true) => Err(LoginError::NoMetadata(of)),
    }
}

#[cfg(test)]
mod tests;
