//! Lists what every command sees inside, besides the system's programs.

/// Files about the system that programs commonly read. No keys, no passwords, no configuration of a host.
pub(crate) const SETTINGS: &[&str] = &[
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/ca-certificates.conf",
    "/etc/debian_version",
    "/etc/gai.conf",
    "/etc/group",
    "/etc/host.conf",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/locale.alias",
    "/etc/localtime",
    "/etc/magic",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/os-release",
    "/etc/passwd",
    "/etc/perl",
    "/etc/pki/ca-trust",
    "/etc/pki/tls/cert.pem",
    "/etc/pki/tls/certs",
    "/etc/protocols",
    "/etc/python3",
    "/etc/services",
    "/etc/ssl/cert.pem",
    "/etc/ssl/certs",
    "/etc/ssl/openssl.cnf",
    "/etc/terminfo",
    "/etc/timezone",
];

/// More files that are needed to reach the network.
pub(crate) const RESOLVER: &[&str] = &["/etc/resolv.conf", "/run/systemd/resolve/stub-resolv.conf"];

/// Harmless devices.
pub(crate) const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/tty"];

/// Shared memory, private to the sandbox.
pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// Files of `/proc` about the whole machine that an owner who is root could read or write without any capability.
pub(crate) const HIDDEN_FILES: &[&str] = &[
    "/proc/config.gz",
    "/proc/kallsyms",
    "/proc/kcore",
    "/proc/key-users",
    "/proc/keys",
    "/proc/kmsg",
    "/proc/kpagecgroup",
    "/proc/kpagecount",
    "/proc/kpageflags",
    "/proc/latency_stats",
    "/proc/mtrr",
    "/proc/sched_debug",
    "/proc/slabinfo",
    "/proc/sysrq-trigger",
    "/proc/timer_list",
    "/proc/vmallocinfo",
];

/// Folders of `/proc` about the machine's hardware.
pub(crate) const HIDDEN_FOLDERS: &[&str] =
    &["/proc/acpi", "/proc/asound", "/proc/bus", "/proc/driver", "/proc/fs", "/proc/irq", "/proc/scsi"];

/// The user and group of the command in its own namespace.
pub(crate) const ID: u32 = 1000;
