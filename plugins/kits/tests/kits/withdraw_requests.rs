//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::withdraw_requests::WithdrawRequestsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, by_number, n, one_row, plugin, text};

sol! {
    function getOutstandingWithdrawRequests(address) external view returns (uint256);
    function withdrawRequests(address, uint256) external view returns (address, uint256, uint256, uint256, uint256);
    function coolDownPeriod() external view returns (uint256);
    function calculateAmountToRedeem(uint256, address) external view returns (uint256[][], uint256);
    function claim(uint256, address) external;
}

const NETWORK: u64 = 1;
const QUEUE: Address = address!("0xc000000000000000000000000000000000000001");
const PLACEHOLDER: Address = address!("0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee");
const STETH: Address = address!("0xa000000000000000000000000000000000000002");
const PERIOD: u64 = 1_000;

const TYPES: WithdrawRequestsKit = WithdrawRequestsKit { request: "request" };

plugin! {
    Requests: &TYPES,
    ["requests" = "REQUESTS"],
    r#"
    [[deployment]]
    protocol = "requests"
    network = "ethereum"
    request_queue = "0xc000000000000000000000000000000000000001"
    requested_token = "0xa000000000000000000000000000000000000001"
    "#
}

/// A request: token, promised amount, what it would be promised now, when it was made, and whether it would be paid.
type Request = (Address, u64, u64, u64, bool);

fn chain(requests: &[Request]) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(NETWORK, QUEUE, &getOutstandingWithdrawRequestsCall(ACCOUNT), &U256::from(requests.len()))
        .reply(NETWORK, QUEUE, &coolDownPeriodCall {}, &n(PERIOD));
    (0..).zip(requests).fold(chain, |chain, (place, (token, promised, now, made, is_paid))| {
        let (index, locked) = (n(place), n(1_000 + place));
        let request = (*token, n(70 + place), n(*promised), locked, n(*made));
        let redeemed = calculateAmountToRedeemCall { _0: locked, _1: *token };
        let redeemed_now = (Vec::<Vec<U256>>::new(), n(*now)).abi_encode_params();
        let claim = claimCall { _0: index, _1: ACCOUNT };
        let paid = if *is_paid { ReadResult::Ok(Bytes::new()) } else { ReadResult::Reverted(Bytes::new()) };
        chain
            .reply(NETWORK, QUEUE, &withdrawRequestsCall { _0: ACCOUNT, _1: index }, &request)
            .result(NETWORK, QUEUE, &redeemed, ReadResult::Ok(redeemed_now.into()))
            .result(NETWORK, QUEUE, &claim, paid)
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("requests", NETWORK, question, ACCOUNT)
        .claim_functions(&bound("redeem()", &[QUEUE]))
        .run::<Requests>(chain)
}

const THREE: [Request; 3] = [
    (PLACEHOLDER, 100, 90, NOW_S - 2 * PERIOD, true),
    (STETH, 200, 300, NOW_S - 2 * PERIOD, true),
    (PLACEHOLDER, 50, 60, NOW_S - 1, false),
];

#[test]
fn the_last_request_that_would_be_paid_is_claimed() {
    let outcome = run(Question::CLAIMABLES, &chain(&THREE));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(by_number(&outcome), [(Some(n(71)), STETH, n(200))]);
    let claim = claimCall { _0: n(1), _1: ACCOUNT };
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, &row.claim.arguments[..]), (QUEUE, &claim.abi_encode()[4..]));
}

#[test]
fn the_other_requests_are_locked_until_their_time_is_over() {
    let outcome = run(Question::LOCKED, &chain(&THREE));
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let rows: Vec<_> = outcome.positions();
    let told: Vec<_> = rows.iter().map(|row| (row.number, row.legs[0].amount)).collect();
    assert_eq!(told, [(Some(n(70)), n(90)), (Some(n(72)), n(50))]);
    let ends: Vec<_> = rows.iter().map(|row| row.lock.as_ref().and_then(|lock| lock.unlocks_at)).collect();
    assert_eq!(ends, [None, Some(NOW_S - 1 + PERIOD)]);
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
fn a_queue_that_does_not_answer_is_a_failure_and_not_an_empty_answer() {
    assert_eq!(run(Question::LOCKED, &CannedReplies::default()).end, End::Failed);
    let many = chain(&THREE).reply(NETWORK, QUEUE, &getOutstandingWithdrawRequestsCall(ACCOUNT), &U256::MAX);
    let outcome = run(Question::LOCKED, &many);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 2), "{}", outcome.message);
}

