//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::super_tokens::SuperTokensKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, claimed, list, n, one_row, plugin, text};

sol! {
    function balanceOf(address) external view returns (uint256);
    function realtimeBalanceOfNow(address) external view returns (int256, uint256, uint256, uint256);
    function getUnderlyingToken() external view returns (address);
    function decimals() external view returns (uint8);
    function getAccountFlowInfo(address token, address account) external view
        returns (uint256, int96, uint256, uint256);
    function getAccountFlowrate(address token, address account) external view returns (int96);
    function getNetFlow(address token, address account) external view returns (int96);
    function getClaimableNow(address) external view returns (int256, uint256);
    function superToken() external view returns (address);
}

const CHAIN: u64 = 10;
/// Wraps dollars, ether and nothing.
const TOKENS: [Address; 3] = [
    address!("0xe000000000000000000000000000000000000001"),
    address!("0xe000000000000000000000000000000000000002"),
    address!("0xe000000000000000000000000000000000000003"),
];
const FLOWS: Address = address!("0xf000000000000000000000000000000000000001");
const POOLS: Address = address!("0xf000000000000000000000000000000000000002");
const POOL: Address = address!("0xf000000000000000000000000000000000000003");
const USDC: Address = address!("0xa000000000000000000000000000000000000001");
const ONE: u64 = 1_000_000_000_000_000_000;

const KIT: SuperTokensKit =
    SuperTokensKit { balance: "balance", deposit: "deposit", distribution: "pool", share: "SUPER" };

plugin! {
    Superfluid: &KIT,
    ["superfluid" = "SUPERFLUID"],
    r#"
    [[deployment]]
    protocol = "superfluid"
    network = "optimism"
    super_tokens = [
        "0xe000000000000000000000000000000000000001",
        "0xe000000000000000000000000000000000000002",
        "0xe000000000000000000000000000000000000003",
    ]
    native_super_token = "0xe000000000000000000000000000000000000002"
    flow_forwarder = "0xf000000000000000000000000000000000000001"
    pool_forwarder = "0xf000000000000000000000000000000000000002"
    distribution_pools = ["0xf000000000000000000000000000000000000003"]
    "#
}

fn int(number: i64) -> I256 {
    I256::try_from(number).unwrap_or_default()
}

/// The account has nothing, and has never had a stream.
fn nothing() -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(CHAIN, TOKENS[0], &getUnderlyingTokenCall {}, &USDC)
        .reply(CHAIN, TOKENS[1], &getUnderlyingTokenCall {}, &Address::ZERO)
        .reply(CHAIN, TOKENS[2], &getUnderlyingTokenCall {}, &Address::ZERO)
        .reply(CHAIN, USDC, &decimalsCall {}, &n(6))
        .reply(CHAIN, POOL, &getClaimableNowCall(ACCOUNT), &(n(0), n(1_700_000_000)));
    TOKENS.into_iter().fold(chain, |chain, token| {
        let chain = chain.reply(CHAIN, token, &decimalsCall {}, &n(18));
        chain.reply(CHAIN, token, &balanceOfCall(ACCOUNT), &n(0)).reply(
            CHAIN,
            FLOWS,
            &getAccountFlowInfoCall { token, account: ACCOUNT },
            &(n(0), n(0), n(0), n(0)),
        )
    })
}

/// Available amount, deposit with the part of it that is owed, and what streams and pools bring a second.
type Moves = (i64, [u64; 2], [i64; 2]);

