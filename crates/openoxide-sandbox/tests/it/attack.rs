//! Attacks on the runtime itself, from inside.

use std::process::Stdio;

use crate::support::{Ran, each, harness, long_time, skipped};

#[test]
fn the_runtime_is_out_of_reach() {
    each(|setting| {
        // Stands for the runtime: another process of the same user with something to steal.
        let time = long_time();
        let mut victim = setting.program("sleep");
        let mut victim = victim.arg(&time).env("SECRET", "CANARY").stdout(Stdio::null()).spawn().unwrap();
        let pid = victim.id();
        let ran = setting.attempts(
            &[],
            &format!(
                r#"
                my ($victim, $init) = ({pid}, 1);
                attempt("kill", sub {{ kill("KILL", $victim) }});
                attempt("kill-init", sub {{ kill("KILL", $init) }});
                attempt("kill-supervisor", sub {{ kill("STOP", getppid()) }});
                attempt("environ", sub {{ spill("/proc/$victim/environ") }});
                attempt("mem", sub {{ spill("/proc/$victim/mem") }});
                attempt("init-environ", sub {{ spill("/proc/$init/environ") }});
                attempt("init-mem", sub {{ spill("/proc/$init/mem") }});
                attempt("init-root", sub {{ opendir(my $d, "/proc/$init/root/root") }});
                attempt("cwd-of-parent", sub {{ opendir(my $d, "/proc/" . getppid() . "/cwd/root") }});
                "#
            ),
        );
        ran.expect(
            setting,
            "kill ESRCH EPERM
             kill-init EPERM
             kill-supervisor EPERM
             environ ENOENT EACCES
             mem ENOENT EACCES
             init-environ EACCES
             init-mem EACCES
             init-root EACCES
             cwd-of-parent EACCES ENOENT",
        );
        assert!(!ran.stdout.contains("CANARY"), "{setting:?}");
        assert!(victim.try_wait().unwrap().is_none(), "{setting:?}: it was killed");
        victim.kill().unwrap();
        victim.wait().unwrap();
    });
}

#[test]
fn calls_that_reach_beyond_are_refused() {
    if !cfg!(target_arch = "x86_64") {
        return skipped("the numbers of system calls are those of x86-64");
    }
    each(|setting| {
        let calls = [
            ("ptrace", 101, "16, getppid(), 0, 0"),
            ("process_vm_readv", 310, "getppid(), 0, 0, 0, 0, 0"),
            ("io_uring_setup", 425, "8, 0"),
            ("bpf", 321, "0, 0, 0"),
            ("keyctl", 250, "0, 0, 0"),
            ("unshare-user", 272, "0x10000000"),
            ("unshare-mount", 272, "0x00020000"),
            ("clone-user", 56, "0x10000011, 0, 0, 0, 0"),
            ("mount", 165, "0, 0, 0, 0, 0"),
            ("open_tree", 428, "-100, 0, 1"),
            ("perf_event_open", 298, "0, 0, 0, 0, 0"),
            ("userfaultfd", 323, "0"),
            ("chroot", 161, "0"),
            ("push-to-terminal", 16, "0, 0x5412, 0"),
            ("short-pointers", 0x4000_0000 + 272, "0x10000000"),
        ];
        let code: String = calls
            .map(|(name, number, args)| format!("attempt('{name}', sub {{ syscall({number}, {args}) >= 0 }});"))
            .concat();
        let code = format!("{code} attempt('clone3', sub {{ syscall(435, 0, 0) >= 0 }});");
        let ran = setting.attempts(&[], &code);
        let table = calls
            .map(|(name, ..)| format!("{name} EPERM"))
            .join("\n")
            .replace("pointers EPERM", "pointers EPERM ENOSYS");
        ran.expect(setting, &format!("{table}\nclone3 ENOSYS"));
        let ran = setting
            .sh(&[], "unshare -Ur true; echo $?; grep -c . /proc/self/status; grep CapEff /proc/self/status; id -u");
        let lines: Vec<&str> = ran.stdout.lines().collect();
        assert!(lines[0] != "0" && lines[2].ends_with("\t0000000000000000") && lines[3] != "0", "{setting:?} {ran:?}");
    });
}

#[test]
fn nothing_that_is_open_is_inherited() {
    each(|setting| {
        let folder = setting.folder();
        let secret = folder.file("secret", "CANARY\n");
        let line = format!(
            "exec 7<{secret} 8>>{secret} 23<{secret} && exec {} {} -- sh -c 'ls /proc/self/fd; cat <&7; echo x >&8; cat /proc/*/fd/23'",
            harness().display(),
            setting.mechanism
        );
        let ran = Ran::of(setting.program("bash").args(["-c", &line]));
        let mut open: Vec<&str> = ran.stdout.lines().collect();
        // The fourth is the folder that `ls` reads.
        assert_eq!(open.split_off(open.len().min(4)), Vec::<&str>::new(), "{setting:?} {ran:?}");
        assert_eq!(open, ["0", "1", "2", "3"], "{setting:?} {ran:?}");
        assert_eq!(fs_err::read_to_string(&secret).unwrap(), "CANARY\n", "{setting:?}");
    });
}
