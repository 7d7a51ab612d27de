//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::curve_gauges::CurveGaugesKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, added_row, list, one_row, plugin, text};

sol! {
    function n_gauges() external view returns (int128);
    function gauges(uint256) external view returns (address);
    function get_gauge_count() external view returns (uint256);
    function get_gauge(uint256) external view returns (address);
    function mint(address) external;
    function lp_token() external view returns (address);
    function staking_token() external view returns (address);
    function scaling_factor() external view returns (uint256);
    function balanceOf(address) external view returns (uint256);
    function totalSupply() external view returns (uint256);
    function integrate_checkpoint_of(address) external view returns (uint256);
    function claimable_tokens(address) external returns (uint256);
    function reward_count() external view returns (uint256);
    function reward_tokens(uint256) external view returns (address);
    function claimable_reward(address, address) external view returns (uint256);
    function claimable_reward_write(address, address) external returns (uint256);
    function rewards_receiver(address) external view returns (address);
}

const NETWORK: u64 = 1;
const SIDE: u64 = 10;
const ROW: u64 = 100;
const SCALED: u64 = 137;
const BARE: u64 = 8_453;
const CONTROLLER: Address = address!("0xf000000000000000000000000000000000000001");
const MINTER: Address = address!("0xf000000000000000000000000000000000000002");
const FACTORY: Address = address!("0xf000000000000000000000000000000000000003");
const GAUGE: Address = address!("0xf000000000000000000000000000000000000004");
const CRV: Address = address!("0xa000000000000000000000000000000000000001");
const LDO: Address = address!("0xa000000000000000000000000000000000000002");
const ARB: Address = address!("0xa000000000000000000000000000000000000003");

/// Time of the account's last checkpoint in a gauge.
const TOUCHED: U256 = U256::from_limbs([1_700_000_000, 0, 0, 0]);

const TYPES: CurveGaugesKit = CurveGaugesKit { gauge: "gauge" };

