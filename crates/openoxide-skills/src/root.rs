//! Roots: the folders that a host searches, resolved for one project and user.

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use crate::host::{Control, Host, Layout, NameShape, RootRule, ScanRules};
use crate::settings::{HostSettings, Plugin};
use crate::skill::SkillScope;

mod asleep;

pub(crate) use asleep::sleeping_roots;

/// Everything about the outside that bears on skills, handed in as values.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Surroundings {
    /// The folder that was started in, absolute.
    pub cwd: PathBuf,
    /// The project's root: cwd or a folder above it.
    pub project: PathBuf,
    /// The user's home.
    pub home: Option<PathBuf>,
    /// Environment variables.
    pub variables: BTreeMap<String, String>,
    /// Folders added on the command line, absolute.
    pub added: Vec<PathBuf>,
    /// Files that were read or edited, absolute.
    pub touched: Vec<PathBuf>,
    /// Whether the user trusts the project.
    pub trusted: bool,
}

/// A folder that is searched.
#[derive(Clone, Debug)]
pub struct Root {
    /// The folder.
    pub path: PathBuf,
    /// Whose it is.
    pub scope: SkillScope,
    /// The provider that people know the place by.
    pub provider: Option<String>,
    /// Whether only a part of the agent looks here.
    pub narrow: bool,
    /// The group that it is listed with.
    pub group: Option<String>,
    /// How it is searched.
    pub scan: ScanRules,
    /// The plugin it belongs to.
    pub plugin: Option<Plugin>,
    /// How a skill is called whose name is taken, with `{name}`.
    pub on_clash: Option<String>,
    /// What is added to the description that the model sees.
    pub note: Option<String>,
    /// The same for a skill whose name is taken, with `{name}`.
    pub note_on_clash: Option<String>,
    /// Whether the model sees only skills with a description of their own.
    pub described_only: bool,
    /// Whether settings that name skills have no effect here.
    pub unfiltered: bool,
    /// Whether a skill here gives way to one of the same name elsewhere in its plugin.
    pub yields: bool,
    /// What stands in for a missing description.
    pub description_empty: Option<String>,
    /// Controls that have no effect here.
    pub without: Vec<Control>,
    /// Whether somebody named the folder, so that it ought to be there.
    pub named: bool,
    /// What wakes it, if it is asleep: the folder in which a file has to be touched.
    pub asleep: Option<String>,
    /// Why it is switched off, if it is; such a root is searched only to name what does not count.
    pub off: Option<String>,
    /// Whether a skill here without a description of its own is invalid.
    pub description_required: bool,
    /// Whether descriptions here become one line of plain text.
    pub plain_descriptions: bool,
    /// Whether a skill here takes its name from roots before this one.
    pub overrides: bool,
    /// What a name here must look like.
    pub names: Option<NameShape>,
}

/// How often a name may stand for another.
const EXPAND_DEPTH: usize = 8;

impl Root {
    /// Makes a root without any particulars.
    pub fn plain(path: PathBuf, scope: SkillScope, scan: ScanRules) -> Root {
        Root {
            path,
            scope,
            scan,
            provider: None,
            narrow: false,
            group: None,
            plugin: None,
            on_clash: None,
            note: None,
            note_on_clash: None,
            described_only: false,
            unfiltered: false,
            yields: false,
            description_empty: None,
            without: Vec::new(),
            named: false,
            asleep: None,
            off: None,
            description_required: false,
            plain_descriptions: false,
            overrides: false,
            names: None,
        }
    }
}

impl Surroundings {
    /// Expands `~`, `${VAR}`, `${VAR:-default}` and names from `vars` in a path without a walk; the result is whole.
    pub fn expand(&self, template: &str, vars: &BTreeMap<String, String>) -> Option<PathBuf> {
        self.expand_at(template, vars, 0)
    }

    fn expand_at(&self, template: &str, vars: &BTreeMap<String, String>, depth: usize) -> Option<PathBuf> {
        // Names that stand for each other would never end.
        if depth > EXPAND_DEPTH {
            return None;
        }
        let (head, rest) = split_head(template);
        let base = match head {
            "~" => self.home.clone()?,
            "{project}" => self.project.clone(),
            "{cwd}" => self.cwd.clone(),
            _ if head.starts_with("${") => self.variable(head, vars, depth)?,
            _ if head.starts_with('{') => self.expand_at(vars.get(head.trim_matches(['{', '}']))?, vars, depth + 1)?,
            _ => return Some(self.cwd.join(template)),
        };
        Some(if rest.is_empty() { base } else { base.join(rest) })
    }

