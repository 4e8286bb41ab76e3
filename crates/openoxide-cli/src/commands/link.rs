//! `link` and `unlink`: put a skill where another agent looks, and take it away again.

use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use openoxide_app::Error;
use openoxide_skills::catalog::{Catalog, Depth, Entry, View, load};
use openoxide_skills::skill::SkillScope;
use openoxide_skills::text::path_text;
use openoxide_wire::{ChangeAnswer, ChangeLine};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::Session;
use crate::typed;
use crate::ui::{Ui, count, safe};

mod files;
mod places;

use files::Kind;
use places::{Held, Places, Shelves};
pub(crate) use places::{Step, is_elsewhere, unseen, would_drop};

/// Put a skill where another agent looks
///
/// Makes a relative link in that agent's folder, of the project for a skill of the project, else of yours. What is
/// there already is never replaced. Links that the agent would not follow, or that the disk does not have, become copies.
#[derive(Debug, clap::Args)]
pub(crate) struct LinkArgs {
    /// A skill's name or path
    #[arg(required_unless_present = "all")]
    skill: Option<String>,
    /// The agent that is to see it
    #[arg(long, value_name = "HOST")]
    into: String,
    /// Every skill of yours or of the project that counts here and that the agent would use, but does not see
    #[arg(long, conflicts_with = "skill")]
    all: bool,
    /// Copy the folder instead of linking it
    #[arg(long)]
    copy: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

/// Take away what `link` put there
///
/// Removes only links to the skills that are named, and copies of them that are still the same; then the agent's folder,
/// if nothing is left in it. A link or copy that you made yourself is no different.
#[derive(Debug, clap::Args)]
pub(crate) struct UnlinkArgs {
    /// Names or paths of skills
    #[arg(value_name = "SKILL", required_unless_present = "all")]
    skills: Vec<String>,
    /// The agent that is not to see it any more
    #[arg(long, value_name = "HOST")]
    from: String,
    /// Every link in the agent's folders that leads to a skill elsewhere; never a copy
    #[arg(long, conflicts_with = "skills")]
    all: bool,
    /// Only show what would be done
    #[arg(long)]
    dry_run: bool,
}

/// The project as one host sees it, and as another does.
struct Pair {
    session: Session,
    own: Catalog,
    view: View,
    other: Catalog,
    /// The project as every host sees it; looked at only when these two do not suffice.
    all: OnceCell<Vec<Catalog>>,
}

impl Pair {
    fn open(ui: &Ui, common: &Common, other: &str) -> anyhow::Result<Pair> {
        let session = Session::open(ui, common)?;
        let (view, _) = session.workspace.view(other)?;
        if view.spec.id() == session.view.spec.id() {
            let hint = "name another host; `openoxide hosts` lists them";
            return Err(Told::failed(format!("{} sees its own skills already", view.host.title)).hint(hint).into());
        }
        let mut catalogs = load(&[session.view.clone(), view.clone()], Depth::Quick).into_iter();
        match (catalogs.next(), catalogs.next()) {
            (Some(own), Some(other)) => Ok(Pair { session, own, view, other, all: OnceCell::new() }),
            _ => Err(anyhow::anyhow!("the project was not searched")),
        }
    }

    /// Returns what a name or path means, what counts first.
    fn find(&self, skill: &str) -> Result<Vec<&Entry>, Error> {
        let own = self.session.find(&self.own, skill);
        let near = own.or_else(|told| self.session.find(&self.other, skill).map_err(|_| told));
        near.or_else(|told| {
            let mut found: Vec<Vec<&Entry>> =
                self.all().iter().filter_map(|catalog| self.session.find(catalog, skill).ok()).collect();
            // What counts for some agent before what counts for none.
            found.sort_by_key(|entries| !entries.iter().any(|entry| entry.is_active()));
            found.into_iter().next().ok_or(told)
        })
    }

    /// Returns the project as every host sees it.
    fn all(&self) -> &[Catalog] {
        self.all.get_or_init(|| load(&self.session.workspace.views().unwrap_or_default(), Depth::Quick))
    }

