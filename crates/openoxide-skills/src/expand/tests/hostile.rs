//! Arguments that want to be commands, given to real shells.

use std::path::Path;
use std::process::{Command, Stdio};

use super::*;

/// What somebody might type to run `touch CANARY`, or to break a script.
const HOSTILE: &[&str] = &[
    "x; touch CANARY",
    "$(touch CANARY)",
    "`touch CANARY`",
    "x\ntouch CANARY\n",
    "-f",
    "--help; touch CANARY",
    "'; touch CANARY; '",
    "\"; touch CANARY; \"",
    "' \"; touch CANARY; \" '",
    "\\\"; touch CANARY #",
    "x | touch CANARY",
    "x && touch CANARY &",
    "> CANARY",
    "x\nEND\ntouch CANARY\n",
    "a[$(touch CANARY)]",
    "${x:=$(touch CANARY)}",
    "* ? [a-z] ~ {a,b}",
    "it's \"quoted\" \\ and $HOME",
    "/ {system(\"touch CANARY\")} /",
    "BEGIN{system(\"touch CANARY\")}",
    "1e touch CANARY",
    "-e1e touch CANARY",
    "-cimport os; os.system('touch CANARY')",
    "-Stouch CANARY",
    "--expression=1e touch CANARY",
    "./RUN",
    "!touch CANARY",
    "é 日本 \u{202e}",
    "",
];

/// Places in a command where a placeholder is an ordinary word, or text in one. Each prints what it got in brackets.
const WORDS: &[&str] = &[
    "printf '[%s]' $ARGUMENTS",
    "printf '[%s]' \"$ARGUMENTS\"",
    "printf '[%s]' '$ARGUMENTS'",
    "printf '[%s]' \"$(printf %s $ARGUMENTS)\"",
    "printf '[%s]' \"$(printf %s \"$ARGUMENTS\")\"",
    "printf '[%s]' \"$(printf %s '$ARGUMENTS')\"",
    "printf '[%s]' \"$(printf '%s' \"$(printf %s $ARGUMENTS)\")\"",
    "(printf '[%s]' $ARGUMENTS)",
    "x=$ARGUMENTS; printf '[%s]' \"$x\"",
    "if true; then printf '[%s]' $ARGUMENTS; fi # don't",
    "# don't $ARGUMENTS\nprintf '[%s]' $ARGUMENTS",
    "f() { printf '[%s]' \"$1x\"; }; printf '[%s]' $ARGUMENTS",
    "printf '[%s]' \\\n  $ARGUMENTS",
    "cat <<END >/dev/null\nit's \"odd\nEND\nprintf '[%s]' $ARGUMENTS",
];

