//! The reader's program on a real EVM: calldata and replies are written by hand here, after the Yul's own head.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use portolan_tests::bytecode::{
    BOMB, BURNER, COSTLY, COUNTER, Contract, ECHO, HALTER, LONG, NOBODY, QUITTER, REENTRANT, REVERTER, SENDER,
    SWALLOWER, THIEF, WEALTH_WEI, WEALTHY, place,
};
use portolan_tests::chain::{Chain, prepared};
use portolan_tests::world::Shared;
use serde_json::{Value, json};

/// Where the programs run: Multicall3's address.
const PROGRAM: &str = "0xca11bde05977b3631167028862be2a173976ca11";
const CAP: u32 = 1_000_000;
const GAS: u64 = 30_000_000;

/// The gas that it has: `MSTORE(0, GAS) RETURN(0, 32)`. `GAS` is its first instruction and costs two.
const METER: Contract =
    Contract { address: "0x00000000000000000000000000000000feed00a1", code: "0x5a60005260206000f3" };
/// A word of zero: `RETURN(0, 32)`.
const ZERO: Contract = Contract { address: "0x00000000000000000000000000000000feed00a2", code: "0x60206000f3" };

/// Kinds of records, and what they may share with the one before.
const STATIC: u8 = 0;
const ISOLATED: u8 = 1;
const BALANCE: u8 = 2;
const CODE_SIZE: u8 = 3;
const SAME_TARGET: u8 = 4;
const SAME_DATA: u8 = 8;
const OWN_CAP: u8 = 16;

/// Entries of replies.
const ZERO_WORD: &str = "0100";
const EMPTY: &str = "22000000";
const NO_CODE: &str = "24";
const CAPPED: &str = "25";
const TOO_LONG: &str = "26";

static CHAIN: Shared<Chain> = Shared::new();

fn chain() -> Arc<Chain> {
    let start = || {
        let chain = Chain::start("optimism")?;
        place(&chain)?;
        for Contract { address, code } in [METER, ZERO] {
            chain.rpc("anvil_setCode", json!([address, code]))?;
        }
        Ok(chain)
    };
    CHAIN.get(start).unwrap()
}

fn source(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../host/reader/src/methods/packed").join(file)
}

fn code() -> String {
    std::fs::read_to_string(source("call.hex")).unwrap()
}

/// A reply in parts; the entries in hex.
struct Reply {
    number: u64,
    timestamp: u64,
    gas_start: u64,
    gas_end: u64,
    done: usize,
    chain_id: u64,
    parent: String,
    entries: String,
}

fn run(chain: &Chain, calldata: &str, gas: u64, block: &Value) -> Reply {
    let call = json!({"from": PROGRAM, "to": PROGRAM, "data": format!("0x{calldata}"), "gas": format!("{gas:#x}")});
    let code = json!({PROGRAM: {"code": format!("0x{}", code())}});
    let reply = chain.rpc("eth_call", json!([call, block, code])).unwrap();
    let hex = reply.as_str().unwrap().strip_prefix("0x").unwrap();
    assert_eq!(&hex[..8], "50544e43", "{hex}");
    let number = |from: usize, to: usize| u64::from_str_radix(&hex[from * 2..to * 2], 16).unwrap();
    Reply {
        number: number(4, 9),
        timestamp: number(9, 14),
        gas_start: number(14, 19),
        gas_end: number(19, 24),
        done: usize::try_from(number(24, 27)).unwrap(),
        chain_id: number(27, 35),
        parent: format!("0x{}", &hex[70..134]),
        entries: hex[134..].to_owned(),
    }
}

fn request(records: &[String], cap: u32) -> String {
    let room = 0xffff; // The longest data that a record may have.
    format!("00{cap:08x}{room:012x}{}", records.concat())
}

fn fetch(chain: &Chain, records: &[String]) -> String {
    let reply = run(chain, &request(records, CAP), GAS, &json!("latest"));
    assert_eq!(reply.done, records.len());
    reply.entries
}

