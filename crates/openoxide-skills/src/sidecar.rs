//! Reads the metadata file beside a skill: interface, dependencies, policy, permissions.
//!
//! A bad value costs that value, or the whole file where the host is so strict; never the skill.

use std::ops::Range;
use std::path::{Component, Path, PathBuf};

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::host::{SidecarBad, SidecarRules};
use crate::skill::{PermissionsProfile, SkillDependencies, SkillInterface, SkillPolicy, ToolDependency};
use crate::text::collapse;
use crate::text::yaml::{self, Node, Value};

/// Longest short text, in characters.
const SHORT: usize = 64;
/// Longest text, in characters.
const LONG: usize = 1024;

/// What a metadata file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Metadata {
    pub(crate) interface: Option<Box<SkillInterface>>,
    pub(crate) dependencies: Option<SkillDependencies>,
    pub(crate) policy: SkillPolicy,
    pub(crate) permissions: Option<Box<PermissionsProfile>>,
}

/// Reads a metadata file of the skill in `dir`, which may belong to the plugin in `plugin`.
pub(crate) fn read(
    bytes: &[u8],
    dir: &Path,
    plugin: Option<&Path>,
    rules: &SidecarRules,
) -> (Metadata, Vec<Diagnostic>) {
    let Ok(text) = std::str::from_utf8(bytes) else {
        return (Metadata::default(), vec![invalid("it is not UTF-8 text")]);
    };
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let root = match yaml::parse(text) {
        Ok(root) => root,
        Err(error) => {
            let problem = invalid(&format!("it is not valid YAML: {}", error.message));
            return (Metadata::default(), vec![problem.at(text, error.offset..error.offset + 1)]);
        }
    };
    let plugin = plugin.filter(|_| rules.plugin_assets);
    let mut reader = Reader { text, dir, plugin, rules, problems: Vec::new(), wrong: false };
    let metadata = reader.metadata(&root);
    if reader.wrong && rules.bad == SidecarBad::File {
        return (Metadata::default(), reader.problems);
    }
    (metadata, reader.problems)
}

pub(crate) fn invalid(why: &str) -> Diagnostic {
    Diagnostic::warning(Code::SidecarInvalid, format!("the metadata file is passed over: {why}"))
        .help("mend the file; the skill itself loads without it")
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

struct Reader<'r> {
    text: &'r str,
    dir: &'r Path,
    plugin: Option<&'r Path>,
    rules: &'r SidecarRules,
    problems: Vec<Diagnostic>,
    /// Whether a value had a wrong type, which some hosts punish.
    wrong: bool,
}

