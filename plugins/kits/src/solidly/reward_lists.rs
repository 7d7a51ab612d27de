//! Gauges that pay a list of tokens: those of Velodrome v1, Ramses and Equalizer.
//!
//! Invariant: a claim names only tokens that the gauge lists at the answer's block, each once.

use futures_util::future::join;
use portolan_plugin_api::{Address, Chain, Claimable, Error, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::Solidly;
use super::contracts::listed::{
    claimRewardsCall, derivedBalancesCall, derivedSupplyCall, earnedCall, getRewardCall, leftCall, periodFinishCall,
    rewardTokensCall, rewardsCall, rewardsListLengthCall,
};
use super::contracts::{gaugesCall, totalSupplyCall};
use super::gauges::{Gauge, is_gauge_no_more, staked, stakes};
use super::generation::Generation;
use crate::kit::Labels;
use crate::nonzero::nonzero;
use crate::try_each::try_each;

/// Seconds that a gauge's list of tokens may be cached: it grows by a token now and then.
const LIST_STANDS_S: u32 = 300;
/// Tokens of one list that are read. Gauges take 16; who pays bribes may add any that is whitelisted.
const TOKENS_MAX: usize = 32;

/// A token of a list, at its place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    place: usize,
    pub(super) token: Address,
}

/// What the account has earned, a claim for each gauge.
pub(super) async fn claimables(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let owed = gauges.into_iter().map(|gauge| async move { Ok((gauge, owed(cx, of, labels, gauge, account).await?)) });
    let owed = try_each(cx, owed).await.or_err_if_all(cx, labels.market)?;
    let owing = owed.into_iter().filter(|(_, owed)| !owed.is_empty());
    let rows = owing.map(|(gauge, owed)| claimable(cx, of, labels, gauge, owed, account));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// What the account has staked, a position for each gauge.
pub(super) async fn positions(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let held = stakes(cx, labels, gauges, account).await?.into_iter();
    let rows = held.map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(try_each(cx, rows).await.or_report(cx, labels.market))
}

/// The tokens that a contract pays, a gauge or one of fees or bribes.
pub(super) async fn tokens(cx: &Chain, of: &Solidly, labels: Labels<'_>, at: Address) -> Result<Vec<Listed>, Error> {
    let count = cx.call(at, rewardsListLengthCall {}).within(LIST_STANDS_S).await?;
    let read = usize::try_from(count).unwrap_or(usize::MAX).min(TOKENS_MAX);
    if count > U256::from(read) {
        cx.report_missing(format!("{}: {at}: {read} of {count} reward tokens are read", labels.market));
    }
    let tokens = cx.join((0..read).map(|place| token_at(cx, of, at, place, Some(LIST_STANDS_S)))).await?;
    let mut listed: Vec<Listed> = Vec::with_capacity(tokens.len());
    for (place, token) in tokens.into_iter().enumerate() {
        if !token.is_zero() && listed.iter().all(|other| other.token != token) {
            listed.push(Listed { place, token });
        }
    }
    Ok(listed)
}

/// The token at a place of a contract's list, at most so many seconds old.
async fn token_at(
    cx: &Chain,
    of: &Solidly,
    at: Address,
    place: usize,
    within_s: Option<u32>,
) -> Result<Address, Error> {
    let index = U256::from(place);
    let read = match of.generation {
        Generation::Equalizer => cx.call(at, rewardTokensCall { index }),
        _ => cx.call(at, rewardsCall { index }),
    };
    match within_s {
        Some(seconds) => read.within(seconds).await,
        None => read.await,
    }
}

/// What a gauge owes the account, of the tokens of which that is anything.
async fn owed(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    account: Address,
) -> Result<Vec<(Listed, U256)>, Error> {
    let tokens = tokens(cx, of, labels, gauge.address).await?;
    nonzero(cx, labels.market, tokens, |listed| (gauge.address, earnedCall { token: listed.token, account })).await
}

async fn claimable(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    owed: Vec<(Listed, U256)>,
    account: Address,
) -> Result<Claimable, Error> {
    let named = cx.call(of.contracts.voter, gaugesCall { pool: gauge.pool });
    let listed = cx.join(owed.iter().map(|(listed, _)| token_at(cx, of, gauge.address, listed.place, None)));
    let (read, staked) = join(cx.join((named, listed)), staked(cx, of, gauge)).await;
    let ((named, tokens), (_, staked)) = (read?, staked?);
    if named != gauge.address {
        return Err(is_gauge_no_more(gauge));
    }
    if owed.iter().zip(&tokens).any(|((listed, _), token)| listed.token != *token) {
        return Err(Error::new(format!("{}: pays other tokens than a while ago", gauge.address)));
    }
    let merged = claimRewardsCall { gauges: vec![gauge.address], tokens: vec![tokens.clone()] };
    let claim = cx.claim(gauge.address, &getRewardCall { account, tokens });
    let claim = claim.mergeable_as(cx.claim(of.contracts.voter, &merged));
    let claimable = Claimable::new(labels.market, gauge.address, claim).of(of.types.gauge);
    let claimable = claimable.named(format!("{staked} reward"));
    Ok(owed.into_iter().fold(claimable, |row, (listed, amount)| row.pays(listed.token, amount)))
}

async fn position(
    cx: &Chain,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    amount: U256,
    account: Address,
) -> Result<Position, Error> {
    let at = gauge.address;
    let rewards = async {
        let tokens = tokens(cx, of, labels, gauge.address).await?;
        let rewards = tokens.into_iter().map(|listed| reward(cx, at, listed.token, account));
        try_each(cx, rewards).await.or_err_if_all(cx, labels.market)
    };
    let read = cx.join((cx.call(at, totalSupplyCall {}), boost(cx, of, at, account), rewards));
    let (read, staked) = join(read, staked(cx, of, gauge)).await;
    let ((total, boost, rewards), (token, name)) = (read?, staked?);
    let position = Position::new(PositionKind::STAKED, labels.market, at).of(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let position = position.leg(Leg::new(LegRole::STAKED, token, amount).of_total(total));
    Ok(rewards.into_iter().fold(position, |position, owed| {
        let leg = Leg::new(LegRole::REWARD_OWED, owed.token, owed.earned);
        position.leg(leg).reward(owed.rate(cx.block().timestamp, boost))
    }))
}

/// The account's share where locks boost it: what it counts as, and what all do.
async fn boost(cx: &Chain, of: &Solidly, at: Address, account: Address) -> Result<Option<(U256, U256)>, Error> {
    if of.generation != Generation::VelodromeV1 {
        return Ok(None);
    }
    Ok(Some(cx.join((cx.call(at, derivedBalancesCall { account }), cx.call(at, derivedSupplyCall {}))).await?))
}

/// A token that a gauge pays: what it owes the account, and what is still to be paid until the period's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedReward {
    token: Address,
    earned: U256,
    left: U256,
    finish: U256,
}

async fn reward(cx: &Chain, at: Address, token: Address, account: Address) -> Result<ListedReward, Error> {
    let reads = (
        cx.call(at, earnedCall { token, account }),
        cx.call(at, leftCall { token }),
        cx.call(at, periodFinishCall { token }),
    );
    let (earned, left, finish) = cx.join(reads).await?;
    Ok(ListedReward { token, earned, left, finish })
}

impl ListedReward {
    /// What is left, over the seconds that are; the account's own share of it where locks boost that.
    fn rate(&self, now_s: u64, boost: Option<(U256, U256)>) -> Reward {
        let seconds = self.finish.saturating_sub(U256::from(now_s));
        if seconds.is_zero() {
            return Reward::new(self.token, U256::ZERO);
        }
        let Some((own, all)) = boost else {
            return Reward::share(self.token, self.left, U256::ONE, seconds);
        };
        let (own, all) = (self.left.checked_mul(own), seconds.checked_mul(all).filter(|all| !all.is_zero()));
        let own_per_second = own.filter(|_| all.is_some());
        Reward { own_per_second, divisor: own_per_second.and(all), ..Reward::new(self.token, None) }
    }
}
