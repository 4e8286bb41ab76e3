//! Makes a catalog from what searches found: entries first, then their status, then their order.

use std::path::{Path, PathBuf};
use std::{collections::HashSet, sync::Arc};

use rayon::prelude::*;

use super::{
    Catalog, Entry, FolderPlaces, KnownPlugins, Problem, SearchedRoot, Status, View, filter, permission, rank,
    sort_entries,
};
use crate::diagnostic::{Code, Diagnostic, Level};
use crate::discover::{Candidate, FileFact, LimitReached, Plan, Reason, Survey, select};
use crate::host::{Host, Layout, NameShape, PathForm, PluginPrefix, Situation};
use crate::namespace::{Namespaces, qualify};
use crate::root::{Root, SleepingSearch};
use crate::{parse::Parsed, sidecar, skill::SkillMetadata};

/// Makes the catalog of one view from its roots, in order, and what was found there.
///
/// With `alone` no other thread helps: that takes longer, and less of everyone's time.
pub(super) fn build(view: &View, found: &[(&Root, &Survey, &Plan)], alone: bool) -> Catalog {
    let surveys = found.iter().map(|(_, survey, _)| *survey);
    let mut builder = Builder {
        view,
        alone,
        namespaces: Namespaces::new(&view.host.namespace, &view.around, surveys),
        entries: Vec::new(),
        problems: Vec::new(),
        reported: HashSet::new(),
        limits: Vec::new(),
    };
    for (index, (root, survey, plan)) in found.iter().enumerate() {
        builder.root(index, root, survey, plan);
    }
    let roots = found.iter().map(|&(root, survey, _)| SearchedRoot {
        root: root.clone(),
        exists: survey.exists,
        canonical: survey.canonical.clone(),
        mounts: survey.mounts.clone(),
        embedded: survey.embedded.clone(),
    });
    builder.sleeping_search();
    builder.finish(roots.collect())
}

/// Fewer candidates than this are not worth a second thread.
const PARALLEL_FROM: usize = 256;

enum Prefixes {
    Same(Option<String>),
    Each(Vec<Option<String>>),
}

struct Builder<'b> {
    view: &'b View,
    alone: bool,
    namespaces: Namespaces<'b>,
    entries: Vec<Entry>,
    problems: Vec<Problem>,
    /// Where something was found wrong with a folder, links resolved.
    reported: HashSet<(PathBuf, Code)>,
    limits: Vec<LimitReached>,
}

