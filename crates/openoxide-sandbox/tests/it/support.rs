//! Running the harness as different users, with different mechanisms.

use std::ffi::OsStr;
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// The user that root becomes for the second half of the tests.
const NOBODY: u32 = 65534;

/// Perl that prints, for each attempt, its name and what came of it: `DONE` or the name of the error.
const TRY: &str = r#"
use strict; use warnings; use Errno; use Socket qw(:DEFAULT inet_pton pack_sockaddr_in6); use Fcntl; use POSIX ();
$| = 1;
sub attempt { my ($name, $code) = @_; $! = 0; my $done = eval { $code->() };
  my ($error) = grep { $!{$_} } keys %!;
  print "$name ", ($done ? "DONE" : ($error // "FAILED")), "\n"; }
sub spill { my ($path) = @_; open(my $file, "<", $path) or return; local $/; my $text = <$file>; defined $text or return; print $text; 1 }
sub put { my ($path) = @_; open(my $file, ">", $path) or return; print $file "x" or return; close $file }
"#;

/// One way of running: a mechanism and a user.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) mechanism: &'static str,
    pub(crate) user: Option<u32>,
}

/// What came of it.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) ended: String,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    /// What it changed, and whether that was kept.
    pub(crate) changes: Vec<String>,
}

/// Says that something was not tested, even where output is captured.
pub(crate) fn skipped(why: &str) {
    writeln!(std::io::stderr().lock(), "SKIPPED: {why}").unwrap();
}

/// Runs a test in every setting that this machine has.
pub(crate) fn each(test: impl Fn(Setting)) {
    for setting in settings() {
        test(*setting);
    }
}

fn settings() -> &'static [Setting] {
    static SETTINGS: OnceLock<Vec<Setting>> = OnceLock::new();
    SETTINGS.get_or_init(|| {
        let mut found = Vec::new();
        for user in users() {
            for mechanism in ["bubblewrap", "landlock"] {
                let setting = Setting { mechanism, user };
                let ran = setting.run(&[], &["true"]);
                if ran.code == Some(0) {
                    found.push(setting);
                } else {
                    skipped(&format!("{mechanism} as {user:?}: {}", ran.stderr));
                }
            }
        }
        found
    })
}

fn users() -> Vec<Option<u32>> {
    let is_root = rustix::process::getuid().is_root();
    if !is_root {
        skipped("this user is not root, so nothing is tried as root");
        return vec![None];
    }
    let works = Command::new("setpriv").arg("--version").stdout(Stdio::null()).status().is_ok();
    if !works {
        skipped("there is no setpriv, so nothing is tried as an ordinary user");
    }
    if works { vec![None, Some(NOBODY)] } else { vec![None] }
}

impl Setting {
    /// The harness with options, and a command after them.
    pub(crate) fn command(self, options: &[&str], command: &[&str]) -> Command {
        let mut harness = self.program(harness());
        harness.arg(self.mechanism).args(options).arg("--").args(command);
        harness
    }

    /// A program as the user of this setting.
    pub(crate) fn program(self, program: impl AsRef<OsStr>) -> Command {
        let mut command = match self.user {
            None => Command::new(program.as_ref()),
            Some(user) => {
                let mut command = Command::new("setpriv");
                let id = user.to_string();
                command.args(["--reuid", &id, "--regid", &id, "--clear-groups"]).arg(program.as_ref());
                command
            }
        };
        command.current_dir("/").stdin(Stdio::null());
        command
    }

    pub(crate) fn run(self, options: &[&str], command: &[&str]) -> Ran {
        Ran::of(&mut self.command(options, command))
    }

    pub(crate) fn sh(self, options: &[&str], line: &str) -> Ran {
        self.run(options, &["sh", "-c", line])
    }

    /// Runs attempts in Perl.
    pub(crate) fn attempts(self, options: &[&str], code: &str) -> Ran {
        let ran = self.run(options, &["/usr/bin/perl", "-e", &format!("{TRY}{code}")]);
        assert_eq!(ran.ended, "Exit(0)", "{self:?}: {ran:?}");
        ran
    }

    /// A folder that belongs to the user of this setting.
    pub(crate) fn folder(self) -> Folder {
        self.folder_in(Path::new("/var/tmp"))
    }

    pub(crate) fn folder_in(self, parent: &Path) -> Folder {
        let temp = tempfile::Builder::new().prefix("sandbox-test-").tempdir_in(parent).unwrap();
        let path = std::fs::canonicalize(temp.path()).unwrap();
        let folder = Folder { _temp: temp, path, user: self.user };
        std::fs::set_permissions(&folder.path, PermissionsExt::from_mode(0o755)).unwrap();
        folder.own(&folder.path);
        folder
    }
}

impl Ran {
    pub(crate) fn of(command: &mut Command) -> Self {
        let output = command.output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let stderr = text(&output.stderr);
        let ended = stderr.split(" truncated=").next().unwrap_or_default().to_owned();
        let changes = stderr.lines().filter_map(|line| line.strip_prefix("= ")).map(str::to_owned).collect();
        Self { code: output.status.code(), ended, stdout: text(&output.stdout), stderr, changes }
    }

