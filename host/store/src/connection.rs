//! The connection to the store: made and made again in the background, by one task.
//!
//! Invariant: nobody waits for a connection. What the server sends is bounded by the commands that it got, so that no
//! reply fills the memory: a server that sends more loses the connection.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use redis::aio::MultiplexedConnection;
use redis::{AsyncConnectionConfig, ConnectionAddr};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_rustls::TlsConnector;

use crate::settings::SharedStoreSettings;

/// Time to connect, TLS and login included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time of one command; a connection that takes longer is replaced.
pub(crate) const COMMAND_TIMEOUT: Duration = Duration::from_secs(1);
/// Pause before the next attempt. It doubles with each that fails, or whose connection ends before it has lasted for
/// [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Bytes that the server may send before any command: greetings and errors of the login.
const LOGIN_BYTES_MAX: usize = 64 << 10;
/// Upper bound of what the server may send at once. Replies to all commands under way seldom take a tenth.
const ALLOWANCE_BYTES_MAX: usize = 32 << 20;

/// The current connection, if there is one.
pub(crate) struct Connection {
    settings: SharedStoreSettings,
    live: Mutex<Option<LiveConnection>>,
    /// Ends the current connection.
    ended: Notify,
}

/// A connection that is open.
#[derive(Clone)]
pub(crate) struct LiveConnection {
    pub(crate) commands: MultiplexedConnection,
    allowance: Allowance,
}

impl LiveConnection {
    /// Allows the server this many bytes more, for the reply to a command.
    pub(crate) fn allow(&self, bytes: usize) {
        let more = |left: usize| Some(left.saturating_add(bytes).min(ALLOWANCE_BYTES_MAX));
        let _ = self.allowance.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more);
    }
}

impl Connection {
    pub(crate) fn new(settings: SharedStoreSettings) -> Self {
        Self { settings, live: Mutex::default(), ended: Notify::new() }
    }

    pub(crate) fn live(&self) -> Option<LiveConnection> {
        self.live.lock().clone()
    }

    /// Drops the current connection, which does not answer.
    pub(crate) fn replace(&self) {
        if self.live.lock().take().is_some() {
            self.ended.notify_one();
        }
    }

    /// Connects whenever there is no connection; never returns.
    pub(crate) async fn run(&self) {
        let address = &self.settings.url;
        let (mut pause, mut has_logged) = (PAUSE_MIN, false);
        loop {
            let began = Instant::now();
            let reason = match timeout(CONNECT_TIMEOUT, self.connect()).await {
                Ok(Ok((live, driver))) => {
                    tracing::info!(%address, "connected to the shared store");
                    has_logged = false;
                    *self.live.lock() = Some(live);
                    // A task of its own, so that a panic over what the server sent ends only the connection.
                    let mut driving = JoinSet::new();
                    driving.spawn(driver);
                    tokio::select! {
                        _ = driving.join_next() => {}
                        () = self.ended.notified() => {}
                    }
                    *self.live.lock() = None;
                    "the connection ended".to_owned()
                }
                Ok(Err(reason)) => reason,
                Err(_) => "it does not answer".to_owned(),
            };
            if !has_logged {
                tracing::warn!(%address, reason, "the shared store is not used until it can be reached");
                has_logged = true;
            }
            pause = if began.elapsed() >= PAUSE_MAX { PAUSE_MIN } else { (pause * 2).min(PAUSE_MAX) };
            sleep(pause.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
        }
    }

    async fn connect(&self) -> Result<(LiveConnection, BoxFuture<'static, ()>), String> {
        let url = &self.settings.url;
        let stream: Box<dyn Duplex> = match &url.address {
            ConnectionAddr::Tcp(host, port) => {
                let stream = TcpStream::connect((host.as_str(), *port)).await.map_err(|error| error.to_string())?;
                stream.set_nodelay(true).map_err(|error| error.to_string())?;
                match &url.tls_name {
                    None => Box::new(stream),
                    Some(name) => {
                        let connector = TlsConnector::from(Arc::clone(&self.settings.authorities.0));
                        let stream = connector.connect(name.clone(), stream).await;
                        Box::new(stream.map_err(|error| error.to_string())?)
                    }
                }
            }
            ConnectionAddr::Unix(path) => Box::new(UnixStream::connect(path).await.map_err(|error| error.to_string())?),
            _ => return Err("its address is of no known kind".to_owned()),
        };
        let allowance = Allowance(Arc::new(AtomicUsize::new(LOGIN_BYTES_MAX)));
        let stream = BoundedStream { stream, allowance: allowance.clone() };
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(COMMAND_TIMEOUT));
        let connected = MultiplexedConnection::new_with_config(&url.login, stream, config).await;
        // The server's own words may be anything; its code and category are not.
        let (commands, driver) = connected.map_err(|error| match error.code() {
            Some(code) => format!("{}: {}", error.category(), code.escape_default()),
            None => error.category().to_owned(),
        })?;
        Ok((LiveConnection { commands, allowance }, Box::pin(driver)))
    }
}

trait Duplex: AsyncRead + AsyncWrite + Send + Unpin {}

impl<T: AsyncRead + AsyncWrite + Send + Unpin> Duplex for T {}

/// Bytes that the server may still send.
#[derive(Clone)]
struct Allowance(Arc<AtomicUsize>);

impl Allowance {
    /// Takes bytes that came; returns false if they were more than was allowed.
    fn take(&self, bytes: usize) -> bool {
        let taken = self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(bytes));
        taken.is_ok()
    }
}

/// A stream that fails once more than the allowance has come.
struct BoundedStream {
    stream: Box<dyn Duplex>,
    allowance: Allowance,
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
