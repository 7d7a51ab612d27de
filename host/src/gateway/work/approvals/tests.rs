//! Approvals on scripted networks.

use alloy::primitives::{Bytes, address};
use alloy::sol_types::SolValue;
use portolan_assets::metadata::Erc20;
use portolan_assets::token_list::TokenIndex;
use portolan_plugins::Snapshot;
use portolan_reader::testing::{BLOCK, ScriptedChain, ScriptedReader};

use super::*;
use crate::gateway::approval_lists::UNSETTLED_BLOCKS;

const ETHEREUM: u64 = 1;
const ACCOUNT: Address = Address::repeat_byte(0xac);
const SPENDER: Address = Address::repeat_byte(0x5e);
const PERMIT2: Address = address!("000000000022d473030f116ddee9f6b43ac78ba3");
const A: Address = Address::repeat_byte(0xaa);
const B: Address = Address::repeat_byte(0xbb);
const HEAD: u64 = BLOCK.number;

/// A chain whose tokens have 6 decimals and a supply of 1,000,000, and on which nothing is allowed.
fn chain() -> ScriptedChain {
    let word = |number: u64| Outcome::Ok(U256::from(number).abi_encode().into());
    ScriptedChain::default().otherwise(move |read| match read.data.first_chunk::<4>().copied() {
        Some(Erc20::decimalsCall::SELECTOR) => word(6),
        Some(Erc20::symbolCall::SELECTOR) => Outcome::Ok("T".to_owned().abi_encode().into()),
        Some(Erc20::totalSupplyCall::SELECTOR) => word(1_000_000),
        Some(IAllowance::allowanceCall::SELECTOR | IAllowance::balanceOfCall::SELECTOR) => word(0),
        _ => Outcome::Reverted(Bytes::new()),
    })
}

fn allow(chain: &mut ScriptedChain, block: u64, token: Address, spender: Address, raw: U256) {
    chain.approval(block, token, spender).call(token, &IAllowance::allowanceCall { owner: ACCOUNT, spender }, raw);
}

fn hold(chain: &mut ScriptedChain, token: Address, raw: u64) {
    chain.call(token, &IAllowance::balanceOfCall { account: ACCOUNT }, U256::from(raw));
}

/// A context over the chain, whose list has token A.
fn context(chain: &ScriptedChain) -> Context {
    let reader = ScriptedReader([(ETHEREUM, chain.clone())].into());
    let mut context = Context::over(Arc::new(reader), Snapshot::of_test([]));
    context.token_index = Arc::new(TokenIndex::listing([(ETHEREUM, A)], 0));
    context
}

async fn answer(context: Context) -> Result<Answer, Problem> {
    let work = ApprovalWork::new(&context, ACCOUNT, Some(ETHEREUM));
    context.open(&work.networks(&context)).await;
    work.answer(context).await
}

/// Token, spender, allowance, what is at risk, and true if it is unlimited.
fn rows(answer: &Answer) -> Vec<(Address, Address, U256, u64, bool)> {
    let Items::Approvals(rows) = &answer.items else { panic!("{:?}", answer.items) };
    let row = |row: &Allowance| {
        (row.token.address, row.spender.address, row.amount, row.at_risk().to::<u64>(), row.is_unlimited())
    };
    rows.iter().map(row).collect()
}

fn missing(answer: &Answer) -> Vec<(&str, Option<usize>)> {
    answer.missing.iter().map(|one| (one.reason.as_str(), one.count)).collect()
}

