use super::*;
use crate::access::Token;

const TOKEN: &str = "0123456789abcdef";

fn secret(sessions: &Arc<BrowserSessions>, publishes: bool) -> Access {
    let token = Token::new(&TOKEN.to_owned().into()).unwrap();
    Access::Secret { token: AccessToken::Named(token), sessions: Arc::clone(sessions), publishes }
}

/// Sends a request with these headers to a guard that knows `skills.example`.
fn sent(access: Access, line: &str, headers: &str) -> String {
    let guard = Guard::new(&["Skills.Example".to_owned()], access);
    let (method, path) = line.split_once(' ').unwrap();
    let mut request = http::Request::builder().method(method).uri(path);
    for line in headers.split('|').filter(|line| !line.is_empty()) {
        let (name, value) = line.split_once(": ").unwrap_or((line.trim_end_matches(':'), ""));
        request = request.header(name, value);
    }
    let (head, ()) = request.body(()).unwrap().into_parts();
    match guard.admit(&head, "192.0.2.7:7171".parse().unwrap()) {
        Ok(Admitted { called, identity: Identity::Program, .. }) => format!("{called:?}"),
        Ok(Admitted { called, identity, meant }) => {
            format!("{called:?}, {identity:?}{}", meant.map(|meant| format!(" {meant}")).unwrap_or_default())
        }
        Err((reason, failure)) => format!("{} {reason:?}", failure.status.as_u16()),
    }
}

/// Looks where nothing has to be shown, or the token.
fn check(headers: &str, token: bool) -> String {
    let access = if token { secret(&Arc::default(), false) } else { Access::Open };
    sent(access, "GET /x", headers)
}

fn post(headers: &str) -> String {
    sent(Access::Open, "POST /x", &format!("host: localhost|{headers}"))
}

#[test]
fn only_our_names_are_answered() {
    for (host, expected) in [
        ("localhost", "Loopback"),
        ("LOCALHOST:7171", "Loopback"),
        ("localhost.:7171", "Loopback"),
        ("127.0.0.1:7171", "Loopback"),
        ("127.8.9.1", "Loopback"),
        ("[::1]:7171", "Loopback"),
        ("192.0.2.7:7171", "Otherwise"),
        ("skills.example", "Otherwise"),
        ("SKILLS.example:80", "Otherwise"),
        ("192.0.2.8", "403 Host"),
        ("evil.example:7171", "403 Host"),
        ("localhost.evil.example", "403 Host"),
        ("127.0.0.1.evil.example", "403 Host"),
        ("evil.example@localhost", "400 Host"),
        ("localhost:", "Loopback"),
        ("localhost:abc", "400 Host"),
        ("localhost:99999", "400 Host"),
        ("localhost|host: evil.example", "400 Host"),
        ("", "400 Host"),
    ] {
        assert_eq!(check(&format!("host: {host}"), false), expected, "{host}");
    }
    assert_eq!(check("", false), "400 Host");
}

#[test]
fn only_our_own_pages_may_ask() {
    for (origin, expected) in [
        ("http://localhost:7171", "Loopback"),
        ("https://localhost:7171", "Loopback"),
        ("http://localhost:3000", "403 Origin"),
        ("http://127.0.0.1:7171", "403 Origin"),
        ("http://evil.example", "403 Origin"),
        ("http://localhost:7171.evil.example", "403 Origin"),
        ("null", "403 Origin"),
        ("", "403 Origin"),
        ("http://localhost:7171|origin: http://evil.example", "403 Origin"),
    ] {
        assert_eq!(check(&format!("host: localhost:7171|origin: {origin}"), false), expected, "{origin}");
    }
    assert_eq!(check("host: evil.example|origin: http://evil.example", false), "403 Host");
}

