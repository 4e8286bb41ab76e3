//! Reads the metadata file beside a skill: interface, dependencies, policy, permissions.
//!
//! A bad value costs that value, or the whole file where the host is so strict; never the skill.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use crate::diagnostic::{Code, Diagnostic};
use crate::host::{SidecarBad, SidecarRules};
use crate::parse::is_alike;
use crate::skill::{PermissionsProfile, SkillDependencies, SkillInterface, SkillPolicy, ToolDependency};
use crate::text::yaml::{self, Node, Value};
use crate::text::{collapse, yaml_value::plain_bool};

/// Longest short text, in characters.
const SHORT: usize = 64;
/// Longest text, in characters.
const LONG: usize = 1024;

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) interface: Option<Box<SkillInterface>>,
    pub(crate) dependencies: Option<SkillDependencies>,
    pub(crate) policy: SkillPolicy,
    pub(crate) permissions: Option<Box<PermissionsProfile>>,
    /// Whether the file keeps the skill from the model as a careful reader takes it, even where the host drops the file.
    pub(crate) keeps_from_model: bool,
}

/// Reads a metadata file of the skill in `dir`, which may belong to the plugin in `plugin`.
pub(crate) fn read(
    bytes: &[u8],
    dir: &Path,
    plugin: Option<&Path>,
    rules: &SidecarRules,
) -> (Metadata, Vec<Diagnostic>) {
    // What cannot be read may still say that the model is to keep off.
    let unread = || Metadata { keeps_from_model: mentions(bytes, BY_ITSELF), ..Metadata::default() };
    let Ok(text) = std::str::from_utf8(bytes) else { return (unread(), vec![invalid("it is not UTF-8 text")]) };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = match yaml::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let problem = invalid(&format!("it is not valid YAML: {}", error.message));
            return (unread(), vec![problem.at(text, error.offset..error.offset + 1)]);
        }
    };
    let plugin = plugin.filter(|_| rules.plugin_assets);
    let mut reader = SidecarReader { text, dir, plugin, rules, problems: Vec::new(), wrong: false };
    let metadata = reader.metadata(&root);
    let is_dropped = reader.wrong && rules.bad == SidecarBad::File;
    let metadata = if is_dropped { Metadata::default() } else { metadata };
    (Metadata { keeps_from_model: keeps_from_model(&root), ..metadata }, reader.problems)
}

/// Returns what a metadata file says that is there and cannot be read: perhaps that the model is to keep off.
pub(crate) fn unreadable() -> Metadata {
    Metadata { keeps_from_model: true, ..Metadata::default() }
}

/// Tells whether the bytes of a metadata file keep its skill from the model, whatever else is in them.
pub(crate) fn keeps_off(bytes: &[u8]) -> bool {
    let text = std::str::from_utf8(bytes).ok().map(|text| text.strip_prefix('\u{feff}').unwrap_or(text));
    match text.and_then(|text| yaml::parse(text).ok()) {
        Some(root) => keeps_from_model(&root),
        None => mentions(bytes, BY_ITSELF),
    }
}

/// The key that says whether the model may call the skill by itself.
const BY_ITSELF: &str = "allow_implicit_invocation";

fn mentions(bytes: &[u8], key: &str) -> bool {
    bytes.windows(key.len()).any(|part| part.eq_ignore_ascii_case(key.as_bytes()))
}

/// Tells whether the key says anything but yes, at its place or behind merge keys.
fn keeps_from_model(node: &Node<'_>) -> bool {
    match &node.value {
        Value::Scalar { .. } => false,
        Value::List(items) => items.iter().any(keeps_from_model),
        Value::Map(pairs) => pairs.iter().any(|(key, value)| match key.as_text().unwrap_or_default() {
            "policy" | "<<" => keeps_from_model(value),
            key => is_alike(key, BY_ITSELF) && plain_bool(value) != Some(true) && !value.is_null(),
        }),
    }
}

pub(crate) fn invalid(why: &str) -> Diagnostic {
    Diagnostic::warning(Code::SidecarInvalid, format!("the metadata file is ignored: {why}"))
        .help("fix the file; the skill itself loads without it")
}

