//! Answers that depend on nothing but a state, a call, and the files of one skill, kept for as long as these are the same.
//!
//! Whether the files are is looked at each time, by what the system says about every one of them and every folder: which
//! one it is, how large, and when it was changed last. The time of the last change of any kind cannot be set by anybody.
//! A program that changes a file in memory is told of late, so no answer is sent again for longer than a second. What was
//! changed a moment ago is not kept, because it may be changed again within one tick of the clock; what lies
//! where looking can take long is not kept either.

use std::collections::HashMap;
use std::hash::Hash;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use axum::body::Bytes;
use openoxide_live::State;
use openoxide_runtime::{Call, Given};
use openoxide_skills::Caller;

use crate::answer::Peer;

/// How many answers are kept.
const ANSWERS: usize = 256;
/// How many bytes they have together.
const BYTES: usize = 16 * 1024 * 1024;
/// How many files and folders a skill may have.
const FILES: usize = 64;
/// How long an answer is sent again: a change in memory that a program shares with a file is told late, or never.
const LONGEST: Duration = Duration::from_secs(1);
/// How long something must have been as it is.
const SETTLED: Duration = Duration::from_millis(100);
/// File systems that are in this machine: ext4, xfs, btrfs, overlay, tmpfs.
#[cfg(target_os = "linux")]
const LOCAL: [i64; 5] = [0xEF53, 0x5846_5342, 0x9123_683E, 0x794C_7630, 0x0102_1994];

/// An activation that is asked for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Asked {
    skill: String,
    caller: Caller,
    said: Option<String>,
    peer: Peer,
}

/// An activation that can be sent again.
pub(crate) struct Activation {
    pub(crate) bytes: Bytes,
    /// The skill, for the audit log.
    pub(crate) name: String,
    pub(crate) digest: String,
}

/// Answers of one kind that can be sent again, by what is asked for.
pub(crate) struct Still<K, A> {
    held: Mutex<Held<K, A>>,
}

struct Held<K, A> {
    answers: HashMap<K, Kept<A>>,
    bytes: usize,
}

struct Kept<A> {
    answer: Arc<A>,
    bytes: usize,
    state: Weak<State>,
    seen: Arc<Seen>,
    since: Instant,
}

impl<K, A> Default for Held<K, A> {
    fn default() -> Held<K, A> {
        Held { answers: HashMap::new(), bytes: 0 }
    }
}

impl<K, A> Default for Still<K, A> {
    fn default() -> Still<K, A> {
        Still { held: Mutex::default() }
    }
}

impl Asked {
    /// Returns what is asked for, if an answer to it may be kept at all.
    pub(crate) fn of(call: &Call, peer: Peer) -> Option<Asked> {
        let said = match &call.arguments {
            Given::Nothing => None,
            Given::Raw(said) if said.len() <= 256 => Some(said.clone()),
            Given::Raw(_) | Given::Words(_) => return None,
        };
        Some(Asked { skill: call.skill.clone(), caller: call.caller, said, peer })
    }
}

impl<K: Eq + Hash, A> Still<K, A> {
    /// Returns an answer that is still right.
    pub(crate) fn get(&self, state: &Arc<State>, asked: &K) -> Option<Arc<A>> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = held.answers.get(asked)?;
        let is_of_state = std::ptr::eq(kept.state.as_ptr(), Arc::as_ptr(state));
        if !is_of_state || kept.since.elapsed() > LONGEST {
            return None;
        }
        let (answer, seen) = (Arc::clone(&kept.answer), Arc::clone(&kept.seen));
        drop(held);
        seen.is_the_same().then_some(answer)
    }

    /// Keeps an answer of so many bytes, if nothing has changed since `seen`.
    pub(crate) fn keep(&self, state: &Arc<State>, asked: K, seen: Seen, bytes: usize, answer: A) {
        let since = Instant::now();
        if bytes > BYTES / 8 || !seen.is_the_same() {
            return;
        }
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        if held.answers.len() >= ANSWERS || held.bytes + bytes > BYTES {
            *held = Held::default();
        }
        held.bytes += bytes;
        let (answer, seen) = (Arc::new(answer), Arc::new(seen));
        let kept = Kept { answer, bytes, state: Arc::downgrade(state), seen, since };
        if let Some(old) = held.answers.insert(asked, kept) {
            held.bytes -= old.bytes;
        }
    }
}

