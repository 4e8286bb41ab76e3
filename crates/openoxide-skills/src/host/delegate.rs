//! Skills in other conversations than the one that called them: a fork, a subagent that starts with skills, and the same
//! conversation after it was compacted.

use schemars::JsonSchema;
use serde::Deserialize;

use super::activation::{Caller, Content};

/// How a skill that says `context: fork` runs: an agent of its own is given the text, and its last words come back.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ForkRules {
    /// The kind of agent that runs it, if the skill names none.
    pub agent: String,
    /// Whether the caller goes on meanwhile, if the skill does not say.
    pub background: bool,
    /// What the caller gets in the end; `{name}` is the skill, `{result}` what the agent said last.
    pub result: String,
    /// What the caller gets at once if it goes on meanwhile.
    pub started: String,
    /// Whose call is answered with what the agent said, without a word around it.
    pub bare_for: Option<Caller>,
}

impl Default for ForkRules {
    fn default() -> Self {
        ForkRules {
            agent: "general-purpose".to_owned(),
            background: false,
            result: "Skill \"{name}\" completed (forked execution).\n\nResult:\n{result}".to_owned(),
            started: "Skill \"{name}\" runs in the background; its result follows when it is done.".to_owned(),
            bare_for: None,
        }
    }
}

/// How a subagent starts with skills: their whole texts, by `preload.jinja`, or as a call would send them where there is
/// no such template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreloadRules {
    /// Which part of a skill's file is sent; absent: the part that a call sends.
    pub content: Option<Content>,
    /// What is said when a name is not that of a skill that the agent may have, and then nothing is loaded; `{unknown}` are
    /// those names, `{available}` the names there are. Absent: such a name is passed over.
    pub unknown: Option<String>,
    /// Closing tags of the frame of `preload.jinja`; in what a skill says their first character is escaped.
    pub guard: Vec<String>,
    /// Which agents are shown the catalog.
    pub catalog: CatalogFor,
}

impl PreloadRules {
    /// Tells whether an agent is shown the catalog: by whether it can read files, and whether it starts with skills.
    pub fn catalog_is_listed(&self, can_read: bool, preloaded: bool) -> bool {
        match self.catalog {
            CatalogFor::Every => true,
            CatalogFor::Readers => can_read,
            CatalogFor::ReadersWithoutSkills => can_read && !preloaded,
        }
    }
}

/// Which agents are shown the catalog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CatalogFor {
    /// All.
    #[default]
    Every,
    /// Those that can read files.
    Readers,
    /// Those that can read files and start without skills.
    ReadersWithoutSkills,
}

/// What is sent again after a conversation was compacted: the latest call of each skill, newest first.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct ReattachRules {
    /// The most tokens of one skill; the start is kept.
    pub each: u64,
    /// The most tokens of all of them.
    pub total: u64,
    /// What stands before them.
    pub reminder: String,
    /// What stands for a command, which is not run again; `{command}` is the command.
    pub command: String,
    /// What stands before a skill whose folder has changed since; `{name}` is the skill.
    pub changed: String,
    /// What stands where a skill was cut; `{path}` is its file.
    pub cut: String,
}

impl Default for ReattachRules {
    fn default() -> Self {
        ReattachRules {
            each: 5_000,
            total: 25_000,
            reminder:
                "These skills were called earlier in this conversation and still hold, newest first. What was said \
                       with those calls was dealt with then: it is no new request."
                    .to_owned(),
            command: "[not run again: {command}]".to_owned(),
            changed: "[`{name}` has changed since it was called; this is how it is now]".to_owned(),
            cut: "\n\n[cut here; the rest is in {path}]".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whether_the_catalog_is_listed() {
        let both = PreloadRules { catalog: CatalogFor::ReadersWithoutSkills, ..PreloadRules::default() };
        let rows = [(true, false, true), (true, true, false), (false, false, false), (false, true, false)];
        for (can_read, preloaded, listed) in rows {
            assert_eq!(both.catalog_is_listed(can_read, preloaded), listed, "{can_read} {preloaded}");
            assert!(PreloadRules::default().catalog_is_listed(can_read, preloaded), "a host without a rule lists it");
        }
    }
}
