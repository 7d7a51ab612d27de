//! Maker's vaults: collateral against which DAI is owed, numbered by a manager that knows their owner. Many belong to
//! the owner's proxy, which counts as the account.
//!
//! A deployment is one manager with the contracts that describe its vaults; settings key `cdp_manager`. Answers a
//! lending position per vault. Invariant: a proxy counts only while the registry names it and it names the account as
//! its owner. A vault that cannot be read loses only its own row, and the answer reports it.
//!
//! Source: <https://github.com/makerdao/dss-cdp-manager/tree/master/src>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, Error, FromKeys, JobContext, Keys, Position, PositionKind, Question, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::vat::{self, Ledger, Urn};

portolan_plugin_api::sol! {
    // DssCdpManager.sol
    function vat() external view returns (address);
    function count(address owner) external view returns (uint256);

    // GetCdps.sol
    function getCdpsAsc(address manager, address owner) external view
        returns (uint256[] ids, address[] urns, bytes32[] ilks);

    // https://github.com/dapphub/proxy-registry/blob/master/src/ProxyRegistry.sol
    function proxies(address owner) external view returns (address);
    // https://github.com/dapphub/ds-proxy/blob/master/src/proxy.sol
    function owner() external view returns (address);

    // https://github.com/makerdao/ilk-registry/blob/master/src/IlkRegistry.sol
    function gem(bytes32 ilk) external view returns (address);
    function dec(bytes32 ilk) external view returns (uint256);
}

/// Vaults of one owner that are listed; the list is one call, whose gas grows with it.
const VAULTS_MAX: u64 = 200;
/// Cache time of a collateral's token, in seconds.
const TOKEN_STANDS_S: u32 = 3_600;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakerVaultsKit {
    /// Mechanism of vaults.
    pub vault: &'static str,
}

/// Contracts of a deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromKeys)]
struct MakerKeys {
    /// The manager of vaults.
    cdp_manager: Address,
    cdp_lister: Address,
    ilk_registry: Address,
    jug: Address,
    debt_token: Address,
    proxy_registry: Option<Address>,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MakerVaults {
    keys: MakerKeys,
    types: MakerVaultsKit,
}

/// A vault of the account or of its proxy.
#[derive(Clone, Copy, Debug)]
struct Vault {
    number: U256,
    urn: Urn,
}

impl MakerVaultsKit {
    /// Keys of a row for Maker's vaults:
    /// - `cdp_manager` (address): the manager that numbers the vaults
    /// - `cdp_lister` (address): the contract that lists an owner's vaults (`GetCdps`)
    /// - `ilk_registry` (address): the contract that names the token of each kind of collateral
    /// - `jug` (address): the contract that collects fees
    /// - `debt_token` (address): the token that vaults owe
    /// - `proxy_registry` (address, optional): the registry of owners' proxies; without it, vaults of proxies are not
    ///   answered
    pub const KEYS: &'static [&'static str] =
        &["cdp_manager", "cdp_lister", "ilk_registry", "jug", "debt_token", "proxy_registry"];
}

impl Kit for MakerVaultsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["cdp_manager"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        if keys.address_opt("cdp_manager")?.is_none() {
            return Ok(None);
        }
        Ok(Some(MakerVaults { keys: MakerKeys::from_keys(keys)?, types: *self }.shared()))
    }
}

impl DeploymentReader for MakerVaults {
    fn contracts(&self) -> Vec<Address> {
        let MakerKeys { cdp_manager, cdp_lister, ilk_registry, jug, proxy_registry, .. } = self.keys;
        [cdp_manager, cdp_lister, ilk_registry, jug].into_iter().chain(proxy_registry).collect()
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
            let parts: [Boxed<'_, Vec<Vault>>; 2] = [
                Box::pin(self.vaults(cx, labels, account)),
                Box::pin(async {
                    match self.proxy(cx, account).await? {
                        Some(proxy) => self.vaults(cx, labels, proxy).await,
                        None => Ok(Vec::new()),
                    }
                }),
            ];
            let vaults = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?.concat();
            if vaults.is_empty() {
                return Ok(Vec::new());
            }
            let ledger =
                Ledger { vat: cx.call(self.keys.cdp_manager, vatCall {}).immutable().await?, jug: self.keys.jug };
            let rows = vaults.into_iter().map(|vault| self.position(cx, labels, ledger, vault));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl MakerVaults {
    /// Returns the proxy that acts for the account, if there is one.
    async fn proxy(&self, cx: &JobContext, account: Address) -> Result<Option<Address>, Error> {
        let Some(registry) = self.keys.proxy_registry else { return Ok(None) };
        let proxy = cx.call(registry, proxiesCall { owner: account }).zero_within(ZERO_STANDS_S).await?;
        if proxy.is_zero() || proxy == account {
            return Ok(None);
        }
        // The registry does not hear of a proxy's new owner, nor of its end.
        let owner = cx.try_call(proxy, ownerCall {}).await?;
        Ok((owner == Ok(account)).then_some(proxy))
    }

    /// Returns an owner's vaults.
    async fn vaults(&self, cx: &JobContext, labels: Labels<'_>, owner: Address) -> Result<Vec<Vault>, Error> {
        let manager = self.keys.cdp_manager;
        let count = cx.call(manager, countCall { owner }).zero_within(ZERO_STANDS_S).await?;
        if count.is_zero() {
            return Ok(Vec::new());
        }
        if count > U256::from(VAULTS_MAX) {
            let market = labels.market;
            cx.report_not_covered(format!("{market}: {owner} has {count} vaults; more than {VAULTS_MAX} are not read"));
            return Ok(Vec::new());
        }
        let listed = cx.call(self.keys.cdp_lister, getCdpsAscCall { manager, owner }).await?;
        if listed.urns.len() != listed.ids.len() || listed.ilks.len() != listed.ids.len() {
            return Err(Error::new(format!("{}: lists of different lengths", self.keys.cdp_lister)));
        }
        let urns = listed.urns.into_iter().zip(listed.ilks).map(|(holder, ilk)| Urn { ilk, holder });
        Ok(listed.ids.into_iter().zip(urns).map(|(number, urn)| Vault { number, urn }).collect())
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        ledger: Ledger,
        Vault { number, urn }: Vault,
    ) -> Result<Option<Position>, Error> {
        let Some(holding) = vat::holding(cx, ledger, urn).await? else { return Ok(None) };
        let (registry, ilk) = (self.keys.ilk_registry, urn.ilk);
        let token = cx.call(registry, gemCall { ilk }).within(TOKEN_STANDS_S);
        let collateral = cx.join((token, cx.call(registry, decCall { ilk }).within(TOKEN_STANDS_S))).await?;
        if collateral.0.is_zero() {
            return Err(Error::new(format!("{registry}: names no token of {}", ilk_name(ilk))));
        }
        let kind = if holding.debt.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
        let position = Position::new(kind, labels.market, self.keys.cdp_manager).mechanism(self.types.vault);
        let position = position.numbered(number).named(format!("{} {} vault", labels.title, ilk_name(ilk)));
        let legs = holding.legs(collateral, self.keys.debt_token)?;
        Ok(Some(Position { health: holding.health, ..position.legs(legs) }))
    }
}

/// Returns the name of a kind of collateral, which is a text that ends with zeros: `ETH-A`.
fn ilk_name(ilk: B256) -> String {
    let text: Vec<u8> = ilk.iter().copied().take_while(|byte| *byte != 0).collect();
    match String::from_utf8(text) {
        Ok(text) if !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_graphic()) => text,
        _ => ilk.to_string(),
    }
}
