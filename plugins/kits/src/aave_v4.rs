//! Aave v4: spokes, each of which has accounts of its own, and lends and borrows the reserves of hubs.
//!
//! A deployment is one spoke; settings key `spoke`. Answers a lending position with what is supplied and owed of each
//! reserve, and the health factor. Invariant: amounts are what the spoke returns, with interest and premium until the
//! block. A reserve that cannot be read loses only its own legs, and the answer reports it.
//!
//! Source: <https://github.com/aave/aave-v4/tree/main/src/spoke/interfaces>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Error, Health, JobContext, Keys, Leg, LegRole, Position, PositionKind, Question, SettingsError, U256,
    symbol,
};

use crate::bounds::answered;
use crate::boxed::Boxed;
use crate::fixed_point::mul_div;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::{join_partial, or_default, with_each};

portolan_plugin_api::sol! {
    // ISpoke.sol. Its structs are returned as their members; their last ones stand in another order in some versions.
    function getReserveCount() external view returns (uint256);
    function getReserve(uint256 reserveId) external view returns (
        address underlying, address hub, uint256 assetId, uint256 decimals, uint256 fifth, uint256 sixth, uint256 seventh
    );
    function getUserPosition(uint256 reserveId, address user) external view returns (
        uint256 drawnShares, uint256 premiumShares, int256 premiumOffsetRay, uint256 suppliedShares, uint256 configKey
    );
    function getUserReserveStatus(uint256 reserveId, address user) external view
        returns (bool isCollateral, bool isBorrowed);
    function getUserSuppliedAssets(uint256 reserveId, address user) external view returns (uint256);
    function getUserTotalDebt(uint256 reserveId, address user) external view returns (uint256);
    function getUserAccountData(address user) external view returns (
        uint256 riskPremium, uint256 avgCollateralFactor, uint256 healthFactor, uint256 totalCollateralValue,
        uint256 totalDebtValue, uint256 activeCollateralCount, uint256 borrowCount
    );

    // IHub.sol: the rate of a year, as a ray.
    function getAssetDrawnRate(uint256 assetId) external view returns (uint256);
}

/// Reserves of a spoke.
const RESERVES_MAX: u64 = 128;
/// Cache time of the list of reserves, in seconds; a new one shows at most this much later.
const LIST_STANDS_S: u32 = 300;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AaveV4Kit {
    /// Mechanism of positions.
    pub spoke: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Spoke {
    spoke: Address,
    types: AaveV4Kit,
}

/// Shares of an account in a reserve.
#[derive(Clone, Copy, Debug)]
struct ReserveShares {
    reserve_id: U256,
    supplied: U256,
    drawn: U256,
    /// Shares of the drawn ones' kind that bear interest and were not drawn.
    premium: U256,
}

impl AaveV4Kit {
    /// Keys of a row for a spoke of Aave v4 or of a fork:
    /// - `spoke` (address): the spoke
    pub const KEYS: &'static [&'static str] = &["spoke"];
}

impl Kit for AaveV4Kit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("spoke")?.map(|spoke| Spoke { spoke, types: *self }.shared()))
    }
}

impl DeploymentReader for Spoke {
    fn contracts(&self) -> Vec<Address> {
        vec![self.spoke]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::LENDING]
    }

    /// Returns the account's position in the spoke, if it has one.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let shares = self.shares(cx, labels, account).await?;
            if shares.is_empty() {
                return Ok(Vec::new());
            }
            let owes = shares.iter().any(ReserveShares::owes);
            let legs = async {
                let legs = join_partial(cx, shares.into_iter().map(|shares| self.legs(cx, labels, shares, account)));
                Ok(legs.await.fail_if_none(cx, labels.market)?.into_iter().flatten())
            };
            let health = async { Ok(if owes { self.health(cx, labels, account).await } else { None }) };
            let (legs, health) = cx.join((legs, health)).await?;
            let kind = if owes { PositionKind::BORROWED } else { PositionKind::LENT };
            let position = Position::new(kind, labels.market, self.spoke).mechanism(self.types.spoke);
            Ok(vec![Position { health, ..position.named(labels.title).legs(legs) }])
        })
    }
}

