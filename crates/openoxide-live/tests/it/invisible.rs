//! Changes that a look at times and sizes would miss.

use std::time::{Duration, SystemTime};

use openoxide_live::LiveOptions;

use crate::world::{World, quick, text};

/// Sets a file's time of change as anyone may.
fn set_time(world: &World, time: SystemTime) {
    let file = fs_err::OpenOptions::new().write(true).open(world.file("a")).unwrap();
    file.file().set_modified(time).unwrap();
}

/// Both ways of noticing: told by the system, and by looking again and again.
fn worlds() -> [World; 2] {
    [World::new(), World::with(LiveOptions { max_watches: 0, ..quick() })]
}

#[test]
fn same_size_and_same_time() {
    for world in worlds() {
        world.write("a", "Word1");
        let time = fs_err::metadata(world.file("a")).unwrap().modified().unwrap();
        world.shows(&["a: Word1"]);
        world.rest();
        for word in ["a: Word2", "a: Word3"] {
            fs_err::write(world.file("a"), text("a", &word[3..])).unwrap();
            set_time(&world, time);
            world.shows(&[word]);
        }
    }
}

#[test]
fn the_clock_was_set_back() {
    for world in worlds() {
        world.write("a", "Word1");
        world.shows(&["a: Word1"]);
        world.rest();
        fs_err::write(world.file("a"), text("a", "Word2")).unwrap();
        set_time(&world, SystemTime::now() - Duration::from_hours(1));
        world.shows(&["a: Word2"]);
    }
}

#[test]
fn an_archive_keeps_the_time_of_what_it_unpacks() {
    for world in worlds() {
        world.write("a", "Word1");
        let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
        set_time(&world, old);
        world.shows(&["a: Word1"]);
        world.rest();
        // As `tar` does it: the old file goes, the new one gets the time that the archive says.
        fs_err::remove_file(world.file("a")).unwrap();
        fs_err::write(world.file("a"), text("a", "Word2")).unwrap();
        set_time(&world, old);
        world.shows(&["a: Word2"]);
    }
}
