//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::lockup_streams::LockupStreamsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, by_number, list, n, one_row, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function nextStreamId() external view returns (uint256);
    function ownerOf(uint256) external view returns (address);
    function getDepositedAmount(uint256) external view returns (uint128);
    function getWithdrawnAmount(uint256) external view returns (uint128);
    function getRefundedAmount(uint256) external view returns (uint128);
    function withdrawableAmountOf(uint256) external view returns (uint128);
    function getStartTime(uint256) external view returns (uint40);
    function getEndTime(uint256) external view returns (uint40);
    function getCliffTime(uint256) external view returns (uint40);
    function getAsset(uint256) external view returns (address);
    function getUnderlyingToken(uint256) external view returns (address);
    function calculateMinFeeWei(uint256) external view returns (uint256);
    function withdrawMax(uint256, address) external payable;
}

const NETWORK: u64 = 1;
const OLD: Address = address!("0xf000000000000000000000000000000000000001");
const NEW: Address = address!("0xf000000000000000000000000000000000000002");
const TOKEN: Address = address!("0xa000000000000000000000000000000000000001");
const OTHER: Address = address!("0xacc0000000000000000000000000000000000002");
/// Streams of the canned contract that are read; the account's are the second and the third.
const STREAMS: u64 = 4;

const STREAM: LockupStreamsKit = LockupStreamsKit { stream: "stream" };

plugin! {
    Sablier: &STREAM,
    ["sablier" = "SABLIER"],
    r#"
    [[deployment]]
    protocol = "sablier"
    network = "ethereum"
    lockups = ["0xf000000000000000000000000000000000000001"]
    fee_lockups = ["0xf000000000000000000000000000000000000002"]
    "#
}

fn nothing() -> CannedReplies {
    [OLD, NEW]
        .into_iter()
        .fold(CannedReplies::default(), |chain, of| chain.reply(NETWORK, of, &balanceOfCall(ACCOUNT), &n(0)))
}

/// Amounts of a stream: deposited, withdrawn, refunded and released.
type Amounts = [u64; 4];

