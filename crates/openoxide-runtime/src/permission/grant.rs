//! Decides which requested permissions a skill has, which the user is asked for, and stores the answer.

use openoxide_config::{ApprovalState, TrustError};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::catalog::Entry;
use openoxide_skills::host::ToolsMeaning;

use super::profile::{is_unasked, profile_lines};
use super::requested::{HookCommand, RequestedPermission, variable_item};
use crate::activation::Loading;
use crate::dependency::givable_variables;
use crate::question::Answer;
use crate::runtime::Runtime;
use crate::session::Session;

/// Returns everything that a skill would do beyond being read.
pub(crate) fn powers(runtime: &Runtime, entry: &Entry, loading: &Loading) -> Vec<RequestedPermission> {
    let commands: Vec<String> = loading.expanded.commands().map(|piece| piece.command.clone()).collect();
    let tools = match runtime.tools_meaning() {
        ToolsMeaning::Nothing => Vec::new(),
        ToolsMeaning::Preapprove | ToolsMeaning::Limit => loading.parsed.frontmatter.allowed_tools.clone(),
    };
    // A profile is about what runs.
    let hooks = crate::hooks::wanted(runtime, loading);
    let runs = !commands.is_empty() || !hooks.is_empty();
    let profile = if runs { profile_lines(&loading.profile) } else { Vec::new() };
    let variables = givable_variables(entry);
    let all = [
        RequestedPermission::Shell { commands, variables: variables.clone() },
        RequestedPermission::Hooks { hooks, variables },
        RequestedPermission::Profile(profile),
        RequestedPermission::Tools(tools),
    ];
    all.into_iter().filter(|power| !power.is_empty()).collect()
}

/// What a skill may do already, and what must be asked for.
#[derive(Debug, Default)]
pub(crate) struct Wanted {
    pub(crate) granted: Vec<RequestedPermission>,
    pub(crate) asked: Vec<RequestedPermission>,
    /// Whether it was allowed before, and its folder has changed since.
    pub(crate) changed: bool,
}

impl Runtime {
    /// Sorts what a skill would do into what it may, and what must be asked for. Without a digest it gets nothing.
    pub(crate) fn wanted(&self, session: &Session, entry: &Entry, loading: &Loading) -> Wanted {
        let mut wanted = Wanted::default();
        let Ok(snapshot) = &loading.snapshot else { return wanted };
        let digest = snapshot.digest.to_string();
        for power in &loading.powers {
            let Some(power) = self.undecided(session, entry, power) else {
                // A rule about commands says nothing about variables.
                let alone = self.with_granted_variables(session, entry, &digest, power.clone().without_commands());
                wanted.granted.extend((!alone.variables().is_empty()).then_some(alone));
                continue;
            };
            match self.granted(session, entry, &digest, &power) {
                ApprovalState::Approved => wanted.granted.push(power),
                ApprovalState::NotApproved => wanted.asked.push(power),
                ApprovalState::Changed { .. } => {
                    wanted.changed = true;
                    wanted.asked.push(power);
                }
            }
        }
        if is_unasked(loading, &wanted.granted) {
            let (free, asked) = std::mem::take(&mut wanted.asked).into_iter().partition(RequestedPermission::runs);
            (wanted.asked, wanted.changed) = (asked, false);
            // Running without a question was agreed to; what was not shown is not given all the same.
            let seeing = |power| self.with_granted_variables(session, entry, &digest, power);
            wanted.granted.extend(<Vec<RequestedPermission>>::into_iter(free).map(seeing));
        }
        wanted
    }

    /// Leaves of a power's variables those that the user agreed to, for these bytes.
    fn with_granted_variables(
        &self,
        session: &Session,
        entry: &Entry,
        digest: &str,
        mut power: RequestedPermission,
    ) -> RequestedPermission {
        let kind = power.kind();
        power.retain_variables(|name| self.granted_item(session, entry, digest, kind, &variable_item(name)));
        power
    }

    /// Leaves out what permission rules decide; `None` if nothing is left.
    fn undecided(&self, session: &Session, entry: &Entry, power: &RequestedPermission) -> Option<RequestedPermission> {
        let asks =
            |permission: Permission, subject: &str| self.decide(session, permission, subject).action == Action::Ask;
        let left = |permission: Permission, all: &[String]| -> Vec<String> {
            all.iter().filter(|subject| asks(permission, subject)).cloned().collect()
        };
        let name = &entry.skill.name;
        let power = match power {
            RequestedPermission::Shell { commands, variables } => {
                RequestedPermission::Shell { commands: left(Permission::Shell, commands), variables: variables.clone() }
            }
            RequestedPermission::Tools(tools) => RequestedPermission::Tools(left(Permission::Tool, tools)),
            RequestedPermission::Script { path, .. } => {
                return asks(Permission::Script, &format!("{name}/{path}")).then(|| power.clone());
            }
            RequestedPermission::Profile(_) => return asks(Permission::Profile, name).then(|| power.clone()),
            RequestedPermission::Hooks { hooks, variables } => {
                let is_open = |hook: &&HookCommand| asks(Permission::Hook, &hook.command);
                RequestedPermission::Hooks {
                    hooks: hooks.iter().filter(is_open).cloned().collect(),
                    variables: variables.clone(),
                }
            }
        };
        (!power.is_empty()).then_some(power)
    }

    /// Keeps what the user agreed to, for as long as they said.
    pub(crate) fn empower(
        &self,
        session: &mut Session,
        entry: &Entry,
        digest: &str,
        powers: &[RequestedPermission],
        answer: &Answer,
    ) -> Result<(), TrustError> {
        match answer {
            Answer::Session => powers.iter().for_each(|power| session.empower(entry.canonical(), digest, power)),
            Answer::Always => return self.grant(entry, digest, powers),
            Answer::Once | Answer::Secret(_) | Answer::No | Answer::NotAsked => {}
        }
        Ok(())
    }
}
