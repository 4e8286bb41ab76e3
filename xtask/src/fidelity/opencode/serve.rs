//! Reads how `OpenCode` answers its own clients over HTTP.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Child, Stdio};
use std::time::Duration;

use anyhow::{Context, Result};
use serde_json::{Value, json};

use super::prepare;
use crate::fidelity::peers::{Peer, Program};
use crate::fidelity::prose::mark;
use crate::fidelity::scene::Scene;

/// A program that listens; dropped, it ends.
struct BoundListener {
    child: Child,
    address: String,
}

impl Drop for BoundListener {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Asks a server of `OpenCode` for its skills and commands: those that it reads from disk, by place.
pub(in crate::fidelity) fn answers(program: &Program, scene: &Scene) -> Result<Value> {
    let server = start(program, scene)?;
    let mut skills = server.ask("/skill", scene)?;
    skills.retain(|skill| skill["location"] != "<built-in>");
    let on_disk = |name: &Value| skills.iter().any(|skill| skill["name"] == *name);
    let mut commands = server.ask("/command", scene)?;
    commands.retain(|command| command["source"] == "skill" && on_disk(&command["name"]));
    for command in &mut commands {
        let template = command["template"].as_str().unwrap_or_default();
        // The mark for a call stands in the same place.
        command["template"] = mark(Peer::OpenCode, "", template).text.into();
    }
    for list in [&mut skills, &mut commands] {
        list.sort_by_key(|one| one["name"].to_string());
    }
    let answer = json!({ "skill": skills, "command": commands });
    Ok(serde_json::from_str(&scene.portable(&answer.to_string()))?)
}

fn start(program: &Program, scene: &Scene) -> Result<BoundListener> {
    let mut command = prepare(program, scene)?;
    command.args(["serve", "--port", "0", "--hostname", "127.0.0.1"]);
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    let output = child.stdout.take().context("the program has no output")?;
    let mut listening = BoundListener { child, address: String::new() };
    for line in BufReader::new(output).lines() {
        if let Some((_, address)) = line?.split_once("listening on http://") {
            address.trim().clone_into(&mut listening.address);
            return Ok(listening);
        }
    }
    anyhow::bail!("the program does not listen")
}

impl BoundListener {
    fn ask(&self, path: &str, scene: &Scene) -> Result<Vec<Value>> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream.set_read_timeout(Some(Duration::from_mins(1)))?;
        let folder = scene.folder();
        write!(
            stream,
            "GET {path}?directory={} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            folder.display(),
            self.address
        )?;
        let mut answer = Vec::new();
        stream.read_to_end(&mut answer)?;
        let answer = String::from_utf8(answer)?;
        let (_, body) = answer.split_once("\r\n\r\n").context("no body in the answer")?;
        serde_json::from_str(body).with_context(|| format!("no list in {body:?}"))
    }
}
