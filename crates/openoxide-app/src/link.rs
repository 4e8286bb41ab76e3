//! Use case: puts a skill where another agent looks for skills.

mod existing;
mod files;
mod pair;
mod place;
mod remove;
mod tree;

use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use openoxide_config::Workspace;
use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::{Catalog, Entry, PlannedLink, View};
use openoxide_skills::{prelude::Prompt, text::TerminalText};
use openoxide_wire::{CatalogUse, ChangeAnswer};

use crate::{
    Error, ErrorKind, Progress, Report, catalog_use,
    numbers::{count, listed},
    own_skills, paths,
    skill_id::SkillReference,
};

use pair::{HostPair, seen_in};
pub use place::{Placement, is_elsewhere, unseen, would_drop};
pub(crate) use place::{Places, unseen_place};
pub use remove::{RemovedLink, UnlinkInput, Unlinked, unlink};

/// What to link.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// The skills, by name or path; none: every skill that the agent would use and does not see.
    pub skills: Vec<String>,
    /// The host that is to see it.
    pub into: String,
    /// Whether to copy the folder instead of linking it.
    pub copy: bool,
    /// Whether only to tell what would be done.
    pub dry_run: bool,
}

/// What came of linking.
#[derive(Debug)]
pub struct Linked {
    /// The skills that were linked, or would be, each with its place: for undoing it.
    pub made: Vec<(SkillReference, PathBuf)>,
    /// The name of the skill that the agent finds without a link and ignores, and why.
    pub ignored: Option<(String, String)>,
    /// Whether the agent still ignores a skill, seen by looking again.
    pub still_ignored: bool,
    /// What was written, without the way to undo it: each face writes that in its own words.
    pub answer: ChangeAnswer,
    /// How many skills could not be linked.
    pub failed: Option<Error>,
}

/// Links the skills named, or all of them. Each step is reported; of the skills named, none is linked if one of them cannot
/// be.
pub fn link(settings: &PlaceSettings, input: &LinkInput, report: Report<'_>) -> Result<Linked, Error> {
    let pair = HostPair::of(&settings.workspace, &settings.view, &input.into)?;
    if !input.dry_run {
        // A link to one of OpenOxide's own skills needs the folder that it leads to.
        let named = input.skills.iter().filter_map(|skill| pair.find(skill).ok()?.first().copied());
        let written = own_skills::write_if_among(settings, &named.collect::<Vec<_>>())?;
        if let Some(folder) = written {
            report(Progress::Done(own_skills::written_line(&folder)));
        }
    }
    let mut linking =
        Linking { pair: &pair, input, report, wanted: 0, done: Vec::new(), also_seen_by: BTreeSet::new() };
    let ignored = if input.skills.is_empty() {
        linking.all();
        None
    } else {
        linking.named()?
    };
    let has_done = ignored.is_none() && !linking.done.is_empty();
    let seen = match has_done {
        true if input.dry_run => foresee(&linking),
        true => look_again(settings, &linking)?,
        false => SeenAgain::default(),
    };
    linking.report_total();
    let still_ignored = !input.dry_run && !seen.ignored.is_empty();
    for warning in seen.ignored.into_iter().chain(seen.overflow) {
        (linking.report)(Progress::Warning(warning));
    }
    let made = || linking.done.iter().filter(|(_, placement)| placement.is_free());
    let changes = made().map(|(_, placement)| placement.change(input.copy)).collect();
    Ok(Linked {
        made: made().map(|(entry, placement)| (reference(&pair, entry), placement.place.clone())).collect(),
        ignored,
        still_ignored,
        answer: ChangeAnswer { dry_run: input.dry_run, ..ChangeAnswer::new(changes, None) },
        failed: linking.failed(),
    })
}

struct Linking<'l> {
    pair: &'l HostPair<'l>,
    input: &'l LinkInput,
    report: Report<'l>,
    /// How many skills were to be linked.
    wanted: usize,
    /// Those that are linked now, or were before.
    done: Vec<(&'l Entry, Placement)>,
    /// The other agents that look where all skills are put.
    also_seen_by: BTreeSet<String>,
}

