//! Decoding of transactions over a scripted chain, with scripted plugins.

use alloy::primitives::{Address, B256, U256, keccak256};
use portolan_assets::metadata::{Erc20, Pair};
use portolan_assets::testing::erc20;
use portolan_assets::token::Token;
use portolan_events::{Kind, Value};
use portolan_reader::testing::{BLOCK, ScriptedChain};
use portolan_reader::{Outcome, ReadFailure, Receipt, TransactionLookup, TransactionStatus};

use super::script::*;
use crate::gateway::answer::{Answer, Event, Items};
use crate::jobs::report::JobStatus;
use alloy::sol_types::SolCall;

fn chain(receipt: Receipt) -> ScriptedChain {
    let mut script = ScriptedChain::default();
    erc20(&mut script, A, "A", 6);
    script.transaction(Ok(TransactionLookup::Mined(receipt)));
    script
}

/// Alice sends Bob seven of A, then stakes with a log that is in none of the host's tables.
fn staking() -> ScriptedChain {
    chain(receipt(vec![transfer(A, ALICE, BOB, 7), staked()]))
}

fn acme() -> Plugin {
    Plugin { name: "acme", topics: vec![STAKED], ..Plugin::default() }
}

fn events(answer: &Answer) -> &crate::gateway::answer::TransactionEvents {
    let Items::Events(events) = &answer.items else { panic!("{:?}", answer.items) };
    events
}

fn member<'a>(event: &'a Event, name: &str) -> &'a Value {
    event.merged.event.member(name).expect(name)
}

/// Returns the asset of the event at an index.
fn asset(answer: &Answer, place: usize) -> &Token {
    let events = events(answer);
    let Value::Token(token) = member(&events.events[place], "asset") else { panic!("no token") };
    events.tokens.get(*token).unwrap()
}

/// Returns `type log plugin protocol amount` for each event.
fn lines(answer: &Answer) -> Vec<String> {
    let line = |event: &Event| {
        let merged = &event.merged;
        let log = merged.log.map_or_else(|| "-".to_owned(), |log| log.to_string());
        let amount = match member(event, "amount") {
            Value::Amount { raw, .. } => *raw,
            other => panic!("{other:?}"),
        };
        let slug = event.protocol.as_ref().map_or("-", |protocol| protocol.slug.as_str());
        format!("{} {log} {} {slug} {amount}", merged.event.kind.name(), merged.plugin.as_deref().unwrap_or("host"))
    };
    events(answer).events.iter().map(line).collect()
}

/// Returns `subject reason count` for each missing entry.
fn missing(answer: &Answer) -> Vec<String> {
    let count = |count: Option<usize>| count.map(|count| format!(" {count}")).unwrap_or_default();
    answer
        .missing
        .iter()
        .map(|lost| format!("{} {}{}", lost.subject, lost.reason.as_str(), count(lost.count)))
        .collect()
}

#[tokio::test]
async fn the_native_value_stands_first_and_logs_in_their_order() {
    let approval = keccak256("Approval(address,address,uint256)");
    let unlimited = log(A, vec![approval, word(ALICE), word(BOB)], U256::MAX);
    let found = Receipt { value: U256::from(5), ..receipt(vec![unlimited, transfer(A, ALICE, BOB, 7)]) };
    let answer = Stage::new(&chain(found), []).answer().await.unwrap();
    let expected = [
        "TRANSFER - host - 5".to_owned(),
        format!("APPROVAL 0 host - {}", U256::MAX),
        "TRANSFER 1 host - 7".to_owned(),
    ];
    assert_eq!(lines(&answer), expected);
    let native = asset(&answer, 0);
    assert!(native.symbol == "ETH" && native.kind == "NATIVE");
    assert!(matches!(member(&events(&answer).events[0], "to"), Value::Address(BOB)));
    let token = asset(&answer, 1);
    assert_eq!((token.symbol.as_str(), token.decimals, token.total_supply), ("A", 6, U256::from(1000)));
    assert!(token.price.is_none() && missing(&answer).is_empty());
    assert_eq!(
        answer.blocks.iter().map(|(network, block)| (network.chain_id, *block)).collect::<Vec<_>>(),
        [(1, BLOCK)]
    );
    assert!(answer.about_account);
}

