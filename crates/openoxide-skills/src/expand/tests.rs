//! Texts by the rules of built-in hosts.

mod hostile;
mod positions;
mod programs;
mod properties;

use std::collections::BTreeMap;
use std::sync::Mutex;

use super::*;
use crate::host::{Host, Hosts, Variable};

const OURS: &str = "openoxide";
const CLAUDE: &str = "claude-code";
const OPENCODE: &str = "opencode";

/// A call of a skill in a test.
struct Call {
    host: &'static Host,
    names: Vec<String>,
    typed: Option<&'static str>,
}

impl Call {
    fn of(host: &str) -> Call {
        static READ: Mutex<BTreeMap<String, &'static Host>> = Mutex::new(BTreeMap::new());
        let mut read = READ.lock().unwrap();
        let load = || &*Box::leak(Box::new(Hosts::builtin().get(host).unwrap().host().unwrap()));
        Call { host: read.entry(host.to_owned()).or_insert_with(load), names: Vec::new(), typed: None }
    }

    fn typed(self, text: &'static str) -> Call {
        Call { typed: Some(text), ..self }
    }

    fn named(self, names: &[&str]) -> Call {
        Call { names: names.iter().map(|name| (*name).to_owned()).collect(), ..self }
    }

    fn expand(&self, body: &str) -> Expanded {
        let words = self.host.arguments.as_ref().map(|rules| rules.words).unwrap_or_default();
        let arguments = self.typed.map(|typed| Arguments::from_raw(words, typed));
        expand(body, &self.host.expansion(true, &self.names), arguments.as_ref(), &variables())
    }

    /// Returns the text, without what follows it, and with each command's output in its place: the command in `<…>`.
    fn text(&self, body: &str) -> String {
        let expanded = self.expand(body);
        let outputs: Vec<String> = expanded.commands().map(|shell| format!("<{}>", shell.command)).collect();
        expanded.body(&outputs)
    }
}

fn variables() -> Variables {
    let values = [
        (Variable::SessionId, "session-1"),
        (Variable::SkillDir, "/s k/ill"),
        (Variable::ProjectDir, "/project"),
        (Variable::Effort, "high"),
    ];
    values.into_iter().map(|(variable, value)| (variable, value.to_owned())).collect()
}

/// Says what was left alone: line, text and reason.
fn left(expanded: &Expanded) -> Vec<String> {
    let said = |left: &LeftAlone| format!("{} {} {:?}", left.line, left.written, left.why);
    expanded.left_alone.iter().map(said).collect()
}

fn paths(expanded: &Expanded) -> Vec<&str> {
    expanded.files.iter().map(|file| file.path.as_str()).collect()
}

#[test]
fn ours_leaves_code_alone_and_says_what_would_have_changed() {
    let body = "Fix $0 of `$0` and ``x ` $1``.\n\n```awk\n{ print $1 }\n```\n<!-- $ARGUMENTS -->\n~~~\n$9 !`date` @a.md\n~~~\n$1\n";
    let call = Call::of(OURS).typed("alpha beta");
    let expanded = call.expand(body);
    let expected = "Fix alpha of `$0` and ``x ` $1``.\n\n```awk\n{ print $1 }\n```\n<!-- $ARGUMENTS -->\n~~~\n$9 !`date` @a.md\n~~~\nbeta\n";
    assert_eq!(expanded.assemble::<&str>(&[]), expected);
    assert_eq!(
        left(&expanded),
        ["1 $0 Code", "1 $1 Code", "4 $1 Code", "6 $ARGUMENTS Comment", "8 !`date` Code", "8 @a.md Code",]
    );
    assert!(expanded.files.is_empty());
}

#[test]
fn ours_takes_back_everything_with_a_backslash() {
    let rows = [
        (r"\$0 \$ARGUMENTS \$ARGUMENTS[0] \$first", "$0 $ARGUMENTS $ARGUMENTS[0] $first"),
        (r"\\$0 \\\$0", r"\\alpha \\\alpha"),
        (r"\${OPENOXIDE_SKILL_DIR} ${OPENOXIDE_SKILL_DIR}", "${OPENOXIDE_SKILL_DIR} /s k/ill"),
        (r"\!`date` x", "!`date` x"),
        (r"\@a.md @b.md", "@a.md @b.md"),
        (r"\$other \$9 $9 \x", r"\$other $9 $9 \x"),
        (r"`\$0`", r"`\$0`"),
    ];
    let call = Call::of(OURS).typed("alpha").named(&["first"]);
    for (body, expected) in rows {
        assert_eq!(call.text(body), expected, "{body}");
    }
    assert_eq!(paths(&call.expand(r"\@a.md @b.md")), ["b.md"]);
    assert!(call.expand(r"\!`date`").commands().next().is_none());
}

