//! Reads arrive as requested, and outcomes come back as values or errors.

use portolan_abi::row::{freshness, kind, mode};
use portolan_plugin_api::testing::{CannedReplies, End, ReadRequest, ReadResult};
use portolan_plugin_api::{Address, B256, Block, Bytes, Claimable, Error, JobContext, Revert, SolCall, U256, sol};

use crate::scenario::{
    ACCOUNT, NETWORK, Play, TARGET, case, contract, found, found_all, numbers, play, scenario, valueCall, word,
};

const OTHER: u64 = 42161;
const SENDER: Address = Address::repeat_byte(0x33);

fn query(of: u64) -> valueCall {
    valueCall { of: U256::from(of) }
}

scenario!(EveryWay, |cx| {
    let reads = [
        cx.call(TARGET, query(0)),
        cx.call(TARGET, query(1)).immutable(),
        cx.call(TARGET, query(2)).within(3_600),
        cx.call(TARGET, query(3)).zero_within(60),
        cx.call(TARGET, query(4)).isolated(),
        cx.call(TARGET, query(5)).from(SENDER),
        cx.call(TARGET, query(6)).gas_cap(500_000),
        cx.call(TARGET, query(7)).on(OTHER),
        cx.call(TARGET, query(8)).isolated().from(SENDER).gas_cap(7).on(OTHER).zero_within(9),
    ];
    let values = cx.join(reads).await?;
    let words = cx.join([cx.native_balance(ACCOUNT), cx.code_size(TARGET), cx.native_balance(ACCOUNT).on(OTHER)]);
    Ok(found_all(values.into_iter().chain(words.await?)))
});

#[test]
fn a_read_arrives_as_it_was_made() {
    let mut seen: Vec<ReadRequest> = Vec::new();
    let outcome = case().run::<Play<EveryWay>>(|request: &ReadRequest| {
        seen.push(request.clone());
        if request.kind == kind::CALL { contract(request) } else { word(request.network) }
    });
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(outcome.batches, [9, 3]);
    assert_eq!(numbers(&outcome), [1, 3, 5, 7, 9, 11, 13, 15, 17, NETWORK, NETWORK, OTHER]);

    let plain = |of: u64| ReadRequest {
        network: NETWORK,
        kind: kind::CALL,
        mode: mode::STATIC,
        freshness: freshness::PINNED,
        purpose: 0,
        freshness_s: 0,
        gas_cap: 0,
        from: None,
        to: TARGET,
        data: query(of).abi_encode().into(),
        function: None,
    };
    let of_account = |kind, to| ReadRequest { kind, to, data: Bytes::new(), ..plain(0) };
    let expected = [
        plain(0),
        ReadRequest { freshness: freshness::IMMUTABLE, ..plain(1) },
        ReadRequest { freshness: freshness::WITHIN, freshness_s: 3_600, ..plain(2) },
        ReadRequest { freshness: freshness::ZERO_WITHIN, freshness_s: 60, ..plain(3) },
        ReadRequest { mode: mode::ISOLATED, ..plain(4) },
        ReadRequest { from: Some(SENDER), ..plain(5) },
        ReadRequest { gas_cap: 500_000, ..plain(6) },
        ReadRequest { network: OTHER, ..plain(7) },
        ReadRequest {
            mode: mode::ISOLATED,
            from: Some(SENDER),
            gas_cap: 7,
            network: OTHER,
            freshness: freshness::ZERO_WITHIN,
            freshness_s: 9,
            ..plain(8)
        },
        of_account(kind::NATIVE_BALANCE, ACCOUNT),
        of_account(kind::CODE_SIZE, TARGET),
        ReadRequest { network: OTHER, ..of_account(kind::NATIVE_BALANCE, ACCOUNT) },
    ];
    assert_eq!(seen, expected);
}

