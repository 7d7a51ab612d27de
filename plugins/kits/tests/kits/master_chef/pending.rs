//! Chefs whose pending view returns more than an amount, and chefs funded in advance.

use super::*;

sol! {
    function pendingEmissionToken(uint256, address) external view returns (uint256);
    function eToken() external view returns (address);
    function eTokenPerSecond() external view returns (uint256);
    function canHarvest(uint256, address) external view returns (bool);
    function rewarders(uint256) external view returns (address);
    function isNative() external view returns (bool);
}

mod listing {
    portolan_plugin_api::sol! {
        function pendingTokens(uint256, address) external view returns (uint256);
    }
}

const OTHER: Address = address!("0xa000000000000000000000000000000000000003");

/// Sets the reply of a chef's pending view, whatever it returns.
fn owes(chain: CannedReplies, pid: u64, reply: Vec<u8>) -> CannedReplies {
    let call = listing::pendingTokensCall { _0: n(pid), _1: ACCOUNT };
    chain.result(NETWORK, CHEF, &call, ReadResult::Ok(reply.into()))
}

/// Encodes the reply of each kind of view for 7 of the chef's token and these bonuses.
fn returned(slug: &str, bonuses: &[(Address, u64)]) -> Vec<u8> {
    let tokens: Vec<Address> = bonuses.iter().map(|(token, _)| *token).collect();
    let amounts: Vec<U256> = bonuses.iter().map(|(_, amount)| n(*amount)).collect();
    let symbols = vec!["SYM".to_owned(); tokens.len()];
    match slug {
        "bonus" => {
            let (token, amount) = bonuses.first().copied().unwrap_or((Address::ZERO, 0));
            (n(7), token, "SYM".to_owned(), n(amount)).abi_encode_params()
        }
        "bonuses" => (n(7), tokens, symbols, amounts).abi_encode_params(),
        _ => {
            let all = [vec![TOKEN], tokens].concat();
            let decimals = vec![n(18); all.len()];
            (all, [vec!["OWN".to_owned()], symbols].concat(), decimals, [vec![n(7)], amounts].concat())
                .abi_encode_params()
        }
    }
}

const FORMS: [&str; 3] = ["bonus", "bonuses", "lists"];

#[test]
fn one_claim_pays_the_chefs_token_and_the_bonuses_that_its_view_returns() {
    for slug in FORMS {
        let chain = stake(chef(Kind::V1, 3), 1, 10, 0);
        let outcome = claimables(slug, &owes(chain.clone(), 1, returned(slug, &[(BONUS, 5)])));
        assert_eq!(outcome.end, End::Complete, "{slug}: {}", outcome.message);
        assert_eq!(by_number(&outcome), [(Some(word(1)), TOKEN, word(7)), (Some(word(1)), BONUS, word(5))]);
        let claims: Vec<_> = outcome.payments().into_iter().map(|row| row.claim).collect();
        assert!(claims.iter().all(|claim| *claim == claims[0] && claim.template == 0));
        // The length; the account; the pending amounts (and the view of harvesting, or four places of a rewarder) and
        // the staked token; the pair.
        let beside = ["bonus", "lists"].map(|beside| usize::from(beside == slug));
        assert_eq!(outcome.batches, [1, 3, 2 + 4 * beside[0] + beside[1], 2]);
        // A bonus in the chef's own token is added to it; a zero bonus or one without a token is no row.
        let outcome = claimables(slug, &owes(chain.clone(), 1, returned(slug, &[(TOKEN, 5)])));
        assert_eq!(by_number(&outcome), [(Some(word(1)), TOKEN, word(12))]);
        for none in [&[(BONUS, 0)][..], &[][..]] {
            let outcome = claimables(slug, &owes(chain.clone(), 1, returned(slug, none)));
            assert_eq!((outcome.end, by_number(&outcome)), (End::Complete, vec![(Some(word(1)), TOKEN, word(7))]));
        }
        let outcome = farming(slug, &owes(chain, 1, returned(slug, &[(BONUS, 5)])));
        assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{slug}: {}", outcome.message);
        let row = outcome.legs()[0];
        assert_eq!((row.token, row.amount, row.total), (lp(1), word(10), Some(word(4_000))));
        let rewards: Vec<_> = row.rewards.iter().map(|reward| (reward.token, reward.per_second)).collect();
        assert_eq!(rewards, [(TOKEN, None), (BONUS, None)]);
    }
}

