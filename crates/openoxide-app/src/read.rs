//! Use case: read a file of a skill, or list what is in its folder.

use std::{os::unix::ffi::OsStrExt, path::Path, sync::Arc};

use openoxide_live::Snapshot;
use openoxide_runtime::{
    Audience, Question, ReadForm, ReadOutcome, ReadPart, ReadRequest, ReadTarget, Reading, Runtime, Session,
};
use openoxide_skills::resource::{ResourcePart, ResourcePath, ResourceRequest, SkillUrl};
use openoxide_skills::{catalog::Entry, host::Caller, text::near};
use openoxide_wire::ReadAnswer;

use crate::{Error, ErrorKind, Rebase, SkillRef};

/// What is read.
#[derive(Clone, Debug)]
pub struct ReadInput {
    /// The skill; as a person types it, also an address `skill://NAME/PATH`.
    pub skill: SkillRef,
    /// Which part of it.
    pub part: ReadPart,
    /// Who asks.
    pub caller: Caller,
    /// In which form.
    pub form: ReadForm,
    /// Who gets to see it.
    pub audience: Audience,
}

/// Begins reading. The operation ends with a [`ReadOutcome`], of which [`answer`] makes the answer.
pub fn read(snapshot: &Snapshot, input: ReadInput) -> Result<Reading, Error> {
    let runtime = snapshot.runtime()?;
    let ReadInput { skill, part, caller, form, audience } = input;
    let target = match &skill {
        SkillRef::Typed(typed) if SkillUrl::is_url(typed) => by_url(snapshot, typed, &part)?,
        _ => {
            let skill_name = skill.resolve(snapshot, caller)?;
            ReadTarget::Skill { skill: skill_name, written: skill.as_str().to_owned(), part }
        }
    };
    Ok(Reading::new(Arc::clone(runtime), ReadRequest { target, caller, form, audience }))
}

fn by_url(snapshot: &Snapshot, url: &str, part: &ReadPart) -> Result<ReadTarget, Error> {
    if !snapshot.view.host.resource.addresses {
        let message = format!("`{}` does not know addresses", snapshot.view.spec.id());
        let error = Error::other(ErrorKind::Invalid, "no-addresses", message);
        return Err(error.with_help("name the skill and the file"));
    }
    if *part != ReadPart::Manifest {
        let error = Error::other(ErrorKind::Invalid, "bad-address", "an address names the file itself");
        return Err(error.with_help("leave the path away"));
    }
    Ok(ReadTarget::Url(url.to_owned()))
}

/// Makes the answer of what came of it.
pub fn answer(snapshot: &Snapshot, outcome: &ReadOutcome) -> ReadAnswer {
    let (host, name) = (snapshot.catalog.host.clone(), outcome.skill.clone());
    match &outcome.result {
        Ok(found) => ReadAnswer::new(host, name, found),
        Err(refusal) => ReadAnswer::refused(host, name, refusal.word(), refusal.text.clone()),
    }
}

/// Returns the name nearest to an unknown one, of those that the user can call.
pub fn near_name<'s>(snapshot: &'s Snapshot, unknown: &str) -> Option<&'s str> {
    let callable = snapshot.catalog.skills.iter().filter(|entry| entry.user);
    near(unknown, callable.map(|entry| &*entry.skill.name)).first().copied()
}

impl Rebase for Reading {
    fn rebase(&mut self, snapshot: &Snapshot) -> Result<(), Error> {
        Reading::rebase(self, Arc::clone(snapshot.runtime()?));
        Ok(())
    }
}

/// Returns what must be asked before a model reads a file or lists a folder of a skill; `None` if a rule denies it.
pub(crate) fn questions_before(
    runtime: &Runtime,
    session: &Session,
    entry: &Entry,
    path: &Path,
) -> Option<Vec<Question>> {
    let path = ResourcePath::of_names(path.iter().map(OsStrExt::as_bytes)).ok()?;
    let mut asked = ResourceRequest::for_skill(&entry.skill.name, ResourcePart::Path(path), Caller::Model);
    runtime.judge_links(entry, &mut asked);
    runtime.before_reading(session, entry, &asked).ok()
}
