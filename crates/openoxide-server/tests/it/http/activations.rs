//! Calls of skills, and questions that they wait for.

use axum::body::Body;
use http::Request;
use openoxide_server::{EngineOptions, HttpOptions, Identity, Peer};
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use super::{Came, Server};

/// A skill whose text has a command in it.
fn asks() -> TestContext {
    let context = TestContext::new();
    context.skill("plain", "Plain").tree(
        "//- home/.claude/skills/date/SKILL.md\n---\nname: date\ndescription: Tells\n---\nIt is !`echo seven`.\n",
    );
    context
}

#[tokio::test]
async fn a_call_answers_what_the_model_is_sent() {
    let server = Server::new(asks());
    let came = server.post("/v1/skills/plain/activate", &json!({"arguments": "now"})).await;
    assert_eq!(came.status, 200, "{}", came.text());
    let answer = came.json();
    assert_eq!(answer["activated"][0]["name"], "plain");
    assert!(answer["messages"][0]["text"].as_str().unwrap().contains("# plain"), "{answer}");
    let cases = [
        ("/v1/skills/nothing/activate", json!({}), 404),
        ("/v1/skills/plain/activate", json!({"words": ["b"]}), 422),
        ("/v1/skills/plain/activate", json!({"turn": {"items": []}}), 422),
        ("/v1/skills/plain/activate", json!({"as": "nobody"}), 422),
        ("/v1/skills/plain/activate", json!({"more": 1}), 422),
        ("/v1/skills/plain/activate", json!([]), 422),
    ];
    for (path, body, status) in cases {
        assert_eq!(server.post(path, &body).await.status.as_u16(), status, "{path} {body}");
    }
}

#[tokio::test]
async fn a_body_that_is_not_json_is_refused() {
    let server = Server::new(asks());
    let post = |kind: &str, body: &'static str| {
        let request = Request::post("/v1/skills/plain/activate").extension(Peer::Local).header("content-type", kind);
        request.body(Body::from(body)).unwrap()
    };
    assert_eq!(server.ask(post("text/plain", "{}")).await.status, 415);
    assert_eq!(server.ask(post("application/json", "{")).await.status, 400);
    assert_eq!(server.ask(post("application/json; charset=utf-8", "{}")).await.status, 200);
    let large = Request::post("/v1/skills/plain/activate").header("content-type", "application/json");
    let large = server.ask(large.body(Body::from(vec![b' '; 2 * 1024 * 1024])).unwrap()).await;
    assert_eq!(large.status, 413);
    let deep = Request::post("/v1/skills/plain/activate").header("content-type", "application/json");
    let deep = server.ask(deep.body(Body::from("[".repeat(100_000))).unwrap()).await;
    assert_eq!(deep.status, 400);
}

async fn waiting(server: &Server) -> Value {
    let came = server.post("/v1/skills/date/activate?host=claude-code", &json!({})).await;
    assert_eq!(came.status, 202, "{}", came.text());
    came.json()
}

#[tokio::test]
async fn a_question_waits_for_its_answer_and_is_answered_once() {
    let server = Server::new(asks());
    let question = waiting(&server).await;
    assert_eq!(question["question"]["kind"], "requested-permissions");
    assert_eq!(question["question"]["permissions"][0]["items"], json!(["echo seven"]));
    let handle = question["handle"].as_str().unwrap().to_owned();
    assert_eq!(handle.len(), 32);
    let path = format!("/v1/activations/{handle}");
    assert!(question["help"].as_str().unwrap().contains(&format!("POST to {path}")), "{question}");
    // There is no conversation to remember an answer for.
    assert_eq!(question["question"]["choices"], json!(["once", "always", "no"]));
    assert_eq!(server.post(&path, &json!({"answer": "value", "value": "x"})).await.status, 422);
    assert_eq!(server.post(&path, &json!({"answer": "perhaps"})).await.status, 422);
    let done = server.post(&path, &json!({"answer": "no"})).await;
    assert_eq!((done.status.as_u16(), &done.json()["error"]["code"]), (422, &json!("command-failed")));
    assert_eq!(server.post(&path, &json!({"answer": "once"})).await.status, 404);
}

