//! One mistake has one word, whichever face it is made at.

use openoxide_app::activate::{ActivateInput, activate};
use openoxide_app::{
    Call, CallArguments, Caller, Error, Reply, Resumable as _, Session, SettingsOwner, SkillSelector, Snapshot, Step,
    SwitchRequest, settings, switch,
};
use openoxide_live::Place;
use openoxide_server::mcp::McpOptions;
use openoxide_skills::catalog::Depth;
use openoxide_testkit::TestContext;
use serde_json::{Value, json};

use crate::http::Server;
use crate::mcp::{Client, NEW, OLD, environment};
use crate::rpc::Rpc;

/// A project with rules that deny calling or reading a skill, or ask about it, and a skill that is switched off.
const TREE: &str = "//- project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nFill.\n\
     //- project/.agents/skills/notes/SKILL.md\n---\nname: notes\ndescription: Takes notes\n---\nNote.\n\
     //- project/.agents/skills/kept/SKILL.md\n---\nname: kept\ndescription: Keeps\n---\nKeep.\n\
     //- project/.agents/skills/secret/SKILL.md\n---\nname: secret\ndescription: Hides\n---\nHide.\n\
     //- project/.agents/skills/off/SKILL.md\n---\nname: off\ndescription: Rests\n---\nRest.\n\
     //- home/.openoxide/config.toml\n[permission.read]\n\"notes/*\" = \"deny\"\n\"kept/*\" = \"ask\"\n\
     [permission.skill]\nsecret = \"deny\"\n[[skills.config]]\nname = \"off\"\nenabled = false\n";
/// A project with a rule that cannot be read.
const BAD_RULE: &str = "//- project/.agents/skills/pdf/SKILL.md\n---\nname: pdf\ndescription: Fills in forms\n---\nFill.\n\
     //- home/.openoxide/config.toml\n[permission]\nread = { x = \"maybe\" }\n";
/// A project in which two skills have one name.
const TWICE: &str = "//- project/.agents/skills/a/SKILL.md\n---\nname: same\ndescription: One\n---\n\
     //- project/.codex/skills/b/SKILL.md\n---\nname: same\ndescription: Two\n---\n";