impl Reader<'_> {
    fn metadata(&mut self, root: &Node<'_>) -> Metadata {
        if !matches!(root.value, Value::Map(_)) && !root.is_null() {
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
        }
    }

    fn duplicates(&mut self, node: &Node<'_>) {
        let Value::Map(pairs) = &node.value else { return };
        for (index, (key, _)) in pairs.iter().enumerate() {
            if pairs[..index].iter().any(|(earlier, _)| earlier.as_text() == key.as_text()) {
                self.wrong(key.as_text().unwrap_or("a key"), &key.span, "there once");
            }
        }
    }

    fn map<'n>(&mut self, root: &'n Node<'n>, key: &str) -> Option<&'n Node<'n>> {
        let node = root.get(key)?;
        if matches!(node.value, Value::Map(_)) {
            self.duplicates(node);
            return Some(node);
        }
        if !node.is_null() {
            self.wrong(key, &node.span, "a map");
        }
        None
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
        let tools = node.get("tools")?;
        let Value::List(items) = &tools.value else {
            if !tools.span.is_empty() {
                self.wrong("dependencies.tools", &tools.span, "a list");
            }
            return None;
        };
        let tools: Vec<ToolDependency> = items.iter().filter_map(|item| self.tool(item)).collect();
        (!tools.is_empty()).then_some(SkillDependencies { tools })
    }

    fn tool(&mut self, node: &Node<'_>) -> Option<ToolDependency> {
        if !matches!(node.value, Value::Map(_)) {
            if !node.span.is_empty() {
                self.wrong("dependencies.tools", &node.span, "a list of maps");
            }
            return None;
        }
        self.duplicates(node);
        self.login(node);
        let tool = ToolDependency {
            kind: self.line(node, "type", SHORT).unwrap_or_default(),
            value: self.line(node, "value", LONG).unwrap_or_default(),
            description: self.line(node, "description", LONG),
            transport: self.line(node, "transport", SHORT),
            command: self.line(node, "command", LONG),
            url: self.line(node, "url", LONG),
        };
        if tool.kind.is_empty() || tool.value.is_empty() {
            self.dropped("dependencies.tools", &node.span, "an item needs `type` and `value`");
            return None;
        }
        Some(tool)
    }

    /// Looks whether what is said about logging in to a server can be read. Nothing here uses it; a host that drops
    /// the whole file for one wrong value drops it for this one too.
    fn login(&mut self, node: &Node<'_>) {
        let Some(oauth) = node.get("oauth").filter(|oauth| !oauth.is_null()) else { return };
        if !matches!(oauth.value, Value::Map(_)) {
            return self.wrong("oauth", &oauth.span, "a map");
        }
        self.duplicates(oauth);
        let ports = ["callbackPort", "callback_port"].map(|key| oauth.get(key));
        if ports.iter().all(Option::is_some) {
            self.wrong("oauth.callbackPort", &oauth.span, "there once");
        }
        for port in ports.into_iter().flatten().filter(|port| !port.is_null() && !is_port(port)) {
            self.wrong("oauth.callbackPort", &port.span, "a port");
        }
    }

    fn policy(&mut self, node: &Node<'_>) -> SkillPolicy {
        let mut policy = SkillPolicy::default();
        if let Some(allow) = node.get("allow_implicit_invocation").filter(|node| !node.is_null()) {
            match plain_bool(allow) {
                Some(allow) => policy.allow_implicit_invocation = allow,
                None => self.wrong("policy.allow_implicit_invocation", &allow.span, "`true` or `false`"),
            }
        }
        if let Some(products) = node.get("products") {
            match &products.value {
                Value::List(items) => policy.products = items.iter().filter_map(|item| self.product(item)).collect(),
                _ if products.span.is_empty() => {}
                _ => self.wrong("policy.products", &products.span, "a list"),
            }
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
        self.wrong("policy.products", &node.span, "a list of known products");
        None
    }

    /// Reads what the skill asks to be allowed. A bad value costs itself alone: no program that drops the file for one
    /// knows this key.
    fn permissions(&mut self, root: &Node<'_>) -> Option<Box<PermissionsProfile>> {
        let node = root.get("permissions").filter(|node| !node.is_null())?;
        let mut profile = PermissionsProfile::default();
        let Value::Map(pairs) = &node.value else {
            self.dropped("permissions", &node.span, "it must be a map");
            return None;
        };
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_null()) {
            match key.as_text().unwrap_or_default() {
                "file_system" => self.file_system(value, &mut profile),
                "network" => self.network(value, &mut profile),
                "approval_policy" => profile.approval_policy = self.word("permissions.approval_policy", value),
                other => self.keep(other.to_owned(), value, &mut profile),
            }
        }
        (profile != PermissionsProfile::default()).then(|| Box::new(profile))
    }

    fn file_system(&mut self, node: &Node<'_>, profile: &mut PermissionsProfile) {
        let Value::Map(pairs) = &node.value else {
            return self.dropped("permissions.file_system", &node.span, "it must be a map with `read` and `write`");
        };
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_null()) {
            match key.as_text().unwrap_or_default() {
                "read" => profile.file_system_read = self.paths("permissions.file_system.read", value),
                "write" => profile.file_system_write = self.paths("permissions.file_system.write", value),
                other => self.keep(format!("file_system.{other}"), value, profile),
            }
        }
    }

    /// Reads `network: true` or `network: { enabled: true }`; limits beside it are kept, for they are not enforced.
    fn network(&mut self, node: &Node<'_>, profile: &mut PermissionsProfile) {
        let Value::Map(pairs) = &node.value else {
            profile.network = self.switch("permissions.network", node);
            return;
        };
        for (key, value) in pairs.iter().filter(|(_, value)| !value.is_null()) {
            match key.as_text().unwrap_or_default() {
                "enabled" => profile.network = self.switch("permissions.network.enabled", value),
                other => self.keep(format!("network.{other}"), value, profile),
            }
        }
    }

    /// Keeps what has no effect here as it is written, so that people see it.
    fn keep(&mut self, key: String, node: &Node<'_>, profile: &mut PermissionsProfile) {
        let written = collapse(self.text.get(node.span.clone()).unwrap_or_default());
        profile.other.insert(key, written.chars().take(LONG).collect());
    }

    fn switch(&mut self, key: &str, node: &Node<'_>) -> Option<bool> {
        let value = plain_bool(node);
        if value.is_none() {
            self.dropped(key, &node.span, "it must be `true` or `false`");
        }
        value
    }

    fn word(&mut self, key: &str, node: &Node<'_>) -> Option<String> {
        let word = node.as_text().map(str::trim).filter(|word| !word.is_empty() && word.chars().count() <= SHORT);
        if word.is_none() {
            self.dropped(key, &node.span, "it must be a word");
        }
        word.map(str::to_owned)
    }

    fn paths(&mut self, key: &str, node: &Node<'_>) -> Vec<String> {
        let Value::List(items) = &node.value else {
            self.dropped(key, &node.span, "it must be a list of paths");
            return Vec::new();
        };
        let mut paths = Vec::new();
        for item in items {
            match item.as_text().filter(|path| !path.is_empty()) {
                Some(path) => paths.push(path.to_owned()),
                None => self.dropped(key, &item.span, "it must be a list of paths"),
            }
        }
        paths
    }

    fn line(&mut self, node: &Node<'_>, key: &str, max: usize) -> Option<String> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        let Some(text) = value.as_text() else {
            self.wrong(key, &value.span, "text");
            return None;
        };
        let text = collapse(text);
        if text.is_empty() || text.chars().count() > max {
            self.dropped(key, &value.span, &format!("it must have 1 to {max} characters"));
            return None;
        }
        Some(text.into_owned())
    }

    fn color(&mut self, node: &Node<'_>) -> Option<String> {
        let value = node.get("brand_color").filter(|value| !value.is_null())?;
        let Some(text) = value.as_text() else {
            self.wrong("brand_color", &value.span, "text");
            return None;
        };
        let text = text.trim();
        let is_color =
            text.len() == 7 && text.starts_with('#') && text[1..].bytes().all(|byte| byte.is_ascii_hexdigit());
        if !is_color {
            self.dropped("brand_color", &value.span, "it must be `#RRGGBB`");
        }
        is_color.then(|| text.to_owned())
    }

    fn icon(&mut self, node: &Node<'_>, key: &str) -> Option<PathBuf> {
        let value = node.get(key).filter(|value| !value.is_null())?;
        let Some(text) = value.as_text() else {
            self.wrong(key, &value.span, "a path");
            return None;
        };
        let parts: Vec<Component<'_>> =
            Path::new(text).components().filter(|part| *part != Component::CurDir).collect();
        let inside = parts.first() == Some(&Component::Normal("assets".as_ref()))
            && parts.iter().all(|part| matches!(part, Component::Normal(_)));
        let icon = match inside {
            true => Some(self.dir.join(parts.iter().collect::<PathBuf>())),
            false => self.plugin.and_then(|plugin| below(&plugin.join("assets"), self.dir, &parts)),
        };
        if icon.is_none() {
            self.dropped(key, &value.span, "it must lie in `assets/`");
        }
        icon
    }

    fn wrong(&mut self, key: &str, span: &Range<usize>, wanted: &str) {
        self.wrong = true;
        self.dropped(key, span, &format!("it must be {wanted}"));
    }

    fn dropped(&mut self, key: &str, span: &Range<usize>, why: &str) {
        let message = format!("`{key}` is passed over: {why}");
        let problem = Diagnostic::warning(Code::SidecarField, message).at(self.text, span.clone());
        self.problems.push(problem.help("mend the value, or remove it"));
    }
}

/// Tells whether a value is a whole number that a port can have.
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

fn plain_bool(node: &Node<'_>) -> Option<bool> {
    match &node.value {
        Value::Scalar { text, plain: true } => match text.as_ref() {
            "true" | "True" | "TRUE" => Some(true),
            "false" | "False" | "FALSE" => Some(false),
            _ => None,
        },
        _ => None,
    }
}

#[cfg(test)]
mod tests;
