//! Chooses among skills that are the same file or have the same name.

use std::collections::hash_map::Entry as Slot;
use std::{collections::HashMap, ffi::OsString, path::Path, sync::Arc};

use super::order::{by_keys, rank_of};
use super::{Entry, Problem, SearchedRoot, Status, View};
use crate::diagnostic::{Code, Diagnostic};
use crate::host::{Host, Layout, OnClash, SameFile, Situation};
use crate::root::Root;
use crate::{skill::SkillScope, text::fill};

pub(super) fn apply(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    match view.host.collide.same_file {
        SameFile::First => same_file(roots, entries),
        SameFile::AfterNames => return root_by_root(view, roots, entries),
        SameFile::All => {}
    }
    yield_to_native(roots, entries);
    rename_clashes(view, roots, entries);
    if view.host.collide.names != OnClash::All {
        same_name(view, roots, entries);
    }
}

/// Keeps the first entry for each file that is a skill, switched off or not: a file found again is the same skill.
fn same_file(roots: &[SearchedRoot], entries: &mut [Entry]) {
    let is_linked = |entry: &Entry| entry.found.is_some() || entry.canonical.is_some();
    if !overlap(roots) && !entries.iter().any(is_linked) {
        return;
    }
    let mut first: HashMap<&Path, usize> = HashMap::with_capacity(entries.len());
    let mut again: Vec<(usize, Arc<Path>)> = Vec::new();
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.status != Status::Invalid) {
        match first.entry(entry.canonical()) {
            Slot::Vacant(slot) => drop(slot.insert(index)),
            Slot::Occupied(earlier) => again.push((index, entries[*earlier.get()].found().into())),
        }
    }
    for (index, earlier) in again {
        repeat(&mut entries[index], earlier);
    }
}

fn repeat(entry: &mut Entry, earlier: Arc<Path>) {
    let text = format!("it is the same file as `{}`", earlier.display());
    entry.shadow(earlier, Code::SameFile, text);
}

/// Tells whether one root lies in another, so that a file can be found from both.
fn overlap(roots: &[SearchedRoot]) -> bool {
    let there = || roots.iter().enumerate().filter(|(_, root)| root.exists);
    there().any(|(at, root)| there().any(|(other, outer)| at != other && root.canonical.starts_with(&outer.canonical)))
}

/// Settles names root by root, and lists a file once among those that keep theirs.
fn root_by_root(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    let overrides = |entry: &Entry| roots[entry.root].root.rule.overrides;
    let mut names: HashMap<Arc<str>, usize> = HashMap::new();
    let mut files: HashMap<OsString, usize> = HashMap::new();
    for index in 0..entries.len() {
        let (entry, stronger) = (&entries[index], overrides(&entries[index]));
        if !entry.is_active() {
            continue;
        }
        let name = entry.skill.name.clone();
        let holder = names.get(&name).copied();
        let twin = files.get(entry.canonical().as_os_str()).copied();
        let keeps = |&holder: &usize| !stronger || overrides(&entries[holder]);
        // Who overrides looks at files first, everyone else at names.
        if let Some(holder) = holder.filter(keeps).filter(|_| !stronger || twin.is_none()) {
            lose_by_root(view, roots, entries, index, holder);
        } else if let Some(twin) = twin {
            if !stronger {
                names.insert(name, twin);
            }
            let earlier = entries[twin].found().into();
            repeat(&mut entries[index], earlier);
        } else {
            files.insert(entry.canonical().into(), index);
            names.insert(name.clone(), index);
            if let Some(holder) = holder.filter(|&holder| entries[holder].skill.name == name) {
                lose_by_root(view, roots, entries, holder, index);
            }
        }
    }
}

fn lose_by_root(view: &View, roots: &[SearchedRoot], entries: &mut [Entry], loser: usize, winner: usize) {
    let [own, other] = [loser, winner].map(|index| &roots[entries[index].root].root);
    let text = match other.rule.overrides && !own.rule.overrides {
        true => format!("the skill of this name in `{}` wins: its root overrides others", other.path.display()),
        false => why_shadowed(view, roots, &entries[winner], &entries[loser]),
    };
    lose(entries, loser, winner, text);
}

fn lose(entries: &mut [Entry], loser: usize, winner: usize, text: String) {
    let by = entries[winner].skill.path.clone();
    entries[loser].shadow(by, Code::ShadowedName, text);
}

