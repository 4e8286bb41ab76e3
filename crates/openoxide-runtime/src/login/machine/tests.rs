use super::*;
use crate::Answer;
use crate::login::Returned;

fn places(places: &VecDeque<Url>) -> Vec<&str> {
    places.iter().map(Url::as_str).collect()
}

#[test]
fn well_known_places_stand_between_host_and_path() {
    let place = ServerAddress::new("https://a.example/v1/mcp?x=1").unwrap();
    let root = "https://a.example/.well-known/oauth-protected-resource";
    assert_eq!(places(&resource_places(&place, None)), [&format!("{root}/v1/mcp"), root]);
    assert_eq!(places(&resource_places(&place, Some("https://a.example/about"))), ["https://a.example/about"]);
    for elsewhere in ["https://b.example/about", "http://a.example/about", "https://127.0.0.1/about", "no address"] {
        assert_eq!(resource_places(&place, Some(elsewhere)).len(), 2, "{elsewhere}");
    }
    let issuer = Url::parse("https://i.example/tenant").unwrap();
    let expected = [
        "https://i.example/.well-known/oauth-authorization-server/tenant",
        "https://i.example/.well-known/openid-configuration/tenant",
        "https://i.example/tenant/.well-known/openid-configuration",
    ];
    assert_eq!(places(&issuer_places(&issuer)), expected);
    assert_eq!(issuer_places(&Url::parse("https://i.example").unwrap()).len(), 2);
}

#[test]
fn an_address_is_encrypted_or_on_this_machine() {
    let check = |text: &str, loopback: bool, is_fine: bool| {
        assert_eq!(secure(text, loopback).is_ok(), is_fine, "{text} {loopback}");
    };
    check("https://a.example/x", false, true);
    check("https://a.example/x", true, true);
    check("http://a.example/x", true, false);
    for local in ["http://127.0.0.1:80/", "http://localhost/", "http://[::1]/", "https://127.9.9.9/"] {
        check(local, true, true);
        check(local, false, false);
    }
    let written_otherwise = [
        "https://[::ffff:127.0.0.1]/",
        "https://[::127.0.0.1]/",
        "https://[::]/",
        "https://[::1]/",
        "https://0.0.0.0/",
        "https://0/",
        "https://127.1/",
        "https://0x7f000001/",
        "https://localhost./",
        "https://LOCALHOST/",
        "https://a.localhost/",
    ];
    for local in written_otherwise {
        check(local, true, true);
        check(local, false, false);
    }
    // A name that others may answer for is not safe without encryption.
    check("http://a.localhost/", true, false);
    for bad in
        ["https://me@a.example", "https://me:pw@a.example", "https://a.example/#x", "ftp://a", "javascript:1", ""]
    {
        check(bad, true, false);
    }
}

/// Takes a login as far as the page, as a driver without a network would.
fn at_the_page() -> Login {
    let mut login = Login::new("docs", "https://a.example/mcp", vec!["one".to_owned()]).unwrap();
    let response = |status, challenge: &str, body: serde_json::Value| {
        let challenges = vec![challenge.to_owned()];
        let body = SecretString::from(body.to_string());
        Reply::Login(LoginReply::Fetched(Ok(Response { status, challenges, body })))
    };
    let issuer = "https://i.example";
    let replies = [
        response(401, "Bearer", serde_json::Value::Null),
        response(404, "", serde_json::Value::Null),
        response(
            200,
            "",
            serde_json::json!({"resource": "https://a.example/", "authorization_servers": [issuer], "scopes_supported": ["r", "w"]}),
        ),
        response(
            200,
            "",
            serde_json::json!({
                "issuer": issuer, "authorization_endpoint": "https://i.example/a", "token_endpoint": "https://t.example/t",
                "registration_endpoint": "https://i.example/r", "code_challenge_methods_supported": ["S256"],
            }),
        ),
        Reply::Answer(Answer::Once),
        Reply::Login(LoginReply::Listening(Ok("https://front.example/back".to_owned()))),
        response(201, "", serde_json::json!({"client_id": "c"})),
    ];
    for reply in replies {
        let Ok(Turn::Go(next)) = login.resume(reply) else { panic!("it ends early") };
        login = *next;
    }
    login
}

#[test]
fn a_front_end_can_bring_the_code_itself() {
    let login = at_the_page();
    let Step::Login(LoginStep::Wait(callback)) = login.step::<()>() else { panic!("it waits for the browser") };
    assert_eq!(callback.redirect, "https://front.example/back");
    assert!(callback.page.contains("&scope=r+w") && callback.page.contains(&callback.state), "{}", callback.page);
    let returned = Returned::from_query(format!("code=hunter2&state={}", callback.state));
    assert!(!format!("{returned:?}").contains("hunter2"));
    let Ok(Turn::Go(login)) = login.resume(Reply::Login(LoginReply::CameBack(Ok(returned)))) else { panic!("it ends") };
    let Step::Login(LoginStep::Fetch(request)) = login.step::<()>() else { panic!("it exchanges the code") };
    assert_eq!(request.url, "https://t.example/t");
    assert!(!format!("{request:?}").contains("hunter2"), "{request:?}");
    let body = SecretString::from("{\"access_token\": \"hunter3\", \"token_type\": \"bearer\"}".to_owned());
    let reply = Reply::Login(LoginReply::Fetched(Ok(Response { status: 200, challenges: Vec::new(), body })));
    assert!(!format!("{reply:?}").contains("hunter3"));
    assert!(matches!(login.resume(reply), Ok(Turn::Token(_))));
}

#[test]
fn another_state_or_another_reply_ends_it() {
    let check = |reply: Reply, expected: LoginError| match at_the_page().resume(reply) {
        Err(error) => assert_eq!(error, expected),
        Ok(_) => panic!("{expected}"),
    };
    let came = |query: &str| Reply::Login(LoginReply::CameBack(Ok(Returned::from_query(query))));
    check(came("code=x&state=wrong"), LoginError::State);
    check(came("code=x"), LoginError::State);
    check(Reply::Answer(Answer::Once), LoginError::NotTried);
    check(Reply::Begin, LoginError::NotTried);
    check(Reply::Login(LoginReply::NotTried), LoginError::NotTried);
}

#[test]
fn two_logins_never_share_what_proves_them() {
    let pages: Vec<String> = (0..2)
        .map(|_| match at_the_page().step::<()>() {
            Step::Login(LoginStep::Wait(callback)) => callback.page,
            other => panic!("{other:?}"),
        })
        .collect();
    assert_ne!(pages[0], pages[1]);
}
