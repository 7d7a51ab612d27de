//! Generations of Solidly before Velodrome v2, through the real binary interface: gauges that pay lists of tokens,
//! Thena's gauges, and the first generation's locks and rebases.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::solidly::SolidlyKit;
use portolan_plugin_api::testing::{CannedReplies, End, JobTest, Outcome, ReadResult, Replies};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, NOW_S, one_row, plugin, text};

sol! {
    function lastVoted(uint256) external view returns (uint256);
    function user_point_epoch(uint256) external view returns (uint256);
    function user_epoch_of(uint256) external view returns (uint256);
    function length() external view returns (uint256);
    function pools(uint256) external view returns (address);
    function gauges(address) external view returns (address);
    function stake() external view returns (address);
    function TOKEN() external view returns (address);
    function rewardsListLength() external view returns (uint256);
    function rewards(uint256) external view returns (address);
    function rewardTokens(uint256) external view returns (address);
    function left(address) external view returns (uint256);
    function derivedSupply() external view returns (uint256);
    function derivedBalances(address) external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function token() external view returns (address);
    function tokenOfOwnerByIndex(address, uint256) external view returns (uint256);
    function locked(uint256) external view returns (int128, uint256);
    function claimable(uint256) external view returns (uint256);
    function claimRewards(address[] gauges, address[][] tokens) external;
}

/// Views of gauges that pay a list of tokens.
mod listed {
    portolan_plugin_api::sol! {
        function earned(address token, address account) external view returns (uint256);
        function periodFinish(address token) external view returns (uint256);
    }
}

/// Views of gauges that pay one token.
mod single {
    portolan_plugin_api::sol! {
        function rewardToken() external view returns (address);
        function earned(address account) external view returns (uint256);
        function rewardRate() external view returns (uint256);
        function periodFinish() external view returns (uint256);
    }
}

const FIRST: u64 = 10;
const EQUALIZER: u64 = 250;
const THENA: u64 = 56;
const THENA_V1: u64 = 43_114;
const VOTER: Address = address!("0xf000000000000000000000000000000000000001");
const ESCROW: Address = address!("0xf000000000000000000000000000000000000002");
const DISTRIBUTOR: Address = address!("0xf000000000000000000000000000000000000003");
const BASE: Address = address!("0xa000000000000000000000000000000000000001");
const OTHER: Address = address!("0xa000000000000000000000000000000000000002");

const TYPES: SolidlyKit =
    SolidlyKit { gauge: "gauge", pool: "pool", lock: "lock", rebase: "rebase", fees: "fees", bribe: "bribe" };

plugin! {
    Heirs: &TYPES,
    ["heir" = "HEIR"],
    r#"
    [[deployment]]
    protocol = "heir"
    network = "optimism"
    voter = "0xf000000000000000000000000000000000000001"
    escrow = "0xf000000000000000000000000000000000000002"
    distributor = "0xf000000000000000000000000000000000000003"
    generation = "velodrome-v1"

    [[deployment]]
    protocol = "heir"
    network = "fantom"
    voter = "0xf000000000000000000000000000000000000001"
    escrow = "0xf000000000000000000000000000000000000002"
    distributor = "0xf000000000000000000000000000000000000003"
    generation = "equalizer"

    [[deployment]]
    protocol = "heir"
    network = "smartchain"
    voter = "0xf000000000000000000000000000000000000001"
    escrow = "0xf000000000000000000000000000000000000002"
    distributor = "0xf000000000000000000000000000000000000003"
    generation = "thena"

    [[deployment]]
    protocol = "heir"
    network = "avalanchex"
    voter = "0xf000000000000000000000000000000000000001"
    escrow = "0xf000000000000000000000000000000000000002"
    distributor = "0xf000000000000000000000000000000000000003"
    generation = "thena-v1"
    "#
}

fn pool(n: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &n.to_be_bytes()].concat())
}

