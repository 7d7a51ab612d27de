//! Vaults of one token whose own token is the share: all that the vault holds belongs to its shares. What a stake earns
//! is in what its shares redeem to, so that there is nothing to claim.

use portolan_plugin_api::{Address, Chain, Composition, Error, FarmingPosition, Part, Reward, U256, sol, symbol};

use crate::both;

sol! {
    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Seconds that "no shares" may stand; a first stake shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// The token `type` of the shares.
const KIND: &str = "SHARE";

/// A vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareVault {
    /// The contract, which is also the token of its shares.
    pub address: Address,
    /// The token that it takes.
    pub staked_token: Address,
}

impl ShareVault {
    /// The account's shares, and what they redeem to: their part of what is held, rounded down as the vaults do. What
    /// the vault will earn cannot be told.
    ///
    /// # Errors
    /// Where the vault or its token does not answer.
    pub async fn farming(
        &self,
        cx: &Chain,
        market: &str,
        vault_type: &str,
        account: Address,
    ) -> Result<Vec<FarmingPosition>, Error> {
        let shares = cx.call(self.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        if shares.is_zero() {
            return Ok(Vec::new());
        }
        let (held, supply) = self.held_and_supply(cx).await?;
        let redeemed = shares.checked_mul(held).and_then(|product| product.checked_div(supply));
        let redeemed = redeemed.ok_or_else(|| {
            Error::new(format!("{}: {shares} shares of {supply} in {held} are no amount", self.address))
        })?;
        Ok(vec![FarmingPosition {
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
        }])
    }

    /// What all shares together redeem to; nothing where there are none.
    ///
    /// # Errors
    /// Where the vault or its token does not answer.
    pub async fn composition(&self, cx: &Chain) -> Result<Vec<Composition>, Error> {
        let (held, supply) = self.held_and_supply(cx).await?;
        if supply.is_zero() {
            return Ok(Vec::new());
        }
        let parts = vec![Part { token: self.staked_token, amount: held }];
        Ok(vec![Composition { token: self.address, kind: KIND.to_owned(), supply, parts }])
    }

    async fn held_and_supply(&self, cx: &Chain) -> Result<(U256, U256), Error> {
        let held = cx.call(self.staked_token, balanceOfCall { account: self.address });
        both(held, cx.call(self.address, totalSupplyCall {})).await
    }
}
