//! Reward token of a chef, and its rate per second.
//!
//! Forks name both getters after their token, like the pending view: `pendingBOO`, `boo`, `booPerSecond`. Names are
//! derived from the deployment's pending view, and the first one that exists is used.

use portolan_plugin_api::{Address, Error, JobContext, Reward, U256};

use super::contracts::chef::{endTimeCall, rewardsExpirationCall, sushiCall, sushiPerSecondCall, totalAllocPointCall};
use super::{Kind, MasterChef};

/// Cache time of a getter's reply or absence, in seconds. No chef can change its token.
const TOKEN_STANDS_S: u32 = 86_400;
/// Other names of the getter: not named after the token, or not renamed by the fork.
const TOKEN_NAMES: [&str; 4] = ["rewardToken", "REWARD", "sushi", "SUSHI"];

/// Names of the view of the end of rewards, in forks that emit per second. `bonusEndBlock` and similar ones are not
/// listed: a chef continues after its first bonus.
const END_NAMES: [&str; 5] = ["endTime", "endTimestamp", "endRewardTime", "rewardEndTimestamp", "periodFinish"];
/// Cache time of that end, or of the view's absence, in seconds.
const END_STANDS_S: u32 = 300;

/// Returns the reward token.
pub(super) async fn token(cx: &JobContext, of: &MasterChef) -> Result<Address, Error> {
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

/// Emission that all pools share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Emission {
    /// Smallest units per second; `None` if the chef emits per block.
    per_second: Option<U256>,
    /// Points of all pools.
    points: U256,
}

impl Emission {
    /// Returns the reward of a pool with these points.
    pub(super) fn share(self, token: Address, points: U256) -> Reward {
        Reward::share(token, self.per_second, points, self.points)
    }
}

/// Reads the emission.
pub(super) async fn emission(cx: &JobContext, of: &MasterChef) -> Result<Emission, Error> {
    let names = rate_names(of);
    let rates = names.iter().map(|name| cx.try_call_as(of.chef, name, &sushiPerSecondCall {}));
    let points = cx.try_call(of.chef, totalAllocPointCall {});
    let (rates, points, is_over) = cx.join((cx.join(rates), points, is_over(cx, of))).await?;
    let per_second = rates.into_iter().find_map(Result::ok).map(|rate| if is_over { U256::ZERO } else { rate });
    // Chefs without the function share by other rules: no pool's rate is known.
    Ok(Emission { per_second, points: points.unwrap_or_default() })
}

/// Returns true if rewards have ended: many forks that emit per second end at a time that their owner may postpone.
async fn is_over(cx: &JobContext, of: &MasterChef) -> Result<bool, Error> {
    let ends = END_NAMES.iter().map(|name| cx.try_call_as(of.chef, name, &endTimeCall {}).within(END_STANDS_S));
    let (ends, expiration) = cx.join((cx.join(ends), expiration(cx, of))).await?;
    // Zero means no end.
    let ends = ends.into_iter().filter_map(Result::ok).filter(|end| !end.is_zero());
    let end = ends.chain(expiration).min();
    Ok(end.is_some_and(|end| U256::from(cx.block().timestamp) >= end))
}

/// Returns the time until which a funded `MiniChefV2`, such as Pangolin's, can pay; zero if it was never funded.
async fn expiration(cx: &JobContext, of: &MasterChef) -> Result<Option<U256>, Error> {
    if of.kind != Kind::Mini {
        return Ok(None);
    }
    Ok(cx.try_call(of.chef, rewardsExpirationCall {}).await?.ok())
}

/// Returns the possible names of the reward token's getter, most likely first.
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

/// Returns the possible names of the rate's getter.
fn rate_names(of: &MasterChef) -> Vec<String> {
    match &of.getter {
        Some(getter) => vec![format!("{getter}PerSecond")],
        None => vec![format!("{}PerSecond", word(&of.pending).to_lowercase()), "rewardPerSecond".to_owned()],
    }
}

/// Returns the part of the name after `pending`.
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
