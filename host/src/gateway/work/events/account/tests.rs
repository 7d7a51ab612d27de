//! Effects of transactions on an account, from the logs of a scripted chain to the answer.

use alloy::primitives::{B256, Bytes, U256, keccak256};
use alloy::sol;
use portolan_assets::metadata::Erc20;
use portolan_assets::testing::erc20;
use portolan_reader::testing::ScriptedChain;
use portolan_reader::{Log, Outcome, ReadFailure, Receipt, TransactionLookup, TransactionStatus};

use super::super::script::*;
use super::*;
use crate::gateway::answer::{Answer, Items};
use crate::gateway::query::Account;
use alloy::sol_types::{SolCall, SolValue};

sol! { function ownerOf(uint256 tokenId) external view returns (address); }

const B: Address = Address::repeat_byte(0xb1);
const GAS: GasPaid = GasPaid {
    used: 60_000,
    price: U256::from_limbs([2_000_000_000, 0, 0, 0]),
    data_fee: U256::ZERO,
    operator_fee: U256::ZERO,
};

fn chain(receipt: Receipt) -> ScriptedChain {
    let mut script = ScriptedChain::default();
    erc20(&mut script, A, "A", 6);
    script.transaction(Ok(TransactionLookup::Mined(Receipt { gas: Some(GAS), ..receipt })));
    script
}

async fn answer(script: &ScriptedChain, account: Address) -> Answer {
    let mut stage = Stage::new(script, []);
    stage.query.account = Some(Account::Address(account));
    stage.answer().await.unwrap()
}

fn effects(answer: &Answer) -> &AccountEffects {
    let Items::Events(events) = &answer.items else { panic!("{:?}", answer.items) };
    events.account.as_deref().unwrap()
}

/// Returns `raw symbol` for each movement.
fn lines(movements: &[AccountMovement]) -> Vec<String> {
    let symbol = |of: &AccountMovement| of.token.as_ref().map_or("?".to_owned(), |token| token.symbol.to_string());
    movements.iter().map(|of| format!("{} {}", of.movement.raw, symbol(of))).collect()
}

#[tokio::test]
async fn the_sender_of_a_transfer_pays_it_its_value_and_the_gas() {
    let found = Receipt { value: U256::from(5), ..receipt(vec![transfer(A, ALICE, BOB, 7_000_000)]) };
    let answer = answer(&chain(found), ALICE).await;
    let alice = effects(&answer);
    assert_eq!((lines(&alice.incoming), lines(&alice.outgoing)), (vec![], vec!["5 ETH".into(), "7000000 A".into()]));
    // 60,000 gas at 2 gwei.
    assert_eq!(alice.gas.unwrap().total(), U256::from(120_000_000_000_000_u64));
    let expected = format!("Sent 0.000000000000000005 ETH and 7 A to {BOB:#x}");
    assert_eq!(alice.summary.as_str(), expected);
    assert_eq!(alice.native.as_ref().unwrap().symbol, "ETH");
    assert!(alice.incomplete.as_ref().unwrap().as_str().starts_with("contracts may have sent ETH "));
}

#[tokio::test]
async fn who_receives_pays_no_gas() {
    let answer = answer(&chain(receipt(vec![transfer(A, ALICE, BOB, 7_000_000)])), BOB).await;
    let bob = effects(&answer);
    assert_eq!((lines(&bob.incoming), lines(&bob.outgoing)), (vec!["7000000 A".into()], vec![]));
    assert!(bob.gas.is_none());
    assert_eq!(bob.summary.as_str(), format!("Received 7 A from {ALICE:#x}"));
}

#[tokio::test]
async fn what_failed_cost_its_gas_and_nothing_else() {
    let found = Receipt {
        status: TransactionStatus::Failed,
        value: U256::from(5),
        ..receipt(vec![transfer(A, ALICE, BOB, 7)])
    };
    let script = chain(found);
    let of_alice = answer(&script, ALICE).await;
    let alice = effects(&of_alice);
    assert!(alice.incoming.is_empty() && alice.outgoing.is_empty() && alice.incomplete.is_none());
    assert_eq!(alice.gas, Some(GAS));
    assert_eq!(alice.summary.as_str(), "The transaction failed, and the account paid its gas alone");
    let of_bob = answer(&script, BOB).await;
    assert!(effects(&of_bob).gas.is_none());
}

