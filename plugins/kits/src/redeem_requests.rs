//! Vaults whose shares leave by a request (ERC-7540) and that list the requests of an account, like USD.AI's: a request
//! waits for its window and for its turn, and is paid at the price of that day.
//!
//! A deployment is a list of vaults; settings key `request_vaults`. Answers a locked position per request: what waits of
//! it, worth what the vault would pay for its shares now, and what is ready. Invariant: nothing ready is a claim, though
//! its owner can take it at once. The call that pays it is `redeem`, which in other vaults gives back a stake, so that no
//! claim may be that call. A vault or request that cannot be read loses only its own rows, and the answer reports it.
//!
//! Sources: <https://eips.ethereum.org/EIPS/eip-7540>,
//! <https://github.com/metastreet-labs/metastreet-usdai-contracts/blob/master/src/interfaces/IStakedUSDai.sol>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, JobContext, Keys, Leg, LegRole, Lock, Position, PositionKind, Question, SettingsError, U256, symbol,
};

use crate::bounds::truncate;
use crate::boxed::Boxed;
use crate::fixed_point::{WAD, mul_div, too_large};
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::partial::{Parts, join_partial};

portolan_plugin_api::sol! {
    function asset() external view returns (address);
    // Requests of which something waits, or is ready and was not taken.
    function redemptionIds(address controller) external view returns (uint256[]);
    function redemption(uint256 redemptionId) external view returns (
        uint256 prev, uint256 next, uint256 pendingShares, uint256 redeemableShares, uint256 withdrawableAmount,
        address controller, uint64 redemptionTimestamp, uint256 sharesAhead
    );
    // What 10^18 shares would be paid with now.
    function redemptionSharePrice() external view returns (uint256);
}

/// Requests of an account in one vault; USD.AI's allows 50.
const REQUESTS_MAX: usize = 64;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RedeemRequestsKit {
    /// Mechanism of positions.
    pub request: &'static str,
}

/// Vaults of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RequestVaults {
    vaults: Vec<Address>,
    types: RedeemRequestsKit,
}

/// A vault with what its requests are paid in.
#[derive(Clone, Debug)]
struct RequestVault {
    vault: Address,
    asset: Address,
    /// Smallest units of the asset for 10^18 shares. What is ready needs none.
    price: Result<U256, Error>,
}

impl RedeemRequestsKit {
    /// Keys of a row for vaults that list an account's requests to redeem, as USD.AI's:
    /// - `request_vaults` (array of addresses): the vaults
    pub const KEYS: &'static [&'static str] = &["request_vaults"];
}

impl Kit for RedeemRequestsKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let vaults = keys.addresses("request_vaults")?;
        Ok((!vaults.is_empty()).then(|| RequestVaults { vaults, types: *self }.shared()))
    }
}

impl DeploymentReader for RequestVaults {
    fn contracts(&self) -> Vec<Address> {
        self.vaults.clone()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LOCKED]
    }

    /// Returns a position per request of which something waits or is ready.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let each = self.vaults.iter().map(|vault| self.requests(cx, labels, *vault, account));
            let found: Parts<Vec<Position>> = join_partial(cx, each).await;
            Ok(found.or_none_where_gone(cx, labels.market)?.into_iter().flatten().collect())
        })
    }
}

impl RequestVaults {
    async fn requests(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        vault: Address,
        account: Address,
    ) -> Result<Vec<Position>, Error> {
        let mut ids = cx.call(vault, redemptionIdsCall { controller: account }).await?;
        truncate(cx, format_args!("{}: {vault}", labels.market), &mut ids, "requests", REQUESTS_MAX);
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let asset = cx.call(vault, assetCall {}).immutable();
        let price = async { Ok(cx.call(vault, redemptionSharePriceCall {}).await) };
        let (asset, price) = cx.join((asset, price)).await?;
        let vault = RequestVault { vault, asset, price };
        let rows = ids.into_iter().map(|id| self.request(cx, labels, &vault, id, account));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns what waits of a request with what is ready of it; `None` if all was taken.
    async fn request(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        RequestVault { vault, asset, price }: &RequestVault,
        id: U256,
        account: Address,
    ) -> Result<Option<Position>, Error> {
        let (vault, asset) = (*vault, *asset);
        let request = cx.call(vault, redemptionCall { redemptionId: id }).await?;
        if request.controller != account {
            return Err(Error::new(format!("{vault}: request {id} is of another account")));
        }
        let (waits, end) = (request.pendingShares, request.redemptionTimestamp);
        let is_over = end < cx.block().timestamp;
        // Once its window is over, a request is paid when its turn comes.
        let unlocks_at = (waits.is_zero() || !is_over).then_some(end);
        let worth = if waits.is_zero() { U256::ZERO } else { mul_div(waits, price.clone()?, WAD)? };
        let amount = worth.checked_add(request.withdrawableAmount).ok_or_else(too_large)?;
        if amount.is_zero() {
            return Ok(None);
        }
        let name = if waits.is_zero() { "redemption that is ready" } else { "redemption" };
        let row = Position::new(PositionKind::LOCKED, labels.market, vault).mechanism(self.types.request);
        let row = row.named(format!("{} {name}", symbol(vault))).numbered(id);
        let lock = Some(Lock { unlocks_at, is_permanent: Some(false) });
        Ok(Some(Position { lock, ..row.leg(Leg::new(LegRole::LOCKED, asset, amount)) }))
    }
}
