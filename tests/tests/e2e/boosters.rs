//! Convex: stakes in a booster's pools, whose claims pay a reward, what is minted beside it and extra rewards; stakes of its
//! own tokens; and locks. What they have to be is said here by arithmetic; `tests/chain/profiles/boosters.mjs` has the
//! history.
//!
//! Rewards run for four days at the snapshot, at thousandths of a token a second. 601 of the thousand cliffs of the minted
//! token are passed, so that 399 thousandths of a reward are minted beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

const ONE: u128 = 1_000_000_000_000_000_000;
const WEEK_S: u64 = 604_800;
/// What a rate of one thousandth has paid in four days.
const MILLI: u128 = 4 * 86_400 * ONE / 1_000;
/// A week of a thousandth, for ten tokens of which one smallest unit more takes its part: 60.48 for each, less what that
/// rounds off.
const WEEK_FOR_ONE: u128 = 60_480_000_000_000_000_000 - 7;

/// The chain's contracts are those of a fork, in an operator's settings file.
struct Fixture {
    chain: Chain,
    gateway: Gateway,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// What one claim pays: raw amounts by the symbol of the token.
type Paid = BTreeMap<String, u128>;

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("boosters")?;
        let contract = |name: &str| chain.expected["boosters"][name].as_str().context("no contract");
        let row = |market: &str, keys: &str| {
            format!("[[deployment]]\nprotocol = \"convex\"\nnetwork = \"ethereum\"\nmarket = \"{market}\"\n{keys}\n")
        };
        let settings = [
            "shipped = false\n".to_owned(),
            row("pools", &format!("booster = \"{}\"", contract("booster")?)),
            row("cvx", &format!("cvx_staking = \"{}\"", contract("staking")?)),
            row("locker", &format!("locker = \"{}\"\nboosted = true", contract("locker")?)),
        ];
        let dylib = build::built()?.plugin("libfarms.so");
        let setup = Setup::default().rpc("ethereum", &chain.url).settings("farms", &settings.concat());
        let gateway = setup.plugin(&dylib, &["convex"]).start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    fn pool(&self, place: usize) -> &str {
        self.chain.expected["pools"][place].as_str().unwrap()
    }

    fn contract(&self, name: &str) -> &str {
        self.chain.expected["boosters"][name].as_str().unwrap()
    }

    /// A complete answer about an account.
    fn items(&self, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/convex/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// What each claim pays, and its transaction, by the contract that it goes to.
    fn claims(&self, who: &str) -> BTreeMap<String, (Paid, Json)> {
        let mut claims: BTreeMap<String, (Paid, Json)> = BTreeMap::new();
        for item in self.items("{}/claimables", who) {
            assert_eq!(item.text_at("simulated").unwrap(), "paid", "{item}");
            let sent = item.at("claimTransaction").unwrap().clone();
            let claim = claims.entry(sent.text_at("to").unwrap().to_owned()).or_insert((Paid::new(), sent));
            let amount = item.text_at("amountRaw").unwrap().parse().unwrap();
            assert_eq!(claim.0.insert(item.text_at("token/symbol").unwrap().to_owned(), amount), None, "{item}");
        }
        claims
    }

    /// What an account has of all tokens.
    fn held(&self, who: &str) -> Paid {
        let assets = self.chain.expected["assets"].as_object().unwrap().iter();
        let balance = |token: &str| self.chain.token_balance(token, self.account(who)).unwrap().parse().unwrap();
        assets.map(|(symbol, token)| (symbol.clone(), balance(token.as_str().unwrap()))).collect()
    }
}

/// What is minted beside a reward.
fn minted(reward: u128) -> u128 {
    reward * 399 / 1_000
}

fn paid(rows: &[(&str, u128)]) -> Paid {
    rows.iter().map(|(symbol, amount)| ((*symbol).to_owned(), *amount)).collect()
}

/// What every claim of every account pays, by arithmetic.
fn expected(fixture: &Fixture) -> Vec<(&'static str, BTreeMap<String, Paid>)> {
    let reward = |amount: u128| paid(&[("CRV", amount), ("CVX", minted(amount))]);
    let extras = paid(&[("CRV", MILLI), ("CVX", minted(MILLI) + 3 * MILLI), ("LDO", 2 * MILLI)]);
    // A thousandth is the fee of what a stake of CVX has earned; seven smallest units lie there.
    let fees = 5 * MILLI - 5 * MILLI / 1_000 + 7;
    let at = |to: &str, paid: Paid| (to.to_owned(), paid);
    vec![
        (
            "farmer",
            BTreeMap::from([
                at(fixture.pool(0), reward(3 * MILLI)),
                at(fixture.pool(1), extras),
                at(fixture.contract("locker"), paid(&[("CRV", 6 * MILLI), ("cvxCRV", 12 * MILLI)])),
            ]),
        ),
        ("whale", BTreeMap::from([at(fixture.pool(0), reward(MILLI)), at(fixture.pool(2), reward(10 * WEEK_FOR_ONE))])),
        (
            "odd",
            BTreeMap::from([
                at(fixture.pool(3), reward(8 * MILLI)),
                at(fixture.contract("staking"), paid(&[("cvxCRV", fees)])),
            ]),
        ),
        ("dust", BTreeMap::from([at(fixture.pool(2), reward(WEEK_FOR_ONE / ONE))])),
        ("nothing", BTreeMap::new()),
    ]
}

#[test]
fn a_claim_pays_the_reward_what_is_minted_beside_it_and_extra_rewards() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let chain = &fixture.chain;
    for (who, expected) in expected(&fixture) {
        let claims = fixture.claims(who);
        let told: BTreeMap<String, Paid> = claims.iter().map(|(to, (paid, _))| (to.clone(), paid.clone())).collect();
        assert_eq!(told, expected, "{who}");
        for (to, (paid, sent)) in claims {
            let (snapshot, before) = (chain.snapshot().unwrap(), fixture.held(who));
            let data = sent.text_at("data").unwrap();
            chain.send_as(fixture.account(who), &to, data, chain.block_timestamp).unwrap();
            let gained = fixture.held(who).into_iter().map(|(symbol, amount)| {
                let before = before[&symbol];
                (symbol, amount - before)
            });
            let gained: Paid = gained.filter(|(_, amount)| *amount > 0).collect();
            assert_eq!(gained, paid, "{who} {to}");
            chain.revert(&snapshot).unwrap();
        }
    }
}

