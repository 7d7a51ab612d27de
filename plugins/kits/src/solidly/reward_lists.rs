//! Gauges of Velodrome v1, Ramses and Equalizer, which pay a list of tokens.
//!
//! Invariant: a claim only names tokens that the gauge lists at the answer's block, each once.

use std::collections::BTreeMap;

use futures_util::future::join;
use portolan_plugin_api::{Address, Claimable, Error, JobContext, Leg, LegRole, Position, PositionKind, Reward, U256};

use super::Solidly;
use super::contracts::listed::{
    claimRewardsCall, derivedBalancesCall, derivedSupplyCall, earnedCall, getRewardCall, leftCall, periodFinishCall,
    rewardTokensCall, rewardsCall, rewardsListLengthCall,
};
use super::contracts::{gaugesCall, totalSupplyCall};
use super::gauges::{Gauge, is_gauge_no_more, staked, stakes};
use super::generation::Generation;
use crate::kit::Labels;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

/// Cache time of a gauge's token list, in seconds; tokens are rarely added.
const LIST_STANDS_S: u32 = 300;
/// Tokens of a list that are read. Gauges have up to 16; bribers may add any whitelisted one.
const TOKENS_MAX: usize = 32;

/// A token of a list, with its index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Listed {
    place: usize,
    pub(super) token: Address,
}

