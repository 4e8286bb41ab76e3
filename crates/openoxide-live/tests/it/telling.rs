//! Who is told, and of what.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};

use openoxide_live::{Change, SkillChange, Subscription};

use crate::world::{PATIENCE, World, text};

/// What was told: added, removed, changed.
type Told = [Vec<String>; 3];

fn names(list: &[SkillChange]) -> Vec<String> {
    list.iter().map(|skill| skill.name.clone()).collect()
}

fn listen(world: &World) -> (Subscription, Receiver<Told>) {
    let (send, receive) = channel();
    let tell = move |change: &Change| {
        drop(send.send([names(&change.added), names(&change.removed), names(&change.changed)]));
    };
    (world.live.subscribe(tell), receive)
}

fn list(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn added_removed_and_changed() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Second");
    world.settled();
    let (_subscription, told) = listen(&world);
    world.write("c", "Third");
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [list(&["c"]), list(&[]), list(&[])]);
    world.rest();
    world.write("a", "Other");
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [list(&[]), list(&[]), list(&["a"])]);
    world.rest();
    fs_err::remove_dir_all(world.skills().join("b")).unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [list(&[]), list(&["b"]), list(&[])]);
}

#[test]
fn a_change_of_the_body_alone_is_a_change() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let (_subscription, told) = listen(&world);
    let body = text("a", "First").replace("Do it.", "Do so.");
    fs_err::write(world.file("a"), &body).unwrap();
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [list(&[]), list(&[]), list(&["a"])]);
    world.rest();
    // The same bytes once more are no news.
    fs_err::write(world.file("a"), body).unwrap();
    world.rest();
    assert!(told.try_recv().is_err());
}

#[test]
fn whoever_panics_or_is_slow_holds_nobody_up() {
    let world = World::new();
    world.write("a", "0");
    world.settled();
    let _panics = world.live.subscribe(|_| panic!("on purpose"));
    let ((slow, seen), (release, released)) = (channel(), channel::<()>());
    let released = Mutex::new(released);
    let _slow = world.live.subscribe(move |change| {
        drop(slow.send(change.snapshot.catalog.skills[0].skill.description.to_string()));
        released.lock().unwrap().recv().unwrap_or_default();
    });
    let (_subscription, told) = listen(&world);
    for word in ["1", "2", "3"] {
        world.write("a", word);
        world.shows(&[&format!("a: {word}")]);
        told.recv_timeout(PATIENCE).unwrap();
    }
    assert_eq!(seen.recv_timeout(PATIENCE).unwrap(), "1");
    drop(release);
    assert_eq!(seen.recv_timeout(PATIENCE).unwrap(), "3", "the steps in between were one change");
}

#[test]
fn whoever_has_left_is_not_told() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let (left, told) = listen(&world);
    let (_stays, heard) = listen(&world);
    drop(left);
    world.write("a", "Second");
    heard.recv_timeout(PATIENCE).unwrap();
    // Its thread has ended without a call.
    assert_eq!(told.recv_timeout(PATIENCE), Err(RecvTimeoutError::Disconnected));
}

#[test]
fn a_forced_look_tells_too() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let (_subscription, told) = listen(&world);
    world.write("a", "Second");
    let state = world.live.reload(&world.place()).unwrap();
    assert_eq!(crate::world::listed(&state), ["a: Second"]);
    assert_eq!(told.recv_timeout(PATIENCE).unwrap(), [list(&[]), list(&[]), list(&["a"])]);
}
