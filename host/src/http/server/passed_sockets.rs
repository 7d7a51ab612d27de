//! Sockets that the service manager bound and passed at the start, as `sd_listen_fds(3)` describes.
//!
//! The manager holds them while this program restarts: connections wait in the kernel, and none is refused. Invariant: a
//! listener takes the socket that is bound at its own address, and a socket that no listener takes is an error.

use std::io;
use std::net::TcpListener;
use std::os::unix::net::UnixListener;

use listenfd::ListenFd;

use crate::config::ListenAddress;

/// The sockets that no listener has taken yet.
#[derive(Debug, Default)]
pub(crate) struct PassedSockets(Vec<(ListenAddress, PassedSocket)>);

/// A socket that was passed.
#[derive(Debug)]
pub(in crate::http) enum PassedSocket {
    Tcp(TcpListener),
    Unix(UnixListener),
}

/// Reason why a passed socket cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PassedSocketError {
    #[error("socket {place} that the service manager passed: {source}")]
    Unusable { place: usize, source: io::Error },
    #[error("the service manager passed a socket at {0}, which is the address of no listener")]
    OfNoListener(ListenAddress),
}

impl PassedSockets {
    /// Takes the sockets from the process, and their variables from its environment. Call it while the process has one
    /// thread.
    ///
    /// # Errors
    /// One of them is not a stream socket with an address.
    pub(crate) fn take() -> Result<Self, PassedSocketError> {
        let mut passed = ListenFd::from_env();
        let places = 0..passed.len();
        let take = |place| {
            let unusable = |source| PassedSocketError::Unusable { place: place + 1, source };
            socket(&mut passed, place).and_then(|socket| Ok((socket.address()?, socket))).map_err(unusable)
        };
        Ok(Self(places.map(take).collect::<Result<_, _>>()?))
    }

    /// Takes the socket at this address.
    pub(in crate::http) fn take_at(&mut self, address: &ListenAddress) -> Option<PassedSocket> {
        let place = self.0.iter().position(|(at, _)| at == address)?;
        Some(self.0.swap_remove(place).1)
    }

    /// # Errors
    /// There is a socket that no listener took.
    pub(in crate::http) fn check_none_left(self) -> Result<(), PassedSocketError> {
        match self.0.into_iter().next() {
            None => Ok(()),
            Some((address, _)) => Err(PassedSocketError::OfNoListener(address)),
        }
    }
}

impl PassedSocket {
    fn address(&self) -> io::Result<ListenAddress> {
        match self {
            Self::Tcp(listener) => Ok(ListenAddress::Tcp(listener.local_addr()?)),
            Self::Unix(listener) => {
                let path = listener.local_addr()?.as_pathname().map(ToOwned::to_owned);
                path.map(ListenAddress::Unix).ok_or_else(|| io::Error::other("it has no path"))
            }
        }
    }
}

/// Takes a socket of either kind; it is closed on exec from then on, so that no worker has it.
fn socket(passed: &mut ListenFd, place: usize) -> io::Result<PassedSocket> {
    let socket = match passed.take_tcp_listener(place) {
        Ok(socket) => socket.map(PassedSocket::Tcp),
        Err(_) => passed.take_unix_listener(place)?.map(PassedSocket::Unix),
    };
    let socket = socket.ok_or(io::ErrorKind::NotFound)?;
    match &socket {
        PassedSocket::Tcp(listener) => listener.set_nonblocking(true)?,
        PassedSocket::Unix(listener) => listener.set_nonblocking(true)?,
    }
    Ok(socket)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_listener_takes_the_socket_at_its_own_address_and_none_may_be_left() {
        let tcp = PassedSocket::Tcp(TcpListener::bind("127.0.0.1:0").unwrap());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("operators.sock");
        let unix = PassedSocket::Unix(UnixListener::bind(&path).unwrap());
        let at = tcp.address().unwrap();
        assert_eq!(unix.address().unwrap(), ListenAddress::Unix(path.clone()));
        let mut passed = PassedSockets([tcp, unix].map(|socket| (socket.address().unwrap(), socket)).into());
        let elsewhere = ListenAddress::Tcp("127.0.0.1:1".parse().unwrap());
        assert!(passed.take_at(&elsewhere).is_none());
        assert!(matches!(passed.take_at(&at), Some(PassedSocket::Tcp(_))));
        assert!(passed.take_at(&at).is_none(), "it is taken");
        let left = passed.check_none_left().unwrap_err().to_string();
        assert!(left.contains(&format!("unix:{}", path.display())), "{left}");
        PassedSockets::default().check_none_left().unwrap();
    }
}
