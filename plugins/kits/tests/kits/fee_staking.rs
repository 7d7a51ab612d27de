//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contract's functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::fee_staking::FeeStakingKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, fork, n, paid, plugin, text};

sol! {
    function getUserInfo(address, address) external view returns (uint256, uint256);
    function internalJoeBalance() external view returns (uint256);
    function rewardTokensLength() external view returns (uint256);
    function rewardTokens(uint256) external view returns (address);
    function pendingReward(address, address) external view returns (uint256);
    function deposit(uint256) external;
}

const NETWORK: u64 = 43_114;
const STAKING: Address = address!("0xc000000000000000000000000000000000000001");
const JOE: Address = address!("0xa000000000000000000000000000000000000001");
const USDC: Address = address!("0xa000000000000000000000000000000000000002");
const OTHER: Address = address!("0xa000000000000000000000000000000000000003");
const STAKINGS: FeeStakingKit = FeeStakingKit { stake: "fee-staking" };

plugin! {
    Joe: &STAKINGS,
    ["joe" = "JOE"],
    r#"
    [[deployment]]
    protocol = "joe"
    network = "avalanchex"
    fee_staking = "0xc000000000000000000000000000000000000001"
    staked_token = "0xa000000000000000000000000000000000000001"
    "#
}

/// A stake of `amount` among 4,000, with the pending amount of each token.
fn staking(amount: u64, pending: &[(Address, u64)]) -> CannedReplies {
    let info = getUserInfoCall { _0: ACCOUNT, _1: Address::ZERO };
    let chain = CannedReplies::default()
        .reply(NETWORK, STAKING, &info, &(n(amount), n(0)))
        .reply(NETWORK, STAKING, &internalJoeBalanceCall {}, &n(4_000))
        .reply(NETWORK, STAKING, &rewardTokensLengthCall {}, &U256::from(pending.len()));
    pending.iter().enumerate().fold(chain, |chain, (index, (token, amount))| {
        chain.reply(NETWORK, STAKING, &rewardTokensCall(U256::from(index)), token).reply(
            NETWORK,
            STAKING,
            &pendingRewardCall { _0: ACCOUNT, _1: *token },
            &n(*amount),
        )
    })
}

fn run(question: Question, chain: impl Replies) -> Outcome {
    JobTest::new("joe", NETWORK, question, ACCOUNT).run::<Joe>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for question in [Question::CLAIMABLES, Question::FARMING] {
        let outcome = run(question, &staking(0, &[(USDC, 0)]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [1]);
    }
    let nothing = run(Question::CLAIMABLES, &staking(1, &[(USDC, 0), (JOE, 0)]));
    assert_eq!((nothing.end, nothing.findings.len()), (End::Complete, 0), "{}", nothing.message);
}

#[test]
fn one_claim_pays_all_that_arrived() {
    let outcome = run(Question::CLAIMABLES, &staking(1, &[(USDC, 7), (OTHER, 0), (JOE, 1)]));
    assert_eq!((outcome.end, paid(&outcome)), (End::Complete, vec![(USDC, n(7)), (JOE, n(1))]), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.contract, row.claim.to), (STAKING, STAKING));
    assert_eq!(row.claim.arguments, depositCall(n(0)).abi_encode()[4..]);
    assert_eq!(row.name, format!("{{{JOE:#x}}} rewards"));
    assert_eq!(outcome.findings.len(), 1);
    assert_eq!(outcome.batches, [1, 1, 3, 3]);
}

#[test]
fn a_stake_names_the_tokens_that_it_earns() {
    let outcome = run(Question::FARMING, &staking(10, &[(USDC, 7), (JOE, 0)]));
    assert_eq!((outcome.end, outcome.legs().len()), (End::Complete, 1), "{}", outcome.message);
    let leg = outcome.legs()[0];
    assert_eq!((leg.token, leg.amount, leg.total), (JOE, n(10), Some(n(4_000))));
    assert_eq!(leg.rewards, [Reward::new(USDC, None), Reward::new(JOE, None)]);
}

#[test]
fn what_fails_is_reported_and_never_an_empty_answer() {
    let pending = pendingRewardCall { _0: ACCOUNT, _1: USDC };
    let one = staking(1, &[(USDC, 7), (JOE, 1)]).revert(NETWORK, STAKING, &pending);
    let outcome = run(Question::CLAIMABLES, &one);
    assert_eq!((outcome.end, paid(&outcome)), (End::Partial, vec![(JOE, n(1))]));
    assert!(
        outcome.message.starts_with(&format!("main: pendingReward(address,address) of {STAKING}: ")),
        "{}",
        outcome.message
    );
    let all = staking(1, &[(USDC, 7)]).revert(NETWORK, STAKING, &pending);
    assert_eq!(run(Question::CLAIMABLES, &all).end, End::Failed);
    let many = staking(1, &[]).reply(NETWORK, STAKING, &rewardTokensLengthCall {}, &n(33));
    for question in [Question::CLAIMABLES, Question::FARMING] {
        assert_eq!(run(question, &many).message, format!("{STAKING}: lists too many reward tokens"));
        assert_eq!(run(question, |_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_settings_row_needs_both_addresses() {
    let [staking_key, token_key] = [text("fee_staking", STAKING), text("staked_token", OTHER)];
    let refused = testing::settings_error::<Joe>(&fork(NETWORK, vec![staking_key.clone()])).expect("no token");
    assert_eq!(refused.key.as_deref(), Some("staked_token"));
    let case = JobTest::new("fork", NETWORK, Question::FARMING, ACCOUNT);
    let outcome = case.settings(fork(NETWORK, vec![staking_key, token_key])).run::<Joe>(&staking(10, &[]));
    assert_eq!(outcome.legs()[0].token, OTHER, "{}", outcome.message);
}
