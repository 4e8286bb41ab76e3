//! The catalog: an immutable snapshot of what a host sees: every skill found, and its standing.
//!
//! [`load`] makes one catalog for each view; a folder that several hosts look at is searched once.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use openoxide_permissions::Rules;
use rayon::prelude::*;

use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::discover::{LimitReached, Plan, Survey, survey};
use crate::host::{Host, HostError, HostSpec};
use crate::root::{Root, Surroundings, resolve_roots, roots_off, sleeping_roots};
use crate::settings::HostSettings;
use crate::skill::SkillMetadata;

mod build;
mod filter;
mod memory;
mod order;
mod permission;
mod rank;

pub use memory::{Memory, Touched};
use order::sort_listed;
pub(crate) use order::{collator, compare_by, rank_of, sort_entries};

/// One host's eyes on one project: its rules, settings and roots.
#[derive(Clone, Debug)]
pub struct View {
    /// The host as its folder states it.
    pub spec: HostSpec,
    /// Its rules with settings applied.
    pub host: Host,
    /// Its settings.
    pub settings: HostSettings,
    /// The folders it searches.
    pub roots: Vec<Root>,
    /// What is outside.
    pub around: Arc<Surroundings>,
    /// Rules of the user and the agent; a skill that they deny does not count.
    pub rules: Rules,
}

impl View {
    /// Makes a view from a host, its settings and what is outside; nobody's rules deny anything in it.
    pub fn new(spec: HostSpec, settings: HostSettings, around: Arc<Surroundings>) -> Result<View, HostError> {
        let host = spec.with(&settings)?;
        let roots = resolve_roots(&host, &settings, &around);
        Ok(View { spec, host, settings, roots, around, rules: Rules::default() })
    }

    /// Returns the manifests of plugins above its roots that name its skills, whether or not they are there.
    pub fn manifests_above(&self) -> Vec<PathBuf> {
        memory::manifests_above(self)
    }
}

/// How closely to look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Depth {
    /// What counts, and what was met on the way.
    #[default]
    Quick,
    /// Everything below the roots, also where the host does not look.
    Thorough,
}

/// Whether and why a skill counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    /// It counts.
    Active,
    /// Another skill has its name or is the same file.
    Shadowed,
    /// Somebody switched it off.
    Disabled,
    /// It is not a skill to this host.
    Invalid,
    /// It waits for a file to be touched.
    Dormant,
    /// Permission rules keep it away.
    Denied,
    /// Its folder is not trusted, and it would have taken another's name.
    Untrusted,
}

impl Standing {
    /// Returns the word used in text and JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Standing::Active => "active",
            Standing::Shadowed => "shadowed",
            Standing::Disabled => "disabled",
            Standing::Invalid => "invalid",
            Standing::Dormant => "dormant",
            Standing::Denied => "denied",
            Standing::Untrusted => "untrusted",
        }
    }
}

/// Why a skill does not count.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// The stable code.
    pub code: Code,
    /// One sentence.
    pub text: String,
}

/// One file found, and its standing.
#[derive(Clone, Debug)]
pub struct Entry {
    /// What is known about the skill.
    pub skill: SkillMetadata,
    /// Its file as it was found, if that is another path than the skill's.
    pub(crate) found: Option<Arc<Path>>,
    /// Its file with links resolved, if that is another path than the skill's.
    pub(crate) canonical: Option<Arc<Path>>,
    /// Which of the roots it is in.
    pub root: usize,
    /// The place of its root in lists: that of the first root of its group.
    pub group: usize,
    /// Whether it counts.
    pub standing: Standing,
    /// Why not.
    pub reason: Option<Reason>,
    /// The skill that counts instead.
    pub by: Option<Arc<Path>>,
    /// Whether the model may call it.
    pub model: bool,
    /// Whether the user may call it.
    pub user: bool,
    /// Whether the model sees its name only.
    pub name_only: bool,
    /// Other names that call it.
    pub aliases: Vec<String>,
    /// What is added to the description that the model sees.
    pub note: Option<String>,
    /// The file's size in bytes.
    pub size: u64,
    /// A number that stands for the file's bytes, in catalogs that a [`Memory`] makes.
    pub content: Option<u64>,
    /// Findings about its files.
    pub problems: Vec<Problem>,
}

