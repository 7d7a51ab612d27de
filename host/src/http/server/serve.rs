//! The three listeners: bound before anything else starts, served until a signal, drained within a bound.

use std::collections::HashMap;
use std::io;
use std::net::Ipv4Addr;
use std::sync::Arc;
use std::time::Duration;

use metrics::counter;
use parking_lot::Mutex;
use portolan_reader::ClientId;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::clients::{Clients, shared_reads};
use crate::config::{Config, ConnectionLimits, ListenAddress};
use crate::gateway::Gateway;
use crate::history::{self, History};
use crate::http::admin::operators::Operators;
use crate::http::admin::prometheus;
use crate::http::public::mcp::McpEndpoint;
use crate::http::public::pages::Pages;
use crate::http::public::respond::{BACKSTOP, ListBodies, PublicApi};
use crate::http::public::route::Listener;
use crate::http::public::watches::Watches;
use crate::http::server::connection::{self, Drain, Service, ServingPhase};
use crate::http::server::guard::{Guard, NoSlot, files};
use crate::http::server::passed_sockets::{PassedSocketError, PassedSockets};
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

/// Minimum time between two log lines about refused connections, of one client or of all: they come in crowds.
const REFUSED_LINES: Duration = Duration::from_secs(60);

/// Maximum clients with such lines within that time, so that a crowd of addresses cannot fill the log. Refusals of
/// further ones are only counted in the metric.
const REFUSED_CLIENTS_MAX: usize = 64;