impl<'l> Linking<'l> {
    /// Links the skills that are named. If the agent finds one without a link and ignores it, links none, and returns its
    /// name, and why.
    fn named(&mut self) -> Result<Option<(String, String)>, Error> {
        let pair = self.pair;
        let found = self.input.skills.iter().map(|skill| Ok(pair.find(skill)?[0]));
        let mut plans: Vec<(&Entry, Option<Placement>)> = Vec::new();
        for entry in found.collect::<Result<Vec<&Entry>, Error>>()? {
            if plans.iter().any(|(other, _)| other.canonical() == entry.canonical()) {
                continue;
            }
            let plan = match pair.seen(entry, None) {
                Some(seen) if seen.is_active() => None,
                Some(seen) => return Ok(Some((entry.skill.name.to_string(), already_ignored(pair, seen)))),
                None => Some(self.plan(entry, &plans)?),
            };
            plans.push((entry, plan));
        }
        self.wanted = plans.iter().filter(|(_, plan)| plan.is_some()).count();
        for (entry, plan) in plans {
            self.take_named(entry, plan)?;
        }
        Ok(None)
    }

    /// Plans the place of a skill, and refuses one that is taken, also by another skill that is named.
    fn plan(&self, entry: &Entry, plans: &[(&Entry, Option<Placement>)]) -> Result<Placement, Error> {
        let workspace = self.pair.workspace;
        let placement = Places::of(workspace, &self.pair.view).plan(entry)?;
        let is_same = |(_, plan): &&(&Entry, Option<Placement>)| {
            plan.as_ref().is_some_and(|other| other.place == placement.place)
        };
        if let Some((other, _)) = plans.iter().find(is_same) {
            let short = |entry: &Entry| paths::short(workspace, entry.dir());
            let place = paths::short(workspace, &placement.place);
            let message = format!("`{}` and `{}` would both go to `{place}`", short(other), short(entry));
            return Err(files::not_linked(message).with_help("link one of them, or rename one"));
        }
        let is_possible = placement.is_free() || placement.existing.is_ours();
        if is_possible { Ok(placement) } else { Err(placement.taken(workspace)) }
    }

    fn take_named(&mut self, entry: &'l Entry, plan: Option<Placement>) -> Result<(), Error> {
        let Some(placement) = plan else {
            let text = format!("{} sees {} already", self.pair.title(), TerminalText(&entry.skill.name));
            (self.report)(Progress::Done(text));
            return Ok(());
        };
        match self.take(&placement) {
            Ok(()) => self.done.push((entry, placement)),
            // The others are linked by now, or can be: what was done has to be said.
            Err(error) if self.wanted > 1 => (self.report)(Progress::Failed(error)),
            Err(error) => return Err(error),
        }
        Ok(())
    }

    /// Links every skill that the agent would use and does not see.
    fn all(&mut self) {
        let pair = self.pair;
        for (entry, placement) in unseen(pair.workspace, pair.own(), &pair.view, pair.other()) {
            if let Some(reason) = would_drop(&pair.view, entry) {
                let (host, skill, reason) = (pair.title(), TerminalText(&entry.skill.name), TerminalText(&reason));
                let text = format!("{skill} is left out, because {host} would drop it: {reason}");
                (self.report)(Progress::Warning(text));
                continue;
            }
            self.wanted += 1;
            match placement.and_then(|placement| self.take(&placement).map(|()| placement)) {
                Ok(placement) => self.done.push((entry, placement)),
                Err(error) => (self.report)(Progress::Failed(error)),
            }
        }
    }

    fn take(&mut self, placement: &Placement) -> Result<(), Error> {
        let short = |path| paths::short(self.pair.workspace, path);
        let (place, source) = (short(&placement.place), short(&placement.source));
        if placement.existing.is_ours() {
            (self.report)(Progress::Done(format!("{place} is there already")));
            return Ok(());
        }
        if !placement.is_free() {
            return Err(placement.taken(self.pair.workspace));
        }
        if !self.input.dry_run {
            placement.make(self.input.copy)?;
        }
        (self.report)(Progress::Done(match (self.input.copy || placement.needs_copy, self.input.dry_run) {
            (true, true) => format!("would copy {source} to {place}"),
            (true, false) => format!("copied {source} to {place}"),
            (false, true) => format!("would link {place} to {source}"),
            (false, false) => format!("linked {place} to {source}"),
        }));
        // Of all skills it is said once.
        match self.input.skills.is_empty() {
            true => self.also_seen_by.extend(placement.also_seen_by.iter().cloned()),
            false => self.report_others(&placement.also_seen_by),
        }
        Ok(())
    }

    /// Says which other agents see the skills too.
    fn report_others(&mut self, titles: &[String]) {
        if !titles.is_empty() {
            let verb = if titles.len() == 1 { "looks" } else { "look" };
            (self.report)(Progress::Done(format!("{} {verb} there too", TerminalText(&listed(titles)))));
        }
    }

