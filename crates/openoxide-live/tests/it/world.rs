//! A scratch home and project with live snapshots, and conditions to wait for.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use openoxide_config::Environment;
use openoxide_live::{Live, LiveOptions, Place, Snapshot};
use openoxide_testkit::TestContext;

/// Long enough for a machine that is busy with other work.
pub(crate) const PATIENCE: Duration = Duration::from_mins(1);

/// A scratch home and project with live snapshots.
pub(crate) struct World {
    pub(crate) live: Live,
    pub(crate) context: TestContext,
}

/// Refreshes soon and often, so that tests need not wait.
pub(crate) fn quick() -> LiveOptions {
    LiveOptions {
        debounce: Duration::from_millis(40),
        min_interval: Duration::from_millis(200),
        poll_interval: Duration::from_millis(100),
        ..LiveOptions::default()
    }
}

pub(crate) fn environment(context: &TestContext) -> Environment {
    Environment {
        cwd: context.project(),
        home: Some(context.home()),
        admin: context.root().join("admin"),
        ..Environment::default()
    }
}

impl World {
    pub(crate) fn new() -> World {
        World::with(quick())
    }

    pub(crate) fn with(options: LiveOptions) -> World {
        let context = TestContext::new();
        World { live: Live::new(environment(&context), options), context }
    }

    pub(crate) fn place(&self) -> Place {
        Place::of(self.context.project())
    }

    pub(crate) fn state(&self) -> Arc<Snapshot> {
        self.live.snapshot(&self.place()).unwrap()
    }

    pub(crate) fn skills(&self) -> PathBuf {
        self.context.project().join(".agents/skills")
    }

    pub(crate) fn file(&self, name: &str) -> PathBuf {
        self.skills().join(name).join("SKILL.md")
    }

    /// Writes a skill in one go.
    pub(crate) fn write(&self, name: &str, description: &str) {
        write(&self.file(name), name, description);
    }

    /// Returns the active skills, with their descriptions.
    pub(crate) fn listed(&self) -> Vec<String> {
        listed(&self.state())
    }

    /// Waits until these skills are active, and no others.
    pub(crate) fn shows(&self, wanted: &[&str]) {
        until(&format!("{wanted:?}"), || self.listed() == wanted, || format!("{:?}", self.listed()));
    }

    /// Asks for the place, and waits until it is watched and nothing is under way.
    pub(crate) fn settled(&self) -> Arc<Snapshot> {
        let state = self.state();
        until("watched", || self.live.watched() > 0, String::new);
        self.rest();
        state
    }

    /// Waits until nothing is under way: no event that is unread, and no refresh that is due or running.
    pub(crate) fn rest(&self) {
        if cfg!(feature = "portable-watcher") {
            // Events pass through a thread that is not ours.
            std::thread::sleep(Duration::from_millis(200));
        }
        assert!(self.live.wait_until_idle(PATIENCE), "there is always something under way");
    }
}

pub(crate) fn text(name: &str, description: &str) -> String {
    format!("---\nname: {name}\ndescription: {description}\n---\nDo it.\n")
}

pub(crate) fn write(file: &Path, name: &str, description: &str) {
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, text(name, description)).unwrap();
}

pub(crate) fn listed(state: &Snapshot) -> Vec<String> {
    let skills = state.catalog.skills.iter();
    skills.map(|entry| format!("{}: {}", entry.skill.name, entry.skill.description)).collect()
}

/// Waits until something is so.
pub(crate) fn until(what: &str, is_so: impl Fn() -> bool, instead: impl Fn() -> String) {
    let start = Instant::now();
    while !is_so() {
        assert!(start.elapsed() < PATIENCE, "not {what}, but {}", instead());
        std::thread::sleep(Duration::from_millis(10));
    }
}