plugin! {
    Curve: &TYPES,
    ["curve" = "CURVE"],
    r#"
    [[deployment]]
    protocol = "curve"
    network = "ethereum"
    gauge_controller = "0xf000000000000000000000000000000000000001"
    minter = "0xf000000000000000000000000000000000000002"
    minted_token = "0xa000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "curve"
    network = "optimism"
    gauge_factory = "0xf000000000000000000000000000000000000003"
    minted_token = "0xa000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "curve"
    network = "gnosis"
    gauges = ["0xf000000000000000000000000000000000000004"]

    [[deployment]]
    protocol = "curve"
    network = "polygon"
    gauges = ["0xf000000000000000000000000000000000000004"]
    scaled = true

    [[deployment]]
    protocol = "curve"
    network = "base"
    gauge_controller = "0xf000000000000000000000000000000000000001"
    "#
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

fn gauge(n: u64) -> Address {
    Address::left_padding_from(&[&[0x6a][..], &n.to_be_bytes()].concat())
}

fn pool(n: u64) -> Address {
    Address::left_padding_from(&[&[0x5a][..], &n.to_be_bytes()].concat())
}

/// A gauge in which the account never had anything.
fn empty(chain: CannedReplies, network: u64, n: u64) -> CannedReplies {
    let at = gauge(n);
    chain
        .reply(network, at, &lp_tokenCall {}, &pool(n))
        .reply(network, at, &balanceOfCall(Address::ZERO), &U256::ZERO)
        .reply(network, at, &balanceOfCall(ACCOUNT), &U256::ZERO)
        .reply(network, at, &integrate_checkpoint_ofCall(ACCOUNT), &U256::ZERO)
        .reply(network, at, &totalSupplyCall {}, &word(4_000))
}

/// A controller of this many gauges of the second generation.
fn controller(count: u64) -> CannedReplies {
    let chain = CannedReplies::default().reply(NETWORK, CONTROLLER, &n_gaugesCall {}, &word(count));
    (0..count).fold(chain, |chain, n| {
        let chain = empty(chain, NETWORK, n).revert(NETWORK, gauge(n), &reward_countCall {});
        let chain = chain.reply(NETWORK, CONTROLLER, &gaugesCall(word(n)), &gauge(n));
        (0..8)
            .fold(chain, |chain, place| chain.reply(NETWORK, gauge(n), &reward_tokensCall(word(place)), &Address::ZERO))
    })
}

/// A factory of this many gauges of the current generation, which each pay `tokens`.
fn factory(count: u64, tokens: &[Address]) -> CannedReplies {
    let chain = CannedReplies::default().reply(SIDE, FACTORY, &get_gauge_countCall {}, &word(count));
    (0..count).fold(chain, |chain, n| {
        let chain = empty(chain, SIDE, n).reply(SIDE, FACTORY, &get_gaugeCall(word(n)), &gauge(n));
        let chain = chain.reply(SIDE, gauge(n), &reward_countCall {}, &U256::from(tokens.len()));
        (0..).zip(tokens).fold(chain, |chain, (place, token)| {
            chain.reply(SIDE, gauge(n), &reward_tokensCall(word(place)), token).reply(
                SIDE,
                gauge(n),
                &claimable_rewardCall { _0: ACCOUNT, _1: *token },
                &U256::ZERO,
            )
        })
    })
}

fn stake(chain: CannedReplies, network: u64, n: u64, amount: u64, minted: u64) -> CannedReplies {
    chain
        .reply(network, gauge(n), &balanceOfCall(ACCOUNT), &word(amount))
        .reply(network, gauge(n), &integrate_checkpoint_ofCall(ACCOUNT), &TOUCHED)
        .reply(network, gauge(n), &claimable_tokensCall(ACCOUNT), &word(minted))
}

fn run(network: u64, question: Question, chain: &CannedReplies) -> Outcome {
    JobTest::new("curve", network, question, ACCOUNT).run::<Curve>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for (network, chain) in [(NETWORK, controller(3)), (SIDE, factory(3, &[LDO, ARB]))] {
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(network, question, &chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
        }
    }
}

#[test]
fn the_emission_is_claimed_of_the_minter_and_rewards_of_the_gauge_for_the_account_itself() {
    let chain = stake(stake(factory(3, &[LDO, ARB]), SIDE, 1, 1_000, 7), SIDE, 2, 0, 0);
    let chain = chain.reply(SIDE, gauge(1), &claimable_rewardCall { _0: ACCOUNT, _1: ARB }, &word(11)).reply(
        SIDE,
        gauge(2),
        &claimable_rewardCall { _0: ACCOUNT, _1: LDO },
        &word(1),
    );
    let outcome = run(SIDE, Question::CLAIMABLES, &chain);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(FACTORY, CRV, word(7)), (gauge(1), ARB, word(11)), (gauge(2), LDO, word(1))]);
    assert_eq!(outcome.payments()[0].claim.arguments, gauge(1).abi_encode());
    assert_eq!(outcome.payments()[1].claim.arguments, (ACCOUNT, ACCOUNT).abi_encode());
    assert_eq!(outcome.payments()[0].name, format!("{{{:#x}}} emission", pool(1)));
}

#[test]
fn a_gauge_that_the_account_never_used_is_asked_nothing_else_about_it() {
    // The gauge would reply if it were called.
    let chain = stake(factory(1, &[LDO]), SIDE, 0, 1_000, 7);
    let chain = chain.reply(SIDE, gauge(0), &claimable_rewardCall { _0: ACCOUNT, _1: LDO }, &word(3));
    assert_eq!(run(SIDE, Question::CLAIMABLES, &chain).payments().len(), 2);
    let never = chain.clone().reply(SIDE, gauge(0), &integrate_checkpoint_ofCall(ACCOUNT), &U256::ZERO);
    let outcome = run(SIDE, Question::CLAIMABLES, &never);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    // A gauge without such a view is asked for what it owes.
    let other = chain.revert(SIDE, gauge(0), &integrate_checkpoint_ofCall(ACCOUNT));
    assert_eq!(run(SIDE, Question::CLAIMABLES, &other).payments().len(), 2);
}