    /// Tells whether nobody would find a skill any more without what stands at `path`.
    fn is_only_way(&self, entry: &Entry, path: &Path) -> bool {
        let own = std::slice::from_ref(&self.own);
        places::is_only_way(own, entry, path) && places::is_only_way(self.all(), entry, path)
    }

    /// Returns the agent's own entry for a skill: the file itself, or what was made of it at `place`.
    fn met(&self, entry: &Entry, place: Option<&Path>) -> Option<&Entry> {
        let is_it = |met: &&Entry| {
            let at_place = place.is_some() && met.found().parent() == place;
            !is_elsewhere(met) && (met.canonical() == entry.canonical() || at_place)
        };
        self.other.entries().find(is_it)
    }

    fn title(&self) -> String {
        safe(&self.view.host.title)
    }

    fn short(&self, path: &Path) -> String {
        paths::short(&self.session.workspace, path)
    }
}

pub(crate) fn link(ui: &Ui, common: &Common, args: &LinkArgs) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.into)?;
    pair.session.warn(ui);
    match &args.skill {
        Some(skill) => link_one(ui, common, args, &pair, skill),
        None => link_all(ui, common, args, &pair),
    }
}

fn link_one(ui: &Ui, common: &Common, args: &LinkArgs, pair: &Pair, skill: &str) -> anyhow::Result<ExitStatus> {
    let found = pair.find(skill)?;
    let Some(entry) = found.first().copied() else { return Ok(ExitStatus::No) };
    let name = safe(&entry.skill.name);
    match pair.met(entry, None) {
        Some(met) if met.is_active() => {
            ui.say(&format!("{} sees {name} already", pair.title()));
            return finish(ui, common, args, pair, &[]);
        }
        Some(met) => return Err(uncounted(common, pair, entry, met).into()),
        None => {}
    }
    let step = Places::of(&pair.session.workspace, &pair.view).plan(entry)?;
    take(ui, args, pair, &step)?;
    finish(ui, common, args, pair, &[(entry, step)])
}

fn link_all(ui: &Ui, common: &Common, args: &LinkArgs, pair: &Pair) -> anyhow::Result<ExitStatus> {
    let mut all = 0;
    let mut done: Vec<(&Entry, Step)> = Vec::new();
    for (entry, step) in unseen(&pair.session.workspace, &pair.own, &pair.view, &pair.other) {
        if let Some(why) = would_drop(&pair.view, entry) {
            let (title, name) = (pair.title(), safe(&entry.skill.name));
            ui.warn(&format!("{name} is left out, because {title} would drop it: {}", safe(&why)));
            continue;
        }
        all += 1;
        let taken = step.map_err(anyhow::Error::from).and_then(|step| take(ui, args, pair, &step).map(|()| step));
        match taken {
            Ok(step) => done.push((entry, step)),
            Err(error) => ui.error(common, &error),
        }
    }
    let verb = if args.dry_run { "would be put" } else { "put" };
    ui.say(&match done.len() {
        0 if all == 0 => format!("there is nothing to link for {}", pair.title()),
        number => format!("{} {verb} where {} looks", count(number, "skill"), pair.title()),
    });
    let status = finish(ui, common, args, pair, &done)?;
    if done.len() < all {
        return Err(Told::failed(format!("{} of {} could not be linked", all - done.len(), count(all, "skill"))).into());
    }
    Ok(status)
}

/// Says why an agent passes over a skill that it finds without any link.
fn uncounted(common: &Common, pair: &Pair, entry: &Entry, met: &Entry) -> Told {
    let why = met.reason.as_ref().map_or(met.status.as_str(), |reason| &reason.text);
    let why = paths::abbreviate_home(&pair.session.workspace, why);
    let place = pair.short(met.found());
    let told = Told::no(format!("{} finds {place} already, and does not count it: {why}", pair.title()));
    told.hint(match typed::word(&entry.skill.name) {
        Some(name) => typed::command(common, "explain", Some(&name), ""),
        None => typed::command(common, "list --all", None, ""),
    })
}

