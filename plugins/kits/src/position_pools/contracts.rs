//! Called functions of masters, pools and nitro pools.
//!
//! Source: the interfaces of <https://github.com/Zapper-fi/studio/tree/main/src/apps/camelot/contracts/abis>, the code
//! of a fork, <https://github.com/SwapMode/nft-pools/blob/main/contracts/NFTPool.sol>, and the verified code of a nitro
//! pool.

portolan_plugin_api::sol! {
    // The master.
    function poolsLength() external view returns (uint256);
    function getPoolAddressByIndex(uint256 index) external view returns (address);

    // A pool. Words after the declared ones differ between versions.
    function getPoolInfo() external view returns (
        address lpToken, address protocolToken, address xToken, uint256 lastRewardTime, uint256 accRewardsPerShare,
        uint256 lpSupply
    );
    function xGrailRewardsShare() external view returns (uint256);
    function isUnlocked() external view returns (bool);
    function getStakingPosition(uint256 tokenId) external view returns (
        uint256 amount, uint256 amountWithMultiplier, uint256 startLockTime, uint256 lockDuration
    );
    function pendingRewards(uint256 tokenId) external view returns (uint256);
    function harvestPosition(uint256 tokenId) external;
}

/// Nitro pools, which take staked positions.
pub(super) mod nitro {
    portolan_plugin_api::sol! {
        // The factory of nitro pools. Only published pools take positions; none is ever removed.
        function publishedNitroPoolsLength() external view returns (uint256);
        function getPublishedNitroPool(uint256 index) external view returns (address);

        // The factory of the pools whose positions they take.
        function poolsLength() external view returns (uint256);
        function pools(uint256 index) external view returns (address);

        // A pool of that factory: pays the named account the rewards of a position that a contract holds.
        function harvestPositionTo(uint256 tokenId, address to) external;

        // A nitro pool. Words after the declared ones are not needed.
        function nftPool() external view returns (address);
        function rewardsToken1() external view returns (address token);
        function rewardsToken2() external view returns (address token);
        function rewardsToken1PerSecond() external view returns (uint256);
        function rewardsToken2PerSecond() external view returns (uint256);
        function settings() external view returns (uint256 startTime, uint256 endTime, uint256 harvestStartTime);
        function customReqContract() external view returns (address);
        function totalDepositAmount() external view returns (uint256);
        function userTokenIdsLength(address account) external view returns (uint256);
        function userTokenId(address account, uint256 index) external view returns (uint256);
        function pendingRewards(address account) external view returns (uint256 pending1, uint256 pending2);
        function harvest() external;

        // Asked by a nitro pool if an account may harvest.
        function canHarvest(address user) external view returns (bool);

        // A token.
        function balanceOf(address account) external view returns (uint256);
    }
}
