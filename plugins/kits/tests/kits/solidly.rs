//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::solidly::SolidlyKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, added_row, one_row, plugin, text};

sol! {
    function length() external view returns (uint256);
    function ve() external view returns (address);
    function _ve() external view returns (address);
    function pools(uint256) external view returns (address);
    function gauges(address) external view returns (address);
    function stakingToken() external view returns (address);
    function stakedLength(address) external view returns (uint256);
    function rewardToken() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function rewardRate() external view returns (uint256);
    function periodFinish() external view returns (uint256);
    function earned(address) external view returns (uint256);
    function token() external view returns (address);
    function ownerToNFTokenIdList(address, uint256) external view returns (uint256);
    function locked(uint256) external view returns (int128, uint256, bool);
    function escrowType(uint256) external view returns (uint8);
    function claimable(uint256) external view returns (uint256);
    function usedWeights(uint256) external view returns (uint256);
    function minter() external view returns (address);
    function activePeriod() external view returns (uint256);
    function token0() external view returns (address);
    function token1() external view returns (address);
    function getReserves() external view returns (uint256, uint256, uint256);
}

const NETWORK: u64 = 10;
const VOTER: Address = address!("0xf000000000000000000000000000000000000001");
const ESCROW: Address = address!("0xf000000000000000000000000000000000000002");
const DISTRIBUTOR: Address = address!("0xf000000000000000000000000000000000000003");
const MINTER: Address = address!("0xf000000000000000000000000000000000000004");
const VELO: Address = address!("0xa000000000000000000000000000000000000001");
const IMMUTABLE: u8 = 1; // Freshness of a read that may be cached from any earlier answer.
const WEEK_S: u64 = 1_699_488_000; // The Thursday before, at midnight.

const TYPES: SolidlyKit =
    SolidlyKit { gauge: "gauge", pool: "pool", lock: "lock", rebase: "rebase", fees: "fees", bribe: "bribe" };

plugin! {
    Velo: &TYPES,
    ["velo" = "VELO"],
    r#"
    [[deployment]]
    protocol = "velo"
    network = "optimism"
    voter = "0xf000000000000000000000000000000000000001"
    escrow = "0xf000000000000000000000000000000000000002"
    distributor = "0xf000000000000000000000000000000000000003"
    "#
}

fn pool(n: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &n.to_be_bytes()].concat())
}

fn gauge(n: u64) -> Address {
    Address::left_padding_from(&[&[0x6a][..], &n.to_be_bytes()].concat())
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

/// A voter with this many gauges, in which the account has nothing, and an escrow without locks of the account.
fn voter(count: u64) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, VOTER, &lengthCall {}, &word(count))
        .reply(NETWORK, ESCROW, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(NETWORK, ESCROW, &tokenCall {}, &VELO)
        .reply(NETWORK, DISTRIBUTOR, &minterCall {}, &MINTER)
        .reply(NETWORK, MINTER, &activePeriodCall {}, &word(WEEK_S));
    (0..count).fold(chain, |chain, n| {
        chain
            .reply(NETWORK, VOTER, &poolsCall(word(n)), &pool(n))
            .reply(NETWORK, VOTER, &gaugesCall(pool(n)), &gauge(n))
            .reply(NETWORK, gauge(n), &stakingTokenCall {}, &pool(n))
            .reply(NETWORK, gauge(n), &rewardTokenCall {}, &VELO)
            .reply(NETWORK, gauge(n), &balanceOfCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, gauge(n), &earnedCall(ACCOUNT), &U256::ZERO)
            .reply(NETWORK, pool(n), &balanceOfCall(ACCOUNT), &U256::ZERO)
    })
}

