//! Number and freshness of the reads of a chef's answer.

use super::*;

#[test]
fn six_hundred_pools_with_three_stakes_cost_one_read_each_and_a_few_more() {
    let chain = [17, 300, 599].into_iter().fold(chef(Kind::V1, 600), |chain, pid| stake(chain, pid, 10, pid));
    let outcome = claimables("v1", &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 3), "{}", outcome.message);
    // Length and token; the account; pending and staked token; the pair.
    assert_eq!(outcome.batches, [6, 600, 6, 6]);
    let outcome = farming("v1", &chain);
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 3), "{}", outcome.message);
    // In the third batch the list of staked tokens, three reads of the emission and five of its end, and three of each
    // stake.
    assert_eq!(outcome.batches, [6, 600, 600 + 3 + 5 + 9, 9]);
    for (question, read_again) in [(Question::CLAIMABLES, 3), (Question::FARMING, 3 + 6 + 3)] {
        let mut pinned = 0;
        run("v1", question, |request: &ReadRequest| {
            pinned += usize::from(matches!(request.freshness, PINNED | ZERO_WITHIN));
            (&chain).reply(request)
        });
        assert_eq!(pinned, read_again, "all other replies may be cached from the answer before");
    }
}

const PINNED: u8 = 0;
const WITHIN: u8 = 2;
const ZERO_WITHIN: u8 = 3;

#[test]
fn no_amount_is_taken_from_an_old_reply() {
    let chain = reply(stake(chef(Kind::Mini, 1), 0, 10, 5), CHEF, &sushiPerSecondCall {}, &n(1));
    let chain = rewards(chain, 0, vec![BONUS], vec![1]);
    let expected = [
        (poolLengthCall::SELECTOR, WITHIN),
        (sushiCall::SELECTOR, WITHIN),
        (SUSHICall::SELECTOR, WITHIN),
        (userInfoCall::SELECTOR, WITHIN), // Only as a filter.
        (userInfoCall::SELECTOR, PINNED),
        (rewarderCall::SELECTOR, WITHIN),
        (lpTokenCall::SELECTOR, WITHIN),
        (pendingSushiCall::SELECTOR, ZERO_WITHIN),
        (pendingTokensCall::SELECTOR, PINNED),
        (poolInfoCall::SELECTOR, PINNED),
        (totalAllocPointCall::SELECTOR, PINNED),
        (sushiPerSecondCall::SELECTOR, PINNED),
        (rewardPerSecondCall::SELECTOR, PINNED),
        (rewardsExpirationCall::SELECTOR, PINNED),
        (balanceOfCall::SELECTOR, PINNED),
        (token0Call::SELECTOR, WITHIN),
        (token1Call::SELECTOR, WITHIN),
    ];
    let mut seen = Vec::new();
    for question in [Question::CLAIMABLES, Question::FARMING] {
        run("mini", question, |request: &ReadRequest| {
            seen.push((<[u8; 4]>::try_from(&request.data[..4]).expect("a call has a selector"), request.freshness));
            (&chain).reply(request)
        });
    }
    // Other names of the token's getter are not declared here.
    seen.retain(|(selector, freshness)| *freshness != WITHIN || expected.iter().any(|(known, _)| known == selector));
    for read in &seen {
        assert!(expected.contains(read), "{read:02x?} is not expected");
    }
    for read in &expected {
        assert!(seen.contains(read), "{read:02x?} was not read");
    }
}
