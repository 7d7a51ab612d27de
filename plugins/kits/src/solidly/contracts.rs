//! Called functions of Velodrome v2 and its forks, and of the previous generation where they differ.
//!
//! Sources: <https://github.com/velodrome-finance/contracts/tree/main/contracts>,
//! <https://github.com/velodrome-finance/slipstream/tree/main/contracts>,
//! <https://github.com/velodrome-finance/v1/tree/master/contracts>,
//! <https://github.com/ThenafiBNB/THENA-Contracts/tree/main/contracts>,
//! <https://github.com/ftm1337/equalizer-exchange-core/tree/main/contracts>

portolan_plugin_api::sol! {
    // Voter.sol. A pool is listed when it gets its gauge; neither changes afterwards.
    function length() external view returns (uint256);
    function pools(uint256 index) external view returns (address);
    function gauges(address pool) external view returns (address);
    function claimRewards(address[] gauges) external;
    function ve() external view returns (address);

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

/// `EscrowType.LOCKED`: the lock is deposited in a managed one, which holds its amount.
pub(super) const ESCROW_TYPE_DEPOSITED: u8 = 1;

/// Rewards of votes: fees and bribes of the pools voted for.
pub(super) mod votes {
    portolan_plugin_api::sol! {
        // Voter.sol
        function usedWeights(uint256 tokenId) external view returns (uint256);
        function poolVote(uint256 tokenId, uint256 index) external view returns (address);
        function gaugeToFees(address gauge) external view returns (address);
        function gaugeToBribe(address gauge) external view returns (address);
        function claimFees(address[] fees, address[][] tokens, uint256 tokenId) external;
        function claimBribes(address[] bribes, address[][] tokens, uint256 tokenId) external;

        // rewards/Reward.sol
        function earned(address token, uint256 tokenId) external view returns (uint256);
        // Grows with each week in which the lock's votes changed; never shrinks.
        function numCheckpoints(uint256 tokenId) external view returns (uint256);
    }
}

/// Gauges of concentrated pools, in which NFT positions are staked.
pub(super) mod concentrated {
    portolan_plugin_api::sol! {
        // gauge/CLGauge.sol
        function nft() external view returns (address);
        function token0() external view returns (address);
        function token1() external view returns (address);
        function stakedLength(address depositor) external view returns (uint256);
        function stakedByIndex(address depositor, uint256 index) external view returns (uint256);
        function earned(address account, uint256 tokenId) external view returns (uint256);
        function rewards(uint256 tokenId) external view returns (uint256);
        function getReward(uint256 tokenId) external;

        // periphery/NonfungiblePositionManager.sol
        function positions(uint256 tokenId) external view returns (
            uint96 nonce, address operator, address token0, address token1, int24 tickSpacing, int24 tickLower,
            int24 tickUpper, uint128 liquidity, uint256 feeGrowthInside0LastX128, uint256 feeGrowthInside1LastX128,
            uint128 tokensOwed0, uint128 tokensOwed1
        );

        // core/CLPool.sol
        function stakedLiquidity() external view returns (uint128);
    }
}

/// Gauges of Velodrome v1, Ramses and Equalizer, which pay a list of tokens.
pub(super) mod listed {
    portolan_plugin_api::sol! {
        // Voter.sol
        function claimRewards(address[] gauges, address[][] tokens) external;

        // Gauge.sol
        function stake() external view returns (address);
        function rewardsListLength() external view returns (uint256);
        function rewards(uint256 index) external view returns (address);
        function earned(address token, address account) external view returns (uint256);
        function left(address token) external view returns (uint256);
        function periodFinish(address token) external view returns (uint256);
        function derivedSupply() external view returns (uint256);
        function derivedBalances(address account) external view returns (uint256);
        function getReward(address account, address[] tokens) external;

        // gaugeFactory.sol of Equalizer
        function rewardTokens(uint256 index) external view returns (address);
    }
}

/// Gauges of Thena (GaugeV2.sol), where they differ from Velodrome v2's.
pub(super) mod thena {
    portolan_plugin_api::sol! {
        function TOKEN() external view returns (address);
        function getReward() external;
    }
}

/// Voters, escrows and distributors of Velodrome v1 and its copies.
pub(super) mod first {
    portolan_plugin_api::sol! {
        // Voter.sol
        function _ve() external view returns (address);
        function lastVoted(uint256 tokenId) external view returns (uint256);

        // VotingEscrow.sol
        function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);
        function locked(uint256 tokenId) external view returns (int128 amount, uint256 end);
        // Number of changes of the lock.
        function user_point_epoch(uint256 tokenId) external view returns (uint256);

        // RewardsDistributor.sol
        // Number of these changes that its claims have processed.
        function user_epoch_of(uint256 tokenId) external view returns (uint256);
        function claim_many(uint256[] tokenIds) external returns (bool);
    }
}
