//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::exit_nfts::ExitNftsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, by_number, n, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function withdrawalRequests(uint256) external view returns (uint256, uint256, uint256);
    function getProcessedRateForTokenId(uint256) external view returns (bool, uint256);
    function finalizeWithdrawal(uint256) external;
}

const NETWORK: u64 = 1;
const NFT: Address = address!("0xc000000000000000000000000000000000000001");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const WAD: u64 = 1_000_000_000_000_000_000;

const TYPES: ExitNftsKit = ExitNftsKit { exit: "exit" };

plugin! {
    Exits: &TYPES,
    ["exits" = "EXITS"],
    r#"
    [[deployment]]
    protocol = "exits"
    network = "ethereum"
    exit_nft = "0xc000000000000000000000000000000000000001"
    exited_token = "0xa000000000000000000000000000000000000001"
    "#
}

/// Exits of the account: id, amount, rate of the request, and that of the processing or 0.
fn chain(exits: &[(u64, u64, u64, u64)]) -> CannedReplies {
    let count = U256::from(exits.len());
    let chain = CannedReplies::default().reply(NETWORK, NFT, &balanceOfCall(ACCOUNT), &count);
    exits.iter().enumerate().fold(chain, |chain, (place, (id, amount, created, processed))| {
        let index = tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: U256::from(place) };
        chain
            .reply(NETWORK, NFT, &index, &n(*id))
            .reply(NETWORK, NFT, &withdrawalRequestsCall(n(*id)), &(n(*amount), n(0), n(*created)))
            .reply(NETWORK, NFT, &getProcessedRateForTokenIdCall(n(*id)), &(*processed > 0, n(*processed)))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("exits", NETWORK, question, ACCOUNT).run::<Exits>(chain)
}

const THREE: [(u64, u64, u64, u64); 3] =
    [(7, 100, WAD, WAD / 4 * 5), (8, 200, WAD / 4 * 5, WAD / 10 * 11), (9, 300, WAD, 0)];

#[test]
fn an_exit_pays_by_the_lower_rate() {
    let outcome = run(Question::CLAIMABLES, &chain(&THREE));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(7)), NATIVE, n(100)), (Some(n(8)), NATIVE, n(220))]);
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (NFT, &finalizeWithdrawalCall(n(7)).abi_encode()[4..]));
}

#[test]
fn an_exit_that_waits_is_locked() {
    let outcome = run(Question::LOCKED, &chain(&THREE));
    let legs: Vec<_> = outcome.legs().iter().map(|leg| (leg.number, leg.token, leg.amount)).collect();
    assert_eq!(legs, [(Some(n(9)), TOKEN, n(300))]);
    outcome.check_totals(&run(Question::CLAIMABLES, &chain(&THREE)));
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &chain(&[]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
}

#[test]
fn an_exit_that_cannot_be_read_loses_only_itself() {
    let broken = chain(&THREE).revert(NETWORK, NFT, &withdrawalRequestsCall(n(8)));
    let outcome = run(Question::CLAIMABLES, &broken);
    assert_eq!((outcome.end, by_number(&outcome).len()), (End::Partial, 1), "{}", outcome.message);
    let huge = chain(&[(7, 1, 1, 1)]).reply(NETWORK, NFT, &withdrawalRequestsCall(n(7)), &(U256::MAX, n(0), U256::MAX));
    let huge = huge.reply(NETWORK, NFT, &getProcessedRateForTokenIdCall(n(7)), &(true, U256::MAX));
    assert_eq!(run(Question::CLAIMABLES, &huge).end, End::Failed);
    assert_eq!(run(Question::LOCKED, &CannedReplies::default()).end, End::Failed);
}
