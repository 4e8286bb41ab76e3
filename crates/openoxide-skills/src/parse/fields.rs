//! Takes the fields out of a frontmatter, each by its type.

use std::{borrow::Cow, sync::Arc};

use super::field_names::{CONTROLS, KNOWN, camel_case, is_known_field, unknown_field_problem};
use super::parsed::{Result, Source};
use super::scalar::{self, Text, split_patterns, split_tools};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::host::{Clean, EmptyText, NameStep, ParseRules, Spelling, UnknownFields, WrongType};
use crate::skill::{Frontmatter, RareFields, SkillContext, SkillHooks};
use crate::text::yaml::{Node, Pair, Value};

/// The fields and what is wrong with them. Hosts that take them by the same rules share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    pub(super) name: Option<Arc<str>>,
    pub(super) description: Option<Arc<str>>,
    pub(super) frontmatter: Arc<Frontmatter>,
    pub(super) problems: Vec<Diagnostic>,
}

/// Tells whether two hosts take the same fields out of the same YAML.
pub(crate) fn taken_alike(left: &ParseRules, right: &ParseRules) -> bool {
    let rules = |rules: &ParseRules| {
        let scalars = (rules.dialect, rules.numbers, rules.typed, rules.clean, rules.wrong_type);
        (scalars, rules.merge_keys, rules.name.steps.contains(&NameStep::Trim), rules.description.empty)
    };
    rules(left) == rules(right) && left.fields == right.fields
}

pub(super) fn collect(rules: &ParseRules, source: Source<'_>, pairs: &[Pair<'_>], first: bool) -> Result<Collected> {
    let mut collector = Collector {
        rules,
        source,
        name: None,
        description: None,
        frontmatter: Frontmatter::default(),
        rare: RareFields::default(),
        agent: None,
        problems: Vec::new(),
        strangers: Vec::new(),
    };
    if rules.merge_keys {
        collector.merge(pairs)?;
    }
    for (key, value) in pairs {
        collector.pair(key, value)?;
    }
    Ok(collector.finish(first))
}

struct Collector<'c> {
    rules: &'c ParseRules,
    source: Source<'c>,
    name: Option<String>,
    description: Option<String>,
    frontmatter: Frontmatter,
    rare: RareFields,
    agent: Option<String>,
    problems: Vec<Diagnostic>,
    /// Keys outside the host's list, for one finding.
    strangers: Vec<(String, std::ops::Range<usize>)>,
}

