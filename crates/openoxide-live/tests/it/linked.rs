//! Plugin manifests that are links, lie behind links, or above what links lead to.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

use openoxide_live::Place;

use crate::world::{World, until, write};

/// A host whose skills take their prefix from manifests at and above them.
fn place(world: &World) -> Place {
    Place { host: Some("codex".to_owned()), ..world.place() }
}

fn is_called(world: &World, name: &str) {
    let names = || -> Vec<String> {
        let state = world.live.snapshot(&place(world)).unwrap();
        state.catalog.skills.iter().map(|entry| entry.skill.name.to_string()).collect()
    };
    until(name, || names() == [name], || format!("{:?}", names()));
}

/// Asks for the place, and waits until it is watched.
fn settled(world: &World, name: &str) {
    is_called(world, name);
    until("watched", || world.live.watched() > 0, String::new);
    world.rest();
}

fn manifest(file: PathBuf, name: &str) {
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    fs_err::write(file, format!("{{\"name\":\"{name}\"}}")).unwrap();
}

#[test]
fn above_what_a_link_leads_to() {
    let world = World::new();
    let plugin = world.context.project().join("plugin");
    write(&plugin.join("skills/a/SKILL.md"), "a", "Linked");
    fs_err::create_dir_all(world.skills()).unwrap();
    symlink(plugin.join("skills/a"), world.skills().join("a")).unwrap();
    settled(&world, "a");
    manifest(plugin.join(".claude-plugin/plugin.json"), "one");
    is_called(&world, "one:a");
    world.rest();
    manifest(plugin.join(".claude-plugin/plugin.json"), "two");
    is_called(&world, "two:a");
    fs_err::remove_dir_all(plugin.join(".claude-plugin")).unwrap();
    is_called(&world, "a");
}

#[test]
fn at_the_end_of_a_link() {
    let world = World::new();
    world.write("a", "Own");
    let (file, link) = (world.context.project().join("far.json"), world.skills().join("a/.claude-plugin/plugin.json"));
    fs_err::create_dir_all(link.parent().unwrap()).unwrap();
    symlink(&file, &link).unwrap();
    settled(&world, "a");
    for name in ["one", "two"] {
        manifest(file.clone(), name);
        is_called(&world, &format!("{name}:a"));
        world.rest();
    }
    fs_err::remove_file(&file).unwrap();
    is_called(&world, "a");
}

#[test]
fn in_a_folder_that_a_link_led_to_in_vain() {
    let world = World::new();
    world.write("a", "Own");
    let far = world.context.project().join("far");
    symlink(&far, world.skills().join("a/.claude-plugin")).unwrap();
    settled(&world, "a");
    for name in ["one", "two"] {
        manifest(far.join("plugin.json"), name);
        is_called(&world, &format!("{name}:a"));
        world.rest();
    }
    fs_err::remove_dir_all(&far).unwrap();
    is_called(&world, "a");
}
