//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::unstake_cooldowns::UnstakeCooldownsKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, bound, list, n, one_row, paid, plugin};

sol! {
    function cooldowns(address) external view returns (uint256, uint256);
    function cooldownDuration() external view returns (uint256);
    function asset() external view returns (address);
}

const NETWORK: u64 = 1;
const VAULT: Address = address!("0xf000000000000000000000000000000000000001");
const OTHER: Address = address!("0xf000000000000000000000000000000000000002");
const USDE: Address = address!("0xa000000000000000000000000000000000000001");
const WEEK_S: u64 = 604_800;

const TYPES: UnstakeCooldownsKit = UnstakeCooldownsKit { cooldown: "cooldown" };

plugin! {
    Cooldowns: &TYPES,
    ["cooldowns" = "COOLDOWNS"],
    r#"
    [[deployment]]
    protocol = "cooldowns"
    network = "ethereum"
    cooldown_vaults = ["0xf000000000000000000000000000000000000001", "0xf000000000000000000000000000000000000002"]
    "#
}

/// The ends and the amounts of the account's cooldowns in both vaults.
fn vaults(found: [(u64, u64); 2]) -> CannedReplies {
    [VAULT, OTHER].into_iter().zip(found).fold(CannedReplies::default(), |chain, (vault, (end, amount))| {
        chain
            .reply(NETWORK, vault, &cooldownsCall(ACCOUNT), &(n(end), n(amount)))
            .reply(NETWORK, vault, &cooldownDurationCall {}, &n(WEEK_S))
            .reply(NETWORK, vault, &assetCall {}, &USDE)
    })
}

fn run(question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("cooldowns", NETWORK, question, ACCOUNT)
        .claim_functions(&bound("unstake(address account)", &[VAULT, OTHER]))
        .run::<Cooldowns>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer_in_one_batch() {
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        // The end of what was paid stays, in some vaults.
        let outcome = run(question, &vaults([(0, 0), (NOW_S - 9, 0)]));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        assert_eq!(outcome.batches, [2]);
    }
}

#[test]
fn a_cooldown_is_locked_until_its_end_and_a_claim_from_then_on() {
    let chain = vaults([(NOW_S, 5), (NOW_S + 1, 7)]);
    let claims = run(Question::CLAIMABLES, &chain);
    assert_eq!((claims.end, paid(&claims)), (End::Complete, vec![(USDE, n(5))]), "{}", claims.message);
    let claim = &claims.payments()[0].claim;
    assert_eq!((claim.to, claim.arguments.clone()), (VAULT, ACCOUNT.abi_encode()));
    let locked = run(Question::LOCKED, &chain);
    assert_eq!((locked.end, locked.positions().len()), (End::Complete, 1), "{}", locked.message);
    let position = locked.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::LOCKED, OTHER));
    assert_eq!(position.legs, [Leg::new(LegRole::LOCKED, USDE, n(7))]);
    assert_eq!(position.lock, Some(Lock { unlocks_at: Some(NOW_S + 1), is_permanent: Some(false) }));
    assert_eq!(position.name, format!("{{{OTHER:#x}}} cooldown"));
}

#[test]
fn a_duration_of_zero_lets_everything_out() {
    let chain = vaults([(NOW_S + 9, 5), (0, 0)]).reply(NETWORK, VAULT, &cooldownDurationCall {}, &n(0));
    assert_eq!(paid(&run(Question::CLAIMABLES, &chain)), [(USDE, n(5))]);
    assert_eq!(run(Question::LOCKED, &chain).findings.len(), 0);
}

#[test]
fn a_vault_that_fails_loses_only_its_own_rows_and_is_reported() {
    let chain = vaults([(NOW_S, 5), (NOW_S, 7)]);
    let bad = [
        chain.clone().revert(NETWORK, OTHER, &cooldownsCall(ACCOUNT)),
        chain.clone().revert(NETWORK, OTHER, &assetCall {}),
    ];
    for chain in bad {
        let outcome = run(Question::CLAIMABLES, &chain);
        assert_eq!((outcome.end, paid(&outcome)), (End::Partial, vec![(USDE, n(5))]), "{}", outcome.message);
    }
    let endless = chain.reply(NETWORK, OTHER, &cooldownsCall(ACCOUNT), &(U256::MAX, U256::MAX));
    assert_eq!(paid(&run(Question::CLAIMABLES, &endless)), [(USDE, n(5))]);
    for question in [Question::CLAIMABLES, Question::LOCKED] {
        let job = JobTest::new("cooldowns", NETWORK, question, ACCOUNT);
        assert_eq!(job.run::<Cooldowns>(|_: &ReadRequest| ReadResult::Unavailable).end, End::Failed);
    }
}

#[test]
fn a_fork_is_a_line_of_settings() {
    let catalogue = testing::catalogue::<Cooldowns>(&one_row("cooldowns", 10, vec![list("cooldown_vaults", [VAULT])]));
    assert_eq!(catalogue.deployments[0].contracts, [VAULT]);
    assert_eq!(catalogue.deployments[0].questions, [Question::CLAIMABLES, Question::LOCKED]);
}
