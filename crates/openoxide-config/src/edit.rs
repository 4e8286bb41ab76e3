//! Edits to `config.toml` that keep comments, order and formatting.

use std::fs::{File, TryLockError};
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::fs::{Mode, OFlags};
use rustix::io::Errno;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, value};

use crate::document::split_key;
use crate::switch::Whose;

/// How long to wait for another process; a change takes milliseconds.
const PATIENCE: Duration = Duration::from_secs(10);

/// Most bytes of a file that is changed.
const LARGEST: u64 = 1024 * 1024;

/// Held by whoever changes a file.
static TURN: Mutex<()> = Mutex::new(());

/// Why a file cannot be edited.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] std::io::Error),
    /// It is not TOML, so that an edit could lose something.
    #[error("`{}` is not valid TOML, so it is left as it is", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        #[source]
        source: Box<toml_edit::TomlError>,
    },
    /// It is a link, no file, or too large: a project could aim it anywhere.
    #[error("`{}` is left as it is: {why}", path.display())]
    Odd {
        /// The file.
        path: PathBuf,
        /// What is odd about it, and the next step.
        why: &'static str,
    },
    /// A key stands where a table is needed.
    #[error("`{key}` cannot be set, because `{part}` is not a table in `{}`", path.display())]
    NotTable {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
        /// The part of it that is something else.
        part: String,
    },
    /// Another process is changing it.
    #[error("`{}` is being changed by another process", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// A server that would not count.
    #[error("the server `{name}` cannot be added: {message}")]
    BadServer {
        /// Its name.
        name: String,
        /// What is wrong with it.
        message: String,
    },
    /// Something else stands where a list is needed.
    #[error("`{key}` is not a list in `{}`", path.display())]
    NotList {
        /// The file.
        path: PathBuf,
        /// The key.
        key: String,
    },
}

/// A file of settings, and whose it is.
///
/// That of a project came with the project: it is not followed where it leads elsewhere. The user's may be a link.
#[derive(Clone, Copy, Debug)]
pub struct SettingsFile<'p> {
    /// Where it is.
    pub path: &'p Path,
    /// Whose it is.
    pub whose: Whose,
}

impl SettingsFile<'_> {
    fn links(self) -> OFlags {
        match self.whose {
            Whose::User => OFlags::empty(),
            Whose::Project => OFlags::NOFOLLOW,
        }
    }
}

impl<'p> From<&'p Path> for SettingsFile<'p> {
    fn from(path: &'p Path) -> SettingsFile<'p> {
        SettingsFile { path, whose: Whose::User }
    }
}

impl<'p> From<&'p PathBuf> for SettingsFile<'p> {
    fn from(path: &'p PathBuf) -> SettingsFile<'p> {
        SettingsFile::from(path.as_path())
    }
}

/// Sets a dotted key; returns whether the file changed.
pub fn set_value<'p>(file: impl Into<SettingsFile<'p>>, key: &str, new: toml_edit::Value) -> Result<bool, EditError> {
    let file = file.into();
    let path = file.path;
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let table = table_at(document, outer, path, key)?;
        match table.get_mut(last) {
            // Keep what stands around the old value, such as a comment behind it.
            Some(Item::Value(old)) => {
                let decor = old.decor().clone();
                *old = new;
                *old.decor_mut() = decor;
            }
            _ => drop(table.insert(last, Item::Value(new))),
        }
        Ok(())
    })
}

/// Returns the table that a key is in; tables that are not there are made.
pub(crate) fn table_at<'d>(
    document: &'d mut DocumentMut,
    outer: &[String],
    path: &Path,
    key: &str,
) -> Result<&'d mut Table, EditError> {
    let mut table = document.as_table_mut();
    for part in outer {
        let item = table.entry(part).or_insert_with(|| {
            let mut inner = Table::new();
            inner.set_implicit(true);
            Item::Table(inner)
        });
        table = item.as_table_mut().ok_or_else(|| EditError::NotTable {
            path: path.to_owned(),
            key: key.to_owned(),
            part: part.clone(),
        })?;
    }
    Ok(table)
}

