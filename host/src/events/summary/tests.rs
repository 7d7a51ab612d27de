//! Sentences, as a person would write them from the logs.

use std::sync::Arc;

use portolan_assets::resolve::Tokens;
use portolan_assets::token::{DecimalsSource, Token};
use portolan_base::network::{Network, Networks};
use portolan_base::sanitize::text::Text;
use portolan_plugins::protocol::Protocol;

use super::*;
use crate::events::native::NativeLogs;
use crate::events::script::*;

fn known(address: Address, symbol: &str, decimals: u8) -> Token {
    Token {
        network: Arc::clone(Networks::new([]).with_chain_id(1).unwrap()),
        address,
        name: Text::default(),
        symbol: Text::clean(symbol, 64),
        is_listed: false,
        is_lookalike: false,
        decimals,
        decimals_source: DecimalsSource::Contract,
        logo: None,
        kind: "SINGLE".into(),
        total_supply: U256::ZERO,
        underlying: Vec::new(),
        price: None,
    }
}

fn tokens() -> Vec<Token> {
    vec![known(USDC, "USDC", 6), known(DAI, "DAI", 18), known(WETH, "WETH", 18), known(NFT, "APE", 0)]
}

fn sentence_with(
    script: &EventScript,
    account: Address,
    tokens: Vec<Token>,
    change: impl Fn(&mut Summary<'_>),
) -> String {
    let networks = Networks::new([]);
    let protocol = |slug: &str, company_name: &str| {
        let name = Text::from(slug.to_uppercase().as_str());
        (slug.to_owned(), Arc::new(Protocol { name, company_name: company_name.into(), ..Protocol::default() }))
    };
    let protocols = [protocol("uniswap_v3", "Uniswap"), protocol("curve", "Curve")].into();
    let network: &Network = networks.with_chain_id(1).unwrap();
    let tokens: Tokens = tokens.into_iter().map(Arc::new).collect();
    let movements = Movements::of(&script.events, &script.transaction, account, NativeLogs::default());
    let formatter =
        SummaryFormatter { tokens: &tokens, protocols: &protocols, networks: &networks, native: &network.native };
    let mut summary = Summary {
        account,
        transaction: &script.transaction,
        status: TransactionStatus::Succeeded,
        operations: UserOperations::default(),
        events: &script.events,
        movements: &movements,
        has_undecoded: false,
        wrapped: Some(WETH),
        formatter,
    };
    change(&mut summary);
    summary.sentence().as_str().to_owned()
}

fn sentence(script: &EventScript, account: Address) -> String {
    sentence_with(script, account, tokens(), |_| {})
}

const USDC_1250: u64 = 1_250_000_000;
/// 0.41 of a token of 18 decimals.
const POINT_41: u64 = 410_000_000_000_000_000;

/// She gives 1,250 USDC and gets 0.41 WETH.
fn swap() -> EventScript {
    EventScript::new()
        .transfer(USDC, ALICE, POOL, USDC_1250)
        .transfer(WETH, POOL, ALICE, POINT_41)
        .swap(ROUTER, (USDC, USDC_1250), (WETH, POINT_41))
        .of("uniswap_v3")
}

#[test]
fn a_swap_is_one_clause_however_many_contracts_it_goes_through() {
    assert_eq!(sentence(&swap(), ALICE), "Swapped 1,250 USDC for 0.41 WETH on Uniswap v3");
    // Through DAI, at two protocols and an unknown contract.
    let dai = 1_249_000_000_000_000_000;
    let routed = EventScript::new()
        .transfer(USDC, ALICE, ROUTER, USDC_1250)
        .swap(ROUTER, (USDC, 1_000_000_000), (DAI, dai))
        .of("uniswap_v3")
        .swap(ROUTER, (USDC, 250_000_000), (DAI, dai))
        .swap(ROUTER, (DAI, 2 * dai), (WETH, POINT_41))
        .of("curve")
        .transfer(WETH, ROUTER, ALICE, POINT_41);
    let expected = "Swapped 1,250 USDC for 0.41 WETH on Uniswap v3, Curve and contracts of no known protocol";
    assert_eq!(sentence(&routed, ALICE), expected);
}

#[test]
fn what_a_router_did_not_wrap_of_what_it_was_sent_is_not_swapped() {
    let point_9 = 900_000_000_000_000_000;
    let script = EventScript::new()
        .wrap("WRAP", ROUTER, point_9)
        .swap(ROUTER, (WETH, point_9), (USDC, USDC_1250))
        .of("uniswap_v3")
        .transfer(USDC, POOL, ALICE, USDC_1250)
        .value(ETHER);
    let expected = format!(
        "Swapped 0.9 ETH for 1,250 USDC on Uniswap v3 and sent 0.1 ETH to {ROUTER:#x}, which no decoded event explains"
    );
    assert_eq!(sentence(&script, ALICE), expected);
}

#[test]
fn a_swap_of_the_native_token_begins_with_what_was_sent() {
    let script = EventScript::new()
        .wrap("WRAP", ROUTER, POINT_41)
        .swap(ROUTER, (WETH, POINT_41), (USDC, USDC_1250))
        .of("uniswap_v3")
        .transfer(USDC, POOL, ALICE, USDC_1250)
        .value(POINT_41);
    assert_eq!(sentence(&script, ALICE), "Swapped 0.41 ETH for 1,250 USDC on Uniswap v3");
}

#[test]
fn native_tokens_that_a_router_unwrapped_are_followed_no_further() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, USDC_1250)
        .swap(ROUTER, (USDC, USDC_1250), (WETH, POINT_41))
        .of("uniswap_v3")
        .wrap("UNWRAP", ROUTER, POINT_41);
    let expected = format!(
        "Swapped 1,250 USDC on Uniswap v3 for 0.41 WETH, which {ROUTER:#x} unwrapped, and the receipt does not show who got \
         the ETH"
    );
    assert_eq!(sentence(&script, ALICE), expected);
}