/// Places where a placeholder is not one word, or none at all: nothing may be run there either.
const ODD: &[&str] = &[
    "cat <<END\n$ARGUMENTS\nEND\n",
    "cat <<'END'\n$ARGUMENTS\nEND\n",
    "cat <<-END\n\t$ARGUMENTS\n\tEND\n",
    "cat <<END\n$(printf %s \"$ARGUMENTS\")\nEND\n",
    "cat <<A; cat <<B\n$ARGUMENTS\nA\n$ARGUMENTS\nB\n",
    "printf %s `printf %s $ARGUMENTS`",
    "printf %s \"`printf %s \"$ARGUMENTS\"`\"",
    "echo $((1 + $ARGUMENTS))",
    "echo ${x:-$ARGUMENTS}",
    "echo \"${x:-'$ARGUMENTS'}\"",
    "eval echo $ARGUMENTS",
    "eval \"echo $ARGUMENTS\"",
    "sh -c \"echo $ARGUMENTS\"",
    "sh -c 'echo $ARGUMENTS'",
    "bash -lc 'echo \"$ARGUMENTS\"'",
    "echo $ARGUMENTS | sh",
    "echo $ARGUMENTS | xargs -I% sh -c 'echo %'",
    "awk \"/$ARGUMENTS/ {print}\" /dev/null",
    "$ARGUMENTS",
    "\"$ARGUMENTS\" --version",
    "true; $ARGUMENTS",
    "echo $'it\\'s $ARGUMENTS'",
    "echo 'unclosed $ARGUMENTS",
    "echo \"unclosed $ARGUMENTS",
    "echo \\$ARGUMENTS \\\\$ARGUMENTS",
    "case $ARGUMENTS in (a) echo a;; b) echo $ARGUMENTS;; esac",
    "echo $ARGUMENTS # $ARGUMENTS ' \"",
    "echo a#$ARGUMENTS",
    "echo <<<$ARGUMENTS",
    "awk $ARGUMENTS f",
    "awk '{print}' $ARGUMENTS",
    "awk -F , $ARGUMENTS f",
    "awk -v x=$ARGUMENTS 'BEGIN{print x}'",
    "sed -n $ARGUMENTS f",
    "sed p $ARGUMENTS f",
    "sed s/a/$ARGUMENTS/ f",
    "sed -e p -e $ARGUMENTS f",
    "ed -s $ARGUMENTS",
    "python3 $ARGUMENTS",
    "python3 -u \"$ARGUMENTS\"",
    "sh $ARGUMENTS",
    "sh ./$ARGUMENTS",
    ". $ARGUMENTS",
    "sh < $ARGUMENTS",
    "bash <<< $ARGUMENTS",
    "bash <(echo $ARGUMENTS)",
    "sh <<END\n$ARGUMENTS\nEND\n",
    "timeout 5 $ARGUMENTS",
    "timeout -s KILL 5s '$ARGUMENTS'",
    "env $ARGUMENTS",
    "env -u X $ARGUMENTS",
    "env A=1 $ARGUMENTS",
    "if $ARGUMENTS; then true; fi",
    "while $ARGUMENTS; do break; done",
    "nice $ARGUMENTS",
    "nice -n 1 $ARGUMENTS",
    "echo | xargs $ARGUMENTS",
    "command $ARGUMENTS",
    "exec $ARGUMENTS",
    "nohup $ARGUMENTS",
    "time $ARGUMENTS",
    "A=1 $ARGUMENTS",
    "A=1 B=\"x; y\" $ARGUMENTS",
    ">/dev/null $ARGUMENTS",
    "2>&1 $ARGUMENTS",
    "echo \"$(timeout 5 $ARGUMENTS)\"",
    "case a in (a) $ARGUMENTS;; esac",
    "find f -exec $ARGUMENTS \\;",
    "\"env\" $ARGUMENTS",
    "/usr/bin/env $ARGUMENTS",
];

/// A folder with a text, and a program that an argument could name.
fn scene() -> tempfile::TempDir {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    fs_err::write(folder.path().join("f"), "one a\n").unwrap();
    let program = folder.path().join("RUN");
    fs_err::write(&program, "#!/bin/sh\ntouch CANARY\n").unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755)).unwrap();
    folder
}

fn raw(typed: &str) -> Arguments {
    Arguments::from_raw(crate::host::WordRule::Shell, typed)
}

fn command(host: &str, command: &str, typed: &str) -> ShellPiece {
    let call = Call::of(host);
    let is_raw = command.contains("$ARGUMENTS");
    let arguments = if is_raw { raw(typed) } else { Arguments::from_words(&[typed]) };
    let body = format!("```!\n{command}\n```\n");
    let expanded = expand(&body, &call.host.expansion(true, &[]), Some(&arguments), &variables());
    let mut commands = expanded.commands().cloned();
    commands.next().unwrap_or_else(|| panic!("{host}: no command in {body}"))
}

/// Runs a script with a real shell; the standard output, or nothing if there is no such shell.
fn run(shell: &str, piece: &ShellPiece, folder: &Path) -> Option<String> {
    let mut command = Command::new(shell);
    command.arg("-c").arg(&piece.script).envs(piece.env.iter().cloned()).env("PATH", "/usr/bin:/bin");
    let output = command.current_dir(folder).stdin(Stdio::null()).output().ok()?;
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The shells of this machine that can be tried.
fn shells() -> Vec<&'static str> {
    let bash = Path::new("/bin/bash");
    let differs = bash.exists() && Path::new("/bin/sh").canonicalize().ok() != bash.canonicalize().ok();
    if differs { vec!["/bin/sh", "/bin/bash"] } else { vec!["/bin/sh"] }
}

