//! How an endpoint takes many reads at once: the best batch method is found where a node hides or breaks what better
//! ones need, and what a read comes to is the same with all of them.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::test_reader::{AMPLE, TestReader};
use alloy::primitives::{Address, Bytes, U256};
use portolan_reader::{BatchMethod, Block, Kind, Outcome, Read, ReadSet};
use portolan_tests::bytecode::{
    self, BOMB, BURNER, CLOCK, COSTLY, COUNTER, Contract, ECHO, HALTER, LONG, NOBODY, QUITTER, REENTRANT, REVERTER,
    SENDER, SWALLOWER, THIEF, WEALTH_WEI, WEALTHY,
};
use portolan_tests::chain::Chain;
use portolan_tests::rpc_fault::{Flaws, Gas, Hashes, Overrides, RpcFault, Way};
use portolan_tests::world::Shared;
use serde_json::json;
use tokio::time::Instant;

/// Whoever sends a call that names nobody: <https://www.multicall3.com>.
const MULTICALL3: &str = "0xcA11bde05977b3631167028862bE2a173976CA11";

static CHAIN: Shared<Chain> = Shared::new();

fn chain() -> Arc<Chain> {
    let start = || {
        let chain = Chain::start("ethereum")?;
        bytecode::place(&chain)?;
        Ok(chain)
    };
    CHAIN.get(start).unwrap()
}

/// Returns kinds of nodes, each with the batch method that is the best for it.
fn nodes() -> Vec<(Flaws, BatchMethod)> {
    let truthful = Flaws::default();
    let ignores = Flaws { overrides: Overrides::Ignored, ..Flaws::default() };
    let refuses = Flaws { overrides: Overrides::Refused, ..Flaws::default() };
    let hides = |flaws: &Flaws| Flaws { hides_multicall: true, ..flaws.clone() };
    let blind = |flaws: &Flaws, hashes| Flaws { hashes, ..flaws.clone() };
    vec![
        (truthful.clone(), BatchMethod::Override),
        (hides(&truthful), BatchMethod::Override),
        (blind(&truthful, Hashes::UnknownAnswered), BatchMethod::Override),
        (blind(&truthful, Hashes::Ignored), BatchMethod::Override),
        (blind(&truthful, Hashes::Refused), BatchMethod::Override),
        (Flaws { gas: Gas::Refused(10_000_000), ..truthful.clone() }, BatchMethod::Override),
        (Flaws { gas: Gas::Lowered(10_000_000), ..truthful.clone() }, BatchMethod::Override),
        (Flaws { request_max_bytes: Some(80_000), ..truthful }, BatchMethod::Override),
        (ignores.clone(), BatchMethod::Multicall3),
        (refuses.clone(), BatchMethod::Multicall3),
        (blind(&ignores, Hashes::UnknownAnswered), BatchMethod::Multicall3),
        (blind(&refuses, Hashes::Ignored), BatchMethod::Multicall3),
        (blind(&refuses, Hashes::Refused), BatchMethod::Multicall3),
        (Flaws { gas: Gas::Refused(10_000_000), ..ignores.clone() }, BatchMethod::Multicall3),
        (hides(&ignores), BatchMethod::Single),
        (hides(&refuses), BatchMethod::Single),
        (blind(&hides(&refuses), Hashes::Ignored), BatchMethod::Single),
        (blind(&hides(&refuses), Hashes::Refused), BatchMethod::Single),
    ]
}

/// A node with each batch method.
fn one_with_each_batch_method() -> [Flaws; 3] {
    let ignores = Flaws { overrides: Overrides::Ignored, ..Flaws::default() };
    let hides = Flaws { hides_multicall: true, ..ignores.clone() };
    [Flaws::default(), ignores, hides]
}

fn at(address: &str) -> Address {
    address.parse().unwrap()
}

fn call(contract: Contract, data: impl Into<Bytes>) -> Read {
    Read::call(at(contract.address), data)
}

fn isolated(read: Read) -> Read {
    Read { isolated: true, ..read }
}

fn capped(gas_cap: u32, read: Read) -> Read {
    Read { gas_cap: Some(gas_cap), ..read }
}

fn from(sender: &str, read: Read) -> Read {
    Read { from: Some(at(sender)), ..read }
}

fn balance(of: &str) -> Read {
    Read { kind: Kind::NativeBalance, ..Read::call(at(of), Bytes::new()) }
}

fn code_size(of: &str) -> Read {
    Read { kind: Kind::CodeSize, ..Read::call(at(of), Bytes::new()) }
}

