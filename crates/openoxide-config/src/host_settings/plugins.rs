//! Finds the plugins that a host's program has installed and enabled.

mod manifest;

use std::cell::{Cell, RefCell};
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use openoxide_skills::diagnostic::Code;
use openoxide_skills::host::{ActivePlugins, Host, ManifestRule, PluginSource};
use openoxide_skills::resource::open_judged;
use openoxide_skills::root::{Boundary, Surroundings};
use openoxide_skills::settings::{Origin, Plugin, Setting};
use openoxide_skills::skill::SkillScope;
use serde_json::{Map, Value as Json};
use toml::Value;

use super::limit;
use crate::workspace::project_root::is_marked;
use crate::{ConfigProblem, document};
use manifest::{Manifest, PluginName, inside};

/// Returns the surroundings in which plugins are looked up: their project may have other markers than the host's.
pub(crate) fn plugin_surroundings(source: &PluginSource, around: &Surroundings) -> Surroundings {
    let marked = |marker: &String| {
        let below_home = around.cwd.ancestors().take_while(|folder| Some(*folder) != around.home.as_deref());
        let within = below_home.take_while(|folder| around.is_below_ceiling(folder));
        within.into_iter().find(|folder| is_marked(folder, marker, &around.cwd)).map(Path::to_owned)
    };
    let mut placed = around.clone();
    if !source.project_markers.is_empty() {
        placed.project = source.project_markers.iter().find_map(marked).unwrap_or_else(|| around.cwd.clone());
    }
    placed
}

/// Finds the plugins of one source, and reads each file once: a project can name very many plugins.
pub(super) struct PluginFinder<'p> {
    source: &'p PluginSource,
    host: &'p Host,
    around: Surroundings,
    problems: RefCell<Vec<ConfigProblem>>,
    /// Lists of plugins and marketplaces by their template.
    lists: RefCell<HashMap<String, Option<Rc<Json>>>>,
    markets: RefCell<HashMap<PathBuf, Rc<Market>>>,
    manifests: RefCell<Manifests>,
    /// How many folders the manifests of all plugins have named so far.
    named: Cell<usize>,
}

/// What the manifest of a marketplace says of each plugin, by its name: where it lies.
type Market = HashMap<String, Option<String>>;

/// Manifests by device and number of their file; one is absent if the program would not load the plugin.
type Manifests = HashMap<(u64, u64), Option<Rc<Manifest>>>;