    /// Asserts what came of each attempt: the first word names it, the others are the errors that are welcome.
    pub(crate) fn expect(&self, setting: Setting, table: &str) {
        let lines: Vec<&str> = table.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        for line in &lines {
            let (name, welcome) = line.split_once(' ').unwrap();
            let came = self.stdout.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
            let came = came.unwrap_or_else(|| panic!("{setting:?}: `{name}` was not tried: {self:?}"));
            assert!(welcome.split(' ').any(|error| error == came), "{setting:?}: {name} {came}, wanted {welcome}");
        }
        assert_eq!(self.stdout.lines().count(), lines.len(), "{setting:?}: {self:?}");
        if std::env::var_os("SANDBOX_TABLE").is_some() {
            writeln!(std::io::stderr().lock(), "{setting:?}\n{}", self.stdout).unwrap();
        }
    }
}

/// A scratch folder.
pub(crate) struct Folder {
    _temp: TempDir,
    path: PathBuf,
    user: Option<u32>,
}

impl Folder {
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn str(&self) -> &str {
        self.path.to_str().unwrap()
    }

    pub(crate) fn join(&self, name: &str) -> String {
        self.path.join(name).to_str().unwrap().to_owned()
    }

    pub(crate) fn dir(&self, name: &str) -> String {
        let mut path = self.path.clone();
        for part in Path::new(name).components() {
            path.push(part);
            if !path.exists() {
                std::fs::create_dir(&path).unwrap();
                self.own(&path);
            }
        }
        self.join(name)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> String {
        if let Some(parent) = Path::new(name).parent().filter(|parent| !parent.as_os_str().is_empty()) {
            self.dir(parent.to_str().unwrap());
        }
        fs_err::write(self.path.join(name), text).unwrap();
        self.own(&self.path.join(name));
        self.join(name)
    }

    pub(crate) fn script(&self, name: &str, text: &str) -> String {
        let path = self.file(name, text);
        std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        path
    }

    pub(crate) fn link(&self, name: &str, target: &str) {
        let path = self.path.join(name);
        std::os::unix::fs::symlink(target, &path).unwrap();
        self.own(&path);
    }

    /// Every path below with its kind, mode and content.
    pub(crate) fn state(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                let metadata = std::fs::symlink_metadata(&path).unwrap();
                let text = if metadata.is_file() { fs_err::read_to_string(&path).unwrap() } else { String::new() };
                let changed = metadata.is_file().then(|| metadata.modified().unwrap());
                found.push(format!("{} {:o} {changed:?} {text}", path.display(), metadata.permissions().mode()));
                if metadata.is_dir() {
                    folders.push(path);
                }
            }
        }
        found.sort();
        found
    }

    fn own(&self, path: &Path) {
        if let Some(user) = self.user {
            std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
        }
    }
}

/// A copy of the harness that every user can read.
pub(crate) fn harness() -> &'static Path {
    static COPY: OnceLock<PathBuf> = OnceLock::new();
    COPY.get_or_init(|| {
        let built = Path::new(env!("CARGO_BIN_EXE_sandbox-harness"));
        let readable = built
            .ancestors()
            .skip(1)
            .all(|folder| std::fs::metadata(folder).is_ok_and(|found| found.permissions().mode() & 0o005 == 0o005));
        if readable {
            return built.to_owned();
        }
        readable_copy(built)
    })
}

/// One copy for all processes of the tests, named for what it is a copy of.
fn readable_copy(built: &Path) -> PathBuf {
    let owner = rustix::process::getuid().as_raw();
    let folder = PathBuf::from(format!("/var/tmp/openoxide-sandbox-harness-{owner}"));
    let _ = std::fs::create_dir(&folder);
    assert_eq!(std::fs::symlink_metadata(&folder).unwrap().uid(), owner, "the folder is ours");
    std::fs::set_permissions(&folder, PermissionsExt::from_mode(0o755)).unwrap();
    let found = std::fs::metadata(built).unwrap();
    let copy = folder.join(format!("{}-{}-{}", found.len(), found.mtime(), found.mtime_nsec()));
    if !copy.exists() {
        let partial = folder.join(format!("partial-{}", std::process::id()));
        std::fs::copy(built, &partial).unwrap();
        std::fs::rename(partial, &copy).unwrap();
    }
    copy
}

/// How many processes have a word in their arguments.
pub(crate) fn processes_with(word: &str) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap().flatten();
    let lines = entries.filter_map(|entry| fs_err::read(entry.path().join("cmdline")).ok());
    lines.filter(|line| line.split(|byte| *byte == 0).any(|arg| arg == word.as_bytes())).count()
}

/// A number of seconds to sleep that no other process sleeps.
pub(crate) fn long_time() -> String {
    use std::sync::atomic::{AtomicU32, Ordering};
    static NUMBER: AtomicU32 = AtomicU32::new(0);
    format!("7{:07}{}", std::process::id(), NUMBER.fetch_add(1, Ordering::Relaxed))
}

/// Waits for something to become true, but not too long.
pub(crate) fn until(longest: Duration, done: impl Fn() -> bool) {
    let deadline = Instant::now() + longest;
    while !done() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(10));
    }
}