fn moves(chain: CannedReplies, token: usize, (available, [deposit, owed], [flow, pooled]): Moves) -> CannedReplies {
    let token = TOKENS[token];
    let held = U256::try_from(int(available)).unwrap_or_default();
    let changed = if flow == 0 { n(0) } else { n(1_600_000_000) };
    chain
        .reply(CHAIN, token, &balanceOfCall(ACCOUNT), &held)
        .reply(
            CHAIN,
            token,
            &realtimeBalanceOfNowCall(ACCOUNT),
            &(int(available), n(deposit), n(owed), n(1_700_000_000)),
        )
        .reply(
            CHAIN,
            FLOWS,
            &getAccountFlowInfoCall { token, account: ACCOUNT },
            &(changed, int(flow), n(deposit), n(owed)),
        )
        .reply(CHAIN, FLOWS, &getAccountFlowrateCall { token, account: ACCOUNT }, &int(flow))
        .reply(CHAIN, POOLS, &getNetFlowCall { token, account: ACCOUNT }, &int(pooled))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("superfluid", CHAIN, question, ACCOUNT).run::<Superfluid>(chain)
}

/// Super token, token and amount of the leg, and what comes a second, of each position.
fn rows(outcome: &Outcome) -> Vec<(Address, Address, U256, Option<U256>)> {
    let row = |row: &&Position| {
        assert_eq!(row.legs.len(), 1, "{row:?}");
        let leg = &row.legs[0];
        (row.contract, leg.token, leg.amount, row.rewards.first().and_then(|reward| reward.per_second))
    };
    outcome.positions().iter().map(row).collect()
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for (question, reads) in [(Question::FARMING, 6), (Question::LOCKED, 6), (Question::CLAIMABLES, 1)] {
        let outcome = run(question, &nothing());
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [reads]);
    }
}