fn gauge(n: u64) -> Address {
    Address::left_padding_from(&[&[0x6a][..], &n.to_be_bytes()].concat())
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

/// A voter with this many gauges, in which the account has nothing, and an escrow without locks of the account.
fn voter(network: u64, count: u64) -> CannedReplies {
    let chain = CannedReplies::default()
        .reply(network, VOTER, &lengthCall {}, &word(count))
        .reply(network, ESCROW, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(network, ESCROW, &tokenCall {}, &BASE);
    (0..count).fold(chain, |chain, n| {
        let chain = chain
            .reply(network, VOTER, &poolsCall(word(n)), &pool(n))
            .reply(network, VOTER, &gaugesCall(pool(n)), &gauge(n))
            .reply(network, gauge(n), &balanceOfCall(ACCOUNT), &U256::ZERO);
        if [THENA, THENA_V1].contains(&network) {
            return chain
                .reply(network, gauge(n), &TOKENCall {}, &pool(n))
                .reply(network, gauge(n), &single::rewardTokenCall {}, &BASE)
                .reply(network, gauge(n), &single::earnedCall { account: ACCOUNT }, &U256::ZERO);
        }
        pays(chain.reply(network, gauge(n), &stakeCall {}, &pool(n)), network, n, &[(BASE, 0)])
    })
}

/// Sets the list of tokens that a gauge pays, with what each owes the account.
fn pays(chain: CannedReplies, network: u64, n: u64, tokens: &[(Address, u64)]) -> CannedReplies {
    let chain = chain.reply(network, gauge(n), &rewardsListLengthCall {}, &U256::from(tokens.len()));
    tokens.iter().enumerate().fold(chain, |chain, (place, (token, owed))| {
        let place = U256::from(place);
        let chain = match network {
            EQUALIZER => chain.reply(network, gauge(n), &rewardTokensCall(place), token),
            _ => chain.reply(network, gauge(n), &rewardsCall(place), token),
        };
        chain.reply(network, gauge(n), &listed::earnedCall { token: *token, account: ACCOUNT }, &word(*owed))
    })
}

/// A stake of `amount` among 4,000.
fn stakes(chain: CannedReplies, network: u64, n: u64, amount: u64) -> CannedReplies {
    chain.reply(network, gauge(n), &balanceOfCall(ACCOUNT), &word(amount)).reply(
        network,
        gauge(n),
        &totalSupplyCall {},
        &word(4_000),
    )
}

/// Sets the amount of a token that a gauge has left to pay until its period's end.
fn pays_on(chain: CannedReplies, network: u64, n: u64, token: Address, left: u64, finish_s: u64) -> CannedReplies {
    chain.reply(network, gauge(n), &leftCall(token), &word(left)).reply(
        network,
        gauge(n),
        &listed::periodFinishCall { token },
        &word(finish_s),
    )
}

/// Locks of the account: id, amount, end and the amount owed by the distributor.
fn locks(chain: CannedReplies, network: u64, locks: &[(u64, i128, u64, u64)]) -> CannedReplies {
    let chain = chain.reply(network, ESCROW, &balanceOfCall(ACCOUNT), &U256::from(locks.len()));
    locks.iter().enumerate().fold(chain, |chain, (place, (id, amount, end, owed))| {
        let place = U256::from(place);
        let locked = ReadResult::Ok((*amount, word(*end)).abi_encode().into());
        chain
            .reply(network, ESCROW, &tokenOfOwnerByIndexCall { _0: ACCOUNT, _1: place }, &word(*id))
            .result(network, ESCROW, &lockedCall(word(*id)), locked)
            .reply(network, DISTRIBUTOR, &claimableCall(word(*id)), &word(*owed))
    })
}

fn case(network: u64, question: Question) -> JobTest {
    JobTest::new("heir", network, question, ACCOUNT)
}

fn run(network: u64, question: Question, chain: impl Replies) -> Outcome {
    case(network, question).run::<Heirs>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for network in [FIRST, EQUALIZER, THENA] {
        for question in [Question::CLAIMABLES, Question::FARMING, Question::LOCKED] {
            let outcome = run(network, question, &voter(network, 3));
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{network}: {}", outcome.message);
        }
    }
}

#[test]
fn a_gauge_pays_the_tokens_of_its_list_by_one_claim() {
    for network in [FIRST, EQUALIZER] {
        let chain = pays(voter(network, 3), network, 1, &[(OTHER, 0), (BASE, 7), (pool(9), 1)]);
        let first = run(network, Question::CLAIMABLES, &chain);
        let second = case(network, Question::CLAIMABLES).after(&first).run::<Heirs>(&chain);
        for outcome in [&first, &second] {
            let [row] = outcome.claimables()[..] else { panic!("{network}: {}", outcome.message) };
            assert_eq!((outcome.end, row.contract), (End::Complete, gauge(1)));
            let paid: Vec<_> = row.payments.iter().map(|payment| (payment.token, payment.amount)).collect();
            assert_eq!(paid, [(BASE, word(7)), (pool(9), word(1))], "1 wei is paid, nothing is not claimed");
            assert_eq!(
                (row.mechanism.as_str(), row.name.as_str()),
                ("gauge", format!("{{{:#x}}} reward", pool(1)).as_str())
            );
            let [claim] = &row.steps[..] else { panic!("{:?}", row.steps) };
            let tokens = vec![BASE, pool(9)];
            assert_eq!((claim.to, &claim.arguments), (gauge(1), &(ACCOUNT, tokens.clone()).abi_encode_params()));
            let merged = claim.mergeable.as_ref().expect("the voter claims for several");
            let call = claimRewardsCall { gauges: vec![gauge(1)], tokens: vec![tokens] };
            assert_eq!((merged.to, &merged.arguments[..]), (VOTER, &call.abi_encode()[4..]));
        }
        // The list's length and the locks; lists' lengths; tokens; owed amounts; the voter's gauge; names.
        assert_eq!(second.batches, [2, 3, 5, 5, 4, 2], "{network}");
    }
}

#[test]
fn a_stake_has_a_leg_for_each_token_and_what_the_account_gets_of_it() {
    let rows = |network| {
        let chain = pays(stakes(voter(network, 2), network, 1, 1_000), network, 1, &[(BASE, 7), (OTHER, 0)]);
        let chain = pays_on(chain, network, 1, BASE, 500, NOW_S + 40);
        let chain = pays_on(chain, network, 1, OTHER, 0, NOW_S)
            .reply(network, gauge(1), &derivedBalancesCall(ACCOUNT), &word(400))
            .reply(network, gauge(1), &derivedSupplyCall {}, &word(1_600));
        let outcome = run(network, Question::FARMING, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{network}: {}", outcome.message);
        outcome.positions()[0].clone()
    };
    for network in [FIRST, EQUALIZER] {
        let position = rows(network);
        assert_eq!((position.kind, position.contract), (PositionKind::STAKED, gauge(1)));
        assert_eq!(position.name, format!("{{{:#x}}} gauge", pool(1)));
        let stake = Leg::new(LegRole::STAKED, pool(1), word(1_000)).of_total(word(4_000));
        let owed = |token, amount| Leg::new(LegRole::REWARD_OWED, token, word(amount));
        assert_eq!(position.legs, [stake, owed(BASE, 7), owed(OTHER, 0)]);
        assert_eq!(position.rewards[1], Reward::new(OTHER, U256::ZERO), "its period is over");
    }
    // 500 in 40 seconds, to all.
    let shared = Reward { divisor: Some(word(40)), ..Reward::new(BASE, word(500)) };
    assert_eq!(rows(EQUALIZER).rewards[0], shared);
    // Of these, 400 of 1,600 are the account's own.
    let own =
        Reward { own_per_second: Some(word(500 * 400)), divisor: Some(word(40 * 1_600)), ..Reward::new(BASE, None) };
    assert_eq!(rows(FIRST).rewards[0], own);
}

#[test]
fn thenas_gauges_pay_one_token_by_a_claim_that_names_nobody() {
    for network in [THENA, THENA_V1] {
        let chain = stakes(voter(network, 2), network, 1, 1_000)
            .reply(network, gauge(1), &single::earnedCall { account: ACCOUNT }, &word(7))
            .reply(network, gauge(1), &single::rewardRateCall {}, &word(12))
            .reply(network, gauge(1), &single::periodFinishCall {}, &word(NOW_S + 1));
        let owed = run(network, Question::CLAIMABLES, &chain);
        let [row] = owed.claimables()[..] else { panic!("{}", owed.message) };
        assert_eq!((row.payments[0].token, row.payments[0].amount), (BASE, word(7)));
        assert_eq!((row.steps[0].to, row.steps[0].arguments.len()), (gauge(1), 0));
        let merged = row.steps[0].mergeable.as_ref().map(|merged| (merged.to, merged.arguments.clone()));
        // The third voter claims for several gauges; earlier ones have another call for it.
        let expected = (network == THENA).then(|| (VOTER, vec![gauge(1)].abi_encode()));
        assert_eq!(merged, expected);
        let staked = run(network, Question::FARMING, &chain);
        let [position] = staked.positions()[..] else { panic!("{}", staked.message) };
        let stake = Leg::new(LegRole::STAKED, pool(1), word(1_000)).of_total(word(4_000));
        assert_eq!(position.legs, [stake, Leg::new(LegRole::REWARD_OWED, BASE, word(7))]);
        assert_eq!(position.rewards, [Reward::new(BASE, word(12))]);
    }
}

#[test]
fn a_broken_token_costs_itself_and_a_broken_gauge_its_own_rows() {
    let owing = pays(pays(voter(FIRST, 3), FIRST, 1, &[(BASE, 7), (OTHER, 3)]), FIRST, 2, &[(BASE, 9)]);
    let token = listed::earnedCall { token: OTHER, account: ACCOUNT };
    let cases = [
        (owing.clone().revert(FIRST, gauge(1), &token), vec![7, 9]),
        (owing.clone().revert(FIRST, gauge(1), &rewardsListLengthCall {}), vec![9]),
        (owing.result(FIRST, gauge(1), &rewardsCall(word(1)), ReadResult::Unavailable), vec![7, 9]),
    ];
    for (chain, paid) in cases {
        let outcome = run(FIRST, Question::CLAIMABLES, &chain);
        let found: Vec<_> = outcome.payments().iter().map(|row| row.amount).collect();
        assert_eq!(found, paid.into_iter().map(word).collect::<Vec<_>>(), "{}", outcome.message);
        assert_eq!(outcome.end, End::Partial);
        assert!(outcome.message.contains(&format!(" of {}: ", gauge(1))), "{}", outcome.message);
    }
}

#[test]
fn gauges_that_the_voter_names_no_more_and_gauges_without_stakes_are_no_targets() {
    let chain = pays(voter(FIRST, 2), FIRST, 1, &[(BASE, 7)]);
    let entries: Vec<(Address, Address, bool)> = (0..2).map(|n| (pool(n), gauge(n), false)).collect();
    let known = case(FIRST, Question::CLAIMABLES).facts("main", "gauges", &entries);
    let outcome = known.run::<Heirs>(&chain.clone().reply(FIRST, VOTER, &gaugesCall(pool(1)), &gauge(0)));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 0), "{}", outcome.message);
    let outcome = run(FIRST, Question::CLAIMABLES, &chain.revert(FIRST, gauge(1), &stakeCall {}));
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn a_list_is_read_to_its_bound_and_each_token_is_paid_once() {
    let mut tokens: Vec<(Address, u64)> = (0..40).map(|n| (pool(100 + n), 1)).collect();
    tokens[3] = (Address::ZERO, 1);
    tokens[5] = tokens[4];
    let outcome = run(FIRST, Question::CLAIMABLES, &pays(voter(FIRST, 1), FIRST, 0, &tokens));
    assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
    assert_eq!(outcome.not_covered, [format!("main: {}: 32 of 40 reward tokens are read", gauge(0))]);
    assert_eq!(outcome.claimables()[0].payments.len(), 30);
}

#[test]
fn locks_of_the_first_generation_have_an_end_and_are_never_permanent() {
    let held = [(7, 5_000, NOW_S + 86_400, 0), (8, 0, 0, 0), (9, 1, NOW_S - 1, 0)];
    for network in [FIRST, EQUALIZER, THENA] {
        let outcome = run(network, Question::LOCKED, &locks(voter(network, 0), network, &held));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 2), "{}", outcome.message);
        for (position, (id, amount, end)) in
            outcome.positions().into_iter().zip([(7, 5_000, NOW_S + 86_400), (9, 1, NOW_S - 1)])
        {
            assert_eq!(position.nft, Some(Nft { collection: ESCROW, token_id: word(id) }));
            assert_eq!(position.lock, Some(Lock { unlocks_at: Some(end), is_permanent: Some(false) }));
            assert_eq!(position.legs, [Leg::new(LegRole::LOCKED, BASE, word(amount))]);
        }
        assert_eq!(outcome.batches, [1, 3, 4]);
    }
}

