//! `link` and `unlink`: put a skill where another agent looks, and take it away again.

use std::collections::BTreeSet;
use std::path::Path;

use openoxide_skills::{Catalog, Depth, Entry, SkillScope, View, load};

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
use places::{Held, Places, Shelves, Step};
pub(crate) use places::{is_elsewhere, unseen};

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
    /// Every skill of yours or of the project that counts here and that the agent does not see
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
/// Removes only links to the skill, and copies that are still the same as the skill that they were made from.
#[derive(Debug, clap::Args)]
pub(crate) struct UnlinkArgs {
    /// A skill's name or path
    #[arg(required_unless_present = "all")]
    skill: Option<String>,
    /// The agent that is not to see it any more
    #[arg(long, value_name = "HOST")]
    from: String,
    /// Every link in the agent's folders that leads to a skill elsewhere
    #[arg(long, conflicts_with = "skill")]
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
            (Some(own), Some(other)) => Ok(Pair { session, own, view, other }),
            _ => Err(anyhow::anyhow!("the project was not searched")),
        }
    }

    /// Returns what a name or path means, what counts first.
    fn find(&self, skill: &str) -> Result<Vec<&Entry>, Told> {
        let own = self.session.find(&self.own, skill);
        own.or_else(|told| self.session.find(&self.other, skill).map_err(|_| told))
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
            return Ok(ExitStatus::Done);
        }
        Some(met) => return Err(uncounted(common, pair, entry, met).into()),
        None => {}
    }
    let step = Places::of(&pair.session.workspace, &pair.view).plan(entry)?;
    take(ui, args, pair, &step)?;
    let name = typed::word(&entry.skill.name).unwrap_or_else(|| "NAME".to_owned());
    finish(ui, common, args, &[(entry, step)], |from| typed::command(common, "unlink", Some(&name), from))
}

fn link_all(ui: &Ui, common: &Common, args: &LinkArgs, pair: &Pair) -> anyhow::Result<ExitStatus> {
    let wanted = unseen(&pair.session.workspace, &pair.own, &pair.view, &pair.other);
    let all = wanted.len();
    let mut done: Vec<(&Entry, Step)> = Vec::new();
    for (entry, step) in wanted {
        let taken = step.map_err(anyhow::Error::from).and_then(|step| take(ui, args, pair, &step).map(|()| step));
        match taken {
            Ok(step) => done.push((entry, step)),
            Err(error) => ui.error(&error),
        }
    }
    let verb = if args.dry_run { "would be put" } else { "put" };
    ui.say(&match done.len() {
        0 if all == 0 => format!("there is nothing to link for {}", pair.title()),
        number => format!("{} {verb} where {} looks", count(number, "skill"), pair.title()),
    });
    let undo = |from: &str| typed::command(common, "unlink --all", None, from);
    let status = if done.is_empty() { ExitStatus::Done } else { finish(ui, common, args, &done, undo)? };
    if done.len() < all {
        return Err(Told::failed(format!("{} of {} could not be linked", all - done.len(), count(all, "skill"))).into());
    }
    Ok(status)
}

/// Says why an agent passes over a skill that it finds without any link.
fn uncounted(common: &Common, pair: &Pair, entry: &Entry, met: &Entry) -> Told {
    let why = met.reason.as_ref().map_or(met.standing.as_str(), |reason| &reason.text);
    let why = paths::homely(&pair.session.workspace, why);
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

/// Looks again, and says what the agent makes of the skills now.
fn finish(
    ui: &Ui,
    common: &Common,
    args: &LinkArgs,
    done: &[(&Entry, Step)],
    undo: impl Fn(&str) -> String,
) -> anyhow::Result<ExitStatus> {
    if args.dry_run {
        return Ok(ExitStatus::Done);
    }
    let pair = Pair::open(ui, common, &args.into)?;
    let mut status = ExitStatus::Done;
    for (entry, step) in done {
        let met = pair.met(entry, Some(&step.place));
        if met.is_none_or(|met| !met.is_active()) {
            let reason = met.and_then(|met| met.reason.as_ref());
            let why = reason.map_or("it is not found there", |reason| &reason.text);
            let why = safe(&paths::homely(&pair.session.workspace, why));
            ui.warn(&format!("{} still does not count {}: {why}", pair.title(), safe(&entry.skill.name)));
            status = ExitStatus::No;
        }
    }
    if done.iter().any(|(_, step)| step.is_free()) {
        let from = format!("--from {}", args.into);
        ui.say(&format!("undo: {}", undo(&from)));
    }
    Ok(status)
}

pub(crate) fn unlink(ui: &Ui, common: &Common, args: &UnlinkArgs) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.from)?;
    pair.session.warn(ui);
    let found = match &args.skill {
        Some(skill) => pair.find(skill)?,
        None => pair.own.entries().filter(|entry| theirs(entry)).collect(),
    };
    let mut shelves = Shelves::of(&pair.session.workspace, &pair.view);
    let (mut removed, mut foreign) = (BTreeSet::new(), Vec::new());
    for entry in &found {
        // Looked at anew for each skill: of two equal copies, the one must not go because of the other.
        for held in shelves.held(entry) {
            if !held.kind.is_ours() || places::is_only_way(&pair.own, entry, &held.path) {
                foreign.push(held);
                continue;
            }
            // A skill that is found by two ways comes twice.
            if removed.insert(held.path.clone()) {
                ui.say(&format!("remove {}", pair.short(&held.path)));
                if !args.dry_run {
                    held.remove()?;
                }
            }
        }
    }
    match (removed.len(), &args.skill) {
        (0, Some(_)) => unmoved(ui, &pair, &found, &foreign),
        (_, Some(_)) => Ok(ExitStatus::Done),
        (removed, None) => {
            let verb = if args.dry_run { "would be removed" } else { "removed" };
            ui.say(&format!("{} of {} {verb}", count(removed, "link"), pair.title()));
            Ok(ExitStatus::Done)
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
