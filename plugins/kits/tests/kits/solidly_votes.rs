//! Rewards of locks' votes, fees and bribes, through the real binary interface.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::solidly::SolidlyKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, plugin};

sol! {
    function length() external view returns (uint256);
    function pools(uint256) external view returns (address);
    function numCheckpoints(uint256) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function ownerToNFTokenIdList(address, uint256) external view returns (uint256);
    function usedWeights(uint256) external view returns (uint256);
    function poolVote(uint256, uint256) external view returns (address);
    function gauges(address) external view returns (address);
    function gaugeToFees(address) external view returns (address);
    function gaugeToBribe(address) external view returns (address);
    function rewardsListLength() external view returns (uint256);
    function rewards(uint256) external view returns (address);
    function earned(address, uint256) external view returns (uint256);
    function claimFees(address[] fees, address[][] tokens, uint256 tokenId) external;
    function claimBribes(address[] bribes, address[][] tokens, uint256 tokenId) external;
}

const NETWORK: u64 = 10;
const VOTER: Address = address!("0xf000000000000000000000000000000000000001");
const ESCROW: Address = address!("0xf000000000000000000000000000000000000002");
const A: Address = address!("0xa000000000000000000000000000000000000001");
const B: Address = address!("0xa000000000000000000000000000000000000002");

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
    "#
}

/// Returns the contract of a kind that belongs to the pool with this number.
fn contract(kind: u8, n: u64) -> Address {
    Address::left_padding_from(&[&[kind][..], &n.to_be_bytes()].concat())
}

fn pool(n: u64) -> Address {
    contract(0x5a, n)
}

fn fees(n: u64) -> Address {
    contract(0xfe, n)
}

fn bribe(n: u64) -> Address {
    contract(0xb1, n)
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

/// Locks of the account, each with the pools that it votes for.
fn votes(locks: &[(u64, &[u64])]) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, VOTER, &lengthCall {}, &U256::ZERO).reply(
        NETWORK,
        ESCROW,
        &balanceOfCall(ACCOUNT),
        &U256::from(locks.len()),
    );
    locks.iter().enumerate().fold(chain, |chain, (place, (id, pools))| {
        let by_index = ownerToNFTokenIdListCall { _0: ACCOUNT, _1: U256::from(place) };
        let chain = chain.reply(NETWORK, ESCROW, &by_index, &word(*id)).reply(
            NETWORK,
            VOTER,
            &usedWeightsCall(word(*id)),
            &U256::from(pools.len()),
        );
        (0..40).fold(chain, |chain, place| {
            let call = poolVoteCall { _0: word(*id), _1: U256::from(place) };
            match pools.get(place) {
                Some(n) => chain.reply(NETWORK, VOTER, &call, &pool(*n)),
                None => chain.revert(NETWORK, VOTER, &call),
            }
        })
    })
}

/// A pool with fees in A and B, and bribes in the given token.
fn pays(chain: CannedReplies, n: u64, bribed: Address) -> CannedReplies {
    let gauge = contract(0x6a, n);
    chain
        .reply(NETWORK, VOTER, &gaugesCall(pool(n)), &gauge)
        .reply(NETWORK, VOTER, &gaugeToFeesCall(gauge), &fees(n))
        .reply(NETWORK, VOTER, &gaugeToBribeCall(gauge), &bribe(n))
        .reply(NETWORK, fees(n), &rewardsListLengthCall {}, &word(2))
        .reply(NETWORK, fees(n), &rewardsCall(word(0)), &A)
        .reply(NETWORK, fees(n), &rewardsCall(word(1)), &B)
        .reply(NETWORK, bribe(n), &rewardsListLengthCall {}, &word(1))
        .reply(NETWORK, bribe(n), &rewardsCall(word(0)), &bribed)
}

/// Sets what the pool's contracts owe a lock: fees in A and in B, and bribes.
fn owes(chain: CannedReplies, n: u64, lock: u64, bribed: Address, owed: (u64, u64, u64)) -> CannedReplies {
    let earned = |token| earnedCall { _0: token, _1: word(lock) };
    chain.reply(NETWORK, fees(n), &earned(A), &word(owed.0)).reply(NETWORK, fees(n), &earned(B), &word(owed.1)).reply(
        NETWORK,
        bribe(n),
        &earned(bribed),
        &word(owed.2),
    )
}

