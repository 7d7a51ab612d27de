//! Boosters of Pendle's markets as Equilibria's: each pool stakes a market's shares, and pays what it earns and
//! tokens of the protocol's own that a minter adds. Some of these are receipts that are redeemed over time.
//!
//! Settings key `market_booster`. Answers claimables and farming positions, also of pools that are shut down, and of
//! the pool that stakes the booster's own derivative of PENDLE, and locked positions of redemptions. Invariant: a claim
//! that its pool refuses is not answered but reported: the minter may have run out. A failing pool loses only its own
//! rows. A claim calls a pool or a receipt only if the booster names it at the answer's block.
//!
//! Source: <https://github.com/eqbtech/equilibria-contracts>, `PendleBoosterBaseUpg.sol`, `BaseRewardPoolV2.sol`,
//! `EqbMinterBaseUpg.sol` and `XEqbToken.sol`.

mod redemptions;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, NATIVE, Position, PositionKind,
    Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::mul_div;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::native_placeholder::{PLATFORM_TOKEN, named_token};
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;
use crate::token_sums;
use redemptions::finalizeRedeemCall;

portolan_plugin_api::sol! {
    // PendleBoosterBaseUpg.sol
    function poolLength() external view returns (uint256);
    // The contracts of a pool never change.
    function poolInfo(uint256 pid) external view
        returns (address market, address token, address rewardPool, bool shutdown);
    function ePendleRewardPool() external view returns (address);
    function isShutdown() external view returns (bool);
    function pendle() external view returns (address);
    function eqb() external view returns (address);
    // Receipts for escrowed EQB, one for one.
    function xEqb() external view returns (address);
    function eqbMinter() external view returns (address);
    // The part of what is minted that is paid as EQB, in ten thousandths.
    function farmEqbShare() external view returns (uint256);

    // EqbMinterBaseUpg.sol: minted for one PENDLE, in ten thousandths.
    function getFactor() external view returns (uint256);

    // BaseRewardPoolV2.sol
    function stakingToken() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function getRewardTokens() external view returns (address[] tokens);
    function earned(address account, address token) external view returns (uint256);
    function rewards(address token) external view returns (uint256 periodFinish, uint256 rewardRate);
    // Pays the account, whoever sends it.
    function getReward(address account) external;
}

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "market-pools";
/// Cache time of a pool's reward tokens, and of who has something in the pool of the derivative, in seconds.
const TOKENS_STAND_S: u32 = 300;
/// Rewards of a pool that are answered; no known one has more than five.
const REWARDS_MAX: usize = 16;
/// Gas of a simulated claim: it pays each token, and mints two.
const CLAIM_GAS: u32 = 5_000_000;
/// Word of `poolInfo` with the pool's contract.
const POOL_WORD: u32 = 2;
/// Denominator of the booster's parts.
const WHOLE: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketBoostersKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub pool: &'static str,
}

/// One booster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MarketBooster {
    booster: Address,
    types: MarketBoostersKit,
}

/// A pool of the booster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MarketPool {
    /// Place among the booster's pools; `None` for the pool of its derivative.
    pid: Option<U256>,
    staked: Address,
    pool: Address,
}

impl MarketBoostersKit {
    /// Keys of a row for a booster of Pendle's markets, as Equilibria's:
    /// - `market_booster` (address): the booster
    pub const KEYS: &'static [&'static str] = &["market_booster"];
}

impl Kit for MarketBoostersKit {
    fn keys(&self) -> &'static [&'static str] {
        &["market_booster"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("market_booster")?.map(|booster| MarketBooster { booster, types: *self }.shared()))
    }

    /// Returns the template of rewards, which pays the account that it names, whoever sends it, and that of redemptions.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let rewards = ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT]).by_anyone();
        vec![rewards, ClaimTemplate::new::<finalizeRedeemCall>([Role::NUMBER])]
    }

    /// Returns the views that give the pools and the receipts, which claims call.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::targets::<poolInfoCall>().at(POOL_WORD),
            Lineage::targets::<ePendleRewardPoolCall>(),
            Lineage::targets::<xEqbCall>(),
        ]
    }
}

