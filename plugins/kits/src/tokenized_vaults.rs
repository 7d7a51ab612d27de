//! Tokenized vaults (ERC-4626): shares of one token, shown as the amount that they are worth.
//!
//! A deployment is a list of vaults; settings key `tokenized_vaults`. Answers farming positions, or lending ones where
//! the row says that its vaults lend, and compositions of the shares. Invariant: amounts are those of
//! `convertToAssets`, since `previewRedeem` may revert in vaults whose shares leave by a request or a cooldown. A vault
//! that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://eips.ethereum.org/EIPS/eip-4626>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Part, Position, PositionKind, Question, Reward,
    SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::erc4626::held;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;

portolan_plugin_api::sol! {
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenizedVaultsKit {
    /// Mechanism of positions.
    pub vault: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenizedVaults {
    vaults: Vec<Address>,
    lends: bool,
    types: TokenizedVaultsKit,
}

impl TokenizedVaultsKit {
    /// Keys of a row for tokenized vaults (ERC-4626):
    /// - `tokenized_vaults` (array of addresses): the vaults
    /// - `lends` (boolean, optional): true if the vaults lend what they hold; positions are lending then
    pub const KEYS: &'static [&'static str] = &["tokenized_vaults", "lends"];
}

impl Kit for TokenizedVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["tokenized_vaults"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vaults = keys.addresses("tokenized_vaults")?;
        if vaults.is_empty() {
            return Ok(None);
        }
        let lends = keys.flag("lends")?;
        Ok(Some(TokenizedVaults { vaults, lends, types: *self }.shared()))
    }
}

impl DeploymentReader for TokenizedVaults {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![if self.lends { Question::LENDING } else { Question::FARMING }, Question::COMPOSITION]
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
            let held = held(cx, labels.market, self.vaults.iter().copied(), account).await?;
            let rows = held.into_iter().map(|(vault, shares)| self.position(cx, labels, vault, shares));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let own = tokens.iter().filter(|token| self.vaults.contains(token));
            let found = join_partial(cx, own.map(|vault| self.composition(cx, *vault))).await;
            Ok(found.or_report(cx, "shares of vaults").into_iter().flatten().collect())
        })
    }
}

impl TokenizedVaults {
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        shares: U256,
    ) -> Result<Position, Error> {
        let asset = cx.call(vault, assetCall {}).immutable();
        let (token, worth) = cx.join((asset, cx.call(vault, convertToAssetsCall { shares }))).await?;
        let (kind, role) =
            if self.lends { (PositionKind::LENT, LegRole::SUPPLIED) } else { (PositionKind::STAKED, LegRole::STAKED) };
        let row = Position::new(kind, labels.market, vault).mechanism(self.types.vault);
        // The share's decimals may be others than the token's, so that the amount is the token's alone.
        let row = row.named(format!("{} vault", symbol(vault))).leg(Leg::new(role, token, worth).receipt(vault));
        Ok(if self.lends { row } else { row.reward(Reward::new(token, None)) })
    }

    /// Returns the value of the whole supply; `None` if there is none.
    async fn composition(&self, cx: &JobContext, vault: Address) -> Result<Option<Composition>, Error> {
        let asset = cx.call(vault, assetCall {}).immutable();
        let (token, supply) = cx.join((asset, cx.call(vault, totalSupplyCall {}))).await?;
        if supply.is_zero() {
            return Ok(None);
        }
        let amount = cx.call(vault, convertToAssetsCall { shares: supply }).await?;
        let parts = vec![Part { token, amount }];
        Ok(Some(Composition { token: vault, kind: self.types.share.to_owned(), supply, parts }))
    }
}
