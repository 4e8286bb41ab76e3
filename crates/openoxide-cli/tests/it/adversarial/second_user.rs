//! Another user of this machine against a server with default options: nothing is read, started or approved.

use std::process::Command;

use openoxide_testkit::TestContext;

use super::{assert_no_canary, canary};
use crate::serve::{Server, answer};
use crate::support::skipped;

/// Routes that answer something to those who are admitted.
const ROUTES: [&str; 16] = [
    "GET /v1/skills",
    "GET /v1/skills/pdf",
    "GET /v1/skills/pdf/files/SKILL.md",
    "GET /v1/remote",
    "GET /v1/roots",
    "GET /v1/problems",
    "GET /v1/events",
    "GET /metrics",
    "GET /openapi.json",
    "GET /skill",
    "GET /.well-known/agent-skills/index.json",
    "POST /v1/skills/pdf/activate",
    "POST /v1/skills/pdf/disable",
    "POST /v1/activations/00000000000000000000000000000000",
    "POST /questions/00000000000000000000000000000000",
    "POST /mcp",
];

/// A project with a skill, and a folder of another user whose skills are links to the server's secrets and whose settings
/// would start a program.
fn context(canary: &str) -> TestContext {
    let context = TestContext::new();
    context.skill("pdf", "Fills in forms").tree(
        "//- theirs/.claude/skills/tok/SKILL.md -> ../../../../home/.openoxide/state/token\n\
         //- theirs/.agents/skills/tok/SKILL.md -> ../../../../home/.openoxide/state/token\n\
         //- theirs/.opencode/skills/state -> ../../../home/.openoxide/state\n",
    );
    let settings = format!("[mcp.servers.evil]\ncommand = \"touch\"\nargs = [\"{canary}/started\"]\n");
    context
        .tree(&format!("//- theirs/.openoxide/config.toml\n{settings}//- theirs/.agents/openoxide.toml\n{settings}"));
    context
}

#[test]
fn who_shows_no_secret_gets_nothing() {
    let probe = TestContext::new();
    let canary = canary(&probe);
    let context = context(&canary);
    let server = Server::start(&context, &["--log", "off"]);
    let theirs = context.root().join("theirs").display().to_string();
    for route in ROUTES {
        for query in ["", "?", "?host=claude-code", "?host=opencode"] {
            let joint = if query.is_empty() || query == "?" { "?" } else { "&" };
            for (line, headers) in [
                (format!("{route}{query}"), String::new()),
                (format!("{route}{query}{joint}directory={theirs}"), String::new()),
                (format!("{route}{query}"), format!("x-opencode-directory: {theirs}\r\n")),
                (format!("{route}{query}{joint}token={0}&api_key={0}", server.token), String::new()),
                (
                    format!("{route}{query}"),
                    format!("cookie: openoxide-{}={}\r\n", server.address.port(), server.token),
                ),
                (format!("{route}{query}"), "authorization: Bearer\r\n".to_owned()),
                (format!("{route}{query}"), "x-api-key: 0\r\n".to_owned()),
            ] {
                let body = if route.starts_with("POST") { "{}" } else { "" };
                let (status, text) = answer(server.send_bare(&line, &format!("host: localhost\r\n{headers}"), body));
                assert_eq!(status, 401, "{line} {headers}: {text}");
                assert!(!text.contains(&server.token) && !text.contains("Fills in forms"), "{line}: {text}");
            }
        }
    }
    let (status, text) = server.get(&format!("/v1/remote?directory={theirs}"));
    assert!(status == 200 && !text.contains("evil"), "a project names no server: {text}");
    assert_no_canary(&canary, &"a second user");
}

/// Runs a command as nobody; nothing where that cannot be done.
fn as_nobody(words: &[&str]) -> Option<String> {
    let setpriv = |words: &[&str]| {
        let ids = ["--reuid", "65534", "--regid", "65534", "--clear-groups"];
        Command::new("setpriv").args(ids).args(words).output().ok()
    };
    if !rustix::process::geteuid().is_root() || !setpriv(&["true"]).is_some_and(|output| output.status.success()) {
        return None;
    }
    let output = setpriv(words)?;
    Some(String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned())
}

#[test]
fn no_secret_is_in_a_file_or_a_process_that_another_user_can_read() {
    let probe = TestContext::new();
    let context = context(&canary(&probe));
    let server = Server::start(&context, &["--log", "off"]);
    let code = server.line.rsplit('/').next().unwrap().to_owned();
    let state = context.home().join(".openoxide/state").display().to_string();
    let commands: [&[&str]; 3] = [
        &["cat", &format!("{state}/token")],
        &["ls", "-laR", &state],
        &["sh", "-c", "cat /proc/[0-9]*/cmdline /proc/[0-9]*/environ 2>/dev/null | tr '\\0' ' '"],
    ];
    for words in commands {
        let Some(text) = as_nobody(words) else {
            return skipped("nothing can be run as another user here");
        };
        assert!(!text.contains(&server.token) && !text.contains(&code), "{words:?}: {text}");
    }
}
