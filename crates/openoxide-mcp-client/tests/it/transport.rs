//! Servers that are dead, slow, rude or nosy.

use std::time::{Duration, Instant};

use openoxide_config::{McpServer, McpTransport};
use openoxide_mcp_client::{Limits, Remote, RemoteOptions};
use secrecy::SecretString;

use crate::{at, configured, environment, find, offers::offer, over_http, over_pipes, started};

/// Waits a second at most.
fn hasty() -> Limits {
    Limits { connect: Duration::from_secs(1), request: Duration::from_secs(1), ..Limits::default() }
}

async fn problems(remote: &Remote) -> Vec<String> {
    let listing = remote.list().await;
    let said = listing.problems.iter().map(ToString::to_string).collect();
    remote.close().await;
    said
}

#[tokio::test]
async fn what_is_slow_or_ends_is_told_in_time() {
    let rows = [
        ("slow", "the MCP server `docs` did not answer `skills/list` within 1 s", None),
        ("silent", "the MCP server `docs` did not answer `server/discover` within 1 s", None),
        (
            "gone",
            "the MCP server `docs` cannot be used: it ended",
            Some("the MCP server `docs` cannot be used: connection closed before message completed"),
        ),
    ];
    for (which, said, other) in rows {
        let start = Instant::now();
        assert_eq!(problems(&over_pipes(which, hasty())).await, [said], "{which} over pipes");
        assert_eq!(problems(&over_http(which, hasty()).0).await, [other.unwrap_or(said)], "{which} over HTTP");
        assert!(start.elapsed() < Duration::from_secs(12), "{which}");
    }
}

#[tokio::test]
async fn garbage_is_no_answer() {
    let said = "the MCP server `docs` cannot be used: it answered with something that is no message of the protocol";
    assert_eq!(problems(&over_http("garbage", hasty()).0).await, [said]);
    let said = "the MCP server `docs` did not answer `server/discover` within 1 s";
    assert_eq!(problems(&over_pipes("garbage", hasty())).await, [said]);
}

#[tokio::test]
async fn a_program_that_is_not_there_or_fails_says_why() {
    let program = |command: &str, args: &[&str]| {
        let args = args.iter().map(|arg| (*arg).to_owned()).collect();
        let transport = McpTransport::Stdio { command: command.to_owned(), args, env: Vec::new() };
        let options = RemoteOptions { environment: environment(""), limits: hasty(), ..RemoteOptions::default() };
        Remote::new(vec![configured("docs", transport)], options)
    };
    let lead = "the MCP server `docs` cannot be used: ";
    let missing = problems(&program("openoxide-is-not-here", &[])).await;
    assert!(missing[0].starts_with(&format!("{lead}`openoxide-is-not-here` cannot be started: ")), "{missing:?}");
    let relative = problems(&program("./server", &[])).await;
    assert_eq!(relative, [format!("{lead}`./server` is neither a name nor an absolute path")]);
    let failing = problems(&program("/bin/sh", &["-c", "echo before >&2; echo 'no such token' >&2; exit 3"])).await;
    assert_eq!(failing, [format!("{lead}it ended before it answered (exit status: 3): no such token")]);
}

#[tokio::test]
async fn one_that_fails_keeps_the_others_from_nothing() {
    let good = offer("good").serve_http();
    let dead = configured("dead", McpTransport::Http { url: "http://127.0.0.1:1/mcp".to_owned() });
    let off = {
        let mut off = at("off", &good.url);
        off.server = McpServer { enabled: false, ..off.server };
        off
    };
    let options = RemoteOptions { environment: environment("silent"), limits: hasty(), ..RemoteOptions::default() };
    let remote = Remote::new(vec![dead, at("good", &good.url), off, started("slow")], options);
    let listing = remote.list().await;
    assert_eq!(listing.skills.len(), 2);
    let said: Vec<String> = listing.problems.iter().map(ToString::to_string).collect();
    assert!(said[0].starts_with("the MCP server `dead` cannot be used: "), "{said:?}");
    assert_eq!(said[1..], ["the MCP server `slow` did not answer `server/discover` within 1 s"]);
    let off = find(&remote, "mcp:off/pdf").await.unwrap_err();
    assert_eq!(off.to_string(), "the MCP server `off` is switched off");
    remote.close().await;
}

#[tokio::test]
async fn what_it_refuses_is_told() {
    let rows = [
        ("no-skills", "the MCP server `docs` offers no skills"),
        ("login", "the MCP server `docs` wants a login"),
        ("elsewhere", "the MCP server `docs` cannot be used: it answered with the status 307 Temporary Redirect"),
    ];
    for (which, said) in rows {
        assert_eq!(problems(&over_http(which, hasty()).0).await, [said], "{which}");
    }
    let long = &problems(&over_http("error", hasty()).0).await[0];
    assert!(long.starts_with("the MCP server `docs` refused `skills/list`: no") && long.len() < 400, "{long}");
}

#[tokio::test]
async fn a_program_gets_few_variables_and_ends_with_the_connection() {
    let remote = over_pipes("surroundings", Limits::default());
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    let (said, id) = skill.entry.description.rsplit_once(" as ").unwrap();
    let (variables, place) = said.rsplit_once(" in ").unwrap();
    let mut variables: Vec<&str> = variables.split(' ').collect();
    variables.sort_unstable();
    assert_eq!((variables, place), (vec!["HOME", crate::WHICH, "PATH"], "/"));
    let id = rustix::process::Pid::from_raw(id.parse().unwrap()).unwrap();
    assert!(rustix::process::test_kill_process(id).is_ok());
    remote.close().await;
    assert!(rustix::process::test_kill_process(id).is_err(), "it is gone");
}

#[tokio::test]
async fn a_token_is_for_its_server() {
    let (one, two) = (offer("good").serve_http(), offer("good").serve_http());
    let tokens = [(one.url.clone(), SecretString::from("hunter2"))].into();
    let options = RemoteOptions { tokens, ..RemoteOptions::default() };
    let remote = Remote::new(vec![at("one", &one.url), at("two", &two.url)], options);
    assert_eq!(remote.list().await.problems, []);
    assert!(one.heads().iter().all(|head| head.to_lowercase().contains("authorization: bearer hunter2")));
    assert!(!two.heads().iter().any(|head| head.to_lowercase().contains("authorization")));
}
