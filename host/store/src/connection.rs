//! The connection to the store: made and made again in the background, by one task.
//!
//! Invariant: nobody waits for a connection. What the server sends is bounded by the commands that it got.

use std::convert::Infallible;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::try_join_all;
use redis::aio::{MultiplexedConnection, PubSub};
use redis::{
    AsyncConnectionConfig, ConnectionAddr, ErrorKind, RedisConnectionInfo, RedisError, ServerErrorKind, Value,
};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, interval, sleep, timeout};

use crate::cluster::SlotMap;
use crate::entry::Channel;
use crate::live_connection::{LiveConnection, NodeConnection};
use crate::settings::{Sentinels, SharedStoreSettings, StorePlace};
use crate::stream::{Allowance, BoundedStream};

/// Time to connect to a server, TLS and login included.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(2);
/// Time of one command; a connection that takes longer is replaced.
pub(crate) const COMMAND_TIMEOUT: Duration = Duration::from_secs(1);
/// Time to connect to a server that knows the others, and to hear its answer, before the next one is tried.
const FIND_TIMEOUT: Duration = Duration::from_millis(500);
/// Pause before the next attempt. It doubles with each that fails, or whose connection ends before it has lasted for
/// [`PAUSE_MAX`].
const PAUSE_MIN: Duration = Duration::from_millis(100);
const PAUSE_MAX: Duration = Duration::from_secs(10);
/// Bytes of messages that the server may send each second: a thousand reports of blocks, and what 40 gateways report of
/// their clients.
const MESSAGES_BYTES_MAX: usize = 1 << 20;
/// Bytes of the reply to a command that finds a server: an address, or the role of a server with its replicas.
const FOUND_BYTES_MAX: usize = 64 << 10;
/// Bytes of the slots of a cluster, if each stands alone.
const SLOTS_BYTES_MAX: usize = 4 << 20;

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
    live: watch::Sender<Option<LiveConnection>>,
}

/// A task that sends and receives for a connection: a panic over what the server sent ends only the connection.
type Driver = JoinSet<()>;

impl Connection {
    pub(crate) fn new(settings: SharedStoreSettings) -> Self {
        Self { settings, live: watch::Sender::new(None) }
    }

    pub(crate) fn live(&self) -> Option<LiveConnection> {
        self.live.borrow().clone()
    }

    /// Follows the current connection.
    pub(crate) fn lives(&self) -> watch::Receiver<Option<LiveConnection>> {
        self.live.subscribe()
    }

    /// Drops the current connection, which does not answer.
    pub(crate) fn replace(&self) {
        self.live.send_replace(None);
    }

    /// Drops the current connection after an error that says that another server has what this one had, if there are
    /// servers that know which.
    pub(crate) fn note_error(&self, error: &RedisError) {
        let is_elsewhere =
            matches!(error.kind(), ErrorKind::Server(ServerErrorKind::ReadOnly | ServerErrorKind::Moved));
        if is_elsewhere && !matches!(self.settings.url.place, StorePlace::Server(_)) {
            self.replace();
        }
    }

    /// Connects whenever there is no connection; never returns.
    pub(crate) async fn run(&self) {
        let address = &self.settings.url;
        let (mut pauses, mut has_logged) = (Pauses(PAUSE_MIN), false);
        loop {
            let began = Instant::now();
            let reason = match self.connect().await {
                Ok((live, mut driver)) => {
                    tracing::info!(%address, servers = %live, "connected to the shared store");
                    has_logged = false;
                    self.live.send_replace(Some(live));
                    let mut lives = self.lives();
                    tokio::select! {
                        _ = driver.join_next() => {}
                        _ = lives.wait_for(Option::is_none) => {}
                    }
                    self.replace();
                    "the connection ended".to_owned()
                }
                Err(reason) => reason,
            };
            if !has_logged {
                tracing::warn!(%address, reason, "the shared store is not used until it can be reached");
                has_logged = true;
            }
            pauses.wait(began).await;
        }
    }