/// A record that shares nothing.
fn record(kind: u8, to: &str, data: &str) -> String {
    let flags = if kind == BALANCE || kind == CODE_SIZE { kind | SAME_DATA } else { kind };
    let data = if flags == kind { format!("{:04x}{data}", data.len() / 2) } else { String::new() };
    format!("{flags:02x}{}{data}", &to[2..])
}

/// The same, with a gas cap of its own.
fn capped(kind: u8, to: &str, cap: u32, data: &str) -> String {
    format!("{:02x}{}{cap:08x}{:04x}{data}", kind | OWN_CAP, &to[2..], data.len() / 2)
}

/// The common record: a new target, the data before.
fn again(to: &str) -> String {
    format!("{SAME_DATA:02x}{}", &to[2..])
}

/// The entry of one word.
fn word(value: u128) -> String {
    let digits = format!("{value:x}");
    let digits = if digits.len() % 2 == 0 { digits } else { format!("0{digits}") };
    format!("01{:02x}{digits}", digits.len() / 2)
}

#[test]
fn each_program_is_what_its_source_compiles_to() {
    let compiler = prepared().unwrap().join("soljson.cjs");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("chain/programs.mjs");
    for program in ["call", "../simulation/simulate", "../simulation/watch"] {
        let yul = source(&format!("{program}.yul"));
        let output = Command::new("node").arg(&script).arg(yul).arg(&compiler).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success() && errors.is_empty(), "{errors}");
        let code = std::fs::read_to_string(source(&format!("{program}.hex"))).unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), code);
    }
}

#[test]
fn a_reply_proves_its_chain_and_its_block() {
    let chain = chain();
    let chain_id = chain.rpc("eth_chainId", json!([])).unwrap();
    let latest = chain.rpc("eth_blockNumber", json!([])).unwrap();
    let latest = u64::from_str_radix(&latest.as_str().unwrap()[2..], 16).unwrap();
    for number in [latest, latest - 1, latest - 2] {
        let header = chain.rpc("eth_getBlockByNumber", json!([format!("{number:#x}"), false])).unwrap();
        let reply = run(&chain, &request(&[], CAP), GAS, &json!({"blockHash": header["hash"]}));
        assert_eq!(json!(format!("{:#x}", reply.chain_id)), chain_id);
        assert_eq!(reply.number, number);
        assert_eq!(json!(format!("{:#x}", reply.timestamp)), header["timestamp"]);
        assert_eq!(json!(reply.parent), header["parentHash"]);
        assert!(reply.gas_end < reply.gas_start && reply.gas_start < GAS);
        assert_eq!((reply.done, reply.entries.as_str()), (0, ""));
    }
}

/// The five reads of the isolation table: `get, claimable, get, claimable, get`.
#[test]
fn no_read_sees_what_another_one_wrote() {
    let chain = chain();
    let (get, claimable) = ("00", "01");
    let table = |kind| {
        let get = record(STATIC, COUNTER.address, get);
        let claimable = record(kind, COUNTER.address, claimable);
        fetch(&chain, &[get.clone(), claimable.clone(), get.clone(), claimable, get])
    };
    let hundred = word(100);
    assert_eq!(table(ISOLATED), [ZERO_WORD, &hundred, ZERO_WORD, &hundred, ZERO_WORD].concat());
    assert_eq!(table(STATIC), [ZERO_WORD, CAPPED, ZERO_WORD, CAPPED, ZERO_WORD].concat());
}