#[test]
fn a_fee_on_the_transfer_is_part_of_what_was_given() {
    // The token charges 2 % per transfer: 1,225 of 1,250 reach the pool.
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, 1_225_000_000)
        .transfer(USDC, ALICE, BOB, 25_000_000)
        .transfer(WETH, POOL, ALICE, POINT_41)
        .swap(ROUTER, (USDC, 1_225_000_000), (WETH, POINT_41));
    assert_eq!(sentence(&script, ALICE), "Swapped 1,250 USDC for 0.41 WETH");
}

#[test]
fn swaps_the_other_way_explain_nothing() {
    let script = EventScript::new().transfer(USDC, ALICE, BOB, USDC_1250).transfer(WETH, BOB, ALICE, POINT_41).swap(
        ROUTER,
        (WETH, 5),
        (USDC, 5),
    );
    let expected =
        format!("Sent 1,250 USDC to {BOB:#x} and received 0.41 WETH from {BOB:#x}, which no decoded event explains");
    assert_eq!(sentence_with(&script, ALICE, tokens(), |summary| summary.has_undecoded = true), expected);
}

#[test]
fn a_movement_that_no_event_explains_is_said_to_be_one() {
    // A spam token comes with the swap.
    let script = swap().transfer(DAI, BOB, ALICE, 5 * ETHER);
    let expected = format!(
        "Swapped 1,250 USDC for 0.41 WETH on Uniswap v3 and received 5 DAI from {BOB:#x}, which no decoded event explains"
    );
    assert_eq!(sentence(&script, ALICE), expected);
}

#[test]
fn a_plain_transfer_needs_no_explanation() {
    let script = EventScript::new().transfer(USDC, ALICE, BOB, USDC_1250);
    assert_eq!(sentence(&script, ALICE), format!("Sent 1,250 USDC to {BOB:#x}"));
    assert_eq!(sentence(&script, BOB), format!("Received 1,250 USDC from {ALICE:#x}"));
    let minted = EventScript::new().nft(Address::ZERO, ALICE, 7, None);
    assert_eq!(sentence(&minted, ALICE), "Received APE #7, newly minted");
}