#[test]
fn ours_knows_two_spellings_of_known_values() {
    let body = "${OPENOXIDE_SESSION_ID} ${CLAUDE_SESSION_ID} ${OPENOXIDE_PROJECT_DIR} ${CLAUDE_PROJECT_DIR} ${CLAUDE_SKILL_DIR}";
    assert_eq!(Call::of(OURS).text(body), "session-1 session-1 /project /project /s k/ill");
    // Without a value, and without a meaning.
    assert_eq!(Call::of(OURS).text("${CLAUDE_PLUGIN_ROOT} ${HOME} ${"), "${CLAUDE_PLUGIN_ROOT} ${HOME} ${");
}

#[test]
fn arguments_that_nothing_takes_are_added() {
    let rows = [
        (OURS, "plain", "plain\n\nARGUMENTS: x y"),
        (OURS, "in code `$0`", "in code `$0`\n\nARGUMENTS: x y"),
        (OURS, "taken $0", "taken x"),
        (CLAUDE, "plain\n\n", "plain\n\n\n\nARGUMENTS: x y"),
        (OPENCODE, "plain", "plain\n\nx y"),
        ("codex", "plain $0 !`date` @a.md", "plain $0 !`date` @a.md"),
        ("omp", "plain $0 !`date` @a.md", "plain $0 !`date` @a.md"),
        ("pepper", "plain $0 !`date` @a.md", "plain $0 !`date` @a.md"),
        ("remcochat", "plain $0 !`date` @a.md", "plain $0 !`date` @a.md"),
        ("agentskills", "plain $0 !`date` @a.md", "plain $0 !`date` @a.md"),
    ];
    for (host, body, expected) in rows {
        assert_eq!(Call::of(host).typed("x y").expand(body).assemble::<&str>(&[]), expected, "{host}: {body}");
    }
    assert_eq!(Call::of(OURS).typed("  ").expand("plain").assemble::<&str>(&[]), "plain");
    assert_eq!(Call::of(OURS).expand("plain").assemble::<&str>(&[]), "plain");
}

#[test]
fn the_model_gets_a_text_as_it_is_where_only_the_user_counts() {
    let call = Call::of(OPENCODE);
    let arguments = Arguments::from_raw(crate::host::WordRule::Tokens, "x");
    let body = "$1 !`date` @a.md";
    let by_model = expand(body, &call.host.expansion(false, &[]), Some(&arguments), &variables());
    assert_eq!(by_model, Expanded { pieces: vec![Piece::Text(body.to_owned())], ..Expanded::default() });
    let by_user = expand(body, &call.host.expansion(true, &[]), Some(&arguments), &variables());
    assert_eq!((by_user.commands().count(), by_user.files.len()), (1, 1));
}

#[test]
fn output_and_arguments_are_never_looked_through_again() {
    let hostile = "$1 !`touch CANARY` @secret ${CLAUDE_SKILL_DIR} $ARGUMENTS";
    for host in [OURS, CLAUDE, OPENCODE] {
        let call = Call::of(host).typed("'$1 !`touch CANARY` @secret ${CLAUDE_SKILL_DIR} $ARGUMENTS' two");
        let number = call.host.arguments.as_ref().unwrap().first;
        let expanded = call.expand(&format!("[${number}] !`echo hi` $9{number}"));
        assert_eq!(expanded.commands().count(), 1, "{host}");
        assert!(expanded.files.is_empty(), "{host}");
        let text = expanded.assemble(&[hostile]);
        assert!(text.starts_with(&format!("[{hostile}] {hostile}")), "{host}: {text}");
    }
}

