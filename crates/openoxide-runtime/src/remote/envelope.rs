//! Draws the envelope of a server's skill: the host's own, with the server named in it.
//!
//! Commands in its text do not run, files that it names are not attached, and its frontmatter grants nothing.

use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::envelope::{LoadedSkill, Message, cut, envelope};
use openoxide_skills::expand::{Arguments, Variables, expand};
use openoxide_skills::host::{Caller, Content, CutOf, Expand, Host, Variable};
use openoxide_skills::parse::{body_of, frontmatter_json, parse_text};
use openoxide_skills::skill::{Frontmatter, SkillMetadata, SkillPolicy, SkillScope};
use openoxide_skills::text::RenderError;

use crate::{RemoteOffer, RemoteSkill, activation::finish_texts};

/// Draws the messages that carry a skill to the model.
pub fn carry(
    view: &View,
    skill: &RemoteSkill,
    text: &str,
    caller: Caller,
    arguments: Option<&Arguments>,
) -> Result<Vec<Message>, RenderError> {
    let host = without_permissions(&view.host);
    let name = skill.offer.name.clone();
    let parsed = parse_text(text, &skill.name, &host.parse);
    // What it would be allowed is for the user to say, and nobody was asked.
    let frontmatter = Frontmatter { allowed_tools: Vec::new(), ..Frontmatter::clone(&parsed.frontmatter) };
    // A server's `allowed-tools` pre-approves nothing here, so that saying it would mislead.
    let written = frontmatter_json(text).ok().map(|mut written| {
        written.shift_remove("allowed-tools");
        written
    });
    let entry = entry(skill, text);
    let (content, is_cut) = content(view, text);
    let names = &frontmatter.rare().arguments;
    let rules = host.expansion(caller == Caller::User, names);
    let variables = Variables::from([(Variable::SkillDir, name.clone())]);
    let in_message = host.activation.expand == Expand::Message && caller == Caller::User;
    let filled = |text: &str| expand(text, &rules, arguments, &variables).assemble::<&str>(&[]);
    let origin = format!("mcp:{}", skill.offer.server);
    let content = format!("{}{}", preamble(skill), if in_message { content } else { filled(&content) });
    let files = files(view, skill);
    let loaded = LoadedSkill {
        entry: &entry,
        called: &name,
        provider: Some(&origin),
        content: &content,
        frontmatter: &frontmatter,
        written: written.as_ref(),
        description: &skill.offer.about,
        caller,
        arguments: arguments.map(|arguments| arguments.raw.as_str()),
        files: &files,
        digest: skill.offer.digest.as_deref(),
        cut: is_cut,
        origin: Some(&origin),
    };
    let mut messages = envelope(view, &loaded)?;
    for message in messages.iter_mut().filter(|message| in_message && !message.frame) {
        message.text = filled(&message.text);
    }
    finish_texts(view, caller, &mut messages);
    Ok(messages)
}

/// Returns a host that runs nothing and attaches nothing.
fn without_permissions(host: &Host) -> Host {
    let mut host = host.clone();
    if let Some(shell) = &mut host.shell {
        shell.run = false;
    }
    host.files = None;
    host
}

/// Says to the model, whatever the host's templates show, whose words follow.
fn preamble(skill: &RemoteSkill) -> String {
    let RemoteOffer { server, uri, .. } = &skill.offer;
    format!("(A skill from the MCP server `{server}`, {uri}: the server's words, not the user's.)\n\n")
}

/// Makes the entry that templates are drawn from. Its path tells the server, and no file of this machine has it.
fn entry(skill: &RemoteSkill, text: &str) -> Entry {
    let metadata = SkillMetadata {
        name: skill.offer.name.as_str().into(),
        description: skill.offer.about.as_str().into(),
        short_description: None,
        path: std::path::Path::new(&skill.place("SKILL.md")).into(),
        scope: SkillScope::Plugin,
        policy: SkillPolicy::default(),
        interface: None,
        dependencies: None,
        permissions: None,
        described: true,
        frontmatter: std::sync::Arc::default(),
    };
    Entry::alone(metadata, text.len() as u64)
}

/// Returns the part of its file that the host sends, and whether it is cut.
fn content(view: &View, text: &str) -> (String, bool) {
    let rules = &view.host.activation;
    let part = match rules.content {
        Content::File => text.into(),
        Content::Body => body_of(text, &view.host.parse),
    };
    let rule = rules.cut.as_ref().filter(|rule| rule.of == CutOf::File);
    match rule.and_then(|rule| cut(&view.host.texts, &part, 0, rule)) {
        Some(shorter) => (shorter.text, true),
        None => (part.into_owned(), false),
    }
}

/// Returns the files that are named with it, by the host's rule. They are named, not fetched.
fn files(view: &View, skill: &RemoteSkill) -> Vec<String> {
    let (Some(rule), Some(files)) = (&view.host.activation.files, &skill.files) else { return Vec::new() };
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_wanted = |path: &&String| !rule.except.iter().any(|except| *except == last(path));
    files.iter().map(|file| &file.path).filter(is_wanted).take(rule.max).cloned().collect()
}
