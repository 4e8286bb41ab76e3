//! One test for each attack and face: an attack is written once, and says of every face whether it can come that way.

use std::ffi::OsStr;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::Command;

use openoxide_testkit::TestContext;
use serde_json::Value;

use crate::support::{bin, skipped};

/// An ordinary user without any rights.
pub(super) const NOBODY: u32 = 65534;

/// A way into the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Face {
    /// The command line.
    Cli,
    /// The routes of `serve`.
    Http,
    /// MCP on standard input and output.
    Mcp,
    /// MCP at `/mcp` of `serve`.
    McpHttp,
    /// JSON-RPC of `app-server`.
    Rpc,
}

/// Whose process the program is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum User {
    /// Of whoever runs the tests.
    Own,
    Nobody,
}

/// What isolates commands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Isolation {
    /// The best that is there.
    Best,
    Bubblewrap,
    /// Our own helper, because bubblewrap is not there.
    Helper,
}

/// Where an attack takes place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) face: Face,
    pub(super) user: User,
    pub(super) isolation: Isolation,
}

/// Makes a test of an attack for each face that it can come through; of the others, the reason why it cannot.
///
/// `cargo xtask test` draws a table from the names of these tests, `FILE::CASE::FACE` or `FILE::CASE::SETTING::FACE`.
macro_rules! attack {
    ($case:ident $faces:tt) => {
        mod $case {
            use super::$case as attack;
            $crate::adversarial::face::attack!(@faces Own Best $faces);
        }
    };
    ($case:ident for everyone $faces:tt) => {
        mod $case {
            use super::$case as attack;
            $crate::adversarial::face::attack!(@faces Own Best $faces);
            $crate::adversarial::face::attack!(@mod as_nobody Nobody Best $faces);
        }
    };
    ($case:ident in every sandbox $faces:tt) => {
        mod $case {
            use super::$case as attack;
            $crate::adversarial::face::attack!(@mod with_bubblewrap Own Bubblewrap $faces);
            $crate::adversarial::face::attack!(@mod with_helper Own Helper $faces);
        }
    };
    ($case:ident in every sandbox for everyone $faces:tt) => {
        mod $case {
            use super::$case as attack;
            $crate::adversarial::face::attack!(@mod with_bubblewrap Own Bubblewrap $faces);
            $crate::adversarial::face::attack!(@mod with_helper Own Helper $faces);
            $crate::adversarial::face::attack!(@mod with_bubblewrap_as_nobody Nobody Bubblewrap $faces);
            $crate::adversarial::face::attack!(@mod with_helper_as_nobody Nobody Helper $faces);
        }
    };
    (@mod $name:ident $user:ident $isolation:ident $faces:tt) => {
        mod $name {
            use super::attack;
            $crate::adversarial::face::attack!(@faces $user $isolation $faces);
        }
    };
    (@faces $user:ident $isolation:ident {
        cli $(= $cli:literal)?, http $(= $http:literal)?, mcp $(= $mcp:literal)?, mcp_http $(= $mcp_http:literal)?,
        rpc $(= $rpc:literal)? $(,)?
    }) => {
        const OUT_OF_REACH: &[(&str, &str)] = &[
            $(("cli", $cli),)? $(("http", $http),)? $(("mcp", $mcp),)? $(("mcp_http", $mcp_http),)? $(("rpc", $rpc),)?
        ];
        $crate::adversarial::face::attack!(@test cli Cli $user $isolation $($cli)?);
        $crate::adversarial::face::attack!(@test http Http $user $isolation $($http)?);
        $crate::adversarial::face::attack!(@test mcp Mcp $user $isolation $($mcp)?);
        $crate::adversarial::face::attack!(@test mcp_http McpHttp $user $isolation $($mcp_http)?);
        $crate::adversarial::face::attack!(@test rpc Rpc $user $isolation $($rpc)?);
    };
    (@test $name:ident $face:ident $user:ident $isolation:ident) => {
        #[test]
        fn $name() {
            use $crate::adversarial::face::{Face, Isolation, Setting, User, run};
            let setting = Setting { face: Face::$face, user: User::$user, isolation: Isolation::$isolation };
            run(setting, OUT_OF_REACH, attack);
        }
    };
    (@test $name:ident $face:ident $user:ident $isolation:ident $why:literal) => {};
}

pub(super) use attack;

/// Runs an attack, if the setting can be had here; tells the table why other faces have no test.
#[expect(clippy::print_stdout, reason = "the table of attacks is drawn from what tests print")]
pub(super) fn run(setting: Setting, out_of_reach: &[(&str, &str)], attack: fn(Setting)) {
    for (face, why) in out_of_reach {
        println!("OUT OF REACH: {face}: {why}");
    }
    match setting.missing() {
        Some(why) => skipped(&why),
        None => attack(setting),
    }
}

