//! A memory makes what a search without one makes, whatever happened in between.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use openoxide_testkit::TestContext;
use proptest::prelude::*;
use proptest::sample::select;

use super::*;
use crate::catalog::load;
use crate::host::Hosts;
use crate::root::Surroundings;
use crate::settings::HostSettings;

/// Hosts that look at very different things.
const HOSTS: &[&str] = &["openoxide", "claude-code", "codex", "opencode", "gemini-cli", "omp", "vscode"];
const BASES: &[&str] =
    &["project/.agents/skills", "project/.claude/skills", "home/.agents/skills", "home/.claude/skills", "elsewhere"];
const FOLDERS: &[&str] =
    &["", "a", "b", "c", "a/x", "b/x", "a/x/y", ".hidden", "node_modules", "a/agents", "b/agents", "a/.claude-plugin"];
const FILES: &[&str] = &["SKILL.md", "SKILL.md", "SKILL.md", "skill.md", "openai.yaml", "plugin.json", "note.md"];
const TEXTS: &[&str] = &[
    "---\nname: a\ndescription: A\n---\nDo it.\n",
    "---\nname: a\ndescription: A\n---\nDo them.\n",
    "---\nname: b\ndescription: Longer\n---\n",
    "---\nname: [\n---\n",
    "",
    "interface:\n  display_name: Shown\n",
    "{\"name\": \"plug\"}",
    "{\"name\": ",
];

/// Something that happens to a tree.
#[derive(Clone, Debug)]
enum Edit {
    Write(String, &'static str),
    Folder(String),
    Remove(String),
    Rename(String, String),
    Link { at: String, to: String },
}

fn place() -> impl Strategy<Value = String> {
    (select(BASES), select(FOLDERS)).prop_map(|(base, folder)| format!("{base}/{folder}").trim_end_matches('/').into())
}

fn file() -> impl Strategy<Value = String> {
    (place(), select(FILES)).prop_map(|(place, file)| format!("{place}/{file}"))
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        8 => (file(), select(TEXTS)).prop_map(|(file, text)| Edit::Write(file, text)),
        1 => place().prop_map(Edit::Folder),
        2 => prop_oneof![place(), file()].prop_map(Edit::Remove),
        2 => (place(), place()).prop_map(|(from, to)| Edit::Rename(from, to)),
        1 => (file(), file()).prop_map(|(from, to)| Edit::Rename(from, to)),
        2 => (place(), place()).prop_map(|(at, to)| Edit::Link { at, to }),
        1 => (file(), file()).prop_map(|(at, to)| Edit::Link { at, to }),
    ]
}

/// Where an entry really is: its folder without links, and its name.
fn real(path: &Path) -> Option<PathBuf> {
    Some(fs_err::canonicalize(path.parent()?).ok()?.join(path.file_name()?))
}

/// Makes a folder and those above it; returns what is new.
fn make(path: &Path) -> Vec<PathBuf> {
    let missing = path.ancestors().take_while(|folder| folder.symlink_metadata().is_err()).last().and_then(real);
    match fs_err::create_dir_all(path) {
        Ok(()) => missing.into_iter().collect(),
        Err(_) => Vec::new(),
    }
}

fn remove(path: &Path) {
    let is_folder = path.symlink_metadata().is_ok_and(|stat| stat.is_dir());
    drop(if is_folder { fs_err::remove_dir_all(path) } else { fs_err::remove_file(path) });
}

/// Does an edit; returns what the system would tell of.
fn apply(root: &Path, edit: &Edit) -> Vec<PathBuf> {
    let whole = |path: &String| root.join(path);
    let mut touched = Vec::new();
    match edit {
        Edit::Write(file, text) => {
            let file = whole(file);
            touched.extend(make(file.parent().unwrap()));
            // A write through a link happens where the link leads.
            touched.extend(fs_err::canonicalize(&file).ok().or_else(|| real(&file)));
            drop(fs_err::write(&file, text));
            touched.extend(fs_err::canonicalize(&file).ok());
        }
        Edit::Folder(path) => touched.extend(make(&whole(path))),
        Edit::Remove(path) => {
            touched.extend(real(&whole(path)));
            remove(&whole(path));
        }
        Edit::Rename(from, to) => {
            touched.extend(make(whole(to).parent().unwrap()));
            touched.extend([real(&whole(from)), real(&whole(to))].into_iter().flatten());
            drop(fs_err::rename(whole(from), whole(to)));
        }
        Edit::Link { at, to } => {
            touched.extend(make(whole(at).parent().unwrap()));
            touched.extend(real(&whole(at)));
            remove(&whole(at));
            drop(symlink(whole(to), whole(at)));
        }
    }
    touched
}

fn views(context: &TestContext, hosts: &[&str], limits: Option<(usize, usize)>) -> Vec<View> {
    let around = Surroundings {
        cwd: context.project(),
        project: context.project(),
        home: Some(context.home()),
        ..Surroundings::default()
    };
    let around = Arc::new(around);
    let view = |name: &&str| {
        let spec = Hosts::builtin().get(name).unwrap();
        let mut view = View::new(spec, HostSettings::default(), Arc::clone(&around)).unwrap();
        for root in &mut view.roots {
            if let Some((folders, entries)) = limits {
                (root.scan.folders, root.scan.entries) = (folders, entries);
            }
        }
        view
    };
    hosts.iter().map(view).collect()
}

/// Everything a catalog says, but for the numbers that stand for bytes.
fn said(catalogs: Vec<Catalog>) -> Vec<String> {
    let plain = |mut catalog: Catalog| {
        for entry in catalog.skills.iter_mut().chain(&mut catalog.others) {
            entry.content = None;
        }
        format!("{catalog:#?}")
    };
    catalogs.into_iter().map(plain).collect()
}

/// Every group of views: each host alone, all of them, and with limits that are soon reached.
fn groups(context: &TestContext) -> Vec<(Vec<View>, Depth)> {
    let mut groups: Vec<(Vec<View>, Depth)> =
        HOSTS.iter().map(|host| (views(context, &[host], None), Depth::Quick)).collect();
    groups.push((views(context, HOSTS, None), Depth::Thorough));
    groups.push((views(context, &["codex"], Some((4, 100))), Depth::Quick));
    groups.push((views(context, &["claude-code"], Some((100, 5))), Depth::Quick));
    groups
}

/// A few in an ordinary run; `PROPTEST_CASES` asks for more.
fn cases() -> u32 {
    std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(10)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn looking_again_finds_what_a_search_finds(rounds in proptest::collection::vec(proptest::collection::vec(edit(), 1..5), 1..9)) {
        let context = TestContext::new();
        let groups = groups(&context);
        let mut memories: Vec<IncrementalLoader> = groups.iter().map(|_| IncrementalLoader::new(Duration::ZERO)).collect();
        for edits in rounds {
            let touched: Vec<PathBuf> = edits.iter().flat_map(|edit| apply(context.root(), edit)).collect();
            let touched = Changes::Paths(touched);
            for ((views, depth), memory) in groups.iter().zip(&mut memories) {
                let again = said(memory.load(views, *depth, &touched));
                let fresh = said(load(views, *depth));
                for (again, fresh) in again.iter().zip(&fresh) {
                    prop_assert_eq!(again, fresh, "{:?}", touched);
                }
            }
        }
    }
}