    /// What somebody else put into a variable is a path, not a template; only a leading `~` means something.
    fn variable(&self, head: &str, vars: &BTreeMap<String, String>, depth: usize) -> Option<PathBuf> {
        let inner = head.strip_prefix("${")?.strip_suffix('}')?;
        let (name, default) = inner.split_once(":-").map_or((inner, None), |(name, default)| (name, Some(default)));
        match self.variables.get(name).filter(|value| !value.is_empty()) {
            Some(value) => match value.strip_prefix("~/") {
                Some(rest) => Some(self.home.as_ref()?.join(rest)),
                None => Some(self.cwd.join(value)),
            },
            None => self.expand_at(default?, vars, depth + 1),
        }
    }

    /// Returns the folders that a path stands for, in order: one, or as many as its walk meets.
    pub fn places(&self, template: &str, vars: &BTreeMap<String, String>) -> Vec<PathBuf> {
        let (head, rest) = split_head(template);
        let folders = match head {
            "{up}" => self.up(),
            "{down}" => self.up().into_iter().rev().collect(),
            "{top}" => self.cwd.ancestors().map(Path::to_owned).collect(),
            "{below}" => self.below(),
            "{added}" => self.added.clone(),
            _ => return self.expand(template, vars).into_iter().collect(),
        };
        folders.into_iter().map(|folder| folder.join(rest)).collect()
    }

    /// Returns the folders from cwd up to the project's root, nearest first.
    pub fn up(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for folder in self.cwd.ancestors() {
            folders.push(folder.to_owned());
            if folder == self.project {
                break;
            }
        }
        if folders.last() == Some(&self.project) { folders } else { vec![self.cwd.clone()] }
    }

    /// Returns the folders between cwd and each touched file, outermost first, without cwd itself.
    fn below(&self) -> Vec<PathBuf> {
        let mut folders = Vec::new();
        for file in &self.touched {
            let inner: Vec<&Path> = file.ancestors().skip(1).take_while(|folder| *folder != self.cwd).collect();
            if file.starts_with(&self.cwd) {
                folders.extend(inner.into_iter().rev().map(Path::to_owned));
            }
        }
        let mut seen = std::collections::HashSet::new();
        folders.retain(|folder| seen.insert(folder.clone()));
        folders
    }
}

/// Splits a template into its first placeholder or segment and the rest.
fn split_head(template: &str) -> (&str, &str) {
    let end = if template.starts_with("${") { closing(template) } else { template.find('/') };
    let (head, rest) = template.split_at(end.unwrap_or(template.len()));
    (head, rest.trim_start_matches('/'))
}

/// Returns where the first placeholder ends; its default may hold another one.
fn closing(template: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, character) in template.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 1 => return Some(at + 1),
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    None
}

/// Resolves a host's roots, first to last; a folder that stands twice is kept once.
pub fn resolve_roots(host: &Host, settings: &HostSettings, around: &Surroundings) -> Vec<Root> {
    let mut roots: Vec<Root> = Vec::new();
    let is_off = |plugin: &Option<Plugin>| plugin.as_ref().is_some_and(|plugin| plugin.off.is_some());
    for (rule, path, plugin) in in_turn(host, settings, around).into_iter().filter(|(.., plugin)| !is_off(plugin)) {
        let layout = rule.layout.unwrap_or(host.scan.layout);
        let same = |root: &Root| root.path == path && root.scan.layout == layout && root.overrides == rule.overrides;
        let taken = roots.iter().any(same);
        if !taken && !is_covered(host, around, rule, &path) {
            roots.push(root(host, around, rule, path, plugin));
        }
    }
    roots
}

/// A rule and one of the folders it stands for.
type Resolved<'h> = (&'h RootRule, PathBuf, Option<Plugin>);

