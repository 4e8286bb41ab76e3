//! The MCP server, over streams and over HTTP, in both of its lifecycles.

mod asking;
mod bounds;
mod changes;
mod http;
mod lists;
mod prompts;
mod resources;
mod skills;
mod tools;

use openoxide_config::Environment;
use openoxide_live::Place;
use openoxide_server::mcp::{McpOptions, serve_on};
use openoxide_server::{Engine, EngineOptions};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf};

pub(crate) const OLD: &str = "2025-11-25";
pub(crate) const NEW: &str = "2026-07-28";

/// A project with skills of every kind that matters here.
pub(crate) fn project() -> TestContext {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms").skill("notes", "Takes notes");
    context.tree(
        "//- project/.agents/skills/pdf/references/tables.md\nTables\n\
         //- project/.agents/skills/pdf/empty/\n\
         //- project/.agents/skills/hidden/SKILL.md\n---\nname: hidden\ndescription: Secret words\n\
         disable-model-invocation: true\n---\nFor people.\n\
         //- project/.agents/skills/quiet/SKILL.md\n---\nname: quiet\ndescription: For models\n\
         user-invocable: false\n---\nFor models.\n\
         //- project/.agents/skills/Odd_Name/SKILL.md\n---\nname: Odd_Name\ndescription: Breaks the standard\n---\nOdd.\n\
         //- project/.agents/skills/greet/SKILL.md\n---\nname: greet\ndescription: Greets\n\
         arguments: [who, how]\nargument-hint: WHO HOW\n---\nGreet $who $how.\n",
    );
    let references = context.project().join(".agents/skills/pdf/references");
    fs_err::write(references.join("a b.md"), "Blank\n").unwrap();
    context
}

pub(crate) fn environment(context: &TestContext) -> Environment {
    Environment {
        cwd: context.project(),
        home: Some(context.home()),
        variables: [("PATH".to_owned(), "/usr/bin:/bin".to_owned())].into(),
        admin: context.root().join("admin"),
        ..Environment::default()
    }
}

pub(crate) fn engine(context: &TestContext, settings: &[&str]) -> Engine {
    let config = settings.iter().map(ToString::to_string).collect();
    let place = Place { config, ..Place::of(context.project()) };
    Engine::new(environment(context), place, EngineOptions::default())
}

/// A client on a pair of streams.
pub(crate) struct Client {
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    output: WriteHalf<DuplexStream>,
    version: &'static str,
    /// What it says of itself: its name and its version.
    info: (&'static str, &'static str),
    capabilities: Value,
    id: u64,
    /// What was asked by the server, and what is answered; absent: there is no answer.
    pub(crate) answer: Option<Value>,
    pub(crate) asked: Vec<Value>,
    pub(crate) notices: Vec<Value>,
    /// What the server said on being greeted.
    pub(crate) greeting: Value,
}

impl Client {
    pub(crate) async fn new(context: &TestContext, version: &'static str) -> Client {
        Client::with(context, version, &[], McpOptions::default(), json!({})).await
    }

    pub(crate) async fn with(
        context: &TestContext,
        version: &'static str,
        settings: &[&str],
        options: McpOptions,
        capabilities: Value,
    ) -> Client {
        let mut client = Client::silent(context, version, settings, options, capabilities);
        client.greeting = client.greet().await;
        client
    }

    /// Connects, and says nothing.
    pub(crate) fn silent(
        context: &TestContext,
        version: &'static str,
        settings: &[&str],
        options: McpOptions,
        capabilities: Value,
    ) -> Client {
        let (ours, theirs) = tokio::io::duplex(1 << 20);
        let (input, output) = tokio::io::split(theirs);
        tokio::spawn(serve_on(engine(context, settings), options, input, output));
        let (input, output) = tokio::io::split(ours);
        let input = BufReader::new(input).lines();
        let (asked, notices) = (Vec::new(), Vec::new());
        let greeting = Value::Null;
        let info = ("test", "1");
        Client { input, output, version, info, capabilities, id: 0, answer: None, asked, notices, greeting }
    }

