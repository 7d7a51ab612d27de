//! Farms of Stargate v2: one contract stakes shares of all pools, and a rewarder per share pays several tokens,
//! including the native one.
//!
//! A deployment is one staking contract; settings key `stargate_staking`. Answers claimables, staked positions, shares
//! that are held without a stake as pooling positions, and compositions of the shares. Invariant: owed amounts are read from the rewarder that the staking contract names at
//! the answer's block. A rewarder that cannot be read loses only its own pool's row, and the answer reports it. Rewards
//! are paid when a stake leaves, so without one nothing is owed.
//!
//! Source: <https://github.com/stargate-protocol/stargate-v2/tree/main/packages/stg-evm-v2/src/peripheral/rewarder>,
//! `StargateStaking.sol` and `StargateMultiRewarder.sol`; for shares `StargatePool.sol` and `utils/LPToken.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Part, Position,
    PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    struct RewardDetails {
        uint256 rewardPerSec;
        uint160 totalAllocPoints;
        uint48 start;
        uint48 end;
        bool exists;
    }

    // StargateStaking.sol
    function tokens() external view returns (address[] shares);
    function balanceOf(address token, address user) external view returns (uint256);
    function totalSupply(address token) external view returns (uint256);
    function rewarder(address token) external view returns (address);
    // Pays the sender.
    function claim(address[] lpTokens) external;

    // StargateMultiRewarder.sol; the zero address is the native token.
    function getRewards(address stakingToken, address user) external view returns (address[] tokens, uint256[] amounts);
    function allocPointsByStake(address stakingToken) external view
        returns (address[] tokens, uint48[] allocPoints);
    function rewardDetails(address rewardToken) external view returns (RewardDetails details);
}

/// A share, and the pool that issued it and redeems it.
mod share {
    portolan_plugin_api::sol! {
        // LPToken.sol, which has the decimals of its pool's token, and redeems to equal amounts of it.
        function balanceOf(address account) external view returns (uint256);
        function stargate() external view returns (address);
        function totalSupply() external view returns (uint256);

        // StargatePool.sol; the zero address is the native token.
        function token() external view returns (address);
    }
}

/// Cache time of the list of shares, in seconds; a new farm shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Ten times the shares of the largest known deployment.
const SHARES_MAX: usize = 100;
/// Rewards of a pool that are reported; no known pool has more than three.
const REWARDS_MAX: usize = 16;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StargateStakingKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StargateStaking {
    staking: Address,
    types: StargateStakingKit,
}

impl StargateStakingKit {
    /// Keys of a row for farms of Stargate v2 or of a fork:
    /// - `stargate_staking` (address): the staking contract
    pub const KEYS: &'static [&'static str] = &["stargate_staking"];

    /// Creates a deployment of a staking contract's farms.
    fn of(self, staking: Address) -> StargateStaking {
        StargateStaking { staking, types: self }
    }
}

impl Kit for StargateStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["stargate_staking"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("stargate_staking")?.map(|staking| self.of(staking).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::array(Role::MARKET)])]
    }

    /// Returns the view that gives the shares, which claims name and compositions are about.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<tokensCall>().list()]
    }
}

