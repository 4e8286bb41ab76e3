//! The fields that mean something to some host; takes each out of a frontmatter by its type.

use std::{borrow::Cow, ops::Range, sync::Arc};

use super::parsed::{Result, Source};
use super::scalar::{self, Text, split_tools};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::host::{
    BoolRule, Clean, EmptyText, NameStep, ParseRules, Spelling, UnclearControl, UnknownFields, WrongType,
};
use crate::skill::{Frontmatter, RareFields, SkillContext, SkillHooks};
use crate::text::yaml::{Node, Pair, Value};
use crate::text::{TerminalText, collapse, near};

/// The fields and what is wrong with them. Hosts that take them by the same rules share them.
#[derive(Clone, Debug, Default)]
pub(super) struct Collected {
    pub(super) name: Option<Arc<str>>,
    pub(super) description: Option<Arc<str>>,
    pub(super) frontmatter: Arc<Frontmatter>,
    pub(super) problems: Vec<Diagnostic>,
}

/// Takes the value of a field. One that makes the host refuse the file is noted.
type Take = for<'c> fn(&mut Collector<'c>, &str, &Node<'_>);

/// Every field that has a meaning to some host, as it is written, and how it is taken.
const FIELDS: &[(&str, Take)] = &[
    ("name", |it, key, value| it.name = it.name(key, value)),
    ("description", |it, key, value| it.description = it.description(key, value)),
    ("license", |it, key, value| it.frontmatter.license = it.text(key, value)),
    ("compatibility", |it, key, value| it.frontmatter.compatibility = it.text(key, value)),
    ("metadata", |it, _, value| it.metadata(value)),
    ("allowed-tools", |it, key, value| it.frontmatter.allowed_tools = it.tools(key, value)),
    ("when_to_use", |it, key, value| it.rare.when_to_use = it.joined_text(key, value)),
    ("argument-hint", |it, key, value| it.rare.argument_hint = it.joined_text(key, value)),
    ("arguments", |it, _, value| it.rare.arguments = scalar::words(value)),
    ("disable-model-invocation", |it, key, value| {
        it.frontmatter.disable_model_invocation = it.control(key, value, true);
    }),
    ("user-invocable", |it, key, value| it.frontmatter.user_invocable = it.control(key, value, false)),
    ("disallowed-tools", |it, key, value| it.rare.disallowed_tools = it.tools(key, value)),
    ("model", |it, key, value| it.rare.model = it.text(key, value)),
    ("effort", |it, key, value| it.rare.effort = it.text(key, value)),
    ("context", |it, key, value| it.context(key, value)),
    ("agent", |it, key, value| it.agent = it.text(key, value)),
    ("background", |it, key, value| it.rare.background = it.boolean(key, value)),
    ("hooks", |it, _, value| it.rare.hooks = it.hooks(value)),
    ("paths", |it, _, value| it.rare.paths = scalar::patterns(value)),
    ("shell", |it, key, value| it.rare.shell = it.text(key, value)),
    ("globs", |it, _, value| it.rare.globs = scalar::patterns(value)),
    ("alwaysApply", |it, key, value| it.rare.always_apply = it.boolean(key, value)),
    ("hide", |it, key, value| it.rare.hide = it.control(key, value, true)),
    ("enabled", |it, key, value| it.rare.enabled = it.control(key, value, false)),
];

/// Fields that change what a skill may do, or who may call it.
const CONTROLS: &[&str] =
    &["disable-model-invocation", "user-invocable", "disallowed-tools", "context", "hooks", "paths"];

/// Tells whether two keys are the same but for their spelling.
pub(crate) fn is_alike(left: &str, right: &str) -> bool {
    let plain = |key: &str| {
        let signs = key.bytes().filter(|byte| !b"-_".contains(byte));
        signs.map(|byte| byte.to_ascii_lowercase()).collect::<Vec<_>>()
    };
    left.len().abs_diff(right.len()) <= 2 && plain(left) == plain(right)
}

/// The fields that keep a skill from the model in some host, each with the value that lets the model have it.
pub(super) const CONTROLS_OF_MODEL: &[(&str, bool)] =
    &[("disable-model-invocation", false), ("hide", false), ("enabled", true)];

/// Tells whether a field keeps the skill from the model, here or behind merge keys.
fn keeps_from_model(key: &str, value: &Node<'_>) -> bool {
    if key == "<<" {
        return match &value.value {
            Value::List(items) => items.iter().any(|item| keeps_from_model(key, item)),
            Value::Map(pairs) => {
                pairs.iter().any(|(key, value)| key.as_text().is_some_and(|key| keeps_from_model(key, value)))
            }
            Value::Scalar { .. } => false,
        };
    }
    let opens = |open| scalar::boolean(value, BoolRule::Loose) == Some(open) || value.is_null();
    CONTROLS_OF_MODEL.iter().any(|&(name, open)| is_alike(key, name) && !opens(open))
}