#[test]
fn calldata_is_the_selector_and_the_arguments() {
    // The selector of value(uint256), by keccak-256 of the signature, and 258 as a word.
    let data = query(258).abi_encode();
    assert_eq!(data.len(), 4 + 32);
    assert_eq!(data[..4], alloy::primitives::keccak256(b"value(uint256)")[..4]);
    assert_eq!(data[34..], [1, 2]);
}

/// Converts an outcome to a number: 0 for a value, otherwise the kind of revert.
fn kind_of(outcome: Result<U256, Revert>) -> u64 {
    match outcome {
        Ok(_) => 0,
        Err(Revert::Data(data)) => 100 + data.len() as u64,
        Err(Revert::NoCode) => 2,
        Err(Revert::Gas) => 3,
        Err(Revert::Undecodable(bytes)) => 400 + bytes as u64,
        Err(other) => panic!("{other:?}"),
    }
}

async fn tried(cx: &JobContext) -> Result<Vec<Claimable>, Error> {
    let outcome = cx.try_call(TARGET, query(1)).await?;
    Ok(vec![found(U256::from(kind_of(outcome)))])
}

scenario!(Tried, |cx| { tried(cx).await });
scenario!(Called, |cx| { cx.call(TARGET, query(1)).await.map(|answer| vec![found(answer)]) });
scenario!(Balance, |cx| { cx.native_balance(ACCOUNT).await.map(|answer| vec![found(answer)]) });

fn bytes(len: usize) -> Bytes {
    vec![0xee; len].into()
}

/// `Error("paused")`, as Solidity encodes it.
fn paused() -> Bytes {
    let words = [U256::from(32), U256::from(6), U256::from_be_slice(b"paused") << (8 * 26)];
    [&[0x08, 0xc3, 0x79, 0xa0][..], &words.map(|word| word.to_be_bytes::<32>()).concat()].concat().into()
}

const NO_DATA: &str =
    "reverted without data, as where the contract has no such function: check it in the contract's ABI";

#[test]
fn what_a_contract_does_instead_of_answering_is_a_value_of_try_call() {
    let cases = [
        (word(5), 0),
        (ReadResult::Reverted(bytes(0)), 100),
        (ReadResult::Reverted(bytes(68)), 168),
        (ReadResult::NoCode, 2),
        (ReadResult::GasCap, 3),
        (ReadResult::Ok(bytes(0)), 400),
        (ReadResult::Ok(bytes(31)), 431),
    ];
    for (answer, expected) in cases {
        let outcome = case().run::<Play<Tried>>(|_: &ReadRequest| answer.clone());
        assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![expected]), "{answer:?}");
    }
}

#[test]
fn what_a_contract_does_instead_of_answering_is_an_error_of_call() {
    let cases = [
        (ReadResult::Reverted(bytes(0)), NO_DATA),
        (ReadResult::Reverted(bytes(3)), "reverted with 3 bytes"),
        (ReadResult::Reverted(bytes(68)), "reverted with the error 0xeeeeeeee and 64 bytes"),
        (ReadResult::Reverted(paused()), "reverted: \"paused\""),
        (ReadResult::NoCode, "no contract there: check the address, and that it is on this network"),
        (ReadResult::GasCap, "used up its gas"),
        (
            ReadResult::Ok(bytes(31)),
            "answered 31 bytes that are not what the function returns: check its return types in the contract's ABI",
        ),
    ];
    for (answer, why) in cases {
        let outcome = case().run::<Play<Called>>(|_: &ReadRequest| answer.clone());
        let told = format!("value(uint256) of {TARGET}: {why}");
        assert_eq!((outcome.end, outcome.message), (End::Failed, told), "{answer:?}");
    }
}

