//! A skill as a template that a client fills in: its text and its envelope, with the placeholders kept.

use openoxide_skills::envelope::{LoadedSkill, envelope};
use openoxide_skills::parse::{body_of, frontmatter_json, parse_bytes};
use openoxide_skills::{catalog::Entry, host::Caller, resource::SkillDir, text::visible};

use crate::Runtime;

/// A skill with nothing put into it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkillTemplate {
    /// Its text without the frontmatter.
    pub content: String,
    /// What carries it to the model when a user calls it, before arguments, files and commands are put in.
    pub template: String,
}

impl Runtime {
    /// Returns the template of a skill and runs nothing. `None` if the skill cannot be read any more.
    pub fn template(&self, entry: &Entry) -> Option<SkillTemplate> {
        let view = self.view();
        let own = SkillDir::of(self.catalog(), entry).and_then(|dir| dir.own_file()).ok()?;
        let folder = entry.dir().file_name().unwrap_or_default().to_string_lossy();
        let parsed = parse_bytes(&own.manifest, &folder, &view.host.parse);
        if parsed.invalid().is_some() {
            return None;
        }
        let text = String::from_utf8_lossy(&own.manifest);
        let content = body_of(&text, &view.host.parse).into_owned();
        let written = frontmatter_json(&text).ok();
        let root = self.catalog().roots.get(entry.root);
        let loaded = LoadedSkill {
            entry,
            called: &entry.skill.name,
            provider: root.and_then(|searched| searched.root.rule.provider.as_deref()),
            content: &content,
            frontmatter: &parsed.frontmatter,
            written: written.as_ref(),
            description: &parsed.description,
            caller: Caller::User,
            arguments: None,
            files: &[],
            digest: None,
            origin: None,
            cut: false,
        };
        let messages = envelope(view, &loaded).ok()?;
        let template = messages.into_iter().find(|message| !message.frame)?.text;
        Some(SkillTemplate { content: visible(&content).into_owned(), template })
    }
}
