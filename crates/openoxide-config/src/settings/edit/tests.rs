//! Edits to whole files, before and after.

use std::path::Path;

use rustix::fs::Mode;

use super::table::{set_key, unset_key};
use super::*;

fn set_value(path: &Path, key: &str, new: toml_edit::Value) -> Result<bool, EditError> {
    set_value_of(path, SettingsOwner::User, key, new)
}

fn set_value_of(path: &Path, owner: SettingsOwner, key: &str, new: toml_edit::Value) -> Result<bool, EditError> {
    edit(path, owner, |document| set_key(document, path, key, new).map(drop))
}

fn edited(before: &str, change: impl FnOnce(&Path) -> bool) -> (bool, String) {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    fs_err::write(&path, before).unwrap();
    (change(&path), fs_err::read_to_string(&path).unwrap())
}

#[test]
fn comments_and_order_stay() {
    let before = "# top\nhost = \"codex\" # why\n\n[skills]\n# more\npaths = []\nclaude = true\n";
    let (changed, after) = edited(before, |path| set_value(path, "host", "openoxide".into()).unwrap());
    assert!(changed);
    assert_eq!(after, before.replace("\"codex\"", "\"openoxide\""));
    let (changed, after) = edited(before, |path| set_value(path, "host", "codex".into()).unwrap());
    assert_eq!((changed, after.as_str()), (false, before));
    let (_, after) = edited(before, |path| {
        edit(path, SettingsOwner::User, |document| {
            unset_key(document, "skills.claude");
            Ok::<(), EditError>(())
        })
        .unwrap()
    });
    assert_eq!(after, before.replace("claude = true\n", ""));
}

#[test]
fn a_list_keeps_what_else_is_in_it() {
    let before = "[trust]\nfolders = [\n  \"~/a\", # mine\n  7,\n  \"/b\",\n]\n";
    let without = |path: &Path| remove_from_list(path, "trust.folders", |text| text == "/b");
    let (changed, after) = edited(before, |path| without(path).unwrap());
    assert!(changed && after.contains("\"~/a\", # mine\n  7") && !after.contains("/b"), "{after}");
    let (changed, after) = edited("# none\n", |path| without(path).unwrap());
    assert_eq!((changed, after.as_str()), (false, "# none\n"));
    let (changed, after) = edited("", |path| {
        matches!(set_value(path, "trust.folders", 1.into()), Ok(true))
            && matches!(without(path), Err(EditError::NotList { .. }))
    });
    assert_eq!((changed, after.as_str()), (true, "[trust]\nfolders = 1\n"));
}

#[test]
fn a_projects_file_is_not_followed_waited_for_or_read_without_end() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap();
    let folder = root.join(".openoxide");
    fs_err::create_dir(&folder).unwrap();
    let (path, other) = (folder.join("config.toml"), root.join("other"));
    fs_err::write(&other, "").unwrap();
    let set = |path: &Path, owner| set_value_of(path, owner, "host", "x".into());
    let why = |path: &Path| match set(path, SettingsOwner::Project) {
        Err(EditError::Odd { why, .. }) => why,
        other => panic!("{other:?}"),
    };
    symlink(&other, &path).unwrap();
    assert!(why(&path).contains("it is a link; replace"));
    assert_eq!(fs_err::read_to_string(&other).unwrap(), "");
    assert!(set(&path, SettingsOwner::User).unwrap(), "the user's own may be a link");
    assert!(path.is_symlink() && !fs_err::read_to_string(&other).unwrap().is_empty());
    fs_err::remove_file(&path).unwrap();
    rustix::fs::mkfifoat(rustix::fs::CWD, &path, Mode::RUSR | Mode::WUSR).unwrap();
    assert!(why(&path).contains("no regular file"));
    fs_err::remove_file(&path).unwrap();
    fs_err::write(&path, "#".repeat(1024 * 1024 + 1)).unwrap();
    assert!(why(&path).contains("larger than 1 MiB"));
    let linked = dir.path().join("linked");
    symlink(&folder, &linked).unwrap();
    assert!(why(&linked.join("config.toml")).contains("a folder of its own"));
    fs_err::remove_file(&path).unwrap();
    assert!(set(&path, SettingsOwner::Project).unwrap());
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "host = \"x\"\n");
}