#[test]
fn a_read_that_was_not_made_is_an_error_of_try_call_too() {
    let cases = [
        (ReadResult::Unavailable, "no endpoint answered in time"),
        (
            ReadResult::OverBudget,
            "the job's budget of reads is used up: read less for one account, or lists that only grow as facts",
        ),
        (ReadResult::Unsupported, "this host does not make such a read"),
    ];
    for (answer, why) in cases {
        let told = format!("value(uint256) of {TARGET}: {why}");
        let tried = case().run::<Play<Tried>>(|_: &ReadRequest| answer.clone());
        assert_eq!((tried.end, &tried.message), (End::Failed, &told), "{answer:?}");
        let called = case().run::<Play<Called>>(|_: &ReadRequest| answer.clone());
        assert_eq!((called.end, &called.message), (End::Failed, &told), "{answer:?}");
        let balance = case().run::<Play<Balance>>(|_: &ReadRequest| answer.clone());
        assert_eq!((balance.end, balance.message), (End::Failed, format!("{ACCOUNT}: {why}")), "{answer:?}");
    }
}

#[test]
fn a_balance_is_a_word_of_32_bytes_and_nothing_else() {
    let balance = |answer: ReadResult| case().run::<Play<Balance>>(move |_: &ReadRequest| answer.clone());
    assert_eq!(numbers(&balance(word(7))), [7]);
    for wrong in [ReadResult::Ok(bytes(0)), ReadResult::Ok(bytes(31)), ReadResult::Ok(bytes(33)), ReadResult::NoCode] {
        let outcome = balance(wrong.clone());
        assert_eq!(outcome.end, End::Failed, "{wrong:?}");
        assert!(outcome.message.ends_with("the host answered something unknown"), "{}", outcome.message);
    }
}

sol! {
    function lists() external view returns (uint256[][][] memory);
    function text() external view returns (string memory);
}

scenario!(Lists, |cx| {
    let lists = cx.try_call(TARGET, listsCall {}).await?;
    let text = cx.try_call(TARGET, textCall {}).await?;
    Ok(found_all([lists.is_err(), text.is_err()].map(U256::from)))
});

/// Words of an ABI encoding.
fn words(words: &[u64]) -> Bytes {
    words.iter().flat_map(|word| U256::from(*word).to_be_bytes::<32>()).collect::<Vec<_>>().into()
}

#[test]
fn replies_whose_lengths_lie_are_undecodable_at_once() {
    let hostile = [
        ("an array of 2^63", words(&[0x20, 1 << 63])),
        ("an array of 2^32 in nothing", words(&[0x20, 1 << 32, 0, 0])),
        ("an offset beyond the end", words(&[1 << 40, 1])),
        ("all bits", vec![0xff; 4_096].into()),
    ];
    for (what, reply) in hostile {
        let outcome = case().run::<Play<Lists>>(|_: &ReadRequest| ReadResult::Ok(reply.clone()));
        assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![1, 1]), "{what}");
    }
}

/// `outer` arrays that are all the same array of `inner` arrays, which are all the same array of `leaves` words.
fn shared_lists(outer: u64, inner: u64, leaves: u64) -> Bytes {
    let array = |count: u64, at: u64| [vec![count], (0..count).map(|_| at).collect()].concat();
    let parts = [vec![0x20], array(outer, 32 * outer), array(inner, 32 * inner), array(leaves, 7)];
    words(&parts.concat())
}

#[test]
fn a_reply_that_is_small_as_bytes_and_huge_as_a_value_is_undecodable() {
    let decodes = |reply: Bytes| {
        let outcome = case().run::<Play<Lists>>(|_: &ReadRequest| ReadResult::Ok(reply.clone()));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        numbers(&outcome)[0] == 0
    };
    // 6 words unshared, and 50 in total: a little sharing is accepted.
    assert!(decodes(shared_lists(1, 1, 1)));
    assert!(decodes(shared_lists(2, 5, 5)));
    // 64 KiB of reply are 300 million words.
    assert!(!decodes(shared_lists(670, 670, 670)));
    assert!(!decodes(shared_lists(100, 100, 100)));
}

sol! {
    struct Pool { address token; string name; uint256[] rewards; bool open; }
    function pools() external view returns (Pool[] memory);
}

scenario!(Pools, |cx| { cx.call(TARGET, poolsCall {}).await.map(|pools| vec![found(U256::from(pools.len()))]) });

