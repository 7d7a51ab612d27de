//! Stake DAO's second vaults: each stakes a gauge's token one for one, an accountant pays the gauge's main reward, and
//! the vault itself others.
//!
//! Settings keys `vault_controller`, `vault_accountant` and `vault_gauges`. Answers claimables and farming positions.
//! Invariant: a vault is one that the controller names for a gauge that the factory of gauges lists. Rewards that
//! nobody has harvested from the gauge yet are not owed yet. A failing vault loses only its own rows.
//!
//! Source: <https://github.com/stake-dao/contracts-monorepo/tree/main/packages/strategies/src>, `Accountant.sol`,
//! `RewardVault.sol` and `ProtocolController.sol`.

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Bytes, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, Role, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::{RAY, mul_div, too_large};
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, with_each};
use crate::token_sums;

portolan_plugin_api::sol! {
    // ChildLiquidityGaugeFactory, of Curve. A gauge stays at its place.
    function get_gauge_count() external view returns (uint256);
    function get_gauge(uint256 place) external view returns (address gauge);

    // ProtocolController.sol: zero without a vault.
    function vault(address gauge) external view returns (address vault);

    // Accountant.sol
    function REWARD_TOKEN() external view returns (address);
    function accounts(address vault, address account) external view
        returns (uint128 balance, uint256 integral, uint256 pendingRewards);
    // What one unit of a balance has earned, with 27 decimals.
    function vaults(address vault) external view returns (uint256 integral);
    // Pays the sender. Without data nothing is harvested first.
    function claim(address[] gauges, bytes[] harvestData) external;

    // RewardVault.sol
    function asset() external view returns (address);
    function totalSupply() external view returns (uint256);
    function getRewardTokens() external view returns (address[] tokens);
    function earned(address account, address token) external view returns (uint128);
}

/// The vault's own claim, which has the same name.
mod extra {
    portolan_plugin_api::sol! {
        // Pays the sender's rewards to the receiver.
        function claim(address[] tokens, address receiver) external returns (uint256[] amounts);
    }
}

/// Key of the list of gauges among a deployment's fact lists.
const LIST: &str = "vault-gauges";
/// Cache time of a gauge's vault, in seconds; a new vault shows at most this much later.
const VAULT_STANDS_S: u32 = 3_600;
/// Rewards of a vault that are answered; a vault allows ten.
const REWARDS_MAX: usize = 16;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewardVaultsKit {
    /// Mechanism of stakes, and `type` of their rewards.
    pub vault: &'static str,
}

/// Vaults of one controller and one factory of gauges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RewardVaults {
    controller: Address,
    accountant: Address,
    gauges: Address,
    types: RewardVaultsKit,
}

/// A vault in which the account has something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct HeldVault {
    /// Place of the gauge in the factory's list.
    place: U256,
    gauge: Address,
    vault: Address,
    balance: U256,
    /// What one unit of the balance had earned when the account was last accounted for, with 27 decimals.
    integral: U256,
    pending: U256,
}

impl RewardVaultsKit {
    /// Keys of a row for vaults of Stake DAO's second version:
    /// - `vault_controller` (address): the controller, which names the vault of a gauge
    /// - `vault_accountant` (address): the accountant, which pays the main reward
    /// - `vault_gauges` (address): Curve's factory of gauges, which lists them
    pub const KEYS: &'static [&'static str] = &["vault_controller", "vault_accountant", "vault_gauges"];
}

impl Kit for RewardVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["vault_controller"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(controller) = keys.address_opt("vault_controller")? else { return Ok(None) };
        let (accountant, gauges) = (keys.address("vault_accountant")?, keys.address("vault_gauges")?);
        Ok(Some(RewardVaults { controller, accountant, gauges, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        let nothing: Vec<Bytes> = Vec::new();
        vec![
            ClaimTemplate::new::<claimCall>([Role::array(Role::MARKET), Role::constant(&nothing)]),
            ClaimTemplate::new::<extra::claimCall>([Role::array(Role::TOKEN), Role::ACCOUNT]),
        ]
    }

    /// Returns the views that give gauges, which claims name, vaults, which they call, and the tokens of these.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::markets::<get_gaugeCall>(),
            Lineage::targets::<vaultCall>(),
            Lineage::tokens::<getRewardTokensCall>().list().of_given(),
        ]
    }
}

