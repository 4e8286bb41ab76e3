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
pub(crate) fn requested_permissions(runtime: &Runtime, entry: &Entry, loading: &Loading) -> Vec<RequestedPermission> {
    let commands: Vec<String> = loading.expanded.commands().map(|piece| piece.command.clone()).collect();
    let tools = match runtime.tools_meaning() {
        ToolsMeaning::Nothing => Vec::new(),
        ToolsMeaning::Preapprove | ToolsMeaning::Limit => loading.parsed.frontmatter.allowed_tools.clone(),
    };
    // A profile is about what runs.
    let hooks = crate::hooks::requested_hooks(runtime, loading);
    let runs = !commands.is_empty() || !hooks.is_empty();
    let profile = if runs { profile_lines(&loading.profile) } else { Vec::new() };
    let variables = givable_variables(entry);
    let all = [
        RequestedPermission::Shell { commands, variables: variables.clone() },
        RequestedPermission::Hooks { hooks, variables },
        RequestedPermission::Profile(profile),
        RequestedPermission::Tools(tools),
    ];
    all.into_iter().filter(|permission| !permission.is_empty()).collect()
}

/// What a skill may do already, and what must be asked for.
#[derive(Debug, Default)]
pub(crate) struct PermissionDecision {
    pub(crate) granted: Vec<RequestedPermission>,
    pub(crate) asked: Vec<RequestedPermission>,
    /// Whether it was allowed before, and its folder has changed since.
    pub(crate) changed: bool,
}

impl Runtime {
    /// Sorts what a skill would do into what it may, and what must be asked for. Without a digest it gets nothing.
    pub(crate) fn decide_permissions(&self, session: &Session, entry: &Entry, loading: &Loading) -> PermissionDecision {
        let mut decision = PermissionDecision::default();
        let Ok(snapshot) = &loading.snapshot else { return decision };
        let digest = snapshot.digest.to_string();
        for permission in &loading.requested {
            let Some(permission) = self.undecided(session, entry, permission) else {
                // A rule about commands says nothing about variables.
                let alone = self.with_granted_variables(session, entry, &digest, permission.clone().without_commands());
                decision.granted.extend((!alone.variables().is_empty()).then_some(alone));
                continue;
            };
            match self.granted(session, entry, &digest, &permission) {
                ApprovalState::Approved => decision.granted.push(permission),
                ApprovalState::NotApproved => decision.asked.push(permission),
                ApprovalState::Changed { .. } => {
                    decision.changed = true;
                    decision.asked.push(permission);
                }
            }
        }
        if is_unasked(loading, &decision.granted) {
            let (free, asked) = std::mem::take(&mut decision.asked).into_iter().partition(RequestedPermission::runs);
            (decision.asked, decision.changed) = (asked, false);
            // Running without a question was agreed to; what was not shown is not given all the same.
            let seeing = |permission| self.with_granted_variables(session, entry, &digest, permission);
            decision.granted.extend(<Vec<RequestedPermission>>::into_iter(free).map(seeing));
        }
        decision
    }

    /// Keeps only those variables of a permission that the user granted for this digest.
    fn with_granted_variables(
        &self,
        session: &Session,
        entry: &Entry,
        digest: &str,
        mut permission: RequestedPermission,
    ) -> RequestedPermission {
        let kind = permission.kind();
        permission.retain_variables(|name| self.granted_item(session, entry, digest, kind, &variable_item(name)));
        permission
    }

    /// Leaves out what permission rules decide; `None` if nothing is left.
    fn undecided(
        &self,
        session: &Session,
        entry: &Entry,
        permission: &RequestedPermission,
    ) -> Option<RequestedPermission> {
        let asks =
            |permission: Permission, subject: &str| self.decide(session, permission, subject).action == Action::Ask;
        let left = |permission: Permission, all: &[String]| -> Vec<String> {
            all.iter().filter(|subject| asks(permission, subject)).cloned().collect()
        };
        let name = &entry.skill.name;
        let permission = match permission {
            RequestedPermission::Shell { commands, variables } => {
                RequestedPermission::Shell { commands: left(Permission::Shell, commands), variables: variables.clone() }
            }
            RequestedPermission::Tools(tools) => RequestedPermission::Tools(left(Permission::Tool, tools)),
            RequestedPermission::Script { path, .. } => {
                return asks(Permission::Script, &format!("{name}/{path}")).then(|| permission.clone());
            }
            RequestedPermission::Profile(_) => return asks(Permission::Profile, name).then(|| permission.clone()),
            RequestedPermission::Hooks { hooks, variables } => {
                let is_open = |hook: &&HookCommand| asks(Permission::Hook, &hook.command);
                RequestedPermission::Hooks {
                    hooks: hooks.iter().filter(is_open).cloned().collect(),
                    variables: variables.clone(),
                }
            }
        };
        (!permission.is_empty()).then_some(permission)
    }

    /// Keeps what the user agreed to, for as long as they said.
    pub(crate) fn store_permissions(
        &self,
        session: &mut Session,
        entry: &Entry,
        digest: &str,
        permissions: &[RequestedPermission],
        answer: &Answer,
    ) -> Result<(), TrustError> {
        match answer {
            Answer::Session => permissions
                .iter()
                .for_each(|permission| session.grant_permission(entry.canonical(), digest, permission)),
            Answer::Always => return self.grant(entry, digest, permissions),
            Answer::Once | Answer::Secret(_) | Answer::No | Answer::NotAsked => {}
        }
        Ok(())
    }
}
