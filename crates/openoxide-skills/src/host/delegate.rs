//! Skills in other conversations than the one that called them: a fork, and a subagent that starts with skills.

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
    /// Whose call is answered with what the agent said, without a word around it.
    pub bare_for: Option<Caller>,
}

impl Default for ForkRules {
    fn default() -> Self {
        ForkRules { agent: "general-purpose".to_owned(), background: false, bare_for: None }
    }
}

/// How a subagent starts with skills: their whole texts, by `preload.jinja`, or as a call would send them where there is
/// no such template.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct PreloadRules {
    /// Which part of a skill's file is sent; absent: the part that a call sends.
    pub content: Option<Content>,
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
