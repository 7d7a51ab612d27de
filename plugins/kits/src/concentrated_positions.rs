//! Positions in concentrated pools, each an NFT of a manager like Uniswap v3's: both tokens at the pool's price, the
//! range, and the fees that can be collected.
//!
//! Settings keys `position_manager` and `manager_kind`. Answers claimables and pooling. Invariant: an account without
//! NFTs costs one read; a failing position loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/Uniswap/v3-periphery/blob/main/contracts/NonfungiblePositionManager.sol>

mod manager_kind;

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, LegRole, Position, PositionKind, Question,
    SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::concentrated_liquidity::{collect_all, owed, template};
use crate::events::Source;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;

pub use manager_kind::ManagerKind;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConcentratedPositionsKit {
    /// `type` of positions and fees.
    pub position: &'static str,
}

/// One manager of positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionManager {
    manager: Address,
    kind: ManagerKind,
    types: ConcentratedPositionsKit,
}

impl ConcentratedPositionsKit {
    /// Keys of a row for a manager of concentrated positions, as Uniswap's `NonfungiblePositionManager`:
    /// - `position_manager` (address): the manager, whose NFTs are the positions
    /// - `manager_kind` (`uniswap-v3`, `slipstream`, `algebra` or `algebra-integral`, optional): the manager that it is
    ///   a copy of; `uniswap-v3` if missing
    pub const KEYS: &'static [&'static str] = &["position_manager", "manager_kind"];
}

impl Kit for ConcentratedPositionsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["position_manager"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(manager) = keys.address_opt("position_manager")? else {
            return Ok(None);
        };
        Ok(Some(PositionManager { manager, kind: ManagerKind::read(keys)?, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![template()]
    }
}

impl DeploymentReader for PositionManager {
    fn contracts(&self) -> Vec<Address> {
        vec![self.manager]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::POOLING]
    }

    fn emitters(&self) -> Option<Source> {
        Some(Source::of(&["v3-positions"]).contracts([self.manager]))
    }

    /// Returns a claim per position with fees, or with liquidity that was taken out and not collected.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let ids = self.ids(cx, labels, account).await?.into_iter();
            let claims = ids.map(|id| self.claimable(cx, labels, id, account));
            let claims = join_partial(cx, claims).await.fail_if_none(cx, labels.market)?;
            Ok(claims.into_iter().flatten().collect())
        })
    }

    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let ids = self.ids(cx, labels, account).await?.into_iter();
            let positions = ids.map(|id| self.position(cx, labels, id, account));
            let positions = join_partial(cx, positions).await.fail_if_none(cx, labels.market)?;
            Ok(positions.into_iter().flatten().collect())
        })
    }
}

impl PositionManager {
    /// Returns the ids of the account's first positions.
    async fn ids(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<U256>, Error> {
        owned_nfts::owned(cx, labels.market, self.manager, account).await
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        id: U256,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let at = self.manager;
        let (held, owed) = cx.join((self.kind.held(cx, at, id), owed(cx, at, id, account))).await?;
        if owed.is_nothing() {
            return Ok(None);
        }
        let [token0, token1] = held.liquidity.tokens;
        let claim = cx.claim(at, &collect_all(id, account));
        let claimable = Claimable::new(labels.market, at, claim).mechanism(self.types.position).numbered(id);
        let claimable = claimable.named(format!("{} fees", held.liquidity.pair()));
        Ok(Some(claimable.pays(token0, owed.amount0).pays(token1, owed.amount1)))
    }

    /// Returns a position; `None` if it was emptied.
    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        id: U256,
        account: Address,
    ) -> Result<Option<Position>, Error> {
        let at = self.manager;
        let (held, owed) = cx.join((self.kind.held(cx, at, id), owed(cx, at, id, account))).await?;
        let liquidity = held.liquidity;
        if liquidity.amount == 0 && owed.is_nothing() {
            return Ok(None);
        }
        let price = self.kind.price(cx, at, &held).await?;
        let position = Position::new(PositionKind::POOLED, labels.market, at).mechanism(self.types.position);
        let position = position.numbered(id).named(format!("{} position", liquidity.pair()));
        let position = liquidity.shown_in(position, LegRole::POOLED, &price, at)?;
        let mut position = position.legs(owed.legs(liquidity.tokens));
        position.legs.retain(|leg| !leg.amount.is_zero());
        Ok((!position.legs.is_empty()).then_some(position))
    }
}