impl DeploymentReader for StargateStaking {
    fn contracts(&self) -> Vec<Address> {
        vec![self.staking]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::POOLING, Question::COMPOSITION]
    }

    /// Returns a claim per pool with rewards, so that one that cannot pay does not block others.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            if held.is_empty() {
                return Ok(Vec::new());
            }
            // A claim may only name shares that the contract lists at the answer's block.
            let listed = cx.call(self.staking, tokensCall {}).await?;
            let rows = held.into_iter().map(|(share, _)| self.claimable(cx, labels, &listed, share, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns the compositions of shares: equal amounts of their pools' tokens.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let known = cx.call(self.staking, tokensCall {}).within(LIST_STANDS_S).await?;
            if !tokens.iter().any(|token| known.contains(token)) {
                return Ok(Vec::new());
            }
            let listed = cx.call(self.staking, tokensCall {}).await?;
            let shares = tokens.iter().filter(|token| listed.contains(token));
            let found = join_partial(cx, shares.map(|share| self.composition(cx, *share))).await;
            Ok(found.or_report(cx, "shares of pools").into_iter().flatten().collect())
        })
    }

    /// Returns a position per pool with a stake, or with shares that are not staked.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            if question == Question::POOLING {
                let shares = self.shares(cx).await?;
                let balance = |share: &Address| (*share, share::balanceOfCall { account });
                let held = read_nonzero(cx, labels.market, shares, balance).await?;
                let rows = held.into_iter().map(|(share, amount)| self.unstaked(cx, labels, share, amount));
                return Ok(join_partial(cx, rows).await.or_report(cx, labels.market));
            }
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|(share, amount)| self.position(cx, labels, share, amount, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl StargateStaking {
    /// Returns the account's staked shares.
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<(Address, U256)>, Error> {
        let shares = self.shares(cx).await?;
        let balance = |share: &Address| (self.staking, balanceOfCall { token: *share, user: account });
        read_nonzero(cx, labels.market, shares, balance).await
    }

    /// Returns the shares that have a farm.
    async fn shares(&self, cx: &JobContext) -> Result<Vec<Address>, Error> {
        let shares = cx.call(self.staking, tokensCall {}).within(LIST_STANDS_S).await?;
        if shares.len() > SHARES_MAX {
            let (at, count) = (self.staking, shares.len());
            return Err(Error::new(format!("{at}: lists {count} shares, more than {SHARES_MAX}")));
        }
        Ok(shares)
    }

    /// Returns shares that are not staked, as the equal amount of their pool's token.
    async fn unstaked(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        share: Address,
        amount: U256,
    ) -> Result<Position, Error> {
        let pool = cx.call(share, share::stargateCall {}).immutable().await?;
        let token = cx.call(pool, share::tokenCall {}).immutable().await?;
        let position = Position::new(PositionKind::POOLED, labels.market, share).mechanism(self.types.share);
        let position = position.named(format!("{} liquidity", symbol(share)));
        Ok(position.leg(Leg::new(LegRole::POOLED, token, amount).receipt(share)))
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        listed: &[Address],
        share: Address,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        if !listed.contains(&share) {
            return Err(Error::new(format!("{}: lists {share} no more", self.staking)));
        }
        let rewarder = cx.call(self.staking, rewarderCall { token: share }).await?;
        let owed = owed(cx, labels, rewarder, share, account).await?;
        let claim = cx.claim(self.staking, &claimCall { lpTokens: vec![share] });
        // Pools may share a rewarder, so the share distinguishes their rows.
        let row = Claimable::new(labels.market, share, claim).mechanism(self.types.stake);
        let row = row.named(format!("{} rewards", symbol(share)));
        let row = owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    /// Returns a stake with its rewards, and the rates to all stakes of the share.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        share: Address,
        amount: U256,
        account: Address,
    ) -> Result<Position, Error> {
        let rewarder = cx.call(self.staking, rewarderCall { token: share });
        let total = cx.call(self.staking, totalSupplyCall { token: share });
        let (rewarder, total) = cx.join((rewarder, total)).await?;
        let streams = streams(cx, labels, rewarder, share);
        let (owed, streams) = cx.join((owed(cx, labels, rewarder, share, account), streams)).await?;
        let stake = Leg::new(LegRole::STAKED, share, amount).of_total(total);
        let owed = owed.into_iter().map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount));
        let position = Position::new(PositionKind::STAKED, labels.market, self.staking).mechanism(self.types.stake);
        let position = position.named(format!("{} farm", symbol(share))).leg(stake).legs(owed);
        Ok(streams.into_iter().fold(position, Position::reward))
    }

    /// Returns the composition of a pool's whole supply; `None` if there is none.
    async fn composition(&self, cx: &JobContext, token: Address) -> Result<Option<Composition>, Error> {
        let pool = cx.call(token, share::stargateCall {}).immutable();
        let (pool, supply) = cx.join((pool, cx.call(token, share::totalSupplyCall {}))).await?;
        let part = Part { token: cx.call(pool, share::tokenCall {}).immutable().await?, amount: supply };
        let kind = self.types.share.to_owned();
        Ok((!supply.is_zero()).then(|| Composition { token, kind, supply, parts: vec![part] }))
    }
}

/// Returns the nonzero amounts that the rewarder owes.
async fn owed(
    cx: &JobContext,
    labels: Labels<'_>,
    rewarder: Address,
    share: Address,
    account: Address,
) -> Result<Vec<(Address, U256)>, Error> {
    let owed = cx.call(rewarder, getRewardsCall { stakingToken: share, user: account }).await?;
    if owed.tokens.len() != owed.amounts.len() {
        return Err(Error::new(format!("{rewarder}: returns another number of tokens than of amounts")));
    }
    let owed = owed.tokens.into_iter().zip(owed.amounts).filter(|(_, amount)| !amount.is_zero()).collect();
    Ok(bounded(cx, labels, rewarder, owed))
}

/// Returns the rewarder's rates for a share: its part of each token's rate, while that runs.
async fn streams(cx: &JobContext, labels: Labels<'_>, rewarder: Address, share: Address) -> Result<Vec<Reward>, Error> {
    let points = cx.call(rewarder, allocPointsByStakeCall { stakingToken: share }).await?;
    let points = points.tokens.into_iter().zip(points.allocPoints).collect();
    let rates = bounded(cx, labels, rewarder, points).into_iter().map(async |(token, points)| {
        let details = cx.call(rewarder, rewardDetailsCall { rewardToken: token }).await?;
        let now = U256::from(cx.block().timestamp);
        let is_on = U256::from(details.start) <= now && now < U256::from(details.end);
        let rate = if is_on { details.rewardPerSec } else { U256::ZERO };
        Ok(Reward::share(token, Some(rate), U256::from(points), U256::from(details.totalAllocPoints)))
    });
    cx.join(rates).await
}

/// Truncates the list to the maximum, and reports the rest.
fn bounded<T>(cx: &JobContext, labels: Labels<'_>, rewarder: Address, mut list: Vec<T>) -> Vec<T> {
    if list.len() > REWARDS_MAX {
        let (market, count) = (labels.market, list.len());
        cx.report_not_covered(format!("{market}: {REWARDS_MAX} of {count} rewards of {rewarder} are reported"));
        list.truncate(REWARDS_MAX);
    }
    list
}
