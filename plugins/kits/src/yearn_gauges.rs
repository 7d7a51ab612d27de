//! Yearn's gauges: vault shares staked for a reward, which the account's lock of YFI boosts.
//!
//! A deployment is the registry that names a gauge per vault; settings key `yearn_gauge_registry`. Answers claimables
//! and farming positions. Invariant: a failing gauge loses only its own rows, and the answer reports it. A claim calls
//! a gauge only if the registry names it at the answer's block, and the account has not redirected its rewards. Gauges
//! that left the registry are not found.
//!
//! Source: <https://github.com/yearn/veYFI/tree/master/contracts>, `Registry.sol`, `BaseGauge.sol` and `Gauge.sol`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // The registry.
    function getVaults() external view returns (address[]);
    function gauges(address vault) external view returns (address);

    // A gauge.
    function REWARD_TOKEN() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function earned(address account) external view returns (uint256);
    // Receiver of claims; zero is the account itself.
    function recipients(address account) external view returns (address);
    function getReward() external;
}

/// Cache time of the vaults and their gauges, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Far more vaults than have ever had a gauge.
const VAULTS_MAX: usize = 500;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YearnGaugesKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub gauge: &'static str,
}

/// Gauges of one deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YearnGauges {
    registry: Address,
    types: YearnGaugesKit,
}

/// A gauge, and the vault whose shares it takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct VaultGauge {
    vault: Address,
    address: Address,
}

impl YearnGaugesKit {
    /// Keys of a row for Yearn's gauges:
    /// - `yearn_gauge_registry` (address): the registry that names a gauge for each vault
    pub const KEYS: &'static [&'static str] = &["yearn_gauge_registry"];

    /// Creates a deployment of a registry's gauges.
    fn of(self, registry: Address) -> YearnGauges {
        YearnGauges { registry, types: self }
    }
}

impl Kit for YearnGaugesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["yearn_gauge_registry"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("yearn_gauge_registry")?.map(|registry| self.of(registry).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([])]
    }

    /// Returns the view that gives the gauges.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<gaugesCall>()]
    }
}

impl DeploymentReader for YearnGauges {
    fn contracts(&self) -> Vec<Address> {
        vec![self.registry]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns a claim per gauge with rewards, even without a stake.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let gauges = self.gauges(cx, labels).await?;
            let earned =
                read_nonzero(cx, labels.market, gauges, |gauge| (gauge.address, earnedCall { account })).await?;
            let rows = earned.into_iter().map(|(gauge, owed)| self.claimable(cx, labels, gauge, owed, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns a position per gauge with a stake.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let gauges = self.gauges(cx, labels).await?;
            let staked =
                read_nonzero(cx, labels.market, gauges, |gauge| (gauge.address, balanceOfCall { account })).await?;
            let rows = staked.into_iter().map(|(gauge, amount)| self.position(cx, labels, gauge, amount, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl YearnGauges {
    /// Returns the gauges that the registry names.
    async fn gauges(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<VaultGauge>, Error> {
        let vaults = cx.call(self.registry, getVaultsCall {}).within(LIST_STANDS_S).await?;
        if vaults.len() > VAULTS_MAX {
            let (at, count) = (self.registry, vaults.len());
            return Err(Error::new(format!("{at}: lists {count} vaults, more than {VAULTS_MAX}")));
        }
        let each = vaults.into_iter().map(async |vault| {
            let address = cx.call(self.registry, gaugesCall { vault }).within(LIST_STANDS_S).await?;
            Ok(VaultGauge { vault, address })
        });
        let gauges = join_partial(cx, each).await.fail_if_none(cx, labels.market)?;
        Ok(gauges.into_iter().filter(|gauge| !gauge.address.is_zero()).collect())
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        gauge: VaultGauge,
        owed: U256,
        account: Address,
    ) -> Result<Claimable, Error> {
        let VaultGauge { vault, address } = gauge;
        let named = cx.call(self.registry, gaugesCall { vault });
        let recipient = cx.call(address, recipientsCall { account });
        let reward = cx.call(address, REWARD_TOKENCall {}).immutable();
        let (named, recipient, reward) = cx.join((named, recipient, reward)).await?;
        if named != address {
            return Err(Error::new(format!("{address}: is the gauge of {vault} no more")));
        }
        if !recipient.is_zero() && recipient != account {
            return Err(Error::new(format!("{address}: pays the account's rewards to {recipient}")));
        }
        let claim = cx.claim(address, &getRewardCall {});
        let row = Claimable::new(labels.market, address, claim).mechanism(self.types.gauge).pays(reward, owed);
        Ok(row.named(format!("{} reward", symbol(vault))))
    }

    /// Returns a stake with its rewards. The rate is unknown: it depends on the account's lock.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        gauge: VaultGauge,
        amount: U256,
        account: Address,
    ) -> Result<Position, Error> {
        let VaultGauge { vault, address } = gauge;
        let total = cx.call(address, totalSupplyCall {});
        let earned = cx.call(address, earnedCall { account });
        let reward = cx.call(address, REWARD_TOKENCall {}).immutable();
        let (total, earned, reward) = cx.join((total, earned, reward)).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, address).mechanism(self.types.gauge);
        let position = position.named(format!("{} gauge", symbol(vault)));
        let position = position.leg(Leg::new(LegRole::STAKED, vault, amount).of_total(total));
        let position = position.leg(Leg::new(LegRole::REWARD_OWED, reward, earned));
        Ok(position.reward(Reward::new(reward, None)))
    }
}
