//! What carries a skill of a server to the model: the host's own envelope, with the server named in it.
//!
//! Commands in its text are not run, files that it names are not attached, and its frontmatter gives it nothing.

use openoxide_skills::catalog::{Entry, View};
use openoxide_skills::envelope::{LoadedSkill, Message, cut, envelope, finished};
use openoxide_skills::expand::{Arguments, Variables, expand};
use openoxide_skills::host::{Caller, Content, CutOf, Expand, Host, Variable};
use openoxide_skills::parse::{body_of, parse_text};
use openoxide_skills::skill::{Frontmatter, SkillMetadata, SkillPolicy, SkillScope};
use openoxide_skills::text::RenderError;

use crate::entry::Resources;
use crate::remote::Verified;

/// Draws the messages that carry a skill to the model.
pub fn carry(
    view: &View,
    verified: &Verified,
    caller: Caller,
    arguments: Option<&Arguments>,
) -> Result<Vec<Message>, RenderError> {
    let host = without_power(&view.host);
    let skill = &verified.skill;
    let name = skill.id.to_string();
    let parsed = parse_text(&verified.text, skill.entry.name(), &host.parse);
    // What it would be allowed is for the user to say, and nobody was asked.
    let frontmatter = Frontmatter { allowed_tools: Vec::new(), ..Frontmatter::clone(&parsed.frontmatter) };
    let entry = entry(verified, &name);
    let digest = skill.entry.digest();
    let (content, is_cut) = content(view, verified);
    let names = &frontmatter.rare().arguments;
    let rules = host.expansion(caller == Caller::User, names);
    let variables = Variables::default().with(Variable::SkillDir, name.as_str());
    let in_message = host.activation.expand == Expand::Message && caller == Caller::User;
    let filled = |text: &str| expand(text, &rules, arguments, &variables).assemble::<&str>(&[]);
    let origin = format!("mcp:{}", skill.id.server);
    let content = format!("{}{}", said(verified), if in_message { content } else { filled(&content) });
    let files = files(view, verified);
    let loaded = LoadedSkill {
        entry: &entry,
        called: &name,
        provider: Some(&origin),
        content: &content,
        frontmatter: &frontmatter,
        description: &skill.entry.description,
        caller,
        arguments: arguments.map(Arguments::raw),
        files: &files,
        digest: digest.as_deref(),
        cut: is_cut,
        origin: Some(&origin),
    };
    let mut messages = envelope(view, &loaded)?;
    let rule = view.host.activation.cut.as_ref().filter(|rule| rule.of == CutOf::Answer && caller == Caller::Model);
    for message in messages.iter_mut().filter(|message| !message.frame) {
        let text = std::mem::take(&mut message.text);
        message.text = finished(view, if in_message { filled(&text) } else { text });
        if let Some(shorter) = rule.and_then(|rule| cut(&view.host.texts, &message.text, 0, rule)) {
            message.text = shorter.text;
        }
    }
    Ok(messages)
}

/// Returns a host that runs nothing and attaches nothing.
fn without_power(host: &Host) -> Host {
    let mut host = host.clone();
    if let Some(shell) = &mut host.shell {
        shell.run = false;
    }
    host.files = None;
    host
}

/// Says to the model, whatever the host's templates show, whose words follow.
fn said(verified: &Verified) -> String {
    let id = &verified.skill.id;
    format!("(A skill from the MCP server `{}`, {}: the server's words, not the user's.)\n\n", id.server, id.uri)
}

/// Makes the entry that templates are drawn from. Its path tells the server, and no file of this machine has it.
fn entry(verified: &Verified, name: &str) -> Entry {
    let skill = SkillMetadata {
        name: name.into(),
        description: verified.skill.entry.description.as_str().into(),
        short_description: None,
        path: std::path::Path::new(&verified.skill.id.place("SKILL.md")).into(),
        scope: SkillScope::Plugin,
        policy: SkillPolicy::default(),
        interface: None,
        dependencies: None,
        permissions: None,
        described: true,
        frontmatter: std::sync::Arc::default(),
    };
    Entry::alone(skill, verified.text.len() as u64)
}

/// Returns the part of its file that the host sends, and whether it is cut.
fn content(view: &View, verified: &Verified) -> (String, bool) {
    let rules = &view.host.activation;
    let text = &verified.text;
    let part = match rules.content {
        Content::File => text.as_str().into(),
        Content::Body => body_of(text, &view.host.parse),
    };
    let rule = rules.cut.as_ref().filter(|rule| rule.of == CutOf::File);
    match rule.and_then(|rule| cut(&view.host.texts, &part, 0, rule)) {
        Some(shorter) => (shorter.text, true),
        None => (part.into_owned(), false),
    }
}

/// Returns the files that are named with it, by the host's rule. They are named, not fetched.
fn files(view: &View, verified: &Verified) -> Vec<String> {
    let (Some(rule), Resources::Listed(files)) = (&view.host.activation.files, &verified.skill.entry.resources) else {
        return Vec::new();
    };
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let is_wanted = |path: &&String| !rule.except.iter().any(|except| *except == last(path));
    files.iter().map(|file| &file.path).filter(is_wanted).take(rule.max).cloned().collect()
}
