//! Use case: list the skills that MCP servers of the settings offer, or show one.

use std::sync::Arc;

use openoxide_config::ApprovalState;
use openoxide_live::Snapshot;
use openoxide_runtime::{
    Fetch, FetchError, FetchRequest, Fetched, RemoteName, RemoteOffer, RemoteSkill, Reply, Resumable, Runtime, Session,
    Step,
};
use openoxide_skills::{host::Caller, text::visible};
use openoxide_wire::{RemoteAnswer, RemoteFileLine, RemoteLine, RemoteProblemLine, RemotesAnswer, SchemaVersion};

use crate::{error::Error, pending::Rebase};

/// Listing what servers offer, in steps: the servers must be asked.
pub struct ListRemote {
    runtime: Arc<Runtime>,
}

/// Showing one skill of a server, in steps.
pub struct ShowRemote {
    runtime: Arc<Runtime>,
    name: RemoteName,
}

/// What servers offer.
pub struct RemoteListing {
    /// Skills, by server and address.
    pub skills: Vec<RemoteSkill>,
    /// What keeps servers and skills from being used.
    pub problems: Vec<FetchError>,
    lines: Vec<RemoteLine>,
}

/// Begins to list what servers offer.
pub fn list(snapshot: &Snapshot) -> Result<ListRemote, Error> {
    Ok(ListRemote { runtime: Arc::clone(snapshot.runtime()?) })
}

/// Begins to show everything that is known of one skill before it is loaded.
pub fn show(snapshot: &Snapshot, name: RemoteName) -> Result<ShowRemote, Error> {
    Ok(ShowRemote { runtime: Arc::clone(snapshot.runtime()?), name })
}

impl RemoteListing {
    /// Makes the answer.
    pub fn answer(&self) -> RemotesAnswer {
        let problems = self.problems.iter().map(|error| RemoteProblemLine {
            why: error.word.to_owned(),
            text: error.text.clone(),
            help: error.help.clone(),
        });
        RemotesAnswer { schema: SchemaVersion::default(), skills: self.lines.clone(), problems: problems.collect() }
    }

    /// Returns what a caller may call, as its author and the rules allow.
    pub fn offers(&self, snapshot: &Snapshot, caller: Caller) -> Vec<RemoteOffer> {
        let Ok(runtime) = snapshot.runtime() else { return Vec::new() };
        let nobody = Session::default();
        let is_for = |skill: &RemoteSkill| match caller {
            Caller::Model => skill.model,
            Caller::User => skill.user,
        };
        let offers = self.skills.iter().map(|skill| RemoteOffer { callable: is_for(skill), ..skill.offer.clone() });
        offers.filter(|offer| runtime.before_remote(&nobody, offer, caller).is_ok()).collect()
    }

    /// Makes the answer for the user's own terminal: with what servers' programs complained about.
    pub fn terminal_answer(&self) -> RemotesAnswer {
        let mut answer = self.answer();
        for (line, problem) in answer.problems.iter_mut().zip(&self.problems) {
            line.text = problem.in_terminal();
        }
        answer
    }
}

impl Resumable for ListRemote {
    type Output = RemoteListing;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<RemoteListing> {
        let Reply::Fetched(reply) = reply else {
            return Step::Fetch(Fetch { runtime: Arc::clone(&self.runtime), request: FetchRequest::List });
        };
        let (skills, problems) = match reply {
            Ok(Fetched::Listing(skills, problems)) => (skills, problems),
            Ok(_) => (Vec::new(), Vec::new()),
            Err(error) => (Vec::new(), vec![error]),
        };
        let lines = skills.iter().map(|skill| remote_line(&self.runtime, session, skill)).collect();
        Step::Done(RemoteListing { skills, problems, lines })
    }
}

impl Rebase for ListRemote {
    fn rebase(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        self.runtime = Arc::clone(snapshot.runtime()?);
        Ok(())
    }
}

impl Resumable for ShowRemote {
    type Output = Result<RemoteAnswer, FetchError>;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<Self::Output> {
        match reply {
            Reply::Fetched(Ok(Fetched::Skill(skill, _))) => Step::Done(Ok(RemoteAnswer {
                schema: SchemaVersion::default(),
                remote: remote_line(&self.runtime, session, &skill),
                files: skill.files.iter().flatten().map(file_line).collect(),
            })),
            Reply::Fetched(Err(error)) => Step::Done(Err(error)),
            _ => {
                let (name, caller) = (self.name.clone(), Caller::User);
                let request = FetchRequest::Find { name, caller, with_path: false };
                Step::Fetch(Fetch { runtime: Arc::clone(&self.runtime), request })
            }
        }
    }
}

fn remote_line(runtime: &Runtime, session: &Session, skill: &RemoteSkill) -> RemoteLine {
    let offer = skill.offer.clone();
    let approval = runtime.remote_granted(session, &offer);
    RemoteLine {
        name: offer.name,
        server: offer.server,
        uri: offer.uri,
        description: visible(&offer.about).into_owned(),
        files: offer.size.map(|(files, _)| files),
        bytes: offer.size.map(|(_, bytes)| bytes),
        digest: offer.digest,
        allowed: approval == ApprovalState::Approved,
        changed: matches!(approval, ApprovalState::Changed { .. }),
        model: skill.model,
        user: skill.user,
    }
}

fn file_line(file: &openoxide_runtime::RemoteFile) -> RemoteFileLine {
    RemoteFileLine { path: file.path.clone(), size: file.size, digest: file.digest.clone() }
}