    /// Connects as a program that says this of itself.
    pub(crate) async fn named(
        context: &TestContext,
        version: &'static str,
        info: (&'static str, &'static str),
        settings: &[&str],
    ) -> Client {
        let mut client = Client::silent(context, version, settings, McpOptions::default(), json!({}));
        client.info = info;
        client.greeting = client.greet().await;
        client
    }

    pub(crate) async fn greet(&mut self) -> Value {
        if self.version == NEW {
            return self.ok("server/discover", json!({})).await;
        }
        let info = json!({ "name": self.info.0, "version": self.info.1 });
        let capabilities = self.capabilities.clone();
        let params = json!({ "protocolVersion": self.version, "capabilities": capabilities, "clientInfo": info });
        let greeting = self.ok("initialize", params).await;
        self.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        greeting
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.raw(message.to_string().as_bytes()).await;
    }

    /// Sends a line.
    pub(crate) async fn raw(&mut self, line: &[u8]) {
        self.output.write_all(line).await.unwrap();
        self.output.write_all(b"\n").await.unwrap();
    }

    /// Sends a request and returns its id.
    pub(crate) async fn begin(&mut self, method: &str, mut params: Value) -> u64 {
        if self.version == NEW {
            params["_meta"] = meta(&self.capabilities);
            let info = json!({ "name": self.info.0, "version": self.info.1 });
            params["_meta"]["io.modelcontextprotocol/clientInfo"] = info;
        }
        self.id += 1;
        let id = self.id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// Reads one message.
    pub(crate) async fn read(&mut self) -> Value {
        let line = tokio::time::timeout(std::time::Duration::from_secs(20), self.input.next_line()).await;
        serde_json::from_str(&line.expect("the server answers").unwrap().expect("the server is there")).unwrap()
    }

    /// Sends a request and returns the whole answer; answers what it is asked meanwhile.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.begin(method, params).await;
        loop {
            let message = self.read().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            if message.get("id").is_none() {
                self.notices.push(message);
                continue;
            }
            let answer = match &self.answer {
                Some(answer) => json!({ "jsonrpc": "2.0", "id": message["id"], "result": answer }),
                None => json!({ "jsonrpc": "2.0", "id": message["id"], "error": { "code": -1, "message": "no" } }),
            };
            self.asked.push(message);
            self.send(&answer).await;
        }
    }

    pub(crate) async fn ok(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer.get("error").is_none(), "{method}: {answer}");
        answer["result"].take()
    }

    pub(crate) async fn error(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.request(method, params).await;
        assert!(answer.get("result").is_none(), "{method}: {answer}");
        answer["error"].take()
    }

    /// Calls a tool.
    pub(crate) async fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ok("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }
}

/// What every request of the newer lifecycle says.
pub(crate) fn meta(capabilities: &Value) -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": NEW,
        "io.modelcontextprotocol/clientInfo": { "name": "test", "version": "1" },
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    })
}

