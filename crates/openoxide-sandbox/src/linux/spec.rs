//! The messages between the runtime and its helper: the command, and the answers. Each is bytes after their length.

use std::ffi::OsString;
use std::io::{self, Read, Write};

use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::grant::Grant;
use crate::{Command, Ended, Limits};

/// Whether Landlock restricts the command.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum Landlock {
    /// Nothing else restricts reading, so that the command must not run without it.
    Required,
    /// The kernel has it, and it adds to what the mounts restrict.
    Added,
    /// The kernel has none.
    Absent,
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
    pub(crate) grants: Vec<Grant>,
    pub(crate) network: bool,
    /// What to do with Landlock.
    pub(crate) landlock: Landlock,
    pub(crate) limits: Limits,
}

impl Spec {
    pub(crate) fn new(command: &Command, grants: Vec<Grant>, landlock: Landlock) -> Self {
        Self {
            program: command.program.clone(),
            args: command.args.clone(),
            stdin: command.stdin.clone(),
            cwd: command.cwd.clone().map(OsString::from),
            env: command.env.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect(),
            grants,
            network: command.policy.network,
            landlock,
            limits: command.limits,
        }
    }

    /// Sends the command. Its input can be long and anything, so it follows as it is.
    pub(crate) fn send(&self, mut to: impl Write) -> io::Result<()> {
        send(&mut to, self)?;
        send_bytes(to, &self.stdin)
    }

    /// Receives a command, or nothing if the other side is gone.
    pub(crate) fn receive(mut from: impl Read) -> io::Result<Option<Self>> {
        let Some(spec) = receive::<Self>(&mut from)? else { return Ok(None) };
        Ok(receive_bytes(from)?.map(|stdin| Self { stdin, ..spec }))
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
        send(to, self)
    }

    pub(crate) fn receive(from: impl Read) -> io::Result<Option<Self>> {
        receive(from)
    }
}

/// The longest message, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

fn send(to: impl Write, message: &impl Serialize) -> io::Result<()> {
    send_bytes(to, &serde_json::to_vec(message)?)
}

fn send_bytes(mut to: impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&(bytes.len() as u64).to_le_bytes())?;
    to.write_all(bytes)
}

/// Receives a message, or nothing if the other side is gone.
fn receive<T: DeserializeOwned>(from: impl Read) -> io::Result<Option<T>> {
    let Some(bytes) = receive_bytes(from)? else { return Ok(None) };
    serde_json::from_slice(&bytes).map(Some).map_err(|_| malformed())
}

fn receive_bytes(mut from: impl Read) -> io::Result<Option<Vec<u8>>> {
    let mut length = [0; 8];
    match from.read_exact(&mut length) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u64::from_le_bytes(length);
    if length > LONGEST {
        return Err(malformed());
    }
    let mut bytes = Vec::new();
    from.take(length).read_to_end(&mut bytes)?;
    if bytes.len() as u64 == length { Ok(Some(bytes)) } else { Err(malformed()) }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "a message to or from the helper is malformed")
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt as _;

    use super::*;

    #[test]
    fn a_command_survives_the_wire() {
        let mut command = Command::shell("echo", Limits::EMBEDDED);
        command.stdin = vec![0, 255];
        let odd = OsString::from_vec(b"/w/\xff".to_vec());
        command.cwd = Some(odd.clone().into());
        command.args.push(odd);
        command.env.set("A", "b").unwrap();
        let spec = Spec::new(&command, Vec::new(), Landlock::Added);
        let mut wire = Vec::new();
        spec.send(&mut wire).unwrap();
        let received = Spec::receive(wire.as_slice()).unwrap().unwrap();
        assert_eq!(format!("{received:?}"), format!("{spec:?}"));
    }

    #[test]
    fn what_is_sent_is_received() {
        let mut wire = Vec::new();
        send(&mut wire, &(7, "a\0b", ["x", ""])).unwrap();
        send_bytes(&mut wire, b"a\0\xff").unwrap();
        let mut wire = wire.as_slice();
        let received: (u64, String, [String; 2]) = receive(&mut wire).unwrap().unwrap();
        assert_eq!(received, (7, "a\0b".to_owned(), ["x".to_owned(), String::new()]));
        assert_eq!(receive_bytes(&mut wire).unwrap().unwrap(), b"a\0\xff");
        assert!(receive_bytes(&mut wire).unwrap().is_none());
    }

    #[test]
    fn nonsense_is_an_error() {
        assert!(receive::<u64>(&b""[..]).unwrap().is_none());
        assert!(receive_bytes(&[255; 8][..]).is_err());
        assert!(receive_bytes(&[9, 0, 0, 0, 0, 0, 0, 0, 1][..]).is_err());
        assert!(receive::<u64>(&[1, 0, 0, 0, 0, 0, 0, 0, 255][..]).is_err());
    }
}