#[test]
fn an_argument_is_one_word_and_runs_nothing() {
    let folder = scene();
    for shell in shells() {
        for text in WORDS {
            for typed in HOSTILE {
                let piece = command(OURS, text, typed);
                assert_eq!(piece.refused, None, "{text} with {typed:?}");
                let raw = raw(typed);
                let answer = run(shell, &piece, folder.path()).unwrap();
                // A substitution drops the line ends at its end.
                let expected = [format!("[{}]", raw.raw), format!("[{}]", raw.raw.trim_end_matches('\n'))];
                assert!(expected.contains(&answer), "{shell}: {text} with {typed:?}: {answer:?}\n{}", piece.script);
                assert!(!folder.path().join("CANARY").exists(), "{shell}: {text} with {typed:?}");
            }
        }
    }
}

#[test]
fn no_place_lets_an_argument_run() {
    let folder = scene();
    let mut ran = 0;
    for shell in shells() {
        for text in ODD {
            for typed in HOSTILE {
                let piece = command(OURS, text, typed);
                if piece.refused.is_none() {
                    ran += 1;
                    run(shell, &piece, folder.path()).unwrap();
                    let canary = folder.path().join("CANARY").exists();
                    assert!(!canary, "{shell}: {text} with {typed:?}\n{}", piece.script);
                }
            }
        }
    }
    assert!(ran > 200, "many places are harmless: {ran}");
}

/// What holds for our own rules holds for others: the script is the same.
#[test]
fn another_host_writes_the_same_script() {
    for text in WORDS.iter().chain(ODD) {
        let [ours, other] = [OURS, CLAUDE].map(|host| command(host, text, "x; touch CANARY"));
        assert_eq!((ours.script, ours.env, ours.refused), (other.script, other.env, other.refused), "{text}");
    }
}

/// The same places do run a canary when the text is put in as it is, so that the tests above can fail.
#[test]
fn put_in_as_text_they_would_run() {
    let folder = scene();
    let mut ran = 0;
    for text in WORDS.iter().chain(ODD) {
        for typed in &HOSTILE[..4] {
            let script = text.replace("$ARGUMENTS", typed);
            let piece = ShellPiece { script, ..command(OURS, "true", "") };
            run("/bin/sh", &piece, folder.path()).unwrap();
            ran += usize::from(std::fs::remove_file(folder.path().join("CANARY")).is_ok());
        }
    }
    assert!(ran > 40, "{ran}");
}

