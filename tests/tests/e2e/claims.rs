//! Claim and check: every `claimTransaction`, sent exactly as it was answered, pays exactly what was promised.
//!
//! The next block has the pinned one's time, so only what is paid by the block can be more: by exactly what the
//! build's arithmetic says of one block.

use std::collections::BTreeMap;

use bigdecimal::BigDecimal;
use bigdecimal::num_bigint::{BigInt, Sign};
use portolan_tests::chain::{Chain, quantity};
use portolan_tests::gateway::Gateway;
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::truth::{self, ACCOUNTS, Truth};
use portolan_tests::world::World;

/// The oracle of networks of the OP stack, and a contract in its place that always returns [`DATA_FEE`]:
/// `MSTORE(0, 12345) RETURN(0, 32)`.
const ORACLE: &str = "0x420000000000000000000000000000000000000f";
const CONSTANT: &str = "0x61303960005260206000f3";
const DATA_FEE: u64 = 12_345;
/// A word of storage that becomes nonzero.
const STORAGE_GAS: u64 = 22_100;

/// Compares what claims cost with the chain's own price of gas, and what is left of them with what they pay less that;
/// returns of how many it is known.
fn assert_net(world: &World, items: &[Json]) -> usize {
    let mut claims = BTreeMap::<&str, Vec<&Json>>::new();
    items.iter().for_each(|item| claims.entry(item.text_at("claimId").unwrap()).or_default().push(item));
    let sum = |rows: &[&Json], name: &str| -> BigDecimal { rows.iter().map(|row| row.number_at(name).unwrap()).sum() };
    let mut known = 0;
    for rows in claims.values() {
        let (cost, network) = (rows[0].at("cost").unwrap(), rows[0].text_at("network/name").unwrap());
        let (chain, _) = world.chain(&network.to_lowercase()).unwrap();
        let base = next_base_fee(chain);
        let text = |name: &str| cost.text_at(name).unwrap().parse::<u64>().unwrap();
        assert_eq!(text("baseFeePerGas"), base, "{cost}");
        let data_fee = if network == "OPTIMISM" { DATA_FEE } else { 0 };
        assert_eq!(text("dataFee"), data_fee, "{cost}");
        let gas: u64 = cost.at("gas").unwrap().to_string().parse().unwrap();
        assert_eq!(text("nativeRaw"), gas * (base + text("maxPriorityFeePerGas")) + data_fee, "{cost}");
        let Ok(dollars) = cost.number_at("dollars") else {
            assert_eq!(rows[0].at("netDollarValue").unwrap(), &Json::Null, "without a price of the native token");
            continue;
        };
        let Ok(_) = rows[0].number_at("netDollarValue") else { continue };
        let (left, expected) = (sum(rows, "netDollarValue"), sum(rows, "dollarValue") - &dollars);
        // Each number has 18 digits.
        let off = (&left - &expected).abs();
        assert!(off <= (expected.abs() + dollars) * BigDecimal::new(1.into(), 16), "{left} instead of {expected}");
        known += 1;
    }
    known
}

/// The digests of all plugins, by name and version.
fn digests(gateway: &Gateway) -> BTreeMap<String, String> {
    let label = |row: &Json| format!("{}@{}", row.text_at("plugin").unwrap(), row.text_at("version").unwrap());
    let plugins = gateway.plugins().unwrap();
    plugins.iter().map(|row| (label(row), row.text_at("digest").unwrap().to_owned())).collect()
}

/// Returns true if a read returned the amount, which it has to do again; else it was computed from reads that are
/// listed.
fn is_returned(chain: &Chain, item: &Json, digests: &BTreeMap<String, String>) -> bool {
    let provenance = item.at("provenance").unwrap();
    assert_eq!(provenance.text_at("digest").unwrap(), digests[item.text_at("plugin").unwrap()]);
    let block: u64 = provenance.at("block").unwrap().to_string().parse().unwrap();
    let found = chain.block(&format!("{block:#x}")).unwrap();
    assert_eq!(provenance.text_at("blockHash").unwrap(), found["hash"]);
    let (token, amount) = (item.text_at("token/address").unwrap(), item.text_at("amountRaw").unwrap());
    let amounts = provenance.at("amounts").unwrap().items().unwrap();
    let is_own =
        |row: &&Json| row.text_at("tokenAddress").unwrap() == token && row.text_at("amountRaw").unwrap() == amount;
    let own = amounts.iter().find(is_own).unwrap_or_else(|| panic!("{amount} of {token} has no source: {item}"));
    let reads = own.at("reads").unwrap().items().unwrap();
    assert!(!reads.is_empty(), "{item}");
    let is_computed = own.at("computed").unwrap().to_string() == "true";
    let word = format!("{:0>64}", format!("{:x}", amount.parse::<BigInt>().unwrap()));
    for read in reads {
        let (to, data) = (read.text_at("contract").unwrap(), read.text_at("data").unwrap());
        let call = serde_json::json!([{"to": to, "data": data}, format!("{block:#x}")]);
        let reply = chain.rpc("eth_call", call).unwrap().as_str().unwrap()[2..].to_owned();
        let words = reply.as_bytes().chunks(64);
        assert!(
            is_computed || words.into_iter().any(|own| own == word.as_bytes()),
            "{reply} instead of {word}: {read}"
        );
        // The plugins name all functions that they call.
        let function = read.text_at("function").unwrap();
        let arguments = read.at("arguments").unwrap().items().unwrap();
        let types: Vec<&str> = arguments.iter().map(|one| one.text_at("typeAsString").unwrap()).collect();
        assert!(function.ends_with(&format!("({})", types.join(","))), "{read}");
    }
    !is_computed
}

