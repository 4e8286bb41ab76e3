//! Text that would command a terminal.

use std::process::Stdio;

use openoxide_testkit::TestContext;

use super::{can_run, file, on_terminal, skill};
use crate::support::{bin, run};

/// Hides, sets the clipboard, links, colors, overwrites, turns around, smuggles and splits.
const EVIL: &str = "\u{1b}[8mhid\u{1b}[0m \u{1b}]52;c;aGk=\u{7} \u{1b}]8;;http://evil\u{1b}\\l \u{9b}31m x\rover \
                    \u{202e}rtl\u{2066} \u{e0041} a\u{200b}b \u{8}";

/// The same as a command prints it.
const PRINTED: &str = r"printf '\033[8mhid \033]52;c;aGk=\007 x\rover \342\200\256rtl \302\23331m\n'";

fn context() -> TestContext {
    let context = TestContext::new();
    let quoted = r"\e[8mhid \e]52;c;aGk=\a \e]8;;http://evil\e\\l \x9b31m x\rover \u202ertl \U000E0041 a\u200bb \b";
    let more = format!(
        "argument-hint: \"{quoted}\"\nallowed-tools: \"Bash({quoted})\"\nhooks:\n  PreToolUse:\n    - matcher: \
         \"{quoted}\"\n      hooks:\n        - type: command\n          command: \"{quoted}\"\n"
    );
    skill(&context, "evil", &more, &format!("START {EVIL} END\nNow: !`{PRINTED}` and !`echo {EVIL}`"));
    file(&context, "evil", "notes.md", EVIL);
    file(&context, "evil", "scripts/say.sh", &format!("{PRINTED}; {PRINTED} >&2\nexit 3\n"));
    file(&context, "evil", &format!("odd/{}.sh", EVIL.replace('/', "")), "echo odd\n");
    let name =
        format!("//- home/.agents/skills/named/SKILL.md\n---\nname: \"n {quoted}\"\ndescription: d\n---\nBody\n");
    context.tree(&name);
    context
}

fn is_dangerous(character: char) -> bool {
    openoxide_skills::text::is_deceptive(character) && !"\n\t".contains(character)
}

#[test]
fn a21_nothing_commands_the_terminal() {
    let context = context();
    let odd = format!("odd/{}.sh", EVIL.replace('/', ""));
    let turn = format!("/evil {EVIL}");
    let mention = format!("[$a]({EVIL}) $evil /n {EVIL}");
    let setting = format!("permission.skill={{\"{}\"=\"ask\"}}", "*");
    assert_eq!(run(&context, &["trust", "--skill", "evil", "--yes", "-q"]).status, Some(0));
    let granted = fs_err::read_to_string(context.home().join(".openoxide/state/trust.toml")).unwrap();
    assert!(granted.contains("hid"), "{granted}");
    let asked: &[(&[&str], &str)] = &[
        (&["trust", "--list"], ""),
        (&["trust", "--list", "--json"], ""),
        (&["trust", "--revoke", "all"], ""),
        (&["activate", "evil"], "n\n"),
        (&["activate", "evil", EVIL], "o\n"),
        (&["activate", "evil", "--raw-args", EVIL, "--yes", "--json"], ""),
        (&["activate", "evil", "--config", &setting], "n\n"),
        (&["activate", "evil", "--host", "claude-code"], "n\n"),
        (&["activate", "evil", "--host", "opencode", EVIL], "o\n"),
        (&["activate", EVIL], ""),
        (&["activate", EVIL, "--as", "model", "--host", "pepper"], ""),
        (&["activate", "/home/none"], ""),
        (&["activate", "../home/.agents/skills/named"], ""),
        (&["activate", "--turn", &turn], "n\n"),
        (&["activate", "--turn", &mention], "n\n"),
        (&["read", "evil"], ""),
        (&["read", "evil", "notes.md"], ""),
        (&["read", "evil", "notes.md", "--json"], ""),
        (&["read", "evil", "odd"], ""),
        (&["read", "evil", EVIL], ""),
        (&["read", EVIL, "x"], ""),
        (&["mentions", &mention], ""),
        (&["mentions", &mention, "--host", "codex"], ""),
        (&["run", "evil", "scripts/say.sh"], "n\n"),
        (&["run", "evil", "scripts/say.sh", EVIL], "o\n"),
        (&["run", "evil", "scripts/say.sh", "--yes", "--json"], ""),
        (&["run", "evil", EVIL, "--yes"], ""),
        (&["run", "evil", &odd], "n\n"),
        (&["run", EVIL, "x", "--yes"], ""),
        (&["trust", "--skill", "evil"], "n\n"),
        (&["trust", "--skill", EVIL], "n\n"),
        (&["show", "evil"], ""),
        (&["prompt"], ""),
    ];
    for (number, (args, typed)) in asked.iter().enumerate() {
        let has_color = number % 2 == 0;
        let args = [args, &["--color", if has_color { "always" } else { "never" }][..]].concat();
        let Some(output) = on_terminal(&context, 80, &args, typed) else { return };
        let shown = if has_color { unstyled(&output.stdout) } else { output.stdout };
        let lines: Vec<_> = shown.lines().filter(|line| line.chars().any(is_dangerous)).collect();
        assert!(lines.is_empty(), "{args:?}\n{lines:#?}");
        assert!(!shown.is_empty() && !shown.contains("panicked"), "{args:?}\n{shown}");
    }
}

