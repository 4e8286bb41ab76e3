//! The envelope: the text that carries a skill to the model, drawn by the host's templates.
//!
//! What a skill says stays inside, and hides nothing: the frame's own closing tags are escaped in it, and so is every
//! character that people cannot see.

use std::borrow::Cow;

use minijinja::context;
use serde_json::{Map, Value as Json};

use crate::catalog::{Entry, View};
use crate::host::{Caller, CutRule, MessageClean, MessageRule, Role, Situation, Texts};
use crate::skill::Frontmatter;
use crate::text::template::{RenderError, Templates};
use crate::text::{is_deceptive, one_line, path_text, visible};

/// One message to the model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Whose words it is.
    pub role: Role,
    /// What it says.
    pub text: String,
    /// Whether it only announces the skill, and does not carry it.
    pub frame: bool,
}

/// A skill that was called, as it is to be sent.
#[derive(Clone, Debug)]
pub struct LoadedSkill<'a> {
    /// Which one.
    pub entry: &'a Entry,
    /// What it was called by.
    pub called: &'a str,
    /// What the root that it is in is called.
    pub provider: Option<&'a str>,
    /// The part of its file that is sent, with arguments, files and commands in their places.
    pub content: &'a str,
    /// Its frontmatter as it is now.
    pub frontmatter: &'a Frontmatter,
    /// Everything that the frontmatter says, if that can be written as JSON.
    pub written: Option<&'a Map<String, Json>>,
    /// Its description as it is now.
    pub description: &'a str,
    /// Who called it.
    pub caller: Caller,
    /// What was said with the call.
    pub arguments: Option<&'a str>,
    /// Files of its folder that are named with it.
    pub files: &'a [String],
    /// The digest of its folder.
    pub digest: Option<&'a str>,
    /// Whether it is cut.
    pub cut: bool,
    /// Where it comes from, if it lies in no folder of this machine; this is said in the place of the scope.
    pub origin: Option<&'a str>,
}

/// Draws the messages that carry a skill to the model.
pub fn envelope(view: &View, loaded: &LoadedSkill<'_>) -> Result<Vec<Message>, RenderError> {
    let rules = &view.host.activation;
    let says = has_arguments(loaded);
    let is_sent = |rule: &&MessageRule| {
        rule.caller.is_none_or(|caller| caller == loaded.caller) && (says || !rule.needs_arguments)
    };
    let messages = || rules.messages.iter().filter(is_sent);
    let templates = Templates::new(&view.spec, messages().map(|rule| rule.template.as_str()))?;
    let values = values(&rules.guard, loaded);
    let message = |rule: &MessageRule| {
        let text = templates.draw(&rule.template, values.clone())?;
        Ok(Message { role: rule.role, text, frame: rule.frame })
    };
    messages().map(message).collect()
}

/// Draws what is said to a caller of the same skill again: that nothing changed, or that something did.
pub fn again(view: &View, loaded: &LoadedSkill<'_>, same: bool) -> Result<String, RenderError> {
    let template = if same { "repeated" } else { "again" };
    Templates::new(&view.spec, [template])?.draw(template, values(&view.host.activation.guard, loaded))
}

/// Draws the one text with all skills that a subagent starts with; `None` if the host has no template for that.
pub fn preloaded(view: &View, skills: &[LoadedSkill<'_>]) -> Result<Option<String>, RenderError> {
    const TEMPLATE: &str = "preload";
    if view.spec.template(TEMPLATE).is_none() {
        return Ok(None);
    }
    let skills: Vec<_> = skills.iter().map(|loaded| values(&view.host.preload.guard, loaded)).collect();
    Templates::new(&view.spec, [TEMPLATE])?.draw(TEMPLATE, context! { skills }).map(Some)
}

/// A file that is sent with a skill because its text names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AttachedFile<'a> {
    /// The skill's name.
    pub skill: &'a str,
    /// The path as the text has it.
    pub path: &'a str,
    /// The absolute path.
    pub full: &'a str,
    /// What is in it.
    pub content: &'a str,
    /// How many bytes were cut off.
    pub removed: u64,
}

/// Draws the message that carries a file, by `attachment.jinja`; nothing if the host has no such template.
pub fn attachment(view: &View, attached: &AttachedFile<'_>) -> Result<Option<Message>, RenderError> {
    const TEMPLATE: &str = "attachment";
    let Some(rules) = view.host.files.as_ref().filter(|_| view.spec.template(TEMPLATE).is_some()) else {
        return Ok(None);
    };
    let label = |text: &str| label(text).replace('"', "&quot;");
    let values = context! {
        name => label(attached.skill),
        path => label(attached.path),
        full => label(attached.full),
        content => carried(attached.content, &rules.guard),
        removed => attached.removed,
    };
    let text = Templates::new(&view.spec, [TEMPLATE])?.draw(TEMPLATE, values)?;
    Ok(Some(Message { role: Role::User, text, frame: false }))
}

