//! Balances on scripted networks.

use alloy::primitives::{U256, address};
use bigdecimal::BigDecimal;
use portolan_assets::price::{Feed, PriceSettings, Prices};
use portolan_assets::token_list::TokenIndex;
use portolan_plugins::Snapshot;
use portolan_reader::ReadFailure;
use portolan_reader::testing::BLOCK;

use super::script::{ACCOUNT, Script, deployed};
use super::*;
use crate::gateway::work::missing_tokens::BalanceFailure;

const A: Address = Address::repeat_byte(0xaa);
const B: Address = Address::repeat_byte(0xbb);
const C: Address = Address::repeat_byte(0xcc);

const ETHEREUM: u64 = 1;
const OPTIMISM: u64 = 10;
const POLYGON: u64 = 137;

/// Block number of each network's first block.
const FIRST: u64 = BLOCK.number;

/// WETH on Ethereum; <https://etherscan.io/address/0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2>
const WETH: Address = address!("c02aaa39b223fe8d0a0e5c4f27ead9083c756cc2");

/// Scripted networks, with prices set by the operator.
struct Scripted {
    script: Script,
    token_index: Arc<TokenIndex>,
    /// A network where a plugin has a deployment.
    deployed: Option<u64>,
    fixed: Vec<(u64, Address, &'static str)>,
    feeds: Vec<(u64, Address, Feed)>,
}

impl Scripted {
    fn new(script: Script, listed: &[(u64, Address)]) -> Self {
        let token_index = Arc::new(TokenIndex::listing(listed.iter().copied(), 0));
        Self { script, token_index, deployed: None, fixed: Vec::new(), feeds: Vec::new() }
    }

    async fn answer(&self, assets: Assets, chain_id: Option<u64>) -> Result<Answer, Problem> {
        let fixed = self.fixed.iter().map(|(chain_id, token, usd)| (*chain_id, *token, usd.parse().unwrap()));
        let prices = Prices::new(PriceSettings {
            fixed: fixed.collect(),
            feeds: self.feeds.clone(),
            ..PriceSettings::default()
        });
        let mut context = Context::over(self.script.reader(), Snapshot::of_test(self.deployed.map(deployed)));
        context.token_index = Arc::clone(&self.token_index);
        context.sources_mut().prices = prices;
        context.sources_mut().with_endpoint = self.script.with_endpoint();
        let work = BalanceWork::new(&context, ACCOUNT, assets, chain_id);
        context.open(&work.networks(&context)).await;
        work.answer(context).await
    }

    async fn tokens(&self) -> Answer {
        self.answer(Assets::Tokens, None).await.unwrap()
    }

