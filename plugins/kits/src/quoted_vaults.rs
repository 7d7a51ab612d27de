//! Vaults of one token that are no ERC-4626 vaults of their own share: the share is a token beside the vault, or another
//! contract quotes what it is worth. Shares earn by a growing quote, so nothing is claimable.
//!
//! Settings keys `quoted_vaults` and `quoted_by`, the form of the quote. Answers farming positions, and compositions of
//! the shares. Invariant: an amount is what the vault's own contracts quote for exactly the account's shares; a quote
//! that they have not accepted yet is none. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Sources: <https://etherscan.io/address/0xeb5f80acea6060764e91c185be93752ab40f01c2#code> (`redemption`),
//! <https://github.com/mellow-finance/flexible-vaults/tree/main/src> (`reports`),
//! <https://github.com/DefiLlama/DefiLlama-Adapters/blob/main/projects/aera-v3/index.js> (`units`),
//! <https://eips.ethereum.org/EIPS/eip-7575> (`entry`),
//! <https://github.com/vesperfi/vesper-pools/tree/main/contracts> (`price`),
//! <https://github.com/solv-finance/solv-protocol-defillama/blob/main/solv-strategies.json> (`nav`).

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, Composition, Error, JobContext, Keys, Leg, LegRole, Lineage, Part, Position, PositionKind, Question,
    Reward, SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, whole};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::native_placeholder::named_token;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

sol! {
    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    function decimals() external view returns (uint256);

    // `redemption` and `entry`: the vault's token.
    function asset() external view returns (address);

    // `redemption`: the share, and what it redeems to before and after fees.
    function lpTokenAddress() external view returns (address);
    function previewRedemption(uint256 shares, bool isInstant) external view
        returns (uint256 assetsAmount, uint256 assetsAfterFee);

    // `entry`: the share, of which one vault for each token may give out some.
    function share() external view returns (address);
    function convertToAssets(uint256 shares) external view returns (uint256);

    // `units`: the vault is the share, and a calculator knows its price.
    function feeCalculator() external view returns (address);
    function NUMERAIRE() external view returns (address);
    function convertUnitsToNumeraire(address vault, uint256 unitsAmount) external view returns (uint256);

    // `reports`: a manager of shares, and an oracle that is told how many shares a token buys.
    function shareManager() external view returns (address);
    function oracle() external view returns (address);
    function feeManager() external view returns (address);
    function baseAsset(address vault) external view returns (address);
    // Also those that a deposit has earned and that nobody has claimed yet.
    function sharesOf(address account) external view returns (uint256);
    function getReport(address asset) external view
        returns (uint224 priceD18, uint32 timestamp, bool isSuspicious);

    // `price`: the vault is the share, and 10^18 smallest units of it are worth so many of its token.
    function token() external view returns (address);
    function pricePerShare() external view returns (uint256);

    // `nav`: the vault is the share, and an oracle knows what 10^18 smallest units are worth, by the number of a pool and
    // by days; on a day without, what it was told last.
    function getSubscribeNav(bytes32 poolId, uint256 time) external view returns (uint256 nav, uint256 navTime);
}

/// No pool has a value on the first day, so that an oracle returns the last one.
const LAST_DAY: U256 = U256::ZERO;

/// Cache time of contracts that the vault's owner may replace, in seconds.
const CONTRACT_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedVaultsKit {
    /// Mechanism of stakes.
    pub vault: &'static str,
    /// Token `type` of the shares.
    pub share: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QuotedVaults {
    vaults: Vec<Address>,
    quote: Quote,
    types: QuotedVaultsKit,
}

/// Who quotes what a share is worth.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Quote {
    /// The vault, as what the share would redeem to by a request: Upshift's multi-asset vaults.
    Redemption,
    /// An oracle that the vault's owner reports to: Mellow's core vaults.
    Reports,
    /// A calculator, in a token of its own: Aera's vaults of its third version.
    Units,
    /// The vault, whose share is another token (ERC-7575): Nest's.
    Entry,
    /// The vault, as the price of 10^18 smallest units: Vesper's pools.
    Price,
    /// An oracle of pools, in one token: Solv's strategies.
    Nav(Nav),
}

/// Names of the quotes in settings.
const QUOTES: [&str; 6] = ["redemption", "reports", "units", "entry", "price", "nav"];

/// An oracle of pools.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Nav {
    oracle: Address,
    token: Address,
    /// The vaults with the numbers of their pools.
    pools: Vec<(Address, B256)>,
}

/// A vault and its share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct QuotedVault {
    address: Address,
    share: Address,
}