/// The account has the streams 2 and 3 of a contract; the first is burnt and the last is another account's.
fn streams(chain: CannedReplies, of: Address, second: Amounts, third: Amounts) -> CannedReplies {
    let chain = chain
        .reply(NETWORK, of, &balanceOfCall(ACCOUNT), &n(2))
        .reply(NETWORK, of, &nextStreamIdCall {}, &n(STREAMS + 1))
        .revert(NETWORK, of, &ownerOfCall(n(1)))
        .reply(NETWORK, of, &ownerOfCall(n(4)), &OTHER);
    [(2, second), (3, third)].into_iter().fold(chain, |chain, (id, [deposited, withdrawn, refunded, released])| {
        let id = n(id);
        let chain = chain
            .reply(NETWORK, of, &ownerOfCall(id), &ACCOUNT)
            .reply(NETWORK, of, &getDepositedAmountCall(id), &n(deposited))
            .reply(NETWORK, of, &getWithdrawnAmountCall(id), &n(withdrawn))
            .reply(NETWORK, of, &getRefundedAmountCall(id), &n(refunded))
            .reply(NETWORK, of, &withdrawableAmountOfCall(id), &n(released))
            .reply(NETWORK, of, &getStartTimeCall(id), &n(NOW_S - 30))
            .reply(NETWORK, of, &getEndTimeCall(id), &n(NOW_S + 70));
        if of == OLD {
            let chain = chain.reply(NETWORK, of, &getAssetCall(id), &TOKEN);
            return chain.reply(NETWORK, of, &getCliffTimeCall(id), &n(NOW_S - 10)).revert(
                NETWORK,
                of,
                &getUnderlyingTokenCall(id),
            );
        }
        let chain = chain.reply(NETWORK, of, &getUnderlyingTokenCall(id), &TOKEN);
        let chain = chain.revert(NETWORK, of, &getAssetCall(id)).revert(NETWORK, of, &getCliffTimeCall(id));
        chain.reply(NETWORK, of, &calculateMinFeeWeiCall(id), &n(77))
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("sablier", NETWORK, question, ACCOUNT).run::<Sablier>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn what_is_released_can_be_withdrawn_and_the_rest_vests() {
    let chain = streams(nothing(), OLD, [100, 10, 0, 20], [9, 0, 0, 0]);
    let (claims, locked) = (run(Question::CLAIMABLES, &chain), run(Question::LOCKED, &chain));
    assert_eq!((claims.end, locked.end), (End::Complete, End::Complete), "{} {}", claims.message, locked.message);
    assert_eq!(by_number(&claims), [(Some(n(2)), TOKEN, n(20))]);
    let claim = &claims.claimables()[0].steps[0];
    assert_eq!((claim.to, claim.template, claim.value), (OLD, 0, None));
    assert_eq!(claim.arguments, (n(2), ACCOUNT).abi_encode());
    let [one, other] = locked.positions()[..] else { panic!("{} positions", locked.positions().len()) };
    assert_eq!((one.kind, one.number, one.legs[0].amount), (PositionKind::VESTING, Some(n(2)), n(70)));
    let schedule =
        Vesting { start: Some(NOW_S - 30), cliff: Some(NOW_S - 10), end: Some(NOW_S + 70), releasable: Some(n(20)) };
    assert_eq!((one.vesting, one.nft), (Some(schedule), Some(Nft { collection: OLD, token_id: n(2) })));
    assert_eq!((other.number, other.legs[0].amount), (Some(n(3)), n(9)));
    locked.check_totals(&claims);
}

#[test]
fn a_withdrawal_of_a_later_version_has_the_fee_that_the_contract_says() {
    let claims = run(Question::CLAIMABLES, &streams(nothing(), NEW, [100, 0, 0, 30], [9, 0, 0, 3]));
    assert_eq!(by_number(&claims), [(Some(n(2)), TOKEN, n(30)), (Some(n(3)), TOKEN, n(3))], "{}", claims.message);
    for claimable in claims.claimables() {
        assert_eq!((claimable.steps[0].template, claimable.steps[0].value), (1, Some(n(77))));
    }
    let templates = testing::catalogue::<Sablier>(&Settings::default()).claims;
    let told: Vec<_> = templates.iter().map(|it| (it.signature.as_str(), it.fee.as_deref())).collect();
    let function = "withdrawMax(uint256,address)";
    assert_eq!(told, [(function, None), (function, Some("calculateMinFeeWei(uint256)"))]);
    let locked = run(Question::LOCKED, &streams(nothing(), NEW, [100, 0, 0, 30], [9, 0, 0, 9]));
    let [position] = locked.positions()[..] else { panic!("{} positions", locked.positions().len()) };
    assert_eq!(position.vesting.and_then(|schedule| schedule.cliff), None);
}

#[test]
fn a_stream_that_was_cancelled_no_longer_vests() {
    let chain = streams(nothing(), OLD, [100, 10, 70, 20], [9, 9, 0, 0]);
    assert_eq!(run(Question::LOCKED, &chain).findings, []);
    assert_eq!(by_number(&run(Question::CLAIMABLES, &chain)), [(Some(n(2)), TOKEN, n(20))]);
}

#[test]
fn streams_that_are_not_found_are_told() {
    let chain = streams(nothing(), OLD, [100, 10, 0, 20], [9, 0, 0, 0]);
    let chain = chain.reply(NETWORK, OLD, &balanceOfCall(ACCOUNT), &n(3));
    let outcome = run(Question::LOCKED, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
    assert!(outcome.not_covered[0].contains("2 of 3 streams are answered"), "{:?}", outcome.not_covered);
}

#[test]
fn a_stream_that_lies_or_fails_costs_its_own_rows_and_is_reported() {
    let chain = streams(nothing(), OLD, [100, 10, 0, 20], [9, 0, 0, 0]);
    let id = n(3);
    let most = U256::from(u128::MAX);
    let broken = [
        chain.clone().reply(NETWORK, OLD, &withdrawableAmountOfCall(id), &most),
        chain.clone().revert(NETWORK, OLD, &getEndTimeCall(id)),
        chain.clone().revert(NETWORK, OLD, &getAssetCall(id)),
    ];
    for chain in broken {
        let outcome = run(Question::LOCKED, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    }
    let unpriced = streams(nothing(), NEW, [100, 10, 0, 20], [9, 0, 0, 1]);
    let outcome = run(Question::CLAIMABLES, &unpriced.revert(NETWORK, NEW, &calculateMinFeeWeiCall(id)));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let job = JobTest::new("sablier", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Sablier>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Sablier>(&one_row("sablier", 10, vec![list("fee_lockups", [NEW])]));
    assert_eq!(catalogue.deployments[0].contracts, [NEW]);
}
