//! Voters of four generations: gauges that pay one token, a list of tokens, or positions of a concentrated pool; locks with
//! rebases, and what their votes have earned. What they have to be is said here by arithmetic;
//! `tests/chain/profiles/voters.mjs` has the history.
//!
//! Gauges pay one token a second, of which farmer and whale have six and four tenths. A gauge that pays a list has paid
//! 200 smallest units a second of another token for a week that is over.

use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context as _, Result};
use portolan_tests::fork::{Fork, Payments};
use portolan_tests::json::Json;
use portolan_tests::wait;
use portolan_tests::world::Shared;

const ONE: u128 = 1_000_000_000_000_000_000;
const WEEK_S: u128 = 604_800;
/// Protocols by the generation of which their contracts are.
const HEIRS: [(&str, &str); 3] = [("velodrome_v1", "velodrome-v1"), ("equalizer", "equalizer"), ("thena", "thena")];
const VELODROME: &str = "velodrome_v2";
/// Lists are walked by the first answers.
const WALKED_WITHIN: Duration = Duration::from_secs(60);

static FIXTURE: Shared<Fork> = Shared::new();

fn fixture() -> Arc<Fork> {
    FIXTURE.get(start).unwrap()
}

/// The gateway, once it has walked the lists of all voters.
fn start() -> Result<Fork> {
    let fork = Fork::start("voters")?;
    for slug in ["velodrome_v1", "equalizer", "thena", VELODROME] {
        let walked = || fork.of(slug).items("{}/claimables", "nothing");
        wait::until(slug, WALKED_WITHIN, walked).with_context(|| fork.gateway.log())?;
    }
    Ok(fork)
}

/// An answer, which is whole.
fn whole(fork: &Fork, path: &str) -> Json {
    let response = fork.gateway.get(path).unwrap();
    let partial = response.header("portolan-partial");
    assert_eq!((response.status.as_u16(), partial), (200, None), "{path}: {}", response.body);
    response.json().unwrap()
}

/// The account's positions with a protocol: kind, the NFT's number, and roles, tokens and amounts of the legs.
fn positions(fork: &Fork, slug: &str, who: &str) -> Vec<Held> {
    let all = whole(fork, &format!("/positions/{}?detail=full", fork.account(who).unwrap()));
    let of_slug = |of: &&Json| of.text_at("protocol/slug").unwrap() == slug;
    let items = all.at("items").unwrap().items().unwrap().iter();
    let protocols = items.flat_map(|item| item.at("protocols").unwrap().items().unwrap()).filter(of_slug);
    let positions = protocols.flat_map(|of| of.at("positions").unwrap().items().unwrap());
    let leg = |leg: &Json| {
        let text = |member| leg.text_at(member).unwrap().to_owned();
        (text("role"), text("token/symbol"), text("amountRaw").parse().unwrap())
    };
    let held = |row: &Json| {
        let number = row.text_at("nft/tokenId").ok().map(|id| id.parse().unwrap());
        let legs = row.at("legs").unwrap().items().unwrap().iter().map(leg).collect();
        (row.text_at("kind").unwrap().to_owned(), number, legs)
    };
    let mut held: Vec<Held> = positions.map(held).collect();
    held.sort();
    held
}

/// Kind, number, and role, symbol and amount of each leg.
type Held = (String, Option<u64>, Vec<(String, String, u128)>);

fn held(kind: &str, number: Option<u64>, legs: &[(&str, &str, u128)]) -> Held {
    let legs = legs.iter().map(|(role, symbol, amount)| ((*role).to_owned(), (*symbol).to_owned(), *amount));
    (kind.to_owned(), number, legs.collect())
}

fn text<'a>(row: &'a Json, member: &str) -> &'a str {
    row.text_at(member).unwrap()
}

/// A claim: type, the function that it calls, whether a lock gets it, and what it pays.
type Paying = (String, String, bool, Vec<(String, u128)>);

