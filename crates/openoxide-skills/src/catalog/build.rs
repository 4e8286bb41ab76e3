//! Makes a catalog from what searches found: entries first, then their status, then their order.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::contents::{Catalog, SearchedRoot};
use super::entry::{Entry, Problem, Reason, Status};
use super::order::sort_entries;
use super::view::View;
use super::{filter, permission, rank};
use crate::code::Code;
use crate::diagnostic::Diagnostic;
use crate::discover::{Candidate, FileFact, LimitReached, Plan, Survey, select};
use crate::host::{Host, Layout, PathForm, PluginPrefix};
use crate::namespace::{Namespaces, qualify};
use crate::parse::Parsed;
use crate::root::Root;
use crate::sidecar;
use crate::skill::SkillMetadata;

/// Makes the catalog of one view from its roots, in order, and what was found there.
///
/// With `alone` no other thread helps: that takes longer, and less of everybody's time.
pub(super) fn build(view: &View, found: &[(&Root, &Survey, &Plan)], alone: bool) -> Catalog {
    let surveys = found.iter().map(|(_, survey, _)| *survey);
    let mut builder = Builder {
        view,
        alone,
        namespaces: Namespaces::new(&view.host.namespace, surveys),
        entries: Vec::new(),
        problems: Vec::new(),
        reported: HashSet::new(),
        limits: Vec::new(),
    };
    for (index, (root, survey, plan)) in found.iter().enumerate() {
        builder.root(index, root, survey, plan);
    }
    let searched = |(root, survey, _): &(&Root, &Survey, &Plan)| SearchedRoot {
        root: (*root).clone(),
        exists: survey.exists,
        canonical: survey.canonical.clone(),
    };
    let roots = found.iter().map(searched).collect();
    builder.finish(roots)
}

/// Fewer candidates than this are not worth a second thread.
const PARALLEL_FROM: usize = 256;

