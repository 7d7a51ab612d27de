//! The three listeners: bound before anything else starts, served until a signal, drained within a bound.

use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use metrics::counter;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::clients::{Clients, begin_counts};
use crate::config::{Config, ConnectionLimits, ListenAddress};
use crate::gateway::Gateway;
use crate::http::admin::operators::Operators;
use crate::http::admin::prometheus;
use crate::http::public::pages::Pages;
use crate::http::public::respond::{BACKSTOP, ListBodies, PublicApi};
use crate::http::public::route::Listener;
use crate::http::server::connection::{self, Drain, Service};
use crate::http::server::guard::{Guard, NoSlot, files};
use crate::http::server::socket::{Accepted, Socket};
use crate::log::RareLog;
use crate::memory::Memory;

/// Maximum connections of the operators' listener: probes, scrapers and people. They are apart from clients' ones, so
/// that clients never keep operators out.
const OPERATORS_MAX: usize = 64;

/// Maximum bytes of operators' answers that wait to be sent.
const OPERATORS_UNSENT_BYTES_MAX: usize = 16 << 20;

/// Pause after a failed accept that is not the connection's fault, such as no file descriptors left: an immediate
/// retry would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Time to write an answer to a slow client, added to the answer's own time when draining.
const DRAIN: Duration = Duration::from_secs(2);

/// Minimum time between two log lines about refused connections, which come in crowds.
const REFUSED_LINES: Duration = Duration::from_secs(60);

/// The error of an address that cannot be bound.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen at {address} ({key}): {source}")]
pub(crate) struct BindError {
    key: &'static str,
    address: ListenAddress,
    source: io::Error,
}

/// The bound listeners.
#[derive(Debug)]
pub(crate) struct Listeners {
    base: Socket,
    claimables: Socket,
    operators: Socket,
}

impl Listeners {
    /// Binds all three addresses; if one fails, none stays bound.
    pub(crate) fn bind(config: &Config) -> Result<Self, BindError> {
        Ok(Self {
            base: bind("listen", ListenAddress::Tcp(config.listen))?,
            claimables: bind("claimables_listen", ListenAddress::Tcp(config.claimables_listen))?,
            operators: bind("operators_listen", config.operators_listen.clone())?,
        })
    }

    /// Returns the URL of the base listener for a client on this machine.
    pub(crate) fn base_url(&self) -> io::Result<String> {
        self.base.local_url()
    }

    /// Returns the line that names the real ports.
    pub(crate) fn line(&self) -> io::Result<String> {
        let (base, claimables, operators) = (self.base.url()?, self.claimables.url()?, self.operators.url()?);
        Ok(format!("listening base={base} claimables={claimables} operators={operators}"))
    }

    /// Serves until `stop` completes, then stops accepting and finishes the answers under way.
    pub(crate) async fn serve(
        self,
        config: &Config,
        gateway: Arc<Gateway>,
        pages: Pages,
        clients: Clients,
        stop: impl Future<Output = ()>,
    ) {
        let pages = Arc::new(pages);
        let deadline = Duration::from_millis(config.deadline_ms);
        let drain_time = deadline + BACKSTOP + DRAIN;
        let public_api = |listener| {
            let (gateway, pages) = (gateway.clone(), Arc::clone(&pages));
            let (lists, access_log) = (ListBodies::default(), config.access_log);
            Service::PublicApi(PublicApi { listener, gateway, deadline, lists, pages, access_log })
        };
        let operators = Operators {
            admin: gateway.admin().clone(),
            access: config.operators.clone(),
            access_log: config.access_log,
            metrics: prometheus::handle(),
        };
        let clients = Arc::new(clients);
        let _key_watch = clients.watch_keys();
        begin_counts();
        let (public_guard, operators_guard) =
            guards(&config.connections, &clients, Arc::clone(&gateway.admin().memory));
        let services = [
            (self.base, public_api(Listener::Base), Arc::clone(&public_guard)),
            (self.claimables, public_api(Listener::Claimables), public_guard),
            (self.operators, Service::Operators(operators), operators_guard),
        ];
        let (draining, drain) = watch::channel(false);
        let drain = Drain(drain);
        let mut keeping = JoinSet::new();
        keeping.spawn(prometheus::keep_small(prometheus::handle()));
        let mut listeners = JoinSet::new();
        for (listener, service, guard) in services {
            listeners.spawn(accept(listener, guard, Arc::new(service), drain.clone(), drain_time));
        }
        stop.await;
        tracing::info!(unready_ms = config.connections.unready.as_millis(), "it is not ready any more, and stops");
        gateway.admin().monitor.begin_stop();
        sleep(config.connections.unready).await;
        tracing::info!("draining");
        draining.send_replace(true);
        // Each connection ends itself after the drain time; this bound is the last resort.
        let drained = async { while listeners.join_next().await.is_some() {} };
        if timeout(drain_time + DRAIN, drained).await.is_err() {
            tracing::warn!("connections cut while draining");
        }
    }
}

