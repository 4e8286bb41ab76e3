//! A file that is being written is not taken for what it is half way.

use std::io::Write as _;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::world::{World, text, until};

#[test]
fn a_skill_stays_as_it_was_while_its_file_is_written() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Other");
    world.settled();
    let seen: Arc<Mutex<Vec<Vec<String>>>> = Arc::default();
    let own = Arc::clone(&seen);
    let _subscription = world.live.subscribe(move |change| {
        own.lock().unwrap().push(crate::world::listed(&change.snapshot));
    });
    let mut file = fs_err::File::create(world.file("a")).unwrap();
    for byte in text("a", "Second").bytes() {
        file.write_all(&[byte]).unwrap();
        std::thread::sleep(Duration::from_millis(20));
        let first = world.listed()[0].clone();
        assert!(first == "a: First" || first == "a: Second", "{first}");
    }
    world.shows(&["a: Second", "b: Other"]);
    world.rest();
    for listed in seen.lock().unwrap().iter() {
        assert_eq!(listed.len(), 2, "it was never gone");
    }
}

#[test]
fn a_file_that_stays_broken_is_believed() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    fs_err::write(world.file("a"), "---\nname: [\n---\n").unwrap();
    world.shows(&[]);
    let problems = || world.state().catalog.problems.len();
    assert!(problems() > 0);
    world.write("a", "Repaired");
    world.shows(&["a: Repaired"]);
    until("nothing wrong", || problems() == 0, || format!("{} problems", problems()));
}

#[test]
fn a_file_that_is_removed_is_gone_at_once() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Other");
    world.settled();
    fs_err::remove_file(world.file("a")).unwrap();
    world.shows(&["b: Other"]);
}
