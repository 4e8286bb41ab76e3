//! Ends an activation: draws the envelope, detects repeats, and notes what was sent.

use std::fmt::Write as _;

use openoxide_config::PermissionKind;
use openoxide_skills::envelope::{Message, again, cut, envelope, finished};
use openoxide_skills::host::{Caller, CutOf, Role};
use openoxide_skills::text::{RenderError, hidden_runs, path_text, visible};
use openoxide_skills::{catalog::View, expand::LeftAloneReason};
use sha2::{Digest as _, Sha256};

use super::{attach::attach, fork::plan, load::loaded, loading::Loading};
use crate::permission::profile_refusal;
use crate::{ActivatedSkill, Notice, Recorded, Refusal, RefusalReason, RequestedPermission, Runtime, Session};

/// Draws what is sent, and notes it in the conversation; returns also what people should know.
pub(crate) fn finish(
    runtime: &Runtime,
    session: &mut Session,
    loading: &Loading,
) -> Result<(ActivatedSkill, Vec<Notice>), Refusal> {
    let (call, entry) = (&loading.call, &loading.entry);
    let failed = |error: RenderError| {
        let text = match std::error::Error::source(&error) {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        };
        Refusal::new(&call.skill, RefusalReason::Unreadable, text).of(entry)
    };
    let mut messages = drawn(runtime, loading, &loading.text()).map_err(failed)?;
    let unheard = unheard(runtime, loading, &messages);
    let attached = attach(runtime, session, loading, &mut messages).map_err(failed)?;
    let sent = digest_of(&messages);
    let tools = tools(loading);
    let fork = plan(runtime, loading, &messages, &tools);
    let repeated = match fork {
        // The agent of its own gets it; the conversation that called gets the result.
        Some(_) => {
            messages.clear();
            false
        }
        None => repeat(runtime, session, loading, &sent, &mut messages).map_err(failed)?,
    };
    let arguments = loading.raw_arguments().map(str::to_owned);
    let repeatable = !repeated && fork.is_none() && is_repeatable(loading) && !names(session, &messages);
    session.note(Recorded {
        name: loading.name(),
        path: entry.canonical().to_owned(),
        digest: loading.digest.clone(),
        arguments: arguments.clone(),
        caller: call.caller.as_str().to_owned(),
        order: 0,
        sent,
        forked: fork.is_some(),
    });
    let activated = ActivatedSkill {
        name: loading.name(),
        path: entry.skill.path.to_path_buf(),
        digest: loading.digest.clone(),
        caller: call.caller,
        arguments,
        messages,
        tools,
        limited_to: runtime.limited_to(loading),
        model: loading.parsed.frontmatter.rare().model.clone(),
        effort: loading.parsed.frontmatter.rare().effort.clone(),
        cut: loading.cut.is_some(),
        repeatable,
        repeated,
        fork,
    };
    let mut notices = notices(session, loading);
    notices.extend(attached.into_iter().chain(unheard).chain(hidden_notice(loading)));
    Ok((activated, notices))
}

/// Tells whether nothing but the skill's own files made the text what it is.
fn is_repeatable(loading: &Loading) -> bool {
    let (runs, reads) = (loading.expanded.commands().next().is_some(), !loading.expanded.files.is_empty());
    let needs = loading.entry.skill.dependencies.is_some();
    !runs && !reads && !needs && loading.requested.is_empty() && loading.snapshot.is_ok()
}

/// Tells whether a text names the conversation, so that another one gets another text.
fn names(session: &Session, messages: &[Message]) -> bool {
    !session.id.is_empty() && messages.iter().any(|message| message.text.contains(&session.id))
}

/// Draws the messages of a call, with this text in them.
fn drawn(runtime: &Runtime, loading: &Loading, content: &str) -> Result<Vec<Message>, RenderError> {
    let view = runtime.view();
    let mut messages = loading.drawn.clone();
    if messages.is_empty() {
        messages = envelope(view, &loaded(runtime, loading, content))?;
    } else if let Some(message) = messages.iter_mut().find(|message| !message.frame) {
        message.text = visible(content).into_owned();
    }
    finish_texts(view, loading.call.caller, &mut messages);
    Ok(messages)
}