/// A mistake and its word. A face is left out where it has no such request.
#[derive(Default)]
struct Mistake {
    word: &'static str,
    tree: &'static str,
    host: Option<&'static str>,
    /// The path, and what is sent there; without something to send, it is a GET.
    http: Option<(&'static str, Value)>,
    rpc: Option<(&'static str, Value)>,
    mcp: Option<(&'static str, Value)>,
    /// The use case as the command line calls it.
    cli: Option<fn(&Snapshot) -> Error>,
}

fn call(snapshot: &Snapshot, skill: &str) -> Error {
    let call = Call { skill: skill.to_owned(), caller: Caller::User, arguments: CallArguments::Nothing };
    let mut operation = match activate(snapshot, ActivateInput::Skill(call)) {
        Ok(operation) => operation,
        Err(error) => return error,
    };
    match operation.resume(&mut Session::default(), Reply::Begin) {
        Step::Done(mut done) => done.refused.remove(0).into(),
        step => panic!("it goes on: {step:?}"),
    }
}

fn set(snapshot: &Snapshot, key: &str, value: &str, owner: SettingsOwner) -> Error {
    settings::set(&snapshot.workspace, key, value, owner).unwrap_err()
}

/// Switches a skill off, and says why that failed or has no effect.
fn switch_off(snapshot: &Snapshot, skill: &str, owner: SettingsOwner) -> Error {
    let request = SwitchRequest { selector: SkillSelector::Typed(skill.to_owned()), enabled: false, owner };
    match switch::switch(snapshot, &request) {
        Ok(outcome) => switch::ineffective(&outcome).unwrap(),
        Err(error) => error,
    }
}

/// Calls a skill at every face.
fn calls(word: &'static str, path: &'static str, skill: &str, cli: fn(&Snapshot) -> Error) -> Mistake {
    Mistake {
        word,
        tree: TREE,
        http: Some((path, json!({}))),
        rpc: Some(("skills/activate", json!({ "skill": skill, "as": "user" }))),
        mcp: Some(("prompts/get", json!({ "name": skill }))),
        cli: Some(cli),
        ..Mistake::default()
    }
}

fn mistakes() -> Vec<Mistake> {
    let plain = |word| Mistake { word, tree: TREE, ..Mistake::default() };
    let pdf = "/v1/skills/pdf/activate";
    let in_project = json!({ "in_project": true });
    vec![
        calls("unknown", "/v1/skills/nosuch/activate", "nosuch", |at| call(at, "nosuch")),
        calls("denied", "/v1/skills/secret/activate", "secret", |at| call(at, "secret")),
        calls("disabled", "/v1/skills/off/activate", "off", |at| call(at, "off")),
        Mistake {
            tree: TWICE,
            host: Some("codex"),
            ..calls("ambiguous", "/v1/skills/same/activate?host=codex", "same", |at| call(at, "same"))
        },
        Mistake { tree: BAD_RULE, ..calls("bad-rule", pdf, "pdf", |at| call(at, "pdf")) },
        Mistake {
            host: Some("nosuch"),
            ..calls("no-host", "/v1/skills/pdf/activate?host=nosuch", "pdf", |at| call(at, "pdf"))
        },
        Mistake {
            http: Some(("/v1/skills/nosuch/disable", json!({}))),
            rpc: Some(("skills/disable", json!({ "skill": "nosuch" }))),
            cli: Some(|at| switch_off(at, "nosuch", SettingsOwner::User)),
            ..plain("unknown")
        },
        Mistake {
            host: Some("codex"),
            http: Some(("/v1/skills/pdf/disable?host=codex", json!({}))),
            rpc: Some(("skills/disable", json!({ "skill": "pdf" }))),
            cli: Some(|at| switch_off(at, "pdf", SettingsOwner::User)),
            ..plain("foreign-settings")
        },
        // Nobody trusts the project, so that its settings change nothing.
        Mistake {
            http: Some(("/v1/skills/pdf/disable", in_project.clone())),
            rpc: Some(("skills/disable", json!({ "skill": "pdf", "in_project": true }))),
            cli: Some(|at| switch_off(at, "pdf", SettingsOwner::Project)),
            ..plain("not-so")
        },
        Mistake {
            rpc: Some(("config/write", json!({ "key": "skills.claude", "value": "yes" }))),
            cli: Some(|at| set(at, "skills.claude", "yes", SettingsOwner::User)),
            ..plain("bad-setting")
        },
        Mistake {
            rpc: Some(("config/write", json!({ "key": "trust.folders", "value": ["/"], "in_project": true }))),
            cli: Some(|at| set(at, "trust.folders", "['/']", SettingsOwner::Project)),
            ..plain("not-for-projects")
        },
        Mistake {
            http: Some(("/v1/activations/00", json!({ "answer": "no" }))),
            mcp: Some(("prompts/get", json!({ "name": "pdf", "requestState": "00" }))),
            ..plain("no-activation")
        },
        Mistake {
            http: Some(("/v1/skills/pdf/files/no.md", Value::Null)),
            rpc: Some(("skills/read", json!({ "skill": "pdf", "path": "no.md" }))),
            ..plain("not-found")
        },
        Mistake {
            http: Some(("/v1/skills/notes/files/SKILL.md", Value::Null)),
            rpc: Some(("skills/read", json!({ "skill": "notes", "path": "SKILL.md" }))),
            mcp: Some(("resources/read", json!({ "uri": "skill://notes/SKILL.md" }))),
            ..plain("forbidden")
        },
        Mistake {
            http: Some(("/v1/skills/notes/files", Value::Null)),
            rpc: Some(("skills/read", json!({ "skill": "notes", "list": true }))),
            ..plain("forbidden")
        },
        Mistake {
            http: Some(("/v1/prompt?directory=/no/such", Value::Null)),
            rpc: Some(("skills/prompt", json!({ "cwd": "/no/such" }))),
            ..plain("no-folder")
        },
    ]
}

/// Finds the word in an answer of JSON-RPC: in its error, in what it refuses, or in what came to nothing.
fn rpc_word(answer: &Value) -> &str {
    let places = [
        &answer["error"]["data"]["problem"],
        &answer["result"]["refused"]["problem"],
        &answer["result"]["refused"][0]["why"],
        &answer["result"]["problem"],
    ];
    places.into_iter().find_map(Value::as_str).unwrap_or_else(|| panic!("no word: {answer}"))
}

fn context(tree: &str) -> TestContext {
    let context = TestContext::new();
    context.tree(tree);
    context
}

#[tokio::test]
async fn every_face_says_the_same_word() {
    for Mistake { word, tree, host, http, rpc, mcp, cli } in mistakes() {
        if let Some((path, body)) = http {
            let server = Server::new(context(tree));
            let came = if body.is_null() { server.get(path).await } else { server.post(path, &body).await };
            assert_eq!(came.json()["error"]["code"], word, "{path}: {}", came.text());
        }
        if let Some((method, params)) = rpc {
            let answer = Rpc::start(host, tree).await.ask(method, params).await;
            assert_eq!(rpc_word(&answer), word, "{method}: {answer}");
        }
        if let Some((method, params)) = mcp {
            let (context, host) = (context(tree), host.map(|host| format!("host=\"{host}\"")));
            let settings: Vec<&str> = host.as_deref().into_iter().collect();
            let mut client = Client::silent(&context, NEW, &settings, McpOptions::default(), json!({}));
            let answer = client.request(method, params).await;
            assert_eq!(answer["error"]["data"]["problem"], word, "{method}: {answer}");
        }
        if let Some(cli) = cli {
            let context = context(tree);
            let place = Place { host: host.map(str::to_owned), ..Place::of(context.project()) };
            let error = match Snapshot::open(&environment(&context), &place, Depth::Quick) {
                Ok(snapshot) => cli(&snapshot),
                Err(error) => error.into(),
            };
            assert_eq!(error.word(), word, "{error}");
        }
    }
}

/// A status has a code beside its word, which `explain` describes.
#[tokio::test]
async fn the_code_of_a_status_stands_beside_the_word() {
    let came = Server::new(context(TREE)).post("/v1/skills/secret/activate", &json!({})).await;
    assert_eq!((came.status.as_u16(), &came.json()["error"]["diagnostic"]), (403, &json!("S0310")), "{}", came.text());
    let answer = Rpc::start(None, TREE).await.ask("skills/activate", json!({ "skill": "secret", "as": "user" })).await;
    assert_eq!(answer["result"]["refused"][0]["diagnostic"], "S0310", "{answer}");
    let context = context(TREE);
    let mut client = Client::new(&context, OLD).await;
    let error = client.error("prompts/get", json!({ "name": "secret" })).await;
    assert_eq!((&error["code"], &error["data"]["diagnostic"]), (&json!(-32602), &json!("S0310")), "{error}");
}

#[tokio::test]
async fn a_tool_says_the_word_beside_its_text() {
    let context = context(TREE);
    let mut client = Client::new(&context, OLD).await;
    let tools = client.ok("tools/list", json!({})).await["tools"].take();
    let tool = tools[0]["name"].as_str().unwrap().to_owned();
    let refused = client.call(&tool, json!({ "name": "off" })).await;
    assert_eq!((&refused["isError"], &refused["_meta"]["openoxide/problem"]), (&json!(true), &json!("disabled")));
}

#[tokio::test]
async fn mcp_says_the_same_word_about_reading() {
    let context = context(TREE);
    for (capabilities, uri, word) in [
        (json!({}), "skill://kept/SKILL.md", "not-asked"),
        (json!({ "elicitation": { "form": {} } }), "skill://kept/SKILL.md", "rejected"),
    ] {
        let mut client = Client::with(&context, OLD, &[], McpOptions::default(), capabilities).await;
        client.answer = Some(json!({ "action": "decline" }));
        let error = client.error("resources/read", json!({ "uri": uri })).await;
        assert_eq!(error["data"]["problem"], word, "{error}");
    }
    let mut rpc = Rpc::start(None, TREE).await;
    let unasked = rpc.ask("skills/read", json!({ "skill": "kept" })).await;
    assert_eq!(rpc_word(&unasked), "not-asked", "{unasked}");
}