#[test]
fn a_long_honest_list_decodes() {
    let pool = Pool { token: TARGET, name: String::new(), rewards: Vec::new(), open: true };
    let named = Pool { name: "USDC/WETH".to_owned(), rewards: vec![U256::MAX; 3], ..pool.clone() };
    for pools in [vec![pool; 5_000], vec![named; 5_000]] {
        let reply: Bytes = poolsCall::abi_encode_returns(&pools).into();
        let outcome = case().run::<Play<Pools>>(|_: &ReadRequest| ReadResult::Ok(reply.clone()));
        assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![5_000]), "{}", outcome.message);
    }
}

scenario!(Context, |cx| {
    let left = cx.budget();
    let at = cx.block();
    assert_eq!((cx.protocol(), cx.network()), ("acme", NETWORK));
    assert_eq!((at.number, at.hash, at.timestamp, at.evm_number), (1, B256::repeat_byte(1), 1_700_000_000, 1));
    assert_eq!(cx.block_on(OTHER).map(|block| block.number), Some(99));
    assert_eq!(cx.block_on(1), None);
    Ok(found_all([left.ms, left.reads, left.bytes].map(U256::from)))
});

#[test]
fn a_job_sees_its_question_its_blocks_and_what_is_left() {
    let pinned = Block { number: 99, hash: B256::ZERO, timestamp: 1, evm_number: 1 };
    let outcome = case().pin(OTHER, pinned).run::<Play<Context>>(contract);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(numbers(&outcome), [5_000, 120_000, 16 << 20]);
}

scenario!(CannedReads, |cx| {
    let here = cx.call(TARGET, query(1)).await?;
    let there = cx.call(TARGET, query(1)).on(OTHER).await?;
    let balance = cx.native_balance(ACCOUNT).await?;
    let none = kind_of(cx.try_call(TARGET, query(3)).await?);
    let reverted = kind_of(cx.try_call(TARGET, query(2)).await?);
    Ok(found_all([here, there, balance, U256::from(none), U256::from(reverted)]))
});

#[test]
fn canned_replies_are_found_by_network_target_and_calldata() {
    let canned = CannedReplies::default()
        .reply(NETWORK, TARGET, &query(1), &U256::from(10))
        .reply(OTHER, TARGET, &query(1), &U256::from(20))
        .balance(NETWORK, ACCOUNT, U256::from(30))
        .revert(NETWORK, TARGET, &query(2));
    let outcome = case().run::<Play<CannedReads>>(&canned);
    assert_eq!((outcome.end, numbers(&outcome)), (End::Complete, vec![10, 20, 30, 2, 100]));
}

#[test]
fn the_same_job_reads_the_same_every_time() {
    assert_eq!(play::<Called>(), play::<Called>());
}

scenario!(Renamed, |cx| {
    let value = cx.call_as(TARGET, "amount", &query(4)).within(60).await?;
    let refused = cx.try_call_as(TARGET, "missing", &query(4)).await?;
    Ok(found_all([value, U256::from(u8::from(refused == Err(Revert::Data(Bytes::new()))))]))
});

sol! {
    function amount(uint256 of) external view returns (uint256);
}

#[test]
fn a_call_under_another_name_keeps_its_arguments_and_its_answer() {
    let amount = amountCall { of: U256::from(4) };
    let replies = |request: &ReadRequest| match request.data == amount.abi_encode() {
        true => {
            assert_eq!((request.freshness, request.freshness_s), (freshness::WITHIN, 60));
            word(9)
        }
        false => ReadResult::Reverted(Bytes::new()),
    };
    let outcome = case().run::<Play<Renamed>>(replies);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(numbers(&outcome), [9, 1]);
    let outcome = case().run::<Play<Renamed>>(|_: &ReadRequest| ReadResult::Unavailable);
    assert_eq!(outcome.message, format!("amount(uint256) of {TARGET}: no endpoint answered in time"));
}