impl Collector<'_> {
    fn merge(&mut self, pairs: &[Pair<'_>]) -> Result<()> {
        for (_, value) in pairs.iter().filter(|(key, _)| key.as_text() == Some("<<")) {
            let maps = match &value.value {
                Value::List(items) => items.as_slice(),
                _ => std::slice::from_ref(value),
            };
            let mut inner = maps.iter().rev().filter_map(Node::as_map).flatten();
            inner.try_for_each(|(key, value)| self.pair(key, value))?;
        }
        Ok(())
    }

    fn pair(&mut self, key: &Node<'_>, value: &Node<'_>) -> Result<()> {
        let Some(key_text) = key.as_text() else { return Ok(()) };
        let canonical = self.canonical(key_text);
        let read = &self.rules.fields.read;
        let is_read = read.is_empty() || read.iter().any(|name| *name == canonical);
        if is_read && self.known(&canonical, value)? {
            return Ok(());
        }
        if self.rules.merge_keys && key_text == "<<" {
            return Ok(());
        }
        self.not_read(&canonical, key);
        if self.rules.fields.unknown != UnknownFields::Keep {
            self.strangers.push((key_text.to_owned(), self.source.span(&key.span)));
        }
        // A field that means something elsewhere, but not here, is not unknown.
        if !is_known_field(&canonical) {
            self.frontmatter.unknown.push((key_text.to_owned(), self.written(value)));
        }
        Ok(())
    }

    /// Says that a field which changes what a skill may do has no effect in this host.
    fn not_read(&mut self, canonical: &str, key: &Node<'_>) {
        if self.rules.fields.unknown == UnknownFields::Keep && CONTROLS.contains(&canonical) {
            let message = format!("`{canonical}` has no effect in this host");
            let problem = self.source.error(&key.span, Code::FieldNotRead, message);
            let help = "do not rely on it where this host is used";
            self.problems.push(Diagnostic { level: Level::Note, ..problem.help(help) });
        }
    }

    fn canonical<'k>(&self, key: &'k str) -> Cow<'k, str> {
        match key {
            "disable_model_invocation" | "user_invocable" | "allowed_tools" | "argument_hint" | "disallowed_tools"
                if self.rules.fields.spellings.contains(&Spelling::Underscores) =>
            {
                Cow::Owned(key.replace('_', "-"))
            }
            _ if self.rules.fields.spellings.contains(&Spelling::CamelCase) && !is_known_field(key) => {
                let known = KNOWN.iter().find(|known| camel_case(known) == camel_case(key));
                Cow::Borrowed(known.copied().unwrap_or(key))
            }
            _ => Cow::Borrowed(key),
        }
    }

    /// Takes a field that has a meaning; returns false for any other key.
    fn known(&mut self, key: &str, value: &Node<'_>) -> Result<bool> {
        match key {
            "name" => self.name = self.name(key, value)?,
            "description" => self.description = self.description(key, value)?,
            "license" => self.frontmatter.license = self.text(key, value),
            "compatibility" => self.frontmatter.compatibility = self.text(key, value),
            "metadata" => self.metadata(value)?,
            "allowed-tools" => self.frontmatter.allowed_tools = self.tools(key, value),
            "disable-model-invocation" => self.frontmatter.disable_model_invocation = self.boolean(key, value),
            "user-invocable" => self.frontmatter.user_invocable = self.boolean(key, value),
            _ => return Ok(self.rare(key, value)),
        }
        Ok(true)
    }

    fn rare(&mut self, key: &str, value: &Node<'_>) -> bool {
        match key {
            "when_to_use" => self.rare.when_to_use = self.joined_text(key, value),
            "argument-hint" => self.rare.argument_hint = self.joined_text(key, value),
            "arguments" => self.rare.arguments = Self::words(value),
            "disallowed-tools" => self.rare.disallowed_tools = self.tools(key, value),
            "model" => self.rare.model = self.text(key, value),
            "effort" => self.rare.effort = self.text(key, value),
            "context" => match self.text(key, value).as_deref() {
                Some("fork") => self.rare.context = SkillContext::Fork { agent_type: None },
                Some("inline") | None => {}
                Some(_) => self.problem(key, value, "`context` is `inline` or `fork`"),
            },
            "agent" => self.agent = self.text(key, value),
            "background" => self.rare.background = self.boolean(key, value),
            "hooks" => self.rare.hooks = self.hooks(value),
            "paths" => self.rare.paths = Self::patterns(value),
            "shell" => self.rare.shell = self.text(key, value),
            "globs" => self.rare.globs = Self::patterns(value),
            "alwaysApply" => self.rare.always_apply = self.boolean(key, value),
            "hide" => self.rare.hide = self.boolean(key, value),
            "enabled" => self.rare.enabled = self.boolean(key, value),
            _ => return false,
        }
        true
    }

    fn name(&mut self, key: &str, value: &Node<'_>) -> Result<Option<String>> {
        let name = self.required_text(key, value)?;
        let clean = if self.rules.name.steps.contains(&NameStep::Trim) { Clean::Trim } else { Clean::None };
        Ok(name.map(|name| scalar::clean(&name, clean).into_owned()))
    }

    /// Under loose rules an empty text stands for a value that is there but is not text.
    fn description(&mut self, key: &str, value: &Node<'_>) -> Result<Option<String>> {
        let text = self.required_text(key, value)?;
        if self.rules.description.empty != EmptyText::Loose {
            return Ok(text);
        }
        Ok(text.or_else(|| Some(String::new())).filter(|_| !scalar::is_falsy(value)))
    }

    fn required_text(&mut self, key: &str, value: &Node<'_>) -> Result<Option<String>> {
        match scalar::text(value, self.rules) {
            Text::Some(text) => Ok(Some(scalar::clean(&text, self.rules.clean).into_owned())),
            Text::Null => {
                Ok((key == "description" && self.rules.description.empty == EmptyText::Allowed).then(String::new))
            }
            Text::WrongType if self.rules.wrong_type == WrongType::Coerce => {
                Ok(Some(scalar::clean(&self.coerced(value), self.rules.clean).into_owned()))
            }
            Text::WrongType => {
                let message = format!("`{key}` must be text");
                let problem = self.source.error(&value.span, Code::WrongType, message).help("write one line of text");
                if self.rules.wrong_type == WrongType::Invalid {
                    return Err(problem);
                }
                self.problems.push(Diagnostic { level: Level::Warning, ..problem });
                Ok(None)
            }
        }
    }

    fn text(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        match scalar::text(value, self.rules) {
            Text::Some(text) => Some(text.into_owned()),
            Text::Null => None,
            Text::WrongType if self.rules.wrong_type == WrongType::Coerce => Some(self.coerced(value)),
            Text::WrongType => {
                self.problem(key, value, format!("`{key}` must be text; the value is passed over"));
                None
            }
        }
    }

    /// Text, or a list as text with commas, as programs that coerce do it.
    fn joined_text(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        let text = match &value.value {
            Value::Map(_) if self.rules.wrong_type != WrongType::Invalid => Some(self.coerced(value)),
            Value::List(_) => Some(self.coerced(value)),
            Value::Scalar { .. } | Value::Map(_) => self.text(key, value),
        };
        text.filter(|text| !text.is_empty())
    }

    fn coerced(&self, value: &Node<'_>) -> String {
        match &value.value {
            Value::List(items) => items.iter().map(|item| self.coerced(item)).collect::<Vec<_>>().join(","),
            Value::Map(_) => "[object Object]".to_owned(),
            Value::Scalar { .. } => match scalar::text(value, self.rules) {
                Text::Some(text) => text.into_owned(),
                Text::Null | Text::WrongType => String::new(),
            },
        }
    }

    fn boolean(&mut self, key: &str, value: &Node<'_>) -> Option<bool> {
        let found = scalar::boolean(value, self.rules.fields.bools);
        if found.is_none() && !value.is_null() {
            self.problem(key, value, format!("`{key}` is `true` or `false`; the value is passed over"));
        }
        found
    }

    /// Tool rules from a list, or from a text split at commas and blanks outside parentheses.
    fn tools(&mut self, key: &str, value: &Node<'_>) -> Vec<String> {
        match &value.value {
            Value::Scalar { text, .. } => split_tools(text),
            Value::List(items) => items.iter().filter_map(Node::as_text).flat_map(split_tools).collect(),
            Value::Map(_) => {
                self.problem(key, value, format!("`{key}` is a list or a line of tools; the value is passed over"));
                Vec::new()
            }
        }
    }

    fn words(value: &Node<'_>) -> Vec<String> {
        match &value.value {
            Value::List(items) => items.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
            _ => value.as_text().unwrap_or_default().split_whitespace().map(str::to_owned).collect(),
        }
    }

    fn patterns(value: &Node<'_>) -> Vec<String> {
        match &value.value {
            Value::List(items) => items.iter().flat_map(Self::patterns).collect(),
            _ if scalar::is_text(value) => value.as_text().map(split_patterns).unwrap_or_default(),
            _ => Vec::new(),
        }
    }

    fn metadata(&mut self, value: &Node<'_>) -> Result<()> {
        let Some(pairs) = value.as_map() else {
            if value.span.is_empty() {
                return Ok(());
            }
            let problem = self.source.error(&value.span, Code::WrongType, "`metadata` must be a map");
            let problem = problem.help("write `key: value` lines below it, indented");
            if self.rules.fields.is_strict("metadata") {
                return Err(problem);
            }
            self.problems.push(Diagnostic { level: Level::Warning, ..problem });
            return Ok(());
        };
        self.frontmatter.metadata =
            pairs.iter().filter_map(|(key, value)| Some((key.as_text()?.to_owned(), self.written(value)))).collect();
        if let Some(short) = value.get("short-description") {
            let text = self.required_text("metadata.short-description", short)?;
            self.rare.short_description = text.filter(|text| !text.is_empty());
        }
        Ok(())
    }

    fn hooks(&mut self, value: &Node<'_>) -> SkillHooks {
        let read = super::hooks::read(value);
        for (node, message) in read.problems {
            self.problem("hooks", node, message);
        }
        read.hooks
    }

    fn problem(&mut self, key: &str, value: &Node<'_>, message: impl Into<String>) {
        let problem = self.source.error(&value.span, Code::WrongType, message);
        let help = format!("see the fields of the standard and of the hosts for `{key}`");
        self.problems.push(Diagnostic { level: Level::Warning, ..problem.help(help) });
    }

    /// Returns a value as it stands in the file, on one line.
    fn written(&self, value: &Node<'_>) -> String {
        if let Value::Scalar { text, .. } = &value.value {
            text.clone().into_owned()
        } else {
            let written = self.source.file.get(self.source.span(&value.span)).unwrap_or_default();
            crate::text::collapse(written).into_owned()
        }
    }

    fn finish(mut self, first_try: bool) -> Collected {
        if let (SkillContext::Fork { agent_type }, Some(agent)) = (&mut self.rare.context, self.agent.take()) {
            *agent_type = Some(agent);
        }
        if self.rare != RareFields::default() {
            self.frontmatter.rare = Some(Box::new(self.rare));
        }
        let level = match self.rules.fields.unknown {
            UnknownFields::Error => Level::Error,
            UnknownFields::Warn | UnknownFields::Keep => Level::Warning,
        };
        let strangers = self.strangers.iter().filter(|_| first_try);
        let findings = strangers.map(|(key, span)| unknown_field_problem(level, self.source, key, span));
        Collected {
            name: self.name.map(Arc::from),
            description: self.description.map(Arc::from),
            frontmatter: Arc::new(self.frontmatter),
            problems: findings.chain(self.problems).collect(),
        }
    }
}
