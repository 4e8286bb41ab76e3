//! Answers calls of tools, without state beyond the session.

use std::{path::Path, sync::Arc};

use openoxide_sandbox::{Outcome, SandboxError};
use openoxide_skills::host::{Caller, Role, ToolAnswer, ToolArgumentKind, ToolDoes, ToolFact};
use openoxide_skills::resource::{Resource, ResourceAnswer, ResourceBytes, ResourceContent};
use openoxide_skills::text::{RenderError, fill, path_text};
use openoxide_skills::{envelope::Message, render::Model};
use serde_json::{Map, Value, json};

use super::search::found;
use crate::{
    ActivatedSkill, Activation, ActivationOutcome, Audience, Call, CallArguments, Conflict, Deactivation, Event,
    Firing, NamesTaken, ReadForm, ReadOutcome, ReadPart, ReadRefusalReason, ReadRequest, ReadTarget, Reading, Refusal,
    RemoteName, Responder, Run, Runtime, Session, Tool, ToolRegistry, ToolResult, Verdict, contracts, drive, names_for,
};

/// The tools of a host under the names that were free.
pub struct Toolbox {
    runtime: Arc<Runtime>,
    /// The tools, under their names.
    pub tools: Vec<Tool>,
    /// Names that were taken, so that others are used.
    pub conflicts: Vec<Conflict>,
    /// Tools that are not offered, because all their names were taken.
    pub missing: Vec<NamesTaken>,
}

/// A call of a tool that began.
pub enum ToolCallStart {
    /// A skill is to be activated; [`Toolbox::finish`] makes the answer of what comes of it.
    Call(Call),
    /// A skill is deactivated, which its hooks may want to know; [`Toolbox::deactivated`] makes the answer.
    Fire(Box<Firing>),
    /// A file is to be read; [`Toolbox::finish_reading`] makes the answer of what comes of it. A model is in the middle
    /// of a call, so the user is not asked: an open question is a no.
    Read(Box<Reading>),
    /// This is the answer.
    Answer(Box<ToolResult>),
}

impl ToolCallStart {
    fn answer(result: ToolResult) -> ToolCallStart {
        ToolCallStart::Answer(Box::new(result))
    }
}

impl Toolbox {
    /// Draws the tools of a runtime's host and gives them names that are free. Each name is spelled as `spell` does it, for
    /// programs that do not take all signs in names.
    pub fn new(
        runtime: Arc<Runtime>,
        registry: &mut ToolRegistry,
        model: Model,
        spell: impl Fn(&str) -> String,
    ) -> Result<Toolbox, RenderError> {
        let offered = contracts(runtime.view(), runtime.catalog(), model)?;
        let owner = runtime.view().spec.id();
        let mut toolbox = Toolbox { runtime, tools: Vec::new(), conflicts: Vec::new(), missing: Vec::new() };
        for tool in offered {
            let names: Vec<String> = tool.names().iter().map(|name| spell(name)).collect();
            match registry.register(&names, &owner) {
                Ok((name, conflicts)) => {
                    toolbox.conflicts.extend(conflicts);
                    toolbox.tools.push(Tool { name, ..tool });
                }
                Err(missing) => toolbox.missing.push(missing),
            }
        }
        Ok(toolbox)
    }

    /// Answers a call with a responder that answers questions at once; `run` runs the commands.
    pub fn call(
        &self,
        session: &mut Session,
        name: &str,
        arguments: &Value,
        responder: &mut dyn Responder,
        run: impl FnMut(&Run) -> Result<Outcome, SandboxError>,
    ) -> ToolResult {
        match self.begin(session, name, arguments) {
            ToolCallStart::Answer(answer) => *answer,
            ToolCallStart::Read(mut reading) => {
                let outcome = drive(&mut *reading, session, &mut (), run);
                self.finish_reading(name, &reading, &outcome)
            }
            ToolCallStart::Fire(mut firing) => Toolbox::deactivated(&drive(&mut *firing, session, responder, run)),
            ToolCallStart::Call(call) => {
                let mut activation = Activation::new(Arc::clone(&self.runtime), vec![call]);
                let done = drive(&mut activation, session, responder, run);
                self.finish(name, &done)
            }
        }
    }

