//! Resolves a host's root rules to folders, for one project, its settings and its user.

use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};
use std::sync::Arc;

use super::Root;
use super::surroundings::{Surroundings, same_folder, split_head};
use crate::host::{FolderNames, Host, Layout, RootRule};
use crate::settings::{HostSettings, Origin, Plugin, Setting};

/// Most folders below cwd that are searched for roots that are asleep, and how deep.
const ASLEEP_FOLDERS: usize = 2_000;
const ASLEEP_DEPTH: usize = 6;

/// How far cwd was searched for roots that only a touched file wakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SleepingSearch {
    /// As far as there is something, or not at all because nobody asked.
    #[default]
    Whole,
    /// As far as the limit on folders.
    Limited(usize),
    /// Not at all: cwd is the root of the disk, or holds a home folder, and is no project.
    TooWide,
}

/// Resolves a host's roots, first to last; a folder that stands twice is kept once.
pub fn resolve_roots(host: &Host, settings: &HostSettings, around: &Surroundings) -> Vec<Root> {
    let resolver = Resolver { host, settings, around };
    let mut roots: Vec<Root> = Vec::new();
    // Where the roots of a folder stand: a project can list very many folders.
    let mut known: HashMap<PathBuf, Vec<usize>> = HashMap::new();
    for (rule, place) in resolver.in_turn().into_iter().filter(|(_, place)| place.off().is_none()) {
        let layout = rule.layout.unwrap_or(host.scan.layout);
        let of_folder = known.entry(place.path.clone()).or_default();
        let same = |root: &Root| root.scan.layout == layout && root.rule.overrides == rule.overrides;
        if !of_folder.iter().any(|at| same(&roots[*at])) && !resolver.is_covered(rule, &place.path) {
            of_folder.push(roots.len());
            roots.push(resolver.root(rule, place));
        }
    }
    roots
}

/// A folder that a rule stands for.
struct Place {
    path: PathBuf,
    plugin: Option<Arc<Plugin>>,
    /// Which of the listed plugins that is.
    turn: Option<usize>,
    /// Whether only files of the project name the folder.
    named_by_project: bool,
}

impl Place {
    fn of(path: PathBuf) -> Place {
        Place { path, plugin: None, turn: None, named_by_project: false }
    }

    /// Returns why its plugin is switched off, if it is.
    fn off(&self) -> Option<&String> {
        self.plugin.as_ref()?.off.as_ref()
    }
}

/// A host's rules and what their paths depend on.
pub(crate) struct Resolver<'h> {
    pub(crate) host: &'h Host,
    pub(crate) settings: &'h HostSettings,
    pub(crate) around: &'h Surroundings,
}

impl<'h> Resolver<'h> {
    /// Resolves every rule that is on; rules that belong together take turns at each folder of their walk.
    fn in_turn(&self) -> Vec<(&'h RootRule, Place)> {
        let mut resolved: Vec<(&RootRule, Place)> = Vec::new();
        for some in self.host.roots.chunk_by(|left, right| left.together.is_some() && left.together == right.together) {
            let on = some.iter().filter(|rule| self.is_on(rule));
            let mut walks: Vec<_> = on.map(|rule| (rule, self.places(rule).into_iter())).collect();
            let first = resolved.len();
            loop {
                let before = resolved.len();
                for (rule, walk) in &mut walks {
                    let rule: &RootRule = rule;
                    let most = if some.len() > 1 { 1 } else { usize::MAX };
                    resolved.extend(walk.take(most).map(|place| (rule, place)));
                }
                if resolved.len() == before {
                    break;
                }
            }
            // A rule that skips a plugin must not have its turn at the next one too early.
            resolved[first..].sort_by_key(|(_, place)| place.turn);
            if some.iter().any(|rule| rule.sorted) {
                resolved[first..].sort_by(|(_, left), (_, right)| left.path.cmp(&right.path));
            }
        }
        resolved
    }

    fn is_on(&self, rule: &RootRule) -> bool {
        let is_on = |name: &String| self.host.is_on(name, self.settings);
        (rule.switches.is_empty() || rule.switches.iter().any(is_on)) && rule.needs.iter().all(is_on)
    }

    /// Finds roots that settings switch off, so that what lies there can be named.
    pub(crate) fn roots_off(&self, on: &[Root]) -> Vec<Root> {
        let mut found: Vec<Root> = Vec::new();
        let mut known: HashSet<PathBuf> = on.iter().map(|root| root.path.clone()).collect();
        for rule in self.host.roots.iter().filter(|rule| !rule.needs.is_empty()) {
            let rule_off = (!self.is_on(rule)).then(|| self.why_off(rule));
            for place in self.places(rule) {
                let off = rule_off.as_ref().or(place.off()).cloned();
                let is_new = off.is_some() && !known.contains(&place.path);
                if is_new && place.path.is_dir() && !self.is_covered(rule, &place.path) {
                    known.insert(place.path.clone());
                    found.push(Root { off, ..self.root(rule, place) });
                }
            }
        }
        found
    }