#[test]
fn a_rebase_of_a_lock_that_is_over_goes_where_its_distributor_pays_it() {
    let held = [(7, 5_000, NOW_S + 1, 40), (8, 6_000, NOW_S, 50), (9, 7_000, NOW_S - 1, 60), (10, 1, NOW_S + 1, 0)];
    let into_lock = (7, 40, PaidTo::LOCK);
    let cases = [
        (FIRST, vec![into_lock]), // `deposit_for` reverts from the end on.
        (EQUALIZER, vec![into_lock]),
        (THENA, vec![into_lock, (9, 60, PaidTo::ACCOUNT)]), // At the very second of the end, neither way works.
    ];
    for (network, expected) in cases {
        let outcome = run(network, Question::CLAIMABLES, &locks(voter(network, 0), network, &held));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        let found: Vec<_> = outcome
            .claimables()
            .iter()
            .map(|row| (row.number, row.payments[0].amount, row.payments[0].paid_to))
            .collect();
        let expected: Vec<_> = expected.into_iter().map(|(id, owed, to)| (Some(word(id)), word(owed), to)).collect();
        assert_eq!(found, expected, "{network}");
        let claim = &outcome.claimables()[0].steps[0];
        assert_eq!((claim.to, &claim.arguments), (DISTRIBUTOR, &word(7).abi_encode()));
        let merged = claim.mergeable.as_ref().expect("the distributor claims for several");
        assert_eq!((merged.to, &merged.arguments), (DISTRIBUTOR, &vec![word(7)].abi_encode()));
    }
}

