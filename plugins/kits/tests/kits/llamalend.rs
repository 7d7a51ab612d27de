//! The mechanism through the real binary interface, with canned replies instead of a chain.
//!
//! The contracts' functions are declared again here, so that a wrong one in the kit fails a test.

use portolan_kits::llamalend::LlamaLendKit;
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, one_row, plugin, text};

sol! {
    function n_collaterals() external view returns (uint256);
    function controllers(uint256) external view returns (address);
    function market_count() external view returns (uint256);
    function vaults(uint256) external view returns (address);
    function markets(uint256) external view returns (address[7]);
    function amm() external view returns (address);
    function loan_exists(address) external view returns (bool);
    function user_state(address) external view returns (uint256[4]);
    function health(address, bool) external view returns (int256);
    function coins(uint256) external view returns (address);
    function rate() external view returns (uint256);
    function asset() external view returns (address);
    function balanceOf(address) external view returns (uint256);
    function previewRedeem(uint256) external view returns (uint256);
}

const MINTS: u64 = 1;
const LENDS: u64 = 42_161;
const SECOND: u64 = 10;
const FACTORY: Address = address!("0xf000000000000000000000000000000000000001");
const CRVUSD: Address = address!("0xa000000000000000000000000000000000000001");
const WETH: Address = address!("0xa000000000000000000000000000000000000002");
const ONE: i64 = 1_000_000_000_000_000_000;

const TYPES: LlamaLendKit = LlamaLendKit { loan: "loan", vault: "vault" };

plugin! {
    Loans: &TYPES,
    ["loans" = "LOANS"],
    r#"
    [[deployment]]
    protocol = "loans"
    network = "ethereum"
    crvusd_factory = "0xf000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "loans"
    network = "arbitrum"
    lending_factory = "0xf000000000000000000000000000000000000001"

    [[deployment]]
    protocol = "loans"
    network = "optimism"
    market_factory = "0xf000000000000000000000000000000000000001"
    "#
}

fn word(amount: u64) -> U256 {
    U256::from(amount)
}

fn controller(n: u64) -> Address {
    Address::left_padding_from(&[&[0xc0][..], &n.to_be_bytes()].concat())
}

fn vault(n: u64) -> Address {
    Address::left_padding_from(&[&[0x7a][..], &n.to_be_bytes()].concat())
}

fn exchange(n: u64) -> Address {
    Address::left_padding_from(&[&[0xa3][..], &n.to_be_bytes()].concat())
}

/// Two markets in which the account has nothing.
fn markets(network: u64) -> CannedReplies {
    let chain = CannedReplies::default();
    let chain = if network == MINTS {
        chain.reply(network, FACTORY, &n_collateralsCall {}, &word(2))
    } else {
        chain.reply(network, FACTORY, &market_countCall {}, &word(2))
    };
    (0..2).fold(chain, |chain, n| {
        let market = [vault(n), controller(n), exchange(n), WETH, CRVUSD, FACTORY, FACTORY];
        let chain = match network {
            // It lists markets alone.
            SECOND => chain.reply(network, FACTORY, &marketsCall(word(n)), &market),
            _ => chain.reply(network, FACTORY, &controllersCall(word(n)), &controller(n)).reply(
                network,
                FACTORY,
                &vaultsCall(word(n)),
                &vault(n),
            ),
        };
        chain
            .reply(network, controller(n), &loan_existsCall(ACCOUNT), &false)
            .reply(network, controller(n), &ammCall {}, &exchange(n))
            .reply(network, exchange(n), &coinsCall(word(0)), &CRVUSD)
            .reply(network, exchange(n), &coinsCall(word(1)), &WETH)
            .reply(network, exchange(n), &rateCall {}, &word(2))
            .reply(network, vault(n), &balanceOfCall(ACCOUNT), &U256::ZERO)
            .reply(network, vault(n), &assetCall {}, &CRVUSD)
    })
}

/// A loan with these amounts of collateral left, collateral sold and debt, and this health.
fn loan(chain: CannedReplies, network: u64, n: u64, state: [u64; 3], health: i64) -> CannedReplies {
    let [left, sold, debt] = state.map(word);
    let state = [left, sold, debt, word(10)].abi_encode();
    chain
        .reply(network, controller(n), &loan_existsCall(ACCOUNT), &true)
        .result(network, controller(n), &user_stateCall(ACCOUNT), ReadResult::Ok(state.into()))
        .result(
            network,
            controller(n),
            &healthCall { _0: ACCOUNT, _1: true },
            ReadResult::Ok(I256::try_from(health).unwrap_or_default().abi_encode().into()),
        )
}

