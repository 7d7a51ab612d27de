//! A farm, and the slots of its reward tokens.

use portolan_plugin_api::{Address, JobContext, Read, U256};

use super::Rewards;
use super::contracts::{dual, single};

/// A farm, with its staking token if the factory returned it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Farm {
    pub(super) address: Address,
    pub(super) staked: Option<Address>,
}

/// One of a farm's reward tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Slot {
    /// The only one.
    Only,
    /// The first of two.
    A,
    /// The second of two.
    B,
}

/// Returns the reward token slots of farms.
pub(super) fn slots(rewards: Rewards) -> &'static [Slot] {
    match rewards {
        Rewards::Single => &[Slot::Only],
        Rewards::Dual => &[Slot::A, Slot::B],
    }
}

impl Slot {
    /// Reads the reward token, which never changes.
    pub(super) fn token(self, cx: &JobContext, farm: Address) -> Read<'_, Address> {
        let read = match self {
            Self::Only => cx.call(farm, single::rewardsTokenCall {}),
            Self::A => cx.call(farm, dual::rewardsTokenACall {}),
            Self::B => cx.call(farm, dual::rewardsTokenBCall {}),
        };
        read.immutable()
    }

    /// Reads the rate to all stakers per second, while the period lasts.
    pub(super) fn rate(self, cx: &JobContext, farm: Address) -> Read<'_, U256> {
        match self {
            Self::Only => cx.call(farm, single::rewardRateCall {}),
            Self::A => cx.call(farm, dual::rewardRateACall {}),
            Self::B => cx.call(farm, dual::rewardRateBCall {}),
        }
    }

    /// Reads the amount that a claim would pay the account.
    pub(super) fn earned(self, cx: &JobContext, farm: Address, account: Address) -> Read<'_, U256> {
        match self {
            Self::Only => cx.call(farm, single::earnedCall { account }),
            Self::A => cx.call(farm, dual::earnedACall { account }),
            Self::B => cx.call(farm, dual::earnedBCall { account }),
        }
    }
}
