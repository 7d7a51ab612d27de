//! The list of gauges, and an account's rewards in one.

use std::ops::Range;

use futures_util::future::join;
use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{
    REWARDS_MAX, balanceOfCall, claimable_reward_writeCall, claimable_rewardCall, claimable_tokensCall, gaugesCall,
    get_gauge_countCall, get_gaugeCall, integrate_checkpoint_ofCall, lp_tokenCall, n_gaugesCall, reward_countCall,
    reward_tokensCall, staking_tokenCall,
};
use super::{CurveGauges, Listing, ZERO_STANDS_S};
use crate::kit::{COUNT_STANDS_S, Labels};
use crate::partial::with_each;
use crate::read_nonzero::read_nonzero;

/// Key of the list of gauges among a deployment's fact lists.
const LIST: &str = "gauges";
/// Cache time of a gauge's number of reward tokens, in seconds; a new one shows at most this much later.
const TOKENS_STAND_S: u32 = 300;

/// A gauge that holds pool tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LiquidityGauge {
    /// Index in the list.
    pub(super) place: u64,
    pub(super) address: Address,
    /// Staked token.
    pub(super) staked: Address,
    /// True for the fourth generation and later.
    pub(super) counts_rewards: bool,
    /// True if it has an emission.
    pub(super) is_minting: bool,
}

/// Amounts that a gauge owes an account.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct OwedByGauge {
    /// Emission that the minter pays.
    pub(super) minted: U256,
    /// Nonzero amounts of other tokens that the gauge pays.
    pub(super) rewards: Vec<(Address, U256)>,
}

/// Returns the known gauges of the list.
pub(super) async fn gauges(
    cx: &JobContext,
    of: &CurveGauges,
    labels: Labels<'_>,
) -> Result<Vec<LiquidityGauge>, Error> {
    let walk = |places: Range<u64>| cx.join(places.map(move |place| entry(cx, of, place)));
    let entries: Vec<(Address, Address, bool)> = cx.facts(labels.market, LIST, count(cx, &of.listing), walk).await?;
    let gauges = (0_u64..).zip(entries);
    let gauges = gauges.map(|(place, (address, staked, counts_rewards))| LiquidityGauge {
        place,
        address,
        staked,
        counts_rewards,
        // On networks other than Ethereum, gauges before the fourth generation get tokens from a stream, and no
        // emission.
        is_minting: of.emission.is_some() && (counts_rewards || !matches!(of.listing, Listing::Row(_))),
    });
    Ok(gauges.filter(|gauge| !gauge.staked.is_zero()).collect())
}

async fn count(cx: &JobContext, listing: &Listing) -> Result<U256, Error> {
    match listing {
        Listing::Controller(controller) => cx.call(*controller, n_gaugesCall {}).within(COUNT_STANDS_S).await,
        Listing::Factory(factory) => cx.call(*factory, get_gauge_countCall {}).within(COUNT_STANDS_S).await,
        Listing::Row(gauges) => Ok(U256::from(gauges.len())),
    }
}

/// Returns the gauge at an index of the list.
pub(super) async fn at(cx: &JobContext, listing: &Listing, place: u64) -> Result<Address, Error> {
    let index = U256::from(place);
    match listing {
        Listing::Controller(controller) => cx.call(*controller, gaugesCall { index }).await,
        Listing::Factory(factory) => cx.call(*factory, get_gaugeCall { index }).await,
        Listing::Row(gauges) => {
            let gauge = usize::try_from(place).ok().and_then(|place| gauges.get(place));
            gauge.copied().ok_or_else(|| Error::new(format!("the row has no gauge at place {place}")))
        }
    }
}

/// Reads an entry of the list: the gauge, its staked token (zero if it holds nothing), and true for the fourth
/// generation and later.
async fn entry(cx: &JobContext, of: &CurveGauges, place: u64) -> Result<(Address, Address, bool), Error> {
    let gauge = at(cx, &of.listing, place).await?;
    let staked = staked_token(cx, of, gauge);
    let held = cx.try_call(gauge, balanceOfCall { account: Address::ZERO });
    let rewards = cx.try_call(gauge, reward_countCall {});
    let (staked, held, rewards) = cx.join((staked, held, rewards)).await?;
    Ok((gauge, staked.filter(|_| held.is_ok()).unwrap_or_default(), rewards.is_ok()))
}

/// Returns the staked token of a gauge. Forks that no contract lists or that have no emission may use another name for
/// it.
async fn staked_token(cx: &JobContext, of: &CurveGauges, gauge: Address) -> Result<Option<Address>, Error> {
    let staked = cx.try_call(gauge, lp_tokenCall {}).await?.ok();
    let is_fork = of.emission.is_none() || matches!(of.listing, Listing::Row(_));
    match staked {
        None if is_fork => Ok(cx.try_call(gauge, staking_tokenCall {}).await?.ok()),
        _ => Ok(staked),
    }
}

