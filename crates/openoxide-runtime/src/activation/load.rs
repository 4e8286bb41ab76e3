//! Reads a skill at the moment of the call: the digest of its folder, its frontmatter, and its text.

use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::envelope::{CutText, LoadedSkill, cut, envelope};
use openoxide_skills::expand::{Expanded, Variables, expand};
use openoxide_skills::host::{Caller, Content, CutOf, Expand, Situation, Variable};
use openoxide_skills::parse::{body_of, parse_bytes};
use openoxide_skills::resource::{FileDigest, FolderLimits, FolderSnapshot, SkillDir};
use openoxide_skills::text::{RenderError, fill, path_text};

use super::loading::Loading;
use crate::call::{Call, Refusal, RefusalReason};
use crate::permission::requested_permissions;
use crate::runtime::Runtime;
use crate::session::Session;

/// Reads a skill for a call.
pub(crate) fn load(runtime: &Runtime, session: &Session, call: &Call, entry: &Entry) -> Result<Loading, Refusal> {
    load_part(runtime, session, call, entry, runtime.view().host.activation.content)
}

/// Reads a skill for a call, of which this part is sent.
pub(crate) fn load_part(
    runtime: &Runtime,
    session: &Session,
    call: &Call,
    entry: &Entry,
    part: Content,
) -> Result<Loading, Refusal> {
    let unreadable = |why: &str| unreadable(runtime.view(), call, entry, why);
    let dir = SkillDir::of(runtime.catalog(), entry).map_err(|error| unreadable(&error.to_string()))?;
    let snapshot = dir.snapshot(&FolderLimits::SNAPSHOT);
    let own_file = match &snapshot {
        Ok(_) => None,
        Err(_) => Some(dir.own_file().map_err(|error| unreadable(&error.to_string()))?),
    };
    let (bytes, size) = match (&snapshot, &own_file) {
        (Ok(whole), _) | (Err(_), Some(whole)) => (whole.manifest.as_slice(), whole.manifest_size),
        (Err(error), None) => return Err(unreadable(&error.to_string())),
    };
    let folder = entry.dir().file_name().unwrap_or_default().to_string_lossy();
    let parsed = parse_bytes(bytes, &folder, &runtime.view().host.parse);
    if let Some(problem) = parsed.invalid() {
        return Err(unreadable(&problem.message));
    }
    let more = size.saturating_sub(bytes.len() as u64);
    let text = String::from_utf8_lossy(bytes);
    let (content, cut) = content(runtime.view(), part, &text, more);
    let arguments = call.arguments.split(runtime.view());
    let variables = variables(runtime, session, entry);
    let files = snapshot.as_ref().map(|snapshot| named_files(runtime.view(), snapshot)).unwrap_or_default();
    let mut loading = Loading {
        dir,
        snapshot,
        parsed,
        content,
        arguments,
        variables,
        drawn: Vec::new(),
        expanded: Expanded::default(),
        requested: Vec::new(),
        granted: Vec::new(),
        outputs: Vec::new(),
        troubles: Vec::new(),
        profile: runtime.profile(session, entry),
        files,
        cut,
        copy: None,
    };
    expand_into(runtime, call, entry, &mut loading).map_err(|error| unreadable(&error.to_string()))?;
    loading.requested = requested_permissions(runtime, entry, &loading);
    Ok(loading)
}

/// Puts arguments into the text, and finds the commands in it.
fn expand_into(runtime: &Runtime, call: &Call, entry: &Entry, loading: &mut Loading) -> Result<(), RenderError> {
    let host = &runtime.view().host;
    if host.activation.expand == Expand::Message && call.caller == Caller::User {
        let digest = loading.digest();
        let loaded = loaded(runtime, call, entry, loading, &loading.content, &digest);
        loading.drawn = envelope(runtime.view(), &loaded)?;
    }
    let text = loading.drawn.iter().find(|message| !message.frame).map_or(&loading.content, |message| &message.text);
    let names = &loading.parsed.frontmatter.rare().arguments;
    let rules = host.expansion(call.caller == Caller::User, names);
    loading.expanded = expand(text, &rules, loading.arguments.as_ref(), &loading.variables);
    Ok(())
}

/// Returns the files that are named with a skill: the first by path, so that two calls name the same.
fn named_files(view: &View, snapshot: &FolderSnapshot) -> Vec<String> {
    let Some(rule) = &view.host.activation.files else { return Vec::new() };
    let is_wanted = |file: &&FileDigest| {
        let name = file.path.file_name().unwrap_or_default().to_string_lossy();
        !rule.except.iter().any(|except| *except == *name)
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
    // What stands before the body counts too, because the file is what is measured.
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
    let own = view.host.own_text(call.caller, Situation::SkillUnreadable);
    let text = match own {
        Some(own) => fill(own, &[("why", why), ("name", &call.skill)]),
        None => format!("`{}` cannot be read: {why}", call.skill),
    };
    Refusal {
        name: call.skill.clone(),
        path: Some(entry.skill.path.to_path_buf()),
        why: RefusalReason::Unreadable,
        code: None,
        text,
        help: None,
    }
}

/// Returns the skill as it is sent, with this text in it.
pub(crate) fn loaded<'a>(
    runtime: &'a Runtime,
    call: &'a Call,
    entry: &'a Entry,
    loading: &'a Loading,
    content: &'a str,
    digest: &'a str,
) -> LoadedSkill<'a> {
    let root = runtime.catalog().roots.get(entry.root);
    LoadedSkill {
        entry,
        called: call.skill.trim_start_matches('/'),
        provider: root.and_then(|searched| searched.root.rule.provider.as_deref()),
        content,
        frontmatter: &loading.parsed.frontmatter,
        description: &loading.parsed.description,
        caller: call.caller,
        arguments: loading.raw_arguments(),
        files: &loading.files,
        digest: (!digest.is_empty()).then_some(digest),
        cut: loading.cut.is_some(),
        origin: None,
    }
}
