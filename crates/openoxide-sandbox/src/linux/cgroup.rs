//! Limits processes and memory through control groups, where we may make one.
//!
//! Control groups are exact, apply to root too, and count all processes together. Without them, the limits of the process
//! and the counting of the supervisor remain.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};
use std::{ffi::OsString, io};

use crate::Limits;

/// The processes of the sandbox itself, which are counted too: the launcher, bubblewrap twice, the supervisor, and one over
/// the limit, so that the supervisor notices the excess.
const OWN_PROCESSES: u64 = 5;

/// The memory of the sandbox itself.
const OWN_MEMORY: u64 = 32 * 1024 * 1024;

/// How long the last process may take to end.
const END: Duration = Duration::from_secs(1);

/// The groups of one command, one for each hierarchy. They are removed when this is dropped.
#[derive(Debug, Default)]
pub(crate) struct Cgroups {
    folders: Vec<PathBuf>,
    pub(crate) limits_processes: bool,
}

impl Cgroups {
    /// Makes the groups that can be made here.
    pub(crate) fn make(limits: &Limits) -> Self {
        let mut made = Self::default();
        for parent in parents() {
            remove_left_over(&parent);
            made.add(&parent, limits);
        }
        made
    }

    /// Returns the files that a process writes to in order to join.
    pub(crate) fn join_files(&self) -> impl Iterator<Item = OsString> {
        self.folders.iter().map(|folder| folder.join("cgroup.procs").into())
    }

    /// Returns whether the kernel killed a process because memory was used up.
    pub(crate) fn out_of_memory(&self) -> bool {
        let files =
            self.folders.iter().flat_map(|folder| ["memory.events", "memory.oom_control"].map(|f| folder.join(f)));
        let killed = |text: String| text.lines().any(|line| line.strip_prefix("oom_kill ").is_some_and(|n| n != "0"));
        files.filter_map(|file| fs_err::read_to_string(file).ok()).any(killed)
    }

    fn add(&mut self, parent: &Path, limits: &Limits) {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder = parent.join(format!("{NAME}{}-{number}", std::process::id()));
        if std::fs::create_dir(&folder).is_err() {
            return;
        }
        let set = |file: &str, value: u64| fs_err::write(folder.join(file), value.to_string()).is_ok();
        let memory = limits.memory.saturating_add(OWN_MEMORY);
        let processes = set("pids.max", u64::from(limits.processes) + OWN_PROCESSES);
        let has_memory = set("memory.max", memory) || set("memory.limit_in_bytes", memory);
        // Swapping would only delay the end.
        let _ = set("memory.swap.max", 0) || set("memory.swappiness", 0);
        if processes || has_memory {
            self.limits_processes |= processes;
            self.folders.push(folder);
        } else {
            let _ = std::fs::remove_dir(folder);
        }
    }
}

impl Drop for Cgroups {
    fn drop(&mut self) {
        let deadline = Instant::now() + END;
        for folder in &self.folders {
            while std::fs::remove_dir(folder).is_err_and(|error| error.kind() == io::ErrorKind::ResourceBusy)
                && Instant::now() < deadline
            {
                std::thread::sleep(Duration::from_millis(2));
            }
        }
    }
}

const NAME: &str = "openoxide-";

/// Removes groups of runtimes that were killed. Only empty ones can be removed at all.
fn remove_left_over(parent: &Path) {
    for entry in std::fs::read_dir(parent).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix(NAME)?.split('-').next()?.parse::<u32>().ok());
        if owner.is_some_and(|owner| !Path::new(&format!("/proc/{owner}")).exists()) {
            let _ = std::fs::remove_dir(entry.path());
        }
    }
}

/// Returns the groups of this process that can limit processes or memory.
fn parents() -> Vec<PathBuf> {
    let read = |path: &str| fs_err::read_to_string(path).unwrap_or_default();
    parents_in(&read("/proc/self/cgroup"), &read("/proc/self/mountinfo"))
}

fn parents_in(groups: &str, mounts: &str) -> Vec<PathBuf> {
    let mut parents: Vec<PathBuf> = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let wanted = ["pids", "memory"].into_iter().find(|wanted| controllers.split(',').any(|name| name == *wanted));
        if controllers.is_empty() || wanted.is_some() {
            parents.extend(place(mounts, wanted, group));
        }
    }
    parents.dedup();
    parents
}

/// Returns the folder of a group. Without a controller, the group belongs to the unified hierarchy.
fn place(mounts: &str, controller: Option<&str>, group: &str) -> Option<PathBuf> {
    mounts.lines().find_map(|line| {
        let (before, after) = line.split_once(" - ")?;
        let mut after = after.split(' ');
        let (kind, options) = (after.next()?, after.nth(1)?);
        let matches = match controller {
            Some(controller) => kind == "cgroup" && options.split(',').any(|option| option == controller),
            None => kind == "cgroup2",
        };
        let (root, place) = (before.split(' ').nth(3)?, before.split(' ').nth(4)?);
        let below = Path::new(group).strip_prefix(root).ok()?;
        matches.then(|| Path::new(place).join(below))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_found_in_both_kinds_of_hierarchy() {
        let mounts = "30 2 0:2 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n\
                      31 2 0:3 / /sys/fs/cgroup/pids rw - cgroup cgroup rw,pids\n\
                      32 2 0:4 /box /sys/fs/cgroup/unified rw - cgroup2 cgroup2 rw\n";
        let groups = "9:pids:/a\n8:memory:/\n5:cpu:/a\n0::/box/in\n";
        let found = parents_in(groups, mounts);
        let expected = ["/sys/fs/cgroup/pids/a", "/sys/fs/cgroup/memory/", "/sys/fs/cgroup/unified/in"];
        assert_eq!(found, expected.map(PathBuf::from));
        assert_eq!(parents_in("nonsense\n1:pids\n", mounts), Vec::<PathBuf>::new());
    }
}