/// Takes out skills of some roots whose name another root of their plugin has.
fn yield_to_native(roots: &[SearchedRoot], entries: &mut [Entry]) {
    let plugin = |entry: &Entry| roots[entry.root].root.plugin.as_ref().map(|plugin| plugin.id.clone());
    let native: Vec<(Arc<str>, Option<String>, Arc<Path>)> = entries
        .iter()
        .filter(|entry| {
            entry.is_active() && !roots[entry.root].root.rule.yields && roots[entry.root].root.plugin.is_some()
        })
        .map(|entry| (entry.skill.name.clone(), plugin(entry), entry.skill.path.clone()))
        .collect();
    for entry in entries.iter_mut().filter(|entry| entry.is_active() && roots[entry.root].root.rule.yields) {
        let own = plugin(entry);
        if let Some((.., path)) = native.iter().find(|(name, id, _)| *name == entry.skill.name && *id == own) {
            entry.shadow(path.clone(), Code::ShadowedName, "another skill of the same plugin has this name");
        }
    }
}

/// Gives skills of some roots a longer name when another root has theirs.
fn rename_clashes(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    rename_added(view, roots, entries);
    if roots.iter().all(|searched| searched.root.rule.on_clash.is_none()) {
        return;
    }
    let counted: Vec<(Arc<str>, usize)> =
        entries.iter().filter(|entry| entry.is_active()).map(|entry| (entry.skill.name.clone(), entry.root)).collect();
    for entry in entries.iter_mut().filter(|entry| entry.is_active()) {
        let root = &roots[entry.root].root;
        let Some(template) = &root.rule.on_clash else { continue };
        let fixed = |other: usize| roots[other].root.rule.on_clash.is_none();
        let same = |&&(ref name, other): &&(Arc<str>, usize)| *name == entry.skill.name && other != entry.root;
        let taken = counted.iter().filter(same).any(|(_, other)| fixed(*other));
        if taken || counted.iter().any(|pair| same(&pair)) {
            rename(view, entry, root, template, taken);
        }
    }
}

/// Gives skills of added folders a longer name when another place has theirs, or an added folder before.
fn rename_added(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    let template = &view.host.collide.added_on_clash;
    if template.is_empty() || view.around.added.is_empty() {
        return;
    }
    let is_added = |index: usize| {
        let root = &roots[index].root;
        root.rule.is_added() && root.scan.layout != Layout::Flat
    };
    let of_skills = |entry: &&Entry| entry.is_active() && roots[entry.root].root.scan.layout != Layout::Flat;
    let others: Vec<(Arc<str>, usize)> =
        entries.iter().filter(of_skills).map(|entry| (entry.skill.name.clone(), entry.root)).collect();
    for entry in entries.iter_mut().filter(|entry| entry.is_active() && is_added(entry.root)) {
        let goes_before = |other: usize| !is_added(other) || other < entry.root;
        if others.iter().any(|(name, other)| *name == entry.skill.name && goes_before(*other) && *other != entry.root) {
            entry.group = roots.len() + entry.root;
            rename(view, entry, &roots[entry.root].root, template, true);
        }
    }
}

fn rename(view: &View, entry: &mut Entry, root: &Root, template: &str, taken: bool) {
    let bare = entry.skill.name.clone();
    let values = [("rel", root.rel.as_str()), ("name", &bare)];
    entry.skill.name = fill(template, &values).into();
    entry.is_renamed = true;
    super::filter::by_state(view, entry);
    if taken {
        entry.note = view.host.texts.get(Situation::NoteNestedOnClash).map(|note| fill(note, &values));
    }
}

fn same_name(view: &View, roots: &[SearchedRoot], entries: &mut [Entry]) {
    let rules = &view.host.collide;
    let by_keys = by_keys(&rules.order, &rules.rank);
    for mut group in clashes(entries) {
        group.sort_by_key(|&index| precedence(view, &entries[index], index));
        group.sort_by(|&left, &right| by_keys(&entries[left], &entries[right]));
        if rules.names == OnClash::Last {
            group.reverse();
        }
        match rules.names {
            OnClash::FirstPerCaller => per_caller(view, roots, entries, &group),
            _ => one_winner(view, roots, entries, &group),
        }
    }
}

fn clashes(entries: &[Entry]) -> Vec<Vec<usize>> {
    let mut first: HashMap<&str, usize> = HashMap::with_capacity(entries.len());
    let mut groups: HashMap<&str, Vec<usize>> = HashMap::new();
    for (index, entry) in entries.iter().enumerate().filter(|(_, entry)| entry.is_active()) {
        match first.entry(&entry.skill.name) {
            Slot::Vacant(slot) => drop(slot.insert(index)),
            Slot::Occupied(earlier) => {
                groups.entry(&entry.skill.name).or_insert_with(|| vec![*earlier.get()]).push(index);
            }
        }
    }
    groups.into_values().collect()
}