    /// Calls `take` with each message to a channel, over a connection of its own that is made whenever there is one for
    /// commands; never returns.
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
        let mut lives = self.lives();
        let live = lives.wait_for(Option::is_some).await.map_err(|error| error.to_string())?.clone();
        let address = live.as_ref().and_then(LiveConnection::address).ok_or("there is no connection")?;
        let subscribe = async {
            let (stream, allowance) = self.stream(address).await?;
            let mut messages = PubSub::new(&self.settings.url.login, stream).await.map_err(named)?;
            messages.subscribe(&Channel::ALL.map(Channel::name)[..]).await.map_err(named)?;
            Ok::<_, String>((messages, allowance))
        };
        let (messages, allowance) = within(CONNECT_TIMEOUT, subscribe).await?;
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
                _ = second.tick() => allowance.set(MESSAGES_BYTES_MAX),
                // What hangs there hangs here, and another primary is at another address.
                _ = lives.changed() => return Err("the connection was replaced".to_owned()),
            }
        }
    }

    async fn connect(&self) -> Result<(LiveConnection, Driver), String> {
        let mut reason = String::new();
        for address in self.settings.url.place.addresses() {
            let connected = match &self.settings.url.place {
                StorePlace::Server(_) => self.connect_to_server(address).await,
                StorePlace::Primary(sentinels) => self.connect_to_primary(address, sentinels).await,
                StorePlace::Cluster(_) => self.connect_to_cluster(address).await,
            };
            match connected {
                Ok(connected) => return Ok(connected),
                Err(why) => reason = format!("{address}: {why}"),
            }
        }
        Err(reason)
    }

    async fn connect_to_server(&self, address: &ConnectionAddr) -> Result<(LiveConnection, Driver), String> {
        let connect = self.connect_to(address, &self.settings.url.login);
        let (node, driver) = within(CONNECT_TIMEOUT, connect).await?;
        Ok((LiveConnection::of_server(node), driver))
    }

    /// Connects to all primaries that a node of the cluster names.
    async fn connect_to_cluster(&self, node: &ConnectionAddr) -> Result<(LiveConnection, Driver), String> {
        let login = &self.settings.url.login;
        let find = async {
            let (node, _driver) = self.connect_to(node, login).await?;
            node.find(redis::cmd("CLUSTER").arg("SLOTS"), SLOTS_BYTES_MAX).await.map_err(named)
        };
        let slots = SlotMap::read(within(FIND_TIMEOUT, find).await?, node)?;
        let connect = try_join_all(slots.nodes.iter().map(|node| self.connect_to(node, login)));
        let (mut nodes, mut driver) = (Vec::new(), Driver::new());
        for (node, mut own) in within(CONNECT_TIMEOUT, connect).await? {
            nodes.push(node);
            driver.spawn(async move { while own.join_next().await.is_some() {} });
        }
        Ok((LiveConnection::of_cluster(nodes, slots), driver))
    }

    /// Connects to the primary that a sentinel names, if it is one.
    async fn connect_to_primary(
        &self,
        sentinel: &ConnectionAddr,
        sentinels: &Sentinels,
    ) -> Result<(LiveConnection, Driver), String> {
        let find = async {
            let (sentinel, _driver) = self.connect_to(sentinel, &sentinels.login).await?;
            let mut command = redis::cmd("SENTINEL");
            command.arg("get-master-addr-by-name").arg(&sentinels.primary);
            sentinel.find::<Option<(String, u16)>>(&command, FOUND_BYTES_MAX).await.map_err(named)
        };
        let (host, port) = within(FIND_TIMEOUT, find).await?.ok_or("it knows no primary of this name")?;
        let connect = async {
            let login = &self.settings.url.login;
            let (node, driver) = self.connect_to(&ConnectionAddr::Tcp(host, port), login).await?;
            let role: Vec<Value> = node.find(&redis::cmd("ROLE"), FOUND_BYTES_MAX).await.map_err(named)?;
            let is_primary = matches!(role.first(), Some(Value::BulkString(role)) if role == b"master");
            if is_primary {
                Ok((LiveConnection::of_server(node), driver))
            } else {
                Err("the server is not a primary".to_owned())
            }
        };
        within(CONNECT_TIMEOUT, connect).await
    }

    async fn connect_to(
        &self,
        address: &ConnectionAddr,
        login: &RedisConnectionInfo,
    ) -> Result<(NodeConnection, Driver), String> {
        let (stream, allowance) = self.stream(address).await?;
        let config = AsyncConnectionConfig::new().set_response_timeout(Some(COMMAND_TIMEOUT));
        let connected = MultiplexedConnection::new_with_config(login, stream, config).await;
        let (commands, driving) = connected.map_err(named)?;
        let mut driver = Driver::new();
        driver.spawn(driving);
        Ok((NodeConnection { commands, address: address.clone(), allowance }, driver))
    }

    async fn stream(&self, address: &ConnectionAddr) -> Result<(BoundedStream, Allowance), String> {
        let SharedStoreSettings { url, authorities, .. } = &self.settings;
        BoundedStream::connect(address, url.has_tls.then_some(authorities)).await
    }
}

/// Gives up after some time.
async fn within<T>(time: Duration, work: impl Future<Output = Result<T, String>>) -> Result<T, String> {
    timeout(time, work).await.unwrap_or_else(|_| Err("it does not answer".to_owned()))
}

/// Returns the code and category of an error: the server's own words may be anything.
#[allow(clippy::needless_pass_by_value, reason = "it is passed to `map_err`")]
fn named(error: RedisError) -> String {
    match error.code() {
        Some(code) => format!("{}: {}", error.category(), code.escape_default()),
        None => error.category().to_owned(),
    }
}
