//! Logs that mean nothing, or lie about what they are: each stays undecoded, and those beside it are decoded.

use alloy::primitives::{Address, B256, Bytes, Log, U256, address, b256};
use portolan_tests::json::Json;

use super::fixture;
use super::receipts::{FIRST_LOG, SENDER, hash};
use super::tokens::lower;

/// A token of the chain.
const QUICK: Address = address!("0xb5c064f955d8e7f38fe0460c556a72987494ee17");
const ODD: &str = "logs that are not events";
/// Keccak-256 of `Transfer(address,address,uint256)`, of `Approval(…)` alike, and of `TransferBatch(…)`.
const TRANSFER: B256 = b256!("0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
const APPROVAL: B256 = b256!("0x8c5be1e5ebec7d5bd14f71427d1e84f3dd0314c0f7b2291e5b200ac8c7c3b925");
const BATCH: B256 = b256!("0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb");

pub(crate) fn all() -> Vec<(&'static str, Vec<Log>)> {
    vec![(ODD, logs())]
}

/// The first and the last are transfers as they should be.
fn logs() -> Vec<Log> {
    let (one, to) = (word(1), SENDER.into_word());
    let log = |topics: &[B256], data: &[u8]| Log::new_unchecked(QUICK, topics.to_vec(), Bytes::copy_from_slice(data));
    let dirty = B256::repeat_byte(0xff);
    let mut endless = [word(64).0, word(96).0].concat();
    endless.extend([0xff; 32]); // So many numbers are in the list.
    vec![
        log(&[TRANSFER, to, to], &one.0),
        // Anonymous, with topics and without.
        log(&[dirty, dirty, dirty, dirty], &one.0),
        log(&[], &one.0),
        log(&[], &[]),
        // Too little and too much.
        log(&[TRANSFER, to, to], &one.0[..31]),
        log(&[TRANSFER, to, to], &[&one.0[..], &[0]].concat()),
        log(&[TRANSFER, to, to], &[]),
        log(&[TRANSFER, to], &one.0),
        log(&[TRANSFER], &[]),
        log(&[APPROVAL, to, to], &[one.0, one.0].concat()),
        log(&[APPROVAL, to, to, one], &one.0),
        // No addresses.
        log(&[TRANSFER, dirty, to], &one.0),
        log(&[TRANSFER, to, to, one], &one.0),
        // Lists that end beyond the data, or begin there, or have no end.
        log(&[BATCH, to, to, to], &endless),
        log(&[BATCH, to, to, to], &[dirty.0, dirty.0].concat()),
        log(&[BATCH, to, to, to], &[]),
        log(&[TRANSFER, to, to], &one.0),
    ]
}

fn word(number: u64) -> B256 {
    U256::from(number).into()
}

#[test]
fn odd_logs_stay_undecoded_and_change_nothing_about_the_others() {
    let full = fixture().answer(&hash(ODD).to_string(), "network=polygon&detail=full");
    let last = logs().len() - 1;
    let index = |row: &Json| row.at("logIndex").unwrap().to_string().parse::<usize>().unwrap();
    let items = full.at("items").unwrap().items().unwrap();
    assert_eq!(items.iter().map(index).collect::<Vec<_>>(), [FIRST_LOG, FIRST_LOG + last], "{full}");
    let undecoded = full.at("undecoded").unwrap().items().unwrap();
    let expected: Vec<Json> = (1..last).map(|place| undecoded_row(place, &logs()[place])).collect();
    let differences = Json::Array(undecoded.to_vec()).differences(&Json::Array(expected));
    assert!(differences.is_empty(), "{}", differences.join("; "));
}

fn undecoded_row(place: usize, log: &Log) -> Json {
    Json::object([("logIndex", Json::number(FIRST_LOG + place)), ("contract", Json::text(lower(log.address)))])
}

/// A log as nodes return it.
fn raw(place: usize, log: &Log) -> Json {
    let topics = log.data.topics().iter().map(|topic| Json::text(topic.to_string())).collect();
    Json::object([
        ("logIndex", Json::number(FIRST_LOG + place)),
        ("address", Json::text(lower(log.address))),
        ("topics", Json::Array(topics)),
        ("data", Json::text(log.data.data.to_string())),
    ])
}

#[test]
fn full_detail_shows_where_an_event_is_from() {
    let full = fixture().answer(&hash(ODD).to_string(), "network=polygon&detail=full");
    let item = full.at("items/0").unwrap();
    assert_eq!(item.text_at("metadata/amountRaw").unwrap(), "1");
    assert_eq!(item.text_at("contract").unwrap(), lower(QUICK));
    assert_eq!(item.at("logIndex").unwrap(), &Json::number(FIRST_LOG));
    let expected: Vec<Json> = logs().iter().enumerate().map(|(place, log)| raw(place, log)).collect();
    let differences = full.at("logs").unwrap().differences(&Json::Array(expected));
    assert!(differences.is_empty(), "{}", differences.join("; "));
    assert!(item.get("plugin").is_none(), "the host decodes what any token emits: {item}");
    assert!(full.at("report/blocks/polygon/number").is_ok(), "{full}");
    let jobs = full.at("report/jobs").unwrap().items().unwrap();
    assert!(!jobs.is_empty() && jobs.iter().all(|job| job.text_at("status").unwrap() == "ok"), "{full}");
    let plain = fixture().answer(&hash(ODD).to_string(), "network=polygon");
    let members = |row: &Json| row.members().unwrap().iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
    assert_eq!(members(&plain.items().unwrap()[0]), ["type", "protocol", "metadata"]);
    assert!(plain.at("0/metadata/amountRaw").is_err(), "{plain}");
}
