//! Reads a skill at the moment of the call: the digest of its folder, its frontmatter, and its text.

use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::envelope::{CutText, LoadedSkill, cut, envelope};
use openoxide_skills::expand::{Expanded, Variables, expand};
use openoxide_skills::host::{Caller, Content, CutOf, Expand, Situation, Variable};
use openoxide_skills::parse::{body_of, frontmatter_json, parse_bytes};
use openoxide_skills::resource::{FileDigest, FolderLimits, FolderSnapshot, SkillDir};
use openoxide_skills::text::{RenderError, fill, path_text};

use super::loading::Loading;
use crate::{Call, Refusal, RefusalReason, Runtime, Session};

pub(crate) fn load(runtime: &Runtime, session: &Session, call: Call, entry: Entry) -> Result<Loading, Refusal> {
    load_part(runtime, session, call, entry, runtime.view().host.activation.content)
}

/// Reads a skill for a call, of which this part is sent.
pub(crate) fn load_part(
    runtime: &Runtime,
    session: &Session,
    call: Call,
    entry: Entry,
    part: Content,
) -> Result<Loading, Refusal> {
    let view = runtime.view();
    let failed = |why: String| unreadable(view, &call, &entry, &why);
    runtime.write_if_own(&entry).map_err(|error| Refusal { help: Some(error.help()), ..failed(error.to_string()) })?;
    let dir = SkillDir::of(runtime.catalog(), &entry).map_err(|error| failed(error.to_string()))?;
    let snapshot = dir.snapshot(&FolderLimits::SNAPSHOT);
    let alone;
    let own_file = if let Ok(snapshot) = &snapshot {
        snapshot
    } else {
        alone = dir.own_file().map_err(|error| failed(error.to_string()))?;
        &alone
    };
    let bytes = own_file.manifest.as_slice();
    if dir.is_hidden_as(bytes, own_file.manifest_size <= bytes.len() as u64) {
        return Err(failed("it has changed since it was found".to_owned()));
    }
    let folder = entry.dir().file_name().unwrap_or_default().to_string_lossy();
    let parsed = parse_bytes(bytes, &folder, &view.host.parse);
    if let Some(problem) = parsed.invalid() {
        return Err(failed(problem.message.clone()));
    }
    let more = own_file.manifest_size.saturating_sub(bytes.len() as u64);
    let text = String::from_utf8_lossy(bytes);
    let (content, cut) = content(view, part, &text, more);
    let written = frontmatter_json(&text).ok();
    let mut loading = Loading {
        digest: snapshot.as_ref().map(|snapshot| snapshot.digest.to_string()).unwrap_or_default(),
        files: snapshot.as_ref().map(|snapshot| named_files(view, &dir, snapshot)).unwrap_or_default(),
        arguments: call.arguments.split(view),
        variables: variables(runtime, session, &entry),
        profile: runtime.profile(&entry),
        foreign: own_file.foreign.clone(),
        call,
        entry,
        dir,
        snapshot,
        parsed,
        written,
        content,
        drawn: Vec::new(),
        expanded: Expanded::default(),
        requested: Vec::new(),
        granted: Vec::new(),
        outputs: Vec::new(),
        troubles: Vec::new(),
        cut,
        copy: None,
    };
    expand_into(runtime, &mut loading)
        .map_err(|error| unreadable(view, &loading.call, &loading.entry, &error.to_string()))?;
    loading.requested = runtime.requested_permissions(&loading);
    Ok(loading)
}

/// Puts arguments into the text, and finds the commands in it.
fn expand_into(runtime: &Runtime, loading: &mut Loading) -> Result<(), RenderError> {
    let host = &runtime.view().host;
    let is_user = loading.call.caller == Caller::User;
    if host.activation.expand == Expand::Message && is_user {
        loading.drawn = envelope(runtime.view(), &loaded(runtime, loading, &loading.content))?;
    }
    let text = loading.drawn.iter().find(|message| !message.frame).map_or(&loading.content, |message| &message.text);
    let names = &loading.parsed.frontmatter.rare().arguments;
    let rules = host.expansion(is_user, names);
    loading.expanded = expand(text, &rules, loading.arguments.as_ref(), &loading.variables);
    Ok(())
}

/// Returns the files that are named with a skill: the first by path, so that two calls name the same.
fn named_files(view: &View, dir: &SkillDir, snapshot: &FolderSnapshot) -> Vec<String> {
    let Some(rule) = &view.host.activation.files else { return Vec::new() };
    let is_wanted = |file: &&FileDigest| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        !rule.except.iter().any(|except| *except == *name) && !dir.hides(&file.path)
    };
    snapshot.files.iter().filter(is_wanted).take(rule.max).map(|file| path_text(&file.path)).collect()
}

/// Returns the part of a file that is sent, and how much of it is missing.
fn content(view: &View, part: Content, text: &str, more: u64) -> (String, Option<u64>) {
    let rules = &view.host.activation;
    let part = match part {
        Content::File => text.into(),
        Content::Body => body_of(text, &view.host.parse),
    };
    let Some(rule) = rules.cut.as_ref().filter(|rule| rule.of == CutOf::File) else {
        return (part.into_owned(), (more > 0).then_some(more));
    };
    // The part before the body is included, because the whole file is measured.
    let before = text.len() - part.len().min(text.len());
    let mut rule = rule.clone();
    rule.bytes = rule.bytes.get().saturating_sub(before).max(1).try_into().unwrap_or(rule.bytes);
    match cut(&view.host.texts, &part, more, &rule) {
        Some(CutText { text, removed }) => (text, Some(removed)),
        None => (part.into_owned(), None),
    }
}

fn variables(runtime: &Runtime, session: &Session, entry: &Entry) -> Variables {
    Variables::from([
        (Variable::SessionId, session.id.clone()),
        (Variable::SkillDir, path_text(entry.dir())),
        (Variable::ProjectDir, path_text(&runtime.view().around.project)),
    ])
}

fn unreadable(view: &View, call: &Call, entry: &Entry, why: &str) -> Refusal {
    let text = match view.host.own_text(call.caller, Situation::SkillUnreadable) {
        Some(own) => fill(own, &[("why", why), ("name", &call.skill)]),
        None => format!("`{}` cannot be read: {why}", call.skill),
    };
    Refusal::new(&call.skill, RefusalReason::Unreadable, text).of(entry)
}

/// Returns the skill as it is sent, with this text in it.
pub(crate) fn loaded<'a>(runtime: &'a Runtime, loading: &'a Loading, content: &'a str) -> LoadedSkill<'a> {
    let root = runtime.catalog().roots.get(loading.entry.root);
    LoadedSkill {
        entry: &loading.entry,
        called: loading.call.skill.trim_start_matches('/'),
        provider: root.and_then(|searched| searched.root.rule.provider.as_deref()),
        content,
        frontmatter: &loading.parsed.frontmatter,
        written: loading.written.as_ref(),
        description: &loading.parsed.description,
        caller: loading.call.caller,
        arguments: loading.raw_arguments(),
        files: &loading.files,
        digest: (!loading.digest.is_empty()).then_some(&*loading.digest),
        cut: loading.cut.is_some(),
        origin: None,
    }
}
