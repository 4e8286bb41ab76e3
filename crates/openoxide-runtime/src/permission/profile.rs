//! Applies a skill's permission profile: what it adds, and the sandbox policy that results.
//!
//! The lines that people are shown and the sandbox's policy are made from the same delta.

use std::path::{Path, PathBuf};

use openoxide_config::PermissionKind;
use openoxide_permissions::{Action, Addition, GrantDelta, Grants, Permission, ProfileBase, ProfileSource};
use openoxide_sandbox::{Command, Isolation, Policy, PolicyError};
use openoxide_skills::{catalog::Entry, skill::SkillScope};

use super::protected_paths::{real, whereabouts};
use super::worktree::repository;
use crate::{RequestedPermission, Runtime, activation::Loading};

/// What is in force for the commands of a skill.
pub(crate) struct InForce {
    pub(crate) grants: Grants,
    /// What was taken from it, and why: "without …".
    pub(crate) withheld: Option<String>,
}

impl Runtime {
    /// Returns what is in force for every command of a skill, by the user's settings.
    pub(crate) fn in_force(&self) -> Result<Grants, String> {
        Ok(Grants {
            read: self.project()?.into_iter().collect(),
            write: self.sandbox.writable.iter().map(|folder| real(folder)).collect::<Result<_, _>>()?,
            network: self.sandbox.network,
            unasked: false,
        })
    }

    /// Returns the project, and the repository that it is a worktree of.
    fn project(&self) -> Result<Vec<PathBuf>, String> {
        let project = real(&self.view().around.project)?;
        if self.real_project.as_ref() != Some(&project) {
            // Any user who may write in the folder above it could have put a link in its place.
            return Err(format!("{}: the project is not where it was when it was opened", project.display()));
        }
        if !self.gives_files {
            return Ok(Vec::new());
        }
        let repository = repository(&project);
        Ok(Some(project).filter(|project| self.is_project(project)).into_iter().chain(repository).collect())
    }

    /// Returns whether a folder may be a project, whose files a skill may get.
    ///
    /// The user's home is none, even if it is the working directory, nor is a folder above it: it holds all their files. Nor
    /// is a folder that shows OpenOxide's state, with its secrets, nor one that only a program chose.
    pub(crate) fn is_project(&self, folder: &Path) -> bool {
        let home = self.environment.home.as_deref().and_then(|home| real(home).ok());
        let is_in_home = |real: &Path| home.is_none_or(|home| !home.starts_with(real));
        self.gives_files
            && real(folder).is_ok_and(|real| real.parent().is_some() && is_in_home(&real) && !self.shows_state(&real))
    }

    /// Returns what a skill's profile would add, and what of it has no effect.
    pub(crate) fn profile(&self, entry: &Entry) -> GrantDelta {
        // Nearly no skill has one, and finding out what is in force asks the system.
        let Some(profile) = entry.skill.permissions.as_deref() else { return GrantDelta::default() };
        let Ok(in_force) = self.in_force() else { return GrantDelta::default() };
        let base = ProfileBase { skill: entry.dir(), home: self.environment.home.as_deref() };
        // Where links lead is settled now: it is what people are shown, and a link that is moved later is an error.
        let requested = profile.requested(base).resolved(whereabouts_of);
        // Before anything is set apart or covered: nobody is asked for a part of a profile that reaches for a seal.
        let requested = requested.unless(|addition| self.is_sealed(addition).then_some(SEALED));
        let requested = requested.without(|addition| self.adds_to(&mut self.empty_policy(), addition).err());
        let source = match entry.skill.scope {
            SkillScope::System | SkillScope::Admin => ProfileSource::Trusted,
            SkillScope::Repo | SkillScope::User | SkillScope::Plugin => ProfileSource::Other,
        };
        let delta = in_force.delta(&requested, self.policy.profiles, source);
        let denies = |permission| self.ruled_by_names(permission, entry, str::to_owned).action == Action::Deny;
        let (all, network) = (denies(Permission::Profile), denies(Permission::Network));
        let delta = delta.without(|addition| {
            (all || network && *addition == Addition::Network).then_some("a permission rule denies it")
        });
        // One may contradict another.
        let Ok(mut policy) = self.policy_of(&in_force) else { return GrantDelta::default() };
        delta.without(|addition| self.adds_to(&mut policy, addition).err())
    }

    /// Returns what is in force for the commands of a skill. Its profile applies if it was approved, or a rule allows it.
    ///
    /// A rule that allows a command was written for the user's own skills. So the commands of a skill that another user, who
    /// shares a folder, made or can change get its copy and no files of the project.
    pub(crate) fn in_force_for(&self, loading: &Loading) -> Result<InForce, String> {
        let mut in_force = self.in_force()?;
        let withheld = loading.foreign.as_ref().filter(|_| !in_force.read.is_empty() || !in_force.write.is_empty());
        let withheld = withheld.map(|foreign| format!("without the files of the project: {foreign}"));
        if loading.foreign.is_some() {
            (in_force.read, in_force.write) = Default::default();
        }
        let ruled = || self.ruled_by_names(Permission::Profile, &loading.entry, str::to_owned).action;
        let counts = loading.snapshot.is_ok() && (has_profile(&loading.granted) || ruled() == Action::Allow);
        let grants = if counts { in_force.with(&loading.profile) } else { in_force };
        Ok(InForce { grants, withheld })
    }
}

