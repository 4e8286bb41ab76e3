//! The list of your agents as JSON has it.

use std::collections::{BTreeMap, HashSet};

use openoxide_config::Workspace;
use openoxide_skills::prelude::{Catalog, Entry};
use openoxide_skills::render::entry_costs;
use openoxide_wire::{
    AgentsListAnswer, AgentsOtherLine, AgentsSkillLine, LimitLine, ProblemLine, SchemaVersion, SkillFacts,
};

use super::catalogs::{AgentCatalog, AgentCatalogs, SkillRow};
use super::shown::Mark;

impl AgentCatalogs {
    /// Returns the answer about some rows as JSON has it.
    pub fn answer(&self, workspace: &Workspace, rows: &[SkillRow<'_>]) -> AgentsListAnswer {
        let (active, ignored): (Vec<&SkillRow<'_>>, Vec<&SkillRow<'_>>) = rows.iter().partition(|row| row.is_active());
        let costs = self.costs(&active);
        let skills = active.iter().zip(costs).filter_map(|(row, cost)| self.skill_line(row, cost));
        let mut others: Vec<AgentsOtherLine> = ignored.iter().filter_map(|row| self.other_line(row)).collect();
        others.sort_by(|left, right| left.path.cmp(&right.path));
        AgentsListAnswer {
            schema: SchemaVersion::default(),
            hosts: self.agents.iter().map(|agent| agent.catalog.host.clone()).collect(),
            skills: skills.collect(),
            others,
            problems: self.problems(workspace),
            limits: self.limits(),
            remote: None,
            remote_problems: Vec::new(),
        }
    }

    /// Returns what the line of each skill costs in the catalog of the agent that describes it.
    fn costs(&self, rows: &[&SkillRow<'_>]) -> Vec<u64> {
        let mut costs = vec![0; rows.len()];
        let mut by_agent: BTreeMap<usize, Vec<(usize, &Entry)>> = BTreeMap::new();
        for (at, row) in rows.iter().enumerate() {
            if let Some((column, entry)) = row.main() {
                by_agent.entry(column).or_default().push((at, entry));
            }
        }
        for (column, entries) in by_agent {
            let AgentCatalog { view, catalog, .. } = &self.agents[column];
            let each = entry_costs(view, catalog, entries.iter().map(|(_, entry)| *entry)).each;
            for ((at, _), cost) in entries.iter().zip(each) {
                costs[*at] = cost;
            }
        }
        costs
    }

    fn skill_line(&self, row: &SkillRow<'_>, cost: u64) -> Option<AgentsSkillLine> {
        let (column, entry) = row.main()?;
        let facts = SkillFacts::new(&self.agents[column].catalog, entry, cost);
        let marked = |wanted: Mark| {
            let columns = (0..self.agents.len()).filter(|column| self.mark(row, *column) == wanted);
            columns.map(|column| self.agents[column].catalog.host.clone()).collect()
        };
        let (name_only, left_out) = (marked(Mark::NameOnly), marked(Mark::LeftOut));
        Some(AgentsSkillLine { name_only, left_out, ..AgentsSkillLine::new(facts, self.found(row)) })
    }

    fn other_line(&self, row: &SkillRow<'_>) -> Option<AgentsOtherLine> {
        let (column, entry) = row.main()?;
        Some(AgentsOtherLine::new((&self.agents[column].catalog, entry), self.found(row)))
    }

    fn found<'r>(&'r self, row: &'r SkillRow<'r>) -> impl Iterator<Item = (&'r Catalog, &'r Entry)> {
        self.agents.iter().zip(&row.entries).filter_map(|(agent, entry)| Some((&*agent.catalog, (*entry)?)))
    }

    /// Returns what is wrong with settings, then with files; what several agents find wrong stands there once.
    fn problems(&self, workspace: &Workspace) -> Vec<ProblemLine> {
        let of_settings = workspace.config.problems.iter().chain(self.agents.iter().flat_map(|agent| &agent.problems));
        let of_settings =
            of_settings.map(|problem| ProblemLine::new(problem.path.as_deref(), &problem.diagnostic)).collect();
        let found = self.agents.iter().flat_map(|agent| &agent.catalog.problems);
        let mut found: Vec<ProblemLine> = found.map(ProblemLine::from).collect();
        found.sort_by(|left, right| (&left.path, left.line, &left.code).cmp(&(&right.path, right.line, &right.code)));
        let mut all: Vec<ProblemLine> = of_settings;
        all.append(&mut found);
        let mut known = HashSet::new();
        all.retain(|line| known.insert((line.path.clone(), line.line, line.code.clone(), line.message.clone())));
        all
    }

    /// Returns the limits that were reached, each once.
    fn limits(&self) -> Vec<LimitLine> {
        let reached = self.agents.iter().flat_map(|agent| &agent.catalog.limits);
        let lines: BTreeMap<(String, String), LimitLine> =
            reached.map(LimitLine::from).map(|line| ((line.root.clone(), line.code.clone()), line)).collect();
        lines.into_values().collect()
    }
}
