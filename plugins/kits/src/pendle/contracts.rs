//! Functions of Pendle's contracts that are called.
//!
//! Source: <https://github.com/pendle-finance/pendle-core-v2-public/tree/main/contracts/core>.

portolan_plugin_api::sol! {
    // PendleMarketV7.sol and earlier markets, whose token is the share of the liquidity.
    function readTokens() external view returns (address sy, address pt, address yt);
    // Further words have the implied rate and the oracle's places.
    function _storage() external view returns (int128 totalPt, int128 totalSy);
    function redeemRewards(address user) external returns (uint256[] amounts);

    // PendleYieldToken.sol; principal tokens have the same expiry.
    function expiry() external view returns (uint256);
    function pyIndexStored() external view returns (uint256);
    function redeemDueInterestAndRewards(address user, bool redeemInterest, bool redeemRewards) external
        returns (uint256 interestOut, uint256[] rewardsOut);
    // A second word has what was accrued. The index is zero for an account that never had the token.
    function userInterest(address user) external view returns (uint256 index);

    // Markets, yield tokens and wrapped assets.
    function getRewardTokens() external view returns (address[] tokens);
    // A second word has what was accrued. The index is zero for an account that never earned the token.
    function userReward(address token, address user) external view returns (uint256 index);

    // IStandardizedYield.sol: a wrapped asset. The rate has 18 decimals.
    function exchangeRate() external view returns (uint256);
    function assetInfo() external view returns (uint8 assetType, address assetAddress, uint8 assetDecimals);
    function yieldToken() external view returns (address);
    function previewRedeem(address tokenOut, uint256 amountSharesToRedeem) external view returns (uint256);
    function claimRewards(address user) external returns (uint256[] amounts);

    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function decimals() external view returns (uint8);
}
