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
            ("memfd_create", 319, "0, 0"),
            ("memfd_secret", 447, "0"),
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

/// One layer may fail. What the others hold is tried without Landlock, which the probe itself would refuse to root.
#[test]
fn without_landlock_the_machine_and_the_supervisor_stay_out_of_reach() {
    each(|setting| {
        if setting.mechanism != "bubblewrap" {
            return;
        }
        let ran = setting.attempts(
            &["--drop-landlock"],
            r#"
            sub update { open(my $file, "+<", $_[0]) }
            attempt("core-pattern", sub { put("/proc/sys/kernel/core_pattern") });
            attempt("core-pattern-mode", sub { chmod(0666, "/proc/sys/kernel/core_pattern") });
            attempt("modprobe", sub { put("/proc/sys/kernel/modprobe") });
            attempt("sysrq", sub { put("/proc/sysrq-trigger") });
            attempt("irq", sub { put("/proc/irq/default_smp_affinity") });
            attempt("kcore", sub { -s "/proc/kcore" });
            attempt("supervisor-mem", sub { update("/proc/" . getppid() . "/mem") });
            attempt("supervisor-mem-read", sub { open(my $file, "<", "/proc/" . getppid() . "/mem") });
            attempt("supervisor-environ", sub { spill("/proc/" . getppid() . "/environ") });
            attempt("supervisor-root", sub { opendir(my $d, "/proc/" . getppid() . "/root") });
            attempt("supervisor-oom", sub { put("/proc/" . getppid() . "/oom_score_adj") });
            attempt("init-mem", sub { open(my $file, "<", "/proc/1/mem") });
            attempt("init-is-supervisor", sub { getppid() == 1 });
            attempt("own-mem", sub { update("/proc/self/mem") });
            attempt("device", sub { POSIX::mkfifo("/dev/openoxide-canary", 0600) });
            attempt("etc", sub { put("/etc/openoxide-canary") });
            attempt("root", sub { put("/openoxide-canary") });
            "#,
        );
        ran.expect(
            setting,
            "core-pattern EROFS EACCES
             core-pattern-mode EROFS EPERM
             modprobe EROFS EACCES ENOENT
             sysrq EROFS EACCES ENOENT
             irq ENOENT EROFS EACCES
             kcore FAILED ENOENT
             supervisor-mem EACCES EPERM EROFS
             supervisor-mem-read EACCES EPERM
             supervisor-environ EACCES EPERM
             supervisor-root EACCES EPERM
             supervisor-oom EACCES EPERM EROFS
             init-mem EACCES EPERM
             init-is-supervisor DONE
             own-mem EROFS
             device EROFS
             etc EROFS
             root EROFS",
        );
        let ran =
            setting.sh(&["--drop-landlock"], "grep -E 'Cap|NoNewPrivs' /proc/self/status; cat /proc/self/uid_map");
        for line in ran.stdout.lines().filter(|line| line.starts_with("Cap")) {
            assert!(line.ends_with("\t0000000000000000"), "{setting:?} {ran:?}");
        }
        assert!(ran.stdout.contains("NoNewPrivs:\t1"), "{setting:?} {ran:?}");
        let map: Vec<&str> = ran.stdout.lines().last().unwrap_or_default().split_whitespace().collect();
        assert!(map.len() == 3 && map[0] == "1000" && map[2] == "1", "a user namespace: {setting:?} {ran:?}");
    });
}