    /// Finds roots below cwd that only a touched file wakes, and says how far it looked.
    pub(crate) fn sleeping_roots(&self, awake: &[Root]) -> (Vec<Root>, SleepingSearch) {
        let rules: Vec<&RootRule> = self.host.roots.iter().filter(|rule| rule.path.starts_with("{below}/")).collect();
        if rules.is_empty() {
            return (Vec::new(), SleepingSearch::Whole);
        }
        if self.around.is_wide() {
            return (Vec::new(), SleepingSearch::TooWide);
        }
        let (folders, search) = folders_below(&self.around.cwd);
        let awake: HashSet<&PathBuf> = awake.iter().map(|root| &root.path).collect();
        let mut found = Vec::new();
        for folder in folders {
            for rule in &rules {
                let path = folder.join(split_head(&rule.path).1);
                if path.is_dir() && !awake.contains(&path) {
                    found.push(Root { asleep: true, ..self.root(rule, Place::of(path)) });
                }
            }
        }
        (found, search)
    }

    fn why_off(&self, rule: &RootRule) -> String {
        let Some(name) = rule.needs.iter().find(|name| !self.host.is_on(name, self.settings)) else {
            return format!("its root is off unless one of `{}` is on", rule.switches.join("`, `"));
        };
        match self.settings.get(name) {
            Some(setting) => format!("its root is switched off: `{name}` in {}", setting.origin),
            None => format!("its root is switched off: `{name}`"),
        }
    }

    fn is_covered(&self, rule: &RootRule, path: &Path) -> bool {
        let other = rule.unless_same.as_ref().and_then(|other| self.around.expand(other, &self.host.vars));
        other.is_some_and(|other| other == path || same_folder(&other, path))
    }

    fn root(&self, rule: &RootRule, place: Place) -> Root {
        let Place { path, plugin, named_by_project, .. } = place;
        let mut scan = self.host.scan.clone();
        scan.layout = rule.layout.unwrap_or(scan.layout);
        scan.folder_links = rule.folder_links.unwrap_or(scan.folder_links);
        scan.root_itself = rule.root_itself.unwrap_or(scan.root_itself);
        scan.hidden = rule.hidden.unwrap_or(scan.hidden);
        scan.inside_skill = rule.inside_skill.unwrap_or(scan.inside_skill);
        scan.ignored = rule.ignored.clone().unwrap_or(scan.ignored);
        if scan.layout == Layout::Flat {
            scan.hidden = FolderNames::Enter;
        }
        let scope = plugin.as_ref().and_then(|plugin| plugin.scope).unwrap_or(rule.scope);
        Root {
            boundary: match named_by_project {
                true => self.around.boundary_of_named(scope, &path),
                false => self.around.boundary(scope, &path, self.base_of(rule, &path)),
            },
            scope,
            named: rule.path == "{added}" || (rule.listed.is_some() && plugin.is_none()),
            rel: self.rel_of(rule, &path),
            rule: Arc::new(rule.clone()),
            path,
            scan,
            plugin,
            asleep: false,
            off: None,
        }
    }

    /// Returns the way from cwd to the folder that a walk stopped at; of an added folder elsewhere, as much of its end as
    /// tells it from the others.
    fn rel_of(&self, rule: &RootRule, path: &Path) -> String {
        let fixed = rule.path.split_once("}/").map_or("", |(_, rest)| rest);
        let walked = path.ancestors().nth(Path::new(fixed).components().count()).unwrap_or(path);
        let below = walked.strip_prefix(&self.around.cwd).ok();
        let rel = match rule.is_added() {
            true => below.map_or_else(|| self.short_end(walked), Path::to_owned),
            false => below.unwrap_or(walked).to_owned(),
        };
        rel.to_string_lossy().into_owned()
    }

    fn short_end(&self, folder: &Path) -> PathBuf {
        let end = |path: &Path, parts: usize| {
            let mut parts: Vec<_> = path.components().rev().take(parts).collect();
            parts.reverse();
            parts.into_iter().collect::<PathBuf>()
        };
        let others: Vec<&PathBuf> = self.around.added.iter().filter(|other| *other != folder).collect();
        let mut ends = (1..=folder.components().count()).map(|parts| (parts, end(folder, parts)));
        let own = ends.find(|(parts, own)| others.iter().all(|other| end(other, *parts) != *own));
        own.map_or_else(|| folder.to_owned(), |(_, own)| own)
    }

    /// Returns the folder that a root belongs to: the added one that it is in, or the root itself.
    fn base_of<'p>(&'p self, rule: &RootRule, path: &'p Path) -> &'p Path {
        let added = self.around.added.iter().filter(|_| rule.is_added());
        added.map(PathBuf::as_path).find(|folder| path.starts_with(folder)).unwrap_or(path)
    }

    fn places(&self, rule: &RootRule) -> Vec<Place> {
        match split_head(&rule.path) {
            ("{listed}", rest) => self.listed(rule, rest),
            _ => self.around.places(&rule.path, &self.host.vars).into_iter().map(Place::of).collect(),
        }
    }