/// Returns a claim per gauge with rewards.
pub(super) async fn claimables(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let contracts = gauges.iter().map(|gauge| gauge.address).collect();
    let tokens = tokens_of_each(cx, of, labels, contracts).await?;
    let by_address: BTreeMap<Address, Gauge> = gauges.into_iter().map(|gauge| (gauge.address, gauge)).collect();
    let listed = tokens.into_iter().filter_map(|(at, tokens)| Some((*by_address.get(&at)?, tokens)));
    let listed = listed.flat_map(|(gauge, tokens)| tokens.into_iter().map(move |listed| (gauge, listed)));
    let earned = |(gauge, listed): &(Gauge, Listed)| (gauge.address, earnedCall { token: listed.token, account });
    let owed = read_nonzero(cx, labels.market, listed.collect(), earned).await?;
    let rows = owed.chunk_by(|((gauge, _), _), ((next, _), _)| gauge == next).filter_map(|owed| {
        let ((gauge, _), _) = owed.first()?;
        let owed = owed.iter().map(|((_, listed), amount)| (*listed, *amount)).collect();
        Some(claimable(cx, of, labels, *gauge, owed, account))
    });
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns a position per gauge with a stake.
pub(super) async fn positions(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauges: Vec<Gauge>,
    account: Address,
) -> Result<Vec<Position>, Error> {
    let held = stakes(cx, labels, gauges, account).await?.into_iter();
    let rows = held.map(|(gauge, amount)| position(cx, of, labels, gauge, amount, account));
    Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
}

/// Returns the tokens that a gauge pays.
async fn tokens(cx: &JobContext, of: &Solidly, labels: Labels<'_>, at: Address) -> Result<Vec<Listed>, Error> {
    let listed = tokens_of_each(cx, of, labels, vec![at]).await?;
    Ok(listed.into_iter().flat_map(|(_, tokens)| tokens).collect())
}

/// Returns the tokens of each of these gauges or vote-paying contracts. A failed contract is reported and loses only
/// its own.
pub(super) async fn tokens_of_each(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    contracts: Vec<Address>,
) -> Result<Vec<(Address, Vec<Listed>)>, Error> {
    let counts = cx.call_each(contracts.iter().map(|at| (*at, rewardsListLengthCall {}))).within(LIST_STANDS_S);
    let counts = with_each(contracts, counts).await.fail_if_none(cx, labels.market)?;
    let places = counts.iter().flat_map(|(at, count)| {
        let read = usize::try_from(*count).unwrap_or(usize::MAX).min(TOKENS_MAX);
        if *count > U256::from(read) {
            cx.report_not_covered(format!("{}: {at}: {read} of {count} reward tokens are read", labels.market));
        }
        (0..read).map(|place| (*at, place))
    });
    let places: Vec<(Address, usize)> = places.collect();
    let indexes = places.iter().map(|(at, place)| (*at, U256::from(*place)));
    let tokens = match of.generation {
        Generation::Equalizer => cx.call_each(indexes.map(|(at, index)| (at, rewardTokensCall { index }))),
        _ => cx.call_each(indexes.map(|(at, index)| (at, rewardsCall { index }))),
    };
    let tokens = with_each(places, tokens.within(LIST_STANDS_S)).await.fail_if_none(cx, labels.market)?;
    let of_each = tokens.chunk_by(|((at, _), _), ((next, _), _)| at == next).filter_map(|of_one| {
        let mut listed: Vec<Listed> = Vec::with_capacity(of_one.len());
        for ((_, place), token) in of_one {
            if !token.is_zero() && listed.iter().all(|other| other.token != *token) {
                listed.push(Listed { place: *place, token: *token });
            }
        }
        of_one.first().map(|((at, _), _)| (*at, listed))
    });
    Ok(of_each.collect())
}

/// Returns the token at an index of a contract's list.
async fn token_at(cx: &JobContext, of: &Solidly, at: Address, place: usize) -> Result<Address, Error> {
    let index = U256::from(place);
    match of.generation {
        Generation::Equalizer => cx.call(at, rewardTokensCall { index }).await,
        _ => cx.call(at, rewardsCall { index }).await,
    }
}

async fn claimable(
    cx: &JobContext,
    of: &Solidly,
    labels: Labels<'_>,
    gauge: Gauge,
    owed: Vec<(Listed, U256)>,
    account: Address,
) -> Result<Claimable, Error> {
    let named = cx.call(of.contracts.voter, gaugesCall { pool: gauge.pool });
    let listed = cx.join(owed.iter().map(|(listed, _)| token_at(cx, of, gauge.address, listed.place)));
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
    let claimable = Claimable::new(labels.market, gauge.address, claim).mechanism(of.types.gauge);
    let claimable = claimable.named(format!("{staked} reward"));
    Ok(owed.into_iter().fold(claimable, |row, (listed, amount)| row.pays(listed.token, amount)))
}

async fn position(
    cx: &JobContext,
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
        join_partial(cx, rewards).await.fail_if_none(cx, labels.market)
    };
    let read = cx.join((cx.call(at, totalSupplyCall {}), boost(cx, of, at, account), rewards));
    let (read, staked) = join(read, staked(cx, of, gauge)).await;
    let ((total, boost, rewards), (token, name)) = (read?, staked?);
    let position = Position::new(PositionKind::STAKED, labels.market, at).mechanism(of.types.gauge);
    let position = position.named(format!("{name} gauge"));
    let position = position.leg(Leg::new(LegRole::STAKED, token, amount).of_total(total));
    Ok(rewards.into_iter().fold(position, |position, owed| {
        let leg = Leg::new(LegRole::REWARD_OWED, owed.token, owed.earned);
        position.leg(leg).reward(owed.rate(cx.block().timestamp, boost))
    }))
}

/// Returns the account's boosted balance and the boosted supply, if locks boost stakes.
async fn boost(cx: &JobContext, of: &Solidly, at: Address, account: Address) -> Result<Option<(U256, U256)>, Error> {
    if of.generation != Generation::VelodromeV1 {
        return Ok(None);
    }
    Ok(Some(cx.join((cx.call(at, derivedBalancesCall { account }), cx.call(at, derivedSupplyCall {}))).await?))
}

/// A token of a gauge, with the amount owed to the account and the amount left until the period's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ListedReward {
    token: Address,
    earned: U256,
    left: U256,
    finish: U256,
}

async fn reward(cx: &JobContext, at: Address, token: Address, account: Address) -> Result<ListedReward, Error> {
    let reads = (
        cx.call(at, earnedCall { token, account }),
        cx.call(at, leftCall { token }),
        cx.call(at, periodFinishCall { token }),
    );
    let (earned, left, finish) = cx.join(reads).await?;
    Ok(ListedReward { token, earned, left, finish })
}

impl ListedReward {
    /// Returns the amount left over the time left; only the account's share of it if locks boost stakes.
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
