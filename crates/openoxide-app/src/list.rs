//! Use case: lists the skills that are active, with scope, description and cost, and what is ignored and why.

mod filter;

use std::collections::HashSet;
use std::{ffi::OsStr, path::Path};

use openoxide_live::Snapshot;
use openoxide_runtime::Audience;
use openoxide_skills::catalog::{Catalog, Entry, Problem, Status, View};
use openoxide_skills::render::entry_costs;
use openoxide_skills::text::path_text;
use openoxide_skills::{diagnostic::Code, host::Refresh};
use openoxide_wire::{LimitLine, ListAnswer, OtherLine, SkillLine};

pub use filter::ListFilter;

use crate::catalog_use::FittedCatalog;
use crate::off::{SkillsOff, skills_off};
use crate::{error::Error, link::is_elsewhere, skill_id::SkillIds};

/// What a host sees.
#[derive(Clone, Debug)]
pub struct Listing<'s> {
    /// Everything that was found.
    pub catalog: &'s Catalog,
    /// The skills that are active, in the host's order.
    pub skills: Vec<ListedSkill<'s>>,
    /// Everything else that was found, by path.
    pub others: Vec<&'s Entry>,
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

/// Tells whether the host reads its skills only when it starts, so that the list stays as it is until it is loaded again.
pub fn is_fixed(view: &View) -> bool {
    view.host.list.refresh == Refresh::Start
}

/// Lists what a host sees, and what the rules keep from the model. A program gets an error if a rule cannot be read.
///
/// Lines that were drawn for `fitted` are not drawn again.
pub fn list<'s>(
    snapshot: &'s Snapshot,
    audience: Audience,
    fitted: Option<&FittedCatalog>,
) -> Result<Listing<'s>, Error> {
    let catalog = match (snapshot.runtime(), audience) {
        (Ok(runtime), _) => runtime.catalog(),
        // A person who has to fix broken settings still sees every skill.
        (Err(_), Audience::Person) => &*snapshot.catalog,
        (Err(error), Audience::Program) => return Err(error.into()),
    };
    let costs = match fitted {
        Some(fitted) => fitted.costs(&snapshot.view, catalog, &catalog.skills),
        None => entry_costs(&snapshot.view, catalog, &catalog.skills).each,
    };
    let skills: Vec<ListedSkill<'_>> = catalog
        .skills
        .iter()
        .zip(&costs)
        .map(|(entry, cost)| ListedSkill { entry, cost: *cost, missing_variables: missing_variables(snapshot, entry) })
        .collect();
    let is_empty = catalog.skills.is_empty();
    let off = is_empty.then(|| skills_off(&snapshot.workspace, &snapshot.view)).flatten();
    let others = catalog.others.iter().collect();
    Ok(Listing { catalog, skills, others, off })
}

fn missing_variables<'s>(snapshot: &Snapshot, entry: &'s Entry) -> Vec<&'s str> {
    let tools = entry.skill.dependencies.iter().flat_map(|all| &all.tools);
    let variables = tools.filter(|tool| tool.kind == "env_var").map(|tool| &*tool.value);
    variables.filter(|name| snapshot.workspace.environment.variable(name).is_none()).collect()
}

