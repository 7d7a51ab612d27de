//! The stream to one server, by TCP, TLS or a socket.
//!
//! Invariant: what the server sends is bounded by an allowance, so that no reply fills the memory: a server that sends
//! more loses the connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};

use redis::ConnectionAddr;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio_rustls::TlsConnector;

use crate::settings::StoreAuthorities;

/// Bytes that the server may send before any command: greetings and errors of the login.
const LOGIN_BYTES_MAX: usize = 64 << 10;
/// Upper bound of what the server may send at once. Replies to all commands under way seldom take a tenth.
const ALLOWANCE_BYTES_MAX: usize = 32 << 20;

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Bytes that the server may still send.
#[derive(Clone)]
pub(crate) struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    /// Allows this many bytes more.
    pub(crate) fn add(&self, bytes: usize) {
        let more = |left: usize| Some(left.saturating_add(bytes).min(ALLOWANCE_BYTES_MAX));
        let _ = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }

    /// Allows this many bytes, however many were left.
    pub(crate) fn set(&self, bytes: usize) {
        self.0.store(bytes, Ordering::Relaxed);
    }

    /// Takes bytes that came; returns false if they were more than was allowed.
    fn take(&self, bytes: usize) -> bool {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.is_ok()
    }
}

/// A stream that fails once more than the allowance has come.
pub(crate) struct BoundedStream {
    stream: Box<dyn Duplex>,
    allowance: Allowance,
}

impl BoundedStream {
    /// Connects, without a login; with TLS if there are authorities.
    pub(crate) async fn connect(
        address: &ConnectionAddr,
        authorities: Option<&StoreAuthorities>,
    ) -> Result<(Self, Allowance), String> {
        let stream: Box<dyn Duplex> = match address {
            ConnectionAddr::Tcp(host, port) => {
                let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(|error| error.to_string())?;
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                match authorities {
                    None => Box::new(stream),
                    Some(authorities) => {
                        let name = ServerName::try_from(host.clone());
                        let name = name.map_err(|_| "its host cannot be in a certificate".to_owned())?;
                        let stream = TlsConnector::from(Arc::clone(&authorities.0)).connect(name, stream).await;
                        Box::new(stream.map_err(|error| error.to_string())?)
                    }
                }
            }
            ConnectionAddr::Unix(path) => Box::new(UnixStream::connect(path).await.map_err(|error| error.to_string())?),
            _ => return Err("its address is of no known kind".to_owned()),
        };
        let allowance = Allowance(Arc::new(AtomicUsize::new(LOGIN_BYTES_MAX)));
        Ok((Self { stream, allowance: allowance.clone() }, allowance))
    }
}

impl AsyncRead for BoundedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        ready!(Pin::new(&mut self.stream).poll_read(context, buffer))?;
        let came = buffer.filled().len() - before;
        let is_allowed = self.allowance.take(came);
        Poll::Ready(if is_allowed { Ok(()) } else { Err(io::ErrorKind::InvalidData.into()) })
    }
}

impl AsyncWrite for BoundedStream {
    fn poll_write(mut self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