/// A stake of `amount` among 4,000 that has earned `earned`, in a period of rate 12 until `finish_s`.
fn stakes(chain: CannedReplies, n: u64, amount: u64, earned: u64, finish_s: u64) -> CannedReplies {
    chain
        .reply(NETWORK, gauge(n), &balanceOfCall(ACCOUNT), &word(amount))
        .reply(NETWORK, gauge(n), &earnedCall(ACCOUNT), &word(earned))
        .reply(NETWORK, gauge(n), &totalSupplyCall {}, &word(4_000))
        .reply(NETWORK, gauge(n), &rewardRateCall {}, &word(12))
        .reply(NETWORK, gauge(n), &periodFinishCall {}, &word(finish_s))
}

/// A lock of the account: id, the reply of `locked`, the escrow's type and the amount owed by the distributor.
type VeNft = (u64, (i128, u64, bool), u8, u64);

fn locks(chain: CannedReplies, locks: &[VeNft]) -> CannedReplies {
    let count = U256::from(locks.len());
    let chain = chain.reply(NETWORK, ESCROW, &balanceOfCall(ACCOUNT), &count);
    locks.iter().enumerate().fold(chain, |chain, (place, (id, (amount, end, is_permanent), kind, owed))| {
        let place = U256::from(place);
        let locked = (*amount, word(*end), *is_permanent).abi_encode();
        chain
            .reply(NETWORK, ESCROW, &ownerToNFTokenIdListCall { _0: ACCOUNT, _1: place }, &word(*id))
            .result(NETWORK, ESCROW, &lockedCall(word(*id)), ReadResult::Ok(locked.into()))
            .reply(NETWORK, ESCROW, &escrowTypeCall(word(*id)), &U256::from(*kind))
            .reply(NETWORK, DISTRIBUTOR, &claimableCall(word(*id)), &word(*owed))
            .reply(NETWORK, VOTER, &usedWeightsCall(word(*id)), &U256::ZERO)
    })
}

fn case(question: Question) -> JobTest {
    JobTest::new("velo", NETWORK, question, ACCOUNT)
}

fn run(question: Question, chain: impl Replies) -> Outcome {
    case(question).run::<Velo>(chain)
}

/// A pool, its gauge, and true if the gauge counts positions.
type Entry = (Address, Address, bool);

/// Sets the list as earlier jobs derived it.
fn known(test: JobTest, count: u64) -> JobTest {
    let entries: Vec<Entry> = (0..count).map(|n| (pool(n), gauge(n), false)).collect();
    test.facts("main", "gauges", &entries)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    let questions = [
        (Question::CLAIMABLES, vec![2, 3, 6, 3, 3]), // The list's length and the locks; the walk; the account.
        (Question::FARMING, vec![1, 3, 6, 3, 3]),
        (Question::POOLING, vec![1, 3, 6, 3, 3]),
        (Question::LOCKED, vec![1]),
    ];
    for (question, batches) in questions {
        let outcome = run(question, &voter(3));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, batches, "{question:?}");
    }
}

#[test]
fn liquidity_that_is_not_staked_is_its_part_of_the_pools_reserves() {
    let chain = voter(2)
        .reply(NETWORK, pool(1), &balanceOfCall(ACCOUNT), &word(7))
        .reply(NETWORK, pool(1), &totalSupplyCall {}, &word(90))
        .reply(NETWORK, pool(1), &token0Call {}, &VELO)
        .reply(NETWORK, pool(1), &token1Call {}, &ESCROW)
        .reply(NETWORK, pool(1), &getReservesCall {}, &[word(1_000), word(77), word(NOW_S)]);
    let outcome = known(case(Question::POOLING), 2).run::<Velo>(&chain);
    let [position] = outcome.positions()[..] else { panic!("{}", outcome.message) };
    assert_eq!((outcome.end, position.kind, position.contract), (End::Complete, PositionKind::POOLED, pool(1)));
    assert_eq!(position.mechanism, "pool");
    // 7,000 / 90 and 539 / 90.
    let pooled = |token, amount| Leg::new(LegRole::POOLED, token, word(amount));
    assert_eq!(position.legs, [pooled(VELO, 77), pooled(ESCROW, 5)]);
    assert_eq!(outcome.batches, [1, 2, 1, 3], "the list's length, each pool, the reserves, all else of the one");
}