#[test]
fn whoever_has_left_a_gauge_is_still_owed_the_emission_of_then() {
    let chain = stake(controller(2), NETWORK, 1, 0, 9);
    let outcome = run(NETWORK, Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, row.token, row.amount), (MINTER, CRV, word(9)));
    assert_eq!(run(NETWORK, Question::FARMING, &chain).findings.len(), 0);
}

#[test]
fn older_gauges_reckon_their_rewards_by_claiming_them() {
    let base = stake(controller(2), NETWORK, 0, 5, 0)
        .reply(NETWORK, gauge(0), &reward_tokensCall(word(0)), &LDO)
        .reply(NETWORK, gauge(0), &claimable_rewardCall { _0: ACCOUNT, _1: LDO }, &word(3));
    // The third generation has a view of the recorded amount, and a renamed function that computes everything.
    let third = base.clone().reply(NETWORK, gauge(0), &claimable_reward_writeCall { _0: ACCOUNT, _1: LDO }, &word(4));
    for (chain, owed) in [(&base, 3), (&third, 4)] {
        let outcome = run(NETWORK, Question::CLAIMABLES, chain);
        assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
        let row = outcome.payments()[0];
        assert_eq!((row.claim.to, row.token, row.amount), (gauge(0), LDO, word(owed)));
        assert_eq!(row.claim.arguments, ACCOUNT.abi_encode());
    }
    // A receiver set by the account gets the payment of that call.
    let elsewhere = third.reply(NETWORK, gauge(0), &rewards_receiverCall(ACCOUNT), &MINTER);
    let outcome = run(NETWORK, Question::CLAIMABLES, &elsewhere);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 0));
    assert!(outcome.message.contains("pays the account's rewards to"), "{}", outcome.message);
}

#[test]
fn a_stake_has_its_token_and_what_is_owed() {
    let chain = stake(factory(2, &[LDO]), SIDE, 1, 1_000, 7);
    let chain = chain.reply(SIDE, gauge(1), &claimable_rewardCall { _0: ACCOUNT, _1: LDO }, &word(2));
    let outcome = run(SIDE, Question::FARMING, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::STAKED, gauge(1)));
    let stake = Leg::new(LegRole::STAKED, pool(1), word(1_000)).of_total(word(4_000));
    let owed = |token, amount| Leg::new(LegRole::REWARD_OWED, token, word(amount));
    assert_eq!(position.legs, [stake, owed(CRV, 7), owed(LDO, 2)]);
    outcome.check_totals(&run(SIDE, Question::CLAIMABLES, &chain));
}

#[test]
fn what_holds_no_token_of_a_pool_is_left_out() {
    let chain = stake(controller(3), NETWORK, 2, 5, 1);
    let chain =
        chain.revert(NETWORK, gauge(0), &lp_tokenCall {}).revert(NETWORK, gauge(1), &balanceOfCall(Address::ZERO));
    let outcome = run(NETWORK, Question::CLAIMABLES, &chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let list = outcome.facts::<(Address, Address, bool)>("main", "gauges");
    assert_eq!(list[..2], [(gauge(0), Address::ZERO, false), (gauge(1), Address::ZERO, false)]);
}

#[test]
fn a_broken_gauge_costs_its_own_rows_and_is_reported() {
    for answer in [ReadResult::Reverted(Bytes::new()), ReadResult::GasCap, ReadResult::Ok(Bytes::from_static(&[1; 7]))]
    {
        let chain = stake(controller(3), NETWORK, 2, 5, 1);
        let chain = chain.result(NETWORK, gauge(0), &integrate_checkpoint_ofCall(ACCOUNT), answer.clone());
        let chain = chain.result(NETWORK, gauge(0), &claimable_tokensCall(ACCOUNT), answer.clone());
        let chain = chain.result(NETWORK, gauge(0), &balanceOfCall(ACCOUNT), answer);
        for question in [Question::CLAIMABLES, Question::FARMING] {
            let outcome = run(NETWORK, question, &chain);
            assert_eq!((outcome.end, outcome.findings.len()), (End::Partial, 1), "{}", outcome.message);
            assert!(outcome.message.contains(&format!(" of {}: ", gauge(0))), "{}", outcome.message);
        }
    }
}

#[test]
fn a_claim_goes_to_no_gauge_that_the_list_does_not_name() {
    let chain = stake(controller(2), NETWORK, 1, 5, 5).reply(NETWORK, CONTROLLER, &gaugesCall(word(1)), &gauge(0));
    let test = JobTest::new("curve", NETWORK, Question::CLAIMABLES, ACCOUNT);
    let list = [(gauge(0), pool(0), false), (gauge(1), pool(1), false)];
    let outcome = test.facts("main", "gauges", &list).run::<Curve>(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Partial, 0));
    assert_eq!(outcome.message, format!("main: {}: is the gauge at place 1 no more", gauge(1)));
}

