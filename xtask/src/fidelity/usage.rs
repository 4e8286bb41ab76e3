//! The usage text of `fidelity`.

/// Printed when it is typed wrongly.
pub(super) const USAGE: &str = "usage: cargo xtask fidelity record [HOST[@EDITION][/CASE]]
       cargo xtask fidelity live [--seed N] [--trees N | --only N] [--corpus DIR] [--host HOST[@EDITION]] [--bin FILE] [--keep DIR]
       cargo xtask fidelity drift HOST@VERSION [--host HOST[@EDITION]] [the options of `live`]";
