//! Findings: a claim and a stake per pool.

use portolan_plugin_api::{
    Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256, symbol,
};

use super::Booster;
use super::contracts::{getRewardCall, rewardTokenCall, totalSupplyCall};
use super::emission::{self, BesideMint};
use super::pools::{self, PoolStake};
use super::rewards::{self, Extra};
use crate::kit::Labels;
use crate::partial::join_partial;

/// Own reward of a pool.
#[derive(Clone, Copy, Debug)]
struct Own {
    held: PoolStake,
    token: Address,
    /// Multiplier of the minted amount.
    multiplier: U256,
}

/// Rates of a pool to its stakers.
#[derive(Clone, Debug)]
struct Streams {
    /// Total stake.
    total: U256,
    rate: U256,
    extras: Vec<(Extra, U256)>,
}

/// Returns a claim per pool that owes anything.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Booster,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let held = pools::held(cx, of, labels.market, account).await?;
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let owed = held.into_iter().map(|held| owed(cx, of, labels, held, account));
    let owed = async { Ok(join_partial(cx, owed).await.or_report(cx, labels.market)) };
    let (emission, owed) = cx.join((emission::read(cx, of), owed)).await?;
    let rows =
        owed.into_iter().map(|(own, extras)| async move { claimable(cx, of, labels, emission, own, &extras, account) });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
}

/// Reads the rewards of a pool; all extra rewards are needed, since a claim pays them too.
async fn owed(
    cx: &JobContext,
    of: &Booster,
    labels: Labels<'_>,
    held: PoolStake,
    account: Address,
) -> Result<(Own, Vec<Extra>), Error> {
    let extras = async {
        let extras = rewards::extras(cx, labels.market, held.pool.rewards).await?;
        cx.join(extras.into_iter().map(|at| rewards::extra(cx, at, account))).await
    };
    let ((), own, extras) = cx.join((pools::check(cx, of, held.pool), own(cx, of, held), extras)).await?;
    Ok((own, extras))
}

async fn own(cx: &JobContext, of: &Booster, held: PoolStake) -> Result<Own, Error> {
    let token = cx.call(held.pool.rewards, rewardTokenCall {}).immutable();
    let (token, multiplier) = cx.join((token, emission::multiplier(cx, of, held.pool.rewards))).await?;
    Ok(Own { held, token, multiplier })
}

/// Returns one claim for all tokens of a pool; `None` if it owes nothing.
fn claimable(
    cx: &JobContext,
    of: &Booster,
    labels: Labels<'_>,
    emission: BesideMint,
    own: Own,
    extras: &[Extra],
    account: Address,
) -> Result<Option<Claimable>, Error> {
    let pool = own.held.pool;
    let minted = emission.beside(own.held.earned, own.multiplier);
    let minted = minted.map_err(|error| Error::new(format!("{}: {error}", pool.rewards)))?;
    let amounts = [(own.token, own.held.earned), (emission.token, minted)].into_iter();
    let amounts = rewards::by_token(amounts.chain(extras.iter().map(|extra| (extra.token, extra.owed))))?;
    let claim = cx.claim(pool.rewards, &getRewardCall { account, claimExtras: true });
    let claimable = Claimable::new(labels.market, pool.rewards, claim).mechanism(of.types.pool);
    let claimable = claimable.named(format!("{} rewards", symbol(pool.staked)));
    let claimable = amounts.into_iter().fold(claimable, |row, (token, amount)| row.pays(token, amount));
    Ok((!claimable.payments.is_empty()).then_some(claimable))
}

/// Returns a position per pool with a stake.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Booster,
    labels: Labels<'_>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let mut held = pools::held(cx, of, labels.market, account).await?;
    held.retain(|held| !held.amount.is_zero());
    if held.is_empty() {
        return Ok(Vec::new());
    }
    let stakes = held.into_iter().map(|held| async move {
        let (own, streams) = cx.join((own(cx, of, held), streams(cx, labels, held, account))).await?;
        Ok((own, streams))
    });
    let stakes = async { Ok(join_partial(cx, stakes).await.or_report(cx, labels.market)) };
    let (emission, stakes) = cx.join((emission::read(cx, of), stakes)).await?;
    let rows = stakes.into_iter().map(|(own, streams)| async move { position(of, labels, emission, own, &streams) });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Reads the rates of a pool. An extra reward that cannot be read only loses its own part of the position.
async fn streams(cx: &JobContext, labels: Labels<'_>, held: PoolStake, account: Address) -> Result<Streams, Error> {
    let at = held.pool.rewards;
    let extras = async {
        let extras = rewards::extras(cx, labels.market, at).await?.into_iter();
        let extras = extras.map(|at| cx.join((rewards::extra(cx, at, account), rewards::rate(cx, at))));
        Ok(join_partial(cx, extras).await.or_report(cx, labels.market))
    };
    let (total, rate, extras) = cx.join((cx.call(at, totalSupplyCall {}), rewards::rate(cx, at), extras)).await?;
    Ok(Streams { total, rate, extras })
}

/// Returns the stake with its rewards. The minted amount is left out while it cannot be claimed.
fn position(
    of: &Booster,
    labels: Labels<'_>,
    emission: BesideMint,
    own: Own,
    streams: &Streams,
) -> Result<Position, Error> {
    let pool = own.held.pool;
    let beside = |reward| (emission.token, emission.beside(reward, own.multiplier).unwrap_or_default());
    let owed = [(own.token, own.held.earned), beside(own.held.earned)].into_iter();
    let owed = rewards::by_token(owed.chain(streams.extras.iter().map(|(extra, _)| (extra.token, extra.owed))))?;
    let rates = [(own.token, streams.rate), beside(streams.rate)].into_iter();
    let rates = rewards::by_token(rates.chain(streams.extras.iter().map(|(extra, rate)| (extra.token, *rate))))?;
    let stake = Leg::new(LegRole::STAKED, pool.staked, own.held.amount).of_total(streams.total);
    let owed = owed.into_iter().map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount));
    let position = Position::new(PositionKind::STAKED, labels.market, pool.rewards).mechanism(of.types.pool);
    let position = position.named(format!("{} pool", symbol(pool.staked))).leg(stake).legs(owed);
    Ok(rates.into_iter().map(|(token, rate)| Reward::new(token, rate)).fold(position, Position::reward))
}