/// Returns the file with what the user trusts, which every answer depends on.
pub(crate) fn trust_file(state: &State) -> Option<PathBuf> {
    state.workspace.environment.openoxide_home().map(|home| home.join("state").join("trust.toml"))
}

/// What the system said about files and folders.
pub(crate) struct Seen(Vec<(PathBuf, Option<Stamp>)>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    device: u64,
    number: u64,
    is_folder: bool,
    is_file: bool,
    mode: u32,
    size: u64,
    written: (i64, i64),
    changed: (i64, i64),
}

impl Seen {
    /// Looks at everything in a skill's folder, and at one more file that may be there or not; nothing if it has links, is
    /// large, lies where looking can take long, or was changed a moment ago.
    pub(crate) fn of(folder: &Path, other: Option<PathBuf>) -> Option<Seen> {
        if !is_local(folder) {
            return None;
        }
        let mut seen = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            let stamp = Stamp::of(&folder).filter(|stamp| stamp.is_folder)?;
            seen.push((folder.clone(), Some(stamp)));
            for entry in fs_err::read_dir(&folder).ok()? {
                let entry = entry.ok()?;
                let kind = entry.file_type().ok()?;
                match (kind.is_dir(), kind.is_file()) {
                    (true, _) => folders.push(entry.path()),
                    (_, true) => seen.push((entry.path(), Some(Stamp::of(&entry.path())?))),
                    _ => return None,
                }
                if seen.len() + folders.len() > FILES {
                    return None;
                }
            }
        }
        Seen::settled(seen, other)
    }

    /// Looks at one file in a folder, and at all folders on the way to it; nothing in the same cases.
    pub(crate) fn of_file(folder: &Path, below: &Path, other: Option<PathBuf>) -> Option<Seen> {
        let is_plain = below.components().all(|part| matches!(part, Component::Normal(_)));
        if !is_plain || !is_local(folder) {
            return None;
        }
        let mut seen = Vec::new();
        let file = folder.join(below);
        for path in file.ancestors().take(below.components().count() + 1) {
            let stamp =
                Stamp::of(path).filter(|stamp| stamp.is_file && path == file || stamp.is_folder && path != file)?;
            seen.push((path.to_owned(), Some(stamp)));
        }
        Seen::settled(seen, other)
    }

    fn settled(mut seen: Vec<(PathBuf, Option<Stamp>)>, other: Option<PathBuf>) -> Option<Seen> {
        if let Some(path) = other {
            let stamp = Stamp::of(&path);
            // What changes behind a link is not seen at the link.
            if stamp.is_some_and(|stamp| !stamp.is_file) {
                return None;
            }
            seen.push((path, stamp));
        }
        let mut stamps = seen.iter().filter_map(|(_, stamp)| *stamp);
        stamps.all(Stamp::is_settled).then_some(Seen(seen))
    }

    fn is_the_same(&self) -> bool {
        self.0.iter().all(|(path, stamp)| Stamp::of(path) == *stamp)
    }
}

/// Tells whether looking at a folder asks nobody but this machine.
#[cfg(target_os = "linux")]
fn is_local(folder: &Path) -> bool {
    rustix::fs::statfs(folder).is_ok_and(|system| LOCAL.contains(&system.f_type))
}

#[cfg(not(target_os = "linux"))]
fn is_local(_: &Path) -> bool {
    false
}

impl Stamp {
    fn of(path: &Path) -> Option<Stamp> {
        let stat = std::fs::symlink_metadata(path).ok()?;
        Some(Stamp {
            device: stat.dev(),
            number: stat.ino(),
            is_folder: stat.is_dir(),
            is_file: stat.is_file(),
            mode: stat.mode(),
            size: stat.size(),
            written: (stat.mtime(), stat.mtime_nsec()),
            changed: (stat.ctime(), stat.ctime_nsec()),
        })
    }

    fn is_settled(self) -> bool {
        let (Ok(seconds), Ok(nanos)) = (u64::try_from(self.changed.0), u64::try_from(self.changed.1)) else {
            return false;
        };
        let changed = UNIX_EPOCH + Duration::from_secs(seconds) + Duration::from_nanos(nanos);
        SystemTime::now().duration_since(changed).is_ok_and(|since| since > SETTLED)
    }
}