fn paying(of_type: &str, function: &str, into_lock: bool, paid: &[(&str, u128)]) -> Paying {
    let paid = paid.iter().map(|(symbol, amount)| ((*symbol).to_owned(), *amount)).collect();
    (of_type.to_owned(), function.to_owned(), into_lock, paid)
}

/// The claims of an account, each sent: it pays what its rows say, and nothing else; nothing at all where a lock gets it.
fn claimed(fork: &Fork, slug: &'static str, who: &str) -> Vec<Paying> {
    let mut claims = Vec::new();
    for claim in fork.of(slug).claims(who).unwrap() {
        let first = &claim.rows[0];
        let into_lock = first.get("paidTo").is_some();
        let paid = claim.rows.iter().map(|row| {
            assert_eq!(row.get("paidTo").is_some(), into_lock, "{row}");
            (text(row, "token/symbol").to_owned(), text(row, "amountRaw").parse().unwrap())
        });
        let mut paid: Vec<(String, u128)> = paid.collect();
        paid.sort();
        assert!(claim.said.clone().into_iter().eq(paid.iter().cloned()), "{first}");
        let received = if into_lock { Payments::new() } else { claim.said };
        assert_eq!(claim.received, received, "{who}: {first}");
        let function = text(first, "claimTransaction/function/name").to_owned();
        claims.push((text(first, "type").to_owned(), function, into_lock, paid));
    }
    claims.sort();
    claims
}

#[test]
fn gauges_of_each_generation_pay_what_they_say_and_rebases_go_where_it_is_said() {
    let fixture = start().unwrap();
    let more = WEEK_S * 200 / 10;
    for (slug, generation) in HEIRS {
        let rebase = paying("solidly-rebase", "claim", true, &[("BASE", 7)]);
        for (who, tenths) in [("farmer", 6), ("whale", 4)] {
            let mut paid = vec![("BASE", 100 * tenths * ONE)];
            if generation != "thena" {
                paid.push(("MORE", more * tenths));
            }
            let mut expected = vec![paying("solidly-gauge", "getReward", false, &paid)];
            if who == "farmer" {
                expected.push(rebase.clone());
                // The lock that is over: elsewhere its claim would revert.
                expected.extend((slug == "thena").then(|| paying("solidly-rebase", "claim", false, &[("BASE", 8)])));
            }
            expected.sort();
            assert_eq!(claimed(&fixture, slug, who), expected, "{slug}: {who}");
        }
        for who in ["odd", "dust", "nothing"] {
            assert_eq!(claimed(&fixture, slug, who), [], "{slug}: {who}");
        }
    }
}

#[test]
fn staked_positions_fees_and_bribes_are_claimed_one_by_one() {
    let fixture = start().unwrap();
    let reward = |amount| paying("solidly-gauge", "getReward", false, &[("BASE", amount)]);
    // Three tenths of the liquidity with what was settled before, a tenth, and six.
    let farmer = [
        paying("solidly-bribe", "claimBribes", false, &[("MORE", 13)]),
        paying("solidly-fees", "claimFees", false, &[("AAA", 11), ("BBB", 12)]),
        reward(100 * ONE),
        reward(300 * ONE + 5),
    ];
    assert_eq!(claimed(&fixture, VELODROME, "farmer"), farmer);
    let whale = [paying("solidly-bribe", "claimBribes", false, &[("BASE", 14)]), reward(600 * ONE)];
    assert_eq!(claimed(&fixture, VELODROME, "whale"), whale);
    // Its lock has moved its vote to another pool since.
    let moved = [
        paying("solidly-bribe", "claimBribes", false, &[("MORE", 16)]),
        paying("solidly-fees", "claimFees", false, &[("BBB", 15)]),
    ];
    assert_eq!(claimed(&fixture, VELODROME, "exited"), moved);
    for who in ["odd", "dust", "nothing"] {
        assert_eq!(claimed(&fixture, VELODROME, who), [], "{who}: out of range, nothing is earned");
    }
}

