//! The registry of tool names that are taken.

use std::collections::BTreeMap;
use std::fmt;

/// A name that a tool could not have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    /// The name.
    pub name: String,
    /// Who has it.
    pub owner: String,
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` is taken by {}", self.name, self.owner)
    }
}

/// Every name that a tool could have is taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoName {
    /// The names, each with who has it.
    pub conflicts: Vec<Conflict>,
}

impl fmt::Display for NoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<String> = self.conflicts.iter().map(ToString::to_string).collect();
        match names.is_empty() {
            true => f.write_str("the tool has no name"),
            false => write!(f, "the tool cannot be offered: {}", names.join(", ")),
        }
    }
}

impl std::error::Error for NoName {}

/// The names of tools in a conversation, and who has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolRegistry {
    taken: BTreeMap<String, String>,
}

impl ToolRegistry {
    /// Takes the first of these names that is free. Returns it, and what was in the way of better ones.
    pub fn register(&mut self, names: &[String], owner: &str) -> Result<(String, Vec<Conflict>), NoName> {
        let mut conflicts = Vec::new();
        for name in names {
            let Some(other) = self.taken.get(name) else {
                self.taken.insert(name.clone(), owner.to_owned());
                return Ok((name.clone(), conflicts));
            };
            conflicts.push(Conflict { name: name.clone(), owner: other.clone() });
        }
        Err(NoName { conflicts })
    }

    /// Takes one name, for a tool of another provider.
    pub fn take(&mut self, name: &str, owner: &str) -> Result<(), Conflict> {
        let outcome = self.register(&[name.to_owned()], owner);
        outcome.map(drop).map_err(|error| Conflict {
            name: name.to_owned(),
            owner: error.conflicts.into_iter().next().map(|conflict| conflict.owner).unwrap_or_default(),
        })
    }

    /// Returns who has a name.
    pub fn owner(&self, name: &str) -> Option<&str> {
        self.taken.get(name).map(String::as_str)
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
        assert_eq!((registry.owner("pepper_skill"), registry.owner("x")), (Some("us"), None));
        assert_eq!(registry.register(&[], "us").unwrap_err().to_string(), "the tool has no name");
    }
}
