//! Rows of a settings file.

use super::*;
use crate::fixture::{flag, fork, text};

#[test]
fn a_row_of_a_settings_file_is_a_fork() {
    let keys = vec![
        text("kind", "master-chef-v1"),
        text("chef", CHEF),
        text("pending", "pendingBOO"),
        text("claim", "withdraw"),
        text("reward_token", BONUS),
    ];
    let chain = reply(stake(chef(Kind::V1, 1), 0, 10, 0), CHEF, &pending_boo(0), &n(4));
    let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT).settings(fork(NETWORK, keys));
    let outcome = case.run::<Chefs>(&chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(word(0)), BONUS, word(4))]);
    assert_eq!(outcome.payments()[0].claim.template, 1);
    assert_eq!(outcome.batches, [1, 1, 2, 2]); // The token need not be found.
    // It pays at most its balance.
    let keys = vec![text("kind", "master-chef-v1"), text("chef", CHEF), text("getter", "boo"), flag("funded", true)];
    let chain = reply(stake(chef(Kind::V1, 1), 0, 10, 5), CHEF, &booCall {}, &BONUS);
    let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT).settings(fork(NETWORK, keys));
    let outcome = case.run::<Chefs>(&reply(chain, BONUS, &balanceOfCall(CHEF), &n(3)));
    assert_eq!(by_number(&outcome), [(Some(word(0)), BONUS, word(3))], "{}", outcome.message);
    // Without further keys it is one of Sushi's own.
    let keys = vec![text("kind", "mini-chef"), text("chef", CHEF)];
    let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT).settings(fork(NETWORK, keys));
    let outcome = case.run::<Chefs>(&stake(chef(Kind::Mini, 1), 0, 10, 3));
    assert_eq!(by_number(&outcome), [(Some(word(0)), TOKEN, word(3))]);
    assert_eq!(outcome.payments()[0].claim.template, 2);
}

#[test]
fn a_kind_brings_what_its_copies_share_and_a_key_changes_it() {
    let found = |keys: Vec<map::SettingsKey>, chain: &CannedReplies| {
        let keys = [keys, vec![text("chef", CHEF)]].concat();
        let case = JobTest::new("fork", NETWORK, Question::CLAIMABLES, ACCOUNT).settings(fork(NETWORK, keys));
        let outcome = case.run::<Chefs>(chain);
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        (by_number(&outcome), outcome.payments()[0].claim.template)
    };
    // Pool 0 of PancakeSwap's chef has its own claim function, whatever a fork calls the view and its token.
    let chain = reply(stake(chef(Kind::V1, 1), 0, 10, 0), CHEF, &pending_boo(0), &n(4));
    let chain = reply(chain, CHEF, &booCall {}, &BONUS);
    let renamed = || text("pending", "pendingBOO");
    assert_eq!(found(vec![text("kind", "cake-chef"), renamed()], &chain), (vec![(Some(word(0)), BONUS, word(4))], 3));
    let plain = flag("single_stake", false);
    let keys = vec![text("kind", "cake-chef"), renamed(), plain];
    assert_eq!(found(keys, &chain).1, 1);
    // Stargate's chef pays at most its balance, by deposits; its default getter only applies to its default view.
    let keys = vec![text("kind", "stargate-time-chef"), renamed()];
    let chain = reply(chain, BONUS, &balanceOfCall(CHEF), &n(3));
    assert_eq!(found(keys, &chain), (vec![(Some(word(0)), BONUS, word(3))], 0));
}

#[test]
fn wrong_settings_are_refused_with_row_and_key() {
    let chef = || text("chef", CHEF);
    let kind = || text("kind", "mini-chef");
    let cases = [
        (vec![chef()], "kind", "missing; give `master-chef-v1`, `master-chef-v2`, `mini-chef`, `beets-chef`"),
        (vec![text("kind", "chef"), chef()], "kind", "\"chef\" is unknown; give"),
        (vec![kind()], "chef", "missing"),
        (vec![kind(), chef(), text("claim", "exit")], "claim", "\"exit\" is unknown; give `deposit`"),
        (vec![kind(), chef(), text("pending", "")], "pending", "is not a function name"),
        (vec![kind(), chef(), text("pending", "9lives")], "pending", "is not a function name"),
        (vec![kind(), chef(), text("pending", "f(address)")], "pending", "is not a function name"),
        (vec![kind(), chef(), text("pending", "f".repeat(65))], "pending", "is not a function name"),
        (vec![kind(), chef(), text("pending_returns", "all")], "pending_returns", "\"all\" is unknown; give `amount`"),
        (vec![kind(), chef(), text("getter", "")], "getter", "is not a function name"),
        (vec![kind(), chef(), text("reward_token", "SUSHI")], "reward_token", "is not 0x and 40 hex digits"),
        (vec![kind(), chef(), text("farm", "0x")], "farm", "unknown key"),
    ];
    for (keys, key, message) in cases {
        let refused = testing::settings_error::<Chefs>(&fork(NETWORK, keys)).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(0), Some(key)), "{}", refused.message);
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}
