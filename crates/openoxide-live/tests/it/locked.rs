//! Folders that may not be read for a while.

use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::world::{World, text};

fn set(path: &Path, mode: u32) {
    fs_err::set_permissions(path, Permissions::from_mode(mode)).unwrap();
}

/// A world with a skill; nothing where permissions mean nothing.
fn world() -> Option<World> {
    let world = World::new();
    world.write("a", "First");
    set(&world.skills(), 0);
    let is_free = std::fs::read_dir(world.skills()).is_ok();
    set(&world.skills(), 0o755);
    if is_free {
        println!("skipped: whoever runs this may read everything");
        return None;
    }
    Some(world)
}

#[test]
fn a_root_is_locked_and_opened() {
    let Some(world) = world() else { return };
    world.shows(&["a: First"]);
    world.settled();
    set(&world.skills(), 0);
    world.shows(&[]);
    set(&world.skills(), 0o755);
    world.shows(&["a: First"]);
    world.rest();
    world.write("a", "Second");
    world.shows(&["a: Second"]);
}

#[test]
fn a_folder_that_comes_locked_is_watched_once_it_is_open() {
    let Some(world) = world() else { return };
    let group = world.skills().join("group");
    world.settled();
    let away = world.context.root().join("away");
    fs_err::create_dir_all(away.join("b")).unwrap();
    fs_err::write(away.join("b/SKILL.md"), text("b", "First")).unwrap();
    set(&away, 0o300);
    fs_err::rename(&away, &group).unwrap();
    world.rest();
    world.shows(&["a: First"]);
    set(&group, 0o755);
    world.shows(&["a: First", "b: First"]);
    world.rest();
    fs_err::create_dir(group.join("c")).unwrap();
    fs_err::write(group.join("c/SKILL.md"), text("c", "New")).unwrap();
    world.shows(&["a: First", "b: First", "c: New"]);
}