/// The base fee of the block after the newest (EIP-1559).
fn next_base_fee(chain: &Chain) -> u64 {
    let block = chain.block("latest").unwrap();
    let number = |name: &str| quantity(&block[name]).unwrap();
    let (base, used, target) = (number("baseFeePerGas"), number("gasUsed"), number("gasLimit") / 2);
    let change = |gas: u64| u64::try_from(u128::from(base) * u128::from(gas) / u128::from(target) / 8).unwrap();
    if used > target { base + change(used - target).max(1) } else { base - change(target - used) }
}

#[test]
fn every_claim_pays_exactly_its_amount() {
    let world = World::start().unwrap();
    let optimism = &world.chain("optimism").unwrap().0;
    optimism.rpc("anvil_setCode", serde_json::json!([ORACLE, CONSTANT])).unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let mut paid = BTreeMap::<String, usize>::new();
    let (mut by_the_block, mut exact, mut left, mut returned) = (0, 0, 0, 0);
    let digests = digests(&gateway);
    for who in ACCOUNTS {
        for slug in world.slugs().unwrap() {
            let path = Question::Claimables.path(&slug, world.address(who).unwrap());
            // Answered before any claim is sent: afterwards the chains are back where they were.
            let answer = gateway.get(&format!("{path}?detail=full")).unwrap().json().unwrap();
            let items = answer.at("items").unwrap().items().unwrap();
            left += assert_net(&world, items);
            for item in items {
                let chain_id = item.at("network/chainId").unwrap();
                let is_named =
                    |truth: &Truth| truth::network(&truth.network).unwrap().at("chainId").unwrap() == chain_id;
                let (chain, truth) = world.chains.iter().find(|(_, truth)| is_named(truth)).unwrap();
                let more = emission_of_a_block(who, truth, item);
                returned += usize::from(is_returned(chain, item, &digests));
                by_the_block += usize::from(more > BigInt::from(0));
                exact += usize::from(assert_paid(who, chain, truth, item, &more));
                *paid.entry(slug.clone()).or_default() += 1;
            }
        }
    }
    let mut promised = BTreeMap::<String, usize>::new();
    for (_, truth) in &world.chains {
        for row in ACCOUNTS.iter().flat_map(|who| truth.shown_rows(who, Question::Claimables, None).unwrap()) {
            *promised.entry(row.text_at("protocol").unwrap().to_owned()).or_default() += 1;
        }
    }
    assert_eq!(paid, promised);
    assert_eq!(paid.keys().cloned().collect::<Vec<_>>(), world.slugs().unwrap(), "a protocol without a claim");
    assert!(by_the_block > 0, "no chain pays by the block");
    assert!(returned > 0, "no amount comes from a read that returned it");
    assert!(left > 0, "of no claim is it known what is left");
    assert!(exact > 0, "of no claim is the gas the one that was simulated");
}

#[test]
fn claims_that_cost_more_than_they_bring_are_left_out_where_that_is_asked() {
    let world = World::start().unwrap();
    let gateway = world.setup().unwrap().start().unwrap();
    let rows = |who: &str, search: &str| -> Vec<Json> {
        let path = format!("/claimables/{}?{search}", world.address(who).unwrap());
        gateway.get(&path).unwrap().json().unwrap().items().unwrap().to_vec()
    };
    let id = |row: &Json| row.text_at("claimId").unwrap().to_owned();
    let mut left_out = 0;
    for who in ["dust", "farmer"] {
        let mut left = BTreeMap::<String, Option<BigDecimal>>::new();
        for row in rows(who, "") {
            let of_row = row.number_at("netDollarValue").ok();
            let own = left.entry(id(&row)).or_insert_with(|| Some(0.into()));
            *own = own.take().and_then(|sum| Some(sum + of_row?));
        }
        let is_profitable = |own: &Option<BigDecimal>| own.as_ref().is_none_or(|left| left.sign() != Sign::Minus);
        let expected: Vec<String> =
            left.iter().filter(|(_, own)| is_profitable(own)).map(|(id, _)| id.clone()).collect();
        let mut answered: Vec<String> = rows(who, "worth=true").iter().map(id).collect();
        answered.sort();
        answered.dedup();
        assert_eq!(answered, expected, "{who}");
        left_out += left.len() - expected.len();
        assert!(who != "farmer" || !expected.is_empty(), "{left:?}");
    }
    assert!(left_out > 0, "every claim is worth its gas");
}