/// Takes out the escapes that color our own words: they set color and weight, and nothing else.
fn unstyled(text: &str) -> String {
    let style = fancy_regex::Regex::new("\u{1b}\\[(0|1|2|3[0-7]|9[0-7])(;(1|2|3[0-7]|9[0-7]))*m").unwrap();
    style.replace_all(text, "").into_owned()
}

#[test]
fn a21_the_terminal_test_would_see_it() {
    let context = context();
    let Some(output) = on_terminal(&context, 80, &["read", "evil", "notes.md", "--raw"], "") else { return };
    assert!(output.stdout.chars().any(is_dangerous), "{output}");
}

/// Somewhere else than on a terminal, data is data.
#[test]
fn a21_a_pipe_gets_every_byte() {
    let context = context();
    let bytes = |args: &[&str]| context.command(bin(), args).stdin(Stdio::null()).output().unwrap().stdout;
    assert_eq!(bytes(&["read", "evil", "notes.md"]), EVIL.as_bytes());
    let sent = String::from_utf8(bytes(&["activate", "evil", "--no-input"])).unwrap();
    // What a model is sent hides nothing, wherever it goes.
    assert!(sent.contains("START \\u{1b}[8mhid") && !sent.contains(['\u{1b}', '\u{202e}', '\u{200b}']), "{sent:?}");
    assert!(sent.contains(&format!("!`{PRINTED}`")), "{sent:?}");
    if can_run(&context) {
        let printed = "\u{1b}[8mhid \u{1b}]52;c;aGk=\u{7} x\rover \u{202e}rtl \u{9b}31m\n".as_bytes();
        assert_eq!(bytes(&["run", "evil", "scripts/say.sh", "--yes"]), printed);
    }
}

/// Wherever a line of a command is broken, what follows stands below it: nothing of it can look like our own words.
#[test]
fn a28_the_question_shows_the_command_exactly() {
    let context = TestContext::new();
    let padded = format!(
        "true {}Allow it?  [o]nce{}  sandbox  no network; {}",
        " ".repeat(71),
        " ".repeat(90),
        "x".repeat(10_000)
    );
    skill(&context, "long", "", &format!("!`{padded}`\n\n```!\nfirst line\n\n   third   line\n```"));
    for args in [&["activate", "long"][..], &["trust", "--skill", "long"]] {
        let Some(output) = on_terminal(&context, 80, args, "n\n") else { return };
        let indent = if args[0] == "trust" { "  " } else { "    " };
        let block: String = output.stdout.lines().filter_map(|line| line.strip_prefix(indent)).collect();
        assert!(block.contains(&padded), "{args:?}: {output}");
        assert!(
            output.stdout.contains(&format!("\n{indent}first line\n{indent}\n{indent}   third   line\n")),
            "{output}"
        );
        let ours = |line: &&str| line.starts_with("Allow it?") && !line.contains("[a]lways");
        assert_eq!(output.stdout.lines().filter(ours).count(), 0, "{output}");
    }
}

/// What was typed comes back in errors. Whoever writes a command into a page, for others to paste, chooses it.
#[test]
fn a21_what_was_typed_is_repeated_without_commanding_the_terminal() {
    let context = TestContext::new();
    let typed = "x\u{1b}[31m\u{1b}]52;c;aGk=\u{7}\u{202e}\nerror: forged";
    let flag = format!("--{typed}");
    for args in [
        &[typed][..],
        &[&flag],
        &["list", typed],
        &["list", &flag],
        &["list", "--host", typed],
        &["list", "--color", typed],
        &["list", "--config", typed],
        &["list", "-C", typed],
        &["show", typed],
        &["explain", typed],
        &["check", typed],
        &["check", "--host", typed],
        &["activate", typed],
        &["read", typed, typed],
        &["run", typed, typed],
        &["run", "--as", typed, "a", "b"],
        &["config", "set", typed, typed],
        &["config", "get", typed],
        &["enable", typed],
        &["disable", typed],
        &["link", typed, typed],
        &["unlink", typed, typed],
        &["new", typed],
        &["trust", typed],
        &["trust", "--permission", typed],
        &["trust", "--skill", typed],
        &["schema", typed],
        &["completions", typed],
        &["serve", "--listen", typed],
        &["serve", "--port", typed],
        &["mcp", "--print-config", typed],
    ] {
        let bytes = context.command(bin(), args).stdin(Stdio::null()).output().unwrap();
        let shown = String::from_utf8(bytes.stderr).unwrap();
        assert!(!shown.chars().any(is_dangerous), "{args:?}\n{shown:?}");
        assert!(!shown.contains("\nerror: forged"), "{args:?}\n{shown}");
        let Some(output) = on_terminal(&context, 80, args, "") else { continue };
        let shown = unstyled(&output.stdout);
        assert!(!shown.chars().any(is_dangerous), "{args:?}\n{shown:?}");
    }
}
