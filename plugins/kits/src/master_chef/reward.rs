//! The token that a chef pays, and how much of it in a second.
//!
//! Forks name the getters of both after their token, as they do the pending view: `pendingBOO`, `boo`, `booPerSecond`.
//! So the names are made of the deployment's pending view, and the first that answers is taken.

use portolan_plugin_api::{Address, Chain, Error, Reward, U256};

use super::contracts::chef::{endTimeCall, rewardsExpirationCall, sushiCall, sushiPerSecondCall, totalAllocPointCall};
use super::{Kind, MasterChef};

/// Seconds that may be cached what a getter returns, or that there is none of its name. No chef can change its token.
const TOKEN_STANDS_S: u32 = 86_400;
/// Names of the getter where it is not named after the token, or where a fork renamed the view alone.
const TOKEN_NAMES: [&str; 4] = ["rewardToken", "REWARD", "sushi", "SUSHI"];

/// Names of the view of the time from which nothing more is paid, in forks that count seconds. `bonusEndBlock` and its
/// like are none: a chef pays on, once its first bonus is over.
const END_NAMES: [&str; 5] = ["endTime", "endTimestamp", "endRewardTime", "rewardEndTimestamp", "periodFinish"];
/// Seconds that may be cached when that is, or that there is no view of the name.
const END_STANDS_S: u32 = 300;

/// The reward token.
pub(super) async fn token(cx: &Chain, of: &MasterChef) -> Result<Address, Error> {
    if let Some(token) = of.reward_token {
        return Ok(token);
    }
    let names = of.getter.as_ref().map_or_else(|| token_names(&of.pending), |getter| vec![getter.to_string()]);
    let reads = names.iter().map(|name| cx.try_call_as(of.chef, name, &sushiCall {}).within(TOKEN_STANDS_S));
    let replies = cx.join(reads).await?;
    let token = replies.into_iter().filter_map(Result::ok).find(|token| !token.is_zero());
    token.ok_or_else(|| {
        let names = names.join(", ");
        Error::new(format!("{}: returns no reward token as {names}; the key `reward_token` can name it", of.chef))
    })
}

/// The emission that all pools share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Emission {
    /// Smallest units a second; `None` where the chef does not count in seconds.
    per_second: Option<U256>,
    /// The points of all pools.
    points: U256,
}

impl Emission {
    /// What a pool with so many points gets of this token.
    pub(super) fn share(self, token: Address, points: U256) -> Reward {
        Reward::share(token, self.per_second, points, self.points)
    }
}

/// Reads the emission.
pub(super) async fn emission(cx: &Chain, of: &MasterChef) -> Result<Emission, Error> {
    let names = rate_names(of);
    let rates = names.iter().map(|name| cx.try_call_as(of.chef, name, &sushiPerSecondCall {}));
    let points = cx.try_call(of.chef, totalAllocPointCall {});
    let (rates, points, is_over) = cx.join((cx.join(rates), points, is_over(cx, of))).await?;
    let per_second = rates.into_iter().find_map(Result::ok).map(|rate| if is_over { U256::ZERO } else { rate });
    // A chef without the function shares by other rules, so that no pool's rate is known.
    Ok(Emission { per_second, points: points.unwrap_or_default() })
}

/// Whether nothing more is paid: many forks that count seconds pay until a time, which their owner may put off.
async fn is_over(cx: &Chain, of: &MasterChef) -> Result<bool, Error> {
    let ends = END_NAMES.iter().map(|name| cx.try_call_as(of.chef, name, &endTimeCall {}).within(END_STANDS_S));
    let (ends, expiration) = cx.join((cx.join(ends), expiration(cx, of))).await?;
    // Zero says that there is no end.
    let ends = ends.into_iter().filter_map(Result::ok).filter(|end| !end.is_zero());
    let end = ends.chain(expiration).min();
    Ok(end.is_some_and(|end| U256::from(cx.block().timestamp) >= end))
}

/// Until when a copy of `MiniChefV2` has been given what it pays, as Pangolin's; zero where it never was.
async fn expiration(cx: &Chain, of: &MasterChef) -> Result<Option<U256>, Error> {
    if of.kind != Kind::Mini {
        return Ok(None);
    }
    Ok(cx.try_call(of.chef, rewardsExpirationCall {}).await?.ok())
}

/// The names that the reward token's getter may have, the likeliest first.
fn token_names(pending: &str) -> Vec<String> {
    let word = word(pending);
    let made = [word.to_lowercase(), word.to_uppercase(), word.to_owned()];
    let mut names: Vec<String> = Vec::new();
    for name in made.into_iter().chain(TOKEN_NAMES.map(str::to_owned)) {
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The names that the getter of the rate may have.
fn rate_names(of: &MasterChef) -> Vec<String> {
    match &of.getter {
        Some(getter) => vec![format!("{getter}PerSecond")],
        None => vec![format!("{}PerSecond", word(&of.pending).to_lowercase()), "rewardPerSecond".to_owned()],
    }
}

/// What follows `pending`.
fn word(pending: &str) -> &str {
    pending.strip_prefix("pending").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn getters_are_named_after_the_pending_view() {
        assert_eq!(token_names("pendingBOO"), ["boo", "BOO", "rewardToken", "REWARD", "sushi", "SUSHI"]);
        assert_eq!(token_names("pendingSushi"), ["sushi", "SUSHI", "Sushi", "rewardToken", "REWARD"]);
        assert_eq!(token_names("pendingReward")[..3], ["reward", "REWARD", "Reward"]);
        assert_eq!(token_names("pending"), ["rewardToken", "REWARD", "sushi", "SUSHI"]);
        assert_eq!(token_names("claimableReward"), ["rewardToken", "REWARD", "sushi", "SUSHI"]);
    }
}