/// Whoever owns a project can exchange its folders at any moment; here at the worst one, between reading and writing.
#[test]
fn an_exchange_of_folders_leads_no_write_elsewhere() {
    use std::os::unix::fs::symlink;
    for exchanged in ["project/.openoxide", "project"] {
        let dir = tempfile::tempdir().unwrap();
        let root = fs_err::canonicalize(dir.path()).unwrap();
        let (users, theirs) = ("# the user's own\n", "host = \"theirs\"\n");
        for (folder, text) in [("home/.openoxide", users), ("project/.openoxide", theirs)] {
            fs_err::create_dir_all(root.join(folder)).unwrap();
            fs_err::write(root.join(folder).join("config.toml"), text).unwrap();
        }
        let path = root.join("project/.openoxide/config.toml");
        let to = if exchanged == "project" { "home" } else { "home/.openoxide" };
        let changed = edit::<EditError>(&path, SettingsOwner::Project, |document| {
            fs_err::rename(root.join(exchanged), root.join("aside")).unwrap();
            symlink(root.join(to), root.join(exchanged)).unwrap();
            document["host"] = toml_edit::value("ours");
            Ok(())
        });
        assert!(matches!(changed, Ok(true)), "{changed:?}");
        let read = |path: &str| fs_err::read_to_string(root.join(path)).unwrap();
        assert_eq!(read("home/.openoxide/config.toml"), users, "{exchanged}");
        assert_eq!(fs_err::read_dir(root.join("home/.openoxide")).unwrap().count(), 1);
        let written = if exchanged == "project" { "aside/.openoxide/config.toml" } else { "aside/config.toml" };
        assert_eq!(read(written), "host = \"ours\"\n");
        // Now that it is a link, it is refused before anything is read.
        let again = set_value_of(&path, SettingsOwner::Project, "host", "x".into());
        assert!(matches!(again, Err(EditError::Odd { .. })), "{again:?}");
        assert_eq!(read("home/.openoxide/config.toml"), users);
    }
}

#[test]
fn the_users_folder_may_be_a_link_and_must_be_the_users() {
    use std::os::unix::fs::symlink;
    let dir = tempfile::tempdir().unwrap();
    let root = fs_err::canonicalize(dir.path()).unwrap();
    fs_err::create_dir_all(root.join("dotfiles/openoxide")).unwrap();
    symlink("dotfiles/openoxide", root.join(".openoxide")).unwrap();
    let path = root.join(".openoxide/config.toml");
    assert!(set_value(&path, "host", "x".into()).unwrap());
    assert_eq!(fs_err::read_to_string(root.join("dotfiles/openoxide/config.toml")).unwrap(), "host = \"x\"\n");
    assert!(root.join(".openoxide").is_symlink());
    if rustix::process::geteuid().is_root() {
        let nobody = Some(rustix::fs::Uid::from_raw(65534));
        rustix::fs::chown(root.join("dotfiles/openoxide"), nobody, None).unwrap();
        let refused = set_value(&path, "host", "y".into()).unwrap_err();
        assert!(refused.to_string().contains("belongs to another user"), "{refused}");
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "host = \"x\"\n");
    }
}

#[test]
fn a_broken_file_is_left_alone() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("config.toml");
    fs_err::write(&path, "host = [").unwrap();
    assert!(matches!(set_value(&path, "host", "x".into()), Err(EditError::Invalid { .. })));
    assert_eq!(fs_err::read_to_string(&path).unwrap(), "host = [");
}
