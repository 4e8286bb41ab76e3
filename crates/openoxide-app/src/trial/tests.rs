//! What a change would do to the catalogs of some agents, tried on small trees.

use openoxide_skills::prelude::{Depth, Entry};
use openoxide_testkit::TestContext;

use super::*;
use crate::link::unseen;
use crate::testing::snapshot;

/// Tries to link every skill of the first host into the second one, with both as agents.
fn link_all(context: &TestContext, hosts: [&str; 2]) -> Result<(), Harm> {
    let workspace = snapshot(context).workspace.clone();
    let views: Vec<View> = hosts.iter().map(|host| workspace.view(host).unwrap().0).collect();
    let searched = Searched::load(&views, Depth::Quick);
    let missed = unseen(&workspace, &searched.catalogs[0], &views[1], &searched.catalogs[1]);
    assert!(!missed.is_empty(), "there is nothing to link");
    let change = |(entry, place): (&Entry, Result<crate::link::Placement, crate::Error>)| Change::Link {
        link: place.unwrap().planned(),
        agent: 1,
        name: entry.skill.name.to_string(),
    };
    let changes = missed.into_iter().map(change).collect();
    Trial::new(&workspace, &searched, views.iter().enumerate()).accept(changes)
}

/// Writes so many skills, each with a description of 400 characters.
fn skills(context: &TestContext, folder: &str, number: usize) {
    for at in 0..number {
        let about = "words ".repeat(66);
        context.tree(&format!("//- {folder}/skill-{at}/SKILL.md\n---\nname: skill-{at}\ndescription: {about}\n---\n"));
    }
}

#[test]
fn a_link_that_fits_does_no_harm() {
    let context = TestContext::new();
    skills(&context, "home/.agents/skills", 3);
    assert_eq!(link_all(&context, ["codex", "claude-code"]), Ok(()));
}

#[test]
fn links_that_overflow_a_catalog_do_harm() {
    let context = TestContext::new();
    skills(&context, "home/.agents/skills", 30);
    let harm = Harm::Overflow("Claude Code".to_owned());
    assert_eq!(link_all(&context, ["codex", "claude-code"]), Err(harm));
    assert!(!context.home().join(".claude").exists(), "nothing is written");
}

#[test]
fn an_agent_that_reads_the_same_folder_counts_too() {
    let context = TestContext::new();
    // OpenCode also reads `.claude/skills`, and would find two skills of one name.
    context.tree("//- project/.agents/skills/a/SKILL.md\n---\nname: a\ndescription: One\n---\n");
    let workspace = snapshot(&context).workspace.clone();
    let views: Vec<View> =
        ["codex", "claude-code", "opencode"].iter().map(|host| workspace.view(host).unwrap().0).collect();
    let searched = Searched::load(&views, Depth::Quick);
    let (entry, place) = unseen(&workspace, &searched.catalogs[0], &views[1], &searched.catalogs[1]).remove(0);
    let changed: Vec<usize> =
        searched.with_links(&[place.unwrap().planned()]).into_iter().map(|(number, _)| number).collect();
    assert_eq!((changed, &*entry.skill.name), (vec![1, 2], "a"));
}

/// Tries to link so many skills into a catalog that has no room for all, each for itself.
fn link_each(number: usize) -> Vec<Result<(), Harm>> {
    let context = TestContext::new();
    skills(&context, "home/.agents/skills", number);
    let workspace = snapshot(&context).workspace.clone();
    let views: Vec<View> = ["codex", "claude-code"].iter().map(|host| workspace.view(host).unwrap().0).collect();
    let searched = Searched::load(&views, Depth::Quick);
    let missed = unseen(&workspace, &searched.catalogs[0], &views[1], &searched.catalogs[1]);
    let changes = missed.into_iter().map(|(entry, place)| {
        vec![Change::Link { link: place.unwrap().planned(), agent: 1, name: entry.skill.name.to_string() }]
    });
    Trial::new(&workspace, &searched, views.iter().enumerate()).accept_each(&changes.collect::<Vec<_>>())
}

#[test]
fn what_was_accepted_counts_for_what_comes_after() {
    let outcomes = link_each(12);
    let accepted = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert!((1..12).contains(&accepted), "some fit, not all: {outcomes:?}");
    assert!(outcomes[..accepted].iter().all(Result::is_ok), "the first ones fit: {outcomes:?}");
}

#[test]
fn a_full_catalog_ends_the_attempts() {
    let outcomes = link_each(MOST_FAILED + 20);
    assert!(outcomes[0].is_ok(), "{outcomes:?}");
    let overflows = outcomes.iter().filter(|outcome| matches!(outcome, Err(Harm::Overflow(_)))).count();
    assert!((MOST_FAILED / 2..MOST_FAILED).contains(&overflows), "{outcomes:?}");
    assert_eq!(outcomes.last(), Some(&Err(Harm::Untried)));
}
