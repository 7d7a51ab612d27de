//! MUX' staking: its liquidity token, and an escrow of MCB and MUX, each with fees and an escrowed token as rewards.
//!
//! Settings key `mux_router`: the router that stakes and pays. Answers claimables, farming positions of what can leave
//! at any time, and locked ones. Invariant: a lock that is over is a claim, and no position. What vests is answered by
//! rows of `vester`.
//!
//! Source: <https://github.com/mux-world/mux-staking-protocol/tree/main/contracts>, `RewardRouter.sol` and
//! `VotingEscrow.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Claim, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind,
    Question, Reward, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function mlp() external view returns (address);
    function mcb() external view returns (address);
    function mux() external view returns (address);
    function weth() external view returns (address);
    function stakedMlpAmount(address account) external view returns (uint256);
    function votingEscrowedAmounts(address account) external view returns (uint256 mcbAmount, uint256 muxAmount);
    // Unix seconds; a lock is over from then on.
    function unlockTime(address account) external view returns (uint256);
    // Fees, and escrowed tokens, for the liquidity token and for the escrow. It accounts for all stakes first.
    function claimableRewards(address account) external
        returns (uint256 mlpFee, uint256 mlpMux, uint256 veFee, uint256 veMux, uint256 vested);
    // Each pays the sender.
    function claimFromMlp() external;
    function claimFromVe() external;
    function unstakeMcbAndMux() external;
}

/// Gas of what is owed: it distributes fees and an emission, and accounts for four trackers.
const OWED_GAS: u32 = 5_000_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuxStakingKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub stake: &'static str,
    /// Mechanism of locks, and `type` of their rewards and of claims of those that are over.
    pub lock: &'static str,
}

/// One router.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MuxStaking {
    router: Address,
    types: MuxStakingKit,
}

/// Stake and lock of an account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MuxStakes {
    mlp: U256,
    mcb: U256,
    mux: U256,
}

impl MuxStakingKit {
    /// Keys of a row for MUX' staking:
    /// - `mux_router` (address): the router that stakes and pays
    pub const KEYS: &'static [&'static str] = &["mux_router"];
}

impl Kit for MuxStakingKit {
    fn keys(&self) -> &'static [&'static str] {
        &["mux_router"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("mux_router")?.map(|router| MuxStaking { router, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<claimFromMlpCall>([]),
            ClaimTemplate::new::<claimFromVeCall>([]),
            ClaimTemplate::new::<unstakeMcbAndMuxCall>([]),
        ]
    }
}

impl DeploymentReader for MuxStaking {
    fn contracts(&self) -> Vec<Address> {
        vec![self.router]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per stake with rewards, and one of a lock that is over.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let Some(stakes) = self.stakes(cx, account).await? else { return Ok(Vec::new()) };
            let parts: [Boxed<'_, Vec<Claimable>>; 2] =
                [Box::pin(self.rewards(cx, labels, account)), Box::pin(self.over(cx, labels, stakes, account))];
            Ok(join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.concat())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let Some(stakes) = self.stakes(cx, account).await? else { return Ok(Vec::new()) };
            if question == Question::LOCKED {
                self.locked(cx, labels, stakes, account).await
            } else {
                self.staked(cx, labels, stakes, account).await
            }
        })
    }
}

impl MuxStaking {
    /// Returns the account's stake and lock; `None` if it has neither. Whoever leaves whole is owed nothing that was
    /// not paid, but what the trackers keep is then not searched.
    async fn stakes(&self, cx: &JobContext, account: Address) -> Result<Option<MuxStakes>, Error> {
        let mlp = cx.call(self.router, stakedMlpAmountCall { account }).zero_within(ZERO_STANDS_S);
        let escrowed = cx.call(self.router, votingEscrowedAmountsCall { account }).zero_within(ZERO_STANDS_S);
        let (mlp, escrowed) = cx.join((mlp, escrowed)).await?;
        let stakes = MuxStakes { mlp, mcb: escrowed.mcbAmount, mux: escrowed.muxAmount };
        Ok((!(mlp | stakes.mcb | stakes.mux).is_zero()).then_some(stakes))
    }

    async fn owed(&self, cx: &JobContext, account: Address) -> Result<[[(Address, U256); 2]; 2], Error> {
        let owed = cx.call(self.router, claimableRewardsCall { account }).isolated().gas_cap(OWED_GAS);
        let weth = cx.call(self.router, wethCall {}).immutable();
        let (owed, weth, mux) = cx.join((owed, weth, cx.call(self.router, muxCall {}).immutable())).await?;
        Ok([[(weth, owed.mlpFee), (mux, owed.mlpMux)], [(weth, owed.veFee), (mux, owed.veMux)]])
    }

