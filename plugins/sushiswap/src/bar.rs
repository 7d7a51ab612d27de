//! The SushiBar: SUSHI goes in, xSUSHI shares come out, and each share is worth more and more SUSHI.
//!
//! There is nothing to claim: what a stake earns is in what its shares redeem to.

use portolan_kits::both;
use portolan_plugin_api::{Address, Chain, Error, FarmingPosition, Reward, symbol};

use crate::contracts::{balanceOfCall, totalSupplyCall};

/// The answer's `vaultType`.
const VAULT_TYPE: &str = "xsushi";

/// Seconds that "no shares" may stand; a first stake shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// A bar.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bar {
    /// The contract, which is also the token of its shares.
    pub(crate) address: Address,
    /// The SUSHI that it takes.
    pub(crate) staked_token: Address,
}

impl Bar {
    /// The account's shares, and what they redeem to: that part of the bar's SUSHI, rounded down as the bar does.
    pub(crate) async fn farming(
        &self,
        cx: &Chain,
        market: &str,
        account: Address,
    ) -> Result<Vec<FarmingPosition>, Error> {
        let shares = cx.call(self.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        if shares.is_zero() {
            return Ok(Vec::new());
        }
        let supply = cx.call(self.address, totalSupplyCall {});
        let sushi = cx.call(self.staked_token, balanceOfCall { account: self.address });
        let (supply, sushi) = both(supply, sushi).await?;
        let redeemed = shares.checked_mul(sushi).and_then(|product| product.checked_div(supply));
        let redeemed = redeemed.ok_or_else(|| {
            Error::new(format!("{}: {shares} shares of {supply} in {sushi} are no amount", self.address))
        })?;
        Ok(vec![FarmingPosition {
            market: market.to_owned(),
            contract: self.address,
            name: format!("{} staking", symbol(self.address)),
            mechanism: VAULT_TYPE.to_owned(),
            staked_token: self.staked_token,
            amount: shares,
            underlying_amount: redeemed,
            rewards: vec![Reward { token: self.staked_token, per_second: None }],
            total_stake: None,
            number: None,
        }])
    }
}