#[tokio::test]
async fn what_is_at_risk_is_the_allowance_or_the_balance_if_that_is_less() {
    let mut chain = chain();
    allow(&mut chain, 5, B, SPENDER, U256::from(40));
    allow(&mut chain, 6, A, SPENDER, U256::MAX);
    allow(&mut chain, 7, A, PERMIT2, U256::from(1_000_001));
    // An allowance that was used up or taken back.
    chain.approval(8, A, Address::repeat_byte(0x11));
    hold(&mut chain, A, 700);
    hold(&mut chain, B, 900);
    let answer = answer(context(&chain)).await.unwrap();
    // The listed token first.
    let expected = [
        (A, PERMIT2, U256::from(1_000_001), 700, true),
        (A, SPENDER, U256::MAX, 700, true),
        (B, SPENDER, U256::from(40), 40, false),
    ];
    assert_eq!(rows(&answer), expected);
    assert!(missing(&answer).is_empty(), "{:?}", answer.missing);
    let Items::Approvals(rows) = &answer.items else { panic!("{:?}", answer.items) };
    assert_eq!(rows.iter().map(|row| row.spender.name).collect::<Vec<_>>(), [Some("Permit2"), None, None]);
    let revocation = &rows[2].revocation;
    assert_eq!((revocation.to, revocation.from, revocation.value), (B, ACCOUNT, U256::ZERO));
    let data = format!("0x095ea7b3{:0>64}{:0>64}", &format!("{SPENDER:#x}")[2..], "");
    assert_eq!(revocation.data.to_string(), data);
}

#[tokio::test]
async fn an_allowance_that_cannot_be_read_is_counted_and_named() {
    let mut chain = chain();
    allow(&mut chain, 5, A, SPENDER, U256::from(40));
    hold(&mut chain, A, 9);
    let data = IAllowance::allowanceCall { owner: ACCOUNT, spender: SPENDER }.abi_encode();
    chain.approval(6, B, SPENDER).outcome(B, &data, Outcome::Reverted(Bytes::new()));
    let answer = answer(context(&chain)).await.unwrap();
    assert_eq!(rows(&answer), [(A, SPENDER, U256::from(40), 9, false)]);
    assert_eq!(missing(&answer), [("upstream", Some(1))]);
    assert!(answer.jobs[0].detail.contains(&format!("{B:#x}")), "{}", answer.jobs[0].detail);
}

#[tokio::test]
async fn old_logs_that_no_node_has_are_told() {
    let mut chain = chain();
    allow(&mut chain, HEAD, A, SPENDER, U256::from(40));
    chain.logs_from(1_000);
    let answer = answer(context(&chain)).await.unwrap();
    assert_eq!(rows(&answer), [(A, SPENDER, U256::from(40), 0, false)]);
    assert_eq!(missing(&answer), [("history", None)]);
    let detail = "the logs of the blocks 0 to 999 were not searched: no node has them";
    assert_eq!(answer.jobs[1].detail, detail);
}

#[tokio::test]
async fn where_no_block_was_searched_there_is_no_answer() {
    let mut chain = chain();
    chain.logs_from(HEAD + 1);
    assert_eq!(answer(context(&chain)).await.unwrap_err().response().status().as_u16(), 502);
}

#[tokio::test]
async fn a_second_answer_searches_only_what_is_new() {
    let mut chain = chain();
    allow(&mut chain, 5, A, SPENDER, U256::from(40));
    let first = context(&chain);
    let second = first.at_newest();
    answer(first).await.unwrap();
    assert_eq!(rows(&answer(second).await.unwrap()).len(), 1, "what was found before is known");
    let ranges: Vec<(u64, u64)> = chain.searches().iter().map(|query| (query.from, query.to)).collect();
    assert_eq!(ranges, [(0, HEAD), (HEAD - UNSETTLED_BLOCKS + 1, HEAD)]);
}

#[tokio::test]
async fn a_flood_of_worthless_tokens_is_bounded_and_told() {
    let mut chain = chain();
    for number in 0..2_000_u64 {
        chain.approval(number, Address::from_word(U256::from(number + 1).into()), SPENDER);
    }
    allow(&mut chain, 5, A, SPENDER, U256::from(40));
    let answer = answer(context(&chain)).await.unwrap();
    assert_eq!(rows(&answer).len(), 1, "the listed token is there");
    assert_eq!(missing(&answer), [("over-budget", None)]);
    // 300 of them and the listed one: an allowance and a balance of each.
    assert_eq!(answer.jobs[0].stats.reads, 602);
}