/// What prefixes the names of a root's skills.
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
            self.limits.push(LimitReached { root: root.path.clone(), code, limit });
            let message = format!("{}: only the first {limit} were looked at", code.title());
            let problem = Diagnostic::warning(code, message).help("split the folder, or raise the limit");
            self.problems.push(Problem { path: root.path.clone(), diagnostic: problem });
        }
        for (path, problem) in &survey.problems {
            // Two roots may lead to the same place, which is wrong only once.
            let real = path.strip_prefix(&survey.root).map_or_else(|_| path.clone(), |rel| survey.canonical.join(rel));
            if self.reported.insert((real, problem.code)) {
                self.problems.push(Problem { path: path.clone(), diagnostic: problem.clone() });
            }
        }
        let reader = plan.reader(&self.view.host.parse);
        let prefixes = self.prefixes(root, survey, &selection.candidates);
        let make = |(number, candidate): (usize, &Candidate)| {
            let prefix = match &prefixes {
                Prefixes::Same(prefix) => prefix.as_deref(),
                Prefixes::Each(each) => each[number].as_deref(),
            };
            self.entry(&Place { index, root, survey, reader, candidate }, prefix)
        };
        let entries: Vec<Entry> = if selection.candidates.len() >= PARALLEL_FROM && !self.alone {
            selection.candidates.par_iter().enumerate().with_min_len(64).map(make).collect()
        } else {
            selection.candidates.iter().enumerate().map(make).collect()
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
        let is_twin = |other: &Root| other.path == root.path && (other.scan.layout == Layout::Files) != is_files(root);
        self.view.roots.iter().any(is_twin)
    }

    /// Finds what prefixes the names of the candidates.
    fn prefixes(&mut self, root: &Root, survey: &Survey, candidates: &[Candidate]) -> Prefixes {
        if let Some(plugin) = &root.plugin {
            return Prefixes::Same(
                (self.view.host.namespace.plugins != PluginPrefix::None).then(|| plugin.name.clone()),
            );
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

    fn entry(&self, place: &Place<'_>, prefix: Option<&str>) -> Entry {
        let host = &self.view.host;
        let folder = &place.survey.folders[place.candidate.folder];
        let file = &folder.files[place.candidate.file];
        let parsed = file.parsed.get(place.reader);
        let found = Arc::clone(&file.path);
        let linked = folder.canonical.is_some() || file.link.is_some();
        let canonical = linked.then(|| Arc::from(place.candidate.canonical(place.survey)));
        let canonical = canonical.filter(|canonical| *canonical != found);
        let (path, found, canonical) = match (host.list.path, canonical) {
            (_, None) => (found, None, None),
            (PathForm::Canonical, Some(canonical)) => (canonical, Some(found), None),
            (PathForm::AsFound, Some(canonical)) => (found, None, Some(canonical)),
        };
        let metadata = self.metadata(place, parsed, canonical.as_deref().unwrap_or(&path), prefix);
        let mut problems: Vec<Problem> = metadata.problems;
        let own = parsed.map_or(&[][..], |parsed| parsed.problems.as_slice());
        let about = |diagnostic: &Diagnostic| Problem { path: path.to_path_buf(), diagnostic: diagnostic.clone() };
        let refused = place.candidate.refused.as_ref();
        let unfit = unfit(place.root, &metadata.skill);
        if refused.is_none() {
            problems.extend(own.iter().map(about));
            problems.extend(file.problem.as_deref().map(about));
            problems.extend(metadata.too_long.as_ref().map(about));
            problems.extend(unfit.as_ref().filter(|_| own.iter().all(|problem| !problem.is_error())).map(about));
        }
        let reason =
            refused.map(|refusal| Reason { code: refusal.code, text: refusal.message.clone() }).or_else(|| {
                let blocking = file
                    .problem
                    .as_deref()
                    .or_else(|| own.iter().find(|problem| problem.is_error()))
                    .or(metadata.too_long.as_ref())
                    .or(unfit.as_ref());
                blocking.map(|problem| Reason { code: problem.code, text: problem.message.clone() })
            });
        Entry {
            root: place.index,
            group: self.group(place),
            status: if reason.is_some() { Status::Invalid } else { Status::Active },
            reason,
            by: None,
            model: true,
            user: true,
            name_only: false,
            aliases: metadata.aliases,
            note: place.root.note.clone(),
            size: file.size,
            content: file.content,
            problems,
            found,
            canonical,
            skill: SkillMetadata { path, ..metadata.skill },
        }
    }

    fn group(&self, place: &Place<'_>) -> usize {
        let Some(group) = &place.root.group else { return place.index };
        self.view.roots.iter().position(|root| root.group.as_ref() == Some(group)).unwrap_or(place.index)
    }

    /// Gathers what the file, the metadata file and the manifests say.
    fn metadata(&self, place: &Place<'_>, parsed: Option<&Arc<Parsed>>, real: &Path, prefix: Option<&str>) -> Gathered {
        let host = &self.view.host;
        let (name, aliases) = names(host, parsed.map(AsRef::as_ref), place);
        let name = match prefix {
            Some(prefix) => qualify(
                prefix,
                &name,
                host.namespace.plugins == PluginPrefix::Plain && place.root.scan.layout != Layout::Flat,
            )
            .into(),
            None => name,
        };
        let too_long = host.namespace.max.filter(|&max| prefix.is_some() && name.chars().count() > max).map(|max| {
            Diagnostic::error(
                Code::QualifiedNameLength,
                format!("the name with its prefix has more than {max} characters"),
            )
            .help("shorten the skill's name, or the plugin's")
        });
        let (metadata, problems) = self.sidecar(place, real);
        let frontmatter = parsed.map(|parsed| parsed.frontmatter.clone()).unwrap_or_default();
        let skill = SkillMetadata {
            name,
            description: description(parsed.map(AsRef::as_ref), host, place.root),
            short_description: frontmatter.rare().short_description.clone(),
            path: Arc::clone(&place.file().path),
            scope: place.root.scope,
            policy: metadata.policy,
            interface: metadata.interface,
            dependencies: metadata.dependencies,
            permissions: metadata.permissions,
            described: parsed.is_some_and(|parsed| parsed.described),
            frontmatter,
        };
        Gathered { skill, aliases, problems, too_long }
    }

    fn sidecar(&self, place: &Place<'_>, real: &Path) -> (sidecar::Metadata, Vec<Problem>) {
        let file = place.file();
        let Some(rules) = self.view.host.sidecar.as_ref().filter(|_| !file.sidecars.is_empty()) else {
            return Default::default();
        };
        let found = rules.files.iter().find_map(|wanted| file.sidecars.iter().find(|sidecar| sidecar.file == *wanted));
        let Some(found) = found else { return Default::default() };
        let dir = real.parent().unwrap_or(Path::new("/"));
        let (metadata, problems) = match &found.bytes {
            Ok(bytes) => {
                let plugin = place.root.plugin.as_ref().map(|plugin| plugin.dir.as_path());
                sidecar::read(bytes, dir, plugin, rules)
            }
            Err(why) => (sidecar::Metadata::default(), vec![sidecar::invalid(why)]),
        };
        let path = dir.join(&found.file);
        (metadata, problems.into_iter().map(|diagnostic| Problem { path: path.clone(), diagnostic }).collect())
    }

    /// Lets no more skills count than the host does, and says so.
    fn cut(&mut self, roots: &[SearchedRoot]) {
        let Some(max) = self.view.host.list.max else { return };
        let Some(root) = rank::cut(max, &mut self.entries) else { return };
        let (path, code) = (roots[root].root.path.clone(), Code::SkillLimit);
        let message = format!("{}: only the first {max} count", code.title());
        let diagnostic = Diagnostic::warning(code, message).help("remove some, or raise the limit");
        self.limits.push(LimitReached { root: path.clone(), code, limit: max });
        self.problems.push(Problem { path, diagnostic });
    }

    fn finish(mut self, roots: Vec<SearchedRoot>) -> Catalog {
        let host = &self.view.host;
        sort_entries(&mut self.entries, &host.list.order, &host.collide.rank, true);
        filter::apply(self.view, &roots, &mut self.entries);
        rank::apply(self.view, &roots, &mut self.entries);
        permission::apply(self.view, &mut self.entries);
        self.cut(&roots);
        self.problems.extend(rank::ambiguities(host, &self.entries));
        self.problems.extend(self.namespaces.problems.drain(..).map(|(path, diagnostic)| Problem { path, diagnostic }));
        sort_entries(&mut self.entries, &host.list.order, &host.collide.rank, false);
        let (skills, mut others) = split_active(self.entries);
        others.sort_by(|left, right| left.found().cmp(right.found()));
        let entries = skills.iter().chain(&others);
        let mut problems: Vec<Problem> =
            entries.flat_map(|entry| entry.problems.iter().cloned()).chain(self.problems).collect();
        let place = |problem: &Problem| problem.diagnostic.place.as_ref().map(|place| place.span.start);
        problems.sort_by(|left, right| {
            (&left.path, place(left), left.diagnostic.code).cmp(&(&right.path, place(right), right.diagnostic.code))
        });
        problems.dedup();
        Catalog { host: self.view.spec.id(), skills, others, problems, limits: self.limits, roots }
    }
}

/// Tells whether a file is for the other of two roots that are the same folder.
fn is_of_twin(root: &Root, survey: &Survey, candidate: &Candidate) -> bool {
    let name = &survey.folders[candidate.folder].files[candidate.file].name;
    let in_folder = candidate.folder != 0 || root.scan.files.iter().any(|file| **file == **name);
    in_folder == is_files(root)
}

/// Takes the entries that do not count out; usually there are few, and the others stay where they are.
fn split_active(mut entries: Vec<Entry>) -> (Vec<Entry>, Vec<Entry>) {
    let others = entries.extract_if(.., |entry| !entry.is_active()).collect();
    (entries, others)
}

fn is_files(root: &Root) -> bool {
    root.scan.layout == Layout::Files
}

/// Where a candidate was found.
struct Place<'p> {
    index: usize,
    root: &'p Root,
    survey: &'p Survey,
    reader: usize,
    candidate: &'p Candidate,
}

