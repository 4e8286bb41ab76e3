//! Opens the address that a server listens at.

use std::{io, net::SocketAddr};

use tokio::net::{TcpListener, TcpSocket, TcpStream};

use super::guard::Access;

/// How many connections may wait to be let in.
const WAITING: u32 = 4096;
/// How many bytes the system keeps for a client that does not read.
const SENT: u32 = 256 * 1024;

/// Why the server cannot listen at an address.
#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    /// Everyone could come in.
    #[error("listening at {0} without the access token would let anyone who can reach it use your skills")]
    Open(SocketAddr),
    /// Another program listens there.
    #[error("another program listens at {0}")]
    Taken(SocketAddr),
    /// It is not an address of this machine, or may not be used.
    #[error("cannot listen at {0}")]
    Failed(SocketAddr, #[source] io::Error),
}

/// An address that is listened at. Elsewhere than on this machine alone, there is none that is open to everyone.
#[derive(Debug)]
pub struct BoundListener {
    pub(super) listener: TcpListener,
    address: SocketAddr,
}

impl BoundListener {
    /// Listens at an address; with the port 0, at one that is free.
    pub fn open(address: SocketAddr, access: &Access) -> Result<BoundListener, ListenError> {
        if !address.ip().to_canonical().is_loopback() && matches!(access, Access::Open) {
            return Err(ListenError::Open(address));
        }
        let listen = || {
            let socket = if address.is_ipv4() { TcpSocket::new_v4()? } else { TcpSocket::new_v6()? };
            socket.set_reuseaddr(true)?;
            socket.set_send_buffer_size(SENT)?;
            socket.bind(address)?;
            let listener = socket.listen(WAITING)?;
            let address = listener.local_addr()?;
            Ok(BoundListener { listener, address })
        };
        listen().map_err(|source: io::Error| match source.kind() {
            io::ErrorKind::AddrInUse => ListenError::Taken(address),
            _ => ListenError::Failed(address, source),
        })
    }

    /// Returns the address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Stops listening, and returns the connections that still waited to be let in: the system would reset them.
    pub(super) fn close(self) -> Vec<(TcpStream, SocketAddr)> {
        let Ok(listener) = self.listener.into_std() else { return Vec::new() };
        // The listener does not block, so this ends with the last connection that waits.
        let waiting = std::iter::from_fn(|| listener.accept().ok()).take(WAITING as usize);
        waiting
            .filter_map(|(stream, peer)| {
                stream.set_nonblocking(true).ok()?;
                Some((TcpStream::from_std(stream).ok()?, peer))
            })
            .collect()
    }
}
