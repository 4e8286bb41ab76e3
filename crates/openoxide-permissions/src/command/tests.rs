//! Tests of rules on commands; the worst ones are run by a real shell.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::{Command, Stdio};

use proptest::prelude::*;

use super::*;
use crate::decide::{Approvals, decide};
use crate::permission::Permission;

fn rules(rows: &[(&str, Action)]) -> Rules {
    let mut rules = Rules::builtin();
    rules.0.extend(rows.iter().map(|(pattern, action)| Rule::new("shell", *pattern, *action, "test")));
    rules
}

fn decided(rows: &[(&str, Action)], text: &str) -> Action {
    decide(&rules(rows), &Approvals::default(), Permission::Shell, text).action
}

const ALLOWED: &[(&str, Action)] = &[("git status", Action::Allow)];

/// Case A43: ways around a rule that allows one command.
#[test]
fn an_allowed_command_allows_nothing_beside_it() {
    for text in ["git status", " git  status\n", "git status; git status", "git status && git status | git status"] {
        assert_eq!(decided(ALLOWED, text), Action::Allow, "{text:?}");
    }
    let around = [
        "git status; touch X",
        "git status && touch X",
        "git status || touch X",
        "git status | touch X",
        "git status & touch X",
        "git status\ntouch X",
        "git status\r\ntouch X",
        "git status $(touch X)",
        "git status `touch X`",
        "git status \"$(touch X)\"",
        "git status > X",
        "git status >> X",
        "git status >X",
        "git status 2> X",
        "git status <(touch X)",
        "git status >(touch X)",
        "git status << X\nX",
        "A=1 git status",
        "PATH=. git status",
        "GIT_EXTERNAL_DIFF=x git status",
        "$(touch X) git status",
        "(git status; touch X)",
        "git status -s",
        "git statuses",
        "git 'status'",
        "'git status'",
        "git\\ status",
        "/tmp/git status",
        "git status #",
        "#\ntouch X #git status",
        "git status\u{0}",
        "",
    ];
    for text in around {
        assert_eq!(decided(ALLOWED, text), Action::Ask, "{text:?}");
        // A wider pattern allows more arguments, and no more commands.
        let wide = decided(&[("git *", Action::Allow)], text);
        let only_arguments = ["git status -s", "git statuses", "git 'status'"].contains(&text);
        assert_eq!(wide == Action::Allow, only_arguments, "{text:?}");
    }
}

#[test]
fn what_is_not_understood_is_allowed_only_as_written_or_by_everything() {
    let text = "git status > out.txt";
    for (pattern, expected) in [
        (text, Action::Allow),
        ("*", Action::Allow),
        ("git status *", Action::Ask),
        ("git status > *", Action::Ask),
        ("**", Action::Ask),
        ("git status > out.tx?", Action::Ask),
    ] {
        assert_eq!(decided(&[(pattern, Action::Allow)], text), expected, "{pattern}");
    }
}

#[test]
fn a_deny_counts_if_any_part_matches() {
    use Action::{Allow, Ask, Deny};
    let denied = &[("*", Allow), ("rm *", Deny), ("git push*", Ask)];
    let rows = [
        ("rm x", Deny),
        ("git status; rm x", Deny),
        ("echo $(rm x)", Deny),
        ("r'm' x", Deny),
        ("/bin/rm x", Deny),
        ("sudo rm x", Deny),
        ("A=1 rm x", Deny),
        ("git status && git push", Ask),
        ("git push && rm x", Deny),
        ("(git push)", Ask),
        ("git rm x", Allow),
        ("git status", Allow),
        ("echo 'rm x'", Allow),
    ];
    for (text, expected) in rows {
        assert_eq!(decided(denied, text), expected, "{text}");
    }
    // A question never hides a denial, in whatever order they stand.
    assert_eq!(decided(&[("rm *", Deny), ("git *", Ask)], "(git push); (rm x)"), Deny);
    assert_eq!(decided(&[("rm *", Deny), ("sudo *", Ask)], "sudo rm x"), Deny);
    // Commands that are harmless alone may be denied together.
    let piped = &[("curl *", Allow), ("sh *", Allow), ("curl * | sh *", Deny)];
    assert_eq!([decided(piped, "curl x"), decided(piped, "curl x | sh -s")], [Allow, Deny]);
    let asked = &[("git *", Ask), ("git status", Allow), ("echo *", Allow)];
    assert_eq!([decided(asked, "git status && echo x"), decided(asked, "git log && echo x")], [Allow, Ask]);
    // The last rule wins here too.
    assert_eq!(decided(&[("rm *", Deny), ("*", Allow)], "echo $(rm x)"), Allow);
    assert_eq!(decided(&[("rm *", Deny), ("rm x", Allow)], "rm x; rm y"), Deny);
}

