//! The user in a browser: a link that works once, a session, and answers that nobody else can give.

use openoxide_testkit::TestContext;
use serde_json::json;

use super::{Came, Server, TOKEN};

/// A project with a skill that the user is asked about.
fn asked_about() -> TestContext {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms").skill("deploy", "Ships it");
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\ndeploy = \"ask\"\n");
    context
}

/// A browser with an open session.
pub(super) struct Browser<'s> {
    server: &'s Server,
    base: String,
    cookie: String,
}

impl Server {
    /// Opens a link, as a browser does.
    async fn open(&self, code: &str, headers: &str) -> Came {
        let host = format!("host: {}|{headers}", self.address);
        self.ask(&format!("GET /open/{code}"), &host, "").await
    }

    pub(super) async fn browser(&self) -> Browser<'_> {
        let code = self.links.make().unwrap();
        let came = self.open(&code, "sec-fetch-site: none|sec-fetch-mode: navigate").await;
        assert_eq!(came.status, 303, "{came:?}");
        let header = |name: &str| {
            let line = came.head.lines().find_map(|line| line.strip_prefix(name));
            line.unwrap_or_else(|| panic!("{came:?}")).trim().to_owned()
        };
        let set = header("set-cookie:");
        assert!(set.contains("; httponly; samesite=strict"), "{set}");
        let cookie = set.split(';').next().unwrap().to_owned();
        Browser { server: self, base: header("location:"), cookie }
    }

    /// Asks as a program that has the token.
    pub(super) async fn program(&self, line: &str, body: &str) -> Came {
        let kind = if body.is_empty() { "" } else { "|content-type: application/json" };
        self.ask(line, &format!("authorization: Bearer {TOKEN}{kind}"), body).await
    }
}

impl Browser<'_> {
    async fn ask(&self, method: &str, path: &str, headers: &str, body: &str) -> Came {
        let (base, address) = (&self.base, self.server.address);
        let headers = format!("host: {address}|cookie: {}|{headers}", self.cookie);
        self.server.ask(&format!("{method} {base}{path}"), &headers, body).await
    }

    pub(super) async fn page(&self) -> Came {
        self.ask("GET", "", "sec-fetch-site: same-origin", "").await
    }

    /// Presses a button of the page.
    async fn press(&self, handle: &str, form: &str) -> Came {
        let origin = format!("origin: http://{}", self.server.address);
        let headers = format!("{origin}|content-type: application/x-www-form-urlencoded");
        self.ask("POST", &format!("questions/{handle}"), &headers, form).await
    }
}

fn handle(came: &Came) -> String {
    let json: serde_json::Value = serde_json::from_str(&came.body).unwrap_or_else(|_| panic!("{came:?}"));
    json["handle"].as_str().unwrap_or_else(|| panic!("{came:?}")).to_owned()
}

#[tokio::test]
async fn a_link_opens_one_session_once_and_only_for_a_person() {
    let server = Server::guarded(asked_about()).await;
    let code = server.links.make().unwrap();
    for headers in ["sec-purpose: prefetch", "sec-fetch-mode: cors", "sec-fetch-site: none|sec-fetch-mode: no-cors"] {
        assert_eq!(server.open(&code, headers).await.status, 403, "{headers}");
    }
    assert_eq!(server.open(&code, "sec-fetch-site: cross-site").await.code(), "wrong-site");
    let head = server.ask(&format!("HEAD /open/{code}"), "", "").await;
    assert_eq!(head.status, 403, "{head:?}");
    let first = server.open(&code, "").await;
    assert_eq!(first.status, 303, "{first:?}");
    let again = server.open(&code, "").await;
    let never = server.open(&"0".repeat(32), "").await;
    assert_eq!((again.status, again.body.as_str()), (403, never.body.as_str()), "nothing says which it was");
    assert!(!again.head.contains("set-cookie") && !again.body.contains(&code), "{again:?}");
}

