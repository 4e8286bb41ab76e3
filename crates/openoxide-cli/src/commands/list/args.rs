//! The arguments of `list`.

use openoxide_app::{Depth, list::ListFilter};

/// List the skills that your agents see, a column for each agent
///
/// Your agents are those found on this machine and in this project, or those in the setting `my_agents`. With `--host`,
/// lists what one host sees: scope, name, description and tokens. With words, lists the skills whose name or description
/// contains all of them. Without `--mcp`, nothing is started or asked over the network.
#[derive(Debug, clap::Args)]
pub(crate) struct ListArgs {
    /// List only skills with these words in their name or description
    #[arg(value_name = "WORD")]
    pub(super) words: Vec<String>,
    /// Also list what is ignored, and why
    #[arg(long)]
    pub(super) all: bool,
    /// Also ask the MCP servers of your settings for the skills that they offer [config: mcp.servers]
    #[arg(long)]
    pub(super) mcp: bool,
}

impl ListArgs {
    pub(super) fn filter(&self) -> ListFilter {
        ListFilter::new(&self.words)
    }

    /// Only what is ignored can lie where no host looks.
    pub(super) fn depth(&self) -> Depth {
        if self.all { Depth::Thorough } else { Depth::Quick }
    }
}
