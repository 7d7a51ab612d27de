//! Functions of tokens as the standards and the contracts declare them; only those that are called.

use alloy::sol;

sol! {
    /// <https://eips.ethereum.org/EIPS/eip-20>
    interface Erc20 {
        function name() external view returns (string);
        function symbol() external view returns (string);
        function decimals() external view returns (uint8);
        function totalSupply() external view returns (uint256);
        function balanceOf(address account) external view returns (uint256);
    }

    /// <https://github.com/Uniswap/v2-core/blob/v1.0.1/contracts/interfaces/IUniswapV2Pair.sol>
    interface Pair {
        function token0() external view returns (address);
        function token1() external view returns (address);
        function getReserves() external view returns (uint112 reserve0, uint112 reserve1, uint32 blockTimestampLast);
        function factory() external view returns (address);
    }

    /// <https://github.com/velodrome-finance/contracts/blob/main/contracts/interfaces/IPool.sol>
    interface SolidlyPair {
        function stable() external view returns (bool);
    }

    /// <https://eips.ethereum.org/EIPS/eip-4626>
    interface Erc4626 {
        function asset() external view returns (address);
        function convertToAssets(uint256 shares) external view returns (uint256);
        function previewRedeem(uint256 shares) external view returns (uint256);
    }

    /// <https://github.com/aave/aave-v3-core/blob/v1.19.3/contracts/interfaces/IAToken.sol>
    interface AToken {
        function UNDERLYING_ASSET_ADDRESS() external view returns (address);
        function RESERVE_TREASURY_ADDRESS() external view returns (address);
        function POOL() external view returns (address);
    }

    /// <https://github.com/compound-finance/compound-protocol/blob/v2.8.1/contracts/CTokenInterfaces.sol>
    interface CToken {
        function underlying() external view returns (address);
        function exchangeRateCurrent() external returns (uint256);
        function exchangeRateStored() external view returns (uint256);
        function comptroller() external view returns (address);
    }
}
