//! Vaults of one token, whose own token is a share of everything the vault holds. Stakes earn by redeeming to more, so
//! nothing is claimable.
//!
//! Settings keys: the plugin's word for the vault, and `staked_token`.

use std::sync::Arc;

use portolan_plugin_api::{
    Address, Composition, Error, JobContext, Keys, Leg, LegRole, Part, Position, PositionKind, Question, Reward,
    SettingsError, U256, sol, symbol,
};

use crate::boxed::Boxed;
use crate::kit::{DeploymentReader, Kit, Labels, Shared, ZERO_STANDS_S};

sol! {
    // ERC-20, https://eips.ethereum.org/EIPS/eip-20
    function balanceOf(address account) external view returns (uint256);
    function totalSupply() external view returns (uint256);
}

/// Token `type` of the shares.
const SHARE_TYPE: &str = "SHARE";

/// The kit, with a plugin's words for its findings.
#[derive(Clone, Copy, Debug)]
pub struct ShareVaultKit {
    /// Settings key of the vault's address: the protocol's word for it.
    pub key: &'static str,
    /// `vaultType` in the answer.
    pub vault_type: &'static str,
}

/// A vault.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShareVault {
    /// Contract, which is also the share token.
    address: Address,
    staked_token: Address,
    vault_type: &'static str,
}

impl ShareVaultKit {
    /// Keys of a row for a vault of one token, whose own token is the share:
    /// - `staked_token` (address): the token that the vault takes
    pub const KEYS: &'static [&'static str] = &["staked_token"];

    /// Creates a deployment of the vault at `address`, which takes `staked_token`.
    fn vault(&self, address: Address, staked_token: Address) -> ShareVault {
        ShareVault { address, staked_token, vault_type: self.vault_type }
    }
}

impl Kit for ShareVaultKit {
    fn read(&self, keys: &Keys<'_>) -> Result<Option<Arc<dyn DeploymentReader>>, SettingsError> {
        let key = self.key;
        let missing =
            |missing| SettingsError::new(format!("missing; a {key} needs `{key}` and `staked_token`")).at(missing);
        match (keys.address_opt(key)?, keys.address_opt("staked_token")?) {
            (None, None) => Ok(None),
            (Some(address), Some(staked_token)) => Ok(Some(self.vault(address, staked_token).shared())),
            (Some(_), None) => Err(missing("staked_token")),
            (None, Some(_)) => Err(missing(key)),
        }
    }
}

impl DeploymentReader for ShareVault {
    fn contracts(&self) -> Vec<Address> {
        vec![self.address]
    }

    fn questions(&self) -> Vec<Question> {
        vec![Question::FARMING, Question::COMPOSITION]
    }

    /// Returns the account's shares, and what they redeem to: their part of the vault's balance, rounded down as in the
    /// vaults. Future earnings are unknown.
    fn positions<'a>(
        &'a self,
        cx: &'a JobContext,
        labels: Labels<'a>,
        _: Question,
        account: Address,
    ) -> Boxed<'a, Vec<Position>> {
        Box::pin(async move {
            let shares = cx.call(self.address, balanceOfCall { account }).zero_within(ZERO_STANDS_S).await?;
            if shares.is_zero() {
                return Ok(Vec::new());
            }
            let (held, supply) = self.held_and_supply(cx).await?;
            let redeemed = shares.checked_mul(held).and_then(|product| product.checked_div(supply));
            let redeemed = redeemed.ok_or_else(|| {
                Error::new(format!("{}: {shares} shares of {supply} in {held} are not a valid amount", self.address))
            })?;
            let stake = Leg::new(LegRole::STAKED, self.staked_token, shares).redeeming(redeemed);
            let position =
                Position::new(PositionKind::STAKED, labels.market, self.address).mechanism(self.vault_type).leg(stake);
            let name = format!("{} staking", symbol(self.address));
            Ok(vec![position.named(name).reward(Reward::new(self.staked_token, None))])
        })
    }

    /// Returns the composition of the whole supply; empty if there is none.
    fn compositions<'a>(&'a self, cx: &'a JobContext, tokens: &'a [Address]) -> Boxed<'a, Vec<Composition>> {
        Box::pin(async move {
            if !tokens.contains(&self.address) {
                return Ok(Vec::new());
            }
            let (held, supply) = self.held_and_supply(cx).await?;
            if supply.is_zero() {
                return Ok(Vec::new());
            }
            let parts = vec![Part { token: self.staked_token, amount: held }];
            Ok(vec![Composition { token: self.address, kind: SHARE_TYPE.to_owned(), supply, parts }])
        })
    }
}

impl ShareVault {
    async fn held_and_supply(&self, cx: &JobContext) -> Result<(U256, U256), Error> {
        let held = cx.call(self.staked_token, balanceOfCall { account: self.address });
        cx.join((held, cx.call(self.address, totalSupplyCall {}))).await
    }
}
