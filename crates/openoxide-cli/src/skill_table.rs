//! A line for each skill, a column of marks for each agent.

use std::fmt::Write as _;

use openoxide_app::Entry;
use openoxide_app::agents_list::{AgentCatalogs, Mark, SkillRow};
use openoxide_app::catalog_use::room_text;

use unicode_width::UnicodeWidthStr as _;

use crate::marks::{MarkColumns, legend};
use crate::table::{cut, fill, pad, widest};
use crate::ui::{Role, Ui, paint, safe};

/// The fewest columns that a description gets.
const DESCRIPTION_MIN: usize = 12;
/// The fewest columns that a name gets.
const NAME_MIN: usize = 10;

/// Draws some rows: scope, name, description, and what each agent makes of it.
pub(crate) fn table(ui: &Ui, found: &AgentCatalogs, rows: &[&SkillRow<'_>]) -> String {
    let lines: Vec<(&Entry, Vec<Mark>)> =
        rows.iter().filter_map(|row| Some((row.main()?.1, marks(found, row)))).collect();
    if lines.is_empty() {
        return String::new();
    }
    let titles: Vec<&str> = found.agents.iter().map(|agent| agent.view.host.title.as_str()).collect();
    let layout = Layout::new(ui.width, &titles, &lines);
    let mut text = layout.key(ui.width);
    // More agents than a line holds are shown in several blocks.
    for first in (0..titles.len()).step_by(layout.at_once) {
        let block = first..titles.len().min(first + layout.at_once);
        let columns = layout.columns.part(block.clone());
        let _ = writeln!(text, "{}", layout.head(&columns));
        for (entry, marks) in &lines {
            let _ = writeln!(text, "{}", layout.line(entry, &columns.marks(&marks[block.clone()])).trim_end());
        }
    }
    text
}

/// Says what the marks mean that are there, after a few words, and where to ask why.
pub(crate) fn say_legend(ui: &Ui, found: &AgentCatalogs, rows: &[&SkillRow<'_>], words: &str) {
    let marks: Vec<Mark> = rows.iter().flat_map(|row| marks(found, row)).collect();
    if marks.is_empty() {
        return;
    }
    let line = format!("{words}   {}", legend(|mark| marks.contains(&mark)));
    if marks.iter().all(|mark| *mark == Mark::Active) {
        ui.say(&line);
    } else {
        let why = format!("why: {}", ui.command("explain SKILL"));
        let fits = ui.width.is_none_or(|width| line.width() + 3 + why.width() <= width);
        ui.say(&format!("{line}{}{why}", if fits { "   " } else { "\n" }));
    }
    say_rooms(ui, found, rows);
}

/// Says how full the catalogs are of the agents that do not show every skill whole.
fn say_rooms(ui: &Ui, found: &AgentCatalogs, rows: &[&SkillRow<'_>]) {
    for (column, agent) in found.agents.iter().enumerate() {
        let is_lost = |row: &&SkillRow<'_>| matches!(found.mark(row, column), Mark::NameOnly | Mark::LeftOut);
        if let Some(catalog) = found.catalog_use(column).filter(|_| rows.iter().any(is_lost)) {
            ui.say(&format!("{}: {}", safe(&agent.view.host.title), room_text(catalog)));
        }
    }
}

fn marks(found: &AgentCatalogs, row: &SkillRow<'_>) -> Vec<Mark> {
    (0..found.agents.len()).map(|column| found.mark(row, column)).collect()
}

/// How wide the columns are.
struct Layout {
    scopes: usize,
    names: usize,
    /// Absent: it is the last column, and whole.
    descriptions: Option<usize>,
    columns: MarkColumns,
    /// How many agents a line holds.
    at_once: usize,
}

impl Layout {
    fn new(width: Option<usize>, titles: &[&str], lines: &[(&Entry, Vec<Mark>)]) -> Layout {
        let scopes = widest(lines.iter().map(|(entry, _)| entry.skill.scope.as_str()), 8);
        let names: Vec<String> = lines.iter().map(|(entry, _)| safe(&entry.skill.name)).collect();
        let widest_name = |most| widest(names.iter().map(String::as_str), most);
        let Some(width) = width else {
            let columns = MarkColumns::new(titles, usize::MAX);
            return Layout {
                scopes,
                names: widest_name(usize::MAX),
                descriptions: None,
                columns,
                at_once: titles.len().max(1),
            };
        };
        // Names of agents take less than half of a line.
        let columns = MarkColumns::new(titles, width * 9 / 20);
        let fits = scopes + 2 + NAME_MIN + 2 + columns.width() <= width;
        let at_once = match fits {
            true => titles.len(),
            false => MarkColumns::numbers_in(width.saturating_sub(scopes + 2 + NAME_MIN + 2)),
        };
        let taken = if fits { columns.width() } else { columns.part(0..at_once.min(titles.len())).width() };
        let left = width.saturating_sub(scopes + 2 + 2 + taken);
        let names = widest_name((width / 3).min(32).min(left).max(NAME_MIN));
        let descriptions = left.saturating_sub(names + 2);
        let descriptions = Some(if descriptions < DESCRIPTION_MIN || !fits { 0 } else { descriptions });
        Layout { scopes, names, descriptions, columns, at_once: at_once.max(1) }
    }

    /// Returns what the heads stand for, if they are numbers.
    fn key(&self, width: Option<usize>) -> String {
        self.columns.key.as_ref().map_or_else(String::new, |key| fill("", key, width) + "\n")
    }

    fn head(&self, columns: &MarkColumns) -> String {
        let description = self.descriptions.filter(|room| *room > 0).map_or(0, |room| room + 2);
        format!("{}{}", " ".repeat(self.scopes + 2 + self.names + 2 + description), columns.head())
    }

    fn line(&self, entry: &Entry, marks: &str) -> String {
        let scope = paint(Role::Dim, &pad(entry.skill.scope.as_str(), self.scopes));
        let name = safe(&entry.skill.name);
        let name = if self.descriptions.is_some() { cut(&name, self.names) } else { name };
        let name = paint(Role::Strong, &pad(&name, self.names));
        let description = safe(&entry.skill.description);
        match self.descriptions {
            None => {
                format!("{scope}  {name}  {marks}  {description}")
            }
            Some(0) => format!("{scope}  {name}  {marks}"),
            Some(room) => format!("{scope}  {name}  {}  {marks}", pad(&cut(&description, room), room)),
        }
    }
}
