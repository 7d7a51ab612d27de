//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::safety_module::SafetyModuleKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, n, plugin};

sol! {
    function balanceOf(address) external view returns (uint256);
    function STAKED_TOKEN() external view returns (address);
    function REWARD_TOKEN() external view returns (address);
    function getTotalRewardsBalance(address) external view returns (uint256);
    function previewRedeem(uint256) external view returns (uint256);
    function stakersCooldowns(address) external view returns (uint40, uint216);
    function getCooldownSeconds() external view returns (uint256);
    function COOLDOWN_SECONDS() external view returns (uint256);
    function UNSTAKE_WINDOW() external view returns (uint256);
}

const NETWORK: u64 = 1;
const NOW: u64 = 1_000_000;
const STAKED: Address = Address::repeat_byte(1);
const AAVE: Address = Address::repeat_byte(2);
const REWARD: Address = Address::repeat_byte(3);
const TYPES: SafetyModuleKit = SafetyModuleKit { stake: "safety" };

plugin! {
    Fork: &TYPES,
    ["fork" = "FORK"],
    r#"
    [[deployment]]
    protocol = "fork"
    network = "ethereum"
    staked_aave_token = "0x0101010101010101010101010101010101010101"
    "#
}

/// A stake of the old version, with a running cooldown of a thousand seconds and a window of 200.
fn old(shares: u64, began: u64) -> CannedReplies {
    CannedReplies::default()
        .reply(NETWORK, STAKED, &balanceOfCall(ACCOUNT), &n(shares))
        .reply(NETWORK, STAKED, &STAKED_TOKENCall {}, &AAVE)
        .reply(NETWORK, STAKED, &REWARD_TOKENCall {}, &REWARD)
        .reply(NETWORK, STAKED, &getTotalRewardsBalanceCall(ACCOUNT), &n(9))
        .reply(NETWORK, STAKED, &stakersCooldownsCall(ACCOUNT), &n(began))
        .reply(NETWORK, STAKED, &COOLDOWN_SECONDSCall {}, &n(1_000))
        .reply(NETWORK, STAKED, &UNSTAKE_WINDOWCall {}, &n(200))
}

/// A stake of the third version, a tenth of which was lost.
fn third(began: u64) -> CannedReplies {
    old(100, began)
        .reply(NETWORK, STAKED, &stakersCooldownsCall(ACCOUNT), &(n(began), n(100)))
        .reply(NETWORK, STAKED, &getCooldownSecondsCall {}, &n(500))
        .reply(NETWORK, STAKED, &previewRedeemCall(n(100)), &n(90))
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    let block = Block { number: 7, hash: B256::ZERO, timestamp: NOW, evm_number: 7 };
    JobTest::new("fork", NETWORK, question, ACCOUNT).block(block).run::<Fork>(chain)
}

/// Returns token and amount of the only stake, and when it can leave.
#[expect(clippy::panic, reason = "anything but one position is the failure of the test that asks for it")]
fn stake(chain: &CannedReplies) -> (Address, U256, Option<u64>) {
    let outcome = run(Question::FARMING, chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let [position] = outcome.positions()[..] else { panic!("{} positions", outcome.positions().len()) };
    assert_eq!((position.legs[0].receipt, position.rewards[0].token), (Some(STAKED), REWARD));
    (position.legs[0].token, position.legs[0].amount, position.lock.and_then(|lock| lock.unlocks_at))
}

#[test]
fn a_stake_is_what_it_redeems_to_and_leaves_after_its_cooldown() {
    assert_eq!(stake(&old(100, 0)), (AAVE, n(100), None));
    assert_eq!(stake(&old(100, NOW - 400)), (AAVE, n(100), Some(NOW + 600)));
    assert_eq!(stake(&third(NOW - 400)), (AAVE, n(90), Some(NOW + 100)));
    // It can leave now, for 200 seconds; then it needs another cooldown.
    assert_eq!(stake(&old(100, NOW - 1_200)).2, Some(NOW - 200));
    assert_eq!(stake(&old(100, NOW - 1_201)).2, None);
    assert_eq!(run(Question::FARMING, &old(0, 0)).findings.len(), 0);
}

#[test]
fn a_claim_pays_all_that_is_owed_to_the_account() {
    let outcome = run(Question::CLAIMABLES, &old(0, 0));
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.token, row.amount)).collect();
    assert_eq!(found, [(REWARD, n(9))], "{}", outcome.message);
    assert_eq!(outcome.claimables()[0].steps[0].arguments, (ACCOUNT, U256::MAX).abi_encode_params());
    let nothing = old(0, 0).reply(NETWORK, STAKED, &getTotalRewardsBalanceCall(ACCOUNT), &n(0));
    assert_eq!(run(Question::CLAIMABLES, &nothing).findings.len(), 0);
}