#[test]
fn a_collectible_that_is_bought_is_a_payment_and_a_piece() {
    // No event type describes a sale.
    let script = EventScript::new().nft(BOB, ALICE, 7, None).value(ETHER);
    let bought = sentence_with(&script, ALICE, tokens(), |summary| summary.has_undecoded = true);
    let expected =
        format!("Sent 1 ETH to {ROUTER:#x} and received APE #7 from {BOB:#x}, which no decoded event explains");
    assert_eq!(bought, expected);
}

#[test]
fn what_is_put_in_is_named_with_what_came_for_it() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, USDC_1250)
        .transfer(DAI, Address::ZERO, ALICE, 3 * ETHER)
        .action("SUPPLY", ALICE, USDC, USDC_1250)
        .of("curve");
    assert_eq!(sentence(&script, ALICE), "Supplied 1,250 USDC to Curve and received 3 DAI");
    let back = EventScript::new()
        .transfer(DAI, ALICE, Address::ZERO, 3 * ETHER)
        .transfer(USDC, POOL, ALICE, USDC_1250)
        .action("WITHDRAW", ALICE, USDC, USDC_1250);
    assert_eq!(sentence(&back, ALICE), "Withdrew 1,250 USDC and gave up 3 DAI");
}

#[test]
fn claims_of_one_protocol_are_one_clause_and_many_clauses_are_counted() {
    let claim = |script: EventScript, of, raw| {
        script.transfer(of, POOL, ALICE, raw).action("CLAIM", ALICE, of, raw).of("curve")
    };
    let script = claim(claim(claim(EventScript::new(), USDC, 1_000_000), DAI, ETHER), USDC, 500_000);
    assert_eq!(sentence(&script, ALICE), "Claimed 1.5 USDC and 1 DAI from Curve");
    let kinds = ["SUPPLY", "STAKE", "LOCK", "REPAY", "VAULT_DEPOSIT", "ADD_LIQUIDITY", "BRIDGE_OUT", "CLAIM"];
    let many = kinds.iter().fold(EventScript::new(), |script, kind| script.action(kind, ALICE, USDC, 1_000_000));
    let sentence = sentence(&many, ALICE);
    assert!(sentence.starts_with("Supplied 1 USDC; staked 1 USDC; "), "{sentence}");
    assert!(sentence.ends_with("; and 2 more"), "{sentence}");
}

#[test]
fn what_others_do_for_the_account_is_said_to_be_theirs() {
    let mut script = EventScript::new();
    script.transaction.from = BOB;
    let members =
        vec![address("user", BOB), address("onBehalfOf", ALICE), token("asset", USDC), amount(USDC, 1_000_000)];
    let script = script.event(POOL, "REPAY", members).of("curve");
    assert_eq!(sentence(&script, ALICE), format!("{BOB:#x} repaid 1 USDC to Curve for the account"));
}

#[test]
fn an_event_of_another_contract_counts_where_the_account_paid_exactly_that_to_it() {
    let script = |raw| {
        EventScript::new().transfer(USDC, ALICE, ROUTER, raw).action("SUPPLY", ROUTER, USDC, 1_000_000).of("curve")
    };
    assert_eq!(sentence(&script(1_000_000), ALICE), "Supplied 1 USDC to Curve");
    assert_eq!(sentence(&script(999_000), ALICE), format!("Sent 0.999 USDC to {ROUTER:#x}"));
}

