//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::token_lockers::TokenLockersKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, list, n, one_row, paid, plugin};

sol! {
    function getUserNumLockedTokens(address) external view returns (uint256);
    function getUserLockedTokenAtIndex(address user, uint256 index) external view returns (address);
    function getUserNumLocksForToken(address user, address token) external view returns (uint256);
    function getUserLockForTokenAtIndex(address user, address token, uint256 index) external view
        returns (uint256, uint256, uint256, uint256, uint256, address);
    function getDepositsByWithdrawalAddress(address) external view returns (uint256[] memory);
    function lockedToken(uint256) external view returns (address, address, uint256, uint256, bool);
    function decimals() external view returns (uint8);
}

const CHAIN: u64 = 1;
const PAIRS: Address = address!("0xf000000000000000000000000000000000000001");
const NUMBERED: Address = address!("0xf000000000000000000000000000000000000002");
const TOKENS: Address = address!("0xf000000000000000000000000000000000000003");
const FORMER: Address = address!("0xf000000000000000000000000000000000000004");
const LP: Address = address!("0xa000000000000000000000000000000000000001");
const GRANT: Address = address!("0xa000000000000000000000000000000000000002");

const KIT: TokenLockersKit = TokenLockersKit { lock: "lock" };

plugin! {
    Lockers: &KIT,
    ["uncx" = "UNCX"],
    r#"
    [[deployment]]
    protocol = "uncx"
    network = "ethereum"
    pair_lockers = ["0xf000000000000000000000000000000000000001"]
    numbered_pair_lockers = ["0xf000000000000000000000000000000000000002"]
    token_lockers = ["0xf000000000000000000000000000000000000003"]
    former_token_lockers = ["0xf000000000000000000000000000000000000004"]
    "#
}

fn nothing() -> CannedReplies {
    [PAIRS, NUMBERED].into_iter().fold(deposits(deposits(tokens(), TOKENS, &[]), FORMER, &[]), |chain, locker| {
        chain.reply(CHAIN, locker, &getUserNumLockedTokensCall(ACCOUNT), &n(0))
    })
}

fn tokens() -> CannedReplies {
    [LP, GRANT]
        .into_iter()
        .fold(CannedReplies::default(), |chain, token| chain.reply(CHAIN, token, &decimalsCall {}, &n(18)))
}

/// The account has this token in a locker of pairs, and locks of it: number, amount and end.
fn pairs(chain: CannedReplies, locker: Address, token: Address, locks: &[(u64, u64, u64)]) -> CannedReplies {
    let chain = chain
        .reply(CHAIN, locker, &getUserNumLockedTokensCall(ACCOUNT), &n(1))
        .reply(CHAIN, locker, &getUserLockedTokenAtIndexCall { user: ACCOUNT, index: n(0) }, &token)
        .reply(CHAIN, locker, &getUserNumLocksForTokenCall { user: ACCOUNT, token }, &U256::from(locks.len()));
    (0..).zip(locks).fold(chain, |chain, (place, (id, amount, end))| {
        let call = getUserLockForTokenAtIndexCall { user: ACCOUNT, token, index: n(place) };
        if locker == PAIRS {
            chain.reply(CHAIN, locker, &call, &(n(1), n(*amount), n(99), n(*end), n(*id), ACCOUNT))
        } else {
            chain.reply(CHAIN, locker, &call, &(token, n(1), n(*amount), n(99), n(*end), n(*id), ACCOUNT, n(7)))
        }
    })
}

