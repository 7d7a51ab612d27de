//! Curve's voting escrow and its forks: one lock per account, and distributors of fees to lockers.
//!
//! A deployment is one escrow; settings keys `vote_escrow` and `fee_distributors`. Optional keys: `fee_tokens` if the
//! distributors pay several tokens (Balancer); `points` for a renamed view of the number of lock changes (Yearn's
//! `epoch`); `unlockable` if the owner can release all locks (Stargate). Answers claimables and locked positions.
//! Invariant: fees are what the distributor's own claim returns, which only covers the weeks that one claim pays.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question,
    Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    // VotingEscrow.vy
    function token() external view returns (address);
    function locked(address account) external view returns (int128 amount, uint256 end);
    // Forks may rename it.
    function user_point_epoch(address account) external view returns (uint256);
    // Stargate's: true if all locks were released.
    function unlocked() external view returns (bool);

    // FeeDistributor.vy: pays one token, its `token()`. The owed amount is what a claim returns.
    function claim(address account) external returns (uint256);
    // Number of the account's changes that its claims have processed, and the week from which it continues.
    function user_epoch_of(address account) external view returns (uint256);
    function time_cursor_of(address account) external view returns (uint256);
    function last_token_time() external view returns (uint256);

    // Balancer's FeeDistributor.sol: pays the tokens in the call.
    function claimTokens(address account, address[] tokens) external returns (uint256[]);
}

/// Weeks and lock changes that one claim processes: the rounds of its loop.
const ROUNDS_OF_ONE_CLAIM: U256 = U256::from_limbs([50, 0, 0, 0]);
const WEEK_S: U256 = U256::from_limbs([7 * 86_400, 0, 0, 0]);

/// Name of the view of points in Curve's escrow.
const POINTS: &str = "user_point_epoch";

/// Cache time of unreleased locks, in seconds.
const UNLOCKED_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct VoteEscrowKit {
    /// Mechanism of locks.
    pub lock: &'static str,
    /// `type` of fees.
    pub fee: &'static str,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct VoteEscrow {
    escrow: Address,
    distributors: Vec<Address>,
    /// Tokens that each distributor pays; empty if it pays the one that it names.
    fee_tokens: Vec<Address>,
    /// View of the number of an account's points.
    points: String,
    /// True if the escrow has a view that says that all locks were released.
    is_unlockable: bool,
    types: VoteEscrowKit,
}

impl VoteEscrowKit {
    /// Keys of a row for a voting escrow of Curve or of a fork:
    /// - `vote_escrow` (address): the escrow
    /// - `fee_distributors` (array of addresses, optional): the contracts that pay fees for locks
    /// - `fee_tokens` (array of addresses, optional): the tokens that a distributor pays, if it pays several
    /// - `points` (name of a view, optional): the view of how often an account has changed its lock; `user_point_epoch`
    ///   if missing
    /// - `unlockable` (boolean, optional): true if the owner can release all locks
    pub const KEYS: &'static [&'static str] =
        &["vote_escrow", "fee_distributors", "fee_tokens", "points", "unlockable"];
}