#[test]
fn a_bonus_is_told_in_the_token_that_its_rewarder_pays() {
    // The rewarder is in any place where Trader Joe's chefs have it: in `poolInfo` or in a view.
    let zero = U256::ZERO;
    let fifth = (lp(1), n(1), zero, zero, REWARDER).abi_encode();
    let sixth = (lp(1), n(1), zero, zero, zero, REWARDER, zero, zero, zero).abi_encode();
    let chain = owes(stake(chef(Kind::V1, 3), 1, 10, 0), 1, returned("bonus", &[(BONUS, 5)]));
    let info = |reply: Vec<u8>| chain.clone().result(NETWORK, CHEF, &poolInfoCall(n(1)), ReadResult::Ok(reply.into()));
    let places = [
        info(fifth),
        info(sixth),
        reply(chain.clone(), CHEF, &rewarderCall(n(1)), &REWARDER),
        reply(chain.clone(), CHEF, &rewardersCall(n(1)), &REWARDER),
    ];
    for chain in places {
        for (is_native, token) in [(true, NATIVE), (false, BONUS)] {
            let chain = reply(chain.clone(), REWARDER, &isNativeCall {}, &is_native);
            let outcome = claimables("bonus", &chain);
            let expected = [(Some(word(1)), TOKEN, word(7)), (Some(word(1)), token, word(5))];
            assert_eq!((outcome.end, by_number(&outcome)), (End::Complete, expected.to_vec()), "{}", outcome.message);
            let outcome = farming("bonus", &chain);
            let rewards: Vec<_> = outcome.legs()[0].rewards.iter().map(|reward| reward.token).collect();
            assert_eq!(rewards, [TOKEN, token], "{}", outcome.message);
        }
    }
}

#[test]
fn several_bonuses_are_rows_of_their_own_up_to_a_limit() {
    for slug in ["bonuses", "lists"] {
        let chain = stake(chef(Kind::V1, 1), 0, 10, 0);
        let outcome = claimables(slug, &owes(chain.clone(), 0, returned(slug, &[(BONUS, 5), (OTHER, 6)])));
        let pool = Some(word(0));
        assert_eq!(by_number(&outcome), [(pool, TOKEN, word(7)), (pool, BONUS, word(5)), (pool, OTHER, word(6))]);
        let outcome = claimables(slug, &owes(chain.clone(), 0, returned(slug, &vec![(BONUS, 1); 17])));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
        assert!(outcome.message.contains("tokens and"), "{}", outcome.message);
        // A failing view loses its pool's rows, but the position keeps its stake.
        let outcome = claimables(slug, &owes(chain.clone(), 0, vec![1; 31]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
        let outcome = farming(slug, &owes(chain, 0, vec![1; 31]));
        assert_eq!((outcome.end, outcome.legs().len()), (End::Partial, 1));
        assert_eq!(outcome.legs()[0].rewards, [Reward::new(TOKEN, None)]);
    }
}

#[test]
fn an_account_without_a_stake_is_not_asked_about_what_is_pending() {
    for slug in FORMS {
        for outcome in [claimables(slug, &chef(Kind::V1, 3)), farming(slug, &chef(Kind::V1, 3))] {
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
            assert_eq!(outcome.batches, [1, 3]);
        }
    }
}

#[test]
fn before_an_interval_is_over_the_claim_pays_bonuses_alone() {
    let chain = owes(stake(chef(Kind::V1, 1), 0, 10, 0), 0, returned("lists", &[(BONUS, 5)]));
    for (may_harvest, paid) in [(true, vec![(TOKEN, word(7)), (BONUS, word(5))]), (false, vec![(BONUS, word(5))])] {
        let chain = reply(chain.clone(), CHEF, &canHarvestCall { _0: n(0), _1: ACCOUNT }, &may_harvest);
        let outcome = claimables("lists", &chain);
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let found: Vec<_> = outcome.payments().into_iter().map(|row| (row.token, row.amount)).collect();
        assert_eq!(found, paid);
    }
}

/// A chef that names its getters after `eToken`, emits per second, and has this balance of its token.
fn lp_staking(owed: u64, held: u64) -> CannedReplies {
    let chain = reply(stake(chef(Kind::V1, 2), 1, 10, 0), CHEF, &eTokenCall {}, &BONUS);
    let chain = reply(chain, CHEF, &pendingEmissionTokenCall { _0: n(1), _1: ACCOUNT }, &n(owed));
    let chain = reply(chain, CHEF, &eTokenPerSecondCall {}, &n(6));
    reply(chain, BONUS, &balanceOfCall(CHEF), &n(held))
}

#[test]
fn a_funded_chef_pays_what_it_holds_at_most() {
    for (owed, held, paid) in [(9, 100, 9), (9, 9, 9), (9, 8, 8), (9, 1, 1)] {
        let outcome = claimables("lp-staking", &lp_staking(owed, held));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        assert_eq!(by_number(&outcome), [(Some(word(1)), BONUS, word(paid))]);
        // The length and one name of the token; the account; the pending amount, the balance and the staked token; the
        // pair.
        assert_eq!(outcome.batches, [2, 2, 3, 2]);
    }
    let outcome = claimables("lp-staking", &lp_staking(9, 0));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 0), "{}", outcome.message);
    // Half of the points get half of 6 per second.
    let outcome = farming("lp-staking", &lp_staking(9, 0));
    assert_eq!((outcome.end, outcome.legs()[0].rewards[0]), (End::Complete, Reward::new(BONUS, n(3))));
    // Its balance must be known.
    let gone = lp_staking(9, 9).result(NETWORK, BONUS, &balanceOfCall(CHEF), ReadResult::Unavailable);
    let outcome = claimables("lp-staking", &gone);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
}

#[test]
fn a_chef_without_points_of_all_pools_reports_no_rate() {
    let outcome = farming("lp-staking", &lp_staking(9, 0).revert(NETWORK, CHEF, &totalAllocPointCall {}));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.legs()[0].rewards, [Reward::new(BONUS, None)]);
}