#[test]
fn what_an_argument_would_decide_is_refused() {
    let rows = [
        ("$ARGUMENTS", "ls", "`$ARGUMENTS` stands where the name of a program is expected"),
        ("a | \"$0\" x", "ls", "`$0` stands where the name of a program is expected"),
        (
            "echo $(( $0 + 1 ))",
            "a[0]",
            "`$0` stands where the shell calculates, and its value is more than a plain word",
        ),
        (
            "bash -lc 'x $0'",
            "a b",
            "`$0` stands in text that `bash` reads as a program, and its value is more than a plain word",
        ),
        (
            "echo $0 | sh",
            "a b",
            "`$0` stands in text that `sh` reads as a program, and its value is more than a plain word",
        ),
        ("sed \"s/a/$0/\" f", "x/e", ""),
        (
            "sed \"s/a/$0/\" f",
            "x;y",
            "`$0` stands in text that `sed` reads as a program, and its value is more than a plain word",
        ),
        ("echo $(( $0 + 1 ))", "41", ""),
        ("bash -c 'x $0'", "plain-word.txt", ""),
        ("bash scripts/x.sh $0", "a; b", ""),
        ("python3 ${OPENOXIDE_SKILL_DIR}/x.py \"$0\"", "a; b", ""),
        ("${OPENOXIDE_SKILL_DIR}/run.sh $0", "a; b", ""),
        ("awk '{print}' \"$0\"", "a b", ""),
        ("grep $0 f", "a; b", ""),
        ("awk $0 f", "ls", "`$0` stands where `awk` expects what it is to run"),
        ("python3.12 -u $0", "x.py", "`$0` stands where `python` expects what it is to run"),
        ("sudo -u me /usr/bin/sed -n $0 f", "p", "`$0` stands where `sed` expects what it is to run"),
        ("sed -n p $0", "-ep", "the value of `$0` begins like an option, and options of `sed` can hold a program"),
        ("if ! timeout 5 $0; then x; fi", "ls", "`$0` stands where the name of a program is expected"),
        ("xargs -I % $0 %", "ls", "`$0` stands where the name of a program is expected"),
        ("find . -name x -exec $0 {} +", "ls", "`$0` stands where the name of a program is expected"),
        ("cat <<END; awk $0 f\nx\nEND", "ls", "`$0` stands where `awk` expects what it is to run"),
        ("echo \"a; b | c\" $0 2>&1", "-x; y", ""),
        ("diff <(sort a) $0 > $0", "-x; y", ""),
        ("for x in $0; do echo \"$x\" $0; done", "a b", ""),
        ("case $0 in a) echo $0;; esac", "a b", ""),
        ("if test -f $0; then cat $0; fi", "a b", ""),
        ("A=$0 timeout -k 5 10s cat $0", "a b", ""),
        ("find . -name $0", "*.md", ""),
        ("xargs -0 grep $0", "a b", ""),
        ("python3 -u x.py $0 && bash -x y.sh $0", "--all; z", ""),
        ("python3 -m pytest $0", "-k x", ""),
        ("awk -v x=$0 '{print x}' f", "a b", ""),
        ("git log $(date +%Y) $0", "a b", ""),
    ];
    for (text, typed, expected) in rows {
        let refused = command(OURS, text, typed).refused.map(|refused| refused.to_string());
        assert_eq!(refused.unwrap_or_default(), expected, "{text} with {typed}");
    }
    let deep = "$(".repeat(100);
    assert_eq!(command(OURS, &deep, "x").refused, Some(CommandRefusal::Nested));
}

#[test]
fn a_document_in_quotes_keeps_its_placeholders() {
    let call = Call::of(OURS).typed("x");
    let expanded = call.expand("a\n```!\ncat <<'END'\n$0\nEND\necho $0\n```\n");
    assert_eq!(expanded.commands().next().unwrap().script, "cat <<'END'\n$0\nEND\necho \"${OPENOXIDE_ARG_0}\"");
    assert_eq!(left(&expanded), ["4 $0 QuotedText"]);
}

#[test]
fn folders_with_odd_names_are_data_too() {
    let piece = command(OURS, "printf '[%s]' ${OPENOXIDE_SKILL_DIR}/x \"${CLAUDE_SKILL_DIR}\"", "");
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(run("/bin/sh", &piece, folder.path()).unwrap(), "[/s k/ill/x][/s k/ill]");
}

#[test]
fn a_here_document_can_be_the_end_of_a_command() {
    for end in ["E", "E\n", "E\n\n", "", "\n"] {
        for mark in ["E", "'E'", "-E"] {
            let body = format!("```!\ncat <<{mark}\n$ARGUMENTS\n{end}\n```\n");
            let expanded = Call::of(OURS).typed("x; y").expand(&body);
            let shell = expanded.commands().next().unwrap();
            assert!(!shell.script.contains("x; y"), "{body}: {}", shell.script);
        }
    }
    let two = Call::of(OURS).typed("x").expand("```!\ncat <<A <<B\na\nA\n$0\nB\n```");
    assert_eq!(two.commands().next().unwrap().script, "cat <<A <<B\na\nA\n${OPENOXIDE_ARG_0}\nB");
}