#[tokio::test]
async fn a_transaction_without_code_is_complete_and_any_other_may_have_sent_more() {
    let complete = async |used, logs| {
        let mut script = ScriptedChain::default();
        erc20(&mut script, A, "A", 6);
        let gas = Some(GasPaid { used, ..GAS });
        let found = Receipt { gas, value: U256::from(5), ..receipt(logs) };
        script.transaction(Ok(TransactionLookup::Mined(found)));
        effects(&answer(&script, ALICE).await).incomplete.is_none()
    };
    assert!(complete(21_000, vec![]).await);
    assert!(!complete(21_001, vec![]).await);
    assert!(!complete(21_000, vec![transfer(A, ALICE, BOB, 7)]).await);
}

#[tokio::test]
async fn an_account_that_nothing_is_about_has_nothing() {
    let answer = answer(&chain(receipt(vec![transfer(A, ALICE, BOB, 7)])), FARM).await;
    let farm = effects(&answer);
    assert!(farm.incoming.is_empty() && farm.outgoing.is_empty() && farm.gas.is_none());
    assert_eq!(farm.summary.as_str(), "The receipt shows nothing of the account");
}

#[tokio::test]
async fn types_choose_the_items_and_not_what_the_account_did() {
    let script = chain(receipt(vec![transfer(A, ALICE, BOB, 7_000_000)]));
    let mut stage = Stage::new(&script, []);
    stage.query.account = Some(Account::Address(ALICE));
    stage.query.types = [portolan_events::Kind::named("SWAP").unwrap()].into();
    let answer = stage.answer().await.unwrap();
    let Items::Events(events) = &answer.items else { panic!("{:?}", answer.items) };
    assert!(events.events.is_empty());
    assert_eq!(lines(&effects(&answer).outgoing), ["7000000 A"]);
}

#[tokio::test]
async fn a_plugins_event_is_in_the_sentence_of_the_account_that_it_names() {
    let script = chain(receipt(vec![transfer(A, ALICE, FARM, 7_000_000), staked()]));
    let plugin = Plugin {
        name: "acme",
        topics: vec![STAKED],
        events: vec![stake(1, Some("acme"), 7_000_000)],
        ..Plugin::default()
    };
    let mut stage = Stage::new(&script, [plugin]);
    stage.query.account = Some(Account::Address(ALICE));
    let answer = stage.answer().await.unwrap();
    assert!(effects(&answer).summary.as_str().starts_with("Staked 7 A"), "{}", effects(&answer).summary);
    stage.query.account = Some(Account::Address(BOB));
    assert_eq!(
        effects(&stage.answer().await.unwrap()).summary.as_str(),
        "The transaction moved nothing to or from the account that the receipt shows"
    );
}

#[tokio::test]
async fn a_token_that_cannot_be_read_moved_all_the_same() {
    let mut script = chain(receipt(vec![transfer(B, ALICE, BOB, 7), transfer(A, ALICE, BOB, 1_000_000)]));
    for call in [Erc20::nameCall::SELECTOR, Erc20::decimalsCall::SELECTOR] {
        script.outcome(B, &call, Outcome::Failed(ReadFailure::Upstream));
    }
    let answer = answer(&script, ALICE).await;
    assert_eq!(lines(&effects(&answer).outgoing), ["7 ?", "1000000 A"]);
    let expected = format!("Sent an unknown amount of the token {B:#x} and 1 A to {BOB:#x}");
    assert_eq!(effects(&answer).summary.as_str(), expected);
    assert_eq!(answer.missing.len(), 1);
}