#[test]
fn stakes_are_told_in_the_token_that_was_given_also_where_the_pool_is_shut_down() {
    let fixture = fixture();
    let stakes = |who| {
        let row = |row: &Json| {
            (row.text_at("stakedToken/symbol").unwrap().to_owned(), row.text_at("amountRaw").unwrap().parse().unwrap())
        };
        fixture.items("farming/{}/positions", who).iter().map(row).collect::<Paid>()
    };
    assert_eq!(stakes("farmer"), paid(&[("crvA", 300 * ONE), ("crvB", 50 * ONE)]));
    assert_eq!(stakes("whale"), paid(&[("crvA", 100 * ONE), ("crvC", 10 * ONE)]));
    assert_eq!(stakes("odd"), paid(&[("cvxCRV", 8 * ONE), ("CVX", 5 * ONE)]));
    assert_eq!(stakes("dust"), paid(&[("crvC", 1)]));
    assert_eq!(stakes("nothing"), Paid::new());
    let owed = fixture.items("farming/{}/positions", "farmer").into_iter().find_map(|row| {
        let is_it = row.text_at("stakedToken/symbol").unwrap() == "crvB";
        is_it.then(|| row.at("position/owed").unwrap().items().unwrap().to_vec())
    });
    let amounts: Vec<u128> =
        owed.unwrap().iter().map(|leg| leg.text_at("amountRaw").unwrap().parse().unwrap()).collect();
    assert_eq!(amounts, [MILLI, minted(MILLI) + 3 * MILLI, 2 * MILLI]);
}

#[test]
fn locks_end_sixteen_weeks_after_the_next_week_begins() {
    let fixture = fixture();
    let now = fixture.chain.block_timestamp;
    let end = |from: u64| (from / WEEK_S + 17) * WEEK_S;
    let row = |row: &Json| {
        let unlocks_at = row.at("unlocksAt").unwrap().to_string().parse::<u64>().unwrap();
        (unlocks_at, row.at("legs").unwrap().items().unwrap()[0].text_at("amountRaw").unwrap().to_owned())
    };
    let mut locks: Vec<_> = fixture.items("locked/{}/positions", "farmer").iter().map(row).collect();
    locks.sort();
    let tokens = |amount: u128| (amount * ONE).to_string();
    let (month, days) = (30 * 86_400, 4 * 86_400);
    let expected = [(now, tokens(100)), (end(now - month), tokens(200)), (end(now - days), tokens(300))];
    assert_eq!(locks, expected);
    assert_eq!(fixture.items("locked/{}/positions", "whale"), []);
}
