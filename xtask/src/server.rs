//! A server that a task starts, and that ends with it.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

use anyhow::{Context as _, Result, bail};

/// A server that ends when it is dropped.
pub(crate) struct Server {
    child: Child,
    /// Where it is, without a path: `http://127.0.0.1:7171`.
    pub(crate) address: String,
}

impl Server {
    /// Starts a server, and waits until it says where it is.
    pub(crate) fn start(command: &mut Command) -> Result<Server> {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().context("no server starts")?;
        let output = child.stdout.take().context("the server has no output")?;
        let mut server = Server { child, address: String::new() };
        for line in BufReader::new(output).lines() {
            if let Some(address) = address(&line?) {
                server.address = address;
                return Ok(server);
            }
        }
        bail!("the server does not say where it is")
    }

    /// Returns what the system calls the process.
    pub(crate) fn id(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Finds the address of a server in a line, which may go on with a path.
fn address(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("http://")?;
    let host = rest.split(|sign: char| sign == '/' || sign.is_whitespace()).next()?;
    Some(format!("http://{host}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_where_its_first_line_says() {
        let at = Some("http://127.0.0.1:7171".to_owned());
        assert_eq!(address("open http://127.0.0.1:7171/open/0123"), at);
        assert_eq!(address("listening at http://127.0.0.1:7171"), at);
        assert_eq!(address("nothing"), None);
    }
}