/// Adds a text to the list at a dotted key, made if it is not there; returns whether the file changed.
pub fn add_to_list<'p>(file: impl Into<SettingsFile<'p>>, key: &str, text: &str) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.push(text))
}

/// Removes the texts that `is_it` means from the list at a dotted key; returns whether the file changed.
pub fn remove_from_list<'p>(
    file: impl Into<SettingsFile<'p>>,
    key: &str,
    is_it: impl Fn(&str) -> bool,
) -> Result<bool, EditError> {
    edit_list(file.into(), key, |list| list.retain(|item| !item.as_str().is_some_and(&is_it)))
}

fn edit_list(file: SettingsFile<'_>, key: &str, change: impl FnOnce(&mut toml_edit::Array)) -> Result<bool, EditError> {
    let path = file.path;
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let item = table_at(document, outer, path, key)?.entry(last).or_insert_with(|| value(toml_edit::Array::new()));
        let list =
            item.as_array_mut().ok_or_else(|| EditError::NotList { path: path.to_owned(), key: key.to_owned() })?;
        change(list);
        Ok(())
    })
}

/// Removes a dotted key; returns whether the file changed.
pub fn unset_value<'p>(file: impl Into<SettingsFile<'p>>, key: &str) -> Result<bool, EditError> {
    let file = file.into();
    edit(file, |document| {
        let parts = split_key(key);
        let Some((last, outer)) = parts.split_last() else { return Ok(()) };
        let mut table = document.as_table_mut();
        for part in outer {
            match table.get_mut(part).and_then(Item::as_table_mut) {
                Some(inner) => table = inner,
                None => return Ok(()),
            }
        }
        table.remove(last);
        Ok(())
    })
}

/// Switches a skill on or off by `name` or `path` under `[[skills.config]]`; returns whether the file changed.
///
/// A rule for the same skill is changed in place, unless a later rule would undo it.
pub fn add_skill_rule<'p>(
    file: impl Into<SettingsFile<'p>>,
    selector: &str,
    wanted: &str,
    enabled: bool,
) -> Result<bool, EditError> {
    let file = file.into();
    let path = file.path;
    edit(file, |document| {
        let skills = document.entry("skills").or_insert_with(|| {
            let mut table = Table::new();
            table.set_implicit(true);
            Item::Table(table)
        });
        let not_table = || EditError::NotTable {
            path: path.to_owned(),
            key: "skills.config".to_owned(),
            part: "skills".to_owned(),
        };
        let table = skills.as_table_mut().ok_or_else(not_table)?;
        let rules = table.entry("config").or_insert_with(|| Item::ArrayOfTables(ArrayOfTables::new()));
        match rules {
            Item::ArrayOfTables(rules) => put_last(rules, selector, wanted, enabled),
            Item::Value(toml_edit::Value::Array(rules)) => put_last_inline(rules, selector, wanted, enabled),
            _ => return Err(not_table()),
        }
        Ok(())
    })
}

/// Makes the rule for a skill the last one, with the comments it had.
fn put_last(rules: &mut ArrayOfTables, selector: &str, wanted: &str, enabled: bool) {
    let is_it = |rule: &Table| rule.get(selector).and_then(Item::as_str) == Some(wanted);
    let last = rules.len().checked_sub(1);
    if last.and_then(|last| rules.get(last)).is_some_and(is_it) {
        if let Some(rule) = last.and_then(|last| rules.get_mut(last)) {
            set_kept(rule, enabled);
        }
        return;
    }
    let kept = rules.iter().find(|rule| is_it(rule)).cloned();
    rules.retain(|rule| !is_it(rule));
    let mut rule = kept.unwrap_or_else(|| {
        let mut rule = Table::new();
        rule.insert(selector, value(wanted));
        rule
    });
    rule.set_position(None);
    set_kept(&mut rule, enabled);
    rules.push(rule);
}

