//! A server, a program that shows it the access token, and its user in a browser.

use std::process::Command;

use serde_json::{Value, json};

use super::Says;
use crate::serve::{Browser, Server, answer};

const MCP: &str = "2026-07-28";

/// More questions than any skill of a test has.
const QUESTIONS: usize = 8;

pub(super) struct Http {
    server: Server,
    browser: Option<Browser>,
}

impl Http {
    pub(super) fn start(command: &mut Command) -> Http {
        Http { server: Server::from(command), browser: None }
    }

    pub(super) fn process(&self) -> u32 {
        self.server.process()
    }

    /// Sends `METHOD PATH BODY`; if the user has to decide, they do so in the browser, and it is sent again.
    pub(super) fn ask(&mut self, line: &str, says: Says) -> String {
        let (line, body) = line.split_at(line.find(" {").unwrap_or(line.len()));
        let mut said = String::new();
        for _ in 0..QUESTIONS {
            let (status, text) = answer(self.server.send(line, "", body.trim()));
            said += &text;
            said.push('\n');
            let handle = text.split("\"handle\":\"").nth(1).and_then(|rest| rest.split('"').next());
            let Some(handle) = handle.filter(|_| status == 202 && says != Says::No) else { return said };
            if let Err(page) = self.press(handle, says) {
                return said + &page;
            }
        }
        panic!("{line} asks without end: {said}");
    }

    /// Calls a method of MCP, in a request that stands alone, by a client that says that it can ask its user.
    pub(super) fn call_mcp(&mut self, method: &str, params: &Value, says: Says) -> String {
        let mut said = String::new();
        for _ in 0..QUESTIONS {
            let text = self.mcp(method, params);
            said += &text;
            said.push('\n');
            if says == Says::No || !text.contains("needs-approval") {
                return said;
            }
            let handle = self.open_question();
            if let Err(page) = self.press(&handle, says) {
                return said + &page;
            }
        }
        panic!("{method} asks without end: {said}");
    }

    /// Returns the name of the first question on the page.
    pub(super) fn open_question(&mut self) -> String {
        let (_, page) = self.browser().send("GET /", "", "");
        let handle = page.split("action=\"questions/").nth(1).map(|rest| rest[..32].to_owned());
        handle.unwrap_or_else(|| panic!("no question on {page}"))
    }

    fn mcp(&self, method: &str, params: &Value) -> String {
        let mut params = params.clone();
        params["_meta"] = json!({
            "io.modelcontextprotocol/protocolVersion": MCP,
            "io.modelcontextprotocol/clientInfo": { "name": "t", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": { "elicitation": { "form": {} } },
        });
        let name = params.get("name").or_else(|| params.get("uri")).and_then(Value::as_str);
        let name = name.filter(|_| !method.starts_with("skills/"));
        let named = name.map(|name| format!("mcp-name: {name}\r\n")).unwrap_or_default();
        let headers = format!(
            "accept: application/json, text/event-stream\r\nmcp-protocol-version: {MCP}\r\nmcp-method: {method}\r\n{named}"
        );
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }).to_string();
        answer(self.server.send("POST /mcp", &headers, &body)).1
    }

    fn browser(&mut self) -> &Browser {
        let Http { server, browser } = self;
        browser.get_or_insert_with(|| server.open(&server.line).unwrap())
    }

    /// The user reads the question on the page, and answers it; what the page says, if the answer is ignored.
    fn press(&mut self, handle: &str, says: Says) -> Result<(), String> {
        let (form, line) = ("application/x-www-form-urlencoded", format!("POST /questions/{handle}"));
        let (status, text) = self.browser().send(&line, form, &format!("answer={}", says.word()));
        if status == 303 { Ok(()) } else { Err(text) }
    }
}
