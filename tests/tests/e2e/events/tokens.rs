//! Events of tokens of both kinds of collections, and an unlimited approval: logs encoded by a library.

use alloy::primitives::{Address, Log, U256};
use alloy::sol_types::SolEvent;
use portolan_tests::json::Json;

use super::receipts::hash;
use super::{assert_same, fixture};

alloy::sol! {
    interface Erc721 {
        event Transfer(address indexed from, address indexed to, uint256 indexed tokenId);
        event Approval(address indexed owner, address indexed approved, uint256 indexed tokenId);
        event ApprovalForAll(address indexed owner, address indexed operator, bool approved);
    }
    interface Erc1155 {
        event TransferSingle(address indexed operator, address indexed from, address indexed to, uint256 id, uint256 value);
        event TransferBatch(address indexed operator, address indexed from, address indexed to, uint256[] ids, uint256[] values);
        event URI(string value, uint256 indexed id);
    }
}

/// No contract stands there: nothing about a collection has to be read.
const COLLECTION: Address = Address::repeat_byte(0x4f);
const ALICE: Address = Address::repeat_byte(0xa1);
const BOB: Address = Address::repeat_byte(0xb2);
const KEEPER: Address = Address::repeat_byte(0xee);

const SINGLES: &str = "an ERC-721 of all kinds";
const MULTIPLES: &str = "an ERC-1155 of all kinds";

pub(crate) fn all() -> Vec<(&'static str, Vec<Log>)> {
    vec![(SINGLES, singles()), (MULTIPLES, multiples())]
}

/// A log of an event.
pub(crate) fn log(address: Address, event: &impl SolEvent) -> Log {
    Log { address, data: event.encode_log_data() }
}

fn singles() -> Vec<Log> {
    let id = U256::MAX;
    let moved = |from, to| log(COLLECTION, &Erc721::Transfer { from, to, tokenId: id });
    let approval = |approved| log(COLLECTION, &Erc721::Approval { owner: ALICE, approved, tokenId: id });
    let for_all = |approved| log(COLLECTION, &Erc721::ApprovalForAll { owner: ALICE, operator: KEEPER, approved });
    vec![
        moved(Address::ZERO, ALICE),
        approval(KEEPER),
        for_all(true),
        moved(ALICE, BOB),
        approval(Address::ZERO),
        for_all(false),
        moved(BOB, Address::ZERO),
    ]
}

fn multiples() -> Vec<Log> {
    let [one, two, nine] = [1, 2, 9].map(U256::from);
    let (operator, from, to) = (KEEPER, ALICE, BOB);
    let batch = |ids, values| log(COLLECTION, &Erc1155::TransferBatch { operator, from, to, ids, values });
    vec![
        log(COLLECTION, &Erc1155::TransferSingle { operator, from: Address::ZERO, to: ALICE, id: one, value: nine }),
        batch(vec![one, two], vec![nine, one]),
        batch(Vec::new(), Vec::new()),
        log(COLLECTION, &Erc721::ApprovalForAll { owner: ALICE, operator: KEEPER, approved: true }),
        log(COLLECTION, &Erc1155::URI { value: "ipfs://somewhere".into(), id: one }),
    ]
}

fn event(kind: &str, members: String) -> Json {
    let collection = format!(r#""collection":"{}""#, lower(COLLECTION));
    Json::parse(&format!(r#"{{"type":"{kind}","protocol":null,"metadata":{{{collection},{members}}}}}"#)).unwrap()
}

pub(crate) fn lower(address: Address) -> String {
    address.to_string().to_lowercase()
}

#[test]
fn transfers_and_approvals_of_single_tokens_are_decoded() {
    let id = U256::MAX;
    let moved = |from, to| {
        let members = format!(r#""from":"{}","to":"{}","tokenId":"{id}""#, lower(from), lower(to));
        event("NFT_TRANSFER", members)
    };
    let approval = |spender| {
        let members = format!(r#""owner":"{}","spender":"{}","tokenId":"{id}""#, lower(ALICE), lower(spender));
        event("NFT_APPROVAL", members)
    };
    let for_all = |approved: bool| {
        let members = format!(r#""owner":"{}","operator":"{}","approved":{approved}"#, lower(ALICE), lower(KEEPER));
        event("APPROVAL_FOR_ALL", members)
    };
    let expected = [
        moved(Address::ZERO, ALICE),
        approval(KEEPER),
        for_all(true),
        moved(ALICE, BOB),
        approval(Address::ZERO),
        for_all(false),
        moved(BOB, Address::ZERO),
    ];
    assert_same(SINGLES, &fixture().events("polygon", &hash(SINGLES).to_string()), &expected);
}

#[test]
fn transfers_of_many_tokens_are_decoded_one_by_one() {
    let moved = |from, to, id: u64, amount: u64| {
        let (from, to, operator) = (lower(from), lower(to), lower(KEEPER));
        let accounts = format!(r#""from":"{from}","to":"{to}","operator":"{operator}""#);
        event("NFT_TRANSFER", format!(r#"{accounts},"tokenId":"{id}","amount":{amount}"#))
    };
    let for_all = format!(r#""owner":"{}","operator":"{}","approved":true"#, lower(ALICE), lower(KEEPER));
    let expected = [
        moved(Address::ZERO, ALICE, 1, 9),
        moved(ALICE, BOB, 1, 9),
        moved(ALICE, BOB, 2, 1),
        event("APPROVAL_FOR_ALL", for_all),
    ];
    assert_same(MULTIPLES, &fixture().events("polygon", &hash(MULTIPLES).to_string()), &expected);
}
