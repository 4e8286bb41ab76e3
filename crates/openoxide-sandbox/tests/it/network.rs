//! The network, and sockets of this machine.

use std::net::{TcpListener, UdpSocket};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::{SocketAddr, UnixListener};

use crate::support::{each, long_time};

/// Attempts to reach listeners: each makes a socket, then connects or sends.
fn code(tcp: u16, udp: u16) -> String {
    format!(
        r#"
        sub reach {{ my ($domain, $kind, $to) = @_; socket(my $s, $domain, $kind, 0) or return; connect($s, $to) or return; send($s, "CANARY", 0) }}
        my $here = inet_aton("127.0.0.1");
        attempt("tcp", sub {{ reach(AF_INET, SOCK_STREAM, pack_sockaddr_in({tcp}, $here)) }});
        attempt("udp", sub {{ reach(AF_INET, SOCK_DGRAM, pack_sockaddr_in({udp}, $here)) }});
        attempt("tcp6", sub {{ reach(AF_INET6, SOCK_STREAM, pack_sockaddr_in6({tcp}, inet_pton(AF_INET6, "::1"))) }});
        attempt("dns", sub {{ reach(AF_INET, SOCK_DGRAM, pack_sockaddr_in(53, inet_aton("8.8.8.8"))) }});
        attempt("raw", sub {{ socket(my $s, AF_INET, SOCK_RAW, 1) }});
        attempt("packet", sub {{ socket(my $s, 17, SOCK_RAW, 0) }});
        attempt("vsock", sub {{ socket(my $s, 40, SOCK_STREAM, 0) }});
        attempt("audit", sub {{ socket(my $s, 16, SOCK_RAW, 9) }});
        "#
    )
}

#[test]
fn nothing_gets_out() {
    each(|setting| {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        tcp.set_nonblocking(true).unwrap();
        udp.set_nonblocking(true).unwrap();
        let (tcp_port, udp_port) = (tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let ran = setting.attempts(&[], &code(tcp_port, udp_port));
        let names = ["tcp", "udp", "tcp6", "dns", "raw", "packet", "vsock", "audit"];
        ran.expect(setting, &names.map(|name| format!("{name} EPERM")).join("\n"));
        let bash = format!("exec 3<>/dev/tcp/127.0.0.1/{tcp_port} && echo CANARY >&3");
        assert_eq!(setting.run(&[], &["bash", "-c", &bash]).ended, "Exit(1)", "{setting:?}");
        let curl = format!("command -v curl && ! curl -sm 5 http://127.0.0.1:{tcp_port}/");
        let ran = setting.sh(&[], &curl);
        assert_ne!(ran.ended, "TimedOut", "{setting:?} {ran:?}");
        assert!(tcp.accept().is_err() && udp.recv(&mut [0; 16]).is_err(), "{setting:?}: something got out");
    });
}

#[test]
fn with_leave_the_network_is_reached_and_nothing_else() {
    each(|setting| {
        let tcp = TcpListener::bind("127.0.0.1:0").unwrap();
        let udp = UdpSocket::bind("127.0.0.1:0").unwrap();
        let code = code(tcp.local_addr().unwrap().port(), udp.local_addr().unwrap().port());
        let ran = setting.attempts(&["--network"], &code);
        ran.expect(
            setting,
            "tcp DONE
             udp DONE
             tcp6 ECONNREFUSED EADDRNOTAVAIL EAFNOSUPPORT
             dns DONE ENETUNREACH EPERM
             raw EPERM
             packet EPERM
             vsock EPERM
             audit EPERM",
        );
        assert!(tcp.accept().is_ok(), "{setting:?}");
        udp.set_read_timeout(Some(std::time::Duration::from_secs(5))).unwrap();
        assert_eq!(udp.recv(&mut [0; 16]).unwrap(), 6, "{setting:?}");
    });
}

#[test]
fn sockets_of_this_machine_are_out_of_reach() {
    each(|setting| {
        let folder = setting.folder();
        let path = folder.join("docker.sock");
        let listener = UnixListener::bind(&path).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o777)).unwrap();
        let name = format!("openoxide-test-{}", long_time());
        let hidden = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name).unwrap()).unwrap();
        listener.set_nonblocking(true).unwrap();
        hidden.set_nonblocking(true).unwrap();
        let code = format!(
            r#"
            sub reach {{ my ($kind, $path) = @_; socket(my $s, AF_UNIX, $kind, 0) or return; connect($s, pack_sockaddr_un($path)) }}
            attempt("path", sub {{ reach(SOCK_STREAM, "{path}") }});
            attempt("datagram", sub {{ reach(SOCK_DGRAM, "{path}") }});
            attempt("abstract", sub {{ reach(SOCK_STREAM, "\0{name}") }});
            attempt("session-bus", sub {{ reach(SOCK_STREAM, "/run/dbus/system_bus_socket") }});
            attempt("pair", sub {{ socketpair(my $a, my $b, AF_UNIX, SOCK_STREAM, 0) }});
            "#
        );
        for network in [false, true] {
            let mut options = vec!["--write", folder.str()];
            options.extend(network.then_some("--network"));
            let ran = setting.attempts(&options, &code);
            ran.expect(setting, "path EPERM\ndatagram EPERM\nabstract EPERM\nsession-bus EPERM\npair DONE");
            assert!(listener.accept().is_err() && hidden.accept().is_err(), "{setting:?}");
        }
    });
}
