//! What the real programs made of these texts: Claude Code 2.1.240 and `OpenCode` 1.18.33, each asked with a model of ours.

use super::{CLAUDE, Call, OPENCODE, paths};

#[test]
fn placeholders_of_claude_code() {
    let rows = [
        ("$ARGUMENTS", "alpha \"b c\" 'd $0 e'"),
        ("$ARGUMENTSX", "alpha \"b c\" 'd $0 e'X"),
        ("$ARGUMENTS[0] $ARGUMENTS[1] $ARGUMENTS[00]", "alpha b c alpha"),
        ("$ARGUMENTS[9]", "$ARGUMENTS[9]"),
        ("$ARGUMENTS[0]x x$ARGUMENTS[0]", "alphax xalpha"),
        ("$0 $1 $2", "alpha b c d $0 e"),
        ("$9 $10", "$9 $10"),
        ("$00 $01", "alpha b c"),
        ("$1.5 $1- $1é", "b c.5 b c- b cé"),
        ("$1_ $1abc x$0y", "$1_ $1abc x$0y"),
        ("$0$1 a$0 ($0) $0,", "alphab c aalpha (alpha) alpha,"),
        (r"\$0 \\$0 \\\$0", r"$0 \\alpha \\\alpha"),
        (r"\$ARGUMENTS \$ARGUMENTS[0] \$9", "$ARGUMENTS $ARGUMENTS[0] $9"),
        (r"\$other", r"\$other"),
        (r"\$first \\$first", r"$first \\alpha"),
        ("$first $first-x $first. x$first", "alpha alpha-x alpha. xalpha"),
        ("$firstname $first_x ${first} $FIRST $third", "$firstname $first_x ${first} $FIRST $third"),
        ("$second|$my-arg", "b c|d $0 e"),
        (r"\${CLAUDE_SESSION_ID}", r"\session-1"),
        ("${CLAUDE_SKILL_DIR} ${CLAUDE_PROJECT_DIR} ${CLAUDE_EFFORT}", "/s k/ill /project high"),
        (
            "${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_DATA} ${user_config.X}",
            "${CLAUDE_PLUGIN_ROOT} ${CLAUDE_PLUGIN_DATA} ${user_config.X}",
        ),
        ("${HOME} $CLAUDE_SKILL_DIR ${ARGUMENTS} ${0}", "${HOME} $CLAUDE_SKILL_DIR ${ARGUMENTS} ${0}"),
        ("$$0 $ $$ $arguments", "$alpha $ $$ $arguments"),
        ("`$0` ``` $0 ```", "`alpha` ``` alpha ```"),
        ("```\nfence $0\n```", "```\nfence alpha\n```"),
    ];
    let call = Call::of(CLAUDE).typed("alpha \"b c\" 'd $0 e'").named(&["first", "second", "my-arg"]);
    for (body, expected) in rows {
        assert_eq!(call.text(body), expected, "{body}");
    }
    let all = Call::of(CLAUDE).typed("a");
    for (body, expected) in
        [("$ARGUMENTS[x]", "a[x]"), ("$ARGUMENTS[", "a["), ("$ARGUMENTS[-1]", "a[-1]"), ("$ARGUMENTS[ 0 ]", "a[ 0 ]")]
    {
        assert_eq!(all.text(body), expected, "{body}");
    }
}

#[test]
fn placeholders_of_claude_code_without_arguments() {
    let rows = [
        ("[$ARGUMENTS] $ARGUMENTS[0] $0 $1.5", "[] $ARGUMENTS[0] $0 $1.5"),
        (r"\$0 \\$0 \$ARGUMENTS", r"$0 \\$0 $ARGUMENTS"),
        ("[$first] [$second] $first-x $third", "[] [] -x $third"),
    ];
    let call = Call::of(CLAUDE).named(&["first", "second"]);
    for (body, expected) in rows {
        assert_eq!(call.text(body), expected, "{body}");
    }
}

#[test]
fn what_claude_code_adds() {
    let rows = [
        ("plain", "plain\n\nARGUMENTS: x y"),
        ("v ${CLAUDE_SKILL_DIR}", "v /s k/ill\n\nARGUMENTS: x y"),
        ("v $5", "v $5\n\nARGUMENTS: x y"),
        (r"v \$0 \$ARGUMENTS", "v $0 $ARGUMENTS\n\nARGUMENTS: x y"),
        ("v $c", "v "),
        ("a !`echo hi`", "a hi\n\nARGUMENTS: x y"),
        ("a !`echo '$ARGUMENTS'`", "a hi"),
    ];
    let call = Call::of(CLAUDE).typed("x y").named(&["a", "b", "c"]);
    for (body, expected) in rows {
        assert_eq!(call.expand(body).assemble(&["hi"]), expected, "{body}");
    }
    assert_eq!(Call::of(CLAUDE).typed("$0").text("v $0"), "v $0");
}

#[test]
fn names_of_claude_code() {
    // A name of digits is none, so the next one takes its place; a name is stronger than what it spells.
    let call = Call::of(CLAUDE).typed("x y z w v").named(&["1", "ARGUMENTS", "x.y", "ok", "okay"]);
    assert_eq!(call.text("v $0 $1 $ARGUMENTS $x.y $ok $okay"), "v x y x y z w");
    assert_eq!(Call::of(CLAUDE).typed("x y").named(&["a,", "b"]).text("v $a $b $ARGUMENTS"), "v $a y x y");
}