/// The account has these locks: number, token, amount, end, and true if it was withdrawn.
fn deposits(chain: CannedReplies, locker: Address, locks: &[(u64, Address, u64, u64, bool)]) -> CannedReplies {
    let ids: Vec<U256> = locks.iter().map(|lock| n(lock.0)).collect();
    let chain = chain.reply(CHAIN, locker, &getDepositsByWithdrawalAddressCall(ACCOUNT), &ids);
    locks.iter().fold(chain, |chain, (id, token, amount, end, withdrawn)| {
        chain.reply(CHAIN, locker, &lockedTokenCall(n(*id)), &(*token, ACCOUNT, n(*amount), n(*end), *withdrawn))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    let allowed = [
        bound("withdraw(address token, uint256 number, uint256 number, uint256 number)", &[PAIRS]),
        bound("withdraw(uint256 number, uint256 number)", &[NUMBERED]),
        bound("withdrawTokens(uint256 number, uint256 number)", &[TOKENS]),
        bound("withdrawTokens(uint256 number)", &[FORMER]),
    ];
    JobTest::new("uncx", CHAIN, question, ACCOUNT).claim_functions(&allowed.concat()).run::<Lockers>(chain)
}

/// Contract, token, amount and end of each position.
fn locked(outcome: &Outcome) -> Vec<(Address, Address, U256, Option<u64>)> {
    let row = |row: &&Position| {
        assert_eq!(row.kind, PositionKind::LOCKED);
        (row.contract, row.legs[0].token, row.legs[0].amount, row.lock.and_then(|lock| lock.unlocks_at))
    };
    outcome.positions().iter().map(row).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [4]);
    }
}

#[test]
fn what_is_over_can_be_withdrawn_and_the_rest_is_locked() {
    // UNCX' locks last until after their second, Team Finance's end with it.
    let chain = pairs(nothing(), PAIRS, LP, &[(4, 30, NOW_S), (0, 20, NOW_S - 1)]);
    let chain = pairs(chain, NUMBERED, LP, &[(9, 50, NOW_S - 5), (11, 60, NOW_S + 5)]);
    let chain = deposits(chain, TOKENS, &[(3, GRANT, 7, NOW_S, false), (5, GRANT, 8, NOW_S + 1, false)]);
    let chain = deposits(chain, FORMER, &[(6, GRANT, 2, NOW_S - 9, false), (7, GRANT, 4, NOW_S - 9, true)]);
    let (claims, locks) = (run(Question::CLAIMABLES, &chain), run(Question::LOCKED, &chain));
    assert_eq!((claims.end, locks.end), (End::Complete, End::Complete), "{} {}", claims.message, locks.message);
    assert_eq!(paid(&claims), [(LP, n(20)), (LP, n(50)), (GRANT, n(7)), (GRANT, n(2))]);
    let steps: Vec<_> = claims.claimables().iter().map(|row| row.steps[0].clone()).collect();
    let to: Vec<Address> = steps.iter().map(|step| step.to).collect();
    assert_eq!(to, [PAIRS, NUMBERED, TOKENS, FORMER]);
    // Of the first version, the place of the lock in the account's list comes before its number.
    let arguments: Vec<Vec<u8>> = steps.iter().map(|step| step.arguments.clone()).collect();
    let first = (LP, n(1), n(0), n(20)).abi_encode_params();
    let [numbered, token] = [(n(9), n(50)), (n(3), n(7))].map(|numbers| numbers.abi_encode_params());
    assert_eq!(arguments, [first, numbered, token, n(6).abi_encode()]);
    let expected = [
        (PAIRS, LP, n(30), Some(NOW_S)),
        (NUMBERED, LP, n(60), Some(NOW_S + 5)),
        (TOKENS, GRANT, n(8), Some(NOW_S + 1)),
    ];
    assert_eq!(locked(&locks), expected);
    locks.check_totals(&claims);
}

#[test]
fn locks_of_two_tokens_with_one_number_have_two() {
    let count = getUserNumLockedTokensCall(ACCOUNT);
    let other = getUserLockedTokenAtIndexCall { user: ACCOUNT, index: n(1) };
    let chain = pairs(pairs(nothing(), PAIRS, GRANT, &[(3, 5, NOW_S + 5)]), PAIRS, LP, &[(3, 6, NOW_S + 5)]);
    let chain = chain.reply(CHAIN, PAIRS, &count, &n(2)).reply(CHAIN, PAIRS, &other, &GRANT);
    let outcome = run(Question::LOCKED, &chain);
    let [one, two] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((one.legs[0].token, two.legs[0].token), (LP, GRANT));
    assert_ne!(one.number, two.number);
}