#[tokio::test]
async fn only_the_user_says_yes() {
    let server = Server::new(asks());
    let post = |path: &str, identity: Identity, body: &Value| {
        let request = Request::post(path).extension(Peer::Local).extension(identity);
        let request = request.header("content-type", "application/json");
        request.body(Body::from(body.to_string())).unwrap()
    };
    for identity in [Identity::Anonymous, Identity::Program] {
        let call = post("/v1/skills/date/activate?host=claude-code", identity, &json!({}));
        let question = server.ask(call).await.json();
        assert!(question["help"].as_str().unwrap().contains("send the same request again"), "{question}");
        let path = format!("/v1/activations/{}", question["handle"].as_str().unwrap());
        for answer in ["once", "always"] {
            let came = server.ask(post(&path, identity, &json!({ "answer": answer }))).await;
            assert_eq!((came.status.as_u16(), &came.json()["error"]["code"]), (403, &json!("needs-proof")));
        }
        let no = server.ask(post(&path, identity, &json!({ "answer": "no" }))).await;
        assert_eq!((no.status.as_u16(), &no.json()["error"]["code"]), (422, &json!("command-failed")));
    }
}

#[tokio::test]
async fn an_answer_that_there_is_no_room_for_can_be_given_again() {
    let server =
        Server::working(asks(), HttpOptions::default(), EngineOptions { work: (1, 0), ..EngineOptions::default() });
    let question = waiting(&server).await;
    let path = format!("/v1/activations/{}", question["handle"].as_str().unwrap());
    let busy = server.engine.work().slot().await.ok().unwrap();
    let came = server.post(&path, &json!({"answer": "no"})).await;
    assert_eq!((came.status.as_u16(), &came.json()["error"]["code"]), (503, &json!("busy")));
    drop(busy);
    let done = server.post(&path, &json!({"answer": "no"})).await;
    assert_eq!((done.status.as_u16(), &done.json()["error"]["code"]), (422, &json!("command-failed")));
}

#[tokio::test]
async fn a_call_that_means_several_skills_is_answered_with_their_ids() {
    let context = TestContext::new();
    context.tree(
        "//- project/.agents/skills/a/SKILL.md\n---\nname: same\ndescription: One\n---\n\
         //- project/.codex/skills/b/SKILL.md\n---\nname: same\ndescription: Two\n---\n",
    );
    let server = Server::new(context);
    let here = server.post("/v1/skills/same/activate?host=codex", &json!({})).await;
    assert_eq!((here.status.as_u16(), &here.json()["error"]["code"]), (409, &json!("ambiguous")));
    assert!(here.text().contains("their ids: ~") && !here.text().contains("SKILL.md"), "{}", here.text());
    let help = here.json()["error"]["help"].as_str().unwrap().to_owned();
    let id = help.rsplit(", ").next().unwrap();
    let one = server.post(&format!("/v1/skills/{id}/activate?host=codex"), &json!({})).await;
    assert_eq!(one.status, 200, "{}", one.text());
}

#[tokio::test]
async fn failures_show_whoever_is_elsewhere_no_paths() {
    let context = asks();
    context.tree("//- home/.openoxide/config.toml\n[permission\n");
    let root = context.root().to_string_lossy().into_owned();
    let server = Server::new(context);
    let ask = |peer: Peer| {
        Request::post("/v1/skills/plain/activate")
            .extension(peer)
            .extension(Identity::Person)
            .body(Body::empty())
            .unwrap()
    };
    let (here, elsewhere) = (server.ask(ask(Peer::Local)).await, server.ask(ask(Peer::Remote)).await);
    assert_eq!(here.status, elsewhere.status);
    assert!(here.text().contains(&root), "{}", here.text());
    assert!(!elsewhere.text().contains(&root) && elsewhere.text().contains("config.toml"), "{}", elsewhere.text());
}

#[tokio::test]
async fn a_question_that_is_dropped_is_gone_and_handles_cannot_be_guessed() {
    let server = Server::new(asks());
    let (one, again) = (waiting(&server).await, waiting(&server).await);
    assert_eq!(one["handle"], again["handle"], "the same call has one question");
    let two = server.post("/v1/skills/date/activate?host=claude-code", &json!({"arguments": "x"})).await.json();
    assert_ne!(one["handle"], two["handle"]);
    let path = format!("/v1/activations/{}", one["handle"].as_str().unwrap());
    let drop = |path: &str| {
        Request::delete(path).extension(Peer::Local).extension(Identity::Person).body(Body::empty()).unwrap()
    };
    assert_eq!(server.ask(drop(&path)).await.status, 204);
    assert_eq!(server.ask(drop(&path)).await.status, 404);
    assert_eq!(server.post("/v1/activations/1", &json!({"answer": "once"})).await.status, 404);
    assert_eq!(server.post(&path, &json!({"answer": "once"})).await.status, 404);
}