/// Returns the lines of the audit log, once there are so many.
pub(crate) async fn audited(context: &TestContext, count: usize) -> Vec<Value> {
    let file = context.home().join(".openoxide/state/audit.jsonl");
    for _ in 0..500 {
        let text = fs_err::read_to_string(&file).unwrap_or_default();
        let lines: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        if lines.len() >= count {
            return lines;
        }
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    panic!("{:?}", fs_err::read_to_string(&file));
}

/// Returns one field of every item.
pub(crate) fn field(items: &Value, key: &str) -> Vec<String> {
    let items = items.as_array().unwrap_or_else(|| panic!("no list: {items}"));
    items.iter().map(|item| item[key].as_str().unwrap_or_else(|| panic!("no {key}: {item}")).to_owned()).collect()
}

/// Returns all text of a tool's answer.
pub(crate) fn text(result: &Value) -> String {
    field(&result["content"], "text").join("\n")
}

#[tokio::test]
async fn both_lifecycles_are_greeted() {
    let context = project();
    for version in [OLD, NEW] {
        let client = Client::new(&context, version).await;
        let greeting = &client.greeting;
        let skills = &greeting["capabilities"]["extensions"]["io.modelcontextprotocol/skills"];
        assert_eq!(skills, &json!({ "directoryRead": true }), "{greeting}");
        for list in ["tools", "prompts", "resources"] {
            assert_eq!(greeting["capabilities"][list]["listChanged"], true, "{list}");
        }
        let instructions = greeting["instructions"].as_str().unwrap();
        assert!(instructions.contains("call `skill` with its name"), "{instructions}");
        assert!(!instructions.contains("hidden"), "{instructions}");
    }
    let client = Client::new(&context, OLD).await;
    assert_eq!(client.greeting["protocolVersion"], OLD);
    let client = Client::new(&context, NEW).await;
    assert!(client.greeting["supportedVersions"].to_string().contains(NEW), "{}", client.greeting);
}

#[tokio::test]
async fn what_is_no_method_is_said_and_a_long_message_breaks_nothing() {
    let context = project();
    let mut client = Client::new(&context, OLD).await;
    assert_eq!(client.error("skills/remove", json!({})).await["code"], -32601);
    let long = "x".repeat(2 << 20);
    client.send(&json!({ "jsonrpc": "2.0", "id": 900, "method": "ping", "params": { "x": long } })).await;
    assert_eq!(client.read().await["error"]["code"], -32600);
    assert_eq!(client.ok("ping", json!({})).await, json!({}));
}

/// What the model may not see is nowhere that the model looks.
#[tokio::test]
async fn what_is_hidden_is_hidden() {
    let context = project();
    context.skill("denied", "Denied words");
    let settings = ["permission.skill.\"denied\"=\"deny\""];
    for version in [OLD, NEW] {
        let mut client = Client::with(&context, version, &settings, McpOptions::default(), json!({})).await;
        let mut seen = client.greeting.to_string();
        for method in ["tools/list", "skills/list", "resources/list", "resources/templates/list"] {
            seen += &client.ok(method, json!({})).await.to_string();
        }
        let template = json!({ "type": "ref/resource", "uri": "skill://{+skill}/{+path}" });
        let argument = json!({ "name": "skill", "value": "" });
        let completed = client.ok("completion/complete", json!({ "ref": template, "argument": argument })).await;
        assert!(completed["completion"]["values"].as_array().unwrap().contains(&json!("pdf")), "{completed}");
        seen += &completed.to_string();
        for query in ["hidden", "secret words", "denied", "denied words"] {
            seen += &text(&client.call("skills_search", json!({ "query": query })).await);
        }
        // What is asked for is repeated; what is answered must not say that it is there.
        for name in ["hidden", "denied"] {
            let unknown = text(&client.call("skill", json!({ "name": "hiddem" })).await);
            assert!(!unknown.contains("hidden") && !unknown.contains("denied"), "{unknown}");
            let refused = client.call("skills_readResource", json!({ "name": name, "path": "SKILL.md" })).await;
            let never = client.call("skills_readResource", json!({ "name": "zzz", "path": "SKILL.md" })).await;
            assert_eq!(text(&refused).replace(name, "zzz"), text(&never));
            let uri = format!("skill://{name}/SKILL.md");
            let no = client.error("resources/read", json!({ "uri": uri })).await;
            let none = client.error("resources/read", json!({ "uri": "skill://zzz/SKILL.md" })).await;
            assert_eq!(no.to_string().replace(name, "zzz"), none.to_string());
            assert_eq!(client.error("skills/get", json!({ "uri": uri })).await["code"], -32602);
        }
        for word in ["hidden", "Secret words", "denied", "Denied words"] {
            assert!(!seen.contains(word), "{word} is in {seen}");
        }
    }
}
