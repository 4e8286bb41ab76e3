//! Names of skills that MCP servers offer: `mcp:SERVER/PATH`.
//!
//! No skill of a folder can have such a name, and a name without the prefix never means a server's skill.

use std::fmt;

const PREFIX: &str = "mcp:";

/// The name of a server's skill, as a caller wrote it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteName {
    /// The server.
    pub server: String,
    /// A path, a name or an address, as it was written.
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
        for text in ["mcp:docs/pdf", "mcp:docs/acme/billing/refunds", "mcp:docs/github://owner/repo/refunds"] {
            assert_eq!(RemoteName::parse(text).unwrap().to_string(), text);
        }
        assert_eq!(RemoteName::parse("mcp:docs/pdf/SKILL.md"), RemoteName::parse("mcp:docs/pdf"));
        for bad in ["pdf", "mcp:", "mcp:docs", "mcp:docs/", "mcp:/pdf", "MCP:docs/pdf"] {
            assert_eq!(RemoteName::parse(bad), None, "{bad}");
        }
    }
}