#[test]
fn files_are_named_once_and_not_without_end() {
    let call = Call::of(OURS);
    let expanded = call.expand("@a.md, @b/c.md. @a.md @\"d e.md\" (@f) `@g`\n@h");
    assert_eq!(paths(&expanded), ["a.md", "b/c.md", "d e.md", "f)", "h"]);
    let last = expanded.files.last().unwrap();
    assert_eq!((last.written.as_str(), last.line), ("@h", 2));
    assert!(expanded.left_alone.is_empty(), "after a backtick there is no name");
    let many: Vec<String> = (0..60).map(|number| format!("@f{number}")).collect();
    let expanded = call.expand(&many.join(" "));
    assert_eq!((expanded.files.len(), expanded.left_alone.len()), (50, 10));
    assert_eq!(expanded.left_alone[0].why, LeftAloneReason::TooMany);
    let expanded = call.expand(&"!`a` ".repeat(103));
    assert_eq!((expanded.commands().count(), expanded.left_alone.len()), (100, 3));
}

#[test]
fn commands_that_are_switched_off_leave_the_hosts_text() {
    let mut host = Call::of(CLAUDE).host.clone();
    host.shell.as_mut().unwrap().run = false;
    let body = "a !`date` b\n```!\npwd\n```\nc";
    let expanded = expand(body, &host.expansion(true, &[]), None, &variables());
    let off = "[shell command execution disabled by policy]";
    assert_eq!(expanded.assemble::<&str>(&[]), format!("a {off} b\n{off}\nc"));
    assert_eq!(left(&expanded), ["1 !`date` SwitchedOff", "2 ```!\npwd\n``` SwitchedOff"]);
}

/// The setting of the program is what switches commands off.
#[test]
fn the_programs_own_setting_switches_commands_off() {
    let spec = Hosts::builtin().get(CLAUDE).unwrap();
    let setting =
        crate::settings::Setting { value: toml::Value::Boolean(false), origin: crate::settings::Origin::Default };
    let settings = crate::settings::HostSettings {
        values: [("shell_commands".to_owned(), setting)].into(),
        ..crate::settings::HostSettings::default()
    };
    assert!(!spec.with(&settings).unwrap().shell.unwrap().run);
    assert!(spec.host().unwrap().shell.unwrap().run);
}

#[test]
fn what_a_host_says_of_commands() {
    let claude = &Call::of(CLAUDE).host.texts;
    let output = |host: &crate::host::Host, text: &str| host.texts.command_output(host.shell.as_ref().unwrap(), text);
    let claudes = |text: &str| output(Call::of(CLAUDE).host, text);
    assert_eq!(claudes("x\n\n"), "x");
    assert_eq!(claudes("  y\nz  "), "  y\nz");
    assert_eq!(claudes("\n"), "(Bash completed with no output)");
    let failed = claude.command_failed("!`echo out; exit 3`", "out\nerr\n", "3");
    assert_eq!(failed, "Shell command failed for pattern \"!`echo out; exit 3`\": [stderr]\nout\nerr");
    assert_eq!(claude.command_failed("!`false`", "", "1"), "Shell command failed for pattern \"!`false`\": ");
    let denied = claude.command_denied("!`x`", "no {written}");
    assert_eq!(denied, "Shell command permission check failed for pattern \"!`x`\": no {written}");
    let opencodes = |text: &str| output(Call::of(OPENCODE).host, text);
    assert_eq!((opencodes("x\n\n"), opencodes("")), ("x\n\n".to_owned(), String::new()));
}

#[test]
fn statuses_that_are_no_failure() {
    let rules = Call::of(CLAUDE).host.shell.as_ref().unwrap();
    let rows = [
        ("true", 0, true),
        ("false", 1, false),
        ("grep zzz file.txt", 1, true),
        ("grep zzz nofile", 2, false),
        ("echo x | grep zzz", 1, true),
        ("grep x file.txt | false", 1, false),
        ("cd . && grep zzz file.txt", 1, true),
        ("test -f nope", 1, true),
        ("diff a b", 1, true),
        ("git diff --exit-code", 1, true),
        ("git status", 1, false),
        ("LC_ALL=C grep 'a|b' f", 1, true),
        ("", 1, false),
    ];
    for (command, status, expected) in rows {
        assert_eq!(rules.is_fine(command, status), expected, "{command}");
    }
}
