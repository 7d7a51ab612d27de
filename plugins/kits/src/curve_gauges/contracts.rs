//! Called functions of Curve's gauges and their forks.
//!
//! Sources: <https://github.com/curvefi/curve-dao-contracts/tree/master/contracts>, and for networks other than
//! Ethereum <https://github.com/curvefi/curve-xchain-factory/tree/master/contracts>.

portolan_plugin_api::sol! {
    // GaugeController.vy. The count is an int128 that is never negative.
    function n_gauges() external view returns (uint256);
    function gauges(uint256 index) external view returns (address);

    // ChildGaugeFactory.vy
    function get_gauge_count() external view returns (uint256);
    function get_gauge(uint256 index) external view returns (address);

    // Minter.vy, ChildGaugeFactory.vy
    function mint(address gauge) external;

    // gauges/LiquidityGauge.vy and all later ones. Claimable amounts are computed by a checkpoint, which changes the
    // state.
    function lp_token() external view returns (address);
    // Stake DAO's LiquidityGaugeV4.vy,
    // <https://github.com/stake-dao/LiquidLockers-contracts/tree/main/contracts/staking>.
    function staking_token() external view returns (address);
    // Angle's LiquidityGaugeV4UpgradedToken.vy,
    // <https://github.com/AngleProtocol/angle-core/tree/main/contracts/staking>: the counted amount per whole token;
    // missing if it counts tokens.
    function scaling_factor() external view returns (uint256);
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    // Time of the account's last checkpoint in the gauge, Unix seconds.
    function integrate_checkpoint_of(address account) external view returns (uint256);
    function claimable_tokens(address account) external returns (uint256);

    // gauges/LiquidityGaugeV2.vy and later. From the fourth generation on the number of tokens is known. The second and
    // third claim from elsewhere to compute what they owe, the third under another name.
    function reward_count() external view returns (uint256);
    function reward_tokens(uint256 index) external view returns (address);
    function claimable_reward(address account, address token) external returns (uint256);
    function claimable_reward_write(address account, address token) external returns (uint256);
    function rewards_receiver(address account) external view returns (address);

    // Pay the account's configured receiver, and the given one.
    function claim_rewards(address account) external;
    function claim_rewards(address account, address receiver) external;
}

/// Maximum number of tokens that a gauge pays beside the emission.
pub(super) const REWARDS_MAX: u64 = 8;
