//! The functions that are called, of masters and their pools.
//!
//! Source: the interfaces of <https://github.com/Zapper-fi/studio/tree/main/src/apps/camelot/contracts/abis>, and the code
//! of a fork, <https://github.com/SwapMode/nft-pools/blob/main/contracts/NFTPool.sol>.

portolan_plugin_api::sol! {
    // The master.
    function poolsLength() external view returns (uint256);
    function getPoolAddressByIndex(uint256 index) external view returns (address);

    // A pool. The words after those that are declared differ from version to version.
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