#[test]
fn a_list_that_answers_nonsense_is_an_error_and_no_empty_answer() {
    for answer in [ReadResult::NoCode, ReadResult::Ok(U256::MAX.abi_encode().into()), ReadResult::Unavailable] {
        let outcome =
            run(NETWORK, Question::FARMING, &controller(1).result(NETWORK, CONTROLLER, &n_gaugesCall {}, answer));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Failed, 0), "{}", outcome.message);
    }
}

/// A gauge of a row that names the staked token as forks do, and pays one token.
fn of_row() -> CannedReplies {
    fork_gauge(ROW)
}

fn fork_gauge(network: u64) -> CannedReplies {
    CannedReplies::default()
        .revert(network, GAUGE, &lp_tokenCall {})
        .reply(network, GAUGE, &staking_tokenCall {}, &pool(1))
        .reply(network, GAUGE, &balanceOfCall(Address::ZERO), &U256::ZERO)
        .reply(network, GAUGE, &balanceOfCall(ACCOUNT), &word(5))
        .reply(network, GAUGE, &totalSupplyCall {}, &word(8))
        .reply(network, GAUGE, &reward_countCall {}, &word(1))
        .reply(network, GAUGE, &reward_tokensCall(U256::ZERO), &LDO)
        .reply(network, GAUGE, &claimable_rewardCall { _0: ACCOUNT, _1: LDO }, &word(7))
}

#[test]
fn gauges_of_a_row_have_no_minter_and_pay_their_tokens_themselves() {
    let outcome = run(ROW, Question::CLAIMABLES, &of_row());
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(GAUGE, LDO, word(7))]);
    assert_eq!(outcome.payments()[0].claim.arguments, (ACCOUNT, ACCOUNT).abi_encode());
    let outcome = run(ROW, Question::FARMING, &of_row());
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let stake = Leg::new(LegRole::STAKED, pool(1), word(5)).of_total(word(8));
    assert_eq!(outcome.positions()[0].legs, [stake, Leg::new(LegRole::REWARD_OWED, LDO, word(7))]);
}

#[test]
fn a_controller_without_a_minter_lists_gauges_that_pay_their_tokens_themselves() {
    let chain = fork_gauge(BARE).reply(BARE, CONTROLLER, &n_gaugesCall {}, &word(1)).reply(
        BARE,
        CONTROLLER,
        &gaugesCall(word(0)),
        &GAUGE,
    );
    let claims = run(BARE, Question::CLAIMABLES, &chain);
    let found: Vec<_> = claims.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!((claims.end, found), (End::Complete, vec![(GAUGE, LDO, word(7))]), "{}", claims.message);
    let stakes = run(BARE, Question::FARMING, &chain);
    assert_eq!((stakes.end, stakes.positions().len()), (End::Complete, 1), "{}", stakes.message);
    let settings = one_row("curve", 56, vec![text("gauge_controller", CONTROLLER)]);
    let catalogue = testing::catalogue::<Curve>(&settings);
    assert_eq!(catalogue.deployments[0].contracts, [CONTROLLER]);
}

