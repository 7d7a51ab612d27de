//! Sky's staking engine (`LockstakeEngine`): SKY that is locked in urns of the owner, each of which may owe USDS and may
//! be staked in a farm that pays rewards.
//!
//! A deployment is one engine, which names its other contracts; settings key `lockstake_engine`. Answers claimables and
//! a lending position per urn. Invariant: the engine alone moves an urn's rewards, so it is the target of their claim.
//!
//! Source: <https://github.com/makerdao/lockstake/blob/master/src/LockstakeEngine.sol>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, B256, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Role, SettingsError, U256,
};

use crate::bounds::answered;
use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::vat::{self, Ledger, Urn};

portolan_plugin_api::sol! {
    function ownerUrnsCount(address owner) external view returns (uint256);
    function ownerUrns(address owner, uint256 index) external view returns (address);
    function urnFarms(address urn) external view returns (address);
    function vat() external view returns (address);
    function jug() external view returns (address);
    function ilk() external view returns (bytes32);
    function sky() external view returns (address);
    function usds() external view returns (address);
    function getReward(address owner, uint256 index, address farm, address to) external returns (uint256);

    // A farm: StakingRewards of Synthetix.
    function earned(address account) external view returns (uint256);
    function rewardsToken() external view returns (address);
}

/// Urns of an account in one answer.
const URNS_MAX: u64 = 32;
/// Decimals of the locked token.
const DECIMALS: U256 = U256::from_limbs([18, 0, 0, 0]);
/// Cache time of the contract that collects fees, in seconds; governance can replace it.
const JUG_STANDS_S: u32 = 3_600;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockstakeKit {
    /// Mechanism of urns, and `type` of their rewards.
    pub urn: &'static str,
}

/// One deployment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LockstakeEngine {
    engine: Address,
    types: LockstakeKit,
}

/// An urn of the account, by its place in the account's list.
#[derive(Clone, Copy, Debug)]
struct OwnedUrn {
    index: U256,
    urn: Address,
}

/// What an urn's farm owes it.
#[derive(Clone, Copy, Debug)]
struct FarmReward {
    farm: Address,
    token: Address,
    amount: U256,
}

impl LockstakeKit {
    /// Keys of a row for Sky's staking engine:
    /// - `lockstake_engine` (address): the engine
    pub const KEYS: &'static [&'static str] = &["lockstake_engine"];
}

impl Kit for LockstakeKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(engine) = keys.address_opt("lockstake_engine")? else { return Ok(None) };
        Ok(Some(LockstakeEngine { engine, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<getRewardCall>([Role::ACCOUNT, Role::NUMBER, Role::MARKET, Role::ACCOUNT])]
    }

    /// Returns the view that names an urn's farm.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::markets::<urnFarmsCall>()]
    }
}

impl DeploymentReader for LockstakeEngine {
    fn contracts(&self) -> Vec<Address> {
        vec![self.engine]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LENDING]
    }

    /// Returns a claim per urn with rewards.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let urns = self.urns(cx, labels, account).await?;
            let rows = urns.into_iter().map(|urn| self.claimable(cx, labels, urn, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }

    /// Returns a position per urn that holds or owes something.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let urns = self.urns(cx, labels, account).await?;
            let rows = urns.into_iter().map(|urn| self.position(cx, labels, urn));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
        })
    }
}

impl LockstakeEngine {
    /// Returns the account's urns.
    async fn urns(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<OwnedUrn>, Error> {
        let (engine, owner) = (self.engine, account);
        let count = cx.call(engine, ownerUrnsCountCall { owner }).zero_within(ZERO_STANDS_S).await?;
        let count = answered(cx, format_args!("{}: {engine}", labels.market), count, "urns", URNS_MAX);
        cx.join((0..count).map(async |place| {
            let index = U256::from(place);
            Ok(OwnedUrn { index, urn: cx.call(engine, ownerUrnsCall { owner, index }).await? })
        }))
        .await
    }

    /// Returns what the urn's farm owes it; `None` if it is in none, or is owed nothing.
    async fn earned(&self, cx: &JobContext, urn: Address) -> Result<Option<FarmReward>, Error> {
        let farm = cx.call(self.engine, urnFarmsCall { urn }).await?;
        if farm.is_zero() {
            return Ok(None);
        }
        let token = cx.call(farm, rewardsTokenCall {}).immutable();
        let (amount, token) = cx.join((cx.call(farm, earnedCall { account: urn }), token)).await?;
        Ok((!amount.is_zero()).then_some(FarmReward { farm, token, amount }))
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        OwnedUrn { index, urn }: OwnedUrn,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let Some(FarmReward { farm, token, amount }) = self.earned(cx, urn).await? else { return Ok(None) };
        let claim = cx.claim(self.engine, &getRewardCall { owner: account, index, farm, to: account });
        let row = Claimable::new(labels.market, self.engine, claim).mechanism(self.types.urn).numbered(index);
        Ok(Some(row.named(format!("{} rewards", labels.title)).pays(token, amount)))
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        OwnedUrn { index, urn }: OwnedUrn,
    ) -> Result<Option<Position>, Error> {
        let engine = self.engine;
        let (ilk, vat) = (cx.call(engine, ilkCall {}).immutable(), cx.call(engine, vatCall {}).immutable());
        let (sky, usds) = (cx.call(engine, skyCall {}).immutable(), cx.call(engine, usdsCall {}).immutable());
        let jug = cx.call(engine, jugCall {}).within(JUG_STANDS_S);
        let ((ilk, vat, jug), (sky, usds)): ((B256, _, _), _) =
            cx.join((cx.join((ilk, vat, jug)), cx.join((sky, usds)))).await?;
        let holding = vat::holding(cx, Ledger { vat, jug }, Urn { ilk, holder: urn });
        let (holding, earned) = cx.join((holding, self.earned(cx, urn))).await?;
        let owed = earned.map(|earned| Leg::new(LegRole::REWARD_OWED, earned.token, earned.amount));
        let Some(holding) = holding else { return Ok(None) };
        let kind = if holding.debt.is_zero() { PositionKind::LENT } else { PositionKind::BORROWED };
        let position = Position::new(kind, labels.market, engine).mechanism(self.types.urn).numbered(index);
        let position = position.named(labels.title).legs(holding.legs((sky, DECIMALS), usds)?).legs(owed);
        Ok(Some(Position { health: holding.health, ..position }))
    }
}
