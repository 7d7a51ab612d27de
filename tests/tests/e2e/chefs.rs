//! Chefs with bonuses, one that pays what it was given, a chef of positions, pools that give out NFTs, staked JOE and
//! shares of validators. What they have to be is said here by arithmetic; `tests/chain/profiles/chefs.mjs` has the history.
//!
//! Every chef pays 4 * 10^12 a second, of which the first pool has a quarter. In it the farmer has a quarter of what is
//! staked and the whale the rest; the second pool is the whale's. So all amounts follow from what is paid for one point.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::world::Shared;

const ONE: u128 = 1_000_000_000_000_000_000;
/// What a point of a chef's four is paid in a second.
const POINT: u128 = 1_000_000_000_000;

/// Plugins, their libraries and slugs.
const PLUGINS: [(&str, &str, &[&str]); 4] = [
    ("bridges", "libbridges.so", &["stargate"]),
    ("farms", "libfarms.so", &["trader-joe", "alienbase", "camelot"]),
    ("staking", "libstaking.so", &["polygon-protocol"]),
    ("uniswap", "libuniswap.so", &["pancakeswap"]),
];

/// Keys of each deployment; a word that begins with `$` is a contract of the chain, one with `%` a token.
const DEPLOYMENTS: [(&str, &str); 7] = [
    (
        "bridges",
        "protocol = \"stargate\" kind = \"master-chef-v1\" chef = $lpStaking pending = \"pendingEmissionToken\" \
         claim = \"deposit\" getter = \"eToken\" funded = true",
    ),
    (
        "farms",
        "protocol = \"trader-joe\" kind = \"master-chef-v1\" chef = $bonusChef pending = \"pendingTokens\" \
         pending_returns = \"bonus\" claim = \"deposit\" getter = \"JOE\"",
    ),
    (
        "farms",
        "protocol = \"alienbase\" kind = \"master-chef-v1\" chef = $listsChef pending = \"pendingTokens\" \
         pending_returns = \"lists\" claim = \"deposit\" getter = \"alb\"",
    ),
    ("farms", "protocol = \"camelot\" position_master = $master"),
    ("farms", "protocol = \"trader-joe\" market = \"staking\" fee_staking = $joeStaking staked_token = %joe"),
    ("staking", "protocol = \"polygon-protocol\" stake_manager = $manager staked_token = %pol"),
    ("uniswap", "protocol = \"pancakeswap\" position_chef = $positionChef"),
];

/// The chain's contracts are those of forks, in an operator's settings files.
struct Fixture {
    chain: Chain,
    gateway: Gateway,
}

static FIXTURE: Shared<Fixture> = Shared::new();

fn fixture() -> Arc<Fixture> {
    FIXTURE.get(Fixture::start).unwrap()
}

/// The settings file of a plugin.
fn settings(chain: &Chain, plugin: &str) -> Result<String> {
    let mut text = "shipped = false\n".to_owned();
    for (_, keys) in DEPLOYMENTS.iter().filter(|(of, _)| *of == plugin) {
        text.push_str("[[deployment]]\nnetwork = \"ethereum\"\n");
        for word in keys.split(' ') {
            let value = match word.split_at(1) {
                ("$", name) => chain.expected["chefs"][name].to_string(),
                ("%", symbol) => chain.expected["assets"][symbol].to_string(),
                ("=", _) => "=".to_owned(),
                _ => word.to_owned(),
            };
            let ends = text.ends_with("= ");
            text.push_str(&value);
            text.push(if ends { '\n' } else { ' ' });
        }
    }
    Ok(text)
}

impl Fixture {
    fn start() -> Result<Self> {
        let chain = Chain::start("chefs")?;
        let mut setup = Setup::default().rpc("ethereum", &chain.url);
        for (plugin, library, slugs) in PLUGINS {
            setup = setup.settings(plugin, &settings(&chain, plugin)?);
            setup = setup.plugin(&build::built()?.plugin(library), slugs);
        }
        let gateway = setup.start()?;
        Ok(Self { chain, gateway })
    }

    fn account(&self, who: &str) -> &str {
        self.chain.expected["accounts"][who]["address"].as_str().unwrap()
    }

    fn asset(&self, symbol: &str) -> &str {
        self.chain.expected["assets"][symbol].as_str().unwrap()
    }

    /// What a point was paid since all was staked.
    fn point(&self) -> u128 {
        POINT * u128::from(self.chain.expected["seconds"].as_u64().unwrap())
    }