impl Builder<'_> {
    fn root(&mut self, index: usize, root: &Root, survey: &Survey, plan: &Plan) {
        let mut selection = select(survey, &root.scan);
        let has_twin = self.has_twin(root);
        selection.candidates.retain(|candidate| {
            let is_of_other = has_twin && is_of_twin(root, survey, candidate);
            !is_of_other && !self.is_of_inner_root(root, survey, candidate)
        });
        for (code, limit) in selection.limits {
            let (what, help) = match code {
                Code::TextLimit => ("bytes of frontmatters are kept", "remove what is not a skill"),
                _ => ("were looked at", "split the folder, or raise the limit"),
            };
            self.reached(root, (code, limit), what, help);
        }
        for (path, problem) in &survey.problems {
            // Two roots may lead to the same place, which is wrong only once.
            let real = path.strip_prefix(&survey.root).map_or_else(|_| path.clone(), |rel| survey.canonical.join(rel));
            if self.reported.insert((real, problem.code)) {
                self.problems.push(Problem { path: path.clone(), diagnostic: problem.clone() });
            }
        }
        let reader = plan.readers.position(&self.view.host.parse);
        let prefixes = self.prefixes(root, survey, &selection.candidates);
        let make = |(number, candidate): (usize, &Candidate)| {
            let prefix = match &prefixes {
                Prefixes::Same(prefix) => prefix.as_deref(),
                Prefixes::Each(each) => each[number].as_deref(),
            };
            let file = &survey.folders[candidate.folder].files[candidate.file];
            let parsed = file.parsed.get(reader).map(AsRef::as_ref);
            self.entry(&Found { index, root, survey, candidate, file, parsed }, prefix)
        };
        let is_worth_it = selection.candidates.len() >= PARALLEL_FROM && !self.alone;
        let entries: Vec<Entry> = match is_worth_it {
            true => selection.candidates.par_iter().enumerate().with_min_len(64).map(make).collect(),
            false => selection.candidates.iter().enumerate().map(make).collect(),
        };
        if self.entries.is_empty() { self.entries = entries } else { self.entries.extend(entries) }
    }

    /// Tells whether a file that this root does not take belongs to another root inside it.
    fn is_of_inner_root(&self, root: &Root, survey: &Survey, candidate: &Candidate) -> bool {
        let folder = &survey.folders[candidate.folder].path;
        let is_inner = |other: &Root| other.path != root.path && other.path.starts_with(&root.path);
        candidate.refused.is_some()
            && self.view.roots.iter().any(|other| is_inner(other) && folder.starts_with(&other.path))
    }

    /// Tells whether another root is the same folder: one takes folders, the other single files.
    fn has_twin(&self, root: &Root) -> bool {
        self.view.roots.iter().any(|other| other.path == root.path && is_files(other) != is_files(root))
    }

    fn prefixes(&mut self, root: &Root, survey: &Survey, candidates: &[Candidate]) -> Prefixes {
        if let Some(plugin) = &root.plugin {
            let has_prefix = self.view.host.namespace.plugins != PluginPrefix::None;
            return Prefixes::Same(has_prefix.then(|| plugin.name.clone()));
        }
        if let Some(same) = self.namespaces.same_for_all(survey) {
            return Prefixes::Same(same);
        }
        let each = candidates.iter().map(|candidate| {
            let canonical = candidate.canonical(survey);
            self.namespaces.prefix_of(canonical.parent().unwrap_or(Path::new("/")), &survey.canonical)
        });
        Prefixes::Each(each.collect())
    }

    fn entry(&self, found: &Found<'_>, prefix: Option<&str>) -> Entry {
        let (host, root, file) = (&self.view.host, found.root, found.file);
        let path = Arc::clone(&file.path);
        let linked = found.survey.folders[found.candidate.folder].canonical.is_some() || file.link.is_some();
        let canonical = linked.then(|| Arc::from(found.candidate.canonical(found.survey)));
        let canonical = canonical.filter(|canonical| *canonical != path);
        let strayed = canonical.as_deref().and_then(|canonical| strayed(root, canonical));
        let (path, as_found, canonical) = match (host.list.path, canonical) {
            (_, None) => (path, None, None),
            (PathForm::Canonical, Some(canonical)) => (canonical, Some(path), None),
            (PathForm::AsFound, Some(canonical)) => (path, None, Some(canonical)),
        };
        let bare = name_of(host, found);
        let name = match prefix {
            Some(prefix) => self.qualified(found, prefix, &bare),
            None => Arc::clone(&bare),
        };
        let aliases = aliases(host, found, &bare, &name);
        let (metadata, mut problems) = self.sidecar(found, canonical.as_deref().unwrap_or(&path));
        let skill = skill(host, found, name, path, metadata);
        let too_long = prefix.and_then(|_| self.too_long(&skill.name));
        let unfit = unfit(root, &skill).or_else(|| unfit_file(host, root, &skill));
        let own = found.parsed.map_or(&[][..], |parsed| parsed.problems.as_slice());
        let error = own.iter().find(|problem| problem.is_error());
        if found.candidate.refused.is_none() {
            let unfit = unfit.iter().filter(|_| error.is_none());
            let all = own.iter().chain(file.problem.as_deref()).chain(&too_long).chain(unfit);
            let about = |problem: &Diagnostic| Problem { path: skill.path.to_path_buf(), diagnostic: problem.clone() };
            problems.extend(all.map(about));
        }
        let reason = found.candidate.refused.clone().or(strayed).or_else(|| {
            let blocking = file.problem.as_deref().or(error).or(too_long.as_ref()).or(unfit.as_ref())?;
            Some(Reason { code: blocking.code, text: blocking.message.clone() })
        });
        Entry {
            found: as_found,
            canonical,
            root: found.index,
            group: self.group(found),
            status: if reason.is_some() { Status::Invalid } else { Status::Active },
            reason,
            aliases,
            note: self.note(root),
            content: file.content,
            problems,
            ..Entry::alone(skill, file.size)
        }
    }

    fn note(&self, root: &Root) -> Option<String> {
        let note = root.rule.on_clash.as_ref().and_then(|_| self.view.host.texts.get(Situation::NoteNested))?;
        Some(note.replace("{rel}", &root.rel))
    }

    fn group(&self, found: &Found<'_>) -> usize {
        let Some(group) = &found.root.rule.group else { return found.index };
        self.view.roots.iter().position(|root| root.rule.group.as_ref() == Some(group)).unwrap_or(found.index)
    }

    fn qualified(&self, found: &Found<'_>, prefix: &str, name: &str) -> Arc<str> {
        let is_plain = self.view.host.namespace.plugins == PluginPrefix::Plain;
        qualify(prefix, name, is_plain && found.root.scan.layout != Layout::Flat).into()
    }

    fn too_long(&self, name: &str) -> Option<Diagnostic> {
        let max = self.view.host.namespace.max.filter(|&max| name.chars().count() > max)?;
        let message = format!("the name with its prefix has more than {max} characters");
        Some(Diagnostic::error(Code::QualifiedNameLength, message).help("shorten the skill's name, or the plugin's"))
    }

    fn sidecar(&self, found: &Found<'_>, real: &Path) -> (sidecar::Metadata, Vec<Problem>) {
        let all = &found.file.sidecars;
        let Some(rules) = self.view.host.sidecar.as_ref().filter(|_| !all.is_empty()) else {
            return Default::default();
        };
        let file = rules.files.iter().find_map(|wanted| all.iter().find(|sidecar| sidecar.file == *wanted));
        let Some(file) = file else { return Default::default() };
        let dir = real.parent().unwrap_or(Path::new("/"));
        let plugin = found.root.plugin.as_ref().map(|plugin| plugin.dir.as_path());
        let (metadata, problems) = match &file.bytes {
            Ok(bytes) => sidecar::read(bytes, dir, plugin, rules),
            Err(why) => (sidecar::unreadable(), vec![sidecar::invalid(why)]),
        };
        let path = dir.join(&file.file);
        (metadata, problems.into_iter().map(|diagnostic| Problem { path: path.clone(), diagnostic }).collect())
    }

    /// Keeps at most as many skills active as the host does, and says so.
    fn cut(&mut self, roots: &[SearchedRoot]) {
        let Some(max) = self.view.host.list.max else { return };
        let Some(root) = rank::cut(max, &mut self.entries) else { return };
        self.reached(&roots[root].root, (Code::SkillLimit, max), "count", "remove some, or raise the limit");
    }

    /// Says how far cwd was searched for folders of skills in it, if that was not to the end.
    fn sleeping_search(&mut self) {
        let cwd = self.view.around.cwd.clone();
        let (limit, message) = match self.view.sleeping_search {
            SleepingSearch::Whole => return,
            SleepingSearch::Limited(most) => {
                (most, format!("only the first {most} folders were searched for nested folders of skills"))
            }
            SleepingSearch::TooWide => {
                (0, "a home folder, or the root of the disk, is not searched for nested folders of skills".to_owned())
            }
        };
        let diagnostic = Diagnostic::new(Code::FolderLimit, Level::Note, message);
        let diagnostic = diagnostic.help("name a folder to search it: `openoxide check PATH`");
        self.problems.push(Problem { path: cwd.clone(), diagnostic });
        if limit > 0 {
            self.limits.push(LimitReached { root: cwd, code: Code::FolderLimit, limit });
        }
    }

    fn reached(&mut self, root: &Root, (code, limit): (Code, usize), what: &str, help: &str) {
        let message = format!("{}: only the first {limit} {what}", code.title());
        let diagnostic = Diagnostic::warning(code, message).help(help);
        self.problems.push(Problem { path: root.path.clone(), diagnostic });
        self.limits.push(LimitReached { root: root.path.clone(), code, limit });
    }

    fn finish(mut self, roots: Vec<SearchedRoot>) -> Catalog {
        let host = &self.view.host;
        let folders = FolderPlaces::new(&roots, self.entries.iter());
        sort_entries(&mut self.entries, &host.list.order, &host.collide.rank, &folders, true);
        filter::apply(self.view, &roots, &mut self.entries);
        rank::apply(self.view, &roots, &mut self.entries);
        if let Some(names) = &self.view.host_names {
            names.tell(&mut self.entries, &roots, &self.view.around, &mut KnownPlugins::default());
        }
        permission::apply(self.view, &mut self.entries);
        self.cut(&roots);
        self.problems.extend(rank::ambiguities(host, &self.entries));
        self.problems.extend(self.namespaces.problems.drain(..).map(|(path, diagnostic)| Problem { path, diagnostic }));
        sort_entries(&mut self.entries, &host.list.order, &host.collide.rank, &folders, false);
        // Usually few are ignored, and the others stay where they are.
        let mut others: Vec<Entry> = self.entries.extract_if(.., |entry| !entry.is_active()).collect();
        let skills = self.entries;
        others.sort_by(|left, right| left.found().cmp(right.found()));
        let entries = skills.iter().chain(&others);
        let mut problems: Vec<Problem> =
            entries.flat_map(|entry| entry.problems.iter().cloned()).chain(self.problems).collect();
        let place = |problem: &Problem| problem.diagnostic.place.as_ref().map(|place| place.span.start);
        problems.sort_by(|left, right| {
            (&left.path, place(left), left.diagnostic.code).cmp(&(&right.path, place(right), right.diagnostic.code))
        });
        problems.dedup();
        let host = self.view.spec.id();
        Catalog { host, skills, others, problems, limits: self.limits, roots, inner_skills: None }
    }
}

