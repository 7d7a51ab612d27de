//! Pools that collect the tips of validators for those who deposited them: stakefish's fee pool.
//!
//! Settings key `fee_pool`. Answers claimables. Invariant: a claim that the pool refuses, because it is closed or has
//! not enough, is not answered but reported. Deposits of validators are no contract's of it, and are not answered.
//!
//! Source: the verified contract at <https://etherscan.io/address/0xffee087852cb4898e6c3532e776e68bc68b1143b#code>.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, ClaimTemplate, Claimable, JobContext, Keys, NATIVE, Question, Role, SettingsError, U256,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

portolan_plugin_api::sol! {
    function pendingReward(address depositor) external view returns (uint256 pending);
    // Pays the sender's tips to the beneficiary; zero stands for all.
    function collectReward(address beneficiary, uint256 amount) external;
}

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeePoolsKit {
    /// `type` of claims.
    pub fees: &'static str,
}

/// One pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FeePool {
    pool: Address,
    types: FeePoolsKit,
}

impl FeePoolsKit {
    /// Keys of a row for a pool of validators' tips, as stakefish's:
    /// - `fee_pool` (address): the pool
    pub const KEYS: &'static [&'static str] = &["fee_pool"];
}

impl Kit for FeePoolsKit {
    fn keys(&self) -> &'static [&'static str] {
        &["fee_pool"]
    }

    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        Ok(keys.address_opt("fee_pool")?.map(|pool| FeePool { pool, types: *self }.shared()))
    }

    fn claim_templates(&self) -> Vec<ClaimTemplate> {
        vec![ClaimTemplate::new::<collectRewardCall>([Role::ACCOUNT, Role::constant(&U256::ZERO)])]
    }
}

impl DeploymentReader for FeePool {
    fn contracts(&self) -> Vec<Address> {
        vec![self.pool]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::CLAIMABLES]
    }

    fn claimables<'a>(&'a self, cx: &'a JobContext, labels: Labels<'a>, account: Address) -> Boxed<'a, Vec<Claimable>> {
        Box::pin(async move {
            let owed = cx.call(self.pool, pendingRewardCall { depositor: account }).zero_within(ZERO_STANDS_S).await?;
            if owed.is_zero() {
                return Ok(Vec::new());
            }
            let call = collectRewardCall { beneficiary: account, amount: U256::ZERO };
            let claim = cx.claim(self.pool, &call);
            cx.call(self.pool, call).from(account).isolated().await?;
            let row = Claimable::new(labels.market, self.pool, claim).mechanism(self.types.fees);
            Ok(vec![row.named(format!("{} tips", labels.title)).pays(NATIVE, owed)])
        })
    }
}