#[test]
fn a_gauge_that_its_voter_took_off_its_books_is_read_while_it_is_known_and_told_when_it_is_not() {
    let gone = stakes(voter(2), 1, 1_000, 7, NOW_S + 1).reply(NETWORK, VOTER, &gaugesCall(pool(1)), &Address::ZERO);
    // Known from before: the stake is returned, and the unclaimable reward is reported.
    let held = known(case(Question::FARMING), 2).run::<Velo>(&gone);
    assert_eq!((held.end, held.positions().len()), (End::Complete, 1), "{}", held.message);
    let owed = known(case(Question::CLAIMABLES), 2).run::<Velo>(&gone);
    assert_eq!((owed.end, owed.claimables().len()), (End::Partial, 0), "{}", owed.message);
    assert!(owed.message.contains("is the gauge of"), "{}", owed.message);
    // After a fresh start nothing names it.
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let fresh = run(question, &gone);
        assert_eq!((fresh.end, fresh.findings.len()), (End::Partial, 0), "{}", fresh.message);
        let why = "the voter took their gauges off its books, and nothing else names them";
        assert_eq!(fresh.not_covered, [format!("main: stakes in gauges of 1 of 2 pools are not read: {why}")]);
    }
    // If the voter's earlier reply is cached, the walk finds it.
    let remembers = |request: &ReadRequest| {
        let is_remembered = request.freshness == IMMUTABLE && request.data == gaugesCall(pool(1)).abi_encode();
        if is_remembered { ReadResult::Ok(gauge(1).abi_encode().into()) } else { (&gone).reply(request) }
    };
    let outcome = run(Question::FARMING, remembers);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}

#[test]
fn a_pool_that_is_listed_twice_has_one_gauge() {
    let chain = stakes(voter(2), 0, 1_000, 7, NOW_S + 1).reply(NETWORK, VOTER, &poolsCall(word(1)), &pool(0));
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &chain);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 1), "{}", outcome.message);
    }
}

#[test]
fn gauges_are_walked_once_and_then_read_for_the_account_alone() {
    let chain = stakes(stakes(voter(40), 3, 1_000, 7, NOW_S + 1), 39, 5, 11, NOW_S);
    let first = run(Question::CLAIMABLES, &chain);
    let second = case(Question::CLAIMABLES).after(&first).run::<Velo>(&chain);
    for outcome in [&first, &second] {
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let rows: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
        assert_eq!(rows, [(gauge(3), VELO, word(7)), (gauge(39), VELO, word(11))]);
    }
    assert_eq!(second.batches[..2], [2, 40], "the list's length and the locks, then each gauge once");
    assert_eq!(second.batches.len(), 4, "the gauge of the voter, then names: {:?}", second.batches);
    let row = second.payments()[0];
    assert_eq!((row.name.as_str(), row.mechanism.as_str()), (format!("{{{:#x}}} reward", pool(3)).as_str(), "gauge"));
    assert_eq!(row.claim.arguments, ACCOUNT.abi_encode());
}

#[test]
fn a_stake_has_its_token_what_is_owed_and_the_rate_while_the_period_runs() {
    for (finish_s, per_second) in [(NOW_S + 1, 12), (NOW_S, 0), (0, 0)] {
        let outcome = run(Question::FARMING, &stakes(voter(2), 1, 1_000, 7, finish_s));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let position = outcome.positions()[0];
        assert_eq!((position.kind, position.contract), (PositionKind::STAKED, gauge(1)));
        assert_eq!(position.name, format!("{{{:#x}}} gauge", pool(1)));
        let stake = Leg::new(LegRole::STAKED, pool(1), word(1_000)).of_total(word(4_000));
        assert_eq!(position.legs, [stake, Leg::new(LegRole::REWARD_OWED, VELO, word(7))]);
        outcome.check_totals(&run(Question::CLAIMABLES, &stakes(voter(2), 1, 1_000, 7, finish_s)));
        assert_eq!(position.rewards, [Reward::new(VELO, word(per_second))]);
    }
}

