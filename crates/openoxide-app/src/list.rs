//! Use case: lists the skills that are active, with scope, description and cost, and what is ignored and why.

use std::collections::HashSet;
use std::path::Path;

use openoxide_live::Snapshot;
use openoxide_skills::catalog::{Catalog, Entry, Problem};
use openoxide_skills::diagnostic::Code;
use openoxide_skills::render::{BudgetUnit, Model, catalog_budget, entry_costs};
use openoxide_wire::ListAnswer;

use crate::off::{SkillsOff, skills_off};

/// What a host sees.
#[derive(Clone, Debug)]
pub struct Listing<'s> {
    /// Everything that was found.
    pub catalog: &'s Catalog,
    /// The skills that are active, in the host's order.
    pub skills: Vec<ListedSkill<'s>>,
    /// What the list that the model sees takes, in tokens.
    pub tokens: u64,
    /// What it may take, in tokens; absent: no limit is known.
    pub token_limit: Option<u64>,
    /// The setting that switches all skills off, if none is active because of it.
    pub off: Option<SkillsOff>,
}

/// A skill that is active.
#[derive(Clone, Debug)]
pub struct ListedSkill<'s> {
    /// The skill.
    pub entry: &'s Entry,
    /// What its line in the list costs, in tokens.
    pub cost: u64,
    /// Variables that it needs and that are not set.
    pub missing_variables: Vec<&'s str>,
}

/// Lists what a host sees.
pub fn list(snapshot: &Snapshot) -> Listing<'_> {
    let catalog = &*snapshot.catalog;
    let costs = entry_costs(&snapshot.view, catalog, &catalog.skills);
    let skills: Vec<ListedSkill<'_>> = catalog
        .skills
        .iter()
        .zip(&costs.each)
        .map(|(entry, cost)| ListedSkill { entry, cost: *cost, missing_variables: missing_variables(snapshot, entry) })
        .collect();
    // The model's list holds only what the model may call.
    let listed = skills.iter().filter(|skill| skill.entry.model);
    let tokens = listed.map(|skill| skill.cost).sum::<u64>() + costs.besides;
    let token_limit = catalog_budget(&snapshot.view, Model::default()).map(|(limit, unit)| match unit {
        BudgetUnit::Tokens => limit,
        BudgetUnit::Characters => limit / 4,
    });
    let is_empty = catalog.skills.is_empty();
    let off = is_empty.then(|| skills_off(&snapshot.workspace, &snapshot.view)).flatten();
    Listing { catalog, skills, tokens, token_limit, off }
}

fn missing_variables<'s>(snapshot: &Snapshot, entry: &'s Entry) -> Vec<&'s str> {
    let tools = entry.skill.dependencies.iter().flat_map(|all| &all.tools);
    let variables = tools.filter(|tool| tool.kind == "env_var").map(|tool| &*tool.value);
    variables.filter(|name| snapshot.workspace.environment.variable(name).is_none()).collect()
}

impl Listing<'_> {
    /// Returns the answer as JSON has it.
    pub fn answer(&self) -> ListAnswer {
        let costs: Vec<u64> = self.skills.iter().map(|skill| skill.cost).collect();
        ListAnswer::new(self.catalog, &costs)
    }

    /// Returns the places that could not be searched: findings about paths where no file was found.
    pub fn unsearched(&self) -> Vec<&Problem> {
        let files: HashSet<&Path> =
            self.catalog.entries().flat_map(|entry| [entry.skill.path.as_ref(), entry.found()]).collect();
        let problems = self.catalog.problems.iter();
        let of_places = problems.filter(|problem| problem.diagnostic.code <= Code::IgnoredFolder);
        of_places.filter(|problem| !files.contains(problem.path.as_path())).collect()
    }
}