#[tokio::test]
async fn what_the_model_may_not_know_of_is_not_there_for_it() {
    let context = asks();
    context.tree("//- home/.openoxide/config.toml\n[permission.skill]\nplain = \"deny\"\n");
    let server = Server::new(context);
    let model = server.post("/v1/skills/plain/activate", &json!({"as": "model"})).await;
    let none = server.post("/v1/skills/plaid/activate", &json!({"as": "model"})).await;
    assert_eq!((model.status.as_u16(), none.status.as_u16()), (404, 404), "{} {}", model.text(), none.text());
    assert_eq!(model.text().replace("plain", "plaid"), none.text());
    assert_eq!(server.get("/v1/skills/plain/files/SKILL.md?as=model").await.status, 404);
}

/// Two skills that may be called, and files that may be read, once the user says so.
fn asked_about() -> TestContext {
    let context = TestContext::new();
    context.skill("one", "One").skill("two", "Two").tree(
        "//- home/.openoxide/config.toml\n[permission]\nskill = { one = \"ask\", two = \"ask\" }\nread = \"ask\"\n",
    );
    context
}

#[tokio::test]
async fn an_old_question_does_not_undo_a_new_rule() {
    let server = Server::new(asked_about());
    let ask = async |skill: &str| {
        let came = server.post(&format!("/v1/skills/{skill}/activate"), &json!({})).await.json();
        format!("/v1/activations/{}", came["handle"].as_str().unwrap())
    };
    let (one, two) = (ask("one").await, ask("two").await);
    let file = server.get("/v1/skills/one/files/SKILL.md").await.json();
    let file = format!("/v1/activations/{}", file["handle"].as_str().unwrap());
    let rules = "[permission]\nskill = { one = \"deny\", two = \"ask\" }\nread = \"deny\"\n";
    fs_err::write(server.context.home().join(".openoxide/config.toml"), rules).unwrap();
    server.post("/v1/reload", &json!({})).await;
    let yes = json!({ "answer": "once" });
    let denied = server.post(&one, &yes).await;
    assert!(denied.status.is_client_error() && denied.json()["error"]["code"] != "no-activation", "{}", denied.text());
    let unread = server.post(&file, &yes).await;
    assert!(unread.status.is_client_error() && !unread.text().contains("# one"), "{}", unread.text());
    let allowed = server.post(&two, &yes).await;
    assert_eq!((allowed.status.as_u16(), &allowed.json()["activated"][0]["name"]), (200, &json!("two")));
}

#[tokio::test]
async fn files_that_wait_keep_no_call_from_waiting() {
    let server = Server::new(asked_about());
    for _ in 0..100 {
        let head = Request::head("/v1/skills/one/files/SKILL.md").extension(Peer::Local).body(Body::empty()).unwrap();
        assert_eq!(server.ask(head).await.status, 202, "nobody gets its handle, and it takes no room");
    }
    for number in 0..16 {
        fs_err::write(server.context.project().join(format!(".agents/skills/one/{number}.md")), "x").unwrap();
        assert_eq!(server.get(&format!("/v1/skills/one/files/{number}.md")).await.status, 202);
    }
    assert_eq!(server.get("/v1/skills/one/files/0.md").await.status, 202, "it waits already");
    assert_eq!(server.get("/v1/skills/one/files/SKILL.md").await.status, 503);
    assert_eq!(server.post("/v1/skills/one/activate", &json!({})).await.status, 202);
}

#[tokio::test]
async fn a_turn_calls_the_skills_that_it_names() {
    let server = Server::new(asks());
    let turn = json!({ "items": [{ "type": "text", "text": "use $plain and $nothing" }] });
    let came = server.post("/v1/activate", &json!({ "turn": turn })).await;
    assert_eq!(came.status, 200, "{}", came.text());
    let answer = came.json();
    assert_eq!((&answer["activated"][0]["name"], &answer["activated"][0]["caller"]), (&json!("plain"), &json!("user")));
    assert_eq!(answer["ignored"][0]["text"], "$nothing");
    let one = server.post("/v1/activate", &json!({ "skill": "plain", "arguments": ["a", "b c"], "as": "model" })).await;
    assert!(one.text().contains("a 'b c'") || one.text().contains("a b c"), "{}", one.text());
    assert_eq!(one.json()["activated"][0]["caller"], "model");
    for body in [json!({}), json!({ "skill": "plain", "turn": turn }), json!({ "turn": turn, "arguments": "x" })] {
        assert_eq!(server.post("/v1/activate", &body).await.status, 422, "{body}");
    }
}