/// Says what is done, and does it.
fn take(ui: &Ui, args: &LinkArgs, pair: &Pair, step: &Step) -> anyhow::Result<()> {
    let (place, source) = (pair.short(&step.place), pair.short(&step.source));
    if step.kind.is_ours() {
        ui.say(&format!("{place} is there already"));
        return Ok(());
    }
    if !step.is_free() {
        return Err(step.taken(&pair.session.workspace).into());
    }
    ui.say(&match args.copy || step.copies {
        true => format!("copy {source} to {place}"),
        false => format!("link {place} to {source}"),
    });
    if args.dry_run { Ok(()) } else { step.make(args.copy) }
}

/// Looks again, says what the agent makes of the skills now, and answers.
fn finish(
    ui: &Ui,
    common: &Common,
    args: &LinkArgs,
    pair: &Pair,
    done: &[(&Entry, Step)],
) -> anyhow::Result<ExitStatus> {
    let made: Vec<&(&Entry, Step)> = done.iter().filter(|(_, step)| step.is_free()).collect();
    let mut answer = ChangeAnswer::new(made.iter().map(|(_, step)| step.change(args.copy)).collect(), None);
    answer.dry_run = args.dry_run;
    let mut status = ExitStatus::Done;
    if !args.dry_run && !done.is_empty() {
        status = look_again(ui, common, args, done)?;
        answer.undo = undo(ui, common, args, pair, &made);
    }
    if common.json {
        ui.json(&answer)?;
    }
    Ok(status)
}

/// Says which of the skills the agent still does not count.
fn look_again(ui: &Ui, common: &Common, args: &LinkArgs, done: &[(&Entry, Step)]) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.into)?;
    let mut status = ExitStatus::Done;
    for (entry, step) in done {
        let met = pair.met(entry, Some(&step.place));
        if met.is_none_or(|met| !met.is_active()) {
            let reason = met.and_then(|met| met.reason.as_ref());
            let why = reason.map_or("it is not found there", |reason| &reason.text);
            let why = safe(&paths::abbreviate_home(&pair.session.workspace, why));
            ui.warn(&format!("{} still does not count {}: {why}", pair.title(), safe(&entry.skill.name)));
            status = ExitStatus::No;
        }
    }
    Ok(status)
}

/// Says how to take back what was made, and nothing else.
fn undo(ui: &Ui, common: &Common, args: &LinkArgs, pair: &Pair, made: &[&(&Entry, Step)]) -> Option<String> {
    let workspace = &pair.session.workspace;
    let word = |entry: &Entry| {
        let found = pair.own.find(&entry.skill.name);
        let is_alone = found.iter().all(|other| other.canonical() == entry.canonical());
        if is_alone { typed::skill(workspace, &pair.own, entry) } else { typed::path(workspace, entry.dir()) }
    };
    let (mut words, mut untyped) = (Vec::new(), Vec::new());
    for (entry, step) in made {
        match word(entry) {
            Some(word) => words.push(word),
            None => untyped.push(pair.short(&step.place)),
        }
    }
    // What looks like an option makes all of them stand behind the options.
    words.sort_by_key(|word| !word.starts_with('-'));
    let from = format!("--from {}", args.into);
    let command = (!words.is_empty()).then(|| typed::command(common, "unlink", Some(&words.join(" ")), &from));
    if let Some(command) = &command {
        ui.say(&format!("undo: {command}"));
    }
    for place in untyped {
        ui.say(&format!("undo by hand: remove {place}"));
    }
    command
}

