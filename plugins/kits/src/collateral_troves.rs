//! Liquity with several collaterals in one manager of troves: Ethos Reserve.
//!
//! Settings key `collateral_manager`. Answers claimables, borrowed positions and staked ones. Invariant: gains paid by
//! one call are one claim, and the call moves none of the deposit: its amount is always zero. Collateral that is left
//! over from a closed trove is not read: no contract names the pool of it.
//!
//! Source: <https://github.com/code-423n4/2023-02-ethos/tree/main/Ethos-Core/contracts>

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Claim, ClaimTemplate, Claimable, Error, Health, JobContext, Keys, Leg, LegRole, Lineage, Position,
    PositionKind, Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_each};
use crate::token_sums;
use crate::trove_health::Ratio;

portolan_plugin_api::sol! {
    // TroveManager.sol
    function collateralConfig() external view returns (address);
    function stabilityPool() external view returns (address);
    function lqtyStaking() external view returns (address);
    function lusdToken() external view returns (address);
    function lqtyToken() external view returns (address);
    function priceFeed() external view returns (address);
    // Includes pending redistributions; all zero without a trove.
    function getEntireDebtAndColl(address borrower, address collateral) external view
        returns (uint256 debt, uint256 coll, uint256 pendingDebt, uint256 pendingColl);

    // CollateralConfig.sol
    function getAllowedCollaterals() external view returns (address[] collaterals);
    function getCollateralDecimals(address collateral) external view returns (uint256);
    function getCollateralMCR(address collateral) external view returns (uint256);

    // PriceFeed.sol: it stores the price that it returns, with 18 decimals.
    function fetchPrice(address collateral) external returns (uint256);

    // StabilityPool.sol
    function communityIssuance() external view returns (address);
    function getCompoundedLUSDDeposit(address depositor) external view returns (uint256);
    function getDepositorCollateralGain(address depositor) external view returns (address[] assets, uint256[] amounts);
    function getDepositorLQTYGain(address depositor) external view returns (uint256);
    function getTotalLUSDDeposits() external view returns (uint256);
    function withdrawFromSP(uint256 amount) external;

    // CommunityIssuance.sol: the token that the stability pool pays.
    function OathToken() external view returns (address);

    // LQTYStaking.sol
    function stakes(address user) external view returns (uint256);
    function getPendingCollateralGain(address user) external view returns (address[] assets, uint256[] amounts);
    function getPendingLUSDGain(address user) external view returns (uint256);
    function totalLQTYStaked() external view returns (uint256);
    function unstake(uint256 amount) external;
}

/// Cache time of the list of collaterals, in seconds.
const COLLATERALS_STAND_S: u32 = 300;
/// Collaterals that are answered; the largest known manager has three.
const COLLATERALS_MAX: usize = 16;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollateralTrovesKit {
    /// Mechanism of troves.
    pub trove: &'static str,
    /// Mechanism of deposits in the stability pool and of stakes, and `type` of their gains.
    pub deposit: &'static str,
}

/// One manager of troves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollateralTroves {
    manager: Address,
    types: CollateralTrovesKit,
}

/// A deposit or a stake that gains several tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
struct GainingDeposit {
    at: Address,
    what: &'static str,
    token: Address,
    amount: U256,
    total: U256,
    gains: BTreeMap<Address, U256>,
    reward: Option<Address>,
    claim: Claim,
}

impl CollateralTrovesKit {
    /// Keys of a row for Liquity with several collaterals, as Ethos Reserve:
    /// - `collateral_manager` (address): the manager of troves, which names the other contracts
    pub const KEYS: &'static [&'static str] = &["collateral_manager"];
}

impl Kit for CollateralTrovesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["collateral_manager"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let manager = keys.address_opt("collateral_manager")?;
        Ok(manager.map(|manager| CollateralTroves { manager, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<withdrawFromSPCall>([Role::constant(&U256::ZERO)]),
            ClaimTemplate::new::<unstakeCall>([Role::constant(&U256::ZERO)]),
        ]
    }

    /// Returns the views of the manager that give claim targets.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<stabilityPoolCall>(), Lineage::targets::<lqtyStakingCall>()]
    }
}

