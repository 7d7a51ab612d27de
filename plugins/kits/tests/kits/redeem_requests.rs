//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::redeem_requests::RedeemRequestsKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, n, plugin};

sol! {
    struct Redemption {
        uint256 prev;
        uint256 next;
        uint256 pendingShares;
        uint256 redeemableShares;
        uint256 withdrawableAmount;
        address controller;
        uint64 redemptionTimestamp;
    }
    function asset() external view returns (address);
    function redemptionIds(address) external view returns (uint256[]);
    function redemption(uint256) external view returns (Redemption, uint256);
    function redemptionSharePrice() external view returns (uint256);
}

const NETWORK: u64 = 42_161;
const VAULT: Address = Address::repeat_byte(1);
const USDAI: Address = Address::repeat_byte(2);
const WAD: u64 = 1_000_000_000_000_000_000;

plugin! {
    Requests: &RedeemRequestsKit { request: "request" },
    ["requests" = "REQUESTS"],
    r#"
    [[deployment]]
    protocol = "requests"
    network = "arbitrum"
    request_vaults = ["0x0101010101010101010101010101010101010101"]
    "#
}

/// A request: what waits, in shares, what is ready, and the end of its window.
type Request = (u64, u64, u64);

/// Requests of an account from the seventh on. A share is worth five quarters.
fn chain(requests: &[Request]) -> CannedReplies {
    let ids: Vec<U256> = (7..).take(requests.len()).map(n).collect();
    let chain = CannedReplies::default()
        .reply(NETWORK, VAULT, &redemptionIdsCall(ACCOUNT), &ids)
        .reply(NETWORK, VAULT, &assetCall {}, &USDAI)
        .reply(NETWORK, VAULT, &redemptionSharePriceCall {}, &n(WAD / 4 * 5));
    ids.iter().zip(requests).fold(chain, |chain, (id, (waits, ready, end))| {
        let redemption = Redemption {
            prev: n(1),
            next: n(2),
            pendingShares: n(*waits),
            redeemableShares: n(ready / 2),
            withdrawableAmount: n(*ready),
            controller: ACCOUNT,
            redemptionTimestamp: *end,
        };
        chain.reply(NETWORK, VAULT, &redemptionCall(*id), &(redemption, n(3)))
    })
}

fn run(chain: &CannedReplies) -> Outcome {
    JobTest::new("requests", NETWORK, Question::LOCKED, ACCOUNT).run::<Requests>(chain)
}

/// Number, amount and end of each request.
fn locked(outcome: &Outcome) -> Vec<(Option<U256>, U256, Option<u64>)> {
    let row = |row: &&Position| {
        let leg = &row.legs[0];
        assert_eq!((row.legs.len(), leg.role, leg.token), (1, LegRole::LOCKED, USDAI));
        (row.number, leg.amount, row.lock.as_ref().and_then(|lock| lock.unlocks_at))
    };
    outcome.positions().iter().map(row).collect()
}

#[test]
fn requests_wait_for_their_window_and_then_for_their_turn() {
    // In its window; over but not paid; paid in part; paid; taken.
    let (soon, past) = (NOW_S + 5, NOW_S - 5);
    let outcome = run(&chain(&[(4, 0, soon), (8, 0, past), (12, 9, past), (0, 11, past), (0, 0, past)]));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [
        (Some(n(7)), n(5), Some(soon)),
        (Some(n(8)), n(10), None),
        (Some(n(9)), n(15 + 9), None),
        (Some(n(10)), n(11), Some(past)),
    ];
    assert_eq!(locked(&outcome), expected);
    let is_ready = |row: &&Position| row.name.ends_with("redemption that is ready");
    assert_eq!(outcome.positions().iter().map(is_ready).collect::<Vec<_>>(), [false, false, false, true]);
}

#[test]
fn a_request_in_the_last_second_of_its_window_still_waits_for_it() {
    assert_eq!(locked(&run(&chain(&[(4, 0, NOW_S)]))), [(Some(n(7)), n(5), Some(NOW_S))]);
}

#[test]
fn an_account_with_nothing_costs_one_read() {
    let outcome = run(&chain(&[]));
    assert_eq!((outcome.end, outcome.findings.len(), outcome.batches), (End::Complete, 0, vec![1]));
}

#[test]
fn a_request_that_cannot_be_read_loses_only_itself() {
    let two = || chain(&[(4, 0, NOW_S), (8, 0, NOW_S)]);
    let rest = [(Some(n(7)), n(5), Some(NOW_S))];
    let foreign = Redemption {
        prev: n(0),
        next: n(0),
        pendingShares: n(8),
        redeemableShares: n(0),
        withdrawableAmount: n(0),
        controller: VAULT,
        redemptionTimestamp: NOW_S,
    };
    for broken in [
        two().revert(NETWORK, VAULT, &redemptionCall(n(8))),
        two().reply(NETWORK, VAULT, &redemptionCall(n(8)), &(foreign, n(0))),
    ] {
        let outcome = run(&broken);
        assert_eq!((outcome.end, locked(&outcome)), (End::Partial, rest.to_vec()), "{}", outcome.message);
    }
    // What is ready needs no price.
    let priceless = chain(&[(4, 0, NOW_S), (0, 9, NOW_S)]).revert(NETWORK, VAULT, &redemptionSharePriceCall {});
    let outcome = run(&priceless);
    assert_eq!(
        (outcome.end, locked(&outcome)),
        (End::Partial, vec![(Some(n(8)), n(9), Some(NOW_S))]),
        "{}",
        outcome.message
    );
    assert_eq!(run(&two().revert(NETWORK, VAULT, &redemptionIdsCall(ACCOUNT))).end, End::Failed);
    let many = chain(&vec![(4, 0, NOW_S); 70]);
    assert_eq!((run(&many).end, locked(&run(&many)).len()), (End::Partial, 64));
}
