//! A login to a server of tools, against a real issuer on this machine.

use std::net::TcpStream;
use std::sync::OnceLock;
use std::time::Duration;

use openoxide_mcp_client::LoginDriver;
use openoxide_runtime::{ActivationOutcome, Answer, Question, Session};
use secrecy::ExposeSecret as _;
use serde_json::json;

use crate::issuer::{Issuer, TOKEN, get};
use crate::scene::{Scene, Script, told};

const FIRST: &str = "GET /.well-known/oauth-protected-resource/mcp";

/// A skill that needs the server, which is configured unless the test adds it.
fn scene(issuer: &Issuer) -> Scene {
    let scene = Scene::new();
    let url = issuer.url();
    scene.skill("one", "text", &format!("  - {{type: mcp, value: docs, url: \"{url}\"}}"));
    scene.context.tree(&format!("//- home/.openoxide/config.toml\n[mcp.servers.docs]\nurl = \"{url}\"\n"));
    scene
}

/// Calls the skill; the user opens the page with `browser`.
fn call(scene: &Scene, session: &mut Session, browser: fn(&str)) -> (ActivationOutcome, Vec<Question>) {
    let mut script = Script::new(|_| Answer::Once);
    script.online = Some(LoginDriver::default().within(Duration::from_secs(5), Duration::from_secs(1)));
    script.browser = Some(browser);
    let done = scene.call(session, &["one"], &mut script);
    (done, script.asked)
}

fn logs_in(page: &str) {
    let (_, back) = get(page);
    assert_eq!(get(&back.unwrap()).0, 200);
}

fn stays_away(_: &str) {}

/// Asserts that a login fails with this text, and that the skill is sent anyway.
fn fails(issuer: &Issuer, browser: fn(&str), text: &str) {
    let mut session = Session::new("s");
    let (done, _) = call(&scene(issuer), &mut session, browser);
    let told = told(&done);
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].starts_with("one: nobody is logged in to `docs`: ") && told[0].contains(text), "{told:?}");
    assert!(!format!("{done:?}{session:?}").contains("hunter2"));
    assert!(session.token(&issuer.url()).is_none());
}

#[test]
fn a_login_ends_with_a_token_in_memory() {
    let issuer = Issuer::start();
    let scene = scene(&issuer);
    std::fs::remove_file(scene.context.home().join(".openoxide/config.toml")).unwrap();
    let mut session = Session::new("s");
    let (done, asked) = call(&scene, &mut session, logs_in);
    assert_eq!(told(&done), ["one: the server `docs` is in your settings now"]);
    let [Question::Server { target, .. }, Question::Login { server, page }] = asked.as_slice() else {
        panic!("{asked:?}")
    };
    assert_eq!((target, server.as_str()), (&issuer.url(), "docs"));
    assert_eq!(*page, format!("{}/authorize?tenant=a", issuer.origin));
    assert_eq!(session.token(&issuer.url()).unwrap().expose_secret(), TOKEN);
    let expected = [
        "POST /mcp",
        FIRST,
        "GET /.well-known/oauth-authorization-server",
        "POST /register",
        "GET /authorize",
        "POST /token",
    ];
    assert_eq!(issuer.seen(), expected);
    assert!(!format!("{done:?}{session:?}{}", scene.config()).contains("hunter2"));

    // Once in a conversation.
    let (_, asked) = call(&scene, &mut session, stays_away);
    assert_eq!((asked.len(), issuer.seen().len()), (0, 6));
}

/// Whoever says no has left nothing behind, not even a registration.
#[test]
fn nothing_is_registered_before_the_yes() {
    let issuer = Issuer::start();
    let mut script = Script::new(|_| Answer::No);
    script.online = Some(LoginDriver::default().within(Duration::from_secs(5), Duration::from_secs(1)));
    let done = scene(&issuer).call(&mut Session::new("s"), &["one"], &mut script);
    assert!(matches!(script.asked.as_slice(), [Question::Login { .. }]), "{:?}", script.asked);
    assert_eq!(told(&done).len(), 1);
    assert_eq!(issuer.seen(), ["POST /mcp", FIRST, "GET /.well-known/oauth-authorization-server"]);
}

#[test]
fn a_server_that_is_configured_is_asked_too_and_one_without_a_login_is_left_alone() {
    let issuer = Issuer::start();
    issuer.answer("/mcp", 200, "", "{}");
    let (done, asked) = call(&scene(&issuer), &mut Session::new("s"), stays_away);
    assert_eq!((told(&done), asked.len()), (Vec::new(), 0));
    assert_eq!(issuer.seen(), ["POST /mcp"]);
}

#[test]
fn an_answer_with_another_state_is_turned_away_and_does_not_end_the_login() {
    let issuer = Issuer::start();
    fails(
        &issuer,
        |page| {
            let (_, back) = get(page);
            let back = back.unwrap();
            assert_eq!(get(&back.replace("state=", "state=x")).0, 404);
            assert_eq!(get(&back.replace("/callback", "/favicon.ico")).0, 404);
        },
        "nothing came within 1 s",
    );
    assert!(!issuer.seen().contains(&"POST /token".to_owned()), "{:?}", issuer.seen());

    // The right one after a wrong one still counts.
    let mut session = Session::new("s");
    call(&scene(&issuer), &mut session, |page| {
        let (_, back) = get(page);
        let back = back.unwrap();
        get(&back.replace("state=", "state=x"));
        assert_eq!(get(&back).0, 200);
    });
    assert!(session.token(&issuer.url()).is_some());
}