/// What a program sends, a model may have written.
#[tokio::test]
async fn a_program_acts_as_the_model_whatever_it_sends() {
    let server = Server::new(asks());
    let turn = json!({ "items": [{ "type": "text", "text": "use $plain" }] });
    let post = async |body: Value| {
        let request = Request::post("/v1/activate").extension(Peer::Local).extension(Identity::Program);
        let request = request.header("content-type", "application/json");
        server.ask(request.body(Body::from(body.to_string())).unwrap()).await
    };
    for body in [json!({ "turn": turn }), json!({ "skill": "plain" })] {
        let came = post(body.clone()).await;
        assert_eq!(came.json()["activated"][0]["caller"], "model", "{body}: {}", came.text());
        let mut as_user = body;
        as_user["as"] = json!("user");
        assert_eq!(post(as_user).await.json()["error"]["code"], "needs-proof");
    }
}

/// The user, and programs by what they call themselves.
const USER: (Identity, &str) = (Identity::Person, "browser");
const ONE: (Identity, &str) = (Identity::Program, "one/1.0");
const OTHER: (Identity, &str) = (Identity::Program, "other/1.0");

/// Calls a skill in a conversation.
async fn call_in(server: &Server, who: (Identity, &str), skill: &str, session: Option<&str>) -> Came {
    let mut body = json!({ "as": "model" });
    if let Some(session) = session {
        body["session"] = json!(session);
    }
    let path = format!("/v1/skills/{skill}/activate?host=claude-code");
    let request = Request::post(path).extension(Peer::Local).extension(who.0).header("user-agent", who.1);
    let request = request.header("content-type", "application/json");
    server.ask(request.body(Body::from(body.to_string())).unwrap()).await
}

/// Tells whether a call of the skill `plain` says that the conversation has it already.
async fn is_repeated(server: &Server, who: (Identity, &str), session: impl Into<Option<&str>>) -> bool {
    let came = call_in(server, who, "plain", session.into()).await;
    assert_eq!(came.status, 200, "{}", came.text());
    came.json()["activated"][0]["repeated"] == true
}

fn with_conversations() -> Server {
    let context = asks();
    context.tree("//- project/.claude/skills/plain/SKILL.md\n---\nname: plain\ndescription: Plain\n---\nPlain.\n");
    Server::new(context)
}

#[tokio::test]
async fn a_conversation_is_remembered_by_its_name() {
    let server = with_conversations();
    assert!(!is_repeated(&server, USER, "a").await && is_repeated(&server, USER, "a").await);
    assert!(!is_repeated(&server, USER, "b").await, "another conversation knows nothing of it");
    assert!(!is_repeated(&server, USER, None).await && !is_repeated(&server, USER, None).await);
    for program in [ONE, OTHER] {
        assert!(!is_repeated(&server, program, "a").await, "nor does another client");
        assert!(is_repeated(&server, program, "a").await);
    }
    for bad in [String::new(), "x".repeat(257)] {
        let came = server.post("/v1/skills/plain/activate", &json!({ "session": bad })).await;
        assert_eq!(came.status, 422);
    }
}

#[tokio::test]
async fn a_question_in_a_conversation_is_of_the_program_that_has_it() {
    let server = with_conversations();
    let handle = async |who| call_in(&server, who, "date", Some("a")).await.json()["handle"].clone();
    let (one, other) = (handle(ONE).await, handle(OTHER).await);
    assert!(one.is_string() && other.is_string() && one != other, "{one} {other}");
    assert_eq!(one, handle(ONE).await);
}

#[tokio::test]
async fn a_program_with_many_conversations_ends_its_own() {
    let server = with_conversations();
    for who in [USER, ONE] {
        assert!(!is_repeated(&server, who, "a").await);
    }
    for number in 0..300 {
        assert!(!is_repeated(&server, OTHER, &*number.to_string()).await);
    }
    assert!(is_repeated(&server, ONE, "a").await && is_repeated(&server, USER, "a").await);
    assert!(is_repeated(&server, OTHER, "299").await && !is_repeated(&server, OTHER, "0").await);
}