#[test]
fn only_the_token_opens() {
    for (shown, expected) in [
        ("authorization: Bearer 0123456789abcdef", "Loopback"),
        ("authorization: bearer  0123456789abcdef", "Loopback"),
        ("x-api-key: 0123456789abcdef", "Loopback"),
        ("authorization: Bearer 0123456789abcdef|x-api-key: 0123456789abcdef", "Loopback"),
        ("authorization: Bearer 0123456789abcdef|x-api-key: 0123456789abcdeF", "401 Token"),
        ("authorization: Bearer 0123456789abcdeF|x-api-key: 0123456789abcdef", "401 Token"),
        ("x-api-key: 0123456789abcdef|x-api-key: 0123456789abcdef", "401 Token"),
        ("x-api-key: Bearer 0123456789abcdef", "401 Token"),
        ("x-api-key:", "401 Token"),
        ("", "401 Token"),
        ("authorization: Bearer 0123456789abcdeF", "401 Token"),
        ("authorization: Bearer ", "401 Token"),
        ("authorization: Bearer", "401 Token"),
        ("authorization:", "401 Token"),
        ("authorization: Basic 0123456789abcdef", "401 Token"),
        ("authorization: 0123456789abcdef", "401 Token"),
        ("authorization: Bearer 0123456789abcdef|authorization: Bearer 0123456789abcdef", "401 Token"),
        ("x-token: 0123456789abcdef", "401 Token"),
        ("cookie: openoxide-7171=0123456789abcdef", "401 Token"),
    ] {
        assert_eq!(check(&format!("host: localhost|{shown}"), true), expected, "{shown}");
    }
    let long = format!("host: localhost|authorization: Bearer {}", "x".repeat(10_000));
    assert_eq!(check(&long, true), "401 Token");
    assert_eq!(check("host: localhost|authorization: Bearer wrong|x-api-key: wrong", false), "Loopback", "ignored");
}

#[test]
fn without_a_secret_only_what_is_for_everybody_answers() {
    for (line, published, private) in [
        ("GET /healthz", "Loopback, Anonymous", "Loopback, Anonymous"),
        ("HEAD /healthz", "Loopback, Anonymous", "Loopback, Anonymous"),
        ("GET /", "Loopback, Anonymous", "Loopback, Anonymous"),
        ("GET /open/x", "Loopback, Anonymous", "Loopback, Anonymous"),
        ("GET /.well-known/agent-skills/index.json", "Loopback, Anonymous", "401 Token"),
        ("POST /.well-known/agent-skills/index.json", "401 Token", "401 Token"),
        ("POST /healthz", "401 Token", "401 Token"),
        ("GET /healthz/", "401 Token", "401 Token"),
        ("GET //healthz", "401 Token", "401 Token"),
        ("GET /v1/skills", "401 Token", "401 Token"),
        ("GET /metrics", "401 Token", "401 Token"),
        ("GET /openapi.json", "401 Token", "401 Token"),
        ("POST /mcp", "401 Token", "401 Token"),
        ("POST /questions/x", "401 Token", "401 Token"),
        ("OPTIONS /v1/skills", "401 Token", "401 Token"),
    ] {
        for (publishes, expected) in [(true, published), (false, private)] {
            assert_eq!(sent(secret(&Arc::default(), publishes), line, "host: localhost"), expected, "{line}");
        }
        let wrong = "host: localhost|authorization: Bearer wrong";
        assert_eq!(sent(secret(&Arc::default(), true), line, wrong), "401 Token", "{line}");
    }
}