/// Puts a finished message into the form that the host sends.
pub fn finished(view: &View, text: String) -> String {
    let rules = &view.host.activation;
    match rules.clean {
        MessageClean::None => text,
        MessageClean::Trim => text.trim().to_owned(),
        MessageClean::Tidy => crate::render::tidy(&text).trim().to_owned(),
    }
}

fn values(guard: &[String], loaded: &LoadedSkill<'_>) -> minijinja::Value {
    let entry = loaded.entry;
    let fields = loaded.frontmatter;
    let pair = |(key, value): &(String, String)| (visible(key).into_owned(), visible(value).into_owned());
    let metadata: Vec<(String, String)> = fields.metadata.iter().map(pair).collect();
    context! {
        name => label(&entry.skill.name),
        called => label(loaded.called),
        provider => label(loaded.provider.unwrap_or_default()),
        description => carried(loaded.description, guard),
        path => label(&path_text(&entry.skill.path)),
        real_path => label(&path_text(entry.canonical())),
        dir => label(&path_text(entry.dir())),
        scope => loaded.origin.map_or_else(|| entry.skill.scope.as_str().to_owned(), label),
        content => carried(loaded.content, guard),
        lines => loaded.content.lines().count(),
        caller => loaded.caller.as_str(),
        args => loaded.arguments.map(|arguments| carried(arguments, guard)).unwrap_or_default(),
        has_args => has_arguments(loaded),
        files => loaded.files.iter().map(|file| label(file)).collect::<Vec<_>>(),
        digest => loaded.digest.unwrap_or_default(),
        cut => loaded.cut,
        frontmatter => frontmatter(loaded, guard),
        fields => context! {
            license => fields.license.as_deref().map(visible),
            compatibility => fields.compatibility.as_deref().map(visible),
            metadata => &metadata,
            allowed_tools => fields.allowed_tools.iter().map(|tool| visible(tool).into_owned()).collect::<Vec<_>>(),
            allowed_tools_written => allowed_tools_written(loaded).map(|text| visible(&text).into_owned()),
        },
    }
}

fn has_arguments(loaded: &LoadedSkill<'_>) -> bool {
    loaded.arguments.is_some_and(|arguments| !arguments.trim().is_empty())
}

/// Writes everything that the frontmatter says as JSON, in its order. Where that cannot be said, name and description.
fn frontmatter(loaded: &LoadedSkill<'_>, guard: &[String]) -> String {
    let texts = || [("name", &*loaded.entry.skill.name), ("description", loaded.description)];
    let least = || Json::Object(texts().map(|(key, text)| (key.to_owned(), Json::from(text))).into_iter().collect());
    let all = loaded.written.map_or_else(least, |written| Json::Object(written.clone()));
    carried_json(all, guard).to_string()
}

/// Writes every text of a value as the frame carries it.
fn carried_json(value: Json, guard: &[String]) -> Json {
    match value {
        Json::String(text) => Json::from(carried(&text, guard)),
        Json::Array(items) => items.into_iter().map(|item| carried_json(item, guard)).collect(),
        Json::Object(map) => {
            map.into_iter().map(|(key, value)| (carried(&key, guard), carried_json(value, guard))).collect()
        }
        other => other,
    }
}

/// Returns `allowed-tools` as the frontmatter has it: its text, or the items of its list with commas between them.
fn allowed_tools_written(loaded: &LoadedSkill<'_>) -> Option<String> {
    match loaded.written?.get("allowed-tools")? {
        Json::String(text) => Some(text.trim().to_owned()),
        Json::Array(items) => Some(items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(",")),
        _ => None,
    }
}

/// Writes what stands in the frame itself: on one line, and hiding nothing.
fn label(text: &str) -> String {
    visible(&one_line(text)).replace("</", "&lt;/")
}

/// Writes what the frame carries.
fn carried(text: &str, tags: &[String]) -> String {
    guarded(&visible(text), tags).into_owned()
}

/// Escapes what would end the frame: each of these closing tags, however it is written. A reader of the frame may be more
/// generous than a parser, so that blanks, attributes and letters that cannot be seen do not keep it from being one.
pub fn guarded<'t>(text: &'t str, tags: &[String]) -> Cow<'t, str> {
    if !text.as_bytes().contains(&b'<') {
        return Cow::Borrowed(text);
    }
    let names: Vec<&str> =
        tags.iter().map(|tag| tag.trim_start_matches("</").trim_end_matches('>')).filter(|n| !n.is_empty()).collect();
    let mut escaped = String::new();
    let mut kept = 0;
    for (at, _) in text.match_indices('<') {
        if names.iter().any(|name| closes(&text[at + 1..], name)) {
            escaped.push_str(&text[kept..at]);
            escaped.push_str("&lt;");
            kept = at + 1;
        }
    }
    if kept == 0 {
        return Cow::Borrowed(text);
    }
    escaped.push_str(&text[kept..]);
    Cow::Owned(escaped)
}

