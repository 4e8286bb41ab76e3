//! Restricts, through Landlock, what may be read, run and changed, and which processes signals reach.

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, LandlockStatus, RestrictionStatus, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, path_beneath_rules,
};

use super::step::{InLayer as _, LayerError};
use crate::linux::spec::{Landlock, Spec};
use crate::{linux::visible_files, system_paths};

/// The newest version whose rights are used here. An older kernel enforces the rights that it knows.
const NEWEST: ABI = ABI::V6;

/// Restricts this process to what the policy allows.
pub(super) fn restrict(spec: &Spec) -> Result<(), LayerError> {
    if spec.landlock == Landlock::Absent {
        return Ok(());
    }
    let status = apply(spec).in_layer("Landlock")?;
    if status.ruleset == RulesetStatus::NotEnforced {
        return Err("the kernel does not enforce it").in_layer("Landlock");
    }
    Ok(())
}

fn apply(spec: &Spec) -> Result<RestrictionStatus, RulesetError> {
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
        .add_rules(path_beneath_rules(spec.readable.iter().chain(&spec.sealed), read))?
        .add_rules(path_beneath_rules(&spec.writable, all))?
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
