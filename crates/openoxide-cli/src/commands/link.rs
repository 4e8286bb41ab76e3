//! `link` and `unlink`: put a skill where another agent looks, and take it away again.

use std::path::{Path, PathBuf};

use openoxide_config::Workspace;
use openoxide_skills::{Catalog, Depth, Entry, Layout, Links, Root, SkillScope, View, load};

use crate::ExitStatus;
use crate::args::Common;
use crate::error::Told;
use crate::paths;
use crate::session::Session;
use crate::ui::{Ui, count, safe};

mod files;

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
    /// Every skill that counts here and that the agent does not see
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
/// Removes only links, and copies that are still the same as the skill that they were made from.
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
        session.warn(ui);
        let (view, _) = session.workspace.view(other)?;
        if view.spec.id() == session.view.spec.id() {
            let hint = "`--into` names another host; `openoxide hosts` lists them";
            return Err(Told::failed(format!("{} sees its own skills already", view.host.title)).hint(hint).into());
        }
        let mut catalogs = load(&[session.view.clone(), view.clone()], Depth::Quick).into_iter();
        match (catalogs.next(), catalogs.next()) {
            (Some(own), Some(other)) => Ok(Pair { session, own, view, other }),
            _ => Err(anyhow::anyhow!("the project was not searched")),
        }
    }

    /// Returns what is meant: one skill, or all that pass.
    fn wanted(&self, skill: Option<&String>, pass: impl Fn(&Entry) -> bool) -> Result<Vec<&Entry>, Told> {
        match skill {
            None => {
                let theirs = |entry: &&Entry| matches!(entry.skill.scope, SkillScope::Repo | SkillScope::User);
                Ok(self.own.skills.iter().filter(theirs).filter(|entry| pass(entry)).collect())
            }
            Some(skill) => {
                let own = self.session.find(&self.own, skill);
                let found = own.or_else(|told| self.session.find(&self.other, skill).map_err(|_| told))?;
                Ok(found.into_iter().take(1).collect())
            }
        }
    }

    fn sees(&self, entry: &Entry) -> bool {
        self.other.skills.iter().any(|seen| seen.canonical() == entry.canonical())
    }

    fn short(&self, path: &Path) -> String {
        paths::short(&self.session.workspace, path)
    }
}

pub(crate) fn link(ui: &Ui, common: &Common, args: &LinkArgs) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.into)?;
    let wanted = pair.wanted(args.skill.as_ref(), |entry| !pair.sees(entry))?;
    let mut status = ExitStatus::Done;
    let mut done = 0;
    for entry in &wanted {
        if pair.sees(entry) {
            ui.say(&format!("{} sees {} already", pair.view.host.title, safe(&entry.skill.name)));
            continue;
        }
        match link_one(ui, &pair, entry, args) {
            Ok(()) => done += 1,
            Err(error) if args.all => {
                ui.error(&error);
                status = ExitStatus::No;
            }
            Err(error) => return Err(error),
        }
    }
    if args.all {
        let verb = if args.dry_run { "would be put" } else { "put" };
        ui.say(&format!("{} {verb} where {} looks", count(done, "skill"), pair.view.host.title));
    }
    if done > 0 && !args.dry_run && !all_seen(ui, common, args, &wanted)? {
        status = ExitStatus::No;
    }
    Ok(status)
}

fn link_one(ui: &Ui, pair: &Pair, entry: &Entry, args: &LinkArgs) -> anyhow::Result<()> {
    let source = entry.canonical().parent().unwrap_or(Path::new("/"));
    if openoxide_skills::is_skill_folder(source) {
        let root = target_root(pair, entry)?;
        let place = root.path.join(source.file_name().unwrap_or_default());
        let copies = args.copy || root.scan.folder_links == Links::Skip;
        let verb = if copies { "copy" } else { "link" };
        ui.say(&format!("{verb}  {}  ->  {}", pair.short(&place), pair.short(source)));
        return match args.dry_run {
            true => files::refuse_taken(&place, source),
            false => files::put(&place, source, copies),
        };
    }
    let message = format!("`{}` is a single file, not a skill's folder", pair.short(entry.canonical()));
    Err(Told::failed(message).hint("only a folder with a `SKILL.md` can be linked").into())
}

/// Tells whether an agent has a folder for a skill of this scope.
pub(crate) fn has_place(workspace: &Workspace, view: &View, entry: &Entry) -> bool {
    folder_for(workspace, view, scope_of(entry)).is_some()
}

/// A skill of the project goes into the project, any other to the user's own.
fn scope_of(entry: &Entry) -> SkillScope {
    if entry.skill.scope == SkillScope::Repo { SkillScope::Repo } else { SkillScope::User }
}

