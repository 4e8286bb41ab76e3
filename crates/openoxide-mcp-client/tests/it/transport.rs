//! Servers that are dead, slow, rude or nosy.

use std::time::Duration;

use openoxide_config::{McpServer, McpTransport};
use openoxide_mcp_client::{Limits, Remote, RemoteOptions};
use openoxide_skills::host::Caller;
use secrecy::SecretString;

use crate::{at, configured, environment, find, offers::offer, over_http, over_pipes, started};

/// Waits a second at most.
pub(crate) fn hasty() -> Limits {
    Limits { connect: Duration::from_secs(1), request: Duration::from_secs(1), ..Limits::default() }
}

pub(crate) async fn problems(remote: &Remote) -> Vec<String> {
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
        assert_eq!(problems(&over_pipes(which, hasty())).await, [said], "{which} over pipes");
        assert_eq!(problems(&over_http(which, hasty()).0).await, [other.unwrap_or(said)], "{which} over HTTP");
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
    let failing = program("/bin/sh", &["-c", "echo before >&2; echo 'no such token' >&2; exit 3"]).list().await;
    let [problem] = failing.problems.as_slice() else { panic!("{failing:?}") };
    let told = format!("{lead}it ended before it answered (exit status: 3)");
    assert_eq!(problem.to_string(), told, "what a program complains about may hold secrets");
    assert_eq!(problem.in_terminal(), format!("{told}: no such token"));
}

/// Whoever lists in a loop neither piles up questions nor starts a program again and again.
#[tokio::test]
async fn a_server_is_asked_once_at_a_time_and_a_failure_is_remembered() {
    let (remote, served) = over_http("slow", Limits { request: Duration::from_secs(3), ..hasty() });
    for _ in 0..5 {
        let listing = tokio::time::timeout(Duration::from_millis(20), remote.list()).await;
        assert!(listing.is_err(), "nobody has to wait for it");
    }
    let (one, two) = tokio::join!(remote.list(), remote.list());
    assert_eq!((one.problems.len(), &one), (1, &two));
    assert_eq!(remote.list().await, one);
    assert_eq!(served.seen(), ["server/discover", "skills/list"]);

    let folder = openoxide_testkit::TestContext::new();
    let file = folder.root().join("starts");
    let args = vec!["-c".to_owned(), format!("echo x >> {}; exit 3", file.display())];
    let transport = McpTransport::Stdio { command: "/bin/sh".to_owned(), args, env: Vec::new() };
    let remembering = |failed| {
        let limits = Limits { failed, ..hasty() };
        let options = RemoteOptions { environment: environment(""), limits, ..RemoteOptions::default() };
        Remote::new(vec![configured("docs", transport.clone())], options)
    };
    let remote = remembering(Duration::from_hours(1));
    for _ in 0..5 {
        assert_eq!(remote.list().await.problems.len(), 1);
    }
    assert_eq!(fs_err::read_to_string(&file).unwrap(), "x\n");
    let remote = remembering(Duration::from_millis(1));
    let tried_again = async {
        while fs_err::read_to_string(&file).unwrap() != "x\nx\nx\n" {
            remote.list().await;
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_mins(1), tried_again).await.is_ok(), "after a while it is tried again");
}

#[tokio::test]
async fn a_folder_without_an_end_has_one() {
    for (which, said) in [("folder-circle", "a page leads back to one before"), ("folder-spiral", "more than 10 pages")]
    {
        let remote = over_http(which, Limits { pages: 10, ..hasty() }).0;
        let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
        let error = remote.files(&skill).await.unwrap_err().to_string();
        assert!(error.ends_with(said), "{which}: {error}");
    }
}

#[tokio::test]
async fn one_that_fails_keeps_the_others_from_nothing() {
    let good = offer("good").serve_http();
    let dead = configured("dead", McpTransport::Http { url: "http://127.0.0.1:1/mcp".to_owned(), token: None });
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
    assert!(
        long.starts_with("the MCP server `docs` refused `skills/list`: no\\u{1b}[31mx") && long.len() < 400,
        "{long}"
    );
}

#[tokio::test]
async fn a_program_gets_few_variables_and_ends_with_the_connection() {
    let remote = over_pipes("surroundings", Limits::default());
    let skill = find(&remote, "mcp:docs/pdf").await.unwrap();
    let about = skill.offer(Caller::User).about;
    let (said, id) = about.rsplit_once(" as ").unwrap();
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
async fn what_a_program_started_ends_with_it() {
    let folder = openoxide_testkit::TestContext::new();
    let file = folder.root().join("id");
    let script = format!("sleep 600 & echo $! > {}; sleep 600", file.display());
    let args = vec!["-c".to_owned(), script];
    let transport = McpTransport::Stdio { command: "/bin/sh".to_owned(), args, env: Vec::new() };
    let options = RemoteOptions { environment: environment(""), limits: hasty(), ..RemoteOptions::default() };
    let remote = Remote::new(vec![configured("docs", transport)], options);
    assert_eq!(problems(&remote).await, ["the MCP server `docs` did not answer `server/discover` within 1 s"]);
    let id: i32 = fs_err::read_to_string(file).unwrap().trim().parse().unwrap();
    let id = rustix::process::Pid::from_raw(id).unwrap();
    let gone = async {
        while rustix::process::test_kill_process(id).is_ok() && !is_zombie(id) {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    assert!(tokio::time::timeout(Duration::from_mins(1), gone).await.is_ok(), "{id:?} still runs");
}

/// Tells whether a process has ended, and nobody asked how.
fn is_zombie(id: rustix::process::Pid) -> bool {
    let stat = fs_err::read_to_string(format!("/proc/{}/stat", id.as_raw_nonzero())).unwrap_or_default();
    stat.rsplit(')').next().is_some_and(|rest| rest.trim_start().starts_with('Z'))
}

/// A token that a login gave is sent to the server that gave it.
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