#[test]
fn a_plan_of_all_claims_is_merged_and_pays_their_sum() {
    let fixture = start().unwrap();
    let farmer = fixture.account("farmer").unwrap();
    let path = format!("/{farmer}/claim-plan?network=optimism&detail=full");
    let plan = whole(&fixture, &path).at("items").unwrap().items().unwrap()[0].clone();
    assert_eq!(text(&plan, "simulated"), "paid", "{plan}");
    let held = |symbol| fixture.held("farmer", fixture.address(&format!("assets/{symbol}")).unwrap()).unwrap();
    let symbols = ["BASE", "MORE", "AAA", "BBB"];
    let before = symbols.map(held);
    let transactions = plan.at("transactions").unwrap().items().unwrap();
    for call in transactions {
        let [to, data] = ["to", "data"].map(|member| text(call, member));
        fixture.chain.send_as(farmer, to, data, fixture.chain.block_timestamp).unwrap();
    }
    let after = symbols.map(held);
    let paid: Vec<u128> = after.iter().zip(before).map(|(after, before)| after - before).collect();
    // Three gauges with 600 each, the positions' 400 and 5, and 8 of the lock that is over.
    let expected = [2_200 * ONE + 13, 2 * WEEK_S * 120 + 13, 11, 12];
    assert_eq!(paid, expected, "{plan}");
    // Three gauges' claims, the rebases of three distributors, two positions, fees and bribes.
    assert_eq!(transactions.len(), 10, "{plan}");
}

#[test]
fn stakes_and_positions_are_those_of_arithmetic() {
    let fixture = fixture();
    for (slug, generation) in HEIRS {
        for (who, tenths) in [("farmer", 6_u128), ("whale", 4)] {
            // A lock makes farmer's stake count for more: whale has staked 100 for the same share of Velodrome's.
            let is_boosted = generation == "velodrome-v1" && who == "whale";
            let stake = if is_boosted { 100 * ONE } else { 10 * tenths * ONE };
            let mut legs = vec![("staked", "LP", stake)];
            if generation != "thena" {
                legs.push(("rewardOwed", "MORE", WEEK_S * 20 * tenths));
            }
            legs.push(("rewardOwed", "BASE", 100 * tenths * ONE));
            let mut expected = vec![held("staked", None, &legs)];
            if who == "farmer" {
                expected.insert(0, held("locked", Some(1), &[("locked", "BASE", 10)]));
                expected.insert(1, held("locked", Some(2), &[("locked", "BASE", 20)]));
            }
            assert_eq!(positions(&fixture, slug, who), expected, "{slug}: {who}");
        }
    }
    // The root of 1.0001^10,000 is r = 1.648680055931175769628…. A liquidity of 10^18 from the price of one to there is
    // 10^18 (1 - 1/r) of the first token, and from the inverse of it to one as much of the second: 393454177842165242.16.
    let (once, thrice, sixfold) = (393_454_177_842_165_242, 1_180_362_533_526_495_726, 2_360_725_067_052_991_452);
    let staked = |number, first, second, owed| {
        let legs = [("staked", "AAA", first), ("staked", "BBB", second), ("rewardOwed", "BASE", owed)];
        let legs: Vec<_> = legs.into_iter().filter(|(.., amount)| *amount > 0).collect();
        held("staked", Some(number), &legs)
    };
    let lock = |number| held("locked", Some(number), &[("locked", "BASE", 100)]);
    let farmer = [lock(1), staked(1, thrice, thrice, 300 * ONE + 5), staked(2, once, 0, 100 * ONE)];
    assert_eq!(positions(&fixture, VELODROME, "farmer"), farmer);
    assert_eq!(positions(&fixture, VELODROME, "whale"), [lock(2), staked(3, sixfold, sixfold, 600 * ONE)]);
    // 2 * 10^18 (1/r - 1/r^2), below its range.
    assert_eq!(positions(&fixture, VELODROME, "odd"), [staked(4, 477_295_975_561_422_095, 0, 0)]);
    assert_eq!(positions(&fixture, VELODROME, "nothing"), []);
}