#[test]
fn a_hostile_isolated_read_does_not_touch_its_neighbours() {
    let chain = chain();
    let get = record(STATIC, COUNTER.address, "00");
    // Frames of the program that would count, by mode and by record; and one in another, as deep as the gas goes.
    let counter = &COUNTER.address[2..];
    let as_frame = format!("01{CAP:08x}{counter}01");
    let as_request = format!("00{CAP:08x}00000000ffff{}", record(ISOLATED, COUNTER.address, "01"));
    let nested = format!("01{CAP:08x}{}{as_frame}", &PROGRAM[2..]);
    let cases: &[(&str, String, String)] = &[
        ("counts through another", record(ISOLATED, THIEF.address, ""), word(100)),
        ("calls the frame", record(ISOLATED, REENTRANT.address, &as_frame), word(7)),
        ("calls the program", record(ISOLATED, REENTRANT.address, &as_request), word(7)),
        ("calls frames in frames", record(ISOLATED, REENTRANT.address, &nested), word(7)),
        ("burns all gas", record(ISOLATED, BURNER.address, ""), CAPPED.to_owned()),
        ("halts", record(ISOLATED, HALTER.address, ""), CAPPED.to_owned()),
        ("ends itself", record(ISOLATED, QUITTER.address, ""), EMPTY.to_owned()),
        ("returns 2 MiB, by the cap", record(ISOLATED, BOMB.address, ""), CAPPED.to_owned()),
        ("returns 2 MiB, with the gas for it", capped(ISOLATED, BOMB.address, 12_000_000, ""), TOO_LONG.to_owned()),
        ("returns 2 MiB, statically", capped(STATIC, BOMB.address, 12_000_000, ""), TOO_LONG.to_owned()),
        ("is the code size of the ended", record(CODE_SIZE, QUITTER.address, ""), word(2)),
    ];
    for (what, hostile, reported) in cases {
        let entries = fetch(&chain, &[get.clone(), hostile.clone(), get.clone()]);
        assert_eq!(entries, [ZERO_WORD, reported, ZERO_WORD].concat(), "{what}");
    }
}

#[test]
fn only_the_hostile_among_many_tokens_fail() {
    let chain = chain();
    let zero = "00".repeat(32);
    let tokens = |count| vec![again(ECHO.address); count];
    let hostile = [BURNER, HALTER, SWALLOWER, REVERTER].map(|contract| again(contract.address));
    let nobody = again(NOBODY);
    let first = record(STATIC, ECHO.address, &zero);
    let records = [vec![first], tokens(99), hostile.to_vec(), tokens(100), vec![nobody], tokens(1)].concat();
    // The first shares nothing, and so has a record of its own.
    let reverted = format!("23000020{zero}");
    let expected = [ZERO_WORD, "000063", CAPPED, CAPPED, CAPPED, &reverted, "000064", NO_CODE, "000001"].concat();
    assert_eq!(fetch(&chain, &records), expected);
}