    /// A complete answer about an account.
    fn items(&self, slug: &str, path: &str, who: &str) -> Vec<Json> {
        let path = format!("/{slug}/{}?detail=full", path.replace("{}", self.account(who)));
        let response = self.gateway.get(&path).unwrap();
        assert_eq!(response.status.as_u16(), 200, "{path}: {}", response.body);
        assert_eq!(response.header("portolan-partial"), None, "{path}: {}", response.body);
        response.json().unwrap().at("items").unwrap().items().unwrap().to_vec()
    }

    /// The claims of an account, each with the rows that it pays.
    fn claims(&self, slug: &str, who: &str) -> Vec<Vec<Json>> {
        let mut claims: BTreeMap<String, Vec<Json>> = BTreeMap::new();
        for row in self.items(slug, "{}/claimables", who) {
            claims.entry(row.text_at("claimId").unwrap().to_owned()).or_default().push(row);
        }
        claims.into_values().collect()
    }

    /// What the account holds of every token.
    fn held(&self, who: &str) -> BTreeMap<String, u128> {
        let symbols = self.chain.expected["assets"].as_object().unwrap().keys();
        let held = |symbol: &String| self.chain.token_balance(self.asset(symbol), self.account(who)).unwrap();
        symbols.map(|symbol| (symbol.clone(), held(symbol).parse().unwrap())).collect()
    }

    /// What one claim has to pay, by its rows.
    fn told(&self, rows: &[Json]) -> Payments {
        let assets = self.chain.expected["assets"].as_object().unwrap();
        let symbol = |address: &str| assets.iter().find(|(_, other)| *other == address).unwrap().0.clone();
        let payment = |row: &Json| {
            (symbol(row.text_at("token/address").unwrap()), row.text_at("amountRaw").unwrap().parse().unwrap())
        };
        rows.iter().map(payment).collect()
    }
}

/// What one claim pays of each token.
type Payments = BTreeMap<String, u128>;

/// Protocol, account and what each of its claims pays.
type Claims = (&'static str, &'static str, Vec<Payments>);

/// What claims have to pay, when a point was paid so much.
fn expected(point: u128) -> Vec<Claims> {
    let pays = |rows: &[(&str, u128)]| rows.iter().map(|(symbol, amount)| ((*symbol).to_owned(), *amount)).collect();
    // A bonus is half of what the chef pays.
    let with_bonus = |symbol, amount: u128| pays(&[(symbol, amount), ("bonus", amount / 2)]);
    let (farmers, whales, second) = (point / 4, point * 3 / 4, point * 3);
    // Four fifths of what a position earned are restricted.
    let split = |amount: u128| pays(&[("grail", amount / 5), ("xgrail", amount * 4 / 5)]);
    // The fees of 4 and of 0.4 are shared as the stakes are.
    let fees = |quarters: u128| pays(&[("usdc", quarters * ONE), ("joe", quarters * ONE / 10)]);
    vec![
        ("stargate", "farmer", vec![pays(&[("stg", farmers)])]),
        // Of the second pool's 3 points it can pay 2, which is all that it was given.
        ("stargate", "whale", vec![pays(&[("stg", whales)]), pays(&[("stg", point * 2)])]),
        ("trader-joe", "farmer", vec![with_bonus("joe", farmers), fees(1)]),
        ("trader-joe", "whale", vec![with_bonus("joe", whales), pays(&[("joe", second)]), fees(3)]),
        ("alienbase", "farmer", vec![with_bonus("alb", farmers)]),
        // The second pool's interval is not over: its claim would pay the bonus alone.
        ("alienbase", "whale", vec![with_bonus("alb", whales), pays(&[("bonus", second / 2)])]),
        ("camelot", "farmer", vec![split(point), split(point)]),
        ("camelot", "whale", vec![split(point * 2)]),
        ("pancakeswap", "farmer", vec![pays(&[("cake", point)])]),
        ("pancakeswap", "whale", vec![pays(&[("cake", second)])]),
        ("polygon-protocol", "farmer", vec![pays(&[("pol", 2 * ONE)])]),
        ("polygon-protocol", "whale", vec![pays(&[("pol", 6 * ONE)])]),
    ]
}