#[test]
fn votes_that_are_not_read_and_changes_that_a_claim_does_not_count_are_told() {
    for network in [FIRST, EQUALIZER, THENA] {
        let chain = locks(voter(network, 0), network, &[(7, 5_000, NOW_S + 1, 40), (8, 5_000, NOW_S + 1, 0)]);
        let changes = |chain: CannedReplies, made: u64, counted: u64| {
            chain.reply(network, ESCROW, &user_point_epochCall(word(7)), &word(made)).reply(
                network,
                DISTRIBUTOR,
                &user_epoch_ofCall(word(7)),
                &word(counted),
            )
        };
        let whole = changes(chain.clone(), 60, 10).reply(network, VOTER, &lastVotedCall(word(7)), &U256::ZERO);
        let outcome = run(network, Question::CLAIMABLES, &whole);
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Complete, 1), "{}", outcome.message);
        let more = changes(chain, 61, 10).reply(network, VOTER, &lastVotedCall(word(8)), &word(NOW_S));
        let outcome = run(network, Question::CLAIMABLES, &more);
        assert_eq!((outcome.end, outcome.claimables().len()), (End::Partial, 1), "{}", outcome.message);
        let mut told = outcome.not_covered.clone();
        told.sort();
        let expected = [
            "main: fees and bribes of 1 of 2 locks, which have voted, are not read",
            "main: lock 7 was changed 61 times, of which a claim of its rebase counts 50",
        ];
        assert_eq!(told, expected);
    }
}