    /// Returns the folders that a setting lists: paths, or installed plugins.
    fn listed(&self, rule: &RootRule, rest: &str) -> Vec<Place> {
        let Some(name) = &rule.listed else { return Vec::new() };
        if let Some(plugins) = self.settings.plugins.get(name) {
            let places = |(turn, plugin)| plugin_places(turn, plugin, rule, rest);
            return plugins.iter().enumerate().flat_map(places).collect();
        }
        let default = self.host.settings.get(name).and_then(|rule| rule.default.as_ref());
        let items = self.settings.get(name).map(|setting| &setting.value).or(default);
        let folders = items.map(|items| self.folders(rule, rest, items)).unwrap_or_default();
        let (of_project, others) = self.named(rule, name, rest);
        let place = |path: PathBuf| Place {
            named_by_project: of_project.contains(&path) && !others.contains(&path),
            ..Place::of(path)
        };
        folders.into_iter().map(place).collect()
    }

    /// Returns the folders that files of the project name in a setting, and those that others name there.
    fn named(&self, rule: &RootRule, name: &str, rest: &str) -> (HashSet<PathBuf>, HashSet<PathBuf>) {
        let is_of_project = |said: &&Setting| match &said.origin {
            Origin::File { path, .. } => self.around.is_of_project(path),
            Origin::Default | Origin::Environment(_) | Origin::CommandLine => false,
        };
        let (of_project, others): (Vec<_>, Vec<_>) = self.settings.said(name).iter().partition(is_of_project);
        let folders =
            |said: Vec<&Setting>| said.iter().flat_map(|said| self.folders(rule, rest, &said.value)).collect();
        (folders(of_project), folders(others))
    }

    /// Returns the folders that the value of a setting names.
    fn folders(&self, rule: &RootRule, rest: &str, items: &toml::Value) -> Vec<PathBuf> {
        let (host, around) = (self.host, self.around);
        let base = rule.listed_from.as_ref().and_then(|from| around.expand(from, &host.vars));
        let base = base.unwrap_or_else(|| around.cwd.clone());
        let mut folders = Vec::new();
        for item in items.as_array().into_iter().flatten().filter_map(toml::Value::as_str) {
            let is_whole = item.starts_with(['~', '/', '$', '{']);
            let whole = if is_whole { around.expand(item, &host.vars) } else { Some(base.join(item)) };
            folders.extend(whole.map(|path| path.join(rest)));
            let plain: PathBuf = Path::new(item).components().filter(|part| *part != Component::CurDir).collect();
            if rule.climbing.iter().any(|climbing| Path::new(climbing) == plain) {
                let above = base.ancestors().skip(1).map(|folder| folder.join(&plain).join(rest));
                folders.extend(above.filter(|path| path.is_dir()));
            }
        }
        // Without dots and slashes at the end, so that a folder that is listed twice is seen to be the same.
        folders.into_iter().map(|path| without_dots(&path)).collect()
    }
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
fn plugin_places(turn: usize, plugin: &Arc<Plugin>, rule: &RootRule, rest: &str) -> Vec<Place> {
    if rule.without_folder.as_ref().is_some_and(|folder| plugin.dir.join(folder).is_dir()) {
        return Vec::new();
    }
    let named = rule.manifest_folders.as_ref();
    let mut folders = Vec::new();
    if !named.is_some_and(|key| plugin.replaced.contains(key)) {
        folders.push(if rest.is_empty() { plugin.dir.clone() } else { plugin.dir.join(rest) });
    }
    folders.extend(named.and_then(|key| plugin.folders.get(key)).into_iter().flatten().cloned());
    let place = |path| Place {
        path,
        plugin: Some(Arc::clone(plugin)),
        turn: Some(turn),
        named_by_project: plugin.named_by_project,
    };
    folders.into_iter().map(place).collect()
}

/// Lists folders below one, breadth first, hidden and very large ones left out.
fn folders_below(top: &Path) -> (Vec<PathBuf>, SleepingSearch) {
    let mut folders: Vec<PathBuf> = vec![top.to_owned()];
    let mut at = 0;
    while at < folders.len() && folders.len() <= ASLEEP_FOLDERS {
        let depth = folders[at].components().count() - top.components().count();
        let entries = std::fs::read_dir(&folders[at]).into_iter().flatten().flatten();
        let wanted = |name: &str| !name.starts_with('.') && !matches!(name, "node_modules" | "target");
        let mut inner: Vec<PathBuf> = entries
            .filter(|entry| depth < ASLEEP_DEPTH && entry.file_type().is_ok_and(|kind| kind.is_dir()))
            .filter(|entry| entry.file_name().to_str().is_some_and(wanted))
            .map(|entry| entry.path())
            .collect();
        inner.sort();
        folders.extend(inner);
        at += 1;
    }
    let is_whole = at == folders.len();
    folders.truncate(ASLEEP_FOLDERS + 1);
    let search = if is_whole { SleepingSearch::Whole } else { SleepingSearch::Limited(ASLEEP_FOLDERS) };
    (folders.split_off(1), search)
}