/// Tells whether a text begins with what makes a closing tag of the `<` before it: a slash, and this name and no longer one.
fn closes(text: &str, name: &str) -> bool {
    let is_nothing = |c: char| c.is_whitespace() || is_deceptive(c);
    let Some(text) = text.trim_start_matches(is_nothing).strip_prefix('/') else { return false };
    let text = text.trim_start_matches(is_nothing);
    let is_name = text.get(..name.len()).is_some_and(|start| start.eq_ignore_ascii_case(name));
    is_name && !text[name.len()..].starts_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | ':' | '.'))
}

/// A text that was too long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CutText {
    /// What is left of it, with the notice.
    pub text: String,
    /// How much is missing, as the notice says.
    pub removed: u64,
}

/// Cuts a text that is longer than the rule allows, never inside a character; `None` if it is not.
///
/// `more` is what the text lacks already, because it was not read to its end.
pub fn cut(texts: &Texts, text: &str, more: u64, rule: &CutRule) -> Option<CutText> {
    let by_bytes = text.floor_char_boundary(rule.bytes.get());
    let by_lines = rule.lines.and_then(|lines| text.match_indices('\n').nth(lines.get() - 1)).map(|(at, _)| at);
    let end = by_bytes.min(by_lines.unwrap_or(usize::MAX));
    let line_start = |at: usize| text[..at].rfind('\n').unwrap_or(at);
    let end = if rule.lines.is_some() && end == by_bytes && end < text.len() { line_start(end) } else { end };
    if end >= text.len() && more == 0 {
        return None;
    }
    let (removed, unit) = match by_lines {
        Some(lines) if lines < by_bytes => (text[lines..].matches('\n').count() as u64, "lines"),
        _ => ((text.len() - end) as u64 + more, "bytes"),
    };
    let max = if unit == "lines" { rule.lines.map_or(0, std::num::NonZeroUsize::get) } else { rule.bytes.get() };
    let numbers = [removed.to_string(), max.to_string()];
    let notice = texts.say(Situation::SkillCut, &[("removed", &numbers[0]), ("unit", unit), ("max", &numbers[1])]);
    Some(CutText { text: format!("{}{notice}", &text[..end]), removed })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_tags_are_escaped_however_they_are_written() {
        let tags = ["</skill>".to_owned()];
        let rows = [
            ("a </skill> b", "a &lt;/skill> b"),
            ("</SKILL >", "&lt;/SKILL >"),
            ("</ skill\n>", "&lt;/ skill\n>"),
            ("</skills> </skill_content> <skill>", "</skills> </skill_content> <skill>"),
            ("</skill></skill>", "&lt;/skill>&lt;/skill>"),
            ("</skill", "&lt;/skill"),
            ("</skill x=\"1\">", "&lt;/skill x=\"1\">"),
            ("</skill/>", "&lt;/skill/>"),
            ("< / skill>", "&lt; / skill>"),
            ("<\u{200b}/skill\u{200b}>", "&lt;\u{200b}/skill\u{200b}>"),
            ("</skill-set> </skill:x> </skillé> <skill/>", "</skill-set> </skill:x> </skillé> <skill/>"),
            ("</skill x> </skill/> </skill\"", "&lt;/skill x> &lt;/skill/> &lt;/skill\""),
            ("</skill\nnot its end", "&lt;/skill\nnot its end"),
            ("</skill\u{200b}>", "&lt;/skill\u{200b}>"),
            ("</skill-x> </skill:x> </skill.x> </skillé", "</skill-x> </skill:x> </skill.x> </skillé"),
        ];
        for (text, safe) in rows {
            assert_eq!(guarded(text, &tags), safe);
        }
    }

    #[test]
    fn a_cut_keeps_characters_whole_and_says_what_is_missing() {
        let rule = |bytes: usize, lines: Option<usize>| CutRule {
            of: crate::host::CutOf::File,
            bytes: bytes.try_into().unwrap(),
            lines: lines.map(|lines| lines.try_into().unwrap()),
        };
        let texts: Texts = toml::from_str("skill-cut = '[{removed} {unit} of {max}]'").unwrap();
        assert_eq!(cut(&texts, "abc", 0, &rule(3, None)), None);
        assert_eq!(cut(&texts, "aéb", 0, &rule(2, None)).unwrap().text, "a[3 bytes of 2]");
        assert_eq!(cut(&texts, "abc", 5, &rule(3, None)).unwrap().text, "abc[5 bytes of 3]");
        assert_eq!(cut(&texts, "a\nb\nc\n", 0, &rule(99, Some(2))).unwrap().text, "a\nb[2 lines of 2]");
        assert_eq!(cut(&texts, "ab\ncd\n", 0, &rule(4, Some(9))).unwrap().text, "ab[4 bytes of 4]");
    }
}
