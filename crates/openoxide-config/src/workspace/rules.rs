//! The permission rules that apply in a workspace, and the remembered answers.

use openoxide_permissions::{RuleError, Rules};
use openoxide_skills::{catalog::View, host::Host};

use super::Workspace;

impl Workspace {
    /// Returns the rules that apply in a view, weakest first: built-in, the host's, the user's, the agent's.
    pub fn rules(&self, view: &View) -> Result<Rules, RuleError> {
        let mut rules = Rules::builtin();
        rules.extend(view.call_rules());
        rules.extend(self.own_rules()?);
        Ok(rules)
    }

    /// Returns the user's rules, then the agent's. They apply for every host.
    pub fn own_rules(&self) -> Result<Rules, RuleError> {
        let mut rules = self.config.complete_rules()?.clone();
        rules.extend(self.agent_rules());
        Ok(rules)
    }

    /// Returns the rules that decide which skills are listed: the agent's for every host, the user's where the host
    /// has them apply.
    pub(super) fn listing_rules(&self, host: &Host) -> Result<Rules, RuleError> {
        let own = self.config.rules()?;
        let mut rules = if host.own_permissions { own.clone() } else { Rules::default() };
        rules.extend(self.agent_rules());
        Ok(rules)
    }

    fn agent_rules(&self) -> Rules {
        self.agent().map(|agent| agent.rules.clone()).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