/// Tells whether a file is for the other of two roots that are the same folder.
fn is_of_twin(root: &Root, survey: &Survey, candidate: &Candidate) -> bool {
    let name = &survey.folders[candidate.folder].files[candidate.file].name;
    let in_folder = candidate.folder != 0 || root.scan.files.iter().any(|file| **file == **name);
    in_folder == is_files(root)
}

fn is_files(root: &Root) -> bool {
    root.scan.layout == Layout::Files
}

/// A candidate, and where it was found.
struct Found<'f> {
    index: usize,
    root: &'f Root,
    survey: &'f Survey,
    candidate: &'f Candidate,
    file: &'f FileFact,
    /// How the host reads the file, if it can be read.
    parsed: Option<&'f Parsed>,
}

impl Found<'_> {
    fn is_root(&self) -> bool {
        self.candidate.folder == 0 && !self.root.scan.layout.is_flat()
    }

    /// Returns what the place calls the skill: its folder, or the way to a single file.
    fn called(&self) -> String {
        let (layout, name) = (self.root.scan.layout, &*self.file.name);
        let folder = &self.survey.folders[self.candidate.folder].path;
        if layout == Layout::Files && self.candidate.folder == 0 {
            return name.strip_suffix(".md").unwrap_or(name).to_owned();
        }
        if layout != Layout::Flat {
            return crate::text::path_text(Path::new(folder.file_name().unwrap_or_default()));
        }
        let rel = folder.strip_prefix(&self.root.path).unwrap_or(Path::new(""));
        let mut parts: Vec<String> = rel.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        // A skill file among single files stands for its folder.
        if !name.eq_ignore_ascii_case("SKILL.md") {
            parts.push(name.trim_end_matches(".md").to_owned());
        } else if parts.is_empty() {
            parts.push(self.root.path.file_name().unwrap_or_default().to_string_lossy().into_owned());
        }
        parts.join(":")
    }
}