/// Renzo's copies declare `claim` in another way.
mod others {
    portolan_plugin_api::sol! {
        struct Withdrawal { uint256 uuid; uint256 amount; uint256 start; }
        function getUserWithdrawalRequests(address) external view returns (Withdrawal[] memory);
        function getUserRequestStatus(address, uint256) external view returns (bool, uint256);
        function claimWithdraw(uint256) external;

        function getRequestIdsByUser(address) external view returns (uint256[] memory);
        function userWithdrawRequests(uint256) external view returns (address, uint256, uint256, uint256, uint256);
        function nextRequestIdToFinalize() external view returns (uint256);
        function claim(uint256) external;

        function lrtConfig() external view returns (address);
        function getSupportedAssetList() external view returns (address[] memory);
        function userAssociatedNonces(address, address) external view returns (uint128, uint128);
        function nextLockedNonce(address) external view returns (uint256);
        function getUserWithdrawalRequest(address, address, uint256) external view
            returns (uint256, uint256, uint256, uint256);
        function completeWithdrawal(address, string) external;

        struct Unlock { uint256 start; uint256 shares; }
        function getUnlockRequestCount(address) external view returns (uint256);
        function getPaginatedUnlockRequests(address, uint256, uint256) external view
            returns (Unlock[] memory, uint256[] memory);
        function cooldownPeriod() external view returns (uint256);
        function redeemPeriod() external view returns (uint256);
        function redeem() external;
        function redeemOverdueShares() external;
    }
}

use others::{Unlock, Withdrawal};

const CONFIG: Address = address!("0xc000000000000000000000000000000000000002");
const LIQUID: Address = address!("0xa000000000000000000000000000000000000001");
const WAD: u64 = 1_000_000_000_000_000_000;

fn run_kind(kind: &str, question: Question, chain: &CannedReplies) -> Outcome {
    let keys = vec![text("request_queue", QUEUE), text("requested_token", LIQUID), text("queue_kind", kind)];
    let row = one_row("requests", NETWORK, keys);
    JobTest::new("requests", NETWORK, question, ACCOUNT)
        .claim_functions(&bound("redeem()", &[QUEUE]))
        .settings(row)
        .run::<Requests>(chain)
}

