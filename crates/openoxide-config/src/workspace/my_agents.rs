//! The agents that a person uses: the frame of every screen that is not about one host.

use openoxide_skills::settings::Origin;

use super::{OWN_HOST, Workspace, error::WorkspaceError};
use crate::DetectedHost;

/// The agents that a person uses.
#[derive(Clone, Debug)]
pub struct MyAgents {
    /// The agents: in the order of the setting, else by name. There is at least one.
    pub hosts: Vec<DetectedHost>,
    /// How they came to be known.
    pub origin: MyAgentsOrigin,
}

/// How the agents that a person uses came to be known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MyAgentsOrigin {
    /// The request or the setting `host` names the one host.
    Named,
    /// The setting `my_agents` lists them.
    Listed(Origin),
    /// They were found on this machine or in this project.
    Found,
    /// No agent was found, so OpenOxide's own rules stand in for one.
    NoneFound,
}

impl MyAgents {
    /// Tells whether the answer is about one host alone, and not about the agents that a person uses.
    pub fn is_one_host(&self) -> bool {
        matches!(self.origin, MyAgentsOrigin::Named | MyAgentsOrigin::NoneFound)
    }

    /// Returns the name of each agent's host, as `name` or `name@edition`.
    pub fn names(&self) -> Vec<String> {
        self.hosts.iter().map(|host| host.view.spec.id()).collect()
    }
}

impl Workspace {
    /// Returns the agents that the user works with: the one that `--host` or the setting `host` names; else those in the
    /// setting `my_agents`; else those found on this machine and in this project; else OpenOxide's own host.
    pub fn my_agents(&self) -> Result<MyAgents, WorkspaceError> {
        if let Some(host) = self.named_host() {
            return Ok(MyAgents { hosts: vec![self.detect(&host)?], origin: MyAgentsOrigin::Named });
        }
        self.usual_agents()
    }

    /// Returns the agents that the user works with, whatever host the request names.
    pub fn usual_agents(&self) -> Result<MyAgents, WorkspaceError> {
        if let Some(listed) = self.listed_agents()? {
            return Ok(listed);
        }
        let hosts = self.detected_hosts()?;
        if !hosts.is_empty() {
            return Ok(MyAgents { hosts, origin: MyAgentsOrigin::Found });
        }
        Ok(MyAgents { hosts: vec![self.detect(OWN_HOST)?], origin: MyAgentsOrigin::NoneFound })
    }

    /// Returns the agents that the setting lists. A name that no host has is left out: it is a problem of the settings.
    fn listed_agents(&self) -> Result<Option<MyAgents>, WorkspaceError> {
        let Some(setting) = self.config.get("my_agents") else { return Ok(None) };
        let mut hosts: Vec<DetectedHost> = Vec::new();
        for name in setting.value.as_array().into_iter().flatten().filter_map(toml::Value::as_str) {
            if self.hosts.get(name).is_ok() && !hosts.iter().any(|known| known.view.spec.id() == name) {
                hosts.push(self.detect_mine(name)?);
            }
        }
        Ok((!hosts.is_empty()).then_some(MyAgents { hosts, origin: MyAgentsOrigin::Listed(setting.origin) }))
    }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;
    use crate::{Environment, Place};

    fn open(context: &TestContext, host: Option<&str>, flags: &[&str]) -> Workspace {
        let environment = Environment {
            cwd: context.project(),
            home: Some(context.home()),
            admin: context.root().join("etc"),
            ..Environment::default()
        };
        let config = flags.iter().map(ToString::to_string).collect();
        Workspace::open(environment, Place { host: host.map(str::to_owned), config, ..Place::default() }).unwrap()
    }

    /// Checks which agents are the user's, and how they came to be known.
    fn check(context: &TestContext, host: Option<&str>, flags: &[&str], expected: &str) {
        let agents = open(context, host, flags).my_agents().unwrap();
        let how = match agents.origin {
            MyAgentsOrigin::Named => "named",
            MyAgentsOrigin::Listed(_) => "listed",
            MyAgentsOrigin::Found => "found",
            MyAgentsOrigin::NoneFound => "none",
        };
        assert_eq!(format!("{how}: {}", agents.names().join(" ")), expected, "{host:?} {flags:?}");
    }

