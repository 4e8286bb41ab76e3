//! What a state is made from besides skills.

use std::sync::Arc;
use std::time::SystemTime;

use openoxide_config::{Timestamp, Trust};
use openoxide_live::Place;

use crate::world::{World, environment, listed, text, until, write};

#[test]
fn a_missing_root_appears_step_by_step() {
    let world = World::new();
    assert!(world.settled().catalog.skills.is_empty());
    let folder = world.context.project().join(".agents");
    fs_err::create_dir(&folder).unwrap();
    world.rest();
    fs_err::create_dir(folder.join("skills")).unwrap();
    world.rest();
    fs_err::create_dir(folder.join("skills/a")).unwrap();
    world.rest();
    fs_err::write(world.file("a"), text("a", "At last")).unwrap();
    world.shows(&["a: At last"]);
    // The user's own, all at once.
    write(&world.context.home().join(".agents/skills/mine/SKILL.md"), "mine", "User's");
    world.shows(&["a: At last", "mine: User's"]);
}

#[test]
fn the_users_settings_change() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Second");
    world.settled();
    let config = world.context.home().join(".openoxide/config.toml");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    fs_err::write(&config, "[permission.skill]\na = \"deny\"\n").unwrap();
    world.shows(&["b: Second"]);
    // Renamed over, as careful programs write.
    let beside = config.with_extension("new");
    fs_err::write(&beside, "host = \"claude-code\"\n").unwrap();
    fs_err::rename(&beside, &config).unwrap();
    until("the other host", || world.state().catalog.host == "claude-code", || world.state().catalog.host.clone());
    fs_err::remove_file(&config).unwrap();
    world.shows(&["a: First", "b: Second"]);
}

/// Otherwise every caller would read them again.
#[test]
fn settings_that_are_written_again_unchanged_are_read_once() {
    let world = World::new();
    world.write("a", "First");
    let config = world.context.home().join(".openoxide/config.toml");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    let write = || {
        // Another file, so that it differs also where times are coarse.
        let beside = config.with_extension("new");
        fs_err::write(&beside, "[permission.skill]\nb = \"deny\"\n").unwrap();
        fs_err::rename(&beside, &config).unwrap();
    };
    write();
    let first = world.settled();
    write();
    assert!(Arc::ptr_eq(&first, &world.state()), "nothing else is said");
    assert!(world.live.current(&world.place()).is_some_and(|current| Arc::ptr_eq(&first, &current)));
}

#[test]
fn a_file_above_the_project_makes_no_settings_old() {
    let world = World::new();
    world.write("a", "First");
    let first = world.settled();
    world.context.tree("//- .openoxide/config.toml\nhost = \"claude-code\"\n");
    assert!(world.live.current(&world.place()).is_some_and(|current| Arc::ptr_eq(&first, &current)));
    world.context.tree("//- project/.openoxide/config.toml\n[permission.skill]\na = \"deny\"\n");
    assert!(!world.live.current(&world.place()).is_some_and(|current| Arc::ptr_eq(&first, &current)), "its own does");
}

/// What happens while settings cannot be read counts when they can be.
#[test]
fn settings_that_cannot_be_read_hide_nothing_for_good() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let config = world.context.home().join(".openoxide/config.toml");
    fs_err::create_dir_all(config.parent().unwrap()).unwrap();
    world.rest();
    fs_err::write(&config, "host = \"nobody\"\n").unwrap();
    world.write("a", "Second");
    let known = || world.live.cached(&world.place());
    until("an error", || known().is_none(), String::new);
    world.rest();
    fs_err::remove_file(&config).unwrap();
    // Whoever asks has everything looked at, so nobody does.
    until("read", || known().is_some(), String::new);
    assert_eq!(listed(&known().unwrap()), ["a: Second"]);
}

/// A host that looks once ends the look that somebody asked for, also if a file was in doubt then.
#[test]
fn a_file_that_stays_bad_is_believed_where_a_host_looks_once() {
    let world = World::new();
    world.write("a", "First");
    world.write("b", "Stays");
    let place = Place { host: Some("opencode".to_owned()), ..world.place() };
    assert_eq!(listed(&world.live.snapshot(&place).unwrap()), ["a: First", "b: Stays"]);
    fs_err::write(world.file("a"), "Half").unwrap();
    assert_eq!(listed(&world.live.reload(&place).unwrap()).len(), 2, "it may be half written");
    let shown = || listed(&world.live.snapshot(&place).unwrap());
    until("believed", || shown() == ["b: Stays"], || format!("{:?}", shown()));
    world.write("c", "New");
    world.rest();
    assert_eq!(shown(), ["b: Stays"], "it is looked at no more");
}

#[test]
fn the_project_is_trusted() {
    let world = World::new();
    world.write("a", "First");
    world.context.tree("//- project/.openoxide/config.toml\nhost = \"claude-code\"\n");
    assert_eq!(world.settled().catalog.host, "openoxide");
    let mut trust = Trust::open(&environment(&world.context));
    trust.add_folder(&world.context.project(), Timestamp::from(SystemTime::now())).unwrap();
    until("trusted", || world.state().catalog.host == "claude-code", || world.state().catalog.host.clone());
}

#[test]
fn a_hosts_own_settings_change() {
    let world = World::new();
    write(&world.context.project().join(".claude/skills/a/SKILL.md"), "a", "First");
    let place = Place { host: Some("claude-code".to_owned()), ..world.place() };
    let shown = || world.live.snapshot(&place).unwrap().catalog.skills.iter().filter(|entry| entry.model).count();
    assert_eq!(shown(), 1);
    world.rest();
    world.context.tree("//- project/.claude/settings.json\n{\"skillOverrides\": {\"a\": \"off\"}}\n");
    until("switched off", || shown() == 0, || shown().to_string());
}

#[test]
fn a_host_is_added_and_changed() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let hosts = world.context.home().join(".openoxide/hosts");
    fs_err::create_dir_all(&hosts).unwrap();
    world.rest();
    let known = || world.state().workspace.config.problems.len();
    fs_err::create_dir(hosts.join("broken")).unwrap();
    fs_err::write(hosts.join("broken/host.toml"), "nonsense = 1\n").unwrap();
    until("reported", || known() == 1, || known().to_string());
    fs_err::remove_dir_all(hosts.join("broken")).unwrap();
    until("gone", || known() == 0, || known().to_string());
}

#[test]
fn the_project_begins_elsewhere() {
    let world = World::new();
    world.write("outer", "Of the project");
    let inner = world.context.project().join("inner");
    fs_err::create_dir_all(&inner).unwrap();
    let place = Place::of(&inner);
    let project = || world.live.snapshot(&place).unwrap().workspace.project.clone();
    assert_eq!(project(), world.context.project());
    world.rest();
    fs_err::create_dir(inner.join(".git")).unwrap();
    until("its own project", || project() == inner, || project().display().to_string());
}

#[test]
fn a_place_goes_and_comes_back() {
    let world = World::new();
    let folder = world.context.root().join("other");
    let file = folder.join(".agents/skills/a/SKILL.md");
    write(&file, "a", "First");
    let place = Place::of(&folder);
    let shown = || world.live.snapshot(&place).map(|state| crate::world::listed(&state));
    assert_eq!(shown().unwrap(), ["a: First"]);
    world.rest();
    fs_err::remove_dir_all(&folder).unwrap();
    until("an error", || shown().is_err(), || format!("{:?}", shown().ok()));
    write(&file, "a", "Second");
    until("back", || shown().is_ok_and(|shown| shown == ["a: Second"]), || format!("{:?}", shown().ok()));
}
