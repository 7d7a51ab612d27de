//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared here once more, so that a wrong one in the kit is a failing test.

use portolan_kits::accounts::{AccountProtocols, Accounts, DeploymentRow};
use portolan_kits::kit::Kit;
use portolan_kits::protocol::ProtocolRow;
use portolan_kits::validator_shares::ValidatorShares;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

sol! {
    function NFTCounter() external view returns (uint256);
    function validators(uint256) external view returns (
        uint256, uint256, uint256, uint256, uint256, address, address, uint8, uint256, uint256, uint256, uint256, uint256
    );
    function balanceOf(address) external view returns (uint256);
    function getTotalStake(address) external view returns (uint256, uint256);
    function getLiquidRewards(address) external view returns (uint256);
    function withdrawRewardsPOL() external;
}

const NETWORK: u64 = 1;
const MANAGER: Address = address!("0xc000000000000000000000000000000000000001");
const SIGNER: Address = address!("0xc000000000000000000000000000000000000002");
const ACCOUNT: Address = address!("0xacc0000000000000000000000000000000000001");
const POL: Address = address!("0xa000000000000000000000000000000000000001");
const SHARES: ValidatorShares = ValidatorShares { delegation: "validator-shares" };

struct Polygon;

impl AccountProtocols for Polygon {
    const PROTOCOLS: &'static [ProtocolRow] = &[ProtocolRow::new("polygon", "POLYGON", "https://example.org")];
    const KITS: &'static [&'static dyn Kit] = &[&SHARES];
    const DEPLOYMENTS: &'static [DeploymentRow] =
        &[DeploymentRow { protocol: "polygon", network: NETWORK, market: "main", contracts: &SHARES.of(MANAGER, POL) }];
}

portolan_plugin_api::export!(Accounts<Polygon>);

fn n(number: u64) -> U256 {
    U256::from(number)
}

fn shares(validator: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &validator.to_be_bytes()].concat())
}

fn validator(chain: CannedReplies, number: u64, contract: Address) -> CannedReplies {
    let zero = || n(0);
    let info = (n(5), zero(), n(1), zero(), zero(), SIGNER, contract, n(1), zero(), zero(), zero(), n(9), zero());
    let reply = ReadResult::Ok(info.abi_encode_params().into());
    chain.result(NETWORK, MANAGER, &validatorsCall(n(number)), reply)
}

/// A manager with validators 1 to `count`, of whom the account has nothing. To the first nobody can delegate.
fn manager(count: u64) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, MANAGER, &NFTCounterCall {}, &n(count + 1));
    let chain = validator(chain, 1, Address::ZERO);
    (2..=count).fold(chain, |chain, number| {
        validator(chain, number, shares(number)).reply(NETWORK, shares(number), &balanceOfCall(ACCOUNT), &n(0))
    })
}

/// Shares of a validator that are worth `stake` and have earned `owed`.
fn delegate(chain: CannedReplies, number: u64, stake: u64, owed: u64) -> CannedReplies {
    chain
        .reply(NETWORK, shares(number), &balanceOfCall(ACCOUNT), &n(2 * stake))
        .reply(NETWORK, shares(number), &getTotalStakeCall(ACCOUNT), &(n(stake), n(50)))
        .reply(NETWORK, shares(number), &getLiquidRewardsCall(ACCOUNT), &n(owed))
}

fn case(question: Question) -> JobTest {
    JobTest::new("polygon", NETWORK, question, ACCOUNT)
}

fn run(question: Question, chain: impl Replies) -> Outcome {
    let known = [Address::ZERO, shares(2), shares(3), shares(4)];
    case(question).facts("main", "shares", &known).run::<Polygon>(chain)
}

fn paid(outcome: &Outcome) -> Vec<(Option<U256>, Address, U256)> {
    outcome.payments().into_iter().map(|row| (row.number, row.token, row.amount)).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &manager(4));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1, 3]);
        let walked = case(question).run::<Polygon>(&manager(4));
        assert_eq!((walked.end, walked.findings.len()), (End::Complete, 0), "{}", walked.message);
        assert_eq!(walked.facts::<Address>("main", "shares"), [Address::ZERO, shares(2), shares(3), shares(4)]);
        assert_eq!(case(question).run::<Polygon>(&manager(1)).end, End::Complete);
    }
}

#[test]
fn rewards_are_claimed_of_each_validator() {
    let chain = delegate(delegate(delegate(manager(4), 2, 10, 7), 3, 1, 0), 4, 20, 1);
    let outcome = run(Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(paid(&outcome), [(Some(n(2)), POL, n(7)), (Some(n(4)), POL, n(1))]);
    let row = outcome.payments()[0];
    assert_eq!((row.contract, row.claim.to, row.claim.arguments.len()), (shares(2), shares(2), 0));
    assert_eq!(row.name, "Validator 2 rewards");
    assert_eq!(outcome.batches, [1, 3, 6]);
}

#[test]
fn a_delegation_is_what_its_shares_are_worth() {
    let outcome = run(Question::FARMING, &delegate(delegate(manager(4), 2, 10, 7), 4, 1, 0));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 2), "{}", outcome.message);
    let legs: Vec<_> = outcome.legs().into_iter().map(|leg| (leg.number, leg.token, leg.amount)).collect();
    assert_eq!(legs, [(Some(n(2)), POL, n(10)), (Some(n(4)), POL, n(1))]);
    assert!(outcome.legs().iter().all(|leg| leg.rewards == [Reward::new(POL, None)]));
}

#[test]
fn a_bad_validator_costs_its_own_rows_and_is_reported() {
    let chain = delegate(delegate(manager(4), 2, 10, 7), 4, 20, 1);
    let bad = [
        chain.clone().revert(NETWORK, shares(2), &balanceOfCall(ACCOUNT)),
        chain.clone().revert(NETWORK, shares(2), &getLiquidRewardsCall(ACCOUNT)),
        // The manager names another contract by now.
        validator(chain.clone(), 2, SIGNER),
    ];
    for chain in bad {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, paid(&outcome)), (End::Partial, vec![(Some(n(4)), POL, n(1))]), "{}", outcome.message);
        assert!(outcome.message.starts_with("main: "), "{}", outcome.message);
    }
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(run(question, |_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}