/// Resolves every rule that is on; rules that belong together take turns at each folder of their walk.
fn in_turn<'h>(host: &'h Host, settings: &HostSettings, around: &Surroundings) -> Vec<Resolved<'h>> {
    let mut resolved: Vec<Resolved<'h>> = Vec::new();
    for some in host.roots.chunk_by(|left, right| left.together.is_some() && left.together == right.together) {
        let on = some.iter().filter(|rule| is_on(host, settings, rule));
        let mut walks: Vec<_> = on.map(|rule| (rule, places(host, settings, around, rule).into_iter())).collect();
        let first = resolved.len();
        loop {
            let before = resolved.len();
            for (rule, walk) in &mut walks {
                let rule: &RootRule = rule;
                let step = if some.len() > 1 { walk.next().into_iter().collect() } else { walk.collect::<Vec<_>>() };
                resolved.extend(step.into_iter().map(|(path, plugin)| (rule, path, plugin)));
            }
            if resolved.len() == before {
                break;
            }
        }
        // A rule that passes over a plugin must not have its turn at the next one too early.
        if let Some(plugins) = some[0].listed.as_ref().and_then(|name| settings.plugins.get(name)) {
            let of = |(.., own): &Resolved<'_>| plugins.iter().position(|plugin| own.as_ref() == Some(plugin));
            resolved[first..].sort_by_key(of);
        }
        if some.iter().any(|rule| rule.sorted) {
            resolved[first..].sort_by(|left, right| left.1.cmp(&right.1));
        }
    }
    resolved
}

fn is_on(host: &Host, settings: &HostSettings, rule: &RootRule) -> bool {
    let default = |name: &String| {
        let rule = host.settings.get(name);
        rule.and_then(|rule| rule.default.as_ref()).and_then(toml::Value::as_bool).unwrap_or(false)
    };
    let is_on = |name: &String| settings.is_on(name, default(name));
    (rule.switches.is_empty() || rule.switches.iter().any(is_on)) && rule.needs.iter().all(is_on)
}

/// Finds roots that settings switch off, so that what lies there can be named.
pub(crate) fn roots_off(host: &Host, settings: &HostSettings, around: &Surroundings, on: &[Root]) -> Vec<Root> {
    let mut found: Vec<Root> = Vec::new();
    for rule in host.roots.iter().filter(|rule| !rule.needs.is_empty()) {
        let rule_off = (!is_on(host, settings, rule)).then(|| why_off(host, settings, rule));
        for (path, plugin) in places(host, settings, around, rule) {
            let off = rule_off.clone().or_else(|| plugin.as_ref().and_then(|plugin| plugin.off.clone()));
            let known = on.iter().chain(&found).any(|root| root.path == path);
            if off.is_some() && !known && path.is_dir() && !is_covered(host, around, rule, &path) {
                found.push(Root { off, ..root(host, around, rule, path, plugin) });
            }
        }
    }
    found
}

fn why_off(host: &Host, settings: &HostSettings, rule: &RootRule) -> String {
    let alone = |name: &String| RootRule { switches: Vec::new(), needs: vec![name.clone()], ..rule.clone() };
    match rule.needs.iter().find(|name| !is_on(host, settings, &alone(name))) {
        Some(name) => match settings.get(name) {
            Some(setting) => format!("its root is switched off: `{name}` in {}", setting.origin),
            None => format!("its root is switched off: `{name}`"),
        },
        None => format!("its root is off unless one of `{}` is on", rule.switches.join("`, `")),
    }
}

fn is_covered(host: &Host, around: &Surroundings, rule: &RootRule, path: &Path) -> bool {
    let other = rule.unless_same.as_ref().and_then(|other| around.expand(other, &host.vars));
    other.is_some_and(|other| other == path || same_folder(&other, path))
}

fn same_folder(left: &Path, right: &Path) -> bool {
    match (std::fs::canonicalize(left), std::fs::canonicalize(right)) {
        (Ok(left), Ok(right)) => left == right,
        _ => false,
    }
}

fn root(host: &Host, around: &Surroundings, rule: &RootRule, path: PathBuf, plugin: Option<Plugin>) -> Root {
    let mut scan = host.scan.clone();
    scan.layout = rule.layout.unwrap_or(scan.layout);
    scan.folder_links = rule.folder_links.unwrap_or(scan.folder_links);
    scan.root_itself = rule.root_itself.unwrap_or(scan.root_itself);
    scan.hidden = rule.hidden.unwrap_or(scan.hidden);
    scan.inside_skill = rule.inside_skill.unwrap_or(scan.inside_skill);
    scan.ignored = rule.ignored.clone().unwrap_or(scan.ignored);
    if scan.layout == Layout::Flat {
        scan.hidden = crate::host::FolderNames::Enter;
    }
    let scope = plugin.as_ref().and_then(|plugin| plugin.scope);
    let rel = rel_of(around, rule, &path);
    let fill = |template: &Option<String>| template.as_ref().map(|template| template.replace("{rel}", &rel));
    Root {
        named: rule.path == "{added}" || (rule.listed.is_some() && plugin.is_none()),
        provider: rule.provider.clone(),
        narrow: rule.narrow,
        group: rule.group.clone(),
        plugin,
        on_clash: fill(&rule.on_clash),
        note: fill(&rule.note),
        note_on_clash: fill(&rule.note_on_clash),
        described_only: rule.described_only,
        unfiltered: rule.unfiltered,
        yields: rule.yields,
        description_empty: rule.description_empty.clone(),
        without: rule.without.clone(),
        scope: scope.unwrap_or(rule.scope),
        description_required: rule.description_required,
        plain_descriptions: rule.plain_descriptions,
        overrides: rule.overrides,
        names: rule.names.clone(),
        ..Root::plain(path, rule.scope, scan)
    }
}

