//! Beethoven X's chef: lists with other names than in the second version, and pools with the points first.

use super::*;

use crate::fixture::{fork, text};

sol! {
    function lpTokens(uint256) external view returns (address);
    function pendingBeets(uint256, address) external view returns (uint256);
    function beets() external view returns (address);
    function beetsPerBlock() external view returns (uint256);
}

/// Two stakes; the second pool also has a rewarder.
fn staked() -> CannedReplies {
    let owed = |pid: u64| pendingBeetsCall { _0: n(pid), _1: ACCOUNT };
    let chain = stake(stake(chef(Kind::Beets, 4), 0, 10, 0), 3, 20, 0);
    let chain = reply(reply(chain, CHEF, &owed(0), &n(7)), CHEF, &owed(3), &n(11));
    rewards(reply(chain, CHEF, &beetsPerBlockCall {}, &n(12)), 3, vec![BONUS], vec![2])
}

#[test]
fn one_claim_pays_the_chefs_token_and_those_of_the_rewarder() {
    let outcome = claimables("beets", &staked());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let second = Some(word(3));
    assert_eq!(
        by_number(&outcome),
        [(Some(word(0)), TOKEN, word(7)), (second, TOKEN, word(11)), (second, BONUS, word(2))]
    );
    let paid = outcome.payments();
    assert_eq!(paid[0].name, format!("{{{:#x}}} reward", lp(0)));
    // `harvest(pid, account)`.
    assert_eq!((paid[1].claim.template, &paid[1].claim), (2, &paid[2].claim));
    assert_eq!(paid[1].claim.arguments, [word(3).to_be_bytes(), ACCOUNT.into_word().0].concat());
}

#[test]
fn a_stake_has_no_rate_because_the_chef_counts_blocks() {
    let outcome = farming("beets", &staked());
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 2), "{}", outcome.message);
    let told: Vec<_> = outcome.legs().iter().map(|leg| (leg.token, leg.amount, leg.total)).collect();
    assert_eq!(told, [(lp(0), word(10), Some(word(4_000))), (lp(3), word(20), Some(word(4_000)))]);
    let paid: Vec<_> = outcome.legs()[1].rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
    assert_eq!(paid, [(TOKEN, None), (BONUS, None)]);
    // A row of a settings file.
    let keys = vec![text("kind", "beets-chef"), text("chef", CHEF), text("pending", "pendingBeets")];
    let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT);
    let outcome = case.settings(fork(NETWORK, keys)).run::<Chefs>(&staked());
    assert_eq!(by_number(&outcome).len(), 3, "{}", outcome.message);
}
