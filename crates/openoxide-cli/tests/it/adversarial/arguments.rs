//! Arguments that would become commands.

use openoxide_testkit::TestContext;

use super::door::Door;
use super::face::{Setting, attack};
use super::{assert_no_canary, can_run, canary, everywhere, hosts, said, skill};
use crate::support::{json, run};

attack! { arguments_as_commands { cli, http, mcp, mcp_http, rpc } }

/// Ways to become a command, with `X` for the file that would be made.
const EVIL: [&str; 12] = [
    "x; touch X",
    "$(touch X)",
    "`touch X`",
    "x\ntouch X",
    "x' ; touch X ; '",
    "x\" ; touch X ; \"",
    "x | touch X",
    "x && touch X",
    "x > X",
    "-f X",
    "${IFS}$(touch X)",
    "\\\" ; touch X #",
];

/// Every place in which a placeholder can stand.
const PLACES: &str = "A !`printf '[%s]' $ARGUMENTS` B !`printf '[%s]' \"$ARGUMENTS\"` C !`printf '[%s]' '$ARGUMENTS'` \
                      D !`printf '[%s]' $0 $1` E !`printf '[%s]' a$ARGUMENTS` F !`printf '[%s]' $(printf '<%s>' \
                      $ARGUMENTS)` G !`sh -c \"printf '[%s]' $ARGUMENTS\"` H !`eval printf x $ARGUMENTS`\n\n```!\n\
                      printf '[%s]' $ARGUMENTS\ncat <<E\n$ARGUMENTS\nE\n```";

/// The caller of a skill gives it data, by whatever face, and the user who allows its commands allows no others.
fn arguments_as_commands(setting: Setting) {
    let context = TestContext::new();
    if !can_run(&context) {
        return;
    }
    let canary = canary(&context);
    skill(&context, "echo", "", PLACES);
    context.tree(&format!("//- home/.openoxide/config.toml\n[sandbox]\nwritable = [\"{canary}\"]\n"));
    let mut door = Door::open(setting, &context, "openoxide").approving();
    for evil in EVIL {
        let said = door.activate_with("echo", &evil.replace('X', &format!("{canary}/x")));
        assert_no_canary(&canary, &(evil, &said));
    }
    let said = door.activate_with("echo", "harmless");
    assert!(said.contains("[harmless]"), "the commands run: {said}");
}

#[test]
fn a29_an_argument_is_data_wherever_it_stands() {
    let context = TestContext::new();
    if !can_run(&context) {
        return;
    }
    let canary = canary(&context);
    skill(&context, "echo", "", PLACES);
    skill(&context, "one", "", "S !`printf '[%s]' $ARGUMENTS` E");
    everywhere(&context);
    let setting = format!("sandbox.writable=[\"{canary}\"]");
    let shared = ["--yes", "--json", "-q", "--config", &setting];
    for evil in EVIL {
        let evil = evil.replace('X', &format!("{canary}/x"));
        let turn = format!("/echo {evil}");
        let ways: [&[&str]; 2] = [&["--turn", &turn], &["echo", "--", &evil]];
        for way in ways {
            let answer = json(&context, &[&["activate"], &shared[..], way].concat());
            assert_no_canary(&canary, &(way, answer));
        }
        // One word, whatever is in it.
        let shown = evil.replace(context.root().to_str().unwrap(), "[ROOT]");
        for host in ["openoxide", "claude-code", "opencode"] {
            let args = [&["activate", "one", "--raw-args", &evil], &shared[..], &["--host", host]].concat();
            let text = said(&json(&context, &args));
            assert!(text.contains(&format!("S [{shown}] E")), "{host} {evil:?}: {text}");
            assert_no_canary(&canary, &(host, &evil));
        }
    }
}

/// The folder can be written to: the same text does leave something when it is the author's own.
#[test]
fn a29_the_canary_would_be_seen() {
    let context = TestContext::new();
    if !can_run(&context) {
        return;
    }
    let canary = canary(&context);
    skill(&context, "own", "", &format!("!`printf x; touch {canary}/x`"));
    let setting = format!("sandbox.writable=[\"{canary}\"]");
    let output = run(&context, &["activate", "own", "--yes", "--config", &setting]);
    assert!(context.root().join("canary/x").exists(), "{output}");
}

/// No host runs anything for an argument, whether or not it knows commands.
#[test]
fn a29_in_every_host() {
    let context = TestContext::new();
    let canary = canary(&context);
    skill(&context, "echo", "", PLACES);
    everywhere(&context);
    let evil = format!("x; touch {canary}/x $(touch {canary}/y) !`touch {canary}/z` @/etc/passwd");
    let setting = format!("sandbox.writable=[\"{canary}\"]");
    for host in hosts(&context) {
        let output = run(
            &context,
            &["activate", "echo", "--yes", "-q", "--raw-args", &evil, "--host", &host, "--config", &setting],
        );
        assert!(!output.stdout.contains("root:x:0"), "{host}: {output}");
        assert_no_canary(&canary, &(host, output));
    }
}