fn bind(key: &'static str, address: ListenAddress) -> Result<Socket, BindError> {
    Socket::bind(&address).map_err(|source| BindError { key, address, source })
}

/// Returns the guards of the public listeners and of the operators' listener.
fn guards(limits: &ConnectionLimits, clients: &Arc<Clients>, memory: Arc<Memory>) -> (Arc<Guard>, Arc<Guard>) {
    let fitting = files::connections(OPERATORS_MAX);
    if fitting < limits.max {
        tracing::warn!(connections_max = fitting, configured = limits.max, "fewer connections: open files are limited");
    }
    let public = ConnectionLimits { max: limits.max.min(fitting), ..limits.clone() };
    let operators = ConnectionLimits {
        max: OPERATORS_MAX,
        per_client_max: OPERATORS_MAX,
        unsent_bytes_max: OPERATORS_UNSENT_BYTES_MAX,
        ..limits.clone()
    };
    // Nobody comes to the operators' listener in the name of others.
    let direct = Arc::new(clients.direct());
    (Guard::new(public, Arc::clone(clients), Some(memory)), Guard::new(operators, direct, None))
}

/// Accepts connections until the drain begins, then waits for those that are open.
async fn accept(listener: Socket, guard: Arc<Guard>, service: Arc<Service>, mut drain: Drain, drain_time: Duration) {
    let (mut connections, refused) = (JoinSet::new(), RefusedLog::default());
    RefusedLog::begin(service.name());
    let watched = drain.clone();
    loop {
        tokio::select! {
            () = drain.begun() => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok(accepted) => match guard.open(accepted.client()) {
                    Ok(slot) => {
                        let (service, drain) = (service.clone(), watched.clone());
                        match accepted {
                            Accepted::Tcp(stream, _) => {
                                // If it cannot be read, the connection is gone.
                                let local = stream.local_addr().map_or(Ipv4Addr::UNSPECIFIED.into(), |local| local.ip());
                                connections.spawn(connection::serve(stream, Some(local), slot, service, drain, drain_time))
                            }
                            Accepted::Unix(stream) => {
                                connections.spawn(connection::serve(stream, None, slot, service, drain, drain_time))
                            }
                        };
                    }
                    Err(full) => refused.note(full, service.name()),
                },
                Err(error) if is_of_one_connection(&error) => {}
                Err(error) => {
                    tracing::warn!(listener = service.name(), reason = %error, "connection not accepted");
                    sleep(ACCEPT_PAUSE).await;
                }
            },
        }
    }
    drop(listener);
    while connections.join_next().await.is_some() {}
}

/// Logs and counts connections that found no slot, by the limit they met.
#[derive(Debug)]
struct RefusedLog {
    of_client: RareLog,
    of_all: RareLog,
}

impl Default for RefusedLog {
    fn default() -> Self {
        Self { of_client: RareLog::every(REFUSED_LINES), of_all: RareLog::every(REFUSED_LINES) }
    }
}

impl RefusedLog {
    /// Starts the counters at zero, so that the first refusal is an increase.
    fn begin(listener: &'static str) {
        for bound in [NoSlot::Client, NoSlot::All] {
            counter!("portolan_connections_refused_total", "listener" => listener, "bound" => bound.as_str())
                .increment(0);
        }
        counter!("portolan_connections_displaced_total", "listener" => listener).increment(0);
    }

    fn note(&self, full: NoSlot, listener: &'static str) {
        counter!("portolan_connections_refused_total", "listener" => listener, "bound" => full.as_str()).increment(1);
        let (log, reason) = match full {
            NoSlot::Client => (&self.of_client, "one address has per_client_max of them, all in use"),
            NoSlot::All => (&self.of_all, "all slots are busy"),
        };
        log.warn(|refused, seconds| tracing::warn!(listener, refused, seconds, reason, "connections are refused"));
    }
}

/// Returns true if the client went away before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}
