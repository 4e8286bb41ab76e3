//! Use case: lists what each of your agents makes of each skill.

mod answer;
mod catalogs;
mod shown;

use openoxide_config::{MyAgents, MyAgentsOrigin, Workspace};

use crate::error::Error;

pub use catalogs::{AgentCatalog, AgentCatalogs, SkillRow};
pub use shown::Mark;

/// Tells whether no agent is named, listed or found, so that OpenOxide's own rules stand in for one.
pub fn no_agent_found(workspace: &Workspace) -> Result<bool, Error> {
    Ok(my_agents(workspace)?.origin == MyAgentsOrigin::NoneFound)
}

/// Returns the agents that the user works with, and how they came to be known.
pub fn my_agents(workspace: &Workspace) -> Result<MyAgents, Error> {
    Ok(workspace.my_agents()?)
}
