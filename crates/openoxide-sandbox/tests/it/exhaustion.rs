//! Using up the machine.

use crate::support::{each, skipped};

/// One that is not ended would end in another way, or hang here until the test runner ends it.
#[test]
fn a_fork_bomb_is_ended() {
    each(|setting| {
        let ran = setting.run(&["--processes", "32"], &["bash", "-c", "bomb() { bomb | bomb & }; bomb; sleep 3600"]);
        assert_eq!(ran.ended, "ProcessLimit", "{setting:?} {:.500}", ran.stderr);
        let line = "i=0; while [ $i -lt 20 ]; do sleep 0.2 & i=$((i+1)); done; wait; echo all";
        assert_eq!(setting.sh(&["--processes", "32"], line).stdout, "all\n", "fewer are fine: {setting:?}");
    });
}

#[test]
fn memory_is_limited_for_one_process_and_for_all() {
    each(|setting| {
        let one = "my $x = 'x' x 10_000_000_000; print 'HAS IT'";
        let ran = setting.run(&["--memory", "200000000"], &["/usr/bin/perl", "-e", one]);
        assert!(!ran.stdout.contains("HAS IT"), "{setting:?} {ran:?}");
        assert_ne!(ran.ended, "Exit(0)", "{setting:?} {ran:?}");
        let all = "for (1..8) { if (!fork) { my $x = 'x' x 60_000_000; sleep 9; exit } } wait; print 'HAS IT'";
        let ran = setting.run(&["--memory", "200000000"], &["/usr/bin/perl", "-e", all]);
        assert_eq!(ran.ended, "MemoryLimit", "{setting:?} {ran:?}");
    });
}

#[test]
fn files_are_limited() {
    each(|setting| {
        let folder = setting.folder();
        let options = ["--write", folder.str(), "--cwd", folder.str(), "--file-size", "1000000"];
        let ran = setting.run(&options, &["dd", "if=/dev/zero", "of=big", "bs=100000", "count=100000"]);
        assert_eq!(ran.ended, "FileSizeLimit", "{setting:?} {ran:?}");
        assert!(!folder.path().join("big").exists(), "{setting:?}: what is stopped changes nothing");
        let line = "for i in 1 2 3 4; do head -c 400000 /dev/zero > /tmp/$i || exit 7; done";
        assert_eq!(setting.sh(&options, line).ended, "Exit(7)", "the private /tmp as a whole: {setting:?}");
    });
}

#[test]
fn time_is_limited_for_who_is_busy() {
    each(|setting| {
        let many = "mkdir /tmp/many; i=0; while :; do : > /tmp/many/$i; i=$((i+1)); done";
        for line in ["while :; do :; done", "trap '' TERM XCPU; while :; do :; done", many] {
            let ran = setting.sh(&["--time", "700"], line);
            // The private folder holds a limited number of files, which a fast machine makes in less time.
            let is_full = line == many && ran.stderr.contains("No space left on device");
            assert!(is_full || ran.ended == "TimedOut", "{setting:?} {line}: {} {:.300}", ran.ended, ran.stderr);
        }
    });
}

/// Memory that belongs to no process: in folders in memory, in files without a name, in shared segments.
#[test]
fn memory_outside_of_processes_is_limited_too() {
    const LIMIT: &str = "200000000";
    each(|setting| {
        for folder in ["/dev/shm", "/tmp", "/dev"] {
            let line =
                format!("dd if=/dev/zero of={folder}/x bs=1M count=2000 2>/dev/null; stat -c %s {folder}/x; true");
            let ran = setting.sh(&["--memory", LIMIT, "--file-size", "100000000000"], &line);
            let size: u64 = ran.stdout.trim().parse().unwrap_or(0);
            assert!(size < 150_000_000, "{setting:?} {folder}: {ran:?}");
        }
        // The two folders together with a process pass the limit, although each is below its own.
        let line = "dd if=/dev/zero of=/dev/shm/x bs=1M count=45 2>/dev/null; dd if=/dev/zero of=/tmp/x bs=1M count=90 \
                    2>/dev/null; exec perl -e 'my $x = \"x\" x 120_000_000; sleep 9; print \"HAS IT\"'";
        let ran = setting.sh(&["--memory", LIMIT], line);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("MemoryLimit", ""), "{setting:?} {ran:?}");
        if !cfg!(target_arch = "x86_64") {
            skipped("the numbers of system calls are those of x86-64");
            return;
        }
        let unnamed = r#"my $name = "x"; my $fd = syscall(319, $name, 0); print $fd < 0 ? "no\n" : "HAS IT\n""#;
        assert_eq!(setting.run(&[], &["perl", "-e", unnamed]).stdout, "no\n", "{setting:?}");
        // Segments that no process keeps attached.
        let segments = "for (1..30) { my $id = shmget(0, 20_000_000, 01600) // last; shmwrite($id, 'x' x 20_000_000, 0, \
                        20_000_000) or last; select(undef, undef, undef, 0.05) } sleep 9; print 'HAS IT'";
        let ran = setting.run(&["--memory", LIMIT], &["perl", "-e", segments]);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("MemoryLimit", ""), "{setting:?} {ran:?}");
    });
}

/// A process that lets nobody look at its memory is counted all the same.
#[test]
fn memory_cannot_be_hidden() {
    if !cfg!(target_arch = "x86_64") {
        return skipped("the numbers of system calls are those of x86-64");
    }
    each(|setting| {
        let hidden = "for (1..4) { if (!fork) { syscall(157, 4, 0, 0, 0, 0); my $x = 'x' x 60_000_000; sleep 9; exit } } \
                      wait; print 'HAS IT'";
        let ran = setting.run(&["--memory", "200000000"], &["/usr/bin/perl", "-e", hidden]);
        assert_eq!((ran.ended.as_str(), ran.stdout.as_str()), ("MemoryLimit", ""), "{setting:?} {ran:?}");
    });
}
