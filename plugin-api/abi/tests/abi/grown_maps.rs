//! Maps of an older or newer writer: unknown keys, and missing optional keys.

use alloy::primitives::{Address, Bytes, U256};
use minicbor::{Decode, Encode};
use portolan_abi::Question;
use portolan_abi::codec::{self, DecodeError};
use portolan_abi::map::{
    Amount, Asset, Block, Catalogue, Claim, Claimable, Event, FactList, Finding, Leg, LegRole, Member, PaidTo, Payment,
    Pin, Position, PositionKind, Protocol, ReadExtension, Reward, Role, Selftest, Settings, SettingsError, Start,
    StartError, Transaction, Value,
};

use crate::bytes::unhex;
use crate::samples::{self, each_map, word};

/// Adds key 99 to a map, with a value that nests every kind of item.
fn with_an_unknown_key(map: &[u8]) -> Vec<u8> {
    let (head, rest) = map.split_first().expect("a map has a head");
    assert!((0xa0..0xb6).contains(head), "the samples' maps have fewer than 23 keys");
    let value = unhex("1863 a5 00 f6 01 84 f5 20 18ff 40 02 a1 6161 fb 3ff0000000000000 03 c1 1a00000001 04 4101");
    [&[head + 1], rest, &value].concat()
}

#[test]
fn every_map_is_read_past_a_key_that_came_later() {
    macro_rules! check {
        ($map:ident, $sample:expr) => {
            let grown = with_an_unknown_key(&codec::encode(&$sample));
            assert_eq!(codec::decode::<$map>(&grown).expect(stringify!($map)), $sample);
        };
    }
    each_map!(check);
}

/// The claimable of a later version, with an added key inside another key's map, and the finding around it.
#[derive(Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
struct LaterFinding {
    #[n(1)]
    claimable: Option<LaterClaimable>,
    #[cbor(n(99), with = "portolan_abi::primitive", has_nil)]
    vesting: Option<U256>,
}

#[derive(Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
struct LaterClaimable {
    #[n(0)]
    market: String,
    #[cbor(n(1), with = "portolan_abi::primitive")]
    contract: Address,
    #[n(2)]
    name: String,
    #[n(3)]
    mechanism: String,
    #[n(4)]
    payments: Vec<LaterPayment>,
    #[n(5)]
    steps: Vec<LaterClaim>,
    #[cbor(n(6), with = "portolan_abi::primitive", has_nil)]
    number: Option<U256>,
    #[n(8)]
    ends_at: Option<u64>,
}

#[derive(Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
struct LaterPayment {
    #[cbor(n(0), with = "portolan_abi::primitive")]
    token: Address,
    #[cbor(n(1), with = "portolan_abi::primitive")]
    amount: U256,
    #[n(2)]
    paid_to: u8,
    #[n(30)]
    is_taxed: Option<bool>,
}

#[derive(Debug, Default, PartialEq, Encode, Decode)]
#[cbor(map)]
struct LaterClaim {
    #[n(0)]
    template: u32,
    #[cbor(n(1), with = "portolan_abi::primitive")]
    to: Address,
    #[cbor(n(2), with = "minicbor::bytes")]
    arguments: Vec<u8>,
    #[cbor(n(9), with = "portolan_abi::primitive", has_nil)]
    proofs: Option<Vec<U256>>,
}

fn later_finding() -> LaterFinding {
    let claim = LaterClaim {
        template: 1,
        to: Address::repeat_byte(4),
        arguments: vec![5, 6],
        proofs: Some(vec![word(7), word(8)]),
    };
    let claimable = LaterClaimable {
        market: "main".to_owned(),
        contract: Address::repeat_byte(1),
        name: "reward".to_owned(),
        mechanism: "m".to_owned(),
        payments: vec![LaterPayment {
            token: Address::repeat_byte(2),
            amount: word(3),
            paid_to: 77,
            is_taxed: Some(true),
        }],
        steps: vec![claim],
        number: Some(word(6)),
        ends_at: Some(1_700_000_000),
    };
    LaterFinding { claimable: Some(claimable), vesting: Some(word(9)) }
}

#[test]
fn an_old_reader_reads_the_findings_of_a_newer_writer() {
    let read: Vec<Finding> = codec::decode(&codec::encode(&vec![later_finding()])).expect("findings");
    let claimable = Claimable {
        market: "main".to_owned(),
        contract: Address::repeat_byte(1),
        name: "reward".to_owned(),
        mechanism: "m".to_owned(),
        payments: vec![Payment { token: Address::repeat_byte(2), amount: word(3), paid_to: PaidTo(77), name: None }],
        steps: vec![Claim { template: 1, to: Address::repeat_byte(4), arguments: vec![5, 6], ..Claim::default() }],
        number: Some(word(6)),
    };
    assert_eq!(read, [Finding { claimable: Some(claimable), ..Finding::default() }]);
}

