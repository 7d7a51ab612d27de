//! The connection to the store: made and made again in the background, by one task.
//!
//! Invariant: nobody waits for a connection. What the server sends is bounded by the commands that it got, so that no
//! reply fills the memory: a server that sends more loses the connection.

use std::convert::Infallible;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, ready};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use redis::aio::{MultiplexedConnection, PubSub};
use redis::{AsyncConnectionConfig, ConnectionAddr, RedisError};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpStream, UnixStream};
use tokio::sync::{Notify, watch};
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};
use tokio_rustls::TlsConnector;

use crate::entry::Channel;
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
/// Bytes of messages that the server may send each second: a thousand reports of blocks, and what 40 gateways report of
/// their clients.
const MESSAGES_BYTES_MAX: usize = 1 << 20;
/// Upper bound of what the server may send at once. Replies to all commands under way seldom take a tenth.
const ALLOWANCE_BYTES_MAX: usize = 32 << 20;

/// The pauses between attempts to connect: the last one.
struct Pauses(Duration);

impl Pauses {
    /// Waits after an attempt that began then.
    async fn wait(&mut self, began: Instant) {
        self.0 = if began.elapsed() >= PAUSE_MAX { PAUSE_MIN } else { (self.0 * 2).min(PAUSE_MAX) };
        sleep(self.0.mul_f64(0.5 + fastrand::f64() / 2.0)).await;
    }
}

/// The current connection, if there is one.
pub(crate) struct Connection {
    settings: SharedStoreSettings,
    live: Mutex<Option<LiveConnection>>,
    /// Ends the current connection.
    ended: Notify,
    /// Number of connections that were replaced.
    replaced: watch::Sender<u64>,
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
        Self { settings, live: Mutex::default(), ended: Notify::new(), replaced: watch::Sender::new(0) }
    }

    pub(crate) fn live(&self) -> Option<LiveConnection> {
        self.live.lock().clone()
    }

    /// Drops the current connection, which does not answer.
    pub(crate) fn replace(&self) {
        if self.live.lock().take().is_some() {
            self.ended.notify_one();
            self.replaced.send_modify(|replaced| *replaced = replaced.wrapping_add(1));
        }
    }

    /// Connects whenever there is no connection; never returns.
    pub(crate) async fn run(&self) {
        let address = &self.settings.url;
        let (mut pauses, mut has_logged) = (Pauses(PAUSE_MIN), false);
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
            pauses.wait(began).await;
        }
    }

    /// Calls `take` with each message to a channel that was subscribed to, over a connection of its own that is made whenever there is none;
    /// never returns.
    pub(crate) async fn listen(&self, take: impl Fn(Channel, &[u8])) {
        let address = &self.settings.url;
        let (mut pauses, mut logged) = (Pauses(PAUSE_MIN), String::new());
        loop {
            let began = Instant::now();
            let Err(reason) = self.listen_once(&take).await;
            if logged != reason {
                tracing::warn!(%address, reason, "reports of other gateways do not come through the shared store");
                logged = reason;
            }
            pauses.wait(began).await;
        }
    }

    async fn listen_once(&self, take: impl Fn(Channel, &[u8])) -> Result<Infallible, String> {
        let mut replaced = self.replaced.subscribe();
        let subscribe = async {
            let (stream, allowance) = self.stream().await?;
            let mut messages = PubSub::new(&self.settings.url.login, stream).await.map_err(named)?;
            messages.subscribe(&Channel::ALL.map(Channel::name)[..]).await.map_err(named)?;
            Ok::<_, String>((messages, allowance))
        };
        let subscribed = timeout(CONNECT_TIMEOUT, subscribe).await;
        let (messages, allowance) = subscribed.unwrap_or_else(|_| Err("it does not answer".to_owned()))?;
        let (mut messages, mut second) = (messages.into_on_message(), interval(Duration::from_secs(1)));
        loop {
            tokio::select! {
                message = messages.next() => match message {
                    Some(message) => {
                        let is_of = |channel: &Channel| channel.name() == message.get_channel_name().as_bytes();
                        if let Some(channel) = Channel::ALL.into_iter().find(is_of) {
                            take(channel, message.get_payload_bytes());
                        }
                    }
                    None => return Err("the connection ended".to_owned()),
                },
                _ = second.tick() => allowance.0.store(MESSAGES_BYTES_MAX, Ordering::Relaxed),
                // What hangs there hangs here.
                _ = replaced.changed() => return Err("the connection was replaced".to_owned()),
            }
        }
    }

    /// Connects, without a login.
    async fn stream(&self) -> Result<(BoundedStream, Allowance), String> {
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
        Ok((BoundedStream { stream, allowance: allowance.clone() }, allowance))
    }

    async fn connect(&self) -> Result<(LiveConnection, BoxFuture<'static, ()>), String> {
        let (stream, allowance) = self.stream().await?;
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(COMMAND_TIMEOUT));
        let connected = MultiplexedConnection::new_with_config(&self.settings.url.login, stream, config).await;
        let (commands, driver) = connected.map_err(named)?;
        Ok((LiveConnection { commands, allowance }, Box::pin(driver)))
    }
}

/// Returns the code and category of an error: the server's own words may be anything.
#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn named(error: RedisError) -> String {
    match error.code() {
        Some(code) => format!("{}: {}", error.category(), code.escape_default()),
        None => error.category().to_owned(),
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