#[test]
fn a_balance_is_what_it_unwraps_to_with_what_comes_a_second() {
    let [two, half] = [2 * ONE, ONE / 2].map(|amount| i64::try_from(amount).expect("fits"));
    // Seven come by streams and three go through pools.
    let chain = moves(nothing(), 0, (two, [0, 0], [7, -3]));
    let chain = moves(moves(chain, 1, (half, [0, 0], [0, 0])), 2, (9, [0, 0], [5, 0]));
    let outcome = run(Question::FARMING, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let expected = [
        (TOKENS[0], USDC, n(2_000_000), Some(n(4))),
        (TOKENS[1], NATIVE, n(ONE / 2), None),
        (TOKENS[2], TOKENS[2], n(9), Some(n(5))),
    ];
    assert_eq!(rows(&outcome), expected);
    let first = outcome.positions()[0];
    assert_eq!((first.kind, first.legs[0].receipt), (PositionKind::STAKED, Some(TOKENS[0])));
    // What others pay must not be taken for a yield of the balance.
    assert_eq!((first.legs[0].total, first.rewards[0].own_per_second), (None, None));
    assert_eq!(run(Question::LOCKED, &chain).findings.len(), 0);
}

#[test]
fn a_token_that_wraps_none_counts_only_while_it_flows_in() {
    for flow in [0, -5] {
        let chain = moves(nothing(), 2, (9, [0, 0], [flow, 0]));
        assert_eq!(rows(&run(Question::FARMING, &chain)), [], "{flow}");
    }
}

#[test]
fn a_deposit_is_locked_until_the_account_ends_its_streams() {
    let ten = i64::try_from(10 * (ONE / 10)).expect("fits");
    // A part of the deposit is paid by who gets the stream; the second account has used up some of its own.
    let chain = moves(nothing(), 0, (ten, [4_000_000_000_000, 1_000_000_000_000], [-8, 0]));
    let chain = moves(chain, 2, (-30, [100, 0], [-8, 0]));
    let outcome = run(Question::LOCKED, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    assert_eq!(rows(&outcome), [(TOKENS[0], USDC, n(3), None), (TOKENS[2], TOKENS[2], n(70), None)]);
    let first = outcome.positions()[0];
    assert_eq!((first.kind, first.lock.and_then(|lock| lock.is_permanent)), (PositionKind::LOCKED, Some(true)));
    // What goes out is not told as something that comes.
    assert_eq!(rows(&run(Question::FARMING, &chain)), [(TOKENS[0], USDC, n(1_000_000), None)]);
    let spent = moves(nothing(), 2, (-100, [100, 0], [-8, 0]));
    assert_eq!(run(Question::LOCKED, &spent).findings.len(), 0);
}

#[test]
fn a_pool_pays_what_it_owes_the_member() {
    let owes = |amount: I256| {
        nothing().reply(CHAIN, POOL, &getClaimableNowCall(ACCOUNT), &(amount, n(1_700_000_000))).reply(
            CHAIN,
            POOL,
            &superTokenCall {},
            &TOKENS[0],
        )
    };
    let outcome = run(Question::CLAIMABLES, &owes(int(12)));
    assert_eq!(
        (outcome.end, claimed(&outcome)),
        (End::Complete, vec![(POOL, TOKENS[0], n(12))]),
        "{}",
        outcome.message
    );
    assert_eq!(outcome.claimables()[0].steps[0].arguments, ACCOUNT.abi_encode());
    // A rounding may leave it below zero.
    let outcome = run(Question::CLAIMABLES, &owes(int(-1)));
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_token_that_cannot_be_read_costs_its_own_rows_and_is_reported() {
    let chain = moves(moves(nothing(), 0, (5, [3, 0], [-1, 0])), 2, (9, [4, 0], [5, 0]));
    let rest = (TOKENS[2], TOKENS[2]);
    let broken =
        [
            chain.clone().revert(CHAIN, TOKENS[0], &realtimeBalanceOfNowCall(ACCOUNT)),
            chain.clone().revert(CHAIN, POOLS, &getNetFlowCall { token: TOKENS[0], account: ACCOUNT }),
            chain.clone().reply(CHAIN, USDC, &decimalsCall {}, &n(300)),
            chain
                .reply(CHAIN, FLOWS, &getAccountFlowrateCall { token: TOKENS[0], account: ACCOUNT }, &I256::MAX)
                .reply(CHAIN, POOLS, &getNetFlowCall { token: TOKENS[0], account: ACCOUNT }, &I256::MAX),
        ];
    for chain in broken {
        for question in [Question::FARMING, Question::LOCKED] {
            let outcome = run(question, &chain);
            let rows: Vec<_> = rows(&outcome).iter().map(|row| (row.0, row.1)).collect();
            assert_eq!((outcome.end, rows), (End::Partial, vec![rest]), "{}", outcome.message);
        }
    }
    let job = JobTest::new("superfluid", CHAIN, Question::FARMING, ACCOUNT);
    assert_eq!(job.run::<Superfluid>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
}

#[test]
fn a_whole_token_is_composed_of_what_it_wraps() {
    let job = JobTest::for_tokens("superfluid", CHAIN, &[TOKENS[0], TOKENS[1], TOKENS[2], USDC]);
    let outcome = job.run::<Superfluid>(&nothing());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let parts = |token, amount| vec![Part { token, amount: n(amount) }];
    let found: Vec<_> = outcome.compositions().iter().map(|row| (row.token, row.supply, row.parts.clone())).collect();
    let expected = [(TOKENS[0], n(ONE), parts(USDC, 1_000_000)), (TOKENS[1], n(ONE), parts(NATIVE, ONE))];
    assert_eq!(found, expected);
}

#[test]
fn a_row_names_the_forwarders_and_a_native_token_of_its_own() {
    let keys = |native| {
        vec![
            list("super_tokens", [TOKENS[0]]),
            text("flow_forwarder", FLOWS),
            text("pool_forwarder", POOLS),
            text("native_super_token", native),
        ]
    };
    let catalogue = testing::catalogue::<Superfluid>(&one_row("superfluid", 1, keys(TOKENS[0])));
    assert_eq!(catalogue.deployments[0].contracts, [TOKENS[0]]);
    assert!(!catalogue.deployments[0].questions.contains(&Question::CLAIMABLES), "no pools");
    let refused = testing::settings_error::<Superfluid>(&one_row("superfluid", 1, keys(TOKENS[1])));
    let error = refused.expect("the settings are wrong");
    assert!(error.to_string().contains("is none of `super_tokens`"), "{error}");
}
