//! Several accounts over a scripted chain and a scripted plugin: shared batches, and failures of one account.

use std::sync::Arc;

use alloy::primitives::{Address, U256};
use alloy::sol_types::SolValue;
use portolan_abi::Question;
use portolan_abi::row::{state, status};
use portolan_plugins::Snapshot;
use portolan_plugins::testing::{ScriptedEnd, ScriptedPlugin, ScriptedRead, ScriptedStep};
use portolan_reader::testing::ScriptedChain;
use portolan_reader::{Outcome, ReadFailure};

use super::*;
use crate::gateway::query::{AboutRows, ClaimOptions, Filter};
use crate::gateway::work::account_rows::script::{self, FARM, acme, reward};

const WITH_STAKE: Address = Address::repeat_byte(0xb1);
const WITHOUT: Address = Address::repeat_byte(0xb2);
const BROKEN: Address = Address::repeat_byte(0xb3);
const EARNED: [u8; 4] = [2, 2, 2, 2];

fn earned(account: Address) -> Vec<u8> {
    [&EARNED[..], account.into_word().as_slice()].concat()
}

fn word(number: u64) -> Outcome {
    Outcome::Ok(U256::from(number).abi_encode().into())
}

/// Reads what an account earned, and finds a claim if that is something.
fn farming() -> ScriptedPlugin {
    ScriptedPlugin::new("acme", acme(Question::CLAIMABLES, FARM)).script(|job| match &job.replies[..] {
        [] => ScriptedStep::Reads(vec![ScriptedRead::call(FARM, &earned(job.start.account))]),
        [replies, ..] => match &replies[0] {
            reply if reply.status != status::OK => {
                ScriptedStep::Ends(ScriptedEnd { state: state::FAILED, ..ScriptedEnd::default() })
            }
            reply if reply.address().is_zero() => ScriptedStep::Ends(ScriptedEnd::default()),
            _ => ScriptedStep::finds(reward(FARM, FARM)),
        },
    })
}

fn chain() -> ScriptedChain {
    let mut script = script::chain();
    script.outcome(FARM, &earned(WITH_STAKE), word(7));
    script.outcome(FARM, &earned(BROKEN), Outcome::Failed(ReadFailure::Timeout));
    script.otherwise(|_| word(0))
}

async fn answer(script: &ScriptedChain, accounts: &[Address]) -> Result<Answer, Problem> {
    let context = Context::over(script.reader(), Snapshot::of_test([Arc::new(farming().instance())]));
    let options = ClaimOptions { simulate: Some(false), worth: false };
    let about = AboutRows::Claimables { filter: Filter::All, chain_id: None, options };
    let each = RowWork::new(&context, Address::ZERO, &about)?;
    let work = AccountsWork::new(accounts.iter().map(|account| Account::Address(*account)).collect(), each);
    context.open(&work.networks(&context)).await;
    work.answer(context).await
}

/// Account, number of rows and reasons of each part.
fn shown(answer: &Answer) -> Vec<(Address, Option<usize>, Vec<&'static str>)> {
    let Items::Accounts(answers) = &answer.items else { panic!("{:?}", answer.items) };
    let reasons = |missing: &[MissingEntry]| missing.iter().map(|entry| entry.reason.as_str()).collect();
    let part = |one: &AccountAnswer| (one.account.unwrap(), one.items.as_ref().map(Items::len), reasons(&one.missing));
    answers.iter().map(part).collect()
}

#[tokio::test]
async fn what_fails_for_one_account_is_missing_from_its_part_alone() {
    let answer = answer(&chain(), &[BROKEN, WITH_STAKE, WITHOUT]).await.unwrap();
    let expected = [(BROKEN, None, vec!["timeout"]), (WITH_STAKE, Some(1), Vec::new()), (WITHOUT, Some(0), Vec::new())];
    assert_eq!(shown(&answer), expected);
    assert_eq!(answer.missing.iter().map(|entry| entry.reason.as_str()).collect::<Vec<_>>(), ["timeout"]);
    let accounts: Vec<Option<Address>> = answer.jobs.iter().map(|job| job.account).collect();
    assert_eq!(accounts, [Some(BROKEN), Some(WITH_STAKE), Some(WITHOUT)]);
}

#[tokio::test]
async fn an_answer_without_anything_about_any_account_is_a_problem() {
    let problem = answer(&chain(), &[BROKEN]).await.unwrap_err();
    assert!(
        matches!(&problem, Problem::OfJobs { problem, .. } if matches!(**problem, Problem::Deadline(_))),
        "{problem:?}"
    );
}

#[tokio::test]
async fn the_reads_of_all_accounts_leave_together() {
    let accounts: Vec<Address> = (1..=50).map(|number| Address::left_padding_from(&[number])).collect();
    let requests = async |accounts: &[Address]| {
        let script = chain();
        answer(&script, accounts).await.unwrap();
        script.requests().iter().map(Vec::len).collect::<Vec<_>>()
    };
    let (one, all) = (requests(&accounts[..1]).await, requests(&accounts).await);
    assert_eq!((one.as_slice(), all.as_slice()), ([1].as_slice(), [50].as_slice()));
}

#[tokio::test]
async fn accounts_beyond_the_number_of_jobs_are_read_after_the_others() {
    let accounts: Vec<Address> =
        (1..=5_000_u64).map(|number| Address::left_padding_from(&number.to_be_bytes())).collect();
    let script = chain();
    let answer = answer(&script, &accounts).await.unwrap();
    assert!(shown(&answer).iter().all(|(_, rows, missing)| *rows == Some(0) && missing.is_empty()));
    let requests: Vec<usize> = script.requests().iter().map(Vec::len).collect();
    assert_eq!(requests.iter().sum::<usize>(), 5_000);
    assert!(requests.iter().all(|reads| *reads <= JOBS_MAX), "{requests:?}");
}
