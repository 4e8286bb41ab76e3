//! Writes the arguments of bubblewrap.

use std::{ffi::OsString, path::Path};

use super::spec::{Access, Spec};
use super::visible_files;
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
    args.words(&["--die-with-parent", "--new-session", "--cap-drop", "ALL"]);
    args.system(spec.network);
    let size = spec.limits.file_size.to_string();
    args.words(&["--proc", "/proc", "--dev", "/dev"]);
    args.words(&["--perms", "0700", "--size", &size, "--tmpfs", system_paths::TEMP]);
    for (path, access) in spec.mounts() {
        args.bind(access, &path, &path);
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