fn name_of(host: &Host, found: &Found<'_>) -> Arc<str> {
    let Some(parsed) = found.parsed.filter(|_| found.root.scan.layout != Layout::Flat) else {
        return found.called().into();
    };
    let own = parsed.own_name.as_ref();
    Arc::clone(own.filter(|_| host.parse.name.is_folder_first() && found.is_root()).unwrap_or(&parsed.name))
}

/// Returns the other names by which a skill can be called. In a plugin one has the prefix that the skill's name has, and
/// files that are skills have one too.
fn aliases(host: &Host, found: &Found<'_>, bare: &str, name: &str) -> Vec<String> {
    let in_plugin = found.root.plugin.is_some();
    let parsed =
        found.parsed.filter(|_| host.parse.name.alias && (in_plugin || found.root.scan.layout != Layout::Flat));
    let is_allowed = |own: &&Arc<str>| crate::parse::misfit(own, &host.parse.name.must).is_none();
    let Some(own) = parsed.and_then(|parsed| parsed.own_name.as_ref()).filter(is_allowed) else { return Vec::new() };
    let prefixed = name.rsplit_once(':').filter(|_| in_plugin).map(|(prefix, _)| format!("{prefix}:{own}"));
    let others = prefixed.into_iter().chain([own.to_string()]);
    others.filter(|other| other != name && (in_plugin || other != bare)).collect()
}