#[test]
fn a_stake_whose_token_was_exchanged_is_told_in_the_new_one() {
    // The gauge counts 1.25 per new token: 5 are 4, and all 8 are 6.4.
    let scale = U256::from(1_250_000_000_000_000_000_u64);
    let chain = fork_gauge(SCALED).reply(SCALED, GAUGE, &scaling_factorCall {}, &scale);
    for (chain, amount, total) in [
        (chain.clone(), 4, 6),
        (chain.clone().reply(SCALED, GAUGE, &scaling_factorCall {}, &U256::ZERO), 5, 8),
        // A gauge whose token was never exchanged lacks this view.
        (chain.clone().revert(SCALED, GAUGE, &scaling_factorCall {}), 5, 8),
    ] {
        let outcome = run(SCALED, Question::FARMING, &chain);
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
        let stake = Leg::new(LegRole::STAKED, pool(1), word(amount)).of_total(word(total));
        assert_eq!(outcome.positions()[0].legs, [stake, Leg::new(LegRole::REWARD_OWED, LDO, word(7))]);
    }
    let huge = chain.reply(SCALED, GAUGE, &balanceOfCall(ACCOUNT), &U256::MAX);
    let outcome = run(SCALED, Question::FARMING, &huge);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 0), "{}", outcome.message);
}

#[test]
fn older_gauges_of_a_row_pay_what_claiming_reckons() {
    let old = of_row().revert(ROW, GAUGE, &reward_countCall {}).reply(
        ROW,
        GAUGE,
        &claimable_reward_writeCall { _0: ACCOUNT, _1: LDO },
        &word(6),
    );
    let outcome = run(ROW, Question::CLAIMABLES, &old);
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    let found: Vec<_> = outcome.payments().iter().map(|row| (row.claim.to, row.token, row.amount)).collect();
    assert_eq!(found, [(GAUGE, LDO, word(6))]);
    assert_eq!(outcome.payments()[0].claim.arguments, ACCOUNT.abi_encode());
    let left = old.reply(ROW, GAUGE, &balanceOfCall(ACCOUNT), &U256::ZERO);
    let outcome = run(ROW, Question::CLAIMABLES, &left);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
}

#[test]
fn gauges_of_a_settings_row_may_have_a_minter() {
    let settings = |minted: Option<Address>| {
        let minted = minted.map(|token| text("minted_token", token));
        let keys = [list("gauges", [gauge(1)]), text("minter", MINTER)];
        one_row("curve", SIDE, keys.into_iter().chain(minted).collect())
    };
    let chain = stake(factory(2, &[LDO]), SIDE, 1, 1_000, 7);
    let test = JobTest::new("curve", SIDE, Question::CLAIMABLES, ACCOUNT).settings(settings(Some(CRV)));
    let outcome = test.run::<Curve>(&chain);
    assert_eq!((outcome.end, outcome.payments().len()), (End::Complete, 1), "{}", outcome.message);
    let row = outcome.payments()[0];
    assert_eq!((row.claim.to, row.token, row.amount), (MINTER, CRV, word(7)));
    // A gauge of an older generation in the row has no emission, and none of its views.
    let old = chain
        .revert(SIDE, gauge(1), &reward_countCall {})
        .revert(SIDE, gauge(1), &integrate_checkpoint_ofCall(ACCOUNT))
        .revert(SIDE, gauge(1), &claimable_tokensCall(ACCOUNT));
    let outcome = test.run::<Curve>(&old);
    assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    let refused = testing::settings_error::<Curve>(&settings(None)).unwrap().to_string();
    assert!(refused.contains("minted_token"), "{refused}");
}

#[test]
fn a_fork_is_a_row_and_a_wrong_row_is_refused() {
    let row =
        |keys: &[(&str, Address)]| added_row("curve", 56, keys.iter().map(|(key, value)| text(key, value)).collect());
    let fork = row(&[("gauge_factory", FACTORY), ("minted_token", CRV)]);
    assert_eq!(testing::catalogue::<Curve>(&fork).deployments.len(), 6);
    let wrong = [
        (row(&[("gauge_controller", CONTROLLER), ("minted_token", CRV)]), "minter"),
        (row(&[("gauge_factory", FACTORY)]), "minted_token"),
        (
            row(&[("gauge_factory", FACTORY), ("gauge_controller", CONTROLLER), ("minted_token", CRV)]),
            "give one of them",
        ),
    ];
    for (settings, message) in wrong {
        let refused = testing::settings_error::<Curve>(&settings).expect("the row is wrong").to_string();
        assert!(refused.contains(message), "{refused}");
    }
}
