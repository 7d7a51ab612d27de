//! Called functions.
//!
//! Source: <https://github.com/Uniswap/merkle-distributor/blob/master/contracts/MerkleDistributor.sol>

portolan_plugin_api::sol! {
    function token() external view returns (address);
    function merkleRoot() external view returns (bytes32);
    function isClaimed(uint256 index) external view returns (bool);
    function claim(uint256 index, address account, uint256 amount, bytes32[] merkleProof) external;
}
