//! Yearn vaults of both generations: shares of one invested token, shown as the amount they redeem to.
//!
//! A deployment is the registries of one generation; settings keys `yearn_v2_registries` or `yearn_v3_registries`.
//! Answers farming positions, and compositions of the shares. Invariant: only vaults that a registry lists count, each
//! once. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Sources: <https://github.com/yearn/yearn-vaults/tree/main/contracts> (`Registry.vy`, `Vault.vy`); its successor
//! `VaultRegistry.sol`, which has the same views;
//! <https://github.com/yearn/vault-periphery/blob/master/src/registry/Registry.sol>.

use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Part, Position, PositionKind, Question,
    Reward, SettingsError, U256, symbol,
};

use crate::boxed::Boxed;
use crate::erc4626::held;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::partial::join_partial;
use crate::share_price::SharePrice;

portolan_plugin_api::sol! {
    // Registries of the second generation: the vaults of each token, in the order of listing. None is removed.
    function numTokens() external view returns (uint256);
    function tokens(uint256 index) external view returns (address);
    function numVaults(address token) external view returns (uint256);
    function vaults(address token, uint256 index) external view returns (address);

    // Registries of the third generation: vaults may be removed.
    function getAllEndorsedVaults() external view returns (address[][]);
    function isEndorsed(address vault) external view returns (bool);

    // A vault of the second generation. A share has the token's decimals.
    function token() external view returns (address);
    function decimals() external view returns (uint256);
    function pricePerShare() external view returns (uint256);

    // A vault of the third generation: ERC-4626.
    function asset() external view returns (address);
    function previewRedeem(uint256 shares) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Key prefix of a registry's tokens among a deployment's fact lists; the registry's index follows.
const LIST: &str = "tokens";
/// Cache time of the third generation's list, in seconds; a new vault shows at most this much later.
const LIST_STANDS_S: u32 = 300;
/// Cache time of a token that is not a vault, in seconds.
const KNOWN_STANDS_S: u32 = 3_600;

/// Vaults of one token that are read; the largest list has about ten. A registry may return any number.
const VAULTS_OF_TOKEN_MAX: u64 = 256;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct YearnVaultsKit {
    /// Mechanism of stakes.
    pub vault: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct YearnVaults {
    registries: Vec<Address>,
    generation: VaultGeneration,
    types: YearnVaultsKit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum VaultGeneration {
    Second,
    Third,
}

impl YearnVaultsKit {
    /// Keys of a row for Yearn's vaults:
    /// - `yearn_v2_registries` (array of addresses): registries of vaults of the second generation
    /// - `yearn_v3_registries` (array of addresses, instead of `yearn_v2_registries`): registries of vaults of the
    ///   third generation
    pub const KEYS: &'static [&'static str] = &["yearn_v2_registries", "yearn_v3_registries"];
}

impl Kit for YearnVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["yearn_v2_registries", "yearn_v3_registries"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let second = keys.addresses("yearn_v2_registries")?;
        let third = keys.addresses("yearn_v3_registries")?;
        let (registries, generation) = match (second.is_empty(), third.is_empty()) {
            (true, true) => return Ok(None),
            (false, true) => (second, VaultGeneration::Second),
            (true, false) => (third, VaultGeneration::Third),
            (false, false) => {
                let why = "stands beside `yearn_v2_registries`; give one of them";
                return Err(SettingsError::new(why).at("yearn_v3_registries"));
            }
        };
        Ok(Some(YearnVaults { registries, generation, types: *self }.shared()))
    }

    /// Returns the views that give the tokens of compositions.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<vaultsCall>(), Lineage::markets::<isEndorsedCall>().argument(0)]
    }
}

impl DeploymentReader for YearnVaults {
    fn contracts(&self) -> Vec<Address> {
        self.registries.to_vec()
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
            let held = held(cx, labels.market, self.vaults(cx, labels).await?, account).await?;
            let rows = held.into_iter().map(|(vault, shares)| self.position(cx, labels, vault, shares));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let found = join_partial(cx, tokens.iter().map(|token| self.composition(cx, *token))).await;
            Ok(found.or_report(cx, "shares of vaults").into_iter().flatten().collect())
        })
    }
}

