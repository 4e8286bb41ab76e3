//! Helps tests of use cases: a snapshot of a tree that a test wrote.

use std::sync::atomic::{AtomicBool, Ordering};

use openoxide_config::Environment;
use openoxide_live::{Place, Snapshot};
use openoxide_skills::catalog::Depth;
use openoxide_testkit::TestContext;
use rustix::fs::{CWD, RenameFlags, renameat_with};

const ROUNDS: usize = 3000;

/// Returns what OpenOxide's own host sees in the context's project, thoroughly searched.
pub(crate) fn snapshot(context: &TestContext) -> Snapshot {
    let admin = context.root().join("etc");
    let environment =
        Environment { cwd: context.project(), home: Some(context.home()), admin, ..Environment::default() };
    Snapshot::open(&environment, &Place::of(context.project()), Depth::Thorough).unwrap()
}

/// Calls `change` again and again while what has one name and a link that leads elsewhere are exchanged.
pub(crate) fn race(context: &TestContext, name: &str, link: &str, mut change: impl FnMut()) {
    let (name, link) = (context.root().join(name), context.root().join(link));
    let exchange = || renameat_with(CWD, &name, CWD, &link, RenameFlags::EXCHANGE);
    if exchange().and_then(|()| exchange()).is_err() {
        // This disk exchanges no names.
        return;
    }
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let _ = exchange();
            }
        });
        let rounds = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| (0..ROUNDS).for_each(|_| change())));
        stop.store(true, Ordering::Relaxed);
        rounds.unwrap();
    });
}
