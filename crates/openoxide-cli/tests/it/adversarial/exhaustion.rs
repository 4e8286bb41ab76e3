//! Commands that reach for the kernel's own settings, and for memory that no process seems to hold.

use openoxide_testkit::TestContext;

use super::door::{Door, Place};
use super::face::{Setting, attack};
use super::skill;

attack! { settings_of_the_kernel in every sandbox for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { memory_in_sockets in every sandbox for everyone { cli, http, mcp, mcp_http, rpc } }
attack! { memory_outside_of_processes in every sandbox for everyone { cli, http, mcp, mcp_http, rpc } }

/// Runs commands of a skill for a user who says yes; returns what came of it.
fn ran(setting: Setting, commands: &str, options: &[&str]) -> String {
    let context = TestContext::new();
    skill(&context, "attack", "", &format!("```!\n{commands}\n```"));
    let options = options.iter().map(ToString::to_string).collect();
    let place = Place { options, ..Place::new(&context, "openoxide") };
    Door::at(setting, place).approving().activate("attack")
}

/// What is written is what stands there, so that nothing happens to the machine if it works.
const KERNEL: &str = r#"for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/vm/overcommit_memory /proc/self/oom_score_adj_none; do
  [ -e $f ] && cat $f > /tmp/value && (cat /tmp/value > $f) 2>/dev/null && echo DID" "WRITE $f
done
for p in 1 $PPID; do [ $p != $$ ] && (exec 3<>/proc/$p/mem) 2>/dev/null && echo DID" "OPEN $p; done
mount -t tmpfs tmpfs /mnt 2>/dev/null && echo DID" "MOUNT
grep CapEff /proc/self/status
echo commands" "ended"#;

fn settings_of_the_kernel(setting: Setting) {
    let said = ran(setting, KERNEL, &[]);
    assert!(said.contains("commands ended"), "it ran: {said}");
    assert!(said.contains("0000000000000000"), "no capabilities: {said}");
    assert!(!said.contains("DID "), "{said}");
}

/// Shared memory and files that only a descriptor names count like any other memory; semaphores and messages, which nobody
/// counts, cannot be made.
const MEMORY: &str = r#"head -c 1500000000 /dev/zero > /dev/shm/held 2>/dev/null
[ "$(stat -c %s /dev/shm/held 2>/dev/null || echo 0)" -gt 600000000 ] && echo HELD" "MUCH
command -v perl >/dev/null && perl -e 'my $name = "x"; my $fd = syscall(319, $name, 0); exit 1 if $fd < 0; open(my $f, ">&=", $fd) or exit 1;
binmode $f; my $mib = "x" x 1048576; for (1..1500) { syswrite($f, $mib) or exit 1 } print "HELD", " ", "MUCH\n"'
command -v perl >/dev/null && perl -e 'syscall(64, 0, 10, 01600) >= 0 and print "HELD", " ", "MUCH\n"; syscall(68, 0, 01600) >= 0 and print "HELD", " ", "MUCH\n"'
echo commands" "ended"#;

fn memory_outside_of_processes(setting: Setting) {
    let said = ran(setting, MEMORY, &["--config", "sandbox.memory=268435456"]);
    assert!(!said.contains("HELD MUCH"), "{said}");
    assert!(said.contains("commands ended") || said.contains("memory"), "it ran, or was ended: {said}");
}

/// What waits in sockets is held by no process. Few sockets are fine.
const SOCKETS: &str = r#"command -v perl >/dev/null || { echo no" "perl; exit; }
perl -MSocket -e 'my @held; for (1..20) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or exit; push @held, $a, $b } print "few", " ", "held\n"'
perl -MSocket -e 'my @held; for (1..400) { socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, PF_UNSPEC) or exit; push @held, $a, $b }
sleep 8; print "MANY", " ", "HELD\n"'"#;

fn memory_in_sockets(setting: Setting) {
    let said = ran(setting, SOCKETS, &["--config", "sandbox.memory=268435456"]);
    assert!(!said.contains("MANY HELD"), "{said}");
    assert!(said.contains("used too much memory") || said.contains("no perl"), "{said}");
}