impl DeploymentReader for RewardVaults {
    fn contracts(&self) -> Vec<Address> {
        vec![self.controller, self.accountant, self.gauges]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING]
    }

    /// Returns up to two claims per vault: of the main reward, and of all others.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let held = self.held(cx, labels, account).await?;
            let rows = held.into_iter().map(|held| self.claims(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).concat())
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
            let mut held = self.held(cx, labels, account).await?;
            held.retain(|held| !held.balance.is_zero());
            let rows = held.into_iter().map(|held| self.position(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl RewardVaults {
    /// Returns the vaults in which the account has a stake or an unpaid main reward.
    async fn held(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<HeldVault>, Error> {
        let walk = |places: Range<u64>| {
            cx.join(places.map(|place| cx.call(self.gauges, get_gaugeCall { place: U256::from(place) })))
        };
        let count = cx.call(self.gauges, get_gauge_countCall {}).within(COUNT_STANDS_S);
        let gauges: Vec<Address> = cx.facts(labels.market, LIST, count, walk).await?;
        let vaults = cx.call_each(gauges.iter().map(|gauge| (self.controller, vaultCall { gauge: *gauge })));
        let gauges: Vec<(U256, Address)> = (0_u64..).map(U256::from).zip(gauges).collect();
        let vaults = with_each(gauges, vaults.within(VAULT_STANDS_S)).await.fail_if_none(cx, labels.market)?;
        let vaults: Vec<_> = vaults.into_iter().filter(|(_, vault)| !vault.is_zero()).collect();
        let stakes = vaults.iter().map(|(_, vault)| (self.accountant, accountsCall { vault: *vault, account }));
        let stakes = cx.call_each(stakes).zero_within(ZERO_STANDS_S);
        let stakes = with_each(vaults, stakes).await.fail_if_none(cx, labels.market)?.into_iter();
        let held = stakes.map(|(((place, gauge), vault), found)| {
            let (balance, integral, pending) = (U256::from(found.balance), found.integral, found.pendingRewards);
            HeldVault { place, gauge, vault, balance, integral, pending }
        });
        Ok(held.filter(|held| !(held.balance | held.pending).is_zero()).collect())
    }

    async fn claims(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        held: HeldVault,
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        // Claims may only name what the contracts list at the answer's block.
        let gauge = cx.call(self.gauges, get_gaugeCall { place: held.place });
        let vault = cx.call(self.controller, vaultCall { gauge: held.gauge });
        let (gauge, vault) = cx.join((gauge, vault)).await?;
        if (gauge, vault) != (held.gauge, held.vault) {
            return Err(Error::new(format!("{}: has another vault now", held.gauge)));
        }
        let asset = cx.call(held.vault, assetCall {}).immutable();
        let (asset, main, extra) =
            cx.join((asset, self.main(cx, held), self.extra(cx, labels, held.vault, account))).await?;
        let main = main.filter(|(_, amount)| !amount.is_zero()).map(|(token, amount)| {
            let claim = cx.claim(self.accountant, &claimCall { gauges: vec![held.gauge], harvestData: Vec::new() });
            let row = Claimable::new(labels.market, held.vault, claim).mechanism(self.types.vault);
            row.named(format!("{} vault reward", symbol(asset))).numbered(U256::ZERO).pays(token, amount)
        });
        let extra: Vec<(Address, U256)> = extra.into_iter().filter(|(_, amount)| !amount.is_zero()).collect();
        let extra = (!extra.is_empty()).then(|| {
            let tokens = extra.iter().map(|(token, _)| *token).collect();
            let claim = cx.claim(held.vault, &extra::claimCall { tokens, receiver: account });
            let row = Claimable::new(labels.market, held.vault, claim).mechanism(self.types.vault);
            let row = row.named(format!("{} vault rewards", symbol(asset))).numbered(U256::ONE);
            extra.into_iter().fold(row, |row, (token, amount)| row.pays(token, amount))
        });
        Ok([main, extra].into_iter().flatten().collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        held: HeldVault,
        account: Address,
    ) -> Result<Position, Error> {
        let asset = cx.call(held.vault, assetCall {}).immutable();
        let total = cx.call(held.vault, totalSupplyCall {});
        let rewards = cx.join((self.main(cx, held), self.extra(cx, labels, held.vault, account)));
        let (asset, total, (main, extra)) = cx.join((asset, total, rewards)).await?;
        let position = Position::new(PositionKind::STAKED, labels.market, held.vault).mechanism(self.types.vault);
        let position = position.named(format!("{} vault", symbol(asset)));
        let leg = Leg::new(LegRole::STAKED, asset, held.balance).of_total(total).receipt(held.vault);
        let mut owed: Vec<(Address, U256)> = Vec::new();
        for (token, amount) in main.into_iter().chain(extra) {
            token_sums::add_in_order(&mut owed, token, amount)?;
        }
        // They arrive whenever somebody harvests the gauge.
        let position = owed.iter().fold(position, |position, (token, _)| position.reward(Reward::new(*token, None)));
        let owed = owed.into_iter().filter(|(_, amount)| !amount.is_zero());
        let owed = owed.map(|(token, amount)| Leg::new(LegRole::REWARD_OWED, token, amount));
        Ok(position.leg(leg).legs(owed))
    }

    /// Returns the main reward that the accountant pays.
    async fn main(&self, cx: &JobContext, held: HeldVault) -> Result<Option<(Address, U256)>, Error> {
        let token = cx.call(self.accountant, REWARD_TOKENCall {}).immutable();
        let (token, now) = cx.join((token, cx.call(self.accountant, vaultsCall { vault: held.vault }))).await?;
        let grown = now.saturating_sub(held.integral);
        let amount = mul_div(grown, held.balance, RAY)?.checked_add(held.pending).ok_or_else(too_large)?;
        Ok(Some((token, amount)))
    }

    /// Returns the other rewards of a vault, also those of which nothing is owed.
    async fn extra(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        account: Address,
    ) -> Result<Vec<(Address, U256)>, Error> {
        let mut tokens = cx.call(vault, getRewardTokensCall {}).await?;
        truncate(cx, format!("{}: {vault}", labels.market), &mut tokens, "rewards", REWARDS_MAX);
        let earned = cx.call_each(tokens.iter().map(|token| (vault, earnedCall { account, token: *token })));
        let earned = with_each(tokens, earned).await.or_report(cx, labels.market);
        Ok(earned.into_iter().map(|(token, amount)| (token, U256::from(amount))).collect())
    }
}
