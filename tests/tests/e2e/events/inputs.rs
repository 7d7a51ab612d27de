//! Hashes that lead nowhere, and the parameters beside them.

use alloy::primitives::{Address, Log, U256};
use portolan_tests::problem;

use super::fixture;
use super::receipts::{SENDER, hash};
use super::tokens::{Erc721, log};

pub(crate) const PENDING: &str = "a transaction that waits for its block";
const MANY: &str = "a transaction with twelve logs";
const LOGS: usize = 12;

pub(crate) fn all() -> Vec<(&'static str, Vec<Log>)> {
    let moved = |id: usize| Erc721::Transfer { from: SENDER, to: SENDER, tokenId: U256::from(id) };
    let mut logs: Vec<Log> = (1..LOGS).map(|id| log(Address::repeat_byte(0x4f), &moved(id))).collect();
    let approved = Erc721::ApprovalForAll { owner: SENDER, operator: SENDER, approved: true };
    logs.push(log(Address::repeat_byte(0x4f), &approved));
    vec![(MANY, logs)]
}

fn refused(title: &str, query: &str, status: u16, name: &str, part: &str) {
    let response = fixture().fetch(&hash(title).to_string(), query);
    let detail = problem::detail(&response, status, name).unwrap_or_else(|error| panic!("{title} {query}: {error:#}"));
    assert!(detail.contains(part), "{title} {query}: {detail:?} does not contain {part:?}");
}

#[test]
fn a_hash_that_leads_nowhere_is_not_found() {
    refused("nothing", "network=polygon", 404, "transaction-not-found", "POLYGON");
    refused(MANY, "network=ethereum", 404, "transaction-not-found", "ETHEREUM");
    refused(PENDING, "network=polygon", 404, "transaction-not-found", "not in a block");
    refused(MANY, "network=fantom", 503, "network-not-configured", "fantom");
    refused(MANY, "_x=y", 400, "invalid-network", "POLYGON_MUMBAI");
}

#[test]
fn more_logs_than_requested_are_refused_and_not_cut() {
    refused(MANY, "network=polygon&max-logs=11", 413, "too-many-logs", "12");
    let all = fixture().answer(&hash(MANY).to_string(), "network=polygon&max-logs=12");
    assert_eq!(all.items().unwrap().len(), LOGS);
    for wrong in ["0", "-1", "1.5", "many", "", "99999999999999999999"] {
        refused(MANY, &format!("network=polygon&max-logs={wrong}"), 400, "invalid-filter", "max-logs");
    }
}

#[test]
fn types_are_taken_repeated_and_joined_in_any_letter_case() {
    let count = |query: &str| {
        let path = format!("network=polygon&{query}");
        fixture().answer(&hash(MANY).to_string(), &path).items().unwrap().len()
    };
    assert_eq!(count("type=NFT_TRANSFER"), LOGS - 1);
    assert_eq!(count("type=APPROVAL_FOR_ALL"), 1);
    assert_eq!(count("type=nft_transfer&type=Approval_For_All"), LOGS);
    assert_eq!(count("type=NFT_TRANSFER,APPROVAL_FOR_ALL,"), LOGS);
    assert_eq!(count("type=SWAP"), 0);
    assert_eq!(count("type="), LOGS);
    refused(MANY, "network=polygon&type=SWOP", 400, "invalid-filter", "SWOP");
    refused(MANY, "network=polygon&type=SWAP&type=transfers", 400, "invalid-filter", "NFT_TRANSFER");
}
