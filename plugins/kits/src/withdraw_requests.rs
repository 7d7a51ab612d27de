//! Queues that keep a list of requests for each account: Renzo's `WithdrawQueue`, Lista's stake manager, Stader's
//! `UserWithdrawalManager`, Kelp's `LRTWithdrawalManager` and Benqi's staked AVAX.
//!
//! Settings keys `request_queue`, `requested_token` and `queue_kind`. Answers claims for requests that the queue would pay
//! now, and the other requests as locked positions. Invariant: the claims of one answer can all be sent, in any order.
//! Where a claim moves the requests behind it, only one is answered, and the others stay locked until then. Amounts are
//! those of the queue; what it will pay of a request is told only once that is settled.
//!
//! Sources: each kind's module names its own.

mod benqi;
mod kelp;
mod lista;
mod renzo;
mod stader;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Claim, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Lock, Position,
    PositionKind, Question, SettingsError, SolCall as _, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};

/// Requests of an account that are read, the first ones of its list.
const REQUESTS_MAX: u64 = 64;
/// Cache time of the time to wait, in seconds; the protocol may change it.
const PERIOD_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WithdrawRequestsKit {
    /// Mechanism of positions, and `type` of claims.
    pub request: &'static str,
}

/// One queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RequestQueue {
    queue: Address,
    requested_token: Address,
    kind: QueueKind,
    types: WithdrawRequestsKit,
}

/// The contract that a queue is a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum QueueKind {
    Renzo,
    Lista,
    Stader,
    Kelp,
    Benqi,
}

/// The kinds by their names in settings.
const KINDS: [(&str, QueueKind); 5] = [
    ("renzo", QueueKind::Renzo),
    ("lista", QueueKind::Lista),
    ("stader", QueueKind::Stader),
    ("kelp", QueueKind::Kelp),
    ("benqi", QueueKind::Benqi),
];

/// A request of the account, or all of its requests that one claim pays.
#[derive(Clone, Debug)]
struct ListedRequest {
    /// Tells requests apart; absent for several at once.
    number: Option<U256>,
    token: Address,
    amount: U256,
    state: RequestState,
}

/// What can be done with a request.
#[derive(Clone, Debug)]
enum RequestState {
    /// This call pays it now.
    Payable(Claim),
    /// It waits until this time at least, in seconds since 1970, if that is known.
    Waiting(Option<U256>),
}

impl WithdrawRequestsKit {
    /// Keys of a row for a queue that lists an account's requests, as Renzo's:
    /// - `request_queue` (address): the queue
    /// - `requested_token` (address): the liquid token that is given back
    /// - `queue_kind` (text, optional): the contract that it is a copy of: `renzo`, `lista`, `stader`, `kelp` or `benqi`;
    ///   `renzo` if missing
    pub const KEYS: &'static [&'static str] = &["request_queue", "requested_token", "queue_kind"];
}

impl Kit for WithdrawRequestsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["request_queue"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(queue) = keys.address_opt("request_queue")? else { return Ok(None) };
        let name = keys.text("queue_kind")?.unwrap_or("renzo");
        let Some((_, kind)) = KINDS.into_iter().find(|(known, _)| *known == name) else {
            let known = KINDS.map(|(known, _)| format!("`{known}`")).join(", ");
            return Err(SettingsError::new(format!("`{name}` is unknown; it is one of {known}")).at("queue_kind"));
        };
        let requested_token = keys.address("requested_token")?;
        Ok(Some(RequestQueue { queue, requested_token, kind, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let [redeem, overdue] = benqi::claims();
        vec![renzo::claim(), lista::claim(), stader::claim(), kelp::claim(), redeem, overdue]
    }

    fn lineages(&self) -> Vec<Lineage> {
        kelp::assets_of_claims()
    }
}

impl DeploymentReader for RequestQueue {
    fn contracts(&self) -> Vec<Address> {
        vec![self.queue]
    }

    fn bound_claims(&self) -> Vec<(&'static str, Vec<Address>)> {
        match self.kind {
            QueueKind::Benqi => vec![(benqi::redeemCall::SIGNATURE, vec![self.queue])],
            _ => Vec::new(),
        }
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns the claims that the queue would pay.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let row = |request: ListedRequest| {
                let RequestState::Payable(claim) = request.state else { return None };
                let row = Claimable::new(labels.market, self.queue, claim).mechanism(self.types.request);
                let row = request.number.into_iter().fold(row.named(self.name()), Claimable::numbered);
                Some(row.pays(request.token, request.amount))
            };
            Ok(self.requests(cx, labels, account).await?.into_iter().filter_map(row).collect())
        })
    }

    /// Returns a position per request that is not paid yet. Its end is the earliest one, and absent once that is over.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let now = cx.block().timestamp;
            let row = |request: ListedRequest| {
                let RequestState::Waiting(end) = request.state else { return None };
                let row = Position::new(PositionKind::LOCKED, labels.market, self.queue).mechanism(self.types.request);
                let row = request.number.into_iter().fold(row.named(self.name()), Position::numbered);
                let row = row.leg(Leg::new(LegRole::LOCKED, request.token, request.amount));
                let unlocks_at = end.and_then(|end| u64::try_from(end).ok()).filter(|end| *end > now);
                Some(Position { lock: Some(Lock { unlocks_at, is_permanent: Some(false) }), ..row })
            };
            Ok(self.requests(cx, labels, account).await?.into_iter().filter_map(row).collect())
        })
    }
}

impl RequestQueue {
    /// Returns the account's requests.
    async fn requests(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<ListedRequest>, Error> {
        let mut found = match self.kind {
            QueueKind::Renzo => renzo::requests(cx, labels, self.queue, account).await?,
            QueueKind::Lista => lista::requests(cx, labels, self.queue, account).await?,
            QueueKind::Stader => stader::requests(cx, labels, *self, account).await?,
            QueueKind::Kelp => kelp::requests(cx, labels, *self, account).await?,
            QueueKind::Benqi => benqi::requests(cx, labels, *self, account).await?,
        };
        found.retain(|request| !request.amount.is_zero());
        Ok(found)
    }

    fn name(&self) -> String {
        format!("{} withdrawal", symbol(self.requested_token))
    }
}

/// Makes all requests but the last payable one wait: its claim moves the requests behind it.
fn keep_last(requests: &mut [ListedRequest]) {
    let payable = requests.iter_mut().rev().filter(|request| matches!(request.state, RequestState::Payable(_)));
    payable.skip(1).for_each(|request| request.state = RequestState::Waiting(None));
}
