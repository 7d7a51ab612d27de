//! Called functions of farms and factories.

/// Farms with one reward token.
///
/// Source: <https://github.com/Synthetixio/synthetix/blob/v2.42.0/contracts/StakingRewards.sol>
pub(super) mod single {
    portolan_plugin_api::sol! {
        function rewardsToken() external view returns (address);
        function rewardRate() external view returns (uint256);
        function earned(address account) external view returns (uint256);
    }
}

/// Farms with two reward tokens.
///
/// Source:
/// <https://github.com/QuickSwap/quickswap-core/blob/5c0eb1b71477a2e9d46c6cd2aaec39628a086235/contracts/staking/StakingRewardsDualFactory.sol>
pub(super) mod dual {
    portolan_plugin_api::sol! {
        function rewardsTokenA() external view returns (address);
        function rewardsTokenB() external view returns (address);
        function rewardRateA() external view returns (uint256);
        function rewardRateB() external view returns (uint256);
        function earnedA(address account) external view returns (uint256);
        function earnedB(address account) external view returns (uint256);
    }
}

portolan_plugin_api::sol! {
    // Both kinds of farms.
    function stakingToken() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function getReward() external;

    // Both kinds of factories. The farm is the first word returned for a staking token. Later words differ between
    // factories and are not read.
    function stakingTokens(uint256 index) external view returns (address);
    function stakingRewardsInfoByStakingToken(address stakingToken) external view returns (address stakingRewards);
    function stakingRewardsGenesis() external view returns (uint256);
}