impl DeploymentReader for MarketBooster {
    fn contracts(&self) -> Vec<Address> {
        vec![self.booster]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per pool with a stake, and one of a redemption. Whoever leaves a pool is paid at once, except in an
    /// emergency.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let parts: [Boxed<'_, Vec<Claimable>>; 2] = [
                Box::pin(self.rewards(cx, labels, account)),
                Box::pin(redemptions::claimables(cx, self, labels, account)),
            ];
            Ok(join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.concat())
        })
    }

    /// Returns a position per pool with a stake, or the redemptions.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::LOCKED {
                return redemptions::positions(cx, self, labels, account).await;
            }
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|(pool, amount)| self.position(cx, labels, pool, amount, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl MarketBooster {
    /// Returns a claim per pool with a stake.
    async fn rewards(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Claimable>, Error> {
        let held = self.held(cx, labels, account).await?;
        let rows = held.into_iter().map(|(pool, _)| self.claimable(cx, labels, pool, account));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns the pools in which the account has a stake, with the stake.
    async fn held(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<(MarketPool, U256)>, Error> {
        let pools = self.pools(cx, labels).await?;
        read_nonzero(cx, labels.market, pools, |pool| (pool.pool, balanceOfCall { account })).await
    }

    async fn pools(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<MarketPool>, Error> {
        let walk = |places: Range<u64>| cx.join(places.map(move |place| self.entry(cx, place)));
        let count = cx.call(self.booster, poolLengthCall {}).within(COUNT_STANDS_S);
        let entries = cx.facts(labels.market, LIST, count, walk);
        let (entries, own): (Vec<(Address, Address)>, MarketPool) = cx.join((entries, self.derivative(cx))).await?;
        let pool = |(pid, (staked, pool)): (u64, _)| MarketPool { pid: Some(U256::from(pid)), staked, pool };
        let pools = (0_u64..).zip(entries).map(pool).chain([own]);
        Ok(pools.filter(|pool| !pool.pool.is_zero()).collect())
    }

    async fn entry(&self, cx: &JobContext, place: u64) -> Result<(Address, Address), Error> {
        let info = cx.call(self.booster, poolInfoCall { pid: U256::from(place) }).await?;
        Ok((info.market, info.rewardPool))
    }

    /// Returns the pool of the booster's derivative of PENDLE.
    async fn derivative(&self, cx: &JobContext) -> Result<MarketPool, Error> {
        let pool = cx.call(self.booster, ePendleRewardPoolCall {}).within(TOKENS_STAND_S).await?;
        if pool.is_zero() {
            return Ok(MarketPool { pid: None, staked: pool, pool });
        }
        let staked = cx.call(pool, stakingTokenCall {}).immutable().await?;
        Ok(MarketPool { pid: None, staked, pool })
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: MarketPool,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let named = self.named(cx, pool.pid);
        let (named, owed) = cx.join((named, self.owed(cx, labels, pool, account))).await?;
        if named != pool.pool {
            return Err(Error::new(format!("{}: is a pool of the booster no more", pool.pool)));
        }
        let paid: BTreeMap<Address, U256> = owed.into_iter().filter(|(_, amount)| !amount.is_zero()).collect();
        if paid.is_empty() {
            return Ok(None);
        }
        let call = getRewardCall { account };
        let claim = cx.claim(pool.pool, &call);
        cx.call(pool.pool, call).isolated().gas_cap(CLAIM_GAS).await?;
        let row = Claimable::new(labels.market, pool.pool, claim).mechanism(self.types.pool);
        let row = row.named(format!("{} rewards", symbol(pool.staked)));
        Ok(Some(paid.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))))
    }

    /// Returns the contract that the booster names for this place.
    async fn named(&self, cx: &JobContext, pid: Option<U256>) -> Result<Address, Error> {
        match pid {
            Some(pid) => Ok(cx.call(self.booster, poolInfoCall { pid }).await?.rewardPool),
            None => cx.call(self.booster, ePendleRewardPoolCall {}).await,
        }
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: MarketPool,
        amount: U256,
        account: Address,
    ) -> Result<Position, Error> {
        let total = cx.call(pool.pool, totalSupplyCall {});
        let (total, owed) = cx.join((total, self.owed(cx, labels, pool, account))).await?;
        let streams = cx.join(owed.iter().map(async |(token, _)| {
            let at = if *token == NATIVE { PLATFORM_TOKEN } else { *token };
            let stream = cx.call(pool.pool, rewardsCall { token: at }).await?;
            // What is minted beside has no stream of its own.
            let runs = stream.periodFinish > U256::from(cx.block().timestamp);
            let rate = if runs { stream.rewardRate } else { U256::ZERO };
            Ok(Reward::new(*token, (!stream.periodFinish.is_zero()).then_some(rate)))
        }));
        let position = Position::new(PositionKind::STAKED, labels.market, pool.pool).mechanism(self.types.pool);
        let position = position.named(format!("{} pool", symbol(pool.staked)));
        let position = position.leg(Leg::new(LegRole::STAKED, pool.staked, amount).of_total(total));
        let position = streams.await?.into_iter().fold(position, Position::reward);
        let owed = owed.into_iter().filter(|(_, amount)| !amount.is_zero());
        Ok(position.legs(owed.map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount))))
    }

    /// Returns what a claim pays of each reward, then what the minter adds.
    async fn owed(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        pool: MarketPool,
        account: Address,
    ) -> Result<Vec<(Address, U256)>, Error> {
        let mut tokens = cx.call(pool.pool, getRewardTokensCall {}).within(TOKENS_STAND_S).await?;
        truncate(cx, format!("{}: {}", labels.market, pool.pool), &mut tokens, "rewards", REWARDS_MAX);
        let earned = cx.call_each(tokens.iter().map(|token| (pool.pool, earnedCall { account, token: *token })));
        let mut owed = with_each(tokens, earned).await.or_report(cx, labels.market);
        let pendle = cx.call(self.booster, pendleCall {}).immutable().await?;
        let minted = owed.iter().find(|(token, _)| *token == pendle).map(|(_, amount)| *amount).unwrap_or_default();
        for (token, _) in &mut owed {
            *token = named_token(*token);
        }
        for (token, amount) in self.minted(cx, minted).await? {
            token_sums::add_in_order(&mut owed, token, amount)?;
        }
        Ok(owed)
    }

    /// Returns what the minter adds to an amount of PENDLE: one token, and receipts for what is escrowed of it.
    async fn minted(&self, cx: &JobContext, pendle: U256) -> Result<Vec<(Address, U256)>, Error> {
        if pendle.is_zero() || cx.call(self.booster, isShutdownCall {}).await? {
            return Ok(Vec::new());
        }
        let minter = cx.call(self.booster, eqbMinterCall {}).await?;
        let (factor, share) =
            cx.join((cx.call(minter, getFactorCall {}), cx.call(self.booster, farmEqbShareCall {}))).await?;
        let (eqb, receipt) = cx.join((cx.call(self.booster, eqbCall {}), cx.call(self.booster, xEqbCall {}))).await?;
        let all = mul_div(pendle, factor, WHOLE)?;
        let paid = mul_div(all, share, WHOLE)?;
        let escrowed = all.checked_sub(paid).ok_or_else(|| Error::new("a part is more than the whole"))?;
        Ok([(eqb, paid), (receipt, escrowed)].into_iter().filter(|(_, amount)| !amount.is_zero()).collect())
    }
}