impl Setting {
    /// Says what of the setting cannot be had on this machine.
    fn missing(self) -> Option<String> {
        let is_root = rustix::process::geteuid().is_root();
        if self.user == User::Nobody && !(is_root && answers(&mut self.wrapped("true", [] as [&str; 0]))) {
            return Some("only root can become another user, with setpriv".to_owned());
        }
        if self.user == User::Nobody && !self.reaches_program() {
            return Some("another user cannot execute the program here, or not reach the temporary folder".to_owned());
        }
        if self.isolation == Isolation::Helper && !answers(&mut self.wrapped("true", [] as [&str; 0])) {
            return Some("bubblewrap cannot be hidden here: that takes root and mount namespaces".to_owned());
        }
        let expected = match self.isolation {
            Isolation::Best => return None,
            Isolation::Bubblewrap => "bubblewrap",
            Isolation::Helper => "landlock",
        };
        let context = TestContext::new();
        self.give(&context);
        let roots = context.answer(&mut self.command(&context, ["roots", "--json"]));
        let roots: Value = serde_json::from_str(&roots.stdout).unwrap_or_else(|error| panic!("{error}: {roots}"));
        let isolation = &roots["isolation"];
        (isolation["mechanism"] != expected).then(|| format!("{expected} does not isolate commands here: {isolation}"))
    }

    fn reaches_program(self) -> bool {
        let context = TestContext::new();
        self.give(&context);
        let (program, project) = (self.program(), context.project());
        let words = [OsStr::new("-x"), program.as_os_str(), OsStr::new("-a"), OsStr::new("-x"), project.as_os_str()];
        answers(&mut self.wrapped("/usr/bin/test", words))
    }

    /// The binary under test, where the user of the setting can execute it.
    fn program(self) -> PathBuf {
        if self.user == User::Own { bin().to_owned() } else { open_to_everybody(bin()) }
    }

    /// Prepares the program, in the project, as the user of the setting.
    pub(super) fn command(self, context: &TestContext, args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
        let wrapped = self.wrapped(self.program(), args);
        context.command(Path::new(wrapped.get_program()), wrapped.get_args())
    }

    /// Prepares a program as the user of the setting, who sees what there is to isolate commands.
    pub(super) fn wrapped(
        self,
        program: impl AsRef<OsStr>,
        args: impl IntoIterator<Item = impl AsRef<OsStr>>,
    ) -> Command {
        let mut words = Vec::new();
        if self.isolation == Isolation::Helper {
            let hide = "mount --make-rprivate / && mount --bind /dev/null /usr/bin/bwrap && exec \"$@\"";
            words.extend(["/usr/bin/unshare", "-m", "/bin/sh", "-c", hide, "sh"].map(OsStr::new));
        }
        if self.user == User::Nobody {
            let become_nobody = ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"];
            words.extend(become_nobody.map(OsStr::new));
        }
        words.push(program.as_ref());
        let mut command = Command::new(words[0]);
        command.args(&words[1..]).args(args);
        command
    }

    /// Gives everything of a context to the user of the setting.
    pub(super) fn give(self, context: &TestContext) {
        if self.user == User::Nobody {
            give_away(context.root(), NOBODY);
        }
    }
}

/// Gives a folder and everything below it to a user.
pub(super) fn give_away(path: &Path, user: u32) {
    std::os::unix::fs::lchown(path, Some(user), Some(user)).unwrap();
    if fs_err::symlink_metadata(path).unwrap().is_dir() {
        for entry in fs_err::read_dir(path).unwrap() {
            give_away(&entry.unwrap().path(), user);
        }
    }
}

/// Returns a program that every user can execute: this one, or a copy of it if a folder above it is closed to others.
///
/// Tests run in processes of their own, so the copy has a name that all of them know; it is made anew after each build.
fn open_to_everybody(program: &Path) -> PathBuf {
    let found = |path: &Path| fs_err::metadata(path).unwrap();
    if program.ancestors().all(|path| found(path).mode() & 0o001 != 0) {
        return program.to_owned();
    }
    let folder = std::env::temp_dir().join(format!("openoxide-tests-{}", rustix::process::geteuid().as_raw()));
    let _ = fs_err::create_dir(&folder);
    assert_eq!(found(&folder).uid(), rustix::process::geteuid().as_raw(), "{}", folder.display());
    fs_err::set_permissions(&folder, std::fs::Permissions::from_mode(0o755)).unwrap();
    let mut hasher = DefaultHasher::new();
    program.hash(&mut hasher);
    let copy = folder.join(format!("{:x}", hasher.finish()));
    let version = |path: &Path| fs_err::metadata(path).map(|found| (found.len(), found.modified().unwrap())).ok();
    if version(&copy) != version(program) {
        let part = folder.join(format!("{}", std::process::id()));
        fs_err::copy(program, &part).unwrap();
        fs_err::set_permissions(&part, std::fs::Permissions::from_mode(0o755)).unwrap();
        fs_err::File::open(&part).unwrap().file().set_modified(found(program).modified().unwrap()).unwrap();
        fs_err::rename(part, &copy).unwrap();
    }
    copy
}

fn answers(command: &mut Command) -> bool {
    command.output().is_ok_and(|output| output.status.success())
}
