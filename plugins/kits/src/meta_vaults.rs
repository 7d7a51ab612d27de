//! Meta vaults of Arrakis Modular: liquidity of two tokens that a module keeps in one exchange or another.
//!
//! A deployment is a factory, which lists its vaults; settings key `meta_vault_factory`. Answers pooling. Invariant: a
//! public vault pays its shares the part that `burn` would pay, and a private vault belongs whole to the owner of its
//! NFT, whose number is the vault's address. An account without shares costs one read per public vault, and one for all
//! private ones. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://github.com/ArrakisFinance/arrakis-modular/tree/main/src>.

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, JobContext, Keys, Leg, LegRole, Nft, Position, PositionKind, Question, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div};
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared};
use crate::native_placeholder::named_token;
use crate::owned_nfts;
use crate::partial::{join_partial, with_each};
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // ArrakisMetaVaultFactory.sol: both lists grow only.
    function numOfPublicVaults() external view returns (uint256);
    function publicVaults(uint256 start, uint256 end) external view returns (address[]);
    function numOfPrivateVaults() external view returns (uint256);
    function privateVaults(uint256 start, uint256 end) external view returns (address[]);
    function nft() external view returns (address);
    // PrivateVaultNFT.sol
    function ownerOf(uint256 tokenId) external view returns (address);
    // ArrakisMetaVault.sol
    function token0() external view returns (address);
    function token1() external view returns (address);
    function totalUnderlying() external view returns (uint256 amount0, uint256 amount1);
    // ArrakisMetaVaultPublic.sol
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Vaults of each kind that are looked at; anyone may create private ones.
const VAULTS_MAX: usize = 1_024;

/// The fact lists.
const PUBLIC_VAULTS: &str = "public-vaults";
const PRIVATE_VAULTS: &str = "private-vaults";

/// The kit, with a plugin's word for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaVaultsKit {
    /// Mechanism of positions.
    pub vault: &'static str,
}

/// The vaults of one factory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MetaVaults {
    factory: Address,
    types: MetaVaultsKit,
}

impl MetaVaultsKit {
    /// Keys of a row for vaults of Arrakis Modular:
    /// - `meta_vault_factory` (address): the factory, which lists the vaults and names the NFTs of the private ones
    pub const KEYS: &'static [&'static str] = &["meta_vault_factory"];
}

impl Kit for MetaVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let factory = keys.address_opt("meta_vault_factory")?;
        Ok(factory.map(|factory| MetaVaults { factory, types: *self }.shared()))
    }
}

impl DeploymentReader for MetaVaults {
    fn contracts(&self) -> Vec<Address> {
        vec![self.factory]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::POOLING]
    }

    /// Returns a position per public vault of which the account has shares, and per private vault that it owns; a vault
    /// that holds nothing has none.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let public: Boxed<'_, Vec<Position>> = Box::pin(self.public(cx, labels, account));
            let private: Boxed<'_, Vec<Position>> = Box::pin(self.private(cx, labels, account));
            let found = join_partial(cx, [public, private]).await;
            let rows = found.fail_if_none(cx, labels.market)?.into_iter().flatten();
            Ok(rows.filter(|row| row.legs.iter().any(|leg| !leg.amount.is_zero())).collect())
        })
    }
}

impl MetaVaults {
    async fn public(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Position>, Error> {
        let factory = self.factory;
        let walk = |places: Range<u64>| async move {
            let (start, end) = (U256::from(places.start), U256::from(places.end));
            cx.call(factory, publicVaultsCall { start, end }).await
        };
        let count = cx.call(factory, numOfPublicVaultsCall {}).within(COUNT_STANDS_S);
        let mut vaults: Vec<Address> = cx.facts(labels.market, PUBLIC_VAULTS, count, walk).await?;
        truncate(cx, labels.market, &mut vaults, "public vaults", VAULTS_MAX);
        let held = read_nonzero(cx, labels.market, vaults, |vault| (*vault, balanceOfCall { account })).await?;
        let rows = held.into_iter().map(|(vault, shares)| self.shares(cx, labels, vault, shares));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
    }

    /// Returns what a burn of all shares would pay.
    async fn shares(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        shares: U256,
    ) -> Result<Position, Error> {
        let supply = cx.call(vault, totalSupplyCall {});
        let (row, supply) = cx.join((self.whole(cx, labels, vault), supply)).await?;
        if shares > supply {
            return Err(Error::new(format!("{vault}: {shares} shares of {supply} are not a valid amount")));
        }
        let part = mul_div(shares, WAD, supply)?;
        let paid = |leg: Leg| Ok(Leg { amount: mul_div(leg.amount, part, WAD)?, ..leg });
        let legs = row.legs.into_iter().map(paid).collect::<Result<_, Error>>()?;
        Ok(Position { legs, ..row })
    }

    async fn private(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Position>, Error> {
        let factory = self.factory;
        let nft = cx.call(factory, nftCall {}).immutable().await?;
        let owned = owned_nfts::count(cx, nft, account).await?;
        if owned.is_zero() {
            return Ok(Vec::new());
        }
        let walk = |places: Range<u64>| async move {
            let (start, end) = (U256::from(places.start), U256::from(places.end));
            cx.call(factory, privateVaultsCall { start, end }).await
        };
        let count = cx.call(factory, numOfPrivateVaultsCall {}).within(COUNT_STANDS_S);
        let mut vaults: Vec<Address> = cx.facts(labels.market, PRIVATE_VAULTS, count, walk).await?;
        truncate(cx, labels.market, &mut vaults, "private vaults", VAULTS_MAX);
        let owners = cx.call_each(vaults.iter().map(|vault| (nft, ownerOfCall { tokenId: number(*vault) })));
        let owners = with_each(vaults, owners).await.fail_if_none(cx, labels.market)?;
        let own: Vec<Address> =
            owners.into_iter().filter(|(_, owner)| *owner == account).map(|(vault, _)| vault).collect();
        if U256::from(own.len()) < owned {
            let why = format!("{}: {} of {owned} private vaults are known", labels.market, own.len());
            cx.report_missing(why);
        }
        let rows = own.into_iter().map(|vault| async move {
            let row = self.whole(cx, labels, vault).await?;
            let nft = Some(Nft { collection: nft, token_id: number(vault) });
            Ok(Position { nft, ..row })
        });
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
    }

    /// Returns all that a vault holds.
    async fn whole(&self, cx: &JobContext, labels: Labels<'_>, vault: Address) -> Result<Position, Error> {
        let token0 = cx.call(vault, token0Call {}).immutable();
        let token1 = cx.call(vault, token1Call {}).immutable();
        let (token0, token1, total) = cx.join((token0, token1, cx.call(vault, totalUnderlyingCall {}))).await?;
        let (token0, token1) = (named_token(token0), named_token(token1));
        let row = Position::new(PositionKind::POOLED, labels.market, vault).mechanism(self.types.vault);
        let row = row.named(format!("{}/{} vault", symbol(token0), symbol(token1)));
        let leg = |token, amount| Leg::new(LegRole::POOLED, token, amount);
        Ok(row.legs([leg(token0, total.amount0), leg(token1, total.amount1)]))
    }
}

/// Returns the number of a private vault's NFT.
fn number(vault: Address) -> U256 {
    U256::from_be_slice(vault.as_slice())
}