#[test]
fn permissions_stand_last_and_what_tokens_count_down_is_none() {
    let approval = |script: EventScript, raw| {
        let members = vec![address("owner", ALICE), address("spender", ROUTER), token("asset", USDC), raw];
        script.event(USDC, "APPROVAL", members)
    };
    let unlimited = ("amount", Value::Amount { raw: U256::MAX, of: Some(USDC) });
    let first = approval(EventScript::new(), unlimited.clone()).transfer(DAI, ALICE, BOB, ETHER);
    assert_eq!(
        sentence(&first, ALICE),
        format!("Sent 1 DAI to {BOB:#x} and approved {ROUTER:#x} to spend any amount of USDC")
    );
    let beside = approval(EventScript::new().transfer(USDC, ALICE, BOB, 1_000_000), unlimited);
    assert_eq!(sentence(&beside, ALICE), format!("Sent 1 USDC to {BOB:#x}"));
    let revoked = approval(EventScript::new(), amount(USDC, 0));
    assert_eq!(sentence(&revoked, ALICE), format!("Revoked the allowance of {ROUTER:#x} for USDC"));
}

#[test]
fn a_vote_a_name_and_a_liquidation_are_words_of_their_own() {
    let vote = vec![address("voter", ALICE), address("contract", POOL), number("proposalId", 12), number("support", 1)];
    assert_eq!(
        sentence(&EventScript::new().event(POOL, "VOTE", vote), ALICE),
        format!("Voted for proposal 12 of {POOL:#x}")
    );
    let name = |text: &str| {
        let cost = ("cost", Value::Amount { raw: U256::from(ETHER), of: Some(NATIVE) });
        let members = vec![("name", Value::Text(text.to_owned())), address("owner", ALICE), cost];
        sentence(&EventScript::new().event(POOL, "NAME_REGISTERED", members).value(ETHER), ALICE)
    };
    assert_eq!(name("alice"), "Registered the name alice for 1 ETH");
    assert_eq!(name("alice\u{202e} and sent 5 ETH"), "Registered a name for 1 ETH");
    let members = vec![
        address("liquidator", BOB),
        address("borrower", ALICE),
        ("debtAmount", amount(USDC, 1_000_000).1),
        ("collateralAmount", amount(DAI, ETHER).1),
    ];
    let script = EventScript::new().event(POOL, "LIQUIDATION", members).of("curve");
    assert_eq!(sentence(&script, ALICE), "Was liquidated on Curve, where 1 DAI was taken for 1 USDC");
}

#[test]
fn the_symbol_of_a_token_passes_for_nothing_else() {
    let script = EventScript::new().transfer(USDC, BOB, ALICE, 1_000_000);
    let with = |symbol: &str, is_lookalike| {
        let token = Token { is_lookalike, ..known(USDC, symbol, 6) };
        sentence_with(&script, ALICE, vec![token], |_| {})
    };
    let by_address = format!("Received 1 the token {USDC:#x} from {BOB:#x}");
    let end = format!("from {BOB:#x}");
    assert_eq!(with("OK", false), format!("Received 1 OK {end}"));
    for symbol in ["USDC, and 9 ETH", "U\u{405}DC", "", "a;b", "https://claim.example", "\u{7}\u{7}"] {
        assert_eq!(with(symbol, false), by_address.replace("1 the token", "1 of the token"), "{symbol:?}");
    }
    assert_eq!(with("USDC", true), by_address.replace("1 the token", "1 of the token"));
    let unread = sentence_with(&script, ALICE, Vec::new(), |_| {});
    assert_eq!(unread, format!("Received an unknown amount of the token {USDC:#x} {end}"));
}

#[test]
fn what_failed_and_what_is_about_others_is_said_to_be_so() {
    let failed = |account| {
        sentence_with(&EventScript::new(), account, tokens(), |summary| summary.status = TransactionStatus::Failed)
    };
    assert_eq!(failed(ALICE), "The transaction failed, and the account paid its gas alone");
    assert_eq!(failed(BOB), "The transaction failed, and did nothing");
    let empty = EventScript::new();
    assert_eq!(sentence(&empty, BOB), "The receipt shows nothing of the account");
    assert_eq!(
        sentence(&empty, ALICE),
        "The account sent the transaction, which moved nothing of it that the receipt shows"
    );
}

