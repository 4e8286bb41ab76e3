//! Writes the arguments of bubblewrap.

use std::{ffi::OsString, path::Path};

use super::grant::Access;
use super::{spec::Spec, visible_files};
use crate::{helper, system_paths};

/// The path of the helper inside.
const HELPER: &str = "/.openoxide";

/// Returns the arguments that build the sandbox and start the helper in it.
pub(crate) fn arguments(spec: &Spec, helper: &Path) -> Vec<OsString> {
    let mut args = Args::default();
    args.words(&["--unshare-user", "--unshare-ipc", "--unshare-pid", "--unshare-uts", "--unshare-cgroup-try"]);
    if !spec.network {
        args.words(&["--unshare-net"]);
    }
    let id = visible_files::ID.to_string();
    args.words(&["--uid", &id, "--gid", &id, "--hostname", "sandbox", "--clearenv"]);
    // The supervisor is the first process itself: a process of bubblewrap's would be one more to attack.
    args.words(&["--die-with-parent", "--new-session", "--as-pid-1", "--cap-drop", "ALL"]);
    args.system(spec.network);
    args.kernel();
    args.private(visible_files::SHARED_MEMORY, spec.limits.shared_memory());
    // Its folder is in memory too, and of no size that could be limited.
    args.words(&["--remount-ro", "/dev"]);
    args.private(system_paths::TEMP, spec.limits.temporary());
    for grant in &spec.grants {
        args.bind(grant.access, grant.source(), grant.path());
    }
    args.bind(Access::Read, helper, Path::new(HELPER));
    args.words(&["--remount-ro", "/", "--chdir", "/", "--", HELPER, helper::HELPER_ARGUMENT, helper::SUPERVISE]);
    args.0
}

#[derive(Default)]
struct Args(Vec<OsString>);

impl Args {
    fn words(&mut self, words: &[&str]) {
        self.0.extend(words.iter().map(OsString::from));
    }

    fn bind(&mut self, access: Access, from: &Path, to: &Path) {
        let word = if access == Access::Write { "--bind" } else { "--ro-bind" };
        self.0.extend([OsString::from(word), from.into(), to.into()]);
    }

    /// Mounts a folder in memory that holds at most so many bytes.
    fn private(&mut self, folder: &str, size: u64) {
        self.words(&["--perms", "0700", "--size", &size.to_string(), "--tmpfs", folder]);
    }

    /// Mounts `/proc` read-only, without what tells of the whole machine, and `/dev`.
    fn kernel(&mut self) {
        self.words(&["--proc", "/proc", "--dev", "/dev"]);
        let is_there = |path: &&&str| Path::new(path).exists();
        for folder in visible_files::HIDDEN_FOLDERS.iter().filter(is_there) {
            self.words(&["--size", "4096", "--tmpfs", folder, "--remount-ro", folder]);
        }
        for file in visible_files::HIDDEN_FILES.iter().filter(is_there) {
            self.words(&["--ro-bind", "/dev/null", file]);
        }
        self.words(&["--remount-ro", "/proc"]);
    }

    fn system(&mut self, network: bool) {
        for folder in system_paths::PROGRAMS {
            match std::fs::read_link(folder) {
                Ok(target) => self.0.extend(["--symlink".into(), target.into(), OsString::from(folder)]),
                Err(_) => self.words(&["--ro-bind-try", folder, folder]),
            }
        }
        let resolver = if network { visible_files::RESOLVER } else { &[] };
        for path in visible_files::SETTINGS.iter().chain(resolver) {
            self.words(&["--ro-bind-try", path, path]);
        }
    }
}
