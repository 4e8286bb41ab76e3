//! Where a command counts, for each host that runs any.

use super::{CLAUDE, Call, OPENCODE, OURS};

/// A place, and the commands that run there: ours, Claude Code's, `OpenCode`'s. All were tried with the real programs.
#[rustfmt::skip]
const PLACES: &[(&str, &str, [&str; 3])] = &[
    ("start of a line",           "!`one`",                              ["one", "one", "one"]),
    ("after a blank",             "x !`one`\ty\t!`two`\n  !`three`",     ["one two three", "one two three", "one two three"]),
    ("list item",                 "- !`one`",                            ["one", "one", "one"]),
    ("another kind of blank",     "x\u{a0}!`one`",                       ["one", "one", "one"]),
    ("two in a line",             "!`one` !`two`",                       ["one two", "one two", "one two"]),
    ("over two lines",            "!`one\ntwo`",                         ["one\ntwo", "one\ntwo", "one\ntwo"]),
    ("after other characters",    "K=!`a` (!`b`) x!`c` \"!`d`\" >!`e`",  ["", "", "a b c d e"]),
    ("blank in between",          "! `a`",                               ["", "", ""]),
    ("nothing in it",             "!`` x",                               ["", "", ""]),
    ("escaped",                   r"\!`a`",                              ["", "", "a"]),
    ("code span",                 "``x !`a` ``",                         ["", "a", "a"]),
    ("after a backtick",          "`!`a``",                              ["", "", "a"]),
    ("code fence",                "```\n!`a`\n```",                      ["", "a", "a"]),
    ("code fence of tildes",      "~~~\n!`a`\n~~~",                      ["", "a", "a"]),
    ("fence in a quote",          "> ```\n> !`a`\n> ```",                ["", "a", "a"]),
    ("fence in a list",           "- x\n\n      ```\n      !`a`\n      ```", ["", "a", "a"]),
    ("fence without an end",      "```\n!`a`",                           ["", "a", "a"]),
    ("comment",                   "<!-- !`a` -->",                       ["", "a", "a"]),
    ("comment over lines",        "<!--\n\n!`a`\n\n--> !`b`",            ["b", "a b", "a b"]),
    ("comment in code",           "`<!--` !`a`",                         ["a", "a", "a"]),
    ("fence of commands",         "```!\na\nb\n```\n",                   ["a\nb", "a\nb", ""]),
    ("in the fence an inline one", "```!\necho '!`a`'\n```",             ["echo '!`a`'", "echo '!`a`'", "a"]),
    ("fence with a language",     "```!bash\na\n```",                    ["", "bash\na", ""]),
    ("fence, mark after a blank", "``` !\na\n```",                       ["a", "", ""]),
    ("fence of four",             "````!\na\n````",                      ["a", "a", ""]),
    ("fence of tildes, marked",   "~~~!\na\n~~~",                        ["", "", ""]),
    ("fence in the line",         "x ```!\na\n```",                      ["", "a", ""]),
    ("fence in one line",         "x ```!a``` y",                        ["", "a", ""]),
    ("marked fence, no end",      "```!\na\n",                           ["", "", ""]),
    ("marked fence, empty",       "```!\n```\n",                         ["", "", ""]),
    ("marked fence in a fence",   "````md\n```!\na\n```\n````",          ["", "a", ""]),
    ("marked fence in a comment", "<!--\n```!\na\n```\n-->",             ["", "a", ""]),
];

#[test]
fn commands_run_only_where_the_host_says() {
    for (place, body, expected) in PLACES {
        let [ours, claude, opencode] = expected;
        let editions = ["opencode@seed-001", "opencode@seed-002"].map(|edition| (edition, opencode));
        let hosts = [(OURS, ours), (CLAUDE, claude), (OPENCODE, opencode)];
        for (host, expected) in hosts.into_iter().chain(editions) {
            let expanded = Call::of(host).expand(body);
            let commands: Vec<&str> = expanded.commands().map(|shell| shell.command.as_str()).collect();
            assert_eq!(commands.join(" "), *expected, "{place}, {host}");
        }
    }
}

#[test]
fn hosts_without_commands_run_none_anywhere() {
    for host in ["agentskills", "codex", "omp", "pepper", "remcochat"] {
        for (place, body, _) in PLACES {
            let expanded = Call::of(host).expand(body);
            assert_eq!(expanded.commands().count(), 0, "{place}, {host}");
            assert_eq!(expanded.assemble::<&str>(&[]), *body, "{place}, {host}");
        }
    }
}

/// Only a body is ever expanded; what a head says stays text.
#[test]
fn a_description_is_no_place_for_commands() {
    let text = "---\nname: a\ndescription: now !`date`\n---\nbody\n";
    let host = Call::of(CLAUDE).host;
    assert_eq!(&*crate::parse::parse_text(text, "a", &host.parse).description, "now !`date`");
}

#[test]
fn a_command_takes_its_whole_mark_with_it() {
    let rows = [
        (CLAUDE, "a\r\n```!\r\necho crlf\r\n```\r\n!`echo x`\r\nz", "a\r\n<echo crlf>\r\n<echo x>\r\nz"),
        (CLAUDE, "```!\necho a\n```x\nz", "<echo a>x\nz"),
        (CLAUDE, "````!\necho four\n````\nz", "`<echo four>`\nz"),
        (CLAUDE, "!`echo a``echo b`", "<echo a>`echo b`"),
        (CLAUDE, "!` echo pad ` !`   ` z", "<echo pad> !`   ` z"),
        (OURS, "  ```!\n  a\n  ```\nz", "  <a>\nz"),
        (OPENCODE, "x!`a`\\!`b`", "x<a>\\<b>"),
    ];
    for (host, body, expected) in rows {
        assert_eq!(Call::of(host).text(body), expected, "{host}: {body}");
    }
}

#[test]
fn a_command_is_shown_as_its_author_wrote_it() {
    let expanded = Call::of(OURS).typed("x y").expand("one\nsee !`grep $0 \"$ARGUMENTS\" f`\n");
    let shell = expanded.commands().next().unwrap();
    assert_eq!(shell.written, "!`grep $0 \"$ARGUMENTS\" f`");
    assert_eq!(shell.command, "grep $0 \"$ARGUMENTS\" f");
    assert_eq!(shell.script, "grep \"${OPENOXIDE_ARG_0}\" \"${OPENOXIDE_ARGUMENTS}\" f");
    let env: Vec<(&str, &str)> = shell.env.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    assert_eq!(env, [("OPENOXIDE_ARGUMENTS", "x y"), ("OPENOXIDE_ARG_0", "x")]);
    assert_eq!(shell.refused, None);
}