#[test]
fn a_backslash_is_no_slash_to_a_shell() {
    assert_eq!(decided(&[("./tools/run", Action::Allow)], "./tools\\run"), Action::Ask);
    assert_eq!(decided(&[("cat a/b", Action::Allow)], "cat 'a\\b'"), Action::Ask);
}

#[test]
fn the_rule_that_decides_is_named() {
    let rules = rules(&[("git *", Action::Allow), ("rm *", Action::Deny)]);
    let decision = decide(&rules, &Approvals::default(), Permission::Hook, "git a; rm b");
    assert_eq!(
        decision.rule.map(|rule| rule.permission).as_deref(),
        Some("hook"),
        "rules of `shell` are not for hooks"
    );
    let decision = decide(&rules, &Approvals::default(), Permission::Shell, "git a; rm b");
    assert_eq!(decision.rule.map(|rule| rule.pattern).as_deref(), Some("rm *"));
}

const PIECES: &[&str] = &[
    "git status",
    "git status ",
    "touch X",
    ";",
    "&&",
    "||",
    "|",
    "&",
    "\n",
    " ",
    "\t",
    "$(",
    ")",
    "`",
    ">",
    "<",
    "'",
    "\"",
    "\\",
    "A=1 ",
    "#",
    "$",
    "{",
    "}",
    "(",
    "!",
    "*",
    "~",
    "\r",
    "if ",
    "then ",
    "fi",
    "X",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4096))]

    /// A naive reading: cut at every sign that can stand between commands; each piece must be the allowed one.
    #[test]
    fn only_the_allowed_command_is_allowed(picked in proptest::collection::vec(proptest::sample::select(PIECES), 0..8)) {
        let text = picked.concat();
        if decided(ALLOWED, &text) == Action::Allow {
            let pieces = text.split([';', '&', '|', '\n']).map(|piece| piece.split_whitespace().collect::<Vec<_>>());
            let pieces: Vec<_> = pieces.filter(|words| !words.is_empty()).collect();
            prop_assert!(!pieces.is_empty() && pieces.iter().all(|words| *words == ["git", "status"]), "{:?}", text);
        }
    }

    #[test]
    fn any_text_is_decided(text in "\\PC*") {
        let decision = decided(ALLOWED, &text);
        prop_assert!(decision == Action::Ask || text.contains("git status"));
    }
}

/// Makes every text of three pieces behind the allowed command, keeps those that `git *` allows, and has real
/// shells run them where `git` does nothing: no file may appear.
#[test]
fn real_shells_agree() {
    let mut allowed = BTreeSet::new();
    for one in PIECES {
        for two in PIECES {
            for three in ["touch X", "X", " ", "'", "\"", ";git status"] {
                let text = format!("git status{one}{two}{three}");
                if decided(&[("git *", Action::Allow)], &text) == Action::Allow {
                    allowed.insert(text);
                }
            }
        }
    }
    assert!(allowed.len() > 100, "the test would prove little: {}", allowed.len());
    for shell in ["/bin/sh", "/bin/bash"].into_iter().filter(|shell| Path::new(shell).exists()) {
        let dir = tempfile::tempdir().unwrap();
        // One shell runs all of them, each in a subshell of its own, so that the test is quick.
        let quoted = |text: &String| format!("(eval {})\n", shlex::try_quote(text).unwrap());
        assert_eq!(files_after(shell, dir.path(), &allowed.iter().map(quoted).collect::<String>()), [""; 0], "{shell}");
        // And it would have been seen.
        assert_eq!(files_after(shell, dir.path(), "(eval 'git status;touch X')"), ["X"], "{shell}");
    }
}

/// Runs a script in a folder and returns what lies there afterwards.
fn files_after(shell: &str, dir: &Path, script: &str) -> Vec<String> {
    let file = tempfile::NamedTempFile::new().unwrap();
    fs_err::write(file.path(), format!("git() {{ :; }}\ntouch() {{ echo >\"$1\"; }}\n{script}")).unwrap();
    let mut command = Command::new(shell);
    command.arg(file.path()).current_dir(dir).env_clear().env("PATH", "/nowhere");
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    let name = |entry: std::io::Result<std::fs::DirEntry>| entry.unwrap().file_name().into_string().unwrap();
    let mut names: Vec<String> = std::fs::read_dir(dir).unwrap().map(name).collect();
    names.sort();
    names
}