    async fn rewards(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Claimable>, Error> {
        let [mlp, ve] = self.owed(cx, account).await?;
        let row = |claim: Claim, mechanism: &str, what: &str, number: u64, owed: [(Address, U256); 2]| {
            let row = Claimable::new(labels.market, self.router, claim).mechanism(mechanism);
            let row = row.named(format!("{} {what} rewards", labels.title)).numbered(U256::from(number));
            let row = owed
                .into_iter()
                .filter(|(_, amount)| !amount.is_zero())
                .fold(row, |row, (token, amount)| row.pays(token, amount));
            (!row.payments.is_empty()).then_some(row)
        };
        let stake = row(cx.claim(self.router, &claimFromMlpCall {}), self.types.stake, "staking", 0, mlp);
        let lock = row(cx.claim(self.router, &claimFromVeCall {}), self.types.lock, "lock", 1, ve);
        Ok([stake, lock].into_iter().flatten().collect())
    }

    /// Returns the claim of a lock that is over.
    async fn over(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        stakes: MuxStakes,
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        let legs = self.escrowed(cx, stakes).await?;
        if legs.is_empty() || !self.is_over(cx, account).await?.0 {
            return Ok(Vec::new());
        }
        let claim = cx.claim(self.router, &unstakeMcbAndMuxCall {});
        let row = Claimable::new(labels.market, self.router, claim).mechanism(self.types.lock).numbered(U256::from(2));
        let row = row.named(format!("{} lock", labels.title));
        Ok(vec![legs.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))])
    }

    async fn locked(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        stakes: MuxStakes,
        account: Address,
    ) -> Result<Vec<Position>, Error> {
        let legs = self.escrowed(cx, stakes).await?;
        let (is_over, end) = self.is_over(cx, account).await?;
        if legs.is_empty() || is_over {
            return Ok(Vec::new());
        }
        let position = Position::new(PositionKind::LOCKED, labels.market, self.router).mechanism(self.types.lock);
        let position = position.named(format!("{} lock", labels.title));
        let lock = Lock { unlocks_at: u64::try_from(end).ok(), is_permanent: Some(false) };
        let legs = legs.into_iter().map(|(token, amount)| Leg::new(LegRole::LOCKED, token, amount));
        Ok(vec![Position { lock: Some(lock), ..position.legs(legs) }])
    }

    async fn staked(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        stakes: MuxStakes,
        account: Address,
    ) -> Result<Vec<Position>, Error> {
        if stakes.mlp.is_zero() {
            return Ok(Vec::new());
        }
        let mlp = cx.call(self.router, mlpCall {}).immutable();
        let (mlp, [owed, _]) = cx.join((mlp, self.owed(cx, account))).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, self.router).mechanism(self.types.stake);
        let position = position.named(format!("{} staking", symbol(mlp)));
        let position = position.leg(Leg::new(LegRole::STAKED, mlp, stakes.mlp));
        // Rates follow fees, and how much is escrowed.
        let position = owed.iter().fold(position, |position, (token, _)| position.reward(Reward::new(*token, None)));
        let owed = owed.into_iter().filter(|(_, amount)| !amount.is_zero());
        Ok(vec![position.legs(owed.map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount)))])
    }

    /// Returns the tokens of the lock with their amounts.
    async fn escrowed(&self, cx: &JobContext, stakes: MuxStakes) -> Result<Vec<(Address, U256)>, Error> {
        if (stakes.mcb | stakes.mux).is_zero() {
            return Ok(Vec::new());
        }
        let mcb = cx.call(self.router, mcbCall {}).immutable();
        let (mcb, mux) = cx.join((mcb, cx.call(self.router, muxCall {}).immutable())).await?;
        let legs = [(mcb, stakes.mcb), (mux, stakes.mux)];
        Ok(legs.into_iter().filter(|(_, amount)| !amount.is_zero()).collect())
    }

    /// Returns true if the lock is over, and its end.
    async fn is_over(&self, cx: &JobContext, account: Address) -> Result<(bool, U256), Error> {
        let end = cx.call(self.router, unlockTimeCall { account }).await?;
        Ok((end <= U256::from(cx.block().timestamp), end))
    }
}
