//! Restricts, through Landlock, what may be read, run and changed, and which processes signals reach.

use std::{io, os::fd::OwnedFd};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::step::{InLayer as _, LayerError};
use crate::linux::grant::{Access, Grant};
use crate::linux::spec::{Landlock, Spec};
use crate::{linux::visible_files, system_paths};

/// The newest version whose rights are used here. An older kernel enforces the rights that it knows.
const NEWEST: ABI = ABI::V6;

/// Restricts this process to what the policy allows.
pub(super) fn restrict(spec: &Spec) -> Result<(), LayerError> {
    if spec.landlock == Landlock::Absent {
        return Ok(());
    }
    let granted: Vec<_> = spec.grants.iter().map(rule).collect::<Result<_, _>>().in_layer("Landlock")?;
    let status = apply(spec, granted).in_layer("Landlock")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("the kernel does not enforce it").in_layer("Landlock");
    }
    Ok(())
}

/// Returns the rule of a grant, for what is mounted at its path and for nothing else that the path may lead to by now.
fn rule(grant: &Grant) -> io::Result<PathBeneath<OwnedFd>> {
    let file = grant.identity.open(grant.path())?;
    let access = match grant.access {
        Access::Read => AccessFs::from_read(NEWEST),
        Access::Write => AccessFs::from_all(NEWEST),
    };
    let is_folder = rustix::fs::FileType::from_raw_mode(rustix::fs::fstat(&file)?.st_mode).is_dir();
    let possible = if is_folder { access } else { access & AccessFs::from_file(NEWEST) };
    Ok(PathBeneath::new(file, possible))
}

fn apply(spec: &Spec, granted: Vec<PathBeneath<OwnedFd>>) -> Result<RestrictionStatus, RulesetError> {
    let all = AccessFs::from_all(NEWEST);
    let read = AccessFs::from_read(NEWEST);
    let mut ruleset = Ruleset::default().handle_access(all)?.scope(Scope::from_all(NEWEST))?;
    if !spec.network {
        ruleset = ruleset.handle_access(AccessNet::from_all(NEWEST))?;
    }
    let resolver = if spec.network { visible_files::RESOLVER } else { &[] };
    ruleset
        .create()?
        .add_rules(path_beneath_rules(system_paths::PROGRAMS, read))?
        .add_rules(path_beneath_rules(visible_files::SETTINGS.iter().chain(resolver), read))?
        .add_rules(path_beneath_rules(["/proc"], read))?
        .add_rules(path_beneath_rules(visible_files::DEVICES, all))?
        .add_rules(path_beneath_rules([system_paths::TEMP, visible_files::SHARED_MEMORY], all))?
        .add_rules(granted.into_iter().map(Ok::<_, RulesetError>))?
        .restrict_self()
}

/// Prints the version of Landlock in the kernel.
#[expect(clippy::print_stdout, reason = "the answer to the process that started this one")]
pub(super) fn facts() -> Result<(), LayerError> {
    let status = Ruleset::default().handle_access(AccessFs::Execute).and_then(Ruleset::create);
    let status = status.and_then(landlock::RulesetCreated::restrict_self).in_layer("Landlock")?;
    let version = match status.landlock {
        LandlockStatus::Available { effective_abi, kernel_abi } => kernel_abi.unwrap_or(effective_abi as i32),
        _ => 0,
    };
    println!("{version}");
    Ok(())
}
