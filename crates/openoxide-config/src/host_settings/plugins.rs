//! Finds the plugins that a host's program has installed and enabled.

use std::cell::RefCell;
use std::cmp::Ordering;
use std::collections::{BTreeMap, HashSet};
use std::path::{Component, Path, PathBuf};

use openoxide_skills::diagnostic::{Code, Diagnostic};
use openoxide_skills::host::{ActivePlugins, Host, ManifestRule, PluginSource};
use openoxide_skills::root::{Boundary, Surroundings};
use openoxide_skills::{settings::Plugin, skill::SkillScope};
use serde_json::{Map, Value as Json};
use toml::Value;

use crate::workspace::project_root::is_marked;
use crate::{ConfigProblem, document};

/// The most entries of one list of installed plugins that are used. Each can become a folder to search, and a project can
/// bring such a list.
const MAX_INSTALLED: usize = 1000;

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

/// Finds the plugins of one source.
pub(super) struct PluginFinder<'p> {
    source: &'p PluginSource,
    host: &'p Host,
    around: Surroundings,
    problems: RefCell<Vec<ConfigProblem>>,
}

impl<'p> PluginFinder<'p> {
    pub(super) fn new(source: &'p PluginSource, host: &'p Host, around: &Surroundings) -> PluginFinder<'p> {
        PluginFinder { source, host, around: plugin_surroundings(source, around), problems: RefCell::default() }
    }

    fn expand(&self, template: &str) -> Option<PathBuf> {
        self.around.expand(template, &self.host.vars)
    }

    /// Returns the plugins that are installed and enabled. Those of a cache are sorted by folder, the others as listed.
    pub(super) fn enabled(&self, enabled: Option<&Value>) -> Vec<Plugin> {
        let Some(Value::Table(ids)) = enabled else { return Vec::new() };
        let on = ids.iter().filter(|(_, value)| is_enabled(value, self.source.active == ActivePlugins::Named));
        let mut plugins: Vec<Plugin> = on
            .filter_map(|(id, _)| {
                let (name, marketplace) = id.rsplit_once('@')?;
                if !is_plain(name) || !is_plain(marketplace) {
                    return None;
                }
                let dir =
                    self.cached_folder(name, marketplace).or_else(|| self.listed_folder(id, name, marketplace))?;
                let plugin = self.read_plugin(id, name, dir)?;
                let within = self.source.links_stay.then(|| self.home_of(marketplace, &plugin.dir));
                Some(Plugin { links_within: within, ..plugin })
            })
            .collect();
        if self.source.cache.is_some() {
            plugins.sort_by(|left, right| left.dir.cmp(&right.dir));
        }
        plugins
    }

    /// Returns every installed plugin that is not disabled, in the order of the list; a folder that an id names several times
    /// is one plugin.
    pub(super) fn installed(&self, enabled: Option<&Value>, users_are_on: bool) -> Vec<Plugin> {
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
        let mut named = HashSet::new();
        for (at, (id, entry)) in listed.enumerate() {
            if at == MAX_INSTALLED {
                self.report_limit();
                break;
            }
            let Some((name, _)) = id.rsplit_once('@') else { continue };
            let switch = enabled.and_then(|enabled| enabled.get(id)).and_then(Value::as_bool);
            if switch == Some(false) || !self.is_active(entry, switch) {
                continue;
            }
            let own = if is_of_project(entry) { SkillScope::Repo } else { SkillScope::User };
            let scope = source.entries_scope.unwrap_or(own);
            let dir = entry.get("installPath").and_then(Json::as_str).filter(|path| !path.is_empty());
            let Some(dir) = dir.filter(|dir| named.insert((id, *dir, scope))) else { continue };
            let off = off
                .filter(|_| scope == SkillScope::User)
                .map(|name| format!("its plugin is off unless `{name}` is on"));
            let found = self.named(id, name, self.around.cwd.join(dir));
            plugins.extend(found.map(|plugin| Plugin { scope: Some(scope), off, ..plugin }));
        }
        plugins
    }

    /// Says that a list has more entries than are used.
    fn report_limit(&self) {
        let code = Code::EntryLimit;
        let message = format!("{}: only the first {MAX_INSTALLED} installed plugins count", code.title());
        let diagnostic = Diagnostic::warning(code, message).help("remove the plugins that you do not use");
        let path = self.source.installed.as_ref().and_then(|file| self.expand(file));
        self.problems.borrow_mut().push(ConfigProblem { path, diagnostic });
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

    /// Tells whether an entry is active here: enabled, and for this project.
    fn is_active(&self, entry: &Json, switch: Option<bool>) -> bool {
        let same_project = || {
            let path =
                entry.get("projectPath").and_then(Json::as_str).and_then(|path| std::fs::canonicalize(path).ok());
            path.is_some() && path == std::fs::canonicalize(&self.around.project).ok()
        };
        let is_here = self.source.active == ActivePlugins::InstalledAnywhere
            || !is_of_project(entry)
            || switch == Some(true)
            || same_project();
        entry.get("enabled") != Some(&Json::Bool(false)) && is_here
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
        let known = self.list(source.marketplaces.as_ref()?)?;
        let known = known.get(marketplace)?;
        let place = known.get("installLocation").or_else(|| known.pointer("/source/path"))?.as_str()?;
        let market = Path::new(place);
        let manifest = Path::new(source.manifests.first()?).with_file_name("marketplace.json");
        let manifest = self.read_json(&market.join(manifest), || self.around.boundary_at(market))?;
        let is_it = |entry: &&Json| entry.get("name").and_then(Json::as_str) == Some(name);
        let entry = manifest.get("plugins")?.as_array()?.iter().find(is_it)?;
        if known.pointer("/source/source").and_then(Json::as_str) == Some("directory") {
            return inside(market, entry.get("source")?.as_str()?).filter(|dir| dir.is_dir());
        }
        let installed = self.list(source.installed.as_ref()?)?;
        let entries = installed.get("plugins")?.get(id)?;
        let first = entries.as_array().map_or(Some(entries), |entries| {
            entries.iter().find(|entry| entry.get("scope").and_then(Json::as_str) != Some("project"))
        })?;
        Some(PathBuf::from(first.get("installPath")?.as_str()?)).filter(|dir| dir.is_dir())
    }

    /// Reads the manifest of a plugin. Returns `None` if the program would not load the plugin.
    fn read_plugin(&self, id: &str, name: &str, dir: PathBuf) -> Option<Plugin> {
        let source = self.source;
        let manifest = source.manifests.iter().find(|manifest| dir.join(manifest).symlink_metadata().is_ok());
        let plugin = unread_plugin(id, name, dir);
        let Some(manifest) = manifest else { return (source.manifest != ManifestRule::Required).then_some(plugin) };
        if is_linked(&plugin.dir, manifest) {
            return None;
        }
        let json = match self.read_json(&plugin.dir.join(manifest), || self.around.boundary_at(&plugin.dir)) {
            Some(json) => json,
            None if source.manifest == ManifestRule::Loose => return Some(plugin),
            None => return None,
        };
        let given = match json.get("name") {
            None => None,
            Some(Json::String(name)) => Some(name.clone()).filter(|name| !name.trim().is_empty()),
            Some(_) if source.manifest == ManifestRule::Loose => None,
            Some(_) => return None,
        };
        let allowed = given.as_ref().is_some_and(|name| !name.contains(char::is_whitespace));
        if source.manifest == ManifestRule::Strict && !allowed {
            return None;
        }
        let folder = plugin.dir.file_name().unwrap_or_default().to_string_lossy().into_owned();
        with_folders(source, &json, Plugin { name: given.unwrap_or(folder), ..plugin })
    }

    /// Reads a list of installed plugins in the form that has a version.
    fn registry(&self, template: &str) -> Option<Map<String, Json>> {
        let json = self.list(template)?;
        json.get("version")?.as_number()?;
        json.get("plugins")?.as_object().cloned()
    }

    /// Reads a list of plugins or marketplaces.
    fn list(&self, template: &str) -> Option<Json> {
        let path = self.expand(template)?;
        self.read_json(&path, || self.around.boundary_of_file(&path, [template], &self.host.vars))
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

/// Adds the folders that the manifest names.
fn with_folders(source: &PluginSource, json: &Json, mut plugin: Plugin) -> Option<Plugin> {
    for key in ["skills", "commands"] {
        let paths: Vec<&str> = match json.get(key) {
            Some(Json::String(path)) => vec![path],
            Some(Json::Array(paths)) if paths.iter().all(Json::is_string) => {
                paths.iter().filter_map(Json::as_str).collect()
            }
            Some(_) if source.manifest == ManifestRule::Strict => return None,
            Some(_) | None => continue,
        };
        let allowed =
            |path: &&str| source.manifest == ManifestRule::Loose || (path.starts_with("./") && path.len() > 2);
        let folders: Vec<PathBuf> =
            paths.iter().copied().filter(allowed).filter_map(|path| inside(&plugin.dir, path)).collect();
        if source.manifest == ManifestRule::Strict && folders.len() < paths.len() {
            return None;
        }
        if source.replaces.iter().any(|replaced| replaced == key) && !folders.is_empty() {
            plugin.replaced.push(key.to_owned());
        }
        plugin.folders.insert(key.to_owned(), folders);
    }
    Some(plugin)
}

/// Joins a path that must not lead out of the folder.
fn inside(dir: &Path, path: &str) -> Option<PathBuf> {
    let parts: Vec<Component<'_>> = Path::new(path).components().filter(|part| *part != Component::CurDir).collect();
    let stays = parts.iter().all(|part| matches!(part, Component::Normal(_)));
    stays.then(|| dir.join(parts.iter().collect::<PathBuf>()))
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
mod tests {
    use super::*;

    #[test]
    fn folders_stay_inside_their_plugin() {
        assert_eq!(inside(Path::new("/p"), "./a/b"), Some(PathBuf::from("/p/a/b")));
        assert_eq!(inside(Path::new("/p"), "./../b"), None);
        assert_eq!(inside(Path::new("/p"), "/b"), None);
    }

    /// Returns how many plugins a project's list gives, and the problems that are found.
    fn listed(entries: &[String]) -> (usize, Vec<ConfigProblem>) {
        let context = openoxide_testkit::TestContext::new();
        let list = format!("{{\"version\": 2, \"plugins\": {{\"a@b\": [{}]}}}}", entries.join(","));
        context.tree(&format!("//- project/.omp/plugins/installed_plugins.json\n{list}\n"));
        let environment = crate::Environment {
            cwd: context.project(),
            home: Some(context.home()),
            admin: context.home().join("admin"),
            ..crate::Environment::default()
        };
        let workspace = crate::Workspace::open(environment, crate::Place::default()).unwrap();
        let (view, problems) = workspace.view("omp").unwrap();
        (view.settings.plugins["project_plugins"].len(), problems)
    }

    #[test]
    fn a_list_of_plugins_has_a_limit_and_each_folder_once() {
        let entry = |folder: &str| format!("{{\"installPath\": \"{folder}\", \"scope\": \"project\"}}");
        assert_eq!(listed(&vec![entry("/p"); MAX_INSTALLED]), (1, Vec::new()));
        let different = |number: usize| (0..number).map(|at| entry(&format!("/p/{at}"))).collect::<Vec<_>>();
        assert_eq!(listed(&different(MAX_INSTALLED)), (MAX_INSTALLED, Vec::new()));
        let (found, problems) = listed(&different(MAX_INSTALLED + 1));
        let [problem] = &problems[..] else { panic!("{problems:?}") };
        assert!(found == MAX_INSTALLED && problem.path.as_ref().unwrap().ends_with("installed_plugins.json"));
        let message = "the limit on entries was reached: only the first 1000 installed plugins count";
        assert_eq!((problem.diagnostic.code, problem.diagnostic.message.as_str()), (Code::EntryLimit, message));
    }

    #[test]
    fn versions_compare_by_number() {
        let highest = |versions: &[&str]| {
            versions.iter().copied().max_by(|left, right| compare_versions(left, right)).map(str::to_owned)
        };
        assert_eq!(highest(&["1.9.0", "1.10.0"]).as_deref(), Some("1.10.0"));
        assert_eq!(highest(&["1.9.9", "2.0.0-rc.1"]).as_deref(), Some("2.0.0-rc.1"));
        assert_eq!(highest(&["2.0.0-rc.1", "2.0.0"]).as_deref(), Some("2.0.0"));
        assert_eq!(highest(&["9.0.0", "local"]).as_deref(), Some("local"));
    }
}
