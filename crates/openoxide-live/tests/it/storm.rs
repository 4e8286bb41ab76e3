//! Storms: many changes at once cost few looks, and what is there at the end counts.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use openoxide_live::LiveOptions;

use crate::world::{World, quick, text};

#[test]
fn many_touches_are_few_looks() {
    let pause = Duration::from_millis(500);
    let world = World::with(LiveOptions { min_interval: pause, ..quick() });
    for number in 0..100 {
        world.write(&format!("skill-{number:03}"), "0");
    }
    world.settled();
    let looks = Arc::new(AtomicUsize::new(0));
    let own = Arc::clone(&looks);
    let _subscription = world.live.subscribe(move |_| {
        own.fetch_add(1, Ordering::Relaxed);
    });
    let start = Instant::now();
    for round in 1..=100 {
        for number in 0..100 {
            let name = format!("skill-{number:03}");
            fs_err::write(world.file(&name), text(&name, &round.to_string())).unwrap();
        }
    }
    let wanted: Vec<String> = (0..100).map(|number| format!("skill-{number:03}: 100")).collect();
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    world.shows(&wanted);
    world.rest();
    // A slow machine takes longer and may refresh more often.
    let most = start.elapsed().as_millis() / pause.as_millis() + 2;
    let looks = looks.load(Ordering::Relaxed);
    assert!(looks >= 1 && looks as u128 <= most, "{looks} changes were told in {:?}", start.elapsed());
}

#[test]
fn a_storm_does_not_put_off_the_news_for_ever() {
    let world = World::new();
    world.write("a", "First");
    world.write("busy", "0");
    let first = world.settled().version;
    world.write("a", "Second");
    // Never quiet for as long as it takes to be believed quiet.
    let start = Instant::now();
    let mut round = 0;
    while world.listed()[0] != "a: Second" {
        round += 1;
        fs_err::write(world.skills().join("busy/notes.txt"), round.to_string()).unwrap();
        std::thread::sleep(Duration::from_millis(2));
        assert!(start.elapsed() < Duration::from_mins(1), "it is never told");
    }
    assert!(world.state().version > first);
}

#[test]
fn a_build_in_the_root_changes_nothing() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let version = world.state().version;
    for number in 0..200 {
        let folder = world.skills().join(format!("a/target/part-{number}"));
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(folder.join("out.o"), "object").unwrap();
    }
    fs_err::remove_dir_all(world.skills().join("a/target")).unwrap();
    world.rest();
    world.write("b", "New");
    world.shows(&["a: First", "b: New"]);
    assert_eq!(world.state().version, version + 1, "only the new skill was news");
}
