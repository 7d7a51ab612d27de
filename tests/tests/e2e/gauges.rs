//! Thousands of gauges, of which an account has something in a few: they are walked once, and answers are whole and
//! cheap from then on. Locks with their ends, and rebases that are paid into them.

use std::time::Duration;

use anyhow::{Context as _, ensure};
use portolan_tests::build;
use portolan_tests::chain::Chain;
use portolan_tests::gateway::{Gateway, Setup};
use portolan_tests::json::Json;
use portolan_tests::protocol::Question;
use portolan_tests::rpc_fault::RpcFault;
use portolan_tests::traffic::Traffic;
use portolan_tests::truth::{self, ACCOUNTS, Truth};
use portolan_tests::wait;
use serde_json::{Value, json};

const SLUG: &str = "velodrome_v2";
const GAUGES: usize = 3_000;
/// A walk has half of each job's time; on a busy machine it takes several.
const WALKED_WITHIN: Duration = Duration::from_secs(60);
/// Reads of a question beside one of each gauge: lists, the rows' own, and locks.
const READS_BESIDE: usize = 200;
const REQUESTS_MAX: usize = 20;
/// `locked(uint256)` of the escrow.
const LOCKED: &str = "0xb45a3c0e";

struct Gauges {
    chain: Chain,
    truth: Truth,
    rpc: RpcFault,
    gateway: Gateway,
}

impl Gauges {
    fn start() -> Self {
        let chain = Chain::start("optimism-gauges").unwrap();
        let truth = Truth::new("optimism", &chain.expected.to_string()).unwrap();
        let rpc = RpcFault::before(&chain.url).unwrap();
        let config = format!("[tokens]\nshipped = false\n\n[prices.static]\n{}", truth.price_rows().unwrap());
        let plugin = build::built().unwrap().plugin("libsolidly.so");
        // The plugin's other protocols of this network do not stand here.
        let contract = |key| Ok::<_, anyhow::Error>(format!("{key} = \"{}\"\n", truth.contract(key)?));
        let keys: String =
            ["voter", "escrow", "distributor"].into_iter().map(contract).collect::<Result<_, _>>().unwrap();
        let settings =
            format!("shipped = false\n[[deployment]]\nprotocol = \"{SLUG}\"\nnetwork = \"optimism\"\n{keys}");
        let setup = Setup::default().config(&config).rpc("optimism", &rpc.url()).settings("solidly", &settings);
        let setup = setup.plugin(&plugin, &[SLUG]);
        Self { gateway: setup.start().unwrap(), chain, truth, rpc }
    }

    fn address(&self, who: &str) -> &str {
        self.truth.address(who).unwrap()
    }

    /// The rows of an answer, once it is whole.
    fn whole(&self, path: &str) -> Json {
        let answered = || {
            let response = self.gateway.get(path)?;
            let partial = response.header("portolan-partial");
            ensure!((response.status.as_u16(), partial) == (200, None), "{path}: {partial:?} {}", response.body);
            response.json()
        };
        wait::until(path, WALKED_WITHIN, answered).with_context(|| self.gateway.log()).unwrap().0
    }

    fn claimables(&self, who: &str) -> Vec<Json> {
        let json = self.whole(&format!("/{SLUG}/{}/claimables?detail=full", self.address(who)));
        json.at("items").unwrap().items().unwrap().to_vec()
    }

    fn velo(&self, who: &str) -> u128 {
        let token = "0x9560e827af36c94d2ac33a39bce1fe78631088db";
        self.chain.token_balance(token, self.address(who)).unwrap().parse().unwrap()
    }

    /// Returns the amount that the escrow has locked under a number, in the newest block.
    fn locked(&self, id: u64) -> u128 {
        let call = json!({"to": self.truth.contract("escrow").unwrap(), "data": format!("{LOCKED}{id:064x}")});
        let reply = self.chain.rpc("eth_call", json!([call, "latest"])).unwrap();
        u128::from_str_radix(&reply.as_str().unwrap()[34..66], 16).unwrap()
    }

    /// Sends a row's claim as it was answered, in a block at the pinned block's time; `then` sees the chain after it.
    fn after_claim<T>(&self, row: &Json, then: impl FnOnce() -> T) -> T {
        let snapshot = self.chain.snapshot().unwrap();
        let sent = row.at("claimTransaction").unwrap();
        let [from, to, data] = ["from", "to", "data"].map(|member| sent.text_at(member).unwrap());
        self.chain.send_as(from, to, data, self.chain.block_timestamp).unwrap();
        let found = then();
        self.chain.revert(&snapshot).unwrap();
        found
    }
}

fn raw(row: &Json) -> u128 {
    row.text_at("amountRaw").unwrap().parse().unwrap()
}

fn is_rebase(row: &Json) -> bool {
    row.text_at("type").unwrap() == "solidly-rebase"
}

