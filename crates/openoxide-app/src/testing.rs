//! Helps tests of use cases: a snapshot of a tree that a test wrote.

use openoxide_config::Environment;
use openoxide_live::{Place, Snapshot};
use openoxide_skills::catalog::Depth;
use openoxide_testkit::TestContext;

/// Returns what OpenOxide's own host sees in the context's project, thoroughly searched.
pub(crate) fn snapshot(context: &TestContext) -> Snapshot {
    let admin = context.root().join("etc");
    let environment =
        Environment { cwd: context.project(), home: Some(context.home()), admin, ..Environment::default() };
    Snapshot::open(&environment, &Place::of(context.project()), Depth::Thorough).unwrap()
}
