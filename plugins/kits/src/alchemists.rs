//! Alchemix v3: positions at alchemists, each an NFT of shares that earn and of a debt that redemptions pay off.
//!
//! A deployment is a list of alchemists, one for each debt token; settings key `alchemists`. Answers a lending position
//! per NFT: the shares in what they are worth, the debt, and the health factor. Invariant: amounts are those that the
//! alchemist would reckon with at the block, after what was redeemed until then. A position that cannot be read loses
//! only its own row, and the answer reports it.
//!
//! Source: <https://github.com/alchemix-finance/v3/blob/master/src/AlchemistV3.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Leg, LegRole, Nft, Position, PositionKind, Question, SettingsError, U256,
    symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::owned_nfts;
use crate::partial::{join_partial, or_default};

portolan_plugin_api::sol! {
    // AlchemistV3.sol. What is earmarked is a part of the debt.
    function alchemistPositionNFT() external view returns (address);
    function myt() external view returns (address);
    function debtToken() external view returns (address);
    function getCDP(uint256 tokenId) external view returns (uint256 collateral, uint256 debt, uint256 earmarked);
    // The collateral's worth in the debt token.
    function totalValue(uint256 tokenId) external view returns (uint256);
    // That over the debt, with 18 decimals, below which a position can be liquidated.
    function collateralizationLowerBound() external view returns (uint256);

    // The shares, of a vault by ERC-4626.
    function asset() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);
}

/// Cache time of the bound for liquidations, in seconds; the protocol may set it.
const BOUND_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AlchemistsKit {
    /// Mechanism of positions.
    pub position: &'static str,
}

/// One deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alchemists {
    alchemists: Vec<Address>,
    types: AlchemistsKit,
}

impl AlchemistsKit {
    /// Keys of a row for Alchemix v3 or a fork:
    /// - `alchemists` (array of addresses): the alchemists, one for each debt token
    pub const KEYS: &'static [&'static str] = &["alchemists"];
}

impl Kit for AlchemistsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let alchemists = keys.addresses("alchemists")?;
        Ok((!alchemists.is_empty()).then(|| Alchemists { alchemists, types: *self }.shared()))
    }
}

impl DeploymentReader for Alchemists {
    fn contracts(&self) -> Vec<Address> {
        self.alchemists.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns a position per NFT that holds or owes something.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let parts = self.alchemists.iter().map(|alchemist| self.at(cx, labels, *alchemist, account));
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }
}

impl Alchemists {
    async fn at(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        alchemist: Address,
        account: Address,
    ) -> Result<Vec<Position>, Error> {
        let nft = cx.call(alchemist, alchemistPositionNFTCall {}).immutable().await?;
        let numbers = owned_nfts::owned(cx, labels.market, nft, account).await?;
        let rows = numbers.into_iter().map(|number| self.position(cx, labels, alchemist, nft, number));
        let found = join_partial(cx, rows).await.fail_if_none(cx, labels.market)?;
        Ok(found.into_iter().flatten().collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        alchemist: Address,
        collection: Address,
        number: U256,
    ) -> Result<Option<Position>, Error> {
        let held = cx.call(alchemist, getCDPCall { tokenId: number }).zero_within(ZERO_STANDS_S).await?;
        if held.collateral.is_zero() && held.debt.is_zero() {
            return Ok(None);
        }
        let vault = cx.call(alchemist, mytCall {}).immutable();
        let (vault, debt_token) = cx.join((vault, cx.call(alchemist, debtTokenCall {}).immutable())).await?;
        let token = cx.call(vault, assetCall {}).immutable();
        let worth = cx.call(vault, convertToAssetsCall { shares: held.collateral });
        let (token, worth) = cx.join((token, worth)).await?;
        let owes = !held.debt.is_zero();
        let supplied = Leg { is_collateral: Some(owes), ..Leg::new(LegRole::SUPPLIED, token, worth).receipt(vault) };
        let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
        let position = Position::new(kind, labels.market, alchemist).mechanism(self.types.position).numbered(number);
        let position = position.named(format!("{} {}", labels.title, symbol(debt_token))).leg(supplied);
        let position = Position { nft: Some(Nft { collection, token_id: number }), ..position };
        if !owes {
            return Ok(Some(position));
        }
        let health = health(cx, alchemist, number, held.debt).await.map(Some);
        let health = or_default(cx, format_args!("{}: health factor of position {number}", labels.market), health);
        // It bears no interest: what is redeemed and earned pays it off.
        let debt = Leg::new(LegRole::BORROWED, debt_token, held.debt).rate_ray(U256::ZERO);
        Ok(Some(Position { health, ..position.leg(debt) }))
    }
}

/// Returns the collateral's worth in the debt token over the debt, over the bound for liquidations.
async fn health(cx: &JobContext, alchemist: Address, number: U256, debt: U256) -> Result<Health, Error> {
    let bound = cx.call(alchemist, collateralizationLowerBoundCall {}).within(BOUND_STANDS_S);
    let (worth, bound) = cx.join((cx.call(alchemist, totalValueCall { tokenId: number }), bound)).await?;
    let factor = mul_div(mul_div(worth, WAD, debt)?, WAD, bound)?;
    Ok(Health { factor_wad: Some(factor), liquidation_price: None })
}