#[tokio::test]
async fn a_symbol_of_control_characters_is_an_address_in_the_sentence() {
    let mut script = ScriptedChain::default();
    erc20(&mut script, A, "\u{202e}A\u{7}\n and 9 ETH", 6);
    let found = receipt(vec![transfer(A, BOB, ALICE, 1_000_000)]);
    script.transaction(Ok(TransactionLookup::Mined(found)));
    let answer = answer(&script, ALICE).await;
    assert_eq!(effects(&answer).summary.as_str(), format!("Received 1 of the token {A:#x} from {BOB:#x}"));
}

#[tokio::test]
async fn an_airdrop_of_many_tokens_is_bounded_and_counted() {
    let mut script = ScriptedChain::default();
    let token = |place: u64| Address::left_padding_from(&(0xdead_0000 + place).to_be_bytes());
    (0..130).for_each(|place| erc20(&mut script, token(place), "SPAM", 6));
    let found = receipt((0..130).map(|place| transfer(token(place), BOB, ALICE, 1_000_000)).collect());
    script.transaction(Ok(TransactionLookup::Mined(found)));
    let answer = answer(&script, ALICE).await;
    assert_eq!((effects(&answer).incoming.len(), effects(&answer).omitted), (100, 30));
    assert_eq!(
        effects(&answer).summary.as_str(),
        format!("Received 1 SPAM, 1 SPAM, 1 SPAM and 127 more from {BOB:#x}")
    );
}

#[tokio::test]
async fn an_account_takes_one_request_more_for_prices_and_without_one_there_is_none() {
    let requests = async |account: Option<Address>| {
        let script = chain(receipt(vec![transfer(A, ALICE, BOB, 7)]));
        let mut stage = Stage::new(&script, []);
        stage.query.account = account.map(Account::Address);
        stage.answer().await.unwrap();
        script.requests().len()
    };
    assert_eq!([requests(None).await, requests(Some(ALICE)).await, requests(Some(FARM)).await], [1, 2, 1]);
}

#[tokio::test]
async fn a_piece_of_a_collection_has_its_number() {
    let topics = vec![
        keccak256("Transfer(address,address,uint256)"),
        BOB.into_word(),
        ALICE.into_word(),
        B256::from(U256::from(7)),
    ];
    let mut script = chain(receipt(vec![log(A, topics, ())]));
    script.call(A, &ownerOfCall { tokenId: U256::from(7) }, ALICE);
    let answer = answer(&script, ALICE).await;
    let [movement] = effects(&answer).incoming.as_slice() else { panic!("{:?}", effects(&answer)) };
    assert_eq!((movement.movement.raw, movement.movement.asset.token_id), (U256::ONE, Some(U256::from(7))));
    assert_eq!(effects(&answer).summary.as_str(), format!("Received A #7 from {BOB:#x}"));
}

/// Wei per ether.
const ETHER: u64 = 1_000_000_000_000_000_000;
/// Emits a log for each movement of the native token, on networks whose rules require it.
const SYSTEM: Address = portolan_networks::SYSTEM_ADDRESS;

/// Returns what came in, what went out, and whether the list is complete.
async fn moved(found: Receipt, account: Address) -> (Vec<String>, Vec<String>, bool) {
    let answer = answer(&chain(found), account).await;
    let effects = effects(&answer);
    (lines(&effects.incoming), lines(&effects.outgoing), effects.incomplete.is_none())
}

fn eth(amounts: &[u64]) -> Vec<String> {
    amounts.iter().map(|raw| format!("{raw} ETH")).collect()
}