#[test]
fn gauges_that_count_no_stakes_are_left_out() {
    let chain = stakes(voter(3), 2, 9, 0, NOW_S).revert(NETWORK, gauge(1), &stakingTokenCall {});
    let chain = chain.revert(NETWORK, gauge(1), &stakedLengthCall(VOTER));
    let outcome = run(Question::FARMING, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.batches[5], 2, "it is not read for the account: {:?}", outcome.batches);
    assert_eq!(outcome.facts::<Entry>("main", "gauges")[1], (pool(1), Address::ZERO, false));
}

#[test]
fn a_broken_gauge_costs_its_own_rows_and_is_reported() {
    let broken = [
        ReadResult::Reverted(Bytes::new()),
        ReadResult::GasCap,
        ReadResult::Unavailable,
        ReadResult::Ok(Bytes::from_static(&[1; 7])),
    ];
    for answer in broken {
        let chain = stakes(voter(3), 2, 9, 4, NOW_S)
            .result(NETWORK, gauge(0), &balanceOfCall(ACCOUNT), answer.clone())
            .result(NETWORK, gauge(0), &earnedCall(ACCOUNT), answer);
        let staked = run(Question::FARMING, &chain);
        let owed = run(Question::CLAIMABLES, &chain);
        assert_eq!((staked.end, staked.positions().len()), (End::Partial, 1), "{}", staked.message);
        assert_eq!((owed.end, owed.payments().len()), (End::Partial, 1), "{}", owed.message);
        assert!(owed.message.starts_with(&format!("main: earned(address) of {}: ", gauge(0))), "{}", owed.message);
    }
}

#[test]
fn a_claim_goes_to_no_gauge_that_the_voter_does_not_name() {
    let chain = stakes(voter(2), 1, 5, 5, NOW_S).reply(NETWORK, VOTER, &gaugesCall(pool(1)), &gauge(0));
    let outcome = known(case(Question::CLAIMABLES), 2).run::<Velo>(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 0));
    let expected = format!("main: {}: is the gauge of {} no more", gauge(1), pool(1));
    assert_eq!(outcome.message, expected);
}

#[test]
fn a_voter_that_answers_nonsense_is_an_error_and_no_empty_answer() {
    for answer in [ReadResult::NoCode, ReadResult::Ok(U256::MAX.abi_encode().into()), ReadResult::Unavailable] {
        let outcome = run(Question::FARMING, &voter(1).result(NETWORK, VOTER, &lengthCall {}, answer));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
}

const MANY: u64 = 50_000;

/// A voter of fifty thousand gauges; the account has something in the last.
fn many(request: &ReadRequest) -> ReadResult {
    let selector = request.data.first_chunk::<4>().copied().unwrap_or_default();
    let argument = || request.data[28..36].iter().fold(0, |number, byte| number << 8 | u64::from(*byte));
    let reply = match selector {
        lengthCall::SELECTOR => word(MANY).abi_encode(),
        poolsCall::SELECTOR => pool(argument()).abi_encode(),
        gaugesCall::SELECTOR => gauge(argument()).abi_encode(),
        stakingTokenCall::SELECTOR => pool(MANY - 1).abi_encode(),
        rewardTokenCall::SELECTOR => VELO.abi_encode(),
        balanceOfCall::SELECTOR | earnedCall::SELECTOR if request.to == gauge(MANY - 1) => word(3).abi_encode(),
        _ => U256::ZERO.abi_encode(),
    };
    ReadResult::Ok(reply.into())
}

#[test]
fn fifty_thousand_gauges_are_within_the_limits_of_a_job() {
    for question in [Question::FARMING, Question::CLAIMABLES] {
        let outcome = known(case(question), MANY).run::<Velo>(many);
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.batches[1], 50_000);
        assert!(outcome.batches.len() <= 4, "{:?}", outcome.batches);
    }
}