#[test]
fn what_comes_back_is_checked() {
    let issuer = Issuer::start();
    fails(&issuer, |page| drop(get(&get(page).1.unwrap().replace("&iss=", "&iss=x"))), "is from another issuer");
    fails(&issuer, |page| drop(get(&get(page).1.unwrap().replace("&iss=", "&no="))), "is from another issuer");
    fails(
        &issuer,
        |page| drop(get(&get(page).1.unwrap().replace("code=", "error=access_denied&x="))),
        "`access_denied`",
    );
    fails(&issuer, |page| drop(get(&get(page).1.unwrap().replace("code=", "x="))), "the browser brought no code");
    fails(&issuer, |page| drop(get(&get(page).1.unwrap().replace("code=", "code=x"))), "`invalid_grant`");
}

#[test]
fn a_refusal_is_final_in_the_conversation() {
    let issuer = Issuer::start();
    let (scene, mut session) = (scene(&issuer), Session::new("s"));
    for (questions, notices) in [(1, 1), (0, 0)] {
        let mut script = Script::new(|_| Answer::No);
        script.online = Some(LoginDriver::default());
        let done = scene.call(&mut session, &["one"], &mut script);
        assert_eq!((script.asked.len(), done.notices.len()), (questions, notices), "{:?}", done.notices);
    }
    assert!(!issuer.seen().contains(&"POST /token".to_owned()));
}

#[test]
fn nothing_waits_longer_than_it_should() {
    // A client that connects and says nothing holds nobody up, for as long as its connection is open.
    static SILENT: OnceLock<TcpStream> = OnceLock::new();
    let issuer = Issuer::start();
    fails(
        &issuer,
        |page| {
            let redirect = url::Url::parse(page).unwrap();
            let redirect = redirect.query_pairs().find(|(name, _)| name == "redirect_uri").unwrap().1.into_owned();
            let address = redirect.trim_start_matches("http://").trim_end_matches("/callback").to_owned();
            SILENT.set(TcpStream::connect(address).unwrap()).unwrap();
        },
        "nothing came within 1 s",
    );
}

#[test]
fn who_lies_about_being_another_is_found_out() {
    let check = |change: &dyn Fn(&Issuer), text: &str| {
        let issuer = Issuer::start();
        change(&issuer);
        fails(&issuer, stays_away, text);
    };
    let resource = "/.well-known/oauth-protected-resource/mcp";
    let server = "/.well-known/oauth-authorization-server";
    let with = |key: &'static str, value: serde_json::Value| {
        move |issuer: &Issuer| {
            let mut about = issuer.about();
            about[key] = value.clone();
            issuer.answer(server, 200, "", &about.to_string());
        }
    };
    check(&with("issuer", json!("https://other.example")), "is about another issuer");
    check(&with("code_challenge_methods_supported", json!(["plain"])), "PKCE");
    check(&with("token_endpoint", json!("http://example.com/token")), "is not safe");
    check(&with("authorization_endpoint", json!("javascript:alert(1)")), "is no address");
    check(&with("registration_endpoint", json!(null)), "registered with it by hand");
    let other = json!({"resource": "https://other.example/mcp", "authorization_servers": ["https://a.example"]});
    check(&|issuer| issuer.answer(resource, 200, "", &other.to_string()), "is about another server");
    let inside = |issuer: &Issuer| {
        let other = json!({"resource": format!("{}/mc", issuer.origin), "authorization_servers": [issuer.origin]});
        issuer.answer(resource, 200, "", &other.to_string());
    };
    check(&inside, "is about another server");
    let nobody = |issuer: &Issuer| issuer.answer(resource, 200, "", &json!({"resource": issuer.url()}).to_string());
    check(&nobody, "does not say how to log in");
    check(&|issuer| issuer.answer(resource, 200, "", "{"), "is not the JSON that it should be");
    check(&|issuer| issuer.answer(resource, 200, "", &"x".repeat(100_000)), "is too long");
    check(&|issuer| issuer.answer("/register", 403, "", "{\"error\": \"hunter2 <b>\"}"), "answers `an error`");
}

#[test]
fn redirects_are_not_followed() {
    let (issuer, other) = (Issuer::start(), Issuer::start());
    let place = "/.well-known/oauth-protected-resource/mcp";
    issuer.answer(place, 302, &format!("Location: {}{place}\r\n", other.origin), "");
    fails(&issuer, stays_away, "does not say how to log in");
    assert_eq!(other.seen(), [""; 0]);
}

#[test]
fn nobody_logs_in_without_encryption() {
    let scene = Scene::new();
    scene.skill("one", "text", "  - {type: mcp, value: docs, url: \"http://docs.example/mcp\"}");
    let (done, asked) = call(&scene, &mut Session::new("s"), stays_away);
    assert_eq!(asked.len(), 1);
    assert!(told(&done)[1].contains("`http://docs.example/mcp` is not safe"), "{:?}", told(&done));
}