fn word(value: u128) -> Vec<u8> {
    U256::from(value).to_be_bytes_vec()
}

fn ok(data: impl Into<Bytes>) -> Outcome {
    Outcome::Ok(data.into())
}

fn reverted(data: impl Into<Bytes>) -> Outcome {
    Outcome::Reverted(data.into())
}

fn sender(address: &str) -> Outcome {
    ok(at(address).into_word().to_vec())
}

/// Returned as it was given: an answer of any form.
fn forms() -> Vec<Vec<u8>> {
    let words: Vec<Vec<u8>> = vec![word(0), word(u128::MAX), vec![0xff; 32], word(1)];
    vec![
        word(7),
        word(0),
        vec![0xff; 32],
        [vec![0x80], vec![0; 31]].concat(),
        words.concat(),
        words.concat().repeat(10),
        vec![0; 64],
        vec![0],
        vec![0; 31],
        [word(3), vec![0]].concat(),
        (0..=255).cycle().take(33_333).collect(),
    ]
}

/// Reads of every kind, and what each comes to by what stands in the contracts.
fn every_outcome(block: &Block, flaws: &Flaws) -> Vec<(Read, Outcome)> {
    let echoes = forms().into_iter().map(|form| (call(ECHO, form.clone()), ok(form)));
    let isolated_echoes = forms().into_iter().map(|form| (isolated(call(ECHO, form.clone())), ok(form)));
    let clock = [word(u128::from(block.evm_number)), word(u128::from(block.timestamp))].concat();
    let identity = Address::with_last_byte(4);
    let code_bytes = |contract: Contract| u128::try_from(contract.code.len() / 2 - 1).unwrap();
    // The address at which the packed program runs, as the chain has it.
    let time_of = Read::call(at(MULTICALL3), [0x0f, 0x28, 0xc9, 0x7d]);
    let (time, size) = match flaws.hides_multicall {
        false => (ok(word(u128::from(block.timestamp))), multicall3_bytes()),
        true => (Outcome::NoCode, 0),
    };
    let mut all: Vec<(Read, Outcome)> = echoes.chain(isolated_echoes).collect();
    all.extend([
        (time_of.clone(), time.clone()),
        (isolated(time_of), time),
        (code_size(MULTICALL3), ok(word(size))),
        (call(ECHO, []), ok([])),
        (call(REVERTER, [0xde, 0xad, 0xbe, 0xef]), reverted([0xde, 0xad, 0xbe, 0xef])),
        (call(REVERTER, word(5)), reverted(word(5))),
        (call(REVERTER, vec![9; 5_000]), reverted(vec![9; 5_000])),
        (call(REVERTER, []), reverted([])),
        (Read::call(at(NOBODY), word(1)), Outcome::NoCode),
        (Read::call(at(NOBODY), []), Outcome::NoCode),
        (Read::call(identity, [1, 2, 3]), ok([1, 2, 3])),
        (call(BURNER, []), Outcome::GasCap),
        (call(HALTER, []), reverted([])),
        (call(SWALLOWER, []), ok(word(0))),
        (call(COSTLY, []), ok(word(1))),
        (capped(900_000, call(COSTLY, [])), Outcome::GasCap),
        (capped(1_100_000, call(COSTLY, [])), ok(word(1))),
        (capped(100_000, call(ECHO, word(8))), ok(word(8))),
        (capped(100_000, call(HALTER, [])), Outcome::GasCap),
        (capped(100_000, call(REVERTER, [1])), reverted([1])),
        (call(LONG, []), ok(vec![0; 100_000])),
        (call(SENDER, []), sender(MULTICALL3)),
        (from(WEALTHY, call(SENDER, [])), sender(WEALTHY)),
        (call(CLOCK, []), ok(clock.clone())),
        (call(COUNTER, [0]), ok(word(0))),
        (isolated(call(COUNTER, [1])), ok(word(100))),
        (isolated(from(WEALTHY, call(COUNTER, [1, 1]))), ok(word(100))),
        (isolated(call(SENDER, [])), sender(MULTICALL3)),
        (isolated(call(CLOCK, [])), ok(clock)),
        (isolated(call(ECHO, [])), ok([])),
        (isolated(call(REVERTER, [0xbe, 0xef])), reverted([0xbe, 0xef])),
        (isolated(call(REVERTER, [])), reverted([])),
        (isolated(Read::call(at(NOBODY), word(2))), Outcome::NoCode),
        (isolated(call(BURNER, [])), Outcome::GasCap),
        (isolated(call(HALTER, [])), reverted([])),
        (isolated(capped(900_000, call(COSTLY, []))), Outcome::GasCap),
        (isolated(capped(1_100_000, call(COSTLY, []))), ok(word(1))),
        (balance(WEALTHY), ok(word(WEALTH_WEI))),
        (balance(NOBODY), ok(word(0))),
        (code_size(ECHO.address), ok(word(code_bytes(ECHO)))),
        (code_size(COUNTER.address), ok(word(code_bytes(COUNTER)))),
        (code_size(NOBODY), ok(word(0))),
    ]);
    all
}

