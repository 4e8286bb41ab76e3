//! What your agents see: a line for each skill, a column for each agent.

use std::fmt::Write as _;
use std::mem::ManuallyDrop;

use openoxide_app::agents_list::{AgentCatalogs, SkillRow};
use openoxide_app::{Depth, MyAgents, Workspace, off, paths, problems};
use openoxide_wire::RemotesAnswer;

use super::{args::ListArgs, host};
use crate::session::place;
use crate::table::fill;
use crate::ui::{ExitStatus, Ui, count, grouped, safe};
use crate::{commands::remote, skill_table};

pub(super) fn list(ui: &Ui, args: &ListArgs, workspace: &Workspace, agents: MyAgents) -> anyhow::Result<ExitStatus> {
    // Never dropped: the process exits after the list is written, and dropping thousands of entries takes a while.
    let found = ManuallyDrop::new(AgentCatalogs::load(workspace, agents, args.depth()));
    let mut rows = found.rows();
    let all = rows.iter().filter(|row| row.is_active() || args.all).count();
    let filter = args.filter();
    rows.retain(|row| row.main().is_some_and(|(_, entry)| filter.keeps(entry)));
    let offered = args.mcp.then(|| ask_servers(ui, workspace.clone())).transpose()?;
    if ui.common.json {
        let mut answer = found.answer(workspace, &rows);
        if let Some(offered) = offered {
            (answer.remote, answer.remote_problems) = (Some(offered.skills), offered.problems);
        }
        return ui.json(&answer);
    }
    let screen = Screen { ui, workspace, found: &found };
    screen.warn();
    let (active, ignored): (Vec<SkillRow<'_>>, Vec<SkillRow<'_>>) = rows.into_iter().partition(SkillRow::is_active);
    let shown: Vec<&SkillRow<'_>> = active.iter().chain(ignored.iter().filter(|_| args.all)).collect();
    ui.data(&skill_table::table(ui, &found, &shown))?;
    if args.all {
        ui.data(&screen.reasons(&shown))?;
        ui.data(&host::places_text(ui, workspace, &found.unsearched()))?;
    }
    if let Some(offered) = &offered {
        remote::show_list(ui, offered)?;
    }
    if !args.words.is_empty() {
        ui.say(&host::filtered(ui, args, shown.len(), all));
    }
    if shown.is_empty() && args.words.is_empty() {
        let (roots, new) = (ui.command("roots --host NAME"), ui.command("new NAME"));
        ui.say(&format!("no skills found; `{roots}` shows where an agent looks for them, `{new}` makes one"));
    }
    skill_table::say_legend(ui, &found, &shown, &count(shown.len(), "skill"));
    if !ignored.is_empty() && !args.all {
        let verb = if ignored.len() == 1 { "is" } else { "are" };
        let number = grouped(ignored.len() as u64);
        let what = format!("{number} more {verb} active in none of your agents");
        ui.say_command(&what, &ui.command("list --all"));
    }
    if let Some(offered) = &offered {
        ui.say(&remote::summary(offered));
    }
    Ok(ExitStatus::Done)
}

/// Asks the MCP servers of the user's settings, which are the same for every agent.
fn ask_servers(ui: &Ui, workspace: Workspace) -> anyhow::Result<RemotesAnswer> {
    let place = place(&ui.common);
    remote::ask(ui, &openoxide_app::open(workspace, &place)?.search(&place, Depth::Quick))
}

struct Screen<'s> {
    ui: &'s Ui,
    workspace: &'s Workspace,
    found: &'s AgentCatalogs,
}

impl Screen<'_> {
    fn warn(&self) {
        self.ui.warn_of_settings(self.workspace, problems::of_settings(self.workspace));
        for agent in &self.found.agents {
            self.ui.warn_of_settings(self.workspace, &agent.problems);
            host::warn_of_limits(self.ui, self.workspace, &agent.catalog.limits);
            if let Some(off) = off::skills_off(self.workspace, &agent.view) {
                self.ui.warn(&format!("{}: {}", safe(&agent.view.host.title), off.remedy()));
            }
        }
    }

    /// Writes why agents ignore files, those that do so for the same reason together.
    fn reasons(&self, rows: &[&SkillRow<'_>]) -> String {
        let mut text = String::new();
        for row in rows {
            let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
            for (agent, entry) in self.found.agents.iter().zip(&row.entries) {
                let Some(reason) = entry.and_then(|entry| entry.reason.as_ref()) else { continue };
                let why = safe(&paths::abbreviate_home(self.workspace, &reason.text));
                let why = format!("{}, {why} [{}]", entry.map_or("", |entry| entry.status.as_str()), reason.code);
                let title = safe(&agent.view.host.title);
                match reasons.iter_mut().find(|(known, _)| *known == why) {
                    Some((_, agents)) => agents.push(title),
                    None => reasons.push((why, vec![title])),
                }
            }
            let Some((_, entry)) = row.main().filter(|_| !reasons.is_empty()) else { continue };
            let _ = writeln!(text, "\n{}", paths::short(self.workspace, entry.found()));
            for (why, agents) in reasons {
                let _ = writeln!(text, "{}", fill("  ", &format!("{}: {why}", agents.join(", ")), self.ui.width));
            }
        }
        text
    }
}