#[test]
fn replies_of_all_lengths_are_told_apart() {
    let chain = chain();
    let bytes = |count: usize| (0..count).map(|place| format!("{:02x}", 1 + place % 255)).collect::<String>();
    let mixed = format!("{:064x}{:064x}{:064x}{}", 0, 1, 0xabcd, "ff".repeat(32));
    let full_words = |count: usize| {
        let words = bytes(32 * count);
        (0..count).map(|place| format!("20{}", &words[place * 64..][..64])).collect::<String>()
    };
    for kind in [STATIC, ISOLATED] {
        let cases: &[(Contract, String, String)] = &[
            (ECHO, String::new(), EMPTY.to_owned()),
            (ECHO, bytes(1), format!("22000001{}", bytes(1))),
            (ECHO, bytes(31), format!("2200001f{}", bytes(31))),
            (ECHO, bytes(32), format!("01{}", full_words(1))),
            (ECHO, bytes(33), format!("22000021{}", bytes(33))),
            (ECHO, mixed.clone(), format!("0400010102abcd20{}", "ff".repeat(32))),
            (ECHO, bytes(1024), format!("20{}", full_words(32))),
            (ECHO, bytes(1056), format!("22000420{}", bytes(1056))),
            (ECHO, bytes(65_535), format!("2200ffff{}", bytes(65_535))),
            (LONG, String::new(), format!("220186a0{}", "00".repeat(100_000))),
            (REVERTER, String::new(), "23000000".to_owned()),
            (REVERTER, bytes(100), format!("23000064{}", bytes(100))),
            (REVERTER, bytes(4096), format!("23001000{}", bytes(4096))),
            (REVERTER, bytes(4097), TOO_LONG.to_owned()),
        ];
        let records: Vec<_> = cases.iter().map(|(to, data, _)| record(kind, to.address, data)).collect();
        let expected: String = cases.iter().map(|(_, _, entry)| entry.as_str()).collect();
        assert_eq!(fetch(&chain, &records), expected, "kind {kind}");
        assert_eq!(fetch(&chain, &[record(kind, NOBODY, "aabb")]), NO_CODE, "kind {kind}");
    }
    for bits in 0..256 {
        let data = format!("{:0>64}", format!("{}{}", 1 << (bits % 4), "0".repeat(bits / 4)));
        let significant = &data[64 - 2 * (bits / 8 + 1)..];
        let entry = format!("01{:02x}{significant}", bits / 8 + 1);
        assert_eq!(fetch(&chain, &[record(STATIC, ECHO.address, &data)]), entry, "2^{bits}");
    }
}

#[test]
fn balances_and_sizes_of_code_are_words() {
    let chain = chain();
    let records = [
        record(BALANCE, WEALTHY, ""),
        record(CODE_SIZE, ECHO.address, ""),
        record(BALANCE, NOBODY, ""),
        record(CODE_SIZE, NOBODY, ""),
    ];
    let size = u128::try_from(ECHO.code.len() / 2 - 1).unwrap();
    assert_eq!(fetch(&chain, &records), [&word(WEALTH_WEI), &word(size), ZERO_WORD, ZERO_WORD].concat());
}

#[test]
fn a_call_has_exactly_its_cap_wherever_it_stands() {
    let chain = chain();
    let meter = METER.address;
    let kinds = [
        record(STATIC, meter, ""),
        again(meter),
        record(ISOLATED, meter, ""),
        capped(STATIC, meter, 777_777, ""),
        capped(ISOLATED, meter, 777_777, ""),
    ];
    let (default, own) = (word(u128::from(CAP) - 2), word(777_775));
    let expected = [&default, &default, &default, &own, &own].map(String::as_str).concat();
    assert_eq!(fetch(&chain, &kinds), expected);
    let last_of_many = [vec![record(ISOLATED, BURNER.address, ""); 20], kinds.to_vec()].concat();
    assert_eq!(fetch(&chain, &last_of_many), [CAPPED.repeat(20), expected].concat());
    // With just enough gas for one, and with as little as lets it begin at all.
    for kind in &kinds {
        let reported = if kind.starts_with("1") { &own } else { &default };
        let answers = (800_000..1_600_000).step_by(2_357).map(|gas| {
            let reply = run(&chain, &request(std::slice::from_ref(kind), CAP), gas, &json!("latest"));
            assert!(
                reply.entries == *reported || (reply.done == 0 && reply.entries.is_empty()),
                "{gas}: {}",
                reply.entries
            );
            reply.done
        });
        let done: usize = answers.sum();
        assert!((1..340).contains(&done), "{done}");
    }
}

