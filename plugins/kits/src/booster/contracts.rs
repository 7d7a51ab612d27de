//! Called functions of Convex and its forks.
//!
//! Source: <https://github.com/convex-eth/platform/tree/main/contracts/contracts>, and for Aura's changes
//! <https://github.com/aurafinance/convex-platform/tree/main/contracts/contracts> and
//! <https://github.com/aurafinance/aura-contracts/tree/main/contracts>

portolan_plugin_api::sol! {
    // Booster.sol. The id, token and reward contract of a pool never change.
    function poolLength() external view returns (uint256);
    function poolInfo(uint256 pid) external view
        returns (address lptoken, address token, address gauge, address crvRewards, address stash, bool shutdown);
    function lockRewards() external view returns (address);
    function minter() external view returns (address);
    // Only in Aura's second booster; in ten-thousandths.
    function getRewardMultipliers(address rewardContract) external view returns (uint256);

    // BaseRewardPool.sol
    function stakingToken() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function extraRewardsLength() external view returns (uint256);
    function extraRewards(uint256 index) external view returns (address);
    function getReward(address account, bool claimExtras) external returns (bool);

    // BaseRewardPool.sol and VirtualBalanceRewardPool.sol
    function rewardToken() external view returns (address);
    function totalSupply() external view returns (uint256);
    function earned(address account) external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);

    // StashTokenWrapper.sol, and Aura's StashToken.sol
    function rewardPool() external view returns (address);
    function token() external view returns (address);
    function baseToken() external view returns (address);

    // Cvx.sol and Aura.sol
    function operator() external view returns (address);
    function reductionPerCliff() external view returns (uint256);
    function totalCliffs() external view returns (uint256);
    function maxSupply() external view returns (uint256);
    function EMISSIONS_MAX_SUPPLY() external view returns (uint256);
    function INIT_MINT_AMOUNT() external view returns (uint256);
    function mint(address to, uint256 amount) external;

    // sidechain/L2Coordinator.sol
    function auraOFT() external view returns (address);
    function accBalRewards() external view returns (uint256);
    function accAuraRewards() external view returns (uint256);
}
