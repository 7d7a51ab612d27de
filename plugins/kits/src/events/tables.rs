//! Event tables that plugins share. Each begins with its name, so that a plugin can append its own.

/// Pairs of Uniswap v2 and its forks.
pub const UNISWAP_V2: &str = include_str!("tables/uniswap_v2.events");
/// Pools and positions of Uniswap v3 and its forks.
pub const UNISWAP_V3: &str = include_str!("tables/uniswap_v3.events");
/// Pools, rewards and safety module of Aave v1, v2, v3 and their forks. Sections `pool`, `v1`, `rewards`, `safety`.
pub const AAVE: &str = include_str!("tables/aave.events");
/// MasterChef and its forks. Sections `chef`, `position_chef`.
pub const MASTER_CHEF: &str = include_str!("tables/master_chef.events");
/// StakingRewards and its forks. Sections `staking_rewards`, `erc900`.
pub const STAKING_REWARDS: &str = include_str!("tables/staking_rewards.events");