/// Tells whether a field says what holds without it, so that it makes no difference whether an agent reads it.
fn says_nothing(key: &str, value: &Node<'_>) -> bool {
    let usual = match key {
        "disable-model-invocation" => "false",
        "user-invocable" => "true",
        _ => return value.is_null(),
    };
    value.as_text().is_some_and(|text| text.eq_ignore_ascii_case(usual))
}

/// Tells whether a line looks like a field that keeps the skill from the model, wherever it stands.
pub(super) fn line_keeps_from_model(line: &str) -> bool {
    let Some((key, value)) = line.split_once(':') else { return false };
    let value = value.split(" #").next().unwrap_or_default();
    let bare = |text: &str| text.trim_matches(|sign: char| sign.is_whitespace() || "\"'?".contains(sign)).to_owned();
    let node = Node { value: Value::Scalar { text: bare(value).into(), plain: true }, span: 0..0, feature: None };
    keeps_from_model(&bare(key), &node)
}

fn field(key: &str) -> Option<Take> {
    FIELDS.iter().find(|(name, _)| *name == key).map(|(_, take)| *take)
}

/// Tells whether a key has a meaning to some host.
pub(crate) fn is_known_field(key: &str) -> bool {
    field(key).is_some()
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
        refused: None,
    };
    if rules.merge_keys {
        collector.merge(pairs);
    }
    for (key, value) in pairs {
        collector.pair(key, value);
    }
    match collector.refused.take() {
        Some(problem) => Err(problem),
        None => Ok(collector.finish(first)),
    }
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
    strangers: Vec<(String, Range<usize>)>,
    /// The first finding that makes the host refuse the file.
    refused: Option<Diagnostic>,
}

