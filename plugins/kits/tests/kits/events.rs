//! Events of a family through the real binary interface: their protocols, their costs, and settings.

use portolan_kits::family::{EventFamily, Family};
use portolan_plugin_api::alloy::sol_types::SolEvent;
use portolan_plugin_api::events::{Log, Transaction};
use portolan_plugin_api::testing::{self, CannedReplies, End, JobTest, Outcome, ReadRequest, ReadResult};
use portolan_plugin_api::*;

use crate::fixture::{ACCOUNT, fork, list, shipped, text};

sol! {
    function token0() external view returns (address);
    function token1() external view returns (address);
    function fee() external view returns (uint24);
    function isPool(address pool) external view returns (bool);
    function markets(address market) external view returns (bool, uint256, bool);
    event Swap(address indexed sender, uint256 amountIn, uint256 amountOut);
    event Staked(address indexed user, uint256 amount);
}

const TABLE: &str = "
[pools]
SWAP Swap(address indexed sender, uint256 amountIn, uint256 amountOut)
     user=sender pool=contract swap_deltas=amountIn of contract.token0(), -amountOut of contract.token1()

[farms]
STAKE Staked(address indexed user, uint256 amount) user=user amount=amount contract=contract
";

const NETWORK: u64 = 137;
const USDC: Address = address!("0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48");
const WETH: Address = address!("0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");
const MATIC: Address = address!("0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270");
const BRIDGED: Address = address!("0x2791bca1f2de4661ed88a30c99a7a9449aa84174");

// Pools of the real factories, with addresses that the kit did not compute: USDC/WETH of Uniswap v2 and of Uniswap v3
// with 0.05 %, both on Ethereum; WMATIC/USDC of QuickSwap v3 on Polygon.
const V2_POOL: Address = address!("0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc");
const V3_POOL: Address = address!("0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640");
const ALGEBRA_POOL: Address = address!("0xae81fac689a1b4b1e06e7ef4a2ab4cd8ac0a087d");

const V2_FACTORY: Address = address!("0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f");
const V2_HASH: B256 = b256!("0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f");

const REGISTRY: Address = Address::repeat_byte(0x91);
const LISTED: Address = Address::repeat_byte(0x92);
const REGISTERED: Address = Address::repeat_byte(0x93);
const FORK: Address = Address::repeat_byte(0x94);

const ROWS: Rows = shipped!(
    ["v2" = "v2", "v3" = "v3", "alg" = "alg", "listed" = "listed", "elsewhere" = "elsewhere"],
    r#"
    [[deployment]]
    protocol = "v2"
    network = "polygon"
    sections = ["pools"]
    factory = "0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f"
    init_code_hash = "0x96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f"
    salt = "packed"

    [[deployment]]
    protocol = "v3"
    network = "polygon"
    sections = ["pools"]
    factory = "0x1f98431c8ad98523631ae4a59f267346ea31f984"
    init_code_hash = "0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54"
    salt = "with-fee"

    [[deployment]]
    protocol = "alg"
    network = "polygon"
    sections = ["pools"]
    factory = "0x2d98e2fa9da15aa6dc9581ab097ced7af697cb92"
    init_code_hash = "0x6ec6c9c8091d160c0aa74b2b14ba9c1717e95093bd3ac085cee99a49aab294a4"
    salt = "encoded"

    [[deployment]]
    protocol = "listed"
    network = "polygon"
    market = "registered"
    sections = ["pools"]
    registry = "0x9191919191919191919191919191919191919191"
    view = "isPool"

    [[deployment]]
    protocol = "listed"
    network = "polygon"
    sections = ["farms"]
    contracts = ["0x9292929292929292929292929292929292929292"]

    [[deployment]]
    protocol = "elsewhere"
    network = "optimism"
    sections = ["pools"]
    contracts = ["0xb4e16d0168e52d35cacd2c6185b44281ec28c9dc"]
    "#
);

/// A plugin of the whole family.
struct All;

impl EventFamily for All {
    const ROWS: Rows = ROWS;
    const TABLES: &'static [&'static str] = &[TABLE];
}

portolan_plugin_api::exported!(Family<All>);

/// A plugin that only reports its own protocols.
struct Own;

impl EventFamily for Own {
    const ROWS: Rows = ROWS;
    const TABLES: &'static [&'static str] = &[];
    const SHARED_TABLES: &'static [&'static str] = &[TABLE];
}

impl export::Exported for Own {
    type Plugin = Family<Self>;

    const MANIFEST: export::Manifest = export::Manifest::new(&["{}"]);
}

fn log(address: Address, event: &impl SolEvent) -> Log {
    let (topics, data) = event.encode_log_data().split();
    Log { index: 0, address, topics, data }
}

fn swap(pool: Address) -> Log {
    log(pool, &Swap { sender: ACCOUNT, amountIn: U256::from(3), amountOut: U256::from(5) })
}

fn stake(farm: Address) -> Log {
    log(farm, &Staked { user: ACCOUNT, amount: U256::from(7) })
}

