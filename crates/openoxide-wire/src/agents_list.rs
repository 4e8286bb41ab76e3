//! `list --json` without a host: what each of your agents makes of each skill.

use std::collections::BTreeMap;

use openoxide_skills::catalog::{Catalog, Entry};
use openoxide_skills::text::path_text;

use crate::skill::reason;
use crate::{
    JsonSchema, LimitLine, ListAnswer, ProblemLine, RemoteLine, RemoteProblemLine, SchemaVersion, Serialize, SkillFacts,
};

/// What `list` answers: what one host sees, or what your agents make of each skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub enum AnyListAnswer {
    /// What one host sees: with `--host` or the setting `host`, or where no agent is found.
    Host(ListAnswer),
    /// What your agents make of each skill.
    Agents(AgentsListAnswer),
}

/// What each of your agents makes of each skill.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsListAnswer {
    /// The version of the format.
    pub schema: SchemaVersion,
    /// The hosts of your agents.
    pub hosts: Vec<String>,
    /// The skills that are active in at least one of them, by scope, name and path.
    pub skills: Vec<AgentsSkillLine>,
    /// The files that some of them found and that are active in none, by path.
    pub others: Vec<AgentsOtherLine>,
    /// Findings, by path.
    pub problems: Vec<ProblemLine>,
    /// Limits that were reached.
    pub limits: Vec<LimitLine>,
    /// Skills that MCP servers offer, by server and address; only there if they were asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remote: Option<Vec<RemoteLine>>,
    /// What is wrong with servers, by server.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remote_problems: Vec<RemoteProblemLine>,
}

/// A skill that is active in at least one of your agents. What depends on the agent is as in the first where it is active.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsSkillLine {
    /// What is known about it.
    #[serde(flatten)]
    pub facts: SkillFacts,
    /// The status in each agent that found it: `active`, `shadowed`, `disabled`, `invalid`, `dormant`, `denied` or
    /// `untrusted`.
    pub hosts: BTreeMap<String, String>,
    /// Why agents ignore it: a stable code, a colon and a sentence.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub reasons: BTreeMap<String, String>,
    /// The agents whose model sees its name without the description.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub name_only: Vec<String>,
    /// The agents whose model does not see it, because their catalog is full.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
}

/// A file that some of your agents found, and that is active in none.
#[derive(Clone, Debug, Serialize, JsonSchema)]
pub struct AgentsOtherLine {
    /// What it is called.
    pub name: String,
    /// What it is for, if it says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub description: String,
    /// Its file.
    pub path: String,
    /// Whose it is.
    pub scope: String,
    /// The root it was found in.
    pub root: String,
    /// The file as it was found, if a link leads there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub found: Option<String>,
    /// The status in each agent that found it.
    pub hosts: BTreeMap<String, String>,
    /// Why each of them ignores it: a stable code, a colon and a sentence.
    pub reasons: BTreeMap<String, String>,
}

impl AgentsOtherLine {
    /// Makes the line of a file, from the entry that describes it and the entries of the agents that found it.
    pub fn new<'c>(main: (&Catalog, &Entry), found: impl IntoIterator<Item = (&'c Catalog, &'c Entry)>) -> Self {
        let (catalog, entry) = main;
        let (hosts, reasons) = statuses(found);
        AgentsOtherLine {
            name: entry.skill.name.to_string(),
            description: entry.skill.description.to_string(),
            path: path_text(&entry.skill.path),
            scope: entry.skill.scope.as_str().to_owned(),
            root: path_text(&catalog.roots[entry.root].root.path),
            found: (entry.found() != &*entry.skill.path).then(|| path_text(entry.found())),
            hosts,
            reasons,
        }
    }
}

impl AgentsSkillLine {
    /// Makes the line of a skill, from what is known about it and the entries of the agents that found it.
    pub fn new<'c>(facts: SkillFacts, found: impl IntoIterator<Item = (&'c Catalog, &'c Entry)>) -> Self {
        let (hosts, reasons) = statuses(found);
        AgentsSkillLine { facts, hosts, reasons, name_only: Vec::new(), left_out: Vec::new() }
    }
}

type ByHost = BTreeMap<String, String>;

/// Returns the status and the reason in each agent.
fn statuses<'c>(found: impl IntoIterator<Item = (&'c Catalog, &'c Entry)>) -> (ByHost, ByHost) {
    let (mut hosts, mut reasons) = (BTreeMap::new(), BTreeMap::new());
    for (catalog, entry) in found {
        hosts.insert(catalog.host.clone(), entry.status.as_str().to_owned());
        reasons.extend(reason(entry).map(|reason| (catalog.host.clone(), reason)));
    }
    (hosts, reasons)
}