impl<'p> PluginFinder<'p> {
    pub(super) fn new(source: &'p PluginSource, host: &'p Host, around: &Surroundings) -> PluginFinder<'p> {
        PluginFinder {
            source,
            host,
            around: plugin_surroundings(source, around),
            problems: RefCell::default(),
            lists: RefCell::default(),
            markets: RefCell::default(),
            manifests: RefCell::default(),
            named: Cell::default(),
        }
    }

    fn expand(&self, template: &str) -> Option<PathBuf> {
        self.around.expand(template, &self.host.vars)
    }

    /// Returns the plugins that are installed and enabled. Those of a cache are sorted by folder, the others as listed.
    pub(super) fn enabled(&self, enabled: Option<&Setting>) -> Vec<Arc<Plugin>> {
        let Some(Setting { value: Value::Table(ids), origin }) = enabled else { return Vec::new() };
        let on = ids.iter().filter(|(_, value)| is_enabled(value, self.source.active == ActivePlugins::Named));
        let named = on.filter_map(|(id, _)| {
            let (name, marketplace) = id.rsplit_once('@')?;
            (is_plain(name) && is_plain(marketplace)).then_some((id, name, marketplace))
        });
        let mut plugins: Vec<Plugin> = Vec::new();
        for (at, (id, name, marketplace)) in named.enumerate() {
            if at == limit::MAX {
                self.report_limit(file_of(origin));
                break;
            }
            plugins.extend(self.enabled_one(id, name, marketplace));
        }
        if self.source.cache.is_some() {
            plugins.sort_by(|left, right| left.dir.cmp(&right.dir));
        }
        plugins.into_iter().map(Arc::new).collect()
    }

    fn enabled_one(&self, id: &str, name: &str, marketplace: &str) -> Option<Plugin> {
        let dir = self.cached_folder(name, marketplace).or_else(|| self.listed_folder(id, name, marketplace))?;
        let plugin = self.read_plugin(id, name, dir)?;
        let within = self.source.links_stay.then(|| self.home_of(marketplace, &plugin.dir));
        Some(Plugin { links_within: within, ..plugin })
    }

    /// Returns every installed plugin that is not disabled, in the order of the list; a folder that is listed several times
    /// is one plugin.
    pub(super) fn installed(&self, enabled: Option<&Setting>, users_are_on: bool) -> Vec<Arc<Plugin>> {
        let source = self.source;
        let registry = |file: &String| self.registry(file).unwrap_or_default();
        let others: Vec<Map<String, Json>> = source.unless_in.iter().map(registry).collect();
        let own = source.installed.as_ref().map(registry).unwrap_or_default();
        let off = source.user_switch.as_deref().filter(|_| !users_are_on);
        let is_own = |id: &String| !others.iter().any(|other| other.contains_key(id));
        let listed = own
            .iter()
            .filter(|(id, _)| is_own(id))
            .flat_map(|(id, entries)| entries.as_array().into_iter().flatten().map(move |entry| (id, entry)));
        let mut plugins = Vec::new();
        let mut folders = HashSet::new();
        for (id, entry) in listed {
            let Some((name, _)) = id.rsplit_once('@') else { continue };
            let Some(dir) = self.active_folder(entry, is_switched(enabled, id)) else { continue };
            let own = if is_of_project(entry) { SkillScope::Repo } else { SkillScope::User };
            let scope = source.entries_scope.unwrap_or(own);
            if !folders.insert((dir.clone(), scope)) {
                continue;
            }
            if folders.len() > limit::MAX {
                self.report_limit(source.installed.as_ref().and_then(|file| self.expand(file)));
                break;
            }
            let off = off
                .filter(|_| scope == SkillScope::User)
                .map(|name| format!("its plugin is off unless `{name}` is on"));
            let found = self.named(id, name, dir);
            plugins.extend(found.map(|plugin| Arc::new(Plugin { scope: Some(scope), off, ..plugin })));
        }
        plugins
    }

    /// Says that a list has more plugins than are used.
    fn report_limit(&self, path: Option<PathBuf>) {
        let problem = limit::reached(path, "plugins that are on", "remove the plugins that you do not use");
        self.problems.borrow_mut().push(problem);
    }

    /// Reads a plugin where the list of installed ones says that it lies.
    fn named(&self, id: &str, name: &str, dir: PathBuf) -> Option<Plugin> {
        let list = self.source.installed.as_ref().and_then(|file| self.expand(file))?;
        if !self.around.is_of_project(&list) {
            return self.read_plugin(id, name, dir);
        }
        let boundary = self.around.boundary_of_named(SkillScope::Repo, &dir);
        let plugin = match boundary.resolve(&dir) {
            Some(_) => self.read_plugin(id, name, dir)?,
            // Nothing of it is read, not even its name.
            None => unread_plugin(id, name, dir),
        };
        Some(Plugin { named_by_project: true, ..plugin })
    }

    /// Returns the folder of an entry if it is active here: enabled, and for this project.
    fn active_folder(&self, entry: &Json, switch: Option<bool>) -> Option<PathBuf> {
        let same_project = || {
            let path = std::fs::canonicalize(entry.get("projectPath")?.as_str()?).ok()?;
            (path == std::fs::canonicalize(&self.around.project).ok()?).then_some(())
        };
        let is_here = self.source.active == ActivePlugins::InstalledAnywhere
            || !is_of_project(entry)
            || switch == Some(true)
            || same_project().is_some();
        let is_on = switch != Some(false) && entry.get("enabled") != Some(&Json::Bool(false)) && is_here;
        let dir = entry.get("installPath").and_then(Json::as_str).filter(|path| !path.is_empty());
        dir.filter(|_| is_on).map(|dir| self.around.cwd.join(dir))
    }

    /// Returns the folder of the highest version in the cache.
    fn cached_folder(&self, name: &str, marketplace: &str) -> Option<PathBuf> {
        let folder = self.expand(self.source.cache.as_ref()?)?.join(marketplace).join(name);
        let entries = std::fs::read_dir(&folder).ok()?.flatten();
        let real = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        let versions = real.filter_map(|entry| entry.file_name().into_string().ok());
        versions.max_by(|left, right| compare_versions(left, right)).map(|version| folder.join(version))
    }

    /// Returns the marketplace's folder if a plugin lies in it, else the plugin's own.
    fn home_of(&self, marketplace: &str, dir: &Path) -> PathBuf {
        let market = || {
            let known = self.list(self.source.marketplaces.as_ref()?)?;
            Some(PathBuf::from(known.get(marketplace)?.get("installLocation")?.as_str()?))
        };
        market().filter(|market| dir.starts_with(market)).unwrap_or_else(|| dir.to_owned())
    }

    /// Returns the folder that the list of installed plugins, or a marketplace on disk, names.
    fn listed_folder(&self, id: &str, name: &str, marketplace: &str) -> Option<PathBuf> {
        let source = self.source;
        let markets = self.list(source.marketplaces.as_ref()?)?;
        let known = markets.get(marketplace)?;
        let place = known.get("installLocation").or_else(|| known.pointer("/source/path"))?.as_str()?;
        let market = Path::new(place);
        let market_plugins = self.market(market)?;
        let own = market_plugins.get(name)?;
        if known.pointer("/source/source").and_then(Json::as_str) == Some("directory") {
            return Some(market.join(inside(own.as_ref()?)?)).filter(|dir| dir.is_dir());
        }
        let installed = self.list(source.installed.as_ref()?)?;
        let entries = installed.get("plugins")?.get(id)?;
        let first = entries.as_array().map_or(Some(entries), |entries| {
            entries.iter().find(|entry| entry.get("scope").and_then(Json::as_str) != Some("project"))
        })?;
        Some(PathBuf::from(first.get("installPath")?.as_str()?)).filter(|dir| dir.is_dir())
    }

    /// Reads what a marketplace on disk offers. Of plugins with the same name, the first is it.
    fn market(&self, folder: &Path) -> Option<Rc<Market>> {
        if let Some(known) = self.markets.borrow().get(folder) {
            return Some(Rc::clone(known));
        }
        let manifest = Path::new(self.source.manifests.first()?).with_file_name("marketplace.json");
        let json = self.read_json(&folder.join(manifest), || self.around.boundary_at(folder));
        let plugins = json.as_ref().and_then(|json| json.get("plugins")?.as_array());
        let mut market = Market::new();
        for entry in plugins.into_iter().flatten() {
            let text = |key: &str| entry.get(key).and_then(Json::as_str).map(str::to_owned);
            if let Some(name) = text("name") {
                market.entry(name).or_insert_with(|| text("source"));
            }
        }
        let market = Rc::new(market);
        self.markets.borrow_mut().insert(folder.to_owned(), Rc::clone(&market));
        Some(market)
    }

    /// Reads the manifest of a plugin. Returns `None` if the program would not load the plugin.
    fn read_plugin(&self, id: &str, name: &str, dir: PathBuf) -> Option<Plugin> {
        let source = self.source;
        let manifest = source.manifests.iter().find(|manifest| dir.join(manifest).symlink_metadata().is_ok());
        let mut plugin = unread_plugin(id, name, dir);
        let Some(file) = manifest else { return (source.manifest != ManifestRule::Required).then_some(plugin) };
        if is_linked(&plugin.dir, file) {
            return None;
        }
        let path = plugin.dir.join(file);
        let manifest = self.manifest(&path, &plugin.dir)?;
        plugin.name = match &manifest.name {
            PluginName::Id => plugin.name,
            PluginName::Folder => plugin.dir.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            PluginName::Given(name) => name.clone(),
        };
        for (key, folders) in &manifest.folders {
            let used = self.allot(folders.len(), &path);
            plugin.folders.insert(key.clone(), folders[..used].iter().map(|folder| plugin.dir.join(folder)).collect());
        }
        plugin.replaced.clone_from(&manifest.replaced);
        Some(plugin)
    }

    /// Reads a manifest. Several plugins, and links, can lead to the same file.
    fn manifest(&self, path: &Path, dir: &Path) -> Option<Rc<Manifest>> {
        let boundary = || self.around.boundary_at(dir);
        let opened = open_judged(path, boundary).ok().flatten();
        let file = opened.and_then(|file| file.metadata().ok()).map(|stat| (stat.dev(), stat.ino()));
        if let Some(known) = file.and_then(|file| self.manifests.borrow().get(&file).cloned()) {
            return known;
        }
        let manifest = match self.read_json(path, boundary) {
            Some(json) => Manifest::parse(self.source, &json),
            None => (self.source.manifest == ManifestRule::Loose).then(Manifest::default),
        };
        let manifest = manifest.map(Rc::new);
        if let Some(file) = file {
            self.manifests.borrow_mut().insert(file, manifest.clone());
        }
        manifest
    }

    /// Returns how many of the folders that a manifest names are used, beside those of the plugins before.
    fn allot(&self, wanted: usize, manifest: &Path) -> usize {
        let before = self.named.get();
        let after = before + wanted;
        self.named.set(after);
        if before <= limit::MAX && after > limit::MAX {
            let (what, help) = ("folders that plugins name", "remove the plugins that you do not use");
            self.problems.borrow_mut().push(limit::reached(Some(manifest.to_owned()), what, help));
        }
        wanted.min(limit::MAX.saturating_sub(before))
    }

    /// Reads a list of installed plugins in the form that has a version.
    fn registry(&self, template: &str) -> Option<Map<String, Json>> {
        let json = self.list(template)?;
        json.get("version")?.as_number()?;
        json.get("plugins")?.as_object().cloned()
    }

    /// Reads a list of plugins or marketplaces.
    fn list(&self, template: &str) -> Option<Rc<Json>> {
        if let Some(known) = self.lists.borrow().get(template) {
            return known.clone();
        }
        let path = self.expand(template)?;
        let json = self.read_json(&path, || self.around.boundary_of_file(&path, [template], &self.host.vars));
        let json = json.map(Rc::new);
        self.lists.borrow_mut().insert(template.to_owned(), json.clone());
        json
    }

    /// Reads a file as the program would, which says nothing of one that it cannot use; a file that we do not read is
    /// reported.
    fn read_json(&self, path: &Path, boundary: impl FnOnce() -> Boundary) -> Option<Json> {
        let text = document::read_linked(path, Code::HostFile, boundary).unwrap_or_else(|diagnostic| {
            self.problems.borrow_mut().push(ConfigProblem { path: Some(path.to_owned()), diagnostic });
            None
        });
        serde_json::from_str(&text?).ok()
    }

    /// Returns the problems with the files that were read so far.
    pub(super) fn into_problems(self) -> Vec<ConfigProblem> {
        self.problems.into_inner()
    }
}

