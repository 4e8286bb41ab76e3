//! One snapshot without watching.

use std::path::PathBuf;

use openoxide_config::WorkspaceError;
use openoxide_live::{Place, Snapshot};
use openoxide_skills::catalog::Depth;

use crate::world::{World, environment, listed};

#[test]
fn one_shot_and_live_find_the_same() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Second");
    fs_err::create_dir_all(world.context.home().join(".openoxide")).unwrap();
    fs_err::write(world.context.home().join(".openoxide/config.toml"), "unknown = 1\n").unwrap();
    let environment = environment(&world.context);
    let live = world.state();
    // An empty folder is the environment's current one.
    for place in [world.place(), Place::default()] {
        let once = Snapshot::open(&environment, &place, Depth::Quick).unwrap();
        assert_eq!(listed(&once), ["a: First", "b: Second"]);
        assert_eq!((once.version, &once.workspace.project), (1, &live.workspace.project));
        assert!(!once.problems.is_empty(), "the unknown setting is reported");
        assert_eq!(once.problems.len(), live.problems.len());
        assert_eq!(once.catalog.problems, live.catalog.problems);
        assert_eq!(once.runtime().unwrap().catalog().skills.len(), 2);
    }
}

#[test]
fn options_reach_the_workspace() {
    let world = World::new();
    let environment = environment(&world.context);
    let touched = vec![PathBuf::from("src/main.rs")];
    let place = Place { touched, host: Some("claude-code".to_owned()), ..world.place() };
    let once = Snapshot::open(&environment, &place, Depth::Thorough).unwrap();
    assert_eq!((once.view.around.touched.len(), &once.workspace.environment.cwd), (1, &world.context.project()));
    assert_eq!(once.catalog.host, "claude-code");
    let missing = Place::of(world.context.project().join("missing"));
    let error = Snapshot::open(&environment, &missing, Depth::Quick).err();
    assert!(matches!(error, Some(WorkspaceError::NoFolder { .. })));
}