impl Place<'_> {
    fn file(&self) -> &FileFact {
        &self.survey.folders[self.candidate.folder].files[self.candidate.file]
    }

    /// Tells whether the root itself is the skill.
    fn is_root(&self) -> bool {
        self.candidate.folder == 0 && !self.root.scan.layout.is_flat()
    }

    /// Returns what the place calls the skill: its folder, or the way to a single file.
    fn called(&self) -> String {
        let folder = &self.survey.folders[self.candidate.folder];
        if self.root.scan.layout == Layout::Files && self.candidate.folder == 0 {
            let name = &*folder.files[self.candidate.file].name;
            return name.strip_suffix(".md").unwrap_or(name).to_owned();
        }
        if self.root.scan.layout != Layout::Flat {
            return crate::text::path_text(Path::new(folder.path.file_name().unwrap_or_default()));
        }
        let rel = folder.path.strip_prefix(&self.root.path).unwrap_or(Path::new(""));
        let mut parts: Vec<String> = rel.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        let name = &folder.files[self.candidate.file].name;
        // A skill file among single files stands for its folder.
        match name.eq_ignore_ascii_case("SKILL.md") {
            true if parts.is_empty() => {
                parts.push(self.root.path.file_name().unwrap_or_default().to_string_lossy().into_owned());
            }
            true => {}
            false => parts.push(name.trim_end_matches(".md").to_owned()),
        }
        parts.join(":")
    }
}

struct Gathered {
    skill: SkillMetadata,
    aliases: Vec<String>,
    problems: Vec<Problem>,
    too_long: Option<Diagnostic>,
}

fn names(host: &Host, parsed: Option<&Parsed>, place: &Place<'_>) -> (Arc<str>, Vec<String>) {
    let Some(parsed) = parsed.filter(|_| place.root.scan.layout != Layout::Flat) else {
        return (place.called().into(), Vec::new());
    };
    let own = parsed.own_name.as_ref();
    let from_folder = host.parse.name.is_folder_first();
    let name = own.filter(|_| from_folder && place.is_root()).unwrap_or(&parsed.name);
    let aliases = own.filter(|own| host.parse.name.alias && *own != name);
    (Arc::clone(name), aliases.map(ToString::to_string).into_iter().collect())
}

/// Says why a skill does not count below its root, where other roots would take it.
fn unfit(root: &Root, skill: &SkillMetadata) -> Option<Diagnostic> {
    if root.description_required && !skill.described {
        return Some(
            Diagnostic::error(Code::DescriptionMissing, "the skill has no description, and its root asks for one")
                .help("add `description:` with what the skill does and when to use it"),
        );
    }
    crate::parse::misfit(&skill.name, root.names.as_ref()?)
}

fn description(parsed: Option<&Parsed>, host: &Host, root: &Root) -> Arc<str> {
    let Some(parsed) = parsed else { return Arc::default() };
    if root.plain_descriptions {
        return crate::text::plain_line(&parsed.description).into();
    }
    match &root.description_empty {
        Some(instead) if !parsed.described && *parsed.description == *host.parse.description.stand_in() => {
            instead.as_str().into()
        }
        _ => Arc::clone(&parsed.description),
    }
}
