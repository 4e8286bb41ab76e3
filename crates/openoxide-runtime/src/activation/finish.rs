//! Ends an activation: draws the envelope, detects repeats, and writes the record.

use std::fmt::Write as _;

use openoxide_config::PermissionKind as Kind;
use openoxide_skills::catalog::Entry;
use openoxide_skills::envelope::{Message, again, cut, envelope, finished};
use openoxide_skills::expand::LeftAloneReason;
use openoxide_skills::host::{Caller, CutOf};
use openoxide_skills::text::RenderError;
use sha2::{Digest as _, Sha256};

use super::attach::attach;
use super::fork::plan;
use super::load::loaded;
use super::loading::Loading;
use super::outcome::ActivatedSkill;
use crate::call::{Call, Refusal, RefusalReason};
use crate::notice::Notice;
use crate::permission::RequestedPermission;
use crate::record::Recorded;
use crate::runtime::Runtime;
use crate::session::Session;

/// Draws what is sent, and writes it into the record.
pub(crate) fn finish(
    runtime: &Runtime,
    session: &mut Session,
    call: &Call,
    entry: &Entry,
    loading: &Loading,
) -> Result<(ActivatedSkill, Vec<Notice>), Refusal> {
    let failed = |error: RenderError| {
        let text = match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        let path = Some(entry.skill.path.to_path_buf());
        Refusal { name: call.skill.clone(), path, why: RefusalReason::Unreadable, code: None, text, help: None }
    };
    let digest = loading.digest();
    let content = loading.expanded.assemble(&loading.outputs);
    let mut messages = drawn(runtime, call, entry, loading, &content, &digest).map_err(failed)?;
    let mut attached = attach(runtime, session, entry, loading).map_err(failed)?;
    attached.notices.extend(unheard(runtime, entry, loading, &messages));
    messages.extend(attached.messages);
    let sent = digest_of(&messages);
    let tools = tools(loading);
    let fork = plan(runtime, call.caller, entry, loading, &messages, &tools);
    let repeated = match fork {
        // The agent of its own gets it; the conversation that called gets the result.
        Some(_) => {
            messages.clear();
            false
        }
        None => repeat(runtime, session, call, entry, loading, &sent, &mut messages).map_err(failed)?,
    };
    session.record.push(Recorded {
        name: entry.skill.name.to_string(),
        path: entry.canonical().to_owned(),
        digest: digest.clone(),
        arguments: loading.raw_arguments().map(str::to_owned),
        caller: call.caller.as_str().to_owned(),
        order: 0,
        sent,
        forked: fork.is_some(),
    });
    let activated = ActivatedSkill {
        name: entry.skill.name.to_string(),
        path: entry.skill.path.to_path_buf(),
        digest,
        caller: call.caller,
        arguments: loading.raw_arguments().map(str::to_owned),
        messages,
        tools,
        limited_to: runtime.limited_to(loading),
        cut: loading.cut.is_some(),
        repeatable: !repeated && fork.is_none() && is_repeatable(entry, loading),
        repeated,
        fork,
    };
    Ok((activated, attached.notices))
}

/// Tells whether nothing but the skill's own files made the text what it is.
fn is_repeatable(entry: &Entry, loading: &Loading) -> bool {
    let (runs, reads) = (loading.expanded.commands().next().is_some(), !loading.expanded.files.is_empty());
    !runs && !reads && loading.requested.is_empty() && loading.snapshot.is_ok() && entry.skill.dependencies.is_empty()
}

/// Draws the messages of a call, with this text in them.
pub(crate) fn drawn(
    runtime: &Runtime,
    call: &Call,
    entry: &Entry,
    loading: &Loading,
    content: &str,
    digest: &str,
) -> Result<Vec<Message>, RenderError> {
    let view = runtime.view();
    let mut messages = match loading.drawn.is_empty() {
        true => envelope(view, &loaded(runtime, call, entry, loading, content, digest))?,
        false => loading.drawn.clone(),
    };
    if let Some(message) = messages.iter_mut().find(|message| !message.frame).filter(|_| !loading.drawn.is_empty()) {
        content.clone_into(&mut message.text);
    }
    let rule =
        view.host.activation.cut.as_ref().filter(|rule| rule.of == CutOf::Answer && call.caller == Caller::Model);
    for message in messages.iter_mut().filter(|message| !message.frame) {
        message.text = finished(view, std::mem::take(&mut message.text));
        if let Some(shorter) = rule.and_then(|rule| cut(&view.host.texts, &message.text, 0, rule)) {
            message.text = shorter.text;
        }
    }
    Ok(messages)
}