#[test]
fn a_new_reader_reads_the_findings_of_an_older_writer() {
    let claimable = Claimable {
        market: "main".to_owned(),
        steps: vec![Claim { template: 1, arguments: vec![5, 6], ..Claim::default() }],
        ..Claimable::default()
    };
    let finding = Finding { claimable: Some(claimable), ..Finding::default() };
    let read: LaterFinding = codec::decode(&codec::encode(&finding)).expect("a finding");
    let claim = LaterClaim { template: 1, arguments: vec![5, 6], ..LaterClaim::default() };
    let claimable = LaterClaimable { market: "main".to_owned(), steps: vec![claim], ..LaterClaimable::default() };
    assert_eq!(read, LaterFinding { claimable: Some(claimable), vesting: None });
}

#[test]
fn a_finding_of_a_kind_that_came_later_has_none_of_the_known_ones() {
    let later = LaterFinding { claimable: None, vesting: Some(word(1)) };
    let read: Finding = codec::decode(&codec::encode(&later)).expect("a finding");
    assert_eq!(read, Finding::default());
}

#[test]
fn optional_keys_may_be_missing() {
    let address = "54 2121212121212121212121212121212121212121";
    let word = "5820 2222222222222222222222222222222222222222222222222222222222222222";

    let role: Role = codec::decode(&unhex("a1 00 01")).expect("a role");
    assert_eq!(role, Role { kind: 1, constant: None, members: None });
    let error: SettingsError = codec::decode(&unhex("a1 00 61 78")).expect("an error");
    assert_eq!(error, SettingsError { message: "x".to_owned(), row: None, key: None });
    let extension: ReadExtension = codec::decode(&unhex("a0")).expect("an extension");
    assert_eq!(extension, ReadExtension::default());
    let finding: Finding = codec::decode(&unhex("a0")).expect("a finding");
    assert_eq!(finding, Finding::default());
    let reward: Reward = codec::decode(&unhex(&format!("a1 00 {address}"))).expect("a reward");
    assert_eq!(reward, Reward::new(Address::repeat_byte(0x21), None));
    let claim: Claim = codec::decode(&unhex(&format!("a3 00 05 01 {address} 02 41ff"))).expect("a claim");
    let expected = Claim { template: 5, to: Address::repeat_byte(0x21), arguments: vec![0xff], ..Claim::default() };
    assert_eq!(claim, expected);
    let amount: Amount = codec::decode(&unhex(&format!("a1 00 {word}"))).expect("an amount");
    assert_eq!(amount, Amount { raw: samples::word(0x22), of: None });
    let asset: Asset = codec::decode(&unhex(&format!("a1 01 {word}"))).expect("an asset");
    assert_eq!(asset, Asset { token: None, raw: samples::word(0x22) });
    let event: Event = codec::decode(&unhex("a3 00 05 01 6141 03 81 a2 00 6162 01 a1 07 f5")).expect("an event");
    let member = Member { name: "b".to_owned(), value: Value { flag: Some(true), ..Value::default() } };
    assert_eq!(event, Event { log: 5, kind: "A".to_owned(), protocol: None, members: vec![member] });
    let creation = format!("a4 00 {word} 01 {address} 03 {word} 04 41 ff");
    let creation: Transaction = codec::decode(&unhex(&creation)).expect("a transaction");
    assert_eq!((creation.to, creation.logs, creation.wrapped_native), (None, Bytes::from_static(&[0xff]), None));
    let catalogue: Catalogue = codec::decode(&unhex("a3 00 80 01 80 02 80")).expect("a catalogue");
    assert_eq!(catalogue, Catalogue::default());
    let protocol = unhex("a5 00 6161 01 6141 02 60 04 81 6146 05 a2 00 6142 01 6162");
    assert_eq!(codec::decode::<Protocol>(&protocol).expect("a protocol").logo, None);

    let leg = format!("a3 00 03 01 {address} 02 {word}");
    let read: Leg = codec::decode(&unhex(&leg)).expect("a leg");
    assert_eq!(read, Leg::new(LegRole::STAKED, Address::repeat_byte(0x21), samples::word(0x22)));
    let position = format!("a7 00 05 01 60 02 {address} 03 60 04 60 05 81 {leg} 06 80");
    let position: Position = codec::decode(&unhex(&position)).expect("a position");
    let expected = Position::new(PositionKind::LOCKED, "", Address::repeat_byte(0x21)).leg(read);
    assert_eq!(position, expected);
    let payment: Payment = codec::decode(&unhex(&format!("a3 00 {address} 01 {word} 02 01"))).expect("a payment");
    assert_eq!((payment.paid_to, payment.name), (PaidTo::LOCK, None));
}

