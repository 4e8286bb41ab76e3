//! Identifies a skill of a server, and tells which name means which skill.

use std::fmt;

use openoxide_runtime::RemoteName;

use crate::uri::SkillUri;

const PREFIX: &str = "mcp:";

/// A skill: which server, and which of its skills. Neither half means anything alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SkillId {
    /// What the user's settings call the server.
    pub server: String,
    /// The address of the skill's own file there.
    pub uri: SkillUri,
}

impl SkillId {
    /// Returns what stands for the path of a file in the skill's folder: the server is part of it.
    pub fn place(&self, file: &str) -> String {
        format!("{self}/{file}")
    }
}

impl fmt::Display for SkillId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let path = if self.uri.is_plain() { self.uri.path() } else { self.uri.root() };
        write!(f, "{PREFIX}{}/{path}", self.server)
    }
}

/// How a name fits the address of a skill.
pub(crate) trait Fits {
    /// Tells whether the name is the skill's whole path or address.
    fn is_exactly(&self, uri: &SkillUri) -> bool;
    /// Returns the path of a file in the skill, if the name is one.
    fn below(&self, uri: &SkillUri) -> Option<&str>;
    /// Tells whether the name is the last part of the skill's path.
    fn is_named(&self, uri: &SkillUri) -> bool;
    /// Returns the address in the name, or the one that its path has in the standard's own scheme.
    fn uri(&self) -> Option<SkillUri>;
}

impl Fits for RemoteName {
    fn is_exactly(&self, uri: &SkillUri) -> bool {
        self.wanted == uri.root() || (uri.is_plain() && self.wanted == uri.path())
    }

    fn below(&self, uri: &SkillUri) -> Option<&str> {
        let path = if uri.is_plain() && !self.wanted.contains("://") { uri.path() } else { uri.root() };
        self.wanted.strip_prefix(path)?.strip_prefix('/').filter(|file| !file.is_empty())
    }

    fn is_named(&self, uri: &SkillUri) -> bool {
        self.wanted == uri.name()
    }

    fn uri(&self) -> Option<SkillUri> {
        match self.wanted.contains("://") {
            true => SkillUri::parse(&format!("{}/SKILL.md", self.wanted)).ok(),
            false => SkillUri::of_path(&self.wanted).ok(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_fits_its_address() {
        let rows = [
            ("mcp:docs/pdf", "skill://pdf/SKILL.md"),
            ("mcp:docs/acme/billing/refunds", "skill://acme/billing/refunds/SKILL.md"),
            ("mcp:docs/github://owner/repo/refunds", "github://owner/repo/refunds/SKILL.md"),
        ];
        for (text, uri) in rows {
            let name = RemoteName::parse(text).unwrap();
            let id = SkillId { server: "docs".to_owned(), uri: SkillUri::parse(uri).unwrap() };
            assert_eq!((name.to_string().as_str(), id.to_string().as_str()), (text, text));
            assert!(name.is_exactly(&id.uri));
            assert_eq!(name.uri(), Some(id.uri));
        }
    }
}