fn run(chain: impl Replies) -> Outcome {
    JobTest::new("velo", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Velo>(chain)
}

/// Contract, lock and payments.
type Row = (Address, u64, Vec<(Address, u64)>);

fn rows(outcome: &Outcome) -> Vec<Row> {
    let paid = |row: &Claimable| row.payments.iter().map(|one| (one.token, one.amount.to())).collect();
    let number = |row: &Claimable| row.number.unwrap_or_default().to();
    outcome.claimables().into_iter().map(|row| (row.contract, number(row), paid(row))).collect()
}

#[test]
fn locks_that_do_not_vote_have_earned_nothing() {
    for locks in [&[][..], &[(7, &[][..])]] {
        let outcome = run(&votes(locks));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
    assert_eq!(
        run(&votes(&[(7, &[])])).batches,
        [2, 1, 3],
        "how many; which; whether it votes and is deposited, and how many pools there are"
    );
}

#[test]
fn each_lock_has_a_claim_of_fees_and_one_of_bribes_for_each_pool() {
    let chain = pays(pays(votes(&[(7, &[1, 2]), (8, &[2]), (9, &[])]), 1, A), 2, B);
    let chain = owes(owes(chain, 1, 7, A, (10, 0, 5)), 2, 7, B, (0, 0, 0));
    let outcome = run(&owes(chain, 2, 8, B, (1, 2, 3)));
    let expected: Vec<Row> = vec![
        (fees(1), 7, vec![(A, 10)]),
        (bribe(1), 7, vec![(A, 5)]),
        (fees(2), 8, vec![(A, 1), (B, 2)]),
        (bribe(2), 8, vec![(B, 3)]),
    ];
    assert_eq!((outcome.end, rows(&outcome)), (End::Complete, expected), "{}", outcome.message);
    let found = outcome.claimables();
    assert_eq!((found[0].mechanism.as_str(), found[1].mechanism.as_str()), ("fees", "bribe"));
    let names = [format!("{{{:#x}}} fees", pool(1)), format!("{{{:#x}}} bribe", pool(1))];
    assert_eq!([found[0].name.clone(), found[1].name.clone()], names);
    let fees_call = claimFeesCall { fees: vec![fees(2)], tokens: vec![vec![A, B]], tokenId: word(8) };
    let bribes_call = claimBribesCall { bribes: vec![bribe(2)], tokens: vec![vec![B]], tokenId: word(8) };
    for (row, call) in [(found[2], fees_call.abi_encode()), (found[3], bribes_call.abi_encode())] {
        let [claim] = &row.steps[..] else { panic!("{:?}", row.steps) };
        assert_eq!((claim.to, &claim.arguments[..]), (VOTER, &call[4..]));
        let merged = claim.mergeable.as_ref().expect("it claims for several contracts of one lock");
        assert_eq!((merged.to, &merged.arguments), (VOTER, &claim.arguments));
    }
}

#[test]
fn a_broken_contract_costs_its_own_rows_and_is_reported() {
    let chain = pays(pays(votes(&[(7, &[1, 2])]), 1, A), 2, B);
    let chain = owes(owes(chain, 1, 7, A, (10, 20, 5)), 2, 7, B, (1, 2, 3));
    let all = |skipped: &[usize]| -> Vec<Row> {
        let rows = [
            (fees(1), 7, vec![(A, 10), (B, 20)]),
            (bribe(1), 7, vec![(A, 5)]),
            (fees(2), 7, vec![(A, 1), (B, 2)]),
            (bribe(2), 7, vec![(B, 3)]),
        ];
        let left = rows.into_iter().enumerate().filter(|(place, _)| !skipped.contains(place));
        left.map(|(_, row)| row).collect()
    };
    let cases = [
        (chain.clone().revert(NETWORK, fees(1), &rewardsListLengthCall {}), all(&[0])),
        (chain.clone().revert(NETWORK, bribe(1), &earnedCall { _0: A, _1: word(7) }), all(&[1])),
        (chain.clone().result(NETWORK, VOTER, &gaugesCall(pool(2)), ReadResult::Unavailable), all(&[2, 3])),
        (chain.clone().result(NETWORK, VOTER, &usedWeightsCall(word(7)), ReadResult::Unavailable), vec![]),
    ];
    for (broken, expected) in cases {
        let outcome = run(&broken);
        assert_eq!((outcome.end, rows(&outcome)), (End::Partial, expected), "{}", outcome.message);
    }
    let outcome = run(&chain.revert(NETWORK, fees(1), &earnedCall { _0: A, _1: word(7) }));
    assert_eq!((outcome.end, rows(&outcome)[0].clone()), (End::Partial, (fees(1), 7, vec![(B, 20)])));
}

#[test]
fn pools_without_contracts_of_votes_owe_nothing() {
    let chain =
        pays(votes(&[(7, &[1])]), 1, A).reply(NETWORK, VOTER, &gaugeToFeesCall(contract(0x6a, 1)), &Address::ZERO);
    let outcome = run(&owes(chain, 1, 7, A, (10, 20, 5)));
    assert_eq!((outcome.end, rows(&outcome)), (End::Complete, vec![(bribe(1), 7, vec![(A, 5)])]));
}

/// Makes the voter list pools 1 to `count`, none of which these locks ever voted for.
fn listed(chain: CannedReplies, count: u64, locks: &[u64]) -> CannedReplies {
    let chain = chain.reply(NETWORK, VOTER, &lengthCall {}, &word(count));
    (1..=count).fold(chain, |chain, n| {
        let chain = pays(chain, n, B).reply(NETWORK, VOTER, &poolsCall(word(n - 1)), &pool(n));
        locks
            .iter()
            .fold(chain, |chain, lock| chain.reply(NETWORK, fees(n), &numCheckpointsCall(word(*lock)), &U256::ZERO))
    })
}

/// Runs a job that knows that none of the voter's gauges has stakes.
fn run_listed(count: u64, chain: impl Replies) -> Outcome {
    let gauges: Vec<(Address, Address, bool)> = (1..=count).map(|n| (pool(n), Address::ZERO, false)).collect();
    let job = JobTest::new("velo", NETWORK, Question::CLAIMABLES, ACCOUNT).facts("main", "gauges", &gauges);
    job.run::<Velo>(chain)
}

#[test]
fn what_votes_earned_is_found_where_they_have_moved_or_ended() {
    // Lock 7 still votes for pool 1, lock 8 has moved its vote from there to pool 3, lock 9 has withdrawn it.
    let chain = listed(votes(&[(7, &[1]), (8, &[3]), (9, &[])]), 3, &[7, 8, 9]);
    let voted = [(1, 7), (1, 8), (3, 8), (1, 9)];
    let chain = voted
        .into_iter()
        .fold(chain, |chain, (n, lock)| chain.reply(NETWORK, fees(n), &numCheckpointsCall(word(lock)), &word(2)));
    let chain = [7, 8, 9].into_iter().fold(chain, |chain, lock| owes(chain, 1, lock, B, (10, 0, lock)));
    let chain = owes(chain, 3, 8, B, (0, 0, 0));
    let outcome = run_listed(3, &chain);
    let expected: Vec<Row> = [7, 8, 9]
        .into_iter()
        .flat_map(|lock| [(fees(1), lock, vec![(A, 10)]), (bribe(1), lock, vec![(B, lock)])])
        .collect();
    assert_eq!((outcome.end, rows(&outcome)), (End::Complete, expected), "{}", outcome.message);
    let known: Vec<(Address, Address)> = outcome.facts("main", "votes");
    assert_eq!(known, [1, 2, 3].map(|n| (pool(n), fees(n))), "walked once");

    // If checkpoints cannot be read, that is reported, and current votes still count.
    let broken = (1..=3).flat_map(|n| [7, 8, 9].map(|lock| (n, lock))).fold(chain, |chain, (n, lock)| {
        chain.result(NETWORK, fees(n), &numCheckpointsCall(word(lock)), ReadResult::Unavailable)
    });
    let outcome = run_listed(3, &broken);
    let now: Vec<Row> = vec![(fees(1), 7, vec![(A, 10)]), (bribe(1), 7, vec![(B, 7)])];
    assert_eq!((outcome.end, rows(&outcome)), (End::Partial, now), "{}", outcome.message);
    assert!(outcome.message.contains("votes that have moved or ended"), "{}", outcome.message);
}

#[test]
fn contracts_without_checkpoints_are_asked_for_every_token() {
    let chain = listed(votes(&[(9, &[])]), 2, &[]);
    let chain = (1..=2).fold(chain, |chain, n| chain.revert(NETWORK, fees(n), &numCheckpointsCall(word(9))));
    let chain = owes(owes(chain, 1, 9, B, (0, 0, 0)), 2, 9, B, (0, 5, 6));
    let outcome = run_listed(2, &chain);
    let expected: Vec<Row> = vec![(fees(2), 9, vec![(B, 5)]), (bribe(2), 9, vec![(B, 6)])];
    assert_eq!((outcome.end, rows(&outcome)), (End::Complete, expected), "{}", outcome.message);
}

#[test]
fn locks_and_pools_beyond_what_a_job_can_read_are_reported() {
    // 500 pools and 81 locks: 80 of these fit in 40,000 pairs, and no contract has checkpoints.
    let pools = 500;
    let chain = |request: &ReadRequest| match request.data.first_chunk::<4>().copied().unwrap_or_default() {
        balanceOfCall::SELECTOR => ReadResult::Ok(word(81).abi_encode().into()),
        ownerToNFTokenIdListCall::SELECTOR => ReadResult::Ok(Bytes::copy_from_slice(&request.data[36..])),
        lengthCall::SELECTOR => ReadResult::Ok(word(pools).abi_encode().into()),
        gaugesCall::SELECTOR | gaugeToFeesCall::SELECTOR => ReadResult::Ok(Bytes::copy_from_slice(&request.data[4..])),
        numCheckpointsCall::SELECTOR => ReadResult::Reverted(Bytes::new()),
        _ => ReadResult::Ok(U256::ZERO.abi_encode().into()),
    };
    let known: Vec<(Address, Address)> = (1..=pools).map(|n| (pool(n), fees(n))).collect();
    let gauges: Vec<(Address, Address, bool)> = (1..=pools).map(|n| (pool(n), Address::ZERO, false)).collect();
    let job = JobTest::new("velo", NETWORK, Question::CLAIMABLES, ACCOUNT);
    let outcome = job.facts("main", "gauges", &gauges).facts("main", "votes", &known).run::<Velo>(chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0), "{}", outcome.message);
    for message in [
        "main: votes that have moved or ended are looked for by 80 of 81 locks",
        "main: votes that have moved or ended are read of 1000 of 40000 pools without checkpoints",
    ] {
        assert!(outcome.not_covered.iter().any(|why| why == message), "{:?}", outcome.not_covered);
    }
}

#[test]
fn locks_and_pools_beyond_the_bounds_are_reported_and_not_read() {
    let chain = |request: &ReadRequest| match request.data.first_chunk::<4>().copied().unwrap_or_default() {
        balanceOfCall::SELECTOR => ReadResult::Ok(word(101).abi_encode().into()),
        ownerToNFTokenIdListCall::SELECTOR => ReadResult::Ok(Bytes::copy_from_slice(&request.data[36..])),
        usedWeightsCall::SELECTOR => ReadResult::Ok(U256::from(request.data[35] == 0).abi_encode().into()),
        poolVoteCall::SELECTOR => ReadResult::Ok(pool(1).abi_encode().into()),
        _ => ReadResult::Ok(U256::ZERO.abi_encode().into()),
    };
    let outcome = run(chain);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 0));
    assert_eq!(outcome.batches[..4], [2, 101, 202, 40], "{:?}", outcome.batches);
    for message in ["main: votes of 100 of 101 locks are read", "main: 40 pools of lock 0 are read"] {
        assert!(outcome.not_covered.iter().any(|why| why == message), "{:?}", outcome.not_covered);
    }
}
