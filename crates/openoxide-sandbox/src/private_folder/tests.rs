use super::*;

fn mode(path: &Path) -> u32 {
    std::fs::symlink_metadata(path).unwrap().mode() & 0o7777
}

#[test]
fn it_is_private_and_goes_with_its_value() {
    let parent = tempfile::tempdir().unwrap();
    let folder = PrivateFolder::new_in(parent.path()).unwrap();
    assert_eq!(mode(folder.path()), 0o700);
    let path = folder.path().to_owned();
    fs_err::create_dir_all(path.join("locked/inside")).unwrap();
    for name in ["locked/inside", "locked"] {
        std::fs::set_permissions(path.join(name), Permissions::from_mode(0o000)).unwrap();
    }
    drop(folder);
    assert!(!path.exists());
}

#[test]
fn what_is_exchanged_or_opened_up_is_not_used() {
    let parent = tempfile::tempdir().unwrap();
    let folder = PrivateFolder::new_in(parent.path()).unwrap();
    folder.check().unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o755)).unwrap();
    assert!(folder.check().is_err());
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    folder.check().unwrap();
    let aside = parent.path().join("aside");
    fs_err::rename(folder.path(), &aside).unwrap();
    assert!(folder.check().is_err(), "gone");
    std::os::unix::fs::symlink(&aside, folder.path()).unwrap();
    assert!(folder.check().is_err(), "a link to it");
    fs_err::remove_file(folder.path()).unwrap();
    fs_err::create_dir(folder.path()).unwrap();
    std::fs::set_permissions(folder.path(), Permissions::from_mode(0o700)).unwrap();
    assert!(folder.check().is_err(), "another one");
}

#[test]
fn only_what_nobody_holds_is_swept() {
    let parent = tempfile::tempdir().unwrap();
    let held = PrivateFolder::new_in(parent.path()).unwrap();
    let make = |name: &str, mode: u32| {
        let path = parent.path().join(name);
        fs_err::create_dir_all(path.join("scripts")).unwrap();
        std::fs::set_permissions(&path, Permissions::from_mode(mode)).unwrap();
        path
    };
    let left = make("openoxide-copy-left", 0o700);
    let (open, other) = (make("openoxide-copy-open", 0o755), make("other-copy", 0o700));
    let link = parent.path().join("openoxide-copy-link");
    std::os::unix::fs::symlink(&other, &link).unwrap();
    sweep(parent.path());
    assert!(!left.exists(), "nobody holds it");
    assert!(held.path().exists() && open.exists() && other.join("scripts").exists() && link.is_symlink());
}

#[test]
fn sweeping_takes_nothing_from_who_is_just_making_one() {
    let parent = tempfile::tempdir().unwrap();
    let is_done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !is_done.load(std::sync::atomic::Ordering::Relaxed) {
                sweep(parent.path());
            }
        });
        let made = (0..2000).try_for_each(|_| PrivateFolder::new_in(parent.path())?.check());
        is_done.store(true, std::sync::atomic::Ordering::Relaxed);
        made.unwrap();
    });
}

#[test]
fn a_folder_where_others_can_replace_it_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    std::fs::set_permissions(parent.path(), Permissions::from_mode(0o777)).unwrap();
    let refused = PrivateFolder::new_in(parent.path()).unwrap_err();
    assert!(refused.to_string().contains("others can replace what is in it"), "{refused}");
    std::fs::set_permissions(parent.path(), Permissions::from_mode(0o1777)).unwrap();
    PrivateFolder::new_in(parent.path()).unwrap();
    // Any group but the owner's own may have other members, also the one that this process runs with.
    std::fs::set_permissions(parent.path(), Permissions::from_mode(0o775)).unwrap();
    let is_own_group = |folder: &Metadata| folder.uid() == folder.gid();
    let own = is_own_group(&parent.path().metadata().unwrap());
    assert_eq!(PrivateFolder::new_in(parent.path()).is_ok(), own);
    if std::os::unix::fs::chown(parent.path(), None, Some(geteuid().as_raw() + 1)).is_ok() {
        assert!(PrivateFolder::new_in(parent.path()).is_err());
    }
}

const NOBODY: u32 = 65534;

#[test]
fn a_folder_of_nobodys_is_refused() {
    let parent = tempfile::tempdir().unwrap();
    if !geteuid().is_root() || is_unmapped(NOBODY) {
        return;
    }
    std::os::unix::fs::chown(parent.path(), Some(NOBODY), Some(NOBODY)).unwrap();
    assert!(PrivateFolder::new_in(parent.path()).is_err());
}

