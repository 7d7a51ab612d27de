//! The functions of the Dragon's Lair that are called; those of farms and of shares are the kits'.

portolan_plugin_api::sol! {
    // Source: https://polygonscan.com/address/0x958d208cdf087843e9ad98d23823d32e17d723a1#code
    function QUICKBalance(address account) external view returns (uint256 quickAmount);
}
