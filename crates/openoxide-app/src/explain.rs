//! Use case: explains why a skill is active or ignored, in your agents and in each other; or what a code means.

mod advice;
mod looks_in;
mod outcome;

use openoxide_config::{MyAgentsOrigin, Workspace};
use openoxide_skills::catalog::Searched;
use openoxide_skills::diagnostic::Code;
use openoxide_skills::prelude::{Catalog, Depth, View};
use openoxide_wire::{ExplainAnswer, ExplainedFileLine, HostOutcome, SchemaVersion};

use crate::{Error, ErrorKind};

pub use advice::Advice;
use outcome::Everywhere;

include!(concat!(env!("OUT_DIR"), "/pages.rs"));

/// What your agents make of a skill.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The answer as JSON has it.
    pub answer: ExplainAnswer,
    /// What can be done about each outcome, in the order of the answer.
    pub advice: Vec<Option<Advice>>,
    /// How many hosts the answer leaves out, because they are none of your agents.
    pub other_hosts: usize,
    /// The titles of those of them in which the skill is active.
    pub active_elsewhere: Vec<String>,
    /// Whether no agent was found, so that OpenOxide's own rules stand in for one.
    pub none_found: bool,
}

/// Returns the page of a code; nothing if the subject is no code at all.
pub fn page(subject: &str) -> Result<Option<&'static str>, Error> {
    match Code::parse(subject) {
        Some(code) => Ok(Some(page_of(code))),
        None if looks_like_code(subject) => {
            Err(Error::other(ErrorKind::NotFound, "unknown-code", format!("there is no code `{subject}`")))
        }
        None => Ok(None),
    }
}

/// Returns the page of a code.
pub fn page_of(code: Code) -> &'static str {
    PAGES.iter().find(|(name, _)| *name == code.as_str()).map_or("", |(_, page)| page)
}

fn looks_like_code(subject: &str) -> bool {
    subject.len() == 5 && subject.starts_with('S') && subject[1..].bytes().all(|byte| byte.is_ascii_digit())
}

/// Explains what each of your agents makes of a skill, and with `all_hosts` every other host too.
pub fn explain(workspace: &Workspace, subject: &str, all_hosts: bool) -> Result<Explanation, Error> {
    let agents = workspace.my_agents()?;
    let none_found = agents.origin == MyAgentsOrigin::NoneFound;
    let mut views: Vec<View> = agents.hosts.into_iter().map(|host| host.view).collect();
    let mine = views.len();
    let others = workspace.views()?.into_iter().filter(|view| !views.iter().any(|own| own.spec.name == view.spec.name));
    let others: Vec<View> = others.collect();
    let other_hosts = if all_hosts { 0 } else { others.len() };
    views.extend(others);
    let searched = Searched::load(&views, Depth::Thorough);
    let seen = searched.catalogs.iter().zip(&views).map(|(catalog, view)| catalog.clone().as_model_sees(view));
    let seen: Vec<Catalog> = seen.collect();
    let everywhere = Everywhere::new(workspace, (&searched, &seen), &views, mine, subject)?;
    let shown = if all_hosts { views.len() } else { mine };
    let outcomes = (0..shown).map(|column| HostOutcome { mine: column < mine, ..everywhere.outcome(column) });
    let hosts: Vec<HostOutcome> = outcomes.collect();
    // Only your agents get advice.
    let advice = (0..shown).map(|column| everywhere.advice(column).filter(|_| column < mine)).collect();
    let files: Vec<ExplainedFileLine> = everywhere.files();
    let answer = ExplainAnswer { schema: SchemaVersion::default(), name: subject.to_owned(), files, hosts };
    let active_elsewhere = if all_hosts { Vec::new() } else { everywhere.active_elsewhere() };
    Ok(Explanation { answer, advice, other_hosts, active_elsewhere, none_found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_has_a_page_with_its_title() {
        for code in Code::ALL {
            let heading = format!("# {code}: {}\n", code.title());
            assert!(page_of(*code).starts_with(&heading), "docs/diagnostics/{code}.md must begin with {heading:?}");
        }
        assert_eq!(PAGES.len(), Code::ALL.len());
    }
}
