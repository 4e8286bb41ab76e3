//! Where watching fails, and where the system had too much to tell.

use std::sync::{Arc, Mutex};

use openoxide_live::{LiveOptions, WatchMode};

use crate::world::{World, quick, until};

#[test]
fn too_many_folders_are_looked_at_again_and_again() {
    let world = World::with(LiveOptions { max_watches: 10, ..quick() });
    for number in 0..20 {
        world.write(&format!("skill-{number:02}"), "0");
    }
    world.state();
    let is_said =
        || matches!(world.live.watch_mode(), WatchMode::Polling { reason } if reason.contains("more than 10"));
    until("said", is_said, || format!("{:?}", world.live.watch_mode()));
    assert_eq!(world.live.watched(), 0, "what is not enough is not used");
    world.write("skill-00", "1");
    world.write("new", "2");
    until("seen", || world.listed().len() == 21, || format!("{:?}", world.listed()));
    until("seen", || world.listed()[1] == "skill-00: 1", || format!("{:?}", world.listed()));
    fs_err::remove_dir_all(world.skills()).unwrap();
    world.shows(&[]);
}

#[test]
fn looking_again_and_again_is_said_once() {
    let world = World::with(LiveOptions { max_watches: 10, ..quick() });
    let said = Arc::new(Mutex::new(Vec::new()));
    let own = Arc::clone(&said);
    world.live.on_polling(move |why| own.lock().unwrap().push(why.to_owned()));
    assert!(said.lock().unwrap().is_empty());
    for number in 0..20 {
        world.write(&format!("skill-{number:02}"), "0");
    }
    world.state();
    until("said", || !said.lock().unwrap().is_empty(), String::new);
    world.write("new", "2");
    until("seen", || world.listed().len() == 21, || format!("{:?}", world.listed()));
    world.rest();
    let said = said.lock().unwrap();
    assert!(matches!(said.as_slice(), [why] if why.contains("more than 10")), "{said:?}");
    let late = Arc::new(Mutex::new(0));
    let own = Arc::clone(&late);
    world.live.on_polling(move |_| *own.lock().unwrap() += 1);
    assert_eq!(*late.lock().unwrap(), 1, "who asks late is told at once");
}

#[test]
fn another_place_is_watched_all_the_same() {
    let world = World::with(LiveOptions { max_watches: 60, ..quick() });
    let big = world.context.root().join("big");
    for number in 0..100 {
        let name = format!("skill-{number:02}");
        crate::world::write(&big.join(".agents/skills").join(&name).join("SKILL.md"), &name, "0");
    }
    world.write("a", "First");
    world.settled();
    assert_eq!(world.live.watch_mode(), WatchMode::Events);
    world.live.snapshot(&openoxide_live::Place::of(&big)).unwrap();
    let polls = || matches!(world.live.watch_mode(), WatchMode::Polling { .. });
    until("said", polls, || format!("{:?}", world.live.watch_mode()));
    assert!(world.live.watched() > 0);
    world.write("a", "Second");
    world.shows(&["a: Second"]);
}

/// The queue of the system is everyone's and cannot be made small; what happens when it was too small is the same.
#[test]
fn what_was_lost_is_found_by_looking_at_everything() {
    let world = World::new();
    world.write("a", "First");
    let before = world.settled();
    world.live.invalidate();
    world.rest();
    assert_eq!(world.state().version, before.version, "nothing was lost");
    world.write("a", "Second");
    world.live.invalidate();
    world.shows(&["a: Second"]);
    world.rest();
    world.write("a", "Third");
    world.shows(&["a: Third"]);
}
