//! Called functions.
//!
//! Source: <https://github.com/Instadapp/fluid-contracts-public/tree/main/contracts>. Unused members of structs are
//! arrays of words here.

portolan_plugin_api::sol! {
    // protocols/lending/lendingFactory/main.sol
    function allTokens() external view returns (address[] memory);

    // protocols/vault/factory/main.sol, an ERC-721 that lists its tokens by owner
    function balanceOf(address owner) external view returns (uint256);
    function tokenOfOwnerByIndex(address owner, uint256 index) external view returns (uint256);

    // periphery/resolvers/vault/main.sol: `UserPosition`, and the beginning of `VaultEntireData`. Amounts include
    // interest until the block. Rates are signed; those that are used are not negative.
    function FACTORY() external view returns (address);
    function positionByNftId(uint256 nftId) external view returns (
        uint256[9] memory position,
        uint256 supply,
        uint256 borrow,
        uint256 dustBorrow,
        address vault,
        bool isSmartCol,
        bool isSmartDebt,
        address[6] memory contracts,
        address suppliedTo,
        address borrowedFrom,
        address[2] memory supplyToken,
        address[2] memory borrowToken,
        uint256[9] memory constants,
        uint256 liquidationThreshold,
        uint256[6] memory configs,
        uint256 oraclePriceLiquidate,
        uint256[12] memory exchangePrices,
        uint256 supplyRateVault,
        uint256 borrowRateVault
    );

    // periphery/resolvers/dex/main.sol: `DexState`. Not a view, since it queries the pool by a reverting call.
    function getDexState(address dex) external returns (
        uint256[26] memory state,
        uint256 token0PerSupplyShare,
        uint256 token1PerSupplyShare,
        uint256 token0PerBorrowShare,
        uint256 token1PerBorrowShare
    );
}
