//! Vaults of Lista's `Interaction` (once Helio's): a fork of Maker's core, in which each account has one vault for each
//! collateral, without a number and without a proxy.
//!
//! A deployment is one contract; settings keys `interaction` and `collaterals`. Answers a lending position per vault.
//! Invariant: collateral and debt are the core's own, also of a collateral that has been taken off, for which the
//! contract's views refuse to answer. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://github.com/lista-dao/lista-dao-contracts/blob/master/contracts/Interaction.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Position, PositionKind, Price, Question, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{RAY, mul_div};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::{join_partial, or_default, with_each};
use crate::vat::{self, Ledger, Urn, UrnBalance};

portolan_plugin_api::sol! {
    function vat() external view returns (address);
    function jug() external view returns (address);
    function hay() external view returns (address);
    function spotter() external view returns (address);
    function collaterals(address token) external view returns (address gem, bytes32 ilk, uint32 live, address clip);

    // spot.sol: `mat` is the least collateral for a debt of one, with 27 decimals.
    function ilks(bytes32 ilk) external view returns (address pip, uint256 mat);
}

/// Cache time of the contracts that the contract names and of its collaterals, in seconds; they can be replaced.
const CORE_STANDS_S: u32 = 3_600;
/// Decimals of collateral: an amount in the core is that of the token, which therefore has as many.
const DECIMALS: U256 = U256::from_limbs([18, 0, 0, 0]);

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InteractionVaultsKit {
    /// Mechanism of vaults.
    pub vault: &'static str,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InteractionVaults {
    interaction: Address,
    collaterals: Vec<Address>,
    types: InteractionVaultsKit,
}

/// Contracts that the vaults share.
#[derive(Clone, Copy, Debug)]
struct Core {
    ledger: Ledger,
    debt_token: Address,
}

impl InteractionVaultsKit {
    /// Keys of a row for vaults of Lista's `Interaction`:
    /// - `interaction` (address): the contract
    /// - `collaterals` (array of addresses): the tokens that it takes; it has no list
    pub const KEYS: &'static [&'static str] = &["interaction", "collaterals"];
}

impl Kit for InteractionVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["interaction"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(interaction) = keys.address_opt("interaction")? else { return Ok(None) };
        let collaterals = keys.addresses("collaterals")?;
        if collaterals.is_empty() {
            return Err(SettingsError::new("missing; the contract does not list its collaterals").at("collaterals"));
        }
        Ok(Some(InteractionVaults { interaction, collaterals, types: *self }.shared()))
    }
}

impl DeploymentReader for InteractionVaults {
    fn contracts(&self) -> Vec<Address> {
        vec![self.interaction]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per vault that holds or owes something.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let of = self.interaction;
            let calls = self.collaterals.iter().map(|token| (of, collateralsCall { token: *token }));
            let ilks = with_each(self.collaterals.clone(), cx.call_each(calls).within(CORE_STANDS_S));
            let (core, ilks) = futures_util::future::join(self.core(cx), ilks).await;
            let (core, ilks) = (core?, ilks.fail_if_none(cx, labels.market)?);
            let named = ilks.into_iter().map(|(token, collateral)| (token, collateral.ilk));
            let urns = named.map(|(token, ilk)| (token, Urn { ilk, holder: account }));
            // A collateral that the contract has never known has no kind.
            let urns = urns.filter(|(_, urn)| !urn.ilk.is_zero());
            let rows = urns.map(|(token, urn)| self.position(cx, labels, core, token, urn));
            let found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl InteractionVaults {
    /// Returns the contracts that the contract names.
    async fn core(&self, cx: &JobContext) -> Result<Core, Error> {
        let vat = cx.call(self.interaction, vatCall {}).within(CORE_STANDS_S);
        let jug = cx.call(self.interaction, jugCall {}).within(CORE_STANDS_S);
        let hay = cx.call(self.interaction, hayCall {}).within(CORE_STANDS_S);
        let (vat, jug, debt_token) = cx.join((vat, jug, hay)).await?;
        Ok(Core { ledger: Ledger { vat, jug }, debt_token })
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        core: Core,
        token: Address,
        urn: Urn,
    ) -> Result<Option<Position>, Error> {
        let Some(holding) = vat::holding(cx, core.ledger, urn).await? else { return Ok(None) };
        let kind = if holding.debt.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
        let position = Position::new(kind, labels.market, self.interaction).mechanism(self.types.vault);
        let position = position.numbered(urn.ilk.into()).named(format!("{} {} vault", labels.title, symbol(token)));
        let legs = holding.legs((token, DECIMALS), core.debt_token)?;
        let health = self.health(cx, labels, token, urn, &holding).await;
        Ok(Some(Position { health, ..position.legs(legs) }))
    }

    /// Returns the health with the price at which the vault can be liquidated; a failed read of that is reported.
    async fn health(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        token: Address,
        urn: Urn,
        holding: &UrnBalance,
    ) -> Option<Health> {
        let health = holding.health?;
        let price = self.liquidation_price(cx, token, urn, holding).await;
        let price = or_default(cx, format_args!("{}: liquidation price of {token}", labels.market), price);
        Some(Health { liquidation_price: price, ..health })
    }

    /// Returns the price of the collateral, in dollars as the core counts them, at which its worth is the least for the
    /// debt; `None` without collateral.
    async fn liquidation_price(
        &self,
        cx: &JobContext,
        token: Address,
        urn: Urn,
        holding: &UrnBalance,
    ) -> Result<Option<Price>, Error> {
        let spotter = cx.call(self.interaction, spotterCall {}).within(CORE_STANDS_S).await?;
        let least = cx.call(spotter, ilksCall { ilk: urn.ilk }).within(CORE_STANDS_S).await?.mat;
        let secured = mul_div(holding.debt, least, RAY)?;
        let x128 = secured.checked_mul(U256::ONE << 128).and_then(|worth| worth.checked_div(holding.collateral));
        Ok(x128.map(|x128| Price { base: token, quote: None, x128, rest_x192: None }))
    }
}