#[test]
fn a_row_of_settings_names_its_generation() {
    let settings =
        |generation: &str| one_row("heir", FIRST, vec![text("voter", ESCROW), text("generation", generation)]);
    let refused = testing::settings_error::<Heirs>(&settings("solidly")).expect("not a generation").to_string();
    assert!(refused.contains("generation") && refused.contains("`equalizer`"), "{refused}");
    for generation in ["velodrome-v2", "velodrome-v1", "equalizer", "thena", "thena-v1"] {
        assert!(testing::settings_error::<Heirs>(&settings(generation)).is_none(), "{generation}");
    }
    // A gauge of that generation is in a list that no gauge of Velodrome v2 is in.
    let chain = voter(FIRST, 1).reply(FIRST, ESCROW, &lengthCall {}, &word(1));
    let chain = stakes(chain, FIRST, 0, 5).reply(FIRST, ESCROW, &poolsCall(word(0)), &pool(0));
    let chain = chain
        .reply(FIRST, ESCROW, &gaugesCall(pool(0)), &gauge(0))
        .reply(FIRST, gauge(0), &rewardsListLengthCall {}, &U256::ZERO)
        .reply(FIRST, gauge(0), &derivedBalancesCall(ACCOUNT), &word(5))
        .reply(FIRST, gauge(0), &derivedSupplyCall {}, &word(5));
    let outcome = case(FIRST, Question::FARMING).settings(settings("velodrome-v1")).run::<Heirs>(&chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
}
