//! A pool, and the split of its rewards.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::contracts::{getPoolInfoCall, xGrailRewardsShareCall};

/// Total of reward shares.
const SHARES: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// A pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NftPool {
    pub(super) address: Address,
    pub(super) staked: Address,
    /// Token that is paid freely.
    reward: Address,
    /// Token that is paid under restrictions.
    restricted: Address,
    /// Restricted part of the rewards, out of [`SHARES`].
    restricted_share: U256,
    /// Total stake.
    pub(super) supply: U256,
}

/// An NFT of a pool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NftStake {
    pub(super) pool: NftPool,
    pub(super) token_id: U256,
}

impl NftPool {
    pub(super) async fn read(cx: &JobContext, address: Address) -> Result<Self, Error> {
        let share = cx.call(address, xGrailRewardsShareCall {});
        let (info, restricted_share) = cx.join((cx.call(address, getPoolInfoCall {}), share)).await?;
        if restricted_share > SHARES {
            return Err(Error::new(format!(
                "{address}: restricts {restricted_share} of {SHARES} parts of its rewards"
            )));
        }
        Ok(Self {
            address,
            staked: info.lpToken,
            reward: info.protocolToken,
            restricted: info.xToken,
            restricted_share,
            supply: info.lpSupply,
        })
    }

    /// Returns the tokens that the pool pays.
    pub(super) fn tokens(&self) -> [Address; 2] {
        [self.reward, self.restricted]
    }

    /// Splits an amount between the tokens, rounded as in the pool; `None` if the product overflows.
    pub(super) fn split(&self, pending: U256) -> Option<[(Address, U256); 2]> {
        let restricted = pending.checked_mul(self.restricted_share)? / SHARES;
        Some([(self.reward, pending - restricted), (self.restricted, restricted)])
    }
}