/// Sets `enabled` and keeps what stands around it.
fn set_kept(rule: &mut Table, enabled: bool) {
    match rule.get_mut("enabled") {
        Some(Item::Value(old)) => {
            let decor = old.decor().clone();
            *old = enabled.into();
            *old.decor_mut() = decor;
        }
        _ => drop(rule.insert("enabled", value(enabled))),
    }
}

fn put_last_inline(rules: &mut toml_edit::Array, selector: &str, wanted: &str, enabled: bool) {
    rules.retain(|rule| rule.as_inline_table().and_then(|rule| rule.get(selector)?.as_str()) != Some(wanted));
    let mut rule = toml_edit::InlineTable::new();
    rule.insert(selector, wanted.into());
    rule.insert("enabled", enabled.into());
    rules.push(rule);
}

pub(crate) fn edit<'p>(
    file: impl Into<SettingsFile<'p>>,
    change: impl FnOnce(&mut DocumentMut) -> Result<(), EditError>,
) -> Result<bool, EditError> {
    // One change begins with what another one wrote, in this process and beside it.
    let _turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    let file = file.into();
    let path = file.path;
    let _lock = lock(file)?;
    let before = read(file)?;
    let parsed = before.parse::<DocumentMut>();
    let mut document =
        parsed.map_err(|source| EditError::Invalid { path: path.to_owned(), source: Box::new(source) })?;
    change(&mut document)?;
    let after = document.to_string();
    if after == before {
        return Ok(false);
    }
    match file.whose {
        Whose::User => write_whole(path, &after)?,
        Whose::Project => write_at(path, &after)?,
    }
    Ok(true)
}

/// Reads a file to be changed; empty if it is not there.
///
/// Settings of a project come with it. They are not followed where they lead elsewhere, not waited for, and not read
/// without end. Those of the user are the user's, who may keep them behind a link.
fn read(file: SettingsFile<'_>) -> Result<String, EditError> {
    let path = file.path;
    let odd = |why| EditError::Odd { path: path.to_owned(), why };
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::NONBLOCK | file.links();
    let file = match rustix::fs::open(path, flags, Mode::empty()) {
        Ok(file) => File::from(file),
        Err(Errno::NOENT) => return Ok(String::new()),
        Err(Errno::LOOP) => return Err(odd("it is a link; replace the link by a file of its own")),
        Err(error) => return Err(named(path, &error.into()).into()),
    };
    let stat = file.metadata().map_err(|error| named(path, &error))?;
    if !stat.is_file() {
        return Err(odd("it is no regular file; remove it, and a new one is written"));
    }
    let mut text = String::new();
    let read = file.take(LARGEST + 1).read_to_string(&mut text).map_err(|error| named(path, &error))?;
    if u64::try_from(read).unwrap_or(u64::MAX) > LARGEST {
        return Err(odd("it is larger than 1 MiB; make it smaller by hand"));
    }
    Ok(text)
}

fn named(path: &Path, error: &std::io::Error) -> std::io::Error {
    std::io::Error::new(error.kind(), format!("failed to read `{}`: {error}", path.display()))
}

/// Waits until no other process changes a file of the same folder; nothing to wait for if there is no folder yet.
fn lock(file: SettingsFile<'_>) -> Result<Option<File>, EditError> {
    let path = file.path;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let flags = OFlags::RDONLY | OFlags::CLOEXEC | OFlags::DIRECTORY | file.links();
    let folder = match rustix::fs::open(folder, flags, Mode::empty()) {
        Ok(folder) => File::from(folder),
        Err(Errno::NOENT) => return Ok(None),
        Err(Errno::LOOP | Errno::NOTDIR) => {
            return Err(EditError::Odd {
                path: path.to_owned(),
                why: "what it is in is no folder, or a link; replace that by a folder of its own",
            });
        }
        Err(error) => return Err(named(folder, &error.into()).into()),
    };
    let start = Instant::now();
    loop {
        match folder.try_lock() {
            Ok(()) => return Ok(Some(folder)),
            Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                std::thread::sleep(Duration::from_millis(5));
            }
            Err(TryLockError::WouldBlock) => return Err(EditError::Busy { path: path.to_owned() }),
            // A filesystem without locks: the turn within this process is what there is.
            Err(TryLockError::Error(_)) => return Ok(None),
        }
    }
}