    async fn status(&self, assets: Assets, chain_id: Option<u64>) -> u16 {
        self.answer(assets, chain_id).await.unwrap_err().response().status().as_u16()
    }
}

/// Chain id, token and smallest units of each row.
fn rows(answer: &Answer) -> Vec<(u64, Address, u64)> {
    let row = |row: &Balance| (row.token.network.chain_id, row.token.address, row.amount.to::<u64>());
    match &answer.items {
        Items::Balances(rows) => rows.iter().map(row).collect(),
        Items::NativeBalance(one) => vec![row(one)],
        other => panic!("no balances: {other:?}"),
    }
}

/// The missing entries, in the form of the header.
fn missing(answer: &Answer) -> Vec<String> {
    let network = |missing: &MissingEntry| missing.network.as_ref().map_or("*".into(), |network| network.slug.clone());
    let count = |missing: &MissingEntry| missing.count.map(|count| format!(" {count}")).unwrap_or_default();
    let text = |one: &MissingEntry| format!("{}/{} {}{}", one.subject, network(one), one.reason.as_str(), count(one));
    answer.missing.iter().map(text).collect()
}

#[tokio::test]
async fn a_failing_token_hides_no_other_and_is_counted_and_named() {
    let script = Script::default()
        .holds(ETHEREUM, A, "A", 18, 5)
        .fails(ETHEREUM, B, BalanceFailure::Refused)
        .holds(ETHEREUM, C, "C", 6, 1);
    let answer = Scripted::new(script, &[(ETHEREUM, A), (ETHEREUM, B), (ETHEREUM, C)]).tokens().await;
    assert_eq!(rows(&answer), [(ETHEREUM, A, 5), (ETHEREUM, C, 1)]);
    assert_eq!(missing(&answer), ["tokens/ethereum upstream 1"]);
    let job = &answer.jobs[0];
    assert_eq!((job.subject.as_str(), job.status, job.reason), ("tokens", JobStatus::Partial, Some(Reason::Upstream)));
    assert_eq!((job.stats.batches, job.stats.reads), (1, 3));
    assert_eq!(job.detail, format!("the contract returned no balance: {B:#x}"));
}

#[tokio::test]
async fn nobody_misses_a_token_where_no_contract_stands() {
    let script = Script::default().holds(ETHEREUM, A, "A", 18, 5).codeless(ETHEREUM, B);
    let answer = Scripted::new(script, &[(ETHEREUM, A), (ETHEREUM, B)]).tokens().await;
    assert_eq!((rows(&answer), missing(&answer)), (vec![(ETHEREUM, A, 5)], Vec::<String>::new()));
    assert_eq!(answer.jobs[0].status, JobStatus::Ok);
}

#[tokio::test]
async fn failures_of_two_kinds_are_counted_apart() {
    let script = Script::default().holds(ETHEREUM, A, "A", 18, 5).fails(ETHEREUM, B, BalanceFailure::Refused).fails(
        ETHEREUM,
        C,
        BalanceFailure::Unread(ReadFailure::Timeout),
    );
    let answer = Scripted::new(script, &[(ETHEREUM, A), (ETHEREUM, B), (ETHEREUM, C)]).tokens().await;
    let expected = ["tokens/ethereum timeout 1", "tokens/ethereum upstream 1"];
    assert_eq!((rows(&answer), missing(&answer)), (vec![(ETHEREUM, A, 5)], expected.map(String::from).to_vec()));
}

#[tokio::test]
async fn a_token_whose_metadata_cannot_be_read_is_counted_too() {
    let script = Script::default().holds(ETHEREUM, A, "A", 18, 5).holds(ETHEREUM, B, "B", 18, 5).silent(
        ETHEREUM,
        B,
        ReadFailure::Timeout,
    );
    let answer = Scripted::new(script, &[(ETHEREUM, A), (ETHEREUM, B)]).tokens().await;
    assert_eq!(rows(&answer), [(ETHEREUM, A, 5)]);
    assert_eq!(missing(&answer), ["tokens/ethereum timeout 1"]);
    assert!(answer.jobs[0].detail.ends_with(&format!("{B:#x}")), "{}", answer.jobs[0].detail);
}

#[tokio::test]
async fn the_same_address_on_two_networks_is_two_rows_in_the_order_of_networks() {
    let script =
        Script::default().holds(POLYGON, A, "A", 18, 7).holds(ETHEREUM, C, "C", 18, 2).holds(ETHEREUM, A, "A", 18, 1);
    let answer = Scripted::new(script, &[(POLYGON, A), (ETHEREUM, C), (ETHEREUM, A)]).tokens().await;
    assert_eq!(rows(&answer), [(ETHEREUM, A, 1), (ETHEREUM, C, 2), (POLYGON, A, 7)]);
    assert_eq!(answer.blocks.iter().map(|(network, _)| network.chain_id).collect::<Vec<_>>(), [ETHEREUM, POLYGON]);
    assert!(answer.missing.is_empty() && answer.about_account);
}

#[tokio::test]
async fn zero_and_what_is_on_no_list_are_no_rows() {
    let script = Script::default().holds(ETHEREUM, A, "A", 18, 0).holds(ETHEREUM, B, "B", 18, 9);
    let answer = Scripted::new(script, &[(ETHEREUM, A)]).tokens().await;
    assert_eq!((rows(&answer), answer.jobs[0].status), (Vec::new(), JobStatus::Ok));
}

#[tokio::test]
async fn the_chain_has_the_last_word_on_decimals_and_symbol() {
    // The token list of these tests says 18 decimals and LISTED.
    let script = Script::default().holds(ETHEREUM, A, "USDC", 6, 1_500_000);
    let answer = Scripted::new(script, &[(ETHEREUM, A)]).tokens().await;
    let Items::Balances(rows) = &answer.items else { panic!("{:?}", answer.items) };
    assert_eq!((rows[0].token.decimals, rows[0].token.symbol.as_str(), rows[0].account), (6, "USDC", ACCOUNT));
}

#[tokio::test]
async fn a_network_that_is_down_hides_no_other() {
    let script = Script::default()
        .holds(ETHEREUM, A, "A", 18, 5)
        .native(ETHEREUM, 3)
        .down(POLYGON, ReadFailure::Upstream)
        .fails(OPTIMISM, A, BalanceFailure::Unread(ReadFailure::Timeout));
    let scripted = Scripted::new(script, &[(ETHEREUM, A), (OPTIMISM, A), (POLYGON, A)]);
    let answer = scripted.tokens().await;
    assert_eq!(rows(&answer), [(ETHEREUM, A, 5)]);
    let expected = ["*/optimism timeout", "*/polygon upstream"];
    assert_eq!(missing(&answer), expected);
    let native = scripted.answer(Assets::Native, None).await.unwrap();
    assert_eq!(rows(&native), [(ETHEREUM, Address::ZERO, 3)]);
    assert_eq!(missing(&native), ["*/polygon upstream"]);
}

#[tokio::test]
async fn where_everything_failed_the_cause_decides_the_status() {
    let listed = [(ETHEREUM, A), (POLYGON, A)];
    let upstream = Script::default().down(ETHEREUM, ReadFailure::Upstream);
    let scripted = Scripted::new(upstream.down(POLYGON, ReadFailure::Timeout), &listed);
    for assets in [Assets::Native, Assets::Tokens] {
        assert_eq!(scripted.status(assets, Some(ETHEREUM)).await, 502, "{assets:?}");
        assert_eq!(scripted.status(assets, Some(POLYGON)).await, 504, "{assets:?}");
        assert_eq!(scripted.status(assets, None).await, 504, "{assets:?}");
        assert_eq!(scripted.status(assets, Some(OPTIMISM)).await, 503, "{assets:?} without an endpoint");
    }
}

#[tokio::test]
async fn a_network_without_an_endpoint_is_reported_where_something_is_missed_there() {
    let script = Script::default().native(ETHEREUM, 1);
    let mut scripted = Scripted::new(script, &[(ETHEREUM, A), (POLYGON, A)]);
    scripted.deployed = Some(OPTIMISM);
    let polygon = "*/polygon not-configured";
    assert_eq!(missing(&scripted.tokens().await), [polygon]);
    let native = scripted.answer(Assets::Native, None).await.unwrap();
    assert_eq!(missing(&native), ["*/optimism not-configured", polygon]);
}

#[tokio::test]
async fn without_any_endpoint_there_is_no_native_balance() {
    assert_eq!(Scripted::new(Script::default(), &[]).status(Assets::Native, None).await, 503);
    assert_eq!(Scripted::new(Script::default(), &[(ETHEREUM, A)]).status(Assets::Tokens, None).await, 503);
}

#[tokio::test]
async fn a_native_balance_of_zero_is_shown_to_who_names_the_network() {
    let script = Script::default().native(ETHEREUM, 0).native(POLYGON, 1);
    let scripted = Scripted::new(script, &[]);
    let all = scripted.answer(Assets::Native, None).await.unwrap();
    assert_eq!(rows(&all), [(POLYGON, Address::ZERO, 1)], "one wei is not zero");
    assert_eq!(all.blocks.len(), 2);
    let one = scripted.answer(Assets::Native, Some(ETHEREUM)).await.unwrap();
    assert!(matches!(&one.items, Items::NativeBalance(row) if row.amount == U256::ZERO), "{:?}", one.items);
    assert_eq!((one.jobs[0].subject.as_str(), one.jobs[0].stats.batches, one.jobs[0].stats.reads), ("native", 1, 1));
}

#[tokio::test]
async fn a_native_token_has_the_price_of_its_wrapper() {
    let mut scripted = Scripted::new(Script::default().native(ETHEREUM, 1).holds(ETHEREUM, WETH, "WETH", 18, 0), &[]);
    scripted.fixed = vec![(ETHEREUM, WETH, "1840.25")];
    let answer = scripted.answer(Assets::Native, Some(ETHEREUM)).await.unwrap();
    let Items::NativeBalance(row) = &answer.items else { panic!("{:?}", answer.items) };
    let token = &row.token;
    assert_eq!(token.price.as_ref().unwrap().usd, "1840.25".parse::<BigDecimal>().unwrap());
    assert_eq!(
        (token.name.as_str(), token.symbol.as_str(), token.kind.as_ref(), token.decimals),
        ("ETH", "ETH", "NATIVE", 18)
    );
    assert!(token.logo.as_ref().is_some_and(|logo| logo.ends_with("/ethereum.png")));
}

#[tokio::test]
async fn a_lost_block_is_read_again_at_another_once() {
    let lists = [(ETHEREUM, A), (POLYGON, A)];
    let script = |lost_below| {
        Script::default().holds(ETHEREUM, A, "A", 18, 5).native(ETHEREUM, 5).lost_below(ETHEREUM, lost_below)
    };
    let numbers = |answer: &Answer| answer.blocks.iter().map(|(_, block)| block.number).collect::<Vec<_>>();
    for assets in [Assets::Native, Assets::Tokens] {
        let once = Scripted::new(script(FIRST + 1).holds(POLYGON, A, "A", 18, 6).native(POLYGON, 6), &lists);
        let answer = once.answer(assets, None).await.unwrap();
        assert_eq!(rows(&answer).iter().map(|row| row.2).collect::<Vec<_>>(), [5, 6], "{assets:?}");
        assert_eq!((numbers(&answer), answer.missing.len()), (vec![FIRST + 1, FIRST], 0), "{assets:?}");
        assert_eq!(Scripted::new(script(FIRST + 2), &lists).status(assets, Some(ETHEREUM)).await, 502, "{assets:?}");
    }
}

#[tokio::test]
async fn a_list_that_was_never_read_is_reported_and_without_any_there_is_no_answer() {
    let mut scripted = Scripted::new(Script::default().holds(ETHEREUM, A, "A", 18, 5).native(ETHEREUM, 1), &[]);
    scripted.token_index = Arc::new(TokenIndex::listing([(ETHEREUM, A)], 1));
    let answer = scripted.tokens().await;
    assert_eq!((rows(&answer), missing(&answer)), (vec![(ETHEREUM, A, 5)], vec!["tokens/* upstream".to_owned()]));
    assert!(scripted.answer(Assets::Native, None).await.unwrap().missing.is_empty(), "lists do not name native tokens");
    scripted.token_index = Arc::new(TokenIndex::listing([], 1));
    assert_eq!(scripted.status(Assets::Tokens, None).await, 502);
    assert_eq!(scripted.status(Assets::Tokens, Some(ETHEREUM)).await, 502);
    scripted.token_index = Arc::default();
    assert!(rows(&scripted.tokens().await).is_empty(), "no list, no tokens");
}

#[tokio::test]
async fn five_thousand_tokens_cost_three_requests_of_a_network_when_they_are_known() {
    let tokens: Vec<Address> = (1..=5000_u64).map(|number| Address::from_word(U256::from(number).into())).collect();
    let mut script = Script::default();
    for token in tokens.iter().step_by(100) {
        script = script.holds(ETHEREUM, *token, "T", 18, 1).holds(POLYGON, *token, "T", 18, 1);
    }
    let listed: Vec<_> = tokens.iter().flat_map(|token| [(ETHEREUM, *token), (POLYGON, *token)]).collect();
    let mut scripted = Scripted::new(script, &listed);
    // A feed is read at the block of each answer.
    let feed = |chain_id| (chain_id, tokens[0], Feed { address: A, heartbeat_s: 3600 });
    scripted.feeds = vec![feed(ETHEREUM), feed(POLYGON)];
    assert_eq!(rows(&scripted.tokens().await).len(), 100);
    let networks = [ETHEREUM, POLYGON];
    let before = networks.map(|chain_id| scripted.script.requests(chain_id));
    scripted.script.next_block();
    assert_eq!(rows(&scripted.tokens().await).len(), 100);
    for (chain_id, before) in networks.into_iter().zip(before) {
        let requests = scripted.script.requests(chain_id) - before;
        assert!((1..=3).contains(&requests), "{requests} requests of network {chain_id}");
    }
}