impl QuotedVaultsKit {
    /// Keys of a row for vaults whose shares are tokens beside them, or are quoted by another contract:
    /// - `quoted_vaults` (array of addresses): the vaults
    /// - `quoted_by` (text): the form of the quote: `redemption` (the vault previews a redemption of its `lpTokenAddress`),
    ///   `reports` (an oracle has a report of the base token), `units` (a `feeCalculator` converts the vault's own token),
    ///   `entry` (the vault converts its `share`), `price` (the vault has a `pricePerShare` of its own token) or `nav` (an
    ///   oracle knows what the vault's own token is worth)
    /// - `nav_oracle` (address, for `nav`): the oracle
    /// - `nav_token` (address, for `nav`): the token that it quotes in
    /// - `nav_pools` (array of texts, for `nav`): the number of the pool of each vault, 32 bytes in hex
    pub const KEYS: &'static [&'static str] = &["quoted_vaults", "quoted_by", "nav_oracle", "nav_token", "nav_pools"];
}

impl Kit for QuotedVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["quoted_vaults", "quoted_by"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vaults = keys.addresses("quoted_vaults")?;
        match (vaults.is_empty(), Quote::read(keys, &vaults)?) {
            (true, None) => Ok(None),
            (true, Some(_)) => Err(SettingsError::new("missing").at("quoted_vaults")),
            (false, None) => Err(no_quote("missing")),
            (false, Some(quote)) => Ok(Some(QuotedVaults { vaults, quote, types: *self }.shared())),
        }
    }

    /// Returns the views that give the tokens of compositions.
    fn lineages(&self) -> Vec<Lineage> {
        vec![
            Lineage::markets::<lpTokenAddressCall>(),
            Lineage::markets::<shareManagerCall>(),
            Lineage::markets::<shareCall>(),
        ]
    }
}

impl Quote {
    fn read(keys: &Keys<'_>, vaults: &[Address]) -> Result<Option<Self>, SettingsError> {
        Ok(Some(match keys.text("quoted_by")? {
            None => return Ok(None),
            Some("redemption") => Self::Redemption,
            Some("reports") => Self::Reports,
            Some("units") => Self::Units,
            Some("entry") => Self::Entry,
            Some("price") => Self::Price,
            Some("nav") => Self::Nav(Nav::read(keys, vaults)?),
            Some(name) => return Err(no_quote(&format!("{name:?} is unknown"))),
        }))
    }

    /// Returns the token that is the share of a vault.
    async fn share(&self, cx: &JobContext, vault: Address) -> Result<Address, Error> {
        match self {
            Self::Redemption => cx.call(vault, lpTokenAddressCall {}).immutable().await,
            Self::Reports => cx.call(vault, shareManagerCall {}).immutable().await,
            Self::Units | Self::Price | Self::Nav(_) => Ok(vault),
            Self::Entry => cx.call(vault, shareCall {}).immutable().await,
        }
    }

    /// Returns the vault's token, and how much of it so many shares are worth.
    async fn assets_of(&self, cx: &JobContext, vault: Address, shares: U256) -> Result<(Address, U256), Error> {
        match self {
            Self::Redemption => {
                let preview = cx.call(vault, previewRedemptionCall { shares, isInstant: false });
                let (token, preview) = cx.join((cx.call(vault, assetCall {}).immutable(), preview)).await?;
                Ok((token, preview.assetsAmount))
            }
            Self::Entry => {
                let assets = cx.call(vault, convertToAssetsCall { shares });
                cx.join((cx.call(vault, assetCall {}).immutable(), assets)).await
            }
            Self::Units => {
                let calculator = cx.call(vault, feeCalculatorCall {}).within(CONTRACT_STANDS_S).await?;
                let assets = cx.call(calculator, convertUnitsToNumeraireCall { vault, unitsAmount: shares });
                cx.join((cx.call(calculator, NUMERAIRECall {}).immutable(), assets)).await
            }
            Self::Price => {
                let price = cx.call(vault, pricePerShareCall {});
                let (token, price) = cx.join((cx.call(vault, tokenCall {}).immutable(), price)).await?;
                Ok((token, mul_div(shares, price, WAD)?))
            }
            Self::Reports => reported(cx, vault, shares).await,
            Self::Nav(nav) => Ok((nav.token, nav.assets_of(cx, vault, shares).await?)),
        }
    }
}

impl Nav {
    fn read(keys: &Keys<'_>, vaults: &[Address]) -> Result<Self, SettingsError> {
        let pools = keys.texts("nav_pools")?;
        if pools.len() != vaults.len() {
            return Err(SettingsError::new("has not as many entries as `quoted_vaults`").at("nav_pools"));
        }
        let wrong = |text: &str| SettingsError::new(format!("{text:?} is not 32 bytes in hex")).at("nav_pools");
        let pool = |(vault, text): (&Address, &str)| Ok((*vault, text.parse().map_err(|_| wrong(text))?));
        let pools = vaults.iter().zip(pools).map(pool).collect::<Result<_, SettingsError>>()?;
        Ok(Self { oracle: keys.address("nav_oracle")?, token: keys.address("nav_token")?, pools })
    }

