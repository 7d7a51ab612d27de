//! Vaults of one token whose own token is the share: what a stake earns is in what its shares redeem to, so that there
//! is nothing to claim. How shares redeem is the plugin's to ask, as vaults tell it in different ways.

use portolan_plugin_api::{Address, Chain, Error, FarmingPosition, Reward, U256, sol, symbol};

sol! {
    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
}

/// Seconds that "no shares" may stand; a first stake shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// A vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareVault {
    /// The contract, which is also the token of its shares.
    pub address: Address,
    /// The token that it takes.
    pub staked_token: Address,
}

impl ShareVault {
    /// The account's shares. Whoever has none need not be asked what they redeem to: an empty vault may revert.
    ///
    /// # Errors
    /// Where the vault does not answer.
    pub async fn shares(&self, cx: &Chain, account: Address) -> Result<U256, Error> {
        cx.call(self.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await
    }

    /// The position of shares that redeem to so much of the staked token. What the vault will earn cannot be told.
    pub fn position(&self, market: &str, vault_type: &str, shares: U256, redeemed: U256) -> FarmingPosition {
        FarmingPosition {
            market: market.to_owned(),
            contract: self.address,
            name: format!("{} staking", symbol(self.address)),
            mechanism: vault_type.to_owned(),
            staked_token: self.staked_token,
            amount: shares,
            underlying_amount: redeemed,
            rewards: vec![Reward { token: self.staked_token, per_second: None }],
            total_stake: None,
            number: None,
        }
    }
}