    #[test]
    fn a_named_host_goes_before_a_list_before_what_is_found_before_our_own() {
        let context = TestContext::new();
        context.tree("//- project/.git/\n//- project/.openoxide/\n//- project/.agents/skills/\n");
        check(&context, None, &[], "none: openoxide");
        context.tree("//- home/.codex/config.toml\n//- project/CLAUDE.md\n");
        check(&context, None, &[], "found: claude-code codex");
        check(&context, None, &["my_agents=[\"pi\", \"codex\", \"pi\"]"], "listed: pi codex");
        check(&context, None, &["my_agents=[\"pi\"]", "host=codex"], "named: codex");
        check(&context, Some("omp"), &["my_agents=[\"pi\"]", "host=codex"], "named: omp");
        check(&context, None, &["my_agents=[]"], "found: claude-code codex");
    }

    /// The version is read from files: a package around the program, or a folder that its link leads to.
    #[test]
    fn an_agent_is_seen_in_the_edition_for_its_version() {
        let package = |version: &str| {
            format!(
                "//- home/.claude/local/node_modules/@anthropic-ai/claude-code/package.json\n\
                 {{\"name\": \"@anthropic-ai/claude-code\", \"version\": \"{version}\"}}\n\
                 //- home/.claude/local/node_modules/@anthropic-ai/claude-code/cli.js exec\n#!/bin/sh\nexit 9\n\
                 //- home/.claude/local/claude -> node_modules/@anthropic-ai/claude-code/cli.js\n"
            )
        };
        for (version, expected) in [("2.1.325", "claude-code"), ("2.1.240", "claude-code@2.1.240")] {
            let context = TestContext::new();
            context.tree(&package(version));
            check(&context, None, &[], &format!("found: {expected}"));
            check(&context, None, &["my_agents=[\"claude-code\"]"], &format!("listed: {expected}"));
            check(&context, Some("claude-code"), &[], "named: claude-code");
        }
        let context = TestContext::new();
        context.tree(&package("9.0.0"));
        check(&context, None, &[], "found: claude-code");
        let context = TestContext::new();
        context.tree(
            "//- home/.claude/local/claude -> ../../.local/share/claude/versions/2.1.240\n\
             //- home/.local/share/claude/versions/2.1.240 exec\n#!/bin/sh\nexit 9\n",
        );
        check(&context, None, &[], "found: claude-code@2.1.240");
    }

    /// So that a machine without agents, such as one that builds, speaks of the same ones as its users' laptops.
    #[test]
    fn a_project_may_list_agents_without_being_trusted() {
        let context = TestContext::new();
        context.tree("//- home/.openoxide/config.toml\nmy_agents = [\"pi\"]\n");
        check(&context, None, &[], "listed: pi");
        context.tree("//- project/.openoxide/config.toml\nmy_agents = [\"codex\", \"claude-code\"]\n");
        check(&context, None, &[], "listed: codex claude-code");
        assert_eq!(open(&context, None, &[]).config.problems, [], "nothing of the file is ignored");
        context.tree("//- project/.openoxide/config.toml\nmy_agents = [\"codex\"]\nhost = \"omp\"\n");
        check(&context, None, &[], "listed: codex");
        assert_eq!(open(&context, None, &[]).config.problems.len(), 1, "the rest of the file is");
    }

    #[test]
    fn a_name_that_no_host_has_is_a_problem_and_the_others_stay() {
        let context = TestContext::new();
        context.tree("//- home/.openoxide/config.toml\n# mine\nmy_agents = [\"codx\", \"pi\", \"codex@none\"]\n");
        check(&context, None, &[], "listed: pi");
        let problems = open(&context, None, &[]).config.problems;
        let line = |problem: &crate::ConfigProblem| {
            let line = problem.diagnostic.place.as_ref().unwrap().line;
            format!("{line} {}; {}", problem.diagnostic.message, problem.diagnostic.help.as_deref().unwrap_or_default())
        };
        assert!(line(&problems[0]).starts_with("2 `my_agents`: no host is called `codx`; did you mean `codex`? "));
        assert_eq!(line(&problems[1]), "2 `my_agents`: host `codex` has no edition `none`; there are `seed`");
        check(&context, None, &["my_agents=[\"nothing\"]"], "none: openoxide");
    }
}