/// Returns the gauges that may owe anything to the account, which may have left them. Gauges with an emission
/// checkpoint an account before each change of its stake. Without a checkpoint, the account never had a stake; this
/// rules out most gauges. Debts of older gauges to accounts that left them are not found: that takes dozens of reads
/// per gauge.
pub(super) async fn owing(
    cx: &JobContext,
    market: &str,
    gauges: Vec<LiquidityGauge>,
    account: Address,
) -> Result<Vec<LiquidityGauge>, Error> {
    let (minting, others): (Vec<_>, Vec<_>) = gauges.into_iter().partition(|gauge| gauge.is_minting);
    let (counting, older): (Vec<_>, Vec<_>) = others.into_iter().partition(|gauge| gauge.counts_rewards);
    let reckoned = cx.try_call_each(minting.iter().map(|of| (of.address, integrate_checkpoint_ofCall { account })));
    let reckoned = with_each(minting, reckoned.zero_within(ZERO_STANDS_S));
    let staked = read_nonzero(cx, market, older, |gauge| (gauge.address, balanceOfCall { account }));
    let (reckoned, staked) = join(reckoned, staked).await;
    let reckoned = reckoned.fail_if_none(cx, market)?.into_iter().filter(|(_, at)| *at != Ok(U256::ZERO));
    let reckoned = reckoned.map(|(gauge, _)| gauge);
    let mut owing: Vec<_> = reckoned.chain(counting).chain(staked?.into_iter().map(|(gauge, _)| gauge)).collect();
    owing.sort_by_key(|gauge| gauge.place);
    Ok(owing)
}

/// Returns the amounts that the gauge owes to the account.
pub(super) async fn owed(cx: &JobContext, gauge: LiquidityGauge, account: Address) -> Result<OwedByGauge, Error> {
    let minted = minted(cx, gauge, account);
    let counted = async {
        let tokens = counted_tokens(cx, gauge).await?.into_iter();
        cx.join(tokens.map(|token| async move {
            let call = claimable_rewardCall { account, token };
            Ok((token, cx.call(gauge.address, call).zero_within(ZERO_STANDS_S).await?))
        }))
        .await
    };
    let (minted, counted, claimed) = cx.join((minted, counted, claimed_rewards(cx, gauge, account))).await?;
    let rewards = counted.into_iter().chain(claimed).filter(|(_, owed)| !owed.is_zero());
    Ok(OwedByGauge { minted, rewards: rewards.collect() })
}

/// Returns the emission that the minter pays.
async fn minted(cx: &JobContext, gauge: LiquidityGauge, account: Address) -> Result<U256, Error> {
    if !gauge.is_minting {
        return Ok(U256::ZERO);
    }
    cx.call(gauge.address, claimable_tokensCall { account }).isolated().await
}

/// Returns the reward tokens of a gauge that knows their number; empty for other gauges.
async fn counted_tokens(cx: &JobContext, gauge: LiquidityGauge) -> Result<Vec<Address>, Error> {
    if !gauge.counts_rewards {
        return Ok(Vec::new());
    }
    let count = cx.call(gauge.address, reward_countCall {}).within(TOKENS_STAND_S).await?;
    let count = u64::try_from(count).unwrap_or(u64::MAX).min(REWARDS_MAX);
    let token = |index| cx.call(gauge.address, reward_tokensCall { index: U256::from(index) }).immutable();
    cx.join((0..count).map(token)).await
}

/// Returns the rewards of an older gauge, which claims from elsewhere to compute them; empty for other gauges.
async fn claimed_rewards(
    cx: &JobContext,
    gauge: LiquidityGauge,
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    if gauge.counts_rewards {
        return Ok(Vec::new());
    }
    let tokens = (0..REWARDS_MAX)
        .map(|index| cx.try_call(gauge.address, reward_tokensCall { index: U256::from(index) }).within(TOKENS_STAND_S));
    let tokens = cx.join(tokens).await?.into_iter().filter_map(Result::ok).filter(|token| !token.is_zero());
    let each = tokens.map(|token| async move {
        let written = cx.try_call(gauge.address, claimable_reward_writeCall { account, token }).isolated();
        let read = cx.call(gauge.address, claimable_rewardCall { account, token }).isolated();
        let (written, read) = cx.join((written, read)).await?;
        Ok((token, written.unwrap_or(read)))
    });
    cx.join(each).await
}