/// Returns the way from cwd to the folder that a walk stopped at.
fn rel_of(around: &Surroundings, rule: &RootRule, path: &Path) -> String {
    let fixed = rule.path.split_once("}/").map_or("", |(_, rest)| rest);
    let walked = path.ancestors().nth(Path::new(fixed).components().count()).unwrap_or(path);
    walked.strip_prefix(&around.cwd).unwrap_or(walked).to_string_lossy().into_owned()
}

/// Returns the folders a rule stands for.
fn places(
    host: &Host,
    settings: &HostSettings,
    around: &Surroundings,
    rule: &RootRule,
) -> Vec<(PathBuf, Option<Plugin>)> {
    let (head, rest) = split_head(&rule.path);
    match head {
        "{listed}" => listed(host, settings, around, rule, rest),
        _ => around.places(&rule.path, &host.vars).into_iter().map(|path| (path, None)).collect(),
    }
}

/// Returns the folders that a setting lists: paths, or installed plugins.
fn listed(
    host: &Host,
    settings: &HostSettings,
    around: &Surroundings,
    rule: &RootRule,
    rest: &str,
) -> Vec<(PathBuf, Option<Plugin>)> {
    let Some(name) = &rule.listed else { return Vec::new() };
    if let Some(plugins) = settings.plugins.get(name) {
        return plugins.iter().flat_map(|plugin| plugin_folders(plugin, rule, rest)).collect();
    }
    let default = host.settings.get(name).and_then(|rule| rule.default.as_ref());
    let items = settings.get(name).map(|setting| &setting.value).or(default).and_then(toml::Value::as_array);
    let base = rule.listed_from.as_ref().and_then(|from| around.expand(from, &host.vars));
    let base = base.unwrap_or_else(|| around.cwd.clone());
    let mut folders = Vec::new();
    for item in items.into_iter().flatten().filter_map(toml::Value::as_str) {
        let whole = if item.starts_with(['~', '/', '$', '{']) {
            around.expand(item, &host.vars)
        } else {
            Some(base.join(item))
        };
        folders.extend(whole.map(|path| path.join(rest)));
        let plain: PathBuf = Path::new(item).components().filter(|part| *part != Component::CurDir).collect();
        if rule.climbing.iter().any(|climbing| Path::new(climbing) == plain) {
            let above = base.ancestors().skip(1).map(|folder| folder.join(&plain).join(rest));
            folders.extend(above.filter(|path| path.is_dir()));
        }
    }
    // Without dots and slashes at the end, so that a folder that is listed twice is seen to be the same.
    folders.into_iter().map(|path| (without_dots(&path), None)).collect()
}

/// Resolves `.` and `..` by the text of a path alone.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::ParentDir => drop(plain.pop()),
            Component::CurDir => {}
            part => plain.push(part),
        }
    }
    plain
}

/// Returns the folders of a plugin that a rule stands for: the usual one, and those that the manifest names.
fn plugin_folders(plugin: &Plugin, rule: &RootRule, rest: &str) -> Vec<(PathBuf, Option<Plugin>)> {
    if rule.without_folder.as_ref().is_some_and(|folder| plugin.dir.join(folder).is_dir()) {
        return Vec::new();
    }
    let named = rule.manifest_folders.as_ref();
    let mut folders = Vec::new();
    if !named.is_some_and(|key| plugin.replaced.contains(key)) {
        folders.push(if rest.is_empty() { plugin.dir.clone() } else { plugin.dir.join(rest) });
    }
    folders.extend(named.and_then(|key| plugin.folders.get(key)).into_iter().flatten().cloned());
    folders.into_iter().map(|folder| (folder, Some(plugin.clone()))).collect()
}