/// The start as a host of revision 2 writes it.
#[derive(Debug, Encode, Decode)]
#[cbor(map)]
struct EarlierStart {
    #[n(0)]
    question: Question,
    #[n(1)]
    protocol: String,
    #[n(2)]
    chain_id: u64,
    #[cbor(n(3), with = "portolan_abi::primitive")]
    account: Address,
    #[n(4)]
    block: Block,
    #[n(5)]
    pins: Vec<Pin>,
    #[n(6)]
    capabilities: u64,
}

#[test]
fn a_start_of_revision_2_is_about_no_tokens_and_no_transaction_and_reads_one_of_revision_4() {
    let (block, account) = (Block::default(), Address::repeat_byte(3));
    let earlier = EarlierStart {
        question: Question::FARMING,
        protocol: "acme".to_owned(),
        chain_id: 10,
        account,
        block,
        pins: Vec::new(),
        capabilities: 3,
    };
    let read: Start = codec::decode(&codec::encode(&earlier)).expect("a start");
    assert_eq!((read.question, read.account, read.tokens, read.transaction), (Question::FARMING, account, None, None));
    let read: EarlierStart = codec::decode(&codec::encode(&samples::start())).expect("a start");
    assert_eq!((read.chain_id, read.capabilities), (42161, 239));
}

#[test]
fn a_missing_optional_key_is_what_null_is() {
    let role: Role = codec::decode(&unhex("a3 00 01 01 f6 02 f6")).expect("a role");
    assert_eq!(role, Role { kind: 1, constant: None, members: None });
}

#[test]
fn optional_keys_that_are_absent_are_not_written() {
    assert_eq!(codec::encode(&Role { kind: 1, ..Role::default() }), unhex("a1 00 01"));
    assert_eq!(codec::encode(&ReadExtension::default()), unhex("a0"));
}

#[test]
fn keys_may_stand_in_any_order() {
    let selftest: Selftest = codec::decode(&unhex("a2 01 61 78 00 f5")).expect("a selftest");
    assert_eq!(selftest, Selftest { ok: true, message: "x".to_owned() });
}

#[test]
fn a_required_key_that_is_missing_is_an_error() {
    assert!(matches!(codec::decode::<Start>(&unhex("a0")), Err(DecodeError::Malformed(_))));
    assert!(codec::decode::<StartError>(&unhex("a0")).is_err());
    assert!(codec::decode::<Settings>(&unhex("a2 00 f5 01 80")).is_err());
    assert!(codec::decode::<Claimable>(&unhex("a0")).is_err());
}

#[test]
fn a_value_of_another_type_or_size_is_an_error() {
    let cases = [
        ("an array for a map", "82 f5 60"),
        ("a number for a flag", "a2 00 01 01 60"),
        ("bytes for a text", "a2 00 f5 01 41 78"),
        ("a text that is not UTF-8", "a2 00 f5 01 62 ff fe"),
        ("a text key", "a2 61 30 f5 01 60"),
        ("a map of indefinite length", "bf 00 f5 01 60 ff"),
        ("two maps", "a2 00 f5 01 60 a0"),
    ];
    for (what, bytes) in cases {
        assert!(codec::decode::<Selftest>(&unhex(bytes)).is_err(), "{what}");
    }
    let short_address = format!("a1 00 53 {}", "21".repeat(19));
    assert!(codec::decode::<Reward>(&unhex(&short_address)).is_err(), "an address of 19 bytes");
    let long_address = format!("a1 00 55 {}", "21".repeat(21));
    assert!(codec::decode::<Reward>(&unhex(&long_address)).is_err(), "an address of 21 bytes");
    assert!(codec::decode::<Role>(&unhex("a1 00 190100")).is_err(), "a kind of 256");
}

#[test]
fn every_sample_is_read_as_it_was_written() {
    macro_rules! check {
        ($map:ident, $sample:expr) => {
            assert_eq!(codec::decode::<$map>(&codec::encode(&$sample)).expect(stringify!($map)), $sample);
        };
    }
    each_map!(check);
    assert_eq!(samples::encoded().len(), 10);
}
