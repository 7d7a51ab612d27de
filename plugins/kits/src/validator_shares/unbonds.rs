//! Withdrawals from delegations: a locked position until the manager has passed a number of epochs, then a claim.
//!
//! Invariant: a waiting withdrawal is a position and a ripe one is a claim, so no sum counts it twice. Epochs have no
//! length in seconds: they pass with checkpoints, whose times no view returns.

use portolan_plugin_api::{
    Address, Claim, Claimable, Error, JobContext, Leg, LegRole, Lock, Position, PositionKind, U256,
};

use super::{Delegation, StakeManager};
use crate::fixed_point::product;
use crate::kit::{Labels, ZERO_STANDS_S};
use crate::partial::{join_partial, with_both};

portolan_plugin_api::sol! {
    // The manager.
    function epoch() external view returns (uint256);
    function withdrawalDelay() external view returns (uint256);

    // Shares of a validator: exits numbered from 1, and the single exit per account of the older interface.
    function unbondNonces(address account) external view returns (uint256);
    function unbonds_new(address account, uint256 nonce) external view returns (uint256 shares, uint256 withdrawEpoch);
    function unbonds(address account) external view returns (uint256 shares, uint256 withdrawEpoch);
    function withdrawExchangeRate() external view returns (uint256);
    function unstakeClaimTokens_newPOL(uint256 unbondNonce) external;
    function unstakeClaimTokensPOL() external;
}

/// Newest exits of one account from one validator that are read.
const EXITS_MAX: u64 = 100;
/// Cache time of the delay, in seconds; governance may change it.
const DELAY_STANDS_S: u32 = 300;
/// Rate of the first validators, which is also their precision: their shares are worth their number.
const RATE_OF_FIRST: U256 = U256::from_limbs([100, 0, 0, 0]);
/// Precision of all other rates: 10^29.
const RATE_PRECISION: U256 = U256::from_limbs([0x6d72_17ca_a000_0000, 0x1_431e_0fae, 0, 0]);
/// Distinguishes rows of one contract: the validator's id times this, plus the exit's number.
const EXITS_OF_ONE: U256 = U256::from_limbs([1_000_000, 0, 0, 0]);

/// A withdrawal from a delegation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Exit {
    of: Delegation,
    /// `None` for the exit of the older interface.
    nonce: Option<U256>,
    amount: U256,
    is_ripe: bool,
}

/// Current epoch, and the number of epochs before an exit is ripe.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Epochs {
    now: U256,
    delay: U256,
}