fn case(logs: impl IntoIterator<Item = Log>) -> JobTest {
    JobTest::for_transaction(NETWORK, &Transaction { logs: logs.into_iter().collect(), ..Transaction::default() })
}

/// The pools with their tokens; all other reads revert.
fn chain() -> CannedReplies {
    let pools = [
        (V2_POOL, USDC, WETH),
        (V3_POOL, USDC, WETH),
        (ALGEBRA_POOL, MATIC, BRIDGED),
        (REGISTERED, USDC, WETH),
        (FORK, USDC, WETH),
    ];
    let tokens = pools.into_iter().fold(CannedReplies::default(), |chain, (pool, token0, token1)| {
        chain.reply(NETWORK, pool, &token0Call {}, &token0).reply(NETWORK, pool, &token1Call {}, &token1)
    });
    let fees = tokens.reply(NETWORK, V3_POOL, &feeCall {}, &U256::from(500));
    let known = [V2_POOL, V3_POOL, ALGEBRA_POOL, REGISTERED, FORK];
    known
        .into_iter()
        .fold(fees, |chain, pool| chain.reply(NETWORK, REGISTRY, &isPoolCall { pool }, &(pool == REGISTERED)))
}

/// Returns each event's index and protocol.
fn owners(outcome: &Outcome) -> Vec<(u32, Option<&str>)> {
    assert_eq!(outcome.end, End::Complete, "{}", outcome.message);
    outcome.events().iter().map(|event| (event.log, event.protocol.as_deref())).collect()
}

#[test]
fn a_pool_belongs_to_the_factory_that_its_address_follows_from() {
    let outcome = case([V2_POOL, V3_POOL, ALGEBRA_POOL].map(swap)).run::<All>(&chain());
    assert_eq!(owners(&outcome), [(0, Some("v2")), (1, Some("v3")), (2, Some("alg"))]);
}

#[test]
fn a_contract_belongs_to_who_lists_it_and_to_whose_registry_knows_it() {
    let outcome = case([swap(REGISTERED), stake(LISTED)]).run::<All>(&chain());
    assert_eq!(owners(&outcome), [(0, Some("listed")), (1, Some("listed"))]);
}

#[test]
fn a_registry_may_answer_with_more_than_one_word() {
    let keys = vec![text("registry", REGISTRY), text("view", "markets")];
    let answers =
        |listed: bool| chain().reply(NETWORK, REGISTRY, &marketsCall { market: FORK }, &(listed, U256::from(1), true));
    let job = case([swap(FORK)]).settings(fork(NETWORK, keys));
    assert_eq!(owners(&job.run::<All>(&answers(true))), [(0, Some("fork"))]);
    assert_eq!(owners(&job.run::<All>(&answers(false))), [(0, None)]);
}

#[test]
fn a_forks_event_is_reported_without_a_protocol_or_left_to_others() {
    let logs = [swap(FORK), swap(V2_POOL), stake(FORK)];
    let all = case(logs.clone()).run::<All>(&chain());
    assert_eq!(owners(&all), [(0, None), (1, Some("v2")), (2, None)]);
    let own = case(logs).run::<Own>(&chain());
    assert_eq!(owners(&own), [(1, Some("v2"))]);
}

#[test]
fn a_contract_that_is_listed_for_other_sections_emitted_no_event_of_theirs() {
    let lairs = chain().reply(NETWORK, LISTED, &token0Call {}, &USDC).reply(NETWORK, LISTED, &token1Call {}, &WETH);
    let outcome = case([swap(LISTED)]).run::<All>(&lairs);
    assert_eq!(owners(&outcome), [(0, None)]);
}

#[test]
fn a_pool_that_lies_about_its_tokens_belongs_to_nobody() {
    let lies = chain().reply(NETWORK, FORK, &feeCall {}, &U256::from(500));
    let big = chain().reply(NETWORK, FORK, &token0Call {}, &U256::MAX);
    for replies in [lies, big] {
        let outcome = case([swap(FORK)]).run::<Own>(&replies);
        assert_eq!(owners(&outcome), []);
    }
}

#[test]
fn views_of_the_table_and_of_owners_are_read_in_one_batch() {
    let outcome = case([V2_POOL, REGISTERED, FORK].map(swap)).run::<All>(&chain());
    // For each pool: its tokens for the table, its tokens and fee for its address, and the registry's reply.
    assert_eq!(outcome.batches, [3 * (2 + 3 + 1)]);
    // A listed contract needs no reads, nor does a log of a section without sources.
    assert_eq!(case([stake(LISTED), stake(FORK)]).run::<All>(&chain()).batches, [0; 0]);
}

#[test]
fn a_contract_that_emits_often_is_read_about_once() {
    let outcome = case([V2_POOL; 50].map(swap)).run::<All>(&chain());
    assert_eq!((outcome.events().len(), outcome.batches), (50, vec![2 + 3 + 1]));
}