#[tokio::test]
async fn a_transaction_is_read_at_its_own_block_where_the_pinned_one_is_older() {
    for (behind, mined_in, read_at) in [(2, 3, 3), (2, 1, 1), (0, 1, 3), (0, 3, 3)] {
        let found = Receipt {
            block_number: BLOCK.number + mined_in,
            block_hash: BLOCK.hash,
            ..receipt(vec![transfer(A, ALICE, BOB, 7)])
        };
        let mut script = chain(found);
        (0..3).for_each(|_| script.next_block());
        script.pins_behind(behind);
        let answer = Stage::new(&script, []).answer().await.unwrap();
        let numbers: Vec<u64> = answer.blocks.iter().map(|(_, block)| block.number - BLOCK.number).collect();
        assert_eq!(numbers, [read_at], "mined in {mined_in}, pinned {behind} behind");
        assert_eq!(asset(&answer, 0).decimals, 6);
    }
}

#[tokio::test]
async fn a_transaction_whose_block_nobody_knows_is_not_read_at_another() {
    let found = Receipt {
        block_number: BLOCK.number + 1,
        block_hash: B256::repeat_byte(0xbb),
        ..receipt(vec![transfer(A, ALICE, BOB, 7)])
    };
    let script = chain(found);
    assert_eq!(Stage::new(&script, []).status().await, 502);
    assert!(script.requests().is_empty());
}

#[tokio::test]
async fn a_creation_moves_its_value_to_what_it_created() {
    let found = Receipt { to: None, created: Some(A), value: U256::from(5), ..receipt(vec![]) };
    let answer = Stage::new(&chain(found), []).answer().await.unwrap();
    assert!(matches!(member(&events(&answer).events[0], "to"), Value::Address(A)));
}

#[tokio::test]
async fn what_was_reverted_happened_not() {
    let found = Receipt {
        status: TransactionStatus::Failed,
        value: U256::from(5),
        ..receipt(vec![transfer(A, ALICE, BOB, 7)])
    };
    let script = chain(found);
    let answer = Stage::new(&script, [acme()]).answer().await.unwrap();
    assert!(lines(&answer).is_empty() && events(&answer).undecoded.is_empty() && missing(&answer).is_empty());
    assert!(script.lookups().is_empty());
}

#[tokio::test]
async fn logs_of_any_shape_are_events_or_among_the_undecoded() {
    let transfer_topic = keccak256("Transfer(address,address,uint256)");
    let logs = vec![
        log(A, vec![], U256::from(1)),
        log(A, vec![transfer_topic, word(ALICE), word(BOB)], ()),
        log(A, vec![transfer_topic, word(ALICE), word(BOB)], (U256::from(1), U256::from(1))),
        log(A, vec![transfer_topic, B256::repeat_byte(0xff), word(BOB)], U256::from(1)),
        log(A, vec![transfer_topic], ()),
        log(A, vec![B256::ZERO; 4], vec![0xff_u8; 3]),
        transfer(A, ALICE, BOB, 7),
    ];
    let answer = Stage::new(&chain(receipt(logs)), []).answer().await.unwrap();
    assert_eq!(
        (lines(&answer), &events(&answer).undecoded),
        (vec!["TRANSFER 6 host - 7".to_owned()], &vec![0, 1, 2, 3, 4, 5])
    );
}

#[tokio::test]
async fn a_transaction_that_cannot_be_decoded_is_a_problem() {
    let status = async |found| {
        let mut script = ScriptedChain::default();
        script.transaction(found);
        Stage::new(&script, []).status().await
    };
    assert_eq!(status(Ok(TransactionLookup::Unknown)).await, 404);
    assert_eq!(status(Ok(TransactionLookup::Pending)).await, 404);
    assert_eq!(status(Err(ReadFailure::Upstream)).await, 502);
    assert_eq!(status(Err(ReadFailure::WrongChain)).await, 502);
    assert_eq!(status(Err(ReadFailure::Timeout)).await, 504);
    assert_eq!(status(Err(ReadFailure::NotConfigured)).await, 503);
}

#[tokio::test]
async fn more_logs_than_the_limit_are_a_problem_that_names_both_numbers() {
    let mut stage = Stage::new(&staking(), []);
    stage.query.logs_max = 2;
    assert!(stage.answer().await.is_ok());
    stage.query.logs_max = 1;
    assert_eq!(stage.status().await, 413);
    let problem = stage.answer().await.unwrap_err().to_string();
    assert!(problem.contains("has 2 logs") && problem.contains("bound of 1"), "{problem}");
}

#[tokio::test]
async fn types_choose_the_items_and_not_the_undecoded() {
    let mut stage = Stage::new(&staking(), []);
    stage.query.types = [Kind::named("APPROVAL").unwrap()].into();
    let answer = stage.answer().await.unwrap();
    assert_eq!((lines(&answer), &events(&answer).undecoded), (vec![], &vec![1]));
    stage.query.types.insert(Kind::named("TRANSFER").unwrap());
    assert_eq!(lines(&stage.answer().await.unwrap()), ["TRANSFER 0 host - 7"]);
}

