//! The usage text of `fidelity`.

/// Printed when it is typed wrongly.
pub(super) const USAGE: &str = "usage: cargo xtask fidelity record [HOST[/CASE]]
       cargo xtask fidelity live [--seed N] [--trees N | --only N] [--corpus DIR] [--host HOST] [--bin FILE] [--keep DIR]";
