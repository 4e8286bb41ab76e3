//! Whatever happens to skills, the state is soon right.

use std::path::Path;

use crate::world::{World, text, until, write};

#[test]
fn created_edited_and_deleted() {
    let world = World::new();
    world.write("a", "First");
    world.shows(&["a: First"]);
    world.settled();
    world.write("b", "New");
    world.shows(&["a: First", "b: New"]);
    world.write("b", "Edited");
    world.shows(&["a: First", "b: Edited"]);
    fs_err::remove_dir_all(world.skills().join("a")).unwrap();
    world.shows(&["b: Edited"]);
    world.write("a", "Back");
    world.shows(&["a: Back", "b: Edited"]);
    world.write("a", "Back and edited");
    world.shows(&["a: Back and edited", "b: Edited"]);
}

#[test]
fn a_nested_folder_that_comes_is_watched_too() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    write(&world.skills().join("group/inner/SKILL.md"), "inner", "Deep");
    world.shows(&["a: First", "inner: Deep"]);
    world.rest();
    write(&world.skills().join("group/inner/SKILL.md"), "inner", "Deep and edited");
    world.shows(&["a: First", "inner: Deep and edited"]);
    fs_err::rename(world.skills().join("group"), world.skills().join("other")).unwrap();
    world.rest();
    write(&world.skills().join("other/inner/SKILL.md"), "inner", "Moved and edited");
    world.shows(&["a: First", "inner: Moved and edited"]);
}

#[test]
fn what_lies_beside_a_skill_counts() {
    let world = World::new();
    world.write("a", "First");
    world.settled();
    let shown = || {
        let state = world.state();
        let interface = state.catalog.skills[0].skill.interface.as_ref();
        interface.and_then(|interface| interface.display_name.clone())
    };
    let host = world.state().view.host.sidecar.clone().unwrap();
    let file = world.skills().join("a").join(&host.files[0]);
    fs_err::create_dir_all(file.parent().unwrap()).unwrap();
    world.rest();
    for name in ["One", "Two"] {
        fs_err::write(&file, format!("interface:\n  display_name: {name}\n")).unwrap();
        until(name, || shown().as_deref() == Some(name), || format!("{:?}", shown()));
    }
    fs_err::remove_dir_all(file.parent().unwrap()).unwrap();
    until("gone", || shown().is_none(), || format!("{:?}", shown()));
}

/// Lays a tree of skills that a branch might hold.
fn branch(folder: &Path, from: usize, to: usize, word: &str) {
    for number in from..to {
        let name = format!("skill-{number:04}");
        write(&folder.join(&name).join("SKILL.md"), &name, word);
    }
}

/// As `git checkout` does it: some skills go, some come, the others get other words, one file after the other.
#[test]
fn a_branch_is_switched() {
    let world = World::new();
    branch(&world.skills(), 0, 5_000, "main");
    assert_eq!(world.settled().catalog.skills.len(), 5_000);
    let folder = world.skills();
    for number in 0..5_000 {
        let name = format!("skill-{number:04}");
        let file = folder.join(&name).join("SKILL.md");
        fs_err::remove_file(&file).unwrap();
        match number {
            0..300 => fs_err::remove_dir(file.parent().unwrap()).unwrap(),
            _ => fs_err::write(&file, text(&name, "topic")).unwrap(),
        }
    }
    branch(&folder, 5_000, 5_300, "topic");
    let wanted: Vec<String> = (300..5_300).map(|number| format!("skill-{number:04}: topic")).collect();
    until("the other branch", || world.listed() == wanted, || format!("{} skills", world.listed().len()));
}

/// As worktrees are swapped: the whole folder is another one, with the same names in it.
#[test]
fn a_tree_is_swapped_for_another() {
    let world = World::new();
    let other = world.context.project().join("other");
    branch(&world.skills(), 0, 100, "main");
    branch(&other, 50, 150, "topic");
    world.settled();
    let away = world.context.project().join("away");
    fs_err::rename(world.skills(), &away).unwrap();
    fs_err::rename(&other, world.skills()).unwrap();
    let wanted: Vec<String> = (50..150).map(|number| format!("skill-{number:04}: topic")).collect();
    until("the other tree", || world.listed() == wanted, || format!("{} skills", world.listed().len()));
    world.rest();
    world.write("skill-0060", "edited");
    // What went away is nobody's business any more.
    write(&away.join("skill-0061/SKILL.md"), "skill-0061", "elsewhere");
    let edited = || world.listed()[10] == "skill-0060: edited";
    until("edited", edited, || format!("{:?}", &world.listed()[8..14]));
    world.rest();
    assert_eq!(world.listed()[11], "skill-0061: topic");
}