#[test]
fn an_owner_that_cannot_be_read_is_missing_and_reported() {
    let chain = chain();
    let unread = |request: &ReadRequest| match request.to {
        REGISTRY => ReadResult::Unavailable,
        _ => testing::Replies::reply(&mut &chain, request),
    };
    let outcome = case([swap(REGISTERED)]).run::<All>(unread);
    assert_eq!(outcome.end, End::Partial);
    assert_eq!(
        outcome.message,
        format!("protocols of events: isPool(address) of {REGISTRY}: no endpoint answered in time")
    );
    assert_eq!((outcome.events().len(), outcome.events()[0].protocol.as_deref()), (1, None));
}

#[test]
fn a_view_of_the_table_that_cannot_be_read_loses_its_events_and_says_so() {
    let chain = chain();
    let unread = |request: &ReadRequest| match (request.to, &request.data[..]) {
        (FORK, data) if data == token1Call {}.abi_encode() => ReadResult::OverBudget,
        _ => testing::Replies::reply(&mut &chain, request),
    };
    let outcome = case([swap(FORK), swap(V2_POOL)]).run::<All>(unread);
    assert_eq!(outcome.end, End::Partial);
    assert!(outcome.message.contains("1 logs: a view that decodes them could not be read"), "{}", outcome.message);
    assert_eq!(outcome.events().iter().map(|event| event.log).collect::<Vec<_>>(), [1]);
}

#[test]
fn the_catalogue_names_topics_protocols_and_deployments() {
    let host = testing::catalogue::<All>(&Settings::default());
    let topics = [Swap::SIGNATURE_HASH, Staked::SIGNATURE_HASH];
    let mut named = host.event_topics.expect("it names topics");
    named.sort();
    let mut expected = topics.to_vec();
    expected.sort();
    assert_eq!(named, expected);
    assert_eq!(host.protocols.len(), 5);
    let of = |protocol: &str, market: &str| {
        let mut rows =
            host.deployments.iter().filter(|row| (row.protocol.as_str(), row.market.as_str()) == (protocol, market));
        rows.next().map(|row| (row.questions.clone(), row.contracts.clone())).expect("the protocol has the market")
    };
    assert_eq!(of("v2", "main"), (vec![Question::EVENTS], vec![V2_FACTORY]));
    assert_eq!(of("listed", "main"), (vec![Question::EVENTS], vec![LISTED]));
}

#[test]
fn a_row_of_a_settings_file_is_a_fork() {
    let factory = || text("factory", V2_FACTORY);
    let hash = || text("init_code_hash", V2_HASH);
    let rows = [
        vec![list("contracts", [FORK])],
        vec![list("sections", ["pools"]), list("contracts", [FORK])],
        vec![factory(), hash(), text("salt", "packed")],
    ];
    for (keys, pool) in rows.into_iter().zip([FORK, FORK, V2_POOL]) {
        let outcome = case([swap(pool)]).settings(fork(NETWORK, keys)).run::<All>(&chain());
        // Shipped rows take precedence.
        let owner = if pool == V2_POOL { "v2" } else { "fork" };
        assert_eq!(owners(&outcome), [(0, Some(owner))]);
    }
    let farms = fork(NETWORK, vec![list("sections", ["farms"]), list("contracts", [FORK])]);
    let outcome = case([swap(FORK), stake(FORK)]).settings(farms).run::<All>(&chain());
    assert_eq!(owners(&outcome), [(0, None), (1, Some("fork"))]);
}

#[test]
fn wrong_settings_are_refused_with_row_and_key() {
    let factory = || text("factory", V2_FACTORY);
    let hash = || text("init_code_hash", V2_HASH);
    let registry = || text("registry", REGISTRY);
    let cases = [
        (vec![], "contracts", "missing; give `contracts`, `registry` or `factory`"),
        (vec![list("sections", ["pools"])], "contracts", "missing; give"),
        (vec![text("sections", "pools")], "sections", "not an array of texts"),
        (vec![registry()], "view", "missing beside `registry`"),
        (vec![text("view", "isPool")], "registry", "missing beside `view`"),
        (vec![registry(), text("view", "isPool(address)")], "view", "is not a function name"),
        (vec![factory(), text("salt", "packed")], "init_code_hash", "missing beside `factory`"),
        (vec![factory(), hash()], "salt", "missing beside `factory`"),
        (vec![hash()], "factory", "missing beside"),
        (
            vec![factory(), hash(), text("salt", "stable")],
            "salt",
            "\"stable\" is not one of packed, encoded, with-fee, with-stable",
        ),
        (vec![factory(), text("init_code_hash", "0x12"), text("salt", "packed")], "init_code_hash", "64 hex digits"),
        (vec![list("contracts", [FORK]), text("pool", "0x")], "pool", "unknown key"),
    ];
    for (keys, key, message) in cases {
        let refused = testing::settings_error::<All>(&fork(NETWORK, keys)).expect("the settings are wrong");
        assert_eq!((refused.row, refused.key.as_deref()), (Some(0), Some(key)), "{}", refused.message);
        assert!(refused.message.contains(message), "{}", refused.message);
    }
}