#[test]
fn it_goes_whatever_a_command_put_into_it() {
    let parent = in_memory();
    let outside = parent.path().join("outside");
    fs_err::create_dir_all(outside.join("kept/inside")).unwrap();
    let folder = PrivateFolder::new_in(parent.path()).unwrap();
    for tree in ["0/a/b", "1/c", "01/d/e", "+1/f", "x/0/1/2", "x/1/2", "\u{e9}/ \n/z"] {
        fs_err::create_dir_all(folder.path().join(tree)).unwrap();
        fs_err::write(folder.path().join(tree).join("file"), "text").unwrap();
        std::os::unix::fs::symlink(&outside, folder.path().join(tree).join("link")).unwrap();
    }
    fs_err::write(folder.path().join("2"), "a number that is a file").unwrap();
    for number in 0..3000 {
        fs_err::create_dir_all(folder.path().join(format!("wide/{number}/inside"))).unwrap();
    }
    make_deep(folder.as_fd(), 30_000);
    let path = folder.path().to_owned();
    drop(folder);
    assert!(!path.exists());
    assert!(outside.join("kept/inside").exists(), "what links lead to stays");
}

/// A folder where thousands of folders are made and removed at once, if the system has one.
fn in_memory() -> tempfile::TempDir {
    tempfile::tempdir_in("/dev/shm").or_else(|_| tempfile::tempdir()).unwrap()
}

/// Makes folders in each other, further down than a path can say and than descriptors last.
fn make_deep(folder: BorrowedFd<'_>, depth: usize) {
    let mut here = folder.try_clone_to_owned().unwrap();
    for _ in 0..depth {
        rustix::fs::mkdirat(&here, "d", Mode::RWXU).unwrap();
        here = rustix::fs::openat(&here, "d", OFlags::RDONLY | OFlags::DIRECTORY, Mode::empty()).unwrap();
    }
}

#[test]
fn a_deep_tree_is_swept() {
    let parent = in_memory();
    let left = parent.path().join("openoxide-copy-left");
    fs_err::create_dir(&left).unwrap();
    std::fs::set_permissions(&left, Permissions::from_mode(0o700)).unwrap();
    make_deep(open(&left).unwrap().as_fd(), 5000);
    sweep(parent.path());
    assert!(!left.exists());
}

/// What is mounted in a folder is not part of it, and keeps no other folder from being removed.
#[cfg(target_os = "linux")]
#[test]
fn what_is_mounted_there_stays() {
    use rustix::mount::{MountFlags, MountPropagationFlags, mount, mount_bind, mount_change};
    let parent = tempfile::tempdir().unwrap();
    let outside = parent.path().join("outside");
    fs_err::create_dir(&outside).unwrap();
    fs_err::write(outside.join("kept"), "").unwrap();
    let left: Vec<PathBuf> = (0..8).map(|number| parent.path().join(format!("openoxide-copy-{number}"))).collect();
    for path in &left {
        fs_err::create_dir_all(path.join("a/mounted")).unwrap();
        fs_err::write(path.join("a/file"), "").unwrap();
        std::fs::set_permissions(path, Permissions::from_mode(0o700)).unwrap();
    }
    // The mounts are this thread's alone, and go with it.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            if nix::sched::unshare(nix::sched::CloneFlags::CLONE_NEWNS).is_err() {
                use std::io::Write as _;
                return writeln!(io::stderr().lock(), "SKIPPED: a mount needs root").unwrap();
            }
            mount_change("/", MountPropagationFlags::PRIVATE | MountPropagationFlags::REC).unwrap();
            mount_bind(&outside, left[0].join("a/mounted")).unwrap();
            mount("tmpfs", left[1].join("a/mounted"), "tmpfs", MountFlags::empty(), None).unwrap();
            fs_err::write(left[1].join("a/mounted/kept"), "").unwrap();
            sweep(parent.path());
            let kept = |path: &Path| everything(path).iter().any(|path| path.ends_with("mounted/kept"));
            assert!(kept(&left[0]) && kept(&left[1]) && outside.join("kept").exists());
            assert!(left[..2].iter().all(|path| !everything(path).iter().any(|path| path.ends_with("file"))));
            assert!(left[2..].iter().all(|path| !path.exists()), "one that cannot be removed does not keep the rest");
        });
    });
}

#[cfg(target_os = "linux")]
fn everything(folder: &Path) -> Vec<PathBuf> {
    let mut found = vec![folder.to_owned()];
    let mut next = 0;
    while let Some(path) = found.get(next).cloned() {
        next += 1;
        found.extend(std::fs::read_dir(path).into_iter().flatten().map(|entry| entry.unwrap().path()));
    }
    found
}