fn has_profile(granted: &[RequestedPermission]) -> bool {
    granted.iter().any(|permission| permission.kind == PermissionKind::Profile)
}

/// Returns whether the user agreed that commands of the skill run without a question. A rule cannot agree for them: it
/// was written before the skill.
pub(crate) fn is_unasked(loading: &Loading, granted: &[RequestedPermission]) -> bool {
    loading.profile.added.contains(&Addition::Unasked) && has_profile(granted)
}

/// Returns the path with links resolved as far as it exists.
fn whereabouts_of(path: &Path) -> PathBuf {
    real(path).unwrap_or_else(|_| whereabouts(path))
}

/// Returns the note on a profile that is refused whole, which every question carries.
pub(crate) fn refusal_lines(delta: &GrantDelta) -> Vec<String> {
    let ignored = delta.ignored.iter().filter(|_| delta.refused);
    ignored.map(|ignored| format!("no effect: {ignored}")).collect()
}

/// Says that a profile is refused whole, and for which part of it.
pub(crate) fn profile_refusal(delta: &GrantDelta) -> Option<String> {
    let sealed = delta.ignored.iter().find(|ignored| delta.refused && ignored.why == SEALED)?;
    Some(format!("its permission profile is refused whole: it asks to {}: {}", sealed.what, sealed.why))
}

/// Returns everything that people are shown about a profile; nothing if it adds nothing.
pub(crate) fn profile_lines(delta: &GrantDelta) -> Vec<String> {
    let added = delta.added.iter().map(|addition| match addition {
        Addition::Write(_) => {
            format!("{addition}, but not what agents, editors and version control obey")
        }
        _ => addition.to_string(),
    });
    let ignored = delta.ignored.iter().filter(|_| !delta.added.is_empty());
    added.chain(ignored.map(|ignored| format!("no effect: {ignored}"))).collect()
}

impl Runtime {
    /// Makes the sandbox's policy of what is in force; an error names the folder that is never given.
    pub(crate) fn policy_of(&self, in_force: &Grants) -> Result<Policy, String> {
        // What lies in a folder to write, the project for instance, is written too.
        let is_written = |path: &&PathBuf| in_force.write.iter().any(|folder| path.starts_with(folder));
        let read = in_force.read.iter().filter(|path| !is_written(path));
        let mut policy = read.fold(self.empty_policy(), Policy::read);
        for folder in &in_force.write {
            let wider = self.writable(policy, folder);
            policy = wider.map_err(|why| format!("`{}` is not given to be written: {why}", folder.display()))?;
        }
        policy.network = in_force.network;
        Ok(policy)
    }

    /// Lets a command read the skill's copy, and do what is in force for it.
    pub(crate) fn confine(
        &self,
        command: &mut Command,
        cwd: &Path,
        copy: &Path,
        in_force: &Grants,
    ) -> Result<(), String> {
        command.policy = self.policy_of(in_force)?.read(copy);
        let cwd = real(cwd)?;
        let is_readable = in_force.read.iter().chain(&in_force.write).any(|path| cwd.starts_with(path));
        command.cwd = Some(if is_readable { cwd } else { copy.to_owned() });
        Ok(())
    }

    /// Tells whether a profile asks to write what other programs, or OpenOxide itself, obey.
    fn is_sealed(&self, addition: &Addition) -> bool {
        let Addition::Write(path) = addition else { return false };
        self.sealing(self.empty_policy()).sealed_part(path).is_some() || self.is_ours(path)
    }

    /// Returns a policy that gives nothing yet.
    fn empty_policy(&self) -> Policy {
        Policy { project: real(&self.view().around.project).ok(), ..Policy::default() }
    }

    /// Adds something to a policy, or says why it is not given.
    fn adds_to(&self, policy: &mut Policy, addition: &Addition) -> Result<(), &'static str> {
        let wider = match addition {
            Addition::Write(path) if path.exists() && !path.is_dir() => return Err("only a folder can be written to"),
            Addition::Write(path) => policy.clone().write(path),
            Addition::Read(path) => policy.clone().read(path),
            Addition::Network | Addition::Unasked => return Ok(()),
        };
        wider.check(None).map_err(|error| match error {
            PolicyError::Absent { .. } => "it is not there",
            PolicyError::System(_) => "it belongs to the system, and is never given",
            PolicyError::Contradiction { .. } | PolicyError::Sealed { .. } => SEALED,
            PolicyError::Relative(_) | PolicyError::Moved { .. } | PolicyError::Cwd(_) => "the sandbox cannot give it",
        })?;
        let wider = match addition {
            Addition::Read(path) if self.shows_state(path) => {
                return Err("OpenOxide keeps there what you trust, and its secrets");
            }
            Addition::Write(path) => self.writable(policy.clone(), path)?,
            _ => wider,
        };
        wider.check(None).map_err(|_| SEALED)?;
        // Finding that out starts a process, which what is refused in any case is not worth.
        if matches!(addition, Addition::Write(_)) && Isolation::here().is_some_and(|here| !here.layers) {
            return Err(NO_LAYERS);
        }
        *policy = wider;
        Ok(())
    }
}

const NO_LAYERS: &str = "this machine cannot keep apart what a command writes; `openoxide roots` says why";
const SEALED: &str = "it is sealed, because other programs obey what stands there";
