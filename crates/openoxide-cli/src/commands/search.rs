//! `search`: skills by words, best match first.

use std::fmt::Write as _;

use openoxide_app::agents_list::{self, AgentCatalogs};
use openoxide_app::{Depth, Workspace, search};
use openoxide_wire::SearchAnswer;

use crate::session::{open_workspace, place, say_no_agent};
use crate::table::{cut, pad, widest};
use crate::ui::{ExitStatus, Role, Ui, count, paint, safe};
use crate::{error::CommandError, skill_table};

/// Find skills by words, best match first
///
/// Ranks the skills that are active in your agents by how well their names and descriptions match; rare words weigh more.
/// With `--host`, those of one host.
#[derive(Debug, clap::Args)]
pub(crate) struct SearchArgs {
    /// What to look for
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// Show at most this many skills
    #[arg(long, value_name = "N", default_value_t = search::LIMIT_DEFAULT)]
    limit: usize,
}

impl SearchArgs {
    fn query(&self) -> String {
        self.words.join(" ")
    }

    /// Says that nothing fits, which is an answer.
    fn nothing(&self, ui: &Ui) -> anyhow::Error {
        let list = ui.command("list");
        CommandError::no(format!("no skill matches `{}`", safe(&self.query())))
            .hint(format!("`{list}` shows every skill"))
            .into()
    }
}

pub(crate) fn search(ui: &Ui, args: &SearchArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    if workspace.named_host().is_some() {
        return in_host(ui, args, workspace);
    }
    let agents = agents_list::my_agents(&workspace)?;
    if agents.is_one_host() {
        say_no_agent(ui, &workspace);
        return in_host(ui, args, workspace);
    }
    let found = AgentCatalogs::load(&workspace, agents, Depth::Quick);
    let rows = found.rows();
    let hits = search::search_agents(&rows, &args.query(), args.limit)?;
    if ui.common.json {
        return ui.json(&search::agents_answer(&found, &hits));
    }
    if hits.is_empty() {
        return Err(args.nothing(ui));
    }
    let shown: Vec<_> = hits.iter().map(|hit| hit.row).collect();
    ui.data(&skill_table::table(ui, &found, &shown))?;
    skill_table::say_legend(ui, &found, &shown, &count(shown.len(), "skill"));
    Ok(ExitStatus::Done)
}

fn in_host(ui: &Ui, args: &SearchArgs, workspace: Workspace) -> anyhow::Result<ExitStatus> {
    let place = place(&ui.common);
    let snapshot = openoxide_app::open(workspace, &place)?.search(&place, Depth::Quick);
    let answer = search::search(&snapshot, &args.query(), args.limit)?;
    if ui.common.json {
        return ui.json(&answer);
    }
    if answer.hits.is_empty() {
        return Err(args.nothing(ui));
    }
    ui.data(&hits_text(ui, &answer))?;
    ui.say(&count(answer.hits.len(), "skill"));
    Ok(ExitStatus::Done)
}

fn hits_text(ui: &Ui, answer: &SearchAnswer) -> String {
    let names: Vec<String> = answer.hits.iter().map(|hit| safe(&hit.name)).collect();
    let width = widest(names.iter().map(String::as_str), ui.width.map_or(usize::MAX, |all| all / 3));
    let mut text = String::new();
    for (hit, name) in answer.hits.iter().zip(&names) {
        let (name, description) = match ui.width {
            Some(all) => (cut(name, width), cut(&safe(&hit.description), all.saturating_sub(width + 2).max(10))),
            None => (name.clone(), safe(&hit.description)),
        };
        let _ = writeln!(text, "{}  {description}", paint(Role::Strong, &pad(&name, width)));
    }
    text
}
