//! A program that speaks JSON-RPC, a message to a line, with a client that answers its questions.

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

/// A process with its standard input and output.
pub(super) struct Pipe {
    child: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
    id: u64,
}

impl Pipe {
    /// Starts a program, and says hello with these parameters.
    pub(super) fn start(command: &mut Command, hello: &Value) -> Pipe {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
        let (input, output) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()).lines());
        let mut pipe = Pipe { child, input, output, id: 0 };
        pipe.call("initialize", hello, None);
        pipe.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        pipe
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").unwrap();
    }

    /// Calls a method; what the program asks meanwhile is answered with this. Returns everything that it said.
    pub(super) fn call(&mut self, method: &str, params: &Value, answer: Option<&Value>) -> String {
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }));
        let mut said = String::new();
        loop {
            let line = self.output.next().unwrap_or_else(|| panic!("{method} {params}: no answer")).unwrap();
            said += &line;
            said.push('\n');
            let message: Value = serde_json::from_str(&line).unwrap();
            if message.get("method").is_none() && message["id"] == id {
                return said;
            }
            if message.get("method").is_some() && message.get("id").is_some() {
                let error = json!({ "code": -32601, "message": "nobody answers" });
                let mut reply = json!({ "jsonrpc": "2.0", "id": message["id"] });
                match answer {
                    Some(answer) => reply["result"] = answer.clone(),
                    None => reply["error"] = error,
                }
                self.send(&reply);
            }
        }
    }

    pub(super) fn process(&self) -> u32 {
        self.child.id()
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
