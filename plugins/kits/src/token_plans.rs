//! Hedgey's vesting and lockup plans: each is an NFT, whose owner redeems what was unlocked by periods.
//!
//! A deployment is a list of contracts; settings key `token_plans`. Answers claimables of what is unlocked, and locked
//! positions of the rest, with the schedule. Invariant: amounts are what a redemption in this block would pay and leave.
//! A plan that cannot be read loses only its own rows, and the answer reports it.
//!
//! Source: <https://github.com/hedgey-finance/Locked_VestingTokenPlans/tree/master/contracts>

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Nft, Position, PositionKind, Question,
    Role, SettingsError, U256, Vesting, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared};
use crate::owned_nfts;
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    function balanceOf(address owner) external view returns (uint256);
    // Vesting plans have more words. A redemption moves the start to what it has paid until.
    function plans(uint256 planId) external view returns (
        address token, uint256 amount, uint256 start, uint256 cliff, uint256 rate, uint256 period
    );
    function planBalanceOf(uint256 planId, uint256 timeStamp, uint256 redemptionTime) external view returns (
        uint256 balance, uint256 remainder, uint256 latestUnlock
    );
    function planEnd(uint256 planId) external view returns (uint256);
    // Pays the sender, who has to own all of them.
    function redeemPlans(uint256[] planIds) external;
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenPlansKit {
    /// Mechanism of plans, and `type` of what they pay.
    pub plan: &'static str,
}

/// Contracts of one deployment.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TokenPlans {
    contracts: Vec<Address>,
    types: TokenPlansKit,
}

/// A plan of the account.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Plan {
    contract: Address,
    id: U256,
    token: Address,
    /// What a redemption pays.
    unlocked: U256,
    /// What it leaves.
    locked: U256,
    start: U256,
    cliff: U256,
}

impl TokenPlansKit {
    /// Keys of a row for Hedgey's plans:
    /// - `token_plans` (array of addresses): contracts of vesting and lockup plans, with votes or without
    pub const KEYS: &'static [&'static str] = &["token_plans"];
}

impl Kit for TokenPlansKit {
    fn keys(&self) -> &'static [&'static str] {
        Self::KEYS
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let contracts = keys.addresses("token_plans")?;
        Ok((!contracts.is_empty()).then(|| TokenPlans { contracts, types: *self }.shared()))
    }

    /// Returns the redemption of a plan. Those of several are merged.
    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<redeemPlansCall>([Role::array(Role::NUMBER)]).merging([0])]
    }
}

impl DeploymentReader for TokenPlans {
    fn contracts(&self) -> Vec<Address> {
        self.contracts.to_vec()
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::LOCKED]
    }

    /// Returns a claim per plan of which something is unlocked.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let plans = self.owned(cx, labels, account).await?.into_iter();
            Ok(plans.filter(|plan| !plan.unlocked.is_zero()).map(|plan| self.claimable(cx, labels, &plan)).collect())
        })
    }

    /// Returns a position per plan of which something is locked.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let plans = self.owned(cx, labels, account).await?.into_iter();
            let rows = plans.filter(|plan| !plan.locked.is_zero()).map(|plan| self.position(cx, labels, plan));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl TokenPlans {
    /// Returns the account's plans.
    async fn owned(&self, cx: &JobContext, labels: Labels<'_>, account: Address) -> Result<Vec<Plan>, Error> {
        let call = |contract: &Address| (*contract, balanceOfCall { owner: account });
        let held = read_nonzero(cx, labels.market, self.contracts.to_vec(), call).await?.into_iter();
        let ids = held.map(async |(contract, count)| {
            let ids = owned_nfts::numbers(cx, labels.market, contract, account, count).await?;
            Ok(ids.into_iter().map(|id| (contract, id)).collect::<Vec<_>>())
        });
        let ids = join_partial(cx, ids).await.or_report(cx, labels.market).concat();
        let plans = ids.into_iter().map(|(contract, id)| plan(cx, contract, id));
        Ok(join_partial(cx, plans).await.or_report(cx, labels.market))
    }

    fn claimable(&self, cx: &JobContext, labels: Labels<'_>, plan: &Plan) -> Claimable {
        let call = redeemPlansCall { planIds: vec![plan.id] };
        let claim = cx.claim(plan.contract, &call).mergeable_as(cx.claim(plan.contract, &call));
        let row = Claimable::new(labels.market, plan.contract, claim).mechanism(self.types.plan).numbered(plan.id);
        row.named(format!("{} plan", symbol(plan.token))).pays(plan.token, plan.unlocked)
    }

    async fn position(&self, cx: &JobContext, labels: Labels<'_>, plan: Plan) -> Result<Position, Error> {
        let end = cx.call(plan.contract, planEndCall { planId: plan.id }).await?;
        let seconds = |time: U256| u64::try_from(time).ok().filter(|time| *time > 0);
        let schedule = Vesting {
            start: seconds(plan.start),
            cliff: seconds(plan.cliff),
            end: seconds(end),
            releasable: Some(plan.unlocked),
        };
        let row = Position::new(PositionKind::VESTING, labels.market, plan.contract).mechanism(self.types.plan);
        let row = row.named(format!("{} plan", symbol(plan.token))).numbered(plan.id);
        let row = row.leg(Leg::new(LegRole::VESTING, plan.token, plan.locked));
        let nft = Nft { collection: plan.contract, token_id: plan.id };
        Ok(Position { vesting: Some(schedule), nft: Some(nft), ..row })
    }
}

async fn plan(cx: &JobContext, contract: Address, id: U256) -> Result<Plan, Error> {
    let now = U256::from(cx.block().timestamp);
    let terms = cx.call(contract, plansCall { planId: id });
    let balance = cx.call(contract, planBalanceOfCall { planId: id, timeStamp: now, redemptionTime: now });
    let (terms, balance) = cx.join((terms, balance)).await?;
    let (unlocked, locked) = (balance.balance, balance.remainder);
    let plansReturn { token, start, cliff, .. } = terms;
    Ok(Plan { contract, id, token, unlocked, locked, start, cliff })
}
