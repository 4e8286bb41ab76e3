//! Refuses, through seccomp, the system calls that no command needs and that reach beyond it.

use std::collections::BTreeMap;

use seccompiler::{
    BackendError, BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, apply_filter,
};

use super::step::{InLayer as _, LayerError};

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// A call that is newer than its name in the C library's bindings; on the architectures that this is built for, it has this number.
const SYS_OPEN_TREE_ATTR: i64 = 467;

/// Calls that are refused with `EPERM` whatever their arguments.
const REFUSED: &[i64] = &[
    // Other processes.
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    // Ways around the filter and the file system.
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_name_to_handle_at,
    libc::SYS_open_by_handle_at,
    libc::SYS_userfaultfd,
    libc::SYS_fanotify_init,
    // What happens to files elsewhere, which Landlock does not hide.
    libc::SYS_inotify_init1,
    libc::SYS_inotify_add_watch,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_inotify_init,
    // Memory that belongs to no process and to no folder, and so is not counted.
    libc::SYS_memfd_create,
    libc::SYS_memfd_secret,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    // Namespaces and mounts.
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_open_tree,
    SYS_OPEN_TREE_ATTR,
    libc::SYS_move_mount,
    libc::SYS_fsopen,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    // The kernel and its keys.
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_syslog,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_vhangup,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_kexec_file_load,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_ioperm,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_iopl,
    #[cfg(target_arch = "x86_64")]
    libc::SYS_modify_ldt,
];

/// `TIOCSTI`, whose type differs between C libraries.
const PUSH_TO_TERMINAL: u64 = 0x5412;

const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];

/// Installs the filters. They hold for everything that this process becomes or starts.
pub(super) fn install(network: bool) -> Result<(), LayerError> {
    // The flags of `clone3` are in memory, which a filter cannot read. Every C library falls back to the older call.
    // So is the mode of `openat2`; few programs use it, and all of them know kernels without it.
    let mut unknown = Rules::from([(libc::SYS_clone3, Vec::new()), (libc::SYS_openat2, Vec::new())]);
    with_other_numbers(&mut unknown);
    let unknown = compile(unknown, libc::ENOSYS).in_layer("seccomp")?;
    let refused = rules(network).and_then(|rules| compile(rules, libc::EPERM)).in_layer("seccomp")?;
    apply_filter(&unknown).in_layer("seccomp")?;
    apply_filter(&refused).in_layer("seccomp")
}

fn rules(network: bool) -> Result<Rules, BackendError> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    let spaces = NAMESPACES.iter().map(|flag| {
        let flag = u64::from(flag.cast_unsigned());
        SeccompRule::new(vec![is(0, SeccompCmpOp::MaskedEq(flag), flag)?])
    });
    rules.insert(libc::SYS_clone, spaces.collect::<Result<_, _>>()?);
    rules.insert(libc::SYS_ioctl, vec![SeccompRule::new(vec![is(1, SeccompCmpOp::Eq, PUSH_TO_TERMINAL)?])?]);
    rules.insert(libc::SYS_socket, if network { sockets()? } else { Vec::new() });
    rules.extend(modes()?);
    rules.insert(libc::SYS_socketpair, vec![SeccompRule::new(vec![domain(SeccompCmpOp::Ne, libc::AF_UNIX)?])?]);
    with_other_numbers(&mut rules);
    Ok(rules)
}

/// Refuses to make a file that runs with the rights of its owner or group: anyone may start it later.
fn modes() -> Result<Rules, BackendError> {
    const UNNAMED: u64 = 0o20_000_000;
    const CHANGE: &[(i64, u8)] = &[
        (libc::SYS_fchmod, 1),
        (libc::SYS_fchmodat, 2),
        (libc::SYS_fchmodat2, 2),
        (libc::SYS_mkdirat, 2),
        (libc::SYS_mknodat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_chmod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mkdir, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_mknod, 1),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_creat, 1),
    ];
    const OPEN: &[(i64, u8)] = &[
        (libc::SYS_openat, 2),
        #[cfg(target_arch = "x86_64")]
        (libc::SYS_open, 1),
    ];
    let bits = [libc::S_ISUID, libc::S_ISGID].map(u64::from);
    let has = |argument: u8, bit: u64| is(argument, SeccompCmpOp::MaskedEq(bit), bit);
    let mut rules = Rules::new();
    for (call, mode) in CHANGE {
        let each = bits.map(|bit| SeccompRule::new(vec![has(*mode, bit)?]));
        rules.insert(*call, each.into_iter().collect::<Result<_, _>>()?);
    }
    // Without one of these flags, there is no mode.
    let makes = [u64::from(libc::O_CREAT.cast_unsigned()), UNNAMED];
    for (call, flags) in OPEN {
        let each = makes.iter().flat_map(|flag| bits.map(|bit| (*flag, bit)));
        let each = each.map(|(flag, bit)| SeccompRule::new(vec![has(*flags, flag)?, has(*flags + 1, bit)?]));
        rules.insert(*call, each.collect::<Result<_, _>>()?);
    }
    Ok(rules)
}

/// With the network granted, allows streams and datagrams to the internet, and address queries; never sockets of this
/// machine's services, and no raw sockets.
fn sockets() -> Result<Vec<SeccompRule>, BackendError> {
    const KIND: u64 = 0xf;
    const PACKET: i32 = 10;
    let kind = |kind: i32| is(1, SeccompCmpOp::MaskedEq(KIND), kind.cast_unsigned().into());
    Ok(vec![
        SeccompRule::new(vec![
            domain(SeccompCmpOp::Ne, libc::AF_INET)?,
            domain(SeccompCmpOp::Ne, libc::AF_INET6)?,
            domain(SeccompCmpOp::Ne, libc::AF_NETLINK)?,
        ])?,
        SeccompRule::new(vec![domain(SeccompCmpOp::Ne, libc::AF_NETLINK)?, kind(libc::SOCK_RAW)?])?,
        SeccompRule::new(vec![domain(SeccompCmpOp::Ne, libc::AF_NETLINK)?, kind(PACKET)?])?,
        SeccompRule::new(vec![
            domain(SeccompCmpOp::Eq, libc::AF_NETLINK)?,
            is(2, SeccompCmpOp::Ne, libc::NETLINK_ROUTE.cast_unsigned().into())?,
        ])?,
    ])
}

fn domain(op: SeccompCmpOp, family: i32) -> Result<SeccompCondition, BackendError> {
    is(0, op, family.cast_unsigned().into())
}

fn is(argument: u8, op: SeccompCmpOp, value: u64) -> Result<SeccompCondition, BackendError> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, op, value)
}

/// On x86-64 every call has a second number, for programs with short pointers (x32).
fn with_other_numbers(rules: &mut Rules) {
    if cfg!(target_arch = "x86_64") {
        const SHORT_POINTERS: i64 = 0x4000_0000;
        let others: Rules = rules.iter().map(|(call, rules)| (call | SHORT_POINTERS, rules.clone())).collect();
        rules.extend(others);
    }
}

fn compile(rules: Rules, errno: i32) -> Result<BpfProgram, BackendError> {
    let arch = TargetArch::try_from(std::env::consts::ARCH)?;
    let refuse = SeccompAction::Errno(errno.cast_unsigned());
    SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch)?.try_into()
}
