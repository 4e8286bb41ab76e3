//! What skills of servers are called: `mcp:SERVER/PATH`. No skill of a folder can have such a name, and a name without the
//! prefix never means one of these.

use std::fmt;

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

/// What somebody typed who means a skill of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteName {
    /// The server.
    pub server: String,
    /// A path, a name or an address, as it was typed.
    pub wanted: String,
}

impl RemoteName {
    /// Reads `mcp:SERVER/PATH`.
    pub fn parse(text: &str) -> Option<RemoteName> {
        let (server, wanted) = text.strip_prefix(PREFIX)?.split_once('/')?;
        let wanted = wanted.strip_suffix("/SKILL.md").unwrap_or(wanted).trim_end_matches('/');
        let whole = !server.is_empty() && !wanted.is_empty();
        whole.then(|| RemoteName { server: server.to_owned(), wanted: wanted.to_owned() })
    }

    /// Tells whether a skill's whole path or address was typed.
    pub(crate) fn is_exactly(&self, uri: &SkillUri) -> bool {
        self.wanted == uri.root() || (uri.is_plain() && self.wanted == uri.path())
    }

    /// Returns the path of a file in a skill, if that was typed.
    pub(crate) fn below(&self, uri: &SkillUri) -> Option<&str> {
        let path = if uri.is_plain() && !self.wanted.contains("://") { uri.path() } else { uri.root() };
        self.wanted.strip_prefix(path)?.strip_prefix('/').filter(|file| !file.is_empty())
    }

    /// Tells whether a skill's name alone was typed.
    pub(crate) fn is_named(&self, uri: &SkillUri) -> bool {
        self.wanted == uri.name()
    }

    /// Returns the address that was typed, or that the path has in the standard's own scheme.
    pub(crate) fn uri(&self) -> Option<SkillUri> {
        match self.wanted.contains("://") {
            true => SkillUri::parse(&format!("{}/SKILL.md", self.wanted)).ok(),
            false => SkillUri::of_path(&self.wanted).ok(),
        }
    }
}

impl fmt::Display for RemoteName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{PREFIX}{}/{}", self.server, self.wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_read_and_written() {
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
        assert_eq!(RemoteName::parse("mcp:docs/pdf/SKILL.md"), RemoteName::parse("mcp:docs/pdf"));
        for bad in ["pdf", "mcp:", "mcp:docs", "mcp:docs/", "mcp:/pdf", "MCP:docs/pdf"] {
            assert_eq!(RemoteName::parse(bad), None, "{bad}");
        }
    }
}
