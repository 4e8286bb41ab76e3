//! JSON-RPC over a child's standard input and output.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};

/// How long one answer may take.
const PATIENCE: Duration = Duration::from_secs(90);

/// A child that is spoken to in lines of JSON; dropped, it ends.
#[derive(Debug)]
pub(super) struct Rpc {
    child: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    last_id: u64,
}

impl Rpc {
    /// Starts a child.
    pub(super) fn start(command: &mut Command) -> Result<Self> {
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().context("the real program does not start")?;
        let input = child.stdin.take();
        let output = child.stdout.take().context("the child has no standard output")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || forward(output, &sender));
        Ok(Self { child, input, messages, last_id: 0 })
    }

    /// Calls a method and returns its result.
    pub(super) fn call(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "id": id, "method": method, "params": params }))?;
        let mut answer = self.wait(|message| message["id"] == id && message["method"].is_null())?;
        match answer.get_mut("result") {
            Some(result) => Ok(result.take()),
            None => bail!("`{method}` failed: {}", answer["error"]),
        }
    }

    /// Sends a notification.
    pub(super) fn notify(&mut self, method: &str) -> Result<()> {
        self.send(&json!({ "method": method }))
    }

    /// Waits for a message, dropping those before it.
    pub(super) fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Result<Value> {
        let end = Instant::now() + PATIENCE;
        loop {
            let left = end.saturating_duration_since(Instant::now());
            let message = self.messages.recv_timeout(left).context("the real program gave no answer")?;
            if wanted(&message) {
                return Ok(message);
            }
        }
    }

    /// Sends a message as it is.
    pub(super) fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().context("the child has no standard input")?;
        writeln!(input, "{message}")?;
        Ok(input.flush()?)
    }
}

impl Drop for Rpc {
    fn drop(&mut self) {
        // The end of its input tells the child to leave; one that stays is ended.
        drop(self.input.take());
        for _ in 0..200 {
            if matches!(self.child.try_wait(), Ok(Some(_))) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn forward(output: ChildStdout, sender: &Sender<Value>) {
    for line in BufReader::new(output).lines().map_while(Result::ok) {
        if let Ok(message) = serde_json::from_str(&line)
            && sender.send(message).is_err()
        {
            return;
        }
    }
}