impl Listing<'_> {
    /// Keeps only what a filter keeps.
    pub fn retain(&mut self, filter: &ListFilter) {
        self.skills.retain(|skill| filter.keeps(skill.entry));
        self.others.retain(|entry| filter.keeps(entry));
    }

    /// Returns the answer as JSON has it.
    pub fn answer(&self) -> ListAnswer {
        let skills = self.skills.iter().map(|skill| (skill.entry, skill.cost));
        ListAnswer::new(self.catalog, skills, self.others.iter().copied())
    }

    /// Returns the lines of the active skills, each with its id.
    pub fn skill_lines(&self) -> Vec<(String, SkillLine)> {
        let ids = SkillIds::new(self.catalog);
        let line =
            |skill: &ListedSkill<'_>| (ids.of(skill.entry), SkillLine::new(self.catalog, skill.entry, skill.cost));
        self.skills.iter().map(line).collect()
    }

    /// Returns the lines of everything else that was found, by path, each with its id.
    pub fn other_lines(&self) -> Vec<(String, OtherLine)> {
        let ids = SkillIds::new(self.catalog);
        self.others.iter().map(|entry| (ids.of(entry), OtherLine::new(self.catalog, entry))).collect()
    }

    /// Returns the limits that were reached.
    pub fn limit_lines(&self) -> Vec<LimitLine> {
        self.catalog.limits.iter().map(LimitLine::from).collect()
    }

    /// Returns the places that could not be searched.
    pub fn unsearched(&self) -> Vec<&Problem> {
        unsearched(self.catalog)
    }
}

/// Counts what an agent ignores: neither what is where it does not look, nor an active skill that is found again, by a link.
pub(crate) fn ignored(catalog: &Catalog) -> usize {
    let active: HashSet<&OsStr> = catalog.skills.iter().map(|entry| entry.canonical().as_os_str()).collect();
    let is_new = |entry: &&Entry| !is_elsewhere(entry) && !active.contains(entry.canonical().as_os_str());
    catalog.others.iter().filter(is_new).count()
}

/// Returns whether a code is about a place that cannot be searched, so that nobody knows what is there.
pub fn is_unsearched(code: Code) -> bool {
    matches!(code, Code::Unreadable | Code::LinkDangling | Code::LinkCycle | Code::LinkLeadsOut)
}

/// Returns the places that a host could not search: findings about paths where no file was found.
pub(crate) fn unsearched(catalog: &Catalog) -> Vec<&Problem> {
    let files: HashSet<&Path> =
        catalog.entries().flat_map(|entry| [entry.skill.path.as_ref(), entry.found()]).collect();
    let is_place =
        |problem: &&Problem| is_unsearched(problem.diagnostic.code) && !files.contains(problem.path.as_path());
    catalog.problems.iter().filter(is_place).collect()
}

/// Returns the skills that a user can switch on or off: the active ones, and those that are switched off.
pub fn switchable(snapshot: &Snapshot) -> Vec<&Entry> {
    snapshot.catalog.switchable(&snapshot.view.host)
}

/// Returns what is wrong with settings, then with files that would be skills otherwise: the path, empty where no file is at
/// fault, and the host's words.
pub fn load_errors(snapshot: &Snapshot) -> Vec<(String, String)> {
    let settings = snapshot.problems.iter().filter(|problem| {
        // An untrusted project is the usual state, and a folder that does not exist may come.
        !matches!(problem.diagnostic.code, Code::ConfigUntrusted | Code::RootRefused)
    });
    let settings = settings.map(|problem| {
        (problem.path.as_deref().map(path_text).unwrap_or_default(), problem.diagnostic.message.clone())
    });
    let mut bad: Vec<&Entry> = snapshot.catalog.others.iter().filter(|entry| is_unreadable(entry)).collect();
    bad.sort_by_key(|entry| entry.root);
    let words = &snapshot.view.host.list;
    let bad = bad.into_iter().filter_map(|entry| {
        let reason = entry.reason.as_ref()?;
        Some((path_text(&entry.skill.path), words.error(reason.code, &reason.text)))
    });
    settings.chain(bad).collect()
}

/// Returns whether a file is no skill because of its content; a file that is skipped for its place is no error.
fn is_unreadable(entry: &Entry) -> bool {
    let code = entry.reason.as_ref().map(|reason| reason.code);
    entry.status == Status::Invalid
        && code.is_some_and(|code| {
            matches!(code, Code::Unreadable | Code::NotUtf8 | Code::HeadTooLarge)
                || (Code::NoFrontmatter..=Code::QualifiedNameLength).contains(&code)
        })
}