/// Returns the amount that one more block pays, by the build's row of the same call and token.
fn emission_of_a_block(who: &str, truth: &Truth, item: &Json) -> BigInt {
    let (token, sent) = (item.text_at("token/address").unwrap(), item.at("claimTransaction").unwrap());
    let same = |row: &&&Json| {
        row.text_at("token").unwrap() == token && ["to", "data"].iter().all(|name| row.get(name) == sent.get(name))
    };
    let rows = truth.rows(who, Question::Claimables, None).unwrap();
    let row = rows.iter().find(same).unwrap_or_else(|| panic!("nobody expected {item}"));
    row.text_at("emissionPerBlockRaw").map_or_else(|_| BigInt::from(0), |raw| raw.parse().unwrap())
}

/// Sends one claim from a snapshot of its own, in a block at the pinned block's time.
/// Returns whether the gas that was used is the one that was simulated, to the last unit.
#[expect(clippy::print_stdout, reason = "how much more than it uses a claim needs is a figure")]
fn assert_paid(who: &str, chain: &Chain, truth: &Truth, item: &Json, more: &BigInt) -> bool {
    let account = truth.address(who).unwrap();
    let transaction = item.at("claimTransaction").unwrap();
    assert_eq!(transaction.text_at("from").unwrap(), account);
    let token = item.text_at("token/address").unwrap();
    let balance = || -> BigInt { chain.token_balance(token, account).unwrap().parse().unwrap() };

    let what = format!("{who} on {} by {item}", truth.network);
    let simulation = item.at("simulation").unwrap();
    assert_eq!(item.text_at("simulated").unwrap(), "paid", "{what}");
    assert_eq!(simulation.text_at("method").unwrap(), "eth_simulateV1", "{what}");
    let simulated = simulation.at("receives").unwrap().items().unwrap().iter();
    let simulated = simulated.filter(|flow| flow.text_at("tokenAddress").unwrap() == token);
    let simulated: Vec<BigInt> = simulated.map(|flow| flow.text_at("amountRaw").unwrap().parse().unwrap()).collect();
    let amount: BigInt = item.text_at("amountRaw").unwrap().parse().unwrap();
    // It was tried in the next block, by whose time more may be due.
    assert!(matches!(&simulated[..], [simulated] if *simulated >= amount), "{simulated:?}: {what}");
    assert_eq!(simulation.at("gives").unwrap().items().unwrap(), [], "{what}");

    let snapshot = chain.snapshot().unwrap();
    let before = balance();
    let (to, data) = (transaction.text_at("to").unwrap(), transaction.text_at("data").unwrap());
    let limit: u64 = transaction.at("gas").unwrap().to_string().parse().unwrap();
    let call = serde_json::json!({"from": account, "to": to, "data": data});
    let least = quantity(&chain.rpc("eth_estimateGas", serde_json::json!([call])).unwrap()).unwrap();
    assert!(limit >= least, "a limit of {limit}, and the least that suffices is {least}: {what}");
    let receipt = chain.send_with_gas(account, (to, data), limit, chain.block_timestamp).unwrap();
    let received = balance() - before - more;
    chain.revert(&snapshot).unwrap();

    // It was tried a little later, so that a word of storage may have become nonzero.
    let used = quantity(&receipt["gasUsed"]).unwrap();
    println!("gas: {used} used, {least} is the least limit, {limit} is told");
    let gas: u64 = simulation.at("gasUsed").unwrap().to_string().parse().unwrap();
    assert!(used.abs_diff(gas) <= STORAGE_GAS, "used {used}, simulated {gas}: {what}");
    assert_eq!(received.to_string(), item.text_at("amountRaw").unwrap(), "{what}");
    let decimals: i64 = item.at("token/decimals").unwrap().to_string().parse().unwrap();
    assert_eq!(BigDecimal::new(received, decimals), item.number_at("amount").unwrap(), "{what}");
    used == gas
}
