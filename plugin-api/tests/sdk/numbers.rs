//! Numbers in claims: those that an honest plugin can read pass, and those that a precompile returned do not.

use portolan_plugin_api::export::{Exported, Manifest};
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome};
use portolan_plugin_api::{
    Address, Catalogue, ClaimTemplate, Claimable, Error, JobContext, Plugin, Question, Role, Settings, SettingsError,
    U256, sol,
};

use crate::scenario::{self, ACCOUNT, NETWORK, TARGET, TOKEN};

sol! {
    // Lido's queue of withdrawals.
    function getWithdrawalRequests(address owner) external view returns (uint256[] ids);
    function findCheckpointHints(uint256[] ids, uint256 first, uint256 last) external view returns (uint256[] hints);
    function getLastCheckpointIndex() external view returns (uint256);
    function claimWithdrawals(uint256[] ids, uint256[] hints) external;
    // Sablier's streams.
    function ownerOf(uint256 stream) external view returns (address);
    function withdrawMax(uint256 stream, address to) external;
    /// What a contract returns that says nothing of its own.
    function echo(address account, uint256 number) external view returns (uint256);
}

const IDENTITY: Address = Address::with_last_byte(4);
const STREAM: u64 = 70_001;

fn number(number: u64) -> U256 {
    U256::from(number)
}

fn paying(claim: portolan_plugin_api::Claim, of: u64) -> Claimable {
    Claimable::new("main", TARGET, claim)
        .named("withdrawal")
        .mechanism("queue")
        .numbered(number(of))
        .pays(TOKEN, U256::ONE)
}

/// Claims as plugins of Lido and Sablier would, and by a number that no contract says is the account's.
struct Queue;

impl Plugin for Queue {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        let claims = vec![
            ClaimTemplate::new::<claimWithdrawalsCall>([Role::array(Role::NUMBER), Role::array(Role::NUMBER)]),
            ClaimTemplate::new::<withdrawMaxCall>([Role::NUMBER, Role::ACCOUNT]),
        ];
        Catalogue { claims, ..scenario::catalogue() }
    }

    async fn claimables(&self, cx: &JobContext, account: Address) -> Result<Vec<Claimable>, Error> {
        let ids = cx.call(TARGET, getWithdrawalRequestsCall { owner: account });
        let (ids, last) = cx.join((ids, cx.call(TARGET, getLastCheckpointIndexCall {}))).await?;
        let hints = findCheckpointHintsCall { ids: ids.clone(), first: U256::ONE, last };
        let hints = cx.call(TARGET, hints).await?;
        let owner = cx.call(TARGET, ownerOfCall { stream: number(STREAM) }).await?;
        // It returns whatever it is given.
        let _ = cx.try_call(IDENTITY, echoCall { account, number: number(STREAM + 1) }).await?;
        let mut found = vec![paying(cx.claim(TARGET, &claimWithdrawalsCall { ids, hints }), 1)];
        if owner == account {
            let withdraw = withdrawMaxCall { stream: number(STREAM), to: account };
            found.push(paying(cx.claim(TARGET, &withdraw), STREAM));
        } else {
            let withdraw = withdrawMaxCall { stream: number(STREAM + 1), to: account };
            found.push(paying(cx.claim(TARGET, &withdraw), STREAM + 1));
        }
        Ok(found)
    }
}

impl Exported for Queue {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

fn run(owner: Address) -> Outcome {
    let ids = vec![number(4_001), number(4_002)];
    let hints = findCheckpointHintsCall { ids: ids.clone(), first: U256::ONE, last: number(900) };
    let echo = echoCall { account: ACCOUNT, number: number(STREAM + 1) };
    let replies = CannedReplies::default()
        .reply(NETWORK, TARGET, &getWithdrawalRequestsCall { owner: ACCOUNT }, &ids)
        .reply(NETWORK, TARGET, &getLastCheckpointIndexCall {}, &number(900))
        .reply(NETWORK, TARGET, &hints, &vec![number(555), number(556)])
        .reply(NETWORK, TARGET, &ownerOfCall { stream: number(STREAM) }, &owner)
        .reply(NETWORK, IDENTITY, &echo, &number(STREAM + 1));
    // Once: hostile replies choose other numbers.
    JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT)
        .run::<Queue>(|request: &_| portolan_plugin_api::testing::Replies::reply(&mut &replies, request))
}

#[test]
fn withdrawals_with_hints_and_streams_of_an_owner_are_claimed() {
    let outcome = run(ACCOUNT);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 2), "{}", outcome.message);
}

#[test]
#[should_panic = "70002 is a number that this job did not read together with the account: read it by a call that has the \
                  account as an argument, or read its owner, or by a call with such a number, of a contract that the \
                  deployment lists or a declared lineage gave to this job"]
fn a_number_that_a_precompile_returns_is_refused() {
    run(TARGET);
}

sol! {
    function idsOf(address owner) external view returns (uint256[] ids);
    function owed(address owner) external view returns (uint256);
    function claim(uint256 id) external;
}

/// Claims by the ids that it reads, or by the constant 1.
struct Ids<const IS_READ: bool>;

impl<const IS_READ: bool> Plugin for Ids<IS_READ> {
    fn configure(_: &Settings) -> Result<Self, SettingsError> {
        Ok(Self)
    }

    fn catalogue(&self) -> Catalogue {
        Catalogue { claims: vec![ClaimTemplate::new::<claimCall>([Role::NUMBER])], ..scenario::catalogue() }
    }

    async fn claimables(&self, cx: &JobContext, owner: Address) -> Result<Vec<Claimable>, Error> {
        let (ids, owed) = cx.join((cx.call(TARGET, idsOfCall { owner }), cx.call(TARGET, owedCall { owner }))).await?;
        let id = if IS_READ { ids.first().copied().unwrap_or_default() } else { U256::ONE };
        let claim = cx.claim(TARGET, &claimCall { id });
        Ok(vec![Claimable::new("main", TARGET, claim).named("by id").mechanism("queue").pays(TOKEN, owed)])
    }
}

impl<const IS_READ: bool> Exported for Ids<IS_READ> {
    type Plugin = Self;

    const MANIFEST: Manifest = Manifest::new(&["{}"]);
}

/// Runs it with an id of 1 and a debt of 1.
fn run_by_id<const IS_READ: bool>() -> Outcome {
    let replies = CannedReplies::default()
        .reply(NETWORK, TARGET, &idsOfCall { owner: ACCOUNT }, &vec![U256::ONE])
        .reply(NETWORK, TARGET, &owedCall { owner: ACCOUNT }, &U256::ONE);
    JobTest::new("acme", NETWORK, Question::CLAIMABLES, ACCOUNT).run::<Ids<IS_READ>>(&replies)
}

#[test]
fn a_small_number_that_was_read_passes_beside_an_equal_amount() {
    assert_eq!(run_by_id::<true>().payments().len(), 1);
}

#[test]
#[should_panic = "1 is a number that this job did not read together with the account"]
fn a_small_number_that_a_reply_has_by_chance_fails_the_test() {
    run_by_id::<false>();
}
