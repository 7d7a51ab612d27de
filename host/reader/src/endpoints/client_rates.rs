//! Request rates of clients: requests a second to the nodes of a network for one client.
//!
//! Invariant: clients that compete for all that the endpoint takes get equal shares and leave one share free. A
//! client that is alone gets the whole rate.

use std::collections::HashMap;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::time::{Instant, sleep_until};

use crate::client_id::ClientId;
use crate::endpoints::limit;

/// A client counts as active for this long after its last request.
const ACTIVE_FOR: Duration = Duration::from_secs(5);

/// The clients with recent requests.
#[derive(Debug, Default)]
pub(crate) struct ClientRates(Mutex<HashMap<ClientId, ClientRate>>);

#[derive(Debug)]
struct ClientRate {
    /// Instant at which a full second's worth of requests is available again.
    full_at: Instant,
    used_at: Instant,
}

impl ClientRates {
    /// Waits until a client may cause this many requests to an endpoint that takes `per_second`, if it has a limit.
    /// Returns false if that is not before `until`. Requests without a client never wait.
    pub(crate) async fn wait(
        &self,
        client: Option<&ClientId>,
        requests: u32,
        per_second: Option<u32>,
        until: Instant,
    ) -> bool {
        let (Some(client), Some(per_second)) = (client, per_second) else { return true };
        let now = Instant::now();
        let Some(turn) = self.reserve(client, requests, per_second, now, until) else { return false };
        if turn > now {
            sleep_until(turn).await;
        }
        true
    }

    fn reserve(
        &self,
        client: &ClientId,
        requests: u32,
        per_second: u32,
        now: Instant,
        until: Instant,
    ) -> Option<Instant> {
        let mut clients = self.0.lock();
        clients.retain(|_, rate| rate.used_at + ACTIVE_FOR > now);
        clients.entry(client.clone()).or_insert(ClientRate { full_at: now, used_at: now }).used_at = now;
        let others = clients.iter().filter(|(other, rate)| *other != client && rate.full_at > now).count();
        let parts = u32::try_from(others).unwrap_or(u32::MAX).saturating_add(2);
        let (is_alone, rate) = (clients.len() == 1, clients.get_mut(client)?);
        let turn = limit::reserve(&mut rate.full_at, (per_second / parts).max(1), requests, now, until);
        if is_alone {
            // A client that is alone incurs at most one second of debt.
            rate.full_at = rate.full_at.min(now + limit::SECOND);
            return Some(now);
        }
        turn
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use tokio::time::advance;

    use super::*;

    const STRANGER: ClientId = ClientId::Address(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 1)));
    const OTHER: ClientId = ClientId::Address(IpAddr::V4(Ipv4Addr::new(10, 0, 0, 2)));

    /// Returns the number of requests that a client gets in these seconds, one after the other.
    async fn made(rates: &ClientRates, client: &ClientId, seconds: u32) -> u32 {
        let until = Instant::now() + limit::SECOND * seconds;
        let mut made = 0;
        while made < 10_000 && rates.wait(Some(client), 1, Some(100), until).await {
            made += 1;
        }
        made
    }

    #[tokio::test(start_paused = true)]
    async fn beside_others_a_client_has_half_of_the_rate() {
        let rates = ClientRates::default();
        assert!(rates.wait(Some(&OTHER), 1, Some(100), Instant::now()).await);
        advance(limit::SECOND).await;
        // Fifty at once, then fifty in each second, the last of them at the very end.
        assert_eq!(made(&rates, &STRANGER, 2).await, 50 + 100);
        let now = Instant::now();
        assert!(rates.wait(Some(&OTHER), 50, Some(100), now).await, "the other's part is whole");
    }

    #[tokio::test(start_paused = true)]
    async fn many_that_want_all_leave_a_part() {
        let (rates, now) = (ClientRates::default(), Instant::now());
        let clients: Vec<ClientId> = (1..=9).map(|number| ClientId::Key(format!("key-{number}").into())).collect();
        let mut made = 0;
        // All requests that are granted within a second, in turns.
        let until = now + limit::SECOND;
        for client in clients.iter().cycle().take(9 * 400) {
            made += u32::from(rates.reserve(client, 1, 100, now, until).is_some());
        }
        // A burst, and a tenth of the rate for each of nine.
        assert!((9 * 10..=9 * 20 + 50).contains(&made), "{made}");
        assert!(rates.reserve(&OTHER, 10, 100, now, now).is_some(), "the part of another");
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_alone_has_the_whole_rate_and_owes_nothing_for_it() {
        let rates = ClientRates::default();
        let now = Instant::now();
        for _ in 0..1_000 {
            assert!(rates.wait(Some(&STRANGER), 2, Some(100), now).await);
        }
        assert!(rates.wait(Some(&OTHER), 1, Some(100), now).await);
        assert!(!rates.wait(Some(&STRANGER), 1, Some(100), now).await, "now there is another");
        advance(limit::SECOND).await;
        assert!(rates.wait(Some(&STRANGER), 50, Some(100), Instant::now()).await);
        advance(ACTIVE_FOR).await;
        assert_eq!(made(&rates, &STRANGER, 0).await, 10_000, "the other is gone");
        assert_eq!(rates.0.lock().len(), 1);
    }

    #[tokio::test(start_paused = true)]
    async fn what_is_made_for_nobody_or_without_a_limit_never_waits() {
        let (rates, now) = (ClientRates::default(), Instant::now());
        assert!(rates.wait(Some(&OTHER), 1, Some(1), now).await);
        for _ in 0..10 {
            assert!(rates.wait(None, 1, Some(1), now).await && rates.wait(Some(&STRANGER), 1, None, now).await);
        }
        assert_eq!(rates.0.lock().len(), 1);
    }
}
