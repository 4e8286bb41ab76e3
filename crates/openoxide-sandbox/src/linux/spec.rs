//! The messages between the runtime and its helper: the command, and the answers.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::frame;
use crate::{Command, Ended, Limits};

/// How a path of the policy may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A command for the helper, with every path resolved.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Spec {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    #[serde(skip)]
    pub(crate) stdin: Vec<u8>,
    pub(crate) cwd: Option<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    #[serde(with = "any_paths")]
    pub(crate) readable: Vec<PathBuf>,
    #[serde(with = "any_paths")]
    pub(crate) writable: Vec<PathBuf>,
    #[serde(with = "any_paths")]
    pub(crate) sealed: Vec<PathBuf>,
    pub(crate) network: bool,
    /// Whether only Landlock restricts reading, so that the command must not run without it.
    pub(crate) relies_on_landlock: bool,
    pub(crate) limits: Limits,
}

impl Spec {
    pub(crate) fn new(command: &Command, sealed: Vec<PathBuf>, relies_on_landlock: bool) -> Self {
        Self {
            program: command.program.clone(),
            args: command.args.clone(),
            stdin: command.stdin.clone(),
            cwd: command.cwd.clone().map(OsString::from),
            env: command.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            readable: command.policy.readable.clone(),
            writable: command.policy.writable.clone(),
            sealed,
            network: command.policy.network,
            relies_on_landlock,
            limits: command.limits,
        }
    }

    /// Returns every path of the policy once, shallow ones first, so that the deeper one applies.
    ///
    /// A folder between a writable one and a read-only path below it is a mount of its own, because a mount point cannot be
    /// moved away and replaced.
    pub(crate) fn mounts(&self) -> Vec<(PathBuf, Access)> {
        const SEALED: (u8, Access) = (0, Access::Read);
        const WRITABLE: (u8, Access) = (1, Access::Write);
        const READABLE: (u8, Access) = (2, Access::Read);
        let mut mounts: Vec<(PathBuf, (u8, Access))> = Vec::new();
        mounts.extend(self.sealed.iter().map(|path| (path.clone(), SEALED)));
        mounts.extend(self.writable.iter().map(|path| (path.clone(), WRITABLE)));
        mounts.extend(self.readable.iter().map(|path| (path.clone(), READABLE)));
        mounts.extend(self.between().into_iter().map(|path| (path.to_owned(), WRITABLE)));
        mounts.sort_by_key(|(path, (rank, _))| (path.components().count(), path.clone(), *rank));
        mounts.dedup_by(|next, first| next.0 == first.0);
        mounts.into_iter().map(|(path, (_, access))| (path, access)).collect()
    }

    fn between(&self) -> Vec<&Path> {
        let fixed = || self.sealed.iter().chain(&self.readable).filter(|path| !self.writable.contains(path));
        let inside = |folder: &&Path| {
            self.writable.iter().any(|root| folder.starts_with(root) && *folder != root)
                && !fixed().any(|path| folder.starts_with(path))
        };
        fixed().flat_map(|path| path.ancestors().skip(1).take_while(inside)).collect()
    }

    /// Sends the command. Its input can be long and anything, so it follows as it is.
    pub(crate) fn send(&self, mut to: impl Write) -> io::Result<()> {
        frame::send(&mut to, self)?;
        frame::send_bytes(to, &self.stdin)
    }

    /// Receives a command, or nothing if the other side is gone.
    pub(crate) fn receive(mut from: impl Read) -> io::Result<Option<Self>> {
        let Some(spec) = frame::receive::<Self>(&mut from)? else { return Ok(None) };
        Ok(frame::receive_bytes(from)?.map(|stdin| Self { stdin, ..spec }))
    }
}

/// Sends paths as `OsString`s, because `serde` takes only paths that are UTF-8.
mod any_paths {
    use super::{Deserialize, OsString, PathBuf, Serialize as _};

    pub(super) fn serialize<S: serde::Serializer>(paths: &[PathBuf], to: S) -> Result<S::Ok, S::Error> {
        paths.iter().map(|path| path.as_os_str()).collect::<Vec<_>>().serialize(to)
    }

    pub(super) fn deserialize<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Vec<PathBuf>, D::Error> {
        Ok(Vec::<OsString>::deserialize(from)?.into_iter().map(PathBuf::from).collect())
    }
}

/// An answer of the helper.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Answer {
    /// It is inside and waits for the command.
    Ready,
    /// All layers stand, and the command starts.
    Started,
    /// A layer could not be built.
    Refused { layer: String, why: String },
    /// The program does not exist.
    NoProgram { why: String },
    /// The command has ended.
    Ended(Ended),
}

impl Answer {
    pub(crate) fn send(&self, to: impl Write) -> io::Result<()> {
        frame::send(to, self)
    }

    pub(crate) fn receive(from: impl Read) -> io::Result<Option<Self>> {
        frame::receive(from)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Policy;

    #[test]
    fn mounts_are_in_order_and_seals_win() {
        let mut command = Command::new("true", Limits::SCRIPT);
        command.policy = Policy {
            readable: vec!["/w/a/skill".into(), "/w".into(), "/r".into()],
            writable: vec!["/w".into(), "/r/out".into()],
            ..Policy::default()
        };
        let spec = Spec::new(&command, vec!["/w/.git".into(), "/w/b/c/.git".into()], true);
        let shown: Vec<String> =
            spec.mounts().iter().map(|(path, access)| format!("{} {access:?}", path.display())).collect();
        let expected = "/r Read, /w Write, /r/out Write, /w/.git Read, /w/a Write, /w/b Write, /w/a/skill Read, /w/b/c Write, /w/b/c/.git Read";
        assert_eq!(shown.join(", "), expected);
    }

    #[test]
    fn a_command_survives_the_wire() {
        let mut command = Command::shell("echo", Limits::EMBEDDED);
        command.stdin = vec![0, 255];
        command.cwd = Some("/w".into());
        command.env.set("A", "b").unwrap();
        let spec = Spec::new(&command, vec!["/w/.git".into()], true);
        let mut wire = Vec::new();
        spec.send(&mut wire).unwrap();
        let received = Spec::receive(wire.as_slice()).unwrap().unwrap();
        assert_eq!(format!("{received:?}"), format!("{spec:?}"));
    }
}
