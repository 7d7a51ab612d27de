//! The token that a chef pays, and how much of it in a second.
//!
//! Forks name the getters of both after their token, as they do the pending view: `pendingBOO`, `boo`, `booPerSecond`.
//! So the names are made of the deployment's pending view, and the first that answers is taken.

use portolan_plugin_api::{Address, Chain, Error, U256};

use super::MasterChef;
use super::contracts::chef::{sushiCall, sushiPerSecondCall, totalAllocPointCall};

/// Seconds that may be cached what a getter returns, or that there is none of its name. No chef can change its token.
const TOKEN_STANDS_S: u32 = 86_400;
/// Names of the getter where it is not named after the token, or where a fork renamed the view alone.
const TOKEN_NAMES: [&str; 4] = ["rewardToken", "REWARD", "sushi", "SUSHI"];

/// The reward token.
pub(super) async fn token(cx: &Chain, of: &MasterChef) -> Result<Address, Error> {
    if let Some(token) = of.reward_token {
        return Ok(token);
    }
    let names = token_names(&of.pending);
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
    /// Smallest units a second for a pool with so many points; `None` where it is unknown.
    pub(super) fn share(self, points: U256) -> Option<U256> {
        if points > self.points {
            return None;
        }
        self.per_second?.checked_mul(points)?.checked_div(self.points)
    }
}

/// Reads the emission.
pub(super) async fn emission(cx: &Chain, of: &MasterChef) -> Result<Emission, Error> {
    let names = [format!("{}PerSecond", word(&of.pending).to_lowercase()), "rewardPerSecond".to_owned()];
    let reads = names.iter().map(|name| cx.try_call_as(of.chef, name, &sushiPerSecondCall {}));
    let (replies, points) = cx.join((cx.join(reads), cx.call(of.chef, totalAllocPointCall {}))).await?;
    Ok(Emission { per_second: replies.into_iter().find_map(Result::ok), points })
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

/// What follows `pending`.
fn word(pending: &str) -> &str {
    pending.strip_prefix("pending").unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_share_is_reported_where_it_is_one() {
        let share = |per_second: Option<u64>, all: u64, points: u64| {
            let emission = Emission { per_second: per_second.map(U256::from), points: U256::from(all) };
            emission.share(U256::from(points))
        };
        assert_eq!(share(Some(100), 3, 2), Some(U256::from(66)));
        assert_eq!(share(Some(100), 3, 0), Some(U256::ZERO));
        assert_eq!(share(None, 3, 2), None);
        assert_eq!(share(Some(100), 0, 0), None);
        assert_eq!(share(Some(100), 3, 4), None);
        let most = Emission { per_second: Some(U256::MAX), points: U256::from(3) };
        assert_eq!(most.share(U256::from(2)), None);
    }

    #[test]
    fn getters_are_named_after_the_pending_view() {
        assert_eq!(token_names("pendingBOO"), ["boo", "BOO", "rewardToken", "REWARD", "sushi", "SUSHI"]);
        assert_eq!(token_names("pendingSushi"), ["sushi", "SUSHI", "Sushi", "rewardToken", "REWARD"]);
        assert_eq!(token_names("pendingReward")[..3], ["reward", "REWARD", "Reward"]);
        assert_eq!(token_names("pending"), ["rewardToken", "REWARD", "sushi", "SUSHI"]);
        assert_eq!(token_names("claimableReward"), ["rewardToken", "REWARD", "sushi", "SUSHI"]);
    }
}
