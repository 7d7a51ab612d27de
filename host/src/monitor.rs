//! Monitors endpoints, networks and plugins, logs changes, and prepares the answer of `/readyz`.
//!
//! Invariant: each change of an endpoint, a network or the plugins folder is one log line, with its reason and
//! duration. `/readyz` is answered from known state, without a request to any node.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use arc_swap::ArcSwap;
use portolan_base::network::Networks;
use portolan_plugins::Registry;
use portolan_reader::{ChainReader, EndpointStatus, NetworkStatus, Reader};
use tokio::task::{AbortHandle, JoinHandle};

use crate::head_age::HeadAgeMax;

/// Interval of checks.
const EVERY: Duration = Duration::from_millis(250);
/// Time for an endpoint to answer a probe.
const SIGN_WAIT: Duration = Duration::from_secs(2);
/// Time for which the last sign of life counts.
const SIGN_FOR: Duration = Duration::from_secs(10);
/// Minimum time between probes of the endpoints: while one is alive, and while none is known to be.
const ASK_AGAIN: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(1));

/// The content of `/readyz`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Reasons why it is not ready; empty if it is.
    pub(crate) reasons: Vec<String>,
    /// Everything that is served less or otherwise than it should.
    pub(crate) degraded: Vec<String>,
}

/// The monitor's task; ends on drop.
#[derive(Debug)]
pub(crate) struct Monitor {
    readiness: Arc<ArcSwap<Readiness>>,
    is_stopping: AtomicBool,
    task: AbortHandle,
}

impl Drop for Monitor {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Monitor {
    pub(crate) fn start(watched: Watched) -> Self {
        let first = Readiness { reasons: vec!["it has just started".to_owned()], degraded: Vec::new() };
        let readiness = Arc::new(ArcSwap::from_pointee(first));
        let watch = MonitorTask { watched, troubles: Troubles::default(), asking: None, asked_at: None, sign_at: None };
        let task = tokio::spawn(watch.run(Arc::clone(&readiness))).abort_handle();
        Self { readiness, is_stopping: AtomicBool::new(false), task }
    }

    /// Returns the current readiness.
    pub(crate) fn readiness(&self) -> Arc<Readiness> {
        let known = self.readiness.load_full();
        if !self.is_stopping.load(Ordering::Relaxed) {
            return known;
        }
        let reasons = ["it stops".to_owned()].into_iter().chain(known.reasons.iter().cloned()).collect();
        Arc::new(Readiness { reasons, degraded: known.degraded.clone() })
    }

    /// Reports unready from now on, because the gateway stops.
    pub(crate) fn begin_stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }
}

/// Sources of the monitor's state.
pub(crate) struct Watched {
    pub(crate) registry: Arc<Registry>,
    pub(crate) reader: Arc<ChainReader>,
    pub(crate) networks: Networks,
    pub(crate) head_age_max: HeadAgeMax,
}

struct MonitorTask {
    watched: Watched,
    troubles: Troubles,
    /// A probe of the endpoints under way.
    asking: Option<JoinHandle<bool>>,
    asked_at: Option<Instant>,
    /// Time of the last successful probe.
    sign_at: Option<Instant>,
}

impl MonitorTask {
    async fn run(mut self, readiness: Arc<ArcSwap<Readiness>>) {
        let mut ticks = tokio::time::interval(EVERY);
        ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
        loop {
            ticks.tick().await;
            let (now, status) = (Instant::now(), self.watched.reader.status());
            self.probe_endpoints(now).await;
            let plugins = self.watched.registry.troubles();
            let folder = self.watched.registry.folder_trouble();
            let seen = self.troubles.update(&status, &self.watched, now);
            readiness.store(Arc::new(self.readiness(
                plugins,
                folder.as_ref().map(|folder| folder.as_str()),
                seen,
                now,
            )));
        }
    }

    async fn probe_endpoints(&mut self, now: Instant) {
        if let Some(asked) = self.asking.take_if(|asking| asking.is_finished())
            && asked.await.unwrap_or(false)
        {
            self.sign_at = Some(now);
        }
        let again_after = if self.is_alive(now) { ASK_AGAIN.0 } else { ASK_AGAIN.1 };
        if self.asking.is_none() && self.asked_at.is_none_or(|at| now.duration_since(at) >= again_after) {
            self.asked_at = Some(now);
            let reader = Arc::clone(&self.watched.reader);
            let until = tokio::time::Instant::now() + SIGN_WAIT;
            self.asking = Some(tokio::spawn(async move { reader.is_usable(until).await }));
        }
    }

    fn is_alive(&self, now: Instant) -> bool {
        self.sign_at.is_some_and(|at| now.duration_since(at) <= SIGN_FOR)
    }

    fn readiness(&self, mut degraded: Vec<String>, folder: Option<&str>, lost: Vec<String>, now: Instant) -> Readiness {
        let mut reasons = Vec::new();
        if !self.watched.registry.first_scan_done() {
            let why = folder.map_or_else(String::new, |trouble| format!(": {trouble}"));
            reasons.push(format!("the first scan of the plugins folder is not over{why}"));
        }
        if !self.is_alive(now) {
            reasons.push("no endpoint of any network answers".to_owned());
        }
        degraded.extend(folder.map(|trouble| format!("the plugins folder: {trouble}")));
        degraded.extend(lost);
        Readiness { reasons, degraded }
    }
}

/// Current troubles of endpoints and networks, and since when.
#[derive(Debug, Default)]
struct Troubles {
    /// By chain id and host.
    endpoints: BTreeMap<(u64, String), Trouble>,
    /// By chain id.
    networks: BTreeMap<u64, Trouble>,
    /// Networks whose newest block is too old, by chain id.
    stale: BTreeMap<u64, Trouble>,
}