#[tokio::test]
async fn the_host_comes_first_then_who_knows_the_protocol_then_the_first_name() {
    let plugin = |name, events| Plugin { name, events, ..acme() };
    let plugins = [
        plugin("beta", vec![stake(0, Some("beta"), 20), stake(1, Some("beta"), 21)]),
        plugin("alpha", vec![stake(1, None, 11), stake(2, None, 12), stake(2, None, 13)]),
        plugin("gamma", vec![stake(1, Some("gamma"), 31), stake(2, None, 32)]),
    ];
    let script = chain(receipt(vec![transfer(A, ALICE, BOB, 7), staked(), staked()]));
    let answer = Stage::new(&script, plugins).answer().await.unwrap();
    let expected =
        ["TRANSFER 0 host - 7", "STAKE 1 beta@1.0.0 beta 21", "STAKE 2 alpha@1.0.0 - 12", "STAKE 2 alpha@1.0.0 - 13"];
    assert_eq!(lines(&answer), expected);
    assert_eq!((events(&answer).undecoded.len(), missing(&answer).len()), (0, 0));
    let jobs: Vec<&str> = answer.jobs.iter().map(|job| job.subject.as_str()).collect();
    assert_eq!(jobs, ["events", "alpha", "beta", "gamma"]);
}

#[tokio::test]
async fn a_plugin_gets_only_topics_that_it_wants() {
    let other = Plugin { topics: vec![B256::repeat_byte(0x58)], panics: true, ..acme() };
    let answer = Stage::new(&staking(), [other]).answer().await.unwrap();
    assert_eq!((answer.jobs.len(), missing(&answer).len(), &events(&answer).undecoded), (1, 0, &vec![1]));
}

#[tokio::test]
async fn a_plugin_that_fails_costs_its_own_events_and_is_reported_by_its_name() {
    let sound = Plugin { name: "sound", events: vec![stake(1, Some("sound"), 3)], ..acme() };
    for (plugin, expected) in [
        (Plugin { panics: true, ..acme() }, "acme crashed"),
        (Plugin { hangs: true, ..acme() }, "acme timeout"),
        (Plugin { events: vec![stake(9, None, 1)], ..acme() }, "acme invalid-output"),
        (Plugin { events: vec![stake(1, Some("sound"), 1)], ..acme() }, "acme invalid-output"),
    ] {
        let answer = Stage::new(&staking(), [plugin, sound.clone()]).answer().await.unwrap();
        assert_eq!(lines(&answer), ["TRANSFER 0 host - 7", "STAKE 1 sound@1.0.0 sound 3"], "{expected}");
        assert_eq!(missing(&answer), [expected]);
    }
}

#[tokio::test]
async fn a_movement_that_two_contracts_report_is_part_of_one_that_its_transfer_went_to() {
    let logs = vec![transfer(A, ALICE, FARM, 3), staked(), log(BOB, vec![STAKED], ())];
    for (farmed, expected) in [(3, [(None, false), (None, false), (Some(1), true)]), (4, [(None, false); 3])] {
        let plugin = Plugin { events: vec![stake(1, None, farmed), stake(2, Some("acme"), 3)], ..acme() };
        let answer = Stage::new(&chain(receipt(logs.clone())), [plugin]).answer().await.unwrap();
        let part = |event: &Event| (event.merged.part_of, event.merged.is_repeat);
        let parts: Vec<(Option<usize>, bool)> = events(&answer).events.iter().map(part).collect();
        assert_eq!(parts, expected);
    }
}

#[tokio::test]
async fn views_of_all_sources_and_the_metadata_of_tokens_are_one_batch() {
    let script = staking();
    let plugin = Plugin { reads: vec![FARM], events: vec![stake(1, Some("acme"), 3)], ..acme() };
    let answer = Stage::new(&script, [plugin.clone()]).answer().await.unwrap();
    assert_eq!(lines(&answer).len(), 2);
    assert_eq!(script.requests().len(), 1, "{:?}", script.requests());
    assert!(script.requests()[0].iter().any(|read| read.to == FARM));
    let again = Stage::new(&script, []).answer().await.unwrap();
    assert_eq!((lines(&again).len(), script.requests().len()), (1, 1), "what is known takes no request");
}

