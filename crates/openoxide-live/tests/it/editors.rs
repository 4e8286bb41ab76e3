//! How editors and tools save files.

use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::time::Duration;

use crate::world::{World, text, write};

#[test]
fn written_in_place() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let mut file = fs_err::OpenOptions::new().write(true).open(world.file("a")).unwrap();
    // Kept open: a program that never closes its file has written all the same.
    file.write_all(text("a", "Other").as_bytes()).unwrap();
    world.shows(&["a: Other"]);
    drop(file);
    world.shows(&["a: Other"]);
}

#[test]
fn renamed_over() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    for word in ["Second", "Third"] {
        let beside = world.skills().join("a/.SKILL.md.tmp");
        fs_err::write(&beside, text("a", word)).unwrap();
        fs_err::rename(&beside, world.file("a")).unwrap();
        world.shows(&[&format!("a: {word}")]);
    }
}

#[test]
fn deleted_and_created_at_once() {
    let world = World::new();
    world.write("a", "First");
    let first = world.settled().version;
    fs_err::remove_file(world.file("a")).unwrap();
    std::thread::sleep(Duration::from_millis(20));
    world.write("a", "Second");
    world.shows(&["a: Second"]);
    assert!(world.state().version > first);
    fs_err::remove_dir_all(world.skills().join("a")).unwrap();
    std::thread::sleep(Duration::from_millis(50));
    world.write("a", "Third");
    world.shows(&["a: Third"]);
    world.rest();
    world.write("a", "Fourth");
    world.shows(&["a: Fourth"]);
}

#[test]
fn a_root_is_removed_and_made_again() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    fs_err::remove_dir_all(world.context.project().join(".agents")).unwrap();
    world.shows(&[]);
    world.write("a", "Second");
    world.shows(&["a: Second"]);
    world.rest();
    world.write("a", "Third");
    world.shows(&["a: Third"]);
    // And without anyone noticing that it was gone.
    fs_err::remove_dir_all(world.context.project().join(".agents")).unwrap();
    world.write("b", "Fourth");
    world.shows(&["b: Fourth"]);
    world.rest();
    world.write("b", "Fifth");
    world.shows(&["b: Fifth"]);
}

#[test]
fn a_link_is_aimed_elsewhere() {
    let world = World::new();
    let elsewhere = world.context.project().join("elsewhere");
    for word in ["one", "two"] {
        write(&elsewhere.join(word).join("a/SKILL.md"), "a", word);
    }
    fs_err::create_dir_all(world.skills()).unwrap();
    symlink(elsewhere.join("one/a"), world.skills().join("a")).unwrap();
    world.shows(&["a: one"]);
    world.settled();
    fs_err::remove_file(world.skills().join("a")).unwrap();
    symlink(elsewhere.join("two/a"), world.skills().join("a")).unwrap();
    world.shows(&["a: two"]);
    world.rest();
    write(&elsewhere.join("two/a/SKILL.md"), "a", "edited where it really is");
    world.shows(&["a: edited where it really is"]);
    world.rest();
    fs_err::rename(elsewhere.join("two"), elsewhere.join("three")).unwrap();
    world.shows(&[]);
    fs_err::rename(elsewhere.join("one"), elsewhere.join("two")).unwrap();
    world.shows(&["a: one"]);
}

#[test]
fn a_link_in_the_middle_of_the_way_is_aimed_elsewhere() {
    let world = World::new();
    let elsewhere = world.context.project().join("elsewhere");
    for word in ["one", "two"] {
        write(&elsewhere.join(word).join("skills/a/SKILL.md"), "a", word);
    }
    symlink("one", elsewhere.join("current")).unwrap();
    fs_err::create_dir_all(world.context.project().join(".agents")).unwrap();
    symlink(elsewhere.join("current/skills"), world.skills()).unwrap();
    world.shows(&["a: one"]);
    world.settled();
    symlink("two", elsewhere.join("next")).unwrap();
    fs_err::rename(elsewhere.join("next"), elsewhere.join("current")).unwrap();
    world.shows(&["a: two"]);
    world.rest();
    write(&elsewhere.join("two/skills/a/SKILL.md"), "a", "edited");
    world.shows(&["a: edited"]);
}

#[test]
fn two_skills_change_places() {
    let world = World::new();
    for name in ["a", "b"] {
        world.write(name, name);
        fs_err::create_dir_all(world.skills().join(name).join("agents")).unwrap();
    }
    world.settled();
    let (a, b, aside) = (world.skills().join("a"), world.skills().join("b"), world.skills().join(".aside"));
    fs_err::rename(&a, &aside).unwrap();
    fs_err::rename(&b, &a).unwrap();
    fs_err::rename(&aside, &b).unwrap();
    world.rest();
    write(&b.join("SKILL.md"), "b", "edited");
    write(&a.join("SKILL.md"), "a", "edited too");
    world.shows(&["a: edited too", "b: edited"]);
}