fn skill(
    host: &Host,
    found: &Found<'_>,
    name: Arc<str>,
    path: Arc<Path>,
    metadata: sidecar::Metadata,
) -> SkillMetadata {
    let mut frontmatter = found.parsed.map(|parsed| parsed.frontmatter.clone()).unwrap_or_default();
    if metadata.keeps_from_model && !frontmatter.keeps_from_model {
        Arc::make_mut(&mut frontmatter).keeps_from_model = true;
    }
    SkillMetadata {
        name,
        description: found.parsed.map(|parsed| description(parsed, host, found.root)).unwrap_or_default(),
        short_description: frontmatter.rare().short_description.clone(),
        path,
        scope: found.root.scope,
        policy: metadata.policy,
        interface: metadata.interface,
        dependencies: metadata.dependencies,
        permissions: metadata.permissions,
        described: found.parsed.is_some_and(|parsed| parsed.described),
        frontmatter,
    }
}

fn description(parsed: &Parsed, host: &Host, root: &Root) -> Arc<str> {
    if root.rule.plain_descriptions {
        return crate::text::plain_line(&parsed.description).into();
    }
    let stand_in = host.parse.description.first_line.as_ref().map_or("", |line| &line.empty);
    let is_missing = !parsed.described && *parsed.description == *stand_in;
    let instead = root.rule.description_empty.as_deref().filter(|_| is_missing);
    instead.map_or_else(|| Arc::clone(&parsed.description), Arc::from)
}

/// Says why a skill is ignored below its root, where other roots would take it.
fn unfit(root: &Root, skill: &SkillMetadata) -> Option<Diagnostic> {
    if root.rule.description_required && !skill.described {
        let message = "the skill has no description, and its root asks for one";
        let help = "add `description:` with what the skill does and when to use it";
        return Some(Diagnostic::error(Code::DescriptionMissing, message).help(help));
    }
    crate::parse::misfit(&skill.name, root.rule.names.as_ref()?)
}

/// Says why a file that is a skill itself has no usable name.
fn unfit_file(host: &Host, root: &Root, skill: &SkillMetadata) -> Option<Diagnostic> {
    let is_checked = root.scan.layout == Layout::Flat && host.parse.name.must.line;
    let shape = NameShape { line: true, ..NameShape::default() };
    is_checked.then(|| crate::parse::misfit(&skill.name, &shape)).flatten()
}

/// Says that a link leads out of the folder that the plugin's links have to stay in.
fn strayed(root: &Root, canonical: &Path) -> Option<Reason> {
    let within = root.plugin.as_ref()?.links_within.as_ref()?;
    let is_inside = std::fs::canonicalize(within).is_ok_and(|within| canonical.starts_with(within));
    let text = "the link is not followed: it leads out of the marketplace of its plugin";
    (!is_inside).then(|| Reason { code: Code::LinkLeadsOut, text: text.to_owned() })
}