fn run(network: u64, chain: &CannedReplies) -> Outcome {
    JobTest::new("loans", network, Question::LENDING, ACCOUNT).run::<Loans>(chain)
}

#[test]
fn an_account_with_nothing_gets_a_complete_empty_answer() {
    for network in [MINTS, LENDS, SECOND] {
        let outcome = run(network, &markets(network));
        assert_eq!((outcome.end, outcome.findings.len()), (End::Complete, 0), "{}", outcome.message);
    }
}

#[test]
fn a_loan_has_what_is_left_what_was_sold_and_what_is_owed() {
    let outcome = run(MINTS, &loan(markets(MINTS), MINTS, 1, [70, 30, 60], ONE / 4));
    assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 1), "{}", outcome.message);
    let position = outcome.positions()[0];
    assert_eq!((position.kind, position.contract), (PositionKind::BORROWED, controller(1)));
    // 2 / 10^18 per second are 63,072,000 per year of 365 days, with nine decimals more in a ray.
    let rate = U256::from(63_072_000_000_000_000_u64);
    let secured = |token, amount| Leg { is_collateral: Some(true), ..Leg::new(LegRole::SUPPLIED, token, word(amount)) };
    let debt = Leg::new(LegRole::BORROWED, CRVUSD, word(60)).rate_ray(rate);
    assert_eq!(position.legs, [secured(WETH, 70), secured(CRVUSD, 30), debt]);
    assert_eq!(position.health.as_ref().unwrap().factor_wad, Some(word(1_250_000_000_000_000_000)));
}

#[test]
fn the_health_factor_is_one_more_than_the_controllers_health_and_never_negative() {
    for (health, factor) in [(0, 1_000_000_000_000_000_000), (-ONE / 10, 900_000_000_000_000_000), (-2 * ONE, 0)] {
        let outcome = run(LENDS, &loan(markets(LENDS), LENDS, 0, [1, 0, 1], health));
        assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
        assert_eq!(outcome.positions()[0].health.as_ref().unwrap().factor_wad, Some(word(factor)), "{health}");
    }
}

#[test]
fn a_deposit_is_what_its_shares_redeem_to() {
    for network in [LENDS, SECOND] {
        let chain = markets(network).reply(network, vault(1), &balanceOfCall(ACCOUNT), &word(1_000)).reply(
            network,
            vault(1),
            &previewRedeemCall(word(1_000)),
            &word(7),
        );
        let outcome = run(network, &loan(chain, network, 0, [1, 0, 1], 0));
        assert_eq!((outcome.end, outcome.positions().len()), (End::Complete, 2), "{}", outcome.message);
        let deposit = outcome.positions()[1];
        assert_eq!((deposit.kind, deposit.contract), (PositionKind::LENT, vault(1)));
        assert_eq!(deposit.legs, [Leg::new(LegRole::SUPPLIED, CRVUSD, word(7)).receipt(vault(1))]);
        assert!(outcome.batches.len() <= 6, "{:?}", outcome.batches);
    }
}

#[test]
fn a_broken_market_costs_its_own_rows_and_is_reported() {
    let chain = loan(markets(MINTS), MINTS, 1, [1, 0, 1], 0).revert(MINTS, controller(0), &loan_existsCall(ACCOUNT));
    let outcome = run(MINTS, &chain);
    assert_eq!((outcome.end, outcome.positions().len()), (End::Partial, 1), "{}", outcome.message);
    assert!(outcome.message.contains(&controller(0).to_string()), "{}", outcome.message);
    let chain = markets(MINTS).result(MINTS, FACTORY, &n_collateralsCall {}, ReadResult::NoCode);
    assert_eq!(run(MINTS, &chain).end, End::Failed);
}

#[test]
fn a_row_names_one_factory() {
    for [one, other] in [["crvusd_factory", "lending_factory"], ["lending_factory", "market_factory"]] {
        let settings = one_row("loans", 10, vec![text(one, FACTORY), text(other, FACTORY)]);
        let refused = testing::settings_error::<Loans>(&settings).expect("the row is wrong").to_string();
        assert!(refused.contains(&format!("`{one}`; give one of them")), "{refused}");
    }
}