impl Kit for VoteEscrowKit {
    fn keys(&self) -> &'static [&'static str] {
        &["vote_escrow"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(escrow) = keys.address_opt("vote_escrow")? else { return Ok(None) };
        let distributors = keys.addresses("fee_distributors")?;
        let fee_tokens = keys.addresses("fee_tokens")?;
        let points = keys.function("points")?.unwrap_or(POINTS).to_owned();
        let is_unlockable = keys.flag("unlockable")?;
        Ok(Some(VoteEscrow { escrow, distributors, fee_tokens, points, is_unlockable, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<claimCall>([Role::ACCOUNT]).by_anyone(),
            ClaimTemplate::new::<claimTokensCall>([Role::ACCOUNT, Role::array(Role::TOKEN)]),
        ]
    }
}

impl DeploymentReader for VoteEscrow {
    fn contracts(&self) -> Vec<Address> {
        [&[self.escrow][..], &self.distributors, &self.fee_tokens].concat()
    }

    fn questions(&self) -> Vec<Question> {
        let claimables = (!self.distributors.is_empty()).then_some(Question::CLAIMABLES);
        claimables.into_iter().chain([Question::LOCKED]).collect()
    }

    /// Returns a claim per distributor with fees.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            // Accounts that never locked are owed nothing; that is most of them.
            let changes = self.changes(cx, account).await?;
            if changes.is_zero() {
                return Ok(Vec::new());
            }
            let each = self.distributors.iter().map(|distributor| async move {
                let later = self.report_later_claims(cx, labels, *distributor, changes, account);
                let (fees, ()) = cx.join((self.fees(cx, labels, *distributor, account), later)).await?;
                Ok(fees)
            });
            let found = join_partial(cx, each).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// Returns the account's lock.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if self.changes(cx, account).await?.is_zero() {
                return Ok(Vec::new());
            }
            let token = cx.call(self.escrow, tokenCall {}).immutable();
            let lock = cx.call(self.escrow, lockedCall { account });
            let (token, lock, is_unlocked) = cx.join((token, lock, self.is_unlocked(cx))).await?;
            let amount = U256::try_from(lock.amount).map_err(|_| Error::new("a lock has less than nothing"))?;
            if amount.is_zero() {
                return Ok(Vec::new());
            }
            let end = if is_unlocked { Some(cx.block().timestamp) } else { u64::try_from(lock.end).ok() };
            let until = Lock { unlocks_at: end, is_permanent: Some(false) };
            let position = Position::new(PositionKind::LOCKED, labels.market, self.escrow).mechanism(self.types.lock);
            let position = position.named(format!("{} lock", symbol(token)));
            let position = position.leg(Leg::new(LegRole::LOCKED, token, amount));
            Ok(vec![Position { lock: Some(until), ..position }])
        })
    }
}

impl VoteEscrow {
    /// Returns the number of changes of the account's lock.
    async fn changes(&self, cx: &JobContext, account: Address) -> Result<U256, Error> {
        let points = cx.call_as(self.escrow, &self.points, &user_point_epochCall { account });
        points.zero_within(ZERO_STANDS_S).await
    }

    /// Reports distributors that owe more than one claim pays.
    async fn report_later_claims(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        distributor: Address,
        changes: U256,
        account: Address,
    ) -> Result<(), Error> {
        let counted = cx.try_call(distributor, user_epoch_ofCall { account });
        let from = cx.try_call(distributor, time_cursor_ofCall { account });
        let (counted, from, until) = cx.join((counted, from, cx.try_call(distributor, last_token_timeCall {}))).await?;
        let unclaimed = |from: U256| until.map_or(U256::ZERO, |until| until.saturating_sub(from) / WEEK_S);
        // An account that never claimed has no week: its changes suffice.
        let weeks = from.ok().filter(|from| !from.is_zero()).map_or(U256::ZERO, unclaimed);
        let changes = counted.map_or(U256::ZERO, |counted| changes.saturating_sub(counted));
        if weeks.max(changes) > ROUNDS_OF_ONE_CLAIM {
            cx.report_not_covered(format!(
                "{}: {distributor} owes for more than the {ROUNDS_OF_ONE_CLAIM} weeks or changes that one claim counts",
                labels.market
            ));
        }
        Ok(())
    }

    async fn is_unlocked(&self, cx: &JobContext) -> Result<bool, Error> {
        if !self.is_unlockable {
            return Ok(false);
        }
        cx.call(self.escrow, unlockedCall {}).within(UNLOCKED_STANDS_S).await
    }

    /// Returns the claim of a distributor's fees; `None` if it owes nothing.
    async fn fees(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        distributor: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let (claim, owed) = if self.fee_tokens.is_empty() {
            let call = claimCall { account };
            let token = cx.call(distributor, tokenCall {}).immutable();
            let (token, owed) = cx.join((token, cx.call(distributor, claimCall { account }).isolated())).await?;
            (cx.claim(distributor, &call), vec![(token, owed)])
        } else {
            let call = claimTokensCall { account, tokens: self.fee_tokens.to_vec() };
            let owed = cx.call(distributor, call.clone()).isolated().await?;
            if owed.len() != self.fee_tokens.len() {
                return Err(Error::new(format!("{distributor}: pays another number of tokens than were named")));
            }
            (cx.claim(distributor, &call), self.fee_tokens.iter().copied().zip(owed).collect())
        };
        let owed: Vec<_> = owed.into_iter().filter(|(_, amount)| !amount.is_zero()).collect();
        let row = Claimable::new(labels.market, distributor, claim).mechanism(self.types.fee);
        let row = row.named(format!("{} fees", labels.title));
        let pays = |row: Claimable, (token, amount)| row.pays(token, amount);
        Ok((!owed.is_empty()).then(|| owed.into_iter().fold(row, pays)))
    }
}