#[test]
fn what_may_have_run_dry_is_read_again_alone() {
    let chain = chain();
    // COSTLY takes 988,000 and a little.
    for kind in [STATIC, ISOLATED] {
        let cases: &[(&str, String, &str)] = &[
            ("dry by the default cap, though it answered", record(kind, COSTLY.address, ""), CAPPED),
            ("swallowed by the default cap", record(kind, SWALLOWER.address, ""), CAPPED),
            ("enough gas of its own", capped(kind, COSTLY.address, 1_000_000, ""), "010101"),
            ("too little gas of its own", capped(kind, COSTLY.address, 980_000, ""), CAPPED),
            ("its own answer", capped(kind, SWALLOWER.address, 100_000, ""), ZERO_WORD),
            ("its own revert", capped(kind, REVERTER.address, 50_000, "aa"), "23000001aa"),
            ("no code, whatever the cap", capped(kind, NOBODY, 50_000, ""), NO_CODE),
        ];
        for (what, requested, reported) in cases {
            assert_eq!(fetch(&chain, std::slice::from_ref(requested)), *reported, "{what}, kind {kind}");
        }
    }
}

#[test]
fn every_call_comes_from_the_program() {
    let chain = chain();
    let sender = format!("0114{}", &PROGRAM[2..]);
    let records = [record(STATIC, SENDER.address, ""), again(SENDER.address), record(ISOLATED, SENDER.address, "")];
    assert_eq!(fetch(&chain, &records), sender.repeat(3));
}

#[test]
fn records_share_target_and_data_with_the_one_before() {
    let chain = chain();
    let flags = |flags: u8, more: &str| format!("{flags:02x}{more}");
    let records = [
        flags(SAME_DATA, &ECHO.address[2..]), // Of none: empty.
        flags(SAME_TARGET, "000105"),
        flags(SAME_TARGET | SAME_DATA, ""),
        flags(SAME_DATA, &REVERTER.address[2..]),
        flags(SAME_TARGET, "000106"), // Behind a common record that returned something,
        flags(SAME_DATA, &ECHO.address[2..]),
        flags(ISOLATED | SAME_TARGET | SAME_DATA | OWN_CAP, "0000ffff"),
        flags(BALANCE | SAME_DATA, &WEALTHY[2..]),
        flags(CODE_SIZE | SAME_TARGET | SAME_DATA, ""),
        flags(STATIC | SAME_DATA, &ECHO.address[2..]),
        flags(SAME_DATA, &ZERO.address[2..]),
        flags(CODE_SIZE | SAME_TARGET | SAME_DATA, ""), // and behind one that returned a zero.
    ];
    let wealth = word(WEALTH_WEI);
    let (five, six, reverted) = ("2200000105", "2200000106", ["2300000105", "2300000106"]);
    let reported = [EMPTY, five, five, reverted[0], reverted[1], six, six, &wealth, ZERO_WORD, six, "000001", "010105"];
    assert_eq!(fetch(&chain, &records), reported.concat());
}

#[test]
fn a_partial_reply_goes_on_where_it_ended() {
    let chain = chain();
    let cap = 60_000;
    // Nothing of it comes in runs, which would be cut.
    let part = [
        record(STATIC, ECHO.address, "0102"),
        record(ISOLATED, COUNTER.address, "01"),
        capped(STATIC, LONG.address, 200_000, ""),
        record(STATIC, REVERTER.address, &"07".repeat(3_000)),
        capped(ISOLATED, LONG.address, 200_000, ""),
        record(BALANCE, WEALTHY, ""),
        record(STATIC, ZERO.address, ""),
        record(STATIC, BURNER.address, ""),
    ];
    let records = vec![part; 3].concat();
    let fetch = |records: &[String], gas| run(&chain, &request(records, cap), gas, &json!("latest"));
    let whole = fetch(&records, GAS);
    assert_eq!(whole.done, records.len());
    for gas in [700_000, 800_000, 1_100_000, 1_700_000] {
        let (mut done, mut entries, mut requests) = (0, String::new(), 0);
        while done < records.len() {
            let reply = fetch(&records[done..], gas);
            assert!(reply.done > 0, "{gas}: nothing of {}", &records[done][..42]);
            done += reply.done;
            requests += 1;
            entries += &reply.entries;
        }
        assert!(requests > 1, "{gas} is not little gas");
        assert_eq!(entries, whole.entries, "{gas}");
    }
}