#[tokio::test]
async fn where_the_network_logs_all_native_movements_they_count_once_and_are_all() {
    // She sends 5 with the call, 3 go on to Bob, 1 comes back; 2 are burned as Bob's contract self-destructs.
    let burn = log(SYSTEM, vec![keccak256("Burn(address,uint256)"), word(BOB)], U256::from(2));
    let logs = vec![transfer(SYSTEM, ALICE, B, 5), transfer(SYSTEM, B, BOB, 3), transfer(SYSTEM, B, ALICE, 1), burn];
    let found = || Receipt { to: Some(B), value: U256::from(5), ..receipt(logs.clone()) };
    assert_eq!(moved(found(), ALICE).await, (vec![], eth(&[4]), true));
    assert_eq!(moved(found(), BOB).await, (eth(&[1]), vec![], true));
    assert_eq!(moved(found(), B).await, (eth(&[1]), vec![], true));
    assert_eq!(moved(found(), Address::ZERO).await, (vec![], vec![], true), "what is lost comes to nobody");
    // A creation pays the contract that it creates.
    let created = Receipt { to: None, created: Some(B), ..receipt(vec![transfer(SYSTEM, ALICE, B, 5)]) };
    assert_eq!(moved(Receipt { value: U256::from(5), ..created }, B).await, (eth(&[5]), vec![], true));
    // The same log of another contract is a token's.
    let (incoming, _, is_whole) = moved(receipt(vec![transfer(A, B, ALICE, 5)]), ALICE).await;
    assert_eq!((incoming, is_whole), (vec!["5 A".to_owned()], false));
}

#[tokio::test]
async fn a_block_that_logs_all_native_movements_has_no_others() {
    let found = || receipt(vec![transfer(A, ALICE, BOB, 7)]);
    let mut script = chain(found());
    assert!(effects(&answer(&script, ALICE).await).incomplete.is_some());
    script.logs_native();
    assert!(effects(&answer(&script, ALICE).await).incomplete.is_none());
    // A payment that an event claims does not count if the block logs all native movements.
    let mut script =
        chain(receipt(vec![log(B, vec![keccak256("SafeReceived(address,uint256)"), word(BOB)], U256::from(7))]));
    assert_eq!(lines(&effects(&answer(&script, B).await).incoming), eth(&[7]));
    script.logs_native();
    assert_eq!(lines(&effects(&answer(&script, B).await).incoming), Vec::<String>::new());
}

#[tokio::test]
async fn a_deposit_from_the_layer_below_comes_whatever_becomes_of_the_transaction() {
    let deposit = |value: u64, to: Address, status| Receipt {
        status,
        to: Some(to),
        value: U256::from(value),
        deposited: U256::from(3 * ETHER),
        ..receipt(Vec::new())
    };
    let to_herself = deposit(3 * ETHER, ALICE, TransactionStatus::Succeeded);
    assert_eq!(moved(to_herself.clone(), ALICE).await.0, eth(&[3 * ETHER]));
    let told = answer(&chain(to_herself), ALICE).await;
    assert_eq!(effects(&told).summary.as_str(), "Received 3 ETH over a bridge");
    // She sends a part of the deposit on.
    let on = || deposit(2 * ETHER, BOB, TransactionStatus::Succeeded);
    assert_eq!(moved(on(), ALICE).await.0, eth(&[ETHER]));
    assert_eq!(moved(on(), BOB).await.0, eth(&[2 * ETHER]));
    let failed = || deposit(2 * ETHER, BOB, TransactionStatus::Failed);
    assert_eq!(moved(failed(), ALICE).await, (eth(&[3 * ETHER]), vec![], true));
    assert_eq!(moved(failed(), BOB).await, (vec![], vec![], true));
    let told = answer(&chain(failed()), ALICE).await;
    assert_eq!(effects(&told).summary.as_str(), "Received 3 ETH over a bridge, and the transaction failed");
}

#[tokio::test]
async fn a_receipt_that_does_not_say_how_it_ended_is_no_movement() {
    let unknown = || Receipt { status: TransactionStatus::Unknown, value: U256::from(5), ..receipt(Vec::new()) };
    for account in [ALICE, BOB] {
        assert_eq!(moved(unknown(), account).await, (vec![], vec![], false));
    }
    let told = answer(&chain(unknown()), ALICE).await;
    let reason = effects(&told).incomplete.clone().unwrap();
    assert!(reason.as_str().contains("does not say whether the transaction failed"), "{reason:?}");
}