impl ReserveShares {
    fn owes(&self) -> bool {
        !self.drawn.is_zero() || !self.premium.is_zero()
    }

    /// Returns the rate of the debt: premium shares grow like drawn ones.
    fn debt_rate(&self, drawn_rate_ray: U256) -> Result<Option<U256>, Error> {
        let bearing = self.drawn.saturating_add(self.premium);
        if self.drawn.is_zero() { Ok(None) } else { mul_div(drawn_rate_ray, bearing, self.drawn).map(Some) }
    }
}

impl Spoke {
    /// Returns the account's shares of each reserve in which it has some.
    async fn shares(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<ReserveShares>, Error> {
        let spoke = self.spoke;
        let count = cx.call(spoke, getReserveCountCall {}).within(LIST_STANDS_S).await?;
        let count = answered(cx, labels.market, count, "reserves", RESERVES_MAX);
        let ids: Vec<U256> = (0..count).map(U256::from).collect();
        let calls = ids.iter().map(|id| (spoke, getUserPositionCall { reserveId: *id, user: account }));
        let found = with_each(ids.clone(), cx.call_each(calls).zero_within(ZERO_STANDS_S)).await;
        let found = found.fail_if_none(cx, labels.market)?.into_iter().map(|(reserve_id, of)| ReserveShares {
            reserve_id,
            supplied: of.suppliedShares,
            drawn: of.drawnShares,
            premium: of.premiumShares,
        });
        Ok(found.filter(|shares| !shares.supplied.is_zero() || shares.owes()).collect())
    }

    /// Returns what is supplied and what is owed of a reserve.
    async fn legs(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        shares: ReserveShares,
        account: Address,
    ) -> Result<Vec<Leg>, Error> {
        let (spoke, reserve_id, user) = (self.spoke, shares.reserve_id, account);
        let reserve = cx.call(spoke, getReserveCall { reserveId: reserve_id }).within(LIST_STANDS_S).await?;
        let token = reserve.underlying;
        let supplied = (!shares.supplied.is_zero()).then_some(async move {
            let amount = cx.call(spoke, getUserSuppliedAssetsCall { reserveId: reserve_id, user });
            let status = cx.call(spoke, getUserReserveStatusCall { reserveId: reserve_id, user });
            let (amount, status) = cx.join((amount, status)).await?;
            let leg = Leg::new(LegRole::SUPPLIED, token, amount).named(format!("{} {}", labels.title, symbol(token)));
            Ok(Leg { is_collateral: Some(status.isCollateral), ..leg })
        });
        let owed = shares.owes().then_some(async move {
            let amount = cx.call(spoke, getUserTotalDebtCall { reserveId: reserve_id, user });
            let rate = cx.call(reserve.hub, getAssetDrawnRateCall { assetId: reserve.assetId });
            let (amount, rate) = cx.join((amount, rate)).await?;
            let leg = Leg { rate_ray: shares.debt_rate(rate)?, ..Leg::new(LegRole::BORROWED, token, amount) };
            Ok(leg.named(format!("{} {} debt", labels.title, symbol(token))))
        });
        let (supplied, owed) = cx.join((cx.join(supplied.into_iter()), cx.join(owed.into_iter()))).await?;
        Ok(supplied.into_iter().chain(owed).collect())
    }

    /// Returns the health factor of an account that owes. It is reported if it cannot be read.
    async fn health(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Option<Health> {
        let data = cx.call(self.spoke, getUserAccountDataCall { user: account }).await.map(Some);
        let data = or_default(cx, format_args!("{}: health factor", labels.market), data);
        data.map(|data| Health { factor_wad: Some(data.healthFactor), liquidation_price: None })
    }
}
