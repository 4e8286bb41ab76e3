//! Use case: puts a skill where another agent looks for skills.

mod existing;
mod files;
mod pair;
mod place;
mod problem;
mod remove;

use std::path::PathBuf;

use openoxide_live::PlaceSettings;
use openoxide_skills::catalog::Entry;
use openoxide_wire::ChangeAnswer;

use crate::error::Error;
use crate::find::SkillReference;

use pair::HostPair;
use place::Places;

pub use place::{Placement, is_elsewhere, unseen, would_drop};
pub use problem::LinkProblem;
pub use remove::{UnlinkEvent, UnlinkInput, Unlinked, unlink};

/// What to link.
#[derive(Clone, Debug)]
pub struct LinkInput {
    /// The skill, by name or path; absent: every skill that the agent would use and does not see.
    pub skill: Option<String>,
    /// The host that is to see it.
    pub into: String,
    /// Whether to copy the folder instead of linking it.
    pub copy: bool,
    /// Whether only to tell what would be done.
    pub dry_run: bool,
}

/// Something that linking did, or did not do.
#[derive(Debug)]
pub enum LinkEvent {
    /// The agent sees the skill without a link.
    SeenAlready {
        /// The agent.
        host: String,
        /// The skill.
        skill: String,
    },
    /// A skill is left out, because the agent would drop it.
    LeftOut {
        /// The agent.
        host: String,
        /// The skill.
        skill: String,
        /// Why the agent would drop it.
        reason: String,
    },
    /// The link is there already.
    LinkedAlready {
        /// The link.
        place: PathBuf,
    },
    /// A link or copy is made.
    Making {
        /// Its place.
        place: PathBuf,
        /// The skill's folder.
        source: PathBuf,
        /// Whether it is a copy.
        copy: bool,
    },
    /// A skill could not be linked; the others go on.
    Failed(Error),
}

/// What came of linking.
#[derive(Debug)]
pub struct Linked {
    /// The agent.
    pub host: String,
    /// How many skills were to be linked.
    pub wanted: usize,
    /// How many of them are linked now, or were before.
    pub linked: usize,
    /// What was made, or would be.
    pub made: Vec<MadeLink>,
    /// The skill that the agent finds without a link and ignores.
    pub ignored: Option<IgnoredSkill>,
    /// Skills that the agent still ignores, seen by looking again.
    pub still_ignored: Vec<IgnoredSkill>,
    /// What was written, without the way to undo it: each face writes that in its own words.
    pub answer: ChangeAnswer,
}

/// A link or copy that was made.
#[derive(Clone, Debug)]
pub struct MadeLink {
    /// The name or path of the skill, for undoing it.
    pub skill: SkillReference,
    /// The place.
    pub place: PathBuf,
}

/// A skill that an agent finds and ignores.
#[derive(Clone, Debug)]
pub struct IgnoredSkill {
    /// Its name.
    pub name: String,
    /// The file that the agent finds.
    pub found: Option<PathBuf>,
    /// Why it is ignored.
    pub reason: String,
}

/// Links a skill, or all of them. Each step is reported before it is taken, because an error later does not undo it.
pub fn link(settings: &PlaceSettings, input: &LinkInput, report: &mut dyn FnMut(LinkEvent)) -> Result<Linked, Error> {
    let pair = HostPair::open(settings, &input.into)?;
    let mut linked = match &input.skill {
        Some(skill) => Linking { pair: &pair, input, report }.one(skill)?,
        None => Linking { pair: &pair, input, report }.all(),
    };
    if linked.ignored.is_none() && !input.dry_run && !linked.done.is_empty() {
        linked.still_ignored = still_ignored(settings, input, &linked.done)?;
    }
    Ok(linked.finish(&pair, input))
}

/// Linking on its way.
struct Linking<'l> {
    pair: &'l HostPair<'l>,
    input: &'l LinkInput,
    report: &'l mut dyn FnMut(LinkEvent),
}

/// What is done so far.
#[derive(Default)]
struct Progress<'l> {
    wanted: usize,
    done: Vec<(&'l Entry, Placement)>,
    ignored: Option<IgnoredSkill>,
    still_ignored: Vec<IgnoredSkill>,
}

