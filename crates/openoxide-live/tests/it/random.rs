//! After any edits the live catalog is what a fresh search finds.

use std::os::unix::fs::symlink;
use std::path::Path;

use openoxide_live::Live;
use openoxide_testkit::TestContext;
use proptest::prelude::*;
use proptest::sample::select;

use crate::world::{World, environment, quick, until};

const PLACES: &[&str] = &["a", "b", "group/c", "group/deep/d", "b/agents"];
const TEXTS: &[&str] = &[
    "---\nname: a\ndescription: A\n---\nDo it.\n",
    "---\nname: b\ndescription: B\n---\n",
    "---\nname: [\n---\n",
    "interface:\n  display_name: Shown\n",
];

#[derive(Clone, Debug)]
enum Edit {
    Write(&'static str, &'static str, &'static str),
    Remove(&'static str),
    Rename(&'static str, &'static str),
    Link(&'static str, &'static str),
}

fn edit() -> impl Strategy<Value = Edit> {
    let place = || select(PLACES);
    prop_oneof![
        4 => (place(), select(&["SKILL.md", "SKILL.md", "openai.yaml"][..]), select(TEXTS))
            .prop_map(|(place, file, text)| Edit::Write(place, file, text)),
        1 => place().prop_map(Edit::Remove),
        1 => (place(), place()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => (place(), place()).prop_map(|(at, to)| Edit::Link(at, to)),
    ]
}

fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|stat| stat.is_dir());
    drop(if is_folder { fs_err::remove_dir_all(path) } else { fs_err::remove_file(path) });
}

/// Does an edit; one that cannot be done is none.
fn apply(root: &Path, edit: &Edit) {
    let make = |path: &Path| drop(fs_err::create_dir_all(path));
    match edit {
        Edit::Write(place, file, text) => {
            make(&root.join(place));
            drop(fs_err::write(root.join(place).join(file), text));
        }
        Edit::Remove(place) => remove(&root.join(place)),
        Edit::Rename(from, to) => {
            make(root.join(to).parent().unwrap());
            drop(fs_err::rename(root.join(from), root.join(to)));
        }
        Edit::Link(at, to) => {
            make(root.join(at).parent().unwrap());
            remove(&root.join(at));
            drop(symlink(root.join(to), root.join(at)));
        }
    }
}

/// Everything that a catalog says, as a search that remembers nothing finds it.
fn fresh(context: &TestContext, world: &World) -> String {
    let live = Live::new(environment(context), quick());
    format!("{:#?}", live.snapshot(&world.place()).unwrap().catalog)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_edits(rounds in proptest::collection::vec(proptest::collection::vec(edit(), 1..6), 1..4)) {
        let world = World::new();
        world.settled();
        for edits in rounds {
            for edit in &edits {
                apply(&world.skills(), edit);
            }
            let wanted = fresh(&world.context, &world);
            let shown = || format!("{:#?}", world.state().catalog);
            until("what is there", || shown() == wanted, || format!("{}\nwanted {wanted}\nafter {edits:?}", shown()));
        }
    }
}