#[test]
fn a_lock_of_an_nft_and_locks_beyond_the_bound_are_reported() {
    let chain = deposits(nothing(), TOKENS, &[(1, Address::ZERO, 0, 0, false), (2, GRANT, 8, NOW_S + 1, false)]);
    let outcome = run(Question::LOCKED, &chain);
    assert_eq!((outcome.end, locked(&outcome).len()), (End::Partial, 1));
    assert!(outcome.not_covered[0].ends_with("lock 1 holds an NFT"), "{:?}", outcome.not_covered);
    let many: Vec<_> = (1..=65).map(|id| (id, GRANT, id, NOW_S + 1, false)).collect();
    let outcome = run(Question::LOCKED, &deposits(nothing(), FORMER, &many));
    assert_eq!((outcome.end, locked(&outcome).len()), (End::Partial, 64));
    assert!(outcome.not_covered[0].ends_with("65 locks, of which 64 are answered"), "{:?}", outcome.not_covered);
    let many: Vec<_> = (0..65).map(|id| (id, 1 + id, NOW_S + 1)).collect();
    let outcome = run(Question::LOCKED, &pairs(nothing(), NUMBERED, LP, &many));
    assert_eq!((outcome.end, locked(&outcome).len()), (End::Partial, 64));
    assert!(outcome.not_covered[0].ends_with("65 locks, of which 64 are answered"), "{:?}", outcome.not_covered);
}

#[test]
fn what_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let chain = pairs(nothing(), PAIRS, LP, &[(0, 30, NOW_S + 1), (1, 40, NOW_S + 1)]);
    let chain = deposits(chain, TOKENS, &[(3, GRANT, 7, NOW_S + 1, false)]);
    let second = getUserLockForTokenAtIndexCall { user: ACCOUNT, token: LP, index: n(1) };
    let rest = [(PAIRS, LP, n(30), Some(NOW_S + 1)), (TOKENS, GRANT, n(7), Some(NOW_S + 1))];
    let others = (n(1), n(40), n(99), n(NOW_S + 1), n(1), Address::repeat_byte(1));
    for chain in [
        chain.clone().revert(CHAIN, PAIRS, &second),
        chain.clone().reply(CHAIN, PAIRS, &second, &others),
        pairs(nothing(), PAIRS, LP, &[(0, 30, NOW_S + 1)])
            .reply(CHAIN, TOKENS, &getDepositsByWithdrawalAddressCall(ACCOUNT), &vec![n(3), n(4)])
            .reply(CHAIN, TOKENS, &lockedTokenCall(n(3)), &(GRANT, ACCOUNT, n(7), n(NOW_S + 1), false))
            .reply(CHAIN, TOKENS, &lockedTokenCall(n(4)), &(GRANT, PAIRS, n(7), n(NOW_S + 1), false)),
        chain.clone().revert(CHAIN, PAIRS, &second).revert(CHAIN, FORMER, &getDepositsByWithdrawalAddressCall(ACCOUNT)),
    ] {
        let outcome = run(Question::LOCKED, &chain);
        assert_eq!((outcome.end, locked(&outcome)), (End::Partial, rest.to_vec()), "{}", outcome.message);
    }
    let job = JobTest::new("uncx", CHAIN, Question::LOCKED, ACCOUNT);
    assert_eq!(job.run::<Lockers>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}

#[test]
fn an_end_that_is_no_time_is_left_out() {
    let chain = nothing().reply(CHAIN, FORMER, &getDepositsByWithdrawalAddressCall(ACCOUNT), &vec![n(3)]).reply(
        CHAIN,
        FORMER,
        &lockedTokenCall(n(3)),
        &(GRANT, ACCOUNT, n(7), U256::MAX, false),
    );
    assert_eq!(locked(&run(Question::LOCKED, &chain)), [(FORMER, GRANT, n(7), None)]);
}

#[test]
fn a_fork_is_a_line_of_settings() {
    for key in TokenLockersKit::KEYS {
        let catalogue = testing::catalogue::<Lockers>(&one_row("uncx", 10, vec![list(key, [PAIRS])]));
        assert_eq!(catalogue.deployments[0].contracts, [PAIRS]);
    }
}
