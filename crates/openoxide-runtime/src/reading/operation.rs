//! The reading of a file or folder of a skill, in resumable steps.

use std::sync::Arc;

use openoxide_skills::catalog::Entry;
use openoxide_skills::host::{Caller, ReadProblem};
use openoxide_skills::resource::{
    ItemKind, ReadLimit, Resource, ResourceAnswer, ResourceBytes, ResourceContent, ResourceFolder, ResourceItem,
    ResourcePart, ResourceRefusal, ResourceRequest, SkillDir, read_resource,
};

use crate::{
    Audience, Fetch, FetchError, FetchRequest, Fetched, FoundKind, Question, ReadForm, ReadOutcome, ReadPart,
    ReadRefusal, ReadRequest, ReadTarget, RemoteName, RemoteSkill, Reply, Resumable, Runtime, Session, Step,
    remote::RemoteAccess,
};

const MANIFEST: &str = "SKILL.md";

/// The reading of one file.
pub struct Reading {
    runtime: Arc<Runtime>,
    /// What is read.
    pub request: ReadRequest,
    /// The question that the next reply answers.
    asked: Option<Question>,
    /// Questions that the user answered with yes.
    approved: Vec<String>,
    remote: Option<RemoteReading>,
}

struct RemoteReading {
    access: RemoteAccess,
    part: ReadPart,
    /// The skill, and the path of the file that was asked for.
    fetching: Option<(RemoteSkill, String)>,
}

impl Reading {
    /// Begins: nothing is looked at before the first step.
    pub fn new(runtime: Arc<Runtime>, request: ReadRequest) -> Reading {
        let remote = remote_reading(&request);
        Reading { runtime, request, asked: None, approved: Vec::new(), remote }
    }

    /// Continues on another runtime, because files, settings or rules changed while a question was open. Approvals stay;
    /// everything else is looked at again, so that an old answer does not allow what is denied by now.
    pub fn rebase(&mut self, runtime: Arc<Runtime>) {
        self.runtime = runtime;
    }

    fn local(&mut self, session: &mut Session, reply: Reply) -> Result<Step<ReadOutcome>, ReadOutcome> {
        let runtime = Arc::clone(&self.runtime);
        let (host, catalog) = (&runtime.view().host, runtime.catalog());
        let (entry, mut request) = locate(&runtime, &self.request, session)?;
        runtime.judge_links(entry, &mut request);
        let skill = request.name.clone();
        let refusal = |problem| ResourceRefusal::new(host, catalog, &request, problem);
        if let Some(question) = self.asked.take() {
            let answer = reply.into_answer();
            if !answer.is_yes() {
                let text = refusal(ReadProblem::Forbidden).text;
                return Err(ReadOutcome { skill, result: Err(ReadRefusal::unapproved(&answer, text)) });
            }
            // An answer that cannot be remembered holds this time.
            let _ = runtime.keep_answer(session, &question, &answer);
            self.approved.push(question.key());
        }
        let questions = match runtime.before_reading(session, entry, &request) {
            Ok(questions) => questions,
            Err(problem) => return Err(ReadOutcome { skill, result: Err(refusal(problem).into()) }),
        };
        if let Some(question) = questions.into_iter().find(|question| !self.approved.contains(&question.key())) {
            self.asked = Some(question.clone());
            return Ok(Step::Ask(question));
        }
        Ok(Step::Done(ReadOutcome { skill, result: read(&runtime, &self.request, entry, &request) }))
    }
}

impl Resumable for Reading {
    type Output = ReadOutcome;

    fn resume(&mut self, session: &mut Session, reply: Reply) -> Step<ReadOutcome> {
        match self.remote.as_mut() {
            Some(remote) => remote.resume(&self.runtime, &self.request, session, reply),
            None => self.local(session, reply).unwrap_or_else(Step::Done),
        }
    }
}

/// Finds the skill that is meant, and what of it.
fn locate<'r>(
    runtime: &'r Runtime,
    reading: &'r ReadRequest,
    session: &Session,
) -> Result<(&'r Entry, ResourceRequest), ReadOutcome> {
    let (host, catalog, caller) = (&runtime.view().host, runtime.catalog(), reading.caller);
    let unnamed = |written: &str, problem| {
        let refusal = ResourceRefusal::unnamed(host, problem);
        ReadOutcome { skill: written.to_owned(), result: Err(refusal.into()) }
    };
    let (request, entry) = match &reading.target {
        ReadTarget::Found { entry, path, .. } => {
            let part = path.clone().map_or(ResourcePart::Top, ResourcePart::Path);
            let request = ResourceRequest::for_skill(&entry.skill.name, part, caller);
            (request, runtime.still_readable(session, entry, caller))
        }
        ReadTarget::Url(url) => {
            let request = ResourceRequest::by_url(url, caller, &host.resource).map_err(|why| unnamed(url, why))?;
            let entry = runtime.readable(session, &request.name, caller);
            (request, entry)
        }
        ReadTarget::Skill { skill, written, part } => {
            if skill.trim().is_empty() {
                return Err(unnamed(written, ReadProblem::NoName));
            }
            let entry = runtime.readable(session, skill, caller);
            let name = entry.as_ref().map_or(written.as_str(), |entry| &*entry.skill.name);
            let request = match part {
                ReadPart::Manifest => ResourceRequest::for_skill(name, ResourcePart::Manifest, caller),
                ReadPart::Listing => ResourceRequest::for_skill(name, ResourcePart::Top, caller),
                ReadPart::Path(path) => ResourceRequest::by_path(name, path, caller, &host.resource),
            };
            (request, entry)
        }
    };
    match entry {
        Ok(entry) => Ok((entry, request)),
        Err(problem) => {
            let refusal = ResourceRefusal::new(host, catalog, &request, problem);
            Err(ReadOutcome { skill: request.name, result: Err(refusal.into()) })
        }
    }
}