/// Follows a relative path from `dir`, if it ends below `folder`.
fn below(folder: &Path, dir: &Path, parts: &[Component<'_>]) -> Option<PathBuf> {
    let mut path = dir.to_owned();
    for part in parts {
        match part {
            Component::Normal(name) => path.push(name),
            Component::ParentDir if path.pop() => {}
            _ => return None,
        }
    }
    (path.starts_with(folder) && path != folder).then_some(path)
}

struct SidecarReader<'r> {
    text: &'r str,
    dir: &'r Path,
    plugin: Option<&'r Path>,
    rules: &'r SidecarRules,
    problems: Vec<Diagnostic>,
    /// Whether a value had a wrong type, which some hosts punish.
    wrong: bool,
}

impl SidecarReader<'_> {
    fn metadata(&mut self, root: &Node<'_>) -> Metadata {
        if root.as_map().is_none() && !root.is_null() {
            self.problems.push(invalid("it is not a map").at(self.text, root.span.clone()));
            self.wrong = true;
            return Metadata::default();
        }
        self.duplicates(root);
        Metadata {
            interface: self.map(root, "interface").and_then(|node| self.interface(node)),
            dependencies: self.map(root, "dependencies").and_then(|node| self.dependencies(node)),
            policy: self.map(root, "policy").map(|node| self.policy(node)).unwrap_or_default(),
            permissions: self.permissions(root),
            keeps_from_model: false,
        }
    }

    fn duplicates(&mut self, node: &Node<'_>) {
        let pairs = node.as_map().unwrap_or_default();
        for (index, (key, _)) in pairs.iter().enumerate() {
            if pairs[..index].iter().any(|(earlier, _)| earlier.as_text() == key.as_text()) {
                self.wrong::<()>(key.as_text().unwrap_or("a key"), &key.span, "there once");
            }
        }
    }

    fn map<'n>(&mut self, root: &'n Node<'n>, key: &str) -> Option<&'n Node<'n>> {
        let node = root.get_some(key)?;
        if node.as_map().is_none() {
            return self.wrong(key, &node.span, "a map");
        }
        self.duplicates(node);
        Some(node)
    }

    fn interface(&mut self, node: &Node<'_>) -> Option<Box<SkillInterface>> {
        let interface = SkillInterface {
            display_name: self.line(node, "display_name", SHORT),
            short_description: self.line(node, "short_description", LONG),
            icon_small: self.icon(node, "icon_small"),
            icon_large: self.icon(node, "icon_large"),
            brand_color: self.color(node),
            default_prompt: self.line(node, "default_prompt", LONG),
        };
        (interface != SkillInterface::default()).then(|| Box::new(interface))
    }

    fn dependencies(&mut self, node: &Node<'_>) -> Option<SkillDependencies> {
        let tools = node.get("tools").filter(|tools| !tools.span.is_empty())?;
        let Value::List(items) = &tools.value else {
            return self.wrong("dependencies.tools", &tools.span, "a list");
        };
        let tools: Vec<ToolDependency> = items.iter().filter_map(|item| self.tool(item)).collect();
        (!tools.is_empty()).then_some(SkillDependencies { tools })
    }

    fn tool(&mut self, node: &Node<'_>) -> Option<ToolDependency> {
        if node.span.is_empty() {
            return None;
        }
        if node.as_map().is_none() {
            return self.wrong("dependencies.tools", &node.span, "a list of maps");
        }
        self.duplicates(node);
        if let Some(oauth) = node.get_some("oauth") {
            self.login(oauth);
        }
        let tool = ToolDependency {
            kind: self.line(node, "type", SHORT).unwrap_or_default(),
            value: self.line(node, "value", LONG).unwrap_or_default(),
            description: self.line(node, "description", LONG),
            transport: self.line(node, "transport", SHORT),
            command: self.line(node, "command", LONG),
            url: self.line(node, "url", LONG),
        };
        if tool.kind.is_empty() || tool.value.is_empty() {
            return self.dropped("dependencies.tools", &node.span, "an item needs `type` and `value`");
        }
        Some(tool)
    }

    /// Looks whether what is said about logging in to a server can be read. Nothing here uses it; a host that drops
    /// the whole file for one wrong value drops it for this one too.
    fn login(&mut self, oauth: &Node<'_>) {
        if oauth.as_map().is_none() {
            self.wrong::<()>("oauth", &oauth.span, "a map");
        }
        self.duplicates(oauth);
        let ports = ["callbackPort", "callback_port"].map(|key| oauth.get(key));
        if ports.iter().all(Option::is_some) {
            self.wrong::<()>("oauth.callbackPort", &oauth.span, "there once");
        }
        for port in ports.into_iter().flatten().filter(|port| !port.is_null() && !is_port(port)) {
            self.wrong::<()>("oauth.callbackPort", &port.span, "a port");
        }
    }

    fn policy(&mut self, node: &Node<'_>) -> SkillPolicy {
        let mut policy = SkillPolicy::default();
        if let Some(allow) = node.get_some("allow_implicit_invocation") {
            let key = "policy.allow_implicit_invocation";
            // What is not clear closes.
            let allowed = plain_bool(allow).or_else(|| self.wrong(key, &allow.span, "`true` or `false`"));
            policy.allow_implicit_invocation = allowed.unwrap_or(false);
        }
        if let Some(products) = node.get("products").filter(|products| !products.span.is_empty()) {
            policy.products = match &products.value {
                Value::List(items) => items.iter().filter_map(|item| self.product(item)).collect(),
                _ => self.wrong("policy.products", &products.span, "a list").unwrap_or_default(),
            };
        }
        policy
    }

    fn product(&mut self, node: &Node<'_>) -> Option<String> {
        let text = node.as_text().unwrap_or_default();
        let known = &self.rules.products;
        let lower = text.to_ascii_lowercase();
        let spelled = lower == text || text.to_ascii_uppercase() == text;
        if known.is_empty() || spelled && known.contains(&lower) {
            return Some(lower);
        }
        self.wrong("policy.products", &node.span, "a list of known products")
    }

    /// Reads what the skill asks to be allowed. A bad value costs itself alone: no program that drops the file for one
    /// knows this key.
    fn permissions(&mut self, root: &Node<'_>) -> Option<Box<PermissionsProfile>> {
        let node = root.get_some("permissions")?;
        let mut profile = PermissionsProfile::default();
        let Some(pairs) = said(node) else {
            return self.dropped("permissions", &node.span, "it must be a map");
        };
        for (key, value) in pairs {
            match said(value).filter(|_| matches!(key, "file_system" | "network")) {
                Some(inner) => {
                    inner.for_each(|(inner, value)| self.permission((key, Some(inner)), value, &mut profile));
                }
                None => self.permission((key, None), value, &mut profile),
            }
        }
        (profile != PermissionsProfile::default()).then(|| Box::new(profile))
    }

    /// Reads one key, or one of the keys below it. Limits beside `network.enabled` are kept, for they are not enforced.
    fn permission(&mut self, key: (&str, Option<&str>), value: &Node<'_>, profile: &mut PermissionsProfile) {
        match key {
            ("file_system", Some("read")) => {
                profile.file_system_read = self.paths("permissions.file_system.read", value);
            }
            ("file_system", Some("write")) => {
                profile.file_system_write = self.paths("permissions.file_system.write", value);
            }
            ("file_system", None) => {
                self.dropped::<()>("permissions.file_system", &value.span, "it must be a map with `read` and `write`");
            }
            ("network", None) => profile.network = self.switch("permissions.network", value),
            ("network", Some("enabled")) => profile.network = self.switch("permissions.network.enabled", value),
            ("approval_policy", _) => profile.approval_policy = self.word("permissions.approval_policy", value),
            (other, None) => self.keep(other.to_owned(), value, profile),
            (outer, Some(inner)) => self.keep(format!("{outer}.{inner}"), value, profile),
        }
    }

    /// Keeps what has no effect here as it is written, so that people see it.
    fn keep(&mut self, key: String, node: &Node<'_>, profile: &mut PermissionsProfile) {
        let written = collapse(self.text.get(node.span.clone()).unwrap_or_default());
        profile.other.insert(key, written.chars().take(LONG).collect());
    }

    fn switch(&mut self, key: &str, node: &Node<'_>) -> Option<bool> {
        plain_bool(node).or_else(|| self.dropped(key, &node.span, "it must be `true` or `false`"))
    }

    fn word(&mut self, key: &str, node: &Node<'_>) -> Option<String> {
        let word = node.as_text().map(str::trim).filter(|word| !word.is_empty() && word.chars().count() <= SHORT);
        word.map(str::to_owned).or_else(|| self.dropped(key, &node.span, "it must be a word"))
    }

    fn paths(&mut self, key: &str, node: &Node<'_>) -> Vec<String> {
        let why = "it must be a list of paths";
        let Value::List(items) = &node.value else {
            return self.dropped(key, &node.span, why).unwrap_or_default();
        };
        let path = |item: &Node<'_>| item.as_text().filter(|path| !path.is_empty()).map(str::to_owned);
        items.iter().filter_map(|item| path(item).or_else(|| self.dropped(key, &item.span, why))).collect()
    }

    /// Returns the value of a key, and its text, which it must have.
    fn text<'n>(&mut self, node: &'n Node<'n>, key: &str, wanted: &str) -> Option<(&'n Node<'n>, &'n str)> {
        let value = node.get_some(key)?;
        let text = value.as_text().or_else(|| self.wrong(key, &value.span, wanted))?;
        Some((value, text))
    }

    fn line(&mut self, node: &Node<'_>, key: &str, max: usize) -> Option<String> {
        let (value, text) = self.text(node, key, "text")?;
        let text = collapse(text);
        if text.is_empty() || text.chars().count() > max {
            return self.dropped(key, &value.span, &format!("it must have 1 to {max} characters"));
        }
        Some(text.into_owned())
    }

    fn color(&mut self, node: &Node<'_>) -> Option<String> {
        let (value, text) = self.text(node, "brand_color", "text")?;
        let digits = text.trim().strip_prefix('#').filter(|digits| digits.len() == 6);
        match digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit())) {
            Some(digits) => Some(format!("#{digits}")),
            None => self.dropped("brand_color", &value.span, "it must be `#RRGGBB`"),
        }
    }

    fn icon(&mut self, node: &Node<'_>, key: &str) -> Option<PathBuf> {
        let (value, text) = self.text(node, key, "a path")?;
        let parts: Vec<Component<'_>> =
            Path::new(text).components().filter(|part| *part != Component::CurDir).collect();
        let inside = parts.first() == Some(&Component::Normal("assets".as_ref()))
            && parts.iter().all(|part| matches!(part, Component::Normal(_)));
        let icon = match inside {
            true => Some(self.dir.join(parts.iter().collect::<PathBuf>())),
            false => self.plugin.and_then(|plugin| below(&plugin.join("assets"), self.dir, &parts)),
        };
        icon.or_else(|| self.dropped(key, &value.span, "it must lie in `assets/`"))
    }

    /// Reports a value of a wrong type, and returns none in its place.
    fn wrong<T>(&mut self, key: &str, span: &Range<usize>, wanted: &str) -> Option<T> {
        self.wrong = true;
        self.dropped(key, span, &format!("it must be {wanted}"))
    }

    /// Reports a value that is ignored, and returns none in its place.
    fn dropped<T>(&mut self, key: &str, span: &Range<usize>, why: &str) -> Option<T> {
        let message = format!("`{key}` is ignored: {why}");
        let problem = Diagnostic::warning(Code::SidecarField, message).at(self.text, span.clone());
        self.problems.push(problem.help("fix the value, or remove it"));
        None
    }
}

/// Returns the pairs of a map that have a value.
fn said<'n>(node: &'n Node<'n>) -> Option<impl Iterator<Item = (&'n str, &'n Node<'n>)>> {
    let pairs = node.as_map()?.iter().filter(|(_, value)| !value.is_null());
    Some(pairs.map(|(key, value)| (key.as_text().unwrap_or_default(), value)))
}

fn is_port(node: &Node<'_>) -> bool {
    let Value::Scalar { text, plain: true } = &node.value else { return false };
    let number = if let Some(digits) = text.strip_prefix("0x") {
        u16::from_str_radix(digits, 16)
    } else if let Some(digits) = text.strip_prefix("0o") {
        u16::from_str_radix(digits, 8)
    } else if text.len() > 1 && text.trim_start_matches('+').starts_with('0') {
        return false;
    } else {
        text.parse()
    };
    number.is_ok()
}

#[cfg(test)]
mod tests;