#[tokio::test]
async fn only_the_user_approves_and_the_program_goes_on_when_it_asks_again() {
    let server = Server::guarded(asked_about()).await;
    let call = "POST /v1/skills/deploy/activate";
    let asked = server.program(call, "{}").await;
    assert_eq!(asked.status, 202, "{asked:?}");
    let question = handle(&asked);
    assert_eq!(handle(&server.program(call, "{}").await), question, "the same call has one question");
    for body in ["{\"answer\": \"once\"}", "{\"answer\": \"always\"}"] {
        let yes = server.program(&format!("POST /v1/activations/{question}"), body).await;
        assert_eq!((yes.status, yes.code().as_str()), (403, "needs-proof"), "{yes:?}");
        assert!(yes.body.contains("openoxide serve --link"), "{yes:?}");
        let form = server.program(&format!("POST /questions/{question}"), body).await;
        assert_eq!((form.status, form.code().as_str()), (403, "needs-proof"), "{form:?}");
    }
    let browser = server.browser().await;
    let page = browser.page().await;
    assert!(page.status == 200 && page.body.contains(&format!("questions/{question}")), "{page:?}");
    assert!(page.head.contains("form-action 'self'") && page.head.contains("frame-ancestors 'none'"), "{page:?}");
    let unfit = browser.press(&question, "answer=value&value=x").await;
    assert_eq!(unfit.status, 422, "{unfit:?}");
    let pressed = browser.press(&question, "answer=once").await;
    assert!(pressed.status == 303 && pressed.head.contains("location: ../"), "{pressed:?}");
    assert!(browser.page().await.body.contains("Answered"));
    let done = server.program(call, "{}").await;
    assert!(done.status == 200 && done.body.contains("# deploy"), "{done:?}");
    // It was once.
    let anew = server.program(call, "{}").await;
    assert_eq!(anew.status, 202, "{anew:?}");
    assert_eq!(browser.press(&handle(&anew), "answer=no").await.status, 303);
    let refused = server.program(call, "{}").await;
    assert!(refused.status >= 400 && !refused.body.contains("# deploy"), "{refused:?}");
    assert_eq!(browser.press(&question, "answer=once").await.status, 404);
}

#[tokio::test]
async fn a_program_says_no_and_never_acts_as_the_user() {
    let server = Server::guarded(asked_about()).await;
    let question = handle(&server.program("POST /v1/skills/deploy/activate", "{}").await);
    let no = server.program(&format!("POST /v1/activations/{question}"), "{\"answer\": \"no\"}").await;
    assert!(no.status >= 400 && no.code() != "needs-proof", "{no:?}");
    for (line, body) in [
        ("POST /v1/skills/pdf/activate", "{\"as\": \"user\"}"),
        ("GET /v1/skills/pdf/files?as=user", ""),
        ("GET /v1/skills/pdf/files/SKILL.md?as=user", ""),
        ("POST /v1/skills/pdf/disable", "{}"),
        ("POST /v1/skills/pdf/enable", "{}"),
    ] {
        let came = server.program(line, body).await;
        assert_eq!((came.status, came.code().as_str()), (403, "needs-proof"), "{line}: {came:?}");
    }
    assert_eq!(server.program("POST /v1/reload", "{}").await.status, 200);
    let browser = server.browser().await;
    let headers = "sec-fetch-site: same-origin|content-type: application/json";
    let off = browser.ask("POST", "v1/skills/pdf/disable", headers, "{}").await;
    assert_eq!(off.status, 200, "{off:?}");
}

#[tokio::test]
async fn a_question_of_one_client_is_unknown_to_every_other() {
    let server = Server::guarded(asked_about()).await;
    let browser = server.browser().await;
    let headers = "sec-fetch-site: same-origin|content-type: application/json";
    let own = browser.ask("POST", "v1/skills/deploy/activate", headers, "{}").await;
    let question = handle(&own);
    for (line, body) in [("POST", "{\"answer\": \"no\"}"), ("POST", "{\"answer\": \"once\"}"), ("DELETE", "")] {
        let known = server.program(&format!("{line} /v1/activations/{question}"), body).await;
        let never = server.program(&format!("{line} /v1/activations/{}", "0".repeat(32)), body).await;
        assert_eq!((known.status, known.code()), (404, never.code()), "{known:?}");
    }
    let done = browser.ask("POST", &format!("v1/activations/{question}"), headers, "{\"answer\": \"once\"}").await;
    assert!(done.status == 200 && done.body.contains("# deploy"), "{done:?}");
}

