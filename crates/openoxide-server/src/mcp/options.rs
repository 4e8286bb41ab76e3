//! Options of the MCP server: which tool names are taken, and how names are spelled.

/// How the server shows itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct McpOptions {
    /// Names of tools that the client has already.
    pub taken: Vec<String>,
    /// How names of tools are spelled.
    pub names: ToolNames,
}

/// How names of tools are spelled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ToolNames {
    /// With letters, digits, `_` and `-` only: many programs that talk to models take nothing else.
    #[default]
    Plain,
    /// As the host writes them, dots included.
    Dotted,
}

impl ToolNames {
    /// Spells a name.
    pub(super) fn spell(self, name: &str) -> String {
        match self {
            ToolNames::Dotted => name.to_owned(),
            ToolNames::Plain => {
                let plain = |sign: char| if sign.is_ascii_alphanumeric() || "_-".contains(sign) { sign } else { '_' };
                name.chars().map(plain).collect()
            }
        }
    }
}