impl YearnVaults {
    /// Returns all known vaults, each once.
    async fn vaults(&self, cx: &JobContext, labels: Labels<'_>) -> Result<BTreeSet<Address>, Error> {
        let each = self.registries.iter().enumerate().map(async |(place, registry)| match self.generation {
            VaultGeneration::Second => second(cx, labels, place, *registry).await,
            VaultGeneration::Third => {
                let listed = cx.call(*registry, getAllEndorsedVaultsCall {}).within(LIST_STANDS_S).await?;
                Ok(listed.concat())
            }
        });
        let lists = join_partial(cx, each).await.fail_if_none(cx, labels.market)?;
        Ok(lists.into_iter().flatten().collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        shares: U256,
    ) -> Result<Position, Error> {
        let (token, redeemed) = match self.generation {
            VaultGeneration::Second => {
                let token = cx.call(vault, tokenCall {}).immutable();
                let (token, price) = cx.join((token, share_price(cx, vault))).await?;
                (token, price.of(shares)?)
            }
            VaultGeneration::Third => {
                let asset = cx.call(vault, assetCall {}).immutable();
                cx.join((asset, cx.call(vault, previewRedeemCall { shares }))).await?
            }
        };
        let position = Position::new(PositionKind::STAKED, labels.market, vault).mechanism(self.types.vault);
        let position = position.named(format!("{} vault", symbol(vault)));
        let leg = Leg::new(LegRole::STAKED, token, shares).redeeming(redeemed).receipt(vault);
        Ok(position.leg(leg).reward(Reward::new(token, None)))
    }

    /// Returns the composition of shares; `None` if the token is not a vault or has no supply.
    async fn composition(&self, cx: &JobContext, vault: Address) -> Result<Option<Composition>, Error> {
        let found = match self.generation {
            VaultGeneration::Second => self.second_price(cx, vault).await?,
            VaultGeneration::Third => self.third_price(cx, vault).await?,
        };
        let kind = || self.types.share.to_owned();
        Ok(found.map(|(supply, part)| Composition { token: vault, kind: kind(), supply, parts: vec![part] }))
    }

    /// Returns the amount that one whole share redeems to.
    async fn second_price(&self, cx: &JobContext, vault: Address) -> Result<Option<(U256, Part)>, Error> {
        let Ok(token) = cx.try_call(vault, tokenCall {}).within(KNOWN_STANDS_S).await? else { return Ok(None) };
        let listed = self.registries.iter().map(|registry| listed(cx, *registry, token));
        if !cx.join(listed).await?.concat().contains(&vault) {
            return Ok(None);
        }
        let SharePrice { one, worth: amount, .. } = share_price(cx, vault).await?;
        Ok(Some((one, Part { token, amount })))
    }

    /// Returns the amount that the whole supply redeems to.
    async fn third_price(&self, cx: &JobContext, vault: Address) -> Result<Option<(U256, Part)>, Error> {
        let knows = self.registries.iter().map(|registry| cx.call(*registry, isEndorsedCall { vault }));
        if !cx.join(knows).await?.contains(&true) {
            return Ok(None);
        }
        let asset = cx.call(vault, assetCall {}).immutable();
        let (token, supply) = cx.join((asset, cx.call(vault, totalSupplyCall {}))).await?;
        if supply.is_zero() {
            return Ok(None);
        }
        let amount = cx.call(vault, previewRedeemCall { shares: supply }).await?;
        Ok(Some((supply, Part { token, amount })))
    }
}

/// Returns the vaults of a second-generation registry. A token is listed with its first vault, so both are facts; most
/// tokens have no other.
async fn second(cx: &JobContext, labels: Labels<'_>, place: usize, registry: Address) -> Result<Vec<Address>, Error> {
    let walk = |places: Range<u64>| {
        cx.join(places.map(async |place| {
            let token = cx.call(registry, tokensCall { index: U256::from(place) }).await?;
            Ok((token, cx.call(registry, vaultsCall { token, index: U256::ZERO }).await?))
        }))
    };
    let count = async { cx.call(registry, numTokensCall {}).within(COUNT_STANDS_S).await };
    let entries: Vec<(Address, Address)> = cx.facts(labels.market, &format!("{LIST}-{place}"), count, walk).await?;
    let counts = cx.call_each(entries.iter().map(|(token, _)| (registry, numVaultsCall { token: *token })));
    let counts = counts.within(COUNT_STANDS_S).await.into_iter().collect::<Result<Vec<_>, _>>()?;
    let others = entries.iter().zip(counts).filter(|(_, count)| *count > U256::ONE);
    let others = others.map(|((token, _), count)| of_token(cx, registry, *token, 1, count));
    let others = cx.join(others).await?.concat();
    Ok(entries.into_iter().map(|(_, first)| first).chain(others).collect())
}

/// Returns the vaults of a token.
async fn listed(cx: &JobContext, registry: Address, token: Address) -> Result<Vec<Address>, Error> {
    let count = cx.call(registry, numVaultsCall { token }).within(COUNT_STANDS_S).await?;
    of_token(cx, registry, token, 0, count).await
}

/// Returns the vaults of a token from an index on, given their number.
async fn of_token(
    cx: &JobContext,
    registry: Address,
    token: Address,
    from: u64,
    count: U256,
) -> Result<Vec<Address>, Error> {
    let count = u64::try_from(count).ok().filter(|count| *count <= VAULTS_OF_TOKEN_MAX);
    let count = count.ok_or_else(|| Error::new(format!("{registry}: lists too many vaults of {token}")))?;
    let each = |index| cx.call(registry, vaultsCall { token, index: U256::from(index) }).immutable();
    cx.join((from..count).map(each)).await
}

/// Returns what one whole share of a second-generation vault redeems to.
async fn share_price(cx: &JobContext, vault: Address) -> Result<SharePrice, Error> {
    let decimals = cx.call(vault, decimalsCall {});
    let (decimals, worth) = cx.join((decimals, cx.call(vault, pricePerShareCall {}))).await?;
    SharePrice::new(vault, decimals, worth)
}
