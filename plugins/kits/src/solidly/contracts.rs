//! The functions that are called, of Velodrome v2 and its forks.
//!
//! Source: <https://github.com/velodrome-finance/contracts/tree/main/contracts>

portolan_plugin_api::sol! {
    // Voter.sol. A pool is listed when it gets its gauge, and keeps both for ever.
    function length() external view returns (uint256);
    function pools(uint256 index) external view returns (address);
    function gauges(address pool) external view returns (address);
    function claimRewards(address[] gauges) external;

    // gauges/Gauge.sol
    function stakingToken() external view returns (address);
    function rewardToken() external view returns (address);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function earned(address account) external view returns (uint256);
    function getReward(address account) external;

    // VotingEscrow.sol
    function token() external view returns (address);
    function ownerToNFTokenIdList(address owner, uint256 index) external view returns (uint256);
    function locked(uint256 tokenId) external view returns (int128 amount, uint256 end, bool isPermanent);
    function escrowType(uint256 tokenId) external view returns (uint8);

    // RewardsDistributor.sol
    function claimable(uint256 tokenId) external view returns (uint256);
    function claim(uint256 tokenId) external returns (uint256);
    function claimMany(uint256[] tokenIds) external returns (bool);
    function minter() external view returns (address);

    // Minter.sol
    function activePeriod() external view returns (uint256);
}

/// `EscrowType.LOCKED`: the lock is deposited in a managed one, which has its amount.
pub(super) const ESCROW_TYPE_DEPOSITED: u8 = 1;