/// Sorts the winner first: trusted before untrusted, then by scope, then by the order of the list.
fn precedence(view: &View, entry: &Entry, index: usize) -> (bool, usize, usize) {
    let rank = &view.host.collide.rank;
    let scope = if rank.is_empty() { 0 } else { rank_of(entry.skill.scope, rank) };
    (is_untrusted(view, entry), scope, index)
}

fn is_untrusted(view: &View, entry: &Entry) -> bool {
    view.host.collide.untrusted_loses && !view.around.trusted && entry.skill.scope == SkillScope::Repo
}

fn one_winner(view: &View, roots: &[SearchedRoot], entries: &mut [Entry], group: &[usize]) {
    let winner = group[0];
    for &loser in &group[1..] {
        let text = why_shadowed(view, roots, &entries[winner], &entries[loser]);
        lose(entries, loser, winner, text);
        if is_untrusted(view, &entries[loser]) && !is_untrusted(view, &entries[winner]) {
            let keeper = entries[winner].skill.scope.as_str();
            let text = format!("the project is not trusted, so the {keeper}'s skill keeps the name");
            entries[loser].drop_out(Status::Untrusted, Code::UntrustedLoses, text);
        }
    }
}

/// The model and the user each get the first that they may call.
fn per_caller(view: &View, roots: &[SearchedRoot], entries: &mut [Entry], group: &[usize]) {
    let model = group.iter().copied().find(|&index| entries[index].model);
    let user = group.iter().copied().find(|&index| entries[index].user);
    let first = group[0];
    for &index in group {
        let entry = &entries[index];
        let keeps = (entry.model && model == Some(index), entry.user && user == Some(index));
        if keeps == (false, false) && index != first {
            let winner = model.or(user).unwrap_or(first);
            let text = why_shadowed(view, roots, &entries[winner], &entries[index]);
            lose(entries, index, winner, text);
        } else {
            (entries[index].model, entries[index].user) = keeps;
        }
    }
}

fn why_shadowed(view: &View, roots: &[SearchedRoot], winner: &Entry, loser: &Entry) -> String {
    if winner.canonical().as_os_str() == loser.canonical().as_os_str() {
        let path = roots[winner.root].root.path.display();
        return format!("it is the same skill as in `{path}`, found again by a link");
    }
    let rules = &view.host.collide;
    let scopes = [winner, loser].map(|entry| rank_of(entry.skill.scope, &rules.rank));
    if !rules.rank.is_empty() && scopes[0] != scopes[1] {
        return format!("the {}'s skill of this name wins, by scope", winner.skill.scope.as_str());
    }
    let which = if rules.names == OnClash::Last { "last" } else { "first" };
    if winner.root != loser.root {
        let path = roots[winner.root].root.path.display();
        return format!("the skill of this name in `{path}` wins: of several roots, the {which} one counts");
    }
    format!("`{}` has the same name and comes {which}", winner.dir().file_name().unwrap_or_default().to_string_lossy())
}

/// Keeps at most as many skills active as the host does, in the order in which they were found; returns the first that is over.
pub(super) fn cut(max: usize, entries: &mut [Entry]) -> Option<usize> {
    let mut over = None;
    for entry in entries.iter_mut().filter(|entry| entry.is_active()).skip(max) {
        let text = format!("{max} skills were found before it, and the agent takes no more");
        entry.drop_out(Status::Invalid, Code::SkillLimit, text);
        over = over.or(Some(entry.root));
    }
    over
}

/// Reports names that several skills have where all of them are active.
pub fn ambiguities(host: &Host, entries: &[Entry]) -> Vec<Problem> {
    if host.collide.names != OnClash::All {
        return Vec::new();
    }
    let problem = |entry: &Entry, count: usize| Problem {
        path: entry.skill.path.to_path_buf(),
        diagnostic: Diagnostic::warning(Code::Ambiguous, format!("{count} skills are called `{}`", entry.skill.name))
            .help("rename one, or name it by its path"),
    };
    let of_group =
        |group: Vec<usize>| group.iter().map(|&index| problem(&entries[index], group.len())).collect::<Vec<_>>();
    clashes(entries).into_iter().flat_map(of_group).collect()
}
