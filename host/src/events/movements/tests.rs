//! Movements, checked against sums computed by hand.

use super::*;
use crate::events::script::*;

/// Returns `+5 USDC 0xother` or `-1 ETH` for each movement.
fn lines(script: &EventScript, account: Address) -> Vec<String> {
    let movements = Movements::of(&script.events, &script.transaction, account, NativeLogs::default());
    let line = |sign: char, movement: &Movement| {
        let name = match movement.asset.token {
            NATIVE => "ETH",
            USDC => "USDC",
            DAI => "DAI",
            WETH => "WETH",
            _ => "NFT",
        };
        let id = movement.asset.token_id.map(|id| format!("#{id}")).unwrap_or_default();
        let other = match movement.other {
            Some(Address::ZERO) => "zero",
            Some(BOB) => "bob",
            Some(ROUTER) => "router",
            Some(POOL) => "pool",
            Some(_) => "contract",
            None => "several",
        };
        format!("{sign}{} {name}{id} {other}", movement.raw)
    };
    let incoming = movements.incoming.iter().map(|movement| line('+', movement));
    incoming.chain(movements.outgoing.iter().map(|movement| line('-', movement))).collect()
}

#[test]
fn what_goes_in_and_out_of_one_token_is_taken_together() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, 100)
        .transfer(USDC, ROUTER, ALICE, 30)
        .transfer(DAI, POOL, ALICE, 7)
        .transfer(DAI, ALICE, BOB, 7);
    assert_eq!(lines(&script, ALICE), ["-70 USDC pool"]);
    assert_eq!(lines(&script, BOB), ["+7 DAI contract"]);
    assert_eq!(lines(&script, POOL), ["+100 USDC contract", "-7 DAI contract"]);
    assert!(lines(&script, Address::repeat_byte(0x99)).is_empty());
}

#[test]
fn a_fee_on_a_transfer_is_among_what_goes_out() {
    // 100 leave, 98 arrive: the token logs both transfers.
    let script = EventScript::new().transfer(USDC, ALICE, POOL, 98).transfer(USDC, ALICE, BOB, 2);
    assert_eq!(lines(&script, ALICE), ["-100 USDC several"]);
}

#[test]
fn what_an_account_sends_itself_moves_nothing() {
    let script = EventScript::new().transfer(USDC, ALICE, ALICE, 100).nft(ALICE, ALICE, 5, None);
    assert!(lines(&script, ALICE).is_empty());
    let mut to_herself = EventScript::new().value(ETHER);
    to_herself.transaction.to = Some(ALICE);
    to_herself.events[0].event.members[1].1 = Value::Address(ALICE);
    assert!(lines(&to_herself, ALICE).is_empty());
}

#[test]
fn pieces_of_a_collection_move_by_their_numbers() {
    let script = EventScript::new().nft(BOB, ALICE, 5, None).nft(BOB, ALICE, 6, None).nft(ALICE, POOL, 6, None).nft(
        Address::ZERO,
        ALICE,
        9,
        Some(40),
    );
    assert_eq!(lines(&script, ALICE), ["+1 NFT#5 bob", "+40 NFT#9 zero"]);
}

#[test]
fn a_wrap_takes_the_native_token_once_however_it_was_sent() {
    // She calls the wrapper directly; the value is wrapped.
    let mut direct = EventScript::new().wrap("WRAP", ALICE, 5);
    direct.transaction.to = Some(WETH);
    assert_eq!(lines(&direct.value(5), ALICE), ["+5 WETH contract", "-5 ETH contract"]);
    // The router wraps what she sent.
    let routed = EventScript::new().wrap("WRAP", ROUTER, 5).transfer(WETH, ROUTER, POOL, 5).value(5);
    assert_eq!(lines(&routed, ALICE), ["-5 ETH router"]);
    // The router received, wrapped and forwarded them.
    assert!(lines(&routed, ROUTER).is_empty());
}