    /// Begins a call: answers it, or says which skill is to be activated.
    pub fn begin(&self, session: &Session, name: &str, arguments: &Value) -> ToolCallStart {
        let Some(tool) = self.tool(name) else { return ToolCallStart::answer(no_tool(name)) };
        match Input::read(tool, arguments) {
            Err(text) => ToolCallStart::answer(ToolResult::error(text)),
            Ok(given) => match tool.does {
                ToolDoes::Read => ToolCallStart::Read(Box::new(self.reading(&given))),
                ToolDoes::Deactivate => self.deactivate(session, given.name),
                ToolDoes::Search => ToolCallStart::answer(found(&self.runtime, tool, given.name)),
                ToolDoes::Activate => {
                    let arguments =
                        given.arguments.map_or(CallArguments::Nothing, |text| CallArguments::Raw(text.to_owned()));
                    ToolCallStart::Call(Call { skill: given.name.to_owned(), caller: Caller::Model, arguments })
                }
            },
        }
    }

    fn deactivate(&self, session: &Session, name: &str) -> ToolCallStart {
        if !session.has_activated(name) {
            return ToolCallStart::answer(ToolResult::error(format!("`{name}` is not active")));
        }
        let event = Event::SkillDeactivated { skill: name.to_owned(), reason: Deactivation::AskedByModel };
        ToolCallStart::Fire(Box::new(Firing::new(Arc::clone(&self.runtime), event)))
    }

    /// Makes the answer of a deactivation.
    pub fn deactivated(verdict: &Verdict) -> ToolResult {
        let said = verdict.context.iter().map(|said| said.text.as_str());
        let first = match verdict.guarded {
            true => "The skill is not active any more, but for its hooks that can forbid: only the user can end these.",
            false => "The skill is not active any more.",
        };
        let output = std::iter::once(first).chain(said).collect::<Vec<_>>().join("\n\n");
        ToolResult { output, ..ToolResult::default() }
    }

    /// Makes the answer of what came of an activation that a call began.
    pub fn finish(&self, name: &str, done: &ActivationOutcome) -> ToolResult {
        let Some(tool) = self.tool(name) else { return no_tool(name) };
        match (done.activated.first(), done.refused.first()) {
            (Some(activated), _) => self.activated(tool, activated),
            (None, Some(refusal)) => self.refused(tool, refusal),
            (None, None) => ToolResult::error("nothing was called".to_owned()),
        }
    }

