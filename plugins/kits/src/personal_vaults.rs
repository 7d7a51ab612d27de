//! Vaults of which each account has its own, as Convex has them for gauges of f(x) and farms of Frax: the vault stakes,
//! and pays its owner what it earns.
//!
//! Settings keys `vault_registry` and `vault_farms`. Answers claimables and farming positions. Invariant: rewards are
//! what the vault's own view returns once it has claimed, and a claim that the vault refuses is not answered but
//! reported. A claim calls a vault only if the registry names it for the account at the answer's block.
//!
//! Source: <https://github.com/convex-eth/function_x/tree/main/contracts/contracts/boosting>, `PoolRegistry.sol`,
//! `StakingProxyERC20.sol` and `StakingProxyRebalancePool.sol`; and
//! <https://github.com/convex-eth/frax-cvx-platform/tree/main/contracts/contracts>, with files of the same names.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_each};
use crate::token_sums;

portolan_plugin_api::sol! {
    // PoolRegistry.sol
    function poolLength() external view returns (uint256);
    // The contracts of a pool never change.
    function poolInfo(uint256 pid) external view
        returns (address implementation, address stakingAddress, address stakingToken, address rewards, uint8 active);
    // Zero without a vault; a vault stays.
    function vaultMap(uint256 pid, address user) external view returns (address vault);

    // The gauge in which vaults stake.
    function balanceOf(address vault) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    // The same of Frax' farms.
    function lockedLiquidityOf(address vault) external view returns (uint256);
    function totalLiquidityLocked() external view returns (uint256);

    // StakingProxyERC20.sol: claims to the vault first, so that it can count.
    function earned() external returns (address[] tokens, uint256[] amounts);
    // Pays the vault's owner.
    function getReward() external;
}

/// Key of the list of pools among a deployment's fact lists.
const LIST: &str = "vault-pools";
/// Rewards of a vault that are answered; no known one has more than six.
const REWARDS_MAX: usize = 24;
/// Gas of what a vault has earned, and of its claim: it mints, and claims from a gauge and another contract.
const EARNED_GAS: u32 = 5_000_000;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonalVaultsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub vault: &'static str,
}

/// Vaults of one registry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PersonalVaults {
    registry: Address,
    /// True if the vaults stake in Frax' farms.
    in_farms: bool,
    types: PersonalVaultsKit,
}

/// The account's vault of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PersonalVault {
    vault: Address,
    gauge: Address,
    token: Address,
}

impl PersonalVaultsKit {
    /// Keys of a row for vaults of which each account has its own, as Convex' for f(x):
    /// - `vault_registry` (address): the registry of pools
    /// - `vault_farms` (boolean, optional): true if the vaults stake in Frax' farms, and not in gauges
    pub const KEYS: &'static [&'static str] = &["vault_registry", "vault_farms"];
}

impl Kit for PersonalVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["vault_registry"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(registry) = keys.address_opt("vault_registry")? else { return Ok(None) };
        Ok(Some(PersonalVaults { registry, in_farms: keys.flag("vault_farms")?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([])]
    }

    /// Returns the view that gives the account's vaults, which claims call.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<vaultMapCall>()]
    }
}

impl DeploymentReader for PersonalVaults {
    fn contracts(&self) -> Vec<Address> {
        vec![self.registry]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per vault with rewards, also without a stake: the vault keeps what it earned.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let vaults = self.vaults(cx, labels, account).await?;
            let rows = vaults.into_iter().map(|held| self.claimable(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let vaults = self.vaults(cx, labels, account).await?;
            let rows = vaults.into_iter().map(|held| self.position(cx, labels, held));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl PersonalVaults {
    /// Returns the account's vaults, each with the gauge that it stakes in.
    async fn vaults(&self, cx: &JobContext, labels: Labels<'_>, user: Address) -> Result<Vec<PersonalVault>, Error> {
        let walk = |places: Range<u64>| cx.join(places.map(move |place| self.entry(cx, place)));
        let count = cx.call(self.registry, poolLengthCall {}).within(COUNT_STANDS_S);
        let pools: Vec<(Address, Address)> = cx.facts(labels.market, LIST, count, walk).await?;
        let pools: Vec<(U256, (Address, Address))> = (0_u64..).map(U256::from).zip(pools).collect();
        let vaults = cx.call_each(pools.iter().map(|(pid, _)| (self.registry, vaultMapCall { pid: *pid, user })));
        let vaults = with_each(pools, vaults.zero_within(ZERO_STANDS_S)).await.fail_if_none(cx, labels.market)?;
        let vaults = vaults.into_iter().filter(|(_, vault)| !vault.is_zero());
        Ok(vaults.map(|((_, (gauge, token)), vault)| PersonalVault { vault, gauge, token }).collect())
    }

    async fn entry(&self, cx: &JobContext, place: u64) -> Result<(Address, Address), Error> {
        let info = cx.call(self.registry, poolInfoCall { pid: U256::from(place) }).await?;
        Ok((info.stakingAddress, info.stakingToken))
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        held: PersonalVault,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let mut owed = owed(cx, held.vault).await?;
        owed.retain(|_, amount| !amount.is_zero());
        if owed.is_empty() {
            return Ok(None);
        }
        cx.call(held.vault, getRewardCall {}).from(account).isolated().gas_cap(EARNED_GAS).await?;
        let row = Claimable::new(labels.market, held.vault, cx.claim(held.vault, &getRewardCall {}));
        let row = row.mechanism(self.types.vault).named(format!("{} vault rewards", symbol(held.token)));
        Ok(Some(owed.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))))
    }

    /// Returns the vault's stake; `None` without one.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        PersonalVault { vault, gauge, token }: PersonalVault,
    ) -> Result<Option<Position>, Error> {
        let (amount, total) = if self.in_farms {
            let amount = cx.call(gauge, lockedLiquidityOfCall { vault });
            cx.join((amount, cx.call(gauge, totalLiquidityLockedCall {}))).await?
        } else {
            cx.join((cx.call(gauge, balanceOfCall { vault }), cx.call(gauge, totalSupplyCall {}))).await?
        };
        if amount.is_zero() {
            return Ok(None);
        }
        let owed = owed(cx, vault).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, vault).mechanism(self.types.vault);
        let position = position.named(format!("{} vault", symbol(token)));
        let position = position.leg(Leg::new(LegRole::STAKED, token, amount).of_total(total));
        // Rates follow votes and the boost of the vault.
        let position = owed.keys().fold(position, |position, token| position.reward(Reward::new(*token, None)));
        let owed = owed.into_iter().filter(|(_, amount)| !amount.is_zero());
        Ok(Some(position.legs(owed.map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount)))))
    }
}

/// Returns what the vault pays of each token.
async fn owed(cx: &JobContext, vault: Address) -> Result<BTreeMap<Address, U256>, Error> {
    let found = cx.call(vault, earnedCall {}).isolated().gas_cap(EARNED_GAS).await?;
    let (tokens, amounts) = (found.tokens, found.amounts);
    if tokens.len() != amounts.len() || tokens.len() > REWARDS_MAX {
        return Err(Error::new(format!("{vault}: owes {} amounts of {} tokens", amounts.len(), tokens.len())));
    }
    let mut owed: BTreeMap<Address, U256> = BTreeMap::new();
    for (token, amount) in tokens.into_iter().zip(amounts).filter(|(token, _)| !token.is_zero()) {
        token_sums::add(&mut owed, token, amount)?;
    }
    Ok(owed)
}
