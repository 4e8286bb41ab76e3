//! Who gets in.

use super::{Server, TOKEN};
use openoxide_server::IngressLimits;

#[tokio::test]
async fn only_our_names_and_our_pages_are_answered_at_every_path() {
    let server = Server::start().await;
    let port = server.address.port();
    for path in ["/healthz", "/v1/skills", "/nowhere", "/"] {
        let line = format!("GET {path}");
        let fine = server.ask(&line, &format!("host: 127.0.0.1:{port}"), "").await;
        assert!(![400, 401, 403, 421].contains(&fine.status), "{path}: {fine:?}");
        for (headers, code) in [
            (format!("host: evil.example:{port}"), "wrong-host"),
            (format!("host: evil.example:{port}|origin: http://evil.example:{port}"), "wrong-host"),
            (format!("host: localhost:{port}|origin: http://evil.example"), "wrong-origin"),
            (format!("host: localhost:{port}|origin: null"), "wrong-origin"),
        ] {
            let came = server.ask(&line, &headers, "").await;
            assert_eq!((came.status, came.code().as_str()), (403, code), "{path} {headers}: {came:?}");
            assert!(came.head.contains("x-request-id: ") && came.body.contains("\"request_id\""), "{came:?}");
        }
    }
    let named = server.ask("GET /healthz", "host: skills.example", "").await;
    assert_eq!(named.status, 200, "{named:?}");
    // An address in the request line cannot say something else than the header.
    let absolute = server.ask("GET http://evil.example/healthz", "host: localhost", "").await;
    assert_eq!(absolute.status, 400, "{absolute:?}");
}

#[tokio::test]
async fn a_request_that_was_passed_on_does_not_come_from_here() {
    let server = Server::with(IngressLimits::default(), true).await;
    for (headers, expected) in [
        ("", "Local Program"),
        ("forwarded: for=192.0.2.1", "Remote Program"),
        ("x-forwarded-for: 127.0.0.1", "Remote Program"),
        ("x-forwarded-proto: http", "Remote Program"),
        ("X-Real-IP: 127.0.0.1", "Remote Program"),
        ("via: 1.1 relay", "Remote Program"),
    ] {
        let came = server.ask("GET /test/who", &format!("authorization: Bearer {TOKEN}|{headers}"), "").await;
        assert_eq!((came.status, came.body.as_str()), (200, expected), "{headers}: {came:?}");
    }
    let site = server.ask("GET /test/who", "sec-fetch-site: cross-site", "").await;
    assert_eq!((site.status, site.code().as_str()), (403, "wrong-site"), "{site:?}");
}

#[tokio::test]
async fn a_request_keeps_its_name_if_it_has_one() {
    let server = Server::start().await;
    let given = server.ask("GET /nowhere", "x-request-id: mine-7", "").await;
    assert!(given.head.contains("x-request-id: mine-7") && given.body.contains("mine-7"), "{given:?}");
    let forged = server.ask("GET /nowhere", "x-request-id: \"}{\"", "").await;
    assert!(!forged.head.contains("}{") && !forged.body.contains("}{"), "{forged:?}");
    let other = server.get("/nowhere").await;
    assert_ne!(forged.body, other.body);
}

#[tokio::test]
async fn other_sites_get_no_permission_and_only_json_is_a_body() {
    let server = Server::start().await;
    for path in ["/v1/skills", "/v1/skills/pdf/activate", "/nowhere"] {
        let headers = "host: localhost:9|origin: http://evil.example|access-control-request-method: POST|\
                       access-control-request-headers: content-type";
        let preflight = server.ask(&format!("OPTIONS {path}"), headers, "").await;
        assert_eq!(preflight.status, 403, "{preflight:?}");
        let own = server.ask(&format!("OPTIONS {path}"), "host: localhost:9|origin: http://localhost:9", "").await;
        for came in [&preflight, &own] {
            assert!(!came.head.contains("access-control-"), "{came:?}");
        }
    }
    for kind in ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", "application/jsonx"] {
        let line = "POST /v1/skills/pdf/activate";
        let came = server.ask(line, &format!("content-type: {kind}"), "{}").await;
        assert_eq!((came.status, came.code().as_str()), (415, "no-json"), "{kind}: {came:?}");
    }
    let bare = server.ask("POST /v1/skills/pdf/activate", "", "{}").await;
    assert_eq!(bare.status, 415, "{bare:?}");
    let json = server.post_json("/v1/skills/pdf/activate", "{}").await;
    assert_eq!(json.status, 200, "{json:?}");
}

#[tokio::test]
async fn nothing_is_answered_without_the_token() {
    let server = Server::with(IngressLimits::default(), true).await;
    let right = format!("authorization: Bearer {TOKEN}");
    for path in ["/metrics", "/v1/skills", "/nowhere", "/.well-known/agent-skills/index.json", "/mcp", "/openapi.json"]
    {
        let line = format!("GET {path}");
        for right in [right.clone(), format!("x-api-key: {TOKEN}"), format!("{right}|x-api-key: {TOKEN}")] {
            assert_ne!(server.ask(&line, &right, "").await.status, 401, "{path}");
        }
        for shown in [
            String::new(),
            "authorization: Bearer".to_owned(),
            "authorization: Bearer a-secret-of-some-lengtH".to_owned(),
            format!("authorization: Basic {TOKEN}"),
            format!("authorization: Bearer {TOKEN}{}", "x".repeat(8000)),
            format!("{right}|{right}"),
            format!("{right}, Bearer {TOKEN}"),
            format!("cookie: token={TOKEN}|x-token: {TOKEN}"),
        ] {
            let came = server.ask(&line, &shown, "").await;
            assert_eq!((came.status, came.code().as_str()), (401, "no-token"), "{path} {shown}: {came:?}");
            assert!(came.head.contains("www-authenticate: bearer"), "{came:?}");
            assert!(!came.body.contains(TOKEN) && !came.body.contains("pdf"), "{came:?}");
        }
    }
    assert_eq!(server.get("/healthz").await.status, 200);
    let query = server.get(&format!("/v1/skills?token={TOKEN}&access_token={TOKEN}")).await;
    assert_eq!(query.status, 401, "{query:?}");
    let oversized = format!("authorization: Bearer {}", "x".repeat(20_000));
    let oversized = server.ask("GET /healthz", &oversized, "").await;
    assert_eq!(oversized.status, 431, "{oversized:?}");
    let front = server.get("/").await;
    assert!(front.status == 401 && front.body.contains("openoxide serve --link"), "{front:?}");
    assert!(!front.body.contains("pdf") && !front.body.contains("/tmp"), "{front:?}");
}