#[test]
fn an_unwrap_brings_the_native_token_and_a_burn_beside_it_counts_once() {
    let plain = EventScript::new().wrap("UNWRAP", ALICE, 5);
    assert_eq!(lines(&plain, ALICE), ["+5 ETH contract", "-5 WETH contract"]);
    let with_burn = EventScript::new().transfer(WETH, ALICE, Address::ZERO, 5).wrap("UNWRAP", ALICE, 5);
    assert_eq!(lines(&with_burn, ALICE), ["+5 ETH contract", "-5 WETH zero"]);
    let with_mint = EventScript::new().transfer(WETH, Address::ZERO, ROUTER, 5).wrap("WRAP", ROUTER, 5);
    assert_eq!(lines(&with_mint, ROUTER), ["+5 WETH zero", "-5 ETH contract"]);
}

#[test]
fn native_amounts_that_events_say_were_paid_are_movements() {
    let claim = |kind: &str| EventScript::new().action(kind, ALICE, NATIVE, 7);
    assert_eq!(lines(&claim("CLAIM"), ALICE), ["+7 ETH pool"]);
    assert_eq!(lines(&claim("CLAIM"), BOB), Vec::<String>::new());
    // She stakes the value that she sent; here that is zero.
    assert!(lines(&claim("STAKE"), ALICE).is_empty());
    // A contract's stake is not the transaction's value.
    let by_router = EventScript::new().action("STAKE", ROUTER, NATIVE, 7).value(7);
    assert_eq!(lines(&by_router, ALICE), ["-7 ETH router"]);
    assert!(lines(&by_router, ROUTER).is_empty(), "it got them, and put them in");
}

#[test]
fn an_event_that_pays_another_pays_the_account_nothing() {
    let paid_to = |recipient| {
        let members =
            vec![address("user", ALICE), address("recipient", recipient), token("asset", NATIVE), amount(NATIVE, 7)];
        EventScript::new().event(POOL, "WITHDRAW", members)
    };
    assert!(lines(&paid_to(BOB), ALICE).is_empty());
    assert_eq!(lines(&paid_to(BOB), BOB), ["+7 ETH pool"]);
}

#[test]
fn a_payment_that_two_contracts_log_is_one_and_equal_payments_of_one_are_several() {
    let members = || vec![address("user", ALICE), token("asset", NATIVE), amount(NATIVE, 7)];
    let relayed = EventScript::new().action("BRIDGE_IN", ALICE, NATIVE, 7).event(ROUTER, "BRIDGE_IN", members());
    assert_eq!(lines(&relayed, ALICE), ["+7 ETH pool"]);
    let twice = EventScript::new().action("CLAIM", ALICE, NATIVE, 7).action("CLAIM", ALICE, NATIVE, 7);
    assert_eq!(lines(&twice, ALICE), ["+14 ETH pool"]);
}

#[test]
fn a_request_for_a_payment_is_paid_another_day() {
    let members = vec![address("user", ALICE), token("asset", NATIVE), amount(NATIVE, 7), number("number", 3)];
    assert!(lines(&EventScript::new().event(POOL, "UNSTAKE", members), ALICE).is_empty());
}

#[test]
fn transfers_that_a_plugin_reports_are_no_evidence() {
    let mut script = EventScript::new().transfer(USDC, BOB, ALICE, 5);
    script.events[0].plugin = Some("plugin@1.0.0".into());
    assert!(lines(&script, ALICE).is_empty());
}

#[test]
fn sums_that_no_token_can_have_do_not_overflow() {
    let mut script = EventScript::new().transfer(USDC, BOB, ALICE, 5).transfer(USDC, BOB, ALICE, 5);
    for merged in &mut script.events {
        merged.event.members[3].1 = Value::Amount { raw: U256::MAX, of: Some(USDC) };
    }
    assert_eq!(lines(&script, ALICE), [format!("+{} USDC bob", U256::MAX)]);
}
