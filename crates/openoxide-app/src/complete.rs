//! Use case: offers the names that a command can take: of skills, hosts, models, settings and codes.

use std::collections::BTreeMap;

use openoxide_config::{CONFIG_KEYS, OWN_HOST, Workspace};
use openoxide_skills::catalog::{Depth, View, load};
use openoxide_skills::diagnostic::Code;

use crate::Error;

/// A name, and what it stands for in a few words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OfferedName {
    /// The name.
    pub name: String,
    /// What it stands for.
    pub about: String,
}

impl OfferedName {
    fn new(name: impl Into<String>, about: impl Into<String>) -> OfferedName {
        OfferedName { name: name.into(), about: about.into() }
    }
}

/// Returns the skills that the user's agents or OpenOxide's own rules find, active or not, by name.
pub fn skills(workspace: &Workspace) -> Result<Vec<OfferedName>, Error> {
    let mut views: Vec<View> = workspace.my_agents()?.hosts.into_iter().map(|host| host.view).collect();
    // Commands that act on one skill follow these rules unless a host is named.
    if !views.iter().any(|view| view.spec.id() == OWN_HOST) {
        views.push(workspace.view(OWN_HOST)?.0);
    }
    let mut found: BTreeMap<String, String> = BTreeMap::new();
    for catalog in load(&views, Depth::Quick) {
        for entry in catalog.entries() {
            found.entry(entry.skill.name.to_string()).or_insert_with(|| entry.skill.description.to_string());
        }
    }
    Ok(found.into_iter().map(|(name, about)| OfferedName { name, about }).collect())
}

/// Returns the hosts, by name.
pub fn hosts(workspace: &Workspace) -> Vec<OfferedName> {
    let with_title = |name: &str| {
        let host = workspace.hosts.get(name).and_then(|spec| spec.host());
        OfferedName::new(name, host.map(|host| host.title.clone()).unwrap_or_default())
    };
    workspace.hosts.names().map(with_title).collect()
}

/// Returns the models of the settings, by name.
pub fn models(workspace: &Workspace) -> Vec<OfferedName> {
    workspace.config.models().into_iter().map(|model| OfferedName::new(model.name, model.settings.model)).collect()
}

/// Returns the settings, by name.
pub fn settings() -> Vec<OfferedName> {
    CONFIG_KEYS.iter().map(|key| OfferedName::new(key.name, key.about)).collect()
}

/// Returns the codes of findings and statuses, by number.
pub fn codes() -> Vec<OfferedName> {
    Code::ALL.iter().map(|code| OfferedName::new(code.as_str(), code.title())).collect()
}

#[cfg(test)]
mod tests {
    use openoxide_config::{Environment, Place};
    use openoxide_testkit::TestContext;

    use super::*;

    #[test]
    fn skills_of_all_agents_are_offered_once() {
        let context = TestContext::new();
        let skill = |path: &str| format!("//- {path}/SKILL.md\n---\nname: x\ndescription: Does x\n---\n");
        context.tree(&skill("project/.codex/skills/lint").replace("name: x", "name: lint"));
        context.tree(&skill("project/.agents/skills/deploy").replace("name: x", "name: deploy"));
        context.tree(&skill("home/.agents/skills/deploy").replace("name: x", "name: deploy"));
        context.tree("//- home/.codex/config.toml\n");
        let environment = Environment {
            cwd: context.project(),
            home: Some(context.home()),
            admin: context.root().join("etc"),
            ..Environment::default()
        };
        let workspace = Workspace::open(environment, Place::default()).unwrap();
        let names: Vec<String> = skills(&workspace).unwrap().into_iter().map(|offered| offered.name).collect();
        assert_eq!(names, ["deploy", "lint"]);
        assert!(hosts(&workspace).contains(&OfferedName::new("claude-code", "Claude Code")));
        assert!(settings().iter().any(|setting| setting.name == "my_agents"));
        assert!(codes().contains(&OfferedName::new("S0120", "an empty description")));
    }
}
