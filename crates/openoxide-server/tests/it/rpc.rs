//! JSON-RPC, spoken as a client speaks it.

mod bounds;
mod calls;
mod change;
mod list;

use std::path::PathBuf;
use std::time::Duration;

use openoxide_config::Environment;
use openoxide_live::Place;
use openoxide_server::{Engine, EngineOptions, RpcOptions, serve_rpc};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines};
use tokio::task::JoinHandle;

/// A server, and a client that speaks to it.
pub(crate) struct Rpc {
    context: TestContext,
    input: Option<DuplexStream>,
    output: Lines<BufReader<DuplexStream>>,
    server: JoinHandle<std::io::Result<()>>,
    last: i64,
    /// Notices that came while something else was waited for.
    notices: Vec<Value>,
}

impl Rpc {
    /// Starts a server for a tree, as a host sees it, and says hello.
    pub(crate) async fn start(host: Option<&str>, tree: &str) -> Rpc {
        let mut rpc = Rpc::silent(host, tree);
        rpc.hello(json!({})).await;
        rpc
    }

    /// Starts a server without a word.
    fn silent(host: Option<&str>, tree: &str) -> Rpc {
        let context = TestContext::new();
        context.tree(tree);
        let (cwd, home) = (context.project(), context.home());
        let environment = Environment {
            cwd: cwd.clone(),
            home: Some(home.clone()),
            admin: context.root().join("admin"),
            ..Environment::default()
        };
        let here = Place { host: host.map(str::to_owned), ..Place::of(cwd) };
        let engine = Engine::new(environment, here, EngineOptions::default());
        let (input, theirs) = tokio::io::duplex(64 * 1024);
        let (ours, output) = tokio::io::duplex(64 * 1024);
        let options = RpcOptions { home: Some(home.join(".openoxide")) };
        let server = tokio::spawn(serve_rpc(engine, theirs, ours, options));
        Rpc {
            context,
            input: Some(input),
            output: BufReader::new(output).lines(),
            server,
            last: 0,
            notices: Vec::new(),
        }
    }

    async fn hello(&mut self, capabilities: Value) -> Value {
        let client = json!({ "name": "test", "title": "a test", "version": "1" });
        let answer = self.call("initialize", json!({ "clientInfo": client, "capabilities": capabilities })).await;
        self.send(&json!({ "method": "initialized" })).await;
        answer
    }

    async fn raw(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).await.unwrap();
        input.write_all(b"\n").await.unwrap();
    }

    async fn send(&mut self, message: &Value) {
        self.raw(message.to_string().as_bytes()).await;
    }

    async fn next(&mut self) -> Value {
        let line = tokio::time::timeout(Duration::from_secs(30), self.output.next_line()).await;
        serde_json::from_str(&line.expect("an answer in time").unwrap().expect("an answer")).unwrap()
    }

    /// Waits for a message of a kind, keeping notices for later.
    async fn wait(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let message = self.next().await;
            if wanted(&message) {
                return message;
            }
            assert!(message["id"].is_null(), "{message}");
            self.notices.push(message);
        }
    }

    /// Asks for something, and returns the answer with its result or error.
    pub(crate) async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.last += 1;
        let id = self.last;
        self.send(&json!({ "id": id, "method": method, "params": params })).await;
        self.wait(|message| message["id"] == id).await
    }

    async fn call(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    async fn refused(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params).await;
        assert!(answer["result"].is_null(), "{method}: {answer}");
        answer["error"].take()
    }

    fn path(&self, below: &str) -> PathBuf {
        self.context.root().join(below)
    }

    /// Ends the client's side; returns how the server ended.
    async fn end(mut self) -> std::io::Result<()> {
        drop(self.input.take());
        tokio::time::timeout(Duration::from_secs(20), self.server).await.expect("the server ends").unwrap()
    }
}

/// Returns the names of the skills in an answer to `skills/list`.
fn names(answer: &Value, folder: usize) -> Vec<&str> {
    let skills = answer["data"][folder]["skills"].as_array().unwrap();
    skills.iter().map(|skill| skill["name"].as_str().unwrap()).collect()
}