#[test]
fn a_person_is_who_comes_from_the_page_of_a_session() {
    let sessions: Arc<BrowserSessions> = Arc::default();
    let session = sessions.open("localhost:7171", 7171).unwrap();
    let pair = session.cookie.to_str().unwrap().split(';').next().unwrap().to_owned();
    let (base, person) = (session.path.clone(), format!("host: localhost:7171|cookie: {pair}"));
    let sent = |line: &str, headers: &str| sent(secret(&sessions, false), line, headers);
    let form = "content-length: 5|content-type: application/x-www-form-urlencoded";
    let json = "content-length: 5|content-type: application/json";
    for (line, headers, expected) in [
        (format!("GET {base}"), person.clone(), "Loopback, Person /"),
        (format!("GET {base}v1/skills?all=true"), person.clone(), "Loopback, Person /v1/skills?all=true"),
        ("GET /v1/skills".to_owned(), person.clone(), "401 Token"),
        (format!("GET {base}"), "host: localhost:7171".to_owned(), "401 Token"),
        (format!("GET {base}"), format!("host: 127.0.0.1:7171|cookie: {pair}"), "401 Token"),
        (format!("GET {base}"), format!("{person}|sec-fetch-site: same-site"), "403 Origin"),
        (format!("GET {base}"), format!("{person}|authorization: Bearer wrong"), "401 Token"),
        (format!("GET {base}"), format!("host: localhost:7171|authorization: Bearer {TOKEN}"), "401 Token"),
        ("GET /session/x/".to_owned(), person.clone(), "401 Token"),
        (format!("POST {base}v1/reload"), format!("{person}|{json}"), "401 Token"),
        (
            format!("POST {base}v1/reload"),
            format!("{person}|origin: http://localhost:7171|{json}"),
            "Loopback, Person /v1/reload",
        ),
        (format!("POST {base}v1/reload"), format!("{person}|origin: http://localhost:7172|{json}"), "403 Origin"),
        (format!("POST {base}v1/reload"), format!("{person}|sec-fetch-site: none|{json}"), "401 Token"),
        (format!("POST {base}v1/reload"), format!("{person}|sec-fetch-site: same-origin|{form}"), "415 Content"),
        (
            format!("POST {base}questions/x"),
            format!("{person}|sec-fetch-site: same-origin|{form}"),
            "Loopback, Person /questions/x",
        ),
        (format!("POST {base}questions/x"), format!("{person}|origin: null|{form}"), "403 Origin"),
        (format!("POST {base}questions/x"), format!("{person}|{form}"), "401 Token"),
        (
            "POST /questions/x".to_owned(),
            format!("host: localhost:7171|authorization: Bearer {TOKEN}|{form}"),
            "415 Content",
        ),
    ] {
        assert_eq!(sent(&line, &headers), expected, "{line} {headers}");
    }
}

#[test]
fn what_a_browser_sends_for_another_site_is_refused() {
    for (site, expected) in [
        ("same-origin", "Loopback"),
        ("none", "Loopback"),
        ("same-site", "403 Origin"),
        ("cross-site", "403 Origin"),
        ("", "403 Origin"),
        ("none|sec-fetch-site: cross-site", "403 Origin"),
    ] {
        assert_eq!(check(&format!("host: localhost|sec-fetch-site: {site}"), false), expected, "{site}");
    }
}

#[test]
fn what_changes_something_says_that_it_is_json() {
    for (headers, expected) in [
        ("", "Loopback"),
        ("content-length: 0", "Loopback"),
        ("content-length: 0|content-type: text/plain", "415 Content"),
        ("content-length: 0|origin: http://localhost", "415 Content"),
        ("content-length: 0|sec-fetch-site: same-origin", "415 Content"),
        ("content-length: 0|sec-fetch-site: none|content-type: application/json", "Loopback"),
    ] {
        assert_eq!(post(headers), expected, "{headers}");
    }
}

#[test]
fn a_body_is_json_and_says_so() {
    for (content, expected) in [
        ("content-length: 5|content-type: application/json", "Loopback"),
        ("content-length: 5|content-type: Application/JSON; charset=utf-8", "Loopback"),
        ("content-length: 0", "Loopback"),
        ("content-length: 5|content-type: text/plain", "415 Content"),
        ("content-length: 5", "415 Content"),
        ("transfer-encoding: chunked|content-type: application/json", "411 Content"),
        ("content-length: 5|content-type: text/plain|content-type: application/json", "415 Content"),
    ] {
        assert_eq!(check(&format!("host: localhost|{content}"), false), expected, "{content}");
    }
}
