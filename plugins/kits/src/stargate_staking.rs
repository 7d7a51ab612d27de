//! Farms of Stargate's second version: one contract stakes shares of all pools, and a rewarder of each share pays several
//! tokens for it, the native one among them.
//!
//! A deployment is one staking contract; settings key `stargate_staking`. It answers claimables, staked positions, and what
//! the shares redeem to. Invariant: what is owed is what the rewarder counts that the staking contract names at the answer's
//! block; a rewarder that cannot be read costs its own pool's row, and the answer says so. Rewards are paid when a stake
//! leaves, so that nothing is owed without one.
//!
//! Source: <https://github.com/stargate-protocol/stargate-v2/tree/main/packages/stg-evm-v2/src/peripheral/rewarder>,
//! `StargateStaking.sol` and `StargateMultiRewarder.sol`; of shares `StargatePool.sol` and `utils/LPToken.sol` beside it.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Chain, ClaimTemplate, Claimable, Composition, Error, Keys, Leg, LegRole, Lineage, Part, Position,
    PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{Deployed, Kit, Labels};
use crate::nonzero::nonzero;
use crate::try_each::try_each;

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
    // Pays its sender.
    function claim(address[] lpTokens) external;

    // StargateMultiRewarder.sol; the native token is the zero address.
    function getRewards(address stakingToken, address user) external view returns (address[] tokens, uint256[] amounts);
    function allocPointsByStake(address stakingToken) external view
        returns (address[] tokens, uint48[] allocPoints);
    function rewardDetails(address rewardToken) external view returns (RewardDetails details);
}

/// A share, and the pool that deployed it and redeems it.
mod share {
    portolan_plugin_api::sol! {
        // LPToken.sol, which has the decimals of its pool's token.
        function stargate() external view returns (address);
        function totalSupply() external view returns (uint256);

        // StargatePool.sol; the native token is the zero address.
        function token() external view returns (address);
    }
}

/// Seconds that the list of shares may be cached: a new farm shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// More shares than any known deployment has, ten times over.
const SHARES_MAX: usize = 100;
/// Rewards of a pool that are told; none known has more than three.
const REWARDS_MAX: usize = 16;

/// The plugin's words for what a deployment answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StargateStakings {
    /// The mechanism of stakes, and the `type` of their rewards.
    pub stake: &'static str,
    /// The token `type` of the shares.
    pub share: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StargateStaking {
    staking: Address,
    types: StargateStakings,
}

impl StargateStakings {
    /// The farms of this staking contract.
    pub const fn of(self, staking: Address) -> StargateStaking {
        StargateStaking { staking, types: self }
    }
}

impl Kit for StargateStakings {
    fn keys(&self) -> &'static [&'static str] {
        &["stargate_staking"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn Deployed>>, SettingsError> {
        Ok(keys.address_opt("stargate_staking")?.map(|staking| self.of(staking).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<claimCall>([Role::array(Role::MARKET)])]
    }

    /// The shares, which claims name and compositions are about.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<tokensCall>().list()]
    }
}

impl Deployed for StargateStaking {
    fn shared(&self) -> Arc<dyn Deployed> {
        Arc::new(*self)
    }

    fn contracts(&self) -> Vec<Address> {
        vec![self.staking]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::COMPOSITION]
    }

    /// Answers what each pool owes: a claim for each, so that one that cannot pay holds back no other.
    fn claimables<'a>(&'a self, cx: &'a Chain, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            if held.is_empty() {
                return Ok(Vec::new());
            }
            // A claim may name only what the contract lists at the answer's block.
            let listed = cx.call(self.staking, tokensCall {}).await?;
            let rows = held.into_iter().map(|(share, _)| self.claimable(cx, labels, &listed, share, account));
            Ok(try_each(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Answers what shares redeem to: as much of their pool's token.
    fn compositions<'a>(&'a self, cx: &'a Chain, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let known = cx.call(self.staking, tokensCall {}).within(LIST_STANDS_S).await?;
            if !tokens.iter().any(|token| known.contains(token)) {
                return Ok(Vec::new());
            }
            let listed = cx.call(self.staking, tokensCall {}).await?;
            let shares = tokens.iter().filter(|token| listed.contains(token));
            let found = try_each(cx, shares.map(|share| self.composition(cx, *share))).await;
            Ok(found.or_report(cx, "shares of pools").into_iter().flatten().collect())
        })
    }

    /// Answers what the account has staked, a position for each pool.
    fn positions<'a>(
        &'a self,
        cx: &'a Chain,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|(share, amount)| self.position(cx, labels, share, amount, account));
            Ok(try_each(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl StargateStaking {
    /// The shares that the account has staked, and how many of each.
    async fn held(&self, cx: &Chain, labels: Labels<'_>, account: Address) -> Result<Vec<(Address, U256)>, Error> {
        let shares = cx.call(self.staking, tokensCall {}).within(LIST_STANDS_S).await?;
        if shares.len() > SHARES_MAX {
            let (at, count) = (self.staking, shares.len());
            return Err(Error::new(format!("{at}: lists {count} shares, more than {SHARES_MAX}")));
        }
        let balance = |share: &Address| (self.staking, balanceOfCall { token: *share, user: account });
        nonzero(cx, labels.market, shares, balance).await
    }

    async fn claimable(
        &self,
        cx: &Chain,
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
        // Pools may share a rewarder, so that the share is what tells their rows apart.
        let row = Claimable::new(labels.market, share, claim).of(self.types.stake);
        let row = row.named(format!("{} rewards", symbol(share)));
        let row = owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount));
        Ok((!row.payments.is_empty()).then_some(row))
    }

    /// A stake with what is owed for it, and what is paid in a second to all stakes of the share.
    async fn position(
        &self,
        cx: &Chain,
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
        let position = Position::new(PositionKind::STAKED, labels.market, self.staking).of(self.types.stake);
        let position = position.named(format!("{} farm", symbol(share))).leg(stake).legs(owed);
        Ok(streams.into_iter().fold(position, Position::reward))
    }

    /// What all shares of a pool together redeem to; nothing where nobody has any.
    async fn composition(&self, cx: &Chain, token: Address) -> Result<Option<Composition>, Error> {
        let pool = cx.call(token, share::stargateCall {}).immutable();
        let (pool, supply) = cx.join((pool, cx.call(token, share::totalSupplyCall {}))).await?;
        let part = Part { token: cx.call(pool, share::tokenCall {}).immutable().await?, amount: supply };
        let kind = self.types.share.to_owned();
        Ok((!supply.is_zero()).then(|| Composition { token, kind, supply, parts: vec![part] }))
    }
}

/// What the rewarder owes, without what is nothing.
async fn owed(
    cx: &Chain,
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

/// What the rewarder pays for a share in a second: its part of the rate of each token whose time it is.
async fn streams(cx: &Chain, labels: Labels<'_>, rewarder: Address, share: Address) -> Result<Vec<Reward>, Error> {
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

/// No more than are told; what is left out is reported.
fn bounded<T>(cx: &Chain, labels: Labels<'_>, rewarder: Address, mut list: Vec<T>) -> Vec<T> {
    if list.len() > REWARDS_MAX {
        let (market, count) = (labels.market, list.len());
        cx.report_not_covered(format!("{market}: {REWARDS_MAX} of {count} rewards of {rewarder} are told"));
        list.truncate(REWARDS_MAX);
    }
    list
}