impl<'l> Linking<'l> {
    fn one(mut self, skill: &str) -> Result<Progress<'l>, Error> {
        let pair = self.pair;
        let entry = pair.find(skill)?[0];
        match pair.seen(entry, None) {
            Some(seen) if seen.is_active() => {
                (self.report)(LinkEvent::SeenAlready { host: pair.title(), skill: entry.skill.name.to_string() });
                return Ok(Progress::default());
            }
            Some(seen) => {
                let ignored = ignored(entry, Some(seen), seen.status.as_str());
                return Ok(Progress { ignored: Some(ignored), ..Progress::default() });
            }
            None => {}
        }
        let placement = Places::of(pair.workspace, &pair.view).plan(entry)?;
        self.take(&placement)?;
        Ok(Progress { wanted: 1, done: vec![(entry, placement)], ..Progress::default() })
    }

    fn all(mut self) -> Progress<'l> {
        let pair = self.pair;
        let mut progress = Progress::default();
        for (entry, placement) in unseen(pair.workspace, &pair.own, &pair.view, pair.other()) {
            if let Some(reason) = would_drop(&pair.view, entry) {
                let (host, skill) = (pair.title(), entry.skill.name.to_string());
                (self.report)(LinkEvent::LeftOut { host, skill, reason });
                continue;
            }
            progress.wanted += 1;
            let taken = placement.map_err(Error::from).and_then(|placement| self.take(&placement).map(|()| placement));
            match taken {
                Ok(placement) => progress.done.push((entry, placement)),
                Err(error) => (self.report)(LinkEvent::Failed(error)),
            }
        }
        progress
    }

    /// Reports what is done, and does it.
    fn take(&mut self, placement: &Placement) -> Result<(), Error> {
        if placement.existing.is_ours() {
            (self.report)(LinkEvent::LinkedAlready { place: placement.place.clone() });
            return Ok(());
        }
        if !placement.is_free() {
            return Err(placement.taken(self.pair.workspace).into());
        }
        let (place, source) = (placement.place.clone(), placement.source.clone());
        (self.report)(LinkEvent::Making { place, source, copy: self.input.copy || placement.needs_copy });
        if self.input.dry_run { Ok(()) } else { placement.make(self.input.copy) }
    }
}

impl Progress<'_> {
    fn finish(self, pair: &HostPair<'_>, input: &LinkInput) -> Linked {
        let made: Vec<&(&Entry, Placement)> = self.done.iter().filter(|(_, placement)| placement.is_free()).collect();
        let changes = made.iter().map(|(_, placement)| placement.change(input.copy)).collect();
        Linked {
            host: pair.title(),
            wanted: self.wanted,
            linked: self.done.len(),
            made: made.iter().map(|(entry, placement)| made_link(pair, entry, placement)).collect(),
            ignored: self.ignored,
            still_ignored: self.still_ignored,
            answer: ChangeAnswer { dry_run: input.dry_run, ..ChangeAnswer::new(changes, None) },
        }
    }
}

fn made_link(pair: &HostPair<'_>, entry: &Entry, placement: &Placement) -> MadeLink {
    let found = pair.own.find(&entry.skill.name);
    let is_alone = found.iter().all(|other| other.canonical() == entry.canonical());
    let skill = match is_alone {
        true => SkillReference::of(&pair.own, entry),
        false => SkillReference { name: None, folder: entry.dir().to_owned() },
    };
    MadeLink { skill, place: placement.place.clone() }
}

/// Looks again; returns which of the skills the agent still ignores.
fn still_ignored(
    settings: &PlaceSettings,
    input: &LinkInput,
    done: &[(&Entry, Placement)],
) -> Result<Vec<IgnoredSkill>, Error> {
    let workspace = settings.workspace.reopen()?;
    let (view, _) = workspace.view(&settings.view.spec.id())?;
    let pair = HostPair::of(&workspace, &view, &input.into)?;
    let mut all = Vec::new();
    for (entry, placement) in done {
        let seen = pair.seen(entry, Some(&placement.place));
        if seen.is_none_or(|seen| !seen.is_active()) {
            all.push(ignored(entry, seen, "it is not found there"));
        }
    }
    Ok(all)
}

fn ignored(entry: &Entry, seen: Option<&Entry>, otherwise: &str) -> IgnoredSkill {
    let reason = seen.and_then(|seen| seen.reason.as_ref()).map_or(otherwise, |reason| &reason.text);
    let found = seen.map(|seen| seen.found().to_owned());
    IgnoredSkill { name: entry.skill.name.to_string(), found, reason: reason.to_owned() }
}