/// The length of its code as the chain has it, whatever a call puts in its place.
fn multicall3_bytes() -> u128 {
    let code = chain().rpc("eth_getCode", json!([MULTICALL3, "latest"])).unwrap();
    u128::try_from(code.as_str().unwrap().len() / 2 - 1).unwrap()
}

#[test]
fn each_node_is_read_by_its_best_batch_method_and_the_answers_are_the_same_on_all() {
    let chain = chain();
    for (flaws, expected_method) in nodes() {
        let rpc = RpcFault::before(&chain.url).unwrap();
        rpc.flawed(flaws.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        let (reads, expected): (Vec<_>, Vec<_>) = every_outcome(&block, &flaws).into_iter().unzip();
        let outcomes = reader.read(block, &reads);
        for ((read, outcome), expected) in reads.iter().zip(&outcomes).zip(&expected) {
            assert_eq!(shown(outcome), shown(expected), "{} with {flaws:?}", shown(read));
        }
        assert_eq!(reader.batch_method(), Some(expected_method), "{flaws:?}");
        // The method that was found is remembered: nothing reads by another method any more.
        let before = [Way::Override, Way::Multicall3].map(|way| rpc.calls(way));
        let more: Vec<Read> = (0..50).map(|number| call(ECHO, word(1_000 + number))).collect();
        let reported: Vec<Outcome> = (0..50).map(|number| ok(word(1_000 + number))).collect();
        assert_eq!(reader.read(block, &more), reported, "{flaws:?}");
        let [packed, shared] = [Way::Override, Way::Multicall3].map(|way| rpc.calls(way));
        assert_eq!(
            (packed > before[0], shared > before[1]),
            match expected_method {
                BatchMethod::Override => (true, false),
                BatchMethod::Multicall3 => (false, true),
                BatchMethod::Single => (false, false),
            },
            "{flaws:?}"
        );
    }
}

#[test]
fn balances_are_the_same_on_every_rung() {
    let chain = chain();
    let account: Address = at("0x00112233445566778899aabbccddeeff01234567");
    // The balance that each returns for anyone: `None` if it fails to.
    let echo_balance: [u8; 32] = [&[0x70, 0xa0, 0x82, 0x31][..], &[0; 12], &account[..16]].concat().try_into().unwrap();
    let sender_balance = U256::from_be_bytes(at(MULTICALL3).into_word().0);
    for (flaws, _) in nodes() {
        let rpc = RpcFault::before(&chain.url).unwrap();
        rpc.flawed(flaws.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        let tokens = [
            (LONG, Some(U256::ZERO)),
            (ECHO, Some(U256::from_be_bytes(echo_balance))),
            (REVERTER, None),
            (LONG, Some(U256::ZERO)),
            (CLOCK, Some(U256::from(block.evm_number))),
            (BURNER, None),
            (HALTER, None),
            (COSTLY, Some(U256::from(1))),
            (SENDER, Some(sender_balance)),
            (LONG, Some(U256::ZERO)),
        ];
        let addresses: Vec<Address> = tokens.iter().map(|(token, _)| at(token.address)).chain([at(NOBODY)]).collect();
        let balance_of = [&[0x70, 0xa0, 0x82, 0x31][..], account.into_word().as_slice()].concat();
        let reads = ReadSet::of_each(addresses, Read::call(Address::ZERO, balance_of));
        let session = reader.session(block, Instant::now() + AMPLE);
        let replies = reader.runtime.block_on(session.read_set(reads));
        let (mut held, mut failed) = (Vec::new(), BTreeSet::new());
        for (place, outcome) in replies.besides_zeros() {
            match outcome {
                Outcome::Ok(bytes) => held.push((place, U256::from_be_slice(&bytes[..32]))),
                _ => drop(failed.insert(place)),
            }
        }
        held.retain(|(_, balance)| !balance.is_zero());
        let balances = tokens.iter().enumerate();
        let expected = balances.filter_map(|(place, (_, balance))| balance.map(|balance| (place, balance)));
        assert_eq!(held, expected.filter(|(_, balance)| !balance.is_zero()).collect::<Vec<_>>(), "{flaws:?}");
        assert_eq!(failed, BTreeSet::from([2, 5, 6, 10]), "{flaws:?}");
    }
}

/// Long ones cut, so that a failure can be read.
fn shown(value: &impl std::fmt::Debug) -> String {
    let text = format!("{value:?}");
    format!("{:.300} ({} characters)", text, text.len())
}

#[test]
fn a_read_alone_comes_to_the_same_as_among_others() {
    let chain = chain();
    for flaws in one_with_each_batch_method() {
        let rpc = RpcFault::before(&chain.url).unwrap();
        rpc.flawed(flaws.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        for (read, expected) in every_outcome(&block, &flaws) {
            let outcomes = reader.read(block, std::slice::from_ref(&read));
            assert_eq!(shown(&outcomes), shown(&[expected]), "{} with {flaws:?}", shown(&read));
        }
    }
}

#[test]
fn isolated_reads_that_write_are_not_seen_by_their_neighbours_on_any_rung() {
    let chain = chain();
    let get = call(COUNTER, [0]);
    let claimable = isolated(call(COUNTER, [1]));
    let table = [get.clone(), claimable.clone(), get.clone(), claimable, get];
    for flaws in one_with_each_batch_method() {
        let rpc = RpcFault::before(&chain.url).unwrap();
        rpc.flawed(flaws.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        let expected = [0, 100, 0, 100, 0].map(|value| ok(word(value)));
        assert_eq!(reader.read(block, &table), expected, "{flaws:?}");
        // Equal reads may be made once; these five all differ in their calldata.
        let differing: Vec<Read> = table
            .iter()
            .zip(0..)
            .map(|(read, tail)| Read { data: [&read.data[..], &[tail]].concat().into(), ..read.clone() })
            .collect();
        assert_eq!(reader.read(block, &differing), expected, "{flaws:?}");
    }
}

/// Calldata of the packed program: one frame that calls the counter with 50,000 gas.
fn frame() -> Vec<u8> {
    [&[1, 0, 0, 0xc3, 0x50][..], at(COUNTER.address).as_slice(), &[1]].concat()
}

/// Calldata of the packed program: one static call, and one isolated call, of the counter.
fn records() -> Vec<u8> {
    let head = [0, 0, 0, 0xc3, 0x50, 0, 0, 1];
    let to = at(COUNTER.address);
    [&head[..], &[0], to.as_slice(), &[0, 1, 0], &[1], to.as_slice(), &[0, 1, 1]].concat()
}

#[test]
fn a_hostile_isolated_read_changes_nothing_for_its_neighbours_on_any_rung() {
    let chain = chain();
    // The outcome of each may differ by method; that of a victim beside it may not.
    let hostile: [(Read, Option<Outcome>); 9] = [
        (call(THIEF, []), Some(ok(word(100)))),
        (call(REENTRANT, frame()), Some(ok(word(7)))),
        (call(REENTRANT, records()), Some(ok(word(7)))),
        (call(REENTRANT, []), Some(ok(word(7)))),
        (call(BOMB, []), None),
        (call(BURNER, []), Some(Outcome::GasCap)),
        (call(HALTER, []), Some(reverted([]))),
        (call(QUITTER, []), Some(ok([]))),
        (call(COUNTER, [2]), Some(ok(word(100)))),
    ];
    for flaws in one_with_each_batch_method() {
        let rpc = RpcFault::before(&chain.url).unwrap();
        rpc.flawed(flaws.clone());
        let reader = TestReader::behind(&[&rpc]);
        let block = reader.pin().unwrap();
        for (place, (read, expected)) in (0..).zip(&hostile) {
            // Distinct calldata, so that no victim is answered from before.
            let get = |tail: u8| call(COUNTER, [0, place, tail]);
            let costly = call(COSTLY, [place]);
            let outcomes = reader.read(block, &[get(0), isolated(read.clone()), get(1), costly, isolated(get(2))]);
            let victims = [0, 2, 3, 4].map(|place: usize| outcomes[place].clone());
            let reported = [word(0), word(0), word(1), word(0)].map(ok);
            assert_eq!(
                victims.map(|outcome| shown(&outcome)),
                reported.map(|outcome| shown(&outcome)),
                "beside {} with {flaws:?}",
                shown(read)
            );
            if let Some(expected) = expected {
                assert_eq!(shown(&outcomes[1]), shown(expected), "{} with {flaws:?}", shown(read));
            }
        }
    }
}
