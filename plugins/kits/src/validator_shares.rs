//! Delegations to validators, each with a contract that counts shares of its delegations, like Polygon's
//! `ValidatorShare`.
//!
//! A deployment is the manager that lists the validators; settings keys `stake_manager` and `staked_token`. Answers
//! claimables, farming positions, and withdrawals that must wait as locked positions. Invariant: the list of contracts
//! is a fact list; the target of a claim is read from the manager again.
//!
//! Source: <https://github.com/0xPolygon/pos-contracts/tree/main/contracts/staking>

mod unbonds;

use std::ops::Range;
use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, Error, JobContext, Keys, Leg, LegRole, Lineage, Position, PositionKind,
    Question, Reward, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{COUNT_STANDS_S, DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};
use crate::partial::join_partial;
use crate::read_nonzero::read_nonzero;

portolan_plugin_api::sol! {
    // The manager. Validator ids start at 1; the counter is the next id.
    function NFTCounter() external view returns (uint256);
    function validators(uint256 validatorId) external view returns (
        uint256 amount, uint256 reward, uint256 activationEpoch, uint256 deactivationEpoch, uint256 jailTime,
        address signer, address contractAddress
    );

    // Shares of a validator.
    function balanceOf(address account) external view returns (uint256);
    function getTotalStake(address account) external view returns (uint256 stake, uint256 exchangeRate);
    function getLiquidRewards(address account) external view returns (uint256);
    function withdrawRewardsPOL() external;
}

use unbonds::{unstakeClaimTokens_newPOLCall, unstakeClaimTokensPOLCall};

/// Key of the list of share contracts among a deployment's fact lists.
const LIST: &str = "shares";
/// Word of `validators` with the contract of shares.
const CONTRACT_WORD: u32 = 6;

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ValidatorSharesKit {
    /// Mechanism of delegations, and `type` of their rewards.
    pub delegation: &'static str,
}

/// Validators of one manager.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StakeManager {
    manager: Address,
    staked_token: Address,
    types: ValidatorSharesKit,
}

/// A validator with the contract of its shares.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Delegation {
    validator: U256,
    shares: Address,
}

impl ValidatorSharesKit {
    /// Keys of a row for delegations to validators, as Polygon's:
    /// - `stake_manager` (address): the manager that lists the validators
    /// - `staked_token` (address): the token that is delegated and paid
    pub const KEYS: &'static [&'static str] = &["stake_manager", "staked_token"];

    /// Creates a deployment of a manager's validators. `staked_token` is delegated to them, and they pay it as rewards.
    fn of(self, manager: Address, staked_token: Address) -> StakeManager {
        StakeManager { manager, staked_token, types: self }
    }
}

impl Kit for ValidatorSharesKit {
    fn keys(&self) -> &'static [&'static str] {
        &["stake_manager"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let Some(manager) = keys.address_opt("stake_manager")? else { return Ok(None) };
        Ok(Some(self.of(manager, keys.address("staked_token")?).shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![
            ClaimTemplate::new::<withdrawRewardsPOLCall>([]),
            ClaimTemplate::new::<unstakeClaimTokens_newPOLCall>([Role::NUMBER]),
            ClaimTemplate::new::<unstakeClaimTokensPOLCall>([]),
        ]
    }

    /// Returns the view that gives the contract of a validator's shares.
    fn lineages(&self) -> Vec<Lineage> {
        vec![Lineage::targets::<validatorsCall>().at(CONTRACT_WORD)]
    }
}

impl DeploymentReader for StakeManager {
    fn contracts(&self) -> Vec<Address> {
        vec![self.manager]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES, Question::FARMING, Question::LOCKED]
    }

    /// Returns a claim per validator with rewards, and claims of withdrawals.
    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let all = self.all(cx, labels).await?;
            let earned = self.earned(cx, labels, &all, account);
            let parts: [Boxed<'_, Vec<Claimable>>; 2] =
                [Box::pin(earned), Box::pin(unbonds::claimables(cx, self, labels, &all, account))];
            let found = join_partial(cx, parts).await.fail_if_none(cx, labels.market)?;
            Ok(found.into_iter().flatten().collect())
        })
    }

    /// Returns a position per delegation, or the waiting withdrawals.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        question: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let all = self.all(cx, labels).await?;
            if question == Question::LOCKED {
                return unbonds::positions(cx, self, labels, &all, account).await;
            }
            let held = self.delegations(cx, labels, &all, account).await?;
            let rows = held.into_iter().map(|held| self.position(cx, labels, held, account));
            Ok(join_partial(cx, rows).await.or_report(cx, labels.market))
        })
    }
}

