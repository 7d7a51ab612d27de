//! Sockets of the listeners: TCP, or for operators a socket in the file system.
//!
//! Invariant: a socket file is accessible to this user and group only, and is removed at the end.

use std::fs::{self, Permissions};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};

use tokio::net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream};

use crate::config::ListenAddress;
use crate::http::server::passed_sockets::PassedSocket;

/// The group is the operators' group and may connect.
const MODE: u32 = 0o660;

/// Maximum connections that wait to be accepted, capped by `net.core.somaxconn`. Beyond it clients retry after a
/// second.
const BACKLOG: u32 = 4096;

/// A bound listener.
#[derive(Debug)]
pub(in crate::http) enum Socket {
    Tcp(TcpListener),
    Unix(UnixListener, SocketFile),
}

/// The file of a Unix socket; removed on drop, unless it is the service manager's.
#[derive(Debug)]
pub(in crate::http) struct SocketFile {
    path: PathBuf,
    is_own: bool,
}

/// An accepted connection.
#[derive(Debug)]
pub(in crate::http) enum Accepted {
    Tcp(TcpStream, SocketAddr),
    Unix(UnixStream),
}

impl Socket {
    pub(in crate::http) fn bind(address: &ListenAddress) -> io::Result<Self> {
        match address {
            ListenAddress::Tcp(address) => Ok(Self::Tcp(listen(*address)?)),
            ListenAddress::Unix(path) => {
                remove_abandoned(path)?;
                let listener = UnixListener::bind(path)?;
                let file = SocketFile { path: path.clone(), is_own: true };
                fs::set_permissions(path, Permissions::from_mode(MODE))?;
                Ok(Self::Unix(listener, file))
            }
        }
    }

    /// Listens at a socket that the service manager passed.
    pub(in crate::http) fn of_passed(passed: PassedSocket) -> io::Result<Self> {
        match passed {
            PassedSocket::Tcp(listener) => Ok(Self::Tcp(TcpListener::from_std(listener)?)),
            PassedSocket::Unix(listener) => {
                let path = listener.local_addr()?.as_pathname().map(ToOwned::to_owned).unwrap_or_default();
                Ok(Self::Unix(UnixListener::from_std(listener)?, SocketFile { path, is_own: false }))
            }
        }
    }

    /// Returns the URL for clients.
    pub(in crate::http) fn url(&self) -> io::Result<String> {
        Ok(match self {
            Self::Tcp(listener) => format!("http://{}", listener.local_addr()?),
            Self::Unix(_, SocketFile { path, .. }) => ListenAddress::Unix(path.clone()).to_string(),
        })
    }

    /// Returns the URL for clients on this machine, with the loopback address in place of an unspecified one.
    pub(in crate::http) fn local_url(&self) -> io::Result<String> {
        let Self::Tcp(listener) = self else { return self.url() };
        let mut address = listener.local_addr()?;
        if address.ip().is_unspecified() {
            address.set_ip(if address.is_ipv4() { Ipv4Addr::LOCALHOST.into() } else { Ipv6Addr::LOCALHOST.into() });
        }
        Ok(format!("http://{address}"))
    }

    pub(in crate::http) async fn accept(&self) -> io::Result<Accepted> {
        match self {
            Self::Tcp(listener) => {
                let (stream, client) = listener.accept().await?;
                // Answers are written at once, so waiting to fill packets only delays them. A failure shows when the
                // connection is used.
                let _ = stream.set_nodelay(true);
                Ok(Accepted::Tcp(stream, client))
            }
            Self::Unix(listener, _) => Ok(Accepted::Unix(listener.accept().await?.0)),
        }
    }
}

fn listen(address: SocketAddr) -> io::Result<TcpListener> {
    let socket = if address.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    // Makes the address of a process that has just ended available at once.
    socket.set_reuseaddr(true)?;
    socket.bind(address)?;
    socket.listen(BACKLOG)
}

impl Accepted {
    /// Returns the client's address; loopback for a Unix socket.
    pub(in crate::http) fn client(&self) -> IpAddr {
        match self {
            Self::Tcp(_, client) => client.ip(),
            Self::Unix(_) => Ipv4Addr::LOCALHOST.into(),
        }
    }
}

/// Removes the socket file that a killed process left: nobody listens there.
fn remove_abandoned(path: &Path) -> io::Result<()> {
    let is_socket = fs::symlink_metadata(path).is_ok_and(|file| file.file_type().is_socket());
    let is_refused = |error: io::Error| error.kind() == io::ErrorKind::ConnectionRefused;
    if is_socket && std::os::unix::net::UnixStream::connect(path).is_err_and(is_refused) {
        fs::remove_file(path)?;
    }
    Ok(())
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        if self.is_own {
            // A leftover file is removed at the next start.
            let _ = fs::remove_file(&self.path);
        }
    }
}