/// Says that the model has it already, where the host does; returns whether it is so.
fn repeat(
    runtime: &Runtime,
    session: &Session,
    call: &Call,
    entry: &Entry,
    loading: &Loading,
    sent: &str,
    messages: &mut Vec<Message>,
) -> Result<bool, RenderError> {
    let view = runtime.view();
    let before = session.record.latest(entry.canonical()).filter(|before| !before.forked);
    let Some(before) = before else { return Ok(false) };
    if view.host.activation.repeat != Some(call.caller) {
        return Ok(false);
    }
    let same = before.sent == sent;
    let digest = loading.digest();
    let text = again(view, &loaded(runtime, call, entry, loading, &loading.content, &digest), same)?;
    let carrier = messages.iter().position(|message| !message.frame).unwrap_or(0);
    let note = Message { role: openoxide_skills::host::Role::User, text, frame: false };
    match same {
        true => {
            messages.retain(|message| message.frame);
            messages.push(note);
        }
        false => messages.insert(carrier, note),
    }
    Ok(same)
}

/// Returns a digest of what carries the skill.
fn digest_of(messages: &[Message]) -> String {
    let mut digest = Sha256::new();
    for message in messages.iter().filter(|message| !message.frame) {
        digest.update(message.text.as_bytes());
        digest.update([0]);
    }
    let mut text = String::new();
    for byte in digest.finalize() {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// Returns the tools that the user agreed to.
fn tools(loading: &Loading) -> Vec<String> {
    let tools = loading.granted.iter().find(|permission| permission.kind() == Kind::Tools);
    tools.map(RequestedPermission::items).unwrap_or_default()
}

/// Says so if what was said with the call is not sent.
fn unheard(runtime: &Runtime, entry: &Entry, loading: &Loading, messages: &[Message]) -> Option<Notice> {
    let said = loading.raw_arguments().filter(|said| !said.is_empty())?;
    let is_heard = runtime.view().host.arguments.is_some() || messages.iter().any(|it| it.text.contains(said));
    let text = "what was said with the call is not sent, because the host sends no arguments".to_owned();
    (!is_heard).then(|| Notice { skill: entry.skill.name.to_string(), text, help: None })
}

/// Says what people should know about a skill that is sent.
pub(crate) fn notices(session: &mut Session, entry: &Entry, loading: &Loading) -> Vec<Notice> {
    let mut notices = Vec::new();
    let mut note = |text: String, help: Option<String>| {
        notices.push(Notice { skill: entry.skill.name.to_string(), text, help });
    };
    if let Some(removed) = loading.cut
        && session.is_news("cut", entry.canonical())
    {
        let help = "put what is not always needed into files that the text names";
        note(format!("the text is too long: {removed} bytes are left out"), Some(help.to_owned()));
    }
    if let (false, Err(error)) = (loading.requested.is_empty(), &loading.snapshot) {
        note(format!("it gets no power: {error}"), None);
    }
    loading.troubles.iter().for_each(|trouble| note(trouble.clone(), None));
    let left = &loading.expanded.left_alone;
    for left in left.iter().filter(|left| left.why != LeftAloneReason::SwitchedOff).take(5) {
        let why = match left.why {
            LeftAloneReason::Code => "it stands in code",
            LeftAloneReason::Comment => "it stands in a comment",
            LeftAloneReason::TooMany => "too many files are named",
            LeftAloneReason::TooLong => "it is too long",
            LeftAloneReason::QuotedText | LeftAloneReason::SwitchedOff => "it stands in quotes",
        };
        note(format!("line {}: `{}` is left as it is, because {why}", left.line, left.written), None);
    }
    notices
}