#[test]
fn fifty_thousand_gauges_are_walked_by_a_few_jobs_that_answer_what_they_know() {
    let mut outcome = case(Question::FARMING).run::<Velo>(many);
    let mut jobs = 1;
    while outcome.end == End::Partial && jobs < 10 {
        let known = outcome.facts::<Entry>("main", "gauges").len();
        assert_eq!(outcome.message, format!("main/gauges: {known} of 50000 known, the rest is being read"));
        assert_eq!(outcome.findings.len(), 0, "the last gauge is not known yet");
        outcome = case(Question::FARMING).after(&outcome).run::<Velo>(many);
        jobs += 1;
    }
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(jobs, 4, "50,000 reads of a walk for three of each gauge");
    let entries = outcome.facts::<Entry>("main", "gauges");
    assert_eq!((entries.len(), entries[49_999]), (50_000, (pool(49_999), gauge(49_999), false)));
}

#[test]
fn a_lock_has_its_end_and_a_permanent_one_has_none() {
    let end = NOW_S + 86_400;
    let held = [
        (7, (5_000, end, false), 0, 0),
        (8, (6_000, 0, true), 0, 0),
        (9, (7_000, NOW_S - 1, false), 0, 0),
        (10, (0, 0, false), 0, 0), // Withdrawn.
    ];
    let outcome = run(Question::LOCKED, &locks(voter(0), &held));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 3), "{}", outcome.message);
    let until = |unlocks_at, is_permanent| Lock { unlocks_at, is_permanent: Some(is_permanent) };
    let expected =
        [(7, 5_000, until(Some(end), false)), (8, 6_000, until(None, true)), (9, 7_000, until(Some(NOW_S - 1), false))];
    for (position, (id, amount, lock)) in outcome.positions().into_iter().zip(expected) {
        assert_eq!((position.kind, position.contract, position.lock), (PositionKind::LOCKED, ESCROW, Some(lock)));
        assert_eq!(position.nft, Some(Nft { collection: ESCROW, token_id: word(id) }));
        assert_eq!(position.legs, [Leg::new(LegRole::LOCKED, VELO, word(amount))]);
    }
    assert_eq!(outcome.batches, [1, 4, 5, 1], "how many; which; each, and the token; why one has nothing");
}

#[test]
fn locks_that_cannot_be_read_are_reported() {
    let cases = [
        (
            locks(voter(0), &[(7, (5, 1, false), 0, 0), (8, (0, 0, false), 1, 0)]),
            "main: lock 8 is deposited in a managed",
        ),
        (locks(voter(0), &[(7, (5, 1, false), 0, 0), (8, (-1, 0, false), 0, 0)]), "main: lock 8 has less than nothing"),
        (
            locks(voter(0), &[(7, (5, 1, false), 0, 0), (8, (1, 1, false), 0, 0)]).revert(
                NETWORK,
                ESCROW,
                &lockedCall(word(8)),
            ),
            "main: locked(uint256) of 0xf000000000000000000000000000000000000002: reverted",
        ),
    ];
    for (chain, message) in cases {
        let outcome = run(Question::LOCKED, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
        assert!(outcome.message.starts_with(message), "{}", outcome.message);
    }
}

#[test]
fn locks_beyond_the_bound_are_reported_and_not_read() {
    let chain = |request: &ReadRequest| match request.data.first_chunk::<4>().copied().unwrap_or_default() {
        balanceOfCall::SELECTOR => ReadResult::Ok(U256::MAX.abi_encode().into()),
        lockedCall::SELECTOR => ReadResult::Ok((1_i128, word(1), false).abi_encode().into()),
        ownerToNFTokenIdListCall::SELECTOR => ReadResult::Ok(Bytes::copy_from_slice(&request.data[36..])),
        _ => ReadResult::Ok(VELO.abi_encode().into()),
    };
    let outcome = run(Question::LOCKED, chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 500));
    assert_eq!(outcome.not_covered, [format!("main: 500 of {} locks are read", U256::MAX)]);
}