impl Collector<'_> {
    fn merge(&mut self, pairs: &[Pair<'_>]) {
        for (_, value) in pairs.iter().filter(|(key, _)| key.as_text() == Some("<<")) {
            let maps = match &value.value {
                Value::List(items) => items.as_slice(),
                _ => std::slice::from_ref(value),
            };
            let inner = maps.iter().rev().filter_map(Node::as_map).flatten();
            inner.for_each(|(key, value)| self.pair(key, value));
        }
    }

    fn pair(&mut self, key: &Node<'_>, value: &Node<'_>) {
        let Some(key_text) = key.as_text() else { return };
        let canonical = self.canonical(key_text);
        self.frontmatter.keeps_from_model |= keeps_from_model(key_text, value);
        if let Some(name) = value.as_text().filter(|_| key_text == "name") {
            self.frontmatter.declared_name = Some(name.into());
        }
        if key_text == "<<" && self.rules.fields.unclear == UnclearControl::Close && keeps_from_model(key_text, value) {
            self.frontmatter.disable_model_invocation = Some(true);
        }
        let read = &self.rules.fields.read;
        let is_read = read.is_empty() || read.iter().any(|name| *name == canonical);
        if let Some(take) = field(&canonical).filter(|_| is_read) {
            return take(self, &canonical, value);
        }
        if key_text == "<<" {
            self.merge_key(key);
            if self.rules.merge_keys {
                return;
            }
        }
        if !says_nothing(&canonical, value) {
            self.not_read(&canonical, key);
        }
        if self.rules.fields.unknown != UnknownFields::Keep {
            self.strangers.push((key_text.to_owned(), self.source.span(&key.span)));
        }
        // A field that means something elsewhere, but not here, is not unknown.
        if !is_known_field(&canonical) {
            self.frontmatter.unknown.push((key_text.to_owned(), self.written(value)));
        }
    }

    /// Says that fields come from elsewhere, which a reader of the frontmatter does not see at once.
    fn merge_key(&mut self, key: &Node<'_>) {
        let message = match self.rules.merge_keys {
            true => "`<<` brings fields from elsewhere, which are used unless they are written here too",
            false => "`<<` brings fields from elsewhere in other programs; here they are ignored",
        };
        let problem = Diagnostic::warning(Code::MergeKey, message).help("write the fields themselves");
        self.problems.push(problem.at(self.source.file, self.source.span(&key.span)));
    }

    /// Says that a field which changes what a skill may do has no effect in this host.
    fn not_read(&mut self, canonical: &str, key: &Node<'_>) {
        if self.rules.fields.unknown == UnknownFields::Keep && CONTROLS.contains(&canonical) {
            let message = format!("`{canonical}` has no effect in this host");
            let problem = self.source.error(&key.span, Code::FieldNotRead, message);
            let help = "do not rely on it there";
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
                let known = FIELDS.iter().find(|(known, _)| camel_case(known) == camel_case(key));
                Cow::Borrowed(known.map_or(key, |(known, _)| known))
            }
            _ => Cow::Borrowed(key),
        }
    }

    fn context(&mut self, key: &str, value: &Node<'_>) {
        match self.text(key, value).as_deref() {
            Some("fork") => self.rare.context = SkillContext::Fork { agent_type: None },
            Some("inline") | None => {}
            Some(_) => self.problem(key, value, "`context` is `inline` or `fork`"),
        }
    }

    fn name(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        let clean = if self.rules.name.steps.contains(&NameStep::Trim) { Clean::Trim } else { Clean::None };
        self.required_text(key, value).map(|name| scalar::clean(&name, clean).into_owned())
    }

    /// Under loose rules an empty text stands for a value that is there but is not text.
    fn description(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        let text = self.required_text(key, value);
        match self.rules.description.empty {
            EmptyText::Loose => text.or_else(|| Some(String::new())).filter(|_| !scalar::is_falsy(value)),
            _ => text,
        }
    }

    fn required_text(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        let text = match scalar::text(value, self.rules) {
            Text::Some(text) => text,
            Text::Null => {
                let may_be_empty = key == "description" && self.rules.description.empty == EmptyText::Allowed;
                return may_be_empty.then(String::new);
            }
            Text::WrongType if self.rules.wrong_type == WrongType::Coerce => self.coerced(value).into(),
            Text::WrongType => {
                let problem = self.source.error(&value.span, Code::WrongType, format!("`{key}` must be text"));
                self.refuse(problem.help("write one line of text"), self.rules.wrong_type == WrongType::Invalid);
                return None;
            }
        };
        Some(scalar::clean(&text, self.rules.clean).into_owned())
    }

    /// Notes that the host refuses the file, or only ignores a value.
    fn refuse(&mut self, problem: Diagnostic, is_strict: bool) {
        if is_strict {
            self.refused.get_or_insert(problem);
        } else {
            self.problems.push(Diagnostic { level: Level::Warning, ..problem });
        }
    }

    fn text(&mut self, key: &str, value: &Node<'_>) -> Option<String> {
        match scalar::text(value, self.rules) {
            Text::Some(text) => Some(text.into_owned()),
            Text::Null => None,
            Text::WrongType if self.rules.wrong_type == WrongType::Coerce => Some(self.coerced(value)),
            Text::WrongType => {
                self.problem(key, value, format!("`{key}` must be text; the value is ignored"));
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

    /// Reads a field that keeps a skill back if it is `closed`.
    fn control(&mut self, key: &str, value: &Node<'_>, closed: bool) -> Option<bool> {
        let is_unclear = scalar::boolean(value, self.rules.fields.bools).is_none() && !value.is_null();
        if !is_unclear || self.rules.fields.unclear == UnclearControl::Ignore {
            return self.boolean(key, value);
        }
        let message = format!("`{key}` is `true` or `false`; it is taken for `{closed}`, which keeps the skill back");
        self.problem(key, value, message);
        Some(closed)
    }

    fn boolean(&mut self, key: &str, value: &Node<'_>) -> Option<bool> {
        let found = scalar::boolean(value, self.rules.fields.bools);
        if found.is_none() && !value.is_null() {
            self.problem(key, value, format!("`{key}` is `true` or `false`; the value is ignored"));
        }
        found
    }

    /// Tool rules from a list, or from a text split at commas and blanks outside parentheses.
    fn tools(&mut self, key: &str, value: &Node<'_>) -> Vec<String> {
        match &value.value {
            Value::Scalar { text, .. } => split_tools(text),
            Value::List(items) => items.iter().filter_map(Node::as_text).flat_map(split_tools).collect(),
            Value::Map(_) => {
                self.problem(key, value, format!("`{key}` is a list or a line of tools; the value is ignored"));
                Vec::new()
            }
        }
    }

    fn metadata(&mut self, value: &Node<'_>) {
        let Some(pairs) = value.as_map() else {
            if !value.span.is_empty() {
                let problem = self.source.error(&value.span, Code::WrongType, "`metadata` must be a map");
                let problem = problem.help("write `key: value` lines below it, indented");
                self.refuse(problem, self.rules.fields.strict.iter().any(|key| key == "metadata"));
            }
            return;
        };
        self.frontmatter.metadata =
            pairs.iter().filter_map(|(key, value)| Some((key.as_text()?.to_owned(), self.written(value)))).collect();
        if let Some(short) = value.get("short-description") {
            let text = self.required_text("metadata.short-description", short);
            self.rare.short_description = text.filter(|text| !text.is_empty());
        }
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
            collapse(written).into_owned()
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

/// Writes `kebab-case` as `kebabCase`.
fn camel_case(key: &str) -> String {
    let mut parts = key.split('-');
    let mut camel = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        match part.chars().next().filter(char::is_ascii_lowercase) {
            Some(first) => camel.extend([&first.to_ascii_uppercase().to_string(), &part[1..]]),
            None => camel.extend(["-", part]),
        }
    }
    camel
}

fn unknown_field_problem(level: Level, source: Source<'_>, key: &str, span: &Range<usize>) -> Diagnostic {
    let near = near(key, FIELDS.iter().map(|(name, _)| *name));
    let help = match near.first() {
        Some(near) if !is_known_field(key) => format!("did you mean `{near}`?"),
        _ => "leave it if an agent of yours reads it; else move it under `metadata`".to_owned(),
    };
    let message = format!("`{}` is not a field of the standard", TerminalText(key));
    Diagnostic::new(Code::UnknownField, level, message).at(source.file, span.clone()).help(help)
}