/// Returns a claim per ripe exit.
pub(super) async fn claimables(
    cx: &JobContext,
    manager: &StakeManager,
    labels: Labels<'_>,
    all: &[Delegation],
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let ripe = exits(cx, manager, labels, all, account).await?.into_iter().filter(|exit| exit.is_ripe);
    let rows = ripe.map(async |exit| {
        manager.check(cx, exit.of).await?;
        let row = Claimable::new(labels.market, exit.of.shares, exit.claim(cx)).mechanism(manager.types.delegation);
        let row = row.named(exit.name()).numbered(exit.number());
        Ok(row.pays(manager.staked_token, exit.amount))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns a position per waiting exit.
pub(super) async fn positions(
    cx: &JobContext,
    manager: &StakeManager,
    labels: Labels<'_>,
    all: &[Delegation],
    account: Address,
) -> Result<Vec<Position>, Error> {
    let waiting = exits(cx, manager, labels, all, account).await?.into_iter().filter(|exit| !exit.is_ripe);
    let row = |exit: Exit| {
        let row =
            Position::new(PositionKind::LOCKED, labels.market, exit.of.shares).mechanism(manager.types.delegation);
        let row = row.named(exit.name()).numbered(exit.number());
        let row = row.leg(Leg::new(LegRole::LOCKED, manager.staked_token, exit.amount));
        Position { lock: Some(Lock { unlocks_at: None, is_permanent: Some(false) }), ..row }
    };
    Ok(waiting.map(row).collect())
}

/// Returns all exits of the account.
async fn exits(
    cx: &JobContext,
    manager: &StakeManager,
    labels: Labels<'_>,
    all: &[Delegation],
    account: Address,
) -> Result<Vec<Exit>, Error> {
    let counts = cx.try_call_each(all.iter().map(|of| (of.shares, unbondNoncesCall { account })));
    // The newest contracts lack the single exit.
    let first = cx.try_call_each(all.iter().map(|of| (of.shares, unbondsCall { account })));
    let read = with_both(all.to_vec(), counts.zero_within(ZERO_STANDS_S), first.zero_within(ZERO_STANDS_S)).await;
    let read = read.fail_if_none(cx, labels.market)?.into_iter();
    let left = read.map(|(of, count, first)| (of, count.unwrap_or_default(), first.ok()));
    let left =
        left.filter(|(_, count, first)| !count.is_zero() || first.as_ref().is_some_and(|exit| !exit.shares.is_zero()));
    let left: Vec<_> = left.collect();
    if left.is_empty() {
        return Ok(Vec::new());
    }
    let now = cx.call(manager.manager, epochCall {});
    let delay = cx.call(manager.manager, withdrawalDelayCall {}).within(DELAY_STANDS_S);
    let exits = left.into_iter().map(|(of, count, first)| of_one(cx, labels, of, count, first, account));
    let exits = async { Ok(join_partial(cx, exits).await.or_report(cx, labels.market)) };
    let (now, delay, exits) = cx.join((now, delay, exits)).await?;
    let epochs = Epochs { now, delay };
    let exits = exits.into_iter().flatten().map(|unripe| unripe.at(epochs));
    exits.filter(|exit| !matches!(exit, Ok(exit) if exit.amount.is_zero())).collect()
}

/// An exit as stored in its contract.
struct Unbond {
    of: Delegation,
    nonce: Option<U256>,
    shares: U256,
    since_epoch: U256,
    rate: U256,
}

/// Returns the exits from one validator.
async fn of_one(
    cx: &JobContext,
    labels: Labels<'_>,
    of: Delegation,
    count: U256,
    first: Option<unbondsReturn>,
    account: Address,
) -> Result<Vec<Unbond>, Error> {
    let count: u64 = count.saturating_to();
    let oldest = count.saturating_sub(EXITS_MAX);
    if oldest > 0 {
        cx.report_not_covered(format!(
            "{}: of {count} exits from validator {} the newest {EXITS_MAX} are read",
            labels.market, of.validator
        ));
    }
    let nonces: Vec<U256> = (oldest..count).map(|nonce| U256::from(nonce.saturating_add(1))).collect();
    let exits = nonces.iter().map(|nonce| cx.call(of.shares, unbonds_newCall { account, nonce: *nonce }));
    let (rate, exits) = cx.join((cx.call(of.shares, withdrawExchangeRateCall {}), cx.join(exits))).await?;
    let numbered = nonces.into_iter().zip(exits).map(|(nonce, exit)| (Some(nonce), exit.shares, exit.withdrawEpoch));
    let first = first.map(|exit| (None, exit.shares, exit.withdrawEpoch));
    let exits = first.into_iter().chain(numbered).filter(|(_, shares, _)| !shares.is_zero());
    Ok(exits.map(|(nonce, shares, since_epoch)| Unbond { of, nonce, shares, since_epoch, rate }).collect())
}

impl Unbond {
    /// Computes the exit's amount, and if it is ripe.
    fn at(self, epochs: Epochs) -> Result<Exit, Error> {
        let Self { of, nonce, shares, since_epoch, rate } = self;
        let is_first = rate == RATE_OF_FIRST;
        let amount = if is_first { shares } else { product(shares, rate)? / RATE_PRECISION };
        Ok(Exit { of, nonce, amount, is_ripe: since_epoch.saturating_add(epochs.delay) <= epochs.now })
    }
}

impl Exit {
    fn claim(self, cx: &JobContext) -> Claim {
        match self.nonce {
            Some(nonce) => cx.claim(self.of.shares, &unstakeClaimTokens_newPOLCall { unbondNonce: nonce }),
            None => cx.claim(self.of.shares, &unstakeClaimTokensPOLCall {}),
        }
    }

    fn name(self) -> String {
        format!("Validator {} withdrawal", self.of.validator)
    }

    fn number(self) -> U256 {
        self.of.validator.saturating_mul(EXITS_OF_ONE).saturating_add(self.nonce.unwrap_or_default())
    }
}
