//! Refuses to run anything on systems where a command cannot be confined.

use crate::{Command, Isolation, Mechanism, Missing, Outcome, Probe, SandboxError, Stop};

/// The helper, which is never started here.
pub mod helper {
    use std::process::ExitCode;

    /// Does nothing, because no process is started as a helper here.
    pub fn main_if_asked() -> Option<ExitCode> {
        None
    }

    pub(crate) fn is_ready() -> bool {
        true
    }
}

pub(crate) fn probe(probe: &Probe) -> Isolation {
    Isolation {
        mechanism: Mechanism::None,
        landlock: 0,
        control_groups: false,
        layers: false,
        missing: vec![linux()],
        helper: probe.helper.clone(),
    }
}

/// Refuses, whatever the isolation says: its fields are public, so that a caller could have set them.
pub(crate) fn run(_: &Isolation, _: &Command, _: Option<&Stop>) -> Result<Outcome, SandboxError> {
    Err(SandboxError::NoIsolation(vec![linux()]))
}

fn linux() -> Missing {
    Missing {
        what: "Linux",
        why: "commands are confined on Linux only".to_owned(),
        remedy: "use Linux, for example in a virtual machine",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;

    #[test]
    fn nothing_runs_and_the_reason_is_told() {
        assert_eq!(helper::main_if_asked(), None);
        assert!(helper::is_ready(), "what there is to find is found");
        let isolation = probe(&Probe::new().unwrap());
        assert!(!isolation.is_available());
        let told = "Linux: commands are confined on Linux only (use Linux, for example in a virtual machine)";
        assert_eq!(isolation.to_string(), format!("none, so no command runs; {told}"));
        let claimed = Isolation { mechanism: Mechanism::Landlock, missing: Vec::new(), ..isolation };
        let error = run(&claimed, &Command::new("true", Limits::SCRIPT), None).unwrap_err();
        assert!(matches!(error, SandboxError::NoIsolation(_)), "{error:?}");
        assert_eq!(error.to_string(), format!("this machine cannot isolate a command: {told}"));
    }
}
