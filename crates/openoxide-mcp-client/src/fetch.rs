//! Answers what an operation of the runtime needs of a server.

use std::sync::Arc;

use openoxide_runtime::{
    Fetch, FetchError, FetchReply, FetchRequest, Fetched, RemoteFile, RemoteName, RemoteSkill, Runtime, Session,
};
use openoxide_skills::host::Caller;

use crate::entry::{Resource, Resources};
use crate::error::{self, BAD_ENTRY};
use crate::{Remote, ServerSkill};

impl Remote {
    /// Asks the server what an operation needs of it.
    pub async fn answer(&self, fetch: &Fetch) -> FetchReply {
        Ok(match &fetch.request {
            FetchRequest::List => {
                let listing = self.list().await;
                let skills = listing.skills.into_iter().map(|skill| skill.described(Caller::User)).collect();
                Fetched::Listing(skills, listing.problems)
            }
            FetchRequest::Find { name, caller, with_path } => {
                let (skill, path) = match caller {
                    Caller::User if *with_path => self.locate(name).await?,
                    Caller::User => (self.find(name).await?, None),
                    Caller::Model => (self.find_for_model(name, &fetch.runtime).await?, None),
                };
                Fetched::Skill(Box::new(skill.described(*caller)), path)
            }
            FetchRequest::Manifest(skill) => Fetched::Bytes(self.load(ServerSkill::of(skill)?).await?.into_bytes()),
            FetchRequest::File(skill, path) => Fetched::Bytes(self.read(ServerSkill::of(skill)?, path).await?),
            FetchRequest::Files(skill) => Fetched::Files(self.files(ServerSkill::of(skill)?).await?),
        })
    }

    /// Finds the skill that a name means to the model. A skill that it may not call does not exist for it: no error names
    /// it, and no suggestion does.
    async fn find_for_model(&self, name: &RemoteName, runtime: &Runtime) -> Result<ServerSkill, FetchError> {
        // Rules that deny do so in every session.
        let session = Session::default();
        let knows =
            |skill: &ServerSkill| runtime.before_remote(&session, &skill.offer(Caller::Model), Caller::Model).is_ok();
        match self.find_among(name, knows).await {
            // A bad entry does not say for whom it would be.
            Err(error) if error.word == BAD_ENTRY => Err(error::unknown_skill(name, None)),
            found => found,
        }
    }
}

impl ServerSkill {
    /// Describes the skill to the runtime.
    pub fn described(self, caller: Caller) -> RemoteSkill {
        let files = match &self.entry.resources {
            Resources::Listed(files) => {
                let described =
                    |file: &Resource| RemoteFile { path: file.path.clone(), size: file.size, digest: file.digest() };
                Some(files.iter().map(described).collect())
            }
            Resources::Dynamic => None,
        };
        let (offer, name) = (self.offer(caller), self.uri().name().to_owned());
        let (model, user) = (self.entry.is_for(Caller::Model), self.entry.is_for(Caller::User));
        RemoteSkill { offer, name, files, model, user, handle: Arc::new(self) }
    }

    /// Returns the skill behind a description that this client made.
    fn of(skill: &RemoteSkill) -> Result<&ServerSkill, FetchError> {
        let made_elsewhere = || error::unreachable(&skill.offer.server, "the skill is not one of this client's");
        skill.handle.downcast_ref().ok_or_else(made_elsewhere)
    }
}
