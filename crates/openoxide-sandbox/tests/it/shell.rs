//! What a command can do, and what happens to one that runs away, reads the environment, or is hijacked.

use crate::support::{Ran, each, long_time, processes_with};

#[test]
fn output_status_input_and_folder_are_as_usual() {
    each(|setting| {
        let folder = setting.folder();
        folder.file("note", "hello\n");
        let line = "pwd; cat note; echo err >&2; echo $WORD; exit 3";
        let options = ["--read", folder.str(), "--cwd", folder.str(), "--env", "WORD=a b"];
        let ran = setting.sh(&options, line);
        assert_eq!(ran.ended, "Exit(3)", "{setting:?} {ran:?}");
        assert_eq!(ran.stdout, format!("{}\nhello\na b\n", folder.str()));
        assert!(ran.stderr.ends_with("\nerr\n"));

        let ran = setting.sh(&["--merge"], "echo 1; echo 2 >&2; echo 3");
        assert_eq!(ran.stdout, "1\n2\n3\n", "{setting:?}");

        let mut command = setting.command(&["--stdin"], &["sh", "-c", "cat; cat /dev/stdin | wc -c"]);
        let (reader, mut writer) = std::io::pipe().unwrap();
        std::io::Write::write_all(&mut writer, b"in").unwrap();
        drop(writer);
        assert_eq!(Ran::of(command.stdin(reader)).stdout, "in2\n", "{setting:?}");
        assert_eq!(setting.sh(&[], "cat | wc -c").stdout, "0\n", "{setting:?}");
    });
}

#[test]
fn a_project_below_the_temporary_folder_works_too() {
    each(|setting| {
        let folder = setting.folder_in(std::path::Path::new("/tmp"));
        folder.file("a/in", "x");
        let ran = setting.sh(&["--write", folder.str(), "--cwd", folder.str()], "cat a/in > a/out; ls /tmp; ls -A");
        assert_eq!(ran.ended, "Exit(0)", "{setting:?} {ran:?}");
        assert_eq!(fs_err::read_to_string(folder.join("a/out")).unwrap(), "x");
        let name = folder.path().file_name().unwrap().to_str().unwrap();
        assert!(ran.stdout.starts_with(&format!("home\n{name}\n")), "others are not there: {ran:?}");
    });
}

#[test]
fn a_command_that_runs_away_is_stopped() {
    each(|setting| {
        let ran = setting.sh(&["--output", "65536"], "yes");
        assert_eq!((ran.ended.as_str(), ran.stdout.len()), ("OutputLimit", 65536), "{setting:?}");
        let ran = setting.sh(&["--output", "1000"], "head -c 1000000000 /dev/zero >&2");
        assert_eq!(ran.ended, "OutputLimit", "{setting:?}");
        assert!(ran.stderr.contains("truncated=true"));
        let time = long_time();
        let ran = setting.sh(&["--time", "500"], &format!("echo before; sleep {time}"));
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("TimedOut", "before\n"), "{setting:?}");
        assert_eq!(processes_with(&time), 0, "{setting:?}");
        assert_eq!(setting.sh(&[], "exit 3").ended, "Exit(3)");
        assert_eq!(setting.sh(&[], "kill -SEGV $$").ended, "Signal(11)");
    });
}

#[test]
fn what_is_left_in_the_background_neither_holds_us_up_nor_survives() {
    each(|setting| {
        for line in ["sleep TIME & echo x", "setsid sleep TIME & echo x", "(trap '' TERM HUP; sleep TIME) & echo x"] {
            let time = long_time();
            // Waiting for the background would end in a timeout.
            let ran = setting.sh(&[], &line.replace("TIME", &time));
            assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("Exit(0)", "x\n"), "{setting:?}");
            assert_eq!(processes_with(&time), 0, "{setting:?}: {line}");
        }
    });
}

#[test]
fn nothing_of_our_environment_reaches_a_command() {
    each(|setting| {
        let mut command =
            setting.command(&["--env", "GIVEN=1"], &["sh", "-c", "env; cat /proc/*/environ | tr '\\0' '\\n'"]);
        for name in ["OPENAI_API_KEY", "AWS_SECRET_ACCESS_KEY", "GITHUB_TOKEN", "LD_LIBRARY_PATH"] {
            command.env(name, "CANARY");
        }
        let ran = Ran::of(&mut command);
        assert_eq!(ran.ended, "Exit(0)", "{setting:?} {ran:?}");
        assert!(!ran.stdout.contains("CANARY") && !ran.stderr.contains("CANARY"), "{setting:?} {ran:?}");
        let mut names: Vec<&str> =
            ran.stdout.lines().filter_map(|line| line.split_once('=')).map(|pair| pair.0).collect();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names, ["GIVEN", "HOME", "LANG", "PATH", "PWD", "TERM", "TMPDIR"], "{setting:?}");
    });
}

#[test]
fn the_real_tool_runs() {
    each(|setting| {
        let folder = setting.folder();
        for name in ["ls", "scripts/git", "bwrap", "sh"] {
            folder.script(name, "#!/bin/sh\necho HIJACKED\n");
        }
        let options = ["--read", folder.str(), "--cwd", folder.str()];
        let path = format!(".::{}:{}", folder.str(), folder.join("scripts"));
        let mut command = setting.command(&options, &["sh", "-c", "ls; command -v ls git; echo $PATH"]);
        let setpriv = std::env::var("PATH").unwrap_or_default();
        let ran = Ran::of(command.env("PATH", format!("{path}:{setpriv}")));
        assert_eq!(ran.ended, "Exit(0)", "{setting:?} {ran:?}");
        assert!(!ran.stdout.contains("HIJACKED"), "{setting:?} {ran:?}");
        assert!(ran.stdout.contains("\n/usr/bin/ls\n"), "{setting:?} {ran:?}");
        assert!(ran.stdout.ends_with("\n/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin\n"), "{ran:?}");
        let ran = setting.run(&options, &["ls"]);
        assert!(ran.ended == "Exit(0)" && ran.stdout.contains("scripts"), "{setting:?} {ran:?}");
        assert!(setting.run(&options, &["./ls"]).stdout.contains("HIJACKED"), "by its path it can be run: {setting:?}");
    });
}

#[test]
fn a_program_that_is_not_there_is_refused() {
    each(|setting| {
        for program in ["no-such-program", "/no/such/program", "/etc/passwd"] {
            let ran = setting.run(&[], &[program]);
            assert_eq!(ran.code, Some(2), "{setting:?} {ran:?}");
            assert!(ran.stderr.contains(&format!("refused: `{program}` cannot be run: ")), "{setting:?} {ran:?}");
        }
    });
}