/// Writes a file so that a reader sees the old text or the new, never a part.
pub(crate) fn write_whole(path: &Path, text: &str) -> std::io::Result<()> {
    // A link stays a link: the file that it leads to is replaced.
    write_at(&std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned()), text)
}

fn write_at(target: &Path, text: &str) -> std::io::Result<()> {
    let folder = target.parent().unwrap_or(Path::new("."));
    fs_err::create_dir_all(folder)?;
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    std::io::Write::write_all(&mut file, text.as_bytes())?;
    if let Some(stat) = std::fs::symlink_metadata(target).ok().filter(std::fs::Metadata::is_file) {
        file.as_file().set_permissions(stat.permissions())?;
    } else {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(target).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let (_, after) = edited(before, |path| unset_value(path, "skills.claude").unwrap());
        assert_eq!(after, before.replace("claude = true\n", ""));
    }

    #[test]
    fn a_rule_is_added_once_and_last() {
        let before = "# keep\n[[skills.config]]\nname = \"a\" # note\nenabled = false\n";
        let (_, after) = edited(before, |path| {
            add_skill_rule(path, "name", "b", false).unwrap() && add_skill_rule(path, "name", "b", true).unwrap()
        });
        assert_eq!(after, format!("{before}\n[[skills.config]]\nname = \"b\"\nenabled = true\n"));
    }

    #[test]
    fn a_list_keeps_what_else_is_in_it() {
        let before = "[trust]\nfolders = [\n  \"~/a\", # mine\n  7,\n]\n";
        let (changed, after) = edited(before, |path| add_to_list(path, "trust.folders", "/b").unwrap());
        assert!(changed && after.contains("\"~/a\", # mine\n  7") && after.contains("\"/b\""), "{after}");
        let (_, after) = edited(&after, |path| remove_from_list(path, "trust.folders", |text| text == "/b").unwrap());
        assert!(after.contains("\"~/a\", # mine\n  7") && !after.contains("/b"), "{after}");
        let (_, after) = edited("", |path| add_to_list(path, "trust.folders", "/b").unwrap());
        assert_eq!(after, "[trust]\nfolders = [\"/b\"]\n");
        let (changed, after) = edited("", |path| {
            matches!(set_value(path, "trust.folders", 1.into()), Ok(true))
                && matches!(add_to_list(path, "trust.folders", "/b"), Err(EditError::NotList { .. }))
        });
        assert_eq!((changed, after.as_str()), (true, "[trust]\nfolders = 1\n"));
    }

    #[test]
    fn a_projects_file_is_not_followed_waited_for_or_read_without_end() {
        use std::os::unix::fs::symlink;
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join(".openoxide");
        fs_err::create_dir(&folder).unwrap();
        let (path, other) = (folder.join("config.toml"), dir.path().join("other"));
        fs_err::write(&other, "").unwrap();
        let set = |path: &Path, whose| set_value(SettingsFile { path, whose }, "host", "x".into());
        let why = |path: &Path| match set(path, Whose::Project) {
            Err(EditError::Odd { why, .. }) => why,
            other => panic!("{other:?}"),
        };
        symlink(&other, &path).unwrap();
        assert!(why(&path).contains("it is a link; replace"));
        assert_eq!(fs_err::read_to_string(&other).unwrap(), "");
        assert!(set(&path, Whose::User).unwrap(), "the user's own may be a link");
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
        assert!(set(&path, Whose::Project).unwrap());
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "host = \"x\"\n");
    }

    #[test]
    fn a_broken_file_is_left_alone() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("config.toml");
        fs_err::write(&path, "host = [").unwrap();
        assert!(matches!(set_value(&path, "host", "x".into()), Err(EditError::Invalid { .. })));
        assert_eq!(fs_err::read_to_string(&path).unwrap(), "host = [");
    }
}