impl Entry {
    /// Makes the entry of a skill that no search found, because it lies in no folder.
    pub fn alone(skill: SkillMetadata, size: u64) -> Entry {
        Entry {
            skill,
            found: None,
            canonical: None,
            root: 0,
            group: 0,
            standing: Standing::Active,
            reason: None,
            by: None,
            model: true,
            user: true,
            name_only: false,
            aliases: Vec::new(),
            note: None,
            size,
            content: None,
            problems: Vec::new(),
        }
    }

    /// Returns its folder, in the form the host lists.
    pub fn dir(&self) -> &Path {
        self.skill.path.parent().unwrap_or(Path::new("/"))
    }

    /// Returns its file as it was found, links kept.
    pub fn found(&self) -> &Path {
        self.found.as_deref().unwrap_or(&self.skill.path)
    }

    /// Returns its file with links resolved.
    pub fn canonical(&self) -> &Path {
        self.canonical.as_deref().unwrap_or(&self.skill.path)
    }

    /// Tells whether it counts.
    pub fn is_active(&self) -> bool {
        self.standing == Standing::Active
    }
}

/// A finding and the file it is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The file or folder.
    pub path: PathBuf,
    /// What is found.
    pub diagnostic: Diagnostic,
}

/// What one host sees.
#[derive(Clone, Debug)]
pub struct Catalog {
    /// The host's `name` or `name@edition`.
    pub host: String,
    /// Skills that count, in the host's order.
    pub skills: Vec<Entry>,
    /// Everything else that was found, by path.
    pub others: Vec<Entry>,
    /// Findings, by path and place.
    pub problems: Vec<Problem>,
    /// Limits that were reached.
    pub limits: Vec<LimitReached>,
    /// The folders that were searched.
    pub roots: Vec<SearchedRoot>,
}

/// A folder that was searched.
#[derive(Clone, Debug)]
pub struct SearchedRoot {
    /// The folder.
    pub root: Root,
    /// Whether there is such a folder.
    pub exists: bool,
    /// The folder with links resolved.
    pub canonical: PathBuf,
}

impl Catalog {
    /// Returns every entry, those that count first.
    pub fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.skills.iter().chain(&self.others)
    }

    /// Returns the skills that count and those that are switched off, in the host's order.
    pub fn switchable(&self, host: &Host) -> Vec<&Entry> {
        let off = self.others.iter().filter(|entry| entry.standing == Standing::Disabled);
        let mut entries: Vec<&Entry> = self.skills.iter().chain(off).collect();
        if entries.len() > self.skills.len() {
            sort_listed(&mut entries, &host.list.order, &host.collide.rank);
        }
        entries
    }

    /// Finds the entries that a name, a path or else a folder's name means, those that count first.
    pub fn find(&self, wanted: &str) -> Vec<&Entry> {
        let called = self.called(wanted);
        let is_folder = |entry: &&Entry| entry.dir().file_name().is_some_and(|name| name == wanted);
        if called.is_empty() { self.entries().filter(is_folder).collect() } else { called }
    }

    /// Returns what calls this entry and no other that counts: its name, or else its path.
    pub fn call_of(&self, entry: &Entry) -> String {
        let named: Vec<&Entry> = self.find(&entry.skill.name).into_iter().filter(|entry| entry.is_active()).collect();
        match named.as_slice() {
            [only] if only.skill.path == entry.skill.path => entry.skill.name.to_string(),
            _ => crate::text::path_text(&entry.skill.path),
        }
    }

    /// Finds the entries that a name or a path calls, those that count first.
    pub fn called(&self, wanted: &str) -> Vec<&Entry> {
        let path = Path::new(wanted);
        let is_path =
            |entry: &Entry| path.is_absolute() && [&*entry.skill.path, entry.dir(), entry.found()].contains(&path);
        let is_name =
            |entry: &&Entry| *entry.skill.name == *wanted || entry.aliases.iter().any(|alias| alias == wanted);
        let by_path: Vec<&Entry> = self.entries().filter(|entry| is_path(entry)).collect();
        if by_path.is_empty() { self.entries().filter(is_name).collect() } else { by_path }
    }
}