#[test]
fn each_claim_pays_exactly_what_is_owed_and_what_its_simulation_says() {
    // The other tests read a chain on which nothing happens.
    let fixture = Fixture::start().unwrap();
    let chain = &fixture.chain;
    for (slug, who, mut expected) in expected(fixture.point()) {
        let claims = fixture.claims(slug, who);
        let mut told: Vec<Payments> = claims.iter().map(|rows| fixture.told(rows)).collect();
        told.sort();
        expected.sort();
        assert_eq!(told, expected, "{slug}: {who}");
        for rows in claims {
            let told = fixture.told(&rows);
            assert!(rows.iter().all(|row| row.text_at("simulated").unwrap() == "paid"), "{slug}: {rows:?}");
            let sent = rows[0].at("claimTransaction").unwrap();
            let (snapshot, before) = (chain.snapshot().unwrap(), fixture.held(who));
            let [from, to, data] = ["from", "to", "data"].map(|member| sent.text_at(member).unwrap());
            chain.send_as(from, to, data, chain.block_timestamp).unwrap();
            let mut paid = fixture.held(who);
            paid.iter_mut().for_each(|(symbol, amount)| *amount -= before[symbol]);
            paid.retain(|_, amount| *amount != 0);
            assert_eq!(paid, told, "{slug}: {who}");
            chain.revert(&snapshot).unwrap();
        }
    }
}

#[test]
fn stakes_are_positions() {
    let fixture = fixture();
    let held = |slug, who| {
        let row = |row: &Json| -> (String, u128) {
            (row.text_at("stakedToken/symbol").unwrap().to_owned(), row.text_at("amountRaw").unwrap().parse().unwrap())
        };
        let mut rows: Vec<_> = fixture.items(slug, "farming/{}/positions", who).iter().map(row).collect();
        rows.sort();
        rows
    };
    let stake = |symbol: &str, amount: u128| (symbol.to_owned(), amount * ONE);
    let (farmers, whales) = ([stake("ONE", 10)], [stake("ONE", 30), stake("TWO", 5)]);
    for slug in ["stargate", "alienbase"] {
        assert_eq!(held(slug, "farmer"), farmers, "{slug}");
        assert_eq!(held(slug, "whale"), whales, "{slug}");
    }
    assert_eq!(held("trader-joe", "farmer"), [stake("JOE", 10), stake("ONE", 10)]);
    assert_eq!(held("trader-joe", "whale"), [stake("JOE", 30), stake("ONE", 30), stake("TWO", 5)]);
    assert_eq!(held("camelot", "farmer"), [stake("ONE", 10), stake("ONE", 10)]);
    assert_eq!(held("camelot", "whale"), [stake("ONE", 20)]);
    assert_eq!(held("polygon-protocol", "farmer"), [stake("POL", 5), stake("POL", 10)]);
    assert_eq!(held("polygon-protocol", "whale"), [stake("POL", 30)]);
}

#[test]
fn an_account_with_nothing_gets_empty_answers() {
    let fixture = fixture();
    for slug in PLUGINS.iter().flat_map(|(.., slugs)| *slugs) {
        assert_eq!(fixture.items(slug, "{}/claimables", "nothing"), [], "{slug}");
        if *slug != "pancakeswap" {
            assert_eq!(fixture.items(slug, "farming/{}/positions", "nothing"), [], "{slug}");
        }
    }
}

#[test]
fn a_position_is_locked_as_long_as_its_lock_lasts() {
    let fixture = fixture();
    let rows = fixture.items("camelot", "farming/{}/positions", "farmer");
    let mut ends: Vec<String> = rows.iter().map(|row| row.at("position/unlocksAt").unwrap().to_string()).collect();
    ends.sort();
    // A year from when all was staked; the other lock lasted a second.
    let staked_s = fixture.chain.block_timestamp - fixture.chain.expected["seconds"].as_u64().unwrap();
    assert_eq!(ends, [(staked_s + 31_536_000).to_string(), "null".to_owned()]);
}

/// The contracts are known to the chain by the names that the settings use.
#[test]
fn every_contract_of_the_settings_stands_on_the_chain() {
    let fixture = fixture();
    for name in DEPLOYMENTS.iter().flat_map(|(_, keys)| keys.split(' ')).filter_map(|word| word.strip_prefix('$')) {
        let address = fixture.chain.expected["chefs"][name].as_str().context(name).unwrap();
        let code = fixture.chain.rpc("eth_getCode", serde_json::json!([address, "latest"])).unwrap();
        assert!(code.as_str().unwrap().len() > 2, "{name}");
    }
}