impl StakeManager {
    /// Returns the claims of delegations' rewards.
    async fn earned(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        all: &[Delegation],
        account: Address,
    ) -> Result<Vec<Claimable>, Error> {
        let held = self.delegations(cx, labels, all, account).await?;
        let rows = held.into_iter().map(|held| self.claimable(cx, labels, held, account));
        Ok(join_partial(cx, rows).await.or_report(cx, labels.market).into_iter().flatten().collect())
    }

    /// Returns the validators of which the account has shares.
    async fn delegations(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        all: &[Delegation],
        account: Address,
    ) -> Result<Vec<Delegation>, Error> {
        let held = read_nonzero(cx, labels.market, all.to_vec(), |of| (of.shares, balanceOfCall { account })).await?;
        Ok(held.into_iter().map(|(of, _)| of).collect())
    }

    /// Returns the known validators that accept delegations.
    async fn all(&self, cx: &JobContext, labels: Labels<'_>) -> Result<Vec<Delegation>, Error> {
        let number = |place: u64| U256::from(place).saturating_add(U256::from(1));
        let walk = |places: Range<u64>| {
            cx.join(places.map(async |place| Ok(self.validator(cx, number(place)).await?.contractAddress)))
        };
        let count = async {
            Ok(cx.call(self.manager, NFTCounterCall {}).within(COUNT_STANDS_S).await?.saturating_sub(U256::from(1)))
        };
        let shares: Vec<Address> = cx.facts(labels.market, LIST, count, walk).await?;
        let delegation = |(place, shares)| Delegation { validator: number(place), shares };
        Ok((0..).zip(shares).map(delegation).filter(|of| !of.shares.is_zero()).collect())
    }

    /// Checks that the manager still names the contract.
    async fn check(&self, cx: &JobContext, of: Delegation) -> Result<(), Error> {
        if self.validator(cx, of.validator).await?.contractAddress == of.shares {
            return Ok(());
        }
        Err(Error::new(format!("{}: is the contract of validator {} no more", of.shares, of.validator)))
    }

    async fn validator(&self, cx: &JobContext, number: U256) -> Result<validatorsReturn, Error> {
        cx.call(self.manager, validatorsCall { validatorId: number }).await
    }

    async fn claimable(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        of: Delegation,
        account: Address,
    ) -> Result<Option<Claimable>, Error> {
        let owed = cx.call(of.shares, getLiquidRewardsCall { account }).zero_within(ZERO_STANDS_S);
        let (owed, ()) = cx.join((owed, self.check(cx, of))).await?;
        let claim = cx.claim(of.shares, &withdrawRewardsPOLCall {});
        let row = Claimable::new(labels.market, of.shares, claim).mechanism(self.types.delegation);
        let row = row.named(format!("Validator {} rewards", of.validator)).numbered(of.validator);
        Ok((!owed.is_zero()).then(|| row.pays(self.staked_token, owed)))
    }

    async fn position(
        &self,
        cx: &JobContext,
        labels: Labels<'_>,
        of: Delegation,
        account: Address,
    ) -> Result<Position, Error> {
        let amount = cx.call(of.shares, getTotalStakeCall { account }).await?.stake;
        let row = Position::new(PositionKind::STAKED, labels.market, of.shares).mechanism(self.types.delegation);
        let row = row.named(format!("Validator {} delegation", of.validator)).numbered(of.validator);
        let leg = Leg::new(LegRole::STAKED, self.staked_token, amount).receipt(of.shares);
        // Validators are paid at checkpoints, whose times no view returns.
        Ok(row.leg(leg).reward(Reward::new(self.staked_token, None)))
    }
}
