//! Many places: shared, bounded, and gone when nobody wants them any more.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use openoxide_live::{Live, LiveOptions, Place};

use crate::world::{World, environment, quick, until, write};

#[test]
fn whoever_asks_at_the_same_time_shares_one_search() {
    let world = World::new();
    for number in 0..200 {
        world.write(&format!("skill-{number:03}"), "0");
    }
    let states: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|_| scope.spawn(|| world.state())).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert!(states.iter().all(|state| Arc::ptr_eq(state, &states[0])));
}

#[test]
fn the_place_that_was_not_asked_for_longest_goes_first() {
    let world = World::with(LiveOptions { max_places: 2, ..quick() });
    let place = |name: &str| {
        let folder = world.context.root().join(name);
        write(&folder.join(".agents/skills/a/SKILL.md"), "a", name);
        Place::of(folder)
    };
    let (one, two, three) = (place("one"), place("two"), place("three"));
    let first = world.live.snapshot(&one).unwrap();
    let second = world.live.snapshot(&two).unwrap();
    assert!(Arc::ptr_eq(&first, &world.live.snapshot(&one).unwrap()));
    world.live.snapshot(&three).unwrap();
    assert!(Arc::ptr_eq(&first, &world.live.snapshot(&one).unwrap()), "asked for lately");
    assert!(!Arc::ptr_eq(&second, &world.live.snapshot(&two).unwrap()), "looked at again");
}

#[test]
fn a_place_that_is_pinned_stays() {
    let world = World::with(LiveOptions { max_places: 2, ..quick() });
    let place = |name: &str| {
        let folder = world.context.root().join(name);
        write(&folder.join(".agents/skills/a/SKILL.md"), "a", name);
        Place::of(folder)
    };
    let (one, two) = (place("one"), place("two"));
    let (first, second) = (world.live.pin(&one), world.live.pin(&two));
    let again = world.live.pin(&one);
    let states = [world.live.snapshot(&one).unwrap(), world.live.snapshot(&two).unwrap()];
    let others = ["three", "four"].map(place);
    for other in &others {
        let state = world.live.snapshot(other).unwrap();
        assert!(Arc::ptr_eq(&state, &world.live.snapshot(other).unwrap()), "there is room for one more");
    }
    assert!(world.live.cached(&others[0]).is_none());
    drop(first);
    world.live.snapshot(&others[0]).unwrap();
    for (place, state) in [&one, &two].into_iter().zip(&states) {
        assert!(world.live.cached(place).is_some_and(|known| Arc::ptr_eq(&known, state)));
    }
    drop((again, second));
    world.live.snapshot(&others[1]).unwrap();
    assert!(world.live.cached(&one).is_none(), "as any other, once it is let go");
}

#[test]
fn what_nobody_needs_is_not_watched() {
    let world = World::with(LiveOptions { max_places: 1, ..quick() });
    let big = world.context.root().join("big");
    for number in 0..50 {
        let name = format!("skill-{number:02}");
        write(&big.join(".agents/skills").join(&name).join("SKILL.md"), &name, "0");
    }
    world.settled();
    let few = world.live.watched();
    world.live.snapshot(&Place::of(&big)).unwrap();
    until("watched", || world.live.watched() >= few + 45, || world.live.watched().to_string());
    world.state();
    until("not watched", || world.live.watched() <= few, || world.live.watched().to_string());
}

#[test]
fn a_host_that_looks_once_is_looked_at_again_by_force_only() {
    let world = World::new();
    write(&world.context.project().join(".opencode/skill/a/SKILL.md"), "a", "First");
    let place = Place { host: Some("opencode".to_owned()), ..world.place() };
    let shown = || crate::world::listed(&world.live.snapshot(&place).unwrap());
    assert_eq!(shown(), ["a: First"]);
    world.rest();
    write(&world.context.project().join(".opencode/skill/a/SKILL.md"), "a", "Second");
    world.live.invalidate();
    world.rest();
    assert_eq!(shown(), ["a: First"]);
    world.live.reload(&place).unwrap();
    assert_eq!(shown(), ["a: Second"]);
}

/// What the user decides holds at once, also under a host that keeps the skills that it found.
#[test]
fn a_host_that_looks_once_obeys_new_rules() {
    let world = World::new();
    write(&world.context.project().join(".opencode/skill/a/SKILL.md"), "a", "First");
    let place = Place { host: Some("opencode".to_owned()), ..world.place() };
    let is_for_model = || world.live.snapshot(&place).unwrap().runtime().unwrap().catalog().skills[0].model;
    assert!(is_for_model());
    world.rest();
    write(&world.context.project().join(".opencode/skill/a/SKILL.md"), "a", "Second");
    world.context.tree("//- home/.openoxide/config.toml\n[permission.skill]\n\"a\" = \"deny\"\n");
    until("denied", || !is_for_model(), String::new);
    assert_eq!(crate::world::listed(&world.live.snapshot(&place).unwrap()), ["a: First"]);
}

fn threads() -> usize {
    let tasks = std::fs::read_dir("/proc/self/task").unwrap().flatten();
    let name = |task: std::fs::DirEntry| fs_err::read_to_string(task.path().join("comm")).unwrap_or_default();
    tasks.map(name).filter(|name| name.starts_with("openoxide-")).count()
}

/// Each test has a process of its own where they are run for real; elsewhere other tests have threads too.
#[test]
fn everything_ends_with_the_last_of_them() {
    if std::env::var_os("NEXTEST").is_none() {
        return println!("skipped: threads of other tests cannot be told from this one's");
    }
    let world = World::new();
    world.write("a", "First");
    let told = Arc::new(AtomicBool::new(false));
    let own = Arc::clone(&told);
    let subscription = world.live.subscribe(move |_| own.store(true, Ordering::Relaxed));
    world.settled();
    let other = world.live.clone();
    let World { live, context } = world;
    drop(live);
    write(&context.project().join(".agents/skills/a/SKILL.md"), "a", "Second");
    until("told", || told.load(Ordering::Relaxed), String::new);
    assert!(threads() >= 2);
    drop(other);
    assert_eq!(threads(), 0);
    drop(subscription);
}

/// A refresh that is due in an hour does not delay the end.
#[test]
fn ending_waits_for_no_quiet() {
    let hour = Duration::from_hours(1);
    let world = World::with(LiveOptions { debounce: hour, min_interval: hour, ..quick() });
    world.write("a", "First");
    world.state();
    until("watched", || world.live.watched() > 0, String::new);
    world.write("a", "Second");
    let ended = std::thread::spawn(move || drop(world));
    until("ended", || ended.is_finished(), String::new);
}

#[test]
fn an_unknown_folder_is_an_error_and_nothing_is_kept_of_it() {
    let world = World::new();
    let live = Live::new(environment(&world.context), quick());
    let place = Place::of(world.context.root().join("none"));
    assert!(live.snapshot(&place).is_err());
    assert!(live.reload(&place).is_err());
    write(&world.context.root().join("none/.agents/skills/a/SKILL.md"), "a", "First");
    assert_eq!(live.snapshot(&place).unwrap().catalog.skills.len(), 1);
}