#[test]
fn claude_code_as_its_blueprint_says() {
    let call = Call::of("claude-code@seed").typed("a b").named(&["first"]);
    assert_eq!(call.text(r"$0 $ARGUMENTS[1] [$9] $first \$0"), r"a b [] $first \a");
    assert_eq!(call.text("${CLAUDE_SESSION_ID} ${CLAUDE_SKILL_DIR}"), "session-1 ${CLAUDE_SKILL_DIR}");
    assert_eq!(call.text("!`date`\n```!\ndate\n```"), "<date>\n```!\ndate\n```");
}

#[test]
fn files_of_claude_code() {
    let rows: &[(&str, &[&str])] = &[
        ("@file.txt", &["file.txt"]),
        ("x@file.txt (@file.txt) `@file.txt` \"@file.txt\" é@uni.txt *@star.txt", &[]),
        ("@\"a b.txt\" @file.txt, @other.txt.", &["a b.txt", "file.txt", "other.txt"]),
        ("@./file.txt - @bul.txt @.hid.txt @sub/", &["./file.txt", "bul.txt", ".hid.txt", "sub"]),
        ("```\n@fence.txt\n```", &["fence.txt"]),
        (r"\@esc.txt", &[]),
    ];
    for (body, expected) in rows {
        assert_eq!(paths(&Call::of(CLAUDE).expand(body)), *expected, "{body}");
    }
}

#[test]
fn placeholders_of_opencode() {
    let rows = [
        ("$ARGUMENTS", "alpha \"b c\""),
        ("$ARGUMENTSX $ARGUMENTS[0]", "alpha \"b c\"X alpha \"b c\"[0]"),
        ("$1 $2 [$9]", "alpha b c []"),
        ("$01 $1.5 $1_ $1abc x$1y [$10]", "alpha alpha.5 alpha_ alphaabc xalphay []"),
        (r"\$1 \\$1 \$ARGUMENTS $9", r#"\alpha \\alpha \alpha "b c" "#),
        ("$first ${1} $$1 ${ARGUMENTS} $9", "$first ${1} $alpha ${ARGUMENTS} "),
        ("`$1`\n```\nfence $1\n```\n$9", "`alpha`\n```\nfence alpha\n```\n"),
    ];
    let call = Call::of(OPENCODE).typed("alpha \"b c\"");
    for (body, expected) in rows {
        assert_eq!(call.text(&format!("{body}|$9")), format!("{expected}|"), "{body}");
    }
    assert_eq!(Call::of(OPENCODE).text("[$ARGUMENTS] [$1] \\$1"), "[] [] \\");
}

#[test]
fn the_last_placeholder_of_opencode_takes_the_rest() {
    let rows = [
        ("a b \"c d\" e", "1=[$1] 2=[$2] raw=[$ARGUMENTS]", "1=[a] 2=[b c d e] raw=[a b \"c d\" e]"),
        ("a 'b c' d", "2=[$2] 2=[$2] 1=[$1]", "2=[b c d] 2=[b c d] 1=[a]"),
        ("a 'b c' d", "1=[$1]", "1=[a b c d]"),
        (
            "[Image 1] it's \"un closed x",
            "1=[$1] 2=[$2] 3=[$3] 4=[$4] 5=[$5]",
            "1=[[Image 1]] 2=[it] 3=[s] 4=[un] 5=[closed x]",
        ),
        ("a\"b c\"d \"\" e\\ f ;g", "1=[$1] 2=[$2] 3=[$3] 4=[$4] 5=[$5]", "1=[a] 2=[b c] 3=[d] 4=[] 5=[e\\ f ;g]"),
    ];
    for (typed, body, expected) in rows {
        assert_eq!(Call::of(OPENCODE).typed(typed).text(body), expected, "{typed}");
    }
}

#[test]
fn files_of_opencode() {
    let rows: &[(&str, &[&str])] = &[
        (
            "@valid/path/to/a/file @file-extensions.md, @multiple.extensions.bak",
            &["valid/path/to/a/file", "file-extensions.md", "multiple.extensions.bak"],
        ),
        (
            "@.config/ @.bashrc @/abs/paths.txt @~/x.txt @dir/.hid/f",
            &[".config/", ".bashrc", "/abs/paths.txt", "~/x.txt", "dir/.hid/f"],
        ),
        ("@foo.md. @foo...", &["foo.md", "foo"]),
        ("@../x", &["../x"]),
        ("@../../y.z", &["../"]),
        ("@a..b", &["a"]),
        ("(@foo) \"@bar\" [@l](x) @one: @two;", &["foo)", "bar\"", "l](x)", "one:", "two;"]),
        ("@@foo @foo@bar", &["@foo", "foo@bar"]),
        ("@ user@example.com _@b 9@b `@x`", &[]),
        ("é@b", &["b"]),
        ("@\"my file.md\"", &["\"my"]),
    ];
    for host in [OPENCODE, "opencode@seed-001", "opencode@seed-002"] {
        for (body, expected) in rows {
            assert_eq!(paths(&Call::of(host).expand(body)), *expected, "{host}: {body}");
        }
    }
}