fn is_of_project(entry: &Json) -> bool {
    matches!(entry.get("scope").and_then(Json::as_str), Some("local" | "project"))
}

/// Returns the file that a value came from.
fn file_of(origin: &Origin) -> Option<PathBuf> {
    match origin {
        Origin::File { path, .. } => Some(path.clone()),
        Origin::Default | Origin::Environment(_) | Origin::CommandLine => None,
    }
}

/// Tells whether a setting switches a plugin on or off.
fn is_switched(enabled: Option<&Setting>, id: &str) -> Option<bool> {
    enabled?.value.get(id)?.as_bool()
}

fn is_enabled(value: &Value, default: bool) -> bool {
    value.as_bool().or_else(|| value.get("enabled").and_then(Value::as_bool)).unwrap_or(default)
}

fn is_plain(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.is_empty() && !name.starts_with('.') && name.bytes().all(plain)
}

fn unread_plugin(id: &str, name: &str, dir: PathBuf) -> Plugin {
    Plugin {
        name: name.to_owned(),
        id: id.to_owned(),
        dir,
        links_within: None,
        folders: BTreeMap::new(),
        replaced: Vec::new(),
        scope: None,
        off: None,
        named_by_project: false,
    }
}

/// Tells whether a manifest or its folder is a link, which may lead anywhere.
fn is_linked(dir: &Path, manifest: &str) -> bool {
    let path = dir.join(manifest);
    path.is_symlink() || path.parent().is_some_and(|parent| parent != dir && parent.is_symlink())
}

/// Compares the names of version folders: `local` is the highest, versions compare by number, other names as text.
///
/// The `semver` crate would change which folder is found: it orders candidates such as `rc.9` and `rc.10` by number.
fn compare_versions(left: &str, right: &str) -> Ordering {
    match (left == "local", right == "local") {
        (true, false) => Ordering::Greater,
        (false, true) => Ordering::Less,
        _ => match (parse_version(left), parse_version(right)) {
            (Some(left), Some(right)) => left.cmp(&right),
            _ => left.cmp(right),
        },
    }
}

/// Parses `1.2.3`, `1.2.3-rc.1`, `1.2.3+build`; a release is higher than its candidates.
fn parse_version(text: &str) -> Option<([u64; 3], bool, String)> {
    let text = text.split('+').next()?;
    let (numbers, candidate) = text.split_once('-').map_or((text, None), |(numbers, rest)| (numbers, Some(rest)));
    let parsed: Option<Vec<u64>> = numbers.split('.').map(|part| part.parse().ok()).collect();
    let numbers: [u64; 3] = parsed?.try_into().ok()?;
    Some((numbers, candidate.is_none(), candidate.unwrap_or_default().to_owned()))
}

#[cfg(test)]
mod tests;