#[tokio::test]
async fn a_session_is_good_for_its_own_page_only() {
    let server = Server::guarded(asked_about()).await;
    let browser = server.browser().await;
    let question = handle(&server.program("POST /v1/skills/deploy/activate", "{}").await);
    let path = format!("questions/{question}");
    let form = "content-type: application/x-www-form-urlencoded";
    for headers in [
        form.to_owned(),
        format!("{form}|origin: http://evil.example"),
        format!("{form}|origin: http://127.0.0.1:1"),
        format!("{form}|origin: null"),
        format!("{form}|sec-fetch-site: same-site"),
        format!("{form}|sec-fetch-site: none"),
    ] {
        let came = browser.ask("POST", &path, &headers, "answer=once").await;
        assert!([401, 403].contains(&came.status), "{headers}: {came:?}");
    }
    let bare = server.ask(&format!("GET {}", browser.base), &format!("host: {}", server.address), "").await;
    assert_eq!((bare.status, bare.code().as_str()), (401, "no-session"), "{bare:?}");
    let front = server.ask("GET /", &format!("host: {}|cookie: {}", server.address, browser.cookie), "").await;
    assert_eq!(front.status, 401, "the cookie is for its own path: {front:?}");
    let named = format!("host: localhost:{}|cookie: {}", server.address.port(), browser.cookie);
    assert_eq!(server.ask(&format!("GET {}", browser.base), &named, "").await.status, 401, "another name");
    let still = server.program("POST /v1/skills/deploy/activate", "{}").await;
    assert_eq!(still.status, 202, "nothing of this was an answer: {still:?}");
}

/// Calls the tool that loads a skill, as an MCP client whose every request stands alone; it says that its user agreed.
async fn call_tool(server: &Server, skill: &str) -> serde_json::Value {
    let meta = crate::mcp::meta(&json!({ "elicitation": { "form": {} } }));
    let params = json!({ "name": "skill", "arguments": { "name": skill }, "_meta": meta });
    let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params }).to_string();
    let headers = format!(
        "x-api-key: {TOKEN}|content-type: application/json|accept: application/json, text/event-stream|\
         mcp-protocol-version: {}|mcp-method: tools/call|mcp-name: skill",
        crate::mcp::NEW
    );
    let came = server.ask("POST /mcp", &headers, &body).await;
    serde_json::from_str(&came.body).unwrap_or_else(|_| panic!("{came:?}"))
}

#[tokio::test]
async fn a_question_of_an_mcp_client_is_answered_on_the_page() {
    let server = Server::guarded(asked_about()).await;
    let browser = server.browser().await;
    let handles = async || {
        let page = browser.page().await.body;
        let parts = page.split("action=\"questions/").skip(1).map(|rest| rest[..32].to_owned());
        parts.collect::<Vec<_>>()
    };
    for _ in 0..2 {
        let asked = call_tool(&server, "deploy").await;
        assert_eq!(asked["result"]["_meta"]["openoxide/problem"], "needs-approval", "{asked}");
    }
    let open = handles().await;
    assert_eq!(open.len(), 1, "the same call has one question");
    let known = server.program(&format!("POST /v1/activations/{}", open[0]), "{\"answer\": \"no\"}").await;
    assert_eq!((known.status, known.code().as_str()), (404, "no-activation"), "another face does not know it");
    browser.press(&open[0], "answer=once").await;
    let other = call_tool(&server, "pdf").await;
    assert!(other.to_string().contains("# pdf"), "{other}");
    let done = call_tool(&server, "deploy").await;
    assert!(done.to_string().contains("# deploy"), "{done}");
    assert_eq!(call_tool(&server, "deploy").await["result"]["isError"], true, "it was once");
    browser.press(&handles().await[0], "answer=no").await;
    let refused = call_tool(&server, "deploy").await;
    assert!(refused["result"]["isError"] == true && !refused.to_string().contains("# deploy"), "{refused}");
    assert!(refused["result"]["_meta"]["openoxide/problem"] != "needs-approval", "{refused}");
}
