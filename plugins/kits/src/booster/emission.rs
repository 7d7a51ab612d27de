//! Amounts minted to an account that claims: the protocol's token, per reward, by the token's own rule.
//!
//! A claim changes the rule for the next one. Each amount is computed as if its claim were the first.

use portolan_plugin_api::{Address, Error, JobContext, U256};

use super::Booster;
use super::cliff_search::{self, CliffToken, steep_share};
use super::contracts::{
    EMISSIONS_MAX_SUPPLYCall, INIT_MINT_AMOUNTCall, accAuraRewardsCall, accBalRewardsCall, auraOFTCall,
    getRewardMultipliersCall, maxSupplyCall, minterCall, operatorCall, reductionPerCliffCall, totalCliffsCall,
    totalSupplyCall,
};
use crate::fixed_point::{WAD, product};

/// Divisor of multipliers.
const MULTIPLIER_ONE: U256 = U256::from_limbs([10_000, 0, 0, 0]);

/// Minting rule of the protocol's token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minting {
    /// CVX: decreases with each cliff that the supply has passed.
    Convex,
    /// AURA: a steeper rule, without the initial supply, and with a multiplier per pool.
    Aura,
    /// AURA from its first booster, which has no multipliers.
    AuraV1,
    /// AURA on other networks: a coordinator shares the tokens it was sent among the rewards they were sent for.
    AuraLite,
}

/// Token and minting rule at the answer's block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct BesideMint {
    pub(super) token: Address,
    rule: Rule,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rule {
    /// The booster may not mint, and claims pay without it.
    Nothing,
    Cliffs(Cliffs),
    Shared {
        tokens: U256,
        rewards: U256,
    },
}

/// Number of passed cliffs, and the resulting minting rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Cliffs {
    /// Supply that counts toward cliffs.
    supply: U256,
    per_cliff: U256,
    passed: U256,
    cliffs: U256,
    max: U256,
    is_steep: bool,
}

/// Reads the rule at the answer's block.
pub(super) async fn read(cx: &JobContext, of: &Booster) -> Result<BesideMint, Error> {
    let minter = cx.call(of.booster, minterCall {}).immutable().await?;
    if of.minting == Minting::AuraLite {
        let token = cx.call(minter, auraOFTCall {}).immutable();
        let sent = (token, cx.call(minter, accAuraRewardsCall {}), cx.call(minter, accBalRewardsCall {}));
        let (token, tokens, rewards) = cx.join(sent).await?;
        return Ok(BesideMint { token, rule: Rule::Shared { tokens, rewards } });
    }
    let is_steep = matches!(of.minting, Minting::Aura | Minting::AuraV1);
    let (operator, cliffs) = cx.join((cx.call(minter, operatorCall {}), cliffs(cx, minter, is_steep))).await?;
    if operator != of.booster {
        return Ok(BesideMint { token: minter, rule: Rule::Nothing });
    }
    let cliffs = if is_steep { without_minter(cx, of, minter, cliffs).await? } else { cliffs };
    Ok(BesideMint { token: minter, rule: Rule::Cliffs(cliffs) })
}

async fn cliffs(cx: &JobContext, token: Address, is_steep: bool) -> Result<Cliffs, Error> {
    let per_cliff = cx.call(token, reductionPerCliffCall {}).immutable();
    let cliffs = cx.call(token, totalCliffsCall {}).immutable();
    let supply = cx.call(token, totalSupplyCall {});
    let passed = |supply: U256, per_cliff: U256| {
        supply.checked_div(per_cliff).ok_or_else(|| Error::new("the token's cliffs have no height"))
    };
    if !is_steep {
        let max = cx.call(token, maxSupplyCall {}).immutable();
        let (supply, per_cliff, cliffs, max) = cx.join((supply, per_cliff, cliffs, max)).await?;
        return Ok(Cliffs { supply, per_cliff, passed: passed(supply, per_cliff)?, cliffs, max, is_steep });
    }
    let max = cx.call(token, EMISSIONS_MAX_SUPPLYCall {}).immutable();
    let initial = cx.call(token, INIT_MINT_AMOUNTCall {}).immutable();
    let (supply, per_cliff, cliffs, max, initial) = cx.join((supply, per_cliff, cliffs, max, initial)).await?;
    let supply = supply.checked_sub(initial).ok_or_else(|| Error::new("the token has less than it began with"))?;
    Ok(Cliffs { supply, per_cliff, passed: passed(supply, per_cliff)?, cliffs, max, is_steep })
}

/// Excludes what the token's minter created beside emissions.
async fn without_minter(cx: &JobContext, of: &Booster, token: Address, most: Cliffs) -> Result<Cliffs, Error> {
    let (count, at_most) = (most.cliffs.saturating_to(), most.passed.saturating_to());
    let minted = CliffToken { token, by: of.booster };
    let passed = U256::from(cliff_search::passed(cx, minted, count, at_most).await?);
    // The position within the cliff is unknown: assume that all of it is left.
    let supply = if passed == most.passed { most.supply } else { product(passed, most.per_cliff)? };
    Ok(Cliffs { supply, passed, ..most })
}

/// Returns the multiplier of a pool's rewards, in ten-thousandths.
pub(super) async fn multiplier(cx: &JobContext, of: &Booster, rewards: Address) -> Result<U256, Error> {
    match of.minting {
        Minting::Aura => cx.call(of.booster, getRewardMultipliersCall { rewardContract: rewards }).await,
        Minting::Convex | Minting::AuraV1 | Minting::AuraLite => Ok(MULTIPLIER_ONE),
    }
}

impl BesideMint {
    /// Returns the amount minted beside a reward of a pool with this multiplier.
    ///
    /// # Errors
    /// If the claim would fail, or a value overflows.
    pub(super) fn beside(&self, reward: U256, multiplier: U256) -> Result<U256, Error> {
        let reward = product(reward, multiplier)? / MULTIPLIER_ONE;
        match self.rule {
            _ if reward.is_zero() => Ok(U256::ZERO),
            Rule::Nothing => Ok(U256::ZERO),
            Rule::Cliffs(cliffs) => cliffs.minted(reward),
            Rule::Shared { tokens, rewards } => shared(tokens, rewards, reward),
        }
    }
}

impl Cliffs {
    fn minted(&self, reward: U256) -> Result<U256, Error> {
        if self.passed >= self.cliffs {
            return Ok(U256::ZERO);
        }
        let left = self.cliffs - self.passed;
        let share = if self.is_steep { steep_share(left)? } else { left };
        Ok((product(reward, share)? / self.cliffs).min(self.max.saturating_sub(self.supply)))
    }
}

/// Returns a coordinator's share. It refuses claims above the rewards it knows of, and claims before it has tokens.
fn shared(tokens: U256, rewards: U256, reward: U256) -> Result<U256, Error> {
    let rate = product(tokens, WAD)?.checked_div(rewards).unwrap_or_default();
    if rate.is_zero() || reward > rewards {
        return Err(Error::new("rewards cannot be claimed until the coordinator is sent more"));
    }
    Ok(product(reward, rate)? / WAD)
}