/// Number, token, amount and end of each locked position, and that totals and claims are apart.
fn waiting(kind: &str, chain: &CannedReplies) -> Vec<(Option<U256>, Address, U256, Option<u64>)> {
    let outcome = run_kind(kind, Question::LOCKED, chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    outcome.check_totals(&run_kind(kind, Question::CLAIMABLES, chain));
    let row = |row: &&Position| {
        let end = row.lock.as_ref().and_then(|lock| lock.unlocks_at);
        (row.number, row.legs[0].token, row.legs[0].amount, end)
    };
    outcome.positions().iter().map(row).collect()
}

/// Calldata of the claims, with the number, token and amount of each.
fn claimed_by(kind: &str, chain: &CannedReplies) -> Vec<(Vec<u8>, Option<U256>, Address, U256)> {
    let outcome = run_kind(kind, Question::CLAIMABLES, chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let payments = outcome.payments();
    assert!(payments.iter().all(|row| row.claim.to == QUEUE));
    payments.iter().map(|row| (row.claim.arguments.clone(), row.number, row.token, row.amount)).collect()
}

/// Lista's: whether each request is called claimable, what it pays, and whether it is paid.
fn lista(requests: &[(bool, u64, bool)]) -> CannedReplies {
    let list: Vec<Withdrawal> = (0..)
        .zip(requests)
        .map(|(place, _)| Withdrawal { uuid: n(70 + place), amount: n(1), start: n(NOW_S) })
        .collect();
    let listed = ReadResult::Ok((list,).abi_encode_params().into());
    let listed =
        CannedReplies::default().result(NETWORK, QUEUE, &others::getUserWithdrawalRequestsCall(ACCOUNT), listed);
    (0..).zip(requests).fold(listed, |chain, (place, (is_called, amount, is_paid))| {
        let paid = if *is_paid { ReadResult::Ok(Bytes::new()) } else { ReadResult::Reverted(Bytes::new()) };
        let status = others::getUserRequestStatusCall { _0: ACCOUNT, _1: n(place) };
        chain.reply(NETWORK, QUEUE, &status, &(*is_called, n(*amount))).result(
            NETWORK,
            QUEUE,
            &others::claimWithdrawCall(n(place)),
            paid,
        )
    })
}

#[test]
fn lista_pays_its_last_request_that_a_claim_pays() {
    let chain = lista(&[(true, 10, true), (true, 20, true), (true, 30, false), (false, 40, false)]);
    let call = others::claimWithdrawCall(n(1)).abi_encode()[4..].to_vec();
    assert_eq!(claimed_by("lista", &chain), [(call, Some(n(71)), NATIVE, n(20))]);
    let rest = [(70, 10), (72, 30), (73, 40)].map(|(number, amount)| (Some(n(number)), NATIVE, n(amount), None));
    assert_eq!(waiting("lista", &chain), rest);
}

/// Stader's: tokens given, and what was settled, of requests 7, 8 … of which those before `next` are finalized.
fn stader(requests: &[(u64, u64)], next: u64) -> CannedReplies {
    let ids: Vec<U256> = (7..).zip(requests).map(|(id, _)| n(id)).collect();
    let listed = ReadResult::Ok((ids,).abi_encode_params().into());
    let chain = CannedReplies::default()
        .result(NETWORK, QUEUE, &others::getRequestIdsByUserCall(ACCOUNT), listed)
        .reply(NETWORK, QUEUE, &others::nextRequestIdToFinalizeCall {}, &n(next));
    (7..).zip(requests).fold(chain, |chain, (id, (given, settled))| {
        let words = (ACCOUNT.into_word(), n(*given), n(given + 9), n(*settled), n(1));
        chain.reply(NETWORK, QUEUE, &others::userWithdrawRequestsCall(n(id)), &words)
    })
}

#[test]
fn stader_pays_each_request_that_is_finalized() {
    let chain = stader(&[(10, 11), (20, 19), (30, 0)], 9);
    let claim = |id, amount| (others::claimCall(n(id)).abi_encode()[4..].to_vec(), Some(n(id)), NATIVE, n(amount));
    assert_eq!(claimed_by("stader", &chain), [claim(7, 11), claim(8, 19)]);
    // What it will pay is not settled: it is told in the tokens that were given.
    assert_eq!(waiting("stader", &chain), [(Some(n(9)), LIQUID, n(30), None)]);
}

/// Kelp's queues of two assets: of the first the account has requests 5 and 6, and those before `locked` are unlocked; of
/// the second nothing.
fn kelp(locked: u64, is_paid: bool) -> CannedReplies {
    let assets = ReadResult::Ok((vec![PLACEHOLDER, STETH],).abi_encode_params().into());
    let complete = others::completeWithdrawalCall { _0: PLACEHOLDER, _1: String::new() };
    let paid = if is_paid { ReadResult::Ok(Bytes::new()) } else { ReadResult::Reverted(Bytes::new()) };
    let nonces = |asset| others::userAssociatedNoncesCall { _0: asset, _1: ACCOUNT };
    let chain = CannedReplies::default()
        .reply(NETWORK, QUEUE, &others::lrtConfigCall {}, &CONFIG)
        .result(NETWORK, CONFIG, &others::getSupportedAssetListCall {}, assets)
        .reply(NETWORK, QUEUE, &nonces(PLACEHOLDER), &(n(1), n(3)))
        .reply(NETWORK, QUEUE, &nonces(STETH), &(n(4), n(4)))
        .reply(NETWORK, QUEUE, &others::nextLockedNonceCall(PLACEHOLDER), &n(locked))
        .result(NETWORK, QUEUE, &complete, paid);
    [(0, 10, 11, 5), (1, 20, 21, 6)].into_iter().fold(chain, |chain, (place, given, expected, nonce)| {
        let call = others::getUserWithdrawalRequestCall { _0: PLACEHOLDER, _1: ACCOUNT, _2: n(place) };
        chain.reply(NETWORK, QUEUE, &call, &(n(given), n(expected), n(1), n(nonce)))
    })
}

/// The contract's own id of a request.
fn kelp_id(asset: Address, nonce: u64) -> Option<U256> {
    let packed = (asset, n(nonce)).abi_encode_packed();
    Some(alloy::primitives::keccak256(packed).into())
}

#[test]
fn kelp_pays_the_oldest_request_of_an_asset() {
    let [first, second] = [5, 6].map(|nonce| kelp_id(PLACEHOLDER, nonce));
    let call = others::completeWithdrawalCall { _0: PLACEHOLDER, _1: String::new() }.abi_encode()[4..].to_vec();
    assert_eq!(claimed_by("kelp", &kelp(7, true)), [(call.clone(), first, NATIVE, n(11))]);
    // The other one is settled, and waits for its turn.
    assert_eq!(waiting("kelp", &kelp(7, true)), [(second, NATIVE, n(21), None)]);
    assert_eq!(claimed_by("kelp", &kelp(6, true)), [(call, first, NATIVE, n(11))]);
    assert_eq!(waiting("kelp", &kelp(6, true)), [(second, LIQUID, n(20), None)]);
    assert_eq!(claimed_by("kelp", &kelp(5, false)), []);
    assert_eq!(waiting("kelp", &kelp(5, false)), [(first, LIQUID, n(10), None), (second, LIQUID, n(20), None)]);
}

/// Benqi's: when each request was made, its tokens, and the rate by which it is paid now, if it is.
fn benqi(requests: &[(u64, u64, u64)]) -> CannedReplies {
    let list: Vec<Unlock> =
        requests.iter().map(|(start, shares, _)| Unlock { start: n(*start), shares: n(*shares) }).collect();
    let rates: Vec<U256> = requests.iter().map(|(.., rate)| n(*rate)).collect();
    let pages = others::getPaginatedUnlockRequestsCall { _0: ACCOUNT, _1: n(0), _2: U256::from(requests.len()) };
    CannedReplies::default()
        .reply(NETWORK, QUEUE, &others::getUnlockRequestCountCall(ACCOUNT), &U256::from(requests.len()))
        .result(NETWORK, QUEUE, &pages, ReadResult::Ok((list, rates).abi_encode_params().into()))
        .reply(NETWORK, QUEUE, &others::cooldownPeriodCall {}, &n(PERIOD))
        .reply(NETWORK, QUEUE, &others::redeemPeriodCall {}, &n(PERIOD))
}

#[test]
fn benqi_pays_what_is_unlocked_at_once_and_gives_back_what_is_overdue() {
    let [young, ripe, late] = [NOW_S - 1, NOW_S - PERIOD - 1, NOW_S - 2 * PERIOD - 1];
    let rate = WAD / 4 * 5;
    let chain = benqi(&[(ripe, 101, rate), (late, 8, 0), (young, 7, 0), (ripe, 100, rate), (late, 1, 0)]);
    // A quarter more of each, rounded down; and the tokens themselves.
    let expected = [(Vec::new(), None, NATIVE, n(126 + 125)), (Vec::new(), None, LIQUID, n(9))];
    assert_eq!(claimed_by("benqi", &chain), expected);
    let rows = run_kind("benqi", Question::CLAIMABLES, &chain);
    let templates: Vec<u32> = rows.payments().iter().map(|row| row.claim.template).collect();
    let keys = vec![text("request_queue", QUEUE), text("requested_token", LIQUID)];
    let names = testing::catalogue::<Requests>(&one_row("requests", NETWORK, keys)).claims;
    let name = |template: u32| names[usize::try_from(template).unwrap()].signature.clone();
    assert_eq!(templates.into_iter().map(name).collect::<Vec<_>>(), ["redeem()", "redeemOverdueShares()"]);
    // The second in which the cooldown ends belongs to it.
    assert_eq!(waiting("benqi", &chain), [(Some(n(2)), LIQUID, n(7), Some(NOW_S + PERIOD))]);
    // At the last second of the time to redeem nothing is overdue.
    let last = benqi(&[(NOW_S - 2 * PERIOD, 7, rate)]);
    assert_eq!(claimed_by("benqi", &last), [(Vec::new(), None, NATIVE, n(8))]);
    let uneven = last.result(
        NETWORK,
        QUEUE,
        &others::getPaginatedUnlockRequestsCall { _0: ACCOUNT, _1: n(0), _2: n(1) },
        ReadResult::Ok((vec![Unlock { start: n(1), shares: n(1) }], Vec::<U256>::new()).abi_encode_params().into()),
    );
    assert_eq!(run_kind("benqi", Question::LOCKED, &uneven).end, End::Failed);
}

#[test]
fn an_account_without_requests_costs_few_reads_of_any_kind() {
    let nonces = others::userAssociatedNoncesCall { _0: PLACEHOLDER, _1: ACCOUNT };
    let no_kelp = kelp(0, false).reply(NETWORK, QUEUE, &nonces, &(n(3), n(3)));
    let kinds: [(&str, CannedReplies, &[usize]); 4] = [
        ("lista", lista(&[]), &[1]),
        ("stader", stader(&[], 1), &[1]),
        ("kelp", no_kelp, &[1, 1, 2]),
        ("benqi", benqi(&[]), &[1]),
    ];
    for (kind, chain, batches) in kinds {
        for question in [Question::CLAIMABLES, Question::LOCKED] {
            let outcome = run_kind(kind, question, &chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{kind}: {}", outcome.message);
            assert_eq!(outcome.batches, batches, "{kind}");
            assert_eq!(run_kind(kind, question, &CannedReplies::default()).end, End::Failed, "{kind}");
        }
    }
}

#[test]
fn a_request_that_cannot_be_read_loses_only_itself() {
    let status = others::getUserRequestStatusCall { _0: ACCOUNT, _1: n(0) };
    let broken = [
        ("lista", lista(&[(false, 10, false), (false, 20, false)]).revert(NETWORK, QUEUE, &status)),
        ("stader", stader(&[(10, 0), (20, 0)], 1).revert(NETWORK, QUEUE, &others::userWithdrawRequestsCall(n(7)))),
        (
            "kelp",
            kelp(5, false).revert(
                NETWORK,
                QUEUE,
                &others::getUserWithdrawalRequestCall { _0: PLACEHOLDER, _1: ACCOUNT, _2: n(0) },
            ),
        ),
    ];
    for (kind, chain) in broken {
        let outcome = run_kind(kind, Question::LOCKED, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{kind}: {}", outcome.message);
    }
}

#[test]
fn more_requests_than_are_read_are_told() {
    let many = vec![(false, 10, false); 65];
    let outcome = run_kind("lista", Question::LOCKED, &lista(&many));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 64), "{}", outcome.message);
    assert!(outcome.not_covered[0].contains("of which 64 are answered"), "{:?}", outcome.not_covered);
}

#[test]
fn a_kind_is_one_of_those_that_are_known() {
    let keys = vec![text("request_queue", QUEUE), text("requested_token", LIQUID), text("queue_kind", "puffer")];
    let refused = testing::settings_error::<Requests>(&one_row("requests", NETWORK, keys)).expect("an error");
    assert_eq!(refused.key.as_deref(), Some("queue_kind"));
    assert!(refused.message.contains("`stader`"), "{}", refused.message);
}