#[test]
fn a_rebase_goes_into_the_lock_and_to_the_owner_once_that_is_over() {
    let held = [
        (7, (5_000, NOW_S + 1, false), 0, 40),
        (8, (6_000, 0, true), 0, 50),
        (9, (7_000, NOW_S, false), 0, 60),
        (10, (1, NOW_S + 1, false), 0, 0), // Has nothing to claim.
        (11, (0, 0, false), 1, 70),        // Deposited in a managed one: its claim reverts.
    ];
    let outcome = run(Question::CLAIMABLES, &locks(voter(0), &held));
    let expected = [(7, 40, PaidTo::LOCK), (8, 50, PaidTo::LOCK), (9, 60, PaidTo::ACCOUNT)];
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 3), "{}", outcome.message);
    let deposited = "main: what 1 of 5 locks have earned is not read: they are deposited in managed ones";
    assert_eq!(outcome.not_covered, [deposited]);
    for (found, (id, amount, paid_to)) in outcome.claimables().into_iter().zip(expected) {
        assert_eq!((found.contract, found.number), (DISTRIBUTOR, Some(word(id))));
        assert_eq!(found.payments, [Payment { token: VELO, amount: word(amount), paid_to, name: None }]);
        assert_eq!((found.steps.len(), found.steps[0].to), (1, DISTRIBUTOR));
        assert_eq!(found.steps[0].arguments, word(id).abi_encode());
    }
}

#[test]
fn rebases_before_the_weeks_period_are_missing_and_gauges_are_not() {
    let chain = locks(stakes(voter(1), 0, 9, 4, NOW_S), &[(7, (5_000, NOW_S + 1, false), 0, 40)]);
    let chain = chain.reply(NETWORK, MINTER, &activePeriodCall {}, &word(WEEK_S - 1));
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 1));
    assert_eq!(outcome.message, "main: rebases cannot be claimed until the minter begins this week's period");
}

#[test]
fn a_row_of_settings_has_a_voter_and_maybe_locks() {
    let settings = |keys: &[(&str, Address)]| {
        added_row("velo", NETWORK, keys.iter().map(|(key, value)| text(key, value)).collect())
    };
    let refused = testing::settings_error::<Velo>(&settings(&[("escrow", ESCROW)])).expect("the settings are wrong");
    assert!(refused.to_string().contains("has no keys of any mechanism"), "{refused}");
    let farming = case(Question::FARMING).settings(settings(&[("voter", MINTER)]));
    let chain = stakes(voter(2), 1, 9, 0, NOW_S).reply(NETWORK, MINTER, &lengthCall {}, &U256::ZERO);
    let outcome = known(farming, 2).run::<Velo>(&chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    assert_eq!(outcome.batches[0], 2, "each voter has a list of its own");
}

#[test]
fn a_row_with_a_distributor_alone_has_the_escrow_that_the_voter_names() {
    let found = |chain: CannedReplies| {
        let settings = one_row("velo", NETWORK, vec![text("voter", VOTER), text("distributor", DISTRIBUTOR)]);
        case(Question::LOCKED).settings(settings).run::<Velo>(&chain)
    };
    let chain = || locks(voter(0), &[(7, (5_000, NOW_S + 1, false), 0, 40)]);
    // Named as in Velodrome v2, as in earlier versions, and as in neither.
    let second = chain().reply(NETWORK, VOTER, &veCall {}, &ESCROW).revert(NETWORK, VOTER, &_veCall {});
    let first = chain().reply(NETWORK, VOTER, &_veCall {}, &ESCROW).revert(NETWORK, VOTER, &veCall {});
    for named in [second, first] {
        let outcome = found(named);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        assert_eq!(outcome.positions()[0].contract, ESCROW);
    }
    let outcome = found(chain().revert(NETWORK, VOTER, &veCall {}).revert(NETWORK, VOTER, &_veCall {}));
    assert!(outcome.end != End::Complete && outcome.message.contains("the key `escrow`"), "{}", outcome.message);
}
