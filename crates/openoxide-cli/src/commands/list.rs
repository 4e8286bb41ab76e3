//! `list`: what your agents see, a column for each; or one host's skills, and what they cost.

mod agents;
mod args;
mod host;

use openoxide_app::agents_list;

pub(crate) use self::args::ListArgs;
use crate::session::{open_workspace, say_no_agent};
use crate::ui::{ExitStatus, Ui};

pub(crate) fn list(ui: &Ui, args: &ListArgs) -> anyhow::Result<ExitStatus> {
    let workspace = open_workspace(ui)?;
    if workspace.named_host().is_some() {
        return host::list(ui, args, workspace);
    }
    let agents = agents_list::my_agents(&workspace)?;
    match agents.is_one_host() {
        true => {
            say_no_agent(ui, &workspace);
            host::list(ui, args, workspace)
        }
        false => agents::list(ui, args, &workspace, agents),
    }
}
