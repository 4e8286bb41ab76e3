//! Counts the memory that the processes of a sandbox hold, with what they keep in folders in memory and shared segments.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use crate::{linux::visible_files, system_paths};

/// What a name in a folder in memory costs the kernel, about.
const NAME: u64 = 1024;
/// The most that a command can ask to let wait in a socket, where the system does not say: its default.
const SOCKET: u64 = 212_992;

/// Returns whether these processes hold more than so many bytes.
///
/// The rough count includes shared pages once per process, so an exact count has to confirm it.
pub(super) fn exceeds(limit: u64, processes: &[u32]) -> bool {
    let outside = folders() + segments() + sockets(processes);
    let rough = processes.iter().map(|pid| resident(*pid)).sum::<u64>() + outside;
    rough > limit && processes.iter().map(|pid| held(*pid)).sum::<u64>() + outside > limit
}

/// Returns all processes of the namespace but the first, which is ourselves.
pub(super) fn processes() -> Vec<u32> {
    let own = std::process::id();
    numbers("/proc").into_iter().filter(|pid| *pid != 1 && *pid != own).collect()
}

fn numbers(folder: &str) -> Vec<u32> {
    let number = |entry: io::Result<std::fs::DirEntry>| entry.ok()?.file_name().to_str()?.parse::<u32>().ok();
    std::fs::read_dir(folder).into_iter().flatten().filter_map(number).collect()
}

/// Returns a process's share of memory, in bytes. One that hides its share is counted in full.
fn held(pid: u32) -> u64 {
    proportional(pid).filter(|share| *share > 0).unwrap_or_else(|| resident(pid))
}

/// Returns the resident memory of a process, in bytes. If its first thread has ended, the others still hold it.
fn resident(pid: u32) -> u64 {
    let of = |path: String| pages(&fs_err::read_to_string(path).ok()?);
    let first = of(format!("/proc/{pid}/statm")).filter(|pages| *pages > 0);
    let threads = || numbers(&format!("/proc/{pid}/task")).into_iter();
    let pages = first.or_else(|| threads().filter_map(|id| of(format!("/proc/{pid}/task/{id}/statm"))).max());
    pages.unwrap_or(0) * rustix::param::page_size() as u64
}

fn pages(statm: &str) -> Option<u64> {
    statm.split(' ').nth(1)?.parse().ok()
}

/// Returns a process's proportional share of memory, in bytes.
fn proportional(pid: u32) -> Option<u64> {
    let text = fs_err::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    line.trim().strip_suffix(" kB")?.parse::<u64>().ok().map(|kilobytes| kilobytes * 1024)
}

/// Returns what the folders in memory hold, in bytes.
fn folders() -> u64 {
    let used = |folder| {
        let found = rustix::fs::statvfs(folder).ok()?;
        let blocks = found.f_blocks.saturating_sub(found.f_bfree) * found.f_frsize;
        Some(blocks + found.f_files.saturating_sub(found.f_ffree) * NAME)
    };
    [system_paths::TEMP, visible_files::SHARED_MEMORY].into_iter().filter_map(used).sum()
}

/// Returns what may wait in the sockets that processes hold, in bytes. What does wait there, no file says.
fn sockets(processes: &[u32]) -> u64 {
    let descriptors = |pid: &u32| std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten();
    let target = |entry: io::Result<std::fs::DirEntry>| std::fs::read_link(entry.ok()?.path()).ok();
    let most = fs_err::read_to_string("/proc/sys/net/core/wmem_max").ok().and_then(|text| text.trim().parse().ok());
    // The system lets twice as much wait as is asked for.
    2 * most.unwrap_or(SOCKET) * distinct_sockets(processes.iter().flat_map(descriptors).filter_map(target))
}

/// Counts the sockets among what descriptors lead to. One that processes share, or hold twice, is one.
fn distinct_sockets(targets: impl Iterator<Item = PathBuf>) -> u64 {
    let is_socket = |target: &PathBuf| target.as_os_str().as_encoded_bytes().starts_with(b"socket:");
    targets.filter(is_socket).collect::<HashSet<_>>().len() as u64
}

/// Returns what segments of shared memory hold, in bytes. They stay although no process uses them.
fn segments() -> u64 {
    fs_err::read_to_string("/proc/sysvipc/shm").map_or(0, |table| segments_in(&table))
}

fn segments_in(table: &str) -> u64 {
    let mut lines = table.lines();
    let names: Vec<&str> = lines.next().unwrap_or_default().split_whitespace().collect();
    let at = |name: &str| names.iter().position(|found| *found == name);
    let (rss, swap) = (at("rss"), at("swap"));
    let size = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        [rss, swap].into_iter().flatten().filter_map(|at| fields.get(at)?.parse::<u64>().ok()).sum::<u64>()
    };
    lines.map(size).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_are_summed() {
        let table = "       key      shmid perms       size  cpid  lpid nattch   uid   gid  cuid  cgid      atime      \
                     dtime      ctime        rss       swap\n         0          0   600       4096    10    10      0  \
                     1000  1000  1000  1000          0          0 1700000000       4096       8192\n";
        assert_eq!(segments_in(table), 12288);
        assert_eq!(segments_in(""), 0);
    }

    #[test]
    fn sockets_are_counted() {
        let own = [std::process::id()];
        let before = sockets(&own);
        let pair = std::os::unix::net::UnixStream::pair().unwrap();
        // Other tests may open some meanwhile.
        assert!(sockets(&own) >= before + 2 * SOCKET);
        drop(pair);
    }

    #[test]
    fn a_socket_that_many_hold_is_one() {
        let targets = ["socket:[1]", "/dev/null", "socket:[1]", "pipe:[3]", "socket:[2]", "socket:[1]"];
        assert_eq!(distinct_sockets(targets.into_iter().map(PathBuf::from)), 2);
    }

    #[test]
    fn our_own_memory_is_seen() {
        let own = std::process::id();
        assert!(resident(own) > 0 && held(own) > 0 && !exceeds(u64::MAX, &[own]) && exceeds(1, &[own]));
    }
}