#[test]
fn thousands_of_gauges_are_walked_once_and_answers_are_cheap_from_then_on() {
    let world = Gauges::start();
    world.whole(&Question::Farming.path(SLUG, world.address("farmer")));
    let walked = Traffic::take(&world.rpc).unwrap();
    assert!(walked.reads() > 3 * GAUGES, "pools, their gauges and tokens: {walked}");
    for question in [Question::Farming, Question::Claimables] {
        world.whole(&question.path(SLUG, world.address("nothing")));
        let cost = Traffic::take(&world.rpc).unwrap();
        assert!((GAUGES - 1..GAUGES + READS_BESIDE).contains(&cost.reads()), "{question:?}: {cost}");
        assert!(cost.requests() < REQUESTS_MAX, "{question:?}: {cost}");
    }
}

#[test]
fn stakes_rewards_and_locks_are_those_of_arithmetic_and_claims_pay_them() {
    let world = Gauges::start();
    for who in ACCOUNTS {
        let stakes = world.whole(&Question::Farming.path(SLUG, world.address(who)));
        let faults = truth::faults(&stakes, &world.truth.farming(who, SLUG).unwrap()).unwrap();
        assert!(faults.is_empty(), "{who}:\n{}", faults.join("\n"));
        let (rebases, rewards): (Vec<_>, Vec<_>) = world.claimables(who).into_iter().partition(is_rebase);
        assert_rewards(&world, who, &rewards);
        assert_all_together(&world, who);
        let locks = world.chain.expected["locks"][who].as_array().unwrap().clone();
        assert_locks(&world, who, &locks);
        assert_rebases(&world, who, &rebases, &locks);
    }
}

#[test]
fn claims_of_one_plan_are_merged_and_pay_what_they_say() {
    let world = Gauges::start();
    let rows = world.claimables("farmer");
    let plan = || {
        let path = format!("/{}/claim-plan?network=optimism&detail=full", world.address("farmer"));
        world.whole(&path).at("items").unwrap().items().unwrap()[0].clone()
    };
    let calls = |plan: &Json| -> Vec<(String, String, Vec<String>)> {
        let call = |call: &Json| {
            let claims = call.at("claimIds").unwrap().items().unwrap().iter().map(ToString::to_string).collect();
            (call.text_at("to").unwrap().into(), call.text_at("data").unwrap().into(), claims)
        };
        plan.at("transactions").unwrap().items().unwrap().iter().map(call).collect()
    };
    let [voter, distributor] = ["voter", "distributor"].map(|name| world.truth.contract(name).unwrap().to_owned());
    let merged = plan();
    let mut found = calls(&merged);
    found.sort_by_key(|(to, ..)| *to != voter);
    let [(to, data, gauges), (also_to, also_data, locks)] = &found[..] else { panic!("{merged}") };
    // `claimRewards(address[])` of the gauges, and `claimMany(uint256[])` of the locks.
    assert_eq!((to, &data[..10], also_to, &also_data[..10]), (&voter, "0xf9f031df", &distributor, "0x925489a8"));
    assert_eq!((gauges.len() + locks.len(), locks.len()), (rows.len(), 2));
    assert_eq!(merged.text_at("simulated").unwrap(), "paid", "{merged}");

    let owed: u128 = rows.iter().filter(|row| !is_rebase(row)).map(raw).sum();
    let rebases: u128 = rows.iter().filter(|row| is_rebase(row)).map(raw).sum();
    let locked = || -> u128 { [1, 2].map(|id| world.locked(id)).iter().sum() };
    let snapshot = world.chain.snapshot().unwrap();
    let before = (world.velo("farmer"), locked());
    for (to, data, _) in calls(&merged) {
        world.chain.send_as(world.address("farmer"), &to, &data, world.chain.block_timestamp).unwrap();
    }
    // Each block after the first has a time of its own, in which gauges go on.
    let (paid, added) = (world.velo("farmer") - before.0, locked() - before.1);
    world.chain.revert(&snapshot).unwrap();
    assert_eq!((paid, added), (owed, rebases));

    // Where the call for all fails, each is made by its own.
    world.chain.send_as(world.address("farmer"), &voter, "0x43d726d6", world.chain.block_timestamp).unwrap();
    let apart = || {
        let plan = plan();
        let calls = calls(&plan);
        ensure!(calls.len() == gauges.len() + 1, "{} calls: {plan}", calls.len());
        Ok(calls)
    };
    let (calls, _) = wait::until("a plan of single calls", WALKED_WITHIN, apart).unwrap();
    assert!(calls.iter().all(|(to, _, claims)| *to != voter && (claims.len() == 1 || *to == distributor)), "{calls:?}");
}

