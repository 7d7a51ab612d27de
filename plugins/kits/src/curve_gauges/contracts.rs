//! The functions that are called, of Curve's gauges and their forks.
//!
//! Sources: <https://github.com/curvefi/curve-dao-contracts/tree/master/contracts>, and of other networks than Ethereum
//! <https://github.com/curvefi/curve-xchain-factory/tree/master/contracts>.

portolan_plugin_api::sol! {
    // GaugeController.vy. The number is an int128 that never is negative.
    function n_gauges() external view returns (uint256);
    function gauges(uint256 index) external view returns (address);

    // ChildGaugeFactory.vy
    function get_gauge_count() external view returns (uint256);
    function get_gauge(uint256 index) external view returns (address);

    // Minter.vy, ChildGaugeFactory.vy
    function mint(address gauge) external;

    // gauges/LiquidityGauge.vy and all later ones. What is claimable is reckoned by a checkpoint, which changes the state.
    function lp_token() external view returns (address);
    // Stake DAO's LiquidityGaugeV4.vy, <https://github.com/stake-dao/LiquidLockers-contracts/tree/main/contracts/staking>.
    function staking_token() external view returns (address);
    // Angle's LiquidityGaugeV4UpgradedToken.vy, <https://github.com/AngleProtocol/angle-core/tree/main/contracts/staking>: what
    // it counts for a whole token; nothing where it counts tokens themselves.
    function scaling_factor() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    // When the gauge last reckoned the account's share, in seconds of Unix time.
    function integrate_checkpoint_of(address account) external view returns (uint256);
    function claimable_tokens(address account) external returns (uint256);

    // gauges/LiquidityGaugeV2.vy and later. From the fourth on the number of tokens is known; the second and the third
    // claim from elsewhere to reckon what they owe, the third under a name of its own.
    function reward_count() external view returns (uint256);
    function reward_tokens(uint256 index) external view returns (address);
    function claimable_reward(address account, address token) external returns (uint256);
    function claimable_reward_write(address account, address token) external returns (uint256);
    function rewards_receiver(address account) external view returns (address);

    // To whoever is set as the account's receiver, and to one that is named.
    function claim_rewards(address account) external;
    function claim_rewards(address account, address receiver) external;
}

/// The most tokens that a gauge pays beside the emission.
pub(super) const REWARDS_MAX: u64 = 8;
