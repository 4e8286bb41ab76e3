//! Decides which requested permissions a skill has, which the user is asked for, and stores the answer.

use std::time::SystemTime;

use openoxide_config::{ApprovalState, Grant, PermissionKind, Timestamp, TrustError, TrustRecord};
use openoxide_permissions::{Action, Permission};
use openoxide_skills::{catalog::Entry, host::ToolsMeaning};

use super::profile::{is_unasked, profile_lines, refusal_lines};
use crate::{
    Answer, Question, RequestedAction, RequestedPermission, Runtime, Session, activation::Loading,
    dependency::givable_variables, hooks::requested_hooks, variable_item,
};

impl Runtime {
    /// Returns everything that a skill would do beyond being read.
    pub(crate) fn requested_permissions(&self, loading: &Loading) -> Vec<RequestedPermission> {
        let commands: Vec<String> = loading.expanded.commands().map(|piece| piece.command.clone()).collect();
        let tools = match self.tools_meaning() {
            ToolsMeaning::Nothing => Vec::new(),
            ToolsMeaning::Preapprove | ToolsMeaning::Limit => loading.parsed.frontmatter.allowed_tools.clone(),
        };
        let hooks = requested_hooks(self, loading);
        // A profile is about what runs.
        let runs = !commands.is_empty() || !hooks.is_empty();
        let profile = if runs { profile_lines(&loading.profile) } else { Vec::new() };
        let variables = givable_variables(&loading.entry);
        let mut all = vec![
            RequestedPermission::new(PermissionKind::Shell, commands, variables.clone()),
            RequestedPermission { kind: PermissionKind::Hook, actions: hooks, variables },
            RequestedPermission::new(PermissionKind::Profile, profile, Vec::new()),
            RequestedPermission::new(PermissionKind::Tools, tools, Vec::new()),
        ];
        all.retain(|permission| !permission.actions.is_empty());
        all
    }

    /// Grants a skill what it may do already, and returns the question about the rest. Without a digest it gets nothing.
    pub(crate) fn decide_permissions(&self, session: &Session, loading: &mut Loading) -> Option<Question> {
        loading.snapshot.as_ref().ok()?;
        let (mut granted, mut asked, mut changed) = (Vec::new(), Vec::new(), false);
        for permission in &loading.requested {
            let Some(permission) = self.undecided(&loading.entry, permission) else {
                // A rule about commands says nothing about variables.
                let alone = RequestedPermission { actions: Vec::new(), ..permission.clone() };
                let alone = self.with_granted_variables(session, loading, alone);
                granted.extend((!alone.variables.is_empty()).then_some(alone));
                continue;
            };
            match self.granted(session, loading, &permission) {
                ApprovalState::Approved => granted.push(permission),
                state => {
                    changed |= matches!(state, ApprovalState::Changed { .. });
                    asked.push(permission);
                }
            }
        }
        if is_unasked(loading, &granted) {
            let free = asked.extract_if(.., |permission| permission.runs());
            // Running without a question was agreed to; what was not shown is not given all the same.
            granted.extend(free.map(|permission| self.with_granted_variables(session, loading, permission)));
            changed = false;
        }
        loading.granted = granted;
        // Not a request: who is asked for anything learns that the profile was refused, and agrees to nothing by it.
        let refusal = RequestedPermission::new(PermissionKind::Profile, refusal_lines(&loading.profile), Vec::new());
        asked.extend(Some(refusal).filter(|refusal| !asked.is_empty() && !refusal.actions.is_empty()));
        (!asked.is_empty()).then(|| Question::RequestedPermissions {
            skill: loading.name(),
            path: loading.entry.canonical().to_owned(),
            digest: loading.digest.clone(),
            changed,
            permissions: asked,
        })
    }

    /// Returns whether the session or the trust store approves a permission of a skill, for the current digest.
    fn granted(&self, session: &Session, loading: &Loading, permission: &RequestedPermission) -> ApprovalState {
        let (path, digest, items) = (loading.entry.canonical(), &loading.digest, permission.items());
        if session.has_permission(path, digest, permission) {
            return ApprovalState::Approved;
        }
        self.with_trust(|trust| {
            let mut states = items.iter().map(|item| trust.approval_for(path, digest, permission.kind, item));
            states.rfind(|state| *state != ApprovalState::Approved).unwrap_or(ApprovalState::Approved)
        })
    }

    /// Keeps only those variables of a permission that the user granted for this digest.
    fn with_granted_variables(
        &self,
        session: &Session,
        loading: &Loading,
        mut permission: RequestedPermission,
    ) -> RequestedPermission {
        let (path, digest, kind) = (loading.entry.canonical(), &loading.digest, permission.kind);
        permission.variables.retain(|name| {
            let item = variable_item(name);
            session.has_permission_item(path, digest, kind, &item)
                || self.with_trust(|trust| trust.approval_for(path, digest, kind, &item)) == ApprovalState::Approved
        });
        permission
    }

    /// Leaves out what permission rules decide; `None` if nothing is left.
    fn undecided(&self, entry: &Entry, requested: &RequestedPermission) -> Option<RequestedPermission> {
        let asks = |action: &RequestedAction| {
            let what = &action.what;
            let decision = match requested.kind {
                PermissionKind::Shell => self.decide(Permission::Shell, what),
                PermissionKind::Hook => self.decide(Permission::Hook, what),
                PermissionKind::Tools => self.decide(Permission::Tool, what),
                PermissionKind::Mcp => self.decide(Permission::Mcp, what),
                PermissionKind::Script => {
                    self.ruled_by_names(Permission::Script, entry, |name| format!("{name}/{what}"))
                }
                PermissionKind::Profile => self.ruled_by_names(Permission::Profile, entry, str::to_owned),
            };
            decision.action == Action::Ask
        };
        let mut left = requested.clone();
        left.actions.retain(asks);
        (!left.actions.is_empty()).then_some(left)
    }

    /// Gives a skill what the user agreed to, and keeps it for as long as they said.
    pub(crate) fn grant_permissions(
        &self,
        session: &mut Session,
        loading: &mut Loading,
        permissions: &[RequestedPermission],
        answer: &Answer,
    ) -> Result<(), TrustError> {
        loading.granted.extend_from_slice(permissions);
        let (skill, digest) = (loading.entry.canonical(), &loading.digest);
        for permission in permissions {
            match answer {
                Answer::Session => session.grant_permission(skill, digest, permission),
                Answer::Always => {
                    let grant = Grant {
                        skill: skill.to_owned(),
                        digest: digest.clone(),
                        permission: permission.kind,
                        shown: permission.items(),
                        at: Timestamp::from(SystemTime::now()),
                    };
                    self.with_trust(|trust| trust.add(TrustRecord::Grant(grant)))?;
                }
                Answer::Once | Answer::Secret(_) | Answer::No | Answer::NotAsked => {}
            }
        }
        Ok(())
    }
}
