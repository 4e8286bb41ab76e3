//! What shows that a host's program is there, read without the rest of its rules.
//!
//! Every command that is about the user's agents looks for all hosts, and few of them are there. Reading all rules of all of
//! them would take longer than anything else that such a command does for a few skills.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::{FoundRules, ProjectRules};

/// The tables of a host that say where its program leaves traces.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(default)]
pub struct HostTraces {
    /// Names for places, as in the host.
    pub vars: BTreeMap<String, String>,
    /// What shows that the program is there.
    pub found: FoundRules,
    /// How the project's root is found.
    pub project: ProjectRules,
}

impl HostTraces {
    /// Reads them from the text of a built-in `host.toml`: no text of several lines there has a line that begins like a
    /// table, which a test shows.
    pub(super) fn read(text: &str) -> Result<HostTraces, toml::de::Error> {
        const WANTED: [&str; 3] = ["[vars]", "[found]", "[project]"];
        let mut is_wanted = false;
        let wanted = text.split_inclusive('\n').filter(|line| {
            if line.starts_with('[') {
                is_wanted = WANTED.contains(&line.trim_end());
            }
            is_wanted
        });
        toml::from_str(&wanted.collect::<String>())
    }
}

#[cfg(test)]
mod tests {
    use crate::host::{HostTraces, Hosts};

    #[test]
    fn traces_are_those_of_the_whole_host() {
        let hosts = Hosts::builtin();
        for spec in hosts.all() {
            let host = spec.host().unwrap();
            let traces = HostTraces { vars: host.vars, found: host.found, project: host.project };
            assert_eq!(hosts.traces(&spec.name), Some(traces), "{}", spec.name);
        }
    }
}