/// Draws what would carry this text to the model, without what only announces it.
pub(crate) fn carried(runtime: &Runtime, loading: &Loading, content: &str) -> Result<Vec<Message>, RenderError> {
    let mut messages = drawn(runtime, loading, content)?;
    messages.retain(|message| !message.frame);
    Ok(messages)
}

/// Finishes the texts that carry a skill as the host does, and cuts the answer of a tool where the host does.
pub(crate) fn finish_texts(view: &View, caller: Caller, messages: &mut [Message]) {
    let rule = view.host.activation.cut.as_ref().filter(|rule| rule.of == CutOf::Answer && caller == Caller::Model);
    for message in messages.iter_mut().filter(|message| !message.frame) {
        message.text = finished(view, std::mem::take(&mut message.text));
        if let Some(shorter) = rule.and_then(|rule| cut(&view.host.texts, &message.text, 0, rule)) {
            message.text = shorter.text;
        }
    }
}

/// Says that the model has it already, where the host does; returns whether it is so.
fn repeat(
    runtime: &Runtime,
    session: &Session,
    loading: &Loading,
    sent: &str,
    messages: &mut Vec<Message>,
) -> Result<bool, RenderError> {
    let view = runtime.view();
    let before = session.latest_sent(loading.entry.canonical()).filter(|before| !before.forked);
    let Some(before) = before.filter(|_| view.host.activation.repeat == Some(loading.call.caller)) else {
        return Ok(false);
    };
    let same = before.digest == sent;
    let text = again(view, &loaded(runtime, loading, &loading.content), same)?;
    let note = Message { role: Role::User, text, frame: false };
    if same {
        messages.retain(|message| message.frame);
        messages.push(note);
    } else {
        let carrier = messages.iter().position(|message| !message.frame).unwrap_or(0);
        messages.insert(carrier, note);
    }
    Ok(same)
}

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
    let tools = loading.granted.iter().find(|permission| permission.kind == PermissionKind::Tools);
    tools.map(RequestedPermission::items).unwrap_or_default()
}

/// Says so if what was said with the call is not sent.
fn unheard(runtime: &Runtime, loading: &Loading, messages: &[Message]) -> Option<Notice> {
    let said = loading.raw_arguments().filter(|said| !said.is_empty())?;
    let is_heard = runtime.view().host.arguments.is_some() || messages.iter().any(|it| it.text.contains(said));
    let text = "what was said with the call is not sent, because the host sends no arguments";
    (!is_heard).then(|| Notice::new(loading.name(), text))
}

/// Says that the model gets escapes where the text hides something.
pub(super) fn hidden_notice(loading: &Loading) -> Option<Notice> {
    let text = "its text has characters that cannot be seen; the model gets them as escapes";
    let help = || format!("`openoxide check {}` shows where", path_text(loading.entry.dir()));
    let hides = hidden_runs(&loading.text()).next().is_some();
    hides.then(|| Notice { help: Some(help()), ..Notice::new(loading.name(), text) })
}

/// Says what people should know about a skill that is sent.
fn notices(session: &mut Session, loading: &Loading) -> Vec<Notice> {
    let mut notices = Vec::new();
    let note = |text: String| Notice::new(loading.name(), text);
    if let Some(removed) = loading.cut
        && session.is_news("cut", loading.entry.canonical())
    {
        let help = Some("put what is not always needed into files that the text names".to_owned());
        notices.push(Notice { help, ..note(format!("the text is too long: {removed} bytes are left out")) });
    }
    if let (false, Err(error)) = (loading.requested.is_empty(), &loading.snapshot) {
        notices.push(note(format!("it gets no permissions: {error}")));
    }
    if !loading.requested.is_empty() {
        notices.extend(profile_refusal(&loading.profile).map(note));
    }
    notices.extend(loading.troubles.iter().cloned().map(note));
    let left = &loading.expanded.left_alone;
    for left in left.iter().filter(|left| left.why != LeftAloneReason::SwitchedOff).take(5) {
        let why = match left.why {
            LeftAloneReason::Code => "it stands in code",
            LeftAloneReason::Comment => "it stands in a comment",
            LeftAloneReason::TooMany => "too many files are named",
            LeftAloneReason::TooLong => "it is too long",
            LeftAloneReason::QuotedText | LeftAloneReason::SwitchedOff => "it stands in quotes",
        };
        notices.push(note(format!("line {}: `{}` is left as it is, because {why}", left.line, left.written)));
    }
    notices
}