#[derive(Debug)]
struct Trouble {
    since: Instant,
    errors_before: u64,
}

impl Troubles {
    /// Logs changes; returns the networks without an endpoint that answers or with too old a newest block.
    fn update(&mut self, status: &[NetworkStatus], watched: &Watched, now: Instant) -> Vec<String> {
        let mut lost = self.update_endpoints(status, &watched.networks, now);
        for of_network in status {
            let chain_id = of_network.chain_id;
            let network = name(&watched.networks, chain_id);
            let age = of_network.pinned.as_ref().and_then(|newest| watched.head_age_max.too_old(chain_id, newest));
            match (age, self.stale.contains_key(&chain_id)) {
                (Some(age), false) => {
                    self.stale.insert(chain_id, Trouble { since: now, errors_before: 0 });
                    let age_s = age.as_secs();
                    tracing::error!(network, age_s, "the newest block of a network is too old, answers are without it");
                }
                (None, true) => {
                    self.stale.remove(&chain_id);
                    tracing::warn!(network, "the newest block of a network is new again");
                }
                _ => {}
            }
            lost.extend(age.map(|age| format!("network {network}: its newest block is {} s old", age.as_secs())));
        }
        lost
    }

    fn update_endpoints(&mut self, status: &[NetworkStatus], networks: &Networks, now: Instant) -> Vec<String> {
        let mut lost = Vec::new();
        for of_network in status.iter().filter(|of_network| !of_network.endpoints.is_empty()) {
            let chain_id = of_network.chain_id;
            let network = name(networks, chain_id);
            for endpoint in &of_network.endpoints {
                self.update_endpoint(chain_id, &network, endpoint, now);
            }
            let is_lost = of_network.endpoints.iter().all(is_bad);
            let reason = of_network.endpoints.iter().filter_map(reason).next().unwrap_or_default();
            match (is_lost, self.networks.contains_key(&chain_id)) {
                (true, false) => {
                    self.networks.insert(chain_id, Trouble { since: now, errors_before: 0 });
                    tracing::error!(network, reason, "no endpoint of a network answers, answers are without it");
                }
                (false, true) => {
                    let since = self.networks.remove(&chain_id).map_or(now, |trouble| trouble.since);
                    let lost_s = now.duration_since(since).as_secs();
                    tracing::warn!(network, lost_s, "a network is back");
                }
                _ => {}
            }
            if is_lost {
                lost.push(format!("network {network}: no endpoint answers ({reason})"));
            }
        }
        lost
    }

    fn update_endpoint(&mut self, chain_id: u64, network: &str, endpoint: &EndpointStatus, now: Instant) {
        let key = (chain_id, endpoint.host.clone());
        let failed = endpoint.errors + endpoint.throttled;
        match (is_bad(endpoint), self.endpoints.contains_key(&key)) {
            (true, false) => {
                self.endpoints.insert(key, Trouble { since: now, errors_before: failed });
                let (host, reason) = (&endpoint.host, reason(endpoint).unwrap_or_default());
                tracing::warn!(network, endpoint = host, reason, failed, "an endpoint is not used any more");
            }
            (false, true) => {
                let Some(trouble) = self.endpoints.remove(&key) else { return };
                let (host, failed) = (&endpoint.host, failed.saturating_sub(trouble.errors_before));
                let unused_s = now.duration_since(trouble.since).as_secs();
                tracing::warn!(network, endpoint = host, unused_s, failed, "an endpoint is used again");
            }
            _ => {}
        }
    }
}

fn name(networks: &Networks, chain_id: u64) -> String {
    networks.with_chain_id(chain_id).map_or_else(|| chain_id.to_string(), |network| network.slug.clone())
}

fn is_bad(endpoint: &EndpointStatus) -> bool {
    !endpoint.state.is_used()
}

fn reason(endpoint: &EndpointStatus) -> Option<String> {
    endpoint.last_failure.as_ref().map(|failure| failure.reason.clone())
}

#[cfg(test)]
mod tests {
    use std::time::SystemTime;

    use portolan_reader::{EndpointFailure, EndpointState};

    use super::*;

    fn endpoint(state: EndpointState) -> EndpointStatus {
        let failure = EndpointFailure { reason: "HTTP status 401".into(), at: SystemTime::UNIX_EPOCH, in_a_row: 3 };
        EndpointStatus {
            host: "node.example".into(),
            state,
            batch_method: None,
            score: 1.0,
            lag_s: None,
            latency_ms: None,
            requests: 9,
            errors: 3,
            throttled: 0,
            in_flight: 0,
            last_failure: Some(failure),
        }
    }

    fn network(states: &[EndpointState]) -> [NetworkStatus; 1] {
        let endpoints = states.iter().map(|state| endpoint(*state)).collect();
        [NetworkStatus { chain_id: 137, endpoints, ..NetworkStatus::default() }]
    }

    #[test]
    fn a_network_is_lost_while_none_of_its_endpoints_answers() {
        use EndpointState::{Excluded, Primary, WrongChain};
        let (mut troubles, networks, now) = (Troubles::default(), Networks::new([]), Instant::now());
        let mut update = |states: &[EndpointState]| troubles.update_endpoints(&network(states), &networks, now);
        assert_eq!(update(&[Primary, Excluded]), [""; 0]);
        assert_eq!(update(&[WrongChain, Excluded]), ["network polygon: no endpoint answers (HTTP status 401)"]);
        assert_eq!(update(&[Primary, Excluded]), [""; 0]);
        assert_eq!(update(&[]), [""; 0], "a network without endpoints is not configured");
    }
}