/// Chooses an agent's folder: one of that scope, best one that is there already.
fn folder_for<'v>(workspace: &Workspace, view: &'v View, scope: SkillScope) -> Option<&'v Root> {
    let home = workspace.environment.home.as_ref();
    let is_there = |root: &Root| match scope {
        SkillScope::Repo => root.path.starts_with(&workspace.project),
        _ => home.is_some_and(|home| root.path.starts_with(home)),
    };
    let holds = |root: &&Root| {
        root.scope == scope
            && matches!(root.scan.layout, Layout::Tree | Layout::Child)
            && root.plugin.is_none()
            && !root.named
            && root.asleep.is_none()
            && is_there(root)
    };
    // A folder nearer to the project's root serves more of the project.
    let order = |root: &&Root| (!root.path.is_dir(), root.path.components().count());
    view.roots.iter().filter(holds).min_by_key(order)
}

fn target_root<'p>(pair: &'p Pair, entry: &Entry) -> Result<&'p Root, Told> {
    let scope = scope_of(entry);
    folder_for(&pair.session.workspace, &pair.view, scope).ok_or_else(|| {
        let message = format!("{} has no folder for skills of the {}", pair.view.host.title, scope.as_str());
        Told::failed(message).hint(format!("`openoxide roots --host {}` shows where it looks", pair.view.spec.id()))
    })
}

/// Looks again, and says what the agent makes of the skills now.
fn all_seen(ui: &Ui, common: &Common, args: &LinkArgs, wanted: &[&Entry]) -> anyhow::Result<bool> {
    let pair = Pair::open(ui, common, &args.into)?;
    let mut all = true;
    for entry in wanted.iter().filter(|entry| !pair.sees_alike(entry)) {
        let name = safe(&entry.skill.name);
        let folder = entry.dir().file_name();
        let found = pair.other.others.iter().find(|other| other.found().parent().and_then(Path::file_name) == folder);
        let why = found.and_then(|found| found.reason.as_ref()).map_or("it is not found there", |reason| &reason.text);
        ui.warn(&format!("{} still does not count {name}: {}", pair.view.host.title, safe(why)));
        all = false;
    }
    if all {
        let undo = match args.skill.as_ref() {
            Some(_) => safe(&wanted[0].skill.name),
            None => "--all".to_owned(),
        };
        ui.say(&format!("undo: openoxide unlink {undo} --from {}", args.into));
    }
    Ok(all)
}

impl Pair {
    /// Tells whether the agent sees the skill, or a copy in a folder of the same name.
    fn sees_alike(&self, entry: &Entry) -> bool {
        let folder = entry.dir().file_name();
        self.sees(entry)
            || self.other.skills.iter().any(|seen| seen.found().parent().and_then(Path::file_name) == folder)
    }
}

pub(crate) fn unlink(ui: &Ui, common: &Common, args: &UnlinkArgs) -> anyhow::Result<ExitStatus> {
    let pair = Pair::open(ui, common, &args.from)?;
    let wanted = pair.wanted(args.skill.as_ref(), |_| true)?;
    let mut removed = 0;
    for entry in &wanted {
        for place in places(&pair, entry) {
            match files::kind(&place, entry.canonical().parent().unwrap_or(Path::new("/"))) {
                files::Kind::Ours => {
                    ui.say(&format!("remove  {}", pair.short(&place)));
                    if !args.dry_run {
                        files::remove(&place)?;
                    }
                    removed += 1;
                }
                files::Kind::Foreign if !args.all => {
                    let message = format!("`{}` is neither a link nor an unchanged copy", pair.short(&place));
                    return Err(Told::failed(message).hint("remove it yourself if it is not needed").into());
                }
                files::Kind::Foreign | files::Kind::Absent => {}
            }
        }
    }
    if removed == 0 {
        let what = args.skill.as_ref().map_or_else(|| "any skill".to_owned(), |skill| format!("`{}`", safe(skill)));
        ui.say(&format!("nothing of {} leads to {what}", pair.view.host.title));
    }
    Ok(ExitStatus::Done)
}

/// Returns where the agent would have a link to the skill, the skill's own place left out.
fn places(pair: &Pair, entry: &Entry) -> Vec<PathBuf> {
    let source = entry.canonical().parent().unwrap_or(Path::new("/"));
    let name = source.file_name().unwrap_or_default();
    let roots = pair.view.roots.iter().filter(|root| root.plugin.is_none());
    roots.map(|root| root.path.join(name)).filter(|place| place != source).collect()
}