    fn tool(&self, name: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    fn activated(&self, tool: &Tool, activated: &ActivatedSkill) -> ToolResult {
        let answers = |message: &&Message| message.role == Role::Tool;
        // Where nothing is the answer of a tool, everything is.
        let any = activated.messages.iter().any(|message| answers(&message));
        let (output, follow): (Vec<&Message>, Vec<&Message>) =
            activated.messages.iter().partition(|message| !any || answers(message));
        let texts: Vec<&str> = output.iter().map(|message| message.text.as_str()).collect();
        let path = path_text(&activated.path);
        let metadata = metadata(tool, |fact| match fact {
            ToolFact::Name => Some(json!(activated.name)),
            ToolFact::Dir => Some(json!(activated.path.parent().map(path_text).unwrap_or_default())),
            ToolFact::Path => Some(json!(path)),
            ToolFact::Source => Some(json!(self.source(&activated.path))),
            ToolFact::Digest => Some(json!(activated.digest)),
            ToolFact::Truncated => Some(json!(activated.cut)),
            ToolFact::Available => None,
        });
        ToolResult {
            title: fill(&tool.rule.answer_title, &[("name", &activated.name), ("path", &path)]),
            output: texts.join("\n\n"),
            metadata,
            is_error: false,
            follow: follow.into_iter().cloned().collect(),
            fork: activated.fork.clone(),
        }
    }

    fn source(&self, path: &Path) -> Option<&str> {
        let catalog = self.runtime.catalog();
        let entry = catalog.entries().find(|entry| *entry.skill.path == *path)?;
        catalog.roots.get(entry.root)?.root.rule.provider.as_deref()
    }

    fn refused(&self, tool: &Tool, refusal: &Refusal) -> ToolResult {
        let metadata = metadata(tool, |fact| match fact {
            ToolFact::Name => Some(json!(refusal.name)),
            ToolFact::Source => tool.rule.refusal_source.as_ref().map(|source| json!(source)),
            ToolFact::Available => Some(json!(names_for(self.runtime.catalog(), Caller::Model))),
            _ => None,
        });
        let is_error = tool.rule.refusal_source.is_none();
        ToolResult { output: refusal.text.clone(), metadata, is_error, ..ToolResult::default() }
    }

    fn reading(&self, given: &Input<'_>) -> Reading {
        let part = given.path.map_or(ReadPart::Manifest, |path| ReadPart::Path(path.to_owned()));
        let (skill, written) = (given.name.to_owned(), given.name.to_owned());
        let request = ReadRequest {
            target: ReadTarget::Skill { skill, written, part },
            caller: Caller::Model,
            form: ReadForm::Text,
            audience: Audience::Program,
        };
        Reading::new(Arc::clone(&self.runtime), request)
    }

    /// Makes the answer of what came of reading a file.
    pub fn finish_reading(&self, name: &str, reading: &Reading, outcome: &ReadOutcome) -> ToolResult {
        let Some(tool) = self.tool(name) else { return no_tool(name) };
        let written = reading.request.written();
        match &outcome.result {
            Ok(answer) => answered(tool, written, answer),
            Err(refusal) => {
                let is_server = RemoteName::parse(written).is_some();
                let output = match refusal.reason {
                    ReadRefusalReason::Rejected | ReadRefusalReason::NotAsked if is_server => format!(
                        "`{written}` may be read once the user allowed it for the session: call the skill first"
                    ),
                    _ => refusal.text.clone(),
                };
                let is_error = is_server || tool.rule.refusal_source.is_none();
                ToolResult { output, is_error, ..ToolResult::default() }
            }
        }
    }
}

/// Makes the answer of a file that was read.
fn answered(tool: &Tool, name: &str, answer: &ResourceAnswer) -> ToolResult {
    let (path, cut) = match &answer.found {
        ResourceContent::File(Resource { path, bytes: ResourceBytes::Text { removed, .. }, .. }) => {
            (path.as_str(), *removed > 0)
        }
        ResourceContent::File(resource) => (resource.path.as_str(), false),
        ResourceContent::Folder(folder) => (folder.path.as_str(), folder.cut),
    };
    let content = answer.text.as_deref().unwrap_or_default();
    let metadata = metadata(tool, |fact| match fact {
        ToolFact::Name => Some(json!(name)),
        ToolFact::Path => Some(json!(path)),
        ToolFact::Truncated => Some(json!(cut)),
        _ => None,
    });
    ToolResult {
        title: fill(&tool.rule.answer_title, &[("name", name), ("path", path)]),
        output: match tool.rule.answer {
            ToolAnswer::Text => content.to_owned(),
            // In this order, in which a model reads it.
            ToolAnswer::Object => {
                format!("{{\"name\":{},\"path\":{},\"content\":{}}}", json!(name), json!(path), json!(content))
            }
        },
        metadata,
        ..ToolResult::default()
    }
}

/// Returns the facts that a tool's rule names, as far as they are known.
fn metadata(tool: &Tool, value: impl Fn(&ToolFact) -> Option<Value>) -> Map<String, Value> {
    tool.rule.metadata.iter().filter_map(|fact| Some((fact.as_str().to_owned(), value(fact)?))).collect()
}

fn no_tool(name: &str) -> ToolResult {
    ToolResult::error(format!("no tool is called `{name}`"))
}

struct Input<'a> {
    name: &'a str,
    path: Option<&'a str>,
    arguments: Option<&'a str>,
}

impl<'a> Input<'a> {
    /// Reads the arguments of a call; each must be a text that the tool knows.
    fn read(tool: &Tool, arguments: &'a Value) -> Result<Input<'a>, String> {
        let rule = &tool.rule;
        let Value::Object(given) = arguments else { return Err("the arguments must be an object".to_owned()) };
        if let Some(key) = given.keys().find(|key| !rule.arguments.iter().any(|known| known.key == **key)) {
            return Err(format!("there is no argument `{key}`"));
        }
        let text = |key: &str| match given.get(key) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text.as_str())),
            Some(_) => Err(format!("the argument `{key}` must be a text")),
        };
        let needed = |key: &str| text(key)?.ok_or_else(|| format!("the argument `{key}` is missing"));
        let key = |kind| rule.argument(kind).map(|argument| argument.key.as_str());
        Ok(Input {
            name: key(ToolArgumentKind::Name).map(needed).transpose()?.unwrap_or_default(),
            path: key(ToolArgumentKind::Path).map(needed).transpose()?,
            arguments: key(ToolArgumentKind::Arguments).map(text).transpose()?.flatten(),
        })
    }
}