#[cfg(test)]
mod tests {
    use openoxide_testkit::TestContext;

    use super::*;

    fn folder() -> (TestContext, PathBuf) {
        let context = TestContext::new();
        context.tree("//- project/s/SKILL.md\none\n//- project/s/a/b.md\ntwo\n");
        let folder = context.project().join("s");
        (context, folder)
    }

    fn settled() {
        std::thread::sleep(SETTLED * 2);
    }

    /// What a change is, and what makes it.
    type Change<'a> = (&'a str, &'a dyn Fn());

    #[test]
    fn every_change_is_seen() {
        let (context, folder) = folder();
        assert!(Seen::of(&folder, None).is_none(), "what was just written is not kept");
        let other = context.home().join("other");
        let file = folder.join("SKILL.md");
        let changes: [Change<'_>; 7] = [
            ("the same size at the same time", &|| {
                let time = fs_err::metadata(&file).unwrap().modified().unwrap();
                fs_err::write(&file, "eno\n").unwrap();
                std::fs::File::options().write(true).open(&file).unwrap().set_modified(time).unwrap();
            }),
            ("renamed over", &|| {
                fs_err::write(context.root().join("new"), "one\n").unwrap();
                fs_err::rename(context.root().join("new"), &file).unwrap();
            }),
            ("a new file below", &|| fs_err::write(folder.join("a/c.md"), "").unwrap()),
            ("a file that is gone", &|| fs_err::remove_file(folder.join("a/b.md")).unwrap()),
            ("another mode", &|| {
                let mode = std::os::unix::fs::PermissionsExt::from_mode(0o600);
                fs_err::set_permissions(&file, mode).unwrap();
            }),
            ("the other file", &|| fs_err::write(&other, "").unwrap()),
            ("the folder itself", &|| fs_err::rename(&folder, context.root().join("moved")).unwrap()),
        ];
        for (what, change) in changes {
            settled();
            let seen = Seen::of(&folder, Some(other.clone())).expect(what);
            assert!(seen.is_the_same(), "{what}: nothing has changed yet");
            change();
            assert!(!seen.is_the_same(), "{what}");
        }
    }

    #[test]
    fn a_file_is_kept_with_the_way_to_it() {
        let (context, folder) = folder();
        let below = Path::new("a/b.md");
        assert!(Seen::of_file(&folder, below, None).is_none(), "what was just written is not kept");
        let changes: [Change<'_>; 3] = [
            ("the file", &|| fs_err::write(folder.join("a/b.md"), "new\n").unwrap()),
            ("a link in place of its folder", &|| {
                fs_err::rename(folder.join("a"), context.root().join("a")).unwrap();
                std::os::unix::fs::symlink(context.root().join("a"), folder.join("a")).unwrap();
            }),
            ("its folder again", &|| {
                fs_err::remove_file(folder.join("a")).unwrap();
                fs_err::rename(context.root().join("a"), folder.join("a")).unwrap();
            }),
        ];
        for (what, change) in changes {
            settled();
            let seen = Seen::of_file(&folder, below, None);
            assert!(seen.as_ref().is_none_or(Seen::is_the_same), "{what}: nothing has changed yet");
            assert_eq!(seen.is_none(), what == "its folder again", "{what}: what lies behind a link is not kept");
            change();
            assert!(seen.is_none_or(|seen| !seen.is_the_same()), "{what}");
        }
        for odd in ["a", "../s/SKILL.md", "/etc/passwd", "nothing"] {
            assert!(Seen::of_file(&folder, Path::new(odd), None).is_none(), "{odd}");
        }
    }

    #[test]
    fn links_and_many_files_are_not_kept() {
        let (context, folder) = folder();
        settled();
        assert!(Seen::of(&folder, None).is_some());
        std::os::unix::fs::symlink("SKILL.md", folder.join("link")).unwrap();
        settled();
        assert!(Seen::of(&folder, None).is_none());
        fs_err::remove_file(folder.join("link")).unwrap();
        settled();
        let other = context.home().join("other");
        std::os::unix::fs::symlink("elsewhere", &other).unwrap();
        settled();
        assert!(Seen::of(&folder, Some(other)).is_none());
        (0..FILES).for_each(|number| fs_err::write(folder.join(number.to_string()), "").unwrap());
        settled();
        assert!(Seen::of(&folder, None).is_none());
        drop(context);
    }
}