    async fn assets_of(&self, cx: &JobContext, vault: Address, shares: U256) -> Result<U256, Error> {
        let pool = self.pools.iter().find(|(known, _)| *known == vault).map(|(_, pool)| *pool);
        let pool_id = pool.ok_or_else(|| Error::new(format!("{vault}: no pool")))?;
        let told = cx.call(self.oracle, getSubscribeNavCall { poolId: pool_id, time: LAST_DAY }).await?;
        if told.nav.is_zero() {
            return Err(Error::new(format!("{vault}: no value of pool {pool_id}")));
        }
        mul_div(shares, told.nav, WAD)
    }
}

impl DeploymentReader for QuotedVaults {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
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
            let vaults = self.vaults(cx, labels.market).await?;
            let held = match &self.quote {
                Quote::Reports => {
                    read_nonzero(cx, labels.market, vaults, |vault| (vault.share, sharesOfCall { account })).await?
                }
                Quote::Redemption | Quote::Units | Quote::Entry | Quote::Price | Quote::Nav(_) => {
                    read_nonzero(cx, labels.market, vaults, |vault| (vault.share, balanceOfCall { account })).await?
                }
            };
            let rows = held.into_iter().map(|(vault, shares)| self.position(cx, labels, vault, shares));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }

    /// Returns the composition of one whole share.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            let market = "shares of vaults";
            let vaults = self.vaults(cx, market).await?.into_iter();
            let rows = vaults.filter(|vault| tokens.contains(&vault.share)).map(|vault| self.composition(cx, vault));
            Ok(join_partial(cx, rows).await.or_report(cx, market))
        })
    }
}

impl QuotedVaults {
    /// Returns the vaults with their shares.
    async fn vaults(&self, cx: &JobContext, market: &str) -> Result<Vec<QuotedVault>, Error> {
        let each = self.vaults.iter().map(async |address| {
            let share = self.quote.share(cx, *address).await?;
            Ok(QuotedVault { address: *address, share })
        });
        join_partial(cx, each).await.or_none_where_gone(cx, market)
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        QuotedVault { address, share }: QuotedVault,
        shares: U256,
    ) -> Result<Position, Error> {
        let (token, assets) = self.quote.assets_of(cx, address, shares).await?;
        let token = named_token(token);
        let row = Position::new(PositionKind::STAKED, labels.market, address).mechanism(self.types.vault);
        let row = row.named(format!("{} vault", symbol(share)));
        // The share's decimals may be others than the token's, so that the amount is the token's alone.
        Ok(row.leg(Leg::new(LegRole::STAKED, token, assets).receipt(share)).reward(Reward::new(token, None)))
    }

    async fn composition(
        &self,
        cx: &JobContext,
        QuotedVault { address, share }: QuotedVault,
    ) -> Result<Composition, Error> {
        let decimals = cx.call(share, decimalsCall {}).immutable().await?;
        let one = whole(share, decimals)?;
        let (token, amount) = self.quote.assets_of(cx, address, one).await?;
        let parts = vec![Part { token: named_token(token), amount }];
        Ok(Composition { token: share, kind: self.types.share.to_owned(), supply: one, parts })
    }
}

/// Returns the base token of a vault with reports, and how much of it so many shares are worth: a report says how many
/// shares 10^18 smallest units buy.
///
/// # Errors
/// Also if there is no report, or the vault has not accepted it.
async fn reported(cx: &JobContext, vault: Address, shares: U256) -> Result<(Address, U256), Error> {
    let oracle = cx.call(vault, oracleCall {}).immutable();
    let managers = cx.call(vault, feeManagerCall {}).immutable();
    let (oracle, manager) = cx.join((oracle, managers)).await?;
    let base = cx.call(manager, baseAssetCall { vault }).within(CONTRACT_STANDS_S).await?;
    let report = cx.call(oracle, getReportCall { asset: base }).await?;
    if report.isSuspicious {
        return Err(Error::new(format!("{vault}: the report of {} is not accepted", report.timestamp)));
    }
    let price = U256::from(report.priceD18);
    if price.is_zero() {
        return Err(Error::new(format!("{vault}: no report of {base}")));
    }
    Ok((base, mul_div(shares, WAD, price)?))
}

/// Returns an error about `quoted_by`, with the names that it may have.
fn no_quote(why: &str) -> SettingsError {
    let known = QUOTES.map(|known| format!("`{known}`")).join(", ");
    SettingsError::new(format!("{why}; give {known}")).at("quoted_by")
}
