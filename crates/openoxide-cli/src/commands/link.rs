//! `link` and `unlink`: put a skill where another agent looks, and take it away again.

use openoxide_app::Workspace;
use openoxide_app::link::{IgnoredSkill, LinkEvent, LinkInput, Linked, UnlinkEvent, UnlinkInput};
use openoxide_app::paths;

use crate::args::Common;
use crate::error::CommandError;
use crate::exit::ExitStatus;
use crate::session::Session;
use crate::typed;
use crate::ui::{Ui, count, safe};

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

pub(crate) fn link(ui: &Ui, common: &Common, args: &LinkArgs) -> anyhow::Result<ExitStatus> {
    let session = Session::open(ui, common)?;
    let (skill, into) = (args.skill.clone(), args.into.clone());
    let input = LinkInput { skill, into, copy: args.copy, dry_run: args.dry_run };
    let workspace = &session.workspace;
    let mut warned = false;
    let mut report = |event| {
        if !std::mem::replace(&mut warned, true) {
            session.warn(ui);
        }
        tell(ui, common, workspace, event);
    };
    let mut linked = openoxide_app::link::link(&session, &input, &mut report)?;
    if !warned {
        session.warn(ui);
    }
    if let Some(ignored) = &linked.ignored {
        return Err(finds_already(common, workspace, &linked.host, ignored).into());
    }
    if args.skill.is_none() {
        ui.say(&total(&linked, args.dry_run));
    }
    for ignored in &linked.still_ignored {
        let why = safe(&paths::abbreviate_home(workspace, &ignored.reason));
        ui.warn(&format!("{} still does not count {}: {why}", safe(&linked.host), safe(&ignored.name)));
    }
    if !args.dry_run {
        linked.answer.undo = undo(ui, common, args, workspace, &linked);
    }
    if common.json {
        ui.json(&linked.answer)?;
    }
    if linked.linked < linked.wanted {
        let failed = linked.wanted - linked.linked;
        let message = format!("{failed} of {} could not be linked", count(linked.wanted, "skill"));
        return Err(CommandError::failed(message).into());
    }
    Ok(if linked.still_ignored.is_empty() { ExitStatus::Done } else { ExitStatus::No })
}

fn tell(ui: &Ui, common: &Common, workspace: &Workspace, event: LinkEvent) {
    let short = |path: &std::path::Path| paths::short(workspace, path);
    match event {
        LinkEvent::SeenAlready { host, skill } => ui.say(&format!("{} sees {} already", safe(&host), safe(&skill))),
        LinkEvent::LeftOut { host, skill, reason } => {
            let (host, skill, reason) = (safe(&host), safe(&skill), safe(&reason));
            ui.warn(&format!("{skill} is left out, because {host} would drop it: {reason}"));
        }
        LinkEvent::LinkedAlready { place } => ui.say(&format!("{} is there already", short(&place))),
        LinkEvent::Making { place, source, copy: true } => {
            ui.say(&format!("copy {} to {}", short(&source), short(&place)));
        }
        LinkEvent::Making { place, source, copy: false } => {
            ui.say(&format!("link {} to {}", short(&place), short(&source)));
        }
        LinkEvent::Failed(error) => ui.error(common, &error.into()),
    }
}

fn total(linked: &Linked, dry_run: bool) -> String {
    let host = safe(&linked.host);
    let verb = if dry_run { "would be put" } else { "put" };
    match linked.linked {
        0 if linked.wanted == 0 => format!("there is nothing to link for {host}"),
        number => format!("{} {verb} where {host} looks", count(number, "skill")),
    }
}

/// Says why an agent ignores a skill that it finds without any link.
fn finds_already(common: &Common, workspace: &Workspace, host: &str, ignored: &IgnoredSkill) -> CommandError {
    let why = paths::abbreviate_home(workspace, &ignored.reason);
    let place = ignored.found.as_deref().map(|found| paths::short(workspace, found)).unwrap_or_default();
    let error = CommandError::no(format!("{} finds {place} already, and does not count it: {why}", safe(host)));
    error.hint(match typed::word(&ignored.name) {
        Some(name) => typed::command(common, "explain", Some(&name), ""),
        None => typed::command(common, "list --all", None, ""),
    })
}

/// Says how to take back what was made, and nothing else.
fn undo(ui: &Ui, common: &Common, args: &LinkArgs, workspace: &Workspace, linked: &Linked) -> Option<String> {
    let (mut words, mut untyped) = (Vec::new(), Vec::new());
    for made in &linked.made {
        match typed::skill(workspace, &made.skill) {
            Some(word) => words.push(word),
            None => untyped.push(paths::short(workspace, &made.place)),
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
    let session = Session::open(ui, common)?;
    let (skills, from) = (args.skills.clone(), args.from.clone());
    let input = UnlinkInput { skills, from, all: args.all, dry_run: args.dry_run };
    let workspace = &session.workspace;
    let mut warned = false;
    let mut report = |event| {
        if !std::mem::replace(&mut warned, true) {
            session.warn(ui);
        }
        tell_unlink(ui, workspace, args.dry_run, &event);
    };
    let unlinked = openoxide_app::link::unlink(&session, &input, &mut report)?;
    if !warned {
        session.warn(ui);
    }
    if common.json {
        ui.json(&unlinked.answer)?;
    }
    match unlinked.kept {
        Some(error) => Err(error.into()),
        None if unlinked.still_seen => Ok(ExitStatus::No),
        None => Ok(ExitStatus::Done),
    }
}

fn tell_unlink(ui: &Ui, workspace: &Workspace, dry_run: bool, event: &UnlinkEvent) {
    let short = |path: &std::path::Path| paths::short(workspace, path);
    ui.say(&match event {
        UnlinkEvent::Removing { path } => format!("remove {}", short(path)),
        UnlinkEvent::Total { host, links } => {
            let verb = if dry_run { "would be removed" } else { "removed" };
            format!("{} of {} {verb}", count(*links, "link"), safe(host))
        }
        UnlinkEvent::RemovedEmpty { folder } => format!("remove {}, which is empty now", short(folder)),
        UnlinkEvent::SeenItself { host, folder } => {
            format!("{} sees {} itself, not a link to it", safe(host), short(folder))
        }
        UnlinkEvent::NoLink { host } => format!("{} has no link to it", safe(host)),
    });
}