    fn report_total(&mut self) {
        if !self.input.skills.is_empty() {
            return;
        }
        let others: Vec<String> = std::mem::take(&mut self.also_seen_by).into_iter().collect();
        self.report_others(&others);
        let (host, linked) = (self.pair.title(), count(self.done.len(), "skill"));
        let verb = if self.input.dry_run { "would be put" } else { "put" };
        (self.report)(Progress::Done(match self.wanted {
            0 => format!("there is nothing to link for {host}"),
            _ => format!("{linked} {verb} where {host} looks"),
        }));
    }

    fn failed(&self) -> Option<Error> {
        let failed = self.wanted - self.done.len();
        let message = || format!("{failed} of {} could not be linked", count(self.wanted, "skill"));
        (failed > 0).then(|| Error::other(ErrorKind::Failed, "not-linked", message()))
    }
}

/// Says that an agent finds a skill without a link, and why it ignores it.
fn already_ignored(pair: &HostPair<'_>, seen: &Entry) -> String {
    let place = paths::short(pair.workspace, seen.found());
    let why = paths::abbreviate_home(pair.workspace, reason(Some(seen), seen.status.as_str()));
    format!("{} finds {place} already, and ignores it: {why}", pair.title())
}

/// Returns what means a skill and no other of its name.
fn reference(pair: &HostPair<'_>, entry: &Entry) -> SkillReference {
    let found = pair.own().find(&entry.skill.name);
    match found.iter().all(|other| other.canonical() == entry.canonical()) {
        true => SkillReference::of(pair.own(), entry),
        false => SkillReference { name: None, folder: entry.dir().to_owned() },
    }
}

/// What the agent makes of its skills after some were linked.
#[derive(Default)]
struct SeenAgain {
    /// The skills that it still ignores, and why.
    ignored: Vec<String>,
    /// What it does not show whole any more, for want of room.
    overflow: Option<String>,
}

/// Looks again at what the agent sees.
fn look_again(settings: &PlaceSettings, linking: &Linking<'_>) -> Result<SeenAgain, Error> {
    let workspace = settings.workspace.reopen()?;
    let (own, _) = workspace.view(&settings.view.spec.id())?;
    let pair = HostPair::of(&workspace, &own, &linking.input.into)?;
    Ok(seen_again(linking, (&workspace, &pair.view), pair.other().clone(), "still ignores", "is full"))
}

/// Searches as if the links were there.
fn foresee(linking: &Linking<'_>) -> SeenAgain {
    let pair = linking.pair;
    let free = linking.done.iter().filter(|(_, placement)| placement.is_free());
    let planned = free.map(|(_, placement)| {
        let planned = placement.planned();
        PlannedLink { copy: planned.copy || linking.input.copy, ..planned }
    });
    let after = pair.other_with(&planned.collect::<Vec<_>>());
    seen_again(linking, (pair.workspace, &pair.view), after, "would still ignore", "would be full")
}

/// Compares what the agent sees after some skills were linked with what it saw before.
fn seen_again(
    linking: &Linking<'_>,
    (workspace, view): (&Workspace, &View),
    after: Catalog,
    ignores: &str,
    is_full: &str,
) -> SeenAgain {
    let (pair, after) = (linking.pair, Arc::new(after));
    let warning = |(entry, placement): &(&Entry, Placement)| {
        let seen = seen_in(&after, entry, Some(&placement.place));
        let why = paths::abbreviate_home(workspace, reason(seen, "it is not found there"));
        let (name, why) = (TerminalText(&entry.skill.name), TerminalText(&why));
        let is_ignored = seen.is_none_or(|seen| !seen.is_active());
        is_ignored.then(|| format!("{} {ignores} {name}: {why}", pair.title()))
    };
    let prompts = catalog_use::draw(pair.workspace, &pair.view, &Arc::new(pair.other().clone()))
        .zip(catalog_use::draw(workspace, view, &after));
    let overflow = prompts.filter(|(before, after)| catalog_use::shows_less(before, after));
    SeenAgain {
        ignored: linking.done.iter().filter_map(warning).collect(),
        overflow: overflow.map(|(_, after)| format!("{}'s catalog {is_full}: {}", pair.title(), shown_less(&after))),
    }
}

/// Writes how many skills a prompt does not show whole: "3 shortened, 2 name only".
fn shown_less(prompt: &Prompt) -> String {
    let catalog = CatalogUse::from(prompt);
    let parts = [(catalog.shortened, "shortened"), (catalog.name_only, "name only"), (catalog.left_out, "left out")];
    let parts = parts.iter().filter(|(number, _)| *number > 0).map(|(number, how)| format!("{number} {how}"));
    parts.collect::<Vec<_>>().join(", ")
}

fn reason<'e>(seen: Option<&'e Entry>, otherwise: &'e str) -> &'e str {
    seen.and_then(|seen| seen.reason.as_ref()).map_or(otherwise, |reason| &reason.text)
}
