//! The three listeners: bound before anything else starts, served until a signal, drained within a bound.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::connection::{self, Drain, Service};
use super::operators::Operators;
use super::respond::{BACKSTOP, Front};
use super::route::Listener;
use crate::config::Config;
use crate::gateway::Gateway;

/// The connections of each listener, so that clients never keep operators out; past it new connections wait in the system's queue.
const CONNECTIONS_MAX: usize = 1024;

/// Pause after an error of accepting that is not the connection's own (no file descriptors left): trying again at
/// once would only spin.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The end of an answer's drain, on top of what the answer itself may take: writing it to a slow client.
const DRAIN: Duration = Duration::from_secs(2);

/// An address that cannot be listened at.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen at {address} ({key}): {source}")]
pub(crate) struct BindError {
    key: &'static str,
    address: SocketAddr,
    source: io::Error,
}

/// The three bound listeners.
#[derive(Debug)]
pub(crate) struct Listeners {
    base: TcpListener,
    claimables: TcpListener,
    operators: TcpListener,
}

impl Listeners {
    /// Binds all three addresses, or none stays bound.
    pub(crate) async fn bind(config: &Config) -> Result<Self, BindError> {
        Ok(Self {
            base: bind("listen", config.listen).await?,
            claimables: bind("claimables_listen", config.claimables_listen).await?,
            operators: bind("operators_listen", config.operators_listen).await?,
        })
    }

    /// The line that names the real ports.
    pub(crate) fn line(&self) -> io::Result<String> {
        let (base, claimables, operators) =
            (self.base.local_addr()?, self.claimables.local_addr()?, self.operators.local_addr()?);
        Ok(format!("listening base=http://{base} claimables=http://{claimables} operators=http://{operators}"))
    }

    /// Serves until `stop` ends, then stops accepting and lets the answers under way end.
    pub(crate) async fn serve(self, config: &Config, gateway: Arc<Gateway>, stop: impl Future<Output = ()>) {
        let deadline = Duration::from_millis(config.deadline_ms);
        let drain_time = deadline + BACKSTOP + DRAIN;
        let front = |listener| Service::Front(Front { listener, gateway: gateway.clone(), deadline });
        let operators = Operators { gateway: gateway.clone(), deadline };
        let services = [
            (self.base, front(Listener::Base)),
            (self.claimables, front(Listener::Claimables)),
            (self.operators, Service::Operators(operators)),
        ];
        let (draining, drain) = watch::channel(false);
        let drain = Drain(drain);
        let mut listeners = JoinSet::new();
        for (listener, service) in services {
            listeners.spawn(accept(listener, Arc::new(service), drain.clone(), drain_time));
        }
        stop.await;
        tracing::info!("draining");
        draining.send_replace(true);
        // Each connection cuts itself after the drain time; this bound is the one of last resort.
        let drained = async { while listeners.join_next().await.is_some() {} };
        if timeout(drain_time + DRAIN, drained).await.is_err() {
            tracing::warn!("connections cut while draining");
        }
    }
}

async fn bind(key: &'static str, address: SocketAddr) -> Result<TcpListener, BindError> {
    TcpListener::bind(address).await.map_err(|source| BindError { key, address, source })
}

/// Accepts until the drain begins, then waits for its connections.
async fn accept(listener: TcpListener, service: Arc<Service>, mut drain: Drain, drain_time: Duration) {
    let slots = Arc::new(Semaphore::new(CONNECTIONS_MAX));
    let mut connections = JoinSet::new();
    let watched = drain.clone();
    loop {
        tokio::select! {
            () = drain.begun() => break,
            Some(_) = connections.join_next() => {}
            accepted = next(&listener, &slots) => match accepted {
                Ok((stream, slot)) => {
                    let served = connection::serve(stream, service.clone(), watched.clone(), drain_time);
                    connections.spawn(async move {
                        served.await;
                        drop(slot);
                    });
                }
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

/// The client went away before it was accepted.
fn is_of_one_connection(error: &io::Error) -> bool {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset, Interrupted};
    matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset | Interrupted)
}

/// A connection and the slot that it takes.
async fn next(listener: &TcpListener, slots: &Arc<Semaphore>) -> io::Result<(TcpStream, OwnedSemaphorePermit)> {
    let slot = slots.clone().acquire_owned().await.map_err(io::Error::other)?;
    let (stream, _) = listener.accept().await?;
    Ok((stream, slot))
}