#[tokio::test]
async fn a_safe_says_what_came_to_it_and_what_it_sent() {
    let received = |raw: u64| log(B, vec![keccak256("SafeReceived(address,uint256)"), word(BOB)], U256::from(raw));
    // Through Bob, who was called with it; then directly from her.
    let by_way = || Receipt { value: U256::from(7), ..receipt(vec![received(7)]) };
    assert_eq!(moved(by_way(), B).await.0, eth(&[7]));
    assert_eq!(moved(by_way(), ALICE).await.1, eth(&[7]));
    assert_eq!(moved(by_way(), BOB).await, (eth(&[7]), vec![], false));
    let straight = Receipt { to: Some(B), ..by_way() };
    assert_eq!(moved(straight, B).await.0, eth(&[7]));

    let data = (ALICE, BOB, U256::from(4), Bytes::new(), U256::ZERO).abi_encode_params();
    let topic = keccak256("SafeModuleTransaction(address,address,uint256,bytes,uint8)");
    let sent = Log { data: data.into(), ..log(B, vec![topic], ()) };
    let end = |name: &str| log(B, vec![keccak256(name), word(ALICE)], ());
    let ended = |name: &str| receipt(vec![sent.clone(), end(name)]);
    assert_eq!(moved(ended("ExecutionFromModuleSuccess(address)"), B).await.1, eth(&[4]));
    assert_eq!(moved(ended("ExecutionFromModuleFailure(address)"), B).await.1, Vec::<String>::new());
    assert_eq!(moved(receipt(vec![sent.clone()]), B).await.1, Vec::<String>::new());
}

#[tokio::test]
async fn shares_that_no_token_logs_are_what_the_vault_says() {
    let deposit = log(
        B,
        vec![keccak256("Deposit(address,address,uint256,uint256)"), word(ALICE), word(ALICE)],
        (U256::from(100), U256::from(90)),
    );
    let mut script = chain(receipt(vec![transfer(A, ALICE, B, 100), deposit.clone()]));
    erc20(&mut script, B, "SHARE", 18);
    let found = answer(&script, ALICE).await;
    let alice = effects(&found);
    assert_eq!((lines(&alice.incoming), lines(&alice.outgoing)), (vec!["90 SHARE".into()], vec!["100 A".into()]));
    let mut script = chain(receipt(vec![transfer(A, ALICE, B, 100), transfer(B, Address::ZERO, ALICE, 90), deposit]));
    erc20(&mut script, B, "SHARE", 18);
    let found = answer(&script, ALICE).await;
    assert_eq!(lines(&effects(&found).incoming), ["90 SHARE"], "once");
}

#[tokio::test]
async fn the_standard_of_a_log_is_that_of_its_contract() {
    let number = U256::from(4242);
    // A collection that does not index the token id.
    let mut script = ScriptedChain::default();
    script.call(B, &ownerOfCall { tokenId: number }, BOB);
    script.transaction(Ok(TransactionLookup::Mined(receipt(vec![transfer(B, ALICE, BOB, 4242)]))));
    let found = answer(&script, BOB).await;
    let [piece] = &effects(&found).incoming[..] else { panic!("{:?}", effects(&found).incoming) };
    assert_eq!((piece.movement.asset.token_id, piece.movement.raw), (Some(number), U256::ONE));
    // A token that indexes the amount.
    let indexed =
        log(A, vec![keccak256("Transfer(address,address,uint256)"), word(ALICE), word(BOB), number.into()], ());
    let found = answer(&chain(receipt(vec![indexed.clone()])), BOB).await;
    assert_eq!(lines(&effects(&found).incoming), ["4242 A"]);
    // A contract that is both: it knows an owner, or logs its amounts separately.
    let mut both = chain(receipt(vec![indexed.clone()]));
    both.call(A, &ownerOfCall { tokenId: number }, BOB);
    let found = answer(&both, BOB).await;
    assert_eq!(effects(&found).incoming[0].movement.asset.token_id, Some(number));
    let amount =
        log(A, vec![keccak256("ERC20Transfer(address,address,uint256)"), word(ALICE), word(BOB)], U256::from(9));
    let found = answer(&chain(receipt(vec![amount, indexed])), BOB).await;
    let pieces = effects(&found).incoming.iter().map(|of| (of.movement.asset.token_id, of.movement.raw));
    assert_eq!(pieces.collect::<Vec<_>>(), [(None, U256::from(9)), (Some(number), U256::ONE)]);
}
