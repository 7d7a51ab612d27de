//! Vaults in the manner of Veda's BoringVault: a token that is a share, and an accountant that publishes what a share is
//! worth in one base token. The vault itself has no view of it. Stakes earn by a growing rate, so nothing is claimable.
//!
//! A deployment is a list of accountants; settings key `accountants`. Answers farming positions, and compositions of the
//! shares. Invariant: an amount is what the accountant published last, whatever the vault holds at the moment; a paused
//! accountant still tells it. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Sources: <https://github.com/Veda-Labs/boring-vault/blob/main/src/base/Roles/AccountantWithRateProviders.sol>,
//! <https://github.com/Veda-Labs/boring-vault/blob/main/src/base/BoringVault.sol>.

use std::collections::BTreeMap;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Part, Position, PositionKind, Question,
    Reward, SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;
use crate::share_price::SharePrice;

sol! {
    // An accountant. The rate is what one whole share is worth, in smallest units of the base token.
    function vault() external view returns (address);
    function base() external view returns (address);
    function getRate() external view returns (uint256);

    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    function decimals() external view returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoringVaultsKit {
    /// Mechanism of stakes.
    pub vault: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoringVaults {
    accountants: Vec<Address>,
    types: BoringVaultsKit,
}

impl BoringVaultsKit {
    /// Keys of a row for vaults in the manner of Veda's:
    /// - `accountants` (array of addresses): the contracts that publish what a share is worth, each of one vault
    pub const KEYS: &'static [&'static str] = &["accountants"];
}

impl Kit for BoringVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let accountants = keys.addresses("accountants")?;
        Ok((!accountants.is_empty()).then(|| BoringVaults { accountants, types: *self }.shared()))
    }

    /// Returns the view that gives the tokens of compositions.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<vaultCall>()]
    }
}

impl DeploymentReader for BoringVaults {
    fn contracts(&self) -> Vec<Address> {
        self.accountants.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::FARMING, Question::COMPOSITION]
    }

    /// Returns a position per vault of which the account has shares.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let vaults = self.vaults(cx, labels.market).await?.into_iter().collect();
            let held =
                read_nonzero(cx, labels.market, vaults, |(vault, _)| (*vault, balanceOfCall { account })).await?;
            let rows = held.into_iter().map(|(at, shares)| self.position(cx, labels, at, shares));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns the composition of one whole share.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let market = "shares of vaults";
            let vaults = self.vaults(cx, market).await?;
            let known = tokens.iter().filter_map(|token| vaults.get_key_value(token));
            let each = known.map(async |(vault, accountant)| {
                let (base, price) = share_price(cx, *vault, *accountant).await?;
                let parts = vec![Part { token: base, amount: price.worth }];
                Ok(Composition { token: *vault, kind: self.types.share.to_owned(), supply: price.one, parts })
            });
            Ok(join_partial(cx, each).await.or_report(cx, market))
        })
    }
}

impl BoringVaults {
    /// Returns the accountant of each vault.
    async fn vaults(&self, cx: &JobContext, market: &str) -> Result<BTreeMap<Address, Address>, Error> {
        let each = self
            .accountants
            .iter()
            .map(async |accountant| Ok((cx.call(*accountant, vaultCall {}).immutable().await?, *accountant)));
        Ok(join_partial(cx, each).await.fail_if_none(cx, market)?.into_iter().collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        (vault, accountant): (Address, Address),
        shares: U256,
    ) -> Result<Position, Error> {
        let (base, price) = share_price(cx, vault, accountant).await?;
        let leg = Leg::new(LegRole::STAKED, base, shares).redeeming(price.of(shares)?).receipt(vault);
        let position = Position::new(PositionKind::STAKED, labels.market, vault).mechanism(self.types.vault);
        Ok(position.named(format!("{} vault", symbol(vault))).leg(leg).reward(Reward::new(base, None)))
    }
}

/// Returns the base token, and what one whole share is worth in it.
async fn share_price(cx: &JobContext, vault: Address, accountant: Address) -> Result<(Address, SharePrice), Error> {
    let base = cx.call(accountant, baseCall {}).immutable();
    let decimals = cx.call(vault, decimalsCall {}).immutable();
    let (base, decimals, rate) = cx.join((base, decimals, cx.call(accountant, getRateCall {}))).await?;
    Ok((base, SharePrice::new(vault, decimals, rate)?))
}
