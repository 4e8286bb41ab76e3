//! The registry of tool names that are taken.

use std::collections::BTreeMap;

/// A name that a tool could not have.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{name}` is taken by {owner}")]
pub struct Conflict {
    /// The name.
    pub name: String,
    /// Who has it.
    pub owner: String,
}

/// Every name that a tool could have is taken.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the tool {}", if conflicts.is_empty() { "has no name".to_owned() } else { listed(conflicts) })]
pub struct NamesTaken {
    /// The names, each with who has it.
    pub conflicts: Vec<Conflict>,
}

fn listed(conflicts: &[Conflict]) -> String {
    let names: Vec<String> = conflicts.iter().map(ToString::to_string).collect();
    format!("cannot be offered: {}", names.join(", "))
}

/// The names of tools in a conversation, and who has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRegistry {
    taken: BTreeMap<String, String>,
}

impl ToolRegistry {
    /// Takes the first of these names that is free. Returns it, and what was in the way of better ones.
    pub fn register(&mut self, names: &[String], owner: &str) -> Result<(String, Vec<Conflict>), NamesTaken> {
        let mut conflicts = Vec::new();
        for name in names {
            let Some(other) = self.taken.get(name) else {
                self.taken.insert(name.clone(), owner.to_owned());
                return Ok((name.clone(), conflicts));
            };
            conflicts.push(Conflict { name: name.clone(), owner: other.clone() });
        }
        Err(NamesTaken { conflicts })
    }

    /// Takes one name, for a tool of another provider.
    pub fn take(&mut self, name: &str, owner: &str) -> Result<(), Conflict> {
        let taken = self.register(&[name.to_owned()], owner);
        taken.map(drop).map_err(|mut error| error.conflicts.remove(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_free_name_is_taken_and_conflicts_are_told() {
        let names = ["skill", "pepper_skill"].map(str::to_owned);
        let mut registry = ToolRegistry::default();
        assert_eq!(registry.clone().register(&names, "us"), Ok(("skill".to_owned(), vec![])));
        registry.take("skill", "the host").unwrap();
        let (name, conflicts) = registry.register(&names, "us").unwrap();
        assert_eq!(
            (name.as_str(), conflicts[0].to_string().as_str()),
            ("pepper_skill", "`skill` is taken by the host")
        );
        let error = registry.register(&names, "others").unwrap_err().to_string();
        assert_eq!(error, "the tool cannot be offered: `skill` is taken by the host, `pepper_skill` is taken by us");
        assert_eq!(registry.take("skill", "others").unwrap_err().owner, "the host");
        assert_eq!(registry.register(&[], "us").unwrap_err().to_string(), "the tool has no name");
    }
}
