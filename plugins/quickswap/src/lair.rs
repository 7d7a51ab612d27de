//! The Dragon's Lair: QUICK goes in, dQUICK shares come out, and each share is worth more and more QUICK.
//!
//! There is nothing to claim: what a stake earns is in what its shares redeem to.

use portolan_plugin_api::{Address, Chain, Error, FarmingPosition, Reward, symbol};

use crate::contracts::{QUICKBalanceCall, balanceOfCall};

/// The answer's `vaultType`.
const VAULT_TYPE: &str = "quickswap-dquick";

/// Seconds that "no shares" may stand; a first stake shows at most this much later.
const ZERO_STANDS_S: u32 = 30;

/// A lair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lair {
    /// The contract, which is also the token of its shares.
    pub(crate) address: Address,
    /// The QUICK that it takes.
    pub(crate) staked_token: Address,
}

impl Lair {
    /// The account's shares, and what they redeem to.
    pub(crate) async fn farming(
        &self,
        cx: &Chain,
        market: &str,
        account: Address,
    ) -> Result<Vec<FarmingPosition>, Error> {
        let shares = cx.call(self.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
        if shares.is_zero() {
            // The lair divides by its supply, so an empty one cannot be asked what nothing is worth.
            return Ok(Vec::new());
        }
        let quick = cx.call(self.address, QUICKBalanceCall { account }).await?;
        Ok(vec![FarmingPosition {
            market: market.to_owned(),
            contract: self.address,
            name: format!("{} staking", symbol(self.address)),
            mechanism: VAULT_TYPE.to_owned(),
            staked_token: self.staked_token,
            amount: shares,
            underlying_amount: quick,
            rewards: vec![Reward { token: self.staked_token, per_second: None }],
            total_stake: None,
            number: None,
        }])
    }
}
