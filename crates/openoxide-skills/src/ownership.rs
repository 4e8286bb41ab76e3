//! Decides whether a file that gives orders is obeyed: nobody but the user and root may have written it.
//!
//! The rule is that of ssh. The file and its folder belong to the user who runs this program, or to root, and nobody else
//! may write there. Folders above are checked up to home, because who can write to one of them can exchange what is in it;
//! in a folder with the sticky bit, such as `/tmp`, nobody can.

use std::fs::Metadata;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

pub use openoxide_ownership::{is_ours, is_sticky, others_write};
use openoxide_ownership::{is_unmapped, this_user};

use crate::text::{TerminalText, path_text};

/// Why a file is not obeyed, and the next step.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct ForeignWriter {
    /// Who else could have written it.
    pub message: String,
    /// The next step.
    pub help: String,
}

/// Checks an open file, its folder, and the folders above up to `home` where the file lies below that.
pub fn check_owner(path: &Path, opened: &Metadata, home: Option<&Path>) -> Result<(), ForeignWriter> {
    check_one(path, opened, "the file")?;
    check_folders(path, home)?;
    match std::fs::canonicalize(path) {
        // A link leads elsewhere: what it leads to has folders of its own.
        Ok(real) if real != path => check_folders(&real, home),
        _ => Ok(()),
    }
}

/// Checks the folder of a file, and the folders above up to `home` where the file lies below that.
pub fn check_folders(path: &Path, home: Option<&Path>) -> Result<(), ForeignWriter> {
    let home = home.filter(|home| path.starts_with(home));
    for folder in path.ancestors().skip(1).filter(|folder| !folder.as_os_str().is_empty()) {
        let Ok(stat) = std::fs::metadata(folder) else { return Ok(()) };
        check_one(folder, &stat, "the folder")?;
        if home.is_none_or(|home| folder == home) {
            break;
        }
    }
    Ok(())
}

/// Checks that a folder belongs to the user or to root, as does all that its path leads through, and that nobody else can
/// put another in its place. Others may write in it: what they make there is theirs.
pub fn check_place(folder: &Path) -> Result<(), ForeignWriter> {
    for path in folder.ancestors() {
        match std::fs::symlink_metadata(path) {
            Ok(stat) if stat.is_symlink() => check_belongs(path, &stat, "the link")?,
            Ok(stat) => check_belongs(path, &stat, "the folder")?,
            Err(_) => {}
        }
    }
    check_folders(folder, Some(Path::new("/")))
}

const LOOK: &str = "look through what is in it, then";

fn check_one(path: &Path, stat: &Metadata, what: &str) -> Result<(), ForeignWriter> {
    check_belongs(path, stat, what)?;
    if others_write(path, stat) && !is_sticky(stat) {
        let shown = TerminalText(&path_text(path)).to_string();
        let message = format!("other users may write to {what} `{shown}`, so it is ignored");
        return Err(ForeignWriter { message, help: format!("{LOOK}: chmod go-w {shown}") });
    }
    Ok(())
}