/// Checks the rewards that gauges owe, with the calldata of their claims; sent, each pays exactly that.
fn assert_rewards(world: &Gauges, who: &str, rows: &[Json]) {
    let shown = |row: &Json, target: &str, data: &str| {
        let text = |member| row.text_at(member).unwrap().to_owned();
        (text(target), text("amountRaw"), text(data))
    };
    let mut found: Vec<_> = rows.iter().map(|row| shown(row, "claimTransaction/to", "claimTransaction/data")).collect();
    let expected = world.truth.rows(who, Question::Claimables, Some(SLUG)).unwrap();
    let mut expected: Vec<_> = expected.into_iter().map(|row| shown(row, "to", "data")).collect();
    found.sort();
    expected.sort();
    assert_eq!(found, expected, "{who}");
    for row in rows {
        assert_eq!(row.get("paidTo"), None, "{row}");
        let before = world.velo(who);
        assert_eq!(world.after_claim(row, || world.velo(who)) - before, raw(row), "{who}: {row}");
    }
}

/// Stakes and locks of the account stand together under their protocol.
fn assert_all_together(world: &Gauges, who: &str) {
    let all = world.whole(&format!("/positions/{}", world.address(who)));
    let protocols = all.at("protocols").unwrap().items().unwrap();
    let kinds = protocols.iter().flat_map(|of| of.at("positions").unwrap().items().unwrap());
    let mut kinds: Vec<_> = kinds.map(|row| row.text_at("kind").unwrap()).collect();
    kinds.sort_unstable();
    let locks = world.chain.expected["locks"][who].as_array().unwrap().len();
    let stakes = world.truth.rows(who, Question::Farming, Some(SLUG)).unwrap().len();
    assert_eq!(kinds, [vec!["locked"; locks], vec!["staked"; stakes]].concat(), "{who}: {all}");
    assert!(protocols.iter().all(|of| of.text_at("protocol/slug").unwrap() == SLUG), "{who}");
}

/// Locked positions with their NFTs and ends; a permanent lock has none and says so.
fn assert_locks(world: &Gauges, who: &str, expected: &[Value]) {
    let path = format!("/{SLUG}/locked/{}/positions?detail=full", world.address(who));
    let json = world.whole(&path);
    let rows = json.at("items").unwrap().items().unwrap();
    let shown = |row: &Json| {
        assert_eq!(row.text_at("kind").unwrap(), "locked");
        assert_eq!(row.text_at("nft/collection").unwrap(), world.truth.contract("escrow").unwrap());
        let [leg] = row.at("legs").unwrap().items().unwrap() else { panic!("{row}") };
        assert_eq!((leg.text_at("role").unwrap(), leg.text_at("token/symbol").unwrap()), ("locked", "VELO"));
        let text = |member| row.at(member).unwrap().to_string();
        (row.text_at("nft/tokenId").unwrap().to_owned(), raw(leg), text("unlocksAt"), text("isPermanent"))
    };
    let written = |lock: &Value| {
        let amount = lock["amountRaw"].as_str().unwrap().parse().unwrap();
        (lock["tokenId"].to_string(), amount, lock["unlocksAt"].to_string(), lock["isPermanent"].to_string())
    };
    let mut found: Vec<_> = rows.iter().map(shown).collect();
    found.sort();
    assert_eq!(found, expected.iter().map(written).collect::<Vec<_>>(), "{who}");
}

/// A rebase says whether it goes into the lock; sent, the lock has exactly so much more, or the account where it is over.
fn assert_rebases(world: &Gauges, who: &str, rows: &[Json], locks: &[Value]) {
    let expected: Vec<_> = locks.iter().filter(|lock| lock["rebaseRaw"] != "0").collect();
    assert_eq!(rows.len(), expected.len(), "{who}");
    for lock in expected {
        let id = lock["tokenId"].as_u64().unwrap();
        let data = format!("0x379607f5{id:064x}"); // claim(uint256)
        let is_of_lock = |row: &&Json| row.text_at("claimTransaction/data").unwrap() == data;
        let row = rows.iter().find(is_of_lock).unwrap_or_else(|| panic!("{who}: no rebase of lock {id}"));
        assert_eq!(row.text_at("amountRaw").unwrap(), lock["rebaseRaw"].as_str().unwrap());
        assert_eq!(row.text_at("claimTransaction/to").unwrap(), world.truth.contract("distributor").unwrap());
        let before = (world.locked(id), world.velo(who));
        let (locked, owned) = world.after_claim(row, || (world.locked(id), world.velo(who)));
        let (added, paid) = match lock["paidTo"].as_str().unwrap() {
            "lock" => {
                assert_eq!(row.text_at("paidTo").unwrap(), "lock");
                (raw(row), 0)
            }
            _ => {
                assert_eq!(row.get("paidTo"), None, "the account is where claims pay");
                (0, raw(row))
            }
        };
        assert_eq!((locked - before.0, owned - before.1), (added, paid), "{who}: {row}");
    }
}
