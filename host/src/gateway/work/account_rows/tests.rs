//! A claim whose target an endpoint misreported once, over a scripted chain and a scripted plugin.

use alloy::sol_types::{SolCall, SolValue};
use portolan_abi::Question;
use portolan_abi::map::{self, Catalogue};
use portolan_abi::row::freshness;
use portolan_plugins::testing::{ScriptedPlugin, ScriptedRead, ScriptedStep};
use portolan_reader::testing::ScriptedChain;
use portolan_reader::{Kind, Outcome, Read, ReadFailure};

use super::script::{ACCOUNT, FARM, THIEF, acme, claimables, reward};
use super::*;
use crate::gateway::answer::RowItem;

alloy::sol! {
    function farm() external view returns (address);
}

const FACTORY: Address = Address::repeat_byte(0xfc);
const FARM_OF: [u8; 4] = farmCall::SELECTOR;
const EARNED: [u8; 4] = [2, 2, 2, 2];

/// Reads the farm's address from the factory as an immutable fact, reads from the farm what it owes unless lazy, and
/// claims seven from the farm.
fn farming(is_lazy: bool) -> ScriptedPlugin {
    let lineage = map::Lineage { view: "farm()".to_owned(), gives: map::lineage::TARGET, ..map::Lineage::default() };
    let catalogue = Catalogue { lineages: Some(vec![lineage]), ..acme(Question::CLAIMABLES, FACTORY) };
    ScriptedPlugin::new("acme", catalogue).script(move |job| match &job.replies[..] {
        [] => ScriptedStep::Reads(vec![ScriptedRead::call(FACTORY, &FARM_OF).fresh(freshness::IMMUTABLE, 0)]),
        [named] if !is_lazy => ScriptedStep::Reads(vec![ScriptedRead::call(named[0].address(), &EARNED)]),
        [named, ..] => ScriptedStep::finds(reward(named[0].address(), named[0].address())),
    })
}

fn word(address: Address) -> Outcome {
    Outcome::Ok(address.abi_encode().into())
}

/// A chain whose factory names the farm; both the farm and the thief's contract reply.
fn chain() -> ScriptedChain {
    let mut script = script::chain();
    script
        .outcome(FACTORY, &FARM_OF, word(FARM))
        .outcome(FARM, &EARNED, word(FARM))
        .outcome(THIEF, &EARNED, word(THIEF))
        // An account with no code and no balance.
        .outcome(ACCOUNT, &[], word(Address::ZERO));
    script
}

async fn answer(script: &ScriptedChain, is_lazy: bool) -> Result<Answer, Problem> {
    script::answer(script, farming(is_lazy).instance(), claimables()).await
}

/// Returns the targets of the answer's claims.
fn targets(answer: &Answer) -> Vec<Address> {
    let Items::Rows { rows, .. } = &answer.items else { panic!("{:?}", answer.items) };
    let target = |row: &Row| match &row.item {
        RowItem::Payment { claim, .. } => claim.transactions[0].to,
        other => panic!("{other:?}"),
    };
    rows.iter().map(target).collect()
}

/// Returns the number of reads of the factory in each request.
fn of_factory(script: &ScriptedChain) -> Vec<usize> {
    let count = |request: &Vec<Read>| request.iter().filter(|read| read.to == FACTORY).count();
    script.requests().iter().map(count).collect()
}

#[tokio::test]
async fn a_cached_lie_is_no_target_and_the_job_runs_again_without_it() {
    for is_lazy in [false, true] {
        let mut script = chain();
        script.cache(FACTORY, &FARM_OF, word(THIEF));
        let answer = answer(&script, is_lazy).await.unwrap();
        assert_eq!(targets(&answer), [FARM], "lazy: {is_lazy}");
        assert!(answer.missing.is_empty(), "{:?}", answer.missing);
    }
}

#[tokio::test]
async fn a_cached_fact_is_read_again_in_the_batch_that_leaves_anyway() {
    let mut script = chain();
    assert_eq!(targets(&answer(&script, false).await.unwrap()), [FARM]);
    let cold = script.requests().len();
    script.cache(FACTORY, &FARM_OF, word(FARM));
    script.next_block();
    assert_eq!(targets(&answer(&script, false).await.unwrap()), [FARM]);
    let at_next_block = &of_factory(&script)[cold..];
    let of_factory = at_next_block.iter().filter(|reads| **reads > 0);
    assert_eq!(of_factory.collect::<Vec<_>>(), [&1], "one request with one read of the factory");
    let tried = |request: &Vec<Read>| matches!(request[..], [Read { kind: Kind::Simulation(_), .. }]);
    assert_eq!(script.requests()[cold..].iter().filter(|request| tried(request)).count(), 1, "then the claim is tried");
}

#[tokio::test]
async fn a_target_that_cannot_be_read_again_is_reported_and_not_shown() {
    let mut script = chain();
    assert_eq!(targets(&answer(&script, true).await.unwrap()), [FARM]);
    script.cache(FACTORY, &FARM_OF, word(FARM));
    script.next_block();
    script.outcome(FACTORY, &FARM_OF, Outcome::Failed(ReadFailure::Timeout));
    let problem = answer(&script, true).await.unwrap_err();
    assert_eq!(problem.response().status().as_u16(), 504);
}