fn check_belongs(path: &Path, stat: &Metadata, what: &str) -> Result<(), ForeignWriter> {
    if is_ours(stat) {
        return Ok(());
    }
    let (user, shown) = (this_user(), TerminalText(&path_text(path)).to_string());
    if is_unmapped(stat.uid()) {
        let message = format!("in this user namespace nobody can tell whose {what} `{shown}` is, so it is ignored");
        let help = "run OpenOxide outside of the container or sandbox that it is in".to_owned();
        return Err(ForeignWriter { message, help });
    }
    let message = format!("{what} `{shown}` belongs to another user (uid {}), so it is ignored", stat.uid());
    Err(ForeignWriter { message, help: format!("{LOOK}: chown {user} {shown}") })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    fn mode(path: &Path, mode: u32) {
        fs_err::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    }

    fn check(path: &Path, home: &Path) -> Result<(), String> {
        check_owner(path, &fs_err::metadata(path).unwrap(), Some(home)).map_err(|error| error.help)
    }

    #[test]
    fn nobody_else_may_write_to_the_file_or_above_it() {
        let root = tempfile::tempdir().unwrap();
        let home = fs_err::canonicalize(root.path()).unwrap().join("home");
        let (folder, file) = (home.join("a/b"), home.join("a/b/config.toml"));
        fs_err::create_dir_all(&folder).unwrap();
        fs_err::write(&file, "").unwrap();
        for path in [&home, &home.join("a"), &folder, &file] {
            let before = fs_err::metadata(path).unwrap().mode();
            mode(path, before | 0o002);
            let step = check(&file, &home).unwrap_err();
            assert!(step.ends_with(&format!("chmod go-w {}", path.display())), "{step}");
            mode(path, before);
            assert_eq!(check(&file, &home), Ok(()));
        }
        mode(&home.join("a"), 0o1777);
        assert_eq!(check(&file, &home), Ok(()), "in a sticky folder nobody replaces the files of others");
        mode(root.path(), 0o777);
        assert_eq!(check(&file, &home), Ok(()), "what is above home is the system's");
    }

    #[test]
    fn a_private_group_may_write_and_another_may_not() {
        let root = tempfile::tempdir().unwrap();
        let file = root.path().join("config.toml");
        fs_err::write(&file, "").unwrap();
        mode(&file, 0o664);
        let stat = fs_err::metadata(&file).unwrap();
        assert_eq!(check(&file, root.path()).is_ok(), stat.uid() == stat.gid());
        if std::os::unix::fs::chown(&file, None, Some(stat.uid() + 1)).is_ok() {
            assert!(check(&file, root.path()).is_err());
        }
    }

    #[test]
    fn a_folder_is_in_its_place_while_nobody_else_can_exchange_it() {
        let root = tempfile::tempdir().unwrap();
        let top = fs_err::canonicalize(root.path()).unwrap();
        let (shared, folder) = (top.join("shared"), top.join("shared/a/b"));
        fs_err::create_dir_all(&folder).unwrap();
        assert_eq!(check_place(&folder), Ok(()));
        for above in [&shared, &top.join("shared/a")] {
            mode(above, 0o777);
            let help = check_place(&folder).unwrap_err().help;
            assert!(help.ends_with(&format!("chmod go-w {}", above.display())), "{help}");
            mode(above, 0o1777);
            assert_eq!(check_place(&folder), Ok(()), "in a sticky folder nobody replaces the folders of others");
            mode(above, 0o755);
        }
        mode(&folder, 0o777);
        assert_eq!(check_place(&folder), Ok(()), "others may work in it");
        for theirs in [&shared, &top.join("shared/a"), &folder] {
            if std::os::unix::fs::chown(theirs, Some(65534), None).is_err() {
                return;
            }
            let message = check_place(&folder).unwrap_err().message;
            let expected = format!("`{}` belongs to another user (uid 65534)", theirs.display());
            assert!(message.contains(&expected), "{message}");
            std::os::unix::fs::chown(theirs, Some(rustix::process::geteuid().as_raw()), None).unwrap();
        }
        let link = top.join("shared/link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        assert_eq!(check_place(&link), Ok(()));
        std::os::unix::fs::lchown(&link, Some(65534), None).unwrap();
        assert!(check_place(&link).unwrap_err().message.starts_with("the link"));
    }

    #[test]
    fn a_link_is_judged_by_what_it_leads_to() {
        let root = tempfile::tempdir().unwrap();
        let (open, link) = (root.path().join("open"), root.path().join("config.toml"));
        fs_err::create_dir(&open).unwrap();
        fs_err::write(open.join("file"), "").unwrap();
        std::os::unix::fs::symlink(open.join("file"), &link).unwrap();
        assert_eq!(check(&link, root.path()), Ok(()));
        mode(&open, 0o777);
        assert!(check(&link, root.path()).is_err());
    }
}
