//! Claims of Pendle: interest and rewards of yield tokens, rewards of liquidity and of wrapped assets.
//!
//! Invariant: an amount is what the simulated claim returns. Only accounts that ever had a yield token or liquidity are
//! simulated, and those that have a wrapped asset; who has left is still owed.

use std::collections::BTreeSet;

use portolan_plugin_api::{Address, Claim, Claimable, Error, JobContext, SolCall, U256, symbol};

use super::PendleKit;
use super::contracts::{
    balanceOfCall, claimRewardsCall, getRewardTokensCall, redeemDueInterestAndRewardsCall, redeemRewardsCall,
    userInterestCall, userRewardCall,
};
use super::markets::MarketTokens;
use crate::bounds::truncate;
use crate::kit::Labels;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

/// Cache time of a list of rewards, in seconds, where accounts that may be owed are searched.
const REWARDS_STAND_S: u32 = 300;
/// Rewards of one contract that are searched; no known one has more than five.
const REWARDS_MAX: usize = 16;
/// Gas of a simulated claim: it claims the contract's own rewards from several others.
const CLAIM_GAS: u32 = 5_000_000;

/// A contract that may owe the account.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Owing {
    YieldToken { yt: Address, sy: Address },
    Liquidity(Address),
    Wrapped(Address),
}

/// A claim with its payments.
#[derive(Debug)]
struct SimulatedClaim {
    claim: Claim,
    payments: Vec<(Address, U256)>,
}

/// Returns a claim per contract that owes the account.
pub(super) async fn claimables(
    cx: &JobContext,
    labels: Labels<'_>,
    types: PendleKit,
    markets: &[MarketTokens],
    account: Address,
) -> Result<Vec<Claimable>, Error> {
    let owing = owing(cx, labels, markets, account).await?;
    let rows = owing.into_iter().map(|owing| async move {
        let SimulatedClaim { claim, payments } = owing.owed(cx, account).await?;
        let row = Claimable::new(labels.market, owing.contract(), claim).mechanism(owing.mechanism(types));
        let row = row.named(format!("{} {}", symbol(owing.contract()), owing.what()));
        Ok(payments.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount)))
    });
    let found = join_partial(cx, rows).await.or_report(cx, labels.market);
    Ok(found.into_iter().filter(|row| !row.payments.is_empty()).collect())
}

/// Returns the contracts that may owe the account, each once.
async fn owing(
    cx: &JobContext,
    labels: Labels<'_>,
    markets: &[MarketTokens],
    account: Address,
) -> Result<BTreeSet<Owing>, Error> {
    let ats: Vec<Address> = markets.iter().map(|tokens| tokens.market).collect();
    let rewards = rewards(cx, labels, ats.clone()).await?;
    let yields: BTreeSet<(Address, Address)> = markets.iter().map(|tokens| (tokens.yt, tokens.sy)).collect();
    let wrapped: BTreeSet<Address> = markets.iter().map(|tokens| tokens.sy).collect();
    let interest = |(yt, _): &(Address, Address)| (*yt, userInterestCall { user: account });
    let balance = |at: &Address| (*at, balanceOfCall { account });
    let reward = |(at, token): &(Address, Address)| (*at, userRewardCall { token: *token, user: account });
    let yields = read_nonzero(cx, labels.market, yields.into_iter().collect(), interest);
    let held = read_nonzero(cx, labels.market, ats, balance);
    let earned = read_nonzero(cx, labels.market, rewards, reward);
    let wrapped = read_nonzero(cx, labels.market, wrapped.into_iter().collect(), balance);
    let (yields, held, (earned, wrapped)) = cx.join((yields, held, cx.join((earned, wrapped)))).await?;
    let yields = yields.into_iter().map(|((yt, sy), _)| Owing::YieldToken { yt, sy });
    let liquidity = held.into_iter().map(|(at, _)| at).chain(earned.into_iter().map(|((at, _), _)| at));
    let wrapped = wrapped.into_iter().map(|(sy, _)| Owing::Wrapped(sy));
    Ok(yields.chain(liquidity.map(Owing::Liquidity)).chain(wrapped).collect())
}

/// Returns each market with each of its rewards.
async fn rewards(cx: &JobContext, labels: Labels<'_>, markets: Vec<Address>) -> Result<Vec<(Address, Address)>, Error> {
    let lists = cx.call_each(markets.iter().map(|at| (*at, getRewardTokensCall {}))).within(REWARDS_STAND_S);
    let lists = with_each(markets, lists).await.or_none_where_gone(cx, labels.market)?;
    let each = lists.into_iter().flat_map(|(at, mut tokens)| {
        truncate(cx, at, &mut tokens, "rewards", REWARDS_MAX);
        tokens.into_iter().map(move |token| (at, token))
    });
    Ok(each.collect())
}

impl Owing {
    const fn contract(self) -> Address {
        match self {
            Self::YieldToken { yt: at, .. } | Self::Liquidity(at) | Self::Wrapped(at) => at,
        }
    }

    const fn mechanism(self, types: PendleKit) -> &'static str {
        match self {
            Self::YieldToken { .. } => types.yield_token,
            Self::Liquidity(_) => types.liquidity,
            Self::Wrapped(_) => types.wrapped,
        }
    }

    const fn what(self) -> &'static str {
        match self {
            Self::YieldToken { .. } => "yield",
            Self::Liquidity(_) | Self::Wrapped(_) => "rewards",
        }
    }

    /// Simulates the claim.
    async fn owed(self, cx: &JobContext, user: Address) -> Result<SimulatedClaim, Error> {
        let at = self.contract();
        let (claim, tokens, amounts, interest) = match self {
            Self::YieldToken { sy, .. } => {
                let call = redeemDueInterestAndRewardsCall { user, redeemInterest: true, redeemRewards: true };
                let (claim, tokens, paid) = simulate(cx, at, call).await?;
                (claim, tokens, paid.rewardsOut, Some((sy, paid.interestOut)))
            }
            Self::Liquidity(_) => {
                let (claim, tokens, paid) = simulate(cx, at, redeemRewardsCall { user }).await?;
                (claim, tokens, paid, None)
            }
            Self::Wrapped(_) => {
                let (claim, tokens, paid) = simulate(cx, at, claimRewardsCall { user }).await?;
                (claim, tokens, paid, None)
            }
        };
        if tokens.len() != amounts.len() {
            return Err(Error::new(format!("{at}: pays another number of amounts than of rewards")));
        }
        let payments = interest.into_iter().chain(tokens.into_iter().zip(amounts));
        Ok(SimulatedClaim { claim, payments: payments.filter(|(_, amount)| !amount.is_zero()).collect() })
    }
}

/// Returns a call as a claim, the rewards of its contract, and what the call returns.
async fn simulate<C: SolCall>(
    cx: &JobContext,
    at: Address,
    call: C,
) -> Result<(Claim, Vec<Address>, C::Return), Error> {
    let claim = cx.claim(at, &call);
    let tokens = cx.call(at, getRewardTokensCall {});
    let (tokens, paid) = cx.join((tokens, cx.call(at, call).isolated().gas_cap(CLAIM_GAS))).await?;
    Ok((claim, tokens, paid))
}