/// Reason why there are no listeners.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BindError {
    #[error("cannot listen at {address} ({key}): {source}")]
    Address { key: &'static str, address: ListenAddress, source: io::Error },
    #[error(transparent)]
    Passed(#[from] PassedSocketError),
}

/// The pages of the listeners that have some.
#[derive(Debug)]
pub(crate) struct ListenerPages {
    pub(crate) base: Pages,
    pub(crate) operators: Pages,
}

/// The bound listeners.
#[derive(Debug)]
pub(crate) struct Listeners {
    base: Socket,
    claimables: Socket,
    operators: Socket,
}

impl Listeners {
    /// Binds all three addresses, or takes the sockets that were passed for them; if one fails, none stays bound.
    pub(crate) fn bind(config: &Config, mut passed: PassedSockets) -> Result<Self, BindError> {
        let mut listen = |key, address: ListenAddress| {
            let taken = passed.take_at(&address);
            let socket = taken.map_or_else(|| Socket::bind(&address), Socket::of_passed);
            socket.map_err(|source| BindError::Address { key, address, source })
        };
        let listeners = Self {
            base: listen("listen", ListenAddress::Tcp(config.listen))?,
            claimables: listen("claimables_listen", ListenAddress::Tcp(config.claimables_listen))?,
            operators: listen("operators_listen", config.operators_listen.clone())?,
        };
        passed.check_none_left()?;
        Ok(listeners)
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
        pages: ListenerPages,
        clients: Clients,
        stop: impl Future<Output = ()>,
    ) {
        let (pages, pages_of_operators) = (Arc::new(pages.base), pages.operators);
        let deadline = Duration::from_millis(config.deadline_ms);
        let drain_time = deadline + BACKSTOP + DRAIN;
        let watches = Watches::new(&gateway, config.watches);
        let public_api = |listener| {
            let (gateway, pages, watches) = (gateway.clone(), Arc::clone(&pages), Arc::clone(&watches));
            let (lists, access_log) = (ListBodies::default(), config.access_log);
            PublicApi { listener, gateway, deadline, lists, pages, watches, access_log }
        };
        let mcp = config.mcp.clone().map(|access| McpEndpoint::new(public_api(Listener::Base), access));
        let base = Service::PublicApi { api: public_api(Listener::Base), mcp };
        let claimables = Service::PublicApi { api: public_api(Listener::Claimables), mcp: None };
        let clients = Arc::new(clients);
        let history = Arc::<History>::default();
        let operators = Operators {
            admin: gateway.admin().clone(),
            clients: Arc::clone(&clients),
            access: config.operators.clone(),
            pages: pages_of_operators,
            history: Arc::clone(&history),
            access_log: config.access_log,
            metrics: prometheus::handle(),
        };
        let _key_watch = clients.watch_keys();
        let (public_guard, operators_guard) =
            guards(&config.connections, &clients, Arc::clone(&gateway.admin().memory));
        let services = [
            (self.base, base, Arc::clone(&public_guard)),
            (self.claimables, claimables, public_guard),
            (self.operators, Service::Operators(operators), operators_guard),
        ];
        let (phase, drain) = watch::channel(ServingPhase::Serving);
        let drain = Drain(drain);
        let mut keeping = JoinSet::new();
        keeping.spawn(prometheus::keep_small(prometheus::handle()));
        keeping.spawn(history::record(history, prometheus::handle(), gateway.admin().clone()));
        if let Some(store) = &gateway.admin().shared_store {
            keeping.spawn(shared_reads::share(Arc::clone(store), Arc::clone(&clients)));
        }
        let mut listeners = JoinSet::new();
        for (listener, service, guard) in services {
            listeners.spawn(accept(listener, guard, Arc::new(service), drain.clone(), drain_time));
        }
        stop.await;
        gateway.admin().monitor.begin_stop();
        phase.send_replace(ServingPhase::Leaving);
        tracing::info!(unready_ms = config.connections.unready.as_millis(), "it is not ready any more, and stops");
        // Their clients connect again, elsewhere.
        watches.close();
        sleep(config.connections.unready).await;
        tracing::info!("draining");
        phase.send_replace(ServingPhase::Draining);
        // Each connection ends itself after the drain time; this bound is the last resort.
        let drained = async { while listeners.join_next().await.is_some() {} };
        if timeout(drain_time + DRAIN, drained).await.is_err() {
            tracing::warn!("connections cut while draining");
        }
    }
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
                    Err(full) => refused.note(full, &guard.client(accepted.client()), service.name()),
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

/// Logs and counts connections that found no slot, by the limit they met and, if it is a client's own, by client.
#[derive(Debug)]
struct RefusedLog {
    of_clients: Mutex<HashMap<ClientId, RareLog>>,
    of_all: RareLog,
}

impl Default for RefusedLog {
    fn default() -> Self {
        Self { of_clients: Mutex::default(), of_all: RareLog::every(REFUSED_LINES) }
    }
}

impl RefusedLog {
    fn note(&self, full: NoSlot, client: &ClientId, listener: &'static str) {
        counter!("portolan_connections_refused_total", "listener" => listener, "bound" => full.as_str()).increment(1);
        match full {
            NoSlot::Client => {
                let reason = "this address has per_client_max of them, all in use";
                self.note_client(client, |refused, seconds| {
                    tracing::warn!(listener, %client, refused, seconds, reason, "connections are refused");
                });
            }
            NoSlot::All => {
                let reason = "all slots are busy";
                self.of_all.warn(|refused, seconds| {
                    tracing::warn!(listener, refused, seconds, reason, "connections are refused");
                });
            }
        }
    }

    /// Counts a refusal of this client. Once as many clients have lines as may, a further one takes the place of those
    /// whose last line is old, or has no line.
    fn note_client(&self, client: &ClientId, log: impl FnOnce(u64, u64)) {
        let mut clients = self.of_clients.lock();
        if clients.len() >= REFUSED_CLIENTS_MAX && !clients.contains_key(client) {
            clients.retain(|_, line| !line.is_due());
        }
        if clients.len() < REFUSED_CLIENTS_MAX || clients.contains_key(client) {
            clients.entry(client.clone()).or_insert_with(|| RareLog::every(REFUSED_LINES)).warn(log);
        }
    }
}

/// Returns true if the client went away before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_that_is_refused_has_its_own_line_and_a_crowd_has_no_more_than_the_bound() {
        let client = |octet| ClientId::Address([192, 0, 2, octet].into());
        let (refused, mut lines) = (RefusedLog::default(), Vec::new());
        for octet in 0..200 {
            let client = client(octet);
            for _ in 0..3 {
                refused.note_client(&client, |count, _| lines.push((client.clone(), count)));
            }
        }
        assert_eq!(lines.len(), 64);
        assert!((0..64).zip(&lines).all(|(octet, line)| *line == (client(octet), 1)), "{lines:?}");
        assert_eq!(refused.of_clients.lock().len(), 64);
    }
}