/// A file that runs with its owner's rights would outlast the sandbox.
#[test]
fn no_file_gets_the_rights_of_its_owner() {
    if !cfg!(target_arch = "x86_64") {
        return skipped("the numbers of system calls are those of x86-64");
    }
    each(|setting| {
        let folder = setting.folder();
        let ran = setting.attempts(
            &["--write", folder.str(), "--cwd", folder.str()],
            r#"
            my ($plain, $here) = ("plain", ".");
            attempt("plain", sub { put($plain) && chmod(0755, $plain) });
            attempt("chmod-user", sub { chmod(04755, $plain) });
            attempt("chmod-group", sub { chmod(02755, $plain) });
            attempt("fchmod", sub { open(my $f, "<", $plain) or die; chmod(06755, $f) });
            attempt("fchmodat", sub { syscall(268, -100, $plain, 04755) == 0 });
            attempt("fchmodat2", sub { syscall(452, -100, $plain, 04755, 0) == 0 });
            attempt("open", sub { sysopen(my $f, "made", O_CREAT | O_WRONLY, 04755) });
            attempt("open-unnamed", sub { sysopen(my $f, ".", 020200002, 04755) });
            attempt("openat2", sub { my $how = pack("QQQ", O_CREAT | O_WRONLY, 04755, 0); syscall(437, -100, $plain, $how, 24) >= 0 });
            attempt("mkdir", sub { mkdir("folder", 02755) });
            attempt("mknod", sub { my $n = "node"; syscall(133, $n, 0104755, 0) == 0 });
            attempt("creat", sub { my $n = "created"; syscall(85, $n, 04755) >= 0 });
            attempt("device", sub { my $n = "device"; syscall(133, $n, 0020666, 0x103) == 0 });
            attempt("sticky", sub { mkdir("shared", 01777) });
            "#,
        );
        ran.expect(
            setting,
            "plain DONE
             chmod-user EPERM
             chmod-group EPERM
             fchmod EPERM
             fchmodat EPERM
             fchmodat2 EPERM
             open EPERM
             open-unnamed EPERM
             openat2 ENOSYS
             mkdir EPERM
             mknod EPERM
             creat EPERM
             device EPERM
             sticky DONE",
        );
        for line in folder.state() {
            assert!(!line.contains(" 104") && !line.contains(" 102") && !line.contains(" 42"), "{setting:?}: {line}");
        }
    });
}

/// Whoever may write in the folder above the project puts a link in its place, just before bubblewrap mounts it.
#[test]
fn what_is_exchanged_while_the_sandbox_is_built_is_not_given() {
    each(|setting| {
        if setting.mechanism != "bubblewrap" {
            return;
        }
        let (above, tools) = (setting.folder(), setting.folder());
        let (project, secret) = (above.dir("project"), above.file("private/secret", "SECRET\n"));
        above.file("project/secret", "mine\n");
        let swap = format!("mv {project} {project}.aside; ln -s {} {project}", above.join("private"));
        let script = format!("#!/bin/sh\ncase \"$*\" in *{project}*) {swap};; esac\nexec bwrap \"$@\"\n");
        let bwrap = tools.script("bwrap", &script);
        std::os::unix::fs::chown(&bwrap, Some(0), Some(0)).unwrap();
        for option in ["--read", "--write"] {
            let options = ["--bwrap-in", tools.str(), option, &project, "--cwd", &project];
            let ran = setting.sh(&options, &format!("cat {project}/secret"));
            assert!(!ran.stdout.contains("SECRET"), "{setting:?} {option} {ran:?}");
            let _ = std::fs::remove_file(&project);
            std::fs::rename(format!("{project}.aside"), &project).unwrap();
        }
        assert_eq!(fs_err::read_to_string(secret).unwrap(), "SECRET\n");
    });
}

/// In a project of somebody else, a folder to write could be exchanged while its mount is made, which then stands anywhere.
#[test]
fn a_folder_that_others_can_exchange_is_not_given_inside_another() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt, chown};
    each(|setting| {
        let folder = setting.folder();
        let (project, out) = (folder.dir("project"), folder.dir("project/sub/out"));
        let options = ["--read", &project, "--write", &out, "--cwd", &out];
        let ran = setting.sh(&options, "touch made; echo ran");
        assert_eq!(ran.stdout, "ran\n", "{setting:?} {ran:?}");
        std::fs::remove_file(folder.join("project/sub/out/made")).unwrap();
        for (owned, mode) in [
            ("", 0o755),
            ("project", 0o755),
            ("project/sub", 0o755),
            ("project/sub/out", 0o755),
            ("project/sub", 0o777),
        ] {
            let path = folder.join(owned);
            let before = std::fs::metadata(&path).unwrap();
            let other = if mode == 0o755 { 12345 } else { before.uid() };
            if chown(&path, Some(other), Some(other)).is_err() {
                return skipped("only root can give a folder away");
            }
            std::fs::set_permissions(&path, PermissionsExt::from_mode(mode)).unwrap();
            let ran = setting.sh(&options, "touch made; echo ran");
            assert!(
                ran.stderr.contains("others can exchange a folder on the way to it"),
                "{setting:?} {owned} {ran:?}"
            );
            assert_eq!(ran.stdout, "", "{setting:?} {owned}");
            chown(&path, Some(before.uid()), Some(before.gid())).unwrap();
            std::fs::set_permissions(&path, PermissionsExt::from_mode(0o755)).unwrap();
        }
    });
}
