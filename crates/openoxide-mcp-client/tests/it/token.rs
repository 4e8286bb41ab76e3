//! Tokens: where they come from, and that they go nowhere else.

use openoxide_config::{ConfiguredServer, McpTransport, TokenSource};
use openoxide_mcp_client::{Remote, RemoteOptions};
use openoxide_testkit::mcp::{Reply, SkillServer};

use crate::transport::{hasty, problems};
use crate::{configured, environment, offers::offer};

fn with_token(name: &str, url: &str, token: TokenSource) -> ConfiguredServer {
    configured(name, McpTransport::Http { url: url.to_owned(), token: Some(token) })
}

/// The variable `SECRET`, which is `hunter2`.
fn secret() -> TokenSource {
    TokenSource::Variable("SECRET".to_owned())
}

fn remote(servers: Vec<ConfiguredServer>) -> Remote {
    Remote::new(servers, RemoteOptions { environment: environment(""), limits: hasty(), ..RemoteOptions::default() })
}

fn is_shown(head: &str) -> bool {
    head.to_lowercase().contains("authorization: bearer hunter2")
}

#[tokio::test]
async fn a_token_is_shown_with_every_request_to_its_server_alone() {
    let context = openoxide_testkit::TestContext::new();
    let file = context.root().join("token");
    fs_err::write(&file, "hunter2\n").unwrap();
    fs_err::set_permissions(&file, std::os::unix::fs::PermissionsExt::from_mode(0o600)).unwrap();
    let file = TokenSource::File(file.to_str().unwrap().to_owned());
    for source in [secret(), file] {
        let (one, two) = (offer("good").serve_http(), offer("good").serve_http());
        let remote = remote(vec![with_token("one", &one.url, source), crate::at("two", &two.url)]);
        let listing = remote.list().await;
        assert_eq!((listing.problems.len(), listing.skills.len()), (0, 4), "{:?}", listing.problems);
        remote.load(&listing.skills[0]).await.unwrap();
        remote.close().await;
        assert!(one.heads().len() >= 3 && one.heads().iter().all(|head| is_shown(head)), "{:?}", one.heads());
        assert!(!two.heads().iter().any(|head| head.to_lowercase().contains("authorization")), "{:?}", two.heads());
    }
}

#[tokio::test]
async fn nobody_is_asked_without_the_token() {
    let served = offer("good").serve_http();
    let missing = TokenSource::Variable("NOT_SET".to_owned());
    let remote = remote(vec![with_token("docs", &served.url, missing)]);
    let problem = &remote.list().await.problems[0];
    assert_eq!(problem.to_string(), "the MCP server `docs` is not asked: the variable `NOT_SET` is not set");
    assert!(problem.help.as_ref().unwrap().contains("`mcp.servers.docs` in your config.toml"), "{problem:?}");
    assert_eq!(served.heads(), [""; 0]);
}

/// Wherever a server sends the client, the token stays behind.
#[tokio::test]
async fn a_token_does_not_follow_a_server_elsewhere() {
    for status in [301, 302, 303, 307, 308] {
        let other = offer("good").serve_http();
        let target = format!("Location: {}\r\n", other.url);
        let evil = SkillServer::default().twisted(move |_, _, _| Some(Reply::Status(status, target.clone())));
        let evil = evil.serve_http();
        let said = problems(&remote(vec![with_token("docs", &evil.url, secret())])).await;
        assert_eq!(said.len(), 1, "{status}: {said:?}");
        assert!(!said[0].contains("hunter2") && evil.heads().iter().all(|head| is_shown(head)), "{status}: {said:?}");
        assert_eq!(other.heads(), [""; 0], "{status}");
    }
}

#[tokio::test]
async fn a_token_that_is_not_taken_is_told_and_not_repeated() {
    let served = offer("login").serve_http();
    let remote = remote(vec![with_token("docs", &served.url, secret())]);
    let problem = &remote.list().await.problems[0];
    assert_eq!(problem.to_string(), "the MCP server `docs` does not take the token");
    let all = format!("{problem:?} {:?}", problem.help);
    assert!(!all.contains("hunter2"), "{all}");
}

#[tokio::test]
async fn a_token_is_not_sent_where_others_can_read_it() {
    let remote = remote(vec![with_token("docs", "http://skills.invalid/mcp", secret())]);
    let said = problems(&remote).await;
    let expected = "the MCP server `docs` cannot be used: its token is sent to `https://` or to this machine only";
    assert_eq!(said, [expected]);
}