#[tokio::test]
async fn the_tokens_of_a_pair_are_read_with_the_second_views() {
    let (pair, b) = (Address::repeat_byte(0x1b), Address::repeat_byte(0xb1));
    let mut script = chain(receipt(vec![transfer(pair, ALICE, BOB, 7), staked()]));
    erc20(&mut script, b, "B", 18);
    erc20(&mut script, pair, "UNI-V2", 18);
    let reserves = (U256::from(1), U256::from(1), U256::from(1));
    script.call(pair, &Pair::token0Call {}, A).call(pair, &Pair::token1Call {}, b);
    script.call(pair, &Pair::getReservesCall {}, reserves);
    let plugin = Plugin { reads: vec![FARM, BOB], events: vec![stake(1, None, 3)], ..acme() };
    let answer = Stage::new(&script, [plugin]).answer().await.unwrap();
    let share = asset(&answer, 0);
    assert_eq!(
        (share.symbol.as_str(), share.kind.as_ref(), share.underlying.as_slice()),
        ("A-B", "UNISWAP", &[A, b][..])
    );
    assert_eq!(script.requests().len(), 2);
    assert!(script.requests()[1].iter().any(|read| read.to == BOB));
}

#[tokio::test]
async fn an_event_whose_token_cannot_be_read_is_reported_as_missing() {
    let (b, unread) = (Address::repeat_byte(0xb1), Outcome::Failed(ReadFailure::Timeout));
    let mut script =
        chain(receipt(vec![transfer(A, ALICE, BOB, 7), transfer(b, ALICE, BOB, 8), transfer(b, ALICE, BOB, 9)]));
    for call in [Erc20::nameCall::SELECTOR, Erc20::decimalsCall::SELECTOR] {
        script.outcome(b, &call, unread.clone());
    }
    let answer = Stage::new(&script, []).answer().await.unwrap();
    assert_eq!(
        (lines(&answer), missing(&answer)),
        (vec!["TRANSFER 0 host - 7".to_owned()], vec!["tokens timeout 1".to_owned()])
    );
    assert!(events(&answer).undecoded.is_empty());
    let mut script = chain(receipt(vec![transfer(A, ALICE, BOB, 7)]));
    script.outcome(A, &Erc20::decimalsCall::SELECTOR, unread);
    assert_eq!(Stage::new(&script, []).status().await, 504, "a failure is never an empty list");
}

#[tokio::test]
async fn an_amount_of_a_token_without_decimals_is_shown_and_reported_as_missing_and_a_collection_needs_none() {
    let unknown = Address::repeat_byte(0xd1);
    let found = receipt(vec![transfer(unknown, ALICE, BOB, 7), transfer(A, ALICE, BOB, 8)]);
    let answer = Stage::new(&chain(found), []).answer().await.unwrap();
    assert_eq!(
        (lines(&answer), missing(&answer)),
        (
            vec!["TRANSFER 0 host - 7".to_owned(), "TRANSFER 1 host - 8".to_owned()],
            vec!["tokens upstream 1".to_owned()]
        )
    );
    let detail = format!("token {unknown:#x}: nobody knows its decimals ");
    assert!(answer.jobs.iter().any(|job| job.detail.starts_with(&detail)), "{:?}", answer.jobs);
    assert_eq!(events(&answer).tokens.named(unknown).unwrap().decimals, 0, "in smallest units");

    let topics = vec![keccak256("Transfer(address,address,uint256)"), ALICE.into_word(), BOB.into_word(), B256::ZERO];
    let answer = Stage::new(&chain(receipt(vec![log(unknown, topics, ())])), []).answer().await.unwrap();
    assert_eq!((events(&answer).events.len(), missing(&answer).len()), (1, 0));
}

#[tokio::test]
async fn a_log_that_takes_a_view_which_cannot_be_read_is_reported_as_missing() {
    // Nothing is indexed, so only the contract knows which standard it is.
    let old = log(A, vec![keccak256("Transfer(address,address,uint256)")], (ALICE, BOB, U256::from(7)));
    let mut script = chain(receipt(vec![old, transfer(A, ALICE, BOB, 8)]));
    let owner_of = [&keccak256("ownerOf(uint256)")[..4], &U256::from(7).to_be_bytes::<32>()].concat();
    script.outcome(A, &owner_of, Outcome::Failed(ReadFailure::Upstream));
    let answer = Stage::new(&script, []).answer().await.unwrap();
    assert_eq!(
        (lines(&answer), missing(&answer)),
        (vec!["TRANSFER 1 host - 8".to_owned()], vec!["events upstream".to_owned()])
    );
    assert_eq!((answer.jobs[0].status, &events(&answer).undecoded), (JobStatus::Partial, &vec![0]));
}

#[tokio::test]
async fn a_lost_block_is_read_again_at_another_once() {
    let stage = |lost| Stage::new(chain(receipt(vec![transfer(A, ALICE, BOB, 7)])).lost_below(BLOCK.number + lost), []);
    let answer = stage(1).answer().await.unwrap();
    assert_eq!((lines(&answer).len(), missing(&answer).len()), (1, 0));
    assert_eq!(stage(99).status().await, 502);
}