fn read(
    runtime: &Runtime,
    reading: &ReadRequest,
    entry: &Entry,
    request: &ResourceRequest,
) -> Result<ResourceAnswer, ReadRefusal> {
    let (host, catalog) = (&runtime.view().host, runtime.catalog());
    runtime.write_if_own(entry).map_err(|error| ReadRefusal {
        complaint: Some(error.to_string()),
        help: Some(error.help()),
        ..ResourceRefusal::new(host, catalog, request, ReadProblem::Unreadable).into()
    })?;
    if let ReadTarget::Found { path, kind: kind @ (FoundKind::PlainFile | FoundKind::Folder), .. } = &reading.target {
        let refuse = |problem| ResourceRefusal::new(host, catalog, request, problem);
        let dir = SkillDir::of(catalog, entry).map_err(|_| refuse(ReadProblem::NotFound))?;
        let found = match path {
            path if *kind == FoundKind::Folder => dir.children(path.as_ref()).map(ResourceContent::Folder),
            None => Err(ReadProblem::Folder),
            Some(path) if path.as_path() == std::path::Path::new(MANIFEST) => {
                dir.read_manifest(ReadLimit::Bytes).map(ResourceContent::File)
            }
            Some(path) => dir.read_plain(path, ReadLimit::Bytes).map(ResourceContent::File),
        };
        return Ok(ResourceAnswer::new(host, found.map_err(refuse)?));
    }
    let limit = match reading.form {
        ReadForm::Text => ReadLimit::Text(host.resource.max),
        ReadForm::Bytes => ReadLimit::Bytes,
        ReadForm::BytesOrFile => ReadLimit::BytesOrFile,
    };
    Ok(read_resource(host, catalog, entry, request, limit)?)
}

fn remote_reading(request: &ReadRequest) -> Option<RemoteReading> {
    let ReadTarget::Skill { skill, part, .. } = &request.target else { return None };
    let name = RemoteName::parse(skill)?;
    let asks = request.audience == Audience::Program || request.caller == Caller::Model;
    let with_path = !matches!(part, ReadPart::Path(_));
    let access = RemoteAccess::new(name, request.caller, with_path, asks);
    Some(RemoteReading { access, part: part.clone(), fetching: None })
}

impl RemoteReading {
    fn resume(
        &mut self,
        runtime: &Arc<Runtime>,
        request: &ReadRequest,
        session: &mut Session,
        reply: Reply,
    ) -> Step<ReadOutcome> {
        if let Some((skill, path)) = self.fetching.take() {
            let result = match reply {
                Reply::Fetched(Ok(fetched)) => answer(runtime, request.form, &path, fetched),
                Reply::Fetched(Err(error)) => Err(error.into()),
                _ => Err(FetchError::not_asked(&skill.offer.server).into()),
            };
            return Step::Done(ReadOutcome { skill: skill.offer.name, result });
        }
        match self.access.resume(runtime, session, reply).into_result() {
            Err(step) => step,
            Ok(Ok((skill, below))) => self.fetch(runtime, skill, below),
            Ok(Err(refusal)) => {
                Step::Done(ReadOutcome { skill: request.written().to_owned(), result: Err(refusal.into()) })
            }
        }
    }

    fn fetch(&mut self, runtime: &Arc<Runtime>, skill: RemoteSkill, below: Option<String>) -> Step<ReadOutcome> {
        let path = match &self.part {
            ReadPart::Path(path) => path.clone(),
            ReadPart::Manifest => below.unwrap_or_else(|| MANIFEST.to_owned()),
            ReadPart::Listing => String::new(),
        };
        let request = match path.as_str() {
            "" => FetchRequest::Files(skill.clone()),
            MANIFEST => FetchRequest::Manifest(skill.clone()),
            path => FetchRequest::File(skill.clone(), path.to_owned()),
        };
        self.fetching = Some((skill, path));
        Step::Fetch(Fetch::new(runtime, request))
    }
}

/// Makes the answer of what a server has; there is no host whose limits would cut it.
fn answer(runtime: &Runtime, form: ReadForm, path: &str, fetched: Fetched) -> Result<ResourceAnswer, ReadRefusal> {
    let host = &runtime.view().host;
    let found = match fetched {
        Fetched::Files(files) => {
            let items = files.into_iter().map(|name| ResourceItem { name, kind: ItemKind::File }).collect();
            ResourceContent::Folder(ResourceFolder { path: String::new(), items, cut: false })
        }
        Fetched::Bytes(bytes) => {
            let size = bytes.len() as u64;
            let bytes = match form {
                ReadForm::Bytes | ReadForm::BytesOrFile => ResourceBytes::Binary(bytes),
                ReadForm::Text => {
                    let text = String::from_utf8(bytes).map_err(|_| {
                        let refusal = ResourceRefusal::unnamed(host, ReadProblem::Binary);
                        ResourceRefusal { text: "the file is not text".to_owned(), ..refusal }
                    })?;
                    ResourceBytes::Text { text, removed: 0 }
                }
            };
            ResourceContent::File(Resource { path: path.to_owned(), size, bytes })
        }
        Fetched::Skill(..) | Fetched::Listing(..) => return Err(FetchError::not_asked("").into()),
    };
    Ok(ResourceAnswer::new(host, found))
}
