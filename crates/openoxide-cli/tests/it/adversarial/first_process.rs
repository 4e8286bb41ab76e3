//! As the first process of a container, the program reaps what others leave behind, and obeys signals.

use std::path::Path;
use std::process::{Child, Command, Stdio};

use openoxide_testkit::TestContext;
use rustix::process::{Pid, Signal, kill_process};

use super::face::{Face, Setting, attack};
use crate::support::{PATIENCE, bin, skipped, until};

attack! { processes_that_lost_their_parent {
    cli = "a command ends, and its namespace with it",
    http,
    mcp,
    mcp_http = "it is the process of `serve`, as for HTTP",
    rpc
} }

/// The binary as the first process of a PID namespace. The namespace ends with this value.
struct Container {
    unshare: Child,
}

impl Container {
    fn start(context: &TestContext, args: &[&str]) -> Option<Container> {
        let namespace = ["--user", "--map-root-user", "--pid", "--fork", "--kill-child", "--mount-proc"];
        let unshare = || {
            let mut command = Command::new("unshare");
            command.args(namespace).env_clear().env("PATH", "/usr/bin:/bin").env("HOME", context.home());
            command.current_dir(context.project());
            command
        };
        if !unshare().arg("true").stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
            skipped("no PID namespace can be made here");
            return None;
        }
        let mut command = unshare();
        command.arg(bin()).args(args).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Some(Container { unshare: command.spawn().unwrap() })
    }

    /// Returns the first process inside, as it is numbered outside.
    fn first(&self) -> u32 {
        let mut first = None;
        let outer = self.unshare.id();
        assert!(until(PATIENCE, || {
            first = children(outer).first().copied();
            first.is_some_and(|first| !children(first).is_empty())
        }));
        first.unwrap()
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let _ = self.unshare.kill();
        let _ = self.unshare.wait();
    }
}

fn children(pid: u32) -> Vec<u32> {
    let listed = fs_err::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
    listed.split_whitespace().filter_map(|pid| pid.parse().ok()).collect()
}

/// The first process reaps what others leave to it.
fn processes_that_lost_their_parent(setting: Setting) {
    let context = TestContext::new();
    let args: &[&str] = match setting.face {
        Face::Mcp => &["mcp"],
        Face::Rpc => &["app-server"],
        Face::Cli | Face::Http | Face::McpHttp => &["serve", "--port", "0"],
    };
    let Some(container) = Container::start(&context, args) else { return };
    let first = container.first();
    let mut inside = Command::new("nsenter");
    inside.args(["--target", &first.to_string(), "--user", "--preserve-credentials", "--pid", "--"]);
    // The shell ends at once, so that what it started belongs to the first process.
    if !inside.args(["sh", "-c", "for i in 1 2 3 4; do sleep 0.1 & done"]).status().is_ok_and(|status| status.success())
    {
        return skipped("no process can be started in the namespace");
    }
    assert!(until(PATIENCE, || children(first).len() == 1), "{:?} are left", children(first));
}

#[test]
fn it_ends_when_it_is_told_to_and_says_how_its_child_ended() {
    let context = TestContext::new();
    let Some(mut container) = Container::start(&context, &["serve", "--port", "0"]) else { return };
    let first = container.first();
    kill_process(Pid::from_raw(i32::try_from(first).unwrap()).unwrap(), Signal::TERM).unwrap();
    let mut ended = None;
    assert!(until(PATIENCE, || {
        ended = container.unshare.try_wait().unwrap();
        ended.is_some()
    }));
    let code = ended.unwrap().code();
    // Before the server listens for it, the signal ends the child.
    assert!([Some(0), Some(128 + 15)].contains(&code), "{code:?}");
    assert!(!Path::new(&format!("/proc/{first}")).exists());
}