impl DeploymentReader for CollateralTroves {
    fn contracts(&self) -> Vec<Address> {
        vec![self.manager]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LENDING]
    }

    /// Returns a claim per deposit with gains.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let row = |held: GainingDeposit| {
                let row = Claimable::new(labels.market, held.at, held.claim).mechanism(self.types.deposit);
                let row = row.named(format!("{} {} gains", labels.title, held.what));
                held.gains.into_iter().fold(row, |row, (token, gain)| row.pays(token, gain))
            };
            let rows = self.deposits(cx, labels, account).await?.into_iter().map(row);
            Ok(rows.filter(|row| !row.payments.is_empty()).collect())
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
            if question == Question::LENDING {
                return self.troves(cx, labels, account).await;
            }
            let row = |held: GainingDeposit| {
                let position = Position::new(PositionKind::STAKED, labels.market, held.at);
                let position = position.mechanism(self.types.deposit).named(format!("{} {}", labels.title, held.what));
                let position = position.leg(Leg::new(LegRole::STAKED, held.token, held.amount).of_total(held.total));
                let owed = held.gains.into_iter();
                let position = position.legs(owed.map(|(token, gain)| Leg::new(LegRole::REWARD_OWED, token, gain)));
                held.reward.into_iter().fold(position, |position, token| position.reward(Reward::new(token, None)))
            };
            Ok(self.deposits(cx, labels, account).await?.into_iter().map(row).collect())
        })
    }
}

impl CollateralTroves {
    /// Returns a position per collateral of which the account has a trove.
    async fn troves(&self, cx: &JobContext, labels: Labels<'_>, borrower: Address) -> Result<Vec<Position>, Error> {
        let config = cx.call(self.manager, collateralConfigCall {}).immutable().await?;
        let mut collaterals = cx.call(config, getAllowedCollateralsCall {}).within(COLLATERALS_STAND_S).await?;
        truncate(cx, labels.market, &mut collaterals, "collaterals", COLLATERALS_MAX);
        let trove =
            |collateral: &Address| (self.manager, getEntireDebtAndCollCall { borrower, collateral: *collateral });
        let troves = cx.call_each(collaterals.iter().map(trove)).zero_within(ZERO_STANDS_S);
        let mut troves = with_each(collaterals, troves).await.fail_if_none(cx, labels.market)?;
        troves.retain(|(_, trove)| !(trove.debt | trove.coll).is_zero());
        let rows = troves.into_iter().map(async |(collateral, trove)| {
            let token = cx.call(self.manager, lusdTokenCall {}).immutable().await?;
            // Neither bears interest.
            let leg = |role, token, amount| Leg::new(role, token, amount).rate_ray(U256::ZERO);
            let supplied = Leg { is_collateral: Some(true), ..leg(LegRole::SUPPLIED, collateral, trove.coll) };
            let position = Position::new(PositionKind::BORROWED, labels.market, self.manager);
            let position = position.mechanism(self.types.trove).named(format!("{} trove", symbol(collateral)));
            let position = position.legs([supplied, leg(LegRole::BORROWED, token, trove.debt)]);
            let position = position.numbered(U256::from_be_slice(collateral.as_slice()));
            let ratio = Ratio { collateral: (collateral, trove.coll), debt: (token, trove.debt) };
            let health = self.health(cx, config, ratio).await;
            let health = health.inspect_err(|error| cx.report_missing(format!("{}: health: {error}", labels.market)));
            Ok(Position { health: health.ok(), ..position })
        });
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
    }

    /// Returns the collateral ratio over the minimum ratio, and the price at which they are equal.
    async fn health(&self, cx: &JobContext, config: Address, ratio: Ratio) -> Result<Health, Error> {
        let (collateral, _) = ratio.collateral;
        let feed = cx.call(self.manager, priceFeedCall {}).within(COLLATERALS_STAND_S).await?;
        let price = cx.call(feed, fetchPriceCall { collateral }).isolated();
        let least = cx.call(config, getCollateralMCRCall { collateral });
        let decimals = cx.call(config, getCollateralDecimalsCall { collateral }).immutable();
        let (price, least, decimals) = cx.join((price, least, decimals)).await?;
        ratio.health_scaled(price, least, decimals)
    }