/// Makes the catalog of each view.
pub fn load(views: &[View], depth: Depth) -> Vec<Catalog> {
    let wider = widened(views, depth);
    let views = wider.as_deref().unwrap_or(views);
    let jobs = plan(views, depth == Depth::Thorough);
    let surveys: Vec<Survey> = if jobs.len() > 1 {
        jobs.par_iter().map(|job| survey(&job.path, &job.plan, None)).collect()
    } else {
        jobs.iter().map(|job| survey(&job.path, &job.plan, None)).collect()
    };
    let catalogs = build_all(views, &jobs, &surveys.iter().collect::<Vec<_>>(), false);
    // Taking many small pieces apart takes a while; nobody has to wait for it.
    rayon::spawn(move || drop(surveys));
    catalogs
}

/// Makes the catalog of each view from what was found in its folders.
fn build_all(views: &[View], jobs: &[Job], surveys: &[&Survey], alone: bool) -> Vec<Catalog> {
    let index: HashMap<(&Path, bool), usize> =
        jobs.iter().enumerate().map(|(index, job)| ((job.path.as_path(), job.plan.flat), index)).collect();
    let build = |view: &View| {
        let found = view.roots.iter().map(|root| {
            let at = index[&(root.path.as_path(), root.scan.layout.is_flat())];
            (root, surveys[at], &jobs[at].plan)
        });
        build::build(view, &found.collect::<Vec<_>>(), alone)
    };
    match views.len() > 1 && !alone {
        true => views.par_iter().map(build).collect(),
        false => views.iter().map(build).collect(),
    }
}

/// Returns the views with the roots that are looked at only when everything is to be listed, if there are such.
fn widened(views: &[View], depth: Depth) -> Option<Vec<View>> {
    let counts = |root: &Root| root.asleep.is_none() && root.off.is_none();
    if depth != Depth::Thorough || !views.iter().all(|view| view.roots.iter().all(counts)) {
        return None;
    }
    let wider: Vec<View> = views.iter().map(with_others).collect();
    wider.iter().any(|view| !view.roots.iter().all(counts)).then_some(wider)
}

/// Adds the roots that only a touched file wakes, and those that are switched off, so that nothing in them goes unsaid.
fn with_others(view: &View) -> View {
    let mut view = view.clone();
    let asleep = sleeping_roots(&view.host, &view.around, &view.roots);
    view.roots.extend(asleep);
    let off = roots_off(&view.host, &view.settings, &view.around, &view.roots);
    view.roots.extend(off);
    view
}

/// A folder to search, and what to look at.
struct Job {
    path: PathBuf,
    plan: Plan,
}

/// A folder, whether single files are looked for, and the rules of the hosts that look there.
type Wanted<'v> = ((&'v Path, bool), Vec<(&'v Host, &'v crate::host::ScanRules)>);

fn plan(views: &[View], thorough: bool) -> Vec<Job> {
    let mut wanted: Vec<Wanted<'_>> = Vec::new();
    let mut positions: HashMap<(&Path, bool), usize> = HashMap::new();
    for view in views {
        for root in &view.roots {
            let key = (root.path.as_path(), root.scan.layout.is_flat());
            let position = *positions.entry(key).or_insert_with(|| {
                wanted.push((key, Vec::new()));
                wanted.len() - 1
            });
            wanted[position].1.push((&view.host, &root.scan));
        }
    }
    wanted
        .into_iter()
        .map(|((path, _), needs)| Job { path: path.to_owned(), plan: Plan::new(needs, thorough) })
        .collect()
}

/// Finds the skills below one folder, as [`load`] would for a host with that single root.
///
/// ```no_run
/// # use openoxide_skills::{Hosts, SkillScope, discover_dir};
/// let hosts = Hosts::builtin();
/// let catalog = discover_dir("skills".as_ref(), SkillScope::Repo, &hosts.get("openoxide")?)?;
/// for entry in &catalog.skills {
///     println!("{}: {}", entry.skill.name, entry.skill.description);
/// }
/// # Ok::<(), openoxide_skills::HostError>(())
/// ```
pub fn discover_dir(dir: &Path, source: crate::skill::SkillScope, spec: &HostSpec) -> Result<Catalog, HostError> {
    let around = Surroundings { cwd: dir.to_owned(), project: dir.to_owned(), ..Surroundings::default() };
    let mut view = View::new(spec.clone(), HostSettings::default(), Arc::new(around))?;
    view.roots = vec![Root::plain(dir.to_owned(), source, view.host.scan.clone())];
    Ok(load(&[view], Depth::Quick).remove(0))
}

#[cfg(test)]
mod tests;