pub(crate) fn unlink(ui: &Ui, common: &Common, args: &UnlinkArgs) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.from)?;
    pair.session.warn(ui);
    let named: Vec<Vec<&Entry>> = args.skills.iter().map(|skill| pair.find(skill)).collect::<Result<_, _>>()?;
    let mut taken = Taken::default();
    let mut outcome = Ok(ExitStatus::Done);
    for found in &named {
        let before = taken.removed.len();
        let foreign = taken.take(ui, args, &pair, found)?;
        if taken.removed.len() == before && outcome.is_ok() {
            outcome = unmoved(ui, &pair, found, &foreign);
        }
    }
    if args.all {
        let found: Vec<&Entry> = pair.own.entries().filter(|entry| theirs(entry)).collect();
        taken.take(ui, args, &pair, &found)?;
        let verb = if args.dry_run { "would be removed" } else { "removed" };
        ui.say(&format!("{} of {} {verb}", count(taken.removed.len(), "link"), pair.title()));
    }
    taken.clear(ui, args, &pair);
    if common.json {
        ui.json(&ChangeAnswer { dry_run: args.dry_run, ..ChangeAnswer::new(taken.changes, None) })?;
    }
    outcome
}

/// What `unlink` took away.
#[derive(Default)]
struct Taken {
    removed: BTreeSet<PathBuf>,
    /// The agent's folders in which something was removed.
    roots: BTreeSet<PathBuf>,
    changes: Vec<ChangeLine>,
}

impl Taken {
    /// Removes what leads to skills, and returns what only looks like it.
    fn take(&mut self, ui: &Ui, args: &UnlinkArgs, pair: &Pair, found: &[&Entry]) -> anyhow::Result<Vec<Held>> {
        let mut shelves = Shelves::of(&pair.session.workspace, &pair.view);
        let mut foreign = Vec::new();
        for entry in found {
            // Looked at anew for each skill: of two equal copies, the one must not go because of the other.
            for held in shelves.held(entry) {
                // Nobody named a copy, and it may be as old as the skill.
                let is_meant = held.kind == Kind::Link || held.kind == Kind::Copy && !args.all;
                if !is_meant || pair.is_only_way(entry, &held.path) {
                    foreign.push(held);
                    continue;
                }
                // A skill that is found by two ways comes twice.
                if self.removed.insert(held.path.clone()) {
                    ui.say(&format!("remove {}", pair.short(&held.path)));
                    if !args.dry_run {
                        held.remove()?;
                    }
                    self.changes.push(ChangeLine::new("remove", &held.path, Some(path_text(&held.source))));
                    self.roots.insert(held.root);
                }
            }
        }
        Ok(foreign)
    }

    /// Removes the agent's folders that are empty now, so that the tree is as it was before `link`.
    fn clear(&mut self, ui: &Ui, args: &UnlinkArgs, pair: &Pair) {
        for root in self.roots.iter().filter(|_| !args.dry_run) {
            if let Some(folder) = places::clear(&pair.session.workspace, root) {
                ui.say(&format!("remove {}, which is empty now", pair.short(&folder)));
                self.changes.push(ChangeLine::new("remove", &folder, None));
            }
        }
    }
}

fn theirs(entry: &Entry) -> bool {
    matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User)
}

/// Says why nothing was removed.
fn unmoved(ui: &Ui, pair: &Pair, found: &[&Entry], foreign: &[Held]) -> anyhow::Result<ExitStatus> {
    let title = pair.title();
    if let Some(held) = foreign.first() {
        let shown = pair.short(&held.path);
        let told = match held.kind {
            Kind::Dangling => Told::failed(format!("`{shown}` is a link that leads nowhere, and stays")),
            kind if kind.is_ours() => Told::failed(format!("`{shown}` is the only way to the skill, and stays")),
            _ => Told::failed(format!("`{shown}` is neither a link to the skill nor an unchanged copy, and stays")),
        };
        return Err(told.hint("remove it yourself if it is not needed").into());
    }
    let seen = found.iter().find_map(|entry| pair.met(entry, None).filter(|met| met.is_active()));
    if let Some(met) = seen {
        let place = pair.short(met.found().parent().unwrap_or(Path::new("/")));
        ui.say(&format!("{title} sees {place} itself, not a link to it"));
        return Ok(ExitStatus::No);
    }
    ui.say(&format!("{title} has no link to it"));
    Ok(ExitStatus::Done)
}