    /// Returns the deposit in the stability pool and the stake, where the account has any.
    async fn deposits(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        account: Address,
    ) -> Result<Vec<GainingDeposit>, Error> {
        let parts: [Boxed<'_, Option<GainingDeposit>>; 2] =
            [Box::pin(self.stability(cx, account)), Box::pin(self.stake(cx, account))];
        let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn stability(&self, cx: &JobContext, depositor: Address) -> Result<Option<GainingDeposit>, Error> {
        let pool = cx.call(self.manager, stabilityPoolCall {}).immutable().await?;
        let amount = cx.call(pool, getCompoundedLUSDDepositCall { depositor }).zero_within(ZERO_STANDS_S);
        let reward = cx.call(pool, getDepositorLQTYGainCall { depositor }).zero_within(ZERO_STANDS_S);
        let (amount, reward) = cx.join((amount, reward)).await?;
        if (amount | reward).is_zero() {
            return Ok(None);
        }
        let gains = cx.call(pool, getDepositorCollateralGainCall { depositor });
        let total = cx.call(pool, getTotalLUSDDepositsCall {});
        let token = cx.call(self.manager, lusdTokenCall {}).immutable();
        let (gains, total, (token, oath)) = cx.join((gains, total, cx.join((token, self.oath(cx, pool))))).await?;
        let mut gains = summed(pool, gains.assets, gains.amounts)?;
        add(&mut gains, oath, reward)?;
        let claim = cx.claim(pool, &withdrawFromSPCall { amount: U256::ZERO });
        let reward = Some(oath);
        Ok(Some(GainingDeposit { at: pool, what: "stability pool", token, amount, total, gains, reward, claim }))
    }

    /// Returns the token that the stability pool pays.
    async fn oath(&self, cx: &JobContext, pool: Address) -> Result<Address, Error> {
        let issuance = cx.call(pool, communityIssuanceCall {}).immutable().await?;
        cx.call(issuance, OathTokenCall {}).immutable().await
    }

    async fn stake(&self, cx: &JobContext, user: Address) -> Result<Option<GainingDeposit>, Error> {
        let staking = cx.call(self.manager, lqtyStakingCall {}).immutable().await?;
        if staking.is_zero() {
            return Ok(None);
        }
        let amount = cx.call(staking, stakesCall { user }).zero_within(ZERO_STANDS_S).await?;
        if amount.is_zero() {
            return Ok(None);
        }
        let gains = cx.call(staking, getPendingCollateralGainCall { user });
        let fees = cx.call(staking, getPendingLUSDGainCall { user });
        let total = cx.call(staking, totalLQTYStakedCall {});
        let token = cx.call(self.manager, lqtyTokenCall {}).immutable();
        let debt = cx.call(self.manager, lusdTokenCall {}).immutable();
        let (gains, fees, (total, token, debt)) = cx.join((gains, fees, cx.join((total, token, debt)))).await?;
        let mut gains = summed(staking, gains.assets, gains.amounts)?;
        add(&mut gains, debt, fees)?;
        let claim = cx.claim(staking, &unstakeCall { amount: U256::ZERO });
        Ok(Some(GainingDeposit { at: staking, what: "staking", token, amount, total, gains, reward: None, claim }))
    }
}

/// Returns the nonzero amounts by token.
fn summed(at: Address, tokens: Vec<Address>, amounts: Vec<U256>) -> Result<BTreeMap<Address, U256>, Error> {
    if tokens.len() != amounts.len() || tokens.len() > COLLATERALS_MAX {
        return Err(Error::new(format!("{at}: gains {} amounts of {} tokens", amounts.len(), tokens.len())));
    }
    let mut sums = BTreeMap::new();
    for (token, amount) in tokens.into_iter().zip(amounts) {
        add(&mut sums, token, amount)?;
    }
    Ok(sums)
}

fn add(sums: &mut BTreeMap<Address, U256>, token: Address, amount: U256) -> Result<(), Error> {
    if !amount.is_zero() {
        token_sums::add(sums, token, amount)?;
    }
    Ok(())
}
