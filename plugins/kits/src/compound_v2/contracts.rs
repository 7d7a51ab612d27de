//! Called functions.
//!
//! Sources: <https://github.com/compound-finance/compound-protocol/tree/master/contracts>, and for additions of forks
//! <https://github.com/VenusProtocol/venus-protocol/tree/main/contracts>,
//! <https://github.com/VenusProtocol/isolated-pools/tree/develop/contracts>,
//! <https://github.com/Benqi-fi/BENQI-Smart-Contracts/tree/master/lending>,
//! <https://github.com/moonwell-fi/moonwell-contracts-v2/tree/main/src>.

portolan_plugin_api::sol! {
    // Comptroller.sol
    function getAllMarkets() external view returns (address[] markets);
    function getAssetsIn(address account) external view returns (address[] markets);
    function getAccountLiquidity(address account) external view
        returns (uint256 error, uint256 liquidity, uint256 shortfall);
    function oracle() external view returns (address);
    // Returns more words, which differ between forks.
    function markets(address market) external view returns (bool isListed);
    function claimComp(address holder, address[] markets) external;
    function getCompAddress() external view returns (address);

    // CToken.sol and CErc20.sol. The last two accrue interest until the block, and so change the market's state.
    function balanceOf(address account) external view returns (uint256);
    function borrowBalanceStored(address account) external view returns (uint256);
    function underlying() external view returns (address);
    function totalSupply() external view returns (uint256);
    function totalBorrows() external view returns (uint256);
    function borrowIndex() external view returns (uint256);
    function balanceOfUnderlying(address account) external returns (uint256);
    function borrowBalanceCurrent(address account) external returns (uint256);

    // PriceOracle.sol: dollars with 36 decimals less the token's.
    function getUnderlyingPrice(address market) external view returns (uint256);

    // VAIController.sol of Venus
    function getVAIRepayAmount(address account) external view returns (uint256);
    // RewardFacet.sol of Venus
    function claimVenus(address holder, address[] markets) external;
    function getXVSAddress() external view returns (address);
    // Moonwell's Comptroller.sol, and Benqi's
    function claimReward(address holder) external;
    function claimReward(uint8 kind, address holder) external;
    // Benqi's ComptrollerStorage.sol: the token of type 0; type 1 is the native token.
    function qiAddress() external view returns (address);

    // Comptroller.sol of Venus' isolated pools, and their Rewards/RewardsDistributor.sol
    function getRewardDistributors() external view returns (address[] distributors);
    function isTimeBased() external view returns (bool);
    function rewardToken() external view returns (address);
    function claimRewardToken(address holder, address[] markets) external;

    // MultiRewardDistributor.sol of Moonwell
    struct RewardInfo {
        address emissionToken;
        uint256 totalAmount;
        uint256 supplySide;
        uint256 borrowSide;
    }
    struct RewardWithMToken {
        address mToken;
        RewardInfo[] rewards;
    }
    function getOutstandingRewardsForUser(address user) external view returns (RewardWithMToken[] rewards);
}

/// Index views, called by names that `rewards.rs` derives: `compAccrued`, `venusAccrued`.
pub(super) mod indexes {
    portolan_plugin_api::sol! {
        function accrued(address holder) external view returns (uint256);
        function state(address market) external view returns (uint224 index, uint32 at);
        function speeds(address market) external view returns (uint256);
        function index(address market, address holder) external view returns (uint256);
    }
}

/// Index views with a type of reward: `rewardAccrued(0, holder)`.
pub(super) mod typed {
    portolan_plugin_api::sol! {
        function accrued(uint8 kind, address holder) external view returns (uint256);
        function state(uint8 kind, address market) external view returns (uint224 index, uint32 at);
        function speeds(uint8 kind, address market) external view returns (uint256);
        function index(uint8 kind, address market, address holder) external view returns (uint256);
    }
}

/// Views that differ in listed distributors: per block or, with the suffix `TimeBased`, per second. An end of zero
/// means that rewards go on.
pub(super) mod distributor {
    portolan_plugin_api::sol! {
        function state(address market) external view returns (uint224 index, uint256 at, uint256 end);
    }
}