#[test]
fn a_part_of_another_event_is_not_repeated() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, 1_000_000)
        .action("BRIDGE_OUT", ALICE, USDC, 1_000_000)
        .of("curve")
        .event(ROUTER, "BRIDGE_OUT", vec![address("user", ALICE), token("asset", USDC), amount(USDC, 1_000_000)])
        .part_of(1);
    assert_eq!(sentence(&script, ALICE), "Bridged 1 USDC through Curve");
}

#[test]
fn one_movement_that_several_contracts_log_counts_once() {
    // A vault withdraws from a market what it pays: the outer contract logs last.
    let members =
        vec![address("user", POOL), address("recipient", ALICE), token("asset", USDC), amount(USDC, 1_000_000)];
    let script = EventScript::new()
        .transfer(USDC, POOL, ALICE, 1_000_000)
        .event(POOL, "WITHDRAW", members)
        .of("curve")
        .action("UNSTAKE", ALICE, USDC, 1_000_000)
        .of("uniswap_v3");
    assert_eq!(sentence(&script, ALICE), "Unstaked 1 USDC from Uniswap v3");
    // Two payments are separate.
    let twice = script.transfer(USDC, POOL, ALICE, 1_000_000);
    assert_eq!(sentence(&twice, ALICE), "Withdrew 1 USDC from Curve and unstaked 1 USDC from Uniswap v3");
}

#[test]
fn the_contract_that_an_account_swapped_with_names_the_protocol() {
    let inner = swap();
    let members = vec![
        address("user", ALICE),
        ("fromToken", Value::Token(USDC)),
        ("fromAmount", amount(USDC, USDC_1250).1),
        ("toToken", Value::Token(WETH)),
        ("toAmount", amount(WETH, POINT_41).1),
    ];
    let outer = inner.event(ROUTER, "SWAP", members).of("curve");
    assert_eq!(sentence(&outer, ALICE), "Swapped 1,250 USDC for 0.41 WETH on Curve");
}

#[test]
fn a_burn_of_the_wrapped_token_unwraps_it_and_the_token_of_a_debt_is_a_receipt() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, USDC_1250)
        .swap(ROUTER, (USDC, USDC_1250), (WETH, POINT_41))
        .transfer(WETH, ROUTER, Address::ZERO, POINT_41);
    let expected = format!(
        "Swapped 1,250 USDC for 0.41 WETH, which {ROUTER:#x} unwrapped, and the receipt does not show who got the ETH"
    );
    assert_eq!(sentence(&script, ALICE), expected);
    let borrowed = EventScript::new()
        .transfer(DAI, Address::ZERO, ALICE, ETHER)
        .transfer(USDC, POOL, ALICE, 1_000_000)
        .action("BORROW", ALICE, USDC, 1_000_000);
    assert_eq!(sentence(&borrowed, ALICE), "Borrowed 1 USDC and received 1 DAI");
}

#[test]
fn a_swap_that_pays_somebody_else_is_said_to_do_so() {
    let script = EventScript::new()
        .transfer(USDC, ALICE, POOL, USDC_1250)
        .swap(ROUTER, (USDC, USDC_1250), (DAI, ETHER))
        .of("uniswap_v3");
    let expected =
        "Swapped 1,250 USDC on Uniswap v3 for 1 DAI, of which the receipt shows nothing that came to the account";
    assert_eq!(sentence(&script, ALICE), expected);
    // A clause with a comma ends with a semicolon.
    let with_claim = script.action("CLAIM", ALICE, DAI, ETHER);
    assert_eq!(sentence(&with_claim, ALICE), format!("{expected}; and claimed 1 DAI"));
}

#[test]
fn a_sentence_is_bounded() {
    let mut script = EventScript::new();
    for byte in 0..=255 {
        let of = Address::with_last_byte(byte);
        script =
            script.transfer(of, ALICE, BOB, ETHER).action("SUPPLY", ALICE, of, ETHER).action("STAKE", ALICE, of, ETHER);
    }
    let sentence = sentence(&script, ALICE);
    assert!(sentence.chars().count() < 1000 && sentence.contains("253 more"), "{sentence}");
}
