//! The messages between the runtime and its helper: the command, and the answers.

use std::ffi::OsString;
use std::io::{self, Read};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::path::{Path, PathBuf};

use super::frame::{Message, Received};
use crate::{Command, Ended, Limits};

/// How a path of the policy may be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Access {
    Read,
    Write,
}

/// A command for the helper, with every path resolved.
#[derive(Debug)]
pub(crate) struct Spec {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) stdin: Vec<u8>,
    pub(crate) cwd: Option<PathBuf>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
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
            cwd: command.cwd.clone(),
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

    pub(crate) fn message(&self) -> Message {
        let mut message = Message::default();
        let paths = |message: &mut Message, paths: &[PathBuf]| {
            message.list(paths.iter().map(|path| path.as_os_str().as_bytes()));
        };
        message.push(self.program.as_bytes());
        message.list(self.args.iter().map(|arg| arg.as_bytes()));
        message.push(&self.stdin);
        paths(&mut message, self.cwd.as_slice());
        message.list(self.env.iter().map(|(name, _)| name.as_bytes()));
        message.list(self.env.iter().map(|(_, value)| value.as_bytes()));
        paths(&mut message, &self.readable);
        paths(&mut message, &self.writable);
        paths(&mut message, &self.sealed);
        message.number(self.network.into()).number(self.relies_on_landlock.into());
        let limits = &self.limits;
        message.number(u64::try_from(limits.time.as_millis()).unwrap_or(u64::MAX)).number(limits.output as u64);
        message.number(limits.processes.into()).number(limits.memory).number(limits.file_size);
        message
    }

    pub(crate) fn receive(from: impl Read) -> io::Result<Option<Self>> {
        let Some(mut received) = Received::receive(from)? else { return Ok(None) };
        let path = |bytes| PathBuf::from(OsString::from_vec(bytes));
        Ok(Some(Self {
            program: OsString::from_vec(received.pull()?),
            args: received.list(OsString::from_vec)?,
            stdin: received.pull()?,
            cwd: received.list(path)?.pop(),
            env: received.list(OsString::from_vec)?.into_iter().zip(received.list(OsString::from_vec)?).collect(),
            readable: received.list(path)?,
            writable: received.list(path)?,
            sealed: received.list(path)?,
            network: received.number()? != 0,
            relies_on_landlock: received.number()? != 0,
            limits: Limits {
                time: std::time::Duration::from_millis(received.number()?),
                output: usize::try_from(received.number()?).unwrap_or(usize::MAX),
                processes: u32::try_from(received.number()?).unwrap_or(u32::MAX),
                memory: received.number()?,
                file_size: received.number()?,
            },
        }))
    }
}

/// An answer of the helper.
#[derive(Clone, Debug, PartialEq, Eq)]
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
    pub(crate) fn message(&self) -> Message {
        let mut message = Message::default();
        match self {
            Self::Ready => message.number(0),
            Self::Started => message.number(1),
            Self::Refused { layer, why } => message.number(2).push(layer.as_bytes()).push(why.as_bytes()),
            Self::NoProgram { why } => message.number(3).push(why.as_bytes()),
            Self::Ended(ended) => ended_message(message.number(4), *ended),
        };
        message
    }

    pub(crate) fn receive(from: impl Read) -> io::Result<Option<Self>> {
        let Some(mut received) = Received::receive(from)? else { return Ok(None) };
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        Ok(Some(match received.number()? {
            0 => Self::Ready,
            1 => Self::Started,
            2 => Self::Refused { layer: text(received.pull()?), why: text(received.pull()?) },
            3 => Self::NoProgram { why: text(received.pull()?) },
            _ => Self::Ended(ended_from(&mut received)?),
        }))
    }
}

/// The helper reports only some of the ways to end.
fn ended_message(message: &mut Message, ended: Ended) -> &mut Message {
    let (kind, value) = match ended {
        Ended::Exit(code) => (0, code),
        Ended::Signal(signal) => (1, signal),
        Ended::ProcessLimit => (2, 0),
        Ended::MemoryLimit => (3, 0),
        Ended::FileSizeLimit => (4, 0),
        Ended::TimedOut | Ended::OutputLimit | Ended::Stopped => (5, 0),
    };
    message.number(kind).number(u64::from(value.cast_unsigned()))
}

fn ended_from(received: &mut Received) -> io::Result<Ended> {
    let (kind, value) = (received.number()?, received.number()?);
    let value = u32::try_from(value).unwrap_or(u32::MAX).cast_signed();
    Ok(match kind {
        0 => Ended::Exit(value),
        1 => Ended::Signal(value),
        2 => Ended::ProcessLimit,
        3 => Ended::MemoryLimit,
        4 => Ended::FileSizeLimit,
        _ => Ended::TimedOut,
    })
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
        spec.message().send(&mut wire).unwrap();
        let received = Spec::receive(wire.as_slice()).unwrap().unwrap();
        assert_eq!(format!("{received:?}"), format!("{spec:?}"));
    }
}
